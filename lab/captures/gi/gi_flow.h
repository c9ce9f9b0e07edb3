// A TCP connection between a user (the end on the GPRS side) and a host of the Internet, seen
// between the two: its set-up, what each end sends, and what it needs for rate and throughput.
#ifndef SLUICE_GI_FLOW_H
#define SLUICE_GI_FLOW_H

#include <assert.h>

#include "dataplane/base/units.h"
#include "lab/captures/gi/gi_causes.h"
#include "lab/captures/gi/gi_half.h"
#include "lab/captures/gi/gi_rate.h"
#include "lab/captures/gi/gi_users.h"

// "In order to be sure that the bottleneck buffer in the GPRS network is flushed."
#define GI_SILENCE_NS (5 * S_IN_NS)

#define GI_FLOW_NO_VECTOR UINT32_MAX // of a flow that there is no room for

enum gi_side { GI_UP, GI_DOWN, GI_SIDES }; // who sends: the user, the Internet
#define GI_BOTH (1 << GI_UP | 1 << GI_DOWN)

struct gi_setup {
    uint64_t syn_ns, syn_ack_ns, ack_ns;
    uint16_t syns, syn_acks;
    uint32_t initial;         // sequence number of the SYN
    uint32_t answered_before; // that of the last SYN-ACK but one, if it was another
    bool background_before, background, from_internet;
    bool acked; // with the first ACK it is complete
};

// From the first ACK of data down to the last: what has passed of this flow, and of all to the
// user. All but the last two is of one line of the cache.
struct gi_transfer {
    uint64_t last_ack_ns;
    uint64_t data_octets; // of this flow, each once
    // What passed of this flow between what the first ACK covers and what the ACKs until the last
    // one cover; gi_user's `passed` and what of this flow had passed with the latter, modulo 2^32;
    uint64_t own_octets;
    uint64_t last_passed;
    uint32_t last_own_octets;
    uint32_t last_ack; // its number
    // octets that were lost until then: of this flow, of the user.
    uint32_t own_lost, last_own_lost, last_user_lost, first_user_lost;
    uint64_t first_ack_ns, first_passed;
};

// By lines of the cache, of which the first begins within the node (gi_table.h): what each packet
// needs, the transfer, the rate with round trips; then the halves.
struct gi_flow {
    struct gi_node node;            // touched_ns: its last packet
    struct gi_user *user[GI_SIDES]; // the ends; GI_UP: the user
    uint64_t first_ns;
    uint16_t port[GI_SIDES];
    uint32_t troubles; // of the user, that it knows of
    // Packets of the user up to its last one, and before its first one, modulo 2^24.
    uint32_t user_packets_last, user_packets_before;
    uint8_t ended : 2, reset : 2; // a bit a side: by FIN, by RST
    bool fragments : 1, dialogue : 1;
    bool jumped : 1;     // the capture's clock has gone back while it lived
    bool passed : 1;     // data down
    bool acked : 1;      // of that, by the user: the transfer has begun
    bool renumbered : 1; // its SYN-ACKs had unlike numbers
    uint32_t vector;     // gi_vectors.h; 0: none
    struct gi_transfer transfer;
    struct gi_trips trips;
    gi_causes_number causes;
    struct gi_rate rate;
    struct gi_rtt karn; // to the user
    struct gi_half half[GI_SIDES];
    struct gi_setup setup;
};

// Places behind the beginning of the first line; of the halves, what most packets need is in one
// line and in two.
#define GI_FLOW_BEFORE     offsetof(struct gi_flow, node.hash)
#define GI_FLOW_AT(member) (offsetof(struct gi_flow, member) - GI_FLOW_BEFORE)
static_assert(GI_FLOW_AT(transfer) == 64 && GI_FLOW_AT(rate.last_ns) == 192 &&
                  GI_FLOW_AT(half[GI_UP].una) == 256 && GI_FLOW_AT(half[GI_DOWN]) == 384 + 24 &&
                  sizeof(struct gi_flow) == 640,
              "lines of the cache");
static_assert(GI_FLOW_AT(half[GI_UP]) == 240, "the head of the half with the rate");

static inline uint32_t gi_flow_packets(const struct gi_flow *flow)
{
    return flow->half[GI_UP].packets + flow->half[GI_DOWN].packets;
}

// Did all that the user has counted since its first packet belong to it, up to that number?
static inline bool gi_flow_is_alone(const struct gi_flow *flow, uint32_t user_packets)
{
    uint32_t others = user_packets - flow->user_packets_before - gi_flow_packets(flow);
    return others % (1u << (64 - GI_USER_OCTETS_BITS)) == 0;
}

// A segment of it; side: who sends. The users have not counted it yet. False: a copy of the one
// before, which is left out.
bool gi_flow_take(struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side,
                  struct gi_records *records, struct gi_counts *counts);

// The least round trip from here to that end and back; 0: none is known.
uint32_t gi_flow_round_trip_us(const struct gi_flow *flow, enum gi_side end);

// Is it over: reset, or closed both ways and all acknowledged?
bool gi_flow_is_closed(const struct gi_flow *flow);
// Does this SYN begin another connection between the same ends?
bool gi_flow_is_new(const struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side);

#endif
