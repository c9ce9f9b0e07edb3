// See report.h: the figures that are worked out, and the JSON.
#include "bench/throughput/report.h"

#include <math.h>
#include <string.h>

#include "bench/throughput/keys.h"
#include "control/process/version.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"
#include "lab/base/json.h"

#define GOALS 3
#define NEAR  0.9 // of what the generator does alone: then it may be the limit
#define LATE  0.5 // of that, where it was late: late at less, it was kept from its processor
// Of the least sample. On a machine without other programs medians were 1.02 to 1.14 of it.
#define MEDIAN_MOST 1.15

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

void report_searched(struct bench_result *r)
{
    r->searched = true;
    for (uint32_t i = 0; i < r->options->losses; i++) {
        struct bench_rate *rate = &r->rates[i];
        *rate =
            (struct bench_rate){.point = r, .loss = r->options->loss[i], .rate = r->search.rate[i]};
        if (rate->loss > 0)
            snprintf(rate->name, sizeof rate->name, "the highest rate that loses at most %.4g %%",
                     100 * rate->loss);
        else
            snprintf(rate->name, sizeof rate->name, "the highest rate without loss");
    }
}

const struct bench_rate *report_found(const struct bench_result *r)
{
    for (uint32_t i = 0; i < r->options->losses; i++)
        if (r->rates[i].rate.pps.median > 0)
            return &r->rates[i];
    return &r->rates[0];
}

bool report_is_found(const struct bench_result *r)
{
    return r->searched && report_found(r)->rate.pps.median > 0;
}

bool report_found_all(const struct bench_results *results)
{
    for (uint32_t i = 0; i < results->points; i++) {
        const struct bench_result *r = &results->point[i].result;
        if (r->good && r->searched && !report_is_found(r))
            return false;
    }
    return true;
}

double report_mpps(const struct bench_result *r)
{
    if (r->searched)
        return report_found(r)->rate.pps.median / 1e6;
    if (r->options->workers == 1)
        return r->tsc_hz / r->saturated.cycles.least / 1e6;
    return report_mpps_all(r);
}

double report_mpps_all(const struct bench_result *r)
{
    double pps = 0;
    for (uint32_t i = 0; i < r->options->workers; i++)
        pps += r->tsc_hz / r->of_worker[i].cycles.median;
    return pps / 1e6;
}

double report_mpps_alone(const struct bench_result *r)
{
    return r->tsc_hz / r->saturated.cycles.median / 1e6;
}

const char *report_cycles_note(const struct bench_result *r)
{
    const struct spread *c = &r->saturated.cycles;
    return c->median > MEDIAN_MOST * c->least
               ? "the median is more than 15 % above the least: other programs disturbed the "
                 "worker, and even the least may be too high"
               : NULL;
}

// Ten trials at a rate are not counted; then they are, and the rate found is the machine's.
const char *report_rates_note(const struct bench_result *r)
{
    if (r->searched && !report_is_found(r))
        return "in most repeats no rate lost as little as it may, so no latency was measured; "
               "repeat on a machine without other programs. The cycles count all the same";
    return r->searched && 2 * r->search.disturbed > r->search.trials
               ? "most trials were disturbed: rates and latency are the machine's, not Sluice's"
               : NULL;
}

// A rate that is the machine's is not the generator's either.
const char *report_limit_note(const struct bench_rate *rate)
{
    double share = rate->rate.behind ? LATE : NEAR;
    return !report_rates_note(rate->point) &&
                   rate->rate.pps.median > share * rate->point->generator.median
               ? "the generator does no more than this"
               : NULL;
}

const char *report_direction(const struct bench_options *o)
{
    return o->both ? "both" : o->up ? "up" : "down";
}

const char *report_loss(const struct bench_rate *rate, char room[TABLE_ROOM])
{
    snprintf(room, TABLE_ROOM, "%.4g", 100 * rate->loss);
    return room;
}

const char *report_size(const struct bench_options *o, char room[TABLE_ROOM])
{
    if (o->size_octets == OPTIONS_IMIX)
        return "imix";
    snprintf(room, TABLE_ROOM, "%u", o->size_octets);
    return room;
}

// ---- JSON ----

// Of each worker, all at once.
static void put_cycles(const void *result, struct json *j)
{
    const struct bench_result *r = result;
    json_put_array(j, "cycles_per_packet");
    for (uint32_t i = 0; i < r->options->workers; i++)
        json_fixed(j, r->of_worker[i].cycles.median, 2);
    json_close(j);
}

static void describe_cycles(const char *before, FILE *out)
{
    fprintf(out, "%scycles_per_packet: of each worker at once, a list\n", before);
}

static void put_drops(const void *of, struct json *j)
{
    const uint64_t *drops = of;
    json_put_object(j, "drops");
    for (int i = 0; i < DROP_COUNT; i++)
        if (drops[i])
            json_put(j, stats_drop_names[i], drops[i]);
    json_close(j);
}

static void describe_drops(const char *before, FILE *out)
{
    fprintf(out, "%sdrops: packets that Sluice dropped, by the name of their reason\n", before);
}

// Below 0 is noise.
static double not_below_0(double value)
{
    return value > 0 ? value : 0;
}

#define TABLE_FILE  "bench/throughput/report.def"
#define TABLE_OWNER const struct bench_results *results
#include "lab/base/table_make.h"

void report_json(const struct bench_results *results, FILE *out)
{
    struct json j;
    json_begin(&j, out);
    if (results->points > 1)
        json_array(&j);
    for (uint32_t i = 0; i < results->points; i++)
        if (results->point[i].result.good)
            table_json_row(&bench_keys_table, results, &results->point[i].result, &j);
    if (results->points > 1)
        json_close(&j);
    json_end(&j);
}

void bench_keys(FILE *out)
{
    table_describe_keys(&bench_keys_table, "", out);
}
