// The laws of window.h, one by one, on packets written octet by octet.
#include "dataplane/window/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/dataplane/window/segment.h"

#define CONTEXTS 3u

static struct window w;
static struct stats_up stats;
static uint64_t counted; // N-PDUs from MSs

static int begin_test(void **state)
{
    static const uint64_t of_class_ns[CLASS_COUNT] = {0};
    (void)state;
    stats = (struct stats_up){0};
    counted = 0;
    void *memory = calloc(1, window_octets(CONTEXTS));
    window_setup(&w, 1, of_class_ns, &stats, memory);
    return memory ? 0 : -1;
}

// Each N-PDU from an MS was counted once.
static int end_test(void **state)
{
    (void)state;
    free(w.flows);
    uint64_t sum = stats.window_lowered + stats.window_enough + stats.window_unseen +
                   stats.window_ends + stats.window_other + stats.window_fragments +
                   stats.window_malformed;
    return sum == counted ? 0 : -1;
}

static const struct draft of_flow = {.ms = 9, .host = 1, .ms_port = 40000, .host_port = 80};

// Gives a packet to the window, in a buffer that ends with the packet; returns the packet after it.
static struct packet given(uint32_t context, const struct packet *p, bool up, uint64_t octets)
{
    struct packet after = *p;
    struct window_ack ack;
    uint8_t *b = malloc(p->n ? p->n : 1);
    memcpy(b, p->octets, p->n);
    counted += up;
    if (!up)
        window_down(&w, context, b, p->n);
    else if (window_up(&w, context, b, p->n, &ack))
        window_lower(&w, &ack, octets);
    memcpy(after.octets, b, p->n);
    free(b);
    return after;
}

static void give(uint32_t context, const struct draft *d)
{
    struct packet p = segment_of(d), after = given(context, &p, d->up, 1);
    assert_memory_equal(after.octets, p.octets, p.n);
}

// SYN and SYN-ACK of a flow; -1: without that option.
static void begin(uint32_t context, struct draft d, bool by_ms, int ms_mss, int ms_scale,
                  int host_scale)
{
    for (int answer = 0; answer < 2; answer++) {
        d.up = by_ms != answer;
        d.flags = answer ? SYN | ACK : SYN;
        d.sequence = answer ? 7000 : 100;
        d.acknowledgement = answer ? 101 : 0;
        d.window = 65535;
        draft_options(&d, d.up ? ms_mss : 1380, d.up ? ms_scale : host_scale);
        give(context, &d);
    }
}

static struct draft ack_of(struct draft d, uint16_t window)
{
    d.up = true;
    d.flags = ACK;
    d.sequence = 101;
    d.acknowledgement = 9000;
    d.window = window;
    return d;
}

// The window field behind the SGSN. All else is as it was, and the checksum is as good as it was.
static uint32_t window_after(uint32_t context, const struct draft *d, uint64_t octets)
{
    struct packet p = segment_of(d), after = given(context, &p, true, octets);
    uint32_t window = two(after.octets + after.tcp + 14);
    assert_int_equal(segment_sum(&after) % 0xffff, segment_sum(&p) % 0xffff);
    memcpy(after.octets + after.tcp + 14, p.octets + p.tcp + 14, 4);
    assert_memory_equal(after.octets, p.octets, p.n);
    return window;
}

static uint32_t plain_after(uint32_t context, uint16_t window, uint64_t octets)
{
    struct draft d = ack_of(of_flow, window);
    return window_after(context, &d, octets);
}

static void lowers_to_the_share(void **state)
{
    (void)state;
    begin(0, of_flow, true, 1400, -1, -1);
    assert_int_equal(plain_after(0, 65535, 9000), 9000);
    assert_int_equal(plain_after(0, 9001, 9000), 9000);
    assert_int_equal(stats.window_lowered, 2);
}

