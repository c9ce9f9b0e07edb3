// Reads a report of `sluice gi --json` again, but for its flows, which may be millions.
#ifndef SLUICE_CONTROL_CAPTURES_GI_REPORT_H
#define SLUICE_CONTROL_CAPTURES_GI_REPORT_H

struct json_object;

// NULL: it is none, or cannot be read; the reason is on stderr.
struct json_object *gi_report_read(const char *path);

#endif
