// See tables.h. A group has a row for each direction in which it had packets.
#include "lab/report/tables.h"

#include "dataplane/base/units.h"
#include "lab/base/csv.h"

#define TALLY_NAMES                                                                         \
    "sent_packets,sent_octets,delivered_packets,delivered_octets,lost_packets,lost_octets," \
    "under_way_packets,under_way_octets,marked_packets,goodput_bit_per_s,"                  \
    "delay_mean_ms,delay_p50_ms,delay_p95_ms,delay_p99_ms,delay_max_ms"

static void put_count(struct csv *csv, struct ledger_count count)
{
    csv_number(csv, count.packets);
    csv_number(csv, count.octets);
}

static void put_ms(struct csv *csv, const struct delays *delay, uint64_t ns)
{
    if (delay->samples)
        csv_decimal(csv, ns / 1000, 3);
    else
        csv_none(csv);
}

static void put_tally(struct csv *csv, const struct ledger_tally *t, uint64_t elapsed_ns)
{
    static const uint32_t per_mille[] = {500, 950, 990};
    put_count(csv, t->sent);
    put_count(csv, t->delivered);
    put_count(csv, t->lost);
    put_count(csv, ledger_under_way(t));
    csv_number(csv, t->marked.packets);
    csv_number(csv, (uint64_t)((unsigned __int128)t->delivered.octets * 8 * S_IN_NS / elapsed_ns));
    put_ms(csv, &t->delay, delays_mean_ns(&t->delay));
    for (int i = 0; i < 3; i++)
        put_ms(csv, &t->delay, delays_quantile_ns(&t->delay, per_mille[i]));
    put_ms(csv, &t->delay, t->delay.most_ns);
}

void tables_put_flow(struct csv *csv, const struct ledger *ledger, uint32_t flow)
{
    const struct ledger_group *group = &ledger->groups[LEDGER_FLOW].group[flow];
    const struct ledger_context *context = &ledger->context[group->above];
    csv_number(csv, flow);
    csv_text(csv, group->name);
    csv_text(csv, ledger->groups[LEDGER_MS].group[context->ms].name);
    csv_text(csv, class_names[context->traffic_class]);
}

// What names a group in its own file.
static void put_key(struct csv *csv, const struct ledger *l, enum ledger_kind kind, uint32_t i)
{
    const struct ledger_group *group = &l->groups[kind].group[i];
    if (kind == LEDGER_FLOW) {
        tables_put_flow(csv, l, i);
        return;
    }
    csv_text(csv, group->name);
    if (kind == LEDGER_MS)
        csv_text(csv, l->groups[LEDGER_CELL].group[group->above].name);
}

static void put_kind(const struct tables *t, enum ledger_kind kind, FILE *out)
{
    static const char *const keys[LEDGER_KINDS] = {"class", "cell", "ms,cell",
                                                   "flow,application,ms,class"};
    const struct ledger_groups *groups = &t->ledger->groups[kind];
    struct csv csv = {.out = out};
    csv_head(&csv, keys[kind]);
    csv_head(&csv, "direction," TALLY_NAMES);
    csv_end(&csv);
    for (uint32_t i = 0; i < groups->count; i++)
        for (int way = 0; way < LEDGER_WAYS; way++) {
            if (groups->group[i].of[way].sent.packets == 0)
                continue;
            put_key(&csv, t->ledger, kind, i);
            csv_text(&csv, ledger_way_names[way]);
            put_tally(&csv, &groups->group[i].of[way], t->elapsed_ns);
            csv_end(&csv);
        }
}

static void put_classes(const void *self, FILE *out)
{
    put_kind(self, LEDGER_CLASS, out);
}

static void put_cells(const void *self, FILE *out)
{
    put_kind(self, LEDGER_CELL, out);
}

static void put_mss(const void *self, FILE *out)
{
    put_kind(self, LEDGER_MS, out);
}

static void put_flows(const void *self, FILE *out)
{
    put_kind(self, LEDGER_FLOW, out);
}

// ---- Drops ----

static const struct ledger_loss *loss_of(const struct ledger_tally *t, uint32_t reason)
{
    for (uint32_t i = 0; i < t->losses; i++)
        if (t->loss[i].reason == reason)
            return &t->loss[i];
    return NULL;
}

static void put_loss(struct csv *csv, const struct ledger *l, int kind, uint32_t i, int way,
                     const struct ledger_loss *loss)
{
    uint32_t own;
    const struct ledger_place *place = ledger_place_of(l, loss->reason, &own);
    csv_text(csv, ledger_kind_names[kind]);
    if (kind == LEDGER_FLOW)
        csv_number(csv, i);
    else
        csv_text(csv, l->groups[kind].group[i].name);
    csv_text(csv, ledger_way_names[way]);
    csv_text(csv, place->name);
    csv_text(csv, place->reasons[own]);
    put_count(csv, loss->count);
    csv_end(csv);
}

// In the order of the reasons, which does not depend on what happened first.
static void put_losses(struct csv *csv, const struct ledger *l, int kind, uint32_t i, int way)
{
    const struct ledger_tally *t = &l->groups[kind].group[i].of[way];
    for (uint32_t reason = 0; t->losses && reason < l->reasons; reason++) {
        const struct ledger_loss *loss = loss_of(t, reason);
        if (loss)
            put_loss(csv, l, kind, i, way, loss);
    }
}

static void put_drops(const void *self, FILE *out)
{
    const struct ledger *l = ((const struct tables *)self)->ledger;
    struct csv csv = {.out = out};
    csv_head(&csv, "by,name,direction,place,reason,packets,octets");
    csv_end(&csv);
    for (int kind = 0; kind < LEDGER_KINDS; kind++)
        for (uint32_t i = 0; i < l->groups[kind].count; i++)
            for (int way = 0; way < LEDGER_WAYS; way++)
                put_losses(&csv, l, kind, i, way);
}

// ---- Delays ----

static void put_distribution(struct csv *csv, const char *class, int way,
                             const struct delays *delay)
{
    struct delays_bucket found;
    uint64_t seen = 0;
    for (uint32_t bucket = 0; delays_next(delay, &bucket, &found);) {
        seen += found.samples;
        csv_text(csv, class);
        csv_text(csv, ledger_way_names[way]);
        csv_decimal(csv, found.most_ns / 1000, 3);
        csv_number(csv, found.samples);
        csv_decimal(csv, (uint64_t)((unsigned __int128)seen * 1000000 / delay->samples), 6);
        csv_end(csv);
    }
}

static void put_delays(const void *self, FILE *out)
{
    const struct ledger_groups *classes =
        &((const struct tables *)self)->ledger->groups[LEDGER_CLASS];
    struct csv csv = {.out = out};
    csv_head(&csv, "class,direction,delay_ms,packets,share");
    csv_end(&csv);
    for (uint32_t i = 0; i < classes->count; i++)
        for (int way = 0; way < LEDGER_WAYS; way++)
            put_distribution(&csv, classes->group[i].name, way, &classes->group[i].of[way].delay);
}

const struct tables_file tables_files[TABLES_FILES] = {
    {"classes.csv", put_classes}, {"cells.csv", put_cells}, {"mss.csv", put_mss},
    {"flows.csv", put_flows},     {"drops.csv", put_drops}, {"delays.csv", put_delays},
};
