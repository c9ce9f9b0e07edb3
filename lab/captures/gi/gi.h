// The analysis of captures at Gi or Gn: frames in, flows out as they end, in one pass.
#ifndef SLUICE_CAPTURES_GI_GI_H
#define SLUICE_CAPTURES_GI_GI_H

#include <stdio.h>

#include "lab/captures/gi/gi_counts.h"
#include "lab/captures/gi/gi_result.h"
#include "lab/captures/gi/gi_sequence.h"
#include "lab/captures/gi/gi_series.h"
#include "lab/captures/gi/gi_vectors.h"

#define GI_PREFIXES_MOST 16

struct gi_prefix {
    struct ipv6_address address;
    uint8_t bits; // of the mapped address, if it is IPv4
};

struct gi_config {
    struct gi_prefix mobile[GI_PREFIXES_MOST]; // none: who opens a connection is the user
    uint32_t mobiles;
    bool take_bad_checksums, users_by_tunnel;
    uint32_t idle_s, flows_most;
    int32_t zone_s;
    FILE *losses;         // each verdict as a row; NULL: not
    uint64_t interval_ns; // of the series; 0: there is none
    gi_moment_fn *moment;
    struct gi_sequence *sequence; // of the connection that is followed; NULL: none
    struct gi_vectors *vectors;   // what makes a scenario (gi_vectors.h); NULL: not
};

// A flow that has ended.
typedef void gi_sink_fn(void *self, const struct gi_result *result);

struct gi;
struct gi *gi_create(const struct gi_config *config, gi_sink_fn *sink, void *self);
void gi_destroy(struct gi *gi);

// The next frame.
void gi_take(struct gi *gi, const struct capture_packet *frame);
// Asked now and then, with how many frames have been read. False: no more is read.
typedef bool gi_go_on_fn(void *self, uint64_t frames);
// All frames of the captures; returns how many there were.
struct capture_merge;
uint64_t gi_read(struct gi *gi, struct capture_merge *captures, gi_go_on_fn *go_on, void *self);
// Ends the flows that still live.
void gi_finish(struct gi *gi);

const struct gi_counts *gi_counts_of(const struct gi *gi);

struct gi_memory {
    uint64_t flows_most, users_most; // at once
    uint64_t octets_most;
    uint32_t octets_a_flow; // all of it over flows_most; 0 without flows
};
struct gi_memory gi_memory_of(const struct gi *gi);

// NULL, or which account does not add up.
const char *gi_wrong(const struct gi *gi);

#endif
