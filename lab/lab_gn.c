// The hosts' side: what the applications' flows send goes over Gi's line to the GGSN and into its
// tunnel; what comes out of a tunnel goes back the same way. A flow's end in an MS hands its
// packets to the MS.
#include "dataplane/wire/gtpu.h"
#include "lab/lab_parts.h"

#define IP_TOS_AT         1
#define IP_ID_AT          4
#define IP_CHECKSUM_AT    10
#define IP_SOURCE_AT      12
#define IP_DESTINATION_AT 16
#define ECN_MASK          3
#define ECN_CE            3

#define STREAM_FLOWS   (1ULL << 40)
#define STREAM_GI_DOWN (STREAM_FLOWS + 1)
#define STREAM_GI_UP   (STREAM_FLOWS + 2)
#define STREAM_CAKES   (STREAM_FLOWS + 3) // and those behind it

static struct lab_tunnel *tunnel_at(struct lab *lab, const uint8_t *ip, uint32_t at)
{
    return map_find(&lab->tunnel_by_address, get_be32(ip + at));
}

static bool is_ect(const uint8_t *ip)
{
    return (ip[IP_TOS_AT] & ECN_MASK) != 0;
}

static void capture_gi(const struct lab *lab, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    if (lab->out.gi)
        capture_frame(lab->out.gi, now_ns, ip, octets);
}

// ---- Down ----

static void without_context(struct lab *lab, struct ledger_key key, enum ledger_way way,
                            uint32_t octets)
{
    lab->no_context[way].packets++;
    lab->no_context[way].octets += octets;
    lab_lost(lab, key, lab->place_phone + LAB_PHONE_AT_GGSN);
}

static void into_tunnel(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    struct lab *lab = self;
    struct lab_tunnel *tunnel = tunnel_at(lab, ip, IP_DESTINATION_AT);
    struct ledger_key key = lab_key(tunnel, LEDGER_DOWN, lab_ip_id(ip));
    uint32_t teid, worker;
    if (!lab_phone_tunnel(lab, tunnel, &teid, &worker)) {
        without_context(lab, key, LEDGER_DOWN, octets);
        return;
    }
    lab_packet_met(lab, "gn", key);
    if (!ggsn_down(&lab->ggsn, teid, worker, (struct octets){ip, octets}, lab_tag(key), now_ns))
        lab_lost(lab, key, lab->place_gn);
}

static void lost_down(void *self, const uint8_t *ip, uint32_t octets, enum net_loss why,
                      uint64_t now_ns)
{
    struct lab *lab = self;
    (void)octets, (void)now_ns;
    struct lab_tunnel *tunnel = tunnel_at(lab, ip, IP_DESTINATION_AT);
    lab_lost(lab, lab_key(tunnel, LEDGER_DOWN, lab_ip_id(ip)), lab->place_net + why);
}

// That of the MS, or of the cell in which it is now.
static struct cake *cake_of(struct lab *lab, const struct lab_mobile *mobile)
{
    bool per_ms = lab->config.cake.per == CAKE_PER_MS;
    uint64_t key = (uintptr_t)(per_ms ? (const void *)mobile : bss_ms_cell(mobile->at_bss));
    struct cake *cake = map_find(&lab->cake_of, key);
    if (cake)
        return cake;
    cake = cake_create(lab->engine, &lab->config.cake,
                       &(struct net_owner){lab, into_tunnel, lost_down}, lab->config.seed,
                       STREAM_CAKES + lab->cake.n);
    lab_put_item(&lab->cake, cake);
    map_add(&lab->cake_of, key, cake);
    return cake;
}

static void from_gi(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    struct lab *lab = self;
    if (lab->config.cake.rate_bit_per_s)
        cake_send(cake_of(lab, tunnel_at(lab, ip, IP_DESTINATION_AT)->ms), ip, octets, now_ns);
    else
        into_tunnel(lab, ip, octets, now_ns);
}

// ---- Up ----

static void to_host(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    struct lab *lab = self;
    capture_gi(lab, ip, octets, now_ns);
    lab_arrive(lab, tunnel_at(lab, ip, IP_SOURCE_AT), FLOW_HOST, ip, octets, now_ns);
}

