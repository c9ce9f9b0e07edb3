// The short way of a segment through its flow, for what nearly all are: the flow is calm, nothing
// in it waits for a verdict, and the segment goes on in order. It does what gi_flow_take would, and
// declines whatever else it meets before it has changed anything; then gi_flow_take has it. Each
// condition names what gi_flow_take, gi_half_send or gi_half_ack would do besides, and that is why
// it is declined here. It is compiled into the loop over a batch (gi_take.c), which saves a
// twentieth of that.
#ifndef SLUICE_GI_QUICK_H
#define SLUICE_GI_QUICK_H

#include "lab/gi/gi_batch.h"
#include "lab/gi/gi_flow.h"
#include "lab/gi/gi_half_parts.h"
#include "lab/gi/gi_hints.h"

#define GI_QUICK_DATA_LEAST 2 // one octet may be a keep-alive or probe a window

// Is a flow of the list GI_OPEN calm, after a segment that gi_flow_take has taken? Its ends have
// addresses of IPv4 then. A quick one leaves it so.
bool gi_quick_is_calm(const struct gi_flow *flow);

// ---- What the ACK covers ----

struct gi_quick_covered {
    uint32_t n; // records; 0: the ACK does not move on
    bool data;  // in one of them
    const struct gi_record *last;
};

// False: not each of them was sent once and in the row, or the ACK does not go up to the end of
// one. The two bounds of the ACK only spare a walk over records that decides the same; the one of
// the count is for memory alone, as the last record ends at next.
static inline bool gi_quick_look(const struct gi_half *half, uint32_t ack,
                                 struct gi_quick_covered *covered)
{
    uint32_t at = half->una, n = 0, flags = 0;
    *covered = (struct gi_quick_covered){0};
    if (ack == at)
        return true;
    if (gi_rarely(ack - at > half->next - at))
        return false;
    const struct gi_record *r = gi_half_record(half, 0);
    for (; at != ack; r++) {
        if (gi_rarely(n++ == half->count) || gi_rarely(r->sequence != at) ||
            gi_rarely(gi_half_after(at + r->octets, ack)))
            return false;
        flags |= r->flags;
        at += r->octets;
    }
    *covered = (struct gi_quick_covered){n, flags & GI_RECORD_DATA, r - 1};
    return !(flags & ~(uint32_t)GI_RECORD_DATA);
}

// As gi_half_trip_take for what was sent once. side: whose ACK it is.
static inline void gi_quick_sample(struct gi_flow *flow, enum gi_side side, uint32_t passed_us,
                                   uint32_t now_us)
{
    gi_half_sample(&flow->half[!side].rtt, now_us - passed_us);
    if (side == GI_DOWN)
        return;
    gi_half_sample(&flow->karn, now_us - passed_us);
    gi_half_take_order(&flow->user[GI_UP]->order, passed_us, now_us);
}

// As gi_half_ack's `advance` where there is nothing to judge; and what an ACK of the user is
// besides.
static inline void gi_quick_advance(struct gi_flow *flow, enum gi_side side, uint32_t ack,
                                    const struct gi_quick_covered *covered, uint64_t now_ns,
                                    struct gi_records *records)
{
    struct gi_half *half = &flow->half[!side];
    const struct gi_record *last = covered->last;
    const struct gi_acked acked = {.advanced = true,
                                   .data = covered->data,
                                   .exact = true,
                                   .once = true,
                                   .user_octets = last->user_octets,
                                   .own_octets = last->own_octets,
                                   .once_user_octets = last->user_octets,
                                   .once_own_octets = last->own_octets};
    gi_quick_sample(flow, side, last->first_us, gi_half_us(now_ns));
    gi_half_drop_first(half, covered->n, records);
    half->una = half->sacked_to = ack;
    if (side == GI_DOWN)
        return;
    gi_rate_ack(&flow->rate, now_ns, ack, acked.user_octets, gi_half_flight(half));
    gi_flow_transfer(flow, &acked, ack, now_ns);
}

// ---- The segment ----

