// See ggsn.h.
#include "lab/ggsn/ggsn.h"

#include <stdio.h>

#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"

#define MESSAGE_OCTETS_MAX (ENDS_OCTETS_MAX + 256)

static bool send_message(struct ggsn *ggsn, const struct gtpu *gtpu, uint32_t queue, uint64_t tag,
                         uint64_t now_ns)
{
    uint8_t message[MESSAGE_OCTETS_MAX];
    int n = gtpu_encode(gtpu, message, sizeof message);
    return ends_send(&ggsn->ends, &ggsn->host, queue, (struct octets){message, (uint32_t)n}, tag,
                     now_ns);
}

bool ggsn_down(struct ggsn *ggsn, uint32_t teid, uint32_t queue, struct octets npdu, uint64_t tag,
               uint64_t now_ns)
{
    struct gtpu gtpu = {.type = GTPU_G_PDU, .teid = teid, .payload = npdu};
    ggsn->down_npdus++;
    ggsn->down_octets += npdu.n;
    return send_message(ggsn, &gtpu, queue, tag, now_ns);
}

static void answer_echo(struct ggsn *ggsn, const struct gtpu *request, uint64_t now_ns)
{
    uint8_t recovery[8];
    struct gtpu_echo_response response = {0};
    int n = gtpu_echo_response_encode(&response, recovery, sizeof recovery);
    struct gtpu answer = {.type = GTPU_ECHO_RESPONSE,
                          .has_sequence = true,
                          .sequence = request->sequence,
                          .payload = {recovery, (uint32_t)n}};
    ggsn->echoes++;
    send_message(ggsn, &answer, 0, 0, now_ns);
}

static void fault(struct ggsn *ggsn, const char *what, uint32_t number)
{
    if (ggsn->faults++ == 0)
        snprintf(ggsn->first_fault, sizeof ggsn->first_fault, "GTP-U: %s (%u)", what, number);
}

// ---- GTP-C ----

#define RECOVERY 1 // a run has one GGSN, which does not start again

static struct pool *pool_of(struct ggsn *ggsn)
{
    if (!ggsn->pool)
        ggsn->pool = pool_create(&(struct pool_config){.address = address_ipv4(&ggsn->host.address),
                                                       .sgsn = address_ipv4(&ggsn->ends.to.address),
                                                       .network = GGSN_POOL,
                                                       .bits = GGSN_POOL_BITS,
                                                       .kept = ggsn->kept,
                                                       .kept_place = ggsn->kept_place,
                                                       .self = ggsn->self,
                                                       .recovery = RECOVERY});
    return ggsn->pool;
}

static void send_control(struct ggsn *ggsn, uint16_t port, struct octets message, uint64_t now_ns)
{
    struct ends ends = ggsn->ends; // to another port
    struct ends_host from = ggsn->host;
    ends.to.port = port;
    from.port = GTPC_PORT;
    ends_send(&ends, &from, 0, message, 0, now_ns);
    ggsn->ends.fragment_id = ends.fragment_id;
}

static void take_control(struct ggsn *ggsn, const struct ends_datagram *datagram, uint64_t now_ns)
{
    uint8_t answer[POOL_ANSWER_MAX];
    struct pool *pool = pool_of(ggsn);
    uint32_t n = pool_take(pool, address_ipv4(&datagram->source), datagram->source_port,
                           datagram->payload, answer, now_ns);
    if (n > 0)
        send_control(ggsn, datagram->source_port, (struct octets){answer, n}, now_ns);
    else if (ggsn->faults++ == 0)
        snprintf(ggsn->first_fault, sizeof ggsn->first_fault, "%s",
                 pool_first_fault(pool)[0] ? pool_first_fault(pool) : "GTP-C: not from the SGSN");
}

const struct pool_context *ggsn_of_address(const struct ggsn *ggsn, uint32_t address)
{
    return ggsn->pool ? pool_of_address(ggsn->pool, address) : NULL;
}

const struct pool_context *ggsn_of_teid(const struct ggsn *ggsn, uint32_t teid)
{
    return ggsn->pool ? pool_of_teid(ggsn->pool, teid) : NULL;
}

void ggsn_indicate(struct ggsn *ggsn, uint32_t teid, uint64_t now_ns)
{
    uint8_t message[POOL_ANSWER_MAX];
    uint32_t n = pool_indication(pool_of(ggsn), teid, message);
    ends_send(&ggsn->ends, &ggsn->host, 0, (struct octets){message, n}, 0, now_ns);
}

void ggsn_release(struct ggsn *ggsn)
{
    if (ggsn->pool)
        pool_destroy(ggsn->pool);
    ggsn->pool = NULL;
}

// ---- From the SGSN ----

static bool is_control(const struct ggsn *ggsn, const struct ends_datagram *datagram)
{
    return datagram->destination_port == GTPC_PORT && address_is_ipv4(&datagram->source) &&
           address_same(&datagram->destination, &ggsn->host.address);
}

static void take_user(struct ggsn *ggsn, const struct ends_datagram *datagram, uint64_t now_ns)
{
    struct gtpu gtpu;
    int n = gtpu_decode(&gtpu, datagram->payload.at, datagram->payload.n);
    if (n < 0)
        fault(ggsn, wire_err_text(wire_fault_err(n)), wire_fault_offset(n));
    else if (datagram->destination_port != GTPU_PORT)
        fault(ggsn, "not the GGSN's UDP port", datagram->destination_port);
    else if (!address_same(&datagram->destination, &ggsn->host.address))
        fault(ggsn, "not the GGSN's address", 0);
    else if (gtpu.type == GTPU_ECHO_REQUEST)
        answer_echo(ggsn, &gtpu, now_ns);
    else if (gtpu.type == GTPU_ERROR_INDICATION)
        ggsn->error_indications++;
    else if (gtpu.type != GTPU_G_PDU)
        fault(ggsn, "a message that no GGSN expects, type", gtpu.type);
    else {
        ggsn->up_npdus++;
        ggsn->up_octets += gtpu.payload.n;
        ggsn->up(ggsn->self, gtpu.teid, gtpu.payload, now_ns);
    }
}

void ggsn_datagram(void *self, const struct ends_datagram *datagram, uint64_t now_ns)
{
    if (is_control(self, datagram))
        take_control(self, datagram, now_ns);
    else
        take_user(self, datagram, now_ns);
}
