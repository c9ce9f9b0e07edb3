// The port as a host whose address is asked for, by ARP and neighbour discovery: what it answers,
// octet by octet, whom it does not answer, what it learns. Echo is in host_echo_test.c.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/host_judge.h"

#define NS_OCTETS 86

// clang-format off
static const uint8_t typed_request[] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x08, 0x06,
    0, 1, 0x08, 0, 6, 4, 0, 1,
    2, 0, 0, 0, 0, 1, 10, 0, 0, 1,  0, 0, 0, 0, 0, 0, 10, 0, 0, 2};
static const uint8_t typed_reply[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x06,
    0, 1, 0x08, 0, 6, 4, 0, 2,
    2, 0, 0, 0, 0, 2, 10, 0, 0, 2,  2, 0, 0, 0, 0, 1, 10, 0, 0, 1};
static const uint8_t typed_solicitation[NS_OCTETS] = {
    0x33, 0x33, 0xff, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 32, 58, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 2,
    135, 0, 0x1c, 0x27, 0, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    1, 1, 2, 0, 0, 0, 0, 1};
static const uint8_t typed_advertisement[NS_OCTETS] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 32, 58, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    136, 0, 0x8a, 0x71, 0x60, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    2, 1, 2, 0, 0, 0, 0, 2};
// From ::, with nothing that says where from, answered to all.
static const uint8_t typed_probe[] = {
    0x33, 0x33, 0xff, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 24, 58, 255,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 2,
    135, 0, 0x4c, 0xeb, 0, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
static const uint8_t typed_defence[NS_OCTETS] = {
    0x33, 0x33, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 32, 58, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    136, 0, 0xf9, 0x27, 0x20, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    2, 1, 2, 0, 0, 0, 0, 2};
// clang-format on

static void arp_is_answered(void **state)
{
    (void)state;
    is_answered(typed_request, sizeof typed_request, typed_reply, sizeof typed_reply);
    uint8_t unicast[60] = {0};
    memcpy(unicast, typed_request, sizeof typed_request);
    memcpy(unicast, &our_mac, 6);
    is_answered(unicast, sizeof unicast, typed_reply, sizeof typed_reply);
    assert_int_equal(fx.stats.host_octets, sizeof typed_request + sizeof unicast);
    assert_int_equal(fx.stats.answers, 2);
    assert_int_equal(fx.stats.answers_unsent, 0);
    assert_int_equal(fx.stats.tx_packets, 2);
    assert_int_equal(fx.stats.tx_octets, 2 * sizeof typed_reply);
}

// RFC 5227: who wants to know whether an address is free has none yet.
static void an_arp_probe_is_told_that_we_are_here(void **state)
{
    (void)state;
    uint8_t probe[sizeof typed_request], reply[sizeof typed_reply];
    memcpy(probe, typed_request, sizeof probe);
    memcpy(reply, typed_reply, sizeof reply);
    memset(probe + 28, 0, 4);
    memset(reply + 38, 0, 4);
    is_answered(probe, sizeof probe, reply, sizeof reply);
}

static void arp_that_is_not_sound_is_not_answered(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {6, 3},    // from a group's Ethernet address
        {15, 6},   // another hardware
        {16, 9},   // another protocol
        {18, 5},   // another length
        {21, 3},   // no such operation
        {22, 1},   // a group says that it is its address
        {28, 224}, // from a group, and from beyond
        {28, 255}, //
        {28, 127}, //
        {31, 255}, // from the broadcast address of the link
        {31, 2},   // from us
        {41, 3},   // for somebody else
    };
    each_is_dropped(typed_request, sizeof typed_request, changes,
                    sizeof changes / sizeof changes[0], DROP_arp);
    for (uint32_t n = 14; n < sizeof typed_request; n++)
        is_dropped(typed_request, n, DROP_arp);
    assert_int_equal(fx.stats.answers, 0);
}

static void a_solicitation_is_answered(void **state)
{
    (void)state;
    is_answered(typed_solicitation, NS_OCTETS, typed_advertisement, NS_OCTETS);
    uint8_t unicast[NS_OCTETS];
    memcpy(unicast, typed_solicitation, NS_OCTETS);
    memcpy(unicast, &our_mac, 6);
    memcpy(unicast + 38, &our_ipv6, 16);
    new_checksum(unicast, NS_OCTETS);
    is_answered(unicast, NS_OCTETS, typed_advertisement, NS_OCTETS);
}

