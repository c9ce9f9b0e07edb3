// See port_fixture.h.
#include "tests/dataplane/port/port_fixture.h"

#include "tests/dataplane/eal_fixture.h"

const struct mac our_mac = {{2, 0, 0, 0, 0, 2}}, peer_mac = {{2, 0, 0, 0, 0, 1}};
const struct ipv6_address our_ipv6 = {{0x20, 1, 0x0d, 0xb8, [15] = 2}};
const struct ipv6_address peer_ipv6 = {{0x20, 1, 0x0d, 0xb8, [15] = 1}};
struct fixture fx;

void fixture_open(void (*change)(struct port_config *config))
{
    const char *why = "";
    memset(&fx, 0, sizeof fx);
    fx.config = (struct port_config){.name = "gn",
                                     .device = PORT_DEVICE_RING,
                                     .queues = 1,
                                     .rx_frames = 64,
                                     .tx_frames = 64,
                                     .buffers = 255,
                                     .neighbours = 16,
                                     .host = {.mac = our_mac,
                                              .ipv4 = OUR_IPV4,
                                              .ipv4_prefix = 24,
                                              .ipv6 = our_ipv6,
                                              .ipv6_prefix = 64,
                                              .udp_port = OUR_PORT,
                                              .mtu_octets = 1500}};
    if (change)
        change(&fx.config);
    assert_int_equal(port_device_open(&fx.device, &fx.config, &why), 0);
    assert_int_equal(port_setup(&fx.port, &fx.device, 0, &fx.config, &fx.stats), 0);
    fx.pool = port_pool("wire", 4095, fx.config.host.mtu_octets, true);
    assert_non_null(fx.pool);
}

void fixture_close(void)
{
    uint8_t b[FRAME_OCTETS_MAX];
    fixture_assert_balanced();
    while (fixture_sent(b))
        ;
    // Answers and fragments that wait end with the port, whose pool goes with it.
    uint32_t waiting = fx.port.answers;
    assert_int_equal(rte_mempool_in_use_count(fx.port.answer_pool), waiting);
    port_release(&fx.port);
    assert_int_equal(rte_mempool_in_use_count(fx.pool), 0);
    fx.port.fragments = NULL;
    port_device_close(&fx.device);
    rte_mempool_free(fx.pool);
}

int fixture_setup(void **state)
{
    (void)state;
    fixture_open(NULL);
    return 0;
}

int fixture_teardown(void **state)
{
    (void)state;
    fixture_close();
    return 0;
}

struct rte_mbuf *fixture_frame(const void *b, uint32_t octets)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(fx.pool);
    assert_non_null(m);
    char *to = rte_pktmbuf_append(m, (uint16_t)octets);
    assert_non_null(to);
    memcpy(to, b, octets);
    return m;
}

struct rte_mbuf *fixture_frame_in_two(const uint8_t *b, uint32_t octets, uint32_t first)
{
    struct rte_mbuf *m = fixture_frame(b, first);
    assert_int_equal(rte_pktmbuf_chain(m, fixture_frame(b + first, octets - first)), 0);
    return m;
}

bool fixture_receive(struct rte_mbuf *m, uint64_t now_ns)
{
    if (port_unwrap(&fx.port, &m, &fx.datagram, 1, now_ns) == 0)
        return false;
    assert_int_equal(m->nb_segs, 1);
    assert_true(m->data_len <= FRAME_OCTETS_MAX);
    fx.frame_octets = m->data_len;
    memcpy(fx.frame, rte_pktmbuf_mtod(m, void *), m->data_len);
    fx.passed_packets++;
    fx.passed_octets += m->pkt_len;
    rte_pktmbuf_free(m);
    return true;
}

bool fixture_receive_octets(const void *b, uint32_t octets, uint64_t now_ns)
{
    return fixture_receive(fixture_frame(b, octets), now_ns);
}

void fixture_assert_balanced(void)
{
    const struct stats_port *s = &fx.stats;
    uint64_t packets, octets;
    port_held(&fx.port, &packets, &octets);
    packets += s->host_packets + s->joined_packets + fx.passed_packets;
    octets += s->host_octets + s->header_octets + fx.passed_octets;
    for (int r = 0; r < DROP_COUNT; r++) {
        packets += s->drop[r].packets;
        octets += s->drop[r].octets;
    }
    assert_int_equal(packets, s->rx_packets);
    assert_int_equal(octets, s->rx_octets);
}

