// Fragments joined: any order, duplicates, overlaps and lies.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/fragment_set.h"
#include "tests/dataplane/random.h"

static void two_pieces_become_one_frame(void **state)
{
    (void)state;
    fx.port.check_udp = true;
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        struct stats_port before = fx.stats;
        cut(ipv6, 1, 1600, 1480);
        assert_int_equal(set.n, 2);
        assert_false(receive_piece(1, 0));
        assert_held(1, set.frame[1].octets);
        assert_true(receive_piece(0, 1));
        assert_held(0, 0);
        assert_whole();
        assert_int_equal(fx.frame_octets, (ipv6 ? 54 : 34) + 8 + 1600);
        assert_int_equal(fx.stats.joined_packets, before.joined_packets + 1);
        assert_int_equal(fx.stats.header_octets - before.header_octets,
                         set.octets - fx.frame_octets);
        struct ipv4 v4;
        struct ipv6 v6;
        assert_int_equal(ipv6 ? ipv6_decode(&v6, fx.frame + 14, fx.frame_octets - 14)
                              : ipv4_decode(&v4, fx.frame + 14, fx.frame_octets - 14),
                         fx.frame_octets - 14);
        assert_int_equal(ipv6 ? v6.has_fragment : v4.more_fragments, 0);
    }
    fixture_assert_drops(DROP_fragment, 0);
}

static void shuffle(uint32_t order[PIECES_MAX], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)(random_next() % i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static void every_order_gives_the_datagram(void **state)
{
    (void)state;
    uint32_t order[PIECES_MAX];
    random_begin();
    fx.port.check_udp = true;
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t octets = (uint32_t)random_in(1, 1900), most = 8 * (uint32_t)random_in(1, 180);
        if ((octets + 8 + most - 1) / most > 8)
            continue;
        cut(random_next() % 2, i, octets, most);
        shuffle(order, set.n);
        for (uint32_t k = 0; k + 1 < set.n; k++)
            assert_false(receive_piece(order[k], i));
        assert_held(set.n - 1, set.octets - set.frame[order[set.n - 1]].octets);
        assert_true(receive_piece(order[set.n - 1], i));
        assert_whole();
        assert_held(0, 0);
    }
    fixture_assert_drops(DROP_fragment, 0);
    assert_int_equal(fx.stats.rx_packets, fx.passed_packets + fx.stats.joined_packets);
}

// RFC 6946: it waits for nobody, whatever else has its id.
static void a_fragment_that_is_all_is_no_fragment(void **state)
{
    (void)state;
    cut(true, 7, 200, 104);
    assert_false(receive_piece(0, 0));
    uint8_t b[FRAME_OCTETS_MAX], udp[FRAME_OCTETS_MAX];
    frame_udp_ipv6(udp, "abcd", 4);
    uint32_t n = frame_piece(true, 7, 0, false, udp + 54, 12, b);
    assert_true(fixture_receive_octets(b, n, 0));
    assert_int_equal(fx.datagram.payload_offset, 70);
    assert_int_equal(fx.datagram.payload_octets, 4);
    assert_held(1, set.frame[0].octets);
    assert_true(receive_piece(1, 0));
}

static void a_second_first_one_ends_them_all(void **state)
{
    (void)state;
    cut(true, 1, 1600, 800);
    receive_piece(0, 0);
    receive_piece(1, 0);
    assert_false(receive_piece(0, 0));
    assert_held(0, 0);
    fixture_assert_drops(DROP_fragment, 3);
    assert_int_equal(fx.stats.drop[DROP_fragment].octets,
                     2 * set.frame[0].octets + set.frame[1].octets);
}

static void more_than_eight_are_too_many(void **state)
{
    (void)state;
    cut(false, 1, 800, 88);
    assert_int_equal(set.n, 10);
    for (uint32_t i = 0; i < 9; i++)
        assert_false(receive_piece(i, 0));
    assert_held(1, set.frame[8].octets); // begins anew with the one behind the eighth
    fixture_assert_drops(DROP_fragment, 8);
}

static bool receive_lie(bool ipv6, uint32_t at, uint32_t octets, bool more)
{
    static const uint8_t zeros[0x10000 + 2000];
    uint8_t b[FRAME_OCTETS_MAX];
    uint32_t n = frame_piece(ipv6, 3, at, more, zeros, octets, b);
    return fixture_receive_octets(b, n, 0);
}

static void one_that_lies_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t at, octets;
        bool more;
    } lies[] = {
        {0, 0, true},      {8, 0, true},        {8, 0, false}, // of no octets
        {0, 12, true},     {8, 1, true},                       // no multiple of 8
        {65528, 8, false}, {65528, 100, false}, {65520, 8, true}, {64000, 1480, true}, // too long
        {2048, 8, false}, // beyond what a buffer holds
    };
    for (uint32_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        assert_false(receive_lie(false, lies[i].at, lies[i].octets, lies[i].more));
        assert_false(receive_lie(true, lies[i].at, lies[i].octets, lies[i].more));
        assert_held(0, 0);
    }
    fixture_assert_drops(DROP_fragment, 2 * sizeof lies / sizeof lies[0]);
}

