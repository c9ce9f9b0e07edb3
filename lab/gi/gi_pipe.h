// All frames of a capture into the analysis: by this thread alone, or with a second one that reads
// the file and its headers ahead while this one takes the segments in their order, and reads as
// well where there is none to take. Both write the same.
#ifndef SLUICE_GI_PIPE_H
#define SLUICE_GI_PIPE_H

#include "lab/gi/gi.h"

// Asked every some hundred frames, by the thread that reads them, one at a time. False: no more is
// read.
typedef bool gi_go_on_fn(void *self, uint64_t frames);

// How many there were. threads: 1 or 2.
uint64_t gi_pipe_read(struct gi *gi, struct capture_file *capture, int threads, gi_go_on_fn *go_on,
                      void *self);

#endif