void fixture_assert_drops(enum drop_reason reason, uint64_t packets)
{
    for (uint32_t r = 0; r < DROP_COUNT; r++) {
        uint64_t expected = r == reason ? packets : 0;
        if (fx.stats.drop[r].packets != expected)
            fail_msg("%s: %lu and not %lu", stats_drop_names[r], fx.stats.drop[r].packets,
                     expected);
    }
}

uint32_t fixture_sent(uint8_t b[FRAME_OCTETS_MAX])
{
    struct rte_mbuf *m;
    if (rte_ring_empty(fx.device.tx_ring[0]))
        port_send(&fx.port, NULL, 0); // what it has to say for itself
    if (rte_ring_dequeue(fx.device.tx_ring[0], (void **)&m) != 0)
        return 0;
    uint32_t octets = m->data_len;
    assert_int_equal(m->pkt_len, octets);
    assert_true(octets <= FRAME_OCTETS_MAX);
    memcpy(b, rte_pktmbuf_mtod(m, void *), octets);
    rte_pktmbuf_free(m);
    return octets;
}

void fixture_assert_sent(const void *b, uint32_t octets)
{
    uint8_t sent[FRAME_OCTETS_MAX];
    assert_int_equal(fixture_sent(sent), octets);
    assert_memory_equal(sent, b, octets);
}

void fixture_assert_nothing_sent(void)
{
    uint8_t sent[FRAME_OCTETS_MAX];
    assert_int_equal(fixture_sent(sent), 0);
}

static uint32_t put_ether(uint8_t *b, uint16_t type)
{
    struct ether ether = {.destination = our_mac, .source = peer_mac, .type = type};
    return (uint32_t)ether_encode(&ether, b, ETHER_OCTETS);
}

uint32_t frame_ipv4(uint8_t *b, const struct ipv4 *ip)
{
    uint32_t head = put_ether(b, ETHER_TYPE_IPV4);
    int octets = ipv4_encode(ip, b + head, FRAME_OCTETS_MAX - head);
    assert_true(octets > 0);
    return head + (uint32_t)octets;
}

uint32_t frame_ipv6(uint8_t *b, const struct ipv6 *ip)
{
    uint32_t head = put_ether(b, ETHER_TYPE_IPV6);
    int octets = ipv6_encode(ip, b + head, FRAME_OCTETS_MAX - head);
    assert_true(octets > 0);
    return head + (uint32_t)octets;
}

struct ipv4 ipv4_from_peer(uint8_t protocol, const void *payload, uint32_t octets)
{
    return (struct ipv4){.id = 7,
                         .ttl = 61,
                         .protocol = protocol,
                         .source = PEER_IPV4,
                         .destination = OUR_IPV4,
                         .payload = {payload, octets}};
}

struct ipv6 ipv6_from_peer(uint8_t next_header, const void *payload, uint32_t octets)
{
    return (struct ipv6){.hop_limit = 255,
                         .next_header = next_header,
                         .source = peer_ipv6,
                         .destination = our_ipv6,
                         .payload = {payload, octets}};
}

static uint32_t put_udp(uint8_t *b, const void *payload, uint32_t octets)
{
    struct udp udp = {
        .source_port = PEER_PORT, .destination_port = OUR_PORT, .payload = {payload, octets}};
    return (uint32_t)udp_encode(&udp, b, FRAME_OCTETS_MAX);
}

uint32_t frame_udp_ipv4(uint8_t *b, const void *payload, uint32_t octets)
{
    uint8_t udp[FRAME_OCTETS_MAX];
    uint32_t n = put_udp(udp, payload, octets);
    udp_put_checksum(udp, n, PEER_IPV4, OUR_IPV4);
    struct ipv4 ip = ipv4_from_peer(IPV4_PROTOCOL_UDP, udp, n);
    return frame_ipv4(b, &ip);
}

uint32_t frame_udp_ipv6(uint8_t *b, const void *payload, uint32_t octets)
{
    uint8_t udp[FRAME_OCTETS_MAX];
    uint32_t n = put_udp(udp, payload, octets);
    udp_put_checksum_ipv6(udp, n, &peer_ipv6, &our_ipv6);
    struct ipv6 ip = ipv6_from_peer(IPV6_NEXT_UDP, udp, n);
    return frame_ipv6(b, &ip);
}

void frame_ipv4_checksum(uint8_t *b)
{
    put_be16(b + 24, 0);
    put_be16(b + 24, ipv4_fold(ipv4_sum(0, b + 14, 20)));
}
