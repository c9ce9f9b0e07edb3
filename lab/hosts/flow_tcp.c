// The ends of TCP of a flow. One timer serves both; it may fire before an end needs it, since it is
// moved only to earlier times. See flow.h.
#include <stdlib.h>

#include "lab/engine/need.h"
#include "lab/hosts/flow_parts.h"

#define LINGER_NS (120 * S_IN_NS) // for the other end, after one has given up

struct flow_tcp {
    struct flow *flow;
    enum flow_end end;
    bool started;
    uint64_t told_received_octets, told_acked_octets; // to the user
    struct tcp_end tcp;
};

static bool end_is_over(const struct flow_tcp *end)
{
    return end->tcp.state == TCP_STATE_CLOSED || end->tcp.state == TCP_STATE_LISTEN;
}

// The time of the timer, after each call of an end.
static void arm(struct flow *flow, uint64_t now_ns)
{
    uint64_t wake_ns = flow->end_ns;
    bool over = flow->tcp[FLOW_HOST]->started;
    for (int end = 0; end < FLOW_ENDS; end++) {
        const struct flow_tcp *t = flow->tcp[end];
        over &= end_is_over(t);
        if (t->tcp.wake_ns < wake_ns)
            wake_ns = t->tcp.wake_ns;
    }
    if (over)
        wake_ns = flow->end_ns = now_ns;
    if (wake_ns < flow->wake_ns)
        engine_set(flow->table->engine, &flow->timer, flow->wake_ns = wake_ns);
}

void flow_tcp_wake(struct flow *flow, uint64_t now_ns)
{
    for (int end = 0; end < FLOW_ENDS; end++)
        if (flow->tcp[end]->tcp.wake_ns <= now_ns)
            tcp_wake(&flow->tcp[end]->tcp, now_ns);
    arm(flow, now_ns);
}

// A tcp_owner's send: the segment of an end gets ports, payload and an IP header.
static void tcp_sends(void *self, const struct tcp *segment, bool ect, uint64_t now_ns)
{
    const struct flow_tcp *t = self;
    struct flow *flow = t->flow;
    struct flow_packet packet = {.tcp = *segment};
    packet.tcp.source_port = flow->config.port[t->end];
    packet.tcp.destination_port = flow->config.port[flow_far(t->end)];
    packet.tcp.payload.at = flow_table_content(flow->table, segment->sequence);
    flow_packet_send(flow, t->end, &packet, ect, now_ns);
}

static void end_in_time(struct flow *flow, uint64_t now_ns)
{
    if (flow->end_ns == TIME_NEVER)
        flow->end_ns = now_ns + LINGER_NS;
}

static void tell_received(struct flow_tcp *t, uint64_t now_ns)
{
    struct flow *flow = t->flow;
    uint64_t octets = t->tcp.figures.received_octets - t->told_received_octets;
    t->told_received_octets += octets;
    if (octets)
        flow->user.received(flow->user.self, flow, t->end, 0, octets, now_ns);
}

static void tell_acknowledged(struct flow_tcp *t)
{
    struct flow *flow = t->flow;
    uint64_t octets = t->tcp.figures.acked_octets - t->told_acked_octets;
    t->told_acked_octets += octets;
    if (octets && flow->user.acknowledged)
        flow->user.acknowledged(flow->user.self, flow, t->end, octets);
}

static void tcp_tells(void *self, enum tcp_event event, uint64_t now_ns)
{
    struct flow_tcp *t = self;
    struct flow *flow = t->flow;
    if (event == TCP_RECEIVED) {
        tell_received(t, now_ns);
        return;
    }
    if (event == TCP_ACKED) {
        tell_acknowledged(t);
        return;
    }
    if (event == TCP_ABORTED)
        end_in_time(flow, now_ns);
    if (flow->user.event)
        flow->user.event(flow->user.self, flow, t->end, event, now_ns);
}

struct flow_tcp *flow_tcp_make(struct flow *flow, enum flow_end end)
{
    struct flow_tcp *t = need(calloc(1, sizeof *t));
    t->flow = flow;
    t->end = end;
    tcp_setup(&t->tcp, flow->config.profile[end], &(struct tcp_owner){t, tcp_sends, tcp_tells},
              (uint32_t)rng_next(&flow->table->rng));
    return t;
}

void flow_tcp_free(struct flow_tcp *t)
{
    if (t)
        tcp_release(&t->tcp);
    free(t);
}

void flow_tcp_input(struct flow *flow, enum flow_end at, const struct tcp *segment, bool ce,
                    uint64_t now_ns)
{
    if (at != flow->config.opener && flow->config.answer == FLOW_SILENT)
        return; // nobody is there
    tcp_input(&flow->tcp[at]->tcp, segment, ce, now_ns);
    arm(flow, now_ns);
}

void flow_connect(struct flow *flow, uint64_t now_ns)
{
    enum flow_end opener = flow->config.opener;
    for (int end = 0; end < FLOW_ENDS; end++)
        flow->tcp[end]->started = true;
    if (flow->config.answer == FLOW_ANSWERS)
        tcp_listen(&flow->tcp[flow_far(opener)]->tcp);
    tcp_connect(&flow->tcp[opener]->tcp, now_ns);
    arm(flow, now_ns);
}

void flow_write(struct flow *flow, enum flow_end from, uint64_t octets, uint64_t now_ns)
{
    tcp_write(&flow->tcp[from]->tcp, octets, now_ns);
    arm(flow, now_ns);
}

void flow_close(struct flow *flow, enum flow_end from, uint64_t now_ns)
{
    tcp_close(&flow->tcp[from]->tcp, now_ns);
    arm(flow, now_ns);
}

void flow_abort(struct flow *flow, enum flow_end from, uint64_t now_ns)
{
    tcp_abort(&flow->tcp[from]->tcp, now_ns);
    end_in_time(flow, now_ns);
    arm(flow, now_ns);
}

const struct tcp_end *flow_tcp_end(const struct flow *flow, enum flow_end end)
{
    return &flow->tcp[end]->tcp;
}

void flow_tcp_forget_rtt(struct flow *flow)
{
    for (int end = 0; end < FLOW_ENDS && flow->tcp[end]; end++) {
        struct tcp_figures *f = &flow->tcp[end]->tcp.figures;
        f->rtt_samples = f->rtt_sum_ns = f->rtt_least_ns = f->rtt_most_ns = 0;
    }
}
