// See flow.h; flow_tcp.c has what concerns TCP alone. Only the timer frees a flow, so none is freed
// under its own feet.
#include "lab/hosts/flow.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/bytes.h"
#include "lab/engine/need.h"
#include "lab/hosts/flow_parts.h"

#define TOS_ECT_0 2
#define TOS_CE    3

const char *const flow_fault_helps[FLOW_FAULTS] = {
#define FLOW_FAULT(name, help) help,
#include "lab/hosts/flow_faults.def"
#undef FLOW_FAULT
};

void flow_packet_send(struct flow *flow, enum flow_end from, struct flow_packet *packet, bool ect,
                      uint64_t now_ns)
{
    struct flow_table *table = flow->table;
    const struct flow_config *c = &flow->config;
    packet->ip.protocol = c->protocol;
    packet->ip.source = c->address[from];
    packet->ip.destination = c->address[flow_far(from)];
    packet->ip.tos = ect ? TOS_ECT_0 : 0;
    packet->ip.id = table->owner.next_id(table->owner.self, flow, from);
    if (flow_outside_of(flow) != TCP_OUTSIDE_PLAIN)
        flow_outside_close(table, from, flow_outside_of(flow), packet);
    uint32_t octets = flow_packet_encode(packet, table->packet);
    net_count_add(&flow->side[from].sent, octets);
    net_count_add(&table->side[from].sent, octets);
    table->owner.send(table->owner.self, flow, from, table->packet, octets, now_ns);
}

// UDP's payload: the number, then the content. It is made where the encoder will leave it.
static struct octets make_payload(const struct flow *flow, uint32_t number, uint32_t octets)
{
    uint8_t *b = flow->table->packet + IPV4_OCTETS + UDP_OCTETS;
    put_be32(b, number);
    memcpy(b + FLOW_NUMBER_OCTETS, flow_table_content(flow->table, number),
           octets - FLOW_NUMBER_OCTETS);
    return (struct octets){b, octets};
}

static void send_echo(struct flow *flow, enum flow_end from, bool reply, uint16_t number,
                      uint32_t octets, uint64_t now_ns)
{
    struct flow_packet packet = {
        .echo = {.reply = reply,
                 .identifier = flow->config.port[FLOW_MS],
                 .sequence = number,
                 .payload = {flow_table_content(flow->table, number), octets}}};
    flow_packet_send(flow, from, &packet, flow->config.ect, now_ns);
}

static void send_datagram(struct flow *flow, enum flow_end from, uint32_t number, uint32_t octets,
                          uint64_t now_ns)
{
    struct flow_packet packet = {.udp = {.source_port = flow->config.port[from],
                                         .destination_port = flow->config.port[flow_far(from)],
                                         .payload = make_payload(flow, number, octets)}};
    flow_packet_send(flow, from, &packet, flow->config.ect, now_ns);
}

uint32_t flow_send(struct flow *flow, enum flow_end from, uint32_t octets, uint64_t now_ns)
{
    uint32_t number = flow->next_number[from]++;
    if (flow->config.protocol == FLOW_PROTOCOL_ICMP)
        send_echo(flow, from, false, (uint16_t)number, octets - FLOW_PING_LEAST, now_ns);
    else
        send_datagram(flow, from, number, octets - IPV4_OCTETS - (uint32_t)UDP_OCTETS, now_ns);
    return number;
}

static void flow_fire(void *self, uint64_t now_ns)
{
    struct flow *flow = self;
    flow->wake_ns = TIME_NEVER;
    if (flow->end_ns <= now_ns)
        flow_free(flow, now_ns);
    else
        flow_tcp_wake(flow, now_ns);
}

struct flow *flow_open(struct flow_table *table, const struct flow_config *config,
                       const struct flow_user *user, uint64_t now_ns)
{
    struct flow *flow = need(calloc(1, sizeof *flow));
    flow->table = table;
    flow->config = *config;
    flow->user = *user;
    flow->begin_ns = now_ns;
    flow->wake_ns = flow->end_ns = TIME_NEVER;
    engine_timer_init(&flow->timer, flow_fire, flow);
    if (flow_table_add(table, flow) != 0) {
        free(flow);
        return NULL;
    }
    for (int end = 0; config->protocol == FLOW_PROTOCOL_TCP && end < FLOW_ENDS; end++)
        flow->tcp[end] = flow_tcp_make(flow, (enum flow_end)end);
    return flow;
}

void flow_finish(struct flow *flow, uint64_t now_ns)
{
    flow->wake_ns = flow->end_ns = now_ns;
    engine_set(flow->table->engine, &flow->timer, now_ns);
}

