// What the Gb receiver takes when it is told to: IPv6, fragments, optional elements octet for
// octet; and what changes of an MS in the midst of its frames: its TLLI, a context, the MS itself.
#include "tests/oracle/receiver_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/oracle/ip_writer.h"
#include "tests/oracle/typed_frames.h"

static const struct ip_ends ends_6 = {
    .ipv6 = true,
    .source = {0xfd, [15] = 1},
    .destination = {0xfd, [15] = 2},
    .source_port = 23000,
    .destination_port = 23001,
};

// The datagram of a built frame, over IPv6.
static void over_ipv6(const struct frame *f, struct ip_frame *six)
{
    ip_write(six, &ends_6, f->at + NS, f->len - NS);
}

static void expect_frame(struct caught *caught, const struct ip_frame *f, enum gb_error error)
{
    int code = receiver_fed(caught, f->octets, f->n);
    if (code != -(int)error)
        print_error("got \"%s\"\n", gb_receiver_error_text(code));
    assert_int_equal(code, -(int)error);
}

static void test_ipv6_is_refused_until_accepted(void **state)
{
    static struct ip_frame six;
    struct caught *caught = *state;
    struct frame f = TYPED(single);
    over_ipv6(&f, &six);
    expect_frame(caught, &six, GB_ERR_ETHERNET_TYPE);
    gb_receiver_accept(caught->receiver, &(struct ip_accept){.ipv6 = true});
    expect_frame(caught, &six, GB_ERR_NONE);
    expect_npdu(caught, single_npdu, sizeof(single_npdu));
    assert_memory_equal(caught->npdu.ends.destination, ends_6.destination, 16);
    assert_int_equal(caught->npdu.ends.destination_port, 23001);
}

// Two N-PDUs at a time, each in fragments that come alternately and from the last to the first.
static void test_fragments(void **state)
{
    static struct ip_frame whole, pieces[2][4];
    struct caught *caught = *state;
    gb_receiver_accept(caught->receiver,
                       &(struct ip_accept){.ipv6 = true, .fragments = true, .mtu_octets = 600});
    for (unsigned i = 0; i < 600; i += 2) {
        unsigned n[2] = {0};
        for (unsigned k = 0; k < 2; k++) {
            struct spec s = plain;
            size_t at = 0;
            s.tlli += k;
            s.nu = i / 2 % 512;
            s.npdu_number = i / 2;
            s.octets = octets_1520;
            s.len = 700 + i;
            struct frame f = frame_built(&s);
            over_ipv6(&f, &whole);
            do
                at = ip_fragment(&whole, i + k, 600, at, &pieces[k][n[k]++]);
            while (at > 0);
        }
        while (n[0] > 0)
            for (unsigned k = 0; k < 2; k++)
                expect_frame(caught, &pieces[k][--n[k]], GB_ERR_NONE);
        assert_int_equal(caught->npdus, i + 2);
        expect_npdu(caught, octets_1520, 700 + i);
    }
    assert_int_equal(gb_receiver_counters(caught->receiver)->datagrams_open, 0);
    assert_in_range(gb_receiver_counters(caught->receiver)->fragments, 1200, 2400);
}

static void test_expected_options(void **state)
{
    static const uint8_t pfi[] = {0x28, 0x81, 0x08};
    static const uint8_t alignment[] = {0x00, 0x80};
    struct caught *caught = *state;
    assert_true(gb_receiver_expect_options(caught->receiver, plain.tlli, plain.nsapi, pfi, 3));
    assert_true(gb_receiver_expect_options(caught->receiver, plain.tlli, 6, NULL, 0));
    expect_verdict(caught, TYPED(single), GB_ERR_NONE);
    struct spec s = plain;
    s.nu = s.npdu_number = 1;
    struct frame f = frame_built(&s);
    frame_insert(&f, LLC_IE, alignment, 2); // the 17th octet of the PDU; LLC at the 20th
    f.at[LLC_IE + 1] = 0x81;
    frame_insert(&f, LLC_IE + 2, alignment, 1);
    f.llc += 3;
    frame_lengths(&f);
    expect_verdict(caught, frame_repaired(f), GB_ERR_NONE);
    s.nu = 2;
    s.npdu_number = 0;
    s.nsapi = 6;
    expect_verdict(caught, frame_built(&s), GB_ERR_BSSGP_OPTIONS);
}

