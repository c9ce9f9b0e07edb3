// Segments to N-PDUs (SNDCP SN-UNITDATA, TS 44.065 6.7 and 7.2), per NSAPI. Segments must come in
// order; a segment out of order ends the open N-PDU. N(U) tells whose fault that is: if the LLE has
// missed frames since the context's last segment, the way lost a segment; else the SGSN sent it so.
//
// An N-PDU of one segment needs no buffer. Others grow in a buffer from a free list, a small one
// first, which is as large as any IP packet of a usual MTU.
#include <string.h>

#include "lab/engine/need.h"
#include "lab/ms/ms_parts.h"

#define SMALL_OCTETS 1536u
#define LARGE_OCTETS (SNDCP_SEGMENTS_MAX * (uint32_t)LLC_N201_U_MAX)
_Static_assert(SMALL_OCTETS >= LLC_N201_U_MAX, "a small buffer has room for any first segment");

struct ms_npdu {
    struct ms_npdu *next; // in the free list
    uint32_t octets, room;
    uint16_t number;
    uint8_t segments;
    uint8_t data[];
};

// ---- Buffers ----

static struct ms_npdu **spare_of(struct ms_shared *shared, uint32_t room)
{
    return room == SMALL_OCTETS ? &shared->spare : &shared->spare_large;
}

static struct ms_npdu *buffer(struct ms_shared *shared, uint32_t room)
{
    struct ms_npdu **spare = spare_of(shared, room), *n = *spare;
    if (n)
        *spare = n->next;
    else
        n = need(malloc(sizeof *n + room));
    n->room = room;
    n->octets = 0;
    n->segments = 0;
    return n;
}

static void put_back(struct ms_shared *shared, struct ms_npdu *n)
{
    struct ms_npdu **spare = spare_of(shared, n->room);
    n->next = *spare;
    *spare = n;
}

static void free_all(struct ms_npdu *n)
{
    while (n) {
        struct ms_npdu *next = n->next;
        free(n);
        n = next;
    }
}

void ms_npdus_release(struct ms_shared *shared)
{
    free_all(shared->spare);
    free_all(shared->spare_large);
}

static struct ms_npdu *in_large(struct ms_shared *shared, struct ms_npdu *small)
{
    struct ms_npdu *large = buffer(shared, LARGE_OCTETS);
    memcpy(large->data, small->data, small->octets);
    large->octets = small->octets;
    large->number = small->number;
    large->segments = small->segments;
    put_back(shared, small);
    return large;
}

// ---- Counts ----

static void lose(struct ms *ms, enum ms_lost why, uint32_t segments, uint32_t octets)
{
    ms->counters->lost[why].packets += segments;
    ms->counters->lost[why].octets += octets;
}

// The open N-PDU's segments are held no longer.
static struct ms_npdu *detach(struct ms *ms, struct ms_context *c)
{
    struct ms_npdu *n = c->open;
    c->open = NULL;
    ms->counters->npdus_open--;
    ms->counters->held.packets -= n->segments;
    ms->counters->held.octets -= n->octets;
    return n;
}

void ms_give_up(struct ms *ms, struct ms_context *c, enum ms_lost why, uint64_t now_ns)
{
    const struct ms_owner *owner = &ms->shared->owner;
    struct ms_npdu *n = detach(ms, c);
    lose(ms, why, n->segments, n->octets);
    ms->counters->npdus_lost[why]++;
    if (owner->lost)
        owner->lost(owner->self, ms, (uint8_t)(c - ms->context + MS_NSAPI_FIRST), n->data,
                    n->octets, why, now_ns);
    put_back(ms->shared, n);
}

static void deliver(struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                    uint32_t segments, uint64_t now_ns)
{
    const struct ms_owner *owner = &ms->shared->owner;
    ms->counters->npdus_delivered++;
    ms->counters->delivered.packets += segments;
    ms->counters->delivered.octets += octets;
    owner->down(owner->self, ms, nsapi, npdu, octets, now_ns);
}

// ---- Segments ----

static void append(struct ms *ms, struct ms_context *c, struct octets data)
{
    if (c->open->octets + data.n > c->open->room)
        c->open = in_large(ms->shared, c->open);
    memcpy(c->open->data + c->open->octets, data.at, data.n);
    c->open->octets += data.n;
    c->open->segments++;
    ms_add(&ms->counters->held, data.n);
}

