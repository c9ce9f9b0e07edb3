// See gi_half.h: the receiver's ACKs. With an ACK that covers a segment which was sent again it is
// decided why:
// - The receiver had it already, so the repetition was spurious: the ACK comes sooner after it than
//   the least round trip from here (half of that, if the set-up's is not known); or the ACK echoes
//   a timestamp from before it (as Eifel detection does at the sender, RFC 3522; 0 is none, which
//   some stacks echo always); or the receiver says so (DSACK, RFC 2883).
// - Else it was lost, if SACK said that it was missing when it was sent again; or if nothing before
//   it was missing that this ACK covers.
// - The others that the same ACK covers were lost, too, unless the receiver said that they had come
//   behind the hole: by SACK, or by more duplicate ACKs than what passed once behind the hole
//   explains. Then the sender went back N.
// A duplicate ACK is of a segment behind a hole, or of one that came twice, as DSACK would say it.
// It is the latter if nothing is outstanding, if the receiver uses SACK and has none in it, and if
// what came behind a hole was less: so many repetitions were spurious after all.
#include "dataplane/wire/tcp.h"
#include "lab/captures/gi/gi_half_parts.h"

// ---- What an ACK covers ----

static bool was_spurious(const struct gi_covered *c, const struct gi_record *r)
{
    return (c->has_echo && gi_half_after(r->timestamp, c->echo)) ||
           c->now_us - r->last_us < c->least_us;
}

// What is behind the hole and passed once, before that time: it came, with a duplicate ACK each.
static uint32_t count_once(const struct gi_half *half, uint32_t before_us, uint32_t now_us)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < half->count; i++) {
        const struct gi_record *r = gi_half_record(half, i);
        n += !(r->flags & GI_RECORD_AGAIN) && gi_half_later(before_us, r->first_us, now_us);
    }
    return n;
}

// Had it come behind the hole before it was sent again?
static bool had_come(const struct gi_half *half, const struct gi_record *r, uint32_t now_us)
{
    if (half->selective)
        return r->flags & GI_RECORD_SACKED;
    return half->duplicates > count_once(half, r->last_us, now_us);
}

static bool was_lost(const struct gi_half *half, const struct gi_record *r, bool first,
                     uint32_t now_us)
{
    return r->flags & GI_RECORD_MISSING || first || !had_come(half, r, now_us);
}

// Was it, or something that came to its place, missing at the receiver? first: nothing before it
// was that this ACK covers.
static bool judge(struct gi_half *half, const struct gi_covered *c, struct gi_record *r, bool first,
                  const struct gi_records *records)
{
    uint32_t copies = r->unjudged, data = r->flags & GI_RECORD_DATA;
    if (copies == 0)
        return r->flags & GI_RECORD_FILLER;
    if (was_spurious(c, r)) {
        gi_half_judged(half, records, GI_VERDICT_spurious, r->sequence, data);
        gi_half_more(&half->unconfirmed, 1);
        copies--;
    }
    bool lost = copies && (r->unjudged > copies || was_lost(half, r, first, c->now_us));
    gi_half_judged(half, records, lost ? GI_VERDICT_lost_downstream : GI_VERDICT_go_back,
                   r->sequence, data ? copies : 0);
    if (!lost)
        gi_half_more(&half->unconfirmed, copies);
    else if (!data)
        gi_half_more(&half->lost_control, copies);
    r->unjudged = 0;
    return lost || r->flags & GI_RECORD_FILLER;
}

// Something has come twice.
static void take_twice(struct gi_half *half, const struct gi_receiver *receiver,
                       const struct gi_records *records, uint32_t sequence)
{
    gi_half_trip_twice(half, receiver);
    if (half->unconfirmed) {
        half->unconfirmed--;
    } else if (half->lost_control) {
        half->lost_control--;
    } else if (half->judged[GI_VERDICT_lost_downstream]) {
        gi_half_rejudged(half, records, GI_VERDICT_spurious, GI_VERDICT_lost_downstream, sequence);
    }
}

static void look(const struct gi_half *half, struct gi_covered *c)
{
    for (; c->n < half->count; c->n++) {
        const struct gi_record *r = gi_half_record(half, c->n);
        if (gi_half_after(r->sequence + r->octets, c->to)) {
            c->passed += gi_half_after(c->to, r->sequence) ? c->to - r->sequence : 0;
            return;
        }
        c->passed += r->octets;
        bool late = r->flags & (GI_RECORD_AGAIN | GI_RECORD_FILLER);
        if (late && (c->late++ == 0 || gi_half_later(r->last_us, c->late_us, c->now_us)))
            c->late_us = r->last_us;
        c->data = c->data || r->flags & GI_RECORD_DATA;
    }
}

