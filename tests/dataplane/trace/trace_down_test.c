// What a trace tells of downlink N-PDUs, against what is known of them by construction: an MS of
// 50600 bit/s with a bucket of one LLC PDU of 506 octets sends one each 80 ms, and an N-PDU of 1490
// octets is three of them. So every time is known, to the nanosecond.
#include "tests/dataplane/trace/traced.h"

#define STEP_NS    (80 * MS_IN_NS)
#define LLC_OCTETS 506u
#define OCTETS     1490u // 496 + 497 + 497
#define BIT_PER_S  50600u
enum { NOT_ECT, ECT_1, ECT_0, CE };

// Frames of Gb as they leave.
static struct {
    uint8_t octets[2000];
    size_t n;
} frames[64];
static uint32_t frame_count;

static void keep_frame(enum stats_side side, const uint8_t *frame, size_t n)
{
    if (side != STATS_GB || frame_count == 64)
        return;
    memcpy(frames[frame_count].octets, frame, n);
    frames[frame_count++].n = n;
}

static void open_slow(const struct dp_config *c)
{
    random_begin();
    path_open(c);
    path_ciphers_begin();
    path_one_cell(false, false);
    path_plain_ms(0, 0, 500);
    ms_bucket(0, BIT_PER_S, LLC_OCTETS);
    frame_count = 0;
    p.on_frame = keep_frame;
}

static void expect_text(uint16_t packet, const char *wanted)
{
    assert_string_equal(trace_text(packet), wanted);
}

static const struct trace_record *expect_at(uint16_t packet, enum trace_stage stage, uint64_t at_ns)
{
    const struct trace_record *r = trace_of(packet, stage);
    assert_int_equal(r->time_ns, at_ns);
    return r;
}

// The segment that the trace tells of is in that frame: the LLC frame is at its end, behind
// DL-UNITDATA, whose lifetime is at a fixed place behind Ethernet, IPv4, UDP and NS.
static void expect_segment(const struct trace_record *r, uint32_t at, const uint8_t *npdu)
{
    const uint8_t *b = frames[at].octets + 14 + 20 + 8 + 4;
    assert_int_equal(r->segment.lifetime_ms / 10, b[10] << 8 | b[11]);
    const uint8_t *llc = frames[at].octets + frames[at].n - r->segment.llc_octets;
    uint32_t header = r->segment.offset ? 3 : 4;
    assert_int_equal(r->segment.sapi, llc[0] & 15);
    assert_int_equal(r->segment.nu, (llc[1] & 7) << 6 | llc[2] >> 2);
    assert_int_equal(r->segment.llc_octets, 3 + header + r->segment.octets + 3);
    const uint8_t *sndcp = llc + 3, *data = sndcp + header;
    assert_int_equal(r->segment.segment, sndcp[header - 2] >> 4);
    assert_int_equal(r->segment.npdu_number, (sndcp[header - 2] & 15) << 8 | sndcp[header - 1]);
    assert_int_equal(r->segment.last, !(sndcp[0] & 0x10));
    uint32_t from = r->segment.offset ? 0 : 20; // a mark changes the IP header
    assert_memory_equal(data + from, npdu + r->segment.offset + from, r->segment.octets - from);
    if (!r->segment.offset)
        assert_int_equal(data[1] & 3, r->segment.ce ? CE : npdu[1]);
}

// The third of them: it waits for its MS's bucket, which is as full as the LLC PDU before has left
// it.
static void expect_third_waits(uint64_t now_ns)
{
    const struct trace_record *r;
    uint32_t at = 0, holds = 0, segments = 0;
    while ((r = trace_next(3, &at))) {
        if (r->stage == TRACE_held && r->held.by == SCHED_HELD_BY_ms) {
            assert_int_equal(r->time_ns, now_ns + (5 + holds++) * STEP_NS);
            assert_int_equal(r->held.until_ns, r->time_ns + STEP_NS);
            assert_int_equal(r->held.level_octets, LLC_OCTETS);
            assert_int_equal(r->held.bucket_octets, LLC_OCTETS);
            assert_int_equal(r->held.octets, LLC_OCTETS);
            assert_int_equal(r->held.rate, BIT_PER_S / 100);
        }
        if (r->stage == TRACE_segment) {
            assert_int_equal(r->time_ns, now_ns + (6 + segments++) * STEP_NS);
            assert_int_equal(r->segment.ce, segments == 1);
        }
    }
    assert_int_equal(holds, 3);
    assert_int_equal(segments, 3);
}

