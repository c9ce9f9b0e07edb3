// Explicit window adaptation: what a flow may have under way to an MS is held to what its share of
// the downlink sends in a time (`window` of its traffic class), by lowering the receive window in
// the TCP segments that the MS sends. No packet is dropped, delayed or made, and no host needs ECN.
//
// Laws: a window is never raised, so 0 stays 0, and never lowered below two segments, of the MSS
// that the MS's SYN has (RFC 9293 3.7.1), 536 octets at least, 1460 without that option. It is
// scaled by the option of the MS's SYN if the SYNs of both ends had one (RFC 7323 2.2). A flow
// whose SYN and SYN-ACK were not both seen is left alone, and so is a flow whose SYNs contradict
// each other; so are SYN, FIN and RST, fragments, and what does not decode. The checksum is updated
// incrementally (RFC 1624): one that was wrong stays wrong.
//
// Left out: the right edge of a window may move to the left when a share falls, which RFC
// 9293 3.8.6 wants a sender to bear, and no receiver to do.
#ifndef SLUICE_WINDOW_WINDOW_H
#define SLUICE_WINDOW_WINDOW_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/classes.h"
#include "dataplane/stats/stats.h"

#define WINDOW_FLOWS     16u   // of a PDP context; the one unused for longest gives its place
#define WINDOW_MSS       1460u // of a SYN without the option
#define WINDOW_MSS_LEAST 536u
#define WINDOW_SEGMENTS  2u

enum window_state {
    WINDOW_FREE,
    WINDOW_MS_BEGAN,   // its SYN came, from the MS
    WINDOW_HOST_BEGAN, // ... from the other end
    WINDOW_WHOLE_MS,   // the SYN-ACK came as well, after the MS's SYN
    WINDOW_WHOLE_HOST,
    WINDOW_DOUBTFUL // two of its SYNs, or SYN-ACKs, had other options
};

struct window_flow {
    uint64_t name;   // the keyed hash of addresses and ports
    uint32_t answer; // the ACK number of a SYN-ACK that answers its SYN: a stranger has to guess it
    uint16_t mss;    // as the MS said
    uint8_t scale;   // as the MS said
    uint8_t state : 4;
    uint8_t ms_scales : 1, host_scales : 1; // whose SYN had the option
};

static_assert(sizeof(struct window_flow) == 16, "a context's take four lines of the cache");

// A worker's, for the PDP contexts by their places. A context's flows stand in the order of their
// last use; free places are last.
struct window {
    uint64_t key[3];                   // a secret of the run
    uint32_t of_class_ms[CLASS_COUNT]; // 0: this class's windows stay as they are
    struct window_flow (*flows)[WINDOW_FLOWS];
    struct stats_up *stats;
};

// A segment from an MS whose window may be lowered.
struct window_ack {
    uint8_t *tcp; // its header
    uint32_t least_octets;
    uint8_t scale;
};

// An N-PDU to the MS of that context: its SYN is remembered.
void window_down(struct window *w, uint32_t context, const uint8_t *b, uint32_t n);

// An N-PDU from the MS of that context: its SYN is remembered. True: its window may be lowered, by
// window_lower, before the N-PDU is changed or moved. Each N-PDU is counted once, here or there.
bool window_up(struct window *w, uint32_t context, uint8_t *b, uint32_t n, struct window_ack *ack);

// Lowers the window to so many octets.
void window_lower(struct window *w, const struct window_ack *ack, uint64_t octets);

// The flows of the context are forgotten: it ends, or leaves this worker.
void window_forget(struct window *w, uint32_t context);

// Set-up: the octets of `memory`, which is zeroed; `seed` is a secret. Times in ns.
uint64_t window_octets(uint32_t contexts);
void window_setup(struct window *w, uint64_t seed, const uint64_t of_class_ns[CLASS_COUNT],
                  struct stats_up *stats, void *memory);

#endif
