// Writes the results of a made-up run, to look at its page and to test what reads them: two cells,
// each a queue with a limit before a line, three classes of traffic, a radio that loses, and
// acknowledgements.
//     report_world DIR NAME SEED LIMIT_OCTETS
#include <stdlib.h>
#include <string.h>

#include "lab/base/json.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "lab/report/ledger_series.h"
#include "lab/report/tables.h"

#define CELLS      2
#define MSS        6
#define PACKETS    4096 // the most in a queue
#define TICK_NS    (10 * MS_IN_NS)
#define RATE       6000 // octets a second of a cell
#define RADIO_NS   (350 * MS_IN_NS)
#define DURATION_S 120

enum { QUEUE_FULL, BLER };
static const char *const of_sgsn[] = {"queue_full"}, *const of_radio[] = {"bler"};

static const struct {
    enum traffic_class class;
    uint32_t octets, mean_ms, from_s, to_s;
    const char *application;
} offers[] = {
    {CLASS_CONVERSATIONAL, 100, 400, 0, DURATION_S, "push-to-talk"},
    {CLASS_INTERACTIVE_1, 576, 900, 5, DURATION_S, "web"},
    {CLASS_BACKGROUND, 1400, 500, 30, 75, "ftp"},
};
#define OFFERS 3

struct packet {
    struct ledger_key key;
    uint32_t octets;
};

static struct cell {
    struct packet queue[PACKETS];
    uint32_t head, count, octets;
    double credit;
} cell[CELLS];

static struct ledger ledger;
static struct rng rng;
static uint64_t now_ns, next_ns[MSS][OFFERS];
static uint32_t first_reason[2], limit_octets;
static uint16_t next_id[MSS * OFFERS][LEDGER_WAYS];

static void make_world(void)
{
    static const struct ledger_place sgsn = {"sgsn", of_sgsn, of_sgsn, 1},
                                     radio = {"radio", of_radio, of_radio, 1};
    static const char *const names[CELLS] = {"101-2", "101-3"};
    char imsi[24];
    ledger_setup(&ledger);
    first_reason[QUEUE_FULL] = ledger_add_place(&ledger, &sgsn);
    first_reason[BLER] = ledger_add_place(&ledger, &radio);
    for (int i = 0; i < CELLS; i++)
        ledger_add_cell(&ledger, names[i]);
    for (uint32_t ms = 0; ms < MSS; ms++) {
        snprintf(imsi, sizeof imsi, "0010100000%05u", ms + 1);
        ledger_add_ms(&ledger, imsi, ms % CELLS);
        for (uint32_t i = 0; i < OFFERS; i++) {
            uint32_t context = ledger_add_context(&ledger, ms, offers[i].class);
            ledger_add_flow(&ledger, offers[i].application, context);
            next_ns[ms][i] = offers[i].from_s * S_IN_NS + rng_below(&rng, S_IN_NS);
        }
    }
}

static struct ledger_key send(uint32_t context, enum ledger_way way, uint32_t octets)
{
    struct ledger_key key = {context, way, next_id[context][way]++};
    ledger_sent(&ledger, key, octets, context, true, now_ns);
    return key;
}

static void enqueue(struct cell *c, uint32_t context, uint32_t octets)
{
    struct packet p = {send(context, LEDGER_DOWN, octets), octets};
    if (c->octets + octets > limit_octets || c->count == PACKETS) {
        ledger_lost(&ledger, p.key, first_reason[QUEUE_FULL], now_ns);
        return;
    }
    c->queue[(c->head + c->count++) % PACKETS] = p;
    c->octets += octets;
}

// Of 40 packets the radio loses one; what arrives is acknowledged.
static void dequeue(struct cell *c)
{
    struct packet p = c->queue[c->head];
    c->head = (c->head + 1) % PACKETS;
    c->count--;
    c->octets -= p.octets;
    if (rng_below(&rng, 40) == 0) {
        ledger_lost(&ledger, p.key, first_reason[BLER], now_ns);
        return;
    }
    ledger_delivered(&ledger, p.key, p.octets, c->octets > limit_octets / 2, now_ns + RADIO_NS);
    struct ledger_key up = send(p.key.context, LEDGER_UP, 40);
    ledger_delivered(&ledger, up, 40, false, now_ns + (120 + rng_below(&rng, 60)) * MS_IN_NS);
}

static void offer(uint32_t ms, uint32_t i)
{
    while (next_ns[ms][i] <= now_ns && next_ns[ms][i] < offers[i].to_s * S_IN_NS) {
        enqueue(&cell[ms % CELLS], ms * OFFERS + i, offers[i].octets);
        next_ns[ms][i] += rng_exponential(&rng, offers[i].mean_ms * MS_IN_NS);
    }
}

static void tick(void)
{
    for (uint32_t ms = 0; ms < MSS; ms++)
        for (uint32_t i = 0; i < OFFERS; i++)
            offer(ms, i);
    for (int i = 0; i < CELLS; i++) {
        cell[i].credit += RATE * (double)TICK_NS / S_IN_NS;
        for (; cell[i].count && cell[i].credit > 0; dequeue(&cell[i]))
            cell[i].credit -= cell[i].queue[cell[i].head].octets;
        if (cell[i].count == 0 && cell[i].credit > 0)
            cell[i].credit = 0;
    }
}

// ---- Files ----

