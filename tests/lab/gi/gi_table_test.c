// The table of users and flows beside a plain array: records are found, lists end in the order of
// touch, memory does not grow with what was removed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "lab/gi/gi_table.h"

struct record {
    struct gi_node node;
    uint32_t key;
};

static struct gi_table table;

static int begin(void **state)
{
    (void)state;
    gi_table_create(&table, sizeof(struct record));
    return 0;
}

static int end(void **state)
{
    (void)state;
    gi_table_destroy(&table);
    return 0;
}

static struct record *add(uint32_t key, uint64_t now_ns)
{
    struct record *record =
        (struct record *)gi_table_add(&table, gi_table_hash(&key, sizeof key), now_ns);
    assert_int_equal(record->key, 0);
    record->key = key;
    return record;
}

static struct record *find(uint32_t key)
{
    struct gi_node *node = gi_table_first(&table, gi_table_hash(&key, sizeof key));
    while (node && ((struct record *)node)->key != key)
        node = node->next;
    return (struct record *)node;
}

static void test_found_until_removed(void **state)
{
    enum { KEYS = 5000 };
    (void)state;
    for (uint32_t key = 1; key <= KEYS; key++)
        add(key, key);
    assert_int_equal(table.used, KEYS);
    for (uint32_t key = 1; key <= KEYS; key += 2)
        gi_table_remove(&table, &find(key)->node);
    for (uint32_t key = 1; key <= KEYS; key++)
        assert_int_equal(find(key) != NULL, key % 2 == 0);
    uint64_t octets = gi_table_octets(&table);
    for (uint32_t key = 1; key <= KEYS; key += 2)
        add(key, key);
    assert_int_equal(gi_table_octets(&table), octets);
    assert_int_equal(table.most_used, KEYS);
}

#define UNIT_NS (1ull << 30) // the lists' resolution

static void test_the_oldest_of_each_list_first(void **state)
{
    (void)state;
    for (uint32_t key = 1; key <= 9; key++)
        add(key, key);
    for (uint32_t key = 1; key <= 9; key += 3)
        gi_table_touch(&table, &find(key)->node, 1, (100 + key) * UNIT_NS);
    gi_table_touch(&table, &find(2)->node, 0, 200 * UNIT_NS);
    static const uint32_t right[2][6] = {{3, 5, 6, 8, 9, 2}, {1, 4, 7}};
    for (uint32_t list = 0; list < 2; list++)
        for (uint32_t i = 0; i < 6 && right[list][i]; i++) {
            struct gi_node *node = table.list[list].oldest;
            assert_int_equal(((struct record *)node)->key, right[list][i]);
            gi_table_remove(&table, node);
        }
    assert_null(table.list[0].oldest);
    assert_null(table.list[1].newest);
    assert_int_equal(table.used, 0);
}

// However often records are touched, the oldest is at most a unit younger than any other.
static void test_the_oldest_to_a_unit(void **state)
{
    enum { KEYS = 50, TOUCHES = 20000 };
    uint64_t touched_ns[KEYS + 1] = {0}, now_ns = 5 * UNIT_NS, later = 0;
    struct rng rng;
    (void)state;
    rng_seed(&rng, 1, 0);
    for (uint32_t key = 1; key <= KEYS; key++) {
        add(key, now_ns);
        touched_ns[key] = now_ns;
    }
    for (int i = 0; i < TOUCHES; i++) {
        uint32_t key = 1 + (uint32_t)rng_below(&rng, KEYS);
        now_ns += rng_below(&rng, UNIT_NS / 20);
        gi_table_touch(&table, &find(key)->node, 0, now_ns);
        touched_ns[key] = now_ns;
        uint64_t least_ns = UINT64_MAX, oldest_ns = table.list[0].oldest->touched_ns;
        for (uint32_t other = 1; other <= KEYS; other++)
            least_ns = touched_ns[other] < least_ns ? touched_ns[other] : least_ns;
        assert_in_range(oldest_ns, least_ns, least_ns + UNIT_NS);
        later += oldest_ns > least_ns;
    }
    assert_true(later > 0);
}

// Addresses that differ in few bits, as subscribers' do, do not share chains.
static void test_near_keys_are_spread(void **state)
{
    enum { KEYS = 4096, CHAINS = 1024 };
    uint32_t chain[CHAINS] = {0}, most = 0;
    (void)state;
    for (uint32_t i = 0; i < KEYS; i++) {
        uint8_t key[18] = {[10] = 0xff, 0xff, 10, 0, (uint8_t)(i >> 8), (uint8_t)i, 0x9c, 0x40};
        uint32_t at = gi_table_hash(key, sizeof key) % CHAINS;
        if (++chain[at] > most)
            most = chain[at];
    }
    assert_in_range(most, 4, 20); // 4 on the mean
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found_until_removed, begin, end),
        cmocka_unit_test_setup_teardown(test_the_oldest_of_each_list_first, begin, end),
        cmocka_unit_test_setup_teardown(test_the_oldest_to_a_unit, begin, end),
        cmocka_unit_test(test_near_keys_are_spread),
    };
    return cmocka_run_group_tests_name("lab/gi/gi_table", tests, NULL, NULL);
}
