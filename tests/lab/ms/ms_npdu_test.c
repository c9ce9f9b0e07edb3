// Segments to N-PDUs case by case: typed frames of the oracle, what is refused and why, whose fault
// a missing segment is, and the buffers.
#include "tests/lab/ms/fixture.h"

#include <errno.h>

#include "tests/oracle/typed_frames.h"

enum { LLC_AT = 14 + 20 + 8 + 4 + 15 + 2 }; // of the typed frames

static void typed(const uint8_t *frame, uint32_t octets)
{
    fixture_down(frame + LLC_AT, octets - LLC_AT);
}

static void test_typed_single_segment(void **state)
{
    (void)state;
    typed(single, sizeof single);
    fixture_expect(1, sizeof single_npdu);
    assert_memory_equal(f.npdu, single_npdu, sizeof single_npdu);
    assert_int_equal(f.nsapi, 5);
    assert_int_equal(f.shared.faults, 0);
}

static void test_typed_three_segments(void **state)
{
    (void)state;
    typed(three_0, sizeof three_0);
    assert_int_equal(f.counters.npdus_open, 1);
    typed(three_1, sizeof three_1);
    fixture_expect(0, 0);
    typed(three_2, sizeof three_2);
    fixture_expect(1, sizeof three_npdu);
    assert_memory_equal(f.npdu, three_npdu, sizeof three_npdu);
    assert_int_equal(f.counters.npdus_open, 0);
    assert_int_equal(f.shared.faults, 0);
}

static void test_sixteen_segments(void **state)
{
    (void)state;
    for (uint8_t i = 0; i < 16; i++)
        fixture_segment(i == 0, i < 15, i, 9, i ? 1517 : 1516);
    fixture_expect(1, 16 * 1517 - 1);
    assert_int_equal(f.shared.faults, 0);
}

// The 17th has number 0 again.
static void test_a_seventeenth_segment(void **state)
{
    (void)state;
    for (uint8_t i = 0; i < 17; i++)
        fixture_segment(i == 0, true, i % 16, 9, 10);
    fixture_expect_fault(1, "LLC PDU 17, for MS c0000001, SNDCP: segment out of order");
    assert_int_equal(f.counters.npdus_lost[MS_LOST_order], 1);
    assert_int_equal(f.counters.lost[MS_LOST_order].packets, 17);
}

// The way lost the frame: nobody's fault, and the rest of that N-PDU goes with it.
static void test_a_lost_segment(void **state)
{
    (void)state;
    fixture_segment(true, true, 0, 0, 10);
    fixture_number++;
    fixture_segment(false, true, 2, 0, 10);
    fixture_segment(false, false, 3, 0, 10);
    fixture_expect(0, 0);
    assert_int_equal(f.counters.npdus_lost[MS_LOST_missing], 1);
    assert_int_equal(f.counters.lost[MS_LOST_missing].packets, 3);
    assert_int_equal(f.counters.lost[MS_LOST_missing].octets, 30);
    fixture_segment(true, false, 0, 1, 10);
    fixture_expect(1, 10);
    assert_int_equal(f.shared.faults, 0);
}

// The owner is told once, with what there was of the N-PDU.
static void test_the_owner_is_told(void **state)
{
    static const uint8_t first[] = {0x76, 0, 0, 0, 'a', 'b', 'c'}, next[] = {0x36, 0x10, 0, 'd'};
    (void)state;
    fixture_ui(9, 0, first, sizeof first, 0);
    fixture_ui(9, 1, next, sizeof next, 0);
    assert_int_equal(f.npdus_lost, 0);
    fixture_ui(9, 3, next, sizeof next, 0);
    assert_int_equal(f.npdus_lost, 1);
    assert_int_equal(f.nsapi, 6);
    assert_int_equal(f.why, MS_LOST_missing);
    assert_int_equal(f.npdu_octets, 4);
    assert_memory_equal(f.npdu, "abcd", 4);
    fixture_ui(9, 4, next, sizeof next, 0);
    assert_int_equal(f.npdus_lost, 1);
    f.shared.owner.lost = NULL;
    fixture_ui(9, 5, first, sizeof first, 0);
    ms_remove_context(&f.ms, 6, 77); // nobody wants to know
    assert_int_equal(f.counters.npdus_lost[MS_LOST_removed], 1);
    f.npdus_lost++;
}

static void test_a_lost_first_segment(void **state)
{
    (void)state;
    fixture_number++;
    fixture_segment(false, true, 1, 0, 10);
    fixture_segment(false, false, 2, 0, 10);
    fixture_expect(0, 0);
    assert_int_equal(f.counters.npdus_begun, 0);
    assert_int_equal(f.counters.lost[MS_LOST_missing].packets, 2);
    assert_int_equal(f.shared.faults, 0);
}

