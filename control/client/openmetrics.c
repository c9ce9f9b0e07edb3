// See openmetrics.h.
#include "control/client/openmetrics.h"

#include <inttypes.h>
#include <string.h>

#include "control/client/value.h"
#include "control/plane/counts.h"
#include "dataplane/dataplane.h"

#define ROWS_MOST  1000000u
#define NAME_MOST  96
#define LABEL_MOST 192

// ---- One family ----

// NAME_ns is NAME_seconds.
static void family_name(char name[NAME_MOST], const char *prefix, const char *member)
{
    size_t n = strlen(member);
    bool time = n > 3 && strcmp(member + n - 3, "_ns") == 0;
    snprintf(name, NAME_MOST, "sluice_%s_%.*s%s", prefix, (int)(time ? n - 3 : n), member,
             time ? "_seconds" : "");
}

static void put_family(FILE *out, const char *name, bool counter, const char *help)
{
    fprintf(out, "# TYPE %s %s\n", name, counter ? "counter" : "gauge");
    fprintf(out, "# HELP %s ", name);
    for (; *help; help++)
        if (*help == '\\' || *help == '"')
            fprintf(out, "\\%c", *help);
        else
            fputc(*help, out);
    fputc('\n', out);
}

static void put_value(FILE *out, const char *member, uint64_t value)
{
    size_t n = strlen(member);
    if (n > 3 && strcmp(member + n - 3, "_ns") == 0)
        fprintf(out, "%" PRIu64 ".%09" PRIu64 "\n", value / 1000000000, value % 1000000000);
    else
        fprintf(out, "%" PRIu64 "\n", value);
}

static void put_sample(FILE *out, const char *name, bool counter, const char *labels,
                       const char *member, uint64_t value)
{
    fprintf(out, "%s%s%s%s%s ", name, counter ? "_total" : "", *labels ? "{" : "", labels,
            *labels ? "}" : "");
    put_value(out, member, value);
}

// What a text may hold in a label; value_text has left nothing but printable ASCII.
static const char *label_text(const struct json_object *row, const char *member,
                              char text[LABEL_MOST / 2])
{
    char *from = text;
    value_text(row, member, text, LABEL_MOST / 2);
    for (; *from; from++)
        if (*from == '"' || *from == '\\')
            *from = '_';
    return text;
}

// ---- Rows by their records ----

typedef void labels_fn(const struct json_object *row, char labels[LABEL_MOST]);

static void labels_of_nse(const struct json_object *row, char labels[LABEL_MOST])
{
    snprintf(labels, LABEL_MOST, "nsei=\"%" PRIu64 "\"", value_number(row, "nsei"));
}

static void labels_of_cell(const struct json_object *row, char labels[LABEL_MOST])
{
    snprintf(labels, LABEL_MOST, "nsei=\"%" PRIu64 "\",bvci=\"%" PRIu64 "\"",
             value_number(row, "nsei"), value_number(row, "bvci"));
}

static void labels_of_ms(const struct json_object *row, char labels[LABEL_MOST])
{
    char imsi[LABEL_MOST / 2];
    snprintf(labels, LABEL_MOST, "imsi=\"%s\",tlli=\"%08" PRIx64 "\"",
             label_text(row, "imsi", imsi), value_number(row, "tlli"));
}

static void labels_of_class(const struct json_object *row, char labels[LABEL_MOST])
{
    char class[LABEL_MOST / 2];
    snprintf(labels, LABEL_MOST, "class=\"%s\"", label_text(row, "class", class));
}

static void labels_of_port(const struct json_object *row, char labels[LABEL_MOST])
{
    char port[LABEL_MOST / 2];
    snprintf(labels, LABEL_MOST, "port=\"%s\"", label_text(row, "port", port));
}

static void no_labels(const struct json_object *row, char labels[LABEL_MOST])
{
    (void)row;
    labels[0] = '\0';
}

