// GTP-U (TS 29.281) to N-PDU. A fault of the codec becomes the drop reason.
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

static uint32_t decap_any(struct down *down, struct rte_mbuf *packet,
                          const struct port_datagram *datagram, struct gpdu *gpdu)
{
    const uint8_t *b = rte_pktmbuf_mtod(packet, const uint8_t *);
    struct gtpu message;
    int fault = gtpu_decode(&message, b + datagram->payload_offset, datagram->payload_octets);
    if (fault < 0)
        return reason_of_gtpu(fault);
    if (message.type != GTPU_G_PDU)
        return down_gtpu_message(down, packet, datagram, &message);
    if (message.payload.n == 0)
        return DROP_npdu_empty;
    *gpdu = (struct gpdu){message.teid, (uint16_t)(message.payload.at - b),
                          (uint16_t)message.payload.n};
    return DROP_NONE;
}

uint32_t down_decap(struct down *down, struct rte_mbuf *packet,
                    const struct port_datagram *datagram, struct gpdu *gpdu)
{
    const uint8_t *b = rte_pktmbuf_mtod_offset(packet, uint8_t *, datagram->payload_offset);
    if (!gtpu_is_plain(b, datagram->payload_octets))
        return decap_any(down, packet, datagram, gpdu);
    *gpdu = (struct gpdu){get_be32(b + 4), (uint16_t)(datagram->payload_offset + GTPU_OCTETS),
                          get_be16(b + 2)};
    return gpdu->octets ? DROP_NONE : DROP_npdu_empty;
}
