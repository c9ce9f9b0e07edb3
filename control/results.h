// The folder that a run leaves its results in: made, locked against a second run, cleared of an
// earlier run's results, and filled so that a file that is there is whole.
#ifndef SLUICE_CONTROL_RESULTS_H
#define SLUICE_CONTROL_RESULTS_H

#include <limits.h>
#include <stdio.h>

struct results {
    char dir[PATH_MAX];
    char at[PATH_MAX]; // what the last fault was about
    int lock;          // the folder itself, held while the run lasts; -1: not open
};

// 0 or a negative errno; -EWOULDBLOCK: another run has the folder.
int results_open(struct results *results, const char *dir);
void results_close(struct results *results);

void results_path(const struct results *results, const char *name, char path[PATH_MAX]);

// Writes a file by put(self, out) under another name and gives it its own when it is whole.
int results_write(const struct results *results, const char *name,
                  void (*put)(const void *self, FILE *out), const void *self);

#endif
