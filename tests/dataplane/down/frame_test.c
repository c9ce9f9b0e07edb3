// Pieces to frames: segments of several N-PDUs between each other, the CE mark in the first of
// them, the lifetime that is left, and contexts that are removed while their N-PDUs wait. The
// receiver of tests/oracle judges every frame.
#include "tests/dataplane/path/path.h"

#include "dataplane/base/units.h"

#include <string.h>

#include "tests/dataplane/wire/judge.h"

// --- Segments between each other -----------------------------------------------------------------

// Of one Gb frame: whose it is and which part of an N-PDU.
struct seen {
    uint32_t ms;
    uint8_t sapi, nsapi;
    bool first, more;
};

static struct seen seen[4096];
static uint32_t seen_count;

// Ethernet 14, IPv4 20, UDP 8, NS 4; BSSGP's TLLI behind its type; LLC-PDU behind 12 octets.
static void see(enum stats_side side, const uint8_t *frame, size_t octets)
{
    const uint8_t *bssgp = frame + 46;
    const uint8_t *llc = bssgp + 12 + (bssgp[13] & 0x80 ? 2 : 3);
    const uint8_t *sndcp = llc + 3;
    (void)side, (void)octets;
    assert_true(seen_count < 4096);
    seen[seen_count++] = (struct seen){.ms = (uint32_t)bssgp[3] << 8 | bssgp[4],
                                       .sapi = llc[0] & 15,
                                       .nsapi = sndcp[0] & 15,
                                       .first = sndcp[0] & 0x40,
                                       .more = sndcp[0] & 0x10};
}

static bool same_lle(const struct seen *a, const struct seen *b)
{
    return a->ms == b->ms && a->sapi == b->sapi;
}

// How often another LLE, of this MS or of any, comes between two segments of an N-PDU; one of the
// same LLE never may.
static uint32_t interleavings(bool same_ms)
{
    uint32_t between = 0;
    for (uint32_t i = 0; i < seen_count; i++) {
        uint32_t next = i + 1;
        while (next < seen_count && !same_lle(&seen[i], &seen[next]))
            next++;
        if (!seen[i].more || next == seen_count)
            continue;
        for (uint32_t k = i + 1; k < next; k++)
            between += !same_ms || seen[k].ms == seen[i].ms;
        assert_int_equal(seen[next].nsapi, seen[i].nsapi);
        assert_false(seen[next].first);
    }
    return between;
}

// Each of two MSs has a streaming and an interactive flow on SAPIs of their own, and one in the
// background on the SAPI of the first.
static void open_two_mss(void)
{
    path_open_small(1000, 1024);
    for (uint32_t ms = 0; ms < 2; ms++) {
        path_ms(ms, 0, 200);
        path_pfc(ms, 0, CLASS_STREAMING);
        path_pfc(ms, 1, CLASS_INTERACTIVE_1);
        path_pfc(ms, 2, CLASS_BACKGROUND);
        path_pdp(3 * ms, ms, 0, 5, 3, PATH_NONE, -1);
        path_pdp(3 * ms + 1, ms, 1, 6, 11, PATH_NONE, -1);
        path_pdp(3 * ms + 2, ms, 2, 7, 3, PATH_NONE, -1);
    }
    seen_count = 0;
    p.on_frame = see;
}

static void segments_of_mss_and_classes_take_turns(void **state)
{
    (void)state;
    open_two_mss();
    path_bvc_flow(0, 0, 1000); // what is sent waits, so that all have a backlog
    for (uint32_t i = 0; i < 120; i++)
        path_down(i % 6, 1 + i * 97 % 1500);
    path_poll();
    assert_int_equal(p.down_received, 0);
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    assert_int_equal(p.down_received, 120);
    assert_int_equal(gb_receiver_counters(p.gb)->partials_open, 0);
    print_message("# %u frames between segments of others, %u of the same MS\n",
                  interleavings(false), interleavings(true));
    assert_true(interleavings(false) > 100);
    assert_true(interleavings(true) > 50);
    path_close();
}

