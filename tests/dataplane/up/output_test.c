// N-PDUs to Gn: G-PDUs over IPv4 and IPv6, a port that refuses, what has no way, and the end.
#include "tests/dataplane/up/fixture.h"

#define OCTETS 40u // of fixture_expect_any's N-PDU

// Every length of an N-PDU that one segment can have, to a GGSN of either family.
static void an_npdu_of_any_length_goes_out(void **state)
{
    static uint8_t data[1516];
    const uint64_t before = u.stats.of_port[STATS_GN].tx_packets;
    (void)state;
    for (uint32_t n = 1; n <= sizeof data; n++) {
        fixture_fill(data, n, n);
        fixture_give(SEGMENT(.number = n, .data = data, .octets = (uint16_t)n));
        fixture_expect(0, data, n);
        fixture_give(
            SEGMENT(.number = n, .nsapi = 8, .sapi = 11, .data = data, .octets = (uint16_t)n));
        fixture_expect(3, data, n);
    }
    assert_int_equal(u.stats.up.npdus, 2 * sizeof data);
    assert_int_equal(u.stats.of_port[STATS_GN].tx_packets, before + 2 * sizeof data);
    assert_int_equal(fixture_dropped().packets, 0);
}

// No GGSN, or one that nobody has answered for: its segments end, of one N-PDU or of parts of it.
static void an_npdu_without_a_way_is_dropped(void **state)
{
    (void)state;
    fixture_give(SEGMENT(.number = 0, .nsapi = 9));
    ASSERT_SEGMENTS(no_path, 1, OCTETS);
    fixture_give(SEGMENT(.number = 1, .nsapi = 10, .more = true));
    fixture_give(SEGMENT(.number = 2, .nsapi = 10, .more = true, .next = true, .segment = 1));
    ASSERT_SEGMENTS(no_path, 1, OCTETS);
    fixture_give(SEGMENT(.number = 3, .nsapi = 10, .next = true, .segment = 2));
    ASSERT_SEGMENTS(no_path, 4, 4 * OCTETS);
    assert_int_equal(fixture_dropped().packets, 4);
    fixture_expect_nothing();
}

// The neighbour is found: the way is there.
static void a_way_is_taken_when_it_is_known(void **state)
{
    const struct ipv6_address ggsn = address_of_ipv4(GGSN + 1);
    const struct mac mac = {{2, 0, 0, 0, 1, 9}};
    (void)state;
    fixture_give(SEGMENT(.number = 0, .nsapi = 10));
    ASSERT_SEGMENTS(no_path, 1, OCTETS);
    assert_true(port_neighbour_learn(&u.gn, &ggsn, &mac, u.now_ns));
    fixture_give(SEGMENT(.number = 1, .nsapi = 10));
    up_output(&u.up);
    struct rte_mbuf *m = fixture_take(&u.gn_device);
    assert_non_null(m);
    assert_memory_equal(rte_pktmbuf_mtod(m, void *), &mac, sizeof mac);
    rte_pktmbuf_free(m);
    assert_int_equal(u.stats.up.npdus, 1);
}

static void end_uplink(uint32_t pdp, bool ended)
{
    fixture_command(&(const struct command){.op = COMMAND_pdp_uplink,
                                            .pdp_uplink = {.pdp_id = pdp, .ended = ended}});
}

// Its GGSN has no such tunnel: its segments end, of one N-PDU or of parts of it, also of one that
// had begun before; those of other contexts do not.
static void an_npdu_without_a_tunnel_is_dropped(void **state)
{
    static uint8_t data[OCTETS];
    (void)state;
    fixture_fill(data, OCTETS, 1);
    fixture_give(SEGMENT(.number = 0, .more = true));
    end_uplink(0, true);
    fixture_give(SEGMENT(.number = 1, .next = true, .segment = 1));
    ASSERT_SEGMENTS(no_tunnel, 2, 2 * OCTETS);
    fixture_give(SEGMENT(.number = 2));
    ASSERT_SEGMENTS(no_tunnel, 3, 3 * OCTETS);
    fixture_expect_nothing();
    fixture_give(SEGMENT(.number = 2, .nsapi = 8, .sapi = 11, .data = data, .octets = OCTETS));
    fixture_expect(3, data, OCTETS);
    end_uplink(0, false);
    fixture_give(SEGMENT(.number = 3, .data = data, .octets = OCTETS));
    fixture_expect(0, data, OCTETS);
    assert_int_equal(fixture_dropped().packets, 3);
}

// N-PDUs of MS 0, by number: each tells its own, and has one segment or two.
static uint32_t given, taken, frames;

static uint32_t octets_of(uint32_t npdu)
{
    return OCTETS + npdu % 50;
}

static uint32_t segments_of(uint32_t npdu)
{
    return npdu ? 1 + (npdu * 2654435761u >> 31) : 2; // as by chance
}

