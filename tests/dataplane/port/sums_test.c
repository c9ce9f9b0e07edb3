// UDP checksums over IPv6: what a NIC leaves on the wire is what this program makes itself,
// whatever the length, the tag, the driver and the room; what a NIC cannot see whole is summed
// here.
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_net.h>

#include "dataplane/port/peer.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/random.h"

#define VLAN    100u
#define TAG     4u
#define MOST    1400u
#define FRAMES  300u
#define HEADERS 62u // Ethernet, IPv6, UDP

static uint8_t payload[MOST];
static struct peer peer;

enum tag { UNTAGGED, TAG_BY_NIC, TAG_IN_SOFTWARE, TAGS };

// A driver: what it does to make frames ready.
enum driver { NOTHING, PSEUDO, PSEUDO_AND_TAG, EACH_THIRD, DRIVERS };

static uint16_t prepare_pseudo(void *queue, struct rte_mbuf **m, uint16_t n)
{
    (void)queue;
    for (uint16_t i = 0; i < n; i++)
        assert_int_equal(rte_net_intel_cksum_prepare(m[i]), 0);
    return n;
}

static uint16_t prepare_tag(void *queue, struct rte_mbuf **m, uint16_t n)
{
    for (uint16_t i = 0; i < n; i++)
        if (m[i]->ol_flags & RTE_MBUF_F_TX_VLAN)
            assert_int_equal(rte_vlan_insert(&m[i]), 0);
    return prepare_pseudo(queue, m, n);
}

// Wants no checksum for frames with a number that three divides.
static uint16_t prepare_two_of_three(void *queue, struct rte_mbuf **m, uint16_t n)
{
    uint16_t ready = 0;
    for (; ready < n; ready++) {
        uint32_t payload_octets = m[ready]->pkt_len - HEADERS;
        if (m[ready]->ol_flags & RTE_MBUF_F_TX_IPV6 && payload_octets % 3 == 0)
            break;
        prepare_pseudo(queue, &m[ready], 1);
    }
    return ready;
}

static void be_driver(enum driver driver)
{
    static uint16_t (*const prepare[])(void *, struct rte_mbuf **, uint16_t) = {
        [PSEUDO] = prepare_pseudo,
        [PSEUDO_AND_TAG] = prepare_tag,
        [EACH_THIRD] = prepare_two_of_three,
    };
    if (driver != NOTHING)
        rte_eth_fp_ops[fx.port.id].tx_pkt_prepare = prepare[driver];
}

static struct rte_mbuf *framed(uint32_t octets)
{
    struct rte_mbuf *m = fixture_frame(payload, octets);
    peer_put(&peer, &fx.port, octets, (uint8_t *)rte_pktmbuf_prepend(m, peer.outer_octets));
    port_peer_finish(&fx.port, m);
    return m;
}

static void open_peer(void (*change)(struct port_config *config))
{
    fixture_open(change);
    assert_true(port_peer_setup(&peer, &fx.port, &peer_ipv6, PEER_PORT, &peer_mac, 0));
}

static void close_peer(void)
{
    port_peer_release(&peer, &fx.port);
    fixture_close();
}

// The frame as this program makes it without help; returns its octets.
static uint32_t alone(uint8_t b[FRAME_OCTETS_MAX], uint32_t octets, enum tag tag)
{
    bool sums = fx.port.nic_sums;
    fx.port.nic_sums = false;
    struct rte_mbuf *m = framed(octets);
    fx.port.nic_sums = sums;
    uint32_t n = m->pkt_len;
    assert_int_equal(m->ol_flags, 0);
    memcpy(b, rte_pktmbuf_mtod(m, void *), n);
    rte_pktmbuf_free(m);
    if (tag == UNTAGGED)
        return n;
    memmove(b + 12 + TAG, b + 12, n - 12);
    put_be32(b + 12, 0x81000000 | VLAN);
    return n + TAG;
}

// The NIC's work, from what the buffer says alone: DPDK's checksum of the datagram, then the tag.
static uint32_t on_the_wire(uint8_t b[FRAME_OCTETS_MAX], bool *summed)
{
    struct rte_mbuf *m;
    if (rte_ring_dequeue(fx.device.tx_ring[0], (void **)&m) != 0)
        return 0;
    uint32_t n = m->pkt_len;
    memcpy(b, rte_pktmbuf_mtod(m, void *), n);
    *summed = (m->ol_flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_UDP_CKSUM;
    if (*summed) {
        struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)(b + m->l2_len);
        struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(b + m->l2_len + m->l3_len);
        assert_true(m->ol_flags & RTE_MBUF_F_TX_IPV6);
        udp->dgram_cksum = 0;
        udp->dgram_cksum = rte_ipv6_udptcp_cksum(ip, udp);
    }
    if (m->ol_flags & RTE_MBUF_F_TX_VLAN) {
        memmove(b + 12 + TAG, b + 12, n - 12);
        put_be32(b + 12, 0x81000000 | m->vlan_tci);
        n += TAG;
    }
    rte_pktmbuf_free(m);
    return n;
}

static void in_a_vlan(struct port_config *config)
{
    config->tx_frames = 16; // so that it refuses some
    config->vlan = VLAN;
}

static void in_none(struct port_config *config)
{
    config->tx_frames = 16;
}

