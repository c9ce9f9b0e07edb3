// S9 at full limits: an N-PDU that takes another's place costs the same however many MSs, cells and
// sizes there are, and so does one that leaves; and one call's work is bounded. The scheduler is
// compiled here with a call at each basic block, as in s9_cost_test.c.
#include "tests/dataplane/random.h"
#include "tests/dataplane/sched/check.h"
#include "tests/dataplane/sched/s9.h"

#define BURST 32

// One put, by what it counted: as a limit gets nearly full it ranks some of those who waited, 4470;
// 16 victims, each the largest of 64 flows, cost 16922, and 21395 as it is compiled for ASan.
#define WORST_PUT 6000
#ifdef __SANITIZE_ADDRESS__
#define WORST_FLOWS_PUT 25000
#else
#define WORST_FLOWS_PUT 20000
#endif
#define FEW_MSS 4096u

#ifdef __SANITIZE_ADDRESS__
#define MSS_MOST 32768u
#else
#define MSS_MOST 131072u
#endif

// Which limit is full, and of what.
enum full { FULL_MS, FULL_CELL, FULL_NSE, FULL_ALL, FULLS };
static const char *const full_names[] = {"MSs", "cells", "NSEs", "all"};

struct load {
    struct sched *s;
    void *memory;
    uint32_t mss;
    uint64_t now_ns, puts, put_blocks, worst_put, sent, take_blocks;
    uint64_t victims, refused;
};

static struct sched_limit limit_of(uint32_t mss, bool octets)
{
    if (octets)
        return (struct sched_limit){8 * mss, mss * 1500ULL};
    return (struct sched_limit){2 * mss, 1ULL << 38};
}

#define MSS_A_CELL 256u
#define NSES       4u

static struct sched_config config_of(uint32_t mss, enum full full, bool octets)
{
    const struct sched_limit none = {8 * mss, 1ULL << 38};
    struct sched_config c = s9_config(mss / MSS_A_CELL, mss, none);
    c.nses = NSES;
    c.coarse = true;
    c.limit = full == FULL_ALL ? limit_of(mss, octets) : none;
    c.nse_limit = full == FULL_NSE ? limit_of(mss / NSES, octets) : none;
    c.bvc_limit = full == FULL_CELL ? limit_of(MSS_A_CELL, octets) : none;
    c.ms_limit = full == FULL_MS ? limit_of(1, octets) : none;
    return c;
}

static struct load *load_open(const struct sched_config *c)
{
    const struct bucket_terms none = {BUCKET_UNLIMITED, 0}, cell = {20000, 20000};
    struct load *l = calloc(1, sizeof *l);
    l->s = s9_setup(c, &l->memory);
    l->mss = c->mss;
    l->now_ns = 1;
    for (uint32_t n = 0; n < c->nses; n++)
        assert_int_equal(sched_nse_add(l->s, n, none, 1), 0);
    for (uint32_t b = 0; b < c->bvcs; b++) {
        assert_int_equal(sched_bvc_add(l->s, b, b % c->nses, 1), 0);
        assert_int_equal(sched_bvc_set(l->s, b, cell, none, 1), 0);
    }
    for (uint32_t i = 0; i < c->mss; i++) {
        assert_int_equal(sched_ms_add(l->s, i, i % c->bvcs, 1520, 1), 0);
        for (uint32_t slot = 0; slot < c->pfcs_an_ms; slot++)
            assert_int_equal(
                sched_pfc_add(l->s, i, slot, (enum traffic_class)((i + slot) % CLASS_COUNT)), 0);
    }
    return l;
}

static void load_close(struct load *l)
{
    free(l->memory);
    free(l);
}

static uint32_t put_flow(struct load *l, uint32_t ms, uint16_t octets, uint32_t flow)
{
    struct pdu pdu = {.buffer = l, .octets = octets, .flow_hash = flow};
    const struct sched_drop *drops;
    uint64_t before = blocks;
    l->refused += sched_put(l->s, ms, 0, &pdu, l->now_ns) != DROP_NONE;
    uint64_t cost = blocks - before;
    l->puts++;
    l->put_blocks += cost;
    l->worst_put = cost > l->worst_put ? cost : l->worst_put;
    uint32_t victims = sched_dropped(l->s, &drops);
    l->victims += victims;
    return victims;
}

static void put(struct load *l, uint32_t ms, uint16_t octets)
{
    put_flow(l, ms, octets, 0);
}

