// Tables of names, against a plain list: who is in it is found under its hash and nobody else is,
// whatever comes and goes; a full table takes all that it is made for; a search in it is short; and
// what has gone leaves nothing behind.
#include "dataplane/state/names.h"

#include <string.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/random.h"

#define MOST 700u

static struct names names;
static uint32_t hash_of[MOST];
static bool there[MOST];

static void open_names(uint32_t most)
{
    assert_int_equal(state_names_setup(&names, most), 0);
}

// How often a search for that hash comes upon the id, and how many ids it comes upon in all.
static uint32_t found(uint32_t hash, uint32_t id, uint32_t *all)
{
    uint32_t times = 0;
    struct names_search search = names_search(&names, hash);
    *all = 0;
    for (uint32_t at = names_next(&names, &search); at != NAMES_NONE;
         at = names_next(&names, &search)) {
        times += at == id;
        ++*all;
    }
    return times;
}

static void expect_as_listed(void)
{
    uint32_t all, n = 0;
    for (uint32_t id = 0; id < MOST; id++) {
        uint32_t alike = 0;
        for (uint32_t other = 0; other < MOST; other++)
            alike += there[other] && hash_of[other] == hash_of[id];
        assert_int_equal(found(hash_of[id], id, &all), there[id]);
        assert_int_equal(all, alike);
        n += there[id];
    }
    assert_int_equal(state_names_in_use(&names), n);
}

static void turn(uint32_t id, uint32_t hash)
{
    if (there[id]) {
        state_names_remove(&names, hash_of[id], id);
    } else {
        hash_of[id] = hash;
        state_names_add(&names, hash, id);
    }
    there[id] = !there[id];
}

// Hashes that collide never, now and then, mostly, and only at the table's end, whence they go on
// at its beginning.
static uint32_t any_hash(uint32_t kind)
{
    uint32_t r = (uint32_t)(random_next() >> 32);
    return kind == 0 ? r : kind == 1 ? r & 0xff000000 : kind == 2 ? r & 0xc0000000 : ~(r & 3);
}

static void test_any_sequence(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t kind = 0; kind < 4; kind++) {
        open_names(MOST);
        memset(there, 0, sizeof there);
        for (uint32_t i = 0; i < 6000; i++) {
            turn((uint32_t)random_next() % MOST, any_hash(kind));
            if (i % 500 == 0)
                expect_as_listed();
        }
        for (uint32_t id = 0; id < MOST; id++) // full
            if (!there[id])
                turn(id, any_hash(kind));
        expect_as_listed();
        for (uint32_t id = 0; id < MOST; id++)
            turn(id, 0);
        for (uint32_t at = 0; at < names.places; at++)
            assert_true(names.entry[at].hash == 0 && names.entry[at].id_and_1 == 0);
        state_names_release(&names);
    }
}

// What is not there is not taken out, though its hash or its id is another's.
static void test_a_stranger_is_not_removed(void **state)
{
    (void)state;
    open_names(8);
    uint32_t all;
    state_names_add(&names, 5, 1);
    state_names_remove(&names, 5, 2);
    state_names_remove(&names, 6, 1);
    assert_int_equal(found(5, 1, &all), 1);
    state_names_release(&names);
}

static uint32_t places_looked_at(uint32_t hash)
{
    uint32_t at = names_home(&names, hash), n = 1;
    for (; names.entry[at].id_and_1 && names_distance(&names, at) >= n - 1; n++)
        at = names_after(&names, at);
    return n;
}

// TLLIs in a row, as they are given out, in a full table: who is there and who is not is known
// after five places on the average (Knuth 6.4: (1 + 1 / (1 - 8/9)) / 2).
static void test_a_search_is_short(void **state)
{
    const uint32_t most = 200000;
    uint64_t here = 0, strange = 0;
    (void)state;
    open_names(most);
    for (uint32_t i = 0; i < most; i++)
        state_names_add(&names, names_hash(i % 3, 0xc0000000 + i), i);
    for (uint32_t i = 0; i < most; i++) {
        here += places_looked_at(names_hash(i % 3, 0xc0000000 + i));
        strange += places_looked_at(names_hash(4, 0xc0000000 + i));
    }
    print_message("# places looked at: %.2f, %.2f\n", (double)here / most, (double)strange / most);
    assert_in_range(here, most, 7 * most);
    assert_in_range(strange, most, 7 * most);
    state_names_release(&names);
}

// Eight octets an entry, and an eighth more.
static void test_octets(void **state)
{
    (void)state;
    assert_in_range(state_names_octets(1000000), 9000000, 9000064);
    assert_in_range(state_names_octets(1), 64, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_sequence),
        cmocka_unit_test(test_a_stranger_is_not_removed),
        cmocka_unit_test(test_a_search_is_short),
        cmocka_unit_test(test_octets),
    };
    return cmocka_run_group_tests_name("state/names", tests, eal_fixture_setup,
                                       eal_fixture_teardown);
}
