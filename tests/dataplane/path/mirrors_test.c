// Mirrors of workers that are threads. While mirrors are on, they have each frame and each drop,
// and nothing from before or after. Switching them on and off in the middle of traffic takes no
// mirror away from a worker that uses it.
#include "tests/dataplane/path/path.h"

#include <pthread.h>
#include <string.h>

#include "dataplane/dataplane_parts.h"
#include "tests/dataplane/path/clock.h"
#include "tests/dataplane/path/unseen.h"
#include "tests/dataplane/random.h"

#define WORKERS  2u
#define MSS      8u
#define NO_TEID  0x00300000u
#define SWITCHES 60u
#define WAIT_NS  (20 * S_IN_NS)

static bool stop;
static pthread_t thread[WORKERS];

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
}

static void wait_until(uint64_t end_ns)
{
    assert_true(clock_ns() < end_ns);
    nap();
}

static void *run_worker(void *number)
{
    struct dp_worker *worker = dp_worker(p.dp, (uint32_t)(uintptr_t)number);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        uint64_t now_ns = clock_ns();
        if (dp_poll(worker, now_ns) > now_ns)
            nap();
    }
    return NULL;
}

static void open_world(void)
{
    struct dp_config c = path_config(WORKERS);
    c.real_time = true;
    c.error_indications_per_s = 100000;
    path_open(&c);
    path_ggsn(0, false);
    for (uint32_t i = 0; i < WORKERS; i++) {
        path_nse(i);
        path_nsvc(i, i, false, 1);
        path_bvc(i, i, (uint16_t)(2 + i));
    }
    for (uint32_t ms = 0; ms < MSS; ms++)
        path_plain_ms(ms, ms % WORKERS, 1520);
    path_poll();
    random_begin();
    clock_begin();
    stop = false;
    for (uint32_t w = 0; w < WORKERS; w++)
        assert_int_equal(pthread_create(&thread[w], NULL, run_worker, (void *)(uintptr_t)w), 0);
}

static void close_world(void)
{
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (uint32_t w = 0; w < WORKERS; w++)
        pthread_join(thread[w], NULL);
    p.blind = true;
    path_poll();
    path_close();
}

// ---- Traffic: how many frames went into and came out of each port ----

static uint64_t in[STATS_SIDES]; // out: p.frames_out

static void give(uint32_t teid)
{
    static struct ip_frame frame;
    static uint8_t npdu[1400];
    struct ip_ends ends = path_ends_gn(0);
    path_gpdu(&frame, &ends, teid, npdu, random_in(1, sizeof npdu));
    uint64_t end_ns = clock_ns() + WAIT_NS;
    while (!path_give(STATS_GN, (uint32_t)(random_next() % WORKERS), &frame))
        wait_until(end_ns);
    in[STATS_GN]++;
}

static void take(void)
{
    struct rte_mbuf *m;
    for (int side = 0; side < STATS_SIDES; side++)
        for (uint32_t w = 0; w < WORKERS; w++)
            while (rte_ring_dequeue(p.far[side][w].from_port, (void **)&m) == 0) {
                unseen_take(m);
                p.octets_out[side] += m->pkt_len;
                p.frames_out[side]++;
                rte_pktmbuf_free(m);
            }
}

// So many G-PDUs, and all of them are on Gb.
static void pass(uint32_t n)
{
    uint64_t wanted = p.frames_out[STATS_GB] + n, end_ns = clock_ns() + WAIT_NS;
    for (uint32_t i = 0; i < n; i++)
        give(p.pdp[i % MSS].teid);
    for (take(); p.frames_out[STATS_GB] < wanted; take())
        wait_until(end_ns);
}

// One of no tunnel, which is answered.
static void pass_unknown(void)
{
    uint64_t wanted = p.frames_out[STATS_GN] + 1, end_ns = clock_ns() + WAIT_NS;
    give(NO_TEID);
    for (take(); p.frames_out[STATS_GN] < wanted; take())
        wait_until(end_ns);
}

// ---- What the mirrors have, by interface and direction ----

