// See gi_half.h: what passes from the sender. gi_half_ack.c has the receiver's ACKs.
//
// The row is kept as records of what has passed in [una, next); what is between two records is a
// hole. A record stays whole when a part of it is sent again.
#include "lab/captures/gi/gi_half.h"

#include <stdlib.h>

#include "dataplane/wire/tcp.h"
#include "lab/captures/gi/gi_half_parts.h"

#define ROOM_LEAST   4
#define ROOM_MOST    4096
#define ROOM_ONE_WAY 16  // while the other end says nothing
#define SPARES_MOST  128 // of a size; what ends as quickly as it begins finds room in so few
#define FAR_OCTETS   (64u << 20) // from the row: a number of another connection

static_assert(GI_HALF_ROOM_KEPT == 2 * ROOM_LEAST,
              "the room that is given where the least was not enough");

// ---- The records ----

// The size of this room among those that are kept when they are given back; GI_SPARES: it is freed.
static uint32_t size_of(uint32_t room)
{
    uint32_t size = room / ROOM_LEAST / 2; // 0, 1, 2 for the least room, twice and four times it
    return size < GI_SPARES ? size : GI_SPARES;
}

static struct gi_record *get(struct gi_records *records, uint32_t room)
{
    uint32_t size = size_of(room);
    struct gi_spare *first = size < GI_SPARES ? records->spare[size].first : NULL;
    if (first) {
        records->spare[size].first = first->next;
        records->spare[size].n--;
        records->spare_octets -= room * sizeof(struct gi_record);
        return (struct gi_record *)first;
    }
    struct gi_record *record = malloc(room * sizeof *record);
    if (!record)
        abort();
    return record;
}

static void give_back(struct gi_records *records, struct gi_record *record, uint32_t room)
{
    uint32_t size = size_of(room);
    struct gi_spare *first = (struct gi_spare *)record;
    if (size == GI_SPARES || records->spare[size].n >= SPARES_MOST) {
        free(record);
        return;
    }
    records->spare_octets += room * sizeof *record;
    first->next = records->spare[size].first;
    records->spare[size].first = first;
    records->spare[size].n++;
}

void gi_half_free_spares(struct gi_records *records)
{
    for (int size = 0; size < GI_SPARES; size++)
        for (struct gi_spare *first; (first = records->spare[size].first); free(first))
            records->spare[size].first = first->next;
    free(records->late);
    records->late = NULL;
    records->late_room = records->late_free = 0;
}

static void resize(struct gi_half *half, uint32_t room, struct gi_records *records)
{
    struct gi_record *record = room ? get(records, room) : NULL;
    if (record && half->count)
        memcpy(record, half->record + half->begin, half->count * sizeof *record);
    if (half->room)
        give_back(records, half->record, half->room);
    records->octets += room * sizeof *record;
    records->octets -= half->room * sizeof *record;
    if (records->octets + records->spare_octets > records->most_octets)
        records->most_octets = records->octets + records->spare_octets;
    half->record = record;
    half->begin = 0;
    half->room = (uint16_t)room;
}

static bool may_grow(const struct gi_half *half, bool answered, const struct gi_records *records)
{
    return half->room < (answered ? ROOM_MOST : ROOM_ONE_WAY) &&
           records->octets + half->room * sizeof(struct gi_record) < records->limit_octets;
}

void gi_half_empty(struct gi_half *half, struct gi_records *records)
{
    if (half->room)
        resize(half, 0, records);
}

static void forget_first(struct gi_half *half)
{
    half->una = half->record[half->begin].sequence + half->record[half->begin].octets;
    half->begin++;
    half->count--;
    half->forgotten = true;
}

// Room for one more at place i; returns the place, which is another if one had to be forgotten.
static uint32_t make_room(struct gi_half *half, uint32_t i, bool answered,
                          struct gi_records *records)
{
    if (half->count == half->room && may_grow(half, answered, records)) {
        half->grew |= half->room > 0;
        resize(half,
               half->room   ? 2u * half->room
               : half->grew ? 2 * ROOM_LEAST
                            : ROOM_LEAST,
               records);
    } else if (half->count == half->room && half->count == 0) {
        resize(half, ROOM_LEAST, records); // beyond the limit, but bounded by the number of flows
    } else if (half->count == half->room) {
        forget_first(half);
        i -= i > 0;
    }
    if (half->begin + half->count == half->room) {
        memmove(half->record, half->record + half->begin, half->count * sizeof *half->record);
        half->begin = 0;
    }
    struct gi_record *at = half->record + half->begin + i;
    if (i < half->count)
        memmove(at + 1, at, (half->count - i) * sizeof *at);
    half->count++;
    return i;
}

