// The ready cells of an NSE. A pipe with a CIR serves them by virtual time (S3): they stand in a
// binary heap, so that adding and taking cost log n of the ready cells. A pipe without one is not
// what limits, so its cells take turns, one PDU each: a ring, O(1). The links of both are in the
// cells, so NSEs of any size share one array of cells: the heap is a complete binary tree by links,
// whose node number i, counted from 1, is found from the root by the bits of i after the first.
#include "dataplane/sched/sched_parts.h"

static bool goes_first(const struct sched *s, uint32_t a, uint32_t b)
{
    const struct tree_cell *x = &s->cell[a], *y = &s->cell[b];
    if (x->strict != y->strict)
        return x->strict;
    return x->key == y->key ? a < b : tree_before(x->key, y->key);
}

// The link that node i hangs on, and its parent.
static uint32_t *heap_link(struct sched *s, struct tree_nse *nse, uint32_t i, uint32_t *parent)
{
    uint32_t *link = &nse->first;
    *parent = TREE_NONE;
    for (int bit = 30 - __builtin_clz(i); bit >= 0; bit--) {
        *parent = *link;
        link = &s->cell[*parent].child[i >> bit & 1];
    }
    return link;
}

// `cell` takes the place of `old`, with its children; old's own links are left as they were.
static void take_place(struct sched *s, struct tree_nse *nse, uint32_t cell, uint32_t old)
{
    struct tree_cell *c = &s->cell[cell];
    const struct tree_cell *o = &s->cell[old];
    c->parent = o->parent;
    if (o->parent == TREE_NONE)
        nse->first = cell;
    else
        s->cell[o->parent].child[s->cell[o->parent].child[1] == old] = cell;
    for (int side = 0; side < 2; side++) {
        c->child[side] = o->child[side];
        if (c->child[side] != TREE_NONE)
            s->cell[c->child[side]].parent = cell;
    }
}

// A node and its parent change places.
static void swap_up(struct sched *s, struct tree_nse *nse, uint32_t cell)
{
    struct tree_cell *c = &s->cell[cell];
    uint32_t parent = c->parent;
    struct tree_cell *p = &s->cell[parent];
    const uint32_t was[2] = {c->child[0], c->child[1]};
    int side = p->child[1] == cell;
    uint32_t grandparent = p->parent;
    take_place(s, nse, cell, parent);
    c->parent = grandparent; // not itself, as one of its parent's children
    c->child[side] = parent;
    p->parent = cell;
    for (int i = 0; i < 2; i++) {
        p->child[i] = was[i];
        if (p->child[i] != TREE_NONE)
            s->cell[p->child[i]].parent = parent;
    }
}

static void sift_up(struct sched *s, struct tree_nse *nse, uint32_t cell)
{
    while (s->cell[cell].parent != TREE_NONE && goes_first(s, cell, s->cell[cell].parent))
        swap_up(s, nse, cell);
}

static void sift_down(struct sched *s, struct tree_nse *nse, uint32_t cell)
{
    for (;;) {
        const uint32_t *child = s->cell[cell].child;
        if (child[0] == TREE_NONE) // the tree is filled from the left
            return;
        bool right = child[1] != TREE_NONE && goes_first(s, child[1], child[0]);
        if (!goes_first(s, child[right], cell))
            return;
        swap_up(s, nse, child[right]);
    }
}

static void heap_add(struct sched *s, struct tree_nse *nse, uint32_t cell)
{
    struct tree_cell *c = &s->cell[cell];
    c->child[0] = c->child[1] = TREE_NONE;
    *heap_link(s, nse, ++nse->ready_cells, &c->parent) = cell;
    sift_up(s, nse, cell);
}

static void heap_remove(struct sched *s, struct tree_nse *nse, uint32_t cell)
{
    uint32_t parent;
    uint32_t *link = heap_link(s, nse, nse->ready_cells--, &parent);
    uint32_t last = *link;
    *link = TREE_NONE;
    if (last == cell)
        return;
    take_place(s, nse, last, cell);
    sift_up(s, nse, last);
    sift_down(s, nse, last);
}

static void ring_add(struct sched *s, struct tree_nse *nse, uint32_t cell)
{
    struct tree_cell *c = &s->cell[cell];
    if (nse->first == TREE_NONE) {
        nse->first = c->next = c->prev = cell;
        return;
    }
    struct tree_cell *first = &s->cell[nse->first];
    c->next = nse->first;
    c->prev = first->prev;
    s->cell[first->prev].next = cell;
    first->prev = cell;
}

static void ring_remove(struct sched *s, struct tree_nse *nse, uint32_t cell)
{
    const struct tree_cell *c = &s->cell[cell];
    s->cell[c->prev].next = c->next;
    s->cell[c->next].prev = c->prev;
    if (nse->first == cell)
        nse->first = c->next == cell ? TREE_NONE : c->next;
}

void ready_add(struct sched *s, struct tree_nse *nse, uint32_t cell)
{
    if (ready_by_time(nse))
        heap_add(s, nse, cell);
    else
        ring_add(s, nse, cell);
}

void ready_remove(struct sched *s, struct tree_nse *nse, uint32_t cell)
{
    if (ready_by_time(nse))
        heap_remove(s, nse, cell);
    else
        ring_remove(s, nse, cell);
}
