// VLANs (IEEE 802.1Q). The tag comes off a frame as a port receives it and goes on as the port
// sends it, so nothing else knows of tags, and octets are counted without them. The NIC takes it
// off and puts it on where it can; both ways leave the same in the buffer: RX_VLAN_STRIPPED and the
// tag's word. Two ports may be at one device: then a burst of either is dealt out by VID, and what
// is the other's waits for its next call. A tag with VID 0 says only a priority, and such a frame
// is like one without a tag. The priority of what comes is ignored, and of what goes is 0.
//
// Refused with DROP_vlan: a frame of another VLAN, one without a tag where the port has a VLAN, a
// second tag (802.1ad). Frames of neither of two ports count at the first.
#include "dataplane/port/port_parts.h"

static uint16_t type_of(const struct rte_mbuf *m)
{
    return m->data_len < ETHER_OCTETS ? 0 : get_be16(rte_pktmbuf_mtod(m, const uint8_t *) + 12);
}

static bool is_tag(uint16_t type)
{
    return type == ETHER_TYPE_VLAN || type == ETHER_TYPE_STAG;
}

static bool has_whole_tag(const struct rte_mbuf *m)
{
    return type_of(m) == ETHER_TYPE_VLAN && m->data_len >= ETHER_OCTETS + ETHER_TAG_OCTETS;
}

// As the NIC does it, and as rte_vlan_strip, which wants frames at even addresses.
static void strip(struct rte_mbuf *m)
{
    const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
    m->vlan_tci = get_be16(b + ETHER_OCTETS);
    m->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
    memmove(rte_pktmbuf_adj(m, ETHER_TAG_OCTETS), b, 2 * sizeof(struct mac));
}

// ---- In ----

bool port_priority_tag(struct port *port, struct rte_mbuf *m)
{
    if (likely(!is_tag(type_of(m))))
        return true;
    const uint8_t *tag = rte_pktmbuf_mtod_offset(m, const uint8_t *, ETHER_OCTETS);
    if (m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED || !has_whole_tag(m) ||
        get_be16(tag) & ETHER_VID_MASK || is_tag(get_be16(tag + 2)))
        return false;
    strip(m);
    port->stats->header_octets += ETHER_TAG_OCTETS; // the frame was counted with them
    return true;
}

// The VID of a frame of a trunk; 0: none.
static uint32_t take_tag(struct rte_mbuf *m)
{
    if (!(m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED)) {
        if (m->nb_segs > 1 && m->data_len < ETHER_OCTETS + ETHER_TAG_OCTETS)
            rte_pktmbuf_linearize(m); // if it does not fit it is dropped later
        if (!has_whole_tag(m))
            return 0;
        strip(m);
    }
    return m->vlan_tci & ETHER_VID_MASK;
}

static void copy(const struct port *port, struct rte_mbuf *m)
{
    if (likely(!port->mirror))
        return;
    mirror_put(port->mirror, port->mirror_interface, MIRROR_IN, &m, 1);
    mirror_take(port->mirror, port->mirror_interface, 1);
}

static void drop(struct port *port, enum drop_reason reason, struct rte_mbuf *m)
{
    port->stats->rx_packets++;
    port->stats->rx_octets += m->pkt_len;
    packet_drop(port->stats->drop, reason, m, m->pkt_len);
}

// Which of the ports at the device a frame is for; NULL: neither.
static struct port *port_of(struct port *port, uint32_t vid)
{
    if (likely(vid == port->vlan))
        return port;
    return port->other && vid == port->other->vlan ? port->other : NULL;
}

uint32_t port_trunk_receive(struct port *port, struct rte_mbuf **m)
{
    struct rte_mbuf *burst[PORT_BURST];
    struct port *other = port->other;
    uint32_t n = port->waiting, room = PORT_BURST - n;
    memcpy(m, port->wait, n * sizeof *m);
    port->waiting = 0;
    if (other && room > PORT_BURST - other->waiting)
        room = PORT_BURST - other->waiting;
    uint32_t got = room ? rte_eth_rx_burst(port->id, port->queue, burst, (uint16_t)room) : 0;
    for (uint32_t i = 0; i < got; i++) {
        struct port *to = port_of(port, take_tag(burst[i]));
        copy(to ? to : port->finder, burst[i]);
        if (!to)
            drop(port->finder, DROP_vlan, burst[i]);
        else if (to == port)
            m[n++] = burst[i];
        else
            other->wait[other->waiting++] = burst[i];
    }
    return n;
}

void port_trunk_flush(struct port *port)
{
    for (uint32_t i = 0; i < port->waiting; i++)
        drop(port, DROP_shutdown, port->wait[i]);
    port->waiting = 0;
}

void port_share(struct port *first, struct port *second)
{
    first->trunk = second->trunk = true;
    first->other = second;
    second->other = second->finder = first;
}

// ---- Out ----

// rte_vlan_insert refuses buffers of a driver's own memory, in which frames come from some NICs.
static bool put_tag(struct rte_mbuf *m, uint16_t vlan)
{
    uint8_t *b = (uint8_t *)rte_pktmbuf_prepend(m, ETHER_TAG_OCTETS);
    if (!b) // every buffer has the room
        return false;
    memmove(b, b + ETHER_TAG_OCTETS, 2 * sizeof(struct mac));
    put_be16(b + 12, ETHER_TYPE_VLAN);
    put_be16(b + 14, vlan);
    m->ol_flags &= ~RTE_MBUF_F_TX_VLAN;
    m->l2_len = ETHER_OCTETS + ETHER_TAG_OCTETS; // for a NIC that computes a checksum
    return true;
}

uint32_t port_tags_put(const struct port *port, struct rte_mbuf **m, uint32_t n)
{
    uint32_t ready = 0;
    if (port->inserts_tags) {
        for (uint32_t i = 0; i < n; i++) {
            m[i]->vlan_tci = port->vlan;
            m[i]->ol_flags |= RTE_MBUF_F_TX_VLAN;
        }
        ready = rte_eth_tx_prepare(port->id, port->queue, m, (uint16_t)n);
        if (ready < n) // the driver cannot do it for this one
            ready += put_tag(m[ready], port->vlan);
        return ready;
    }
    while (ready < n && put_tag(m[ready], port->vlan))
        ready++;
    return ready;
}

void port_tags_off(struct rte_mbuf **m, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        m[i]->ol_flags &= ~RTE_MBUF_F_TX_VLAN;
        if (!has_whole_tag(m[i]))
            continue;
        strip(m[i]);
        m[i]->l2_len = ETHER_OCTETS;
    }
}
