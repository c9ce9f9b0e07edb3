// The histograms of the delay beside a list made outside: each N-PDU carries when it came, by the
// clock of its MS, which stops while it is frozen; what comes out on Gb is sorted by a table of
// bounds. Both agree for each class, place by place, with the sum and with the N-PDUs sent.
#include <inttypes.h>
#include <string.h>

#include "tests/dataplane/path/workers.h"

#define MSS        12u
#define LIFETIME_S 600u

struct tally {
    uint64_t npdus[STATS_DELAY_PLACES], n, sum_ns;
};
static struct tally of_class[CLASS_COUNT];
static uint64_t frozen_ns[MSS], frozen_since_ns[MSS]; // 0: it is not

// Bounds from 1.05 ms, in ns, each the longest of its place.
static const uint64_t bounds_ns[] = {
    1048575,     2097151,     4194303,     8388607,      16777215,     33554431,    67108863,
    134217727,   268435455,   536870911,   1073741823,   2147483647,   4294967295,  8589934591,
    17179869183, 34359738367, 68719476735, 137438953471, 274877906943, 549755813887};
#define BOUNDS (sizeof bounds_ns / sizeof bounds_ns[0])

static void judge(const struct gb_npdu *npdu)
{
    uint32_t ms = npdu->tlli & 0xffff, place = 0;
    uint64_t came_ns;
    struct tally *tally = &of_class[npdu->nsapi == 5 ? CLASS_BACKGROUND : CLASS_STREAMING];
    memcpy(&came_ns, npdu->octets, sizeof came_ns);
    uint64_t ns = p.now_ns - frozen_ns[ms] - came_ns;
    while (place < BOUNDS && ns > bounds_ns[place])
        place++;
    tally->npdus[place]++;
    tally->n++;
    tally->sum_ns += ns;
}

static void open_judged(uint32_t workers)
{
    struct dp_config c = path_config(workers);
    for (int i = 0; i < CLASS_COUNT; i++)
        c.classes.item[i].lifetime_ns = LIFETIME_S * S_IN_NS;
    open_workers(&c);
    p.on_npdu = judge;
    memset(of_class, 0, sizeof of_class);
    memset(frozen_ns, 0, sizeof frozen_ns);
    memset(frozen_since_ns, 0, sizeof frozen_since_ns);
}

static void give(uint32_t pdp, size_t octets)
{
    static struct ip_frame frame;
    uint8_t npdu[1500] = {0};
    uint32_t ms = p.pdp[pdp].ms;
    struct ip_ends ends = path_ends_gn(p.pdp[pdp].ggsn);
    uint64_t by_clock_ns = (frozen_since_ns[ms] ? frozen_since_ns[ms] : p.now_ns) - frozen_ns[ms];
    memcpy(npdu, &by_clock_ns, sizeof by_clock_ns);
    path_gpdu(&frame, &ends, p.pdp[pdp].teid, npdu, octets);
    assert_true(path_give(STATS_GN, (uint32_t)random_in(0, p.workers - 1), &frame));
}

static void freeze(uint32_t ms, bool hold)
{
    if (hold == (frozen_since_ns[ms] != 0))
        return;
    if (!hold)
        frozen_ns[ms] += p.now_ns - frozen_since_ns[ms];
    frozen_since_ns[ms] = hold ? p.now_ns : 0;
    if (hold)
        DO(ms_freeze, ms);
    else
        DO(ms_release, ms);
}

static void expect_same(void)
{
    for (int c = 0; c < CLASS_COUNT; c++) {
        struct tally found = {.n = 0};
        for (uint32_t w = 0; w < p.workers; w++) {
            const struct stats_class *class = &dp_stats(dp_worker(p.dp, w))->of_class[c];
            found.n += class->out_packets;
            found.sum_ns += class->delays.sum_ns;
            for (int i = 0; i < STATS_DELAY_PLACES; i++)
                found.npdus[i] += class->delays.npdus[i];
        }
        assert_memory_equal(&found, &of_class[c], sizeof found);
    }
}

// At each bound, and 1 ns to either side of it.
static void delays_at_the_bounds(void **state)
{
    (void)state;
    open_judged(1);
    add_ms(0, 0);
    for (uint32_t i = 0; i <= BOUNDS; i++)
        for (uint64_t more = 0; more < 3; more++) {
            uint64_t ns = i == 0 ? more : bounds_ns[i - 1] - 1 + more;
            stop_cells(true);
            give((uint32_t)more % 2, 100);
            path_run_until(p.now_ns + ns);
            stop_cells(false);
            path_poll();
            expect_same();
        }
    assert_int_equal(of_class[CLASS_BACKGROUND].n + of_class[CLASS_STREAMING].n, 3 * (BOUNDS + 1));
    close_whole();
}

// Slow cells cut N-PDUs into LLC PDUs that go one by one; MSs change cell and worker, and freeze,
// while theirs wait.
static void whatever_comes(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        open_judged(workers);
        add_mss(MSS);
        for (uint32_t i = 0; i < workers; i++)
            path_bvc_flow(i, random_in(8000, 60000), 3000);
        for (uint32_t i = 0; i < 2000 / LESS; i++) {
            uint32_t ms = (uint32_t)random_in(0, MSS - 1);
            give(2 * ms + (uint32_t)random_in(0, 1), random_in(16, 1500));
            if (random_in(0, 9) == 0)
                path_ms_move(ms, (uint32_t)random_in(0, workers - 1));
            if (random_in(0, 19) == 0)
                freeze(ms, frozen_since_ns[ms] == 0);
            path_run_until(p.now_ns + (1ULL << random_in(0, 30)));
        }
        for (uint32_t ms = 0; ms < MSS; ms++)
            freeze(ms, false);
        path_run_until(p.now_ns + LIFETIME_S * S_IN_NS);
        expect_same();
        assert_int_equal(of_class[CLASS_BACKGROUND].n + of_class[CLASS_STREAMING].n, 2000 / LESS);
        close_whole();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_at_the_bounds),
        cmocka_unit_test(whatever_comes),
    };
    return cmocka_run_group_tests_name("path/histogram", tests, path_start_eal, NULL);
}
