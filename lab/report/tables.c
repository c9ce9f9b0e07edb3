// See tables.h. A group has a row for each direction in which it had packets.
#include "lab/report/tables.h"

#include "dataplane/base/units.h"

// What a row is of; loss and its place: of drops; found and seen: of delays.
struct tables_row {
    const struct ledger_group *group;
    const struct ledger_tally *tally;
    enum ledger_kind kind;
    uint32_t number, own;
    int way;
    const struct ledger_loss *loss;
    const struct ledger_place *place;
    struct delays_bucket found;
    uint64_t seen;
};

const char *tables_ms_of(const struct ledger *ledger, uint32_t flow)
{
    const struct ledger_group *group = &ledger->groups[LEDGER_FLOW].group[flow];
    return ledger->groups[LEDGER_MS].group[ledger->context[group->above].ms].name;
}

const char *tables_class_of(const struct ledger *ledger, uint32_t flow)
{
    const struct ledger_group *group = &ledger->groups[LEDGER_FLOW].group[flow];
    return class_names[ledger->context[group->above].traffic_class];
}

static uint64_t goodput(const struct tables *tables, const struct ledger_tally *tally)
{
    unsigned __int128 bits = (unsigned __int128)tally->delivered.octets * 8;
    return (uint64_t)(bits * S_IN_NS / tables->measured_ns);
}

static uint64_t per_million(uint64_t of, uint64_t all)
{
    return (uint64_t)((unsigned __int128)of * 1000000 / all);
}

static const char *name_of(const struct tables_row *line, char room[TABLE_ROOM])
{
    if (line->kind != LEDGER_FLOW)
        return line->group->name;
    snprintf(room, TABLE_ROOM, "%u", line->number);
    return room;
}

#define TABLE_FILE  "lab/report/tables.def"
#define TABLE_OWNER const struct tables *tables
#include "lab/base/table_make.h"

// ---- Groups ----

// The next direction in which a group had packets. False: there is none.
static bool next_line(const struct ledger *ledger, struct tables_row *line)
{
    const struct ledger_groups *groups = &ledger->groups[line->kind];
    for (;;) {
        if (line->group && ++line->way == LEDGER_WAYS)
            line->number++;
        line->way = line->group ? line->way % LEDGER_WAYS : 0;
        if (line->number >= groups->count)
            return false;
        line->group = &groups->group[line->number];
        line->tally = &line->group->of[line->way];
        if (ledger_has(line->tally))
            return true;
    }
}

static void put_kind(const struct table *table, const struct tables *tables, enum ledger_kind kind,
                     FILE *out)
{
    struct tables_row line = {.kind = kind};
    table_csv_head(table, out);
    while (next_line(tables->ledger, &line))
        table_csv_row(table, tables, &line, out);
}

static void put_classes(const void *self, FILE *out)
{
    put_kind(&tables_classes, self, LEDGER_CLASS, out);
}

static void put_cells(const void *self, FILE *out)
{
    put_kind(&tables_cells, self, LEDGER_CELL, out);
}

static void put_mss(const void *self, FILE *out)
{
    put_kind(&tables_mss, self, LEDGER_MS, out);
}

static void put_flows(const void *self, FILE *out)
{
    put_kind(&tables_flows, self, LEDGER_FLOW, out);
}

// ---- Drops ----

static const struct ledger_loss *loss_of(const struct ledger_tally *t, uint32_t reason)
{
    for (uint32_t i = 0; i < t->losses; i++)
        if (t->loss[i].reason == reason)
            return &t->loss[i];
    return NULL;
}

// In the order of the reasons, which does not depend on what happened first.
static void put_losses(const struct tables *tables, struct tables_row *line, FILE *out)
{
    const struct ledger *ledger = tables->ledger;
    for (uint32_t reason = 0; line->tally->losses && reason < ledger->reasons; reason++) {
        line->loss = loss_of(line->tally, reason);
        if (!line->loss)
            continue;
        line->place = ledger_place_of(ledger, reason, &line->own);
        table_csv_row(&tables_drops, tables, line, out);
    }
}

static void put_drops(const void *self, FILE *out)
{
    const struct tables *tables = self;
    table_csv_head(&tables_drops, out);
    for (int kind = 0; kind < LEDGER_KINDS; kind++)
        for (struct tables_row line = {.kind = (enum ledger_kind)kind};
             next_line(tables->ledger, &line);)
            put_losses(tables, &line, out);
}

// ---- Delays ----

static void put_delays(const void *self, FILE *out)
{
    const struct tables *tables = self;
    struct tables_row line = {.kind = LEDGER_CLASS};
    table_csv_head(&tables_delays, out);
    while (next_line(tables->ledger, &line)) {
        line.seen = 0;
        for (uint32_t bucket = 0; delays_next(&line.tally->delay, &bucket, &line.found);) {
            line.seen += line.found.samples;
            table_csv_row(&tables_delays, tables, &line, out);
        }
    }
}

const struct tables_file tables_files[TABLES_FILES] = {
    {"classes.csv", &tables_classes, put_classes},
    {"cells.csv", &tables_cells, put_cells},
    {"mss.csv", &tables_mss, put_mss},
    {"flows.csv", &tables_flows, put_flows},
    {"drops.csv", &tables_drops, put_drops},
    {"delays.csv", &tables_delays, put_delays},
};
