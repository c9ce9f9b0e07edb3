// `sluice gi --compare`: two reports of `sluice gi --json` beside each other.
#ifndef SLUICE_CONTROL_CAPTURES_GI_COMPARE_H
#define SLUICE_CONTROL_CAPTURES_GI_COMPARE_H

#include <stdio.h>

struct json_object;

// Compares two reports, which may be anybody's, as gi_report_read gives them. Paths and reports
// live as long as what is made of them.
struct gi_compared *gi_compared_of(const char *const paths[2],
                                   struct json_object *const reports[2]);
void gi_compared_print(const struct gi_compared *compared, FILE *out);
void gi_compared_json(const struct gi_compared *compared, FILE *out);
void gi_compared_page(const struct gi_compared *compared, FILE *out);
void gi_compared_free(struct gi_compared *compared);

// Reads two files and compares them. Prints the rows, or writes JSON and a page where these are not
// NULL; "-" is standard output. Returns an exit status.
int gi_compare(const char *a, const char *b, const char *json, const char *page);

#endif
