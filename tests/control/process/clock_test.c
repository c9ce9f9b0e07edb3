// The clock of a run in real time: a line through its readings, without a jump, that finds back to
// the kernel's when the first 50 ms have misjudged the rate; one line or the next for a thread that
// reads while another corrects; and a real one beside the kernel's.
#include "control/process/clock.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "dataplane/base/units.h"

#define TICKS_A_S 2600000000ULL
#define FIRST_TSC 1000000000000ULL
#define FIRST_RAW 5000000000ULL

// The true pair, `after_ns` behind the first one.
static struct clock_pair pair_at(uint64_t after_ns)
{
    return (struct clock_pair){FIRST_TSC + after_ns * (TICKS_A_S / 1000000) / 1000,
                               FIRST_RAW + after_ns};
}

// A clock whose second reading was that many ns late.
static struct clock begun(int64_t late_ns)
{
    struct clock clock;
    struct clock_pair second = pair_at(50000000);
    second.raw_ns += (uint64_t)late_ns;
    clock_begin(&clock, pair_at(0), second);
    return clock;
}

static int64_t off_ns(const struct clock *clock, uint64_t after_ns)
{
    return (int64_t)(clock_at(clock, pair_at(after_ns).tsc) - after_ns);
}

static void test_a_good_start(void **state)
{
    (void)state;
    struct clock clock = begun(0);
    assert_int_equal(off_ns(&clock, 0), 0);
    assert_true(llabs(off_ns(&clock, S_IN_NS)) < 10);
    assert_true(llabs(off_ns(&clock, 3600 * S_IN_NS)) < 10000);
}

static void test_before_its_beginning_is_its_beginning(void **state)
{
    (void)state;
    struct clock clock = begun(0);
    assert_int_equal(clock_at(&clock, FIRST_TSC - 1000), 0);
}

// 5 us in 50 ms are 100 us in a second.
static void test_it_finds_back(void **state)
{
    (void)state;
    struct clock clock = begun(5000);
    assert_true(off_ns(&clock, S_IN_NS) > 90000);
    clock_correct(&clock, pair_at(S_IN_NS));
    assert_true(off_ns(&clock, S_IN_NS) > 90000); // no jump
    assert_true(llabs(off_ns(&clock, 2 * S_IN_NS)) < 1000);
    clock_correct(&clock, pair_at(2 * S_IN_NS));
    for (uint64_t s = 3; s < 100; s++) {
        assert_true(llabs(off_ns(&clock, s * S_IN_NS)) < 1000);
        clock_correct(&clock, pair_at(s * S_IN_NS));
    }
}

static void test_it_never_runs_back(void **state)
{
    (void)state;
    for (int64_t late_ns = -40000; late_ns <= 40000; late_ns += 80000) {
        struct clock clock = begun(late_ns);
        uint64_t last_ns = 0;
        for (uint64_t us = 0; us < 3000000; us += 7) {
            if (us % 700000 == 0)
                clock_correct(&clock, pair_at(us * 1000 + 1000));
            uint64_t ns = clock_at(&clock, pair_at(us * 1000 + 1000).tsc);
            assert_true(ns >= last_ns);
            last_ns = ns;
        }
    }
}

// However far off a reading is, a second of the clock stays one within a thousandth.
static void test_a_wild_reading_does_little(void **state)
{
    (void)state;
    struct clock clock = begun(0);
    struct clock_pair wild = pair_at(1000 * S_IN_NS);
    wild.raw_ns += 100000000;
    clock_correct(&clock, wild);
    int64_t gained = off_ns(&clock, 1001 * S_IN_NS) - off_ns(&clock, 1000 * S_IN_NS);
    assert_true(gained > 0 && gained < 1200000);
}

// ---- Two threads ----

#define CORRECTIONS      20000u // at least, and as long as the reader has not read enough
#define CORRECTIONS_MOST 900000u
#define READINGS         20000u

struct shared {
    struct clock clock;
    uint32_t corrections, readings; // made so far
    int64_t off_ns;                 // of the one reading of the second test
};

