// See gi_half.h: the round trip from here to the receiver and back.
//
// A sample is an ACK up to the end of a segment that came in order. Karn's rule takes those that
// were sent once, if nothing before them was sent again or came late since then. It leaves out what
// was on its way when something was sent again, and behind here these are the long ones. So it is
// asked which sending the user had, if there were several. In this order:
// - the ACK echoes the timestamp of the last one, or an older one (RFC 7323);
// - the ACK comes sooner after the last one than the least round trip: the first one;
// - something that passed here after the first one is known to have come: not the first one, for
//   packets of a user keep their order;
// - else nobody knows yet. The next ACK tells, of which it is known what it is of: if that passed
//   before the last sending, the first had come, else the last. Or the receiver says that the last
//   one came, too, or the next segment comes again, too: then the first had come.
// A segment that was sent once, behind one that was sent again, came in order if it was not later
// than what has come, and if the receiver did not say that something was missing.
#include "lab/captures/gi/gi_half_parts.h"

static void add_samples(struct gi_rtt *rtt, uint32_t n, uint32_t sum_us)
{
    uint32_t us = sum_us / n;
    if (rtt->samples == 0 || us < rtt->least_us)
        rtt->least_us = us;
    if (us > rtt->most_us)
        rtt->most_us = us;
    rtt->sum_us += sum_us;
    rtt->samples += n;
}

// ---- Karn's rule ----

// Did something before it come behind it?
static bool was_held_up(const struct gi_half *half, const struct gi_covered *c,
                        const struct gi_record *r)
{
    bool before = half->late && gi_half_after(r->sequence, half->late_from) &&
                  gi_half_later(half->late_us, r->first_us, c->now_us);
    return before || (c->late && gi_half_later(c->late_us, r->first_us, c->now_us));
}

// ---- What has come ----

// What passed then has come.
static bool has_passed_by(const struct gi_order *order, uint32_t passed_us, uint32_t now_us)
{
    return order->came_us && !gi_half_later(passed_us, order->came_us, now_us);
}

static void take_order(struct gi_order *order, uint32_t passed_us, uint32_t now_us)
{
    if (!has_passed_by(order, passed_us, now_us))
        order->came_us = passed_us ? passed_us : 1;
}

void gi_half_trip_came(const struct gi_receiver *receiver, const struct gi_record *record)
{
    if (receiver->order && !(record->flags & GI_RECORD_AGAIN))
        take_order(receiver->order, record->first_us, receiver->now_us);
}

// ---- Those of which nobody knows yet ----

// It was the first sending of all of them, or the last one.
static void settle(struct gi_half *half, struct gi_trips *trips, bool last)
{
    if (trips->unsure)
        add_samples(&half->rtt, trips->unsure,
                    last ? trips->unsure_last_us : trips->unsure_first_us);
    trips->unsure = 0;
    trips->unsure_first_us = trips->unsure_last_us = 0;
}

static void take_unsure(struct gi_half *half, struct gi_trips *trips, const struct gi_trip *trip)
{
    if (gi_half_later(trip->first_us, trips->passed_last_us, trip->now_us))
        settle(half, trips, false); // one after the other came again: time-outs are too short
    if (trips->unsure_first_us > UINT32_MAX / 4 || trip->now_us - trip->first_us > UINT32_MAX / 4)
        return; // of half an hour: the sums are bounded
    trips->unsure++;
    trips->unsure_first_us += trip->now_us - trip->first_us;
    trips->unsure_last_us += trip->now_us - trip->last_us;
    trips->passed_first_us = trip->first_us;
    trips->passed_last_us = trip->last_us;
}

// The last one has come as well.
void gi_half_trip_twice(struct gi_half *half, const struct gi_receiver *receiver)
{
    if (receiver->trips)
        settle(half, receiver->trips, false);
}

// Something has come since then that passed between the two.
void gi_half_trip_look(struct gi_half *half, const struct gi_receiver *receiver)
{
    struct gi_trips *trips = receiver->trips;
    const struct gi_order *order = receiver->order;
    uint32_t now_us = receiver->now_us;
    if (trips && trips->unsure && has_passed_by(order, trips->passed_first_us, now_us) &&
        !has_passed_by(order, trips->passed_last_us, now_us))
        settle(half, trips, false);
}

// Of what passed then is the ACK.
static void settle_by(struct gi_half *half, struct gi_trips *trips, uint32_t passed_us,
                      uint32_t now_us)
{
    settle(half, trips, !gi_half_later(trips->passed_last_us, passed_us, now_us));
}

