// See parts.h: the MSs with one TLLI, whatever their NSE. A table has one of them for each TLLI,
// and the others are in a list behind it: in a network in which each NSE counts from one number,
// thousands may be, and in the table all would be in one place, which each search goes through.
// An MS is in the lists of its TLLI and of its former one, or of one to come.
#include "dataplane/registry/parts.h"

static uint32_t tlli_of(const struct registry *r, uint32_t node)
{
    const struct registry_ms *ms = &r->ms[node / 2];
    return node % 2 == SAME_FORMER ? ms->old_tlli : ms->tlli;
}

static struct registry_same *same_of(const struct registry *r, uint32_t node)
{
    return &r->ms[node / 2].same[node % 2];
}

static uint32_t head_of(const struct registry *r, uint32_t tlli)
{
    struct names_search search = names_search(&r->tlli, names_hash(0, tlli));
    uint32_t node = names_next(&r->tlli, &search);
    while (node != NAMES_NONE && tlli_of(r, node) != tlli)
        node = names_next(&r->tlli, &search);
    return node;
}

static void link_behind(struct registry *r, uint32_t head, uint32_t node)
{
    struct registry_same *first = same_of(r, head);
    *same_of(r, node) = (struct registry_same){.next = first->next, .before = head};
    if (first->next != NAMES_NONE)
        same_of(r, first->next)->before = node;
    first->next = node;
}

void registry_same_add(struct registry *r, uint32_t ms, enum registry_tlli which)
{
    uint32_t node = 2 * ms + which, tlli = tlli_of(r, node), head = head_of(r, tlli);
    if (head != NAMES_NONE) {
        link_behind(r, head, node);
        return;
    }
    *same_of(r, node) = (struct registry_same){NAMES_NONE, NAMES_NONE};
    state_names_add(&r->tlli, names_hash(0, tlli), node);
}

void registry_same_remove(struct registry *r, uint32_t ms, enum registry_tlli which)
{
    uint32_t node = 2 * ms + which, hash = names_hash(0, tlli_of(r, node));
    struct registry_same at = *same_of(r, node);
    if (at.next != NAMES_NONE)
        same_of(r, at.next)->before = at.before;
    if (at.before != NAMES_NONE) {
        same_of(r, at.before)->next = at.next;
        return;
    }
    state_names_remove(&r->tlli, hash, node);
    if (at.next != NAMES_NONE)
        state_names_add(&r->tlli, hash, at.next);
}

uint32_t registry_mss_of(const struct registry *r, uint32_t tlli, uint32_t *ms, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t node = head_of(r, tlli); node != NAMES_NONE && n < most;
         node = same_of(r, node)->next)
        ms[n++] = node / 2;
    return n;
}
