// Segments to N-PDUs (TS 44.065 6.7): in order or not at all, per context, bounded in number and
// time; and what of a segment is malformed.
#include "tests/dataplane/up/fixture.h"

#include "dataplane/base/units.h"
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/llc.h"

#define PIECE 97u
#define MOST  16u

static uint8_t npdu[MOST * PIECE];
static uint32_t number; // of the next frame of MS 0 on SAPI 3

static int begin_test(void **state)
{
    number = 0;
    fixture_fill(npdu, sizeof npdu, 3);
    return fixture_open(state);
}

// Segment i of `n` of the N-PDU above, from MS 0 on SAPI 3.
static void put_piece(uint8_t nsapi, uint16_t id, uint32_t i, uint32_t n)
{
    fixture_put_segment(SEGMENT(.number = number++, .nsapi = nsapi, .npdu = id, .next = i > 0,
                                .more = i + 1 < n, .segment = (uint8_t)i, .data = npdu + i * PIECE,
                                .octets = PIECE));
}

static void give_piece(uint8_t nsapi, uint16_t id, uint32_t i, uint32_t n)
{
    put_piece(nsapi, id, i, n);
    fixture_burst();
}

static void assert_held(uint64_t segments, uint64_t octets)
{
    uint64_t packets, of_octets;
    up_held(&u.up, &packets, &of_octets);
    assert_int_equal(packets, segments);
    assert_int_equal(of_octets, octets);
}

static void one_to_sixteen_segments_are_an_npdu(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= MOST; n++)
        for (uint32_t bursts = 0; bursts < 2; bursts++) {
            for (uint32_t i = 0; i < n; i++) {
                assert_held(bursts ? i : 0, bursts ? i * PIECE : 0);
                put_piece(5, (uint16_t)(n + 100 * bursts), i, n);
                if (bursts)
                    fixture_burst();
            }
            if (!bursts)
                fixture_burst();
            assert_held(n, n * PIECE); // it waits for Gn
            fixture_expect(0, npdu, n * PIECE);
            assert_held(0, 0);
        }
    assert_int_equal(u.stats.up.npdus, 32);
    assert_int_equal(u.stats.up.out_packets, 2 * 136);
    assert_int_equal(u.stats.up.out_octets, 2 * 136 * PIECE);
    assert_int_equal(fixture_dropped().packets, 0);
}

// A Reset of LLC starts the MS's N-PDU numbers again, so the first segment of an N-PDU before it
// may have the number of one whose first segment is lost behind it.
static void a_reset_ends_what_it_cuts(void **state)
{
    (void)state;
    give_piece(5, 0, 0, 3);
    assert_held(1, PIECE);
    state_ms_reset(&u.state, 0, u.state.ms[0].iov_ui + 1);
    number = 1;
    give_piece(5, 0, 1, 3);
    ASSERT_SEGMENTS(segment_order, 2, 2 * PIECE);
    assert_held(0, 0);
    give_piece(5, 0, 2, 3);
    ASSERT_SEGMENTS(segment_order, 3, 3 * PIECE);
    fixture_expect_nothing();
    for (uint32_t i = 0; i < 3; i++) // and one that begins behind it is whole
        give_piece(5, 1, i, 3);
    fixture_expect(0, npdu, 3 * PIECE);
}

// One is missing: all before it end there, and those behind it follow nothing.
static void a_missing_segment_costs_its_npdu(void **state)
{
    uint32_t dropped = 0;
    (void)state;
    for (uint32_t n = 2; n <= MOST; n++)
        for (uint32_t missing = 0; missing + 1 < n; missing++) {
            for (uint32_t i = 0; i < n; i++)
                if (i != missing)
                    give_piece(5, (uint16_t)n, i, n);
            dropped += n - 1;
            ASSERT_SEGMENTS(segment_order, dropped, dropped * PIECE);
            assert_held(0, 0);
        }
    fixture_expect_nothing();
    give_piece(5, 1, 0, 1);
    fixture_expect(0, npdu, PIECE);
}

// The last one is missing: the next N-PDU ends what was begun, whether it is of one segment or
// more.
static void a_missing_last_segment_ends_with_the_next_npdu(void **state)
{
    (void)state;
    for (uint32_t next = 1; next <= 2; next++) {
        for (uint32_t i = 0; i < 3; i++)
            give_piece(5, 7, i, 4);
        for (uint32_t i = 0; i < next; i++)
            give_piece(5, 8, i, next);
        ASSERT_SEGMENTS(segment_order, 3 * next, 3 * next * PIECE);
        fixture_expect(0, npdu, next * PIECE);
    }
    fixture_expect_nothing();
}

