// See gi_quick.h. Each condition names what gi_flow_take, gi_half_send or gi_half_ack would do
// besides, and that is why it is declined here.
#include "lab/gi/gi_quick.h"

#include "dataplane/wire/address.h"
#include "dataplane/wire/tcp.h"
#include "lab/gi/gi_half_parts.h"
#include "lab/gi/gi_hints.h"

#define DATA_LEAST 2 // one octet may be a keep-alive or probe a window

// ---- Calm ----

static bool is_calm_half(const struct gi_half *half)
{
    return half->started && !half->late && half->probes == 0 && half->duplicates == 0 &&
           half->sacked_to == half->una;
}

static bool is_ipv4(const struct gi_flow *flow)
{
    return address_is_ipv4(&flow->user[GI_UP]->address) &&
           address_is_ipv4(&flow->user[GI_DOWN]->address);
}

bool gi_quick_is_calm(const struct gi_flow *flow)
{
    bool set_up = flow->setup.syns == 0 || flow->setup.ack_ns;
    return set_up && !flow->trips.unsure && !flow->ended && !flow->reset && is_ipv4(flow) &&
           is_calm_half(&flow->half[GI_UP]) && is_calm_half(&flow->half[GI_DOWN]);
}

// ---- What the ACK covers ----

// How many records, 0 if the ACK does not move on. False: not each of them was sent once and in the
// row, or the ACK does not go up to the end of one.
static inline bool look(const struct gi_half *half, uint32_t ack, uint32_t *n, bool *data)
{
    uint32_t at = half->una;
    *n = 0;
    *data = false;
    if (gi_rarely(ack - at > half->next - at))
        return false;
    for (; at != ack; ++*n) {
        const struct gi_record *r = gi_half_record(half, *n);
        if (gi_rarely(*n == half->count) || gi_rarely(r->sequence != at) ||
            gi_rarely(gi_half_after(at + r->octets, ack)) || gi_rarely(r->unjudged) ||
            gi_rarely(r->flags & ~(uint32_t)GI_RECORD_DATA))
            return false;
        *data |= r->flags & GI_RECORD_DATA;
        at += r->octets;
    }
    return true;
}

// As gi_half_trip_take for what was sent once. side: whose ACK it is.
static inline void sample(struct gi_flow *flow, enum gi_side side, uint32_t passed_us,
                          uint32_t now_us)
{
    gi_half_sample(&flow->half[!side].rtt, now_us - passed_us);
    if (side == GI_DOWN)
        return;
    gi_half_sample(&flow->trips.karn, now_us - passed_us);
    gi_half_take_order(&flow->user[GI_UP]->order, passed_us, now_us);
}

// As gi_half_ack's `advance` where there is nothing to judge.
static inline struct gi_acked advance(struct gi_flow *flow, enum gi_side side, uint32_t ack,
                                      uint32_t n, bool data, uint32_t now_us,
                                      struct gi_records *records)
{
    struct gi_half *half = &flow->half[!side];
    const struct gi_record *last = gi_half_record(half, n - 1);
    struct gi_acked acked = {.advanced = true,
                             .data = data,
                             .exact = true,
                             .once = true,
                             .user_octets = last->user_octets,
                             .own_octets = last->own_octets,
                             .once_user_octets = last->user_octets,
                             .once_own_octets = last->own_octets};
    sample(flow, side, last->first_us, now_us);
    if (data)
        half->lost_control = 0;
    gi_half_drop_first(half, n, records);
    half->una = half->sacked_to = ack;
    return acked;
}

// ---- The segment ----

