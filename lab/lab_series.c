// The time series of a run, and the check of all books, at each step.
#include <stdlib.h>

#include "lab/engine/need.h"
#include "lab/lab_parts.h"

// ---- Cells: the SGSN's queue and bucket, the BSC's buffers ----

// Looks at the cells of all workers.
static void look_at_cells(struct lab *lab, uint64_t now_ns)
{
    for (uint32_t w = 0; w < lab->config.workers; w++) {
        struct dp_query query = {.kind = VIEW_BVCS, .end = UINT32_MAX};
        do {
            dp_look(lab->dp, w, &query, now_ns);
            for (uint32_t i = 0; i < query.n; i++) {
                struct lab_place *place = map_find(&lab->place_by_bvc, query.bvc[i].bvc_id);
                if (place)
                    place->seen = query.bvc[i];
            }
            query.first = query.next;
        } while (query.next < query.end);
    }
}

// The cell of a subject, for columns of the way down; NULL for the way up.
static const struct lab_place *place_of(const struct lab *lab, uint32_t subject)
{
    return ledger_series_way(subject) == LEDGER_DOWN ? lab->place.item[ledger_series_group(subject)]
                                                     : NULL;
}

static uint64_t queue_octets(void *self, uint32_t subject, uint64_t step_ns)
{
    const struct lab_place *place = place_of(self, subject);
    (void)step_ns;
    return place ? place->seen.queued_octets : SERIES_NONE;
}

static uint64_t level_octets(void *self, uint32_t subject, uint64_t step_ns)
{
    const struct lab_place *place = place_of(self, subject);
    (void)step_ns;
    return place && place->seen.has_rate_bit_per_s ? place->seen.level_octets : SERIES_NONE;
}

static uint64_t bsc_octets(void *self, uint32_t subject, uint64_t step_ns)
{
    const struct lab_place *place = place_of(self, subject);
    (void)step_ns;
    return place ? bss_cell_traffic(place->cell)->held[BSS_DOWN].octets : SERIES_NONE;
}

// ---- Flows: TCP's sender ----

// Octets of data before a position; the SYN has the first.
static uint64_t data_before(uint64_t position)
{
    return position ? position - 1 : 0;
}

static void add_places(struct lab_window *window, const struct tcp_end *end,
                       const struct tcp_end *receiver)
{
    window->sent_to_octets += data_before(end->next);
    window->acked_to_octets += data_before(end->una);
    window->arrived_to_octets += receiver ? data_before(tcp_arrived_to(receiver)) : 0;
    window->resent_segments += end->figures.retransmitted_segments;
}

static void look_at_end(struct lab *lab, const struct flow *flow, enum flow_end at)
{
    const struct tcp_end *end = flow->tcp[at] ? flow_tcp_end(flow, at) : NULL;
    uint32_t number = (uint32_t)flow->config.stream;
    if (!end || number >= lab->windows || tcp_pipe(end) == 0)
        return;
    struct lab_window *window = &lab->window[number];
    window->known = true;
    window->cwnd_octets += end->cwnd;
    window->flight_octets += tcp_pipe(end);
    window->rtt_us = end->rtt_last_ns / 1000;
    window->srtt_us = end->srtt_ns / 1000;
    window->rto_us = tcp_rto_ns(end) / 1000;
    window->recovering += end->phase == TCP_PHASE_RECOVERY || end->phase == TCP_PHASE_LOSS;
    add_places(window, end, flow->tcp[!at] ? flow_tcp_end(flow, !at) : NULL);
}

// Of several connections of an application the windows are summed up.
static void look_at_flows(struct lab *lab)
{
    uint32_t flows = lab->ledger.groups[LEDGER_FLOW].count;
    if (lab->windows != flows) {
        free(lab->window);
        lab->window = need(malloc(flows * sizeof *lab->window));
        lab->windows = flows;
    }
    if (flows)
        memset(lab->window, 0, flows * sizeof *lab->window);
    for (const struct flow *flow = lab->flows.all; flow; flow = flow->next)
        for (int end = 0; end < FLOW_ENDS; end++)
            look_at_end(lab, flow, (enum flow_end)end);
}

static const struct lab_window *window_of(const struct lab *lab, uint32_t subject)
{
    uint32_t number = ledger_series_group(subject);
    bool is_down = ledger_series_way(subject) == LEDGER_DOWN;
    return is_down && number < lab->windows && lab->window[number].known ? &lab->window[number]
                                                                         : NULL;
}

#define WINDOW_COLUMN(name)                                              \
    static uint64_t name(void *self, uint32_t subject, uint64_t step_ns) \
    {                                                                    \
        const struct lab_window *window = window_of(self, subject);      \
        (void)step_ns;                                                   \
        return window ? window->name : SERIES_NONE;                      \
    }
