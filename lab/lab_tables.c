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

// Members of uint64_t alone.
static void subtract(void *from, const void *less, size_t octets)
{
    for (size_t i = 0; i < octets / sizeof(uint64_t); i++)
        ((uint64_t *)from)[i] -= ((const uint64_t *)less)[i];
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
    subtract(sums, lab->before, lab->before_flows * sizeof *sums);
    return sums;
}

// Connections go on, and so do the counts of their ends.
void lab_tables_mark(struct lab *lab)
{
    uint32_t flows;
    lab->ended_flows = lab->before_flows = 0;
    free(lab->before);
    for (struct flow *flow = lab->flows.all; flow; flow = flow->next)
        flow_tcp_forget_rtt(flow);
    lab->before = lab_all_tcp(lab, &flows);
    lab->before_flows = flows;
    for (uint32_t i = 0; i < lab->place.n; i++) {
        struct lab_place *place = lab->place.item[i];
        place->before = *bss_cell_traffic(place->cell);
    }
}

// ---- The tables ----

// What a row is of; flow, end and tcp: of tcp.csv; the rest: of bss.csv.
struct lab_row {
    uint32_t flow;
    enum flow_end end;
    const struct tcp_figures *tcp;
    const char *cell, *fate;
    int way;
    struct bss_tally of;
};

#define TABLE_FILE  "lab/lab_tables.def"
#define TABLE_OWNER const struct lab *lab
#include "lab/base/table_make.h"

static void put_applications(const void *self, FILE *out)
{
    const struct lab *lab = self;
    table_csv_head(&lab_table_applications, out);
    for (uint32_t i = 0; i < lab->app.n; i++)
        table_csv_row(&lab_table_applications, lab, *(struct app *const *)lab->app.item[i], out);
}

static void put_tcp(const void *self, FILE *out)
{
    const struct lab *lab = self;
    uint32_t count;
    struct lab_tcp_sum *sums = lab_all_tcp(lab, &count);
    table_csv_head(&lab_table_tcp, out);
    for (uint32_t i = 0; i < count; i++)
        for (int end = 0; end < FLOW_ENDS; end++) {
            const struct tcp_figures *tcp = &sums[i].of[end];
            struct lab_row line = {.flow = i, .end = (enum flow_end)end, .tcp = tcp};
            if (tcp->sent_segments || tcp->received_segments)
                table_csv_row(&lab_table_tcp, lab, &line, out);
        }
    free(sums);
}

// bss.csv: a row for each cell, direction and fate of an LLC PDU.
static void put_fate(struct lab_row line, const char *fate, struct bss_tally of, FILE *out)
{
    line.fate = fate;
    line.of = of;
    table_csv_row(&lab_table_bss, NULL, &line, out);
}

static void put_cell(const char *cell, const struct bss_traffic *t, FILE *out)
{
    for (int way = 0; way < BSS_WAYS; way++) {
        struct lab_row line = {.cell = cell, .way = way};
        put_fate(line, "in", t->in[way], out);
        put_fate(line, "out", t->out[way], out);
        put_fate(line, "held", t->held[way], out);
        for (uint32_t why = 0; why < BSS_LOSSES; why++)
            if (bss_loss_way((enum bss_loss)why) == (enum bss_way)way && t->lost[why].pdus)
                put_fate(line, bss_loss_name((enum bss_loss)why), t->lost[why], out);
    }
}

static void put_bss(const void *self, FILE *out)
{
    const struct lab *lab = self;
    table_csv_head(&lab_table_bss, out);
    for (uint32_t i = 0; i < lab->place.n; i++) {
        const struct lab_place *place = lab->place.item[i];
        struct bss_traffic since = *bss_cell_traffic(place->cell);
        subtract(&since, &place->before, sizeof since);
        memcpy(since.held, bss_cell_traffic(place->cell)->held, sizeof since.held);
        put_cell(lab->ledger.groups[LEDGER_CELL].group[place->number].name, &since, out);
    }
}

static const struct lab_table tables[] = {
    {"applications.csv", &lab_table_applications, put_applications},
    {"tcp.csv", &lab_table_tcp, put_tcp},
    {"bss.csv", &lab_table_bss, put_bss}};

const struct lab_table *lab_table(uint32_t i)
{
    return i < sizeof tables / sizeof tables[0] ? &tables[i] : NULL;
}