// The N-PDU number or the segment number tells a stranger; LLC may give segments out of order.
static void what_does_not_follow_ends_the_npdu(void **state)
{
    (void)state;
    give_piece(5, 7, 0, 3);
    give_piece(5, 8, 1, 3); // of another N-PDU
    give_piece(5, 7, 2, 3); // of none any more
    ASSERT_SEGMENTS(segment_order, 3, 3 * PIECE);
    give_piece(5, 7, 0, 3);
    give_piece(5, 7, 2, 3); // before its turn
    give_piece(5, 7, 1, 3);
    ASSERT_SEGMENTS(segment_order, 6, 6 * PIECE);
    give_piece(5, 9, 3, 8); // of one that nobody began
    ASSERT_SEGMENTS(segment_order, 7, 7 * PIECE);
    assert_held(0, 0);
    fixture_expect_nothing();
}

// There are 16 numbers: a 17th segment has none.
static void a_seventeenth_segment_follows_nothing(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MOST; i++)
        give_piece(5, 7, i, MOST + 1);
    assert_held(MOST, MOST * PIECE);
    fixture_give(SEGMENT(.number = number++, .npdu = 7, .next = true, .segment = 0, .data = npdu,
                         .octets = PIECE));
    ASSERT_SEGMENTS(segment_order, 17, 17 * PIECE);
    fixture_expect_nothing();
}

static void contexts_take_turns(void **state)
{
    static const uint8_t nsapi[] = {5, 6, 8, 7};
    static const uint8_t sapi[] = {3, 3, 11, 5};
    static const uint32_t pdp[] = {0, 1, 3, 2};
    uint32_t numbers[4] = {0, 100, 0, 0}; // contexts 0 and 1 share an LLE
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t c = 0; c < 4; c++)
            fixture_put_segment(
                SEGMENT(.number = c == 1 ? numbers[0]++ : numbers[c]++, .sapi = sapi[c],
                        .nsapi = nsapi[c], .npdu = (uint16_t)(c / 2), .next = i > 0, .more = i < 4,
                        .segment = (uint8_t)i, .data = npdu + (i + c) * PIECE, .octets = PIECE));
        fixture_burst();
        assert_held(4 * (i + 1), 4 * (i + 1) * PIECE);
    }
    for (uint32_t c = 0; c < 4; c++)
        fixture_expect(pdp[c], npdu + c * PIECE, 5 * PIECE);
    assert_int_equal(fixture_dropped().packets, 0);
}

static void a_segment_may_be_of_any_length(void **state)
{
    static uint8_t data[1500];
    static const uint16_t lengths[] = {1, 1496, 2, 1};
    (void)state;
    fixture_fill(data, sizeof data, 4);
    for (uint32_t i = 0, at = 0; i < 4; at += lengths[i++])
        fixture_give(SEGMENT(.number = i, .next = i > 0, .more = i < 3, .segment = (uint8_t)i,
                             .data = data + at, .octets = lengths[i]));
    fixture_expect(0, data, sizeof data);
}

// An N-PDU grows as far as its buffer; longer than a packet on Gn may be it ends.
static void a_longer_npdu_than_the_buffer_ends(void **state)
{
    static uint8_t data[1500];
    (void)state;
    fixture_give(SEGMENT(.number = 0, .more = true, .data = data, .octets = 1500));
    fixture_give(SEGMENT(.number = 1, .next = true, .more = true, .segment = 1, .data = data,
                         .octets = 100));
    ASSERT_SEGMENTS(npdu_long, 0, 0);
    uint32_t room = rte_pktmbuf_tailroom(up_partial_of(&u.up, 0)->m);
    fixture_give(SEGMENT(.number = 2, .next = true, .more = true, .segment = 2, .data = data,
                         .octets = (uint16_t)room));
    ASSERT_SEGMENTS(npdu_long, 0, 0); // it just fits
    fixture_give(SEGMENT(.number = 3, .next = true, .segment = 3, .data = data, .octets = 1));
    ASSERT_SEGMENTS(npdu_long, 4, 1601 + room);
    fixture_expect_nothing();
    assert_held(0, 0);
}

// A segment whose first octet is another.
static void give_header(uint32_t nu, uint8_t octet)
{
    uint8_t llc[100], b[200];
    uint32_t n = fixture_llc(SEGMENT(.number = nu), llc);
    llc[LLC_UI_HEADER_OCTETS] = octet;
    fcs_put(llc + n - LLC_FCS_OCTETS, fcs(llc, n - LLC_FCS_OCTETS));
    fixture_give_pdu(0, b, fixture_ul_unitdata(TLLI_FIRST, 2, llc, n, b));
}