static inline void append(struct gi_half *half, const struct gi_brief *brief, uint32_t now_us,
                          uint32_t user_octets, bool answered, struct gi_records *records)
{
    if (gi_rarely(half->begin + half->count == half->room))
        gi_half_make_room(half, half->count, answered, records);
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

static inline void count(struct gi_half *half, const struct gi_half *other,
                         const struct gi_brief *brief, uint32_t now_us)
{
    uint32_t shift = half->scale_seen && other->scale_seen ? half->scale : 0;
    uint32_t window_octets = (uint32_t)brief->window << shift;
    if (gi_rarely(window_octets > half->window_most_octets))
        half->window_most_octets = window_octets;
    half->last_us = now_us;
    half->last_ip_id = brief->ip_id;
    half->last_sequence = brief->sequence;
    half->last_octets = brief->data_octets;
    half->last_packet_ack = brief->acknowledgement;
    half->timestamps_seen |= brief->has_timestamps;
    half->packets++;
    half->ip_octets += brief->ip_octets;
    if (gi_rarely(brief->ip_octets > half->ip_octets_most))
        half->ip_octets_most = brief->ip_octets;
}

static inline void take_acked(struct gi_flow *flow, const struct gi_acked *acked, uint32_t ack,
                              uint64_t now_ns)
{
    gi_rate_ack(&flow->rate, now_ns, ack, acked->user_octets, gi_half_flight(&flow->half[GI_DOWN]));
    gi_flow_transfer(flow, acked, ack, now_ns);
}

// An IP identification twice in succession may be a copy.
static inline bool is_usual(const struct gi_flow *flow, const struct gi_brief *brief,
                            enum gi_side side)
{
    const struct gi_half *half = &flow->half[side];
    uint32_t octets = brief->data_octets;
    return brief->sequence == half->next && (!brief->ip_id || brief->ip_id != half->last_ip_id) &&
           flow->troubles == flow->user[GI_UP]->troubles && // of another flow
           (octets == 0 || (octets >= DATA_LEAST &&         // else a probe
                            half->next + octets - half->una <= GI_HALF_FAR_OCTETS &&
                            (side == GI_UP || flow->passed)));
}

// The user was silent for long: its channel was not there.
static inline bool was_silent(const struct gi_user *user, enum gi_side side, uint32_t now_us)
{
    return side == GI_UP && now_us - user->heard_us > GI_RATE_SILENCE_US;
}

// Compiled for each side: where its half is, is a constant then.
static inline __attribute__((always_inline)) bool take(struct gi_flow *flow,
                                                       const struct gi_brief *brief,
                                                       uint64_t now_ns, enum gi_side side,
                                                       struct gi_records *records)
{
    struct gi_half *half = &flow->half[side], *other = &flow->half[!side];
    struct gi_user *user = flow->user[GI_UP];
    uint32_t n, now_us = gi_half_us(now_ns), ack = brief->acknowledgement;
    bool data;
    if (gi_rarely(!is_usual(flow, brief, side)) || gi_rarely(was_silent(user, side, now_us)) ||
        gi_rarely(!look(other, ack, &n, &data)) ||
        gi_rarely(n == 0 && brief->data_octets == 0)) // a duplicate ACK, or a window
        return false;
    flow->user_packets_last = user->packets + 1;
    if (side == GI_UP)
        user->heard_us = now_us;
    count(half, other, brief, now_us);
    other->last_ack = ack;
    other->last_window = brief->window;
    if (n) {
        struct gi_acked acked = advance(flow, side, ack, n, data, now_us, records);
        if (side == GI_UP)
            take_acked(flow, &acked, ack, now_ns);
    }
    if (brief->data_octets == 0)
        return true;
    append(half, brief, now_us, user->in_octets + brief->ip_octets, true, records);
    flow->dialogue |= side == GI_UP && flow->half[GI_DOWN].data_packets;
    return true;
}

bool gi_quick_take(struct gi_flow *flow, const struct gi_brief *brief, uint64_t now_ns,
                   enum gi_side side, struct gi_records *records)
{
    return side == GI_UP ? take(flow, brief, now_ns, GI_UP, records)
                         : take(flow, brief, now_ns, GI_DOWN, records);
}
