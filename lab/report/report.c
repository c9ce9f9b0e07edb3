// See report.h: the sums and the JSON. The text is in text.c.
#include "lab/report/report.h"

#include <string.h>

#include "dataplane/base/json.h"

// Frames that the Gb port took and that the line has not delivered: in its ring or on the line.
static uint64_t frames_under_way(const struct report *r)
{
    return dp_stats(r->worker)->gb_tx_packets - r->lab->gb.delivered_packets;
}

// No class received more than went out, and what is missing is at most what is under way.
static bool all_received(const struct report *r)
{
    uint64_t missing = 0;
    for (int c = 0; c < CLASS_COUNT; c++) {
        uint64_t out = dp_stats(r->worker)->of_class[c].out_packets;
        uint64_t received = r->lab->receiver.of_class[c].npdus;
        if (received > out)
            return false;
        missing += out - received;
    }
    return missing <= frames_under_way(r);
}

bool report_sound(const struct report *r)
{
    const struct lab *lab = r->lab;
    const struct stats_worker *stats = dp_stats(r->worker);
    return dp_balanced(r->worker) && stats->commands_refused == 0 && lab->gn_unexpected == 0 &&
           lab->receiver.faults == 0 && lab->receiver.discarded == 0 &&
           stats->gn_rx_packets + lab->gn.lost_packets == lab->gn.sent_packets && all_received(r);
}

static void put_drops(struct json *json, const struct stats_class *of_class)
{
    json_key(json, "drops");
    json_object(json);
    for (int d = 0; d < DROP_COUNT; d++) {
        if (of_class->drop[d].packets == 0)
            continue;
        json_key(json, drop_names[d]);
        json_object(json);
        json_put(json, "packets", of_class->drop[d].packets);
        json_put(json, "octets", of_class->drop[d].octets);
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

static void put_class(struct json *json, const struct report *r, int c)
{
    const struct stats_class *of_class = &dp_stats(r->worker)->of_class[c];
    const struct receiver_class *received = &r->lab->receiver.of_class[c];
    json_key(json, class_names[c]);
    json_object(json);
    for (uint32_t i = 0; i < stats_counter_count; i++)
        if (stats_counters[i].scope == STATS_SCOPE_CLASS)
            json_put(json, stats_counters[i].name,
                     *(const uint64_t *)((const char *)of_class + stats_counters[i].offset));
    json_put(json, "packets", received->npdus);
    json_put(json, "octets", received->octets);
    json_put(
        json, "goodput_bit_per_s",
        (uint64_t)((unsigned __int128)received->octets * 8 * S_IN_NS / r->lab->config.duration_ns));
    put_delay(json, &received->delay_ns);
    put_drops(json, of_class);
    json_close(json);
}

static void put_ledger(struct json *json, const char *name, const struct stats_ledger *l,
                       uint64_t queued, bool octets)
{
    json_key(json, name);
    json_object(json);
    json_put(json, "in", l->in);
    if (octets)
        json_put(json, "headers", l->headers);
    json_put(json, "out", l->out);
    json_put(json, "dropped", l->dropped);
    json_put(json, "queued", queued);
    json_close(json);
}

static void put_conservation(struct json *json, const struct report *r)
{
    struct stats_balance b = stats_balance(dp_stats(r->worker));
    struct dp_queued queued = dp_queued(r->worker);
    json_key(json, "conservation");
    json_object(json);
    json_put(json, "in", b.packets.in);
    json_put(json, "out", b.packets.out);
    json_put(json, "dropped", b.packets.dropped);
    json_put(json, "queued", queued.packets);
    json_key(json, "balanced");
    json_boolean(json, dp_balanced(r->worker));
    put_ledger(json, "octets", &b.octets, queued.octets, true);
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
    json_put(json, "gb_delivered_frames", lab->gb.delivered_packets);
    json_put(json, "gb_delivered_octets", lab->gb.delivered_octets);
    json_put(json, "gb_frames_under_way", frames_under_way(r));
    json_close(json);
}

static void put_receiver(struct json *json, const struct receiver *receiver)
{
    json_key(json, "receiver");
    json_object(json);
    json_put(json, "frames", receiver->frames);
    json_put(json, "faults", receiver->faults);
    json_put(json, "discarded_npdus", receiver->discarded);
    json_put(json, "partial_npdus", receiver_partial(receiver));
    json_put_text(json, "first_fault", receiver->first_fault);
    json_close(json);
}

static void put_worker(struct json *json, const struct report *r)
{
    const struct stats_worker *stats = dp_stats(r->worker);
    json_key(json, "worker");
    json_object(json);
    for (uint32_t i = 0; i < stats_counter_count; i++)
        if (stats_counters[i].scope == STATS_SCOPE_WORKER)
            json_put(json, stats_counters[i].name,
                     *(const uint64_t *)((const char *)stats + stats_counters[i].offset));
    put_drops(json, &stats->of_class[CLASS_COUNT]);
    json_close(json);
}

void report_summary(const struct report *r, FILE *out)
{
    const struct lab_config *config = &r->lab->config;
    struct json json;
    char name[65] = "";
    memcpy(name, config->name.at, config->name.n < 64 ? config->name.n : 64);
    json_begin(&json, out);
    json_object(&json);
    json_put_text(&json, "scenario", name);
    json_put(&json, "seed", config->seed);
    json_key(&json, "virtual_s");
    json_decimal(&json, config->duration_ns, 9);
    json_key(&json, "complete");
    json_boolean(&json, r->complete);
    json_key(&json, "sound");
    json_boolean(&json, report_sound(r));
    json_key(&json, "classes");
    json_object(&json);
    for (int c = 0; c < CLASS_COUNT; c++)
        if (dp_stats(r->worker)->of_class[c].in_packets)
            put_class(&json, r, c);
    json_close(&json);
    put_conservation(&json, r);
    put_worker(&json, r);
    put_lines(&json, r);
    put_receiver(&json, &r->lab->receiver);
    json_close(&json);
    json_end(&json);
}