static void never_raises(void **state)
{
    (void)state;
    begin(0, of_flow, true, 1400, -1, -1);
    assert_int_equal(plain_after(0, 9000, 9000), 9000);
    assert_int_equal(plain_after(0, 8999, 9000), 8999);
    assert_int_equal(plain_after(0, 0, 9000), 0);
    assert_int_equal(plain_after(0, 65535, UINT64_MAX), 65535);
    assert_int_equal(stats.window_enough, 4);
}

static void leaves_two_segments(void **state)
{
    static const struct {
        int mss;
        uint32_t least;
    } of[] = {{1400, 2800}, {536, 1072}, {100, 1072}, {0, 1072}, {-1, 2920}, {0xffff, 65000}};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        struct draft d = of_flow;
        d.ms_port = (uint16_t)i;
        begin(0, d, true, of[i].mss, -1, -1);
        d = ack_of(d, 65000);
        assert_int_equal(window_after(0, &d, 1), of[i].least);
        assert_int_equal(window_after(0, &d, 0), of[i].least);
    }
}

// In units of the scale, rounded up.
static void scales_if_both_said_so(void **state)
{
    (void)state;
    begin(0, of_flow, true, 1400, 7, 0);
    assert_int_equal(plain_after(0, 24576, 9000), 71); // 9088 octets
    assert_int_equal(plain_after(0, 24576, 2816), 22); // 2816 exactly
    assert_int_equal(plain_after(0, 24576, 1), 22);    // of two segments, 2800
    assert_int_equal(plain_after(0, 21, 1), 21);
    begin(1, of_flow, true, 1400, 7, -1);
    assert_int_equal(plain_after(1, 24576, 9000), 9000);
    begin(2, of_flow, true, 1400, -1, 7);
    assert_int_equal(plain_after(2, 24576, 9000), 9000);
}

static void a_scale_above_14_is_14(void **state)
{
    (void)state;
    for (int scale = 14; scale < 256; scale++) {
        struct draft d = of_flow;
        d.ms_port = (uint16_t)scale;
        begin(0, d, true, 1400, scale, 2);
        d = ack_of(d, 50);
        assert_int_equal(window_after(0, &d, 3 * 16384), 3);
        assert_int_equal(window_after(0, &d, 1), 1);
    }
}

static void the_host_may_begin(void **state)
{
    (void)state;
    begin(0, of_flow, false, 1200, 3, 9);
    assert_int_equal(plain_after(0, 65535, 8000), 1000);
    assert_int_equal(plain_after(0, 65535, 1), 300);
}

static void unseen_flows_are_left_alone(void **state)
{
    struct draft d = of_flow;
    (void)state;
    assert_int_equal(plain_after(0, 65535, 1), 65535);
    d.up = true;
    d.flags = SYN;
    d.sequence = 100;
    give(0, &d);
    assert_int_equal(plain_after(0, 65535, 1), 65535); // half of it
    d.up = false;
    d.flags = SYN | ACK;
    for (uint32_t i = 0; i < 3; i++) {
        d.acknowledgement = i == 0 ? 100 : i == 1 ? 102 : 0; // not of this SYN
        give(0, &d);
        assert_int_equal(plain_after(0, 65535, 1), 65535);
    }
    d.up = true; // nor does who began answer
    d.acknowledgement = 101;
    give(0, &d);
    assert_int_equal(plain_after(0, 65535, 1), 65535);
    d.up = false;
    d.host_port++; // of another flow
    give(0, &d);
    assert_int_equal(plain_after(0, 65535, 1), 65535);
    d.host_port--;
    give(0, &d);
    assert_int_equal(plain_after(0, 65535, 1), 2920);
    assert_int_equal(stats.window_unseen, 7);
}