static void test_a_lost_last_segment(void **state)
{
    (void)state;
    fixture_segment(true, true, 0, 0, 10);
    fixture_number++;
    fixture_segment(true, false, 0, 1, 20);
    fixture_expect(1, 20);
    assert_int_equal(f.counters.npdus_lost[MS_LOST_missing], 1);
    assert_int_equal(f.shared.faults, 0);
}

// A lost frame of another SAPI explains nothing.
static void test_a_segment_that_the_sgsn_did_not_send(void **state)
{
    static const uint8_t other[] = {0x66, 0, 0, 0, 1};
    (void)state;
    fixture_segment(true, true, 0, 0, 10);
    fixture_ui(9, 40, other, sizeof other, 0);
    fixture_segment(false, false, 2, 0, 10);
    fixture_expect(1, 1);
    fixture_expect_fault(1, "LLC PDU 3, for MS c0000001, SNDCP: segment out of order");
    assert_int_equal(f.counters.npdus_lost[MS_LOST_order], 1);
}

// What was lost before excuses no fault of today.
static void test_a_fault_after_a_loss(void **state)
{
    (void)state;
    fixture_number++;
    fixture_segment(false, true, 1, 0, 10);
    fixture_segment(true, false, 0, 1, 10);
    fixture_expect(1, 10);
    fixture_segment(true, true, 0, 2, 10);
    fixture_segment(false, true, 2, 2, 10);
    fixture_expect_fault(1, "segment out of order");
    assert_int_equal(f.counters.npdus_lost[MS_LOST_order], 1);
    assert_int_equal(f.counters.lost[MS_LOST_missing].packets, 1);
}

static void test_a_repeated_segment(void **state)
{
    (void)state;
    fixture_segment(true, true, 0, 0, 10);
    fixture_segment(false, true, 1, 0, 10);
    fixture_segment(false, true, 1, 0, 10); // under a new N(U)
    fixture_segment(false, false, 2, 0, 10);
    fixture_expect(0, 0);
    fixture_expect_fault(1, "segment out of order");
    assert_int_equal(f.counters.lost[MS_LOST_order].packets, 4);
}

static void test_another_npdu_begins(void **state)
{
    (void)state;
    fixture_segment(true, true, 0, 0, 10);
    fixture_segment(true, false, 0, 1, 20);
    fixture_expect(1, 20);
    fixture_segment(true, true, 0, 2, 10);
    fixture_segment(true, true, 0, 3, 30);
    fixture_segment(false, false, 1, 3, 30);
    fixture_expect(2, 80);
    assert_int_equal(f.counters.npdus_lost[MS_LOST_unfinished], 2);
    assert_int_equal(f.counters.npdus_begun, 4);
    assert_int_equal(f.shared.faults, 0);
}

static void test_another_npdus_number_in_between(void **state)
{
    (void)state;
    fixture_segment(true, true, 0, 7, 10);
    fixture_segment(false, false, 1, 8, 10);
    fixture_expect(0, 0);
    fixture_expect_fault(1, "segment out of order");
}

// The end of one N-PDU and the first of the next are lost.
static void test_another_npdus_number_after_a_loss(void **state)
{
    (void)state;
    fixture_segment(true, true, 0, 7, 10);
    fixture_number += 3;
    fixture_segment(false, false, 1, 8, 10);
    fixture_expect(0, 0);
    assert_int_equal(f.counters.npdus_lost[MS_LOST_missing], 1);
    assert_int_equal(f.shared.faults, 0);
}

// Segment number 0 alone does not open an N-PDU: the F bit does.
static void test_a_segment_without_its_first(void **state)
{
    (void)state;
    fixture_segment(false, false, 0, 0, 10);
    fixture_segment(false, false, 1, 0, 10);
    fixture_expect(0, 0);
    fixture_expect_fault(1, "LLC PDU 1, for MS c0000001, SNDCP: segment out of order");
}

static void test_contexts_are_apart(void **state)
{
    static const uint8_t other[] = {0x66, 0, 0, 0, 1, 2, 3};
    (void)state;
    fixture_segment(true, true, 0, 0, 10);
    fixture_ui(9, 0, other, sizeof other, 0);
    fixture_expect(1, 3);
    assert_int_equal(f.nsapi, 6);
    fixture_segment(false, false, 1, 0, 10);
    fixture_expect(2, 23);
    assert_int_equal(f.shared.faults, 0);
}

static void test_a_context_that_is_removed(void **state)
{
    (void)state;
    fixture_segment(true, true, 0, 0, 10);
    ms_remove_context(&f.ms, 5, 77);
    assert_int_equal(f.counters.npdus_lost[MS_LOST_removed], 1);
    fixture_segment(false, false, 1, 0, 10);
    fixture_expect_fault(1, "SNDCP: no PDP context with this NSAPI");
    assert_int_equal(ms_add_context(&f.ms, 5, 3), 0);
    assert_int_equal(ms_add_context(&f.ms, 5, 3), -EEXIST);
    assert_int_equal(ms_add_context(&f.ms, 7, 7), -EINVAL);
    assert_int_equal(ms_add_context(&f.ms, 4, 3), -EINVAL);
    assert_int_equal(ms_add_context(&f.ms, 16, 3), -EINVAL);
    fixture_segment(true, false, 0, 1, 10);
    fixture_expect(1, 10);
}