// Six N-PDUs at once, the fourth of which is not ECN-capable. CoDel signals after an interval, as
// long as more than 1500 octets are behind the head: the third is marked, the fourth dropped.
static void one_waits_is_segmented_marked_and_sent_and_one_is_dropped(void **state)
{
    static uint8_t npdu[6][9000];
    static const uint8_t ecn[6] = {ECT_0, ECT_0, ECT_0, NOT_ECT, ECT_1, ECT_0};
    struct dp_config c = path_config(1);
    (void)state;
    class_aqm(&c, "codel");
    class_param(&c, "target", AQM_LEVEL_TIME, MS_IN_NS);
    class_param(&c, "interval", 0, 10 * MS_IN_NS);
    class_param(&c, "ecn", 0, 1);
    open_slow(&c);
    p.blind = true;
    trace_all(6);
    for (int i = 0; i < 6; i++)
        give_ecn(0, OCTETS, ecn[i], npdu[i]);
    uint64_t now_ns = p.now_ns;
    path_run_until(now_ns + 10 * S_IN_NS);
    trace_read();
    expect_progress(6, 0, 0);
    assert_int_equal(trace_check(TRACE_sent, 6), 5);

    expect_text(1, "received enqueue dequeue segment held:ms segment held:ms segment sent");
    expect_text(3, "received enqueue held:queue held:ms dequeue segment held:ms segment held:ms "
                   "segment sent");
    expect_text(4, "received enqueue held:queue held:ms dequeue dropped:aqm_out");
    expect_text(5, "received enqueue held:queue dequeue segment held:ms segment held:ms segment "
                   "sent");

    // The third: the first two go until the fifth step, each LLC PDU a step after the one before.
    const struct trace_record *r = expect_at(3, TRACE_received, now_ns);
    assert_int_equal(r->received.ms_id, 0);
    assert_int_equal(r->received.bvc_id, 0);
    assert_int_equal(r->received.teid, p.pdp[0].teid);
    assert_int_equal(r->received.octets, OCTETS);
    assert_int_equal(r->received.slot, 0);
    assert_int_equal(r->received.traffic_class, CLASS_BACKGROUND);
    assert_int_equal(r->received.nsapi, 5);
    assert_true(r->received.ect);
    assert_false(trace_of(4, TRACE_received)->received.ect);
    r = expect_at(3, TRACE_enqueue, now_ns);
    assert_int_equal(r->enqueue.ahead_npdus, 2);
    assert_int_equal(r->enqueue.ahead_octets, 2 * OCTETS);
    assert_int_equal(r->enqueue.verdict, TRACE_NO_VERDICT); // CoDel judges at dequeue alone
    assert_false(r->enqueue.by_flow);
    r = expect_at(3, TRACE_dequeue, now_ns + 6 * STEP_NS);
    assert_int_equal(r->dequeue.sojourn_ns, 6 * STEP_NS);
    assert_int_equal(r->dequeue.verdict, TRACE_MARK);
    assert_int_equal(trace_of(1, TRACE_dequeue)->dequeue.verdict, TRACE_PASS);
    assert_int_equal(trace_of(4, TRACE_dequeue)->dequeue.verdict, TRACE_DROP);
    expect_at(4, TRACE_dropped, now_ns + 9 * STEP_NS);
    expect_at(3, TRACE_sent, now_ns + 8 * STEP_NS);

    expect_third_waits(now_ns);

    // Every segment of every N-PDU is the next frame.
    uint32_t frame = 0, at;
    static const uint16_t goes[5] = {1, 2, 3, 5, 6};
    for (int i = 0; i < 5; i++)
        for (at = 0; (r = trace_next(goes[i], &at));)
            if (r->stage == TRACE_segment)
                expect_segment(r, frame++, npdu[goes[i] - 1]);
    assert_int_equal(frame, frame_count);
    path_expect_conservation();
    path_close();
}

