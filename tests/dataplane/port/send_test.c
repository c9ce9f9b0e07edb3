// What the port sends: bursts as they are, large frames in fragments, its own frames first.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/random.h"

// clang-format off
// 1004 octets of UDP payload over an MTU of 576, in two: the headers of each.
static const uint8_t typed_first[] = {
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
    0x45, 0, 0x02, 0x3c, 0, 0, 0x20, 0, 0x3d, 0x11, 0x47, 0xaf, 10, 0, 0, 1, 10, 0, 0, 2};
static const uint8_t typed_last[] = {
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
    0x45, 0, 0x01, 0xe0, 0, 0, 0x00, 0x45, 0x3d, 0x11, 0x67, 0xc6, 10, 0, 0, 1, 10, 0, 0, 2};
static const uint8_t typed_first_ipv6[] = {
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd,
    0x60, 0, 0, 0, 0x02, 0x18, 44, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    17, 0, 0, 1, 0, 0, 0, 1};
static const uint8_t typed_last_ipv6[] = {
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd,
    0x60, 0, 0, 0, 0x01, 0xec, 44, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    17, 0, 0x02, 0x10, 0, 0, 0, 1};
// clang-format on

#define ANSWER 0xff // all that an answer says

static uint8_t payload[2000];

static struct rte_mbuf *frame_of(bool ipv6, uint32_t payload_octets)
{
    uint8_t b[FRAME_OCTETS_MAX];
    uint32_t n = ipv6 ? frame_udp_ipv6(b, payload, payload_octets)
                      : frame_udp_ipv4(b, payload, payload_octets);
    return fixture_frame(b, n);
}

static void narrow(struct port_config *config)
{
    config->host.mtu_octets = 576;
    config->tx_frames = 8;
}

static int narrow_setup(void **state)
{
    (void)state;
    random_begin();
    random_fill(payload, sizeof payload);
    fixture_open(narrow);
    return 0;
}

static void a_burst_goes_as_it_is(void **state)
{
    (void)state;
    struct rte_mbuf *m[50];
    uint8_t b[FRAME_OCTETS_MAX];
    uint64_t octets = 0;
    for (uint32_t i = 0; i < 50; i++) {
        m[i] = frame_of(i % 2, 1400 + i);
        octets += m[i]->pkt_len;
    }
    assert_int_equal(port_send(&fx.port, m, 50), 50);
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(fixture_sent(b), (i % 2 ? 62 : 42) + 1400 + i);
    assert_int_equal(fx.stats.tx_packets, 50);
    assert_int_equal(fx.stats.tx_octets, octets);
    assert_int_equal(fx.stats.tx_refused, 0);
    assert_int_equal(fx.stats.answers, 0);
}

static void what_the_device_refuses_is_still_the_callers(void **state)
{
    (void)state;
    struct rte_mbuf *m[400];
    uint8_t b[FRAME_OCTETS_MAX];
    for (uint32_t i = 0; i < 400; i++)
        m[i] = frame_of(false, i);
    uint32_t sent = 0, calls = 0;
    for (; sent < 400; calls++) {
        uint32_t taken = port_send(&fx.port, m + sent, 400 - sent);
        assert_int_equal(taken, sent + 64 < 400 ? 64 : 400 - sent);
        for (uint32_t i = 0; i < taken; i++)
            assert_int_equal(fixture_sent(b), 42 + sent + i);
        sent += taken;
    }
    assert_int_equal(fx.stats.tx_refused, calls - 1);
    assert_int_equal(fx.stats.tx_packets, 400);
}