void flow_free(struct flow *flow, uint64_t now_ns)
{
    const struct flow_owner *owner = &flow->table->owner;
    if (flow->user.ended)
        flow->user.ended(flow->user.self, flow, now_ns);
    if (owner->ended)
        owner->ended(owner->self, flow, now_ns);
    engine_cancel(flow->table->engine, &flow->timer);
    flow_table_remove(flow->table, flow);
    for (int end = 0; end < FLOW_ENDS; end++)
        flow_tcp_free(flow->tcp[end]);
    free(flow);
}

static bool is_content(const struct flow *flow, struct octets payload, uint32_t place)
{
    return payload.n == 0 ||
           memcmp(payload.at, flow_table_content(flow->table, place), payload.n) == 0;
}

// A number that the far end has not given yet is not its own.
static enum flow_fault check_datagram(const struct flow *flow, enum flow_end far,
                                      const struct udp *udp, uint32_t *number)
{
    struct octets p = udp->payload;
    if (p.n < FLOW_NUMBER_OCTETS)
        return FLOW_FAULT_content;
    *number = get_be32(p.at);
    if (*number >= flow->next_number[far])
        return FLOW_FAULT_content;
    p = (struct octets){p.at + FLOW_NUMBER_OCTETS, p.n - FLOW_NUMBER_OCTETS};
    return is_content(flow, p, *number) ? FLOW_TAKEN : FLOW_FAULT_content;
}

static enum flow_fault check(const struct flow *flow, enum flow_end at,
                             const struct flow_packet *packet, uint32_t *number)
{
    const struct flow_config *c = &flow->config;
    enum flow_end far = flow_far(at);
    bool echo = c->protocol == FLOW_PROTOCOL_ICMP;
    if (packet->ip.protocol != c->protocol || packet->ip.source != c->address[far] ||
        packet->ip.destination != c->address[at] ||
        packet->source_port != c->port[echo ? FLOW_MS : far] ||
        packet->destination_port != c->port[echo ? FLOW_MS : at])
        return FLOW_FAULT_address;
    if (c->protocol == FLOW_PROTOCOL_UDP)
        return check_datagram(flow, far, &packet->udp, number);
    *number = echo ? packet->echo.sequence : packet->tcp.sequence;
    struct octets payload = echo ? packet->echo.payload : packet->tcp.payload;
    return is_content(flow, payload, *number) ? FLOW_TAKEN : FLOW_FAULT_content;
}

static void take_echo(struct flow *flow, enum flow_end at, const struct icmp_echo *echo,
                      uint64_t now_ns)
{
    if (echo->reply)
        flow->user.received(flow->user.self, flow, at, echo->sequence, echo->payload.n, now_ns);
    else
        send_echo(flow, at, true, echo->sequence, echo->payload.n, now_ns);
}

enum flow_fault flow_take(struct flow *flow, enum flow_end at, const struct flow_packet *packet,
                          uint32_t octets, uint64_t now_ns)
{
    uint32_t number = 0;
    enum flow_fault fault = check(flow, at, packet, &number);
    if (fault != FLOW_TAKEN) {
        flow->side[at].faults++;
        return fault;
    }
    if (flow->end_ns <= now_ns) // it is only still to be freed
        return FLOW_FAULT_no_flow;
    bool ce = (packet->ip.tos & TOS_CE) == TOS_CE;
    struct flow_side *both[] = {&flow->side[at], &flow->table->side[at]};
    for (int i = 0; i < 2; i++) {
        net_count_add(&both[i]->received, octets);
        both[i]->marked += ce;
    }
    if (flow->config.protocol == FLOW_PROTOCOL_ICMP) {
        take_echo(flow, at, &packet->echo, now_ns);
    } else if (flow->config.protocol == FLOW_PROTOCOL_UDP) {
        flow->user.received(flow->user.self, flow, at, number, packet->udp.payload.n, now_ns);
    } else {
        flow_tcp_input(flow, at, &packet->tcp, ce, now_ns);
    }
    return FLOW_TAKEN;
}

enum flow_fault flow_input(struct flow *flow, enum flow_end at, const uint8_t *ip, uint32_t octets,
                           uint64_t now_ns)
{
    struct flow_packet packet;
    enum flow_fault fault = flow_packet_decode(&packet, ip, octets);
    if (fault == FLOW_TAKEN)
        fault = flow_take(flow, at, &packet, octets, now_ns);
    else
        flow->side[at].faults++;
    return flow_table_count(flow->table, at, fault);
}
