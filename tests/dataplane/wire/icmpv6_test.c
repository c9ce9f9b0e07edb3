// ICMPv6: typed octets both ways, options of neighbour discovery, each truncation and each fault.
// The checksums of the typed messages were added up by hand, pseudo header included.
#include "dataplane/wire/icmpv6.h"

#include "tests/dataplane/wire/judge.h"

#define ADDRESS(...)    \
    {                   \
        {               \
            __VA_ARGS__ \
        }               \
    }
#define MAC    0x02, 0x53, 0x4c, 0x00, 0x00, 0x01
#define TARGET 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2

static const struct ipv6_address target = ADDRESS(TARGET);
static const struct mac mac = {{MAC}};

// --- Echo ----------------------------------------------------------------------------------------

static const struct ipv6_address db8_1 =
    ADDRESS(0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
static const struct ipv6_address db8_2 =
    ADDRESS(0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);

// 2001 + 0db8 + 1 + 2001 + 0db8 + 2 + b + 3a + 8000 + 7 + 1 + 6162 + 6300 = 1a024; a025 inverted is
// 5fda.
static const uint8_t echo[] = {128, 0, 0x5f, 0xda, 0, 7, 0, 1, 'a', 'b', 'c'};

static void test_echo(void **state)
{
    struct icmpv6_echo message;
    uint8_t b[11];
    (void)state;
    assert_int_equal(icmpv6_echo_decode(&message, page_end_copy(echo, 11), 11), 11);
    assert_false(message.reply);
    assert_int_equal(message.checksum, 0x5fda);
    assert_int_equal(message.identifier, 7);
    assert_int_equal(message.sequence, 1);
    expect_octets(message.payload, "abc", 3);
    assert_int_equal(icmpv6_echo_encode(&message, b, sizeof b), 11);
    assert_memory_equal(b, echo, sizeof b);
}

static void test_echo_reply(void **state)
{
    struct icmpv6_echo message = {.reply = true, .identifier = 0x1234, .sequence = 0xfedc};
    const uint8_t typed[] = {129, 0, 0, 0, 0x12, 0x34, 0xfe, 0xdc};
    uint8_t b[8];
    (void)state;
    assert_int_equal(icmpv6_echo_encode(&message, b, sizeof b), 8);
    assert_memory_equal(b, typed, sizeof b);
    assert_int_equal(icmpv6_echo_decode(&message, b, sizeof b), 8);
    assert_true(message.reply);
    assert_int_equal(message.payload.n, 0);
}

static void test_echo_faults(void **state)
{
    static uint8_t large[65536];
    struct icmpv6_echo message;
    uint8_t b[11];
    (void)state;
    for (uint32_t n = 0; n < 8; n++)
        EXPECT_FAULT(icmpv6_echo_decode(&message, page_end_copy(echo, n), n), TRUNCATED, n);
    memcpy(b, echo, sizeof b);
    b[0] = 127;
    EXPECT_FAULT(icmpv6_echo_decode(&message, b, sizeof b), TYPE, 0);
    b[0] = 130;
    EXPECT_FAULT(icmpv6_echo_decode(&message, b, sizeof b), TYPE, 0);
    b[0] = 129;
    b[1] = 1;
    EXPECT_FAULT(icmpv6_echo_decode(&message, b, sizeof b), RESERVED, 1);
    message = (struct icmpv6_echo){.payload = {large, 65527}};
    assert_int_equal(icmpv6_echo_encode(&message, large, sizeof large), 65535);
    message.payload.n = 65528;
    EXPECT_FAULT(icmpv6_echo_encode(&message, large, sizeof large), RANGE, 8);
    message.payload.n = 1;
    EXPECT_FAULT(icmpv6_echo_encode(&message, page_end(8), 8), NO_ROOM, 8);
}

// --- The checksum --------------------------------------------------------------------------------

static void test_checksum(void **state)
{
    uint8_t b[11];
    (void)state;
    memcpy(b, echo, sizeof b);
    assert_int_equal(icmpv6_check_checksum(b, sizeof b, &db8_1, &db8_2), 0);
    b[2] = b[3] = 0x55;
    EXPECT_FAULT(icmpv6_check_checksum(b, sizeof b, &db8_1, &db8_2), CHECKSUM, 2);
    icmpv6_put_checksum(b, sizeof b, &db8_1, &db8_2);
    assert_memory_equal(b, echo, sizeof b);
}

static void test_checksum_guards_each_octet(void **state)
{
    uint8_t all[16 + 16 + sizeof echo];
    struct ipv6_address source, destination;
    (void)state;
    for (uint32_t bit = 0; bit < 8 * sizeof all; bit++) {
        memcpy(all, db8_1.octet, 16);
        memcpy(all + 16, db8_2.octet, 16);
        memcpy(all + 32, echo, sizeof echo);
        all[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memcpy(source.octet, all, 16);
        memcpy(destination.octet, all + 16, 16);
        EXPECT_FAULT(icmpv6_check_checksum(all + 32, sizeof echo, &source, &destination), CHECKSUM,
                     2);
    }
}

// --- Neighbours ----------------------------------------------------------------------------------

// fe80::1 asks all that may be fe80::2: fe80 + 1 + ff02 + 1 + ff00 + 2 + 20 + 3a + 8700 + fe80 + 2
// + 0101 + 0253 + 4c00 + 1 = 4d1b7; d1bb inverted is 2e44.
static const uint8_t solicitation[] = {135, 0, 0x2e, 0x44, 0, 0, 0, 0, TARGET, 1, 1, MAC};

static void test_solicitation(void **state)
{
    const struct ipv6_address from = ADDRESS(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    const struct ipv6_address to = ADDRESS(0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 2);
    struct icmpv6_neighbour_solicitation message;
    uint8_t b[32];
    (void)state;
    const uint8_t *typed = page_end_copy(solicitation, 32);
    assert_int_equal(icmpv6_neighbour_solicitation_decode(&message, typed, 32), 32);
    assert_int_equal(message.checksum, 0x2e44);
    assert_memory_equal(message.target.octet, target.octet, 16);
    assert_true(message.has_source_mac);
    assert_memory_equal(message.source_mac.octet, mac.octet, 6);
    message.checksum = 0;
    assert_int_equal(icmpv6_neighbour_solicitation_encode(&message, b, sizeof b), 32);
    icmpv6_put_checksum(b, sizeof b, &from, &to);
    assert_memory_equal(b, solicitation, sizeof b);
}

static void test_advertisement(void **state)
{
    const uint8_t typed[] = {136, 0, 0xab, 0xcd, 0, 0, 0, 0, TARGET, 2, 1, MAC};
    struct icmpv6_neighbour_advertisement message;
    uint8_t b[32], again[32];
    (void)state;
    memcpy(b, typed, sizeof b);
    for (uint32_t flags = 0; flags < 8; flags++) {
        b[4] = (uint8_t)(flags << 5);
        assert_int_equal(icmpv6_neighbour_advertisement_decode(&message, b, sizeof b), 32);
        assert_int_equal(message.checksum, 0xabcd);
        assert_int_equal(message.router, flags >> 2 & 1);
        assert_int_equal(message.solicited, flags >> 1 & 1);
        assert_int_equal(message.override, flags & 1);
        assert_memory_equal(message.target.octet, target.octet, 16);
        assert_true(message.has_target_mac);
        assert_memory_equal(message.target_mac.octet, mac.octet, 6);
        assert_int_equal(icmpv6_neighbour_advertisement_encode(&message, again, sizeof again), 32);
        assert_memory_equal(again, b, sizeof b);
    }
}

static void test_without_an_option(void **state)
{
    struct icmpv6_neighbour_solicitation s = {.has_source_mac = true};
    struct icmpv6_neighbour_advertisement a = {.has_target_mac = true};
    const uint8_t asked[24] = {135, 0, 0, 0, 0, 0, 0, 0, TARGET};
    const uint8_t told[24] = {136, 0, 0, 0, 0, 0, 0, 0, TARGET};
    uint8_t b[24];
    (void)state;
    assert_int_equal(icmpv6_neighbour_solicitation_decode(&s, page_end_copy(asked, 24), 24), 24);
    assert_false(s.has_source_mac);
    assert_int_equal(icmpv6_neighbour_solicitation_encode(&s, b, sizeof b), 24);
    assert_memory_equal(b, asked, sizeof b);
    assert_int_equal(icmpv6_neighbour_advertisement_decode(&a, page_end_copy(told, 24), 24), 24);
    assert_false(a.has_target_mac);
    assert_int_equal(icmpv6_neighbour_advertisement_encode(&a, b, sizeof b), 24);
    assert_memory_equal(b, told, sizeof b);
}

// A nonce of 16 octets, the other side's option, then its own twice: the first counts. Reserved
// bits are set.
static void test_other_options_are_stepped_over(void **state)
{
    const uint8_t typed[] = {135, 0, 0,   0, 0xff, 0xff, 0xff, 0xff, TARGET, //
                             14,  2, 0,   0, 0,    0,    0,    0,    0,      0, 0, 0,
                             0,   0, 0,   0, 2,    1,    9,    9,    9,      9, 9, 9, //
                             1,   1, MAC,                                             //
                             1,   1, 8,   8, 8,    8,    8,    8};
    struct icmpv6_neighbour_solicitation message;
    (void)state;
    const uint8_t *b = page_end_copy(typed, sizeof typed);
    assert_int_equal(icmpv6_neighbour_solicitation_decode(&message, b, sizeof typed), sizeof typed);
    assert_true(message.has_source_mac);
    assert_memory_equal(message.source_mac.octet, mac.octet, 6);
}

// Both messages read by the same rules; the option's type alone differs.
static int neighbour(uint8_t type, const uint8_t *b, uint32_t n)
{
    struct icmpv6_neighbour_solicitation s;
    struct icmpv6_neighbour_advertisement a;
    return type == 135 ? icmpv6_neighbour_solicitation_decode(&s, b, n)
                       : icmpv6_neighbour_advertisement_decode(&a, b, n);
}

static void neighbour_refused(uint32_t at, uint8_t value, enum wire_err err, uint32_t offset)
{
    for (uint8_t type = 135; type <= 136; type++) {
        uint8_t b[sizeof solicitation];
        memcpy(b, solicitation, sizeof b);
        b[0] = type;
        b[24] = (uint8_t)(type - 134);
        b[at] = value;
        expect_fault(neighbour(type, page_end_copy(b, sizeof b), sizeof b), err, offset);
    }
}

static void test_neighbour_faults(void **state)
{
    (void)state;
    for (uint8_t type = 135; type <= 136; type++) {
        uint8_t b[sizeof solicitation];
        memcpy(b, solicitation, sizeof b);
        b[0] = type;
        for (uint32_t n = 0; n < 24; n++)
            EXPECT_FAULT(neighbour(type, page_end_copy(b, n), n), TRUNCATED, n);
        EXPECT_FAULT(neighbour(type, page_end_copy(b, 25), 25), TRUNCATED, 25);
        for (uint32_t n = 26; n < 32; n++)
            EXPECT_FAULT(neighbour(type, page_end_copy(b, n), n), LENGTH, 25);
    }
    neighbour_refused(0, 134, WIRE_TYPE, 0);
    neighbour_refused(0, 137, WIRE_TYPE, 0);
    neighbour_refused(1, 1, WIRE_RESERVED, 1);
    neighbour_refused(25, 0, WIRE_LENGTH, 25);
    neighbour_refused(25, 2, WIRE_LENGTH, 25);
    neighbour_refused(25, 255, WIRE_LENGTH, 25);
    EXPECT_FAULT(neighbour(136, solicitation, 32), TYPE, 0);
}

// One that nobody asks for, too: it would be stepped over for ever.
static void test_option_without_length(void **state)
{
    const uint8_t typed[] = {135, 0, 0, 0, 0, 0, 0, 0, TARGET, 14, 0, 0, 0, 0, 0, 0, 0};
    (void)state;
    EXPECT_FAULT(neighbour(135, typed, sizeof typed), LENGTH, 25);
}

// An address of another length is no Ethernet address, though the octets are there.
static void test_link_address_of_another_length(void **state)
{
    const uint8_t typed[] = {135, 0, 0, 0, 0, 0, 0, 0, TARGET, 1, 2, MAC, 0, 0, 0, 0, 0, 0, 0, 0};
    (void)state;
    EXPECT_FAULT(neighbour(135, typed, sizeof typed), LENGTH, 25);
}

static void test_neighbour_no_room(void **state)
{
    struct icmpv6_neighbour_solicitation s = {.has_source_mac = true};
    struct icmpv6_neighbour_advertisement a = {.has_target_mac = false};
    (void)state;
    EXPECT_FAULT(icmpv6_neighbour_solicitation_encode(&s, page_end(31), 31), NO_ROOM, 31);
    EXPECT_FAULT(icmpv6_neighbour_advertisement_encode(&a, page_end(23), 23), NO_ROOM, 23);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_echo),
        cmocka_unit_test(test_echo_reply),
        cmocka_unit_test(test_echo_faults),
        cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_checksum_guards_each_octet),
        cmocka_unit_test(test_solicitation),
        cmocka_unit_test(test_advertisement),
        cmocka_unit_test(test_without_an_option),
        cmocka_unit_test(test_other_options_are_stepped_over),
        cmocka_unit_test(test_neighbour_faults),
        cmocka_unit_test(test_option_without_length),
        cmocka_unit_test(test_link_address_of_another_length),
        cmocka_unit_test(test_neighbour_no_room),
    };
    return cmocka_run_group_tests_name("wire/icmpv6", tests, NULL, NULL);
}
