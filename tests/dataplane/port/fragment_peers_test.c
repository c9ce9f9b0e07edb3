// Fragments of those whom the port knows, beside fragments of those who claim to be anybody.
#include "dataplane/port/peer.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/fragment_set.h"

#define FAR_IPV4  0x0b000001u // 11.0.0.1, behind a router
#define ROUTER    0x0a0000feu
#define NEAR_IPV4 0x0a000003u

static const struct mac other_mac = {{2, 0, 0, 0, 0, 0x66}};
static struct peer peers[2];

static void know(struct peer *peer, uint32_t ipv4)
{
    struct ipv6_address address = address_of_ipv4(ipv4);
    assert_true(port_peer_setup(peer, &fx.port, &address, 2152, &peer_mac, 0));
}

// A piece of the set, from there. True if its datagram was passed on.
static bool receive_from(uint32_t i, uint32_t ipv4, const struct mac *mac, uint64_t now_ns)
{
    uint8_t *b = set.frame[i].b;
    memcpy(b + 6, mac, sizeof *mac);
    put_be32(b + 26, ipv4);
    frame_ipv4_checksum(b);
    return fixture_receive_octets(b, set.frame[i].octets, now_ns);
}

// The same of a whole datagram in two pieces.
static bool joins_from(uint32_t ipv4, uint32_t id, const struct mac *mac)
{
    cut(false, id, 100, 56);
    bool early = receive_from(0, ipv4, mac, 0);
    return !early && receive_from(1, ipv4, mac, 0);
}

static void flood(uint32_t first_ipv4, uint32_t sources, const struct mac *mac)
{
    for (uint32_t i = 0; i < 3 * PORT_FRAGMENTS; i++) {
        cut(false, 0x8000 + i, 100, 56);
        receive_from(0, first_ipv4 + i % sources, mac, 0);
    }
}

static void strangers_take_no_place_of_a_peer(void **state)
{
    (void)state;
    know(&peers[0], PEER_IPV4);
    flood(0xc6336400, 200, &other_mac);
    assert_true(fx.stats.drop[DROP_fragment_full].packets > PORT_FRAGMENTS);
    for (uint32_t id = 0; id < 500; id++)
        assert_true(joins_from(PEER_IPV4, id, &peer_mac));
}

static void a_stranger_takes_no_place_of_another(void **state)
{
    (void)state;
    flood(0xc6336401, 1, &other_mac);
    for (uint32_t id = 0; id < 20; id++)
        assert_true(joins_from(0xcb007107, id, &other_mac));
}

static void nor_does_a_peer(void **state)
{
    (void)state;
    know(&peers[0], PEER_IPV4);
    know(&peers[1], NEAR_IPV4);
    flood(PEER_IPV4, 1, &peer_mac);
    for (uint32_t id = 0; id < 500; id++)
        assert_true(joins_from(NEAR_IPV4, id, &peer_mac));
}

// Even with the id of one that is on its way.
static void who_forges_a_peer_on_the_link_is_refused(void **state)
{
    (void)state;
    know(&peers[0], PEER_IPV4);
    cut(false, 7, 100, 56);
    assert_false(receive_from(0, PEER_IPV4, &peer_mac, 0));
    assert_false(receive_from(0, PEER_IPV4, &other_mac, 0));
    assert_false(receive_from(1, PEER_IPV4, &other_mac, 0));
    fixture_assert_drops(DROP_fragment_forged, 2);
    assert_true(receive_from(1, PEER_IPV4, &peer_mac, 0));
}

static void has_a_router(struct port_config *config)
{
    config->host.ipv4_prefix = 24;
    config->host.ipv4_gateway = ROUTER;
}

// Two routers share an address at times, and each sends from its own: so another than the one that
// is sent to is no forger. It is no peer either, and takes nothing from those that are.
static void of_a_peer_behind_a_router_others_count_as_strangers(void **state)
{
    (void)state;
    fixture_open(has_a_router);
    know(&peers[0], FAR_IPV4);
    assert_true(joins_from(FAR_IPV4, 1, &peer_mac));
    assert_true(joins_from(FAR_IPV4, 2, &other_mac));
    flood(FAR_IPV4, 1, &other_mac);
    for (uint32_t id = 3; id < 500; id++)
        assert_true(joins_from(FAR_IPV4, id, &peer_mac));
    fixture_close();
}

static void whom_the_port_expects_is_no_stranger(void **state)
{
    (void)state;
    fx.port.expected = (struct port_nets){1, {{address_of_ipv4(NEAR_IPV4), 128}}};
    flood(0xc6336400, 200, &other_mac);
    for (uint32_t id = 0; id < 500; id++)
        assert_true(joins_from(NEAR_IPV4, id, &other_mac));
}

// With its last NS-VC gone it is a stranger again.
static void a_peer_is_one_as_long_as_it_is_used(void **state)
{
    static const struct mac *mac = &other_mac;
    (void)state;
    know(&peers[0], PEER_IPV4);
    know(&peers[1], PEER_IPV4);
    port_peer_release(&peers[0], &fx.port);
    assert_false(joins_from(PEER_IPV4, 1, mac));
    port_peer_release(&peers[1], &fx.port);
    assert_true(joins_from(PEER_IPV4, 2, mac));
    fixture_assert_drops(DROP_fragment_forged, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(strangers_take_no_place_of_a_peer),
        PORT_TEST(a_stranger_takes_no_place_of_another),
        PORT_TEST(nor_does_a_peer),
        PORT_TEST(who_forges_a_peer_on_the_link_is_refused),
        cmocka_unit_test(of_a_peer_behind_a_router_others_count_as_strangers),
        PORT_TEST(whom_the_port_expects_is_no_stranger),
        PORT_TEST(a_peer_is_one_as_long_as_it_is_used),
    };
    return cmocka_run_group_tests_name("port/fragment_peers", tests, eal_fixture_setup,
                                       eal_fixture_teardown);
}
