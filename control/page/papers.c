// See page.h: the page of the targets of several commands, each in a folder of its own.
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/page/page.h"
#include "control/page/sections.h"

#define NAME_OCTETS 256

struct paper {
    char name[NAME_OCTETS]; // the folder's last part
    struct json_object *targets, *figures;
};

// ---- What each came to ----

struct counts {
    uint32_t met, not_met, beyond_met, beyond_not_met, told, none; // none: not run, or an error
};

static void count_row(struct counts *counts, const struct json_object *row)
{
    char figure[16], verdict[16];
    bool beyond = strcmp(value_text(row, "figure", figure, sizeof figure), "beyond") == 0;
    value_text(row, "verdict", verdict, sizeof verdict);
    if (strcmp(verdict, "met") == 0)
        *(beyond ? &counts->beyond_met : &counts->met) += 1;
    else if (strcmp(verdict, "NOT MET") == 0)
        *(beyond ? &counts->beyond_not_met : &counts->not_met) += 1;
    else
        *(strcmp(verdict, "told") == 0 ? &counts->told : &counts->none) += 1;
}

static struct counts counts_of(const struct json_object *targets)
{
    struct counts counts = {0};
    const struct json_object *rows = value_in(targets, "targets");
    for (size_t i = 0; i < value_count(rows); i++)
        count_row(&counts, value_at(rows, i));
    return counts;
}

static void put_count(uint32_t count, bool bad, FILE *out)
{
    fprintf(out, "<td class=\"n%s\">%u</td>", bad && count ? " bad" : "", count);
}

static void put_counts(const char *name, const struct counts *c, size_t figures, FILE *out)
{
    fputs("<tr><td>", out);
    section_escape(name, out);
    fputs("</td>", out);
    put_count(c->met, false, out);
    put_count(c->not_met, true, out);
    put_count(c->beyond_met, false, out);
    put_count(c->beyond_not_met, true, out);
    put_count(c->told, false, out);
    put_count(c->none, true, out);
    put_count((uint32_t)figures, false, out);
    fputs("</tr>\n", out);
}

static void add(struct counts *sum, const struct counts *c)
{
    sum->met += c->met;
    sum->not_met += c->not_met;
    sum->beyond_met += c->beyond_met;
    sum->beyond_not_met += c->beyond_not_met;
    sum->told += c->told;
    sum->none += c->none;
}

static void put_summary(const struct paper *papers, uint32_t count, FILE *out)
{
    struct counts sum = {0};
    size_t figures_of_all = 0;
    fputs("<section><h2>Summary</h2>\n<div class=\"wide\"><table><thead><tr><th>paper</th>"
          "<th class=\"n\">met</th><th class=\"n\">not met</th>"
          "<th class=\"n\">beyond: met</th><th class=\"n\">beyond: not met</th>"
          "<th class=\"n\">told</th><th class=\"n\">not run, error</th>"
          "<th class=\"n\">figures</th></tr></thead><tbody>\n",
          out);
    for (uint32_t i = 0; i < count; i++) {
        struct counts counts = counts_of(papers[i].targets);
        size_t figures = value_count(value_in(papers[i].figures, "figures"));
        put_counts(papers[i].name, &counts, figures, out);
        add(&sum, &counts);
        figures_of_all += figures;
    }
    if (count > 1)
        put_counts("all", &sum, figures_of_all, out);
    fputs("</tbody></table></div>\n<p class=\"soft\">Met, not met: what the paper has, within its "
          "tolerance. Beyond: goals of ours. Told: not judged.</p></section>\n",
          out);
}

// ---- The page ----

static bool read_paper(struct paper *paper, const char *dir, char error[PAGE_ERROR_OCTETS])
{
    const char *slash = strrchr(dir, '/');
    value_printable(slash ? slash + 1 : dir, paper->name, sizeof paper->name);
    paper->targets = runs_json(dir, "targets", error);
    if (paper->targets)
        paper->figures = runs_json(dir, "figures", error);
    else if (!error[0])
        snprintf(error, PAGE_ERROR_OCTETS, "%.400s: no targets.json", dir);
    return !error[0];
}

static void put_page(const struct paper *papers, uint32_t count, FILE *out)
{
    section_begin("Targets", out);
    put_summary(papers, count, out);
    for (uint32_t i = 0; i < count; i++) {
        section_targets_of(papers[i].targets, papers[i].name, out);
        if (papers[i].figures)
            section_redrawn(papers[i].figures, papers[i].name, out);
    }
    fputs("</main></body></html>\n", out);
}

int page_targets(FILE *out, const char *const *dirs, uint32_t count, char error[PAGE_ERROR_OCTETS])
{
    struct paper *papers = calloc(count, sizeof *papers);
    error[0] = '\0';
    if (!papers)
        snprintf(error, PAGE_ERROR_OCTETS, "not enough memory");
    for (uint32_t i = 0; i < count && !error[0]; i++)
        read_paper(&papers[i], dirs[i], error);
    if (!error[0])
        put_page(papers, count, out);
    for (uint32_t i = 0; papers && i < count; i++) {
        value_free(papers[i].targets);
        value_free(papers[i].figures);
    }
    free(papers);
    return error[0] ? -1 : 0;
}
