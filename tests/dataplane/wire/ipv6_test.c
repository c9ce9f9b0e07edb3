// IPv6: typed octets both ways, extension headers in front of the payload, the fragment header,
// each truncation and each fault, and the checksum against a plain one.
#include "dataplane/wire/ipv6.h"

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

enum { HOP_BY_HOP = 0, UDP = 17, ROUTING = 43, FRAGMENT = 44, NO_NEXT = 59, DESTINATION = 60 };

#define SOURCE              0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1
#define DESTINATION_ADDRESS 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 2

static const uint8_t typed[] = {
    0x6b, 0x9a, 0xbc, 0xde, 0, 2, UDP, 64, SOURCE, DESTINATION_ADDRESS, 'h', 'i',
};

static const struct ipv6 meant = {.traffic_class = 0xb9,
                                  .flow_label = 0xabcde,
                                  .next_header = UDP,
                                  .hop_limit = 64,
                                  .source = {{SOURCE}},
                                  .destination = {{DESTINATION_ADDRESS}},
                                  .payload = {(const uint8_t *)"hi", 2}};

static void test_decode(void **state)
{
    struct ipv6 p;
    (void)state;
    assert_int_equal(ipv6_decode(&p, page_end_copy(typed, 42), 42), 42);
    assert_int_equal(p.traffic_class, 0xb9);
    assert_int_equal(p.flow_label, 0xabcde);
    assert_int_equal(p.next_header, 17);
    assert_int_equal(p.hop_limit, 64);
    assert_memory_equal(p.source.octet, meant.source.octet, 16);
    assert_memory_equal(p.destination.octet, meant.destination.octet, 16);
    assert_false(p.has_fragment);
    expect_octets(p.payload, "hi", 2);
}

static void test_encode(void **state)
{
    uint8_t b[42];
    (void)state;
    assert_int_equal(ipv6_encode(&meant, b, sizeof b), 42);
    assert_memory_equal(b, typed, sizeof b);
}

static void test_padding_is_left_out(void **state)
{
    uint8_t b[46] = {0};
    struct ipv6 p;
    (void)state;
    memcpy(b, typed, sizeof typed);
    assert_int_equal(ipv6_decode(&p, b, sizeof b), 42);
    assert_int_equal(p.payload.n, 2);
}

// --- Extension headers ---------------------------------------------------------------------------

// The typed packet's header with other headers behind it, `next` naming the first.
struct packet {
    uint8_t at[512];
    uint32_t n;
};

static struct packet packet_of(uint8_t next, const uint8_t *octets, uint32_t n)
{
    struct packet p = {.n = 40 + n};
    memcpy(p.at, typed, 40);
    memcpy(p.at + 40, octets, n);
    p.at[4] = (uint8_t)(n >> 8);
    p.at[5] = (uint8_t)n;
    p.at[6] = next;
    return p;
}
#define PACKET(next, ...) packet_of(next, TYPED(__VA_ARGS__), sizeof((uint8_t[]){__VA_ARGS__}))

static struct ipv6 decoded(const struct packet *packet)
{
    struct ipv6 p;
    assert_int_equal(ipv6_decode(&p, page_end_copy(packet->at, packet->n), packet->n), packet->n);
    return p;
}

static void expect_refused(const struct packet *packet, enum wire_err err, uint32_t offset)
{
    struct ipv6 p;
    expect_fault(ipv6_decode(&p, page_end_copy(packet->at, packet->n), packet->n), err, offset);
}

#define PAD_8(next) next, 0, 1, 4, 0, 0, 0, 0

static void test_extensions_are_stepped_over(void **state)
{
    struct packet one = PACKET(HOP_BY_HOP, PAD_8(UDP), 'h', 'i');
    struct packet routing = PACKET(ROUTING, UDP, 2, 2, 1, 0, 0, 0, 0, SOURCE, 'h', 'i');
    struct packet all = PACKET(HOP_BY_HOP, PAD_8(DESTINATION), PAD_8(ROUTING), DESTINATION, 2, 2, 0,
                               0, 0, 0, 0, SOURCE, PAD_8(NO_NEXT));
    struct packet *const packets[] = {&one, &routing};
    (void)state;
    for (size_t i = 0; i < COUNT(packets); i++) {
        struct ipv6 p = decoded(packets[i]);
        assert_int_equal(p.next_header, 17);
        assert_false(p.has_fragment);
        expect_octets(p.payload, "hi", 2);
    }
    struct ipv6 p = decoded(&all);
    assert_int_equal(p.next_header, NO_NEXT);
    assert_int_equal(p.payload.n, 0);
}

