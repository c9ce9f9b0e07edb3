// See page.h: the page of `sluice gi`, out of its JSON.
#include "control/client/value.h"
#include "control/captures/gi_figures.h"
#include "control/captures/gi_tables.h"
#include "control/captures/pages.h"
#include "control/report/sections.h"

#include <math.h>
#include <string.h>

#define COLUMNS_MOST 16
#define FILES_MOST   200u
#define TEXT_ROOM    512

static const char figures_note[] =
    "Fig. 1, 2, 6 and 12 of the paper are drawings, of no measure: where the capture is made, what "
    "a set-up is, "
    "when the channel is full, and which octets count during parallel flows. Fig. 5 is the table "
    "of set-ups.";

// ---- Any table ----

// What a comparison needs is not shown.
static bool is_shown(const char *key)
{
    static const char *const aside[] = {"row", "of", "values", "values_b", "error"};
    for (size_t i = 0; i < sizeof aside / sizeof aside[0]; i++)
        if (strcmp(key, aside[i]) == 0)
            return false;
    return true;
}

static void put_row(const struct json_object *row, const struct gi_sides *sides, FILE *out)
{
    char label[TEXT_ROOM], text[TEXT_ROOM];
    fputs("<tr>", out);
    value_text(row, "row", label, sizeof label);
    cells_text(gi_sides_in(sides, label, text, sizeof text), NULL, out);
    for (size_t k = 0; k < value_size(row) && k < COLUMNS_MOST; k++)
        if (is_shown(value_key(row, k)))
            gi_cell(value_as_real(value_item(row, k)), gi_unit_of(value_key(row, k)), out);
    fputs("</tr>\n", out);
}

// The first row, and those with flows.
static void put_table(const struct json_object *report, const char *name, FILE *out)
{
    const struct json_object *rows = value_in(value_in(report, "tables"), name);
    const struct json_object *first = value_at(rows, 0);
    const struct gi_sides sides = gi_sides_of(report);
    if (!first)
        return;
    fputs("<section><h2>", out);
    gi_title(value_in(value_in(report, "texts"), "tables"), name, out);
    fputs("</h2><div class=\"wide\"><table><thead><tr><th></th>", out);
    for (size_t k = 0; k < value_size(first) && k < COLUMNS_MOST; k++)
        if (is_shown(value_key(first, k))) {
            fputs("<th class=\"n\">", out);
            gi_figure_name(value_key(first, k), out);
            fputs("</th>", out);
        }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < value_count(rows); i++)
        if (i == 0 || value_real(value_at(rows, i), "flows") > 0)
            put_row(value_at(rows, i), &sides, out);
    cells_end(out);
    fputs("</section>\n", out);
}

// ---- The tree of set-ups ----

static void put_bar(double share, FILE *out)
{
    fputs("<td><span class=\"bar\"", out);
    if (share > 0 && share <= 1)
        fprintf(out, " style=\"width:%.2fem\"", 16 * share);
    fputs("></span></td>", out);
}

// A leaf's label is "area: leaf", below its area's.
static void put_leaf(const struct json_object *row, FILE *out)
{
    char label[TEXT_ROOM];
    value_text(row, "row", label, sizeof label);
    const char *leaf = strstr(label, ": ");
    bool is_area = !leaf && strcmp(label, "all") != 0;
    fprintf(out, "<tr><td%s>%s", leaf ? " class=\"leaf\"" : "", is_area ? "<strong>" : "");
    section_escape(leaf ? leaf + 2 : label, out);
    fputs(is_area ? "</strong></td>" : "</td>", out);
    gi_cell(value_as_real(value_in(row, "flows")), GI_UNIT_COUNT, out);
    gi_cell(value_as_real(value_in(row, "share")), GI_UNIT_SHARE, out);
    put_bar(value_real(row, "share"), out);
    gi_cell(value_as_real(value_in(row, "mean_setup_s")), GI_UNIT_S, out);
    gi_cell(value_as_real(value_in(row, "b_background")), GI_UNIT_SHARE, out);
    fputs("</tr>\n", out);
}

static void put_tree(const struct json_object *report, FILE *out)
{
    static const char *const heads[] = {
        "=", "flows", "share", "=", "mean set-up, s", "with background", NULL};
    const struct json_object *rows = value_in(value_in(report, "tables"), "tree");
    fputs("<section><h2>Fig. 5: connections that users opened, by their set-up</h2>\n", out);
    cells_heads(heads, out);
    for (size_t i = 0; i < value_count(rows); i++)
        put_leaf(value_at(rows, i), out);
    cells_end(out);
    fputs("<p class=\"soft\">Optimal: 1 SYN, 1 SYN-ACK. Slight problem: one of them was repeated, "
          "shown by what was "
          "repeated, and again by background. No response: no SYN-ACK. Serious problem: a "
          "SYN-ACK, but no ACK.</p>"
          "</section>\n",
          out);
}

