// How frames come to their queues: which way is taken of those that a NIC can do, what is said
// where it cannot, and to which queue the rules take which frame. The NIC is rule_nic.h's.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/port/rule_nic.h"
#include "tests/dataplane/random.h"

#define QUEUES 3

static struct port_device device;
static struct port_config config;

// The addresses are 10.0.0.(10 + queue) and 2001:db8::(10 + queue).
static uint32_t ipv4_of(uint16_t queue)
{
    return 0x0a00000a + queue;
}

static struct ipv6_address ipv6_of(uint16_t queue)
{
    struct ipv6_address address = our_ipv6;
    address.octet[15] = (uint8_t)(10 + queue);
    return address;
}

static int make(void **state)
{
    (void)state;
    rule_nic = (struct rule_nic){.knows_addresses = true,
                                 .knows_gtpu = true,
                                 .knows_vlans = true,
                                 .knows_fragments = true,
                                 .looks_into_first = true,
                                 .knows_udp_ports = true,
                                 .rules_most = RULE_NIC_RULES,
                                 .hashes_endpoints = true,
                                 .hashes_teids = true,
                                 .tells_key = true,
                                 .hashed = RTE_ETH_RSS_IP,
                                 .entries = 128};
    random_begin();
    for (uint32_t i = 0; i < RULE_NIC_KEY; i++)
        rule_nic.key[i] = (uint8_t)random_in(0, 255);
    for (uint32_t i = 0; i < RULE_NIC_ENTRIES; i++)
        rule_nic.table[i] = (uint16_t)(i % QUEUES);
    config = (struct port_config){.name = "gn",
                                  .device = "net_null0",
                                  .queues = QUEUES,
                                  .rx_frames = 64,
                                  .tx_frames = 64,
                                  .buffers = 511,
                                  .neighbours = 16,
                                  .teid_worker_bits = 2,
                                  .host = {.mac = our_mac,
                                           .ipv4 = ipv4_of(0),
                                           .ipv6 = ipv6_of(0),
                                           .udp_port = OUR_PORT,
                                           .mtu_octets = 1500}};
    config.addresses.n = QUEUES;
    for (uint16_t q = 0; q < QUEUES; q++)
        config.addresses.of[q] = (struct port_address){ipv4_of(q), ipv6_of(q)};
    return 0;
}

static void opens_by(enum port_steering way, const char *lacks)
{
    const char *why = "";
    if (port_device_open(&device, &config, &why) != 0)
        fail_msg("%s", why);
    assert_string_equal(port_steering_names[device.steering], port_steering_names[way]);
    assert_string_equal(device.steering_lacks, lacks);
    port_device_close(&device);
}

static void fails_with(const char *words)
{
    const char *why = "";
    assert_int_equal(port_device_open(&device, &config, &why), -ENOTSUP);
    if (!strstr(why, words))
        fail_msg("'%s' does not say '%s'", why, words);
    assert_int_equal(rule_nic.rules, 0);
}

// G-PDUs of 100 octets to that queue's address, and with that TEID; `at` is where their fragment
// begins, in 8 octets, and `more` that it has others behind.
static int queue_of_ipv4(uint16_t queue, uint32_t teid, uint16_t at, bool more)
{
    uint8_t b[FRAME_OCTETS_MAX], gpdu[108] = {0x30, 255, 0, 100};
    put_be32(gpdu + 4, teid);
    uint32_t n = frame_udp_ipv4(b, gpdu, sizeof gpdu);
    put_be32(b + 30, ipv4_of(queue));
    put_be16(b + 20, (uint16_t)(at | more << 13));
    return rule_nic_queue(b, n);
}

static int queue_of_ipv6(uint16_t queue, uint32_t teid)
{
    uint8_t b[FRAME_OCTETS_MAX], gpdu[108] = {0x30, 255, 0, 100};
    put_be32(gpdu + 4, teid);
    uint32_t n = frame_udp_ipv6(b, gpdu, sizeof gpdu);
    struct ipv6_address to = ipv6_of(queue);
    memcpy(b + 38, &to, sizeof to);
    return rule_nic_queue(b, n);
}