static void lost_up(void *self, const uint8_t *ip, uint32_t octets, enum net_loss why,
                    uint64_t now_ns)
{
    struct lab *lab = self;
    (void)octets, (void)now_ns;
    struct lab_tunnel *tunnel = tunnel_at(lab, ip, IP_SOURCE_AT);
    lab_lost(lab, lab_key(tunnel, LEDGER_UP, lab_ip_id(ip)), lab->place_net + why);
}

static struct lab_tunnel *tunnel_of_teid(struct lab *lab, uint32_t teid)
{
    const struct pool_context *context = ggsn_of_teid(&lab->ggsn, teid);
    if (!context)
        return map_find(&lab->tunnel_by_teid, teid);
    return map_find(&lab->tunnel_by_address, pool_address(lab->ggsn.pool, context));
}

// A phone's packet behind the end of its context, which had another TEID.
static bool is_too_late(struct lab *lab, uint32_t teid, struct octets npdu, uint64_t now_ns)
{
    struct lab_tunnel *tunnel = npdu.n < IPV4_OCTETS ? NULL : tunnel_at(lab, npdu.at, IP_SOURCE_AT);
    if (!tunnel || !tunnel->ms->phone || teid < POOL_TEIDS)
        return false;
    without_context(lab, lab_key(tunnel, LEDGER_UP, lab_ip_id(npdu.at)), LEDGER_UP, npdu.n);
    ggsn_indicate(&lab->ggsn, teid, now_ns);
    return true;
}

// From the tunnel onto Gi's line. A packet is its tunnel's, by the address that sent it.
static void out_of_tunnel(void *self, uint32_t teid, struct octets npdu, uint64_t now_ns)
{
    struct lab *lab = self;
    struct lab_tunnel *tunnel = tunnel_of_teid(lab, teid);
    if (!tunnel && is_too_late(lab, teid, npdu, now_ns))
        return;
    if (!tunnel || npdu.n < IPV4_OCTETS || get_be32(npdu.at + IP_SOURCE_AT) != tunnel->address) {
        lab_fault(lab, "the GGSN: a G-PDU that is not its tunnel's, TEID", teid);
        return;
    }
    lab_packet_met(lab, "gn", lab_key(tunnel, LEDGER_UP, lab_ip_id(npdu.at)));
    link_send(&lab->gi_up, npdu.at, npdu.n, now_ns);
}

// ---- The flows ----

void lab_arrive(struct lab *lab, struct lab_tunnel *tunnel, enum flow_end at, const uint8_t *ip,
                uint32_t octets, uint64_t now_ns)
{
    enum ledger_way way = at == FLOW_MS ? LEDGER_DOWN : LEDGER_UP;
    struct ledger_key key = lab_key(tunnel, way, lab_ip_id(ip));
    bool ce = (ip[IP_TOS_AT] & ECN_MASK) == ECN_CE;
    ledger_delivered(&lab->ledger, key, octets, ce, now_ns);
    lab_packet_met(lab, "arrived", key);
    if (at == FLOW_MS)
        lab_phone_arrived(tunnel->ms, now_ns);
    if (!lab->outside.arrived) {
        flow_table_input(&lab->flows, at, ip, octets, now_ns);
        return;
    }
    net_count_add(&lab->outside_side[at].received, octets);
    lab->outside.arrived(lab->outside.self, at, ip, octets);
}

static void send_packet(struct lab *lab, struct lab_tunnel *tunnel, enum flow_end from,
                        const uint8_t *ip, uint32_t octets, uint32_t flow, uint64_t now_ns)
{
    enum ledger_way way = from == FLOW_HOST ? LEDGER_DOWN : LEDGER_UP;
    struct ledger_key key = lab_key(tunnel, way, lab_ip_id(ip));
    ledger_sent(&lab->ledger, key, octets, flow, is_ect(ip), now_ns);
    lab_packet_sent(lab, key, ip, octets);
    if (from == FLOW_MS) {
        lab_up_from_ms(lab, tunnel, ip, octets, now_ns);
        return;
    }
    capture_gi(lab, ip, octets, now_ns);
    link_send(&lab->gi_down, ip, octets, now_ns);
}

