// What a trace tells of the uplink (dataplane/up/traced.c): the frames of an N-PDU in its order,
// the verdict about each, and the reason where it ends; against frames of tests/oracle, in the
// clear and enciphered.
#include "tests/dataplane/trace/traced.h"

static struct ip_frame frames[UL_SEGMENTS_MAX];

static void open_up(uint8_t gea)
{
    open_plain(1);
    path_plain_ms(0, 0, 500);
    if (gea)
        path_key(0, gea);
    p.lossy_up = true;
}

// Makes the frames of an N-PDU, for the caller to give.
static unsigned make(size_t octets, uint32_t fcs_fault)
{
    static uint8_t npdu[PATH_NPDU_OCTETS_MAX];
    struct ul_cell cell = path_cell(0);
    cell.fcs_fault = fcs_fault;
    uint32_t seed = path_seed();
    path_fill(npdu, octets, seed);
    unsigned n = ul_send(&p.ms[0].up, &cell, 3, 5, npdu, octets, frames);
    path_expect(&p.pdp[0].up, seed, octets);
    assert_true(n > 0);
    return n;
}

static void give(unsigned i)
{
    assert_true(path_give(STATS_GB, 0, &frames[i]));
    path_poll();
}

static void its_frames_and_segments(void **state)
{
    (void)state;
    for (int gea = 0; gea < 3; gea++) {
        open_up(workers_geas[gea]);
        trace_all(16);
        unsigned n = make(1200, 0);
        assert_int_equal(n, 3);
        uint64_t now_ns = p.now_ns;
        for (unsigned i = 0; i < n; i++, p.now_ns += S_IN_NS)
            give(i);
        trace_read();
        assert_string_equal(trace_text(1), "frame llc sndcp frame llc sndcp frame llc sndcp sent");
        uint32_t at = 0, octets = 0, frame = 0;
        for (const struct trace_record *r; (r = trace_next(1, &at));) {
            if (r->stage == TRACE_frame) {
                assert_int_equal(r->time_ns, now_ns + frame * S_IN_NS);
                assert_int_equal(r->frame.ms_id, 0);
                assert_int_equal(r->frame.bvc_id, 0);
                assert_int_equal(r->frame.nsvc_id, 0);
                assert_int_equal(r->frame.nu, frame);
                assert_int_equal(r->frame.sapi, 3);
                assert_int_equal(r->frame.enciphered, gea != 0);
                // the LLC frame is the last of the datagram
                const uint8_t *llc = frames[frame].octets + frames[frame].n - r->frame.llc_octets;
                assert_int_equal(llc[0] & 15, 3);
                assert_int_equal((llc[1] & 7) << 6 | llc[2] >> 2, frame);
                frame++;
            }
            if (r->stage == TRACE_llc)
                assert_int_equal(r->llc.enciphered, gea != 0);
            if (r->stage == TRACE_sndcp) {
                assert_int_equal(r->sndcp.segment, frame - 1);
                assert_int_equal(r->sndcp.nsapi, 5);
                assert_int_equal(r->sndcp.more, frame < 3);
                octets += r->sndcp.octets;
            }
        }
        assert_int_equal(octets, 1200);
        assert_int_equal(trace_of(1, TRACE_sent)->sent.octets, 1200);
        assert_int_equal(trace_of(1, TRACE_sent)->sent.segments, 3);
        expect_progress(1, 0, 0);
        trace_switch(false);
        close_whole();
    }
}

static void a_frame_that_is_dropped(void **state)
{
    (void)state;
    for (int gea = 0; gea < 3; gea++) {
        open_up(workers_geas[gea]);
        trace_all(16);
        make(100, 1);
        give(0);
        make(100, 0);
        give(0);
        give(0); // again
        trace_read();
        assert_string_equal(trace_text(1), "frame dropped:llc_fcs");
        assert_string_equal(trace_text(2), "frame llc sndcp sent");
        assert_string_equal(trace_text(3), "frame llc dropped:llc_duplicate");
        uint8_t key = gea ? 0 : 3; // in the clear despite a key, or enciphered without one
        make(100, 0);
        p.defer = true;
        path_key(0, key);
        p.defer = false;
        path_poll();
        give(0);
        trace_read();
        assert_string_equal(trace_text(4), "frame dropped:llc_cipher");
        expect_progress(4, 0, 0);
        path_expect_conservation();
        path_close();
    }
}