uint32_t gi_half_find(const struct gi_half *half, uint32_t sequence)
{
    uint32_t low = 0, high = half->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct gi_record *r = gi_half_record(half, middle);
        if (gi_half_after(r->sequence + r->octets, sequence))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void gi_half_judged(struct gi_half *half, const struct gi_records *records, enum gi_verdict verdict,
                    uint32_t sequence, uint32_t n)
{
    half->judged[verdict] += n;
    for (uint32_t i = 0; i < n && records->judged; i++)
        records->judged(records, half, verdict, GI_VERDICTS, sequence);
}

void gi_half_rejudged(struct gi_half *half, const struct gi_records *records,
                      enum gi_verdict verdict, enum gi_verdict instead, uint32_t sequence)
{
    half->judged[instead]--;
    half->judged[verdict]++;
    if (records->judged)
        records->judged(records, half, verdict, instead, sequence);
}

// ---- A segment ----

// What is known of a segment while it is put into the row.
struct segment {
    const struct gi_packet *packet;
    uint32_t begin, end, now_us, user_octets;
    bool answered;
    uint32_t seen, filled;   // octets
    uint32_t hole_opened_us; // when the hole was seen that it fills
    bool had;                // all octets of it that have passed were acknowledged selectively
};

// Of a part of the segment, or all of it.
static uint8_t flags_of(const struct segment *s, uint32_t begin, uint32_t end)
{
    bool closes = s->packet->flags & TCP_FIN && end == s->end;
    if (closes && end - begin == 1)
        return GI_RECORD_FIN | GI_RECORD_CLOSES;
    return (s->packet->data_octets ? GI_RECORD_DATA : 0) | (closes ? GI_RECORD_CLOSES : 0);
}

static uint32_t put(struct gi_half *half, const struct segment *s, uint32_t i, uint32_t begin,
                    uint32_t end, struct gi_records *records)
{
    i = make_room(half, i, s->answered, records);
    *gi_half_record(half, i) = (struct gi_record){
        .sequence = begin,
        .octets = (uint16_t)(end - begin),
        .first_us = s->now_us,
        .last_us = s->now_us,
        .timestamp = s->packet->timestamp,
        .user_octets = s->user_octets,
        .own_octets = (uint32_t)half->ip_octets,
        .flags = flags_of(s, begin, end),
    };
    return i;
}

static void send_again(struct gi_half *half, struct segment *s, struct gi_record *r)
{
    bool sacked = r->flags & GI_RECORD_SACKED;
    r->last_us = s->now_us;
    r->timestamp = s->packet->timestamp;
    r->user_octets = s->user_octets;
    r->own_octets = (uint32_t)half->ip_octets;
    r->flags |= GI_RECORD_AGAIN;
    if (!sacked)
        r->unjudged += r->unjudged < UINT8_MAX;
    if (!sacked && half->sacked_to != half->una &&
        gi_half_after(half->sacked_to, r->sequence + r->octets))
        r->flags |= GI_RECORD_MISSING;
    s->had = s->had && sacked;
}

// Below `next`: into holes, or again.
static void put_within(struct gi_half *half, struct segment *s, struct gi_records *records)
{
    uint32_t at = gi_half_after(half->una, s->begin) ? half->una : s->begin;
    s->seen = at - s->begin;
    s->had = true;
    for (uint32_t i = gi_half_find(half, at); gi_half_after(s->end, at);) {
        struct gi_record *r = i < half->count ? gi_half_record(half, i) : NULL;
        if (r && !gi_half_after(r->sequence, at)) {
            uint32_t behind = r->sequence + r->octets;
            uint32_t to = gi_half_after(behind, s->end) ? s->end : behind;
            send_again(half, s, r);
            s->seen += to - at;
            at = to;
            i++;
            continue;
        }
        uint32_t to = r && gi_half_after(s->end, r->sequence) ? r->sequence : s->end;
        bool r_above = r != NULL; // else it goes on behind all that has passed
        if (r_above) {
            s->filled += to - at;
            s->hole_opened_us = r->first_us;
        }
        i = put(half, s, i, at, to, records) + 1;
        gi_half_record(half, i - 1)->flags |= r_above ? GI_RECORD_FILLER : 0;
        at = to;
    }
}

static void judge(struct gi_half *half, const struct segment *s, uint32_t upstream_us,
                  struct gi_records *records)
{
    if (s->filled && s->packet->data_octets)
        gi_half_late_fill(half, s->packet, s->now_us - s->hole_opened_us, upstream_us, records);
    else if (s->seen)
        gi_half_late_again(half, s->packet, records);
    if (s->filled || s->seen) {
        half->late = half->count > 0;
        half->late_us = s->now_us;
        half->late_from = s->begin;
    }
    if (s->seen == 0)
        return;
    if (s->packet->data_octets)
        half->resent_packets++;
    half->resent_octets += s->seen < s->packet->data_octets ? s->seen : s->packet->data_octets;
    if (s->filled == 0 && s->had) {
        gi_half_judged(half, records, GI_VERDICT_unneeded, s->begin, s->packet->data_octets > 0);
        gi_half_more(&half->unconfirmed, 1);
    }
}

// One octet or none just below what was sent, with all of it acknowledged (RFC 9293 3.8.4).
static bool is_keepalive(const struct gi_half *half, const struct gi_packet *packet)
{
    return packet->data_octets <= 1 && packet->sequence == half->next - 1 &&
           half->una == half->next && !(packet->flags & (TCP_SYN | TCP_FIN | TCP_RST));
}

// One octet beyond a window of 0, to see if it is still closed (RFC 9293 3.8.6.1).
static bool is_window_probe(const struct gi_half *half, const struct gi_packet *packet)
{
    return packet->data_octets == 1 && packet->sequence == half->next &&
           half->last_ack == half->next && half->last_window == 0 &&
           !(packet->flags & (TCP_SYN | TCP_FIN | TCP_RST));
}

static uint32_t octets_of(const struct gi_packet *packet)
{
    return packet->data_octets + !!(packet->flags & TCP_SYN) + !!(packet->flags & TCP_FIN);
}

static void start(struct gi_half *half, uint32_t sequence)
{
    half->started = true;
    half->una = half->next = half->sacked_to = sequence;
}

void gi_half_restart(struct gi_half *half, uint32_t sequence, struct gi_records *records)
{
    half->count = 0;
    gi_half_empty(half, records);
    start(half, sequence);
}

// A SYN that is none of this connection.
static bool is_strange_syn(const struct gi_half *half, const struct gi_packet *packet)
{
    return packet->flags & TCP_SYN && (gi_half_after(packet->sequence, half->next) ||
                                       half->una - packet->sequence > FAR_OCTETS);
}

enum gi_half_sent gi_half_send(struct gi_half *half, const struct gi_packet *packet,
                               uint32_t user_octets, uint32_t upstream_us, bool answered,
                               struct gi_records *records)
{
    uint32_t octets = octets_of(packet);
    if (!half->started && !(packet->flags & TCP_RST))
        start(half, packet->sequence);
    bool probes = is_keepalive(half, packet) || is_window_probe(half, packet);
    if (probes)
        gi_half_more(&half->probes, 1);
    if (octets == 0 || packet->flags & TCP_RST || probes || is_strange_syn(half, packet))
        return GI_HALF_NOTHING;
    struct segment s = {.packet = packet,
                        .begin = packet->sequence,
                        .end = packet->sequence + octets,
                        .now_us = gi_half_us(packet->time_ns),
                        .user_octets = user_octets,
                        .answered = answered};
    bool far = s.end - (half->una - FAR_OCTETS) > 2 * FAR_OCTETS;
    if (far || octets > UINT16_MAX) {
        half->left_out = true;
        return far ? GI_HALF_FAR : GI_HALF_LARGE;
    }
    half->data_packets += packet->data_octets > 0;
    half->data_octets += packet->data_octets;
    if (s.begin == half->next) {
        put(half, &s, half->count, s.begin, s.end, records);
        half->next = s.end;
        return GI_HALF_IN_ORDER;
    }
    if (gi_half_after(s.begin, half->next)) {
        put(half, &s, half->count, s.begin, s.end, records);
        gi_half_late_open(half, packet, upstream_us, records);
    } else {
        put_within(half, &s, records);
    }
    judge(half, &s, upstream_us, records);
    if (gi_half_after(s.end, half->next))
        half->next = s.end;
    return GI_HALF_OUT_OF_ORDER;
}

// Each repetition that came to no use had a duplicate ACK, so those without were lost themselves.
static void judge_silent(struct gi_half *half, const struct gi_records *records)
{
    uint32_t needless = half->judged[GI_VERDICT_spurious] + half->judged[GI_VERDICT_go_back];
    uint32_t n = half->unconfirmed < needless ? half->unconfirmed : needless;
    for (; n; n--) {
        enum gi_verdict instead =
            half->judged[GI_VERDICT_spurious] ? GI_VERDICT_spurious : GI_VERDICT_go_back;
        gi_half_rejudged(half, records, GI_VERDICT_lost_downstream, instead, half->una);
    }
}

void gi_half_end(struct gi_half *half, uint32_t upstream_us, bool closed,
                 struct gi_records *records)
{
    gi_half_late_end(half, upstream_us, records);
    if (closed)
        judge_silent(half, records);
    for (uint32_t i = 0; i < half->count; i++) {
        const struct gi_record *r = gi_half_record(half, i);
        if (r->flags & GI_RECORD_DATA)
            gi_half_judged(half, records, GI_VERDICT_undecided, r->sequence, r->unjudged);
    }
    half->count = 0;
    if (half->room)
        resize(half, 0, records);
}
