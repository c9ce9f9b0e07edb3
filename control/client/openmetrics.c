// See openmetrics.h.
#include "control/client/openmetrics.h"

#include <inttypes.h>
#include <string.h>

#include "control/client/value.h"
#include "control/plane/counts.h"
#include "dataplane/dataplane.h"

#define ROWS_MOST  1000000u
#define NAME_MOST  96
#define LABEL_MOST 96

// The labels of a family's samples: members of a row; the last entry has no name.
struct label {
    const char *name;
    enum { TEXT, NUMBER, TLLI } kind;
};
static const struct label no_labels[] = {{NULL, TEXT}},
                          nse_labels[] = {{"nsei", NUMBER}, {NULL, TEXT}},
                          cell_labels[] = {{"nsei", NUMBER}, {"bvci", NUMBER}, {NULL, TEXT}},
                          ms_labels[] = {{"imsi", TEXT}, {"tlli", TLLI}, {NULL, TEXT}},
                          class_labels[] = {{"class", TEXT}, {NULL, TEXT}},
                          port_labels[] = {{"port", TEXT}, {NULL, TEXT}};

// The rows that a family's samples come from: a list, or an object as the only row.
struct source {
    FILE *out;
    enum exposition form;
    const char *prefix; // of the families' names: sluice_PREFIX_
    const char *about;  // what a row is of, before a help; "": the help says it
    const struct label *labels;
    const struct json_object *rows;
};

static const struct json_object *row_at(const struct source *s, size_t i)
{
    if (value_is_object(s->rows))
        return i == 0 ? s->rows : NULL;
    return value_at(s->rows, i);
}

// ---- One family ----

static bool ends_in(const char *member, const char *end)
{
    size_t octets = strlen(member), more = strlen(end);
    return octets > more && strcmp(member + octets - more, end) == 0;
}

// A member NAME_ns becomes a family NAME_seconds, NAME_per_s becomes NAME_per_second, and ms_NAME
// becomes mobile_NAME: for Prometheus "s" and "ms" in a name would be abbreviated units.
static void family_name(char name[NAME_MOST], const char *prefix, const char *member)
{
    bool of_ms = strncmp(member, "ms_", 3) == 0;
    const char *unit = ends_in(member, "_ns")      ? "seconds"
                       : ends_in(member, "_per_s") ? "second"
                                                   : "";
    member += of_ms ? 3 : 0;
    int octets = *unit ? (int)(strrchr(member, '_') + 1 - member) : (int)strlen(member);
    snprintf(name, NAME_MOST, "sluice_%s_%s%.*s%s", prefix, of_ms ? "mobile_" : "", octets, member,
             unit);
}

// What a family is called where it is described, and what its samples have behind it.
enum kind { GAUGE, COUNTER, INFO, HISTOGRAM };
static const char *const kind_types[] = {"gauge", "counter", "info", "histogram"},
                         *const kind_ends[] = {"", "_total", "_info", ""};

// OpenMetrics describes a family, the text format the samples' name, and knows no info. OpenMetrics
// escapes '"' in a help, the text format must not.
static void put_family(const struct source *s, const char *name, enum kind kind, const char *unit,
                       const char *help)
{
    bool text = s->form == EXPOSITION_TEXT;
    const char *end = text ? kind_ends[kind] : "";
    fprintf(s->out, "# TYPE %s%s %s\n", name, end, kind_types[text && kind == INFO ? GAUGE : kind]);
    fprintf(s->out, "# HELP %s%s %s%s%s", name, end, s->about, unit, *unit ? " " : "");
    for (; *help; help++)
        if (*help == '\\' || (*help == '"' && !text))
            fprintf(s->out, "\\%c", *help);
        else
            fputc(*help, s->out);
    fputc('\n', s->out);
}

static void put_value(FILE *out, const char *member, uint64_t value)
{
    if (ends_in(member, "_ns"))
        fprintf(out, " %" PRIu64 ".%09" PRIu64 "\n", value / 1000000000, value % 1000000000);
    else
        fprintf(out, " %" PRIu64 "\n", value);
}

