// See report.h: the sums and the JSON. The text is in text.c.
#include "lab/summary/report.h"

#include <stdlib.h>

_Static_assert(sizeof(struct stats_worker) % sizeof(uint64_t) == 0, "counters and nothing else");

static void add_stats(struct stats_worker *sum, const struct stats_worker *stats)
{
    for (size_t i = 0; i < sizeof *sum / sizeof(uint64_t); i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)stats)[i];
}

static void add_queued(struct dp_queued *sum, const struct dp_queued *queued)
{
    sum->packets += queued->packets;
    sum->octets += queued->octets;
}

static void subtract_stats(struct stats_worker *from, const struct stats_worker *less)
{
    for (size_t i = 0; i < sizeof *from / sizeof(uint64_t); i++)
        ((uint64_t *)from)[i] -= ((const uint64_t *)less)[i];
}

void report_add(struct report *r, struct dp *dp)
{
    for (uint32_t w = 0; w < r->workers; w++)
        add_stats(&r->stats, dp_stats(dp_worker(dp, w)));
}

static void set_since(struct report *r)
{
    r->since = r->stats;
    if (r->before)
        subtract_stats(&r->since, r->before);
}

void report_collect(struct report *r, struct dp *dp)
{
    r->balanced = true;
    report_add(r, dp);
    for (int side = 0; side < STATS_SIDES; side++) {
        uint32_t mbit_per_s;
        dp_link_look(dp, (enum stats_side)side);
        const struct stats_nic *nic = dp_nic(dp, (enum stats_side)side, &mbit_per_s);
        r->has_nic[side] = nic != NULL;
        if (nic)
            r->nic[side] = *nic;
    }
    for (uint32_t w = 0; w < r->workers; w++) {
        const struct dp_worker *worker = dp_worker(dp, w);
        for (int side = 0; side < STATS_SIDES; side++) {
            struct dp_held held = dp_held(worker, side);
            add_queued(&r->held[side].inner, &held.inner);
            add_queued(&r->held[side].fragments, &held.fragments);
        }
        r->balanced &= dp_balanced(worker);
        r->in_pieces += dp_in_pieces(worker, STATS_GB);
    }
    set_since(r);
}

void report_look(struct report *r, struct dp *dp)
{
    r->stats = (struct stats_worker){0};
    report_add(r, dp);
    set_since(r);
}

uint64_t report_measured_ns(const struct report *r)
{
    return r->elapsed_ns > r->warmup_ns ? r->elapsed_ns - r->warmup_ns : 1;
}

// Frames that the Gb port has counted as sent and the line has not delivered: those on the line and
// in the port's rings, and for each worker one frame of which fragments still wait in the port.
static uint64_t under_way(const struct report *r)
{
    return line_under_way(lab_line(r->lab, STATS_GB)) + r->in_pieces;
}

// The frames that the Gb port has sent and that have not completely arrived; a frame in fragments
// counts as one.
static uint64_t frames_missing(const struct report *r)
{
    struct lab_received received = lab_received(r->lab);
    return r->stats.of_port[STATS_GB].tx_packets - (received.frames - received.fragments);
}

// Each frame that the lab sent to the port has come in, or is counted as lost there.
static bool all_came_in(const struct report *r, enum stats_side side)
{
    const struct line *line = lab_line(r->lab, side);
    return r->stats.of_port[side].rx_packets + line->lost_packets == line->sent_packets;
}

static bool lab_sound(const struct report *r)
{
    return lab_faults(r->lab).count == 0 && !lab_wrong(r->lab) && all_came_in(r, STATS_GN) &&
           all_came_in(r, STATS_GB) && frames_missing(r) <= under_way(r);
}

bool report_sound(const struct report *r)
{
    return r->balanced && r->stats.commands_refused == 0 && (!r->lab || lab_sound(r));
}

static const struct ledger_tally *tally(const struct report *r, enum ledger_kind kind, uint32_t i,
                                        enum ledger_way way)
{
    const struct ledger_group *group = &lab_ledger(r->lab)->groups[kind].group[i];
    return r->batch ? &group->batch[way] : &group->of[way];
}

bool report_has_class(const struct report *r, int c)
{
    return r->since.of_class[c].in_packets > 0 ||
           (r->lab && (ledger_has(tally(r, LEDGER_CLASS, (uint32_t)c, LEDGER_UP)) ||
                       ledger_begun(tally(r, LEDGER_CLASS, (uint32_t)c, LEDGER_DOWN)).packets > 0));
}

// ---- JSON ----

static void put_counters(struct json *json, enum stats_scope scope, const void *of)
{
    for (uint32_t i = 0; i < stats_counter_count; i++)
        if (stats_counters[i].scope == scope)
            json_put(json, stats_counters[i].name,
                     *(const uint64_t *)((const char *)of + stats_counters[i].offset));
}

