// The folder for the results of a run: made, locked against a second run, and, once origin.h has
// looked at an earlier run's results, cleared of them. A file gets its name only when it is
// complete. The folder is opened once and used by its descriptor, so the user that the run becomes
// need not be able to reach its path.
#ifndef SLUICE_CONTROL_RUN_RESULTS_H
#define SLUICE_CONTROL_RUN_RESULTS_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "control/process/user.h"

struct results {
    char dir[PATH_MAX];
    char at[PATH_MAX]; // the path of the last fault
    int folder;        // open and locked while the run lasts; -1: not open
    bool simulated;    // no secrets in the files: everybody may read them
};

// Of the files that `sluice bench` writes the one that tells them from a run's: some have one name.
#define RESULTS_OF_BENCH "bench.json"

// Folders that this makes belong to the user. Returns 0 or a negative errno; -EWOULDBLOCK: another
// run has the folder; -EEXIST: it has the results of a benchmark; -EACCES: the user may not write
// there.
int results_open(struct results *results, const char *dir, const struct user *user);
void results_close(struct results *results);

// Makes DIR and the folders above it. Returns 0 or a negative errno.
int results_make(const char *path, const struct user *user);

// Removes the files of an earlier run of any user; its captures of real time become previous-NAME.
// Returns 0 or a negative errno.
int results_clear(struct results *results);

// Calls `take` with each file that a run writes and that is there, and its octets.
void results_files(const struct results *results,
                   void (*take)(void *self, const char *name, uint64_t octets), void *self);

// The path of a file, for messages; results_begin and results_file open files.
void results_path(const struct results *results, const char *name, char path[PATH_MAX]);
// The same of a file that is there, from the root on, as a client may be in another folder; as
// above if the user may not reach it by its path.
void results_whole_path(const struct results *results, const char *name, char path[PATH_MAX]);

// Writes a file under a temporary name until it is complete: begin, write, then end or drop.
// results_begin returns NULL and sets errno after a fault.
FILE *results_begin(const struct results *results, const char *name);
int results_end(const struct results *results, const char *name, FILE *out);
void results_drop(const struct results *results, const char *name, FILE *out);

// Writes a whole file with put(self, out).
int results_write(const struct results *results, const char *name,
                  void (*put)(const void *self, FILE *out), const void *self);

// Opens a file under its own name, in the place of an old one (see results_clear), for a capture
// that others read while it grows. Returns NULL and sets errno after a fault.
FILE *results_file(const struct results *results, const char *name);

#endif
