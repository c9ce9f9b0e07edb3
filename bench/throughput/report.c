// See report.h: the figures that are worked out, and the JSON.
#include "bench/throughput/report.h"

#include <string.h>

#include "lab/base/json.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"

#define GOALS 3

const char *const report_stages[STAGE_COUNT] = {
#define STAGE(name, help) #name,
#include "dataplane/stats/stages.def"
#undef STAGE
};

static const struct {
    uint32_t mss;
    double cycles[GOALS];
} goals[GOALS] = {{1000, {180, 220, 300}}, {100000, {280, 400, 500}}, {1000000, {400, 520, 650}}};
static const uint32_t goal_octets[GOALS] = {64, 576, 1400};
static const double goal_cipher[GOALS] = {70, 420, 1000};

double report_goal(const struct bench_options *o)
{
    if (strcmp(o->ports, "ring") != 0 || o->backlogged || o->flows || o->workers > 1 || o->up ||
        o->n201_u < o->size_octets + SNDCP_FIRST_OCTETS)
        return 0;
    for (uint32_t i = 0; i < GOALS; i++)
        for (uint32_t k = 0; k < GOALS; k++)
            if (o->mss == goals[i].mss && o->size_octets == goal_octets[k])
                return goals[i].cycles[k] + (o->gea ? goal_cipher[k] : 0);
    return 0;
}

double report_mpps(const struct bench_result *r)
{
    if (r->searched)
        return r->search.pps.median / 1e6;
    if (r->options->workers == 1)
        return bench_clock.hz / r->saturated.cycles.least / 1e6;
    double pps = 0;
    for (uint32_t i = 0; i < r->options->workers; i++)
        pps += bench_clock.hz / r->of_worker[i].cycles.median;
    return pps / 1e6;
}

double report_mpps_alone(const struct bench_result *r)
{
    return bench_clock.hz / r->saturated.cycles.median / 1e6;
}

// ---- JSON ----

static void put(struct json *j, const char *key, double value, int decimals)
{
    double scale = 1;
    for (int i = 0; i < decimals; i++)
        scale *= 10;
    json_key(j, key);
    json_decimal(j, (uint64_t)(value * scale + 0.5), decimals);
}

static void put_spread(struct json *j, const char *key, const struct spread *s, double unit,
                       int decimals)
{
    json_key(j, key);
    json_object(j);
    put(j, "least", s->least / unit, decimals);
    put(j, "median", s->median / unit, decimals);
    put(j, "most", s->most / unit, decimals);
    json_close(j);
}

static void put_latency(struct json *j, const struct bench_result *r)
{
    static const char *const names[LATENCY_LOADS] = {"load_50_percent", "load_90_percent"};
    json_key(j, "latency_us");
    if (!r->searched) {
        json_null(j);
        return;
    }
    json_object(j);
    for (uint32_t i = 0; i < LATENCY_LOADS; i++) {
        const struct latency *l = &r->latency[i];
        json_key(j, names[i]);
        json_object(j);
        put(j, "p50", (double)l->p50_ns / 1e3, 3);
        put(j, "p90", (double)l->p90_ns / 1e3, 3);
        put(j, "p99", (double)l->p99_ns / 1e3, 3);
        put(j, "p99_9", (double)l->p999_ns / 1e3, 3);
        put(j, "max", (double)l->most_ns / 1e3, 3);
        json_put(j, "samples", l->samples);
        put(j, "mpps", l->pps / 1e6, 6);
        json_put(j, "lost", l->lost);
        json_close(j);
    }
    json_close(j);
}

static void put_stages(struct json *j, const struct bench_result *r)
{
    json_key(j, "stages");
    json_object(j);
    for (uint32_t i = 0; i < STAGE_COUNT; i++)
        put(j, report_stages[i], r->stages.of[i], 2);
    json_close(j);
    put(j, "stages_sum", r->stages.sum, 2);
}

static void put_baseline(struct json *j, const struct baseline *b)
{
    json_key(j, "baseline");
    json_object(j);
    put(j, "mbuf", b->mbuf, 2);
    put(j, "forward", b->forward, 2);
    if (b->rte_sched_pipes) {
        put(j, "rte_sched", b->rte_sched, 2);
        json_put(j, "rte_sched_pipes", b->rte_sched_pipes);
    } else {
        json_key(j, "rte_sched");
        json_null(j);
    }
    json_close(j);
}

// One worker alone, and then all at once.
static void put_workers(struct json *j, const struct bench_result *r)
{
    double alone = report_mpps_alone(r);
    json_key(j, "scaling");
    if (r->options->workers == 1) {
        json_null(j);
        return;
    }
    json_object(j);
    put(j, "mpps_alone", alone, 6);
    put(j, "mpps_all", report_mpps(r), 6);
    put(j, "times", report_mpps(r) / alone, 3);
    json_key(j, "cycles_per_packet");
    json_array(j);
    for (uint32_t i = 0; i < r->options->workers; i++)
        json_decimal(j, (uint64_t)(r->of_worker[i].cycles.median * 100 + 0.5), 2);
    json_close(j);
    json_close(j);
}

