// The traffic source: when it sends, how much, and every octet of a frame up to the inner datagram.
#include "lab/hosts/source.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/wire/judge.h"

#define RING_FRAMES 2048
#define SECOND_NS   1000000000ULL

static const struct source_gn gn = {.sgsn_mac = {{2, 0, 0, 0, 0, 1}},
                                    .ggsn_mac = {{2, 0, 0, 0, 0, 2}},
                                    .sgsn_address = {{[10] = 255, 255, 192, 0, 2, 1}},
                                    .ggsn_address = {{[10] = 255, 255, 192, 0, 2, 2}},
                                    .mtu_octets = 1536};
static struct rte_mempool *pool;
static struct rte_ring *to_port, *from_port;
static struct line line;
static struct source source;

static void nothing(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns)
{
    (void)self, (void)frame, (void)octets, (void)now_ns;
    fail_msg("nobody sent this");
}

static int make_source(void **state)
{
    (void)state;
    line = (struct line){.engine = engine_create(),
                         .end = {{to_port, from_port, pool}},
                         .ends = 1,
                         .deliver = nothing};
    source = (struct source){.engine = line.engine,
                             .gn_line = &line,
                             .gn = &gn,
                             .start_ns = SECOND_NS,
                             .stop_ns = 11 * SECOND_NS,
                             .rate_bit_per_s = 80000,
                             .sizes = 1,
                             .size_octets = {100},
                             .teid = 0x00400005,
                             .ms_address = 0x0a000007};
    rng_seed(&source.rng, 1, 0);
    return 0;
}

static int release_source(void **state)
{
    (void)state;
    line_clear(&line);
    engine_destroy(line.engine);
    return rte_mempool_in_use_count(pool) == 0 ? 0 : -1;
}

static uint32_t run(void)
{
    source_start(&source);
    assert_int_equal(engine_run(line.engine, 20 * SECOND_NS, NULL, NULL), 0);
    assert_int_equal(line.lost_packets, 0);
    return rte_ring_count(to_port);
}

static uint64_t number(const uint8_t *b, int octets)
{
    uint64_t value = 0;
    for (int i = 0; i < octets; i++)
        value = value << 8 | b[i];
    return value;
}

// When the frame was sent, by the stamp behind the inner headers; frees it.
static uint64_t next_stamp_ns(uint32_t *octets)
{
    struct rte_mbuf *m = NULL;
    assert_int_equal(rte_ring_dequeue(to_port, (void **)&m), 0);
    const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
    *octets = (uint32_t)number(frame + 52, 2); // the inner total length
    assert_int_equal(m->pkt_len, *octets + 50);
    uint64_t stamp_ns = number(frame + 78, 8);
    rte_pktmbuf_free(m);
    return stamp_ns;
}

// 100 octets at 80 kbit/s are one packet each 10 ms, from start to before stop.
static void test_constant_intervals(void **state)
{
    uint64_t last_ns = 0;
    uint32_t octets, n = run();
    (void)state;
    assert_int_equal(n, 1000);
    assert_int_equal(source.sent_packets, 1000);
    assert_int_equal(source.sent_octets, 100000);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t stamp_ns = next_stamp_ns(&octets);
        assert_int_equal(octets, 100);
        if (i > 0)
            assert_true(stamp_ns == last_ns + 10000000);
        else
            assert_true(stamp_ns >= SECOND_NS && stamp_ns < SECOND_NS + 10000000);
        last_ns = stamp_ns;
    }
    assert_true(last_ns < 11 * SECOND_NS);
}

