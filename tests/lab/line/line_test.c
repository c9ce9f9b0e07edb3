// The line behind a port: each frame takes its time, one after the other; what is lost and what is
// left at the end is counted, and every buffer comes back.
#include "lab/line/line.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/dataplane/eal_fixture.h"

#define RING_FRAMES 4

static struct rte_mempool *pool;
static struct rte_ring *to_port, *from_port, *other_to_port, *other_from_port;
static struct line line;
static struct {
    uint64_t now_ns[16];
    uint32_t octets[16];
    uint8_t first[16];
    uint32_t n;
} delivered;

static void deliver(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns)
{
    assert_ptr_equal(self, &delivered);
    delivered.now_ns[delivered.n] = now_ns;
    delivered.first[delivered.n] = frame[0];
    delivered.octets[delivered.n++] = octets;
}

static int make_line(void **state)
{
    (void)state;
    memset(&delivered, 0, sizeof delivered);
    line = (struct line){.engine = engine_create(),
                         .end = {{to_port, from_port, pool}},
                         .ends = 1,
                         .deliver = deliver,
                         .self = &delivered};
    line_attach(&line);
    return 0;
}

static int release_line(void **state)
{
    (void)state;
    line_clear(&line);
    engine_destroy(line.engine);
    return rte_mempool_in_use_count(pool) == 0 ? 0 : -1;
}

// A frame that the port sends; its first octet tells it apart.
static void port_sends(uint8_t first, uint16_t octets)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
    assert_non_null(m);
    memset(rte_pktmbuf_append(m, octets), first, octets);
    assert_int_equal(rte_ring_enqueue(from_port, m), 0);
    engine_wake(line.engine); // as the worker's own call would
}

static void run_to(uint64_t until_ns)
{
    assert_int_equal(engine_run(line.engine, until_ns, NULL, NULL), 0);
}

static void expect_delivered(uint32_t i, uint8_t first, uint32_t octets, uint64_t now_ns)
{
    assert_true(i < delivered.n);
    assert_int_equal(delivered.first[i], first);
    assert_int_equal(delivered.octets[i], octets);
    assert_true(delivered.now_ns[i] == now_ns);
}

// At 64 kbit/s an octet takes 125 us.
static void test_frames_take_their_time_one_by_one(void **state)
{
    (void)state;
    line.rate_bit_per_s = 64000;
    port_sends(1, 100);
    port_sends(2, 200);
    run_to(12499999);
    assert_int_equal(delivered.n, 0);
    assert_int_equal(rte_ring_count(from_port), 1); // the second waits with the port
    run_to(12500000);
    assert_int_equal(delivered.n, 1);
    run_to(1000000000);
    port_sends(3, 8);
    run_to(2000000000);
    assert_int_equal(delivered.n, 3);
    expect_delivered(0, 1, 100, 12500000);
    expect_delivered(1, 2, 200, 37500000);
    expect_delivered(2, 3, 8, 1001000000);
    assert_int_equal(line.delivered_packets, 3);
    assert_int_equal(line.delivered_octets, 308);
}

static void test_without_a_rate_frames_take_no_time(void **state)
{
    (void)state;
    port_sends(1, 100);
    port_sends(2, 1500);
    run_to(10);
    expect_delivered(0, 1, 100, 0);
    expect_delivered(1, 2, 1500, 0);
}

static void test_what_is_sent_reaches_the_port(void **state)
{
    struct rte_mbuf *m = NULL;
    (void)state;
    line_send(&line, 0, (const uint8_t *)"frame", 5, 0, 0);
    assert_int_equal(line.sent_packets, 1);
    assert_int_equal(line.sent_octets, 5);
    assert_int_equal(line.lost_packets, 0);
    assert_int_equal(rte_ring_dequeue(to_port, (void **)&m), 0);
    assert_ptr_equal(m->pool, pool);
    assert_int_equal(m->pkt_len, 5);
    assert_memory_equal(rte_pktmbuf_mtod(m, char *), "frame", 5);
    rte_pktmbuf_free(m);
}

