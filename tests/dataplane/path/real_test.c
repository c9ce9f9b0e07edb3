// Both ways from the wire to the wire in real time: the worker polls in a thread of its own by a
// real clock, with the scheduler's coarse waits, while this thread is the network. What comes out
// at either side is, octet for octet and in order, what went in at the other: every size, the
// N201-Us, ciphers and families that take turns (turns.h), and every traffic class.
#include "tests/dataplane/path/path.h"

#include <pthread.h>

#include "tests/dataplane/path/clock.h"
#include "tests/dataplane/path/turns.h"

#define PATIENCE_NS (20 * S_IN_NS)
#define AT_ONCE     32u

static bool stop;

static void *run_worker(void *self)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        dp_poll(self, clock_ns());
    return NULL;
}

// The worker is this thread's until `start` and again from `finish` on.
static pthread_t start(void)
{
    pthread_t thread;
    stop = false;
    assert_int_equal(pthread_create(&thread, NULL, run_worker, dp_worker(p.dp, 0)), 0);
    return thread;
}

static void finish(pthread_t thread)
{
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    p.now_ns = clock_ns();
    path_poll();
}

static void take_until(uint64_t down, uint64_t up)
{
    uint64_t end_ns = clock_ns() + PATIENCE_NS;
    while ((p.down_received < down || p.up_received < up) && clock_ns() < end_ns) {
        path_take(STATS_GB, UINT32_MAX);
        path_take(STATS_GN, UINT32_MAX);
    }
    assert_int_equal(p.down_received, down);
    assert_int_equal(p.up_received, up);
}

static void both_ways(uint32_t pdp, size_t octets, uint32_t *sent)
{
    path_down(pdp, octets);
    path_up(pdp, octets);
    if (++*sent % AT_ONCE == 0)
        take_until(*sent, *sent);
}

static void end(pthread_t thread, uint32_t sent)
{
    take_until(sent, sent);
    finish(thread);
    print_message("# %u N-PDUs each way\n", sent);
    path_expect_all();
    path_close();
}

static void open_world(void)
{
    struct dp_config c = path_config(1);
    c.real_time = true;
    clock_begin();
    turns_open(&c, 2);
}

static void every_size_comes_out_unchanged(void **state)
{
    uint32_t sent = 0;
    (void)state;
    open_world();
    turns_all();
    pthread_t thread = start();
    turns_every_size(both_ways, STRIDE, &sent);
    end(thread, sent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_comes_out_unchanged),
    };
    return cmocka_run_group_tests_name("path_real", tests, path_start_eal, NULL);
}
