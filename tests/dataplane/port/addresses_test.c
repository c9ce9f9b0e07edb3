// A host with an address for each of its queues: every queue takes, answers and knows all of them,
// and speaks from the one that was asked; what it says by itself comes from its own. One queue of
// three, 10.0.0.11 and 2001:db8::11; the others have .10 and .12.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/host_judge.h"

// clang-format off
static const uint8_t typed_request[] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x08, 0x06,
    0, 1, 0x08, 0, 6, 4, 0, 1,
    2, 0, 0, 0, 0, 1, 10, 0, 0, 1,  0, 0, 0, 0, 0, 0, 10, 0, 0, 0};
static const uint8_t typed_reply[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x06,
    0, 1, 0x08, 0, 6, 4, 0, 2,
    2, 0, 0, 0, 0, 2, 10, 0, 0, 0,  2, 0, 0, 0, 0, 1, 10, 0, 0, 1};
static const uint8_t typed_solicitation[86] = {
    0x33, 0x33, 0xff, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 32, 58, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 0,
    135, 0, 0, 0, 0, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1, 1, 2, 0, 0, 0, 0, 1};
static const uint8_t typed_advertisement[86] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 32, 58, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    136, 0, 0, 0, 0x60, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    2, 1, 2, 0, 0, 0, 0, 2};
static const uint8_t typed_unreachable[] = {
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
    0x45, 0xc0, 0, 56, 0, 7, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 0,
    3, 3, 0, 0, 0, 0, 0, 0,
    0x45, 0, 0, 40, 0, 1, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 0, 10, 0, 0, 9,
    OUR_PORT >> 8, OUR_PORT & 255, 0x59, 0xd8, 0, 20, 0, 0};
// clang-format on

#define FIRST 10
#define LAST  12
#define OWN   11

static void three(struct port_config *config)
{
    config->addresses.n = 3;
    for (uint8_t q = 0; q < 3; q++) {
        struct ipv6_address ipv6 = our_ipv6;
        ipv6.octet[15] = (uint8_t)(FIRST + q);
        config->addresses.of[q] = (struct port_address){0x0a000000 + FIRST + q, ipv6};
    }
    config->host.ipv4 = config->addresses.of[0].ipv4;
    config->host.ipv6 = config->addresses.of[0].ipv6;
    config->queues = 2;
}

static int make(void **state)
{
    (void)state;
    fixture_open(three);
    // fixture_open sets up queue 0; this one is the second.
    port_release(&fx.port);
    assert_int_equal(port_setup(&fx.port, &fx.device, 1, &fx.config, &fx.stats), 0);
    fx.device.tx_ring[0] = fx.device.tx_ring[1]; // where fixture_sent looks
    return 0;
}

static int done(void **state)
{
    (void)state;
    struct rte_ring *first = rte_ring_lookup("gn_tx0");
    fixture_assert_balanced();
    port_release(&fx.port);
    fx.device.tx_ring[0] = first;
    port_device_close(&fx.device);
    rte_mempool_free(fx.pool);
    return 0;
}

static void arp_for_each_is_answered(void **state)
{
    (void)state;
    uint8_t request[sizeof typed_request], reply[sizeof typed_reply];
    memcpy(request, typed_request, sizeof request);
    memcpy(reply, typed_reply, sizeof reply);
    for (uint8_t last = FIRST; last <= LAST; last++) {
        request[41] = reply[31] = last;
        is_answered(request, sizeof request, reply, sizeof reply);
    }
    request[41] = LAST + 1;
    is_dropped(request, sizeof request, DROP_arp);
    request[41] = OWN;
    for (uint8_t last = FIRST; last <= LAST; last++) { // from us
        request[31] = last;
        is_dropped(request, sizeof request, DROP_arp);
    }
}

