// See frames.h.
#include "bench/throughput/frames.h"

#include <string.h>

#include "dataplane/wire/bssgp.h"

#define ECT_0        2
#define INNER_SOURCE 0xcb007101u // 203.0.113.1
#define MS_ADDRESS   0x0a000001u

static const struct {
    uint32_t octets, weight;
} imix[FRAMES_SIZES_MAX] = {{64, 7}, {576, 4}, {1400, 1}};

static int put_ipv4(uint32_t source, uint32_t destination, uint8_t tos, uint16_t source_port,
                    uint16_t destination_port, struct octets payload, uint8_t *b, uint32_t room)
{
    uint8_t datagram[FRAMES_OCTETS_MAX];
    struct udp udp = {
        .source_port = source_port, .destination_port = destination_port, .payload = payload};
    int n = udp_encode(&udp, datagram, sizeof datagram);
    struct ipv4 ip = {.tos = tos,
                      .ttl = 64,
                      .protocol = IPV4_PROTOCOL_UDP,
                      .source = source,
                      .destination = destination,
                      .payload = {datagram, (uint32_t)n}};
    return n < 0 ? n : ipv4_encode(&ip, b, room);
}

static int put_packet(uint32_t octets, uint8_t *b)
{
    uint8_t payload[FRAMES_OCTETS_MAX];
    for (uint32_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7);
    return put_ipv4(INNER_SOURCE, MS_ADDRESS, ECT_0, FRAMES_PORT, FRAMES_PORT,
                    (struct octets){payload, octets - IPV4_OCTETS - UDP_OCTETS}, b,
                    FRAMES_OCTETS_MAX);
}

static int put_ether(struct mac destination, struct mac source, const uint8_t *packet, int n,
                     struct frame *frame)
{
    struct ether ether = {.destination = destination,
                          .source = source,
                          .type = ETHER_TYPE_IPV4,
                          .payload = {packet, (uint32_t)n}};
    return n < 0 ? n : ether_encode(&ether, frame->octets, sizeof frame->octets);
}

// The first segment has the longer header.
static uint16_t segments(uint32_t octets, uint32_t n201_u)
{
    uint32_t first = n201_u - SNDCP_FIRST_OCTETS, next = n201_u - SNDCP_NEXT_OCTETS;
    return (uint16_t)(octets <= first ? 1 : 1 + (octets - first + next - 1) / next);
}

static int make_down(struct frame *frame, const uint8_t *packet, uint32_t octets)
{
    uint8_t message[FRAMES_OCTETS_MAX], ip[FRAMES_OCTETS_MAX];
    struct gtpu gtpu = {.type = GTPU_G_PDU, .payload = {packet, octets}};
    int n = gtpu_encode(&gtpu, message, sizeof message);
    if (n > 0)
        n = put_ipv4(BENCH_GGSN_ADDRESS, BENCH_GN_ADDRESS, 0, GTPU_PORT, GTPU_PORT,
                     (struct octets){message, (uint32_t)n}, ip, sizeof ip);
    return put_ether(bench_gn_mac, bench_ggsn_mac, ip, n, frame);
}

static int put_llc(const uint8_t *packet, uint32_t octets, bool enciphered, uint8_t *b,
                   uint32_t room)
{
    uint8_t info[FRAMES_OCTETS_MAX];
    struct sndcp_unitdata sndcp = {.first = true, .nsapi = BENCH_NSAPI, .data = {packet, octets}};
    int n = sndcp_unitdata_encode(&sndcp, info, sizeof info);
    struct llc_ui llc = {.sapi = BENCH_SAPI,
                         .cr = llc_cr(true, false),
                         .enciphered = enciphered,
                         .protect_all = true,
                         .has_enciphered_fcs = enciphered,
                         .info = {info, (uint32_t)n}};
    return n < 0 ? n : llc_ui_encode(&llc, b, room);
}

static int make_up(struct frame *frame, const uint8_t *packet, uint32_t octets, bool enciphered)
{
    uint8_t llc[FRAMES_OCTETS_MAX], bssgp[FRAMES_OCTETS_MAX], ns[FRAMES_OCTETS_MAX],
        ip[FRAMES_OCTETS_MAX];
    int n = put_llc(packet, octets, enciphered, llc, sizeof llc);
    struct bssgp_ul_unitdata unitdata = {
        .tlli = BENCH_TLLI,
        .cell = {.mcc = 1, .mnc = 1, .mnc_digits = 2, .lac = 1, .ci = 1},
        .llc_pdu = {llc, (uint32_t)n}};
    frame->llc_octets = (uint16_t)n;
    if (n > 0)
        n = bssgp_ul_unitdata_encode(&unitdata, bssgp, sizeof bssgp);
    struct ns_unitdata pdu = {.bvci = BENCH_BVCI, .sdu = {bssgp, (uint32_t)n}};
    if (n > 0)
        n = ns_unitdata_encode(&pdu, ns, sizeof ns);
    if (n > 0)
        n = put_ipv4(BENCH_BSS_ADDRESS, BENCH_GB_ADDRESS, 0, BENCH_BSS_PORT, BENCH_GB_PORT,
                     (struct octets){ns, (uint32_t)n}, ip, sizeof ip);
    n = put_ether(bench_gb_mac, bench_bss_mac, ip, n, frame);
    frame->llc = (uint16_t)(n - frame->llc_octets); // it is the last element
    return n;
}

static bool make(struct frame *frame, uint32_t octets, const struct bench_options *o, bool up)
{
    uint8_t packet[FRAMES_OCTETS_MAX];
    int n = put_packet(octets, packet);
    if (n != (int)octets)
        return false;
    n = up ? make_up(frame, packet, octets, o->gea != 0) : make_down(frame, packet, octets);
    frame->n = (uint16_t)n;
    frame->packet_octets = (uint16_t)octets;
    frame->pdus = up ? 1 : segments(octets, o->n201_u);
    return n > 0;
}

bool frames_make(struct frames *frames, const struct bench_options *o, bool up)
{
    bool good = true;
    *frames = (struct frames){.flows = o->flows, .sizes = 1, .weights = 1, .weight = {1}};
    if (o->size_octets != OPTIONS_IMIX)
        return make(&frames->frame[0], o->size_octets, o, up);
    frames->sizes = FRAMES_SIZES_MAX;
    frames->weights = 0;
    for (uint32_t i = 0; i < FRAMES_SIZES_MAX; i++) {
        frames->weights += frames->weight[i] = imix[i].weight;
        good &= make(&frames->frame[i], imix[i].octets, o, up);
    }
    return good;
}

double frames_mean_octets(const struct frames *frames)
{
    uint32_t octets = 0;
    for (uint32_t i = 0; i < frames->sizes; i++)
        octets += frames->weight[i] * frames->frame[i].packet_octets;
    return (double)octets / frames->weights;
}
