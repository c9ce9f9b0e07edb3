// ICMP errors about a datagram of ours: who is told of which endpoint, and which are none.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/host_judge.h"

// clang-format off
static const uint8_t typed_ipv4[] = {
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
    0x45, 0xc0, 0, 56, 0, 7, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
    3, 3, 0, 0, 0, 0, 0, 0,                                                // port unreachable
    0x45, 0, 0, 40, 0, 1, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 2, 10, 0, 0, 9, // from us to 10.0.0.9
    OUR_PORT >> 8, OUR_PORT & 255, 0x59, 0xd8, 0, 20, 0, 0};               // port 23000
static const uint8_t typed_ipv6[] = {
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 56, 58, 64,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    1, 4, 0, 0, 0, 0, 0, 0,
    0x60, 0, 0, 0, 0, 20, 17, 64,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9,
    OUR_PORT >> 8, OUR_PORT & 255, 0x59, 0xd8, 0, 20, 0, 0};
// clang-format on
#define QUOTE_IPV4 42u
#define QUOTE_IPV6 62u

static struct port_endpoint told;
static uint32_t times;

static void note(void *self, const struct port_endpoint *endpoint, uint64_t now_ns)
{
    assert_ptr_equal(self, &told);
    (void)now_ns;
    told = *endpoint;
    times++;
}

static void hear(void)
{
    times = 0;
    fx.port.unreachable = note;
    fx.port.unreachable_self = &told;
}

static void is_told(const uint8_t *frame, uint32_t octets, const char *last_octets, uint32_t n)
{
    uint8_t b[FRAME_OCTETS_MAX];
    uint64_t before = fx.stats.host_packets;
    uint32_t said = times;
    memcpy(b, frame, octets);
    new_checksum(b, octets);
    assert_false(fixture_receive_octets(b, octets, 0));
    assert_int_equal(fx.stats.host_packets, before + 1);
    assert_int_equal(times, said + 1);
    assert_int_equal(told.udp_port, 23000);
    assert_memory_equal(told.address.octet + 16 - n, last_octets, n);
    fixture_assert_nothing_sent();
}

static void the_endpoint_is_told(void **state)
{
    (void)state;
    hear();
    is_told(typed_ipv4, sizeof typed_ipv4, "\xff\xff\x0a\0\0\x09", 6);
    is_told(typed_ipv6, sizeof typed_ipv6, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x09", 16);
    uint8_t b[sizeof typed_ipv4];
    memcpy(b, typed_ipv4, sizeof b);
    for (uint8_t code = 0; code < 16; code++) {
        b[35] = code;
        if (code != 4)
            is_told(b, sizeof b, "\x0a\0\0\x09", 4);
    }
}

static void without_anybody_to_tell_it_is_no_drop(void **state)
{
    (void)state;
    uint8_t b[sizeof typed_ipv4];
    memcpy(b, typed_ipv4, sizeof b);
    new_checksum(b, sizeof b);
    assert_false(fixture_receive_octets(b, sizeof b, 0));
    assert_int_equal(fx.stats.host_packets, 1);
    assert_int_equal(fx.stats.drop[DROP_icmp].packets, 0);
}

static void what_is_not_about_a_datagram_of_ours_is_dropped(void **state)
{
    (void)state;
    hear();
    static const struct change changes[] = {
        {35, 4},              // fragmentation needed
        {34, 5},              // a redirect
        {26, 224},            // said by a group
        {QUOTE_IPV4, 0x46},   // with options
        {QUOTE_IPV4 + 7, 8},  // not the first fragment
        {QUOTE_IPV4 + 9, 6},  // TCP
        {QUOTE_IPV4 + 15, 3}, // not from us
        {QUOTE_IPV4 + 20, 1}, // not from our port
    };
    each_is_dropped_though_sound(typed_ipv4, sizeof typed_ipv4, changes, 8);
    static const struct change changes6[] = {
        {54, 2},              // packet too big
        {22, 0xff},           // said by a group
        {QUOTE_IPV6, 0x40},   //
        {QUOTE_IPV6 + 6, 44}, // a fragment
        {QUOTE_IPV6 + 23, 3}, // not from us
        {QUOTE_IPV6 + 40, 1}, // not from our port
    };
    each_is_dropped_though_sound(typed_ipv6, sizeof typed_ipv6, changes6, 6);
    assert_int_equal(times, 0);
}

// Of every length: a quote that has not all of a UDP header is none.
static void one_cut_short_is_dropped(void **state)
{
    (void)state;
    hear();
    uint8_t b[FRAME_OCTETS_MAX];
    for (uint32_t n = 34 + 1; n < sizeof typed_ipv4; n++) {
        memcpy(b, typed_ipv4, n);
        put_be16(b + 16, (uint16_t)(n - 14));
        if (n >= 38)
            new_checksum(b, n);
        else
            frame_ipv4_checksum(b);
        is_dropped(b, n, DROP_icmp);
    }
    for (uint32_t n = 54 + 4; n < sizeof typed_ipv6; n++) {
        memcpy(b, typed_ipv6, n);
        put_be16(b + 18, (uint16_t)(n - 54));
        new_checksum(b, n);
        is_dropped(b, n, DROP_icmp);
    }
    assert_int_equal(times, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(the_endpoint_is_told),
        PORT_TEST(without_anybody_to_tell_it_is_no_drop),
        PORT_TEST(what_is_not_about_a_datagram_of_ours_is_dropped),
        PORT_TEST(one_cut_short_is_dropped),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