static void a_solicitation_of_each_is_answered(void **state)
{
    (void)state;
    uint8_t asked[86], said[86];
    memcpy(asked, typed_solicitation, sizeof asked);
    memcpy(said, typed_advertisement, sizeof said);
    for (uint8_t last = FIRST; last <= LAST + 1; last++) {
        asked[5] = asked[53] = asked[77] = said[37] = said[77] = last;
        new_checksum(asked, sizeof asked);
        new_checksum(said, sizeof said);
        if (last <= LAST)
            is_answered(asked, sizeof asked, said, sizeof said);
        else
            is_dropped(asked, sizeof asked, DROP_not_ours);
    }
}

// Duplicate address detection: from nobody yet, to the group of the address that it asks for.
static void who_wants_one_of_the_addresses_is_told_so(void **state)
{
    (void)state;
    uint8_t probe[78], said[FRAME_OCTETS_MAX];
    memcpy(probe, typed_solicitation, sizeof probe);
    memset(probe + 22, 0, 16);
    probe[19] = 24; // without an option
    for (uint8_t group = FIRST; group <= LAST; group++)
        for (uint8_t target = FIRST; target <= LAST; target++) {
            probe[5] = probe[53] = group;
            probe[77] = target;
            new_checksum(probe, sizeof probe);
            if (group != target) {
                is_dropped(probe, sizeof probe, DROP_icmp);
                continue;
            }
            assert_false(fixture_receive_octets(probe, sizeof probe, 0));
            assert_int_equal(fixture_sent(said), 86);
            assert_int_equal(said[37], target); // from it, about it, to all nodes
            assert_int_equal(said[77], target);
            assert_memory_equal(said + 38, "\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
        }
}

static void echo_comes_from_the_address_that_was_asked(void **state)
{
    (void)state;
    static const uint8_t echo4[16] = {8, 0, 0, 0, 1, 2}, echo6[16] = {128, 0, 0, 0, 1, 2};
    uint8_t b[FRAME_OCTETS_MAX], answer[FRAME_OCTETS_MAX];
    for (uint8_t last = FIRST; last <= LAST; last++) {
        struct ipv4 ip4 = ipv4_from_peer(1, echo4, sizeof echo4);
        struct ipv6 ip6 = ipv6_from_peer(58, echo6, sizeof echo6);
        ip4.destination = 0x0a000000u + last;
        ip6.destination.octet[15] = last;
        uint32_t n = frame_ipv4(b, &ip4);
        new_checksum(b, n);
        assert_false(fixture_receive_octets(b, n, 0));
        assert_int_equal(fixture_sent(answer), n);
        assert_memory_equal(answer + 26, b + 30, 4);
        assert_memory_equal(answer + 30, b + 26, 4);
        n = frame_ipv6(b, &ip6);
        new_checksum(b, n);
        assert_false(fixture_receive_octets(b, n, 0));
        assert_int_equal(fixture_sent(answer), n);
        assert_memory_equal(answer + 22, b + 38, 16);
        assert_memory_equal(answer + 38, b + 22, 16);
        uint8_t sound[FRAME_OCTETS_MAX];
        memcpy(sound, answer, n);
        new_checksum(sound, n);
        assert_memory_equal(sound, answer, n);
    }
}

static void reply(bool ipv6)
{
    struct rte_mbuf *frame = fixture_frame(fx.frame, fx.frame_octets), *answer;
    uint8_t b[FRAME_OCTETS_MAX];
    uint8_t *payload = port_reply(&fx.port, frame, &fx.datagram, 3, &answer);
    assert_non_null(payload);
    memcpy(payload, "yes", 3);
    port_reply_finish(answer);
    port_answer(&fx.port, answer);
    assert_int_equal(fixture_sent(b), ipv6 ? 65 : 45);
    assert_memory_equal(b + (ipv6 ? 22 : 26), fx.frame + (ipv6 ? 38 : 30), ipv6 ? 16 : 4);
    rte_pktmbuf_free(frame);
}

// By the fast way and the general one, and it is replied to from there.
static void a_datagram_to_each_is_ours(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    for (uint8_t last = FIRST - 1; last <= LAST + 1; last++) {
        bool ours = last >= FIRST && last <= LAST;
        struct port_datagram datagram;
        uint32_t n = frame_udp_ipv4(b, "hello", 5);
        b[33] = last;
        put_be16(b + 40, 0); // no checksum of UDP
        frame_ipv4_checksum(b);
        struct rte_mbuf *m = fixture_frame(b, n);
        assert_int_equal(port_unwrap_fast(&fx.port, m, &datagram), ours);
        rte_pktmbuf_free(m);
        assert_int_equal(fixture_receive_octets(b, n, 0), ours);
        if (ours)
            reply(false);
        n = frame_udp_ipv6(b, "hello", 5);
        b[53] = last;
        put_be16(b + 60, 0);
        assert_int_equal(fixture_receive_octets(b, n, 0), ours);
        if (ours)
            reply(true);
    }
    fixture_assert_drops(DROP_not_ours, 4);
}

// The second half of a datagram comes first.
static void fragments_to_each_are_joined(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX], first[FRAME_OCTETS_MAX], second[FRAME_OCTETS_MAX];
    static const uint8_t payload[72] = {7};
    for (uint8_t last = FIRST; last <= LAST; last++) {
        frame_udp_ipv4(b, payload, sizeof payload); // 80 octets of IP's
        b[33] = last;
        b[19] = last; // another id each time
        put_be16(b + 40, 0);
        memcpy(first, b, 34 + 40);
        memcpy(second, b, 34);
        memcpy(second + 34, b + 34 + 40, 40);
        put_be16(first + 16, 60);
        put_be16(second + 16, 60);
        put_be16(first + 20, 0x2000);
        put_be16(second + 20, 5);
        frame_ipv4_checksum(first);
        frame_ipv4_checksum(second);
        assert_false(fixture_receive_octets(second, 74, 0));
        assert_true(fixture_receive_octets(first, 74, 0));
        assert_int_equal(fx.frame[33], last);
        assert_int_equal(fx.datagram.payload_octets, sizeof payload);
    }
}

