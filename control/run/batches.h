// run.batches: what a run in the lab measured behind its warm-up, in so many equal parts of its
// time: their figures one by one, batches.csv, and their means with intervals, as if each batch
// were a run. That is right if the batches are nearly independent, which is looked at, too.
#ifndef SLUICE_CONTROL_RUN_BATCHES_H
#define SLUICE_CONTROL_RUN_BATCHES_H

#include "control/run/run.h"

#define BATCHES_FILE "batches.csv"

// Before all else of the run, but behind the timer of its warm-up.
void batches_begin(struct run *run);

// Takes the last batch, unless the run was cut short; the report then has their means.
void batches_end(struct run *run, struct report *report);

void batches_print(const struct run *run, FILE *out);
void batches_put_csv(const void *run, FILE *out);
void batches_release(struct run *run);

// The members of a figure's object.
struct statistics;
void batches_put(struct json *json, const struct statistics *over);

// Prints what each column of batches.csv means; each key of the summary's member.
void batches_describe(FILE *out);
void batches_describe_keys(FILE *out);

#endif