static void syn_fin_and_rst_are_left_alone(void **state)
{
    static const uint8_t flags[] = {FIN | ACK,       FIN,      RST | ACK, RST,
                                    FIN | RST | ACK, PSH,      0,         SYN | FIN,
                                    SYN | RST | ACK, SYN | RST};
    (void)state;
    begin(0, of_flow, true, 1400, -1, -1);
    uint64_t before = stats.window_ends;
    for (size_t i = 0; i < sizeof flags; i++) {
        struct draft d = ack_of(of_flow, 65535);
        d.flags = flags[i];
        assert_int_equal(window_after(0, &d, 1), 65535);
    }
    assert_int_equal(stats.window_ends - before, sizeof flags);
    assert_int_equal(plain_after(0, 65535, 1), 2800); // and they changed nothing
}

static void options_and_data_stay(void **state)
{
    static const uint8_t sack[] = {1, 1, 5, 18, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0};
    static const uint8_t times[] = {1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8};
    (void)state;
    begin(0, of_flow, true, 1400, -1, -1);
    for (uint32_t payload = 0; payload < 8; payload++) {
        struct draft d = ack_of(of_flow, 65535);
        d.flags = ACK | PSH;
        d.payload_octets = payload;
        memcpy(d.options, sack, sizeof sack);
        memcpy(d.options + sizeof sack, times, sizeof times);
        d.options_octets = sizeof sack + sizeof times;
        assert_int_equal(window_after(0, &d, 5000), 5000);
    }
}

// Each by itself, whatever came before.
static void reordered_acks(void **state)
{
    (void)state;
    begin(0, of_flow, true, 1400, -1, -1);
    for (uint32_t i = 0; i < 50; i++) {
        struct draft d = ack_of(of_flow, 65535);
        d.acknowledgement = 9000 + i * 7919 % 50 * 1400;
        assert_int_equal(window_after(0, &d, 4000 + i), 4000 + i);
    }
}

static void both_versions_with_options(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 9; more++)
        for (int ipv6 = 0; ipv6 < 2; ipv6++) {
            struct draft d = of_flow;
            d.ipv6 = ipv6;
            d.ip_options = d.extensions = more;
            d.ms_port = (uint16_t)more;
            begin(0, d, true, 1400, 2, 2);
            d = ack_of(d, 65535);
            assert_int_equal(window_after(0, &d, 8000), 2000);
        }
    struct draft d = ack_of(of_flow, 65535); // more headers than anybody reads
    d.ipv6 = true;
    d.extensions = 9;
    assert_int_equal(window_after(0, &d, 8000), 65535);
    assert_int_equal(stats.window_malformed, 1);
}

static void fragments_are_left_alone(void **state)
{
    (void)state;
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        struct draft d = of_flow;
        d.ipv6 = ipv6;
        begin(0, d, true, 1400, -1, -1);
        for (uint32_t kind = 1; kind < 4; kind++) {
            struct draft part = ack_of(d, 65535);
            part.fragment = kind & 1;
            part.fragment_at = kind >> 1;
            assert_int_equal(window_after(0, &part, 1), 65535);
            part.flags = SYN; // and remembered no more
            assert_int_equal(window_after(0, &part, 1), 65535);
        }
        d = ack_of(d, 65535);
        assert_int_equal(window_after(0, &d, 1), 2800);
    }
    assert_int_equal(stats.window_fragments, 12);
}

static void others_are_left_alone(void **state)
{
    struct draft d = ack_of(of_flow, 65535);
    (void)state;
    begin(0, of_flow, true, 1400, -1, -1);
    d.protocol = 17;
    assert_int_equal(window_after(0, &d, 1), 65535);
    d.ipv6 = true;
    assert_int_equal(window_after(0, &d, 1), 65535);
    d = ack_of(of_flow, 65535);
    struct packet p = segment_of(&d);
    for (uint32_t version = 0; version < 16; version++) {
        struct packet other = p;
        if (version == 4 || version == 6)
            continue;
        other.octets[0] = (uint8_t)(version << 4 | 5);
        struct packet after = given(0, &other, true, 1);
        assert_memory_equal(after.octets, other.octets, p.n);
    }
    assert_int_equal(stats.window_other, 16);
}