static void put_asked(struct json *j, const struct bench_result *r)
{
    const struct bench_options *o = r->options;
    json_put(j, "ms", o->mss);
    if (o->size_octets == OPTIONS_IMIX)
        json_put_text(j, "size", "imix");
    else
        json_put(j, "size", o->size_octets);
    put(j, "size_mean_octets", r->mean_octets, 1);
    json_put_text(j, "cipher", o->cipher);
    json_put_text(j, "aqm", aqm_list[o->aqm]->name);
    json_put(j, "flows", o->flows);
    json_put(j, "backlogged", o->backlogged);
    json_put(j, "rate_bit_per_s", o->rate_bit_per_s);
    json_put(j, "defaults", o->defaults);
    json_put(j, "n201_u", o->n201_u);
    json_put_text(j, "direction", o->up ? "up" : "down");
    json_put_text(j, "ports", o->ports);
    json_put(j, "workers", o->workers);
    put(j, "seconds", o->seconds, 3);
    json_put(j, "repeats", o->repeats);
    json_put(j, "waiting", o->waiting);
}

static void put_rate(struct json *j, const struct bench_result *r)
{
    put(j, "mpps", report_mpps(r), 6);
    json_put_text(j, "mpps_is",
                  r->searched               ? "the highest rate without loss"
                  : r->options->workers > 1 ? "the sum of tsc_hz / median cycles of each worker"
                                            : "tsc_hz / cycles_per_packet");
    json_put(j, "lost", r->searched ? r->search.lost : r->dropped);
    json_key(j, "search");
    if (!r->searched) {
        json_null(j);
        return;
    }
    json_object(j);
    put_spread(j, "mpps", &r->search.pps, 1e6, 6);
    json_put(j, "offered", r->search.offered);
    json_put(j, "trials", r->search.trials);
    json_key(j, "generator_was_the_limit");
    json_boolean(j, r->search.behind);
    json_put(j, "processors", r->two_threads ? 2 : 1);
    json_close(j);
}

static void put_cycles(struct json *j, const struct bench_result *r)
{
    double goal = report_goal(r->options);
    put(j, "cycles_per_packet", r->saturated.cycles.least, 2);
    put_spread(j, "cycles_spread", &r->saturated.cycles, 1, 2);
    json_key(j, "goal_cycles");
    if (goal == 0)
        json_null(j);
    else
        json_decimal(j, (uint64_t)goal, 0);
    json_key(j, "goal_ratio");
    if (goal == 0)
        json_null(j);
    else
        json_decimal(j, (uint64_t)(r->saturated.cycles.least / goal * 1000 + 0.5), 3);
}

static void put_books(struct json *j, const struct bench_result *r)
{
    json_key(j, "conservation");
    json_object(j);
    json_put(j, "sent", r->sent);
    json_put(j, "received", r->received);
    json_put(j, "dropped", r->dropped);
    json_put(j, "queued", r->queued);
    json_put(j, "lost_by_devices", r->astray);
    json_close(j);
    json_key(j, "drops");
    json_object(j);
    for (int i = 0; i < DROP_COUNT; i++)
        if (r->drops[i])
            json_put(j, stats_drop_names[i], r->drops[i]);
    json_close(j);
}

// Below 0 is noise.
static double not_below_0(double value)
{
    return value > 0 ? value : 0;
}

static void put_mirrored(struct json *j, const struct bench_result *r)
{
    if (!r->options->capture)
        return;
    json_key(j, "capture");
    json_object(j);
    json_put(j, "copied", r->mirrored.copied);
    json_put(j, "missed", r->mirrored.missed);
    json_put(j, "octets", r->mirrored.octets);
    json_close(j);
}

static void put_view(struct json *j, const struct bench_result *r)
{
    const struct view_cost *v = &r->view;
    if (!r->options->view)
        return;
    json_key(j, "view");
    json_object(j);
    json_put(j, "pages", v->pages);
    put(j, "pages_a_pass", v->pass_pages, 1);
    put(j, "cycles_a_page", not_below_0(v->page_cycles), 0);
    put(j, "cycles_a_round", v->round_cycles, 0);
    put(j, "percent_each_s", not_below_0(view_percent(v, 1)), 3);
    put(j, "percent_each_100_ms", not_below_0(view_percent(v, 0.1)), 3);
    json_close(j);
}

void report_json(const struct bench_result *r, FILE *out)
{
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    put_asked(&j, r);
    put_rate(&j, r);
    put_cycles(&j, r);
    put_latency(&j, r);
    put_stages(&j, r);
    put_view(&j, r);
    put_mirrored(&j, r);
    put_baseline(&j, &r->baseline);
    put_workers(&j, r);
    put_books(&j, r);
    json_put_text(&j, "fcs", fcs_choose()->name);
    json_put_text(&j, "cipher_variant", r->options->gea ? cipher_choose()->name : "none");
    json_put_text(&j, "pages", r->huge_pages ? "huge" : "4 KiB");
    json_put(&j, "tsc_hz", (uint64_t)bench_clock.hz);
    json_close(&j);
    json_end(&j);
}
