// S9: O(1) a packet. The scheduler is compiled here with a call at each basic block, so its work is
// counted exactly, without a clock: the blocks that a packet costs must not grow with the number of
// backlogged MSs, on average, and one call's work must be bounded by what it gives back. What the
// caches add is the benchmark's to say (bench/sched).
#include "tests/dataplane/sched/s9.h"

#define BURST      32
#define WORST_PUT  500
#define WORST_TAKE 40000 // a burst, or as many that wait anew, and a step of the search

#ifdef __SANITIZE_ADDRESS__
#define MSS_MOST 32768u
#else
#define MSS_MOST 1048576u
#endif

struct load {
    struct sched *s;
    void *memory;
    uint32_t mss;
    uint64_t now_ns, packets, puts_blocks, takes_blocks, worst_take, worst_put;
};

static struct sched_config config_of(uint32_t mss)
{
    struct sched_config c = s9_config(mss / 256, mss, (struct sched_limit){4 * mss, 1ULL << 38});
    c.pipe_header_octets = 54;
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        c.of_class[i].lifetime_ns = 1000 * S_IN_NS;
    return c;
}

// What limits: MSs at 8 .. 236 kbit/s by their own buckets, their cells, or the one pipe; MSs at 8
// kbit/s by their own buckets, or by their cells' defaults.
enum limiting { BY_MS, BY_CELL, BY_PIPE, LIMITING, BY_SLOW_MS = LIMITING, BY_DEFAULTS };
static const char *const limiting_names[] = {"MSs", "cells", "the pipe", "slow MSs", "defaults"};

static void add_tree(struct load *l, const struct sched_config *c, enum limiting limiting)
{
    struct bucket_terms plenty = {BUCKET_RATE_MAX, 1u << 30};
    struct bucket_terms cell = {20000, 20000}, pipe = {c->bvcs * 10000, 200000};
    struct bucket_terms none = {BUCKET_UNLIMITED, 0}, slow = {80, 1500};
    assert_int_equal(sched_nse_add(l->s, 0, limiting == BY_PIPE ? pipe : none, 1), 0);
    for (uint32_t b = 0; b < c->bvcs; b++) {
        assert_int_equal(sched_bvc_add(l->s, b, 0, 1), 0);
        assert_int_equal(sched_bvc_set(l->s, b, limiting == BY_CELL ? cell : plenty,
                                       limiting == BY_DEFAULTS ? slow : plenty, 1),
                         0);
    }
    for (uint32_t i = 0; i < c->mss; i++) {
        struct bucket_terms terms = {80 + i * 7919u % 2280, 4000};
        assert_int_equal(sched_ms_add(l->s, i, i % c->bvcs, 1520, 1), 0);
        assert_int_equal(sched_pfc_add(l->s, i, 0, (enum traffic_class)(i % CLASS_COUNT)), 0);
        if (limiting == BY_MS || limiting == BY_SLOW_MS)
            assert_int_equal(sched_ms_set(l->s, i, limiting == BY_MS ? terms : slow, 1), 0);
    }
}

static void put(struct load *l, uint32_t ms)
{
    struct pdu pdu = {.buffer = l, .octets = (uint16_t)(40 + ms * 31 % 1400)};
    uint64_t before = blocks;
    assert_int_equal(sched_put(l->s, ms, 0, &pdu, l->now_ns), DROP_NONE);
    uint64_t cost = blocks - before;
    l->puts_blocks += cost;
    l->worst_put = cost > l->worst_put ? cost : l->worst_put;
}

static struct load *load_open(uint32_t mss, enum limiting limiting)
{
    struct sched_config c = config_of(mss);
    struct load *l = calloc(1, sizeof *l);
    l->s = s9_setup(&c, &l->memory);
    l->mss = mss;
    l->now_ns = 1;
    add_tree(l, &c, limiting);
    for (uint32_t i = 0; i < 3 * mss; i++)
        put(l, i % mss);
    return l;
}

// As a worker does it: a take each 20 us at most; whoever has sent gets a new N-PDU.
static void run(struct load *l, uint64_t packets)
{
    l->packets = l->puts_blocks = l->takes_blocks = l->worst_take = l->worst_put = 0;
    while (l->packets < packets) {
        struct sched_grant grant[BURST];
        const struct sched_drop *drops;
        uint64_t before = blocks;
        uint32_t n = sched_take(l->s, grant, BURST, l->now_ns);
        uint64_t next_ns = sched_next_ns(l->s, l->now_ns), cost = blocks - before;
        l->takes_blocks += cost;
        l->worst_take = cost > l->worst_take ? cost : l->worst_take;
        assert_int_equal(sched_dropped(l->s, &drops), 0);
        for (uint32_t i = 0; i < n; i++)
            if (grant[i].last)
                put(l, grant[i].ms);
        l->packets += n;
        if (n < BURST)
            l->now_ns = next_ns > l->now_ns + 20000 ? next_ns : l->now_ns + 20000;
    }
}