static FILE *create(const char *dir, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
    }
    return out;
}

static uint64_t read_queue(void *self, uint32_t subject, uint64_t step_ns)
{
    (void)self, (void)step_ns;
    bool down = ledger_series_way(subject) == LEDGER_DOWN;
    return down ? cell[ledger_series_group(subject)].octets : SERIES_NONE;
}

static uint64_t read_bucket(void *self, uint32_t subject, uint64_t step_ns)
{
    uint64_t octets = read_queue(self, subject, step_ns);
    return octets == SERIES_NONE ? octets : (octets < 4000 ? octets : 4000);
}

static void put_drops(struct json *json, const struct ledger_tally *t)
{
    for (uint32_t i = 0; i < t->losses; i++) {
        json_key(json, t->loss[i].reason == first_reason[BLER] ? "bler" : "queue_full");
        json_object(json);
        json_put(json, "packets", t->loss[i].count.packets);
        json_put(json, "octets", t->loss[i].count.octets);
        json_close(json);
    }
}

static void put_class(struct json *json, uint32_t i)
{
    const struct ledger_group *group = &ledger.groups[LEDGER_CLASS].group[i];
    const struct ledger_tally *t = &group->of[LEDGER_DOWN];
    json_key(json, group->name);
    json_object(json);
    json_put(json, "in_packets", t->sent.packets);
    json_put(json, "packets", t->delivered.packets);
    json_put(json, "octets", t->delivered.octets);
    json_put(json, "marks", t->marked.packets);
    json_put(json, "goodput_bit_per_s", t->delivered.octets * 8 / DURATION_S);
    json_key(json, "delay_ms");
    json_object(json);
    json_key(json, "p50");
    json_decimal(json, delays_quantile_ns(&t->delay, 500) / 1000, 3);
    json_key(json, "p95");
    json_decimal(json, delays_quantile_ns(&t->delay, 950) / 1000, 3);
    json_key(json, "p99");
    json_decimal(json, delays_quantile_ns(&t->delay, 990) / 1000, 3);
    json_key(json, "max");
    json_decimal(json, t->delay.most_ns / 1000, 3);
    json_close(json);
    json_key(json, "drops");
    json_object(json);
    put_drops(json, t);
    json_close(json);
    json_close(json);
}

static void put_summary(FILE *out, const char *name, uint64_t seed)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    json_put_text(&json, "scenario", name);
    json_put_text(&json, "version", "0.1.0");
    json_put_text(&json, "config_sha256",
                  "5f1d6c0a6f1f8f4d2e1b7a90c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6");
    json_key(&json, "overrides");
    json_array(&json);
    json_text(&json, "queue.octets=64 kB");
    json_text(&json, "run.seed=<7> & \"x\"");
    json_close(&json);
    json_put(&json, "seed", seed);
    json_key(&json, "virtual_s");
    json_decimal(&json, DURATION_S * S_IN_NS, 9);
    json_key(&json, "complete");
    json_boolean(&json, true);
    json_key(&json, "sound");
    json_boolean(&json, ledger_sound(&ledger));
    json_key(&json, "classes");
    json_object(&json);
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        if (ledger.groups[LEDGER_CLASS].group[i].of[LEDGER_DOWN].sent.packets)
            put_class(&json, i);
    json_close(&json);
    json_close(&json);
    json_end(&json);
}

static void put_tables(const char *dir)
{
    struct tables tables = {&ledger, DURATION_S * S_IN_NS};
    for (int i = 0; i < TABLES_FILES; i++) {
        FILE *out = create(dir, tables_files[i].name);
        tables_files[i].put(&tables, out);
        fclose(out);
    }
}

#define SERIES 3

static void simulate(const char *dir)
{
    static const enum ledger_kind kinds[SERIES] = {LEDGER_CLASS, LEDGER_CELL, LEDGER_FLOW};
    static const char *const names[SERIES] = {"series_classes.csv", "series_cells.csv",
                                              "series_flows.csv"};
    static const struct series_column queue = {"sgsn_queue_octets", 0, read_queue, "its queue",
                                               NULL},
                                      bucket = {"bucket_level_octets", 0, read_bucket, "its bucket",
                                                NULL};
    struct ledger_series series[SERIES];
    for (int i = 0; i < SERIES; i++)
        ledger_series_setup(&series[i], &ledger, kinds[i], create(dir, names[i]));
    series_column(&series[1].series, &queue);
    series_column(&series[1].series, &bucket);
    while (now_ns < DURATION_S * S_IN_NS) {
        tick();
        now_ns += TICK_NS;
        if (now_ns % S_IN_NS)
            continue;
        for (int i = 0; i < SERIES; i++)
            series_step(&series[i].series, now_ns);
        ledger_step(&ledger);
    }
    for (int i = 0; i < SERIES; i++)
        fclose(series[i].series.csv.out);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    uint64_t seed = strtoull(argv[3], NULL, 10);
    limit_octets = (uint32_t)strtoul(argv[4], NULL, 10);
    rng_seed(&rng, seed, 0);
    make_world();
    simulate(argv[1]);
    put_tables(argv[1]);
    FILE *out = create(argv[1], "summary.json");
    put_summary(out, argv[2], seed);
    fclose(out);
    bool sound = ledger_sound(&ledger);
    ledger_release(&ledger);
    return sound ? 0 : 1;
}