static void a_malformed_segment_is_dropped(void **state)
{
    (void)state;
    fixture_give(SEGMENT(.number = 0, .dcomp = 1));
    fixture_give(SEGMENT(.number = 1, .pcomp = 2));
    fixture_give(SEGMENT(.number = 2, .data = npdu, .octets = 0));
    fixture_give(SEGMENT(.number = 3, .segment = 1)); // the first, and not number 0
    ASSERT_FRAMES(sndcp, 4);
    give_header(4, 0x45); // SN-DATA, of which UI frames have none
    give_header(5, 0x64); // NSAPIs begin at 5
    ASSERT_FRAMES(sndcp, 6);
    assert_int_equal(u.stats.up.in_packets, 0);
    fixture_expect_nothing();
}

static void an_nsapi_is_known_on_its_own_sapi(void **state)
{
    (void)state;
    fixture_give(SEGMENT(.number = 0, .nsapi = 11));            // no such context
    fixture_give(SEGMENT(.number = 0, .nsapi = 5, .sapi = 5));  // that one is on SAPI 3
    fixture_give(SEGMENT(.ms = 2, .number = 0, .nsapi = 6));    // that one is MS 0's
    fixture_give(SEGMENT(.number = 1, .nsapi = 15, .sapi = 9)); // no such LLE in use
    ASSERT_FRAMES(unknown_nsapi, 4);
    assert_int_equal(u.stats.up.in_packets, 0);
    fixture_expect_nothing();
}

static void a_partial_npdu_ends_in_time(void **state)
{
    (void)state;
    assert_int_equal(up_tick(&u.up, 0), TIME_NEVER);
    u.now_ns = 5;
    give_piece(5, 1, 0, 3);
    u.now_ns = 1000;
    give_piece(6, 1, 0, 3);
    u.now_ns = 2000;
    give_piece(5, 1, 1, 3); // does not make it younger
    assert_int_equal(up_tick(&u.up, 3000), 5 + UP_SEGMENTS_NS);
    assert_int_equal(up_tick(&u.up, 4 + UP_SEGMENTS_NS), 5 + UP_SEGMENTS_NS);
    assert_held(3, 3 * PIECE);
    assert_int_equal(up_tick(&u.up, 5 + UP_SEGMENTS_NS), 1000 + UP_SEGMENTS_NS);
    ASSERT_SEGMENTS(segment_late, 2, 2 * PIECE);
    fixture_assert_conserved();
    give_piece(5, 1, 2, 3); // too late
    ASSERT_SEGMENTS(segment_order, 1, PIECE);
    assert_int_equal(up_tick(&u.up, 9 * UP_SEGMENTS_NS), TIME_NEVER);
    ASSERT_SEGMENTS(segment_late, 3, 3 * PIECE);
    fixture_assert_conserved();
}

// A context that is removed, or whose key changes, takes along what was begun, and no other's.
static void what_was_begun_is_forgotten_with_its_context(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        give_piece(5, 1, i, 3);
        give_piece(6, 1, i, 3);
    }
    up_forget(&u.up, 0, DROP_removed);
    ASSERT_SEGMENTS(removed, 2, 2 * PIECE);
    assert_held(2, 2 * PIECE);
    up_forget(&u.up, 0, DROP_removed); // has nothing any more
    up_forget(&u.up, 2, DROP_removed); // never had
    ASSERT_SEGMENTS(removed, 2, 2 * PIECE);
    fixture_assert_conserved();
    fixture_command(&(const struct command){.op = COMMAND_pdp_remove, .pdp_remove = {.pdp_id = 0}});
    give_piece(5, 1, 2, 3);
    ASSERT_FRAMES(unknown_nsapi, 1);
    give_piece(6, 1, 2, 3);
    fixture_expect(1, npdu, 3 * PIECE);
    assert_held(0, 0);
}

// Contexts from 9 on are of MSs 10 and on, eleven each.
static void add_many_contexts(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t ms = 10 + i / 11;
        if (i % 11 == 0) {
            fixture_command(&(const struct command){
                .op = COMMAND_ms,
                .ms = {.ms_id = ms, .bvc_id = 0, .tlli = TLLI_FIRST + ms, .n201_u = 500}});
            fixture_command(&(const struct command){
                .op = COMMAND_pfc, .pfc = {.ms_id = ms, .traffic_class = CLASS_BACKGROUND}});
        }
        fixture_command(
            &(const struct command){.op = COMMAND_pdp,
                                    .teid = teid_make(u.state.teid_bits, 0, 1, CONTEXTS + i),
                                    .pdp = {.pdp_id = CONTEXTS + i,
                                            .ms_id = ms,
                                            .nsapi = (uint8_t)(5 + i % 11),
                                            .sapi = 3,
                                            .has_ggsn_id = true,
                                            .ggsn_teid = TEID_FIRST + CONTEXTS + i}});
    }
}