struct cost {
    double put, take;
    uint64_t worst_put, worst_take;
};

static struct cost cost_of(uint32_t mss, enum limiting limiting)
{
    struct load *l = load_open(mss, limiting);
    run(l, 2 * (uint64_t)mss); // past the first bursts
    run(l, 100000);
    struct cost cost = {(double)l->puts_blocks / (double)l->packets,
                        (double)l->takes_blocks / (double)l->packets, l->worst_put, l->worst_take};
    print_message("# %7u MSs, limited by %s: %.1f blocks a put, %.1f a take; worst %llu, %llu\n",
                  mss, limiting_names[limiting], cost.put, cost.take,
                  (unsigned long long)cost.worst_put, (unsigned long long)cost.worst_take);
    free(l->memory);
    free(l);
    return cost;
}

// The pipe's order is a heap of its cells, from 4 to 4096 of them: log n of those shows.
static void the_work_does_not_grow_with_mss(void **state)
{
    (void)state;
    for (enum limiting limiting = 0; limiting < LIMITING; limiting++) {
        struct cost few = cost_of(1024, limiting);
        for (uint32_t mss = 32768; mss <= MSS_MOST; mss *= 32) {
            struct cost many = cost_of(mss, limiting);
            assert_true(many.put < few.put * 1.25 + 2);
            assert_true(many.take < few.take * (limiting == BY_PIPE ? 2 : 1.25) + 5);
            assert_true(many.worst_put < WORST_PUT && many.worst_take < WORST_TAKE);
        }
    }
}

// Who has no values of its own costs no more than who has.
static void the_work_does_not_grow_with_defaults(void **state)
{
    (void)state;
    struct cost own = cost_of(32768, BY_SLOW_MS), defaults = cost_of(32768, BY_DEFAULTS);
    assert_true(defaults.put < own.put * 1.25 && defaults.take < own.take * 1.25);
    assert_true(defaults.worst_put < WORST_PUT && defaults.worst_take < WORST_TAKE);
}

// ---- One call ----
// However many become due at one instant, a call of n sets at most 5 n + 64 of them going (n at its
// beginning, 4 n + 64 after), has at most 8 n + 64 rounds, of which n send, searches at most 256
// MSs, and visits at most 128 whose cells have other defaults, or were reset. With one PFC an MS
// and one flow a PFC each of these costs fewer blocks than this, a little more than was counted.
// With `coarse`, as a worker has it, that is all, sched_next_ns included; without it both look
// through the wheel's running slot, and how many wait there is not bounded.
#define ID_BLOCKS     120 // 81, and 112 if it sends
#define ROUND_BLOCKS  60
#define SEND_BLOCKS   600 // 490
#define EXPIRY_BLOCKS 50  // 34
#define VISIT_BLOCKS  60  // 45, after a reset
#define DUE_MSS       102400u

static uint64_t call_most(uint32_t n)
{
    return (5 * n + 64) * ID_BLOCKS + (8 * n + 64) * ROUND_BLOCKS + n * SEND_BLOCKS +
           256 * EXPIRY_BLOCKS + 128 * VISIT_BLOCKS;
}

// What they find when all come back at once: they may send; the same where their PFCs waited; their
// cells stand, so they join their rings; all cells have other defaults, by which they may send, or
// were reset; in those rings they are found to be frozen when the cells go on; they look at
// defaults that stop them, and wait anew.
enum due {
    DUE_FREE,
    DUE_PFCS,
    DUE_CELLS_STOP,
    DUE_DEFAULTS_GO,
    DUE_RESET,
    DUE_FROZEN,
    DUE_DEFAULTS_STOP,
    DUES
};
static const char *const due_names[] = {"free",  "PFCs",   "cells stop",   "defaults go",
                                        "reset", "frozen", "defaults stop"};

static void add_due_tree(struct load *l, const struct sched_config *c, enum due due)
{
    const struct bucket_terms plenty = {BUCKET_RATE_MAX, 1u << 30}, slow = {160, 1500};
    const struct bucket_terms none = {BUCKET_UNLIMITED, 0};
    bool by_defaults = due == DUE_DEFAULTS_STOP || due == DUE_DEFAULTS_GO;
    assert_int_equal(sched_nse_add(l->s, 0, none, 1), 0);
    for (uint32_t b = 0; b < c->bvcs; b++) {
        assert_int_equal(sched_bvc_add(l->s, b, 0, 1), 0);
        assert_int_equal(sched_bvc_set(l->s, b, plenty, by_defaults ? slow : plenty, 1), 0);
    }
    for (uint32_t i = 0; i < c->mss; i++) {
        assert_int_equal(sched_ms_add(l->s, i, i % c->bvcs, 1520, 1), 0);
        assert_int_equal(sched_pfc_add(l->s, i, 0, CLASS_BACKGROUND), 0);
        if (due == DUE_PFCS)
            assert_int_equal(sched_pfc_set(l->s, i, 0, slow, 1), 0);
        else if (!by_defaults)
            assert_int_equal(sched_ms_set(l->s, i, slow, 1), 0);
    }
}