static void large_ones_go_in_fragments(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX], whole[FRAME_OCTETS_MAX];
    struct rte_mbuf *m = frame_of(false, 1004);
    memcpy(whole, rte_pktmbuf_mtod(m, void *), m->data_len);
    assert_int_equal(port_send(&fx.port, &m, 1), 1);
    assert_int_equal(fixture_sent(b), 14 + 572);
    assert_memory_equal(b, typed_first, 34);
    assert_memory_equal(b + 34, whole + 34, 552);
    assert_int_equal(fixture_sent(b), 14 + 480);
    assert_memory_equal(b, typed_last, 34);
    assert_memory_equal(b + 34, whole + 34 + 552, 460);
    assert_int_equal(fx.stats.tx_octets, 1046);
    m = frame_of(true, 1004);
    memcpy(whole, rte_pktmbuf_mtod(m, void *), m->data_len);
    assert_int_equal(port_send(&fx.port, &m, 1), 1);
    assert_int_equal(fixture_sent(b), 14 + 40 + 8 + 528);
    assert_memory_equal(b, typed_first_ipv6, 62);
    assert_memory_equal(b + 62, whole + 54, 528);
    assert_int_equal(fixture_sent(b), 14 + 40 + 8 + 484);
    assert_memory_equal(b, typed_last_ipv6, 62);
    assert_memory_equal(b + 62, whole + 54 + 528, 484);
    assert_int_equal(fx.stats.tx_packets, 2);
    assert_int_equal(fx.stats.tx_octets, 1046 + 1066);
    assert_int_equal(fx.stats.tx_fragmented, 2);
    fixture_assert_nothing_sent();
}

// The MTU itself is not too large.
static void fragments_begin_behind_the_mtu(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct rte_mbuf *m = frame_of(false, 576 - 28);
    assert_int_equal(port_send(&fx.port, &m, 1), 1);
    assert_int_equal(fixture_sent(b), 14 + 576);
    fixture_assert_nothing_sent();
    m = frame_of(false, 576 - 27);
    assert_int_equal(port_send(&fx.port, &m, 1), 1);
    assert_int_equal(fixture_sent(b), 14 + 20 + 552);
    assert_int_equal(fixture_sent(b), 14 + 20 + 5);
    assert_int_equal(fx.stats.tx_fragmented, 1);
}

// The one end's fragments are the other's datagram again, for every length and both families.
static void fragments_join_again(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    fx.port.check_udp = true;
    for (uint32_t n = 400; n < 1900; n++) {
        struct rte_mbuf *m = frame_of(n % 2, n);
        assert_int_equal(port_send(&fx.port, &m, 1), 1);
        bool passed = false;
        for (uint32_t octets; (octets = fixture_sent(b)) != 0;) {
            assert_false(passed);
            assert_true(octets <= 14 + 576);
            passed = fixture_receive_octets(b, octets, n);
        }
        assert_true(passed);
        assert_int_equal(fx.datagram.payload_octets, n);
        assert_memory_equal(fx.frame + fx.datagram.payload_offset, payload, n);
    }
}

static void half_a_set_waits_and_goes_first(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct rte_mbuf *m[10];
    for (uint32_t i = 0; i < 6; i++)
        m[i] = frame_of(false, 10);
    for (uint32_t i = 6; i < 9; i++)
        m[i] = frame_of(false, 1700); // four fragments
    m[9] = frame_of(false, 20);
    // Six as they are and two pieces of the next; its other two wait, so it is taken.
    assert_int_equal(port_send(&fx.port, m, 10), 7);
    assert_int_equal(fx.stats.tx_packets, 7);
    assert_int_equal(fx.port.answers, 2);
    assert_int_equal(port_send(&fx.port, m + 7, 3), 0);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(fixture_sent(b), i < 6 ? 52 : 586);
    assert_int_equal(port_send(&fx.port, m + 7, 3), 2);
    assert_int_equal(fixture_sent(b), 586);
    assert_int_equal(fixture_sent(b), 14 + 20 + 1708 - 3 * 552);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(fixture_sent(b), i % 4 < 3 ? 586 : 86);
    assert_int_equal(port_send(&fx.port, m + 9, 1), 1);
    assert_int_equal(fixture_sent(b), 586);
    assert_int_equal(fixture_sent(b), 86);
    assert_int_equal(fixture_sent(b), 62);
    fixture_assert_nothing_sent();
    assert_int_equal(fx.stats.tx_refused, 3);
    assert_int_equal(fx.stats.tx_packets, 10);
    assert_int_equal(fx.stats.tx_fragmented, 3);
    assert_int_equal(fx.stats.answers, 0);
}