static void test_a_port_that_is_overrun(void **state)
{
    (void)state;
    for (int i = 0; i < RING_FRAMES + 2; i++)
        line_send(&line, 0, (const uint8_t *)"frame", 5, 0, 0);
    assert_int_equal(line.sent_packets, RING_FRAMES + 2);
    assert_int_equal(line.lost_packets, 2);
    assert_int_equal(rte_ring_count(to_port), RING_FRAMES);
}

static void test_a_frame_too_large_for_a_buffer_is_lost(void **state)
{
    static const uint8_t frame[4000];
    (void)state;
    line_send(&line, 0, frame, sizeof frame, 0, 0);
    assert_int_equal(line.lost_packets, 1);
    assert_int_equal(rte_ring_count(to_port), 0);
}

// A port of two queues: they take turns, each frame goes to the queue that it is sent to.
static void test_two_queues(void **state)
{
    struct rte_mbuf *m = NULL;
    (void)state;
    line.end[1] = (struct dp_far_end){other_to_port, other_from_port, pool};
    line.ends = 2;
    port_sends(1, 100);
    port_sends(2, 100);
    port_sends(3, 100);
    assert_int_equal(rte_ring_dequeue(from_port, (void **)&m), 0); // 1 is the other queue's
    assert_int_equal(rte_ring_enqueue(other_from_port, m), 0);
    engine_wake(line.engine);
    assert_int_equal(line_under_way(&line), 3);
    run_to(10);
    expect_delivered(0, 2, 100, 0);
    expect_delivered(1, 1, 100, 0);
    expect_delivered(2, 3, 100, 0);
    line_send(&line, 1, (const uint8_t *)"frame", 5, 0, 10);
    assert_int_equal(rte_ring_count(to_port), 0);
    assert_int_equal(rte_ring_count(other_to_port), 1);
    assert_int_equal(line_under_way(&line), 0);
    assert_int_equal(line_clear(&line), 1);
}

static void test_what_is_left_at_the_end(void **state)
{
    (void)state;
    line.rate_bit_per_s = 64000;
    port_sends(1, 100);
    port_sends(2, 100);
    line_send(&line, 0, (const uint8_t *)"frame", 5, 0, 0);
    run_to(1000);
    assert_int_equal(line_under_way(&line), 2);
    assert_int_equal(line_clear(&line), 3);
    assert_int_equal(line_clear(&line), 0);
    assert_int_equal(delivered.n, 0);
    assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

static int make_ends(void **state)
{
    if (eal_fixture_setup(state) != 0)
        return -1;
    unsigned flags = RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ;
    pool = rte_pktmbuf_pool_create("line_test", 63, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    to_port = rte_ring_create("to_port", RING_FRAMES, 0, flags);
    from_port = rte_ring_create("from_port", RING_FRAMES, 0, flags);
    other_to_port = rte_ring_create("other_to_port", RING_FRAMES, 0, flags);
    other_from_port = rte_ring_create("other_from_port", RING_FRAMES, 0, flags);
    return pool && to_port && from_port && other_to_port && other_from_port ? 0 : -1;
}

#define LINE_TEST(name) cmocka_unit_test_setup_teardown(name, make_line, release_line)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINE_TEST(test_frames_take_their_time_one_by_one),
        LINE_TEST(test_without_a_rate_frames_take_no_time),
        LINE_TEST(test_what_is_sent_reaches_the_port),
        LINE_TEST(test_a_port_that_is_overrun),
        LINE_TEST(test_a_frame_too_large_for_a_buffer_is_lost),
        LINE_TEST(test_two_queues),
        LINE_TEST(test_what_is_left_at_the_end),
    };
    return cmocka_run_group_tests_name("lab/line/line", tests, make_ends, eal_fixture_teardown);
}
