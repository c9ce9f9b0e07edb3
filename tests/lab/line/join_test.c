// Fragments joined in the lab: in order they are the datagram, and anything else is named.
#include "lab/line/join.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct join join;
static uint8_t datagram[JOIN_OCTETS_MAX + 8];
static struct octets payload;

static int clear(void **state)
{
    (void)state;
    memset(&join, 0, sizeof join);
    for (size_t i = 0; i < sizeof datagram; i++)
        datagram[i] = (uint8_t)(7 * i + (i >> 8));
    return 0;
}

static const char *ipv4(uint16_t id, uint32_t from, uint32_t octets, bool more)
{
    struct ipv4 p = {.id = id,
                     .more_fragments = more,
                     .fragment_offset = (uint16_t)(from / 8),
                     .source = 1,
                     .destination = 2,
                     .payload = {datagram + from, octets}};
    return join_ipv4(&join, &p, &payload);
}

static uint8_t destination;

static const char *ipv6(uint32_t id, uint8_t source, uint32_t from, uint32_t octets, bool more)
{
    struct ipv6 p = {.source = {{0x20, [15] = source}},
                     .destination = {{0x20, [15] = destination}},
                     .has_fragment = true,
                     .fragment = {(uint16_t)(from / 8), more, id},
                     .payload = {datagram + from, octets}};
    return join_ipv6(&join, &p, &payload);
}

static void expect_whole(uint32_t octets)
{
    assert_int_equal(payload.n, octets);
    assert_memory_equal(payload.at, datagram, octets);
}

static void test_no_fragment(void **state)
{
    (void)state;
    assert_null(ipv4(1, 0, 99, false));
    assert_ptr_equal(payload.at, datagram);
    assert_int_equal(payload.n, 99);
    struct ipv6 p = {.payload = {datagram, 5}};
    assert_null(join_ipv6(&join, &p, &payload));
    assert_int_equal(payload.n, 5);
}

static void test_two_fragments(void **state)
{
    (void)state;
    assert_null(ipv4(1, 0, 1480, true));
    assert_int_equal(payload.n, 0);
    assert_null(ipv4(1, 1480, 33, false));
    expect_whole(1513);
    assert_null(ipv6(1, 1, 0, 1448, true));
    assert_null(ipv6(1, 1, 1448, 800, true));
    assert_null(ipv6(1, 1, 2248, 1, false));
    expect_whole(2249);
}

// As many datagrams as there is room for, in turn; the last one's end is not the first one's.
static void test_several_at_once(void **state)
{
    (void)state;
    for (uint16_t id = 0; id < JOIN_DATAGRAMS; id++)
        assert_null(ipv4(id, 0, 800, true));
    assert_non_null(ipv4(JOIN_DATAGRAMS, 0, 800, true));
    for (uint16_t id = 0; id < JOIN_DATAGRAMS; id++) {
        assert_null(ipv4(id, 800, id + 1u, false));
        expect_whole(801u + id);
    }
    assert_null(ipv4(JOIN_DATAGRAMS, 0, 800, true));
}

static void test_one_id_of_two_hosts(void **state)
{
    (void)state;
    assert_null(ipv6(9, 1, 0, 8, true));
    assert_null(ipv6(9, 2, 0, 16, true));
    assert_null(ipv6(9, 1, 8, 1, false));
    expect_whole(9);
    assert_null(ipv6(9, 2, 16, 1, false));
    expect_whole(17);
}

static void test_one_id_to_two_hosts(void **state)
{
    (void)state;
    destination = 3;
    assert_null(ipv6(9, 1, 0, 8, true));
    destination = 4;
    assert_null(ipv6(9, 1, 0, 16, true));
    destination = 3;
    assert_null(ipv6(9, 1, 8, 1, false));
    expect_whole(9);
    destination = 4;
    assert_null(ipv6(9, 1, 16, 1, false));
    expect_whole(17);
}

static void test_what_is_wrong_is_named(void **state)
{
    (void)state;
    assert_non_null(ipv4(1, 8, 8, true)); // without its first
    assert_null(ipv4(2, 0, 8, true));
    assert_non_null(ipv4(2, 16, 8, false)); // a gap
    assert_non_null(ipv4(2, 8, 8, false));  // and what follows it
    assert_null(ipv4(3, 0, 8, true));
    assert_non_null(ipv4(3, 0, 8, true)); // twice
    assert_non_null(ipv4(4, 0, 9, true)); // no multiple of 8
    assert_non_null(ipv4(5, 0, 0, true)); // nothing in it
    assert_null(ipv4(6, 0, JOIN_OCTETS_MAX, true));
    assert_non_null(ipv4(6, JOIN_OCTETS_MAX, 8, false)); // too long
    assert_int_equal(payload.n, 0);
}

#define JOIN_TEST(name) cmocka_unit_test_setup(name, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOIN_TEST(test_no_fragment),         JOIN_TEST(test_two_fragments),
        JOIN_TEST(test_several_at_once),     JOIN_TEST(test_one_id_of_two_hosts),
        JOIN_TEST(test_one_id_to_two_hosts), JOIN_TEST(test_what_is_wrong_is_named),
    };
    return cmocka_run_group_tests_name("lab/line/join", tests, NULL, NULL);
}