// A text as a label's value, without '"' and '\\'; value_text returns printable ASCII only.
static const char *label_text(const struct json_object *row, const char *member,
                              char text[LABEL_MOST])
{
    value_text(row, member, text, LABEL_MOST);
    for (char *from = text; *from; from++)
        if (*from == '"' || *from == '\\')
            *from = '_';
    return text;
}

// Prints the labels in braces, or nothing if there are none. reason: one more label; NULL: none.
static void put_labels(const struct source *s, const struct json_object *row, const char *reason)
{
    const char *before = "{";
    char text[LABEL_MOST];
    for (const struct label *l = s->labels; l->name; l++) {
        if (l->kind == NUMBER)
            snprintf(text, sizeof text, "%" PRIu64, value_number(row, l->name));
        else if (l->kind == TLLI)
            snprintf(text, sizeof text, "%08" PRIx64, value_number(row, l->name));
        else
            label_text(row, l->name, text);
        fprintf(s->out, "%s%s=\"%s\"", before, l->name, text);
        before = ",";
    }
    if (reason)
        fprintf(s->out, "%sreason=\"%s\"", before, reason);
    if (reason || s->labels->name)
        fputc('}', s->out);
}

// ---- Rows by their records ----

// unit: what a counter counts, which its help goes on from; "": none.
static void put_member(const struct source *s, const char *member, enum kind kind, const char *unit,
                       const char *help)
{
    const struct json_object *row;
    char name[NAME_MOST];
    family_name(name, s->prefix, member);
    put_family(s, name, kind, unit, help);
    for (size_t i = 0; (row = row_at(s, i)); i++) {
        if (!value_has(row, member))
            continue;
        fprintf(s->out, "%s%s", name, kind_ends[kind]);
        put_labels(s, row, NULL);
        put_value(s->out, member, value_number(row, member));
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
static void put_view(const struct source *s, const struct field_record *record)
{
    bool counter = false;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct field *f = &record->fields[i];
        counter |= strcmp(f->name, "down_frames") == 0;
        if (!is_name(f->name))
            put_member(s, f->name, counter ? COUNTER : GAUGE, "", f->help);
    }
}

// Each reason is a label; reasons with a count of 0 have no sample.
static void put_drops(const struct source *s)
{
    const struct json_object *row;
    char name[NAME_MOST];
    family_name(name, s->prefix, "drops");
    put_family(s, name, COUNTER, "", "packets dropped, by reason");
    for (size_t i = 0; (row = row_at(s, i)); i++) {
        const struct json_object *drops = value_in(row, "drops");
        for (int r = 0; r < DROP_COUNT; r++) {
            if (!value_has(drops, stats_drop_names[r]))
                continue;
            fprintf(s->out, "%s_total", name);
            put_labels(s, row, stats_drop_names[r]);
            fprintf(s->out, " %" PRIu64 "\n", value_number(drops, stats_drop_names[r]));
        }
    }
}

// ---- Counters by their descriptors ----

static void put_scope(const struct source *s, enum stats_scope scope)
{
    for (uint32_t i = 0; i < stats_counter_count; i++)
        if (stats_counters[i].scope == scope)
            put_member(s, stats_counters[i].name, COUNTER, stats_counters[i].unit,
                       stats_counters[i].help);
}

// All of an instance that is answered with: where to, and in which form.
struct sink {
    FILE *out;
    enum exposition form;
};

static struct source source(const struct sink *to, const char *prefix, const char *about,
                            const struct label *labels, const struct json_object *rows)
{
    return (struct source){to->out, to->form, prefix, about, labels, rows};
}

// A source with one row: a member that is an object.
static struct source single(const struct sink *to, const char *prefix, const char *about,
                            const struct json_object *stats)
{
    const struct json_object *row = value_in(stats, prefix);
    return source(to, prefix, about, no_labels, value_is_object(row) ? row : NULL);
}

// Of the ports' devices: each port's row has an object of them, but for rings.
static void put_nics(const struct sink *to, const struct json_object *ports)
{
    struct json_object *rows = value_list();
    const struct source s = source(to, "nic", "Of the device of Gn or Gb: ", port_labels, rows);
    for (size_t i = 0; i < value_count(ports); i++) {
        struct json_object *nic = value_in(value_at(ports, i), "nic");
        if (!value_is_object(nic))
            continue;
        value_set_text(nic, "port", stats_side_names[i]);
        value_add(rows, nic);
    }
    put_scope(&s, STATS_SCOPE_NIC);
    put_member(&s, "link_up", GAUGE, "", "1 while its link is up, or its state is not known");
    put_member(&s, "link_mbit_per_s", GAUGE, "", "the link's speed in Mbit/s");
    value_free(rows);
}

static void put_ports(const struct sink *to, const struct json_object *stats)
{
    struct json_object *rows = value_list();
    const struct source s = source(to, "port", "Of the port of Gn or Gb: ", port_labels, rows);
    for (int side = 0; side < STATS_SIDES; side++) {
        struct json_object *port = value_in(stats, stats_side_names[side]);
        value_set_text(port, "port", stats_side_names[side]);
        value_add(rows, port);
    }
    put_scope(&s, STATS_SCOPE_PORT);
    put_drops(&s);
    put_member(&s, "rules", GAUGE, "", "NS-VCs whose frames a rule takes to their worker");
    put_member(&s, "rules_refused", GAUGE, "", "NS-VCs for which the device refused a rule");
    put_nics(to, rows);
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

// Counts of one family, with their names as labels.
static void put_named(const struct source *s, const char *family, const char *help,
                      const char *label, const struct json_object *counts)
{
    struct named named = {s->out, family, label};
    put_family(s, family, COUNTER, "", help);
    value_numbers(counts, put_one_named, &named);
}

static void put_control(const struct sink *to, const struct json_object *stats)
{
    const struct source s = single(to, "control", "Of the control plane: ", stats);
    for (int i = 0; i < COUNT_COUNT; i++)
        put_member(&s, count_descriptions[i].name, COUNTER, "", count_descriptions[i].help);
    put_named(&s, "sluice_control_events", "events that workers sent it, by kind", "kind",
              value_in(s.rows, "events"));
    put_named(&s, "sluice_control_pdus_in", "PDUs received, by kind", "pdu",
              value_in(stats, "pdus_in"));
    put_named(&s, "sluice_control_pdus_out", "PDUs sent, by kind", "pdu",
              value_in(stats, "pdus_out"));
}

static void put_stats(const struct sink *to, const struct json_object *stats)
{
    const struct source worker = single(to, "worker", "Of all workers: ", stats),
                        up = single(to, "up", "Of the uplink: ", stats);
    put_scope(&worker, STATS_SCOPE_WORKER);
    put_ports(to, stats);
    put_scope(&up, STATS_SCOPE_UP);
    put_drops(&up);
    put_control(to, stats);
}

// Both forms count what is at most a bound.
static void put_delays(const struct source *s)
{
    static const char name[] = "sluice_class_delay_seconds";
    const struct json_object *row;
    put_family(s, name, HISTOGRAM, "",
               "how long N-PDUs were in Sluice when their last LLC PDU was made, "
               "without the time for which their MS was frozen");
    for (size_t i = 0; (row = row_at(s, i)); i++) {
        const struct json_object *delays = value_in(row, "delays");
        char class[LABEL_MOST], number[12], bound[32];
        uint64_t sum = 0;
        if (!value_is_object(delays))
            continue;
        label_text(row, "class", class);
        for (uint32_t k = 0; k < STATS_DELAYS; k++) {
            uint64_t ns = stats_delay_bound_ns(k);
            snprintf(number, sizeof number, "%u", k);
            snprintf(bound, sizeof bound, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
                     ns % 1000000000);
            sum += value_number(delays, number);
            fprintf(s->out, "%s_bucket{class=\"%s\",le=\"%s\"} %" PRIu64 "\n", name, class,
                    k < STATS_DELAYS - 1 ? bound : "+Inf", sum);
        }
        fprintf(s->out, "%s_count{class=\"%s\"} %" PRIu64 "\n%s_sum{class=\"%s\"}", name, class,
                sum, name, class);
        put_value(s->out, "delays_sum_ns", value_number(row, "delays_sum_ns"));
    }
}

static void put_classes(const struct sink *to, struct json_object *classes)
{
    struct json_object *rows = value_list_of(classes);
    const struct source s =
        source(to, "class", "Of a traffic class, downlink: ", class_labels, rows);
    put_scope(&s, STATS_SCOPE_CLASS);
    put_drops(&s);
    put_member(&s, "queued_npdus", GAUGE, "", "N-PDUs queued");
    put_member(&s, "queued_octets", GAUGE, "", "octets of queued N-PDUs");
    put_delays(&s);
    value_free(rows);
}

static void put_info(const struct sink *to, const struct json_object *all)
{
    const struct json_object *info = value_in(all, "info");
    const struct source clock = source(to, "clock", "", no_labels, info);
    char name[LABEL_MOST];
    put_family(&clock, "sluice_run", INFO, "", "the running instance, by its name");
    fprintf(to->out, "sluice_run_info{name=\"%s\"} 1\n", label_text(info, "name", name));
    put_member(&clock, "run_ns", GAUGE, "", "time since the start of the run, by the run's clock");
    const struct source phones = single(to, "phones", "Of phones: ", info);
    for (int i = 0; i < GAUGE_COUNT; i++)
        put_member(&phones, count_gauges[i].name, GAUGE, "", count_gauges[i].help);
}

// ---- All ----

// Drops rows without a name: their samples would have the same labels.
static struct json_object *named(struct json_object *rows)
{
    for (size_t i = value_count(rows); i > 0; i--)
        if (!value_has(value_at(rows, i - 1), "nsei"))
            value_cut(rows, i - 1, 1);
    return rows;
}

static bool put_all(struct session *session, const struct sink *to)
{
    static const struct session_part parts[] = {{.name = "info", .command = "/sluice/info"},
                                                {.name = "stats", .command = "/sluice/stats"},
                                                {.name = "classes", .command = "/sluice/classes"},
                                                {"nses", "/sluice/nses", ROWS_MOST, NULL},
                                                {"cells", "/sluice/bvcs", ROWS_MOST, NULL}};
    struct json_object *all = session_parts(session, parts, sizeof parts / sizeof parts[0]);
    const struct source nses =
        source(to, "nse", "Of an NSE: ", nse_labels, named(value_in(all, "nses")));
    const struct source cells =
        source(to, "cell", "Of a cell: ", cell_labels, named(value_in(all, "cells")));
    if (!all)
        return false;
    put_info(to, all);
    put_stats(to, value_in(all, "stats"));
    put_classes(to, value_in(all, "classes"));
    put_view(&nses, &view_nse_record);
    put_view(&cells, &view_bvc_record);
    put_drops(&cells);
    value_free(all);
    return true;
}

static bool put_mss(struct session *session, const char *cell, const struct sink *to)
{
    char before[40];
    snprintf(before, sizeof before, "%s,", cell);
    struct json_object *rows = session_rows(session, "/sluice/cell_mss", before, "", ROWS_MOST);
    const struct source mss = source(to, "mobile", "Of an MS: ", ms_labels, rows);
    if (!rows)
        return false;
    put_view(&mss, &view_ms_record);
    put_drops(&mss);
    value_free(rows);
    return true;
}

bool openmetrics_put(struct session *session, const char *cell, enum exposition form, FILE *out)
{
    const struct sink to = {out, form};
    bool good = cell ? put_mss(session, cell, &to) : put_all(session, &to);
    if (good && form == EXPOSITION_OPENMETRICS)
        fprintf(out, "# EOF\n");
    return good;
}