// The same with a fragment header before UDP.
static int queue_of_ipv6_fragment(uint16_t queue, uint32_t teid, uint16_t at)
{
    uint8_t b[FRAME_OCTETS_MAX], gpdu[108] = {0x30, 255, 0, 100};
    put_be32(gpdu + 4, teid);
    uint32_t n = frame_udp_ipv6(b, gpdu, sizeof gpdu);
    struct ipv6_address to = ipv6_of(queue);
    memcpy(b + 38, &to, sizeof to);
    memmove(b + 62, b + 54, n - 54);
    memset(b + 54, 0, 8);
    b[20] = 44;
    b[54] = 17;
    put_be16(b + 56, (uint16_t)(at << 3 | 1));
    return rule_nic_queue(b, n + 8);
}

// ---- Which way ----

static void the_first_that_it_can_do_is_taken(void **state)
{
    (void)state;
    opens_by(PORT_STEERING_ADDRESS, "");
    assert_int_equal(rule_nic.rules, 2 * QUEUES);
    make(NULL);
    config.addresses.n = 0;
    opens_by(PORT_STEERING_TEID, "address: there is no list of addresses, one for each worker");
    assert_int_equal(rule_nic.rules, 2 * QUEUES);
    make(NULL);
    config.addresses.n = 0;
    rule_nic.knows_gtpu = false;
    opens_by(PORT_STEERING_RSS, "address: there is no list of addresses, one for each worker; "
                                "teid: not in this NIC");
    make(NULL);
    config.addresses.n = 0;
    rule_nic.knows_gtpu = rule_nic.hashes_teids = false;
    opens_by(PORT_STEERING_STRAYS, "address: there is no list of addresses, one for each worker; "
                                   "teid: not in this NIC; rss: it does not hash TEIDs");
    assert_int_equal(rule_nic.rules, 0);
}

static void what_is_wished_is_taken(void **state)
{
    (void)state;
    for (enum port_steering way = PORT_STEERING_ADDRESS; way <= PORT_STEERING_STRAYS; way++) {
        make(NULL);
        config.steering = way;
        opens_by(way, "");
        assert_int_equal(rule_nic.rules, way < PORT_STEERING_RSS ? 2 * QUEUES : 0);
        assert_true((rule_nic.hashed == RTE_ETH_RSS_GTPU) == (way == PORT_STEERING_RSS));
    }
}

static void what_is_wished_and_cannot_be_done_says_so(void **state)
{
    (void)state;
    config.steering = PORT_STEERING_TEID;
    rule_nic.knows_gtpu = false;
    fails_with("gn: net_null0 cannot do steering = \"teid\": not in this NIC");
    config.teid_worker_bits = 0;
    fails_with("name no worker");
    config.steering = PORT_STEERING_ADDRESS;
    config.addresses.n = 0;
    fails_with("no list of addresses");
}

// It says so when it is asked to make the last one.
static void rules_that_do_not_fit_are_none(void **state)
{
    (void)state;
    rule_nic.rules_most = 2 * QUEUES - 1;
    config.steering = PORT_STEERING_ADDRESS;
    fails_with("no room for rules");
    config.steering = PORT_STEERING_AUTO;
    config.addresses.n = 0;
    config.host.ipv6 = (struct ipv6_address){{0}};
    opens_by(PORT_STEERING_TEID, "address: there is no list of addresses, one for each worker");
    assert_int_equal(rule_nic.rules, QUEUES);
}

static void one_queue_needs_nothing(void **state)
{
    (void)state;
    config.queues = 1;
    config.addresses.n = 0;
    config.steering = PORT_STEERING_TEID;
    opens_by(PORT_STEERING_STRAYS, "");
    assert_int_equal(rule_nic.asked + rule_nic.updates, 0);
}

