// The CSV files that the lab writes besides the ledger's: applications, TCP, and cells below Gb.
#include "lab/lab_parts.h"
#include "lab/report/tables.h"

// ---- What TCP did, by flow of the ledger and end ----

static void add_figures(struct tcp_figures *sum, const struct tcp_figures *f)
{
    uint64_t least = sum->rtt_least_ns, most = sum->rtt_most_ns;
    for (size_t i = 0; i < sizeof *sum / sizeof(uint64_t); i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)f)[i];
    bool first = sum->rtt_samples == f->rtt_samples;
    sum->rtt_least_ns =
        first || (f->rtt_samples && f->rtt_least_ns < least) ? f->rtt_least_ns : least;
    sum->rtt_most_ns = f->rtt_most_ns > most ? f->rtt_most_ns : most;
}

static struct lab_tcp_sum *sum_of(struct lab_tcp_sum *sums, uint32_t count, const struct flow *flow)
{
    return flow->config.stream < count ? &sums[flow->config.stream] : NULL;
}

static void add_flow(struct lab_tcp_sum *sum, const struct flow *flow)
{
    for (int end = 0; end < FLOW_ENDS && sum; end++)
        if (flow->tcp[end])
            add_figures(&sum->of[end], &flow_tcp_end(flow, (enum flow_end)end)->figures);
}

// A flow_owner's `ended`.
void lab_flow_ended(void *self, struct flow *flow, uint64_t now_ns)
{
    struct lab *lab = self;
    (void)now_ns;
    if (lab->ended_flows != lab->ledger.groups[LEDGER_FLOW].count) {
        uint32_t before = lab->ended_flows;
        lab->ended_flows = lab->ledger.groups[LEDGER_FLOW].count;
        lab->ended = need(realloc(lab->ended, lab->ended_flows * sizeof *lab->ended));
        memset(lab->ended + before, 0, (lab->ended_flows - before) * sizeof *lab->ended);
    }
    add_flow(sum_of(lab->ended, lab->ended_flows, flow), flow);
}

// Of flows that have ended, and of those that have not.
struct lab_tcp_sum *lab_all_tcp(const struct lab *lab, uint32_t *count)
{
    *count = lab->ledger.groups[LEDGER_FLOW].count;
    struct lab_tcp_sum *sums = need(calloc(*count + 1, sizeof *sums));
    for (uint32_t i = 0; i < lab->ended_flows; i++)
        sums[i] = lab->ended[i];
    for (const struct flow *flow = lab->flows.all; flow; flow = flow->next)
        add_flow(sum_of(sums, *count, flow), flow);
    return sums;
}

// ---- applications.csv ----

static const struct app *app_at(const struct lab *lab, uint32_t i)
{
    return *(struct app *const *)lab->app.item[i];
}

static void put_record(struct csv *csv, const struct app_tally *t)
{
    csv_number(csv, t->n);
    csv_number(csv, t->octets);
    const uint64_t ns[] = {t->least_ns, t->n ? t->sum_ns / t->n : 0, t->most_ns};
    for (int i = 0; i < 3; i++) {
        if (t->n)
            csv_decimal(csv, ns[i] / 1000, 3);
        else
            csv_none(csv);
    }
}

static void put_applications(const void *self, FILE *out)
{
    const struct lab *lab = self;
    struct csv csv = {.out = out};
    csv_head(&csv, TABLES_FLOW_NAMES
             ",host_sent_octets,host_arrived_octets,ms_sent_octets,"
             "ms_arrived_octets,missing,duplicates,late,connections,aborted,unanswered");
    for (int what = 0; what < APP_RECORDS; what++) {
        char names[256];
        const char *n = app_record_names[what];
        snprintf(names, sizeof names, "%ss,%s_octets,%s_min_ms,%s_mean_ms,%s_max_ms", n, n, n, n,
                 n);
        csv_head(&csv, names);
    }
    csv_end(&csv);
    for (uint32_t i = 0; i < lab->app.n; i++) {
        const struct app *app = app_at(lab, i);
        const struct app_figures *f = &app->figures;
        tables_put_flow(&csv, &lab->ledger, (uint32_t)app->place.stream);
        for (int end = 0; end < FLOW_ENDS; end++) {
            csv_number(&csv, f->sent[end].octets);
            csv_number(&csv, f->arrived[end].octets);
        }
        csv_number(&csv, f->missing[FLOW_HOST] + f->missing[FLOW_MS]);
        csv_number(&csv, f->duplicates[FLOW_HOST] + f->duplicates[FLOW_MS]);
        csv_number(&csv, f->late[FLOW_HOST] + f->late[FLOW_MS]);
        csv_number(&csv, f->connections);
        csv_number(&csv, f->aborted);
        csv_number(&csv, f->unanswered);
        for (int what = 0; what < APP_RECORDS; what++)
            put_record(&csv, &f->of[what]);
        csv_end(&csv);
    }
}