// --- The CE mark ---------------------------------------------------------------------------------

#define MARK_OCTETS 500
#define MARKED_MAX  4096

static struct {
    uint8_t octets[MARKED_MAX][MARK_OCTETS];
    uint8_t came[MARKED_MAX]; // times
    uint32_t sent, received, marked, came_marked;
} ecn;

static uint32_t number_of(const uint8_t *npdu)
{
    return (uint32_t)npdu[40] << 8 | npdu[41];
}

// An IPv4 or IPv6 packet with that ECN codepoint; its number stands at 40.
static void send_ecn(uint32_t pdp, uint8_t version, uint8_t codepoint)
{
    uint8_t *b = ecn.octets[ecn.sent];
    memset(b, 0x5a, MARK_OCTETS);
    if (version == 4) {
        memcpy(b, "\x45\x00\x01\xf4\0\0\0\0\x40\x11\0\0\xc0\0\2\1\x0a\0\0\1", 20);
        b[1] = (uint8_t)(0xb8 | codepoint);
        put_ipv4_checksum(b);
    } else {
        memcpy(b, "\x6b\x8f\xff\xff\x01\xcc\x11\x40", 8);
        b[1] = (uint8_t)(0x8f | codepoint << 4);
    }
    put16(b + 40, ecn.sent++);
    path_offer_octets(pdp, b, MARK_OCTETS);
}

// What came out is what went in, but for a CE mark on what was capable and a checksum that fits it.
static void judge_ecn(const struct gb_npdu *npdu)
{
    uint8_t right[MARK_OCTETS];
    assert_int_equal(npdu->len, MARK_OCTETS);
    uint32_t number = number_of(npdu->octets);
    assert_in_range(number, 0, ecn.sent - 1);
    assert_int_equal(ecn.came[number]++, 0);
    memcpy(right, ecn.octets[number], MARK_OCTETS);
    bool v4 = right[0] >> 4 == 4;
    uint8_t before = v4 ? right[1] & 3 : right[1] >> 4 & 3;
    uint8_t after = v4 ? npdu->octets[1] & 3 : npdu->octets[1] >> 4 & 3;
    ecn.came_marked += before == 3;
    if (after != before) {
        assert_int_equal(after, 3);
        assert_int_not_equal(before, 0);
        ecn.marked++;
        right[1] |= v4 ? 3 : 0x30;
        if (v4)
            put_ipv4_checksum(right);
    }
    assert_memory_equal(npdu->octets, right, MARK_OCTETS);
    ecn.received++;
}

static uint64_t marks_counted(void)
{
    uint64_t marks = 0;
    for (int c = 0; c < CLASS_COUNT; c++)
        marks += dp_stats(p.worker)->of_class[c].marks;
    return marks;
}

// The cell and its one MS say the same of it.
static void expect_views(uint64_t marks, uint64_t dropped_by_aqm)
{
    static struct dp_query q;
    static const enum view_kind kinds[] = {VIEW_BVCS, VIEW_MSS};
    for (int i = 0; i < 2; i++) {
        q = (struct dp_query){.kind = kinds[i], .of = VIEW_ALL, .end = VIEW_ALL};
        dp_ask(p.dp, 0, &q);
        dp_poll(p.worker, p.now_ns);
        assert_true(dp_answered(p.dp, 0));
        assert_int_equal(q.n, 1);
        assert_int_equal(i ? q.ms[0].marks : q.bvc[0].marks, marks);
        const struct view_drops *drops = i ? q.ms_drops : q.bvc_drops;
        assert_int_equal(drops->npdus[STATS_NPDU_aqm_out], dropped_by_aqm);
    }
}

static void set_param(struct dp_class *class, const char *name, uint64_t value)
{
    const struct aqm_ops *ops = aqm_list[class->aqm];
    for (uint32_t i = 0; i < ops->param_count; i++)
        if (strcmp(ops->params[i].name, name) == 0)
            class->aqm_params.item[i].value = value;
}