// A driver without any rules, and rings, whose far end chooses.
static void each_way_fails_in_words(void **state)
{
    (void)state;
    memset(&rule_nic, 0, sizeof rule_nic);
    opens_by(PORT_STEERING_STRAYS, "address: not in this NIC; teid: not in this NIC; "
                                   "rss: it does not hash TEIDs");
    config.device = PORT_DEVICE_RING;
    config.steering = PORT_STEERING_ADDRESS;
    opens_by(PORT_STEERING_STRAYS, "address: not in this NIC; teid: not in this NIC; "
                                   "rss: it does not hash TEIDs");
}

// In each case it goes on hashing what it did.
static void a_hash_that_cannot_be_foretold_is_not_used(void **state)
{
    (void)state;
    config.steering = PORT_STEERING_RSS;
    rule_nic.hashes_teids = false;
    fails_with("does not hash TEIDs");
    assert_int_equal(rule_nic.updates, 0);
    make(NULL);
    config.steering = PORT_STEERING_RSS;
    rule_nic.entries = 96; // no power of two
    fails_with("the size of its hash's key or table is unknown here");
    rule_nic.entries = 1024;
    fails_with("the size of its hash's key or table is unknown here");
    assert_int_equal(rule_nic.updates, 0);
    rule_nic.entries = 128;
    rule_nic.tells_key = false;
    fails_with("it does not tell its hash's key and table");
    assert_true(rule_nic.hashed == RTE_ETH_RSS_IP);
    rule_nic.tells_key = true;
    memset(rule_nic.key, 0, sizeof rule_nic.key); // no error, and no key
    fails_with("it does not tell its hash's key and table");
    rule_nic.key[0] = 1;
    rule_nic.hashes_besides = RTE_ETH_RSS_UDP; // ports, too, so not the TEID alone
    fails_with("it does not tell its hash's key and table");
    rule_nic.hashes_besides = 0;
    rule_nic.hashed = RTE_ETH_RSS_IP;
    for (uint32_t i = 0; i < rule_nic.entries; i++)
        rule_nic.table[i] = rule_nic.table[i] == 2 ? 0 : rule_nic.table[i];
    fails_with("leaves out a queue");
    assert_true(rule_nic.hashed == RTE_ETH_RSS_IP);
    config.steering = PORT_STEERING_AUTO;
    config.addresses.n = 0;
    config.teid_worker_bits = 0;
    const char *why = "";
    assert_int_equal(port_device_open(&device, &config, &why), 0);
    assert_int_equal(device.steering, PORT_STEERING_STRAYS);
    assert_int_equal(device.hash.entries, 0); // so TEIDs are not chosen by it
    port_device_close(&device);
}

// ---- Which queue ----

static void an_address_is_a_queue(void **state)
{
    (void)state;
    config.steering = PORT_STEERING_ADDRESS;
    opens_by(PORT_STEERING_ADDRESS, "");
    for (uint16_t q = 0; q < QUEUES; q++) {
        assert_int_equal(queue_of_ipv4(q, 0xffffffff, 0, false), q);
        assert_int_equal(queue_of_ipv4(q, 0, 0, true), q); // fragments
        assert_int_equal(queue_of_ipv4(q, 0, 12, true), q);
        assert_int_equal(queue_of_ipv4(q, 0, 15, false), q);
        assert_int_equal(queue_of_ipv6(q, 0xffffffff), q);
        assert_int_equal(queue_of_ipv6_fragment(q, 0, 12), q);
    }
    assert_int_equal(queue_of_ipv4(QUEUES, 0, 0, false), -1);
    assert_int_equal(queue_of_ipv6(QUEUES, 0), -1);
}

