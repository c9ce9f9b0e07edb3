// Messages on the CCCH: octets that osmo-pcu 1.1.0 sent, and a rejection written from TS 44.018.
#include "lab/live/bts/rr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/dataplane/random.h"
#include "tests/lab/live/bts/hex.h"

static uint8_t b[64];

// osmo-pcu: a downlink TBF by PCH, an uplink TBF by AGCH.
static void test_immediate_assignments(void **state)
{
    struct rr rr;
    (void)state;
    hex("2d063f300ee3677d84351c00dc0000001800032b2b2b2b", b);
    assert_int_equal(rr_decode(&rr, b), 0);
    assert_int_equal(rr.type, RR_DOWN);
    assert_int_equal(rr.slot, 6);
    assert_int_equal(rr.tlli, 0xc0000001);
    assert_int_equal(rr.tfi, 0);
    hex("2d063f100de3677a046d0000c840300b2b2b2b2b2b2b2b", b);
    assert_int_equal(rr_decode(&rr, b), 0);
    assert_int_equal(rr.type, RR_UP);
    assert_int_equal(rr.slot, 5);
    assert_int_equal(rr.burst, 0x7a);
    assert_int_equal(rr.frame, 0x046d);
    assert_int_equal(rr.tfi, 1);
    assert_int_equal(rr.usf, 0);
    assert_int_equal(rr.coding, 1);
}

// Octets composed from 44.018 9.1.20.
static void test_a_rejection(void **state)
{
    struct rr rr;
    (void)state;
    hex("4d063a10 7a046d05 7b046e06 7a046d05 7a046d05 2b2b2b", b);
    assert_int_equal(rr_decode(&rr, b), 0);
    assert_int_equal(rr.type, RR_REJECT);
    assert_int_equal(rr.refusal[1].burst, 0x7b);
    assert_int_equal(rr.refusal[1].frame, 0x046e);
    assert_int_equal(rr.refusal[1].wait_s, 6);
}

// T1' = 1327 / 1326 = 1, T3 = 1327 - 26 x 51 = 1, T2 = 1; the last frame of a hyperframe.
static void test_frame_numbers(void **state)
{
    (void)state;
    assert_int_equal(rr_frame(0), 0);
    assert_int_equal(rr_frame(1327), 1 << 11 | 1 << 5 | 1);
    assert_int_equal(rr_frame(2715647), 31 << 11 | 50 << 5 | 25);
}

// A starting time, hopping, and a single block.
static void test_assignments_that_are_not_supported(void **state)
{
    static const char *const row[] = {
        "2d063f100de3677a046d0000c840301b2b2b2b2b2b2b2b",
        "2d063f100de3677a046d0001c840300b2b2b2b2b2b2b2b",
        "2d063f100de3677a046d0000c040300b2b2b2b2b2b2b2b",
    };
    struct rr rr;
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        hex(row[i], b);
        assert_int_equal(wire_fault_err(rr_decode(&rr, b)), WIRE_EXTENSION);
        assert_int_equal(rr.type, RR_OTHER);
    }
}

static void test_random_messages_stay_in_range(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < 300000; i++) {
        struct rr rr;
        uint8_t *message = malloc(RR_OCTETS); // its end is its end
        random_fill(message, RR_OCTETS);
        message[1] = 6;
        message[2] = i & 16 ? 0x3f : 0x3a;
        rr_decode(&rr, message);
        assert_true(rr.slot < 8 && rr.tfi < 32 && rr.usf < 8 && rr.coding < 4);
        free(message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_immediate_assignments),
        cmocka_unit_test(test_a_rejection),
        cmocka_unit_test(test_frame_numbers),
        cmocka_unit_test(test_assignments_that_are_not_supported),
        cmocka_unit_test(test_random_messages_stay_in_range),
    };
    return cmocka_run_group_tests_name("lab/live/bts/rr", tests, NULL, NULL);
}
