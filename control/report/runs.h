// The runs that a page shows, found in folders, and the summary of each. A folder is a run if its
// summary.json has classes. If that file lists runs, as several runs of one command leave it, they
// are those; else they are up to three folders down, in the order of their names
// (DIR/VARIANT/POINT/SEED). Those directly in the folder that the user named are one variant if
// they differ in their seeds only.
#ifndef SLUICE_CONTROL_REPORT_RUNS_H
#define SLUICE_CONTROL_REPORT_RUNS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RUNS_MAX           2048
#define RUNS_GROUPS_MAX    512 // variants at points
#define RUNS_GATHERED_MAX  8
#define RUNS_FOLDERS_BELOW 3
#define RUNS_NOTES_OCTETS  2048
#define RUNS_LABEL_OCTETS  1024
#define RUNS_DIR_OCTETS    512 // so that no label is cut

struct json_object;
struct reader;

struct runs_run {
    char dir[PATH_MAX];
    size_t root_octets;            // of `dir`, which the user named
    char label[RUNS_LABEL_OCTETS]; // printable ASCII
    dev_t device;                  // of `dir`, which no other run has
    ino_t inode;
    uint32_t group; // runs that differ in the seed only have the same
    struct json_object *summary;
    double elapsed_s, warmup_s;
};

// A variant at a point of a sweep; without a summary of several runs, a folder with runs in it.
struct runs_group {
    uint32_t variant, point, runs;
};

struct runs {
    struct runs_run *run;
    struct runs_group group[RUNS_GROUPS_MAX];
    uint32_t count, groups, variants, points;
    char variant[RUNS_GROUPS_MAX][RUNS_LABEL_OCTETS]; // printable ASCII
    char point[RUNS_GROUPS_MAX][RUNS_LABEL_OCTETS];   // as well; one "" where there is no sweep
    struct json_object *gathered[RUNS_GATHERED_MAX];  // summaries of several runs
    struct json_object *targets[RUNS_GATHERED_MAX];   // beside them, or NULL
    struct json_object *figures[RUNS_GATHERED_MAX];   // as well
    char gathered_label[RUNS_GATHERED_MAX][RUNS_LABEL_OCTETS]; // their folders, printable ASCII
    uint32_t gathered_first[RUNS_GATHERED_MAX];                // the first of their variants
    uint32_t gathers;
    bool loose;                    // runs of no common command; several are gathered by loose.h
    size_t root_octets;            // of the folder that is looked through
    char notes[RUNS_NOTES_OCTETS]; // files that could not be read, a line each
};

// False: error says which folder or file, and what is wrong with it.
bool runs_find(struct runs *runs, const char *const *dirs, uint32_t count, char error[512]);
void runs_release(struct runs *runs);

// The folder's summary.json, targets.json or figures.json, for value_free; NULL: it has none or,
// with an error, a wrong one. what: "summary", "targets", "figures". root_octets: as of below_open.
struct json_object *runs_json(const char *dir, size_t root_octets, const char *what,
                              char error[512]);

// Notes what is wrong with a folder's file.
void runs_note(struct runs *runs, const char *folder, const char *file, const char *why);

// Opens a CSV file of a run. False: there is none, or, with the reader's error, it is wrong, which
// is noted.
bool runs_open(struct runs *runs, uint32_t run, const char *file, struct reader *reader);
// Closes it; what the reader found wrong is noted.
void runs_close(struct runs *runs, uint32_t run, const char *file, struct reader *reader);

#endif