static void the_top_of_a_teid_is_a_queue(void **state)
{
    (void)state;
    config.steering = PORT_STEERING_TEID;
    opens_by(PORT_STEERING_TEID, "");
    for (uint16_t q = 0; q < QUEUES; q++)
        for (uint32_t low = 0; low < 1u << 30; low += (1u << 30) / 7) {
            uint32_t teid = (uint32_t)q << 30 | low;
            assert_int_equal(queue_of_ipv4(q, teid, 0, false), q);
            assert_int_equal(queue_of_ipv4(0, teid, 0, false), q); // to whatever address
            assert_int_equal(queue_of_ipv6(q, teid), q);
        }
    assert_int_equal(queue_of_ipv4(0, 3u << 30, 0, false), -1); // no worker of that number
    assert_int_equal(queue_of_ipv6(0, 3u << 30), -1);
}

// G-PDUs of worker `queue`, to its address, in that VLAN; 0: without a tag.
static int queue_in_vlan(uint16_t queue, uint16_t vlan)
{
    uint8_t b[FRAME_OCTETS_MAX], gpdu[108] = {0x30, 255, 0, 100};
    put_be32(gpdu + 4, (uint32_t)queue << 30);
    uint32_t n = frame_udp_ipv4(b, gpdu, sizeof gpdu);
    put_be32(b + 30, ipv4_of(queue));
    if (vlan == 0)
        return rule_nic_queue(b, n);
    memmove(b + 16, b + 12, n - 12);
    put_be32(b + 12, 0x8100a000u | vlan);
    return rule_nic_queue(b, n + 4);
}

static void rules_are_for_the_vlan(void **state)
{
    (void)state;
    for (enum port_steering way = PORT_STEERING_ADDRESS; way <= PORT_STEERING_TEID; way++) {
        make(NULL);
        config.steering = way;
        config.vlan = 100;
        opens_by(way, "");
        for (uint16_t q = 0; q < QUEUES; q++) {
            assert_int_equal(queue_in_vlan(q, 100), q);
            assert_int_equal(queue_in_vlan(q, 101), -1);
            assert_int_equal(queue_in_vlan(q, 0), -1);
        }
        make(NULL);
        config.steering = way;
        config.vlan = 100;
        rule_nic.knows_vlans = false;
        fails_with("not in this NIC");
    }
}

// The TEID is all that it hashes then, so Gb's frames would come to one queue.
static void a_device_of_both_ports_does_not_hash_teids(void **state)
{
    (void)state;
    config.steering = PORT_STEERING_RSS;
    config.vlan = 100;
    config.vlan_besides = 200;
    config.shared = true;
    fails_with("Gb's frames at the same device have no TEID");
    assert_int_equal(rule_nic.updates, 0);
}

// All of a datagram come to one queue, where they are joined: that of a frame without a rule.
static void fragments_stay_together(void **state)
{
    (void)state;
    config.steering = PORT_STEERING_TEID;
    opens_by(PORT_STEERING_TEID, "");
    for (uint16_t q = 0; q < QUEUES; q++) {
        assert_int_equal(queue_of_ipv4(0, (uint32_t)q << 30, 0, true), -1);
        assert_int_equal(queue_of_ipv4(0, (uint32_t)q << 30, 12, false), -1);
        assert_int_equal(queue_of_ipv6_fragment(0, (uint32_t)q << 30, 0), -1);
    }
    // A NIC whose rules cannot be about fragments does not look into them.
    make(NULL);
    rule_nic.knows_fragments = rule_nic.looks_into_first = false;
    config.steering = PORT_STEERING_TEID;
    opens_by(PORT_STEERING_TEID, "");
    assert_int_equal(queue_of_ipv4(0, 2u << 30, 0, false), 2);
    assert_int_equal(queue_of_ipv4(0, 2u << 30, 0, true), -1);
    assert_int_equal(queue_of_ipv6_fragment(0, 2u << 30, 0), -1);
}