static void take_sure(struct gi_half *half, const struct gi_receiver *receiver,
                      const struct gi_trip *trip)
{
    uint32_t passed_us = trip->sending == GI_SENDING_LAST ? trip->last_us : trip->first_us;
    settle_by(half, receiver->trips, passed_us, trip->now_us);
    add_samples(&half->rtt, 1, trip->now_us - passed_us);
    if (trip->once)
        take_order(receiver->order, passed_us, trip->now_us);
}

// Nothing has come twice.
void gi_half_trips_end(struct gi_half *half, struct gi_trips *trips)
{
    settle(half, trips, true);
}

// ---- Which sending ----

static bool says_missing(const struct gi_half *half)
{
    return half->duplicates || (half->selective && half->sacked_to != half->una);
}

// r was sent again.
static enum gi_sending which(const struct gi_covered *c, const struct gi_record *r,
                             const struct gi_order *order)
{
    bool two = r->unjudged < 2, not_first = has_passed_by(order, r->first_us, c->now_us);
    if (c->has_echo && !gi_half_after(r->timestamp, c->echo))
        return GI_SENDING_LAST;
    if (c->has_echo)
        return two || !not_first ? GI_SENDING_FIRST : GI_SENDING_NONE;
    if (c->now_us - r->last_us < c->least_us)
        return not_first ? GI_SENDING_NONE : GI_SENDING_FIRST;
    if (not_first)
        return two ? GI_SENDING_LAST : GI_SENDING_NONE;
    return GI_SENDING_UNSURE;
}

// Behind r, has something before it been sent again, or come for the first time?
static void look_behind(const struct gi_half *half, const struct gi_covered *c, bool *again,
                        bool *late)
{
    const struct gi_record *r = gi_half_record(half, c->n - 1);
    for (uint32_t i = 0; c->late && i + 1 < c->n; i++) {
        const struct gi_record *one = gi_half_record(half, i);
        *late |= gi_half_later(one->first_us, r->first_us, c->now_us);
        *again |= gi_half_later(one->last_us, r->first_us, c->now_us);
    }
}

static enum gi_sending sending_of(const struct gi_trip *trip, const struct gi_half *half,
                                  const struct gi_covered *c, const struct gi_record *r,
                                  const struct gi_order *order)
{
    bool again = false, late = false;
    bool overtaken = order->came_us && gi_half_later(order->came_us, r->first_us, c->now_us);
    look_behind(half, c, &again, &late);
    if (late || (again && says_missing(half)))
        return GI_SENDING_BEFORE;
    if (r->flags & GI_RECORD_SACKED || (again && !trip->once))
        return GI_SENDING_NONE;
    if (!trip->once)
        return which(c, r, order);
    return trip->karn || !overtaken ? GI_SENDING_FIRST : GI_SENDING_NONE;
}

// ---- A sample ----

struct gi_trip gi_half_trip(const struct gi_half *half, const struct gi_covered *c,
                            const struct gi_receiver *receiver)
{
    const struct gi_record *r = c->n ? gi_half_record(half, c->n - 1) : NULL;
    if (!r || r->sequence + r->octets != c->to)
        return (struct gi_trip){0};
    bool once = !(r->flags & GI_RECORD_AGAIN);
    struct gi_trip trip = {.once = once,
                           .karn = once && !was_held_up(half, c, r),
                           .fin = r->flags & GI_RECORD_FIN,
                           .now_us = c->now_us,
                           .first_us = r->first_us,
                           .last_us = c->late && gi_half_later(c->late_us, r->last_us, c->now_us)
                                          ? c->late_us
                                          : r->last_us};
    if (receiver->order)
        trip.sending = sending_of(&trip, half, c, r, receiver->order);
    return trip;
}

void gi_half_trip_take(struct gi_half *half, const struct gi_trip *trip,
                       const struct gi_receiver *receiver)
{
    if (trip->karn && receiver->karn)
        add_samples(receiver->karn, 1, trip->now_us - trip->first_us);
    // The host's answer to a FIN is its own, which may be the repetition of one that was lost.
    if (trip->karn && !receiver->order && !trip->fin)
        add_samples(&half->rtt, 1, trip->now_us - trip->first_us);
    if (trip->sending == GI_SENDING_UNSURE)
        take_unsure(half, receiver->trips, trip);
    else if (trip->sending == GI_SENDING_BEFORE)
        settle_by(half, receiver->trips, trip->last_us, trip->now_us);
    else if (trip->sending != GI_SENDING_NONE)
        take_sure(half, receiver, trip);
}