static void without_buffers_a_large_one_waits_with_the_caller(void **state)
{
    (void)state;
    struct rte_mbuf *all[1024], *m = frame_of(true, 1004);
    uint8_t b[FRAME_OCTETS_MAX];
    uint32_t n = 0;
    while (n < 1024 && (all[n] = rte_pktmbuf_alloc(fx.port.answer_pool)))
        n++;
    rte_pktmbuf_free(all[--n]); // one is not enough
    assert_int_equal(port_send(&fx.port, &m, 1), 0);
    assert_int_equal(fx.stats.tx_refused, 1);
    assert_int_equal(fx.stats.tx_packets, 0);
    fixture_assert_nothing_sent();
    rte_pktmbuf_free_bulk(all, n);
    assert_int_equal(port_send(&fx.port, &m, 1), 1);
    assert_true(fixture_sent(b) > 0 && fixture_sent(b) > 0);
}

static struct rte_mbuf *answer_of(uint32_t octets)
{
    struct rte_mbuf *m = port_answer_alloc(&fx.port, octets);
    assert_non_null(m);
    uint8_t b[FRAME_OCTETS_MAX], said[FRAME_OCTETS_MAX];
    memset(said, ANSWER, sizeof said);
    frame_udp_ipv4(b, said, octets - 42);
    memcpy(rte_pktmbuf_mtod(m, void *), b, octets);
    return m;
}

static void an_answer_goes_at_once(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    port_answer(&fx.port, answer_of(100));
    assert_int_equal(fixture_sent(b), 100);
    assert_int_equal(fx.stats.answers, 1);
    assert_int_equal(fx.stats.tx_packets, 1);
    assert_int_equal(fx.stats.tx_octets, 100);
}

static void answers_wait_and_go_first(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct rte_mbuf *m[8];
    for (uint32_t i = 0; i < 8; i++)
        m[i] = frame_of(false, 10);
    assert_int_equal(port_send(&fx.port, m, 8), 8);
    for (uint32_t i = 0; i < PORT_ANSWERS + 5; i++)
        port_answer(&fx.port, answer_of(100 + i));
    assert_int_equal(fx.stats.answers, PORT_ANSWERS + 5);
    assert_int_equal(fx.stats.answers_unsent, 5);
    assert_int_equal(fx.stats.tx_packets, 8);
    m[0] = frame_of(false, 10);
    assert_int_equal(port_send(&fx.port, m, 1), 0);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(fixture_sent(b), 52);
    // There is room again, and one more finds it.
    port_tick(&fx.port, 0);
    port_answer(&fx.port, answer_of(100 + PORT_ANSWERS));
    assert_int_equal(fx.stats.answers_unsent, 5);
    for (uint32_t i = 0; i < PORT_ANSWERS + 1; i++) {
        if (i % 8 == 0)
            port_tick(&fx.port, 0);
        assert_int_equal(fixture_sent(b), 100 + i);
    }
    assert_int_equal(fx.stats.tx_packets, 8 + PORT_ANSWERS + 1);
    assert_int_equal(port_send(&fx.port, m, 1), 1);
    assert_int_equal(fixture_sent(b), 52);
    fixture_assert_nothing_sent();
}

// The device takes eight frames a call, and more answers than that wait at each.
static void answers_that_never_end_leave_the_path_every_second_call(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct rte_mbuf *m[8];
    uint32_t waiting = 0;
    for (uint32_t call = 0; call < 20; call++) {
        for (; waiting < 8; waiting++)
            m[waiting] = frame_of(false, 10);
        while (fx.port.answers < 16)
            port_answer(&fx.port, answer_of(100));
        while (!rte_ring_empty(fx.device.tx_ring[0]))
            fixture_sent(b);
        uint32_t sent = port_send(&fx.port, m, 8);
        assert_int_equal(sent, call % 2 ? 8 : 0);
        waiting -= sent;
    }
    assert_int_equal(waiting, 0);
}