static uint64_t found[MIRROR_INTERFACES][3];

static void read_all(void)
{
    memset(found, 0, sizeof found);
    for (uint32_t w = 0; w < WORKERS; w++) {
        uint32_t waiting, word[11];
        const uint8_t *at = mirror_waiting(dp_mirror(p.dp, w), &waiting), *end = at + waiting;
        for (; at < end; at += word[1]) {
            memcpy(word, at, 28);
            uint32_t options = 28 + ((word[5] + 3) & ~3u);
            assert_true(word[2] < MIRROR_INTERFACES && at[options] == 2 && at[options + 4] < 3);
            found[word[2]][at[options + 4]]++;
        }
        mirror_done(dp_mirror(p.dp, w), waiting);
    }
}

static void switch_off(void)
{
    uint64_t end_ns = clock_ns() + WAIT_NS;
    dp_mirrors_off(p.dp);
    while (!dp_mirrors_rest(p.dp))
        wait_until(end_ns);
}

// All workers use their mirrors.
static void switch_on(void)
{
    uint64_t end_ns = clock_ns() + WAIT_NS;
    assert_int_equal(dp_mirrors_open(p.dp, MIRROR_SNAP_MOST, 0), 0);
    dp_mirrors_on(p.dp);
    for (uint32_t w = 0; w < WORKERS; w++)
        while (!__atomic_load_n(&p.dp->worker[w]->mirror, __ATOMIC_ACQUIRE))
            wait_until(end_ns);
}

static void all_that_passes_is_there(void **state)
{
    (void)state;
    open_world();
    pass(100);
    for (uint32_t turn = 1; turn <= 5; turn++) {
        switch_on();
        uint64_t gn_in = in[STATS_GN], gn_out = p.frames_out[STATS_GN],
                 gb_out = p.frames_out[STATS_GB];
        pass(50 * turn);
        pass_unknown();
        switch_off();
        read_all();
        assert_int_equal(found[MIRROR_GN][MIRROR_IN], in[STATS_GN] - gn_in);
        assert_int_equal(found[MIRROR_GN][MIRROR_OUT], p.frames_out[STATS_GN] - gn_out);
        assert_int_equal(found[MIRROR_GB][MIRROR_OUT], p.frames_out[STATS_GB] - gb_out);
        assert_int_equal(found[MIRROR_GN][MIRROR_NONE], 1);
        assert_int_equal(found[MIRROR_GB][MIRROR_IN] + found[MIRROR_NPDU][MIRROR_NONE], 0);
        pass(50);
        read_all();
        for (int i = 0; i < MIRROR_INTERFACES; i++)
            for (int way = 0; way < 3; way++)
                assert_int_equal(found[i][way], 0);
        assert_int_equal(dp_mirrors_open(p.dp, MIRROR_SNAP_MOST, 0), -EBUSY);
        dp_mirrors_close(p.dp);
    }
    close_world();
}

static void on_and_off_in_the_middle_of_traffic(void **state)
{
    (void)state;
    uint64_t there = 0;
    open_world();
    for (uint32_t i = 0; i < SWITCHES; i++) {
        assert_int_equal(dp_mirrors_open(p.dp, MIRROR_SNAP_MOST, 0), 0);
        give(p.pdp[i % MSS].teid);
        dp_mirrors_on(p.dp);
        give(p.pdp[i % MSS].teid);
        if (i % 3)
            pass(1);
        switch_off();
        read_all();
        there += found[MIRROR_GN][MIRROR_IN];
        dp_mirrors_close(p.dp);
        take();
    }
    assert_true(there > SWITCHES / 3);
    assert_int_equal(dp_mirrors_open(p.dp, MIRROR_SNAP_MOST, 0), 0);
    dp_mirrors_on(p.dp); // the dataplane closes them
    pass(1);
    close_world();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_that_passes_is_there),
                                       cmocka_unit_test(on_and_off_in_the_middle_of_traffic)};
    return cmocka_run_group_tests_name("mirrors", tests, path_start_eal, NULL);
}
