// The captures of a `sluice gi`, by time, or an interface of this machine that is captured now.
#ifndef SLUICE_CONTROL_CAPTURES_GI_FILES_H
#define SLUICE_CONTROL_CAPTURES_GI_FILES_H

#include "lab/captures/gi/gi.h"
#include "lab/captures/read/capture_merge.h"

#define GI_FILES_NAME_OCTETS 4096

struct capture_live;
struct gi_files {
    struct capture_part *part; // by path; sorted once they are open
    uint32_t n;
    struct capture_live *live; // the one part is an interface; NULL: they are files
};

// False: none of them can be read, so what an earlier run wrote stays as it is.
bool gi_files_open(struct gi_files *files);
// All of it. False: one of them cannot be read, or is damaged in front of its first frame.
bool gi_files_read(struct gi *gi, struct gi_files *files, struct capture_filter *filter);
void gi_files_close(struct gi_files *files);
// Its name, as a terminal bears it.
const char *gi_files_name(const struct capture_part *part, char text[GI_FILES_NAME_OCTETS]);

#endif
