// Gn frame to N-PDU: Ethernet, IPv4, UDP, GTP-U (TS 29.281). What the codecs find wrong becomes the
// drop reason of its layer. Left out so far: fragments, the UDP checksum (GTP-U peers may send
// none, and a NIC checks it where it can), RFC 6040, messages other than G-PDU, VLANs.
#include "dataplane/down/down.h"
#include "dataplane/wire/gtpu.h"

static enum drop_reason reason_of_gtpu(int fault)
{
    switch (wire_fault_err(fault)) {
    case WIRE_VERSION:
        return DROP_gtpu_version;
    case WIRE_EXTENSION:
        return DROP_gtpu_extension;
    default:
        return DROP_gtpu_malformed;
    }
}

// The UDP datagram of a frame that is for us.
static enum drop_reason outer(const struct down_gn *gn, const uint8_t *b, uint32_t n,
                              struct octets *datagram)
{
    struct ether ether;
    struct ipv4 ip;
    if (ether_decode(&ether, b, n) < 0 || ether.has_vlan_tci || ether.type != ETHER_TYPE_IPV4)
        return DROP_gn_not_ipv4;
    if (ipv4_decode(&ip, ether.payload.at, ether.payload.n) < 0)
        return DROP_gn_ipv4;
    if (ip.destination != gn->address || memcmp(&ether.destination, &gn->mac, sizeof gn->mac) != 0)
        return DROP_gn_not_ours;
    if (ip.more_fragments || ip.fragment_offset)
        return DROP_gn_fragment;
    if (ip.protocol != IPV4_PROTOCOL_UDP)
        return DROP_gn_not_gtpu;
    *datagram = ip.payload;
    return DROP_NONE;
}

static enum drop_reason inner(struct octets datagram, struct gtpu *message)
{
    struct udp udp;
    if (udp_decode(&udp, datagram.at, datagram.n) < 0)
        return DROP_gn_udp;
    if (udp.destination_port != GTPU_PORT)
        return DROP_gn_not_gtpu;
    int fault = gtpu_decode(message, udp.payload.at, udp.payload.n);
    if (fault < 0)
        return reason_of_gtpu(fault);
    if (message->type != GTPU_G_PDU)
        return DROP_gtpu_message;
    return message->payload.n ? DROP_NONE : DROP_npdu_empty;
}

enum drop_reason decap(const struct down_gn *gn, struct rte_mbuf *packet, uint32_t *teid)
{
    if (packet->nb_segs > 1 && rte_pktmbuf_linearize(packet) != 0)
        return DROP_buffer_chain;
    const uint8_t *b = rte_pktmbuf_mtod(packet, const uint8_t *);
    struct octets datagram;
    struct gtpu message;
    enum drop_reason reason = outer(gn, b, packet->data_len, &datagram);
    if (reason == DROP_NONE)
        reason = inner(datagram, &message);
    if (reason != DROP_NONE)
        return reason;
    *teid = message.teid;
    packet->data_off = (uint16_t)(packet->data_off + (message.payload.at - b));
    packet->data_len = (uint16_t)message.payload.n;
    packet->pkt_len = message.payload.n;
    return DROP_NONE;
}