// What is not GTP-U to our port: the rules say nothing.
static void other_datagrams_have_no_rule(void **state)
{
    (void)state;
    config.steering = PORT_STEERING_TEID;
    opens_by(PORT_STEERING_TEID, "");
    uint8_t b[FRAME_OCTETS_MAX], gpdu[108] = {0x30, 255, 0, 100};
    uint32_t n = frame_udp_ipv4(b, gpdu, sizeof gpdu);
    assert_int_equal(rule_nic_queue(b, n), 0);
    b[37]++; // the port
    assert_int_equal(rule_nic_queue(b, n), -1);
    b[37]--;
    b[23] = 6;
    assert_int_equal(rule_nic_queue(b, n), -1);
    b[23] = 17;
    b[13] = 6; // ARP
    assert_int_equal(rule_nic_queue(b, n), -1);
}

// The verification suite of Microsoft's RSS: source and destination of IPv4 packets.
static void the_slow_hash_is_right(void **state)
{
    (void)state;
    static const uint8_t key[] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                                  0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                                  0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                                  0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
    static const uint8_t one[] = {66, 9, 149, 187, 161, 142, 100, 80};
    static const uint8_t other[] = {199, 92, 111, 2, 65, 69, 140, 83};
    assert_true(rule_nic_toeplitz(key, one, 8) == 0x323e8fc2);
    assert_true(rule_nic_toeplitz(key, other, 8) == 0xd718262a);
}

// With any key and any table.
static void the_queue_of_a_teid_is_foretold(void **state)
{
    (void)state;
    for (uint32_t times = 0; times < 20; times++) {
        make(NULL);
        for (uint32_t i = 0; i < RULE_NIC_KEY; i++)
            rule_nic.key[i] = (uint8_t)random_in(0, 255);
        rule_nic.entries = (uint16_t)(64u << random_in(0, 3));
        for (uint32_t i = QUEUES; i < rule_nic.entries; i++)
            rule_nic.table[i] = (uint16_t)random_in(0, QUEUES - 1);
        config.steering = PORT_STEERING_RSS;
        const char *why = "";
        assert_int_equal(port_device_open(&device, &config, &why), 0);
        for (uint32_t i = 0; i < 1000; i++) {
            uint32_t teid = (uint32_t)random_in(0, UINT32_MAX);
            assert_int_equal(port_hash_queue(&device.hash, teid), queue_of_ipv4(0, teid, 0, false));
            assert_int_equal(port_hash_queue(&device.hash, teid), queue_of_ipv6(1, teid));
        }
        assert_int_equal(queue_of_ipv4(0, 7, 12, true), -1); // a fragment
        port_device_close(&device);
    }
}

// ---- By peer ----

// Gb's, in a VLAN.
static int make_gb(void **state)
{
    make(state);
    config.name = "gb";
    config.host.udp_port = 23000;
    config.vlan = 200;
    config.by_peers = true;
    config.addresses.n = 0;
    return 0;
}

static void gb_takes_the_first_that_it_can_do(void **state)
{
    (void)state;
    opens_by(PORT_STEERING_PEER, "");
    assert_int_equal(rule_nic.rules, 0); // until there is a peer
    rule_nic.knows_udp_ports = false;
    opens_by(PORT_STEERING_RSS, "peer: not in this NIC");
    assert_true(rule_nic.hashed != RTE_ETH_RSS_GTPU);
    rule_nic.hashes_endpoints = false;
    opens_by(PORT_STEERING_STRAYS,
             "peer: not in this NIC; rss: it does not hash addresses and ports");
    config.queues = 1;
    opens_by(PORT_STEERING_STRAYS, "");
}

static void gb_says_what_it_cannot_do(void **state)
{
    static const enum port_steering words[] = {PORT_STEERING_PEER, PORT_STEERING_RSS,
                                               PORT_STEERING_STRAYS};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        config.steering = words[i];
        opens_by(words[i], "");
    }
    config.steering = PORT_STEERING_PEER;
    rule_nic.rules_most = 0;
    fails_with("gb: net_null0 cannot do steering = \"peer\": no room for rules");
    rule_nic.rules_most = 8;
    rule_nic.keeps_rules = true;
    const char *why = "";
    assert_int_equal(port_device_open(&device, &config, &why), -ENOTSUP);
    assert_non_null(strstr(why, "it does not remove rules"));
    config.steering = PORT_STEERING_RSS;
    rule_nic.hashes_endpoints = false;
    assert_int_equal(port_device_open(&device, &config, &why), -ENOTSUP);
    assert_non_null(strstr(why, "it does not hash addresses and ports"));
}

