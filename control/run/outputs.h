// What a run in the lab writes besides summary.json: captures and time series while it runs, tables
// at its end, and the page.
#ifndef SLUICE_CONTROL_RUN_OUTPUTS_H
#define SLUICE_CONTROL_RUN_OUTPUTS_H

#include "control/run/run.h"

// Opens the captures and the series, into run->outputs; EXIT_...
int outputs_open(struct run *run);

// Completes them; EXIT_...
int outputs_close(struct run *run);

// Writes the tables, once the lab has ended; EXIT_...
int outputs_tables(const struct run *run);

// Calls `take` with each file that such a run writes, but for the page and run.json.
struct outputs_asked {
    bool pcap, packets;            // by options
    bool series, batches, passive; // by the configuration
};
void outputs_each(const struct outputs_asked *asked, void (*take)(void *self, const char *name),
                  void *self);

// Prints what each column of these tables means.
void outputs_describe(FILE *out);
// Prints what each key of summary.json means.
void outputs_describe_keys(FILE *out);

// Draws report.html out of the files of the folder; EXIT_...
int outputs_page(const struct run *run);

#endif