static int begin_test(void **state)
{
    given = taken = frames = 0;
    return fixture_open(state);
}

static void give_one(uint32_t npdu)
{
    uint8_t data[OCTETS + 50];
    uint32_t at = segments_of(npdu) == 2 ? 10 : 0, octets = octets_of(npdu);
    fixture_fill(data, octets, npdu);
    if (at)
        fixture_put_segment(
            SEGMENT(.number = frames++, .more = true, .data = data, .octets = (uint16_t)at));
    fixture_put_segment(SEGMENT(.number = frames++, .next = at > 0, .segment = at > 0,
                                .data = data + at, .octets = (uint16_t)(octets - at)));
}

static void give(uint32_t n)
{
    for (; n > 0; n--) {
        give_one(given++);
        if (n % 16 == 1)
            fixture_burst();
    }
}

// Takes n off Gn, in their order; first nothing is offered.
static void take(uint32_t n)
{
    for (; n > 0; n--, taken++) {
        uint8_t data[OCTETS + 50];
        fixture_fill(data, sizeof data, taken);
        struct rte_mbuf *m = fixture_take(&u.gn_device);
        assert_non_null(m);
        assert_int_equal(m->pkt_len, 50 + octets_of(taken));
        assert_memory_equal(rte_pktmbuf_mtod_offset(m, uint8_t *, 50), data, octets_of(taken));
        rte_pktmbuf_free(m);
    }
}

// Segments and octets of the N-PDUs from that number on, all that were given.
static struct stats_drop sum_from(uint32_t npdu)
{
    struct stats_drop sum = {0, 0};
    for (; npdu < given; npdu++) {
        sum.packets += segments_of(npdu);
        sum.octets += octets_of(npdu);
    }
    return sum;
}

// Offers to Gn, which leaves the last so many waiting.
static void offer(uint32_t pending)
{
    struct stats_drop sum = sum_from(given - pending);
    uint64_t packets, octets;
    up_output(&u.up);
    fixture_assert_conserved();
    up_held(&u.up, &packets, &octets);
    assert_int_equal(packets, sum.packets);
    assert_int_equal(octets, sum.octets);
    assert_int_equal(u.stats.up.npdus, given - pending);
}

static void fill_gn(void)
{
    for (uint32_t i = 0; i < 4; i++) {
        give(GN_FRAMES / 4);
        offer(0);
    }
}

// What Gn refuses waits in its order, and goes when Gn takes it. Nothing is counted before.
static void what_gn_refuses_waits(void **state)
{
    (void)state;
    fill_gn();
    struct stats_drop sum = sum_from(0);
    give(100);
    offer(100);
    assert_int_equal(u.stats.up.out_packets, sum.packets);
    assert_int_equal(u.stats.up.out_octets, sum.octets);
    for (uint32_t i = 0; i < 20; i++) { // places move on, and come back to the front
        take(30);
        offer(70);
        give(30);
        offer(100);
    }
    take(GN_FRAMES);
    offer(0);
    take(100);
    assert_int_equal(fixture_dropped().packets, 0);
}

static void when_enough_waits_the_next_is_dropped(void **state)
{
    (void)state;
    fill_gn();
    give(UP_PENDING);
    offer(UP_PENDING);
    ASSERT_SEGMENTS(gn_full, 0, 0);
    give_one(0); // of two segments
    give_one(1);
    fixture_burst();
    ASSERT_SEGMENTS(gn_full, 2 + segments_of(1), octets_of(0) + octets_of(1));
    take(1);
    offer(UP_PENDING - 1);
    give(1); // room for one
    offer(UP_PENDING);
    ASSERT_SEGMENTS(gn_full, 2 + segments_of(1), octets_of(0) + octets_of(1));
    take(GN_FRAMES); // the dropped ones were between
    offer(0);
    take(UP_PENDING);
    fixture_expect_nothing();
}

// At the end what waits is dropped, segments and all.
static void what_waits_is_dropped_at_the_end(void **state)
{
    (void)state;
    fill_gn();
    uint32_t first = given;
    give(7);
    offer(7);
    up_flush(&u.up);
    ASSERT_SEGMENTS(shutdown, sum_from(first).packets, sum_from(first).octets);
    fixture_assert_conserved();
}

#define IN_FIXTURE(test) cmocka_unit_test_setup_teardown(test, begin_test, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(an_npdu_of_any_length_goes_out),
        IN_FIXTURE(an_npdu_without_a_way_is_dropped),
        IN_FIXTURE(an_npdu_without_a_tunnel_is_dropped),
        IN_FIXTURE(a_way_is_taken_when_it_is_known),
        IN_FIXTURE(what_gn_refuses_waits),
        IN_FIXTURE(when_enough_waits_the_next_is_dropped),
        IN_FIXTURE(what_waits_is_dropped_at_the_end),
    };
    return cmocka_run_group_tests(tests, fixture_start, NULL);
}
