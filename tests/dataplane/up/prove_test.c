// Which LLC frame in another NSE proves that an MS with a key is there (up_prove): one that its key
// deciphers, that is ahead of all that it has sent, and begins an IP packet of one of its contexts.
// Nothing recorded, damaged or made up is, and what is no proof changes nothing.
#include "tests/dataplane/up/fixture.h"

#include <rte_mbuf.h>

#define ELSEWHERE 2u // the cell of NSE 1

static void prove_octets(uint32_t ms, const uint8_t *llc, uint32_t octets)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(u.gb_device.pool);
    assert_non_null(m);
    memcpy(rte_pktmbuf_append(m, (uint16_t)octets), llc, octets);
    up_prove(&u.up, ms, ELSEWHERE, m);
}

static bool is_proof(uint32_t ms, const uint8_t *llc, uint32_t octets)
{
    struct event e;
    struct state_ms_up before = u.state.ms_up[ms];
    prove_octets(ms, llc, octets);
    assert_true(fixture_event(&e));
    assert_int_equal(e.ms_id, ms);
    assert_int_equal(e.claimed_bvc_id, ELSEWHERE);
    assert_int_equal(u.state.ms[ms].bvc, 0);
    assert_true(e.kind == EVENT_proven || e.kind == EVENT_unproven);
    if (e.kind == EVENT_unproven)
        assert_memory_equal(&u.state.ms_up[ms], &before, sizeof before);
    return e.kind == EVENT_proven;
}

// An IPv4 packet with two octets of payload, and an IPv6 packet with four.
static uint8_t ipv4[22] = {0x45, 0,   0, 22, 0, 111, 0, 0,   123, 6,    0x41,
                           0x68, 192, 0, 2,  1, 203, 0, 113, 9,   0x55, 0xaa};
static uint8_t ipv6[44] = {0x60, 0, 0, 0, 0, 4, 59, 64};

// With IPv4's packet as the data, if the segment names none.
static uint32_t llc_of(const struct segment *segment, uint8_t *llc)
{
    struct segment with = *segment;
    with.data = with.data ? with.data : ipv4;
    with.octets = with.octets ? with.octets : sizeof ipv4;
    return fixture_llc(&with, llc);
}

static bool proves(const struct segment *segment)
{
    uint8_t llc[100];
    return is_proof(segment->ms, llc, llc_of(segment, llc));
}

static void a_new_frame_is_a_proof_once(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 1200; number += 1 + number % 400) {
        assert_true(proves(SEGMENT(.ms = KEYED, .number = number)));
        assert_false(proves(SEGMENT(.ms = KEYED, .number = number)));
    }
    for (uint32_t i = 0; i < 2; i++)
        assert_true(
            proves(SEGMENT(.ms = KEYED, .number = i, .sapi = 5, .nsapi = 6, .header_only = i)));
}

// A proof is a received frame: where the MS is known the same frame is a duplicate, and the next
// one is good.
static void a_proof_counts_as_received(void **state)
{
    (void)state;
    assert_true(proves(SEGMENT(.ms = KEYED, .number = 7)));
    fixture_give_number(KEYED, 7);
    ASSERT_FRAMES(llc_duplicate, 1);
    fixture_give_number(KEYED, 8);
    fixture_expect_numbers(KEYED, 1);
}

// What its key deciphers to a good FCS, but not to the begin of a packet, leaves the number free
// for the frame that is.
static void only_the_begin_of_a_packet_is_a_proof(void **state)
{
    uint8_t wrong[sizeof ipv4];
    (void)state;
    assert_false(proves(SEGMENT(.ms = KEYED, .number = 5, .next = true, .segment = 1)));
    assert_false(proves(SEGMENT(.ms = KEYED, .number = 5, .segment = 1)));
    assert_false(proves(SEGMENT(.ms = KEYED, .number = 5, .dcomp = 1)));
    assert_false(proves(SEGMENT(.ms = KEYED, .number = 5, .pcomp = 1)));
    assert_false(proves(SEGMENT(.ms = KEYED, .number = 5, .nsapi = 7)));
    assert_false(proves(SEGMENT(.ms = KEYED, .number = 5, .sapi = 5)));
    assert_false(proves(SEGMENT(.ms = KEYED, .number = 5, .octets = 19)));
    for (uint32_t bit = 0; bit < 8 * 20; bit++) {
        memcpy(wrong, ipv4, sizeof wrong);
        wrong[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(
            proves(SEGMENT(.ms = KEYED, .number = 5, .data = wrong, .octets = sizeof wrong)));
    }
    for (uint16_t octets = 39; octets <= 44; octets++) {
        bool whole = octets == 44;
        assert_int_equal(
            proves(SEGMENT(.ms = KEYED, .number = whole ? 8 : 5, .data = ipv6, .octets = octets)),
            whole);
        assert_int_equal(
            proves(SEGMENT(.ms = KEYED, .number = 7, .more = true, .data = ipv6, .octets = octets)),
            octets == 40);
    }
    assert_true(proves(SEGMENT(.ms = KEYED, .number = 9, .more = true)));
    assert_true(proves(SEGMENT(.ms = KEYED, .number = 10)));
}

// Every frame of the MS is recorded and all are played again after each: none is a proof, whatever
// number V(UR) and OC take it for. One that was overtaken is late, and no proof though it is new.
static void no_recorded_frame_is_a_proof(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 1100; number += 20) {
        fixture_give_number(KEYED, number);
        for (uint32_t old = number % 20; old <= number; old++)
            assert_false(proves(SEGMENT(.ms = KEYED, .number = old)));
    }
}

