// See receiver.h. A frame with a fault in any layer is counted and dropped; the text of the first
// fault is kept.
#include "lab/bss/receiver.h"

#include <errno.h>
#include <rte_hash.h>
#include <rte_jhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/address.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/pdus.h"

#define NPDU_OCTETS_MAX (SNDCP_SEGMENTS_MAX * LLC_N201_U_MAX)
#define STAMP_AT        (IPV4_OCTETS + UDP_OCTETS)
#define STAMP_OCTETS    8u

struct receiver_context {
    uint8_t traffic_class;
    uint8_t next_segment; // 0: no open N-PDU
    uint16_t npdu_number;
    uint32_t octets;
    uint8_t *npdu; // allocated while an N-PDU of several segments is open
};

// rte_hash: buckets of 64 octets for 8 keys, twice with the extension table, rounded up to a power
// of two; keys with their data; the rings of free slots.
#define HASH_OCTETS_A_KEY    96u
#define HASH_OCTETS_AT_LEAST (1u << 20)

uint64_t receiver_memory_octets(const struct receiver_limits *limits)
{
    uint64_t keys = (uint64_t)limits->endpoints + limits->contexts + limits->deciphers;
    return 2 * HASH_OCTETS_AT_LEAST + keys * HASH_OCTETS_A_KEY;
}

static struct rte_hash *hash(const char *name, uint32_t entries, uint32_t key_octets)
{
    struct rte_hash_parameters parameters = {.name = name,
                                             .entries = entries < 8 ? 8 : entries,
                                             .key_len = key_octets,
                                             .hash_func = rte_jhash,
                                             .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
                                             .socket_id = SOCKET_ID_ANY};
    return rte_hash_create(&parameters);
}

int receiver_setup(struct receiver *receiver, const struct receiver_limits *limits)
{
    uint32_t contexts = limits->contexts, deciphers = limits->deciphers;
    *receiver = (struct receiver){.limits = *limits};
    receiver->nse_by_endpoint =
        hash("endpoints", limits->endpoints, sizeof(struct receiver_endpoint));
    receiver->by_key = hash("receiver", contexts + deciphers, sizeof(struct receiver_key));
    receiver->context = calloc(contexts ? contexts : 1, sizeof *receiver->context);
    receiver->decipher = calloc(deciphers ? deciphers : 1, sizeof *receiver->decipher);
    receiver->scratch =
        aligned_alloc(_Alignof(struct cipher_scratch), sizeof(struct cipher_scratch));
    bool all = receiver->nse_by_endpoint && receiver->by_key && receiver->context &&
               receiver->decipher && receiver->scratch;
    return all ? 0 : -ENOMEM;
}

void receiver_release(struct receiver *receiver)
{
    for (uint32_t i = 0; i < receiver->contexts; i++)
        free(receiver->context[i].npdu);
    free(receiver->context);
    free(receiver->decipher);
    free(receiver->scratch);
    rte_hash_free(receiver->by_key);
    rte_hash_free(receiver->nse_by_endpoint);
}

int receiver_add_endpoint(struct receiver *receiver, const struct receiver_endpoint *endpoint,
                          uint32_t nse)
{
    if (rte_hash_lookup(receiver->nse_by_endpoint, endpoint) >= 0)
        return -EEXIST;
    return rte_hash_add_key_data(receiver->nse_by_endpoint, endpoint, (void *)(uintptr_t)nse);
}

int receiver_add_context(struct receiver *receiver, const struct receiver_key *key,
                         uint8_t traffic_class)
{
    if (rte_hash_lookup(receiver->by_key, key) >= 0)
        return -EEXIST;
    if (receiver->contexts == receiver->limits.contexts)
        return -ENOSPC;
    uintptr_t index = receiver->contexts++;
    receiver->context[index].traffic_class = traffic_class;
    return rte_hash_add_key_data(receiver->by_key, key, (void *)index);
}