// As many octets as there should be, but some twice and some not at all; the one that comes last is
// behind another by the time that the hole is found.
static void pieces_that_overlap_end_together(void **state)
{
    (void)state;
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        assert_false(receive_lie(ipv6, 0, 8, true));
        assert_false(receive_lie(ipv6, 24, 8, true));
        assert_false(receive_lie(ipv6, 24, 16, true));
        assert_false(receive_lie(ipv6, 32, 8, false));
        assert_held(0, 0);
    }
    fixture_assert_drops(DROP_fragment, 8);
}

static void set_ecn(uint32_t piece, uint8_t ecn)
{
    uint8_t *b = set.frame[piece].b;
    bool ipv4 = b[12] == 8;
    b[15] = (uint8_t)(ipv4 ? (b[15] & ~3) | ecn : (b[15] & 0xcf) | ecn << 4);
    if (ipv4)
        frame_ipv4_checksum(b);
}

// RFC 3168 5.3: CE on one is CE on all; but not if one cannot say so.
static void one_that_was_marked_marks_them_all(void **state)
{
    (void)state;
    uint32_t mixed = 0, order[PIECES_MAX];
    random_begin();
    for (uint32_t i = 0; i < 2 * 64 * 12; i++) {
        const uint8_t ecn[3] = {i / 2 % 4, i / 8 % 4, i / 32 % 4};
        bool ce = false, not_ect = false;
        cut(i % 2, i, 400, 200);
        assert_int_equal(set.n, 3);
        shuffle(order, set.n);
        for (uint32_t k = 0; k < 3; k++) {
            set_ecn(k, ecn[k]);
            ce |= ecn[k] == 3;
            not_ect |= ecn[k] == 0;
        }
        mixed += ce && not_ect;
        assert_false(receive_piece(order[0], i));
        assert_false(receive_piece(order[1], i));
        assert_int_equal(receive_piece(order[2], i), !(ce && not_ect));
        assert_held(0, 0);
        fixture_assert_drops(DROP_fragment, mixed);
        if (ce && not_ect)
            continue;
        assert_int_equal(fx.datagram.ecn, ce ? 3 : ecn[0]);
        assert_whole();
    }
    assert_true(mixed > 100);
}

static void the_nic_cannot_judge_a_fragment(void **state)
{
    (void)state;
    cut(false, 1, 1600, 800);
    for (uint32_t i = 0; i < 3; i++) {
        struct rte_mbuf *m = fixture_frame(set.frame[i].b, set.frame[i].octets);
        m->ol_flags |= RTE_MBUF_F_RX_L4_CKSUM_BAD;
        assert_int_equal(fixture_receive(m, 0), i == 2);
    }
    assert_whole();
}

static void other_headers_before_the_fragment_are_refused(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    cut(true, 1, 200, 104);
    memcpy(b, set.frame[0].b, 54);
    b[20] = 60; // destination options: none, but padding
    b[54] = 44;
    memcpy(b + 55, (uint8_t[]){0, 1, 4, 0, 0, 0, 0}, 7);
    memcpy(b + 62, set.frame[0].b + 54, set.frame[0].octets - 54);
    put_be16(b + 18, (uint16_t)(get_be16(b + 18) + 8));
    assert_false(fixture_receive_octets(b, set.frame[0].octets + 8, 0));
    fixture_assert_drops(DROP_fragment, 1);
    assert_held(0, 0);
}

// A fragment header again, inside of what was joined.
static void fragments_of_fragments_are_refused(void **state)
{
    (void)state;
    uint8_t whole[64] = {0}, b[FRAME_OCTETS_MAX];
    whole[0] = IPV6_NEXT_UDP;
    put_be16(whole + 2, 8 | 1); // offset 1, and more
    for (uint32_t at = 0; at < 64; at += 32) {
        uint32_t n = frame_piece(true, 9, at, at == 0, whole, 32, b);
        b[54] = 44;
        assert_false(fixture_receive_octets(b, n, 0));
    }
    assert_held(0, 0);
    assert_int_equal(fx.stats.joined_packets, 1);
    fixture_assert_drops(DROP_fragment, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(two_pieces_become_one_frame),
        PORT_TEST(every_order_gives_the_datagram),
        PORT_TEST(a_fragment_that_is_all_is_no_fragment),
        PORT_TEST(a_second_first_one_ends_them_all),
        PORT_TEST(more_than_eight_are_too_many),
        PORT_TEST(one_that_lies_is_refused),
        PORT_TEST(pieces_that_overlap_end_together),
        PORT_TEST(one_that_was_marked_marks_them_all),
        PORT_TEST(the_nic_cannot_judge_a_fragment),
        PORT_TEST(other_headers_before_the_fragment_are_refused),
        PORT_TEST(fragments_of_fragments_are_refused),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