// Nor is one of before the key, or of before a Reset, which changes the IOV-UI.
static void no_frame_of_before_a_reset_is_a_proof(void **state)
{
    uint8_t llc[40][100];
    uint32_t octets = 0;
    (void)state;
    for (uint32_t i = 0; i < 40; i++)
        octets = llc_of(SEGMENT(.ms = KEYED, .number = i), llc[i]);
    fixture_give_number(KEYED, 3);
    fixture_expect_numbers(KEYED, 1);
    state_ms_reset(&u.state, KEYED, IOV_UI + 1);
    for (uint32_t i = 0; i < 40; i++)
        assert_false(is_proof(KEYED, llc[i], octets));
    state_ms_reset(&u.state, KEYED, IOV_UI);
    assert_true(is_proof(KEYED, llc[39], octets)); // which is why no IOV-UI comes twice
}

static void what_is_not_the_mss_is_no_proof(void **state)
{
    static const uint8_t null_frame[] = {0x01, 0xe0, 0x12, 0x34, 0x56},
                         gmm[] = {0x01, 0xc0, 0x02, 0x11, 0x22, 0x33, 0x44},
                         short_one[] = {0x03, 0xc0, 0x03, 0xaa, 0xbb}, address[] = {0x03};
    static uint8_t noise[1526];
    uint8_t llc[100];
    (void)state;
    assert_false(proves(SEGMENT(.ms = KEYED, .clear = true)));
    assert_false(proves(SEGMENT(.ms = KEYED, .forged = true)));
    assert_false(proves(SEGMENT(.ms = 0))); // of an MS without a key
    assert_false(is_proof(KEYED, null_frame, sizeof null_frame));
    assert_false(is_proof(KEYED, gmm, sizeof gmm));
    assert_false(is_proof(KEYED, short_one, sizeof short_one));
    assert_false(is_proof(KEYED, address, sizeof address));
    uint32_t octets = llc_of(SEGMENT(.ms = KEYED, .number = 5), llc);
    for (uint32_t bit = 0; bit < 8 * octets; bit++) {
        llc[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(is_proof(KEYED, llc, octets));
        llc[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        fixture_fill(noise, sizeof noise, i);
        noise[0] = 0x03;
        noise[1] = (uint8_t)(0xc0 | (noise[1] & 7));
        noise[2] |= 3;
        assert_false(is_proof(KEYED, noise, 6 + i % (sizeof noise - 5)));
    }
    assert_true(is_proof(KEYED, llc, octets));
}

// The ring of events is full: the frame is no proof, and the next one is.
static void a_control_that_does_not_listen(void **state)
{
    uint8_t llc[100];
    struct event e;
    (void)state;
    uint32_t octets = llc_of(SEGMENT(.ms = KEYED, .number = 1), llc);
    for (uint32_t i = 0; i < EVENTS; i++)
        prove_octets(0, llc, octets);
    prove_octets(KEYED, llc, octets);
    for (uint32_t i = 0; i < EVENTS; i++) {
        assert_true(fixture_event(&e));
        assert_int_equal(e.kind, EVENT_unproven);
        assert_int_equal(e.ms_id, 0);
    }
    assert_false(fixture_event(&e));
    assert_true(is_proof(KEYED, llc, octets));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UP_TEST(a_new_frame_is_a_proof_once),           UP_TEST(a_proof_counts_as_received),
        UP_TEST(only_the_begin_of_a_packet_is_a_proof), UP_TEST(no_recorded_frame_is_a_proof),
        UP_TEST(no_frame_of_before_a_reset_is_a_proof), UP_TEST(what_is_not_the_mss_is_no_proof),
        UP_TEST(a_control_that_does_not_listen),
    };
    return cmocka_run_group_tests(tests, fixture_start, NULL);
}