// CoDel in front of a cell of 40 kbit/s that is offered twice as much, in packets of three
// segments: what is capable is marked and what is not is dropped, and neither is lost from sight.
static void marks_are_made_where_allowed_and_nowhere_else(void **state)
{
    static const uint8_t codepoints[] = {0, 1, 2, 3};
    struct dp_config c = path_small_config(1000, 1024);
    struct dp_class *class = &c.classes.item[CLASS_BACKGROUND];
    (void)state;
    path_set_aqm(class, "codel");
    set_param(class, "ecn", 1);
    memset(&ecn, 0, sizeof ecn);
    path_open_small_config(&c);
    path_plain_ms(0, 0, 200);
    p.on_npdu = judge_ecn;
    path_bvc_flow(0, 40000, 2000);
    for (uint32_t i = 0; i < 1000; i++) {
        send_ecn(0, i % 2 ? 4 : 6, codepoints[i / 2 % 4]);
        path_run_until(p.now_ns + 50 * MS_IN_NS);
    }
    path_run_until(p.now_ns + 300000 * MS_IN_NS);
    uint64_t dropped = path_dropped(DROP_aqm_out).packets + path_dropped(DROP_expired).packets;
    print_message("# %u of %u marked, %u dropped by CoDel\n", ecn.marked, ecn.received,
                  (unsigned)path_dropped(DROP_aqm_out).packets);
    assert_true(ecn.marked > 10);
    assert_true(path_dropped(DROP_aqm_out).packets > 10);
    assert_int_equal(ecn.received + dropped, ecn.sent);
    assert_int_equal(dp_queued(p.worker).packets, 0);
    // one that came with CE may be marked once more, which nobody can see
    assert_in_range(marks_counted(), ecn.marked, ecn.marked + ecn.came_marked);
    expect_views(marks_counted(), path_dropped(DROP_aqm_out).packets);
    path_close();
}

// --- The lifetime --------------------------------------------------------------------------------

static void open_lifetime(uint64_t whole_s, uint64_t least_s, uint64_t most_s)
{
    struct dp_config c = path_small_config(1000, 1024);
    struct dp_class *class = &c.classes.item[CLASS_BACKGROUND];
    class->lifetime_ns = whole_s * S_IN_NS;
    class->bss_least_ns = least_s * S_IN_NS;
    class->bss_most_ns = most_s * S_IN_NS;
    path_open_small_config(&c);
    path_plain_ms(0, 0, 500);
    path_bvc_flow(0, 0, 1000);
}

// What the BSS is told of an N-PDU that waited so long behind a stopped cell.
static uint16_t told_after(uint64_t waited_ms)
{
    path_down(0, 100);
    path_run_until(p.now_ns + waited_ms * MS_IN_NS);
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    path_bvc_flow(0, 0, 1000);
    return p.pdp[0].lifetime_cs;
}

static void the_lifetime_falls_with_age(void **state)
{
    (void)state;
    open_lifetime(30, 1, 0);
    assert_int_equal(told_after(0), 3000);
    assert_int_equal(told_after(10), 2999);
    assert_int_equal(told_after(2005), 2799); // rounded down to 10 ms
    assert_int_equal(told_after(28990), 101);
    assert_int_equal(p.down_received, 4);
    path_close();
}

static void the_lifetime_has_bounds_and_may_be_for_ever(void **state)
{
    (void)state;
    open_lifetime(30, 1, 20);
    assert_int_equal(told_after(0), 2000);
    assert_int_equal(told_after(15000), 1500);
    path_close();
    open_lifetime(0, 0, 0);
    p.any_lifetime = true;
    path_down(0, 100);
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    assert_int_equal(p.pdp[0].lifetime_cs, 0xffff);
    path_close();
}

// A frozen MS does not age.
static void the_lifetime_stands_while_frozen(void **state)
{
    (void)state;
    open_lifetime(30, 1, 0);
    DO(ms_freeze, 0);
    path_bvc_flow(0, TIME_NEVER, 0);
    path_down(0, 100);
    path_run_until(20 * S_IN_NS);
    assert_int_equal(p.down_received, 0);
    DO(ms_release, 0);
    path_poll();
    assert_int_equal(p.pdp[0].lifetime_cs, 3000);
    path_close();
}

