// Reads a report of `sluice gi --json` again, but for its flows, which may be millions.
#ifndef SLUICE_CONTROL_CAPTURES_GI_REPORT_H
#define SLUICE_CONTROL_CAPTURES_GI_REPORT_H

#include <stdio.h>

struct json_object;

enum gi_report { GI_REPORT, GI_REPORT_NONE, GI_REPORT_BREAKS_OFF };

// report: NULL if it is none.
enum gi_report gi_report_parse(FILE *in, struct json_object **report);

// NULL: it is none, or cannot be read; the reason is on stderr.
struct json_object *gi_report_read(const char *path);

#endif
