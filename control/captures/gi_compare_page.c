// See page.h: two reports of `sluice gi` beside each other, out of the JSON of their comparison.
#include "control/client/value.h"
#include "control/captures/gi_tables.h"
#include "control/captures/pages.h"
#include "control/report/sections.h"

#include <inttypes.h>
#include <string.h>

#define TEXT_ROOM 512

static double real(const struct json_object *row, const char *key)
{
    return value_as_real(value_in(row, key));
}

static void put_row(const struct json_object *row, FILE *out)
{
    char key[TEXT_ROOM], verdict[16];
    value_text(row, "figure", key, sizeof key);
    value_text(row, "verdict", verdict, sizeof verdict);
    enum gi_unit unit = gi_unit_of(key);
    bool differs = strcmp(verdict, "more") == 0 || strcmp(verdict, "less") == 0;
    fputs("<tr>", out);
    cells_member(row, "row", NULL, out);
    fputs("<td>", out);
    gi_figure_name(key, out);
    fputs("</td>", out);
    gi_cell(real(row, "a"), unit, out);
    gi_cell(real(row, "b"), unit, out);
    gi_cell_signed(real(row, "difference"), unit, out);
    gi_cell_signed(real(row, "least"), unit, out);
    gi_cell_signed(real(row, "most"), unit, out);
    fprintf(out, "<td>%s", differs ? "<strong>" : "");
    section_escape(verdict, out);
    fputs(differs ? "</strong></td>" : "</td>", out);
    gi_cell(real(row, "values_a"), GI_UNIT_COUNT, out);
    gi_cell(real(row, "values_b"), GI_UNIT_COUNT, out);
    fputs("</tr>\n", out);
}

static void put_tables(const struct json_object *compared, FILE *out)
{
    static const char *const heads[] = {"=",  "=figure", "A",        "B",        "B - A", "from",
                                        "to", "=B is",   "values A", "values B", NULL};
    const struct json_object *rows = value_in(compared, "rows");
    char table[TEXT_ROOM] = "", name[TEXT_ROOM];
    for (size_t i = 0; i < value_count(rows); i++) {
        value_text(value_at(rows, i), "table", name, sizeof name);
        if (strcmp(name, table) != 0) {
            if (i)
                cells_end(out);
            fprintf(out, "%s<section><h2>", i ? "</section>\n" : "");
            gi_title(value_in(compared, "titles"), name, out);
            fputs("</h2>\n", out);
            cells_heads(heads, out);
            memcpy(table, name, sizeof table);
        }
        put_row(value_at(rows, i), out);
    }
    if (!value_count(rows)) {
        fputs("<p>Neither report has flows.</p>\n", out);
        return;
    }
    cells_end(out);
    fputs("</section>\n", out);
}

static void put_side(char side, const char *path, const struct json_object *report, FILE *out)
{
    const struct json_object *files = value_in(report, "files");
    fprintf(out, "<tr><td><strong>%c</strong></td><td>", side);
    section_escape(path, out);
    fputs("</td><td class=\"wrap\">", out);
    cells_put(value_at(files, 0), "file", out);
    if (value_count(files) > 1)
        fprintf(out, " and %zu more", value_count(files) - 1);
    fputs("</td>", out);
    gi_cell(value_real(gi_figures_row(report, "flows", "all"), "flows"), GI_UNIT_COUNT, out);
    fputs("</tr>\n", out);
}

static void put_left_out(const struct json_object *compared, FILE *out)
{
    uint64_t rows = value_number(compared, "left_out");
    if (rows)
        fprintf(out,
                "<p class=\"bad\">%" PRIu64
                " rows are left out, for one of the reports alone has them.</p>\n",
                rows);
}

void gi_compare_page(FILE *out, const struct json_object *compared,
                     const struct json_object *const reports[2])
{
    static const char *const heads[] = {"=", "=report", "=of", "flows", NULL};
    struct gi_figures figures;
    char path[TEXT_ROOM];
    section_begin("TCP at Gi: A and B", out);
    cells_heads(heads, out);
    for (int s = 0; s < 2; s++)
        put_side((char)('A' + s), value_text(compared, s ? "b" : "a", path, sizeof path),
                 reports[s], out);
    cells_end(out);
    fputs("<p>", out);
    cells_put(compared, "note", out);
    fputs("</p>\n", out);
    put_left_out(compared, out);
    gi_figures_beside(&figures, reports);
    gi_pictures(&figures, "A part of the flows, not of the octets, is below.", out);
    put_tables(compared, out);
    section_end(out);
}