static void a_large_answer_goes_in_fragments(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    port_answer(&fx.port, answer_of(1046));
    assert_int_equal(fixture_sent(b), 586);
    assert_int_equal(fx.stats.tx_packets, 1);
    assert_int_equal(fixture_sent(b), 494);
    assert_int_equal(fx.stats.tx_octets, 1046);
    // With little room left all of it waits, or none.
    struct rte_mbuf *m[8];
    for (uint32_t i = 0; i < 8; i++)
        m[i] = frame_of(false, 10);
    assert_int_equal(port_send(&fx.port, m, 8), 8);
    for (uint32_t i = 0; i < PORT_ANSWERS - 1; i++)
        port_answer(&fx.port, answer_of(100));
    port_answer(&fx.port, answer_of(1046));
    assert_int_equal(fx.port.answers, PORT_ANSWERS - 1);
    assert_int_equal(fx.stats.answers_unsent, 1);
    while (fixture_sent(b) || fx.port.answers)
        ;
    assert_int_equal(fx.stats.tx_packets, 1 + 8 + PORT_ANSWERS - 1);
}

static void what_waits_at_the_end_was_not_sent(void **state)
{
    (void)state;
    struct rte_mbuf *m[8], *large = frame_of(false, 1700);
    for (uint32_t i = 0; i < 8; i++)
        m[i] = frame_of(false, 10);
    assert_int_equal(port_send(&fx.port, m, 7), 7);
    assert_int_equal(port_send(&fx.port, &large, 1), 1);
    rte_pktmbuf_free(m[7]);
    port_answer(&fx.port, answer_of(100));
    port_answer(&fx.port, answer_of(1046));
    port_flush(&fx.port);
    assert_int_equal(fx.stats.answers, 2);
    assert_int_equal(fx.stats.answers_unsent, 2);
    assert_int_equal(fx.stats.tx_packets, 8);
}

// Bursts of all sizes, a device that takes what it likes: every frame of the path comes out once,
// in its order.
static void nothing_is_lost_or_changes_places(void **state)
{
    (void)state;
    enum { FRAMES = 20000 };
    uint8_t b[FRAME_OCTETS_MAX];
    struct rte_mbuf *m[32];
    uint32_t made = 0, waiting = 0, heard = 0;
    for (uint32_t calls = 0; heard < FRAMES && calls < 200000; calls++) {
        for (; waiting < 32 && made < FRAMES && random_next() % 8; waiting++, made++) {
            put_be32(payload, made);
            m[waiting] = frame_of(made % 2, (uint32_t)random_in(4, 1900));
        }
        uint32_t sent = port_send(&fx.port, m, waiting);
        waiting -= sent;
        memmove(m, m + sent, waiting * sizeof m[0]);
        if (random_next() % 4 == 0)
            port_answer(&fx.port, answer_of(random_next() % 4 ? 60 : 1000));
        for (uint32_t n, left = random_next() % 9; left > 0 && (n = fixture_sent(b)) > 0; left--)
            if (fixture_receive_octets(b, n, 0) && fx.frame[fx.datagram.payload_offset] != ANSWER)
                assert_int_equal(get_be32(fx.frame + fx.datagram.payload_offset), heard++);
    }
    assert_int_equal(heard, FRAMES);
    while (fixture_sent(b) || fx.port.answers)
        ;
    assert_int_equal(fx.stats.tx_packets, FRAMES + fx.stats.answers - fx.stats.answers_unsent);
}

#define NARROW_TEST(test) cmocka_unit_test_setup_teardown(test, narrow_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(a_burst_goes_as_it_is),
        PORT_TEST(what_the_device_refuses_is_still_the_callers),
        NARROW_TEST(large_ones_go_in_fragments),
        NARROW_TEST(fragments_begin_behind_the_mtu),
        NARROW_TEST(fragments_join_again),
        NARROW_TEST(half_a_set_waits_and_goes_first),
        NARROW_TEST(without_buffers_a_large_one_waits_with_the_caller),
        NARROW_TEST(an_answer_goes_at_once),
        NARROW_TEST(answers_wait_and_go_first),
        NARROW_TEST(answers_that_never_end_leave_the_path_every_second_call),
        NARROW_TEST(a_large_answer_goes_in_fragments),
        NARROW_TEST(what_waits_at_the_end_was_not_sent),
        NARROW_TEST(nothing_is_lost_or_changes_places),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