// So many destination options, then UDP.
static struct packet with_many(uint32_t count)
{
    uint8_t b[16 * 8];
    for (uint32_t i = 0; i < count; i++)
        memcpy(b + 8 * i, TYPED(PAD_8(i + 1 < count ? DESTINATION : UDP)), 8);
    return packet_of(DESTINATION, b, 8 * count);
}

static void test_eight_extensions_at_most(void **state)
{
    struct packet eight = with_many(8), nine = with_many(9), many = with_many(16);
    (void)state;
    assert_int_equal(decoded(&eight).next_header, UDP);
    expect_refused(&nine, WIRE_TYPE, 40 + 7 * 8);
    expect_refused(&many, WIRE_TYPE, 40 + 7 * 8);
}

// RFC 8200 4.3: hop-by-hop options come first or not at all.
static void test_hop_by_hop_is_first(void **state)
{
    struct packet twice = PACKET(HOP_BY_HOP, PAD_8(HOP_BY_HOP), PAD_8(UDP));
    struct packet late = PACKET(DESTINATION, PAD_8(HOP_BY_HOP), PAD_8(UDP));
    (void)state;
    expect_refused(&twice, WIRE_TYPE, 40);
    expect_refused(&late, WIRE_TYPE, 40);
}

static void test_extension_lengths(void **state)
{
    struct packet long_one = PACKET(HOP_BY_HOP, UDP, 1, 1, 4, 0, 0, 0, 0, 'h', 'i');
    struct packet longest = PACKET(ROUTING, UDP, 255, 0, 0, 0, 0, 0, 0);
    struct packet second = PACKET(HOP_BY_HOP, PAD_8(DESTINATION), UDP, 1, 1, 4, 0, 0, 0, 0);
    (void)state;
    expect_refused(&long_one, WIRE_LENGTH, 41);
    expect_refused(&longest, WIRE_LENGTH, 41);
    expect_refused(&second, WIRE_LENGTH, 49);
}

// The packet ends inside a header, wherever: the payload length says so.
static void test_cut_off_extensions(void **state)
{
    const uint8_t all[] = {PAD_8(DESTINATION), PAD_8(FRAGMENT), UDP, 0, 0, 0, 0, 0, 0, 1};
    (void)state;
    for (uint32_t n = 0; n < sizeof all; n++) {
        struct packet p = packet_of(HOP_BY_HOP, all, n);
        expect_refused(&p, WIRE_TRUNCATED, 40 + n);
    }
    struct packet whole = packet_of(HOP_BY_HOP, all, sizeof all);
    assert_int_equal(decoded(&whole).fragment.id, 1);
}

// --- Fragments -----------------------------------------------------------------------------------

static const uint8_t fragment[] = {UDP, 0, 0xab, 0xc9, 0x12, 0x34, 0x56, 0x78, 'h', 'i'};

static void test_fragment(void **state)
{
    struct packet packet = packet_of(FRAGMENT, fragment, sizeof fragment);
    struct ipv6 p = decoded(&packet);
    uint8_t b[50];
    (void)state;
    assert_true(p.has_fragment);
    assert_int_equal(p.next_header, 17);
    assert_int_equal(p.fragment.offset, 0x1579); // 0xabc9 without its three low bits
    assert_true(p.fragment.more_fragments);
    assert_int_equal(p.fragment.id, 0x12345678);
    expect_octets(p.payload, "hi", 2);
    assert_int_equal(ipv6_encode(&p, b, sizeof b), 50);
    assert_memory_equal(b, packet.at, 50);
}

static void test_last_fragment(void **state)
{
    struct packet packet = PACKET(FRAGMENT, UDP, 0, 0, 8, 0, 0, 0, 1);
    struct ipv6 p = decoded(&packet);
    (void)state;
    assert_int_equal(p.fragment.offset, 1);
    assert_false(p.fragment.more_fragments);
    assert_int_equal(p.payload.n, 0);
}

// Behind it lies a piece of the whole packet: even a header's type is left as it is.
static void test_fragment_ends_the_walk(void **state)
{
    struct packet packet = PACKET(DESTINATION, PAD_8(FRAGMENT), DESTINATION, 0, 0, 0x11, 0, 0, 0, 1,
                                  UDP, 9, 9, 9, 9, 9, 9, 9);
    struct ipv6 p = decoded(&packet);
    uint8_t b[56];
    (void)state;
    assert_int_equal(p.next_header, DESTINATION);
    assert_int_equal(p.payload.n, 8);
    assert_int_equal(ipv6_encode(&p, b, sizeof b), 56);
    assert_memory_equal(b + 40, packet.at + 48, 16);
}

