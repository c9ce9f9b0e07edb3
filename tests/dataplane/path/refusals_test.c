// What the uplink does not take: each dropped under its own reason, or given to control, without a
// trace in what comes after it; and segments that stay alone.
#include "dataplane/base/units.h"
#include "tests/dataplane/path/turns.h"

static void give_wrong(uint32_t pdp, struct ul_cell cell, uint32_t worker)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static const uint8_t npdu[100];
    struct ul_ms forged = p.ms[p.pdp[pdp].ms].up;
    unsigned n = ul_send(&forged, &cell, p.pdp[pdp].sapi, p.pdp[pdp].nsapi, npdu, 100, frames);
    for (unsigned i = 0; i < n; i++)
        assert_true(path_give(STATS_GB, worker, &frames[i]));
    path_poll();
}

static void expect_drops(enum drop_reason reason, uint64_t packets)
{
    if (path_dropped(reason).packets != packets)
        fail_msg("%lu dropped, not %lu: %s", (unsigned long)path_dropped(reason).packets,
                 (unsigned long)packets, stats_drop_names[reason]);
}

static void wrong_frames_are_dropped_by_reason(void **state)
{
    struct dp_config c = path_config(1);
    const uint32_t rounds = 40;
    (void)state;
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < 3; ms++)
        turns_ms(ms, 500, turns_geas[ms]);
    for (uint32_t i = 0; i < rounds; i++)
        for (uint32_t ms = 0; ms < 3; ms++) {
            struct ul_cell cell = path_cell(ms % 2), wrong = cell;
            wrong.fcs_fault = 1 + (uint32_t)i % 0xffffff;
            give_wrong(ms, wrong, 0); // and another cell's word for it counts for nothing
            wrong.bvci = (uint16_t)(4 + ms % 2);
            give_wrong(ms, wrong, 0);
            wrong = cell;
            wrong.bvci = 77;
            give_wrong(ms, wrong, 0);
            wrong = cell;
            wrong.ends.source_port++;
            give_wrong(ms, wrong, 0);
            wrong = path_cell(1 - ms % 2); // by a BSS of the other NSE
            wrong.bvci = cell.bvci;
            give_wrong(ms, wrong, 0);
            struct path_key key = p.ms[ms].key;
            p.ms[ms].key.gea = key.gea ? 0 : 3;
            give_wrong(ms, cell, 0);
            p.ms[ms].key = key;
            p.pdp[ms].nsapi++;
            give_wrong(ms, cell, 0);
            p.pdp[ms].nsapi--;
            // The number of what was for nobody is gone, since its FCS was good.
            p.ms[ms].up.next_ui[p.pdp[ms].sapi]++;
            path_up(ms, 700);
            path_poll();
        }
    assert_int_equal(p.up_received, 3 * rounds);
    expect_drops(DROP_llc_fcs, 2 * 3 * rounds);
    assert_int_equal(p.events[EVENT_ns], 2 * 3 * rounds); // of a cell that the NSE has not
    expect_drops(DROP_stranger, 3 * rounds);
    expect_drops(DROP_llc_cipher, 3 * rounds);
    expect_drops(DROP_unknown_nsapi, 3 * rounds);
    assert_int_equal(p.events[EVENT_moved], 0);
    for (uint32_t ms = 0; ms < 3; ms++)
        assert_int_equal(p.pdp[ms].up.received, p.pdp[ms].up.sent);
    path_close();
}

// A UL-UNITDATA of a TLLI that nobody has is control's.
static void an_unknown_tlli_is_controls(void **state)
{
    struct dp_config c = path_config(1);
    (void)state;
    turns_open(&c, 6);
    turns_ms(0, 500, 0);
    p.ms[0].up.tlli ^= 0x12345;
    give_wrong(0, path_cell(0), 0);
    p.ms[0].up.tlli ^= 0x12345;
    path_up(0, 50);
    path_poll();
    assert_int_equal(p.events[EVENT_ns], 1);
    assert_int_equal(p.up_received, 1);
    path_close();
}