// ---- tcp.csv ----

static void put_tcp_row(struct csv *csv, const struct tcp_figures *f)
{
    const uint64_t counts[] = {f->sent_segments,        f->sent_octets,  f->retransmitted_segments,
                               f->retransmitted_octets, f->acked_octets, f->received_octets,
                               f->duplicate_octets,     f->timeouts,     f->fast_recoveries,
                               f->tail_probes,          f->spurious,     f->ecn_marks,
                               f->ecn_reductions,       f->rtt_samples};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        csv_number(csv, counts[i]);
    const uint64_t rtt[] = {f->rtt_least_ns, f->rtt_samples ? f->rtt_sum_ns / f->rtt_samples : 0,
                            f->rtt_most_ns};
    for (int i = 0; i < 3; i++) {
        if (f->rtt_samples)
            csv_decimal(csv, rtt[i] / 1000, 3);
        else
            csv_none(csv);
    }
    csv_end(csv);
}

static void put_tcp(const void *self, FILE *out)
{
    static const char *const ends[FLOW_ENDS] = {"host", "ms"};
    const struct lab *lab = self;
    struct csv csv = {.out = out};
    uint32_t count;
    struct lab_tcp_sum *sums = lab_all_tcp(lab, &count);
    csv_head(&csv, TABLES_FLOW_NAMES
             ",end,segments,data_octets,retransmitted_segments,"
             "retransmitted_octets,acked_octets,received_octets,duplicate_octets,timeouts,"
             "fast_recoveries,tail_probes,spurious_timeouts,ce_received,ecn_reductions,"
             "rtt_samples,rtt_min_ms,rtt_mean_ms,rtt_max_ms");
    csv_end(&csv);
    for (uint32_t i = 0; i < count; i++)
        for (int end = 0; end < FLOW_ENDS; end++)
            if (sums[i].of[end].sent_segments || sums[i].of[end].received_segments) {
                tables_put_flow(&csv, &lab->ledger, i);
                csv_text(&csv, ends[end]);
                put_tcp_row(&csv, &sums[i].of[end]);
            }
    free(sums);
}

// ---- bss.csv: a row for each cell, direction and fate of an LLC PDU, and what the radio counted
// ----

static void put_fate(struct csv *csv, const char *cell, const char *direction, const char *what,
                     uint64_t pdus, uint64_t octets)
{
    csv_text(csv, cell);
    csv_text(csv, direction);
    csv_text(csv, what);
    csv_number(csv, pdus);
    csv_number(csv, octets);
    csv_end(csv);
}

static void put_cell(struct csv *csv, const char *cell, const struct bss_traffic *t)
{
    for (int way = 0; way < BSS_WAYS; way++) {
        const char *direction = ledger_way_names[way];
        put_fate(csv, cell, direction, "in", t->in[way].pdus, t->in[way].octets);
        put_fate(csv, cell, direction, "out", t->out[way].pdus, t->out[way].octets);
        put_fate(csv, cell, direction, "held", t->held[way].pdus, t->held[way].octets);
        for (uint32_t why = 0; why < BSS_LOSSES; why++)
            if (bss_loss_way((enum bss_loss)why) == (enum bss_way)way && t->lost[why].pdus)
                put_fate(csv, cell, direction, bss_loss_name((enum bss_loss)why), t->lost[why].pdus,
                         t->lost[why].octets);
    }
}

static void put_bss(const void *self, FILE *out)
{
    const struct lab *lab = self;
    struct csv csv = {.out = out};
    csv_head(&csv, "cell,direction,fate,llc_pdus,llc_octets");
    csv_end(&csv);
    for (uint32_t i = 0; i < lab->place.n; i++) {
        const struct lab_place *place = lab->place.item[i];
        put_cell(&csv, lab->ledger.groups[LEDGER_CELL].group[place->number].name,
                 bss_cell_traffic(place->cell));
    }
}

static const struct lab_table tables[] = {
    {"applications.csv", put_applications}, {"tcp.csv", put_tcp}, {"bss.csv", put_bss}};

const struct lab_table *lab_table(uint32_t i)
{
    return i < sizeof tables / sizeof tables[0] ? &tables[i] : NULL;
}
