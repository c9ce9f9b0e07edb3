// NS: what is answered, what is control's, and what of unknown endpoints.
#include "tests/dataplane/up/fixture.h"

static const uint8_t alive[] = {0x0a};
static const uint8_t reset[] = {0x02, 0x00, 0x81, 0x01, 0x01, 0x82,
                                0x00, 0x01, 0x04, 0x82, 0x00, 0x65};
static const uint8_t status[] = {0x08, 0x00, 0x81, 0x04};
static const uint8_t sns_size[] = {0x12, 0x04, 0x00, 0x65, 0x0a, 0x01, 0x0b, 0x00, 0x04};

// The answer goes back by the way it came, in a frame of its own.
static void an_alive_is_answered(void **state)
{
    (void)state;
    fixture_give_pdu(1, alive, sizeof alive);
    port_tick(&u.gb, u.now_ns); // offers what it has to say
    struct rte_mbuf *m = fixture_take(&u.gb_device);
    assert_non_null(m);
    const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
    static const uint8_t macs[] = {2, 0, 0, 0, 1, 2, 2, 0, 0, 0, 0, 2};
    static const uint8_t ends[] = {198, 51, 100, 1, 198, 51, 100, 3, 0x59, 0xd8, 0x59, 0xd9, 0, 9};
    assert_memory_equal(b, macs, sizeof macs);
    assert_memory_equal(b + 26, ends, sizeof ends);
    assert_int_equal(b[42], 0x0b);
    assert_true(m->pkt_len >= 43);
    rte_pktmbuf_free(m);
    assert_null(fixture_take(&u.gb_device));
    assert_int_equal(u.stats.of_port[STATS_GB].host_packets, 1);
    assert_int_equal(u.stats.of_port[STATS_GB].host_octets, 42 + 1 + 5);
    assert_int_equal(rte_ring_count(u.up.events), 0);
}

// A known NS-VC's PDUs are control's whatever they are, if they are at all.
static void all_other_pdus_are_controls(void **state)
{
    (void)state;
    for (uint32_t type = 1; type < 256; type++) {
        const uint8_t pdu[] = {(uint8_t)type, 0xaa};
        if (type == alive[0])
            continue;
        fixture_give_pdu(0, pdu, sizeof pdu);
        fixture_expect_event(EVENT_ns, 0, pdu, sizeof pdu);
    }
    assert_int_equal(fixture_dropped().packets, 0);
    assert_int_equal(u.stats.of_port[STATS_GB].control_packets, 254);
}

static void a_malformed_pdu_is_dropped(void **state)
{
    static const uint8_t unitdata[] = {0x00, 0x00, 0x00};
    (void)state;
    for (uint32_t n = 0; n <= sizeof unitdata; n++)
        fixture_give_pdu(0, unitdata, n);
    ASSERT_FRAMES(ns, 4);
    assert_int_equal(rte_ring_count(u.up.events), 0);
}

// Of an endpoint that no NS-VC has: NS-RESET, NS-STATUS and the SNS PDUs, 0x0c to 0x13.
// Of what else a stranger says control learns the type, and from where.
static void expect_unlisted(uint8_t type)
{
    const struct ipv6_address from = address_of_ipv4(BSS + 75);
    struct event e;
    assert_true(fixture_event(&e));
    assert_int_equal(e.kind, EVENT_unlisted);
    assert_int_equal(e.nsvc_id, EVENT_NONE);
    assert_memory_equal(&e.source, &from, sizeof from);
    assert_int_equal(e.udp_port, BSS_PORT);
    assert_null(e.buffer);
    assert_int_equal(e.pdu.n, 1);
    assert_int_equal(e.pdu.at[0], type);
}

static void other_words_of_a_stranger_are_told_once_in_a_second(void **state)
{
    static const uint8_t types[] = {0x0a, 0x00, 0x04, 0x0b};
    (void)state;
    for (uint32_t i = 0; i < sizeof types; i++) {
        fixture_give_pdu(STRANGER, (const uint8_t *)"\x14", 1); // no NS PDU
        fixture_give_pdu(STRANGER, &types[i], 1);
        expect_unlisted(types[i]);
        u.now_ns += UP_UNLISTED_NS - 1;
        fixture_give_pdu(STRANGER, &types[i], 1);
        assert_int_equal(rte_ring_count(u.up.events), 0);
        u.now_ns++;
    }
    ASSERT_FRAMES(stranger, 3 * 4); // dropped all the same
}

