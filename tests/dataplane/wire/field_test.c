// Field descriptors: the struct and its table agree, and values go in and out by descriptor.
#include "dataplane/wire/field.h"

#include "tests/dataplane/wire/judge.h"

#define SAMPLE_FIELDS(MUST, MAY, T)         \
    MUST(T, BOOL, flag, 0, 1, "a flag")     \
    MUST(T, U8, small, 1, 200, "8 bits")    \
    MUST(T, U16, middle, 0, 0xffff, "16")   \
    MAY(T, U32, large, 0, UINT32_MAX, "32") \
    MUST(T, U64, huge, 5, UINT64_MAX, "64") \
    MUST(T, MAC, address, 0, 0, "6 octets") \
    MAY(T, OCTETS, payload, 0, 10, "octets")

FIELD_STRUCT(sample, SAMPLE_FIELDS);
static const struct field fields[] = FIELD_TABLE(sample, SAMPLE_FIELDS);
enum { FLAG, SMALL, MIDDLE, LARGE, HUGE, ADDRESS, PAYLOAD };

static void test_table_describes_the_struct(void **state)
{
    (void)state;
    assert_int_equal(COUNT(fields), 7);
    assert_string_equal(fields[SMALL].name, "small");
    assert_string_equal(fields[SMALL].help, "8 bits");
    assert_int_equal(fields[SMALL].kind, FIELD_U8);
    assert_int_equal(fields[SMALL].least, 1);
    assert_int_equal(fields[SMALL].most, 200);
    assert_int_equal(fields[SMALL].offset, offsetof(struct sample, small));
    assert_int_equal(fields[SMALL].has_offset, FIELD_ALWAYS);
    assert_int_equal(fields[LARGE].offset, offsetof(struct sample, large));
    assert_int_equal(fields[LARGE].has_offset, offsetof(struct sample, has_large));
    assert_int_equal(fields[PAYLOAD].kind, FIELD_OCTETS);
    assert_int_equal(fields[PAYLOAD].has_offset, offsetof(struct sample, has_payload));
}

static void test_integers_and_others(void **state)
{
    (void)state;
    for (int i = FLAG; i <= HUGE; i++)
        assert_true(field_is_integer(&fields[i]));
    assert_false(field_is_integer(&fields[ADDRESS]));
    assert_false(field_is_integer(&fields[PAYLOAD]));
}

static void test_get(void **state)
{
    struct sample s = {.flag = true,
                       .small = 0x12,
                       .middle = 0x3456,
                       .large = 0x789abcde,
                       .huge = 0xfedcba9876543210};
    (void)state;
    assert_true(field_get(&fields[FLAG], &s) == 1);
    assert_true(field_get(&fields[SMALL], &s) == 0x12);
    assert_true(field_get(&fields[MIDDLE], &s) == 0x3456);
    assert_true(field_get(&fields[LARGE], &s) == 0x789abcde);
    assert_true(field_get(&fields[HUGE], &s) == 0xfedcba9876543210);
    assert_true(field_get(&fields[ADDRESS], &s) == 0);
}

// Each set writes its own octets of the struct and no other.
static void test_set(void **state)
{
    static const struct {
        int field;
        uint64_t value;
        size_t octets;
    } cases[] = {{SMALL, 0x12, 1},
                 {MIDDLE, 0x3456, 2},
                 {LARGE, 0x789abcde, 4},
                 {HUGE, 0xfedcba9876543210, 8}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t s[sizeof(struct sample)], expected[sizeof s];
        memset(s, 0xaa, sizeof s);
        memset(expected, 0xaa, sizeof s);
        memcpy(expected + fields[cases[i].field].offset, &cases[i].value, cases[i].octets);
        field_set(&fields[cases[i].field], s, cases[i].value);
        assert_memory_equal(s, expected, sizeof s);
    }
}

static void test_set_a_flag(void **state)
{
    struct sample s = {0};
    (void)state;
    field_set(&fields[FLAG], &s, 256);
    assert_true(s.flag);
    field_set(&fields[FLAG], &s, 0);
    assert_false(s.flag);
}

static void test_set_leaves_what_is_no_integer(void **state)
{
    struct sample s, before;
    (void)state;
    memset(&s, 0xaa, sizeof s);
    before = s;
    field_set(&fields[ADDRESS], &s, 1);
    field_set(&fields[PAYLOAD], &s, 1);
    assert_memory_equal(&s, &before, sizeof s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_describes_the_struct),
        cmocka_unit_test(test_integers_and_others),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_set_a_flag),
        cmocka_unit_test(test_set_leaves_what_is_no_integer),
    };
    return cmocka_run_group_tests_name("wire/field", tests, NULL, NULL);
}
