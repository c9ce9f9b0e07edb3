// See page.h: the page of `sluice audit`, tables out of its JSON. Lists are as long as a page
// bears; the CSV files have all of them.
#include "control/client/value.h"
#include "control/captures/pages.h"
#include "control/report/sections.h"

#define ROWS_MOST    500u
#define COLUMNS_MOST 12
#define CELL_OCTETS  512

enum kind { TEXT, WRAPPED, NUMBER, SECONDS, TLLI, SHARE, MEAN, DELAY };

struct column {
    const char *title, *inside, *key; // inside: an object in the row; NULL: the row itself
    enum kind kind;
};

struct table {
    const char *title, *key, *about;
    struct column column[COLUMNS_MOST];
};

#define BUCKET "bucket"
static const struct table tables[] = {
    {"Who breaks what",
     "rules",
     "How often, by rule, and by whom.",
     {{"rule", NULL, "rule", TEXT},
      {"", NULL, "weight", TEXT},
      {"clause", NULL, "clause", TEXT},
      {"SGSN", NULL, "by_sgsn", NUMBER},
      {"BSS", NULL, "by_bss", NUMBER},
      {"", NULL, "text", WRAPPED}}},
    {"Findings",
     "findings",
     "A breach is a clause that is broken. A remark is what is odd, or what a loss on the way "
     "explains as well.",
     {{"frame", NULL, "frame", NUMBER},
      {"time, s", NULL, "at_ns", SECONDS},
      {"who", NULL, "who", TEXT},
      {"", NULL, "weight", TEXT},
      {"clause", NULL, "clause", TEXT},
      {"rule", NULL, "rule", TEXT},
      {"NSE", NULL, "nse", TEXT},
      {"BVCI", NULL, "bvci", NUMBER},
      {"TLLI", NULL, "tlli", TLLI},
      {"", NULL, "text", WRAPPED}}},
    {"Cells",
     "bvcs",
     "Queue and room are those of the cell's bucket (48.018 8.2.3.2), as means over time.",
     {{"NSE", NULL, "nse", TEXT},
      {"BVCI", NULL, "bvci", NUMBER},
      {"state", NULL, "state", TEXT},
      {"LLC PDUs down", NULL, "pdus_down", NUMBER},
      {"octets down", NULL, "octets_down", NUMBER},
      {"of R", BUCKET, "used_of_r", SHARE},
      {"queue, octets", BUCKET, "queue_mean_octets", MEAN},
      {"most, octets", BUCKET, "queue_most_octets", MEAN},
      {"most, s", BUCKET, "queue_most_s", DELAY},
      {"room unused, octets", BUCKET, "room_mean_octets", MEAN},
      {"refused", BUCKET, "refused", NUMBER},
      {"discarded, octets", NULL, "discarded_octets", NUMBER}}},
    {"MSs",
     "mss",
     "By TLLI; the bucket is the one of its own values or of the cell's defaults.",
     {{"NSE", NULL, "nse", TEXT},
      {"BVCI", NULL, "bvci", NUMBER},
      {"TLLI", NULL, "tlli", TLLI},
      {"LLC PDUs down", NULL, "pdus_down", NUMBER},
      {"octets down", NULL, "octets_down", NUMBER},
      {"of R", BUCKET, "used_of_r", SHARE},
      {"queue, octets", BUCKET, "queue_mean_octets", MEAN},
      {"most, octets", BUCKET, "queue_most_octets", MEAN},
      {"most, s", BUCKET, "queue_most_s", DELAY},
      {"refused", BUCKET, "refused", NUMBER},
      {"cell changes", NULL, "cell_changes", NUMBER}}},
    {"NSEs",
     "nses",
     "What happened to their MSs.",
     {{"NSE", NULL, "nse", TEXT},
      {"cell changes", NULL, "cell_changes", NUMBER},
      {"suspensions", NULL, "suspensions", NUMBER},
      {"pages, PS", NULL, "pages_ps", NUMBER},
      {"pages, CS", NULL, "pages_cs", NUMBER}}},
    {"NS-VCs",
     "nsvcs",
     "The SGSN's end first.",
     {{"ends", NULL, "ends", TEXT},
      {"NSE", NULL, "nse", TEXT},
      {"state at the end", NULL, "state", TEXT},
      {"datagrams down", NULL, "datagrams_down", NUMBER},
      {"datagrams up", NULL, "datagrams_up", NUMBER}}},
    {"Flow control",
     "flow_control",
     "Each FLOW-CONTROL, and when it was acknowledged.",
     {{"frame", NULL, "frame", NUMBER},
      {"time, s", NULL, "at_ns", SECONDS},
      {"of", NULL, "of", TEXT},
      {"NSE", NULL, "nse", TEXT},
      {"BVCI", NULL, "bvci", NUMBER},
      {"TLLI", NULL, "tlli", TLLI},
      {"tag", NULL, "tag", NUMBER},
      {"Bmax, octets", NULL, "bmax_octets", NUMBER},
      {"R, bit/s", NULL, "r_bit_per_s", NUMBER},
      {"answer, frame", NULL, "ack_frame", NUMBER},
      {"after, s", NULL, "ack_delay_ns", SECONDS}}},
    {"Events",
     "events",
     "States of NS-VCs and cells, cell changes, paging, suspensions, discarded LLC PDUs.",
     {{"frame", NULL, "frame", NUMBER},
      {"time, s", NULL, "at_ns", SECONDS},
      {"what", NULL, "what", TEXT},
      {"NSE", NULL, "nse", TEXT},
      {"BVCI", NULL, "bvci", NUMBER},
      {"TLLI", NULL, "tlli", TLLI},
      {"", NULL, "text", WRAPPED}}}};