// Poisson: 1000 expected, a standard deviation of 31.6; and intervals shorter than half the mean
// are 39 % of all.
static void test_poisson_intervals(void **state)
{
    uint64_t last_ns = 0;
    uint32_t octets, shorter = 0;
    (void)state;
    source.poisson = true;
    uint32_t n = run();
    assert_in_range(n, 1000 - 127, 1000 + 127);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t stamp_ns = next_stamp_ns(&octets);
        assert_true(stamp_ns >= SECOND_NS && stamp_ns < 11 * SECOND_NS && stamp_ns >= last_ns);
        shorter += i > 0 && stamp_ns - last_ns < 5000000;
        last_ns = stamp_ns;
    }
    assert_in_range(shorter * 1000 / n, 330, 460);
}

// The rate holds for the mean of the sizes: 704 octets at 400 kbit/s are one packet each 14.08 ms.
// Each size is drawn a third of the time, 4 standard deviations being 50 of 710.
static void test_sizes(void **state)
{
    uint32_t drawn[1501] = {0}, octets;
    (void)state;
    source.sizes = 3;
    memcpy(source.size_octets, (uint16_t[]){36, 576, 1500}, 3 * sizeof(uint16_t));
    source.rate_bit_per_s = 400000;
    uint32_t n = run();
    assert_in_range(n, 710, 711);
    for (uint32_t i = 0; i < n; i++) {
        next_stamp_ns(&octets);
        assert_true(octets <= 1500);
        drawn[octets]++;
    }
    assert_int_equal(drawn[36] + drawn[576] + drawn[1500], n);
    assert_in_range(drawn[36], 237 - 50, 237 + 50);
    assert_in_range(drawn[576], 237 - 50, 237 + 50);
    assert_int_equal(source.sent_octets, 36 * drawn[36] + 576 * drawn[576] + 1500 * drawn[1500]);
}

static void test_every_octet_of_a_frame(void **state)
{
    static const uint8_t
        outer[] =
            {
                2,    0,    0,    0,    0,    1,    2,    0,    0,    0,
                0,    2,    0x08, 0x00, // Ethernet
                0x45, 0,    0,    136,  0,    0,    0,    0,    0x40, 0x11,
                0xf6, 0x61, 0xc0, 0,    2,    2,    0xc0, 0,    2,    1, // IPv4
                0x08, 0x68, 0x08, 0x68, 0,    116,  0,    0,             // UDP, no checksum
                0x30, 0xff, 0,    100,  0x00, 0x40, 0x00, 0x05,          // GTP-U
            };
    struct rte_mbuf *m = NULL;
    (void)state;
    run();
    assert_int_equal(rte_ring_dequeue(to_port, (void **)&m), 0);
    assert_int_equal(m->pkt_len, 150);
    const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *), *inner = frame + 50;
    assert_memory_equal(frame, outer, sizeof outer);
    assert_int_equal(plain_checksum(frame + 14, 20), 0);
    assert_memory_equal(inner, "\x45\x00\x00\x64", 4);
    assert_int_equal(inner[9], 17);
    assert_int_equal(plain_checksum(inner, 20), 0);
    assert_int_equal(number(inner + 16, 4), 0x0a000007);
    uint8_t pseudo[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 17, 0, 80};
    memcpy(pseudo, inner + 12, 8);
    assert_int_equal(number(inner + 24, 2), 80);
    assert_int_equal(plain_sum(plain_sum(0, pseudo, 12), inner + 20, 80), 0xffff);
    rte_pktmbuf_free(m);
}

// The inner header says ECT(0), which its checksum knows; the outer one says nothing.
static void test_ect(void **state)
{
    struct rte_mbuf *m = NULL;
    (void)state;
    source.ect = true;
    run();
    assert_int_equal(rte_ring_dequeue(to_port, (void **)&m), 0);
    const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *), *inner = frame + 50;
    assert_int_equal(frame[15], 0);
    assert_int_equal(inner[1], 2);
    assert_int_equal(plain_checksum(inner, 20), 0);
    rte_pktmbuf_free(m);
}

