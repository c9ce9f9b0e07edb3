// What LLC frames give to the cipher: INPUT by values worked out by hand from TS 44.064 annex A.2,
// and the overflow counter over a wrap.
#include "dataplane/wire/llc_cipher.h"

#include "tests/dataplane/wire/judge.h"

// SX = 2^27 x SAPI + 2^31: 0x98000000 for SAPI 3, 0x88000000 for SAPI 1, 0xd8000000 for SAPI 11.
static void test_input_of_ui_frames(void **state)
{
    (void)state;
    assert_true(llc_cipher_input_ui(0x12345678, 3, 0, 0) == 0x8a345678);
    assert_true(llc_cipher_input_ui(0x12345678, 3, 511, 0) == 0x8a345877);
    assert_true(llc_cipher_input_ui(0x12345678, 3, 0, 512) == 0x8a345878);
    assert_true(llc_cipher_input_ui(0, 1, 5, 0) == 0x88000005);
    assert_true(llc_cipher_input_ui(0, 11, 0, 1024) == 0xd8000400);
    assert_true(llc_cipher_input_ui(0x98000000, 3, 0, 0) == 0); // exclusive or, not a sum
}

static void test_input_wraps_at_32_bits(void **state)
{
    (void)state;
    assert_true(llc_cipher_input_ui(0x67ffffff, 3, 2, 0) == 1);
    assert_true(llc_cipher_input_i(0xffffffff, 1, 512) == 512);
}

static void test_input_of_i_frames(void **state)
{
    (void)state;
    assert_true(llc_cipher_input_i(0x12345678, 0, 0) == 0x12345678);
    assert_true(llc_cipher_input_i(0x12345678, 511, 512) == 0x12345a77);
}

// The frame with number 0 is the first under the new OC, the one with 511 the last under the old:
// INPUT counts on by one from frame to frame over the wrap.
static void test_overflow_counter(void **state)
{
    uint32_t oc = 0, expected = 0x8a345678;
    (void)state;
    for (uint32_t frame = 0; frame < 3 * 512; frame++) {
        assert_true(llc_cipher_input_ui(0x12345678, 3, frame % 512, oc) == expected++);
        oc = llc_oc_after(oc, frame % 512);
        assert_int_equal(oc, (frame + 1) / 512 * 512);
    }
    assert_int_equal(llc_oc_after(UINT32_MAX - 511, 511), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input_of_ui_frames),
        cmocka_unit_test(test_input_wraps_at_32_bits),
        cmocka_unit_test(test_input_of_i_frames),
        cmocka_unit_test(test_overflow_counter),
    };
    return cmocka_run_group_tests_name("wire/llc_cipher", tests, NULL, NULL);
}