static void expect_spec(struct caught *caught, struct spec s, unsigned nu, unsigned npdu_number,
                        enum gb_error error)
{
    s.nu = nu;
    s.npdu_number = npdu_number;
    expect_verdict(caught, frame_built(&s), error);
}

static void test_another_tlli(void **state)
{
    struct caught *caught = *state;
    struct spec s = plain;
    expect_spec(caught, s, 0, 0, GB_ERR_NONE);
    s.tlli ^= 0x40000123;
    assert_true(gb_receiver_rename(caught->receiver, plain.tlli, s.tlli));
    assert_false(gb_receiver_rename(caught->receiver, plain.tlli, s.tlli));
    expect_spec(caught, s, 1, 1, GB_ERR_NONE);
    expect_spec(caught, plain, 0, 0, GB_ERR_NONE); // somebody else
    assert_false(gb_receiver_rename(caught->receiver, plain.tlli, s.tlli));
}

static void test_a_new_context(void **state)
{
    struct caught *caught = *state;
    struct spec s = plain;
    expect_spec(caught, s, 0, 0, GB_ERR_NONE);
    s.bits |= M;
    expect_spec(caught, s, 1, 1, GB_ERR_NONE);
    gb_receiver_new_context(caught->receiver, s.tlli, 16);
    gb_receiver_new_context(caught->receiver, s.tlli, s.nsapi);
    assert_int_equal(gb_receiver_counters(caught->receiver)->partials_open, 0);
    s.bits = F;
    s.sapi = 9; // and on another SAPI
    expect_spec(caught, s, 0, 0, GB_ERR_NONE);
}

static void test_forgotten(void **state)
{
    struct caught *caught = *state;
    struct spec s = plain;
    s.bits |= M;
    expect_spec(caught, s, 0, 0, GB_ERR_NONE);
    gb_receiver_forget(caught->receiver, s.tlli);
    gb_receiver_forget(caught->receiver, s.tlli);
    assert_int_equal(gb_receiver_counters(caught->receiver)->partials_discarded, 1);
    expect_spec(caught, s, 0, 0, GB_ERR_NONE);
}

// Half of an N-PDU goes, the numbers go on.
static void test_flushed(void **state)
{
    struct caught *caught = *state;
    struct spec s = plain;
    s.bits |= M;
    expect_spec(caught, s, 0, 0, GB_ERR_NONE);
    gb_receiver_flush(caught->receiver, s.tlli);
    gb_receiver_flush(caught->receiver, s.tlli + 1); // nobody
    assert_int_equal(gb_receiver_counters(caught->receiver)->partials_open, 0);
    expect_spec(caught, plain, 1, 1, GB_ERR_NONE);
    expect_npdu(caught, plain.octets, plain.len);
}

static unsigned seen, seen_octets;

static void see(void *ctx, const struct gb_npdu *frame)
{
    assert_non_null(ctx);
    seen++;
    seen_octets += (unsigned)frame->len;
    assert_int_equal(frame->tlli, plain.tlli);
    assert_int_equal(frame->ends.destination_port, 23000);
}

static void test_each_frame_is_seen(void **state)
{
    struct caught *caught = *state;
    gb_receiver_watch(caught->receiver, see);
    expect_verdict(caught, TYPED(three_0), GB_ERR_NONE);
    expect_verdict(caught, TYPED(three_1), GB_ERR_NONE);
    expect_verdict(caught, TYPED(three_2), GB_ERR_NONE);
    assert_int_equal(seen, 3);
    assert_int_equal(seen_octets, 4 + 3 + 3 + sizeof(three_npdu));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECEIVER_TEST(test_ipv6_is_refused_until_accepted),
        RECEIVER_TEST(test_fragments),
        RECEIVER_TEST(test_expected_options),
        RECEIVER_TEST(test_another_tlli),
        RECEIVER_TEST(test_a_new_context),
        RECEIVER_TEST(test_forgotten),
        RECEIVER_TEST(test_flushed),
        RECEIVER_TEST(test_each_frame_is_seen),
    };
    return cmocka_run_group_tests_name("oracle/gb_receiver network", tests, NULL, NULL);
}
