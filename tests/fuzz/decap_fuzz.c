// A frame of Gn: off the port's wire and out of its tunnel, in a buffer that ends with it. Either
// it is dropped with a reason, answered or kept as a fragment, or an N-PDU lies whole within the
// frame; the fast way in says nothing else than the general one. The IPv4 checksum is made good
// first, unless the last octet of the input is odd; that octet is no part of the frame. From 0xf0
// on it says that the port has VLAN 100, or no VLAN and another port, with VLAN 200, at its device.
#include <rte_hash.h>
#include <string.h>

#include "dataplane/down/down.h"
#include "dataplane/port/port_parts.h"
#include "dataplane/state/event.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "tests/fuzz/buffer.h"
#include "tests/fuzz/check.h"

#define FRAME_MAX 9000u

static const struct port_config config = {
    .name = "gn",
    .device = PORT_DEVICE_RING,
    .queues = 1,
    .rx_frames = 8,
    .tx_frames = 63,
    .buffers = 256,
    .neighbours = 8,
    .host = {.mac = {{2, 0, 0, 0, 0, 1}},
             .ipv4 = 0xc0000201,
             .ipv4_prefix = 24,
             .ipv6 = {{0x20, 1, 0xd, 0xb8, [15] = 1}},
             .ipv6_prefix = 64,
             .udp_port = GTPU_PORT,
             .mtu_octets = 1500},
};
static struct port_device device;
static struct port port, other;
static struct stats_worker stats;
static struct stats_port other_stats;
static struct state state;
static struct event_unread gtpc;
static struct down down = {.state = &state, .stats = &stats, .gn = &port, .gtpc = &gtpc};

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const struct ipv6_address ggsn = address_of_ipv4(0xc0000202);
    const char *why;
    (void)argc, (void)argv;
    buffer_start_dpdk("decap_fuzz");
    CHECK(port_device_open(&device, &config, &why) == 0);
    CHECK(port_setup(&port, &device, 0, &config, &stats.of_port[STATS_GN]) == 0);
    other = (struct port){.vlan = 200, .stats = &other_stats};
    state.ggsns = state_hash("ggsns", 0, 8, sizeof ggsn);
    CHECK(state.ggsns &&
          rte_hash_add_key_data(state.ggsns, &ggsn, (void *)(1 | 1ULL << STATE_GTPC_SHIFT)) >= 0);
    port.second_udp_port = GTPC_PORT;
    port.second = down_gtpc;
    port.second_self = &down;
    down.event_pool = device.pool;
    down.events = rte_ring_create_elem("events", sizeof(struct event), 8, SOCKET_ID_ANY, 0);
    CHECK(down.events);
    return 0;
}

static void repair_checksum(uint8_t *frame, uint32_t n)
{
    if (n < ETHER_OCTETS + IPV4_OCTETS)
        return;
    uint32_t ether =
        ETHER_OCTETS + (get_be16(frame + 12) == ETHER_TYPE_VLAN ? ETHER_TAG_OCTETS : 0);
    uint8_t *ip = frame + ether;
    uint32_t header = (ip[0] & 15u) * 4;
    if (header < IPV4_OCTETS || n < ether + header)
        return;
    put_be16(ip + 10, 0);
    put_be16(ip + 10, ipv4_fold(ipv4_sum(0, ip, header)));
}

static void check_datagram(const struct rte_mbuf *m, const struct port_datagram *d)
{
    CHECK(d->ip_offset == ETHER_OCTETS && d->ecn < 4);
    CHECK(d->payload_offset >= (d->ipv6 ? PEER_OUTER_IPV6_OCTETS : PEER_OUTER_IPV4_OCTETS));
    CHECK((uint32_t)d->payload_offset + d->payload_octets <= m->data_len);
}

