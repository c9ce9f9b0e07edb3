// Several captures as one: their packets by time, as of two interfaces, or of a ring of files in
// whatever order they are named. Of the same time, those of the first part come first; within a
// part the file's order stays, so where its clock goes back, the packets do.
#ifndef SLUICE_LAB_CAPTURE_MERGE_H
#define SLUICE_LAB_CAPTURE_MERGE_H

#include "lab/captures/read/capture_file.h"

#define CAPTURE_MERGE_AT_ONCE 64 // parts that may overlap; of more, one waits for another's end

struct capture_part {
    const char *path;
    struct capture_file *file; // that is open already, for it can be read only once; else NULL
    uint64_t first_ns;         // of its first packet
    int link;                  // as capture_file_link
    bool is_behind;            // the part before it, for its first packet has no stamp
    uint32_t place;            // as it was named
    uint64_t packets;          // of it that were given out
    bool opened, ended;        // opened: it can be read; ended: to its end, or to its fault
    char fault[CAPTURE_TEXT];  // why it cannot be read, or ends too early; "": neither
};

// Looks where each begins, if there are several, and sorts them. What can be read only once stays
// open. False: none of them can be read.
bool capture_parts_sort(struct capture_part *parts, uint32_t n);
// Closes what is still open.
void capture_parts_close(struct capture_part *parts, uint32_t n);

struct capture_merge;
struct capture_filter;
// The parts are sorted, and stay where they are. Those that can be read again may be merged again.
struct capture_merge *capture_merge_create(struct capture_part *parts, uint32_t n,
                                           struct capture_filter *filter);
// As capture_file_read.
uint32_t capture_merge_read(struct capture_merge *merge, struct capture_packet *packets,
                            uint32_t most, uint64_t counts[CAPTURE_COUNTS]);
// How much of all of them has been read, from 0 to 1; less than 0 if one is no file.
double capture_merge_progress(const struct capture_merge *merge);
// The part that was opened last; NULL: none yet.
const struct capture_part *capture_merge_part(const struct capture_merge *merge);
void capture_merge_destroy(struct capture_merge *merge);

#endif