// ---- Beside the paper ----

static void put_range(const struct json_object *row, const char *of, enum gi_unit unit, FILE *out)
{
    char key[32];
    snprintf(key, sizeof key, "%s_least", of);
    double least = value_as_real(value_in(row, key));
    snprintf(key, sizeof key, "%s_most", of);
    double most = value_as_real(value_in(row, key));
    gi_cell(least, unit, out);
    if (isnan(least) || most <= least)
        fputs("<td></td>", out);
    else if (isnan(most))
        fputs("<td>and more</td>", out);
    else
        gi_cell(most, unit, out);
}

static void put_published(const struct json_object *row, FILE *out)
{
    char unit_text[16], in[16];
    enum gi_unit unit = gi_unit_of(value_text(row, "unit", unit_text, sizeof unit_text));
    double by = value_as_real(value_in(row, "deviation"));
    fputs("<tr><td>", out);
    cells_put(row, "where", out);
    fputs("</td><td>", out);
    cells_put(row, "what", out);
    fprintf(out, "%s</td>", gi_unit_texts[unit]);
    put_range(row, "published", unit, out);
    put_range(row, "dial_up", unit, out);
    gi_cell(value_as_real(value_in(row, "ours")), unit, out);
    value_text(row, "deviation_in", in, sizeof in);
    if (isnan(by))
        fputs("<td class=\"n\">&ndash;</td>", out);
    else
        fprintf(out, "<td class=\"n\">%s%.2f %s</td>", by < 0 ? "&minus;" : "+", fabs(by), in);
    fputs("</tr>\n", out);
}

static void put_paper(const struct json_object *report, FILE *out)
{
    static const char *const heads[] = {"=",   "=what",        "published", "=to", "dial-up",
                                        "=to", "this capture", "deviation", NULL};
    const struct json_object *rows = value_in(report, "paper");
    if (!value_count(rows))
        return;
    fputs("<section><h2>Beside the paper</h2>\n", out);
    cells_heads(heads, out);
    for (size_t i = 0; i < value_count(rows); i++)
        put_published(value_at(rows, i), out);
    cells_end(out);
    fputs("<p class=\"soft\">Benko, Malicsko and Veres, INFOCOM 2004: seven GPRS networks, and one "
          "with dial-up. "
          "Values that the paper's text has. A deviation is from the nearer end of a range: in "
          "points where the "
          "value is a share.</p></section>\n",
          out);
}

// ---- What was read ----

static bool is_damaged(const struct json_object *file)
{
    char fault[TEXT_ROOM];
    return *value_text(file, "fault", fault, sizeof fault) != '\0';
}

static void put_file(const struct json_object *file, FILE *out)
{
    fputs("<tr>", out);
    cells_member(file, "file", NULL, out);
    gi_cell(value_as_real(value_in(file, "frames")), GI_UNIT_COUNT, out);
    cells_member(file, "fault", NULL, out);
    fputs("</tr>\n", out);
}

// The first ones, and behind them those that are damaged.
static void put_files(const struct json_object *files, FILE *out)
{
    static const char *const heads[] = {"=file", "frames", "=ends early by", NULL};
    size_t count = value_count(files), damaged = 0, shown = 0;
    cells_heads(heads, out);
    for (size_t i = 0; i < count; i++) {
        bool is = is_damaged(value_at(files, i));
        damaged += is;
        if (i >= FILES_MOST && (!is || shown == 2 * FILES_MOST))
            continue;
        put_file(value_at(files, i), out);
        shown++;
    }
    cells_end(out);
    if (count > shown)
        fprintf(out, "<p class=\"soft\">%zu of %zu files, of which %zu end early.</p>\n", shown,
                count, damaged);
}

struct counted {
    const struct json_object *texts;
    FILE *out;
};

static void put_count(void *self, const char *name, uint64_t n)
{
    const struct counted *c = self;
    if (n == 0)
        return;
    fputs("<tr>", c->out);
    gi_cell((double)n, GI_UNIT_COUNT, c->out);
    fputs("<td class=\"wrap\">", c->out);
    gi_title(c->texts, name, c->out);
    fputs("</td></tr>\n", c->out);
}

static void put_read(const struct json_object *report, FILE *out)
{
    static const char *const heads[] = {"number", "=of", NULL};
    const struct json_object *texts = value_in(report, "texts");
    struct counted counts = {value_in(texts, "counts"), out};
    struct counted packets = {value_in(texts, "packets"), out};
    fputs("<section><h2>What was read</h2>\n", out);
    put_files(value_in(report, "files"), out);
    fputs("<p></p>\n", out);
    cells_heads(heads, out);
    value_numbers(value_in(report, "counts"), put_count, &counts);
    value_numbers(value_in(report, "packets"), put_count, &packets);
    cells_end(out);
    fputs("<p class=\"soft\">lab/captures/gi/README.md says how each figure is defined, and what "
          "is left "
          "out of it.</p></section>\n",
          out);
}

