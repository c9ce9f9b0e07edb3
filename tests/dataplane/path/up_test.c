// The uplink from the wire to the wire: what an independent MS and BSS send is what comes out of
// the Gn port as G-PDUs to the right GGSN and tunnel, octet for octet and in order; over both IP
// families on each side, through fragments on each side, enciphered or not, round the numbers.
// Frames that are lost, repeated or out of order are channel_test.c's.
#include "tests/dataplane/path/path.h"

#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/path/turns.h"
#include "tests/dataplane/random.h"

static void send_some(uint32_t pdp, size_t octets, uint32_t *sent)
{
    path_up(pdp, octets);
    if (++*sent % 32 == 0)
        path_poll();
}

static void end(uint32_t sent)
{
    path_poll();
    print_message("# %u N-PDUs in %lu frames\n", sent, (unsigned long)p.frames_in[STATS_GB]);
    assert_int_equal(p.up_received, sent);
    path_expect_all();
    path_close();
}

static void every_size(const struct dp_config *c, uint32_t stride, size_t gb_mtu)
{
    uint32_t sent = 0;
    turns_open(c, 6);
    p.gb_mtu_octets = gb_mtu;
    turns_all();
    turns_every_size(send_some, stride, &sent);
    end(sent);
}

static void every_size_comes_out_unchanged(void **state)
{
    struct dp_config c = path_config(1);
    (void)state;
    every_size(&c, STRIDE, 0);
}

static void through_fragments_on_gb(void **state)
{
    struct dp_config c = path_config(1);
    (void)state;
    every_size(&c, 29 * STRIDE, 576);
    every_size(&c, 29 * STRIDE, 1280);
}

static void through_fragments_on_gn(void **state)
{
    struct dp_config c = path_config(1);
    (void)state;
    c.gn.mtu_octets = 576;
    every_size(&c, 29 * STRIDE, 0);
}

static void every_n201_u_at_random_sizes(void **state)
{
    uint32_t sent = 0;
    struct dp_config c = path_config(1);
    (void)state;
    turns_open(&c, 6);
    turns_every_n201_u(send_some, &sent);
    end(sent);
}

static void numbers_go_round_and_the_overflow_counts_on(void **state)
{
    uint32_t sent = 0;
    struct dp_config c = path_config(1);
    (void)state;
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < 3; ms++)
        turns_ms(ms, 500, turns_geas[ms]);
    for (uint32_t i = 0; i < 4200; i++) // the N-PDU number goes round as well
        for (uint32_t ms = 0; ms < 3; ms++)
            send_some(ms, i % 9 ? 40 : 600, &sent);
    assert_true(path_oc_most >= 4608);
    end(sent);
}

// ---- What the BSS may say besides (TS 48.018 10.2.2) ----

static void pfi_and_alignment_octets(void **state)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static uint8_t npdu[1500];
    uint32_t sent = 0;
    struct dp_config c = path_config(1);
    (void)state;
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < 12; ms++)
        turns_ms(ms, turns_n201_us[ms % TURNS_N201_US], turns_geas[ms % 3]);
    for (uint32_t octets = 1; octets <= 1500; octets += 5 * STRIDE)
        for (uint32_t ms = 0; ms < 12; ms++) {
            struct ul_cell cell = path_cell(p.ms[ms].bvc);
            uint32_t seed = path_seed();
            cell.aligned = ms % 2;
            cell.has_pfi = octets % 2;
            cell.pfi = (uint8_t)(octets % 128);
            path_fill(npdu, octets, seed);
            unsigned n =
                ul_send(&p.ms[ms].up, &cell, p.pdp[ms].sapi, p.pdp[ms].nsapi, npdu, octets, frames);
            path_expect(&p.pdp[ms].up, seed, octets);
            for (unsigned i = 0; i < n; i++)
                assert_true(path_give(STATS_GB, 0, &frames[i]));
            if (++sent % 32 == 0)
                path_poll();
        }
    end(sent);
}

// ---- Cells ----

// An MS is where it was heard last; what goes to it goes there. p judges each frame's BVCI.
static void an_ms_is_where_it_was_heard_last(void **state)
{
    struct dp_config c = path_config(1);
    uint64_t moves = 0;
    (void)state;
    random_begin();
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < 24; ms++)
        turns_ms(ms, 500, turns_geas[ms % 3]);
    for (uint32_t i = 0; i < 6000 / STRIDE; i++) {
        uint32_t ms = (uint32_t)random_in(0, 23), bvc = ms % 2 + 2 * (uint32_t)random_in(0, 2);
        moves += p.ms[ms].bvc != bvc;
        path_up_from(ms, bvc, random_in(1, 1500));
        path_down(ms, random_in(1, 1500));
        path_poll();
        assert_int_equal(p.ms[ms].bvc, bvc);
    }
    assert_int_equal(p.events[EVENT_moved], moves);
    assert_int_equal(dp_stats(dp_worker(p.dp, 0))->up.moves, moves);
    path_expect_all();
    path_close();
}

// A new TLLI, in use from the next frame on; the old one is nobody's.
static void another_tlli(void **state)
{
    struct dp_config c = path_config(1);
    uint32_t sent = 0;
    (void)state;
    random_begin();
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < 12; ms++)
        turns_ms(ms, 200, turns_geas[ms % 3]);
    for (uint32_t round = 0; round < 400; round++) {
        for (uint32_t ms = 0; ms < 12; ms++, sent++)
            path_up(ms, random_in(1, 600));
        path_poll();
        path_ms_tlli((uint32_t)random_in(0, 11));
    }
    assert_int_equal(p.events[EVENT_ns], 0);
    end(sent);
}

// ---- Time ----

// Gn has a whole burst at every poll, so each poll says that it has more to do.
static void an_npdu_that_is_late_ends_under_full_load(void **state)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static uint8_t npdu[600];
    struct dp_config c = path_config(1);
    (void)state;
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 500);
    struct ul_cell cell = path_cell(0);
    assert_int_equal(ul_send(&p.ms[0].up, &cell, 3, 5, npdu, sizeof npdu, frames), 2);
    assert_true(path_give(STATS_GB, 0, &frames[0]));
    for (uint32_t s = 0; s <= 10; s++, p.now_ns += S_IN_NS) {
        for (uint32_t i = 0; i < 64; i++)
            path_down(0, 40);
        assert_int_equal(path_poll_worker(0), p.now_ns);
        assert_int_equal(path_dropped(DROP_segment_late).packets, s == 10);
    }
    path_poll();
    assert_int_equal(p.down_received, 11 * 64);
    path_expect_conservation();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_comes_out_unchanged),
        cmocka_unit_test(through_fragments_on_gb),
        cmocka_unit_test(through_fragments_on_gn),
        cmocka_unit_test(every_n201_u_at_random_sizes),
        cmocka_unit_test(numbers_go_round_and_the_overflow_counts_on),
        cmocka_unit_test(pfi_and_alignment_octets),
        cmocka_unit_test(an_ms_is_where_it_was_heard_last),
        cmocka_unit_test(another_tlli),
        cmocka_unit_test(an_npdu_that_is_late_ends_under_full_load),
    };
    return cmocka_run_group_tests_name("path_up", tests, path_start_eal, NULL);
}
