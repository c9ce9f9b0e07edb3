// Runs of no common command, whose folders a page is given: gathered here as `sluice run` gathers
// those of one command, so that they are compared in the same sentences. A folder is a variant; its
// runs are seeds.
#ifndef SLUICE_CONTROL_REPORT_LOOSE_H
#define SLUICE_CONTROL_REPORT_LOOSE_H

struct json_object;
struct runs;

// A summary as `sluice run` writes it of several runs, for value_free. NULL: they cannot be
// compared, which is noted.
struct json_object *loose_gather(struct runs *runs);

#endif