// ---- Who had most ----

// The row's rest, whose keys end with NULL.
static void end_row(const struct json_object *row, const char *const *keys, FILE *out)
{
    for (; *keys; keys++)
        gi_cell(value_as_real(value_in(row, *keys)), gi_unit_of(*keys), out);
    fputs("</tr>\n", out);
}

static void put_tops(const struct json_object *report, const char *list, const char *who,
                     const char *title, FILE *out)
{
    const struct json_object *tops = value_in(report, list);
    static const char *const heads[] = {"=",          "flows",     "octets down", "octets up",
                                        "sent again", "set-up, s", NULL};
    static const char *const keys[] = {"flows",        "down_octets",  "up_octets",
                                       "resent_share", "setup_mean_s", NULL};
    if (value_count(tops) == 0)
        return;
    fprintf(out, "<section><h2>%s</h2>\n", title);
    cells_heads(heads, out);
    for (size_t i = 0; i < value_count(tops); i++) {
        fputs("<tr>", out);
        cells_member(value_at(tops, i), who, NULL, out);
        end_row(value_at(tops, i), keys, out);
    }
    cells_end(out);
    fputs("</section>\n", out);
}

static void put_end(const struct json_object *flow, const char *address, const char *port,
                    FILE *out)
{
    char text[TEXT_ROOM], whole[TEXT_ROOM + 16];
    snprintf(whole, sizeof whole, "%s:%.0f", value_text(flow, address, text, sizeof text),
             value_real(flow, port));
    cells_text(whole, NULL, out);
}

static void put_flows(const struct json_object *report, FILE *out)
{
    static const char *const heads[] = {
        "=user",           "=host",          "begins, s", "lasts, s",
        "octets down",     "octets up",      "set-up, s", "round trip to the user, s",
        "sent again down", "goodput, bit/s", NULL};
    static const char *const keys[] = {
        "lasted_s",        "down_octets",         "up_octets",         "setup_s",
        "rtt_gprs_mean_s", "down_resent_packets", "goodput_bit_per_s", NULL};
    const struct json_object *flows = value_in(report, "top_flows");
    double begin_s =
        value_real(value_at(value_in(value_in(report, "series"), "rows"), 0), "begin_s");
    if (value_count(flows) == 0)
        return;
    fputs("<section><h2>Flows with most octets</h2>\n", out);
    cells_heads(heads, out);
    for (size_t i = 0; i < value_count(flows); i++) {
        const struct json_object *flow = value_at(flows, i);
        fputs("<tr>", out);
        put_end(flow, "user", "user_port", out);
        put_end(flow, "host", "host_port", out);
        gi_cell(value_real(flow, "begin_s") - begin_s, GI_UNIT_S, out);
        end_row(flow, keys, out);
    }
    cells_end(out);
    fputs("<p class=\"soft\">--sequence USER:PORT,HOST:PORT draws one of them, segment by segment."
          "</p></section>\n",
          out);
}

// ---- The page ----

static void put_heading(const struct json_object *report, FILE *out)
{
    char name[TEXT_ROOM], title[TEXT_ROOM + 64];
    const struct json_object *files = value_in(report, "files");
    value_text(value_at(files, 0), "file", name, sizeof name);
    snprintf(title, sizeof title, "TCP at Gi: %s%s", name,
             value_count(files) > 1 ? " and others" : "");
    section_begin(title, out);
    const struct json_object *all = gi_figures_row(report, "flows", "all");
    fprintf(out, "<p>%.0f TCP flows in %llu frames.</p>\n", value_real(all, "flows"),
            (unsigned long long)value_number(value_in(report, "counts"), "frames"));
    if (value_number(value_in(report, "counts"), "segments") == 0)
        fputs("<p class=\"bad\">No TCP was read, so nothing was measured. What was read "
              "instead is at the end.</p>\n",
              out);
}

void gi_page(FILE *out, const struct json_object *report)
{
    static const char *const before[] = {"flows", "options", "loss_gprs", "loss_internet",
                                         "clusters"};
    static const char *const after[] = {"setups",      "rtt_gprs", "rtt_internet", "rates",
                                        "bottlenecks", "single",   "shares",       "parallel"};
    struct gi_figures figures;
    put_heading(report, out);
    put_paper(report, out);
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        put_table(report, before[i], out);
    put_tree(report, out);
    gi_figures_of(&figures, report);
    gi_pictures(&figures, figures_note, out);
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
        put_table(report, after[i], out);
    put_tops(report, "top_users", "user", "Users with most octets", out);
    put_tops(report, "top_hosts", "host", "Hosts with most octets", out);
    put_flows(report, out);
    put_read(report, out);
    section_end(out);
}