static uint32_t times;

static void note(void *self, const struct port_endpoint *endpoint, uint64_t now_ns)
{
    (void)self;
    (void)now_ns;
    assert_int_equal(endpoint->udp_port, 23000);
    times++;
}

// About a datagram that any of the queues sent, to any of the addresses.
static void an_error_about_a_datagram_of_each_is_told(void **state)
{
    (void)state;
    uint8_t b[sizeof typed_unreachable];
    memcpy(b, typed_unreachable, sizeof b);
    fx.port.unreachable = note;
    for (uint8_t last = FIRST; last <= LAST; last++) {
        b[33] = OWN;
        b[57] = last;
        new_checksum(b, sizeof b);
        assert_false(fixture_receive_octets(b, sizeof b, 0));
    }
    assert_int_equal(times, 3);
    b[57] = LAST + 1;
    new_checksum(b, sizeof b);
    is_dropped(b, sizeof b, DROP_icmp);
}

// Questions about neighbours, in both families.
static void it_asks_from_its_own(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    struct ipv6_address ipv4 = address_of_ipv4(PEER_IPV4);
    port_neighbour_use(&fx.port, &ipv4, NULL, 0);
    port_neighbour_use(&fx.port, &peer_ipv6, NULL, 0);
    port_tick(&fx.port, 0);
    assert_int_equal(fixture_sent(b), 42);
    assert_memory_equal(b + 28, "\x0a\0\0\x0b", 4);
    assert_int_equal(fixture_sent(b), 86);
    assert_int_equal(b[37], OWN);
}

#define ADDRESSES_TEST(test) cmocka_unit_test_setup_teardown(test, make, done)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ADDRESSES_TEST(arp_for_each_is_answered),
        ADDRESSES_TEST(a_solicitation_of_each_is_answered),
        ADDRESSES_TEST(who_wants_one_of_the_addresses_is_told_so),
        ADDRESSES_TEST(echo_comes_from_the_address_that_was_asked),
        ADDRESSES_TEST(a_datagram_to_each_is_ours),
        ADDRESSES_TEST(fragments_to_each_are_joined),
        ADDRESSES_TEST(an_error_about_a_datagram_of_each_is_told),
        ADDRESSES_TEST(it_asks_from_its_own),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
