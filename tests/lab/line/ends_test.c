// The ends of a line: every octet of a datagram on its way to the port, in fragments where the MTU
// asks for it; and what comes from the port: whole datagrams, and a fault for each other frame.
#include "lab/line/ends.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/wire/judge.h"

#define RING_FRAMES 64

static struct rte_mempool *pool;
static struct rte_ring *to_port, *from_port;
static struct line line;
static struct ends ends;
static const struct ends_host host = {
    {{[10] = 255, 255, 192, 0, 2, 2}}, {{2, 0, 0, 0, 0, 2}}, 2152};
static const struct ends_host host6 = {{{0x20, 1, [15] = 2}}, {{2, 0, 0, 0, 0, 2}}, 23001};
static struct {
    struct ends_datagram datagram;
    uint8_t payload[ENDS_OCTETS_MAX];
    uint64_t now_ns;
    uint32_t n;
} got;

static void take(void *self, const struct ends_datagram *datagram, uint64_t now_ns)
{
    assert_ptr_equal(self, &got);
    got.datagram = *datagram;
    memcpy(got.payload, datagram->payload.at, datagram->payload.n);
    got.now_ns = now_ns;
    got.n++;
}

static int make(void **state)
{
    (void)state;
    memset(&got, 0, sizeof got);
    line = (struct line){.engine = engine_create(), .end = {{to_port, from_port, pool}}, .ends = 1};
    line_attach(&line);
    ends = (struct ends){.line = &line,
                         .to = {{{[10] = 255, 255, 192, 0, 2, 1}}, {{2, 0, 0, 0, 0, 1}}, 2152},
                         .to_ipv6 = {{0x20, 1, [15] = 1}},
                         .mtu_octets = 1428,
                         .datagram = take,
                         .self = &got};
    return 0;
}

static int release(void **state)
{
    (void)state;
    line_clear(&line);
    engine_destroy(line.engine);
    return rte_mempool_in_use_count(pool) == 0 ? 0 : -1;
}

static uint64_t number(const uint8_t *b, int octets)
{
    uint64_t value = 0;
    for (int i = 0; i < octets; i++)
        value = value << 8 | b[i];
    return value;
}

static const uint8_t *content(void)
{
    static uint8_t octets[ENDS_OCTETS_MAX];
    for (uint32_t i = 0; i < sizeof octets; i++)
        octets[i] = (uint8_t)(i * 7 + (i >> 8));
    return octets;
}

static bool send(const struct ends_host *from, uint32_t octets)
{
    return ends_send(&ends, from, 0, (struct octets){content(), octets}, 77, 0);
}

// A frame that was sent to the port; the caller frees it.
static struct rte_mbuf *next(void)
{
    struct rte_mbuf *m = NULL;
    assert_int_equal(rte_ring_dequeue(to_port, (void **)&m), 0);
    assert_true(line_tag(m) == 77);
    return m;
}

static void every_octet_of_a_frame(void **state)
{
    static const uint8_t wanted[] = {
        2,    0,    0,    0,    0, 1,   2, 0, 0,    0,    0,    2,    0x08, 0x00, // Ethernet
        0x45, 0,    0,    128,  0, 0,   0, 0, 0x40, 0x11, 0xf6, 0x69, 0xc0, 0,
        2,    2,    0xc0, 0,    2, 1,         // IPv4
        0x08, 0x68, 0x08, 0x68, 0, 108, 0, 0, // UDP, no checksum
    };
    (void)state;
    assert_true(send(&host, 100));
    struct rte_mbuf *m = next();
    const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
    assert_int_equal(m->pkt_len, 142);
    assert_memory_equal(frame, wanted, 12);
    assert_memory_equal(frame + 12, wanted + 12, 6);
    assert_int_equal(plain_checksum(frame + 14, 20), 0);
    assert_memory_equal(frame, wanted, sizeof wanted);
    assert_memory_equal(frame + sizeof wanted, content(), 100);
    rte_pktmbuf_free(m);
}