static void put_at(struct load *l, uint32_t ms, uint16_t octets)
{
    struct pdu pdu = {.buffer = l, .octets = octets};
    assert_int_equal(sched_put(l->s, ms, 0, &pdu, l->now_ns), DROP_NONE);
}

// Takes what there is at this instant; returns the blocks of the worst call.
static uint64_t worst_call(struct load *l, uint32_t n)
{
    struct sched_grant grant[64];
    uint64_t worst = 0, next_ns;
    do {
        uint64_t before = blocks;
        uint32_t taken = sched_take(l->s, grant, n, l->now_ns);
        next_ns = sched_next_ns(l->s, l->now_ns);
        uint64_t cost = blocks - before;
        worst = cost > worst ? cost : worst;
        l->packets += taken;
    } while (next_ns <= l->now_ns);
    l->now_ns = next_ns;
    return worst;
}

static struct load *due_open(enum due due)
{
    struct sched_config c = config_of(DUE_MSS);
    struct load *l = calloc(1, sizeof *l);
    c.coarse = true;
    l->s = s9_setup(&c, &l->memory);
    l->mss = DUE_MSS;
    l->now_ns = 1;
    add_due_tree(l, &c, due);
    for (uint32_t i = 0; i < 2 * DUE_MSS; i++)
        put_at(l, i % DUE_MSS, 1400);
    return l;
}

static void set_cells(struct load *l, struct bucket_terms cell, struct bucket_terms ms_default)
{
    for (uint32_t b = 0; b < l->mss / 256; b++)
        assert_int_equal(sched_bvc_set(l->s, b, cell, ms_default, l->now_ns), 0);
}

// The worst call until that time.
static uint64_t worst_until(struct load *l, uint32_t n, uint64_t end_ns)
{
    uint64_t worst = 0;
    while (l->now_ns < end_ns) {
        uint64_t cost = worst_call(l, n);
        worst = cost > worst ? cost : worst;
    }
    return worst;
}

// All send an N-PDU of 1400 octets at one instant, and wait for the next until another: 1320 octets
// at 16 kbit/s, 0.66 s, if nothing sets them going before.
static void one_call_is_bounded(enum due due, uint32_t n)
{
    const struct bucket_terms plenty = {BUCKET_RATE_MAX, 1u << 30}, stop = {0, 1500};
    struct load *l = due_open(due);
    uint64_t worst = worst_until(l, n, 10000000);
    assert_int_equal(l->packets, DUE_MSS);
    if (due == DUE_CELLS_STOP || due == DUE_FROZEN)
        set_cells(l, stop, plenty);
    if (due == DUE_DEFAULTS_STOP)
        set_cells(l, plenty, stop);
    for (uint32_t b = 0; due == DUE_RESET && b < l->mss / 256; b++)
        assert_int_equal(sched_bvc_reset(l->s, b, l->now_ns), 0);
    if (due == DUE_RESET || due == DUE_DEFAULTS_GO)
        set_cells(l, plenty, plenty);
    uint64_t change_ns = l->now_ns;
    uint64_t later = worst_call(l, n);
    if (due == DUE_RESET || due == DUE_DEFAULTS_GO) // all at that instant
        assert_true(l->packets == 2 * DUE_MSS && l->now_ns > change_ns);
    worst = later > worst ? later : worst;
    later = worst_until(l, n, S_IN_NS);
    worst = later > worst ? later : worst;
    for (uint32_t i = 0; due == DUE_FROZEN && i < DUE_MSS; i++)
        assert_int_equal(sched_ms_freeze(l->s, i, l->now_ns), 0);
    if (due == DUE_FROZEN || due == DUE_CELLS_STOP)
        set_cells(l, plenty, plenty);
    later = worst_until(l, n, l->now_ns + S_IN_NS);
    worst = later > worst ? later : worst;
    print_message("# %s, %u a call: %llu blocks at worst, of %llu\n", due_names[due], n,
                  (unsigned long long)worst, (unsigned long long)call_most(n));
    assert_int_equal(l->packets, due < DUE_FROZEN ? 2 * DUE_MSS : DUE_MSS);
    assert_true(worst <= call_most(n));
    free(l->memory);
    free(l);
}

static void one_call_is_bounded_though_all_are_due(void **state)
{
    (void)state;
    for (enum due due = 0; due < DUES; due++)
        for (uint32_t n = 1; n <= 64; n *= 8)
            one_call_is_bounded(due, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_work_does_not_grow_with_mss),
                                       cmocka_unit_test(the_work_does_not_grow_with_defaults),
                                       cmocka_unit_test(one_call_is_bounded_though_all_are_due)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