// RED marks or drops as an N-PDU comes; the mark goes with its first segment.
static void the_aqm_judges_at_enqueue(void **state)
{
    static uint8_t npdu[9000];
    struct dp_config c = path_config(1);
    (void)state;
    class_aqm(&c, "red");
    class_param(&c, "min", AQM_LEVEL_PDUS, 1);
    class_param(&c, "max", AQM_LEVEL_PDUS, 2);
    class_param(&c, "max_p", 0, 1000000);
    class_param(&c, "weight", 0, 1000000);
    class_param(&c, "gentle", 0, 0);
    class_param(&c, "ecn", 0, 1);
    open_slow(&c);
    p.blind = true;
    trace_all(4);
    for (int i = 0; i < 4; i++)
        give_ecn(0, OCTETS, i < 3 ? ECT_0 : NOT_ECT, npdu);
    path_run_until(p.now_ns + 5 * S_IN_NS);
    trace_read();
    trace_check(TRACE_sent, 4);
    assert_int_equal(trace_of(1, TRACE_enqueue)->enqueue.verdict, TRACE_PASS);
    assert_int_equal(trace_of(3, TRACE_enqueue)->enqueue.verdict, TRACE_MARK);
    assert_int_equal(trace_of(3, TRACE_dequeue)->dequeue.verdict, TRACE_PASS);
    assert_true(trace_of(3, TRACE_segment)->segment.ce);
    assert_false(trace_of(1, TRACE_segment)->segment.ce);
    expect_text(4, "received enqueue dropped:aqm_in");
    assert_int_equal(trace_of(4, TRACE_enqueue)->enqueue.verdict, TRACE_DROP);
    assert_int_equal(trace_of(4, TRACE_enqueue)->enqueue.ahead_npdus, 3);
    path_expect_conservation();
    path_close();
}

static void the_reasons_before_the_queue(void **state)
{
    static uint8_t npdu[9000];
    static struct ip_frame frame;
    struct dp_config c = path_config(1);
    (void)state;
    c.gn.mtu_octets = 2400;
    open_slow(&c);
    path_ggsn(1, false);
    path_plain_ms(1, 0, 140);
    trace_all(16);
    struct ip_ends ends = path_ends_gn(1); // not this context's GGSN
    path_gpdu(&frame, &ends, p.pdp[0].teid, npdu, 100);
    assert_true(path_give(STATS_GN, 0, &frame));
    path_poll();
    path_down(1, 2195); // 16 segments of its N201-U are 136 + 15 x 137 octets
    path_poll();
    trace_read();
    expect_text(1, "received dropped:gn_source");
    expect_text(2, "received dropped:npdu_oversize");
    assert_int_equal(trace_of(2, TRACE_received)->received.ms_id, 1);
    assert_int_equal(trace_of(2, TRACE_received)->received.octets, 2195);
    expect_progress(2, 0, 0);
    path_expect_conservation();
    path_close();
}

