// The port as a host that is pinged: what it answers, octet by octet, and whom it does not answer.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/host_judge.h"
#include "tests/dataplane/random.h"

#include "dataplane/wire/icmp.h"

// clang-format off
static const uint8_t typed_ping[] = {
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
    0x45, 0xb9, 0x00, 0x20, 0x00, 0x07, 0x00, 0x00, 0x3d, 0x01, 0x69, 0x1b, 10, 0, 0, 1, 10, 0, 0, 2,
    8, 0, 0xa4, 0x86, 0x12, 0x34, 0x00, 0x05, 0xde, 0xad, 0x62, 0x92,
    0, 0, 0, 0}; // padding
static const uint8_t typed_pong[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00,
    0x45, 0xb8, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x40, 0x01, 0x66, 0x23, 10, 0, 0, 2, 10, 0, 0, 1,
    0, 0, 0xac, 0x86, 0x12, 0x34, 0x00, 0x05, 0xde, 0xad, 0x62, 0x92};
static const uint8_t typed_ping_ipv6[] = {
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 11, 58, 64,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    128, 0, 0x4d, 0xa9, 0x12, 0x34, 0, 5, 'a', 'b', 'c'};
static const uint8_t typed_pong_ipv6[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 11, 58, 64,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    129, 0, 0x4c, 0xa9, 0x12, 0x34, 0, 5, 'a', 'b', 'c'};
// clang-format on

static void an_echo_is_answered(void **state)
{
    (void)state;
    is_answered(typed_ping, sizeof typed_ping, typed_pong, sizeof typed_pong);
    is_answered(typed_ping_ipv6, sizeof typed_ping_ipv6, typed_pong_ipv6, sizeof typed_pong_ipv6);
    assert_int_equal(fx.stats.host_octets, sizeof typed_ping + sizeof typed_ping_ipv6);
}

static void an_echo_of_every_length_is_answered(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX], sent[FRAME_OCTETS_MAX], data[1472], message[1480];
    random_begin();
    random_fill(data, sizeof data);
    for (uint32_t n = 0; n <= sizeof data; n++) {
        struct icmp_echo echo = {.identifier = 9, .sequence = 1, .payload = {data, n}}, back;
        int octets = icmp_echo_encode(&echo, message, sizeof message);
        struct ipv4 ip = ipv4_from_peer(IPV4_PROTOCOL_ICMP, message, (uint32_t)octets), reply;
        assert_false(fixture_receive_octets(b, frame_ipv4(b, &ip), 0));
        uint32_t got = fixture_sent(sent);
        assert_int_equal(got, 42 + n);
        assert_true(ipv4_decode(&reply, sent + 14, got - 14) > 0);
        assert_true(icmp_echo_decode(&back, reply.payload.at, reply.payload.n) > 0);
        assert_true(back.reply);
        assert_int_equal(back.payload.n, n);
        if (n)
            assert_memory_equal(back.payload.at, data, n);
    }
}

static void an_echo_that_is_not_sound_is_not_answered(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {6, 3},    // from a group's Ethernet address
        {34, 0},   // a reply
        {34, 13},  // a timestamp
        {35, 1},   // a code
        {26, 0},   // from nowhere, loopback, a group and beyond
        {26, 127}, //
        {26, 224}, //
        {26, 255}, //
        {29, 255}, // from the broadcast address of the link
        {29, 2},   // from us
    };
    const uint32_t octets = sizeof typed_ping - 4;
    each_is_dropped_though_sound(typed_ping, octets, changes, sizeof changes / sizeof changes[0]);
    static const struct change flaws[] = {{44, 0}, {45, 1}, {37, 0}};
    each_is_dropped(typed_ping, octets, flaws, 3, DROP_icmp);
    static const struct change changes6[] = {{6, 3}, {54, 129}, {55, 1}, {22, 0xff}, {37, 2}};
    each_is_dropped_though_sound(typed_ping_ipv6, sizeof typed_ping_ipv6, changes6, 5);
    static const struct change flaws6[] = {{64, 'x'}, {56, 1}};
    each_is_dropped(typed_ping_ipv6, sizeof typed_ping_ipv6, flaws6, 2, DROP_icmp);
    uint8_t b[sizeof typed_ping_ipv6];
    memcpy(b, typed_ping_ipv6, sizeof b);
    memset(b + 22, 0, 16); // from ::
    new_checksum(b, sizeof b);
    is_dropped(b, sizeof b, DROP_icmp);
    assert_int_equal(fx.stats.answers, 0);
}

// Not even one to all nodes, of whom many would answer at once.
static void an_echo_to_a_group_is_not_answered(void **state)
{
    (void)state;
    uint8_t b[sizeof typed_ping_ipv6];
    memcpy(b, typed_ping_ipv6, sizeof b);
    memcpy(b, (uint8_t[]){0x33, 0x33, 0, 0, 0, 1}, 6);
    memcpy(b + 38, (uint8_t[16]){0xff, 2, [15] = 1}, 16);
    new_checksum(b, sizeof b);
    is_dropped(b, sizeof b, DROP_icmp);
}

// RFC 6946: it is all, and waits for nobody.
static void an_echo_in_an_atomic_fragment_is_answered(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct ipv6 ip;
    assert_true(ipv6_decode(&ip, typed_ping_ipv6 + 14, sizeof typed_ping_ipv6 - 14) > 0);
    ip.has_fragment = true;
    ip.fragment = (struct ipv6_fragment){.id = 5};
    uint32_t n = frame_ipv6(b, &ip);
    is_answered(b, n, typed_pong_ipv6, sizeof typed_pong_ipv6);
}

static void without_a_buffer_nothing_is_answered(void **state)
{
    (void)state;
    both_go_unanswered(typed_ping, sizeof typed_ping, typed_ping_ipv6, sizeof typed_ping_ipv6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(an_echo_is_answered),
        PORT_TEST(an_echo_of_every_length_is_answered),
        PORT_TEST(an_echo_that_is_not_sound_is_not_answered),
        PORT_TEST(an_echo_to_a_group_is_not_answered),
        PORT_TEST(an_echo_in_an_atomic_fragment_is_answered),
        PORT_TEST(without_a_buffer_nothing_is_answered),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
