// What the log says of the workers' shares of Gn's frames: one line when one has more than twice
// another's for ten seconds, one when that has ended, and nothing of a trickle.
#include "control/run/shares.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/control/run/said.h"

#define WORKERS   3
#define SECOND_NS 1000000000ULL

static struct stats_worker stats[WORKERS];
const struct stats_worker *__wrap_dp_stats(const struct dp_worker *worker);
struct dp_worker *__wrap_dp_worker(struct dp *dp, uint32_t worker);
const char *__wrap_dp_steering(const struct dp *dp, enum stats_side side, const char **lacks);

struct dp_worker *__wrap_dp_worker(struct dp *dp, uint32_t worker)
{
    (void)dp;
    return (struct dp_worker *)(uintptr_t)(worker + 1);
}

const struct stats_worker *__wrap_dp_stats(const struct dp_worker *worker)
{
    return &stats[(uintptr_t)worker - 1];
}

const char *__wrap_dp_steering(const struct dp *dp, enum stats_side side, const char **lacks)
{
    (void)dp, (void)side;
    *lacks = "";
    return "strays";
}

static uint64_t second;

static int begin(void **state)
{
    (void)state;
    memset(stats, 0, sizeof stats);
    second = 1;
    int fault = said_begin();
    run.load.dp.workers = WORKERS;
    return fault;
}

// Ten seconds in which the workers receive so many frames each; returns what the log says then.
static const char *ten_seconds(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t more[WORKERS] = {a, b, c};
    size_t before = said_so_far();
    for (int i = 0; i < 10; i++) {
        for (uint32_t w = 0; w < WORKERS; w++)
            stats[w].of_port[STATS_GN].rx_packets += more[w] / 10;
        shares_look(&run, ++second * SECOND_NS);
    }
    return said_since(before);
}

static void unlike_and_alike(void **state)
{
    (void)state;
    shares_look(&run, second * SECOND_NS);
    assert_null(ten_seconds(20000, 10000, 10000));
    const char *line = ten_seconds(10000, 70100, 20000);
    assert_non_null(line);
    assert_non_null(strstr(line, " warn  gn: worker 1 gets 70 % of the frames, worker 0 10 %; "
                                 "gn.steering is strays\n"));
    assert_null(ten_seconds(10000, 70100, 20000)); // as told
    assert_null(ten_seconds(1, 1, 1));             // says nothing of shares
    line = ten_seconds(20000, 10000, 10000);
    assert_non_null(line);
    assert_non_null(strstr(line, " info  gn: no worker gets more than twice"));
}

static void a_trickle(void **state)
{
    (void)state;
    shares_look(&run, second * SECOND_NS);
    assert_null(ten_seconds(9980, 0, 0));
    assert_non_null(ten_seconds(10000, 0, 0));
}

// What came before the first look is of no interval.
static void the_first_look(void **state)
{
    (void)state;
    stats[0].of_port[STATS_GN].rx_packets = 1000000;
    shares_look(&run, second * SECOND_NS);
    assert_null(ten_seconds(10000, 10000, 10000));
}

static void one_worker(void **state)
{
    (void)state;
    run.load.dp.workers = 1;
    assert_null(ten_seconds(100000, 0, 0));
    assert_null(ten_seconds(100000, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(unlike_and_alike, begin, said_end),
        cmocka_unit_test_setup_teardown(a_trickle, begin, said_end),
        cmocka_unit_test_setup_teardown(the_first_look, begin, said_end),
        cmocka_unit_test_setup_teardown(one_worker, begin, said_end),
    };
    return cmocka_run_group_tests_name("control/run/shares", tests, NULL, NULL);
}
