// See cake.h. The shaper has no bucket: the next packet leaves when the one before would have been
// transmitted, or at once after a pause. Flows are exact, where Linux has 1024 queues that are
// found by an 8-way set-associative hash; a flow keeps its COBALT for ever. Hosts are the MSs, as
// with dual-dsthost: all servers of the lab have one address, so that triple-isolate would take
// them for one host.
//
// A flow that had nothing is new and goes before the old ones until it has had a quantum. A
// quantum is divided by the flows that its host has among the old ones. A flow that is found empty
// leaves, unless it owes: then it waits once among the old ones.
//
// Left out: tins (all packets have one DSCP), the ACK filter, ingress mode, framing, the old
// flow's stay while its COBALT remembers.
#include "lab/net/cake.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/aqm/aqm.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "lab/engine/need.h"
#include "lab/net/map.h"

#define QUANTUM_LEAST 300 // octets; what tc shows up to 9.8 Mbit/s
#define QUANTUM_MOST  1514
#define QUANTUM_OF_S  4096 // else so small a part of what the rate sends in a second
#define MTU_OCTETS    1500
#define LIMIT_OCTETS  (4u << 20) // the least of tc-cake's memlimit; it is 4 times rate and rtt
#define TARGET_OF_RTT 20
#define TOS_AT        1
#define CHECKSUM_AT   10
#define ECN           3

struct cake_packet {
    struct cake_packet *next;
    uint64_t arrived_ns;
    uint32_t octets, aqm_word;
    uint8_t ip[];
};

// An MS.
struct cake_host {
    struct cake_host *next;
    uint32_t old_flows; // with packets, in the list of old ones
};

struct cake_flow_id {
    uint32_t source, destination, ports, protocol;
};

enum cake_place { CAKE_NOWHERE, CAKE_NEW, CAKE_OLD, CAKE_OLD_EMPTY };

struct cake_flow {
    struct cake_flow *next; // of all
    struct cake_flow *next_alike, *next_listed;
    struct cake_flow_id id;
    struct cake_host *host;
    enum cake_place place;
    int64_t deficit_q16;
    struct cake_packet *first, **end;
    uint32_t octets, packets;
    alignas(16) uint8_t aqm[AQM_VARS_OCTETS];
};

struct cake_list {
    struct cake_flow *first, **end;
};

struct cake {
    struct engine *engine;
    struct net_owner owner;
    struct cake_config config;
    struct aqm aqm;
    struct rng rng;
    struct engine_timer timer;
    struct map flow_of_id, host_of_address;
    struct cake_flow *flows;
    struct cake_host *hosts;
    struct cake_list fresh, old;
    uint64_t limit_octets, next_ns;
    uint32_t quantum_octets;
    struct cake_counters counters;
};

static const struct field cake_config_fields[] = FIELD_KEYS_TABLE(cake_config, CAKE_FIELDS);
const struct field_record cake_config_record = FIELD_RECORD_OF(cake_config, cake_config_fields);

// ---- Flows ----

static struct cake_flow_id id_of(const uint8_t *ip, uint32_t octets)
{
    uint32_t header = 4u * (ip[0] & 15), protocol = ip[9];
    bool ports = (protocol == IPV4_PROTOCOL_TCP || protocol == IPV4_PROTOCOL_UDP);
    return (struct cake_flow_id){get_be32(ip + 12), get_be32(ip + 16),
                                 ports && header + 4 <= octets ? get_be32(ip + header) : 0,
                                 protocol};
}

static struct cake_host *host_of(struct cake *cake, uint32_t address)
{
    struct cake_host *host = map_find(&cake->host_of_address, address);
    if (host)
        return host;
    host = need(calloc(1, sizeof *host));
    host->next = cake->hosts;
    cake->hosts = host;
    cake->counters.hosts++;
    map_add(&cake->host_of_address, address, host);
    return host;
}

static struct cake_flow *flow_of(struct cake *cake, const struct cake_flow_id *id)
{
    uint64_t key = ((uint64_t)id->source << 32 | id->destination) * 0x9e3779b97f4a7c15ULL ^
                   (uint64_t)id->ports << 8 ^ id->protocol;
    struct cake_flow *first = map_find(&cake->flow_of_id, key), *flow = first;
    while (flow && memcmp(&flow->id, id, sizeof *id) != 0)
        flow = flow->next_alike;
    if (flow)
        return flow;
    flow = need(aligned_alloc(alignof(struct cake_flow), sizeof *flow));
    *flow = (struct cake_flow){.next = cake->flows,
                               .id = *id,
                               .host = host_of(cake, id->destination),
                               .end = &flow->first};
    cake->aqm.ops->reset(cake->aqm.config, flow->aqm);
    cake->flows = flow;
    cake->counters.flows++;
    if (first) {
        flow->next_alike = first->next_alike;
        first->next_alike = flow;
    } else {
        map_add(&cake->flow_of_id, key, flow);
    }
    return flow;
}