int receiver_add_cipher(struct receiver *receiver, const struct receiver_key *key, uint8_t gea,
                        struct octets kc, uint32_t iov_ui)
{
    if (rte_hash_lookup(receiver->by_key, key) >= 0)
        return -EEXIST;
    if (receiver->deciphers == receiver->limits.deciphers)
        return -ENOSPC;
    int wrong = decipher_begin(&receiver->decipher[receiver->deciphers], gea, kc, iov_ui);
    if (wrong)
        return wrong;
    uintptr_t index = receiver->deciphers++;
    return rte_hash_add_key_data(receiver->by_key, key, (void *)index);
}

static void fault(struct receiver *receiver, const char *layer, const char *what, uint32_t offset)
{
    if (receiver->faults++ == 0)
        snprintf(receiver->first_fault, sizeof receiver->first_fault,
                 "frame %llu, %s: %s (octet %u of the layer)", (unsigned long long)receiver->frames,
                 layer, what, offset);
}

static void receive_npdu(struct receiver *receiver, const struct receiver_context *context,
                         const uint8_t *npdu, uint32_t octets, uint64_t now_ns)
{
    struct receiver_class *of_class = &receiver->of_class[context->traffic_class];
    of_class->npdus++;
    of_class->octets += octets;
    if (octets < STAMP_AT + STAMP_OCTETS)
        return;
    uint64_t sent_ns = (uint64_t)get_be32(npdu + STAMP_AT) << 32 | get_be32(npdu + STAMP_AT + 4);
    histogram_add(&of_class->delay_ns, now_ns - sent_ns);
}

static void give_up(struct receiver *receiver, struct receiver_context *context)
{
    receiver->discarded += context->next_segment > 0;
    context->next_segment = 0;
    free(context->npdu);
    context->npdu = NULL;
}

// Appends a segment; returns false if it is not the next in order.
static bool keep_segment(struct receiver_context *context, const struct sndcp_unitdata *s)
{
    if (!context->npdu)
        context->npdu = malloc(NPDU_OCTETS_MAX);
    if (!context->npdu)
        return false;
    if (s->first) {
        context->octets = 0;
        context->npdu_number = s->npdu_number;
    }
    bool in_order = (s->first || context->next_segment > 0) &&
                    s->segment == context->next_segment && s->npdu_number == context->npdu_number &&
                    context->octets + s->data.n <= NPDU_OCTETS_MAX;
    if (!in_order)
        return false;
    memcpy(context->npdu + context->octets, s->data.at, s->data.n);
    context->octets += s->data.n;
    context->next_segment++;
    return true;
}

static void receive_segment(struct receiver *receiver, struct receiver_context *context,
                            const struct sndcp_unitdata *s, uint64_t now_ns)
{
    if (s->first)
        give_up(receiver, context);
    if (s->first && !s->more) {
        receive_npdu(receiver, context, s->data.at, s->data.n, now_ns);
        return;
    }
    if (!keep_segment(context, s)) {
        fault(receiver, "SNDCP", "segment out of order", 0);
        give_up(receiver, context);
        return;
    }
    if (s->more)
        return;
    receive_npdu(receiver, context, context->npdu, context->octets, now_ns);
    context->next_segment = 0;
    give_up(receiver, context);
}

// Deciphers the frame of an MS with a key. Returns false and notes the fault if the frame is
// enciphered and the MS has no key, or the reverse, or deciphering fails.
static bool decipher(struct receiver *receiver, const struct receiver_key *key, struct octets frame,
                     struct llc_ui *llc)
{
    void *index;
    const char *wrong = NULL;
    bool has_key =
        receiver->deciphers > 0 && rte_hash_lookup_data(receiver->by_key, key, &index) >= 0;
    if (has_key != llc->enciphered)
        wrong = has_key ? "not enciphered" : "enciphered, but the MS has no key";
    else if (has_key && frame.n > sizeof receiver->clear)
        wrong = "longer than the largest N201-U";
    else if (has_key)
        wrong = decipher_frame(&receiver->decipher[(uintptr_t)index], receiver->scratch, frame, llc,
                               receiver->clear);
    if (wrong)
        fault(receiver, "LLC", wrong, 0);
    return !wrong;
}