static uint16_t next_id_of(struct lab_tunnel *tunnel, enum flow_end from)
{
    return tunnel->next_id[from == FLOW_HOST ? LEDGER_DOWN : LEDGER_UP]++;
}

static struct lab_tunnel *tunnel_of_flow(struct lab *lab, const struct flow *flow)
{
    return map_find(&lab->tunnel_by_address, flow->config.address[FLOW_MS]);
}

static void send_from(void *self, struct flow *flow, enum flow_end from, const uint8_t *ip,
                      uint32_t octets, uint64_t now_ns)
{
    struct lab *lab = self;
    send_packet(lab, tunnel_of_flow(lab, flow), from, ip, octets, (uint32_t)flow->config.stream,
                now_ns);
}

static uint16_t next_id(void *self, struct flow *flow, enum flow_end from)
{
    return next_id_of(tunnel_of_flow(self, flow), from);
}

// ---- Outside ----

void lab_set_outside(struct lab *lab, const struct lab_outside *outside)
{
    lab->outside = *outside;
}

static void put_id(uint8_t *ip, uint16_t id)
{
    uint32_t header_octets = 4u * (ip[0] & 15);
    put_be16(ip + IP_ID_AT, id);
    put_be16(ip + IP_CHECKSUM_AT, 0);
    put_be16(ip + IP_CHECKSUM_AT, ipv4_fold(ipv4_sum(0, ip, header_octets)));
}

void lab_from_outside(struct lab *lab, enum flow_end from, uint8_t *ip, uint32_t octets)
{
    struct ipv4 packet;
    if (octets > LAB_OUTSIDE_OCTETS_MAX) {
        lab_fault(lab, "outside: a packet that is too large for the lab's lines, octets", octets);
        return;
    }
    bool is_whole = ipv4_decode(&packet, ip, octets) == (int)octets;
    struct lab_tunnel *tunnel =
        is_whole ? tunnel_at(lab, ip, from == FLOW_HOST ? IP_DESTINATION_AT : IP_SOURCE_AT) : NULL;
    if (!tunnel) {
        lab_fault(lab, "outside: a packet that is not whole IPv4 between a host and an MS, octets",
                  octets);
        return;
    }
    put_id(ip, next_id_of(tunnel, from));
    net_count_add(&lab->outside_side[from].sent, octets);
    send_packet(lab, tunnel, from, ip, octets, LEDGER_NO_FLOW, engine_now_ns(lab->engine));
}

// ---- Setup ----

void lab_gn_setup(struct lab *lab)
{
    const struct lab_config *c = &lab->config;
    lab->gn = (struct line){.engine = lab->engine,
                            .ends = c->workers,
                            .capture = lab->out.gn,
                            .tap = lab->out.gn_tap,
                            .deliver = ends_frame,
                            .self = &lab->ggsn.ends};
    lab->ggsn = (struct ggsn){
        .host = {c->ggsn_address, c->ggsn_mac, GTPU_PORT}, .up = out_of_tunnel, .self = lab};
    lab->ggsn.ends = (struct ends){.line = &lab->gn,
                                   .to = {c->gn_address, c->gn_mac, GTPU_PORT},
                                   .to_ipv6 = c->gn_address,
                                   .mtu_octets = c->gn_mtu_octets,
                                   .vlan = c->gn_vlan,
                                   .datagram = ggsn_datagram,
                                   .self = &lab->ggsn};
    line_attach(&lab->gn);
    link_setup(&lab->gi_down, lab->engine, &c->gi, &(struct net_owner){lab, from_gi, lost_down},
               c->seed, STREAM_GI_DOWN);
    link_setup(&lab->gi_up, lab->engine, &c->gi, &(struct net_owner){lab, to_host, lost_up},
               c->seed, STREAM_GI_UP);
    flow_table_setup(&lab->flows, lab->engine,
                     &(struct flow_owner){lab, send_from, next_id, lab_flow_ended}, c->seed,
                     STREAM_FLOWS);
    app_world_setup(&lab->world, &lab->flows, &(struct app_owner){0}, c->seed);
}