static void refused(const uint8_t *info, uint32_t octets, enum ms_refused why, const char *text)
{
    uint64_t before = f.counters.refused[why].packets;
    f.shared.faults = 0;
    fixture_ui(3, fixture_number++, info, octets, 0);
    assert_int_equal(f.counters.refused[why].packets, before + 1);
    fixture_expect_fault(1, text);
    assert_int_equal(f.npdus, 0);
}

#define REFUSED(why, text, ...) \
    refused((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), why, text)

static void test_refused_segments(void **state)
{
    (void)state;
    REFUSED(MS_REFUSED_context, "no PDP context with this NSAPI", 0x67, 0, 0, 0, 1);
    REFUSED(MS_REFUSED_context, "the NSAPI's PDP context is of another SAPI", 0x66, 0, 0, 0, 1);
    REFUSED(MS_REFUSED_sndcp, "segment without an octet", 0x65, 0, 0, 0);
    REFUSED(MS_REFUSED_sndcp, "compressed", 0x65, 0x10, 0, 0, 1);
    REFUSED(MS_REFUSED_sndcp, "compressed", 0x65, 0x01, 0, 0, 1);
    REFUSED(MS_REFUSED_sndcp, "first segment whose number is not 0", 0x65, 0, 0x10, 0, 1);
    REFUSED(MS_REFUSED_sndcp, "not the type expected here (octet 0", 0x45, 0, 0, 0, 1);
    REFUSED(MS_REFUSED_sndcp, "ends too early", 0x65, 0, 0);
    REFUSED(MS_REFUSED_sndcp, "reserved value", 0x64, 0, 0, 0, 1);
}

// The small buffer takes 1536 octets; one more takes a large buffer, and the small one is free.
static void test_the_sizes_of_buffers(void **state)
{
    (void)state;
    fixture_segment(true, true, 0, 0, 1036);
    fixture_segment(false, true, 1, 0, 500);
    fixture_segment(false, false, 7, 0, 10);
    assert_non_null(f.shared.spare);
    assert_null(f.shared.spare_large);
    fixture_segment(true, true, 0, 1, 1036);
    fixture_segment(false, true, 1, 1, 501);
    assert_non_null(f.shared.spare);
    fixture_segment(false, false, 7, 1, 10);
    assert_non_null(f.shared.spare_large);
}

// Buffers go round: the memory is that of the most N-PDUs that were open at once.
static void test_buffers_are_used_again(void **state)
{
    (void)state;
    for (uint32_t large = 0; large < 2; large++) {
        const struct ms_npdu *first = NULL;
        for (uint16_t npdu = 0; npdu < 1000; npdu++) {
            fixture_segment(true, true, 0, npdu, large ? 1516 : 10);
            fixture_segment(false, true, 1, npdu, 30);
            first = first ? first : f.ms.context[0].open;
            assert_ptr_equal(f.ms.context[0].open, first);
            if (npdu % 2)
                fixture_segment(false, false, 2, npdu, 10);
            else
                fixture_segment(false, false, 7, npdu, 10);
            assert_ptr_equal(large ? f.shared.spare_large : f.shared.spare, first);
        }
    }
    fixture_expect(1000, 500 * (50 + 1556));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MS_TEST(test_typed_single_segment),
        MS_TEST(test_typed_three_segments),
        MS_TEST(test_sixteen_segments),
        MS_TEST(test_a_seventeenth_segment),
        MS_TEST(test_a_lost_segment),
        MS_TEST(test_the_owner_is_told),
        MS_TEST(test_a_lost_first_segment),
        MS_TEST(test_a_lost_last_segment),
        MS_TEST(test_a_segment_that_the_sgsn_did_not_send),
        MS_TEST(test_a_fault_after_a_loss),
        MS_TEST(test_a_repeated_segment),
        MS_TEST(test_another_npdu_begins),
        MS_TEST(test_another_npdus_number_in_between),
        MS_TEST(test_another_npdus_number_after_a_loss),
        MS_TEST(test_a_segment_without_its_first),
        MS_TEST(test_contexts_are_apart),
        MS_TEST(test_a_context_that_is_removed),
        MS_TEST(test_refused_segments),
        MS_TEST(test_the_sizes_of_buffers),
        MS_TEST(test_buffers_are_used_again),
    };
    return cmocka_run_group_tests_name("lab/ms/ms_npdu", tests, NULL, NULL);
}