// A datagram from there, in that VLAN (0: without a tag), whole or as a first fragment.
static int queue_of_peer(bool ipv6, uint32_t host, uint16_t port, uint16_t vlan, bool fragment)
{
    uint8_t b[FRAME_OCTETS_MAX] = {0};
    uint32_t at = vlan ? 4 : 0,
             n = at + (ipv6 ? frame_udp_ipv6(b + at, "ns", 2) : frame_udp_ipv4(b + at, "ns", 2));
    memmove(b, b + at, 12);
    if (vlan)
        put_be32(b + 12, 0x81000000u | vlan);
    put_be32(b + at + (ipv6 ? 34 : 26), host);
    put_be16(b + at + (ipv6 ? 54 : 34), port);
    if (fragment)
        put_be16(b + at + 20, 0x2000);
    return rule_nic_queue(b, n);
}

static struct port_endpoint endpoint_of(bool ipv6, uint32_t host, uint16_t port)
{
    struct port_endpoint peer = {ipv6 ? peer_ipv6 : address_of_ipv4(host), port};
    if (ipv6)
        put_be32(peer.address.octet + 12, host);
    return peer;
}

static void a_peer_is_a_queue(void **state)
{
    struct rte_flow *rule[2][3];
    const char *why = "";
    (void)state;
    config.steering = PORT_STEERING_PEER;
    assert_int_equal(port_device_open(&device, &config, &why), 0);
    for (int v6 = 0; v6 < 2; v6++)
        for (uint16_t q = 0; q < 3; q++) { // two ports of one host, one of these ports of another
            struct port_endpoint peer = endpoint_of(v6, 0x0a000009 + q / 2, 3000 + q % 2);
            rule[v6][q] = port_peer_rule(&device, &peer, q, &why);
            assert_non_null(rule[v6][q]);
        }
    for (int v6 = 0; v6 < 2; v6++) {
        assert_int_equal(queue_of_peer(v6, 0x0a000009, 3000, 200, false), 0);
        assert_int_equal(queue_of_peer(v6, 0x0a000009, 3001, 200, false), 1);
        assert_int_equal(queue_of_peer(v6, 0x0a00000a, 3000, 200, false), 2);
        assert_int_equal(queue_of_peer(v6, 0x0a00000a, 3001, 200, false), -1);
        assert_int_equal(queue_of_peer(v6, 0x0a00000b, 3000, 200, false), -1);
        assert_int_equal(queue_of_peer(v6, 0x0a000009, 3000, 201, false), -1);
        assert_int_equal(queue_of_peer(v6, 0x0a000009, 3000, 0, false), -1);
        assert_int_equal(port_rule_end(&device, rule[v6][1]), 0);
        assert_int_equal(queue_of_peer(v6, 0x0a000009, 3001, 200, false), -1);
    }
    assert_int_equal(queue_of_peer(false, 0x0a000009, 3000, 200, true), -1); // with its others
    rule_nic.rules_most = 0;
    struct port_endpoint one = endpoint_of(false, 1, 1);
    assert_null(port_peer_rule(&device, &one, 0, &why));
    assert_string_equal(why, "no room for rules");
    port_device_close(&device);
}