static void put_drops(struct json *json, const struct stats_drop drop[DROP_COUNT])
{
    json_key(json, "drops");
    json_object(json);
    for (int d = 0; d < DROP_COUNT; d++) {
        if (drop[d].packets == 0)
            continue;
        json_key(json, stats_drop_names[d]);
        json_object(json);
        json_put(json, "packets", drop[d].packets);
        json_put(json, "octets", drop[d].octets);
        json_close(json);
    }
    json_close(json);
}

static void put_delay(struct json *json, const struct delays *delay)
{
    json_key(json, "delay_ms");
    json_object(json);
    const struct {
        const char *name;
        uint32_t per_mille;
    } quantile[] = {{"p50", 500}, {"p95", 950}, {"p99", 990}, {"max", 1000}};
    for (int i = 0; i < 4; i++) {
        json_key(json, quantile[i].name);
        if (delay->samples == 0)
            json_null(json);
        else
            json_decimal(json, delays_quantile_ns(delay, quantile[i].per_mille) / 1000, 3);
    }
    json_close(json);
}

static uint64_t bit_per_s(const struct report *r, uint64_t octets)
{
    return (uint64_t)((unsigned __int128)octets * 8 * S_IN_NS / report_measured_ns(r));
}

// The downlink of the MSs to which there were packets of a class: how alike it is, by Jain's index,
// the square of the sum over n times the sum of squares; and the one who got least.
static void put_mss(struct json *json, const struct report *r, int c)
{
    const struct ledger *ledger = lab_ledger(r->lab);
    const struct ledger_groups *flows = &ledger->groups[LEDGER_FLOW];
    uint32_t mss = ledger->groups[LEDGER_MS].count, n = 0;
    struct ledger_count *of = calloc(mss ? mss : 1, sizeof *of); // packets sent, octets delivered
    if (!of)
        abort();
    for (uint32_t i = 0; i < flows->count; i++) {
        const struct ledger_context *context = &ledger->context[flows->group[i].above];
        const struct ledger_tally *down = tally(r, LEDGER_FLOW, i, LEDGER_DOWN);
        if (context->traffic_class != c)
            continue;
        of[context->ms].packets += down->sent.packets + ledger_begun(down).packets;
        of[context->ms].octets += down->delivered.octets;
    }
    double sum = 0, squares = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < mss; i++) {
        if (!of[i].packets)
            continue;
        n++;
        sum += (double)of[i].octets;
        squares += (double)of[i].octets * (double)of[i].octets;
        least = of[i].octets < least ? of[i].octets : least;
    }
    free(of);
    json_key(json, "mss");
    json_object(json);
    json_put(json, "count", n);
    json_key(json, "jain");
    if (squares > 0)
        json_decimal(json, (uint64_t)(sum * sum / (n * squares) * 1e6 + 0.5), 6);
    else
        json_null(json);
    json_key(json, "least_goodput_bit_per_s");
    if (n)
        json_integer(json, (int64_t)bit_per_s(r, least));
    else
        json_null(json);
    json_close(json);
}

// The octets of a class that have arrived; in real time, those sent.
static void put_received(struct json *json, const struct report *r, int c)
{
    const struct stats_class *of_class = &r->since.of_class[c];
    struct ledger_count received = {of_class->out_packets, of_class->out_octets};
    if (r->lab)
        received = tally(r, LEDGER_CLASS, (uint32_t)c, LEDGER_DOWN)->delivered;
    json_put(json, "packets", received.packets);
    json_put(json, "octets", received.octets);
    json_put(json, "goodput_bit_per_s", bit_per_s(r, received.octets));
    if (!r->lab)
        return;
    put_delay(json, &tally(r, LEDGER_CLASS, (uint32_t)c, LEDGER_DOWN)->delay);
    put_mss(json, r, c);
}

static void put_classes(struct json *json, const struct report *r)
{
    json_key(json, "classes");
    json_object(json);
    for (int c = 0; c < CLASS_COUNT; c++) {
        const struct stats_class *of_class = &r->since.of_class[c];
        if (!report_has_class(r, c))
            continue;
        json_key(json, class_names[c]);
        json_object(json);
        put_counters(json, STATS_SCOPE_CLASS, of_class);
        put_received(json, r, c);
        put_drops(json, of_class->drop);
        json_close(json);
    }
    json_close(json);
}

// The members of a ledger's object.
static void put_ledger(struct json *json, const struct stats_ledger *l, uint64_t queued,
                       bool octets)
{
    json_put(json, "in", l->in);
    if (octets)
        json_put(json, "headers", l->headers);
    json_put(json, "aside", l->aside);
    json_put(json, "out", l->out);
    json_put(json, "dropped", l->dropped);
    json_put(json, "queued", queued);
}

static void put_ledgers(struct json *json, const struct stats_balance *b, const struct dp_held *h)
{
    put_ledger(json, &b->packets, h->inner.packets + h->fragments.packets, false);
    json_key(json, "octets");
    json_object(json);
    put_ledger(json, &b->octets, h->inner.octets + h->fragments.octets, true);
    json_close(json);
}

