// A peer's headers in front of a payload, octet by octet for one of each family.
#include "dataplane/port/peer.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/random.h"

// clang-format off
static const uint8_t typed_ipv4[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00,
    0x45, 0, 0, 30, 0, 0, 0, 0, 0x40, 0x11, 0x66, 0xcd, 10, 0, 0, 2, 10, 0, 0, 1,
    0x08, 0x68, 0x0b, 0xb8, 0, 10, 0, 0, 'h', 'i'};
static const uint8_t typed_ipv6[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 10, 17, 64,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0x08, 0x68, 0x0b, 0xb8, 0, 10, 0x27, 0xdc, 'h', 'i'};
// clang-format on

static struct peer peer;

static void set_up(const struct ipv6_address *address, const struct mac *mac)
{
    assert_true(port_peer_setup(&peer, &fx.port, address, PEER_PORT, mac, 0));
}

// A frame of the peer as the path makes one.
static struct rte_mbuf *framed(const void *payload, uint32_t octets)
{
    struct rte_mbuf *m = fixture_frame(payload, octets);
    uint8_t *b = (uint8_t *)rte_pktmbuf_prepend(m, peer.outer_octets);
    peer_put(&peer, &fx.port, octets, b);
    port_peer_finish(&fx.port, m);
    return m;
}

static void assert_framed(const void *expected, uint32_t octets)
{
    struct rte_mbuf *m = framed("hi", 2);
    assert_int_equal(m->data_len, octets);
    assert_memory_equal(rte_pktmbuf_mtod(m, void *), expected, octets);
    rte_pktmbuf_free(m);
}

static void headers_are_octet_by_octet(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    set_up(&mapped, &peer_mac);
    assert_int_equal(peer.outer_octets, PEER_OUTER_IPV4_OCTETS);
    assert_framed(typed_ipv4, sizeof typed_ipv4);
    port_peer_release(&peer, &fx.port);
    set_up(&peer_ipv6, &peer_mac);
    assert_int_equal(peer.outer_octets, PEER_OUTER_IPV6_OCTETS);
    assert_framed(typed_ipv6, sizeof typed_ipv6);
    port_peer_release(&peer, &fx.port);
}

static void checksums_are_good_for_every_id_and_length(void **state)
{
    (void)state;
    uint8_t payload[1400];
    struct ipv6_address mapped = address_of_ipv4(0xffffffff); // the sum carries
    set_up(&mapped, &peer_mac);
    random_begin();
    random_fill(payload, sizeof payload);
    for (uint32_t i = 0; i < 0x10000 + 9; i++) {
        uint32_t n = (uint32_t)random_in(0, sizeof payload);
        struct rte_mbuf *m = framed(payload, n);
        struct ipv4 ip;
        const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
        assert_int_equal(ipv4_decode(&ip, b + 14, m->data_len - 14u), 28 + n);
        assert_int_equal(ip.id, i & 0xffff);
        rte_pktmbuf_free(m);
    }
    port_peer_release(&peer, &fx.port);
    set_up(&peer_ipv6, &peer_mac);
    for (uint32_t n = 0; n < sizeof payload; n++) {
        struct rte_mbuf *m = framed(payload, n);
        const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
        assert_int_equal(udp_check_checksum_ipv6(b + 54, m->data_len - 54u, &our_ipv6, &peer_ipv6),
                         0);
        rte_pktmbuf_free(m);
    }
    port_peer_release(&peer, &fx.port);
}

static void it_is_ready_when_its_neighbour_is_known(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    struct peer second;
    memset(&peer, 0, sizeof peer);
    assert_false(peer_ready(&peer, &fx.port));
    set_up(&mapped, NULL);
    assert_true(port_peer_setup(&second, &fx.port, &mapped, 9, NULL, 0));
    assert_false(peer_ready(&peer, &fx.port));
    port_tick(&fx.port, 0);
    assert_int_equal(fx.stats.answers, 1);
    assert_true(port_neighbour_learn(&fx.port, &mapped, &peer_mac, 0));
    assert_true(peer_ready(&peer, &fx.port));
    assert_true(peer_ready(&second, &fx.port));
    assert_framed(typed_ipv4, sizeof typed_ipv4);
    port_peer_release(&second, &fx.port);
    assert_true(peer_ready(&peer, &fx.port));
    port_peer_release(&peer, &fx.port);
    assert_false(peer_ready(&peer, &fx.port));
    assert_false(port_neighbour_learn(&fx.port, &mapped, &peer_mac, 0));
}

// One of two at a next hop gave its address, and goes.
static void what_it_gave_goes_with_it(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    struct peer second;
    uint8_t b[FRAME_OCTETS_MAX];
    set_up(&mapped, &peer_mac);
    assert_true(port_peer_setup(&second, &fx.port, &mapped, 9, NULL, 0));
    port_tick(&fx.port, 0);
    fixture_assert_nothing_sent();
    port_peer_release(&peer, &fx.port);
    assert_true(peer_ready(&second, &fx.port));
    port_tick(&fx.port, 1);
    assert_true(fixture_sent(b) > 0);
}

static void ipv4_alone(struct port_config *config)
{
    memset(&config->host.ipv6, 0, sizeof config->host.ipv6);
}

static void ipv6_alone(struct port_config *config)
{
    config->host.ipv4 = 0;
}

static void a_port_without_the_family_has_no_such_peer(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    fixture_open(ipv4_alone);
    assert_false(port_peer_setup(&peer, &fx.port, &peer_ipv6, 1, NULL, 0));
    assert_true(port_peer_setup(&peer, &fx.port, &mapped, 1, NULL, 0));
    fixture_close();
    fixture_open(ipv6_alone);
    assert_true(port_peer_setup(&peer, &fx.port, &peer_ipv6, 1, NULL, 0));
    assert_false(port_peer_setup(&peer, &fx.port, &mapped, 1, NULL, 0));
    fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(headers_are_octet_by_octet),
        PORT_TEST(checksums_are_good_for_every_id_and_length),
        PORT_TEST(it_is_ready_when_its_neighbour_is_known),
        PORT_TEST(what_it_gave_goes_with_it),
        cmocka_unit_test(a_port_without_the_family_has_no_such_peer),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
