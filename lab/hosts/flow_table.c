// See flow_table.h. The key of a flow: the MS's address, the protocol, the MS's port.
#include "lab/hosts/flow_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "lab/engine/need.h"
#include "lab/hosts/flow_parts.h"

#define CONTENT_PERIOD 251 // a prime, so that no usual length is a multiple of it
#define CONTENT_OCTETS (CONTENT_PERIOD + FLOW_OCTETS_MOST)
#define PORT_FIRST     49152 // RFC 6335: nobody takes what comes there for a protocol that it is not
#define PORTS          (65536 - PORT_FIRST)

static uint64_t key_of(uint32_t ms_address, uint8_t protocol, uint16_t ms_port)
{
    return (uint64_t)ms_address << 32 | (uint32_t)protocol << 16 | ms_port;
}

// A connection of QUIC has a port of UDP; one in a tunnel that of TCP within.
static uint64_t key_of_flow(const struct flow *flow)
{
    const struct flow_config *c = &flow->config;
    bool quic = flow_outside_of(flow) == TCP_OUTSIDE_QUIC;
    return key_of(c->address[FLOW_MS], quic ? FLOW_PROTOCOL_UDP : c->protocol, c->port[FLOW_MS]);
}

void flow_table_setup(struct flow_table *table, struct engine *engine,
                      const struct flow_owner *owner, uint64_t seed, uint64_t stream)
{
    *table = (struct flow_table){.engine = engine, .owner = *owner};
    rng_seed(&table->rng, seed, stream);
    table->packet = need(malloc(FLOW_OCTETS_MOST));
    table->content = need(malloc(CONTENT_OCTETS));
    for (uint32_t i = 0; i < CONTENT_PERIOD; i++)
        table->content[i] = (uint8_t)i;
    for (uint32_t n = CONTENT_PERIOD, left; n < CONTENT_OCTETS; n += CONTENT_PERIOD) {
        left = CONTENT_OCTETS - n;
        memcpy(table->content + n, table->content, left < CONTENT_PERIOD ? left : CONTENT_PERIOD);
    }
}

const uint8_t *flow_table_content(const struct flow_table *table, uint32_t place)
{
    return table->content + place % CONTENT_PERIOD;
}

// Gives out the ports in turn, so that one is used again only when what was under way has arrived.
static int give_port(struct flow_table *table, struct flow *flow)
{
    for (uint32_t i = 0; i < PORTS; i++) {
        flow->config.port[FLOW_MS] = (uint16_t)(PORT_FIRST + table->next_port);
        table->next_port = (uint16_t)((table->next_port + 1) % PORTS);
        if (map_add(&table->flows, key_of_flow(flow), flow) == 0)
            return 0;
    }
    return -EEXIST;
}

int flow_table_add(struct flow_table *table, struct flow *flow)
{
    int fault = flow->config.port[FLOW_MS] ? map_add(&table->flows, key_of_flow(flow), flow)
                                           : give_port(table, flow);
    if (fault)
        return fault;
    flow->next = table->all;
    flow->at = &table->all;
    if (table->all)
        table->all->at = &flow->next;
    table->all = flow;
    return 0;
}

void flow_table_remove(struct flow_table *table, struct flow *flow)
{
    map_remove(&table->flows, key_of_flow(flow));
    *flow->at = flow->next;
    if (flow->next)
        flow->next->at = flow->at;
}

void flow_table_release(struct flow_table *table, uint64_t now_ns)
{
    while (table->all)
        flow_free(table->all, now_ns);
    map_release(&table->flows);
    flow_outside_release(&table->outside);
    free(table->content);
    free(table->packet);
    *table = (struct flow_table){0};
}

static struct flow *find(const struct flow_table *table, enum flow_end at,
                         const struct flow_packet *packet)
{
    bool to_ms = at == FLOW_MS;
    uint32_t ms_address = to_ms ? packet->ip.destination : packet->ip.source;
    uint16_t ms_port = to_ms ? packet->destination_port : packet->source_port;
    return map_find(&table->flows, key_of(ms_address, packet->ip.protocol, ms_port));
}

static enum flow_fault give(struct flow_table *table, enum flow_end at, const uint8_t *ip,
                            uint32_t octets, uint64_t now_ns)
{
    struct flow_packet packet;
    enum flow_fault fault = flow_packet_decode(&packet, ip, octets);
    if (fault != FLOW_TAKEN)
        return fault;
    bool tunnel = flow_outside_is_tunnel(at, &packet);
    struct flow *flow = tunnel ? NULL : find(table, at, &packet);
    if (tunnel || (flow && flow_outside_of(flow) == TCP_OUTSIDE_QUIC)) {
        fault = flow_outside_open(table, at, &packet);
        if (fault != FLOW_TAKEN)
            return fault;
    }
    if (tunnel)
        flow = find(table, at, &packet);
    return flow ? flow_take(flow, at, &packet, octets, now_ns) : FLOW_FAULT_no_flow;
}

enum flow_fault flow_table_count(struct flow_table *table, enum flow_end at, enum flow_fault fault)
{
    if (fault != FLOW_TAKEN) {
        table->side[at].faults++;
        table->fault[at][fault]++;
    }
    return fault;
}

enum flow_fault flow_table_input(struct flow_table *table, enum flow_end at, const uint8_t *ip,
                                 uint32_t octets, uint64_t now_ns)
{
    return flow_table_count(table, at, give(table, at, ip, octets, now_ns));
}