// So many frames through a ring with little room, refused and offered again. Returns how many the
// NIC summed.
static uint32_t sent_through(enum tag tag)
{
    struct rte_mbuf *m[FRAMES];
    uint8_t b[FRAME_OCTETS_MAX], wanted[FRAME_OCTETS_MAX];
    uint32_t octets[FRAMES], by_nic = 0;
    for (uint32_t i = 0; i < FRAMES; i++)
        m[i] = framed(octets[i] = (uint32_t)random_in(0, MOST));
    for (uint32_t sent = 0, out = 0; out < FRAMES;) {
        uint32_t n = (uint32_t)random_in(1, 40);
        sent += port_send(&fx.port, m + sent, n < FRAMES - sent ? n : FRAMES - sent);
        for (uint32_t take = (uint32_t)random_in(0, 8); take > 0 && out < sent; take--, out++) {
            bool summed;
            uint32_t wanted_octets = alone(wanted, octets[out], tag);
            assert_int_equal(on_the_wire(b, &summed), wanted_octets);
            assert_memory_equal(b, wanted, wanted_octets);
            by_nic += summed;
        }
    }
    return by_nic;
}

static void a_nic_leaves_what_this_program_would(void **state)
{
    (void)state;
    for (enum tag tag = 0; tag < TAGS; tag++)
        for (enum driver driver = 0; driver < DRIVERS; driver++) {
            open_peer(tag == UNTAGGED ? in_none : in_a_vlan);
            fx.port.nic_sums = true;
            fx.port.inserts_tags = tag == TAG_BY_NIC;
            be_driver(driver);
            uint32_t by_nic = sent_through(tag);
            if (driver == EACH_THIRD)
                assert_in_range(by_nic, FRAMES / 2, FRAMES - 1);
            else
                assert_int_equal(by_nic, FRAMES);
            close_peer();
        }
}

static void a_nic_that_sums_nothing_is_not_asked(void **state)
{
    (void)state;
    open_peer(in_none);
    assert_false(fx.device.nic_sums); // a ring has no such feature
    assert_int_equal(sent_through(UNTAGGED), 0);
    close_peer();
}

// The NIC sees no whole datagram of it.
static void what_goes_in_fragments_has_its_sum_before(void **state)
{
    (void)state;
    open_peer(NULL);
    fx.port.nic_sums = true;
    fx.port.frame_octets_max = ETHER_OCTETS + 800;
    be_driver(PSEUDO);
    for (uint32_t octets = 700; octets <= MOST; octets++) {
        struct rte_mbuf *m = framed(octets);
        bool large = m->pkt_len > fx.port.frame_octets_max, summed;
        const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
        uint8_t sent[FRAME_OCTETS_MAX];
        assert_int_equal(m->ol_flags != 0, !large);
        if (large)
            assert_int_equal(
                udp_check_checksum_ipv6(b + 54, m->data_len - 54u, &our_ipv6, &peer_ipv6), 0);
        assert_int_equal(port_send(&fx.port, &m, 1), 1);
        port_tick(&fx.port, 0);
        for (uint32_t pieces = 0, n; (n = on_the_wire(sent, &summed)) > 0; pieces++) {
            assert_int_equal(summed, !large);
            assert_int_equal(sent[20], large ? IPV6_NEXT_FRAGMENT : IPV6_NEXT_UDP);
            assert_true(pieces < 2);
        }
    }
    close_peer();
}

// A capture that begins while frames wait: all that it copies have their checksum.
static void a_capture_has_frames_as_on_the_wire(void **state)
{
    (void)state;
    static struct stats_worker stats;
    uint8_t b[FRAME_OCTETS_MAX], wanted[FRAME_OCTETS_MAX];
    open_peer(NULL);
    fx.port.nic_sums = true;
    be_driver(PSEUDO);
    struct mirror *mirror = mirror_open(MIRROR_SNAP_MOST, 0, &stats, -1);
    assert_non_null(mirror);
    struct rte_mbuf *m = framed(576);
    uint32_t n = alone(wanted, 576, UNTAGGED), octets;
    assert_true(m->ol_flags != 0);
    fx.port.mirror = mirror;
    fx.port.mirror_interface = MIRROR_GN;
    assert_int_equal(port_send(&fx.port, &m, 1), 1);
    bool summed;
    assert_int_equal(on_the_wire(b, &summed), n);
    assert_false(summed);
    assert_memory_equal(b, wanted, n);
    const uint8_t *block = mirror_waiting(mirror, &octets);
    assert_true(octets > 28 + n);
    assert_memory_equal(block + 28, wanted, n);
    fx.port.mirror = NULL;
    mirror_close(mirror);
    close_peer();
}

// Over IPv4 there is none, whatever the NIC can do.
static void over_ipv4_there_is_none(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    fixture_open(NULL);
    fx.port.nic_sums = true;
    assert_true(port_peer_setup(&peer, &fx.port, &mapped, PEER_PORT, &peer_mac, 0));
    struct rte_mbuf *m = framed(100);
    assert_int_equal(m->ol_flags, 0);
    assert_int_equal(get_be16(rte_pktmbuf_mtod(m, const uint8_t *) + 40), 0);
    rte_pktmbuf_free(m);
    close_peer();
}

static int begin(void **state)
{
    random_begin();
    random_fill(payload, sizeof payload);
    return eal_fixture_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nic_leaves_what_this_program_would),
        cmocka_unit_test(a_nic_that_sums_nothing_is_not_asked),
        cmocka_unit_test(what_goes_in_fragments_has_its_sum_before),
        cmocka_unit_test(a_capture_has_frames_as_on_the_wire),
        cmocka_unit_test(over_ipv4_there_is_none),
    };
    return cmocka_run_group_tests(tests, begin, eal_fixture_teardown);
}