static void put_listed(struct cake_list *list, struct cake_flow *flow)
{
    flow->next_listed = NULL;
    *list->end = flow;
    list->end = &flow->next_listed;
}

static void take_listed(struct cake_list *list)
{
    list->first = list->first->next_listed;
    if (!list->first)
        list->end = &list->first;
}

static void set_place(struct cake_flow *flow, enum cake_place place)
{
    uint32_t more = place == CAKE_OLD, less = flow->place == CAKE_OLD;
    flow->host->old_flows += more - less;
    flow->place = place;
}

static int64_t quantum_q16(const struct cake *cake, const struct cake_flow *flow)
{
    uint32_t load = flow->host->old_flows ? flow->host->old_flows : 1;
    return ((int64_t)cake->quantum_octets << 16) / load;
}

// ---- One packet ----

static struct cake_packet *take_first(struct cake *cake, struct cake_flow *flow)
{
    struct cake_packet *packet = flow->first;
    flow->first = packet->next;
    if (!flow->first)
        flow->end = &flow->first;
    flow->octets -= packet->octets;
    flow->packets--;
    net_count_remove(&cake->counters.net.held, packet->octets);
    return packet;
}

static void lose_first(struct cake *cake, struct cake_flow *flow, enum net_loss why,
                       uint64_t now_ns)
{
    struct cake_packet *packet = take_first(cake, flow);
    net_lose(&cake->counters.net, &cake->owner, packet->ip, packet->octets, why, now_ns);
    free(packet);
}

static void mark(struct cake *cake, uint8_t *ip)
{
    cake->counters.marked += (ip[TOS_AT] & ECN) != ECN;
    ip[TOS_AT] |= ECN;
    put_be16(ip + CHECKSUM_AT, 0);
    put_be16(ip + CHECKSUM_AT, ipv4_fold(ipv4_sum(0, ip, 4u * (ip[0] & 15))));
}

static struct aqm_view view_of(struct cake *cake, const struct cake_flow *flow,
                               struct cake_packet *packet, uint64_t now_ns)
{
    return (struct aqm_view){.now_ns = now_ns,
                             .sojourn_ns = now_ns - packet->arrived_ns,
                             .pdu_octets = packet->octets,
                             .queue_octets = flow->octets,
                             .queue_pdus = flow->packets,
                             .share_octets_per_s = (uint32_t)(cake->config.rate_bit_per_s / 8),
                             .ect = (packet->ip[TOS_AT] & ECN) != 0,
                             .rng = &cake->rng,
                             .pdu_word = &packet->aqm_word};
}

// COBALT's packet, NULL: the flow has none left.
static struct cake_packet *ask_first(struct cake *cake, struct cake_flow *flow, uint64_t now_ns)
{
    while (flow->first) {
        struct aqm_view view = view_of(cake, flow, flow->first, now_ns);
        enum aqm_verdict verdict = cake->aqm.ops->dequeue(cake->aqm.config, flow->aqm, &view);
        if (verdict == AQM_MARK)
            mark(cake, flow->first->ip);
        if (verdict == AQM_PASS || verdict == AQM_MARK)
            return take_first(cake, flow);
        lose_first(cake, flow, NET_LOSS_cake_aqm, now_ns);
    }
    return NULL;
}

// ---- The order ----

// An empty one of the new is not counted among its host's old flows meanwhile.
static void rotate(struct cake *cake, struct cake_list *list, struct cake_flow *flow)
{
    take_listed(list);
    set_place(flow, flow->first || flow->place == CAKE_OLD ? CAKE_OLD : CAKE_OLD_EMPTY);
    put_listed(&cake->old, flow);
    flow->deficit_q16 += quantum_q16(cake, flow);
}

static struct cake_packet *next_packet(struct cake *cake, uint64_t now_ns)
{
    for (;;) {
        struct cake_list *list = cake->fresh.first ? &cake->fresh : &cake->old;
        struct cake_flow *flow = list->first;
        if (!flow)
            return NULL;
        if (flow->deficit_q16 <= 0) {
            rotate(cake, list, flow);
            continue;
        }
        struct cake_packet *packet = ask_first(cake, flow, now_ns);
        if (packet) {
            flow->deficit_q16 -= (int64_t)packet->octets << 16;
            return packet;
        }
        take_listed(list);
        set_place(flow, CAKE_NOWHERE);
    }
}

// ---- The shaper ----

static void serve(void *self, uint64_t now_ns)
{
    struct cake *cake = self;
    struct cake_packet *packet;
    while (cake->next_ns <= now_ns && (packet = next_packet(cake, now_ns))) {
        cake->next_ns = now_ns + units_line_time_ns(packet->octets, cake->config.rate_bit_per_s);
        net_count_add(&cake->counters.net.out, packet->octets);
        cake->owner.deliver(cake->owner.self, packet->ip, packet->octets, now_ns);
        free(packet);
    }
    if (cake->counters.net.held.packets)
        engine_set(cake->engine, &cake->timer, cake->next_ns);
}