// Cut off at each octet; each length in the headers, and each of an option, of each value.
static void hostile_octets(void **state)
{
    (void)state;
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        struct draft d = of_flow;
        d.ipv6 = ipv6;
        d.extensions = d.ip_options = 1;
        begin(0, d, true, 1400, 7, 7);
        d = ack_of(d, 65535);
        memcpy(d.options, (uint8_t[]){1, 1, 5, 10, 0, 0, 1, 0, 0, 0, 2, 0}, 12);
        d.options_octets = 12;
        struct packet p = segment_of(&d), after;
        for (struct packet cut = p; cut.n-- > 0;) {
            after = given(0, &cut, true, 1);
            assert_memory_equal(after.octets, cut.octets, cut.n);
        }
        const uint32_t at[] = {0, ipv6 ? 5 : 3, ipv6 ? 41 : 2, p.tcp + 12, p.tcp + 22, p.tcp + 23};
        for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
            for (uint32_t v = 0; v < 256; v++) {
                struct packet bad = p;
                bad.octets[at[i]] = (uint8_t)v;
                given(0, &bad, true, 1);
                given(0, &bad, false, 1);
            }
    }
    assert_true(stats.window_malformed > 1000);
}

// A SYN with options that are not of their kind's length tells nothing.
static void syns_with_wrong_lengths(void **state)
{
    (void)state;
    for (uint32_t length = 0; length < 256; length++) {
        struct draft d = of_flow;
        d.ms_port = (uint16_t)length;
        begin(0, d, true, 1400, 7, 7);
        d.up = true;
        d.flags = SYN;
        d.sequence = 555; // of a new connection, if it counted
        draft_options(&d, 1400, 7);
        d.options[6] = (uint8_t)length;
        give(0, &d);
        d = ack_of(d, 65535);
        d.options_octets = 0;
        assert_int_equal(window_after(0, &d, 12800), length == 3 ? 65535 : 100);
    }
    assert_int_equal(stats.window_malformed, 255);
}

static void a_port_that_is_used_again(void **state)
{
    struct draft d = of_flow;
    (void)state;
    begin(0, d, true, 1400, 7, 7);
    assert_int_equal(plain_after(0, 65535, 12800), 100);
    d.up = true;
    d.flags = SYN;
    d.sequence = 4711;
    draft_options(&d, 1400, 2);
    give(0, &d);
    assert_int_equal(plain_after(0, 65535, 12800), 65535);
    d.up = false;
    d.flags = SYN | ACK;
    d.acknowledgement = 101; // of the former one, late
    give(0, &d);
    assert_int_equal(plain_after(0, 65535, 12800), 65535);
    d.acknowledgement = 4712;
    give(0, &d);
    assert_int_equal(plain_after(0, 65535, 12800), 3200);
    assert_int_equal(stats.window_flows, 1); // in the same place
}

// SYN and SYN-ACK may come twice, but not say two things.
static void what_comes_twice(void **state)
{
    (void)state;
    for (int who = 0; who < 2; who++)
        for (int other = 0; other < 2; other++) {
            struct draft d = of_flow;
            d.ms_port = (uint16_t)(2 * who + other);
            begin(0, d, true, 1400, 7, 7);
            d.up = who == 0;
            d.flags = d.up ? SYN : SYN | ACK;
            d.sequence = d.up ? 100 : 7000;
            d.acknowledgement = d.up ? 0 : 101;
            draft_options(&d, 1400, other ? -1 : 7);
            give(0, &d);
            d = ack_of(d, 65535);
            d.options_octets = 0;
            assert_int_equal(window_after(0, &d, 12800), other ? 65535 : 100);
            begin(0, of_flow, true, 1400, 7, 7);
            assert_int_equal(window_after(0, &d, 12800), other ? 65535 : 100);
        }
}