static void put_member(FILE *out, const char *prefix, const char *member, const char *help,
                       bool counter, const struct json_object *rows, labels_fn *labels_of)
{
    char name[NAME_MOST], labels[LABEL_MOST];
    family_name(name, prefix, member);
    put_family(out, name, counter, help);
    for (size_t i = 0; i < value_count(rows); i++) {
        const struct json_object *row = value_at(rows, i);
        if (!value_has(row, member))
            continue;
        labels_of(row, labels);
        put_sample(out, name, counter, labels, member, value_number(row, member));
    }
}

static bool is_name(const char *member)
{
    static const char *const names[] = {"nse_id", "bvc_id", "ms_id", "bvci", "tlli"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(member, names[i]) == 0)
            return true;
    return false;
}

// A view's members from down_frames on are counters: view.h says so.
static void put_view(FILE *out, const char *prefix, const struct field_record *record,
                     const struct json_object *rows, labels_fn *labels_of)
{
    bool counter = false;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct field *f = &record->fields[i];
        counter |= strcmp(f->name, "down_frames") == 0;
        if (!is_name(f->name))
            put_member(out, prefix, f->name, f->help, counter, rows, labels_of);
    }
}

// Each reason is a label; those that never came to pass are not there.
static void put_drops(FILE *out, const char *prefix, const struct json_object *rows,
                      labels_fn *labels_of)
{
    char name[NAME_MOST], labels[LABEL_MOST];
    family_name(name, prefix, "drops");
    put_family(out, name, true, "packets dropped, by reason");
    for (size_t i = 0; i < value_count(rows); i++) {
        const struct json_object *row = value_at(rows, i);
        const struct json_object *drops = value_in(row, "drops");
        labels_of(row, labels);
        for (int r = 0; r < DROP_COUNT; r++)
            if (value_has(drops, drop_names[r]))
                fprintf(out, "%s_total{%s%sreason=\"%s\"} %" PRIu64 "\n", name, labels,
                        *labels ? "," : "", drop_names[r], value_number(drops, drop_names[r]));
    }
}

// ---- Counters by their descriptors ----

static void put_scope(FILE *out, const char *prefix, enum stats_scope scope,
                      const struct json_object *rows, labels_fn *labels_of)
{
    for (uint32_t i = 0; i < stats_counter_count; i++)
        if (stats_counters[i].scope == scope)
            put_member(out, prefix, stats_counters[i].name, stats_counters[i].help, true, rows,
                       labels_of);
}

static struct json_object *row_of(const struct json_object *object, const char *member)
{
    struct json_object *rows = value_list();
    value_add(rows, value_in(object, member));
    return rows;
}

static void put_single(FILE *out, const char *prefix, enum stats_scope scope,
                       const struct json_object *stats, bool drops)
{
    struct json_object *rows = row_of(stats, prefix);
    put_scope(out, prefix, scope, rows, no_labels);
    if (drops)
        put_drops(out, prefix, rows, no_labels);
    value_free(rows);
}

static void put_ports(FILE *out, const struct json_object *stats)
{
    struct json_object *rows = value_list();
    for (int side = 0; side < STATS_SIDES; side++) {
        struct json_object *port = value_in(stats, stats_side_names[side]);
        value_set_text(port, "port", stats_side_names[side]);
        value_add(rows, port);
    }
    put_scope(out, "port", STATS_SCOPE_PORT, rows, labels_of_port);
    put_drops(out, "port", rows, labels_of_port);
    value_free(rows);
}

struct named {
    FILE *out;
    const char *family, *label;
};

static void put_one_named(void *self, const char *name, uint64_t number)
{
    const struct named *n = self;
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(name))
        fprintf(n->out, "%s_total{%s=\"%s\"} %" PRIu64 "\n", n->family, n->label, name, number);
}

// Counts of one family, each by its name as a label.
static void put_named(FILE *out, const char *family, const char *help, const char *label,
                      const struct json_object *counts)
{
    struct named named = {out, family, label};
    put_family(out, family, true, help);
    value_numbers(counts, put_one_named, &named);
}

