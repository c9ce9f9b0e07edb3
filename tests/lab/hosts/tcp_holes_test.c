// Ranges beyond a hole, against a map of octets: what is known, what is taken, in which order they
// are told (RFC 2018 4), and the bound on their number.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/hosts/tcp_inside.h"
#include "tests/dataplane/random.h"

#define OCTETS 400
#define ROUNDS 3000

static void check_against_map(const struct tcp_holes *holes, const bool *map)
{
    uint32_t range = 0;
    for (uint64_t at = 0; at < OCTETS; at++) {
        bool begins = map[at] && (at == 0 || !map[at - 1]);
        if (begins)
            assert_int_equal(holes->range[range].left, at);
        if (map[at] && !map[at + 1])
            assert_int_equal(holes->range[range++].right, at + 1);
    }
    assert_int_equal(holes->ranges, range);
}

static void add_one(struct tcp_holes *holes, bool *map, uint64_t received)
{
    uint64_t left = random_in(received + 1, OCTETS - 2), right = random_in(left + 1, OCTETS - 1);
    if (right > left + 20)
        right = left + 1 + right % 20;
    bool known = true;
    for (uint64_t at = left; at < right; at++) {
        known = known && map[at];
        map[at] = true;
    }
    enum tcp_hole hole = tcp_holes_add(holes, left, right);
    assert_int_equal(hole, known ? TCP_HOLE_KNOWN : TCP_HOLE_NEW);
    struct tcp_range recent;
    assert_int_equal(tcp_holes_recent(holes, &recent, 1), 1);
    assert_true(recent.left <= left && right <= recent.right);
}

static uint64_t take(struct tcp_holes *holes, bool *map, uint64_t received)
{
    uint64_t end = received + random_in(1, 5), expected = end;
    while (map[expected])
        expected++;
    for (uint64_t at = 0; at < expected; at++)
        map[at] = false;
    assert_int_equal(tcp_holes_take(holes, end), expected);
    return expected;
}

static void test_against_a_map(void **state)
{
    (void)state;
    random_begin();
    for (int round = 0; round < ROUNDS; round++) {
        struct tcp_holes holes = {0};
        bool map[OCTETS + 2] = {false};
        for (uint64_t received = 0; received < OCTETS - 40;) {
            if (random_next() % 3)
                add_one(&holes, map, received);
            else
                received = take(&holes, map, received);
            check_against_map(&holes, map);
        }
        tcp_holes_clear(&holes);
    }
}

static void test_bound(void **state)
{
    struct tcp_holes holes = {0};
    uint64_t at = 10;
    (void)state;
    while (tcp_holes_add(&holes, at, at + 1) == TCP_HOLE_NEW)
        at += 2;
    assert_int_equal(holes.ranges, 4096);
    assert_int_equal(tcp_holes_add(&holes, at, at + 1), TCP_HOLE_NO_ROOM);
    assert_int_equal(tcp_holes_add(&holes, 11, 12), TCP_HOLE_NEW); // joins two
    assert_int_equal(holes.ranges, 4095);
    assert_int_equal(tcp_holes_add(&holes, at, at + 1), TCP_HOLE_NEW);
    assert_int_equal(tcp_holes_take(&holes, at + 1), at + 1);
    assert_int_equal(holes.ranges, 0);
    tcp_holes_clear(&holes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_a_map),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests_name("hosts/tcp_holes", tests, NULL, NULL);
}
