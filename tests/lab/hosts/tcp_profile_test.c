// The profiles: each value in its field's range, as the configuration would take it; and what a
// name finds.
#include "lab/hosts/tcp_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check_range(const char *who, const struct field *field, uint64_t value)
{
    bool none = value == 0 && field->key->zero;
    if (!none && (value < field->least || value > field->most))
        fail_msg("%s: %s is %llu", who, field->name, (unsigned long long)value);
}

static void test_values_are_in_range(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < tcp_profile_count; i++)
        for (uint32_t k = 0; k < tcp_profile_field_count; k++)
            check_range(tcp_profiles[i].name, &tcp_profile_fields[k],
                        field_get(&tcp_profile_fields[k], &tcp_profiles[i].profile));
}

// The configuration's defaults are the profile of today.
static void test_defaults_are_linux(void **state)
{
    const struct tcp_profile *profile = tcp_profile_find("linux");
    (void)state;
    assert_non_null(profile);
    for (uint32_t k = 0; k < tcp_profile_field_count; k++) {
        const struct field *field = &tcp_profile_fields[k];
        uint64_t value = field_get(field, profile);
        check_range("default", field, field->key->standard);
        if (value != field->key->standard)
            fail_msg("%s: %llu, default %llu", field->name, (unsigned long long)value,
                     (unsigned long long)field->key->standard);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < tcp_profile_count; i++) {
        assert_ptr_equal(tcp_profile_find(tcp_profiles[i].name), &tcp_profiles[i].profile);
        assert_true(strlen(tcp_profiles[i].help) > 0);
    }
    assert_null(tcp_profile_find("linux-2.5"));
    assert_null(tcp_profile_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_in_range),
        cmocka_unit_test(test_defaults_are_linux),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("hosts/tcp_profile", tests, NULL, NULL);
}