static void who_wants_our_address_is_told_so(void **state)
{
    (void)state;
    is_answered(typed_probe, sizeof typed_probe, typed_defence, NS_OCTETS);
}

static void a_solicitation_that_is_not_sound_is_not_answered(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {21, 254},  // has crossed a router
        {6, 3},     // from a group's Ethernet address
        {55, 1},    // a code
        {77, 9},    // for somebody else
        {62, 0xff}, // for a group
        {37, 2},    // from us
        {22, 0xff}, // from a group
        {79, 0},    // an option of no length
        {79, 2},    // one that is longer than the message
        {54, 133},  // a router solicitation
    };
    each_is_dropped_though_sound(typed_solicitation, NS_OCTETS, changes,
                                 sizeof changes / sizeof changes[0]);
    static const struct change flaws[] = {{56, 0}, {85, 2}};
    each_is_dropped(typed_solicitation, NS_OCTETS, flaws, 2, DROP_icmp);
    uint8_t b[NS_OCTETS];
    memcpy(b, typed_solicitation, NS_OCTETS);
    memset(b + 22, 0, 16); // from ::, with an address to answer to
    new_checksum(b, NS_OCTETS);
    is_dropped(b, NS_OCTETS, DROP_icmp);
    memcpy(b, typed_probe, sizeof typed_probe); // a probe that is for us alone
    memcpy(b + 38, &our_ipv6, 16);
    memcpy(b, &our_mac, 6);
    new_checksum(b, sizeof typed_probe);
    is_dropped(b, sizeof typed_probe, DROP_icmp);
    assert_int_equal(fx.stats.answers, 0);
}

// RFC 6980: as an atomic fragment it would be read (host_echo_test.c), but it may not count.
static void a_solicitation_in_a_fragment_does_not_count(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct ipv6 ip;
    assert_true(ipv6_decode(&ip, typed_solicitation + 14, NS_OCTETS - 14) > 0);
    ip.has_fragment = true;
    ip.fragment = (struct ipv6_fragment){.id = 5};
    uint32_t n = frame_ipv6(b, &ip);
    is_dropped(b, n, DROP_icmp);
}

static const struct mac *mac_of(uint32_t place)
{
    return &fx.port.neighbours->of[place].mac;
}

static void a_question_tells_who_asks(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    uint32_t v4 = port_neighbour_use(&fx.port, &mapped, NULL, 0);
    uint32_t v6 = port_neighbour_use(&fx.port, &peer_ipv6, NULL, 0);
    is_answered(typed_request, sizeof typed_request, typed_reply, sizeof typed_reply);
    assert_true(neighbour_known(fx.port.neighbours, v4));
    assert_memory_equal(mac_of(v4), &peer_mac, 6);
    assert_false(neighbour_known(fx.port.neighbours, v6));
    is_answered(typed_solicitation, NS_OCTETS, typed_advertisement, NS_OCTETS);
    assert_true(neighbour_known(fx.port.neighbours, v6));
    assert_memory_equal(mac_of(v6), &peer_mac, 6);
}

// Ours and the peer's parts changed places: the peer answers us.
static uint32_t arp_reply_from_peer(uint8_t *b)
{
    memcpy(b, typed_reply, sizeof typed_reply);
    memcpy(b, &our_mac, 6);
    memcpy(b + 6, &peer_mac, 6);
    memcpy(b + 22, typed_reply + 32, 10);
    memcpy(b + 32, typed_reply + 22, 10);
    return sizeof typed_reply;
}

static uint32_t advertisement_from_peer(uint8_t *b)
{
    memcpy(b, typed_advertisement, NS_OCTETS);
    memcpy(b, &our_mac, 6);
    memcpy(b + 6, &peer_mac, 6);
    memcpy(b + 22, &peer_ipv6, 16);
    memcpy(b + 38, &our_ipv6, 16);
    memcpy(b + 62, &peer_ipv6, 16);
    memcpy(b + 80, &peer_mac, 6);
    new_checksum(b, NS_OCTETS);
    return NS_OCTETS;
}