// At a full limit the arriving one, or the one that is first in the longest queue.
static void a_full_limit(void **state)
{
    (void)state;
    for (int tail = 0; tail < 2; tail++) {
        struct dp_config c = path_config(1);
        c.ms_packets = 2;
        c.overflow = tail ? DP_OVERFLOW_TAIL : DP_OVERFLOW_LARGEST;
        class_aqm(&c, tail ? "red" : "tail-drop"); // RED is asked at enqueue, tail-drop nowhere
        open_slow(&c);
        p.lossy_down = true;
        DO(ms_freeze, .ms_id = 0);
        trace_all(3);
        for (int i = 0; i < 3; i++) {
            path_down(0, OCTETS);
            path_poll();
        }
        trace_read();
        expect_text(tail ? 3 : 1, tail ? "received enqueue dropped:ms_full"
                                       : "received enqueue held:frozen dropped:ms_full");
        expect_text(2, tail ? "received enqueue held:queue"
                            : "received enqueue held:queue held:frozen");
        const struct trace_record *r = trace_of(3, TRACE_enqueue);
        assert_int_equal(r->enqueue.ahead_npdus, tail ? 2 : 1);
        assert_int_equal(r->enqueue.verdict, TRACE_NO_VERDICT); // none gets so far
        assert_int_equal(trace_of(2, TRACE_enqueue)->enqueue.verdict,
                         tail ? TRACE_PASS : TRACE_NO_VERDICT);
        expect_progress(3, 2, 0);
        DO(ms_release, 0);
        path_run_until(p.now_ns + 5 * S_IN_NS);
        trace_read();
        assert_int_equal(trace_check(TRACE_sent, 3), 2);
        assert_int_equal(trace_of(2, TRACE_dequeue)->dequeue.verdict,
                         tail ? TRACE_PASS : TRACE_NO_VERDICT);
        path_expect_conservation();
        path_close();
    }
}

static void it_expires(void **state)
{
    struct dp_config c = path_config(1);
    (void)state;
    c.classes.item[CLASS_BACKGROUND].lifetime_ns = 2 * S_IN_NS;
    open_slow(&c);
    p.lossy_down = true;
    path_bvc_flow(0, 0, 0);
    trace_all(1);
    path_down(0, 100);
    uint64_t now_ns = p.now_ns;
    path_run_until(now_ns + 10 * S_IN_NS);
    trace_read();
    expect_text(1, "received enqueue held:bvc dropped:expired");
    const struct trace_record *held = trace_of(1, TRACE_held), *end = trace_of(1, TRACE_dropped);
    assert_int_equal(held->held.rate, 0);
    assert_int_equal(held->held.until_ns, TIME_NEVER);
    assert_in_range(end->time_ns - now_ns, 1900 * MS_IN_NS, 3100 * MS_IN_NS);
    path_expect_conservation();
    path_close();
}

// The MS goes, or its context, or the NS-VC, or control flushes its queue.
static void it_ends_with_what_it_needs(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        struct dp_config c = path_config(1);
        open_slow(&c);
        p.lossy_down = true;
        trace_all(2);
        path_down(0, OCTETS);
        path_down(0, OCTETS);
        path_poll();
        if (how == 0)
            path_ms_remove(0);
        else if (how == 1)
            path_pdp_remove(0);
        else if (how == 2)
            path_nsvc_remove(0);
        else
            path_ms_flush(0);
        path_run_until(p.now_ns + 5 * S_IN_NS);
        trace_read();
        static const char *const first[] = {"removed", "removed", "no_link", "flushed"};
        char wanted[128];
        snprintf(wanted, sizeof wanted, "received enqueue dequeue segment held:ms dropped:%s",
                 first[how]);
        if (how == 1 || how == 2) // its rest is granted, one LLC PDU after the other, and not sent
            assert_int_equal(trace_of(1, TRACE_dropped)->dropped.reason,
                             how == 1 ? DROP_removed : DROP_no_link);
        else
            expect_text(1, wanted);
        assert_int_equal(trace_check(TRACE_dropped, 2), 2);
        expect_progress(2, 0, 0);
        assert_false(is_tracing(0));
        path_expect_conservation();
        path_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_waits_is_segmented_marked_and_sent_and_one_is_dropped),
        cmocka_unit_test(the_aqm_judges_at_enqueue),
        cmocka_unit_test(the_reasons_before_the_queue),
        cmocka_unit_test(a_full_limit),
        cmocka_unit_test(it_expires),
        cmocka_unit_test(it_ends_with_what_it_needs),
    };
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
