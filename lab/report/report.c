// See report.h: the sums and the JSON. The text is in text.c.
#include "lab/report/report.h"

#include "dataplane/base/json.h"

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

void report_add(struct report *r, struct dp *dp)
{
    for (uint32_t w = 0; w < r->workers; w++)
        add_stats(&r->stats, dp_stats(dp_worker(dp, w)));
}

void report_collect(struct report *r, struct dp *dp)
{
    r->balanced = true;
    report_add(r, dp);
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
}

// Frames that the Gb port has counted as sent and the line has not delivered: those on the line and
// in the port's rings, and for each worker one frame of which fragments still wait in the port.
static uint64_t under_way(const struct report *r)
{
    return line_under_way(&r->lab->gb) + r->in_pieces;
}

// The frames that the Gb port has sent and the receiver has not completely received; a frame in
// fragments counts as one.
static uint64_t frames_missing(const struct report *r)
{
    const struct receiver *receiver = &r->lab->receiver;
    return r->stats.of_port[STATS_GB].tx_packets - (receiver->frames - receiver->fragments);
}

// No class has more N-PDUs received than sent, and at most the frames under way are missing.
static bool all_received(const struct report *r)
{
    uint64_t missing = 0;
    for (int c = 0; c < CLASS_COUNT; c++) {
        uint64_t out = r->stats.of_class[c].out_packets;
        uint64_t received = r->lab->receiver.of_class[c].npdus;
        if (received > out)
            return false;
        missing += out - received;
    }
    return missing <= under_way(r);
}

static bool lab_sound(const struct report *r)
{
    const struct lab *lab = r->lab;
    return lab->gn_unexpected == 0 && lab->receiver.faults == 0 && lab->receiver.discarded == 0 &&
           r->stats.of_port[STATS_GN].rx_packets + lab->gn.lost_packets == lab->gn.sent_packets &&
           frames_missing(r) <= under_way(r) && all_received(r);
}

bool report_sound(const struct report *r)
{
    return r->balanced && r->stats.commands_refused == 0 && (!r->lab || lab_sound(r));
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

static void put_delay(struct json *json, const struct histogram *delay_ns)
{
    json_key(json, "delay_ms");
    json_object(json);
    const struct {
        const char *name;
        uint32_t per_mille;
    } quantile[] = {{"p50", 500}, {"p95", 950}, {"p99", 990}, {"max", 1000}};
    for (int i = 0; i < 4; i++) {
        json_key(json, quantile[i].name);
        if (delay_ns->samples == 0)
            json_null(json);
        else
            json_decimal(json, histogram_quantile(delay_ns, quantile[i].per_mille) / 1000, 3);
    }
    json_close(json);
}

// The received octets of a class in the lab; in real time, the sent ones.
static void put_received(struct json *json, const struct report *r, int c)
{
    const struct stats_class *of_class = &r->stats.of_class[c];
    const struct receiver_class *received = r->lab ? &r->lab->receiver.of_class[c] : NULL;
    uint64_t octets = received ? received->octets : of_class->out_octets;
    json_put(json, "packets", received ? received->npdus : of_class->out_packets);
    json_put(json, "octets", octets);
    json_put(json, "goodput_bit_per_s",
             (uint64_t)((unsigned __int128)octets * 8 * S_IN_NS / r->elapsed_ns));
    if (received)
        put_delay(json, &received->delay_ns);
}

static void put_classes(struct json *json, const struct report *r)
{
    json_key(json, "classes");
    json_object(json);
    for (int c = 0; c < CLASS_COUNT; c++) {
        const struct stats_class *of_class = &r->stats.of_class[c];
        if (of_class->in_packets == 0)
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
    const struct lab *lab = r->lab;
    json_key(json, "lines");
    json_object(json);
    json_put(json, "gn_sent_frames", lab->gn.sent_packets);
    json_put(json, "gn_sent_octets", lab->gn.sent_octets);
    json_put(json, "gn_lost_frames", lab->gn.lost_packets);
    json_put(json, "gn_unexpected_frames", lab->gn_unexpected);
    json_put(json, "gb_delivered_frames", lab->gb.delivered_packets);
    json_put(json, "gb_delivered_octets", lab->gb.delivered_octets);
    json_put(json, "gb_frames_under_way", line_under_way(&lab->gb));
    json_put(json, "gb_frames_in_pieces", r->in_pieces);
    json_close(json);
}

static void put_receiver(struct json *json, const struct receiver *receiver)
{
    json_key(json, "receiver");
    json_object(json);
    json_put(json, "frames", receiver->frames);
    json_put(json, "fragments", receiver->fragments);
    json_put(json, "faults", receiver->faults);
    json_put(json, "discarded_npdus", receiver->discarded);
    json_put(json, "partial_npdus", receiver_partial(receiver));
    json_put_text(json, "first_fault", receiver->first_fault);
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

void report_summary(const struct report *r, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    json_put_text(&json, "scenario", r->name);
    json_put(&json, "seed", r->seed);
    json_key(&json, r->lab ? "virtual_s" : "real_s");
    json_decimal(&json, r->elapsed_ns, 9);
    json_key(&json, "complete");
    json_boolean(&json, r->complete);
    json_key(&json, "sound");
    json_boolean(&json, report_sound(r));
    put_classes(&json, r);
    put_conservation(&json, r);
    put_worker(&json, r);
    put_events(&json, r);
    put_policy(&json, r);
    if (r->lab) {
        put_lines(&json, r);
        put_receiver(&json, &r->lab->receiver);
    }
    json_close(&json);
    json_end(&json);
}
