// What the applications of a run came to, by kind, for summary.json: the same figures as in
// applications.csv and tcp.csv, added up, and quantiles that those cannot have.
#include "lab/lab_parts.h"

struct lab_sums {
    uint64_t count, unanswered, open, missing, aborted;
    uint64_t sent[FLOW_ENDS], arrived[FLOW_ENDS];
    uint64_t sum_ns[APP_RECORDS];
    struct tcp_figures tcp; // of both ends
};

static void add_app(struct lab_sums *sums, const struct app *app, const struct lab_tcp_sum *tcp)
{
    const struct app_figures *f = &app->figures;
    sums->count++;
    sums->unanswered += f->unanswered;
    sums->open += f->open;
    sums->aborted += f->aborted;
    for (int end = 0; end < FLOW_ENDS; end++) {
        sums->sent[end] += f->sent[end].octets;
        sums->arrived[end] += f->arrived[end].octets;
        sums->missing += f->missing[end];
        sums->tcp.retransmitted_segments += tcp->of[end].retransmitted_segments;
        sums->tcp.retransmitted_octets += tcp->of[end].retransmitted_octets;
        sums->tcp.sent_segments += tcp->of[end].sent_segments;
        sums->tcp.timeouts += tcp->of[end].timeouts;
        sums->tcp.ecn_reductions += tcp->of[end].ecn_reductions;
    }
    for (int what = 0; what < APP_RECORDS; what++)
        sums->sum_ns[what] += f->of[what].sum_ns;
}

struct kind_row {
    const struct lab_sums *sums;
    const struct app_times *times;
    uint64_t measured_ns;
};

static uint64_t goodput(const struct kind_row *row)
{
    unsigned __int128 octets =
        (unsigned __int128)row->sums->arrived[FLOW_HOST] + row->sums->arrived[FLOW_MS];
    return (uint64_t)(octets * 8 * S_IN_NS / (row->measured_ns ? row->measured_ns : 1));
}

#define TABLE_FILE  "lab/lab_figures.def"
#define TABLE_OWNER const void *nothing
#include "lab/base/table_make.h"

const char *lab_application(uint32_t i)
{
    return i < app_kind_count ? app_kinds[i]->name : NULL;
}

static uint32_t place_of(const struct app_kind *kind)
{
    uint32_t i = 0;
    while (app_kinds[i] != kind)
        i++;
    return i;
}

// Of each kind since the mark.
static struct lab_sums *sums_of(const struct lab *lab)
{
    uint32_t flows;
    struct lab_tcp_sum *tcp = lab_all_tcp(lab, &flows);
    struct lab_sums *sums = need(calloc(app_kind_count, sizeof *sums));
    for (uint32_t i = 0; i < lab->app.n; i++) {
        const struct app *app = *(struct app *const *)lab->app.item[i];
        add_app(&sums[place_of(app->kind)], app, &tcp[app->place.stream]);
    }
    free(tcp);
    return sums;
}

void lab_figures_batch(struct lab *lab)
{
    free(lab->batch_before);
    lab->batch_before = sums_of(lab);
    memset(lab->batch_times, 0, app_kind_count * sizeof *lab->batch_times);
}

// The applications are there before the batch, too; what is open is not of one batch.
static void subtract(struct lab_sums *from, const struct lab_sums *less)
{
    uint64_t count = from->count, open = from->open;
    for (size_t i = 0; i < sizeof *from / sizeof(uint64_t); i++)
        ((uint64_t *)from)[i] -= ((const uint64_t *)less)[i];
    from->count = count;
    from->open = open;
}

void lab_put_applications(const struct lab *lab, struct json *json, uint64_t measured_ns,
                          bool batch)
{
    struct lab_sums *sums = sums_of(lab);
    const struct app_times *times = batch ? lab->batch_times : lab->times;
    json_put_object(json, "applications");
    for (uint32_t i = 0; i < app_kind_count; i++) {
        if (batch)
            subtract(&sums[i], &lab->batch_before[i]);
        if (!sums[i].count)
            continue;
        json_key(json, app_kinds[i]->name);
        table_json_row(&lab_table_kinds, NULL, &(struct kind_row){&sums[i], &times[i], measured_ns},
                       json);
    }
    json_close(json);
    free(sums);
}

void lab_describe_applications(const char *before, FILE *out)
{
    char inside[64];
    fprintf(out, "%sapplications: in the lab, those that there were, by kind\n", before);
    snprintf(inside, sizeof inside, "%sapplications.KIND.", before);
    table_describe_keys(&lab_table_kinds, inside, out);
}
