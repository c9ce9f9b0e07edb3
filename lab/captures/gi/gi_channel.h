// What the channel to a user carried over time, and what its queue held, of the ACKs of all of the
// user's flows. gi_rate.h measures one rate of a flow that loses nothing, as the paper does; a
// trace needs the times of loss, too.
//
// While octets wait for the channel, what arrives between two ACKs is what it carried meanwhile.
// An ACK says what arrived: what it covers or, with SACK and no more than that, a segment. What
// waits is above all that the user has reported; what is lost below that does not. Without SACK a
// time counts only if nothing is missing.
//
// A queue is limited by octets, or by the time that a packet may wait in it: what was under way
// with the last segment before a loss, and how long that took, tell which (gi_scenario_figures.c).
#ifndef SLUICE_GI_CHANNEL_H
#define SLUICE_GI_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#define GI_CHANNEL_BINS_MOST    100000
#define GI_CHANNEL_BIN_US       (5 * 1000000)
#define GI_CHANNEL_HELD         256
#define GI_CHANNEL_LOSSES       32
#define GI_CHANNEL_RECENT       16
#define GI_CHANNEL_MOMENT_US    (2 * 1000000)
#define GI_CHANNEL_MOMENTS_MOST 7200 // four hours

// What it carried, in IP octets, and in how much time it is known to have had something to do.
struct gi_channel_sum {
    uint64_t octets, us;
};
// In a time of GI_CHANNEL_BIN_US.
struct gi_channel_bin {
    uint32_t octets, us;
};
// What arrived in a time of GI_CHANNEL_MOMENT_US, and of that what arrived while much waited, and
// in how much time: gi_shared.h tells by it who shares a cell.
struct gi_channel_moment {
    uint32_t octets, full_octets, full_us;
};
struct gi_channel_bins {
    struct gi_channel_bin *bin;
    uint32_t count;
    struct gi_channel_sum sum;
};

// A segment to the user: what had been sent with it, and was under way.
struct gi_channel_held {
    uint64_t sent;
    uint32_t flight, at_us; // at_us: modulo 2^32
};

// A segment that has come: what was under way with it; from here to the user and back, 0: none.
struct gi_channel_wait {
    uint32_t octets, us;
};

// A segment to the user: whose it is, and where it ends in what that flow has sent.
struct gi_channel_sent {
    uint32_t flow, end, at_us; // flow: 0: it has come; modulo 2^32
};

struct gi_channel {
    // While much waited; while less did, until the first says enough.
    struct gi_channel_bins full_bins, few_bins;
    struct gi_channel_moment *moment;
    uint32_t moments;
    struct gi_channel_sent recent[GI_CHANNEL_RECENT]; // a ring of the last segments
    uint32_t recent_next;
    // Data: sent and acknowledged; under way, with what is lost of it; what waits.
    uint64_t sent, acked, flight, queued;
    uint64_t ack_us, clean_at; // the last ACK; nothing is missing when so much is acknowledged
    uint32_t troubles;
    bool full;  // behind the last ACK
    bool waits; // what came next had been sent a round trip before the last ACK
    bool up;    // data of the user has passed since then: ACKs may have waited behind it
    bool fresh; // nothing was under way, and there was no ACK since then
    // The most that was under way with a segment before which nothing was missing: queue and way.
    uint64_t held_most;
    // The last segment before which nothing was missing; those that were the last before a loss, of
    // which so many are kept.
    struct gi_channel_wait last, before_loss[GI_CHANNEL_LOSSES];
    uint32_t losses;
    struct gi_channel_held held[GI_CHANNEL_HELD]; // a ring of the last segments
    uint32_t held_first, helds;
    // Segments sent again while little was under way, or much: not by a queue that was full, or so.
    uint64_t packets, again_low, again_high;
};

// A flow's part of it.
struct gi_channel_flow {
    uint32_t number, arrived;  // not 0; segments with the last ACK
    uint64_t queued, reported; // reported: octets beyond the ACK that segments have told of
    uint64_t sent, given_up;   // given_up: of those sent, by a time-out
};

// Data of a flow: octets that are new; 0: sent again. rtt_us: from here to the host and back: what
// is sent again later than that behind an ACK is sent by a timer, and nothing waits for the
// channel.
void gi_channel_sends(struct gi_channel *channel, struct gi_channel_flow *flow, uint64_t octets,
                      uint64_t t_us, uint64_t rtt_us);

struct gi_channel_ack {
    uint64_t t_us, since_us;         // since_us: behind the beginning of the capture
    uint64_t octets;                 // that it covers for the first time
    uint64_t segment_octets;         // that it reports beyond, at most; 0: none
    uint64_t rtt_us;                 // the least from here to the user and back; 0: not known
    uint64_t told;                   // of those sent, up to the last that the user has told of
    uint64_t ip_octets, data_octets; // of the flow so far
    bool selective, hole; // the user reports what has come, and that something is missing
    bool moments;         // are kept
    uint32_t troubles;    // of the user so far (gi_users.h)
};
void gi_channel_acks(struct gi_channel *channel, struct gi_channel_flow *flow,
                     const struct gi_channel_ack *ack);

// The flow is over: nothing of it is under way.
void gi_channel_ends(struct gi_channel *channel, const struct gi_channel_flow *flow,
                     uint64_t flight);

// The bins, and in each of them what was carried while much waited or, of a user who asks for so
// little that there is hardly any such time, while anything did.
uint32_t gi_channel_bins(const struct gi_channel *channel);
struct gi_channel_sum gi_channel_bin(const struct gi_channel *channel, uint32_t bin);
void gi_channel_free(struct gi_channel *channel);

// In bit/s; 0: not known.
uint64_t gi_channel_rate(const struct gi_channel *channel);

#endif