// The flow unused for longest is forgotten, of this context alone.
static void a_full_context(void **state)
{
    struct draft d = of_flow;
    (void)state;
    for (uint32_t context = 0; context < 2; context++)
        for (uint32_t i = 0; i < WINDOW_FLOWS; i++) {
            d.ms_port = (uint16_t)(1000 + i);
            begin(context, d, true, 1400, -1, -1);
        }
    assert_int_equal(stats.window_evicted, 0);
    d.ms_port = 1000; // used, so the next one is the oldest
    struct draft first = ack_of(d, 65535);
    assert_int_equal(window_after(0, &first, 1), 2800);
    for (uint32_t more = 1; more < 200; more++) {
        d.ms_port = (uint16_t)(2000 + more);
        begin(0, d, more % 2, 1400, -1, -1);
        assert_int_equal(stats.window_evicted, more);
        assert_int_equal(window_after(0, &first, 1), 2800);
        struct draft second = ack_of(of_flow, 65535);
        second.ms_port = 1001;
        assert_int_equal(window_after(0, &second, 1), 65535);
    }
    for (uint32_t i = 0; i < WINDOW_FLOWS; i++) {
        d.ms_port = (uint16_t)(1000 + i);
        struct draft kept = ack_of(d, 65535);
        assert_int_equal(window_after(1, &kept, 1), 2800);
    }
}

// A SYN that somebody forges in the host's name: nothing is lowered any more, and nothing of
// another context changes.
static void forged_syns(void **state)
{
    struct draft d = of_flow;
    (void)state;
    begin(0, of_flow, true, 1400, 7, 7);
    begin(1, of_flow, true, 1400, 7, 7);
    d.flags = SYN | ACK; // it would have to guess the number
    d.acknowledgement = 102;
    draft_options(&d, 1400, -1);
    give(0, &d);
    assert_int_equal(plain_after(0, 65535, 12800), 100);
    d.flags = SYN;
    d.sequence = 100; // the MS's own number
    give(0, &d);
    assert_int_equal(plain_after(0, 65535, 12800), 65535);
    assert_int_equal(plain_after(1, 65535, 12800), 100);
}

static void a_wrong_checksum_stays_wrong(void **state)
{
    (void)state;
    begin(0, of_flow, true, 1400, -1, -1);
    for (uint32_t spoilt = 0; spoilt < 0xffff; spoilt += 13) {
        struct draft d = ack_of(of_flow, (uint16_t)(3000 + spoilt / 2));
        d.spoilt = (uint16_t)spoilt;
        assert_int_equal(window_after(0, &d, 1), 2800);
    }
}

static void forgets(void **state)
{
    (void)state;
    begin(0, of_flow, true, 1400, -1, -1);
    begin(1, of_flow, true, 1400, -1, -1);
    window_forget(&w, 0);
    assert_int_equal(plain_after(0, 65535, 1), 65535);
    assert_int_equal(plain_after(1, 65535, 1), 2800);
    for (uint32_t round = 0; round < 2; round++) { // all places are free again
        for (uint32_t i = 0; i < WINDOW_FLOWS; i++) {
            struct draft d = of_flow;
            d.ms_port = (uint16_t)(1000 * round + i);
            begin(0, d, true, 1400, -1, -1);
        }
        window_forget(&w, 0);
    }
    assert_int_equal(stats.window_evicted, 0);
}

#define A(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        A(lowers_to_the_share),
        A(never_raises),
        A(leaves_two_segments),
        A(scales_if_both_said_so),
        A(a_scale_above_14_is_14),
        A(the_host_may_begin),
        A(unseen_flows_are_left_alone),
        A(syn_fin_and_rst_are_left_alone),
        A(options_and_data_stay),
        A(reordered_acks),
        A(both_versions_with_options),
        A(fragments_are_left_alone),
        A(others_are_left_alone),
        A(hostile_octets),
        A(syns_with_wrong_lengths),
        A(a_port_that_is_used_again),
        A(what_comes_twice),
        A(a_full_context),
        A(forged_syns),
        A(a_wrong_checksum_stays_wrong),
        A(forgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