static void begin(struct ms *ms, struct ms_context *c, const struct sndcp_unitdata *s, bool missed,
                  uint64_t now_ns)
{
    if (c->open)
        ms_give_up(ms, c, missed ? MS_LOST_missing : MS_LOST_unfinished, now_ns);
    c->broken = 0;
    ms->counters->npdus_begun++;
    if (!s->more) {
        deliver(ms, s->nsapi, s->data.at, s->data.n, 1, now_ns);
        return;
    }
    c->open = buffer(ms->shared, SMALL_OCTETS);
    c->open->number = s->npdu_number;
    ms->counters->npdus_open++;
    append(ms, c, s->data);
}

// A segment that does not follow: the open N-PDU ends, and segments are lost until the next first.
static void lose_segment(struct ms *ms, struct ms_context *c, const struct sndcp_unitdata *s,
                         bool missed, uint64_t now_ns)
{
    enum ms_lost why = missed ? MS_LOST_missing : MS_LOST_order;
    if (c->broken)
        why = (enum ms_lost)(c->broken - 1);
    else if (why == MS_LOST_order)
        ms_fault(ms, "SNDCP", "segment out of order", 0);
    c->broken = (uint8_t)(1 + why);
    if (c->open)
        ms_give_up(ms, c, why, now_ns);
    lose(ms, why, 1, s->data.n);
}

// Segment numbers end at 15, so a 17th segment never follows, and a large buffer suffices.
static bool follows(const struct ms_npdu *n, const struct sndcp_unitdata *s)
{
    return n && s->npdu_number == n->number && s->segment == n->segments;
}

static void go_on(struct ms *ms, struct ms_context *c, const struct sndcp_unitdata *s, bool missed,
                  uint64_t now_ns)
{
    if (!follows(c->open, s)) {
        lose_segment(ms, c, s, missed, now_ns);
        return;
    }
    append(ms, c, s->data);
    if (s->more)
        return;
    struct ms_npdu *n = detach(ms, c);
    deliver(ms, s->nsapi, n->data, n->octets, n->segments, now_ns);
    put_back(ms->shared, n);
}

static const char *fault_of(const struct sndcp_unitdata *s)
{
    if (s->data.n == 0)
        return "segment without an octet";
    if (s->dcomp || s->pcomp)
        return "compressed, and no compression is agreed on";
    return s->first && s->segment ? "first segment whose number is not 0" : NULL;
}

// Returns NULL if the segment is refused.
static struct ms_context *context_of(struct ms *ms, const struct ms_lle *lle, struct octets info,
                                     uint32_t pdu_octets, struct sndcp_unitdata *s)
{
    int n = sndcp_unitdata_decode(s, info.at, info.n);
    const char *what = n < 0 ? wire_err_text(wire_fault_err(n)) : fault_of(s);
    if (what) {
        ms_refuse(ms, MS_REFUSED_sndcp, pdu_octets, "SNDCP", what,
                  n < 0 ? wire_fault_offset(n) : 0);
        return NULL;
    }
    struct ms_context *c = &ms->context[s->nsapi - MS_NSAPI_FIRST];
    what = !c->used                  ? "no PDP context with this NSAPI"
           : lle != &ms->lle[c->lle] ? "the NSAPI's PDP context is of another SAPI"
                                     : NULL;
    if (!what)
        return c;
    ms_refuse(ms, MS_REFUSED_context, pdu_octets, "SNDCP", what, 0);
    return NULL;
}

void ms_segment_take(struct ms *ms, const struct ms_lle *lle, struct octets info,
                     uint32_t pdu_octets, uint64_t now_ns)
{
    struct sndcp_unitdata s;
    struct ms_context *c = context_of(ms, lle, info, pdu_octets, &s);
    if (!c)
        return;
    ms_add(&ms->counters->data, pdu_octets);
    ms_add(&ms->counters->segments, s.data.n);
    bool missed = lle->down_missed != c->down_missed;
    c->down_missed = lle->down_missed;
    if (s.first)
        begin(ms, c, &s, missed, now_ns);
    else
        go_on(ms, c, &s, missed, now_ns);
}
