// The captures of a `sluice gi`, in the order of their first stamps, or an interface of this
// machine that is captured now.
#ifndef SLUICE_CONTROL_CAPTURES_GI_FILES_H
#define SLUICE_CONTROL_CAPTURES_GI_FILES_H

#include "lab/captures/gi/gi.h"
#include "lab/captures/read/capture_filter.h"

#define GI_FILES_NAME_OCTETS 4096

struct capture_live;
struct gi_file {
    const char *path;
    char fault[CAPTURE_TEXT];
    uint64_t frames;
    uint64_t first_ns;            // its first stamp; without one, that of the file before it
    int place;                    // on the command line
    struct capture_file *capture; // that is open already, for it can be read only once
    struct capture_live *live;    // it is an interface of that name; NULL: a file
    bool opened;
};

// The clock of the capture goes on from file to file, in whatever order they are named. False: none
// of them can be read, so what an earlier run wrote stays as it is.
bool gi_files_sort(struct gi_file *files, int n);
// time_ns: of the last packet of the files before.
void gi_files_read(struct gi *gi, struct gi_file *file, struct capture_filter *filter,
                   uint64_t *time_ns);
void gi_files_close(struct gi_file *files, int n);
// Its name, as a terminal bears it.
const char *gi_files_name(const struct gi_file *file, char text[GI_FILES_NAME_OCTETS]);

#endif