// One with a VLAN, or with another port at its device, or neither. Returns whether the frame, which
// may have lost its tag, is for the port; if not it has been dropped, or has gone to the other one.
static bool received(struct rte_mbuf **m, uint8_t kind)
{
    struct rte_mbuf *frame[PORT_BURST];
    uint64_t dropped = stats.of_port[STATS_GN].drop[DROP_vlan].packets;
    port.trunk = kind >= 0xf0;
    port.vlan = kind >= 0xf8 ? 100 : 0;
    port.other = kind >= 0xf0 && kind < 0xf8 ? &other : NULL;
    if (!port.trunk)
        return true;
    CHECK(rte_ring_enqueue(device.rx_ring[0], *m) == 0);
    uint32_t n = port_receive(&port, frame);
    dropped = stats.of_port[STATS_GN].drop[DROP_vlan].packets - dropped;
    CHECK(n + other.waiting + dropped == 1);
    port_trunk_flush(&other);
    *m = frame[0];
    return n > 0;
}

static bool same(const struct port_datagram *a, const struct port_datagram *b)
{
    return a->payload_offset == b->payload_offset && a->payload_octets == b->payload_octets &&
           a->ecn == b->ecn && a->ip_offset == b->ip_offset && a->ipv6 == b->ipv6;
}

static void check_ways(struct rte_mbuf *m)
{
    struct port_datagram fast, general;
    struct rte_mbuf *same_frame = m;
    if (!port_unwrap_fast(&port, m, &fast))
        return;
    CHECK(port_unwrap_general(&port, &same_frame, &general, 0) == PORT_PASSED);
    CHECK(same_frame == m && same(&fast, &general));
}

static void check_decap(struct rte_mbuf *m, const struct port_datagram *d)
{
    struct gpdu gpdu;
    uint32_t reason = down_decap(&down, m, d, &gpdu);
    if (reason == DECAP_TAKEN)
        return;
    CHECK(reason <= DROP_COUNT);
    if (reason == DROP_NONE) {
        CHECK(gpdu.octets > 0 && gpdu.offset >= d->payload_offset + GTPU_OCTETS);
        CHECK(gpdu.offset + gpdu.octets <= d->payload_offset + d->payload_octets);
    }
    rte_pktmbuf_free(m);
}

// GTP-C's payload is read to its last octet.
static void check_event(const struct event *event)
{
    static volatile uint8_t read;
    CHECK(event->kind == EVENT_error_indication || event->kind == EVENT_gtpc ||
          event->kind == EVENT_gtpc_stranger);
    CHECK((event->kind == EVENT_gtpc) == (event->buffer != NULL));
    for (uint32_t i = 0; i < event->pdu.n; i++)
        read = event->pdu.at[i], (void)read;
    if (event->buffer) {
        gtpc.taken++;
        rte_pktmbuf_free(event->buffer);
    }
}

// What the frame left behind; then every buffer is back.
static void clear(void)
{
    struct rte_mbuf *m;
    struct event event;
    port_tick(&port, 0); // offers the answers
    port_fragments_flush(&port);
    while (rte_ring_dequeue(device.tx_ring[0], (void **)&m) == 0)
        rte_pktmbuf_free(m);
    while (rte_ring_dequeue_elem(down.events, &event, sizeof event) == 0)
        check_event(&event);
    CHECK(rte_mempool_in_use_count(device.pool) == 0);
    CHECK(rte_mempool_in_use_count(port.answer_pool) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct port_datagram datagram;
    if (size < 2 || size > FRAME_MAX)
        return 0;
    struct rte_mbuf *m = buffer_of(device.pool, data, (uint32_t)size - 1, 0);
    if (data[size - 1] % 2 == 0)
        repair_checksum(rte_pktmbuf_mtod(m, uint8_t *), m->data_len);
    if (received(&m, data[size - 1])) {
        check_ways(m);
        if (port_unwrap(&port, &m, &datagram, 1, 0)) {
            check_datagram(m, &datagram);
            check_decap(m, &datagram);
        }
    }
    clear();
    return 0;
}