// An ACK of a part of a segment leaves the rest of it.
static void trim(struct gi_half *half, uint32_t to)
{
    struct gi_record *r = half->count ? gi_half_record(half, 0) : NULL;
    if (r && gi_half_after(to, r->sequence)) {
        r->octets = (uint16_t)(r->octets - (to - r->sequence));
        r->sequence = to;
    }
}

static void take_once(struct gi_acked *acked, const struct gi_record *r)
{
    acked->once = true;
    acked->once_user_octets = r->user_octets;
    acked->once_own_octets = r->own_octets;
}

static void take_passed(struct gi_acked *acked, const struct gi_record *r)
{
    acked->own_octets = r->own_octets;
    acked->user_octets = r->user_octets;
}

// What was sent again or filled a hole may have passed after the last of these by number. What
// other flows had meanwhile is not taken: mostly nobody knows yet what was lost of it.
static void take_late(const struct gi_half *half, const struct gi_covered *c,
                      struct gi_acked *acked)
{
    for (uint32_t i = 0; i + 1 < c->n; i++) {
        const struct gi_record *r = gi_half_record(half, i);
        if (!gi_half_after(r->own_octets, acked->own_octets))
            continue;
        acked->user_octets += r->own_octets - acked->own_octets;
        acked->own_octets = r->own_octets;
    }
}

// The room of a few is kept by a half that has none left: mostly there are some again soon.
static void drop_first(struct gi_half *half, uint32_t n, struct gi_records *records)
{
    half->begin += (uint16_t)n;
    half->count -= (uint16_t)n;
    if (half->count)
        return;
    if (half->room == GI_HALF_ROOM_KEPT)
        half->begin = 0; // else the room is at its end before it is full
    else
        gi_half_empty(half, records);
}

// All that is left was sent after the last that was late, which can hold nothing up any more.
static bool has_passed_late(const struct gi_half *half, uint32_t now_us)
{
    return half->count == 0 ||
           gi_half_later(gi_half_record(half, 0)->first_us, half->late_us, now_us);
}

static void advance(struct gi_half *half, struct gi_covered *c, const struct gi_receiver *receiver,
                    struct gi_acked *acked, struct gi_records *records)
{
    look(half, c);
    struct gi_trip trip = gi_half_trip(half, c, receiver);
    // Beyond what has passed, or over a hole: the receiver has what this capture has not.
    half->unseen_acked += c->passed != c->to - c->from;
    bool missing = false, came = c->n > 0; // came: the first of them did not miss
    for (uint32_t i = 0; i < c->n; i++) {
        struct gi_record *r = gi_half_record(half, i);
        bool once = !(r->flags & GI_RECORD_AGAIN), lost = judge(half, c, r, !missing, records);
        if (once)
            take_once(acked, r);
        acked->fin |= r->flags & GI_RECORD_CLOSES;
        // What came behind the hole had a duplicate ACK.
        half->duplicates -= missing && (once || !lost) && half->duplicates;
        missing |= lost;
        came = came && !(missing && i == 0);
    }
    if (came || !gi_half_after(half->duplicates_to, c->to))
        for (; half->duplicates; half->duplicates--)
            take_twice(half, receiver, records, half->una);
    // Packets keep their order: what there was to say of a SYN that came twice has been said.
    if (c->data && half->duplicates == 0)
        half->lost_control = 0;
    const struct gi_record *last = c->n ? gi_half_record(half, c->n - 1) : NULL;
    acked->exact = last && last->sequence + last->octets == c->to;
    if (acked->exact)
        take_passed(acked, last);
    if (acked->exact && c->late)
        take_late(half, c, acked);
    gi_half_trip_take(half, &trip, receiver);
    acked->data = c->data;
    drop_first(half, c->n, records);
    trim(half, c->to);
    half->una = c->to;
    if (half->late)
        half->late = !has_passed_late(half, c->now_us);
    if (!gi_half_after(half->sacked_to, half->una))
        half->sacked_to = half->una;
}

// ---- SACK ----

static void take_block(struct gi_half *half, uint32_t left, uint32_t right,
                       const struct gi_receiver *receiver)
{
    for (uint32_t i = gi_half_find(half, left); i < half->count; i++) {
        struct gi_record *r = gi_half_record(half, i);
        if (gi_half_after(r->sequence + r->octets, right))
            break;
        if (gi_half_after(left, r->sequence) || r->flags & GI_RECORD_SACKED)
            continue;
        r->flags |= GI_RECORD_SACKED;
        gi_half_trip_came(receiver, r);
    }
    if (gi_half_after(right, half->sacked_to))
        half->sacked_to = right;
}

