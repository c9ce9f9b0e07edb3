// See sched_heap.h. The common step gives the first cell a larger key: it goes down from the root,
// and cells with smaller keys move up by one level.
#include "dataplane/sched/sched_heap.h"

#include "dataplane/sched/sched_parts.h"

static inline uint64_t key_at(const struct sched *s, uint32_t at)
{
    return s->family[at / HEAP_FAMILY].key[at % HEAP_FAMILY];
}

static inline uint32_t bvc_at(const struct sched *s, uint32_t at)
{
    return s->family[at / HEAP_FAMILY].bvc[at % HEAP_FAMILY];
}

static inline uint32_t *child_at(struct sched *s, uint32_t at)
{
    return &s->family[at / HEAP_FAMILY].child[at % HEAP_FAMILY];
}

// Cells rise as their turns come, level by level from where a sift begins, which is mostly the
// root. What a turn touches is asked for as each step tells where it is: the header of a cell that
// reaches level 2, then the line of its class, then its MS.
static SCHED_INLINE void bvc_prefetch(const struct sched *s, uint32_t bvc, uint32_t level)
{
    const struct tree_bvc *c = &s->bvc[bvc];
    if (level > 2)
        return;
    if (level == 2) {
        __builtin_prefetch(c, 1);
        return;
    }
    const struct tree_class *k = &c->of_class[__builtin_ctz(c->active)];
    if (level == 1)
        __builtin_prefetch(k, 1);
    else
        tree_prefetch(tree_ms(s, tree_pfc_ms(k->head)), tree_pfc(s, k->head));
}

static inline void write_at(struct sched *s, uint32_t at, uint32_t bvc, uint64_t key)
{
    s->family[at / HEAP_FAMILY].key[at % HEAP_FAMILY] = key;
    s->family[at / HEAP_FAMILY].bvc[at % HEAP_FAMILY] = bvc;
    s->heap_at[bvc] = at;
}

// Cells with equal keys are in order of their ids, so other cells do not affect that order (S5).
// Without a branch, which would be unpredictable.
static inline bool goes_before(uint64_t key, uint32_t bvc, uint64_t other_key, uint32_t other_bvc)
{
    return tree_before(key, other_key) | ((key == other_key) & (bvc < other_bvc));
}

static inline bool before_in(const struct heap_family *f, uint32_t a, uint32_t b)
{
    return goes_before(f->key[a], f->bvc[a], f->key[b], f->bvc[b]);
}

// The least of the first `n` of a family.
static inline uint32_t least_of(const struct heap_family *f, uint32_t n)
{
    if (n == HEAP_FAMILY) {
        uint32_t a = before_in(f, 1, 0), b = 2u + before_in(f, 3, 2);
        return before_in(f, b, a) ? b : a;
    }
    uint32_t least = 0;
    for (uint32_t i = 1; i < n; i++)
        if (before_in(f, i, least))
            least = i;
    return least;
}

// The node `at` is free.
static void sift_up(struct sched *s, const struct tree_nse *n, uint32_t at, uint32_t bvc,
                    uint64_t key)
{
    while (at != n->heap_root) {
        uint32_t parent = s->family_link[at / HEAP_FAMILY].parent;
        if (!goes_before(key, bvc, key_at(s, parent), bvc_at(s, parent)))
            break;
        write_at(s, at, bvc_at(s, parent), key_at(s, parent));
        at = parent;
    }
    write_at(s, at, bvc, key);
}

// The next level, while the least of this one is still to be found.
static SCHED_INLINE void families_prefetch(const struct sched *s, const struct heap_family *f)
{
    for (uint32_t i = 0; i < HEAP_FAMILY && f->child[i] != TREE_NONE; i++)
        __builtin_prefetch(&s->family[f->child[i]], 1);
}

static void sift_down(struct sched *s, const struct tree_nse *n, uint32_t at, uint32_t bvc,
                      uint64_t key)
{
    uint32_t last = n->heap_last / HEAP_FAMILY, children = n->heap_last % HEAP_FAMILY + 1;
    uint32_t level = 0;
    for (uint32_t child; (child = *child_at(s, at)) != TREE_NONE; level++) {
        const struct heap_family *f = &s->family[child];
        families_prefetch(s, f);
        uint32_t least = least_of(f, child == last ? children : HEAP_FAMILY);
        if (!goes_before(f->key[least], f->bvc[least], key, bvc))
            break;
        write_at(s, at, f->bvc[least], f->key[least]);
        bvc_prefetch(s, f->bvc[least], level);
        at = child * HEAP_FAMILY + least;
    }
    write_at(s, at, bvc, key);
}

