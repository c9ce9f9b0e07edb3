// Any frames: the fast way says nothing else than the general one, and every frame is accounted
// for.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/random.h"

// What may be wrong with a frame of either family, a bit or an octet of it, with and without a new
// header checksum, and whatever the NIC says.
static uint32_t mutated(uint8_t *b)
{
    uint8_t payload[64];
    random_fill(payload, sizeof payload);
    uint32_t octets = (uint32_t)random_in(0, sizeof payload);
    uint32_t n =
        random_next() % 8 ? frame_udp_ipv4(b, payload, octets) : frame_udp_ipv6(b, payload, octets);
    bool ipv4 = b[12] == 8;
    if (random_next() % 4 == 0)
        memset(b + (ipv4 ? 40 : 60), 0, 2);
    for (uint64_t left = random_next() % 4; left > 0; left--) {
        uint32_t at = (uint32_t)(random_next() % (random_next() % 2 ? 44 : n));
        if (random_next() % 2)
            b[at] ^= (uint8_t)(1u << random_next() % 8);
        else
            b[at] = (uint8_t)random_in(0, 255);
    }
    if (ipv4 && random_next() % 4)
        frame_ipv4_checksum(b);
    if (random_next() % 8 == 0)
        n -= (uint32_t)random_in(0, n);
    return n;
}

static uint64_t random_word(void)
{
    static const uint64_t words[] = {0,
                                     0,
                                     RTE_MBUF_F_RX_IP_CKSUM_BAD,
                                     RTE_MBUF_F_RX_IP_CKSUM_GOOD,
                                     RTE_MBUF_F_RX_IP_CKSUM_NONE,
                                     RTE_MBUF_F_RX_L4_CKSUM_BAD,
                                     RTE_MBUF_F_RX_L4_CKSUM_GOOD,
                                     RTE_MBUF_F_RX_L4_CKSUM_NONE};
    return words[random_next() % 8] | words[random_next() % 8];
}

static void assert_same_datagram(const struct port_datagram *a, const struct port_datagram *b)
{
    assert_int_equal(a->payload_offset, b->payload_offset);
    assert_int_equal(a->payload_octets, b->payload_octets);
    assert_int_equal(a->ip_offset, b->ip_offset);
    assert_int_equal(a->ecn, b->ecn);
    assert_int_equal(a->ipv6, b->ipv6);
}

// What the fast way is for: it may not leave it to the other.
static bool is_for_the_fast_way(const uint8_t *b, uint64_t ol_flags)
{
    return get_be16(b + 12) == ETHER_TYPE_IPV4 && b[14] == 0x45 &&
           (!fx.port.check_udp || ol_flags & RTE_MBUF_F_RX_L4_CKSUM_GOOD) &&
           (ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) != RTE_MBUF_F_RX_L4_CKSUM_BAD;
}

static void the_fast_way_agrees_with_the_general_one(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    uint32_t fast = 0, slow = 0;
    random_begin();
    for (int i = 0; i < 300000; i++) {
        struct port_datagram by_fast = {0}, by_general = {0};
        uint32_t n = mutated(b);
        struct rte_mbuf *m = fixture_frame(b, n);
        m->ol_flags |= random_word();
        fx.port.check_udp = random_next() % 2;
        uint64_t ol_flags = m->ol_flags;
        bool passed = port_unwrap_fast(&fx.port, m, &by_fast);
        fx.stats.rx_packets++;
        fx.stats.rx_octets += n;
        uint32_t verdict = port_unwrap_general(&fx.port, &m, &by_general, 0);
        if (passed) {
            assert_int_equal(verdict, PORT_PASSED);
            assert_same_datagram(&by_fast, &by_general);
        } else if (verdict == PORT_PASSED) {
            assert_false(is_for_the_fast_way(b, ol_flags));
        }
        fast += passed;
        slow += verdict != PORT_PASSED;
        if (verdict == PORT_HELD)
            continue;
        fx.passed_packets++;
        fx.passed_octets += m->pkt_len; // of several, if they were fragments
        rte_pktmbuf_free(m);
    }
    assert_true(fast > 30000);
    assert_true(slow > 30000);
}

// Whatever comes, it is accounted for.
static void nothing_that_comes_is_lost_from_the_books(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX], sent[FRAME_OCTETS_MAX];
    random_begin();
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t n = mutated(b);
        if (random_next() % 16 == 0) {
            n = (uint32_t)random_in(0, 300);
            random_fill(b, n);
            b[0] = random_next() % 2 ? 2 : 0xff;
        }
        struct rte_mbuf *m = n > 20 && random_next() % 16 == 0
                                 ? fixture_frame_in_two(b, n, (uint32_t)random_in(1, n - 1))
                                 : fixture_frame(b, n);
        m->ol_flags |= random_next() % 2 ? random_word() : 0;
        fixture_receive(m, i * 1000000ULL);
        if (i % 64 == 0) {
            fixture_assert_balanced();
            port_tick(&fx.port, i * 1000000ULL);
            while (fixture_sent(sent))
                ;
        }
    }
    assert_true(fx.passed_packets > 10000);
    fixture_assert_balanced();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(the_fast_way_agrees_with_the_general_one),
        PORT_TEST(nothing_that_comes_is_lost_from_the_books),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