// Segment 1 of three is lost; the beginning of an N-PDU is given up for the next, in time, with its
// context, and with its MS's key.
static void an_npdu_that_is_not_complete(void **state)
{
    (void)state;
    open_up(0);
    trace_all(32);
    make(1200, 0);
    give(0);
    give(2);
    make(1200, 0);
    give(0);
    make(100, 0);
    give(0);
    make(1200, 0);
    give(0);
    path_run_until(p.now_ns + 11 * S_IN_NS);
    make(1200, 0);
    give(0);
    give(1);
    path_pdp_remove(0);
    trace_read();
    assert_string_equal(trace_text(1), "frame llc sndcp dropped:segment_order");
    assert_string_equal(trace_text(2), "frame llc sndcp dropped:segment_order"); // the third of it
    assert_int_equal(trace_of(2, TRACE_sndcp)->sndcp.segment, 2);
    assert_string_equal(trace_text(3), "frame llc sndcp dropped:segment_order");
    assert_string_equal(trace_text(4), "frame llc sndcp sent");
    assert_string_equal(trace_text(5), "frame llc sndcp dropped:segment_late");
    assert_string_equal(trace_text(6), "frame llc sndcp frame llc sndcp dropped:removed");
    expect_progress(6, 0, 0);
    path_expect_conservation();
    path_close();
}

// One of more octets than a buffer has: all of it ends at once, in one record.
static void an_npdu_that_is_too_long(void **state)
{
    (void)state;
    open_up(0);
    trace_all(16);
    unsigned n = make(PATH_NPDU_OCTETS_MAX, 0), i = 0;
    for (; path_dropped(DROP_npdu_long).packets == 0; i++) {
        assert_true(i < n);
        give(i);
    }
    trace_read();
    uint32_t at = 0, ends = 0;
    for (const struct trace_record *r; (r = trace_next(1, &at));)
        ends += trace_stage_ends[r->stage];
    assert_int_equal(ends, 1);
    assert_int_equal(trace_of(1, TRACE_dropped)->dropped.reason, DROP_npdu_long);
    assert_int_equal(path_dropped(DROP_npdu_long).packets, i);
    expect_progress(1, 0, 0);
    path_expect_conservation();
    path_close();
}

static void a_gn_port_that_takes_nothing(void **state)
{
    struct dp_config c = path_config(1);
    (void)state;
    c.gn.tx_frames = 16;
    open_workers(&c);
    path_plain_ms(0, 0, 500);
    p.hold_frames = p.lossy_up = true;
    uint32_t packets = 0;
    trace_all(TRACE_PACKETS_MAX);
    for (uint32_t i = 0; i < TRACE_PACKETS_MAX; i++, packets++) {
        make(100, 0);
        give(0);
    }
    uint32_t going = dp_trace_progress(p.dp).going;
    assert_true(going > 200); // those that wait for the port
    trace_switch(false);
    trace_all(TRACE_PACKETS_MAX);        // all numbers are others now
    for (uint32_t i = 0; i < 100; i++) { // of all sizes, so that none is taken for another
        if (i % 10 == 9)
            path_take(STATS_GN, 5); // room for some
        make(100 + i, 0);
        give(0);
    }
    p.hold_frames = false;
    path_poll();
    trace_read();
    assert_int_equal(trace_check(TRACE_sent, 100), 100 - path_dropped(DROP_gn_full).packets);
    assert_int_equal(trace_check(TRACE_dropped, 100), path_dropped(DROP_gn_full).packets);
    assert_true(path_dropped(DROP_gn_full).packets > 0);
    expect_progress(100, 0, 0);
    path_expect_conservation();
    path_close();
}

// A trace that begins in the middle of an N-PDU: that one is not its business.
static void it_begins_in_the_middle(void **state)
{
    (void)state;
    open_up(0);
    make(1200, 0);
    give(0);
    trace_all(16);
    give(1);
    give(2);
    trace_read();
    assert_int_equal(told.n, 0);
    make(100, 0);
    give(0);
    trace_read();
    assert_string_equal(trace_text(1), "frame llc sndcp sent");
    expect_progress(1, 0, 0);
    trace_switch(false);
    close_whole();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_frames_and_segments),      cmocka_unit_test(a_frame_that_is_dropped),
        cmocka_unit_test(an_npdu_that_is_not_complete), cmocka_unit_test(an_npdu_that_is_too_long),
        cmocka_unit_test(a_gn_port_that_takes_nothing), cmocka_unit_test(it_begins_in_the_middle),
    };
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