static void put_conservation(struct json *json, const struct report *r)
{
    struct stats_balance down = stats_balance(&r->stats), up = stats_balance_up(&r->stats);
    json_key(json, "conservation");
    json_object(json);
    put_ledgers(json, &down, &r->held[STATS_GN]);
    json_key(json, "up");
    json_object(json);
    put_ledgers(json, &up, &r->held[STATS_GB]);
    json_close(json);
    json_key(json, "balanced");
    json_boolean(json, r->balanced);
    json_close(json);
}

static void put_lines(struct json *json, const struct report *r)
{
    const struct line *gn = lab_line(r->lab, STATS_GN), *gb = lab_line(r->lab, STATS_GB);
    json_key(json, "lines");
    json_object(json);
    json_put(json, "gn_sent_frames", gn->sent_packets);
    json_put(json, "gn_sent_octets", gn->sent_octets);
    json_put(json, "gn_lost_frames", gn->lost_packets);
    json_put(json, "gn_delivered_frames", gn->delivered_packets);
    json_put(json, "gn_delivered_octets", gn->delivered_octets);
    json_put(json, "gn_frames_under_way", line_under_way(gn));
    json_put(json, "gb_sent_frames", gb->sent_packets);
    json_put(json, "gb_sent_octets", gb->sent_octets);
    json_put(json, "gb_lost_frames", gb->lost_packets);
    json_put(json, "gb_delivered_frames", gb->delivered_packets);
    json_put(json, "gb_delivered_octets", gb->delivered_octets);
    json_put(json, "gb_frames_under_way", line_under_way(gb));
    json_put(json, "gb_frames_in_pieces", r->in_pieces);
    json_close(json);
}

static void put_from_gb(struct json *json, const struct lab *lab)
{
    struct lab_received received = lab_received(lab);
    struct lab_faults faults = lab_faults(lab);
    json_key(json, "from_gb");
    json_object(json);
    json_put(json, "frames", received.frames);
    json_put(json, "fragments", received.fragments);
    json_put(json, "faults", faults.count);
    json_put(json, "discarded_npdus", received.given_up);
    json_put(json, "partial_npdus", received.partial);
    json_put_text(json, "first_fault", faults.first);
    json_close(json);
}

static void put_ports(struct json *json, const struct report *r)
{
    json_key(json, "ports");
    json_object(json);
    for (int side = 0; side < STATS_SIDES; side++) {
        json_key(json, stats_side_names[side]);
        json_object(json);
        put_counters(json, STATS_SCOPE_PORT, &r->stats.of_port[side]);
        put_drops(json, r->stats.of_port[side].drop);
        if (r->has_nic[side]) {
            json_key(json, "nic");
            json_object(json);
            put_counters(json, STATS_SCOPE_NIC, &r->nic[side]);
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

static void put_events(struct json *json, const struct report *r)
{
    json_key(json, "events");
    json_object(json);
    for (int kind = 0; kind < EVENT_COUNT; kind++)
        json_put(json, state_event_names[kind], r->events[kind]);
    json_close(json);
}

static void put_policy(struct json *json, const struct report *r)
{
    json_key(json, "policy");
    json_object(json);
    json_put(json, "hook_faults", r->faults);
    json_put(json, "hook_cuts", r->cuts);
    json_put_text(json, "last_fault", r->last_fault);
    json_close(json);
}

static void put_worker(struct json *json, const struct report *r)
{
    json_key(json, "worker");
    json_object(json);
    json_put(json, "workers", r->workers);
    put_counters(json, STATS_SCOPE_WORKER, &r->stats);
    put_ports(json, r);
    json_key(json, "up");
    json_object(json);
    put_counters(json, STATS_SCOPE_UP, &r->stats.up);
    put_drops(json, r->stats.up.drop);
    json_close(json);
    json_close(json);
}

void report_figures(const struct report *r, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    put_classes(&json, r);
    lab_put_applications(r->lab, &json, report_measured_ns(r), r->batch);
    json_close(&json);
    json_end(&json);
}

void report_summary(const struct report *r, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    json_put_text(&json, "scenario", r->name);
    if (r->put_origin)
        r->put_origin(r->origin, &json);
    json_put(&json, "seed", r->seed);
    json_key(&json, r->lab ? "virtual_s" : "real_s");
    json_decimal(&json, r->elapsed_ns, 9);
    if (r->warmup_ns) {
        json_key(&json, "warmup_s");
        json_decimal(&json, r->warmup_ns, 9);
    }
    json_key(&json, "complete");
    json_boolean(&json, r->complete);
    json_key(&json, "sound");
    json_boolean(&json, report_sound(r));
    put_classes(&json, r);
    if (r->lab)
        lab_put_applications(r->lab, &json, report_measured_ns(r), r->batch);
    if (r->put_batches)
        r->put_batches(r->batches, &json);
    put_conservation(&json, r);
    put_worker(&json, r);
    put_events(&json, r);
    put_policy(&json, r);
    if (r->lab) {
        put_lines(&json, r);
        put_from_gb(&json, r->lab);
    }
    json_close(&json);
    json_end(&json);
}
