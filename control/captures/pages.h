// The pages of captures: HTML with its style and figures inside, and nothing from elsewhere.
#ifndef SLUICE_CONTROL_CAPTURES_PAGES_H
#define SLUICE_CONTROL_CAPTURES_PAGES_H

#include <stdio.h>

struct audit;
struct json_object;

// Of what `sluice audit` found in these files.
void audit_page(FILE *out, const struct audit *audit, char *const *files, int count);

// Of what `sluice gi` read, out of its JSON; and of two of these beside each other, out of the JSON
// of their comparison.
void gi_page(FILE *out, const struct json_object *report);
void gi_compare_page(FILE *out, const struct json_object *compared,
                     const struct json_object *const reports[2]);

#endif