// --- Contexts that are removed -------------------------------------------------------------------

// Two contexts share a packet flow; one is removed and its place given away again, on another
// NSAPI.
static void what_waited_for_a_removed_context_is_dropped(void **state)
{
    (void)state;
    path_open_small(100, 1024);
    path_plain_ms(0, 0, 200);
    path_pdp(1, 0, 0, 6, 3, PATH_NONE, -1);
    path_bvc_flow(0, 0, 1000);
    for (uint32_t i = 0; i < 10; i++)
        path_down(i % 2, 700);
    path_poll();
    uint32_t old = p.pdp[1].teid;
    path_pdp_remove(1);
    path_put(STATS_GN, path_gn_frame(old, 100, 0));
    path_pdp(1, 0, 0, 7, 3, PATH_NONE, -1);
    assert_int_not_equal(p.pdp[1].teid, old);
    path_down(1, 700);
    path_poll();
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    assert_int_equal(path_dropped(DROP_removed).packets, 5);
    assert_int_equal(path_dropped(DROP_removed).octets, 5 * 700);
    assert_int_equal(path_dropped(DROP_unknown_teid).packets, 1);
    assert_int_equal(p.down_received, 6);
    assert_int_equal(p.pdp[1].down.received, 1);
    path_close();
}

// The rest of a half-sent N-PDU goes the same way: four segments of 700 octets, the first has left.
static void a_half_sent_npdu_of_a_removed_context_ends(void **state)
{
    (void)state;
    path_open_small(100, 1024);
    path_plain_ms(0, 0, 200);
    path_bvc_flow(0, 8000, 206);
    path_down(0, 700);
    path_poll();
    assert_int_equal(p.frames_out[STATS_GB], 1);
    path_pdp_remove(0);
    path_run_until(10 * S_IN_NS);
    assert_int_equal(p.frames_out[STATS_GB], 1);
    assert_int_equal(path_dropped(DROP_removed).packets, 1);
    assert_int_equal(dp_queued(p.worker).packets, 0);
    path_close();
}

// The MS gives up its beginning and gets the next one whole; the receiver takes no gap in numbers.
static void a_half_sent_npdu_that_is_held_too_long_ends(void **state)
{
    struct dp_config config = path_small_config(100, 1024);
    (void)state;
    config.hold_ns = 20 * S_IN_NS;
    path_open_small_config(&config);
    gb_receiver_allow_unfinished(p.gb);
    p.lossy_down = true;
    path_plain_ms(0, 0, 200);
    path_bvc_flow(0, 8000, 206);
    path_down(0, 700);
    path_poll();
    assert_int_equal(p.frames_out[STATS_GB], 1);
    DO(ms_freeze, 0);
    path_run_until((PATH_LIFETIME_CS / 100 + 25) * S_IN_NS);
    assert_int_equal(path_dropped(DROP_expired).packets, 1);
    assert_int_equal(dp_queued(p.worker).packets, 0);
    DO(ms_release, 0);
    path_bvc_flow(0, TIME_NEVER, 0);
    path_down(0, 700);
    path_poll();
    assert_int_equal(p.down_received, 1);
    assert_int_equal(gb_receiver_counters(p.gb)->partials_discarded, 1);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_of_mss_and_classes_take_turns),
        cmocka_unit_test(marks_are_made_where_allowed_and_nowhere_else),
        cmocka_unit_test(the_lifetime_falls_with_age),
        cmocka_unit_test(the_lifetime_has_bounds_and_may_be_for_ever),
        cmocka_unit_test(the_lifetime_stands_while_frozen),
        cmocka_unit_test(what_waited_for_a_removed_context_is_dropped),
        cmocka_unit_test(a_half_sent_npdu_of_a_removed_context_ends),
        cmocka_unit_test(a_half_sent_npdu_that_is_held_too_long_ends),
    };
    return cmocka_run_group_tests_name("down/frame", tests, path_start_eal, NULL);
}