static void give_of_many(uint32_t i, uint32_t segment)
{
    fixture_give(SEGMENT(.ms = 10 + i / 11, .number = i % 11 + 20 * segment,
                         .nsapi = (uint8_t)(5 + i % 11), .next = segment > 0, .more = segment == 0,
                         .segment = (uint8_t)segment, .data = npdu, .octets = PIECE));
}

// With so many begun, one more costs the oldest.
static void partial_npdus_are_bounded(void **state)
{
    const uint32_t more = 5;
    (void)state;
    add_many_contexts(UP_PARTIALS + more);
    for (uint32_t i = 0; i < UP_PARTIALS; i++) {
        u.now_ns++;
        give_of_many(i, 0);
    }
    ASSERT_SEGMENTS(segment_full, 0, 0);
    for (uint32_t i = UP_PARTIALS; i < UP_PARTIALS + more; i++)
        give_of_many(i, 0);
    ASSERT_SEGMENTS(segment_full, more, more * PIECE);
    assert_held(UP_PARTIALS, UP_PARTIALS * PIECE);
    assert_int_equal(up_tick(&u.up, u.now_ns), more + 1 + UP_SEGMENTS_NS);
    give_of_many(more - 1, 1); // given up
    ASSERT_SEGMENTS(segment_order, 1, PIECE);
    give_of_many(more, 1); // the oldest now
    fixture_expect(CONTEXTS + more, (memcpy(npdu + PIECE, npdu, PIECE), npdu), 2 * PIECE);
    give_of_many(UP_PARTIALS / 2, 1); // from the middle of the list
    fixture_expect(CONTEXTS + UP_PARTIALS / 2, npdu, 2 * PIECE);
    give_of_many(UP_PARTIALS + more - 1, 1); // the newest
    fixture_expect(CONTEXTS + UP_PARTIALS + more - 1, npdu, 2 * PIECE);
    assert_held(UP_PARTIALS - 3, (UP_PARTIALS - 3) * PIECE);
    assert_int_equal(up_tick(&u.up, u.now_ns + UP_SEGMENTS_NS), TIME_NEVER);
    ASSERT_SEGMENTS(segment_late, UP_PARTIALS - 3, (UP_PARTIALS - 3) * PIECE);
    fixture_assert_conserved();
}

// A context that begins anew when there is no room gives up its own first, and so no other's.
static void a_context_that_begins_anew_costs_no_other(void **state)
{
    (void)state;
    add_many_contexts(UP_PARTIALS);
    for (uint32_t i = 0; i < UP_PARTIALS; i++)
        give_of_many(i, 0);
    fixture_give(SEGMENT(.ms = 10 + 4000 / 11, .number = 12, .nsapi = (uint8_t)(5 + 4000 % 11),
                         .npdu = 1, .more = true, .data = npdu, .octets = PIECE));
    ASSERT_SEGMENTS(segment_order, 1, PIECE);
    ASSERT_SEGMENTS(segment_full, 0, 0);
    assert_held(UP_PARTIALS, UP_PARTIALS * PIECE);
}

static void what_is_begun_is_dropped_at_the_end(void **state)
{
    (void)state;
    give_piece(5, 1, 0, 3);
    give_piece(5, 1, 1, 3);
    give_piece(6, 1, 0, 1);
    up_flush(&u.up);
    ASSERT_SEGMENTS(shutdown, 3, 3 * PIECE);
    assert_held(0, 0);
    fixture_expect_nothing();
}

#define IN_FIXTURE(test) cmocka_unit_test_setup_teardown(test, begin_test, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(one_to_sixteen_segments_are_an_npdu),
        IN_FIXTURE(a_missing_segment_costs_its_npdu),
        IN_FIXTURE(a_reset_ends_what_it_cuts),
        IN_FIXTURE(a_missing_last_segment_ends_with_the_next_npdu),
        IN_FIXTURE(what_does_not_follow_ends_the_npdu),
        IN_FIXTURE(a_seventeenth_segment_follows_nothing),
        IN_FIXTURE(contexts_take_turns),
        IN_FIXTURE(a_segment_may_be_of_any_length),
        IN_FIXTURE(a_longer_npdu_than_the_buffer_ends),
        IN_FIXTURE(a_malformed_segment_is_dropped),
        IN_FIXTURE(an_nsapi_is_known_on_its_own_sapi),
        IN_FIXTURE(a_partial_npdu_ends_in_time),
        IN_FIXTURE(what_was_begun_is_forgotten_with_its_context),
        IN_FIXTURE(partial_npdus_are_bounded),
        IN_FIXTURE(a_context_that_begins_anew_costs_no_other),
        IN_FIXTURE(what_is_begun_is_dropped_at_the_end),
    };
    return cmocka_run_group_tests(tests, fixture_start, NULL);
}
