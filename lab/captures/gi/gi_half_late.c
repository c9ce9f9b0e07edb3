// See gi_half.h: what comes into a hole was overtaken on its way, or was lost before here and sent
// again.
// - If the sender counts its packets by their IPv4 identifications, those tell: an original was
//   sent before what passed first behind the hole, a repetition after it.
// - Else time tells: the sender knows nothing of a hole before a round trip from here to it is
//   over. The least of these is known when the flow ends, so the verdict is settled then.
// An original that comes after its repetition was overtaken, too, so nothing had been lost.
// Bounded: of a half the last events are kept, and what is older is settled by what is known.
#include <stdlib.h>

#include "lab/captures/gi/gi_half_parts.h"

#define EVENTS_MOST 64 // of a half
#define ROOM_FIRST  64
static_assert(ROOM_FIRST <= GI_LATE_MOST, "all have a number");

// A hole that is filled sooner than this was reordering, if no round trip is known; tshark has the
// same.
#define REORDER_US 3000

// Beside what opened the hole, an original is so near, and a repetition after a time-out so far.
#define BEFORE_MOST 4096
#define AFTER_MOST  16384

// ---- Identifications ----

static int8_t order_of(uint16_t ip_id, uint16_t other)
{
    int16_t behind = (int16_t)(ip_id - other);
    return behind > 0 && behind < AFTER_MOST ? 1 : behind < 0 && behind > -BEFORE_MOST ? -1 : 0;
}

// ---- Events ----

// 0: there are as many as there may be.
static uint16_t get(struct gi_records *records)
{
    if (!records->late_free && records->late_room <= GI_LATE_MOST) {
        uint32_t room = records->late_room ? 2 * records->late_room : ROOM_FIRST;
        records->late = realloc(records->late, room * sizeof *records->late);
        if (!records->late)
            abort();
        for (uint32_t i = room; i-- > records->late_room + !records->late_room;) {
            records->late[i].next = records->late_free;
            records->late_free = (uint16_t)i;
        }
        records->late_room = room;
    }
    uint16_t got = records->late_free;
    if (got)
        records->late_free = records->late[got].next;
    return got;
}

static void give_back(struct gi_records *records, uint16_t i)
{
    records->late[i].next = records->late_free;
    records->late_free = i;
}

static enum gi_verdict verdict_of(const struct gi_half *half, struct gi_late *late,
                                  uint32_t upstream_us)
{
    late->settled = late->order && half->counts_ids >= GI_IDS_COUNT;
    bool overtaken = late->settled ? late->order < 0
                                   : late->waited_us < (upstream_us ? upstream_us : REORDER_US);
    return overtaken ? GI_VERDICT_reordered : GI_VERDICT_lost_upstream;
}

static void change(struct gi_half *half, struct gi_late *late, enum gi_verdict verdict,
                   const struct gi_records *records)
{
    if (verdict != late->verdict)
        gi_half_rejudged(half, records, verdict, late->verdict, late->sequence);
    late->verdict = (uint8_t)verdict;
}

static void settle(struct gi_half *half, struct gi_late *late, uint32_t upstream_us,
                   const struct gi_records *records)
{
    if (late->verdict != GI_VERDICTS && !late->settled)
        change(half, late, verdict_of(half, late, upstream_us), records);
}

// What is needed least: what has opened a hole that is filled by now; then what came into one.
static int rank_of(const struct gi_half *half, const struct gi_late *late)
{
    return late->verdict != GI_VERDICTS ? 1 : gi_half_after(late->sequence, half->una) ? 0 : 2;
}

// Of as many as there may be, the oldest of those that are needed least.
static void make_room(struct gi_half *half, uint32_t upstream_us, struct gi_records *records)
{
    struct gi_late *late = records->late;
    uint16_t before = 0, chosen = 0, before_chosen = 0;
    uint32_t n = 0;
    for (uint16_t i = (uint16_t)half->late_first; i; before = i, i = late[i].next, n++)
        if (!chosen || rank_of(half, &late[i]) >= rank_of(half, &late[chosen])) {
            chosen = i;
            before_chosen = before;
        }
    if (n < EVENTS_MOST)
        return;
    settle(half, &late[chosen], upstream_us, records);
    if (before_chosen)
        late[before_chosen].next = late[chosen].next;
    else
        half->late_first = late[chosen].next;
    give_back(records, chosen);
}

static void add(struct gi_half *half, const struct gi_late *late, uint32_t upstream_us,
                struct gi_records *records)
{
    make_room(half, upstream_us, records);
    uint16_t i = get(records);
    if (!i)
        return;
    records->late[i] = *late;
    records->late[i].next = (uint16_t)half->late_first;
    half->late_first = i;
}

// What opened the hole in front of that number.
static const struct gi_late *opener_of(const struct gi_half *half, uint32_t sequence,
                                       const struct gi_records *records)
{
    const struct gi_late *found = NULL;
    for (uint16_t i = (uint16_t)half->late_first; i; i = records->late[i].next) {
        const struct gi_late *late = &records->late[i];
        if (late->verdict == GI_VERDICTS && gi_half_after(late->sequence, sequence) &&
            (!found || gi_half_after(found->sequence, late->sequence)))
            found = late;
    }
    return found;
}

// ---- A segment ----

void gi_half_late_open(struct gi_half *half, const struct gi_packet *packet, uint32_t upstream_us,
                       struct gi_records *records)
{
    add(half,
        &(struct gi_late){
            .sequence = packet->sequence, .ip_id = packet->ip_id, .verdict = GI_VERDICTS},
        upstream_us, records);
}

void gi_half_late_fill(struct gi_half *half, const struct gi_packet *packet, uint32_t waited_us,
                       uint32_t upstream_us, struct gi_records *records)
{
    const struct gi_late *opener = opener_of(half, packet->sequence, records);
    struct gi_late late = {.sequence = packet->sequence,
                           .waited_us = waited_us,
                           .ip_id = packet->ip_id,
                           .order = opener ? order_of(packet->ip_id, opener->ip_id) : 0};
    enum gi_verdict verdict = verdict_of(half, &late, upstream_us);
    late.verdict = (uint8_t)verdict;
    gi_half_judged(half, records, verdict, packet->sequence, 1);
    add(half, &late, upstream_us, records);
}

void gi_half_late_again(struct gi_half *half, const struct gi_packet *packet,
                        const struct gi_records *records)
{
    for (uint16_t i = (uint16_t)half->late_first; i; i = records->late[i].next) {
        struct gi_late *late = &records->late[i];
        if (late->verdict == GI_VERDICTS || late->sequence != packet->sequence)
            continue;
        if (late->order > 0 && order_of(packet->ip_id, late->ip_id) < 0) {
            late->order = -1;
            if (late->settled)
                change(half, late, GI_VERDICT_reordered, records);
        }
        return;
    }
}

void gi_half_late_end(struct gi_half *half, uint32_t upstream_us, struct gi_records *records)
{
    for (uint16_t i = (uint16_t)half->late_first, next; i; i = next) {
        next = records->late[i].next;
        settle(half, &records->late[i], upstream_us, records);
        give_back(records, i);
    }
    half->late_first = 0;
}
