// The keys of the radio: defaults within their ranges, and faults between keys.
#include "lab/radio/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t words_in(const char *words)
{
    uint64_t n = 1;
    for (; *words; words++)
        n += *words == ' ';
    return n;
}

static void keys_in_range(const struct field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        if (!f->key)
            continue;
        bool choice = strcmp(f->key->type, "choice") == 0;
        bool zero = f->key->zero && !choice && f->key->standard == 0;
        if (choice) // a word for each value
            assert_int_equal(words_in(f->key->zero), f->most + 1);
        assert_true(zero || (f->least <= f->key->standard && f->key->standard <= f->most));
        assert_true(strlen(f->help) > 8);
        for (uint32_t j = 0; j < i && fields[j].key; j++)
            assert_string_not_equal(fields[j].key->name, f->key->name);
    }
}

static void test_defaults_are_in_their_ranges(void **state)
{
    (void)state;
    keys_in_range(radio_config_fields, radio_config_field_count);
    keys_in_range(radio_plan_fields, radio_plan_field_count);
    struct radio_config config;
    memset(&config, 0xff, sizeof config);
    radio_config_standard(&config);
    assert_null(radio_config_fault(&config));
    assert_int_equal(config.down_coding, RADIO_CODING_CS2);
    assert_int_equal(config.up_window, 0);
}

static void test_words_of_the_codings(void **state)
{
    (void)state;
    static const char words[] = "rate"
#define CODING(NAME, words, mode, blocks, octets) " " words
#include "lab/radio/codings.def"
#undef CODING
        ;
    assert_string_equal(words, RADIO_CODING_WORDS);
}

static void test_faults_between_keys(void **state)
{
    (void)state;
    struct radio_config c;
    radio_config_standard(&c);
    c.slots = 9;
    assert_string_equal(radio_config_fault(&c),
                        "radio.slots: more than 8 for each of radio.carriers");
    c.carriers = 2;
    assert_null(radio_config_fault(&c));
    c.period_ns = 10 * MS_IN_NS;
    assert_non_null(radio_config_fault(&c));
    c.down_coding = RADIO_CODING_RATE;
    assert_non_null(radio_config_fault(&c)); // the uplink has a coding
    c.up_coding = RADIO_CODING_RATE;
    assert_null(radio_config_fault(&c));
    c.round_trip_ns = 9 * MS_IN_NS;
    assert_non_null(radio_config_fault(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_are_in_their_ranges),
        cmocka_unit_test(test_words_of_the_codings),
        cmocka_unit_test(test_faults_between_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