static bool is_text(enum kind kind)
{
    return kind == TEXT || kind == WRAPPED;
}

static void put_number(const struct json_object *row, const struct column *column, FILE *out)
{
    char digits[64];
    if (!value_in(row, column->key))
        return;
    if (column->kind == SECONDS)
        fprintf(out, "%.6f", value_real(row, column->key) / 1e9);
    else if (column->kind == SHARE)
        fprintf(out, "%.1f %%", value_real(row, column->key) * 100);
    else if (column->kind == MEAN)
        fprintf(out, "%.0f", value_real(row, column->key));
    else if (column->kind == DELAY)
        fprintf(out, "%.2f", value_real(row, column->key));
    else if (column->kind == TLLI)
        fprintf(out, "%08x", (unsigned)value_number(row, column->key));
    else
        section_digits(value_digits(row, column->key, digits, sizeof digits), out);
}

static void put_cell(const struct json_object *row, const struct column *column, FILE *out)
{
    char text[CELL_OCTETS];
    fprintf(out, "<td%s>",
            column->kind == WRAPPED ? " class=\"wrap\""
            : is_text(column->kind) ? ""
                                    : " class=\"n\"");
    if (is_text(column->kind))
        section_escape(value_text(row, column->key, text, sizeof text), out);
    else
        put_number(column->inside ? value_in(row, column->inside) : row, column, out);
    fputs("</td>", out);
}

// Rules that nobody breaks are not shown, nor is BVCI 0 as a cell, which has its signalling alone.
static bool is_shown(const struct json_object *row)
{
    if (value_in(row, "pdus_up") && !value_in(row, "tlli"))
        return value_number(row, "bvci") != 0;
    return !value_in(row, "by_sgsn") || value_number(row, "by_sgsn") || value_number(row, "by_bss");
}

static size_t count_shown(const struct json_object *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < value_count(rows); i++)
        count += is_shown(value_at(rows, i));
    return count;
}

static void put_rows(const struct table *table, const struct json_object *rows, FILE *out)
{
    size_t count = value_count(rows), shown = 0;
    for (size_t i = 0; i < count && shown < ROWS_MOST; i++) {
        if (!is_shown(value_at(rows, i)))
            continue;
        shown++;
        fputs("<tr>", out);
        for (const struct column *column = table->column; column->title; column++) {
            put_cell(value_at(rows, i), column, out);
            if (column == &table->column[COLUMNS_MOST - 1])
                break;
        }
        fputs("</tr>\n", out);
    }
}

static void put_head(const struct table *table, FILE *out)
{
    fputs("<div class=\"wide\"><table><thead><tr>", out);
    for (int i = 0; i < COLUMNS_MOST && table->column[i].title; i++)
        fprintf(out, "<th%s>%s</th>", is_text(table->column[i].kind) ? "" : " class=\"n\"",
                table->column[i].title);
    fputs("</tr></thead><tbody>\n", out);
}

static void put_table(const struct table *table, const struct json_object *report, FILE *out)
{
    const struct json_object *rows = value_in(report, table->key);
    size_t count = count_shown(rows);
    fprintf(out, "<section><h2>%s</h2><p class=\"soft\">%s</p>\n", table->title, table->about);
    if (count) {
        put_head(table, out);
        put_rows(table, rows, out);
        fputs("</tbody></table></div>\n", out);
    } else {
        fputs("<p>None.</p>\n", out);
    }
    if (count > ROWS_MOST)
        fprintf(out, "<p class=\"soft\">The first %u of %zu; --csv writes all.</p>\n", ROWS_MOST,
                count);
    fputs("</section>\n", out);
}

static void put_notes(const struct json_object *report, FILE *out)
{
    const struct json_object *notes = value_in(report, "notes");
    fputs("<section><h2>What was not judged</h2><ul>\n", out);
    for (size_t i = 0; i < value_count(notes); i++) {
        fputs("<li>", out);
        section_escape(value_text_at(notes, i), out);
        fputs("</li>\n", out);
    }
    if (!value_count(notes))
        fputs("<li>All was read and judged.</li>\n", out);
    fputs("</ul></section>\n", out);
}

// Good only where all was judged.
static void put_verdict(const struct json_object *report, FILE *out)
{
    uint64_t breaches = value_number(report, "breaches");
    size_t notes = value_count(value_in(report, "notes"));
    if (!value_count(value_in(report, "nsvcs")))
        fputs(
            "<strong class=\"bad\">There is no Gb in this capture, so nothing was judged.</strong>",
            out);
    else
        fprintf(out, "<strong class=\"%s\">Clauses broken: %llu times.</strong>",
                breaches ? "bad"
                : notes  ? "soft"
                         : "good",
                (unsigned long long)breaches);
    if (notes)
        fputs(" What was not judged is at the end of this page.", out);
}

void audit_page(FILE *out, const struct json_object *report, char *const *files, int count)
{
    const struct json_object *input = value_in(report, "input");
    char name[CELL_OCTETS], title[CELL_OCTETS + 64];
    snprintf(title, sizeof title, "Audit of Gb: %s%s", value_printable(files[0], name, sizeof name),
             count > 1 ? " and others" : "");
    section_begin(title, out);
    fprintf(out, "<p>%llu frames in %.3f s. ", (unsigned long long)value_number(input, "frames"),
            value_real(input, "lasts_ns") / 1e9);
    put_verdict(report, out);
    fputs("</p>\n", out);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        put_table(&tables[i], report, out);
    put_notes(report, out);
    fputs("</main></body></html>\n", out);
}
