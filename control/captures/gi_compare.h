// `sluice gi --compare`: two reports of `sluice gi --json` beside each other.
#ifndef SLUICE_CONTROL_CAPTURES_GI_COMPARE_H
#define SLUICE_CONTROL_CAPTURES_GI_COMPARE_H

// Prints the rows, or writes JSON and a page where these are not NULL; "-" is standard output.
// Returns an exit status.
int gi_compare(const char *a, const char *b, const char *json, const char *page);

#endif