static void a_stranger_is_heard_by_few_pdus(void **state)
{
    uint32_t heard = 0;
    (void)state;
    for (uint32_t type = 0; type < 256; type++) {
        const uint8_t pdu[] = {(uint8_t)type, 0xaa, 0xbb, 0xcc, 0x01};
        fixture_give_pdu(STRANGER, pdu, sizeof pdu);
        if (type == 0x00)
            expect_unlisted(0x00);
        if (type != 0x02 && type != 0x08 && (type < 0x0c || type > 0x13))
            continue;
        fixture_expect_event(EVENT_stranger, STRANGER, pdu, sizeof pdu);
        heard++;
    }
    fixture_give_pdu(STRANGER, NULL, 0);
    assert_int_equal(heard, 10);
    ASSERT_FRAMES(stranger, 256 - 10 + 1);
    assert_int_equal(rte_ring_count(u.up.events), 0);
    port_tick(&u.gb, u.now_ns);
    assert_null(fixture_take(&u.gb_device)); // its NS-ALIVE got no answer
}

// Strangers cannot fill the ring: a burst has so many, and those of known NS-VCs do not count.
static void strangers_are_few_in_a_burst(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        fixture_put(STRANGER, i % 2 ? reset : sns_size, i % 2 ? sizeof reset : sizeof sns_size);
        fixture_put(0, status, sizeof status);
    }
    fixture_burst();
    ASSERT_FRAMES(stranger, 20 - UP_TOLD_MAX);
    assert_int_equal(rte_ring_count(u.up.events), 20 + UP_TOLD_MAX);
    fixture_give_pdu(STRANGER, reset, sizeof reset); // the next burst
    ASSERT_FRAMES(stranger, 20 - UP_TOLD_MAX);
    assert_int_equal(rte_ring_count(u.up.events), 20 + UP_TOLD_MAX + 1);
}

// A burst each, so that only the ring's half ends it.
static void strangers_have_half_of_the_ring(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < EVENTS; i++)
        fixture_give_pdu(STRANGER, reset, sizeof reset);
    assert_int_equal(rte_ring_free_count(u.up.events), EVENTS / 2);
    ASSERT_FRAMES(control_full, EVENTS / 2);
    for (uint32_t i = 0; i < EVENTS / 2; i++)
        fixture_give_pdu(0, status, sizeof status);
    ASSERT_FRAMES(control_full, EVENTS / 2);
    assert_int_equal(rte_ring_free_count(u.up.events), 0);
}

static void a_full_ring_drops_a_stranger_too(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < EVENTS; i++)
        fixture_give_pdu(0, status, sizeof status);
    fixture_give_pdu(STRANGER, reset, sizeof reset);
    ASSERT_FRAMES(control_full, 1);
    ASSERT_FRAMES(stranger, 0);
}

// A port that sends nothing for itself has no place for more answers; the NS-ALIVE counts as heard.
static void an_answer_that_cannot_go_is_the_ports_to_count(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < GN_FRAMES + 2 * PORT_ANSWERS; i++)
        fixture_give_pdu(0, alive, sizeof alive);
    assert_int_equal(u.stats.of_port[STATS_GB].host_packets, GN_FRAMES + 2 * PORT_ANSWERS);
    assert_true(u.stats.of_port[STATS_GB].answers_unsent > 0);
    assert_int_equal(fixture_dropped().packets, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UP_TEST(an_alive_is_answered),
        UP_TEST(all_other_pdus_are_controls),
        UP_TEST(a_malformed_pdu_is_dropped),
        UP_TEST(a_stranger_is_heard_by_few_pdus),
        UP_TEST(other_words_of_a_stranger_are_told_once_in_a_second),
        UP_TEST(strangers_are_few_in_a_burst),
        UP_TEST(strangers_have_half_of_the_ring),
        UP_TEST(a_full_ring_drops_a_stranger_too),
        UP_TEST(an_answer_that_cannot_go_is_the_ports_to_count),
    };
    return cmocka_run_group_tests(tests, fixture_start, NULL);
}