// The node with the next number.
static uint32_t next_node(const struct sched *s, const struct tree_nse *n, uint32_t at)
{
    if (at == n->heap_root || at % HEAP_FAMILY == HEAP_FAMILY - 1)
        return s->family_link[at / HEAP_FAMILY].next * HEAP_FAMILY;
    return at + 1;
}

static void family_add(struct sched *s, const struct tree_nse *n)
{
    uint32_t family = s->family_free, before = n->heap_last / HEAP_FAMILY;
    struct heap_link *link = &s->family_link[family];
    s->family_free = link->next;
    s->family_link[before].next = family;
    link->prev = before;
    link->parent = n->heap_last == n->heap_root ? n->heap_root
                                                : next_node(s, n, s->family_link[before].parent);
    *child_at(s, link->parent) = family;
    for (uint32_t i = 0; i < HEAP_FAMILY; i++)
        s->family[family].child[i] = TREE_NONE;
}

static void node_remove(struct sched *s, struct tree_nse *n)
{
    if (!--n->timed)
        return;
    if (n->heap_last % HEAP_FAMILY) {
        n->heap_last--;
        return;
    }
    uint32_t family = n->heap_last / HEAP_FAMILY, before = s->family_link[family].prev;
    *child_at(s, s->family_link[family].parent) = TREE_NONE;
    s->family_link[family].next = s->family_free;
    s->family_free = family;
    n->heap_last =
        before * HEAP_FAMILY + (before == n->heap_root / HEAP_FAMILY ? 0 : HEAP_FAMILY - 1);
}

void sched_heap_add(struct sched *s, struct tree_nse *n, uint32_t bvc, uint64_t key)
{
    if (n->timed++) {
        if (n->heap_last == n->heap_root || n->heap_last % HEAP_FAMILY == HEAP_FAMILY - 1)
            family_add(s, n);
        n->heap_last = next_node(s, n, n->heap_last);
    }
    sift_up(s, n, n->heap_last, bvc, key);
}

// Puts `cell` into the node `at`, whose cell has gone or has a new key.
static void settle(struct sched *s, const struct tree_nse *n, uint32_t at, uint32_t bvc,
                   uint64_t key)
{
    uint32_t parent = s->family_link[at / HEAP_FAMILY].parent;
    if (at != n->heap_root && goes_before(key, bvc, key_at(s, parent), bvc_at(s, parent)))
        sift_up(s, n, at, bvc, key);
    else
        sift_down(s, n, at, bvc, key);
}

void sched_heap_remove(struct sched *s, struct tree_nse *n, uint32_t bvc)
{
    uint32_t at = s->heap_at[bvc], last = n->heap_last;
    uint32_t moved = bvc_at(s, last);
    uint64_t key = key_at(s, last);
    node_remove(s, n);
    if (at != last)
        settle(s, n, at, moved, key);
}

void sched_heap_move(struct sched *s, struct tree_nse *n, uint32_t bvc, uint64_t key)
{
    settle(s, n, s->heap_at[bvc], bvc, key);
}

// ---- Set-up ----

uint32_t sched_heap_families(uint32_t nses, uint32_t bvcs)
{
    return 2 * nses + bvcs / HEAP_FAMILY;
}

void sched_heap_clear(struct sched *s, uint32_t nse)
{
    struct tree_nse *n = &s->nse[nse];
    n->heap_root = n->heap_last = nse * HEAP_FAMILY;
    n->timed = 0;
    s->family[nse].child[0] = TREE_NONE;
}

void sched_heap_setup(struct sched *s)
{
    uint32_t families = sched_heap_families(s->config.nses, s->config.bvcs);
    s->family_free = s->config.nses;
    for (uint32_t family = s->config.nses; family < families; family++)
        s->family_link[family].next = family + 1;
}