// One that cannot say that a rule is for no fragment, and does not look for UDP in any.
static void a_peer_without_fragments(void **state)
{
    (void)state;
    const char *why = "";
    struct port_endpoint peer = endpoint_of(false, 0x0a000009, 3000);
    rule_nic.knows_fragments = rule_nic.looks_into_first = false;
    assert_int_equal(port_device_open(&device, &config, &why), 0);
    assert_int_equal(device.steering, PORT_STEERING_PEER);
    assert_non_null(port_peer_rule(&device, &peer, 1, &why));
    assert_int_equal(queue_of_peer(false, 0x0a000009, 3000, 200, false), 1);
    assert_int_equal(queue_of_peer(false, 0x0a000009, 3000, 200, true), -1);
    port_device_close(&device);
}

// Each in its VLAN; that Gb's cannot be made takes nothing from Gn's.
static void both_ports_of_a_device_have_rules(void **state)
{
    struct port_config gb = config;
    struct port_device second;
    const char *why = "";
    (void)state;
    make(NULL);
    config.vlan = 100;
    config.vlan_besides = 200;
    config.shared = gb.shared = true;
    config.addresses.n = 0;
    for (uint32_t most = 2 * QUEUES; most <= 2 * QUEUES + 1; most++) {
        bool room = most > 2 * QUEUES;
        rule_nic.rules_most = most;
        assert_int_equal(port_device_open(&device, &config, &why), 0);
        assert_int_equal(port_device_borrow(&second, &device, &gb, &why), 0);
        assert_int_equal(device.steering, PORT_STEERING_TEID);
        assert_int_equal(second.steering, room ? PORT_STEERING_PEER : PORT_STEERING_RSS);
        assert_string_equal(second.steering_lacks, room ? "" : "peer: no room for rules");
        assert_int_equal(rule_nic.rules, 2 * QUEUES);
        for (uint16_t q = 0; q < QUEUES; q++) {
            assert_int_equal(queue_in_vlan(q, 100), q);
            assert_int_equal(queue_in_vlan(q, 200), -1);
        }
        port_device_close(&second);
        port_device_close(&device);
        memset(rule_nic.rule, 0, sizeof rule_nic.rule); // as the device's end does
        rule_nic.rules = 0;
    }
    gb.steering = PORT_STEERING_PEER;
    rule_nic.rules_most = 2 * QUEUES;
    assert_int_equal(port_device_open(&device, &config, &why), 0);
    assert_int_equal(port_device_borrow(&second, &device, &gb, &why), -ENOTSUP);
    assert_non_null(strstr(why, "gb: net_null0 cannot do steering = \"peer\""));
    port_device_close(&second);
    port_device_close(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_first_that_it_can_do_is_taken, make),
        cmocka_unit_test_setup(what_is_wished_is_taken, make),
        cmocka_unit_test_setup(what_is_wished_and_cannot_be_done_says_so, make),
        cmocka_unit_test_setup(rules_that_do_not_fit_are_none, make),
        cmocka_unit_test_setup(one_queue_needs_nothing, make),
        cmocka_unit_test_setup(each_way_fails_in_words, make),
        cmocka_unit_test_setup(a_hash_that_cannot_be_foretold_is_not_used, make),
        cmocka_unit_test_setup(an_address_is_a_queue, make),
        cmocka_unit_test_setup(the_top_of_a_teid_is_a_queue, make),
        cmocka_unit_test_setup(rules_are_for_the_vlan, make),
        cmocka_unit_test_setup(a_device_of_both_ports_does_not_hash_teids, make),
        cmocka_unit_test_setup(fragments_stay_together, make),
        cmocka_unit_test_setup(other_datagrams_have_no_rule, make),
        cmocka_unit_test_setup(gb_takes_the_first_that_it_can_do, make_gb),
        cmocka_unit_test_setup(gb_says_what_it_cannot_do, make_gb),
        cmocka_unit_test_setup(a_peer_is_a_queue, make_gb),
        cmocka_unit_test_setup(a_peer_without_fragments, make_gb),
        cmocka_unit_test_setup(both_ports_of_a_device_have_rules, make_gb),
        cmocka_unit_test(the_slow_hash_is_right),
        cmocka_unit_test(the_queue_of_a_teid_is_foretold),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