static inline void gi_quick_append(struct gi_half *half, const struct gi_brief *brief,
                                   uint32_t now_us, uint32_t user_octets,
                                   struct gi_records *records)
{
    if (gi_rarely(half->begin + half->count == half->room))
        gi_half_make_room(half, half->count, true, records);
    else
        half->count++;
    *gi_half_record(half, half->count - 1u) =
        (struct gi_record){.sequence = brief->sequence,
                           .octets = brief->data_octets,
                           .first_us = now_us,
                           .last_us = now_us,
                           .timestamp = brief->timestamp,
                           .user_octets = user_octets,
                           .own_octets = (uint32_t)half->ip_octets,
                           .flags = GI_RECORD_DATA};
    half->next += brief->data_octets;
    half->data_packets++;
    half->data_octets += brief->data_octets;
}

static inline void gi_quick_count(struct gi_half *half, const struct gi_half *other,
                                  const struct gi_brief *brief, uint32_t now_us)
{
    uint32_t shift = other->scale_seen ? half->scale : 0; // which is 0 if the half has not said
    uint32_t window_octets = (uint32_t)brief->window << shift;
    if (gi_rarely(window_octets > half->window_most_octets))
        half->window_most_octets = window_octets;
    half->last_us = now_us;
    half->last_ip_id = brief->ip_id;
    half->last_sequence = brief->sequence;
    half->last_octets = brief->data_octets;
    half->last_packet_ack = brief->acknowledgement;
    if (brief->has_timestamps)
        half->timestamps_seen = true;
    half->packets++;
    half->ip_octets += brief->ip_octets;
    if (gi_rarely(brief->ip_octets > half->ip_octets_most))
        half->ip_octets_most = brief->ip_octets;
}

// An IP identification twice in succession may be a copy.
static inline bool gi_quick_is_usual(const struct gi_flow *flow, const struct gi_brief *brief,
                                     enum gi_side side)
{
    const struct gi_half *half = &flow->half[side];
    uint32_t octets = brief->data_octets;
    return brief->sequence == half->next && (!brief->ip_id || brief->ip_id != half->last_ip_id) &&
           flow->troubles == flow->user[GI_UP]->troubles &&  // of another flow
           (octets == 0 || (octets >= GI_QUICK_DATA_LEAST && // else a probe
                            half->next + octets - half->una <= GI_HALF_FAR_OCTETS &&
                            (side == GI_UP || flow->passed)));
}

// The user was silent for long: its channel was not there.
static inline bool gi_quick_was_silent(const struct gi_user *user, enum gi_side side,
                                       uint32_t now_us)
{
    return side == GI_UP && now_us - user->heard_us > GI_RATE_SILENCE_US;
}

// False: nothing has changed. The flow is calm. Where the side is a constant, so are the places of
// the halves.
static inline __attribute__((always_inline)) bool gi_quick_take(struct gi_flow *flow,
                                                                const struct gi_brief *brief,
                                                                uint64_t now_ns, enum gi_side side,
                                                                struct gi_records *records)
{
    struct gi_half *half = &flow->half[side], *other = &flow->half[!side];
    struct gi_user *user = flow->user[GI_UP];
    uint32_t now_us = gi_half_us(now_ns), ack = brief->acknowledgement;
    struct gi_quick_covered covered;
    if (gi_rarely(!gi_quick_is_usual(flow, brief, side)) ||
        gi_rarely(gi_quick_was_silent(user, side, now_us)) ||
        gi_rarely(!gi_quick_look(other, ack, &covered)) ||
        gi_rarely(covered.n == 0 && brief->data_octets == 0)) // a duplicate ACK, or a window
        return false;
    flow->user_packets_last = gi_user_packets(user) + 1;
    if (side == GI_UP)
        user->heard_us = now_us;
    gi_quick_count(half, other, brief, now_us);
    other->last_ack = ack;
    other->last_window = brief->window;
    if (covered.n)
        gi_quick_advance(flow, side, ack, &covered, now_ns, records);
    if (brief->data_octets == 0)
        return true;
    gi_quick_append(half, brief, now_us, (uint32_t)user->passed + brief->ip_octets, records);
    if (side == GI_UP && flow->half[GI_DOWN].data_packets)
        flow->dialogue = true;
    return true;
}

#endif
