// GTP-U's own messages (TS 29.281 clause 7). An Echo Request is answered. A GGSN's Error Indication
// is reported to control, which ends the uplink of its context. For a G-PDU with an unknown TEID
// the sender gets an Error Indication with its UDP port (5.2.2.1), up to a rate limit. Supported
// Extension Headers Notifications and End Markers are ignored. Left out: sending the notification
// in answer to an unknown extension header (5.2.1).
#include "dataplane/down/down.h"
#include "dataplane/base/units.h"
#include "dataplane/state/event_put.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/gtpu.h"

#define ANSWER_OCTETS_MAX 64

static void answer(struct down *down, const struct rte_mbuf *packet,
                   const struct port_datagram *datagram, const uint8_t *octets, int n, bool to_gtpu)
{
    struct rte_mbuf *m;
    uint8_t *b = n < 0 ? NULL : port_reply(down->gn, packet, datagram, (uint32_t)n, &m);
    if (!b)
        return;
    memcpy(b, octets, (uint32_t)n);
    if (to_gtpu)
        put_be16(b - UDP_OCTETS + 2, GTPU_PORT);
    port_reply_finish(m);
    port_answer(down->gn, m);
}

static uint32_t taken(struct down *down, struct rte_mbuf *packet)
{
    struct stats_port *stats = down->gn->stats;
    stats->host_packets++;
    stats->host_octets += packet->pkt_len;
    packet_release(packet);
    return DECAP_TAKEN;
}

static uint32_t echo(struct down *down, struct rte_mbuf *packet,
                     const struct port_datagram *datagram, const struct gtpu *request)
{
    uint8_t ies[8], b[ANSWER_OCTETS_MAX];
    struct gtpu_echo_response recovery = {0};
    int n = gtpu_echo_response_encode(&recovery, ies, sizeof ies);
    struct gtpu response = {.type = GTPU_ECHO_RESPONSE,
                            .has_sequence = true,
                            .sequence = request->has_sequence ? request->sequence : 0,
                            .payload = {ies, (uint32_t)n}};
    n = gtpu_encode(&response, b, sizeof b);
    answer(down, packet, datagram, b, n, false);
    return taken(down, packet);
}

static uint32_t indication(struct down *down, struct rte_mbuf *packet,
                           const struct port_datagram *datagram, const struct gtpu *message)
{
    struct gtpu_error_indication error;
    struct event event =
        event_of(EVENT_error_indication, down->state->worker, down->stats->commands);
    event.source = port_sender(packet, datagram).address;
    if (gtpu_error_indication_decode(&error, message->payload.at, message->payload.n) < 0)
        return DROP_gtpu_malformed;
    if (!state_is_ggsn(down->state, &event.source))
        return DROP_stranger;
    event.teid = error.teid;
    if (!event_put_unsolicited(down->events, &event))
        return DROP_control_full;
    struct stats_port *stats = down->gn->stats;
    stats->control_packets++;
    stats->control_octets += packet->pkt_len;
    packet_release(packet);
    return DECAP_TAKEN;
}

uint32_t down_gtpu_message(struct down *down, struct rte_mbuf *packet,
                           const struct port_datagram *datagram, const struct gtpu *message)
{
    switch (message->type) {
    case GTPU_ECHO_REQUEST:
        return echo(down, packet, datagram, message);
    case GTPU_ERROR_INDICATION:
        return indication(down, packet, datagram, message);
    case GTPU_SUPPORTED_EXTENSIONS:
        return taken(down, packet);
    default:
        return DROP_gtpu_message;
    }
}

// At most one per gap in the long run, with a burst of one second's number.
static bool indication_due(struct down *down, uint64_t now_ns)
{
    if (down->indication_gap_ns == 0 || now_ns < down->indication_ns)
        return false;
    if (now_ns > S_IN_NS && down->indication_ns < now_ns - S_IN_NS)
        down->indication_ns = now_ns - S_IN_NS;
    down->indication_ns += down->indication_gap_ns;
    return true;
}

void down_gtpu_unknown(struct down *down, const struct rte_mbuf *packet,
                       const struct port_datagram *datagram, uint32_t teid, uint64_t now_ns)
{
    if (teid == 0 || !indication_due(down, now_ns)) // 0 is for messages without a tunnel
        return;
    struct ipv6_address asked = port_receiver(packet, datagram);
    uint16_t from = port_sender(packet, datagram).udp_port;
    uint8_t ies[32], b[ANSWER_OCTETS_MAX];
    uint8_t port_extension[4] = {1, (uint8_t)(from >> 8), (uint8_t)from, 0};
    struct gtpu_error_indication error = {.teid = teid,
                                          .has_ipv4_address = !datagram->ipv6,
                                          .ipv4_address = address_ipv4(&asked),
                                          .has_ipv6_address = datagram->ipv6,
                                          .ipv6_address = asked};
    int n = gtpu_error_indication_encode(&error, ies, sizeof ies);
    struct gtpu message = {.type = GTPU_ERROR_INDICATION,
                           .has_sequence = true,
                           .has_extension_type = true,
                           .extension_type = GTPU_EXTENSION_UDP_PORT,
                           .has_extensions = true,
                           .extensions = {port_extension, sizeof port_extension},
                           .payload = {ies, n < 0 ? 0 : (uint32_t)n}};
    n = gtpu_encode(&message, b, sizeof b);
    answer(down, packet, datagram, b, n, true);
}
