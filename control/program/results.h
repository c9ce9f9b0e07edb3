// The folder that a run leaves its results in: made, locked against a second run, cleared of an
// earlier run's results, and filled so that a file that is there is whole. It is opened once and
// then used by its descriptor: where it lies need not be open to the user whom the run becomes.
#ifndef SLUICE_CONTROL_PROGRAM_RESULTS_H
#define SLUICE_CONTROL_PROGRAM_RESULTS_H

#include <limits.h>
#include <stdio.h>

#include "control/process/user.h"

struct results {
    char dir[PATH_MAX];
    char at[PATH_MAX]; // what the last fault was about
    int folder;        // held, and locked, while the run lasts; -1: not open
    bool simulated;    // nothing in them is secret: all who may enter the folder may read them
};

// What has to be made of the folder is the user's. 0 or a negative errno; -EWOULDBLOCK: another run
// has the folder; -EACCES: the user may not write there.
int results_open(struct results *results, const char *dir, const struct user *user);
void results_close(struct results *results);

// For people: files are opened by results_begin and results_file.
void results_path(const struct results *results, const char *name, char path[PATH_MAX]);

// A file under another name, which gets its own when it is whole: begin, write, and end or drop.
// NULL: errno says why.
FILE *results_begin(const struct results *results, const char *name);
int results_end(const struct results *results, const char *name, FILE *out);
void results_drop(const struct results *results, const char *name, FILE *out);

// All of that by put(self, out).
int results_write(const struct results *results, const char *name,
                  void (*put)(const void *self, FILE *out), const void *self);

// A file that is written while others read it, in place of one of that name. NULL: errno says why.
FILE *results_file(const struct results *results, const char *name);

#endif