// Puts the fragments together, which come in order and have one id.
static uint32_t joined(bool ipv6, uint8_t *to)
{
    static uint64_t last_id = UINT64_MAX;
    uint32_t octets = 0;
    uint64_t id = 0;
    bool more = true;
    while (more) {
        struct rte_mbuf *m = next();
        const uint8_t *ip = rte_pktmbuf_mtod(m, const uint8_t *) + 14;
        uint32_t head = ipv6 ? 48 : 20, where = (uint32_t)number(ip + (ipv6 ? 42 : 6), 2);
        uint32_t n = (uint32_t)number(ip + (ipv6 ? 4 : 2), 2) + (ipv6 ? 40 : 0);
        assert_true(n <= ends.mtu_octets && m->pkt_len == n + 14);
        assert_int_equal(ipv6 ? where & 0xfff8 : (where & 0x1fff) * 8, octets);
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

static uint8_t datagram[ENDS_OCTETS_MAX + 8];

static void larger_than_the_mtu(void **state)
{
    (void)state;
    for (uint32_t octets = 1401; octets <= ENDS_OCTETS_MAX; octets += 245) {
        assert_true(send(&host, octets));
        assert_int_equal(joined(false, datagram), octets + 8);
        assert_int_equal(number(datagram + 4, 2), octets + 8);
        assert_memory_equal(datagram + 8, content(), octets);
    }
}

// The checksum holds over all of it.
static void larger_than_the_mtu_over_ipv6(void **state)
{
    (void)state;
    assert_true(send(&host6, 1501));
    assert_int_equal(joined(true, datagram), 1509);
    uint8_t pseudo[40] = {[34] = 1509 >> 8, [35] = 1509 & 255, [39] = 17};
    memcpy(pseudo, &host6.address, 16);
    memcpy(pseudo + 16, &ends.to_ipv6, 16);
    assert_int_equal(plain_sum(plain_sum(0, pseudo, 40), datagram, 1509), 0xffff);
}

// All that is sent is one packet while it fits, to the octet.
static void as_large_as_the_mtu(void **state)
{
    (void)state;
    assert_true(send(&host, 1400));
    assert_int_equal(rte_ring_count(to_port), 1);
    rte_pktmbuf_free(next());
    assert_true(send(&host, 1401));
    assert_int_equal(rte_ring_count(to_port), 2);
    assert_true(send(&host6, 1380));
    assert_int_equal(rte_ring_count(to_port), 3);
    assert_true(send(&host6, 1381));
    assert_int_equal(rte_ring_count(to_port), 5);
}

// One fragment of several is lost: so is the datagram, and its sender knows.
static void a_port_without_room(void **state)
{
    (void)state;
    while (rte_ring_free_count(to_port) > 1)
        assert_true(send(&host, 10));
    assert_false(send(&host, 1500));
    assert_int_equal(line.lost_packets, 1);
}

// ---- From the port ----

// Hands over what was sent, as if it came from the port.
static void turn_round(uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) {
        struct rte_mbuf *m = next();
        ends_frame(&ends, rte_pktmbuf_mtod(m, const uint8_t *), m->pkt_len, 99);
        rte_pktmbuf_free(m);
    }
}

static void whole_datagrams(void **state)
{
    (void)state;
    send(&host, 1400);
    turn_round(1);
    assert_int_equal(got.n, 1);
    assert_true(got.now_ns == 99);
    assert_true(address_same(&got.datagram.source, &host.address));
    assert_true(address_same(&got.datagram.destination, &ends.to.address));
    assert_int_equal(got.datagram.source_port, 2152);
    assert_int_equal(got.datagram.destination_port, 2152);
    assert_int_equal(got.datagram.payload.n, 1400);
    assert_memory_equal(got.payload, content(), 1400);
    assert_int_equal(ends.frames, 1);
    assert_int_equal(ends.fragments, 0);
}

static void datagrams_in_fragments(void **state)
{
    const struct ends_host *const from[] = {&host, &host6};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        send(from[i], 3000);
        turn_round(2);
        assert_int_equal(got.n, i);
        turn_round(1);
        assert_int_equal(got.n, i + 1);
        assert_int_equal(got.datagram.payload.n, 3000);
        assert_memory_equal(got.payload, content(), 3000);
        assert_true(address_same(&got.datagram.source, &from[i]->address));
        assert_int_equal(got.datagram.source_port, from[i]->port);
    }
    assert_int_equal(ends.frames, 6);
    assert_int_equal(ends.fragments, 4);
    assert_int_equal(ends.faults, 0);
}

// Each frame that is cut somewhere is a fault and nothing more; the first one is named.
static void truncated_frames(void **state)
{
    const struct ends_host *const from[] = {&host, &host6};
    uint64_t faults = 0;
    (void)state;
    for (int i = 0; i < 2; i++) {
        send(from[i], 30);
        struct rte_mbuf *m = next();
        for (uint32_t n = 0; n < m->pkt_len; n++, faults++)
            ends_frame(&ends, rte_pktmbuf_mtod(m, const uint8_t *), n, 0);
        rte_pktmbuf_free(m);
    }
    assert_int_equal(got.n, 0);
    assert_true(ends.faults == faults);
    assert_true(ends.frames == faults);
    assert_non_null(strstr(ends.first_fault, "frame 1, ether"));
}

// A fragment that does not continue anything.
static void a_fragment_without_its_first(void **state)
{
    (void)state;
    send(&host, 3000);
    rte_pktmbuf_free(next());
    turn_round(1);
    assert_int_equal(got.n, 0);
    assert_int_equal(ends.faults, 1);
    assert_int_equal(ends.fragments, 0);
}

static int make_rings(void **state)
{
    if (eal_fixture_setup(state) != 0)
        return -1;
    unsigned flags = RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ;
    pool = rte_pktmbuf_pool_create("ends_test", 127, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    to_port = rte_ring_create("to_port", RING_FRAMES, 0, flags);
    from_port = rte_ring_create("from_port", RING_FRAMES, 0, flags);
    return pool && to_port && from_port ? 0 : -1;
}

#define ENDS_TEST(name) cmocka_unit_test_setup_teardown(name, make, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENDS_TEST(every_octet_of_a_frame),        ENDS_TEST(larger_than_the_mtu),
        ENDS_TEST(larger_than_the_mtu_over_ipv6), ENDS_TEST(as_large_as_the_mtu),
        ENDS_TEST(a_port_without_room),           ENDS_TEST(whole_datagrams),
        ENDS_TEST(datagrams_in_fragments),        ENDS_TEST(truncated_frames),
        ENDS_TEST(a_fragment_without_its_first),
    };
    return cmocka_run_group_tests_name("lab/line/ends", tests, make_rings, eal_fixture_teardown);
}