static void put_control(FILE *out, const struct json_object *stats)
{
    const struct json_object *control = value_in(stats, "control");
    struct json_object *rows = row_of(stats, "control");
    for (int i = 0; i < COUNT_COUNT; i++)
        put_member(out, "control", count_descriptions[i].name, count_descriptions[i].help, true,
                   rows, no_labels);
    put_named(out, "sluice_control_events", "what workers told control, by kind", "kind",
              value_in(control, "events"));
    put_named(out, "sluice_control_pdus_in", "PDUs that came, by kind", "pdu",
              value_in(stats, "pdus_in"));
    put_named(out, "sluice_control_pdus_out", "PDUs that went, by kind", "pdu",
              value_in(stats, "pdus_out"));
    value_free(rows);
}

static void put_classes(FILE *out, struct json_object *classes)
{
    struct json_object *rows = value_list_of(classes);
    put_scope(out, "class", STATS_SCOPE_CLASS, rows, labels_of_class);
    put_drops(out, "class", rows, labels_of_class);
    put_member(out, "class", "queued_npdus", "N-PDUs that wait", false, rows, labels_of_class);
    put_member(out, "class", "queued_octets", "octets of them", false, rows, labels_of_class);
    value_free(rows);
}

static void put_info(FILE *out, struct json_object *info)
{
    char name[LABEL_MOST / 2];
    fprintf(out, "# TYPE sluice_run info\n# HELP sluice_run what runs\n");
    fprintf(out, "sluice_run_info{name=\"%s\"} 1\n", label_text(info, "name", name));
    struct json_object *rows = value_list();
    value_add(rows, info);
    put_member(out, "clock", "run_ns", "time since it began, by its own clock", false, rows,
               no_labels);
    value_free(rows);
}

// ---- All ----

struct gathered {
    struct json_object *info, *stats, *classes, *nses, *cells;
};

// A row without its name would stand twice.
static struct json_object *named(struct json_object *rows)
{
    for (size_t i = value_count(rows); i > 0; i--)
        if (!value_has(value_at(rows, i - 1), "nsei"))
            value_cut(rows, i - 1, 1);
    return rows;
}

static bool gather(struct session *s, struct gathered *g)
{
    return (g->info = session_ask(s, "/sluice/info", SESSION_ASK_MS)) &&
           (g->stats = session_ask(s, "/sluice/stats", SESSION_ASK_MS)) &&
           (g->classes = session_ask(s, "/sluice/classes", SESSION_ASK_MS)) &&
           (g->nses = named(session_rows(s, "/sluice/nses", "", "", ROWS_MOST))) &&
           (g->cells = named(session_rows(s, "/sluice/bvcs", "", "", ROWS_MOST)));
}

static void put_gathered(FILE *out, const struct gathered *g)
{
    put_info(out, g->info);
    put_single(out, "worker", STATS_SCOPE_WORKER, g->stats, false);
    put_ports(out, g->stats);
    put_single(out, "up", STATS_SCOPE_UP, g->stats, true);
    put_control(out, g->stats);
    put_classes(out, g->classes);
    put_view(out, "nse", &view_nse_record, g->nses, labels_of_nse);
    put_view(out, "cell", &view_bvc_record, g->cells, labels_of_cell);
    put_drops(out, "cell", g->cells, labels_of_cell);
}

static bool put_all(struct session *session, FILE *out)
{
    struct gathered g = {0};
    bool good = gather(session, &g);
    if (good)
        put_gathered(out, &g);
    value_free(g.info);
    value_free(g.stats);
    value_free(g.classes);
    value_free(g.nses);
    value_free(g.cells);
    return good;
}

static bool put_mss(struct session *session, const char *cell, FILE *out)
{
    char before[40];
    snprintf(before, sizeof before, "%s,", cell);
    struct json_object *rows = session_rows(session, "/sluice/cell_mss", before, "", ROWS_MOST);
    if (rows) {
        put_view(out, "ms", &view_ms_record, rows, labels_of_ms);
        put_drops(out, "ms", rows, labels_of_ms);
    }
    value_free(rows);
    return rows;
}

bool openmetrics_put(struct session *session, const char *cell, FILE *out)
{
    bool good = cell ? put_mss(session, cell, out) : put_all(session, out);
    fprintf(out, "# EOF\n");
    return good;
}