static void answers_are_learnt(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    uint32_t v4 = port_neighbour_use(&fx.port, &mapped, NULL, 0);
    uint32_t v6 = port_neighbour_use(&fx.port, &peer_ipv6, NULL, 0);
    assert_false(fixture_receive_octets(b, arp_reply_from_peer(b), 0));
    assert_true(neighbour_known(fx.port.neighbours, v4));
    assert_memory_equal(mac_of(v4), &peer_mac, 6);
    assert_false(fixture_receive_octets(b, advertisement_from_peer(b), 0));
    assert_true(neighbour_known(fx.port.neighbours, v6));
    assert_memory_equal(mac_of(v6), &peer_mac, 6);
    assert_int_equal(fx.stats.host_packets, 2);
    fixture_assert_nothing_sent();
}

// An address that moves to another machine is announced to all.
static void an_announcement_is_learnt(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    uint32_t v4 = port_neighbour_use(&fx.port, &mapped, NULL, 0);
    uint32_t v6 = port_neighbour_use(&fx.port, &peer_ipv6, NULL, 0);
    memcpy(b, typed_request, sizeof typed_request);
    memcpy(b + 38, b + 28, 4);
    b[27] = 77;
    assert_false(fixture_receive_octets(b, sizeof typed_request, 0));
    assert_int_equal(mac_of(v4)->octet[5], 77);
    advertisement_from_peer(b);
    memcpy(b, typed_defence, 6);
    memcpy(b + 38, typed_defence + 38, 16);
    b[58] = 0x20;
    b[85] = 78;
    new_checksum(b, NS_OCTETS);
    assert_false(fixture_receive_octets(b, NS_OCTETS, 0));
    assert_int_equal(mac_of(v6)->octet[5], 78);
    assert_int_equal(fx.stats.host_packets, 2);
    fixture_assert_nothing_sent();
    b[58] = 0x60; // who answers a question does not answer all
    new_checksum(b, NS_OCTETS);
    is_dropped(b, NS_OCTETS, DROP_icmp);
}

static void nothing_is_kept_of_strangers(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    assert_false(fixture_receive_octets(b, arp_reply_from_peer(b), 0));
    assert_false(fixture_receive_octets(b, advertisement_from_peer(b), 0));
    assert_int_equal(fx.stats.host_packets, 2);
    memcpy(b, typed_request, sizeof typed_request);
    memcpy(b + 38, b + 28, 4);
    is_dropped(b, sizeof typed_request, DROP_arp);
    uint32_t v4 = port_neighbour_use(&fx.port, &mapped, NULL, 0);
    uint32_t v6 = port_neighbour_use(&fx.port, &peer_ipv6, NULL, 0);
    assert_false(neighbour_known(fx.port.neighbours, v4));
    assert_false(neighbour_known(fx.port.neighbours, v6));
}

static void what_is_given_is_not_learnt_anew(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct mac given = {{2, 9, 9, 9, 9, 9}};
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    uint32_t place = port_neighbour_use(&fx.port, &mapped, &given, 0);
    assert_false(fixture_receive_octets(b, arp_reply_from_peer(b), 0));
    assert_memory_equal(mac_of(place), &given, 6);
}

static void without_a_buffer_nothing_is_answered(void **state)
{
    (void)state;
    both_go_unanswered(typed_request, sizeof typed_request, typed_solicitation, NS_OCTETS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(arp_is_answered),
        PORT_TEST(an_arp_probe_is_told_that_we_are_here),
        PORT_TEST(arp_that_is_not_sound_is_not_answered),
        PORT_TEST(a_solicitation_is_answered),
        PORT_TEST(who_wants_our_address_is_told_so),
        PORT_TEST(a_solicitation_that_is_not_sound_is_not_answered),
        PORT_TEST(a_solicitation_in_a_fragment_does_not_count),
        PORT_TEST(a_question_tells_who_asks),
        PORT_TEST(answers_are_learnt),
        PORT_TEST(an_announcement_is_learnt),
        PORT_TEST(nothing_is_kept_of_strangers),
        PORT_TEST(what_is_given_is_not_learnt_anew),
        PORT_TEST(without_a_buffer_nothing_is_answered),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
