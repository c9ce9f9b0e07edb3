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

#define CHOSEN       60000
#define LONGEST_MOST 16 // of a row behind one bucket; by chance it is 8

// Keys in a row, of even distance, of single bits; and those that met when the hash was one
// multiplication by a number that everybody knows, of which this is the inverse.
static uint64_t chosen(int how, uint64_t i)
{
    uint64_t of_old = 0xf1de83e19937733d;
    switch (how) {
    case 0:
        return i;
    case 1:
        return i << 32;
    case 2:
        return i << 17 | i << 47;
    case 3:
        return UINT64_C(1) << i % 64 ^ UINT64_C(1) << i / 64 % 64 ^ i / 4096 << 20;
    default:
        return of_old * (i << 53 | i);
    }
}

static uint32_t longest(const struct bss_table *table)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < table->buckets; i++) {
        uint32_t n = 0;
        for (const struct bss_link *at = table->bucket[i]; at; at = at->next)
            n++;
        most = n > most ? n : most;
    }
    return most;
}

static void test_chosen_keys_do_not_meet(void **state)
{
    (void)state;
    assert_int_equal(UINT64_C(0x9e3779b97f4a7c15) * chosen(4, 12345) >> 32 & 0x1fffff, 0);
    static struct bss_link many[CHOSEN];
    for (int how = 0; how < 5; how++) {
        struct bss_table table = {0};
        uint32_t put = 0;
        for (uint64_t i = 0; i < CHOSEN; i++)
            if (!bss_table_find(&table, chosen(how, i)))
                bss_table_put(&table, &many[put++], chosen(how, i));
        assert_true(put > CHOSEN / 4);
        if (longest(&table) > LONGEST_MOST)
            fail_msg("way %d: %u behind one bucket", how, longest(&table));
        bss_table_release(&table);
    }
}

static void test_a_table_keeps_the_hash_that_it_began_with(void **state)
{
    (void)state;
    struct bss_table table = {0}, other = {0};
    for (uint64_t i = 0; i < LINKS / 2; i++)
        bss_table_put(&table, &link[i], i);
    bss_hash_by_chance();
    for (uint64_t i = LINKS / 2; i < LINKS; i++)
        bss_table_put(i % 2 ? &table : &other, &link[i], i);
    for (uint64_t i = 0; i < LINKS; i++)
        assert_ptr_equal(bss_table_find(i < LINKS / 2 || i % 2 ? &table : &other, i), &link[i]);
    assert_memory_not_equal(&table.key, &other.key, sizeof table.key);
    bss_table_release(&table);
    bss_table_release(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_and_removed),
        cmocka_unit_test(test_the_last_put_of_a_key_is_found_first),
        cmocka_unit_test(test_it_does_not_grow_with_what_has_gone),
        cmocka_unit_test(test_chosen_keys_do_not_meet),
        cmocka_unit_test(test_a_table_keeps_the_hash_that_it_began_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
