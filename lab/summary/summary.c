// See report.h: the JSON. summary.def has its keys; what is here are their values, and members
// whose names are in other lists.
#include "lab/summary/report.h"

#include <stdlib.h>

#include "lab/base/table.h"

// The downlink of the MSs to which there were packets of a class.
struct mss {
    uint32_t count;
    double sum, squares; // of the octets that arrived
    uint64_t least_octets;
};

struct class_row {
    const struct stats_class *of;
    struct ledger_count received;
    const struct ledger_tally *down; // NULL: a run in real time
    struct mss mss;
};

struct run_row {
    struct stats_balance down, up;
    // Of the lab.
    const struct line *gn, *gb;
    struct lab_received received;
    struct lab_faults faults;
};

static uint64_t bit_per_s(const struct report *r, uint64_t octets)
{
    return (uint64_t)((unsigned __int128)octets * 8 * S_IN_NS / report_measured_ns(r));
}

static uint64_t held_packets(const struct dp_held *held)
{
    return held->inner.packets + held->fragments.packets;
}

static uint64_t held_octets(const struct dp_held *held)
{
    return held->inner.octets + held->fragments.octets;
}

// Jain's index: the square of the sum over n times the sum of squares.
static uint64_t jain_ppm(const struct mss *mss)
{
    return (uint64_t)(mss->sum * mss->sum / (mss->count * mss->squares) * 1e6 + 0.5);
}

static struct mss mss_of(const struct report *r, int c)
{
    const struct ledger *ledger = lab_ledger(r->lab);
    const struct ledger_groups *flows = &ledger->groups[LEDGER_FLOW];
    uint32_t mss = ledger->groups[LEDGER_MS].count;
    struct mss all = {.least_octets = UINT64_MAX};
    struct ledger_count *of = calloc(mss ? mss : 1, sizeof *of); // packets sent, octets delivered
    if (!of)
        abort();
    for (uint32_t i = 0; i < flows->count; i++) {
        const struct ledger_context *context = &ledger->context[flows->group[i].above];
        const struct ledger_tally *down = report_tally(r, LEDGER_FLOW, i, LEDGER_DOWN);
        if (context->traffic_class != c)
            continue;
        of[context->ms].packets += down->sent.packets + ledger_begun(down).packets;
        of[context->ms].octets += down->delivered.octets;
    }
    for (uint32_t i = 0; i < mss; i++) {
        if (!of[i].packets)
            continue;
        all.count++;
        all.sum += (double)of[i].octets;
        all.squares += (double)of[i].octets * (double)of[i].octets;
        all.least_octets = of[i].octets < all.least_octets ? of[i].octets : all.least_octets;
    }
    free(of);
    return all;
}

// ---- Members with other lists' names ----

static void put_counters(struct json *json, enum stats_scope scope, const void *of)
{
    for (uint32_t i = 0; i < stats_counter_count; i++)
        if (stats_counters[i].scope == scope)
            json_put(json, stats_counters[i].name,
                     *(const uint64_t *)((const char *)of + stats_counters[i].offset));
}

static void describe_counters(const char *before, enum stats_scope scope, FILE *out)
{
    for (uint32_t i = 0; i < stats_counter_count; i++)
        if (stats_counters[i].scope == scope)
            fprintf(out, "%s%s: %s %s\n", before, stats_counters[i].name, stats_counters[i].unit,
                    stats_counters[i].help);
}

#define COUNTERS(name, scope)                                  \
    static void put_##name(const void *of, struct json *json)  \
    {                                                          \
        put_counters(json, scope, of);                         \
    }                                                          \
    static void describe_##name(const char *before, FILE *out) \
    {                                                          \
        describe_counters(before, scope, out);                 \
    }
COUNTERS(worker, STATS_SCOPE_WORKER)
COUNTERS(port, STATS_SCOPE_PORT)
COUNTERS(nic, STATS_SCOPE_NIC)
COUNTERS(class, STATS_SCOPE_CLASS)
COUNTERS(up, STATS_SCOPE_UP)