// RFC 2883 4: the first block is of what came twice if it is below the ACK or within the second.
static bool is_dsack(const struct gi_packet *packet)
{
    uint32_t left = packet->sack[0].left, right = packet->sack[0].right;
    if (!gi_half_after(right, packet->acknowledgement))
        return true;
    return packet->sack_blocks > 1 && !gi_half_after(packet->sack[1].left, left) &&
           !gi_half_after(right, packet->sack[1].right);
}

// The receiver has said what came twice.
static void take_dsack(struct gi_half *half, const struct gi_receiver *receiver,
                       const struct gi_records *records, uint32_t sequence)
{
    uint32_t i = gi_half_find(half, sequence);
    struct gi_record *r = i < half->count ? gi_half_record(half, i) : NULL;
    if (!r || r->unjudged == 0 || gi_half_after(r->sequence, sequence)) {
        take_twice(half, receiver, records, sequence);
        return;
    }
    gi_half_trip_twice(half, receiver);
    r->unjudged--;
    gi_half_judged(half, records, GI_VERDICT_spurious, sequence, (r->flags & GI_RECORD_DATA) != 0);
}

static bool take_sack(struct gi_half *half, const struct gi_packet *packet,
                      const struct gi_receiver *receiver, const struct gi_records *records)
{
    uint32_t first = 0;
    if (packet->sack_blocks == 0)
        return false;
    half->selective = true;
    if (is_dsack(packet)) {
        take_dsack(half, receiver, records, packet->sack[0].left);
        first = 1;
    }
    for (uint32_t i = first; i < packet->sack_blocks; i++) {
        uint32_t left = packet->sack[i].left, right = packet->sack[i].right;
        // Blocks that cannot be are left out.
        if (gi_half_after(right, left) && gi_half_after(right, half->una) &&
            !gi_half_after(right, half->next))
            take_block(half, left, right, receiver);
    }
    return packet->sack_blocks > first;
}

// ---- An ACK ----

static bool is_duplicate(const struct gi_half *half, const struct gi_packet *packet)
{
    return packet->acknowledgement == half->una && packet->data_octets == 0 &&
           !(packet->flags & (TCP_SYN | TCP_FIN)) && packet->window == half->last_window &&
           half->last_ack == packet->acknowledgement;
}

static void take_duplicate(struct gi_half *half, const struct gi_receiver *receiver,
                           const struct gi_records *records)
{
    if (half->probes) {
        half->probes--;
    } else if (half->next == half->una || half->selective) {
        take_twice(half, receiver, records, half->una);
    } else {
        gi_half_more(&half->duplicates, 1);
        half->duplicates_to = half->next;
    }
}

// The octet of a probe, which is not in the row, was taken.
static bool takes_probe(const struct gi_half *half, const struct gi_packet *packet)
{
    return half->probes && half->last_window == 0 && half->una == half->next &&
           packet->acknowledgement == half->next + 1;
}

void gi_half_ack(struct gi_half *half, const struct gi_packet *packet,
                 const struct gi_receiver *receiver, struct gi_records *records,
                 struct gi_acked *acked)
{
    *acked = (struct gi_acked){0};
    uint32_t ack = packet->acknowledgement;
    if (!half->started || !(packet->flags & TCP_ACK) || packet->flags & TCP_RST)
        return;
    if (takes_probe(half, packet)) {
        half->probes--;
        half->una = half->next = half->sacked_to = ack;
    }
    bool duplicate = is_duplicate(half, packet);
    gi_half_trip_look(half, receiver);
    acked->trouble = duplicate && half->next != half->una;
    if (duplicate && packet->sack_blocks == 0)
        take_duplicate(half, receiver, records);
    half->last_ack = ack;
    half->last_window = packet->window;
    if (gi_half_after(ack, half->next)) {
        if (ack - half->next > UINT16_MAX * 16u)
            return; // nonsense, or a row of which nothing is known
        half->next = ack;
    }
    if (gi_half_after(ack, half->una)) {
        uint32_t least_us = (receiver->karn ? receiver->karn : &half->rtt)->least_us;
        struct gi_covered c = {.from = half->una,
                               .to = ack,
                               .now_us = gi_half_us(packet->time_ns),
                               .least_us = receiver->set_up ? least_us : least_us / 2,
                               .has_echo = packet->echo && half->timestamps_seen,
                               .echo = packet->echo};
        acked->advanced = true;
        advance(half, &c, receiver, acked, records);
    }
    acked->trouble |= take_sack(half, packet, receiver, records);
}