// Twice as many come as can go, of any size, to anyone.
static void run(struct load *l, uint64_t puts)
{
    l->puts = l->put_blocks = l->worst_put = l->sent = l->take_blocks = 0;
    l->victims = l->refused = 0;
    while (l->puts < puts) {
        struct sched_grant grant[BURST];
        uint64_t before = blocks;
        uint32_t n = sched_take(l->s, grant, BURST, l->now_ns);
        uint64_t next_ns = sched_next_ns(l->s, l->now_ns);
        l->take_blocks += blocks - before;
        l->sent += n;
        for (uint32_t i = 0; i < 2 * n; i++)
            put(l, (uint32_t)(random_next() % l->mss), (uint16_t)(40 + random_next() % 1400));
        if (n < BURST)
            l->now_ns = next_ns > l->now_ns + 20000 ? next_ns : l->now_ns + 20000;
    }
}

struct cost {
    double put, take;
    uint64_t worst;
};

static struct cost cost_of(uint32_t mss, enum full full, bool octets)
{
    struct sched_config c = config_of(mss, full, octets);
    struct load *l = load_open(&c);
    for (uint32_t i = 0; i < 4 * mss; i++)
        put(l, i % mss, (uint16_t)(40 + random_next() % 1400));
    uint64_t worst = l->worst_put;
    assert_true(l->victims + l->refused > mss);
    run(l, mss / 2);
    assert_true(l->victims + l->refused > mss / 6);
    if (mss <= FEW_MSS)
        assert_null(sched_check(l->s));
    struct cost cost = {(double)l->put_blocks / (double)l->puts,
                        (double)l->take_blocks / (double)l->sent,
                        worst > l->worst_put ? worst : l->worst_put};
    print_message("# %7u MSs, %s full of %s: %.1f blocks a put, %.1f a PDU sent; worst put %llu\n",
                  mss, full_names[full], octets ? "octets" : "N-PDUs", cost.put, cost.take,
                  (unsigned long long)cost.worst);
    load_close(l);
    return cost;
}

static void room_costs_the_same_for_any_number(void **state)
{
    (void)state;
    random_begin();
    for (enum full full = 0; full < FULLS; full++)
        for (int octets = 0; octets < 2; octets++) {
            struct cost few = cost_of(FEW_MSS, full, octets);
            struct cost many = cost_of(MSS_MOST, full, octets);
            assert_true(many.put < few.put * 1.25 + 2 && many.take < few.take * 1.25 + 5);
            assert_true(few.worst < WORST_PUT && many.worst < WORST_PUT);
        }
}

// ---- One call ----

// As many as one call may drop, each looked for among as many flows as there may be.
static void sixteen_victims_of_sixty_four_flows(void **state)
{
    (void)state;
    struct sched_config c = config_of(2 * MSS_A_CELL, FULL_ALL, false);
    c.limit = c.nse_limit = c.bvc_limit = (struct sched_limit){4096, 40 * 4096};
    c.flows_a_pfc = 64;
    c.flow_quantum_octets = 1500;
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        c.of_class[i].flow_queues = true;
    struct load *l = load_open(&c);
    for (uint32_t i = 0; i < 4000; i++)
        put_flow(l, i % 4, 40, i / 4);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t victims = put_flow(l, 4 + i % 4, 1400, i);
        assert_true(i < 4 || victims == 16);
    }
    assert_int_equal(l->refused, 0);
    assert_null(sched_check(l->s));
    print_message("# %llu blocks at worst\n", (unsigned long long)l->worst_put);
    assert_true(l->worst_put < WORST_FLOWS_PUT);
    load_close(l);
}

// Cells of up to 128 MSs with a queue, no two of which have as much, nor many of the cells: each is
// looked for among all sizes as it is ranked.
#define DIFFERENT_CELLS 512u

static uint16_t different_octets(uint32_t i)
{
    uint32_t cell = i % DIFFERENT_CELLS, nth = i / DIFFERENT_CELLS;
    return nth > cell % 128 ? 0 : (uint16_t)(64 + nth * 10);
}

static void many_that_differ(void **state)
{
    (void)state;
    uint32_t mss = DIFFERENT_CELLS * MSS_A_CELL;
    struct sched_config c = config_of(mss, FULL_ALL, true);
    uint64_t octets = 0;
    for (uint32_t i = 0; i < mss; i++)
        octets += different_octets(i);
    c.limit.octets = c.nse_limit.octets = octets + octets / 16;
    struct load *l = load_open(&c);
    for (uint32_t i = 0; i < mss; i++)
        if (different_octets(i))
            put(l, i, different_octets(i));
    for (uint32_t i = 0; i < 8000; i++)
        put(l, (uint32_t)(random_next() % mss), 500);
    print_message("# %llu victims, %llu blocks at worst\n", (unsigned long long)l->victims,
                  (unsigned long long)l->worst_put);
    assert_true(l->victims > 1000);
    assert_true(l->worst_put < WORST_PUT);
    load_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_costs_the_same_for_any_number),
        cmocka_unit_test(sixteen_victims_of_sixty_four_flows),
        cmocka_unit_test(many_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