static uint32_t made(const uint32_t *count)
{
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static void note(uint32_t *count)
{
    __atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
}

// One each second of the clock's, which is a moment here.
static void *correct_each_second(void *self)
{
    struct shared *shared = self;
    while (shared->corrections < CORRECTIONS ||
           (made(&shared->readings) < READINGS && shared->corrections < CORRECTIONS_MOST)) {
        clock_correct(&shared->clock, pair_at((1 + shared->corrections) * S_IN_NS));
        note(&shared->corrections);
    }
    return NULL;
}

// Every line goes through true points, so each says the same of a moment behind them all, within
// the 2^-32 ns a tick that rates have: less than 1 ms in a million seconds. The ticks of one line's
// point with the ns of another's would be off by seconds.
static void test_a_reader_has_a_whole_line(void **state)
{
    (void)state;
    static struct shared shared;
    pthread_t corrector;
    uint64_t far_ns = 1000000 * S_IN_NS;
    int64_t worst_ns = 0;
    shared.clock = begun(0);
    assert_int_equal(pthread_create(&corrector, NULL, correct_each_second, &shared), 0);
    while (made(&shared.corrections) < CORRECTIONS || shared.readings < READINGS) {
        int64_t off = llabs(off_ns(&shared.clock, far_ns));
        worst_ns = off > worst_ns ? off : worst_ns;
        note(&shared.readings);
    }
    pthread_join(corrector, NULL);
    print_message("# %u corrections, %u readings, %ld ns off at most\n", shared.corrections,
                  shared.readings, (long)worst_ns);
    assert_true(worst_ns < (int64_t)S_IN_NS / 10);
}

static void *read_once(void *self)
{
    struct shared *shared = self;
    note(&shared->readings);
    shared->off_ns = off_ns(&shared->clock, 10 * S_IN_NS);
    return NULL;
}

// The corrector is held in the middle of a line, which no machine does when it should: its point
// has the ticks of the first second and still the ns of the beginning.
static void test_a_line_half_written_is_waited_for(void **state)
{
    (void)state;
    struct shared shared = {.clock = begun(0)};
    struct clock *clock = &shared.clock;
    pthread_t reader;
    __atomic_store_n(&clock->sequence, clock->sequence + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&clock->tsc, pair_at(S_IN_NS).tsc, __ATOMIC_RELEASE);
    assert_int_equal(pthread_create(&reader, NULL, read_once, &shared), 0);
    while (made(&shared.readings) == 0)
        sched_yield();
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); // for it to be in it
    __atomic_store_n(&clock->ns, S_IN_NS, __ATOMIC_RELEASE);
    __atomic_store_n(&clock->sequence, clock->sequence + 1, __ATOMIC_RELEASE);
    pthread_join(reader, NULL);
    assert_true(llabs(shared.off_ns) < 100);
}

// The machine's own: within 100 ppm and a delay of the kernel's beside CLOCK_MONOTONIC_RAW.
static void test_beside_the_kernels(void **state)
{
    (void)state;
    struct clock clock;
    clock_start(&clock);
    struct clock_pair now = clock_read();
    int64_t true_ns = (int64_t)(now.raw_ns - clock.first.raw_ns);
    assert_true(true_ns >= 50000000);
    assert_true(llabs((int64_t)clock_at(&clock, now.tsc) - true_ns) < true_ns / 10000 + 20000);
    assert_true(clock_ns(&clock) >= clock_at(&clock, now.tsc));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_start),
        cmocka_unit_test(test_before_its_beginning_is_its_beginning),
        cmocka_unit_test(test_it_finds_back),
        cmocka_unit_test(test_it_never_runs_back),
        cmocka_unit_test(test_a_wild_reading_does_little),
        cmocka_unit_test(test_a_reader_has_a_whole_line),
        cmocka_unit_test(test_a_line_half_written_is_waited_for),
        cmocka_unit_test(test_beside_the_kernels),
    };
    return cmocka_run_group_tests_name("control/process/clock", tests, NULL, NULL);
}