#define LAYER(layer, pdu, payload, length)                                                   \
    do {                                                                                     \
        int n = layer##_decode(pdu, payload, length);                                        \
        if (n < 0) {                                                                         \
            fault(receiver, #layer, wire_err_text(wire_fault_err(n)), wire_fault_offset(n)); \
            return false;                                                                    \
        }                                                                                    \
    } while (0)

// Decodes Ethernet and IP to the datagram and its destination. Returns false for a fault, and for a
// fragment that is not the last.
static bool decode_ip(struct receiver *receiver, const uint8_t *frame, uint32_t octets,
                      struct octets *datagram, struct ipv6_address *destination)
{
    struct ether ether;
    struct ipv4 ipv4;
    struct ipv6 ipv6;
    const char *wrong;
    LAYER(ether, &ether, frame, octets);
    if (ether.type == ETHER_TYPE_IPV6) {
        LAYER(ipv6, &ipv6, ether.payload.at, ether.payload.n);
        wrong = join_ipv6(&receiver->join, &ipv6, datagram);
        *destination = ipv6.destination;
    } else {
        LAYER(ipv4, &ipv4, ether.payload.at, ether.payload.n);
        wrong = join_ipv4(&receiver->join, &ipv4, datagram);
        *destination = address_of_ipv4(ipv4.destination);
    }
    if (wrong)
        fault(receiver, "IP", wrong, 0);
    receiver->fragments += !wrong && datagram->n == 0;
    return !wrong && datagram->n > 0;
}

// Decodes UDP and NS, and finds the NSE.
static bool decode_datagram(struct receiver *receiver, struct octets datagram,
                            const struct ipv6_address *destination, struct ns_unitdata *ns,
                            uint32_t *nse)
{
    struct udp udp;
    void *found;
    LAYER(udp, &udp, datagram.at, datagram.n);
    struct receiver_endpoint endpoint = {*destination, udp.destination_port};
    if (rte_hash_lookup_data(receiver->nse_by_endpoint, &endpoint, &found) < 0) {
        fault(receiver, "UDP", "no NS-VC has this endpoint", 2);
        return false;
    }
    *nse = (uint32_t)(uintptr_t)found;
    LAYER(ns_unitdata, ns, udp.payload.at, udp.payload.n);
    return true;
}

// Decodes all layers down to the SNDCP segment. Returns false and notes the fault of a layer.
static bool decode(struct receiver *receiver, const uint8_t *frame, uint32_t octets,
                   struct receiver_key *key, struct sndcp_unitdata *sndcp)
{
    struct octets datagram;
    struct ipv6_address destination;
    struct ns_unitdata ns;
    struct bssgp_dl_unitdata bssgp;
    struct llc_ui llc;
    *key = (struct receiver_key){0};
    if (!decode_ip(receiver, frame, octets, &datagram, &destination) ||
        !decode_datagram(receiver, datagram, &destination, &ns, &key->nse))
        return false;
    LAYER(bssgp_dl_unitdata, &bssgp, ns.sdu.at, ns.sdu.n);
    LAYER(llc_ui, &llc, bssgp.llc_pdu.at, bssgp.llc_pdu.n);
    key->tlli = bssgp.tlli;
    if (!decipher(receiver, key, bssgp.llc_pdu, &llc))
        return false;
    LAYER(sndcp_unitdata, sndcp, llc.info.at, llc.info.n);
    key->nsapi = sndcp->nsapi;
    return true;
}
#undef LAYER

void receiver_frame(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns)
{
    struct receiver *receiver = self;
    struct receiver_key key;
    struct sndcp_unitdata sndcp;
    void *index;
    receiver->frames++;
    if (!decode(receiver, frame, octets, &key, &sndcp))
        return;
    if (rte_hash_lookup_data(receiver->by_key, &key, &index) < 0)
        fault(receiver, "BSSGP", "no PDP context with this TLLI and NSAPI in the NSE", 1);
    else
        receive_segment(receiver, &receiver->context[(uintptr_t)index], &sndcp, now_ns);
}

uint32_t receiver_partial(const struct receiver *receiver)
{
    uint32_t partial = 0;
    for (uint32_t i = 0; i < receiver->contexts; i++)
        partial += receiver->context[i].next_segment > 0;
    return partial;
}
