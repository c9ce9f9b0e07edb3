// Keys by the name of their algorithm, what is refused and in which words, and the library that is
// only there after set-up, where there are AES instructions.
#include "dataplane/cipher/cipher.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t kc[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void test_keys(void **state)
{
    uint8_t key[16];
    const char *why;
    (void)state;
    assert_int_equal(cipher_key("GEA3", kc, 8, key, &why), 0);
    assert_null(why);
    assert_memory_equal(key, "\1\2\3\4\5\6\7\10\1\2\3\4\5\6\7\10", 16);
    assert_int_equal(cipher_key("GEA4", kc, 16, key, &why), 0);
    assert_null(why);
    assert_memory_equal(key, kc, 16);
}

static void expect_refusal(const char *algorithm, size_t kc_octets, int error, const char *word)
{
    static const uint8_t untouched[16] = {0};
    uint8_t key[16] = {0};
    const char *why = NULL;
    assert_int_equal(cipher_key(algorithm, kc, kc_octets, key, &why), error);
    assert_non_null(why);
    assert_non_null(strstr(why, word));
    assert_memory_equal(key, untouched, sizeof key);
}

static void test_refusals(void **state)
{
    (void)state;
    expect_refusal("GEA1", 8, -ENOTSUP, "GEA1 is");
    expect_refusal("GEA2", 8, -ENOTSUP, "GEA2 is");
    expect_refusal("GEA5", 16, -ENOTSUP, "GEA5 is");
    expect_refusal("GEA6", 16, -EINVAL, "GEA3 and GEA4");
    expect_refusal("gea3", 8, -EINVAL, "GEA3 and GEA4");
    expect_refusal("", 8, -EINVAL, "GEA3 and GEA4");
    expect_refusal("GEA3", 16, -EINVAL, "8 octets");
    expect_refusal("GEA4", 8, -EINVAL, "16 octets");
    expect_refusal("GEA3", 0, -EINVAL, "8 octets");
}

static void test_library(void **state)
{
    const struct cipher_variant *variant = cipher_variant_named("ipsec-mb");
    (void)state;
    assert_non_null(variant);
    assert_false(variant->supported());
    cipher_setup();
    if (!__builtin_cpu_supports("aes")) {
        assert_false(variant->supported());
        skip();
    }
    assert_true(variant->supported());
    cipher_release();
    assert_false(variant->supported());
    cipher_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_library),
    };
    return cmocka_run_group_tests_name("cipher/cipher_setup", tests, NULL, NULL);
}