WINDOW_COLUMN(cwnd_octets)
WINDOW_COLUMN(flight_octets)
WINDOW_COLUMN(rtt_us)
WINDOW_COLUMN(srtt_us)
WINDOW_COLUMN(rto_us)
WINDOW_COLUMN(recovering)
WINDOW_COLUMN(sent_to_octets)
WINDOW_COLUMN(acked_to_octets)
WINDOW_COLUMN(arrived_to_octets)
WINDOW_COLUMN(resent_segments)

// ---- Steps ----

static const char *const names[LEDGER_KINDS] = {[LEDGER_CLASS] = "series_classes.csv",
                                                [LEDGER_CELL] = "series_cells.csv",
                                                [LEDGER_FLOW] = "series_flows.csv"};

const char *lab_series_name(enum ledger_kind kind)
{
    return names[kind];
}

static void take_step(struct lab *lab, uint64_t now_ns)
{
    const char *wrong = lab_wrong(lab);
    if (wrong)
        lab_fault(lab, wrong, 0);
    look_at_cells(lab, now_ns);
    look_at_flows(lab);
    for (int kind = 0; kind < LEDGER_KINDS; kind++)
        if (lab->out.series[kind])
            series_step(&lab->series[kind].series, now_ns);
    ledger_step(&lab->ledger);
}

// The last step is taken behind all events, for the run's end may have some.
static void set_step(struct lab *lab, uint64_t at_ns)
{
    if (at_ns < lab->config.duration_ns)
        engine_set(lab->engine, &lab->step, at_ns);
}

static void step(void *self, uint64_t now_ns)
{
    struct lab *lab = self;
    take_step(lab, now_ns);
    set_step(lab, now_ns + lab->config.step_ns);
}

// Columns of the way down.
static const struct series_column of_cell[] = {
    {"sgsn_queue_octets", 0, queue_octets, "down: N-PDUs of the cell in the SGSN's queues", NULL},
    {"bucket_level_octets", 0, level_octets,
     "down: in the cell's bucket of flow control; empty: it has no rate", NULL},
    {"bsc_buffer_octets", 0, bsc_octets, "down: LLC PDUs in the cell's buffers in the BSC", NULL}};

// Where a host sends by TCP, of all connections of the flow together.
static const struct series_column of_flow[] = {
    {"cwnd_octets", 0, cwnd_octets, "down, of the host's TCP: its congestion window", NULL},
    {"flight_octets", 0, flight_octets, "of the same: sent and not acknowledged", NULL},
    {"srtt_ms", 3, srtt_us, "its smoothed round-trip time, of the last connection", NULL},
    {"rto_ms", 3, rto_us, "its time-out, of the last connection", NULL},
    {"rtt_ms", 3, rtt_us, "its latest round-trip sample, from a segment's sending to the ACK",
     NULL},
    {"recovering", 0, recovering,
     "connections that repair a loss, after duplicate ACKs or a time-out", NULL},
    {"sent_to_octets", 0, sent_to_octets,
     "of data from the connection's beginning: up to where it has sent", NULL},
    {"acked_to_octets", 0, acked_to_octets, "up to where it has an ACK", NULL},
    {"arrived_to_octets", 0, arrived_to_octets,
     "up to where something has arrived, whether or not there are holes before it", NULL},
    {"resent_segments", 0, resent_segments, "sent again since the connection's beginning", NULL}};

static void set_up(struct ledger_series *s, struct lab *lab, enum ledger_kind kind)
{
    const struct series_column *more = kind == LEDGER_CELL ? of_cell : of_flow;
    size_t count = kind == LEDGER_CELL   ? sizeof of_cell / sizeof of_cell[0]
                   : kind == LEDGER_FLOW ? sizeof of_flow / sizeof of_flow[0]
                                         : 0;
    ledger_series_setup(s, lab ? &lab->ledger : NULL, kind, lab ? lab->out.series[kind] : NULL);
    for (size_t i = 0; i < count; i++) {
        struct series_column column = more[i];
        column.self = lab;
        series_column(&s->series, &column);
    }
}

void lab_series_describe(enum ledger_kind kind, FILE *out)
{
    struct ledger_series s;
    set_up(&s, NULL, kind);
    series_describe(&s.series, out);
}

void lab_series_start(struct lab *lab)
{
    uint64_t now_ns = engine_now_ns(lab->engine), step_ns = lab->config.step_ns;
    if (!step_ns)
        return;
    for (int kind = 0; kind < LEDGER_KINDS; kind++)
        if (names[kind])
            set_up(&lab->series[kind], lab, (enum ledger_kind)kind);
    engine_timer_init(&lab->step, step, lab);
    set_step(lab, (now_ns / step_ns + 1) * step_ns);
}

void lab_series_end(struct lab *lab)
{
    uint64_t now_ns = engine_now_ns(lab->engine);
    if (!lab->config.step_ns)
        return;
    engine_cancel(lab->engine, &lab->step);
    if (now_ns >= lab->series[LEDGER_CLASS].series.before_ns + 1000)
        take_step(lab, now_ns);
}