static void test_reserved_bits_of_a_fragment_are_ignored(void **state)
{
    struct packet packet = PACKET(FRAGMENT, UDP, 0xff, 0, 0x0e, 0, 0, 0, 1, 'x');
    struct ipv6 p = decoded(&packet);
    uint8_t b[49];
    (void)state;
    assert_int_equal(p.fragment.offset, 1);
    assert_false(p.fragment.more_fragments);
    assert_int_equal(ipv6_encode(&p, b, sizeof b), 49);
    assert_int_equal(b[41], 0);
    assert_int_equal(b[43], 8);
}

// --- Faults --------------------------------------------------------------------------------------

static void test_decode_faults(void **state)
{
    struct packet packet = packet_of(UDP, (const uint8_t *)"hi", 2);
    struct ipv6 p;
    (void)state;
    for (uint32_t n = 0; n < 40; n++)
        EXPECT_FAULT(ipv6_decode(&p, page_end_copy(typed, n), n), TRUNCATED, n);
    for (uint32_t n = 40; n < sizeof typed; n++)
        EXPECT_FAULT(ipv6_decode(&p, page_end_copy(typed, n), n), LENGTH, 4);
    packet.at[0] = 0x4b;
    expect_refused(&packet, WIRE_VERSION, 0);
    packet.at[0] = 0x6b;
    packet.at[5] = 3;
    expect_refused(&packet, WIRE_LENGTH, 4);
    packet.at[4] = 0xff;
    expect_refused(&packet, WIRE_LENGTH, 4);
}

static void test_encode_faults(void **state)
{
    static uint8_t b[70000];
    struct ipv6 p = meant;
    (void)state;
    p.flow_label = 0x100000;
    EXPECT_FAULT(ipv6_encode(&p, b, sizeof b), RANGE, 1);
    p.flow_label = 0xfffff;
    p.payload = (struct octets){b, 65535};
    assert_int_equal(ipv6_encode(&p, b, sizeof b), 65575);
    p.payload.n = 65536;
    EXPECT_FAULT(ipv6_encode(&p, b, sizeof b), RANGE, 4);
    p.payload.n = 65528;
    p.has_fragment = true;
    EXPECT_FAULT(ipv6_encode(&p, b, sizeof b), RANGE, 4);
    p.payload.n = 65527;
    assert_int_equal(ipv6_encode(&p, b, sizeof b), 65575);
    p.fragment.offset = 0x2000;
    EXPECT_FAULT(ipv6_encode(&p, b, sizeof b), RANGE, 42);
    EXPECT_FAULT(ipv6_encode(&meant, page_end(41), 41), NO_ROOM, 41);
}

// The payload would be read as such a header.
static void test_encode_refuses_to_name_a_header(void **state)
{
    static const uint8_t headers[] = {HOP_BY_HOP, ROUTING, FRAGMENT, DESTINATION};
    struct ipv6 p = meant;
    uint8_t b[50];
    (void)state;
    for (size_t i = 0; i < COUNT(headers); i++) {
        p.next_header = headers[i];
        p.has_fragment = false;
        EXPECT_FAULT(ipv6_encode(&p, b, sizeof b), RANGE, 6);
        p.has_fragment = true;
        assert_int_equal(ipv6_encode(&p, b, sizeof b), 50);
    }
}

// --- The checksum --------------------------------------------------------------------------------

static void test_checksum_against_plain(void **state)
{
    uint8_t whole[40 + 300];
    struct ipv6_address source, destination;
    (void)state;
    random_begin();
    for (uint32_t n = 0; n <= 300; n++) {
        random_fill(whole, sizeof whole);
        memcpy(source.octet, whole, 16);
        memcpy(destination.octet, whole + 16, 16);
        memset(whole + 32, 0, 8);
        whole[34] = (uint8_t)(n >> 8);
        whole[35] = (uint8_t)n;
        whole[39] = (uint8_t)random_next();
        assert_int_equal(ipv6_checksum(&source, &destination, whole[39], whole + 40, n),
                         plain_checksum(whole, 40 + n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_padding_is_left_out),
        cmocka_unit_test(test_extensions_are_stepped_over),
        cmocka_unit_test(test_eight_extensions_at_most),
        cmocka_unit_test(test_hop_by_hop_is_first),
        cmocka_unit_test(test_extension_lengths),
        cmocka_unit_test(test_cut_off_extensions),
        cmocka_unit_test(test_fragment),
        cmocka_unit_test(test_last_fragment),
        cmocka_unit_test(test_fragment_ends_the_walk),
        cmocka_unit_test(test_reserved_bits_of_a_fragment_are_ignored),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_faults),
        cmocka_unit_test(test_encode_refuses_to_name_a_header),
        cmocka_unit_test(test_checksum_against_plain),
    };
    return cmocka_run_group_tests_name("wire/ipv6", tests, NULL, NULL);
}
