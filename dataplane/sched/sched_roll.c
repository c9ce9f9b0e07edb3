// The roll of a cell: a ring of all its MSs, separate from their nodes, to find them after a change
// of the cell. Such a change is O(1): it makes the cell due for a visit, and sched_take visits the
// MSs of all due cells in turns, a bounded number a call (S9).
//
//   other defaults  a waiting MS without values of its own computes its wait again (S10); while
//                   the values stay no MS is visited, however long it waits
//   a reset         B = 0 after initialisation (TS 48.018 8.2.3.2): the buckets of each MS and of
//                   its PFCs are emptied; the cell is stopped until the last one is empty; before
//                   an MS's visit its buckets already read, and are set, as empty
//
// A roll turns as it is visited: its first MS is visited next, a new MS is last. So a cell that
// changes again during a visit visits every MS once more, beginning at the present one, and no MS
// is starved, however often that happens.
#include "dataplane/sched/sched_parts.h"

#define VISITS_A_CALL 128u
#define VISITS_A_TURN 16u // of a cell; their lines are prefetched together

void sched_roll_join(struct sched *s, uint32_t ms, uint32_t bvc)
{
    struct tree_bvc_rest *c = &s->bvc_rest[bvc];
    struct tree_mate *mate = &s->mate[ms];
    mate->resets = c->resets;
    c->mss++;
    if (c->roll == TREE_NONE) {
        c->roll = ms;
        mate->next = mate->prev = ms & TREE_MATE_MASK;
        return;
    }
    struct tree_mate *first = &s->mate[c->roll];
    mate->next = c->roll & TREE_MATE_MASK;
    mate->prev = first->prev;
    s->mate[first->prev].next = ms & TREE_MATE_MASK;
    first->prev = ms & TREE_MATE_MASK;
}

void sched_roll_leave(struct sched *s, uint32_t ms, uint32_t bvc)
{
    struct tree_bvc_rest *c = &s->bvc_rest[bvc];
    const struct tree_mate *mate = &s->mate[ms];
    c->mss--;
    if (mate->next == ms) {
        c->roll = TREE_NONE;
        return;
    }
    s->mate[mate->prev].next = mate->next;
    s->mate[mate->next].prev = mate->prev;
    if (c->roll == ms)
        c->roll = mate->next;
}

// ---- Cells that are due for a visit: a ring in the order of their turns ----

static void due_add(struct sched *s, uint32_t bvc)
{
    struct tree_bvc_rest *c = &s->bvc_rest[bvc];
    s->bvc[bvc].state |= BVC_DUE;
    if (s->bvcs_due == TREE_NONE)
        s->bvcs_due = c->due_next = c->due_prev = bvc;
    struct tree_bvc_rest *first = &s->bvc_rest[s->bvcs_due];
    c->due_next = s->bvcs_due;
    c->due_prev = first->due_prev;
    s->bvc_rest[first->due_prev].due_next = bvc;
    first->due_prev = bvc;
}

static void due_remove(struct sched *s, uint32_t bvc)
{
    const struct tree_bvc_rest *c = &s->bvc_rest[bvc];
    s->bvc[bvc].state &= (uint8_t)~BVC_DUE;
    s->bvc_rest[c->due_prev].due_next = c->due_next;
    s->bvc_rest[c->due_next].due_prev = c->due_prev;
    if (s->bvcs_due == bvc)
        s->bvcs_due = c->due_next == bvc ? TREE_NONE : c->due_next;
}

void sched_roll_visit(struct sched *s, uint32_t bvc)
{
    s->bvc_rest[bvc].visits_left = s->bvc_rest[bvc].mss;
    if (!(s->bvc[bvc].state & BVC_DUE))
        due_add(s, bvc);
}

void sched_roll_forget(struct sched *s, uint32_t bvc)
{
    if (s->bvc[bvc].state & BVC_DUE)
        due_remove(s, bvc);
}

// A counter of eight bits tells which MSs have not been visited since the last reset; more than 256
// resets between two visits count as one.
void sched_roll_reset(struct sched *s, uint32_t bvc)
{
    struct tree_bvc_rest *c = &s->bvc_rest[bvc];
    if (c->resets_open < UINT8_MAX) {
        c->resets++;
        c->resets_open++;
    }
    s->bvc[bvc].state |= BVC_RESETS;
    sched_bvc_refresh(s, bvc);
    sched_roll_visit(s, bvc);
}

// ---- Visits ----

bool sched_roll_refresh(struct sched *s, uint32_t ms, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    if (!roll_is_stale(s, ms, m))
        return false;
    s->mate[ms].resets = s->bvc_rest[m->bvc].resets;
    if (m->state & MS_OWN) // the buckets are empty
        bucket_charge(&m->bucket, 0, 0, now_ns);
    else
        bucket_default_set(&m->bucket, &s->bvc_rest[m->bvc].defaults, 0, now_ns);
    for (uint32_t slots = m->slots; slots; slots &= slots - 1)
        bucket_charge(&tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->bucket, 0, 0, now_ns);
    sched_ms_heads_change(s, ms, now_ns);
    return true;
}

// As if the wheel had brought the MS back.
static void visit(struct sched *s, uint32_t ms, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    if (sched_roll_refresh(s, ms, now_ns) || !(m->state & GATE_WAITS) || m->state & MS_OWN)
        return;
    gate_unwait(&s->wheel, gate_of(m));
    m->state |= MS_LIMITED;
    sched_ms_settle(s, ms, m, now_ns);
}

// True if the cell can send again.
static bool visits_end(struct sched *s, uint32_t bvc)
{
    struct tree_bvc *c = &s->bvc[bvc];
    due_remove(s, bvc);
    s->bvc_rest[bvc].resets_open = 0;
    if (!(c->state & BVC_RESETS))
        return false;
    c->state &= (uint8_t)~BVC_RESETS;
    sched_bvc_refresh(s, bvc);
    sched_bvc_look_again(s, bvc);
    return true;
}

// Chooses and prefetches the next of a cell's MSs; returns their number.
static uint32_t next_visits(const struct sched *s, struct tree_bvc_rest *c, uint32_t *ms)
{
    uint32_t most = c->visits_left < c->mss ? c->visits_left : c->mss, n = 0;
    for (; n < most && n < VISITS_A_TURN; n++) {
        ms[n] = c->roll;
        __builtin_prefetch(tree_ms(s, c->roll), 1);
        __builtin_prefetch(tree_pfc_of(tree_ms(s, c->roll), 0), 1);
        c->roll = s->mate[c->roll].next;
    }
    c->visits_left = most - n;
    return n;
}

bool sched_roll_work(struct sched *s, uint64_t now_ns)
{
    uint32_t ms[VISITS_A_TURN];
    bool goes_on = false;
    for (uint32_t n = 0; s->bvcs_due != TREE_NONE && n < VISITS_A_CALL; n += VISITS_A_TURN) {
        uint32_t bvc = s->bvcs_due, visits = next_visits(s, &s->bvc_rest[bvc], ms);
        s->bvcs_due = s->bvc_rest[bvc].due_next;
        for (uint32_t i = 0; i < visits; i++)
            visit(s, ms[i], now_ns);
        if (s->bvc_rest[bvc].visits_left == 0)
            goes_on |= visits_end(s, bvc);
    }
    return goes_on && frames_any(s);
}
