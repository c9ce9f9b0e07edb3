// See sections.h: the targets of several runs, as their command judged them (targets.json).
#include "control/client/value.h"
#include "control/report/cells.h"
#include "control/report/sections.h"

#include <string.h>

#define TEXT_ROOM 1100 // a note has 1000 octets at most

// A mean of a target with its interval, which a terminal has as +-.
static void put_figure(char *text, FILE *out)
{
    char *interval = strstr(text, " +- ");
    if (interval)
        *interval = '\0';
    section_escape(text, out);
    if (!interval)
        return;
    fputs(" &plusmn; ", out);
    section_escape(interval + 4, out);
}

static void put_row(const struct json_object *row, FILE *out)
{
    const struct json_object *texts = value_in(row, "texts");
    fputs("<tr>", out);
    cells_member(row, "figure", NULL, out);
    cells_member(row, "what", "wrap", out);
    for (size_t i = 0; i < 3; i++) {
        char text[TEXT_ROOM];
        value_printable(value_text_at(texts, i), text, sizeof text);
        fputs(i == 1 ? "<td class=\"n words\">" : "<td class=\"n\">", out);
        put_figure(text, out);
        fputs("</td>", out);
    }
    cells_verdict(row, out);
    cells_member(row, value_in(row, "error") ? "error" : "note", "wrap", out);
    fputs("</tr>\n", out);
}

static bool is(const struct json_object *row, const char *member, const char *wanted)
{
    char text[TEXT_ROOM];
    return strcmp(value_text(row, member, text, sizeof text), wanted) == 0;
}

static uint32_t count_of(const struct json_object *rows, const char *kind)
{
    uint32_t count = 0;
    for (size_t i = 0; i < value_count(rows); i++)
        count += is(value_at(rows, i), "kind", kind);
    return count;
}

static void put_rows(const struct json_object *rows, const char *kind, FILE *out)
{
    for (size_t i = 0; i < value_count(rows); i++)
        if (is(value_at(rows, i), "kind", kind))
            put_row(value_at(rows, i), out);
}

// The rows of a kind, then those of another, or NULL.
static void put_table(const struct json_object *rows, const char *kind, const char *then, FILE *out)
{
    static const char *const heads[] = {"=figure",   "=what", "published", "ours",
                                        "deviation", "=met",  "=note",     NULL};
    cells_heads(heads, out);
    put_rows(rows, kind, out);
    if (then)
        put_rows(rows, then, out);
    cells_end(out);
}

// Rows that are no results are many, and folded.
static void put_folded(const struct json_object *rows, const char *kind, const char *says,
                       FILE *out)
{
    uint32_t count = count_of(rows, kind);
    if (count == 0)
        return;
    fprintf(out, "<details><summary>%u %s</summary>\n", count, says);
    put_table(rows, kind, NULL, out);
    fputs("</details>\n", out);
}

// Where ours loses by a goal of its own is in no folded row alone.
static void put_losses(const struct json_object *rows, FILE *out)
{
    uint32_t losses = 0;
    for (size_t i = 0; i < value_count(rows); i++) {
        const struct json_object *row = value_at(rows, i), *texts = value_in(row, "texts");
        char text[TEXT_ROOM];
        if (!is(row, "kind", "beyond") || !is(row, "verdict", "NOT MET"))
            continue;
        fputs(losses++ ? "<br>" : "<p class=\"bad\">Beyond the paper, NOT MET:<br>", out);
        cells_put(row, "what", out);
        for (size_t k = 0; k < 2; k++) { // ours, then the goal
            value_printable(value_text_at(texts, 1 - k), text, sizeof text);
            fputs(k ? "; " : ": ", out);
            put_figure(text, out);
        }
    }
    if (losses)
        fputs("</p>\n", out);
}

void section_targets_of(const struct json_object *targets, const char *title, FILE *out)
{
    const struct json_object *rows = value_in(targets, "targets");
    fputs("<section><h2>Targets", out);
    if (title)
        fputs(": ", out);
    section_escape(title ? title : "", out);
    fputs("</h2>\n<p>", out);
    cells_put(targets, "summary", out);
    fputs(".</p>\n", out);
    put_losses(rows, out);
    put_table(rows, "result", "beyond", out);
    fputs(
        value_number(targets, "first_seed") == value_number(targets, "last_seed")
            ? "<p class=\"soft\">One seed, which gives no interval.</p>\n"
            : "<p class=\"soft\">The mean over the seeds with its 95 % confidence interval; \"all "
              "seeds alike\": no seed moves the row, so there is none.</p>\n",
        out);
    put_folded(rows, "input", "inputs: knobs set to what the paper has, checked", out);
    put_folded(rows, "told", "reported only, not judged", out);
    fputs("</section>\n", out);
}

void section_targets(const struct runs *runs, FILE *out)
{
    for (uint32_t i = 0; i < runs->gathers; i++) {
        if (runs->targets[i])
            section_targets_of(runs->targets[i], NULL, out);
        if (runs->figures[i])
            section_redrawn(runs->figures[i], NULL, out);
    }
}
