// The ready cells of an NSE. While the pipe refuses no PDU the cells take turns, one PDU each: a
// ring, O(1). From its first refusal the pipe is full and serves its cells by virtual time (S3) out
// of a heap, until its bucket has run empty, as then it no longer limits. But a bucket of less than
// two PDUs runs empty after each PDU, and each change costs one turn of all cells: so after a
// refusal a pipe stays full for at least READY_FULL_PDUS. A pipe without a CIR never refuses. Cells
// with signalling go first, in order of arrival: they have a ring of their own in either case.
//
// No change between the two walks the cells (S9). The cells in the ring at the refusal count as
// cells that arrive at that moment: all have the same virtual time, `turns_key`, and each goes into
// the heap after its turn. The cells in the heap when the bucket has run empty go into the ring in
// the same way, from the heap's end.
#include "dataplane/sched/sched_ring.h"

static uint32_t choose(const struct sched *s, const struct tree_nse *n)
{
    if (n->ring[READY_STRICT] != TREE_NONE)
        return n->ring[READY_STRICT];
    if (!n->timed)
        return n->ring[READY_TURNS];
    uint32_t at = ready_by_time(n) ? n->heap_root : n->heap_last;
    const struct heap_family *f = &s->family[at / HEAP_FAMILY];
    bool turns = ready_by_time(n) && n->ring[READY_TURNS] != TREE_NONE &&
                 !tree_before(f->key[0], n->turns_key);
    return turns ? n->ring[READY_TURNS] : f->bvc[at % HEAP_FAMILY];
}

// The pipe waits for the PDU of its first cell: another cell's PDU may be smaller.
static void first_may_change(struct sched *s, struct tree_nse *n, uint32_t bvc)
{
    uint32_t before = n->first;
    n->first = choose(s, n);
    if (n->first != before || n->first == bvc)
        gate_unwait(&s->wheel, gate_of(n));
}

static void ring_add(struct sched *s, struct tree_nse *n, enum ready_ring ring, uint32_t bvc)
{
    struct tree_bvc *c = &s->bvc[bvc];
    c->ready_ring = (uint8_t)ring;
    if (n->ring[ring] == TREE_NONE) {
        n->ring[ring] = c->next = c->prev = bvc;
        return;
    }
    bvcs_link(s, bvc, c, n->ring[ring]);
}

static bool is_strict(const struct tree_bvc *c)
{
    return c->active & 1u << CLASS_SIGNALLING;
}

static void add(struct sched *s, struct tree_nse *n, struct tree_bvc *c, uint32_t bvc)
{
    if (is_strict(c) || !ready_by_time(n)) {
        ring_add(s, n, is_strict(c) ? READY_STRICT : READY_TURNS, bvc);
        return;
    }
    c->ready_ring = READY_TIMED;
    sched_heap_add(s, n, bvc, sched_bvc_key(c));
}

static void take_out(struct sched *s, struct tree_nse *n, const struct tree_bvc *c, uint32_t bvc)
{
    if (c->ready_ring == READY_TIMED) {
        sched_heap_remove(s, n, bvc);
        return;
    }
    bvcs_unlink(s, c);
    if (n->ring[c->ready_ring] == bvc)
        n->ring[c->ready_ring] = c->next == bvc ? TREE_NONE : c->next;
}

void sched_ready_add(struct sched *s, struct tree_nse *n, uint32_t bvc)
{
    struct tree_bvc *c = &s->bvc[bvc];
    if (ready_by_time(n))
        sched_bvc_comes_back(s, c, n);
    else
        c->untimed = true;
    c->state |= BVC_READY;
    add(s, n, c, bvc);
    first_may_change(s, n, bvc);
}

void sched_ready_remove(struct sched *s, struct tree_nse *n, uint32_t bvc)
{
    struct tree_bvc *c = &s->bvc[bvc];
    c->state &= (uint8_t)~BVC_READY;
    take_out(s, n, c, bvc);
    first_may_change(s, n, bvc);
}

// A cell stays where it may; after its turn a cell of a ring goes to the end.
static void renew(struct sched *s, struct tree_nse *n, struct tree_bvc *c, uint32_t bvc,
                  bool served)
{
    bool timed = ready_by_time(n), strict = is_strict(c);
    if (c->ready_ring == READY_TIMED && !strict && (timed || !served)) {
        sched_heap_move(s, n, bvc, sched_bvc_key(c));
        return;
    }
    if (c->ready_ring != READY_TIMED && strict == (c->ready_ring == READY_STRICT)) {
        if (!served)
            return;
        if (strict || !timed) {
            if (n->ring[c->ready_ring] == bvc)
                n->ring[c->ready_ring] = c->next;
            return;
        }
    }
    take_out(s, n, c, bvc);
    if (timed && c->untimed)
        sched_bvc_starts_at(c, n->virtual);
    add(s, n, c, bvc);
}

void sched_ready_renew(struct sched *s, struct tree_nse *n, uint32_t bvc, bool served)
{
    renew(s, n, &s->bvc[bvc], bvc, served);
    first_may_change(s, n, bvc);
}

void sched_ready_by_turns(struct sched *s, struct tree_nse *n)
{
    n->state &= (uint8_t)~NSE_BY_TIME;
    n->first = choose(s, n);
}

void sched_ready_in_time(struct sched *s, struct tree_nse *n)
{
    if (ready_by_time(n))
        return;
    n->state |= NSE_BY_TIME;
    n->turns_key = n->virtual;
    n->first = choose(s, n);
}
