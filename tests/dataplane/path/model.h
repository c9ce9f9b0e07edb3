// What of the frames that arrive comes out of the uplink, by a plain model that knows of each frame
// what it is: an LLE takes each number once and none that is more than 32 behind the next one (TS
// 44.064 8.4.2), a context takes the segments of one N-PDU in order or not at all (44.065 6.7). The
// model asserts that nothing arrives later than that, so that numbers are never mistaken.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_MODEL_H
#define SLUICE_TESTS_DATAPLANE_PATH_MODEL_H

#include "tests/dataplane/path/path.h"

#define MODEL_MSS     64u
#define MODEL_PDPS    64u
#define MODEL_NUMBERS 65536u

struct model_frame {
    uint32_t pdp, number, seed; // number: N(U) plus OC; seed: of its N-PDU
    uint16_t npdu_number, octets;
    uint8_t segment, segments;
};

struct model {
    uint32_t next[MODEL_MSS][16];
    bool came[MODEL_MSS][16][MODEL_NUMBERS];
    struct {
        bool open;
        uint32_t seed;
        uint8_t segments;
    } context[MODEL_PDPS];
    uint64_t duplicates, out_of_order; // in frames and in segments
};

// True if it completes its N-PDU.
bool model_take(struct model *m, const struct model_frame *f);

// Segments of N-PDUs that are not whole.
uint64_t model_held(const struct model *m);

#endif
