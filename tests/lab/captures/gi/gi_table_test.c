// The table of users and flows beside a plain array: records are found, lists end in the order of
// touch, memory does not grow with what was removed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "dataplane/wire/bytes.h"
#include "lab/captures/gi/gi_hash.h"
#include "lab/captures/gi/gi_table.h"

struct record {
    struct gi_node node;
    uint32_t key;
};

static struct gi_table table;

static int begin(void **state)
{
    (void)state;
    gi_hash_begin();
    gi_table_create(&table, sizeof(struct record), offsetof(struct gi_node, touched_ns));
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
    struct record *record = (struct record *)gi_table_add(&table, gi_hash_with(key, 0), now_ns);
    assert_int_equal(record->key, 0);
    record->key = key;
    return record;
}

static struct record *find(uint32_t key)
{
    struct gi_node *node = gi_table_first(&table, gi_hash_with(key, 0));
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
    gi_table_touch(&table, &find(9)->node, 1, 150 * UNIT_NS); // the newest of its list
    gi_table_touch(&table, &find(2)->node, 0, 200 * UNIT_NS);
    static const uint32_t right[2][6] = {{3, 5, 6, 8, 2}, {1, 4, 7, 9}};
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

// How many of these hashes meet in one of 1024 places at most; four do on the mean.
static uint32_t most_in_a_place(uint32_t (*hash_of)(uint32_t i))
{
    enum { KEYS = 4096, PLACES = 1024 };
    uint32_t place[PLACES] = {0}, most = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        uint32_t at = hash_of(i) % PLACES;
        if (++place[at] > most)
            most = place[at];
    }
    return most;
}

static struct ipv6_address address_of(uint32_t a, uint32_t z)
{
    struct ipv6_address address = {{(uint8_t)(a >> 8), (uint8_t)a}};
    put_be32(address.octet + 12, z);
    return address;
}

static uint32_t near_addresses(uint32_t i)
{
    struct ipv6_address user = address_of(0, 0x0a000000 + i), host = address_of(0, 0xcb007109);
    return gi_hash_ends(gi_hash_address(&user), gi_hash_address(&host), 40000, 80);
}

static uint32_t near_ports(uint32_t i)
{
    struct ipv6_address user = address_of(0, 0x0a000001), host = address_of(0, 0xcb007109);
    return gi_hash_ends(gi_hash_address(&user), gi_hash_address(&host), (uint16_t)(40000 + i), 80);
}

// An address and a port that are the same when one is laid over the other.
static uint32_t cancelled(uint32_t i)
{
    struct ipv6_address user = address_of(i, 1), host = address_of(0, 2);
    return gi_hash_ends(gi_hash_address(&user), gi_hash_address(&host),
                        __builtin_bswap16((uint16_t)i), 80);
}

// The ports have the same sum, and the addresses change places.
static uint32_t same_sums(uint32_t i)
{
    struct ipv6_address user = address_of(0, i & 1 ? 1 : 2), host = address_of(0, i & 1 ? 2 : 1);
    return gi_hash_ends(gi_hash_address(&user), gi_hash_address(&host), (uint16_t)(20000 + i),
                        (uint16_t)(20000 - i));
}

static uint32_t high_teids(uint32_t i)
{
    struct ipv6_address end = address_of(0, 1);
    return gi_hash_with(gi_hash_address(&end), i << 20);
}

// Neither keys that differ in few bits, as subscribers' do, nor such as somebody chooses, whatever
// the random key is: a hash that fails with one in a hundred is seen.
static void test_no_keys_meet(void **state)
{
    static uint32_t (*const hashes[])(uint32_t i) = {near_addresses, near_ports, cancelled,
                                                     same_sums, high_teids};
    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        gi_hash_key[0] = 0; // so another one is taken
        gi_hash_begin();
        for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++)
            assert_in_range(most_in_a_place(hashes[i]), 4, 25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found_until_removed, begin, end),
        cmocka_unit_test_setup_teardown(test_the_oldest_of_each_list_first, begin, end),
        cmocka_unit_test_setup_teardown(test_the_oldest_to_a_unit, begin, end),
        cmocka_unit_test(test_no_keys_meet),
    };
    return cmocka_run_group_tests_name("lab/captures/gi/gi_table", tests, NULL, NULL);
}
