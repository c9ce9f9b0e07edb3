// From a frame of a capture to the IP packet in it.
#ifndef SLUICE_GI_LAYERS_H
#define SLUICE_GI_LAYERS_H

#include <stdbool.h>

#include "lab/gi/gi_counts.h"
#include "lab/gi/gi_reader.h"

// What there is of something, and how long it was on the line.
struct gi_view {
    const uint8_t *at;
    uint32_t captured, length;
};

// False for a link type that is not read.
bool gi_layers_known(int link);
// GI_COUNT_segments: the IP packet is in *ip. Else why there is none.
enum gi_count gi_layers_ip(const struct gi_frame *frame, struct gi_view *ip);

// What is behind the first n octets; n is at most what was captured.
static inline struct gi_view gi_view_behind(struct gi_view view, uint32_t n)
{
    return (struct gi_view){view.at + n, view.captured - n, view.length > n ? view.length - n : 0};
}

#endif
