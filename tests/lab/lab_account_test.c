// A stamp of an MS's LLC PDU, out of the tag that goes with it through the BSS.
#include "lab/lab_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(uint64_t tag, bool known, uint16_t resets, uint32_t input)
{
    struct ms_stamp stamp = lab_stamp_of(tag);
    assert_int_equal(stamp.known, known);
    assert_int_equal(stamp.resets, resets);
    assert_int_equal(stamp.input, input);
}

// Bit 63: it is known; bits 32 to 47: the MS's resets; bits 0 to 31: the input of the cipher.
static void a_stamp_of_each_part(void **state)
{
    (void)state;
    expect(0, false, 0, 0);
    expect(1ull << 63, true, 0, 0);
    expect(0x0000abcd00000000, false, 0xabcd, 0);
    expect(0x00000000fedcba98, false, 0, 0xfedcba98);
    expect(0x8000ffffffffffff, true, 0xffff, 0xffffffff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_stamp_of_each_part)};
    return cmocka_run_group_tests_name("lab/lab_account", tests, NULL, NULL);
}