// At a full limit the longest queue loses its first packet.
static void make_room(struct cake *cake, uint64_t now_ns)
{
    while (cake->counters.net.held.octets > cake->limit_octets) {
        struct cake_flow *longest = cake->flows;
        for (struct cake_flow *flow = cake->flows; flow; flow = flow->next)
            longest = flow->octets > longest->octets ? flow : longest;
        struct aqm_view view = view_of(cake, longest, longest->first, now_ns);
        cake->aqm.ops->full(cake->aqm.config, longest->aqm, &view);
        lose_first(cake, longest, NET_LOSS_cake_full, now_ns);
    }
}

static void put_last(struct cake *cake, struct cake_flow *flow, const uint8_t *ip, uint32_t octets,
                     uint64_t now_ns)
{
    struct cake_packet *packet = need(malloc(sizeof *packet + octets));
    *packet = (struct cake_packet){.arrived_ns = now_ns, .octets = octets};
    memcpy(packet->ip, ip, octets);
    struct aqm_view view = view_of(cake, flow, packet, now_ns);
    cake->aqm.ops->enqueue(cake->aqm.config, flow->aqm, &view); // always passes
    *flow->end = packet;
    flow->end = &packet->next;
    flow->octets += octets;
    flow->packets++;
    net_count_add(&cake->counters.net.held, octets);
}

void cake_send(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    struct cake *cake = self;
    struct cake_flow_id id = id_of(ip, octets);
    struct cake_flow *flow = flow_of(cake, &id);
    net_count_add(&cake->counters.net.in, octets);
    put_last(cake, flow, ip, octets, now_ns);
    if (flow->place == CAKE_NOWHERE) {
        flow->deficit_q16 = quantum_q16(cake, flow);
        set_place(flow, CAKE_NEW);
        put_listed(&cake->fresh, flow);
    } else if (flow->place == CAKE_OLD_EMPTY) {
        set_place(flow, CAKE_OLD);
    }
    make_room(cake, now_ns);
    serve(cake, now_ns);
}

// ---- Setup ----

static void setup_aqm(struct cake *cake)
{
    uint64_t rtt_ns = cake->config.rtt_ns, params[AQM_PARAMS_MAX];
    const struct {
        const char *name;
        uint64_t value;
    } own[] = {{"target", rtt_ns / TARGET_OF_RTT},
               {"rtt", rtt_ns},
               {"mtu", MTU_OCTETS},
               {"overfull", 0}, // BLUE by the limit, as in CAKE
               {"stale", 0},
               {"ecn", 1}};
    const struct aqm_ops *ops = aqm_of_name("cobalt");
    aqm_standard_params(ops, params);
    for (uint32_t i = 0; i < ops->param_count; i++)
        for (uint32_t k = 0; k < sizeof own / sizeof own[0]; k++)
            if (strcmp(ops->params[i].name, own[k].name) == 0)
                params[i] = own[k].value;
    if (aqm_setup(&cake->aqm, ops, params))
        abort(); // the fields' ranges are within COBALT's
}

struct cake *cake_create(struct engine *engine, const struct cake_config *config,
                         const struct net_owner *owner, uint64_t seed, uint64_t stream)
{
    struct cake *cake = need(aligned_alloc(alignof(struct cake), sizeof *cake));
    *cake = (struct cake){.engine = engine, .owner = *owner, .config = *config};
    cake->fresh.end = &cake->fresh.first;
    cake->old.end = &cake->old.first;
    cake->limit_octets = config->rate_bit_per_s / 2 * (config->rtt_ns / MS_IN_NS) / 1000;
    if (cake->limit_octets < LIMIT_OCTETS)
        cake->limit_octets = LIMIT_OCTETS;
    uint64_t quantum = config->rate_bit_per_s / 8 / QUANTUM_OF_S;
    quantum = quantum > QUANTUM_LEAST ? quantum : QUANTUM_LEAST;
    cake->quantum_octets = (uint32_t)(quantum < QUANTUM_MOST ? quantum : QUANTUM_MOST);
    rng_seed(&cake->rng, seed, stream);
    setup_aqm(cake);
    engine_timer_init(&cake->timer, serve, cake);
    return cake;
}

void cake_destroy(struct cake *cake)
{
    engine_cancel(cake->engine, &cake->timer);
    for (struct cake_flow *flow = cake->flows, *next; flow; flow = next) {
        next = flow->next;
        while (flow->first)
            free(take_first(cake, flow));
        free(flow);
    }
    for (struct cake_host *host = cake->hosts, *next; host; host = next) {
        next = host->next;
        free(host);
    }
    map_release(&cake->flow_of_id);
    map_release(&cake->host_of_address);
    free(cake);
}

const struct cake_counters *cake_counters(const struct cake *cake)
{
    return &cake->counters;
}