// The GTP-U of the packet, put together from the fragments that were sent for it, whose id is not
// that of the packet before.
static uint32_t take_datagram(bool ipv6, uint8_t *to)
{
    static uint64_t last_id = UINT64_MAX;
    struct rte_mbuf *m = NULL;
    uint32_t octets = 0;
    uint64_t id = 0;
    bool more = true;
    while (more) {
        assert_int_equal(rte_ring_dequeue(to_port, (void **)&m), 0);
        const uint8_t *ip = rte_pktmbuf_mtod(m, const uint8_t *) + 14;
        uint32_t head = ipv6 ? 48 : 20, where = (uint32_t)number(ip + (ipv6 ? 42 : 6), 2);
        uint32_t from = ipv6 ? where & 0xfff8 : (where & 0x1fff) * 8;
        uint32_t n = (uint32_t)number(ip + (ipv6 ? 4 : 2), 2) + (ipv6 ? 40 : 0);
        assert_true(n <= source.gn->mtu_octets && m->pkt_len == n + 14);
        assert_int_equal(from, octets);
        uint64_t piece_id = ipv6 ? number(ip + 44, 4) : number(ip + 4, 2);
        assert_true(octets == 0 ? piece_id != last_id : piece_id == id);
        id = piece_id;
        assert_int_equal(ipv6 ? ip[6] : ip[9], ipv6 ? 44 : 17);
        more = where & (ipv6 ? 1u : 0x2000u);
        memcpy(to + octets, ip + head, n - head);
        octets += n - head;
        rte_pktmbuf_free(m);
    }
    last_id = id;
    return octets;
}

static uint8_t datagram[2048];

// UDP of 1397 + 16 octets, as its length says: 5 more than go into one packet.
static void test_larger_than_the_mtu(void **state)
{
    struct source_gn small = gn;
    (void)state;
    small.mtu_octets = 1428;
    source.gn = &small;
    source.size_octets[0] = 1397;
    run();
    for (int i = 0; i < 10; i++)
        assert_int_equal(take_datagram(false, datagram), 1413);
    assert_int_equal(number(datagram + 4, 2), 1413);
}

// The checksum holds over all of it.
static void test_larger_than_the_mtu_over_ipv6(void **state)
{
    static const struct source_gn small = {.sgsn_address = {{0x20, 1, [15] = 1}},
                                           .ggsn_address = {{0x20, 1, [15] = 2}},
                                           .mtu_octets = 1300};
    (void)state;
    source.gn = &small;
    source.size_octets[0] = 1400;
    run();
    for (int i = 0; i < 10; i++)
        assert_int_equal(take_datagram(true, datagram), 1416);
    uint8_t pseudo[40] = {[34] = 1416 >> 8, [35] = 1416 & 255, [39] = 17};
    memcpy(pseudo, &small.ggsn_address, 16);
    memcpy(pseudo + 16, &small.sgsn_address, 16);
    assert_int_equal(plain_sum(plain_sum(0, pseudo, 40), datagram, 1416), 0xffff);
}

static int make_ends(void **state)
{
    if (eal_fixture_setup(state) != 0)
        return -1;
    unsigned flags = RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ;
    pool = rte_pktmbuf_pool_create("source_test", 4095, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    to_port = rte_ring_create("to_port", RING_FRAMES, 0, flags);
    from_port = rte_ring_create("from_port", RING_FRAMES, 0, flags);
    return pool && to_port && from_port ? 0 : -1;
}

#define SOURCE_TEST(name) cmocka_unit_test_setup_teardown(name, make_source, release_source)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOURCE_TEST(test_constant_intervals),
        SOURCE_TEST(test_poisson_intervals),
        SOURCE_TEST(test_sizes),
        SOURCE_TEST(test_every_octet_of_a_frame),
        SOURCE_TEST(test_ect),
        SOURCE_TEST(test_larger_than_the_mtu),
        SOURCE_TEST(test_larger_than_the_mtu_over_ipv6),
    };
    return cmocka_run_group_tests_name("lab/hosts/source", tests, make_ends, eal_fixture_teardown);
}
