// The hash table of links: what was put is found, the last put first; its size follows what it
// holds.
#include "lab/bss/bss_table.h"

#include "tests/dataplane/random.h"

#define LINKS 5000

static struct bss_link link[LINKS];

static void test_found_and_removed(void **state)
{
    (void)state;
    struct bss_table table = {0};
    assert_null(bss_table_find(&table, 7));
    for (uint64_t i = 0; i < LINKS; i++)
        bss_table_put(&table, &link[i], i * i);
    for (uint64_t i = 0; i < LINKS; i++)
        assert_ptr_equal(bss_table_find(&table, i * i), &link[i]);
    for (uint64_t i = 0; i < LINKS; i += 2)
        bss_table_remove(&table, &link[i]);
    for (uint64_t i = 0; i < LINKS; i++)
        assert_ptr_equal(bss_table_find(&table, i * i), i % 2 ? &link[i] : NULL);
    bss_table_release(&table);
}

static void test_the_last_put_of_a_key_is_found_first(void **state)
{
    (void)state;
    struct bss_table table = {0};
    bss_table_put(&table, &link[0], 5);
    bss_table_put(&table, &link[1], 5);
    assert_ptr_equal(bss_table_find(&table, 5), &link[1]);
    bss_table_remove(&table, &link[1]);
    assert_ptr_equal(bss_table_find(&table, 5), &link[0]);
    bss_table_release(&table);
}

static void test_it_does_not_grow_with_what_has_gone(void **state)
{
    (void)state;
    struct bss_table table = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        bss_table_put(&table, &link[i % 10], i);
        if (i >= 9)
            bss_table_remove(&table, &link[(i + 1) % 10]);
    }
    assert_true(table.buckets <= 64);
    bss_table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_and_removed),
        cmocka_unit_test(test_the_last_put_of_a_key_is_found_first),
        cmocka_unit_test(test_it_does_not_grow_with_what_has_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
