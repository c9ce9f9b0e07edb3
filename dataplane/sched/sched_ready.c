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
    return turns ? n->ring[READY_TURNS] : f->cell[at % HEAP_FAMILY];
}

// The pipe waits for the PDU of its first cell: another cell's PDU may be smaller.
static void first_may_change(struct sched *s, struct tree_nse *n, uint32_t cell)
{
    uint32_t before = n->first;
    n->first = choose(s, n);
    if (n->state & NSE_WAITS && (n->first != before || n->first == cell))
        nse_unwait(s, (uint32_t)(n - s->nse));
}

static void ring_add(struct sched *s, struct tree_nse *n, enum ready_place place, uint32_t cell)
{
    struct tree_cell *c = &s->cell[cell];
    c->place = (uint8_t)place;
    if (n->ring[place] == TREE_NONE) {
        n->ring[place] = c->next = c->prev = cell;
        return;
    }
    cells_link(s, cell, c, n->ring[place]);
}

static void ring_remove(struct sched *s, struct tree_nse *n, const struct tree_cell *c,
                        uint32_t cell)
{
    cells_unlink(s, c);
    if (n->ring[c->place] == cell)
        n->ring[c->place] = c->next == cell ? TREE_NONE : c->next;
}

static bool is_strict(const struct tree_cell *c)
{
    return c->active & 1u << CLASS_SIGNALLING;
}

static uint64_t key_of(const struct tree_cell *c)
{
    return c->offset + c->of_class[cell_next_class(c)].tag;
}

static void add(struct sched *s, struct tree_nse *n, struct tree_cell *c, uint32_t cell)
{
    if (is_strict(c) || !ready_by_time(n)) {
        ring_add(s, n, is_strict(c) ? READY_STRICT : READY_TURNS, cell);
        return;
    }
    c->place = READY_TIMED;
    heap_add(s, n, cell, key_of(c));
}

static void take_out(struct sched *s, struct tree_nse *n, const struct tree_cell *c, uint32_t cell)
{
    if (c->place == READY_TIMED)
        heap_remove(s, n, cell);
    else
        ring_remove(s, n, c, cell);
}

void ready_add(struct sched *s, struct tree_nse *n, uint32_t cell)
{
    struct tree_cell *c = &s->cell[cell];
    if (ready_by_time(n))
        cell_comes_back(s, c, n);
    else
        c->untimed = true;
    c->state |= CELL_READY;
    add(s, n, c, cell);
    first_may_change(s, n, cell);
}

void ready_remove(struct sched *s, struct tree_nse *n, uint32_t cell)
{
    struct tree_cell *c = &s->cell[cell];
    c->state &= (uint8_t)~CELL_READY;
    take_out(s, n, c, cell);
    first_may_change(s, n, cell);
}

// A cell stays where it may; after its turn a cell of a ring goes to the end.
static void renew(struct sched *s, struct tree_nse *n, struct tree_cell *c, uint32_t cell,
                  bool served)
{
    bool timed = ready_by_time(n), strict = is_strict(c);
    if (c->place == READY_TIMED && !strict && (timed || !served)) {
        heap_move(s, n, cell, key_of(c));
        return;
    }
    if (c->place != READY_TIMED && strict == (c->place == READY_STRICT)) {
        if (!served)
            return;
        if (strict || !timed) {
            if (n->ring[c->place] == cell)
                n->ring[c->place] = c->next;
            return;
        }
    }
    take_out(s, n, c, cell);
    if (timed && c->untimed)
        cell_starts_at(c, n->virtual);
    add(s, n, c, cell);
}

void ready_renew(struct sched *s, struct tree_nse *n, uint32_t cell, bool served)
{
    renew(s, n, &s->cell[cell], cell, served);
    first_may_change(s, n, cell);
}

void ready_by_turns(struct sched *s, struct tree_nse *n)
{
    n->state &= (uint8_t)~NSE_BY_TIME;
    n->first = choose(s, n);
}

void ready_in_time(struct sched *s, struct tree_nse *n)
{
    if (ready_by_time(n))
        return;
    n->state |= NSE_BY_TIME;
    n->turns_key = n->virtual;
    n->first = choose(s, n);
}