// Nothing but the UDP checksum protects BSSGP's signalling: a PDU that was damaged on the way is
// not control's.
static void damaged_signalling_is_dropped(void **state)
{
    struct dp_config c = path_config(1);
    struct ip_frame frame;
    (void)state;
    turns_open(&c, 2);
    for (uint32_t nsvc = 0; nsvc < 2; nsvc++) { // over IPv4, over IPv6
        struct ip_ends ends = path_ends_gb(nsvc);
        ip_write(&frame, &ends, (const uint8_t *)"\0\0\0\0\x7f", 5);
        frame.octets[frame.n - 1] ^= 1;
        assert_true(path_give(STATS_GB, 0, &frame));
        path_poll();
        expect_drops(DROP_udp_checksum, nsvc + 1);
        assert_int_equal(p.events[EVENT_ns], nsvc);
        frame.octets[frame.n - 1] ^= 1;
        assert_true(path_give(STATS_GB, 0, &frame));
        path_poll();
        assert_int_equal(p.events[EVENT_ns], nsvc + 1);
    }
    path_close();
}

// ---- Segments that stay alone ----

static void half_an_npdu_is_given_up_in_time(void **state)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static const uint8_t npdu[600];
    struct dp_config c = path_config(1);
    (void)state;
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < 5; ms++) {
        struct ul_cell cell = path_cell(ms % 2);
        turns_ms(ms, 200, turns_geas[ms % 3]);
        assert_int_equal(
            ul_send(&p.ms[ms].up, &cell, p.pdp[ms].sapi, p.pdp[ms].nsapi, npdu, 600, frames), 4);
        for (uint32_t i = 0; i < 3; i++)
            assert_true(path_give(STATS_GB, 0, &frames[i]));
        path_run_until((ms + 1) * S_IN_NS);
    }
    assert_int_equal(dp_held(dp_worker(p.dp, 0), STATS_GB).inner.packets, 15);
    assert_int_equal(dp_held(dp_worker(p.dp, 0), STATS_GB).inner.octets, 5 * (196 + 2 * 197));
    for (uint32_t gone = 1; gone <= 5; gone++) {
        path_run_until((gone + 9) * S_IN_NS - 1);
        expect_drops(DROP_segment_late, 3 * (gone - 1));
        path_run_until((gone + 9) * S_IN_NS);
        expect_drops(DROP_segment_late, 3 * gone);
    }
    path_close();
}

// What was begun under the old key ends with it.
static void a_new_key_ends_what_was_begun(void **state)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static const uint8_t npdu[600];
    struct dp_config c = path_config(1);
    (void)state;
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < 6; ms++) {
        struct ul_cell cell = path_cell(ms % 2);
        turns_ms(ms, 200, turns_geas[ms % 3]);
        ul_send(&p.ms[ms].up, &cell, p.pdp[ms].sapi, p.pdp[ms].nsapi, npdu, 600, frames);
        assert_true(path_give(STATS_GB, 0, &frames[0]));
        path_poll();
        path_key(ms, turns_geas[(ms + 1) % 3]);
        path_up(ms, 600);
        path_poll();
    }
    assert_int_equal(p.up_received, 6);
    expect_drops(DROP_flushed, 6);
    assert_int_equal(dp_held(dp_worker(p.dp, 0), STATS_GB).inner.packets, 0);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_frames_are_dropped_by_reason),
        cmocka_unit_test(an_unknown_tlli_is_controls),
        cmocka_unit_test(damaged_signalling_is_dropped),
        cmocka_unit_test(half_an_npdu_is_given_up_in_time),
        cmocka_unit_test(a_new_key_ends_what_was_begun),
    };
    return cmocka_run_group_tests_name("path_refusals", tests, path_start_eal, NULL);
}