static void put_drops(const void *of, struct json *json)
{
    const struct stats_drop *drop = of;
    json_put_object(json, "drops");
    for (int d = 0; d < DROP_COUNT; d++) {
        if (drop[d].packets == 0)
            continue;
        json_put_object(json, stats_drop_names[d]);
        json_put(json, "packets", drop[d].packets);
        json_put(json, "octets", drop[d].octets);
        json_close(json);
    }
    json_close(json);
}

static void describe_drops(const char *before, FILE *out)
{
    fprintf(out, "%sdrops: those that there were, by reason\n", before);
    fprintf(out, "%sdrops.REASON.packets: dropped for it\n", before);
    fprintf(out, "%sdrops.REASON.octets: of these\n", before);
}

static void put_events(const void *of, struct json *json)
{
    const uint64_t *events = of;
    json_put_object(json, "events");
    for (int kind = 0; kind < EVENT_COUNT; kind++)
        if (events[kind] || kind < EVENT_gtpc)
            json_put(json, state_event_names[kind], events[kind]);
    json_close(json);
}

static void describe_events(const char *before, FILE *out)
{
    fprintf(out,
            "%sevents: that control took from the workers, by kind; GTP-C's if there were any\n",
            before);
    fprintf(out, "%sevents.KIND: how many\n", before);
}

static void put_origin(const void *report, struct json *json)
{
    const struct report *r = report;
    r->put_origin(r->origin, json);
}

static void put_batches(const void *report, struct json *json)
{
    const struct report *r = report;
    r->put_batches(r->batches, json);
}

static void put_applications(const void *report, struct json *json)
{
    const struct report *r = report;
    lab_put_applications(r->lab, json, report_measured_ns(r), r->batch);
}

static void put_phones(const void *report, struct json *json)
{
    lab_put_phones(((const struct report *)report)->lab, json);
}

static void put_classes(const void *report, struct json *json);
static void describe_classes(const char *before, FILE *out);

#define TABLE_FILE  "lab/summary/summary.def"
#define TABLE_OWNER const struct report *r
#include "lab/base/table_make.h"

static void put_classes(const void *report, struct json *json)
{
    const struct report *r = report;
    json_put_object(json, "classes");
    for (int c = 0; c < CLASS_COUNT; c++) {
        if (!report_has_class(r, c))
            continue;
        struct class_row of_class = {.of = &r->since.of_class[c],
                                     .received = report_received(r, c)};
        if (r->lab) {
            of_class.down = report_tally(r, LEDGER_CLASS, (uint32_t)c, LEDGER_DOWN);
            of_class.mss = mss_of(r, c);
        }
        json_key(json, class_names[c]);
        table_json_row(&summary_class, r, &of_class, json);
    }
    json_close(json);
}

static void describe_classes(const char *before, FILE *out)
{
    (void)before;
    fprintf(out, "classes: those that had packets\n");
    table_describe_keys(&summary_class, "classes.CLASS.", out);
}

void report_figures(const struct report *r, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    put_classes(r, &json);
    put_applications(r, &json);
    json_close(&json);
    json_end(&json);
}

void report_summary(const struct report *r, FILE *out)
{
    struct json json;
    struct run_row row = {.down = stats_balance(&r->stats), .up = stats_balance_up(&r->stats)};
    if (r->lab) {
        row.gn = lab_line(r->lab, STATS_GN);
        row.gb = lab_line(r->lab, STATS_GB);
        row.received = lab_received(r->lab);
        row.faults = lab_faults(r->lab);
    }
    json_begin(&json, out);
    table_json_row(&summary_run, r, &row, &json);
    json_end(&json);
}

void report_describe(FILE *out)
{
    table_describe_keys(&summary_run, "", out);
}
