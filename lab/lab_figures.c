// What the applications of a run came to, by kind, for summary.json: the same figures as in
// applications.csv and tcp.csv, added up, and quantiles that those cannot have.
#include "lab/lab_parts.h"

struct lab_sums {
    uint64_t count, unanswered, missing, aborted;
    uint64_t sent[FLOW_ENDS], arrived[FLOW_ENDS];
    uint64_t sum_ns[APP_RECORDS];
    struct tcp_figures tcp; // of both ends
};

static const char *const end_names[FLOW_ENDS] = {[FLOW_HOST] = "host", [FLOW_MS] = "ms"};

static void add_app(struct lab_sums *sums, const struct app *app, const struct lab_tcp_sum *tcp)
{
    const struct app_figures *f = &app->figures;
    sums->count++;
    sums->unanswered += f->unanswered;
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

static void put_ends(struct json *json, const char *key, const uint64_t octets[FLOW_ENDS])
{
    json_key(json, key);
    json_object(json);
    for (int end = 0; end < FLOW_ENDS; end++)
        json_put(json, end_names[end], octets[end]);
    json_close(json);
}

static void put_times(struct json *json, const char *name, const struct histogram *times,
                      uint64_t sum_ns)
{
    char key[64];
    snprintf(key, sizeof key, "%s_ms", name);
    json_key(json, key);
    json_object(json);
    json_put(json, "n", times->samples);
    json_key(json, "mean");
    json_decimal(json, sum_ns / times->samples / 1000, 3);
    json_key(json, "p50");
    json_decimal(json, histogram_quantile(times, 500) / 1000, 3);
    json_key(json, "p95");
    json_decimal(json, histogram_quantile(times, 950) / 1000, 3);
    json_close(json);
}

static void put_tcp(struct json *json, const struct tcp_figures *tcp)
{
    json_key(json, "tcp");
    json_object(json);
    json_put(json, "segments", tcp->sent_segments);
    json_put(json, "retransmitted_segments", tcp->retransmitted_segments);
    json_put(json, "retransmitted_octets", tcp->retransmitted_octets);
    json_put(json, "timeouts", tcp->timeouts);
    json_put(json, "ecn_reductions", tcp->ecn_reductions);
    json_close(json);
}

static void put_kind(struct json *json, const char *name, const struct lab_sums *sums,
                     const struct app_times *times, uint64_t measured_ns)
{
    unsigned __int128 octets = (unsigned __int128)sums->arrived[FLOW_HOST] + sums->arrived[FLOW_MS];
    json_key(json, name);
    json_object(json);
    json_put(json, "count", sums->count);
    json_put(json, "goodput_bit_per_s",
             (uint64_t)(octets * 8 * S_IN_NS / (measured_ns ? measured_ns : 1)));
    put_ends(json, "sent_octets", sums->sent);
    put_ends(json, "arrived_octets", sums->arrived);
    json_put(json, "missing", sums->missing);
    json_put(json, "unanswered", sums->unanswered);
    json_put(json, "aborted", sums->aborted);
    for (int what = 0; what < APP_RECORDS; what++)
        if (times->of[what].samples)
            put_times(json, app_record_names[what], &times->of[what], sums->sum_ns[what]);
    if (sums->tcp.sent_segments)
        put_tcp(json, &sums->tcp);
    json_close(json);
}

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

// The applications are there before the batch, too.
static void subtract(struct lab_sums *from, const struct lab_sums *less)
{
    uint64_t count = from->count;
    for (size_t i = 0; i < sizeof *from / sizeof(uint64_t); i++)
        ((uint64_t *)from)[i] -= ((const uint64_t *)less)[i];
    from->count = count;
}

void lab_put_applications(const struct lab *lab, struct json *json, uint64_t measured_ns,
                          bool batch)
{
    struct lab_sums *sums = sums_of(lab);
    const struct app_times *times = batch ? lab->batch_times : lab->times;
    json_key(json, "applications");
    json_object(json);
    for (uint32_t i = 0; i < app_kind_count; i++) {
        if (batch)
            subtract(&sums[i], &lab->batch_before[i]);
        if (sums[i].count)
            put_kind(json, app_kinds[i]->name, &sums[i], &times[i], measured_ns);
    }
    json_close(json);
    free(sums);
}
