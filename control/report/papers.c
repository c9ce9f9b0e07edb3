// See page.h: the page of the targets of several commands, each in a folder of its own.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/cells.h"
#include "control/report/page.h"
#include "control/report/sections.h"

#define NAME_OCTETS  256
#define SEEDS_OCTETS 48

struct paper {
    char name[NAME_OCTETS]; // the folder's last part
    char seeds[SEEDS_OCTETS];
    struct json_object *targets, *figures;
};

// ---- What each came to ----

enum kind { RESULT, BEYOND, INPUT, KINDS }; // those that are judged; else a row is told
static const char *const kind_names[KINDS] = {"result", "beyond", "input"};

struct counts {
    uint32_t met[KINDS], all[KINDS], told, none; // none: of all, those not run, or an error
    uint32_t figures;
};

static enum kind kind_of(const struct json_object *row)
{
    char text[16];
    enum kind kind = RESULT;
    value_text(row, "kind", text, sizeof text);
    while (kind < KINDS && strcmp(text, kind_names[kind]) != 0)
        kind++;
    return kind;
}

// As the command counts that judged them (lua/sluice/targets/report.lua): a row that was not run is
// one of its kind, and not met.
static void count_row(struct counts *counts, const struct json_object *row)
{
    char verdict[16];
    enum kind kind = kind_of(row);
    value_text(row, "verdict", verdict, sizeof verdict);
    bool met = strcmp(verdict, "met") == 0, told = strcmp(verdict, "told") == 0;
    if (kind < KINDS) {
        counts->all[kind]++;
        counts->met[kind] += met;
    }
    counts->told += told;
    counts->none += !met && !told && strcmp(verdict, "NOT MET") != 0;
}

static void count_paper(struct counts *counts, const struct paper *paper)
{
    const struct json_object *rows = value_in(paper->targets, "targets");
    for (size_t i = 0; i < value_count(rows); i++)
        count_row(counts, value_at(rows, i));
    counts->figures += (uint32_t)value_count(value_in(paper->figures, "figures"));
}

static void put_count(uint32_t count, bool bad, FILE *out)
{
    fprintf(out, "<td class=\"n%s\">%u</td>", bad && count ? " bad" : "", count);
}

static void put_counts(const char *name, const char *seeds, const struct counts *c, FILE *out)
{
    fputs("<tr><td>", out);
    section_escape(name, out);
    fprintf(out, "</td><td>%s</td>", seeds);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        put_count(c->met[kind], false, out);
        put_count(c->all[kind], c->met[kind] < c->all[kind], out);
    }
    put_count(c->told, false, out);
    put_count(c->none, true, out);
    put_count(c->figures, false, out);
    fputs("</tr>\n", out);
}

// The same in a line of a terminal.
static void put_line(const char *name, const char *seeds, const struct counts *c, FILE *out)
{
    fprintf(out, "  %-16s %-9s", name, seeds);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        char text[32];
        snprintf(text, sizeof text, "%u of %u", c->met[kind], c->all[kind]);
        fprintf(out, " %11s", text);
    }
    fprintf(out, " %5u %14u %7u\n", c->told, c->none, c->figures);
}

// A line for each paper, then for each of the ranges of seeds one for all its papers.
static void put_lines(const struct paper *papers, uint32_t count,
                      void (*put)(const char *, const char *, const struct counts *, FILE *),
                      FILE *out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct counts counts = {0};
        count_paper(&counts, &papers[i]);
        put(papers[i].name, papers[i].seeds, &counts, out);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct counts sum = {0};
        uint32_t summed = 0;
        for (uint32_t k = 0; k < count && (k >= i || strcmp(papers[k].seeds, papers[i].seeds)); k++)
            if (strcmp(papers[k].seeds, papers[i].seeds) == 0) {
                count_paper(&sum, &papers[k]);
                summed++;
            }
        if (summed > 1)
            put("all", papers[i].seeds, &sum, out);
    }
}

static void put_summary(const struct paper *papers, uint32_t count, FILE *out)
{
    static const char *const heads[] = {
        "=paper", "=seeds", "results: met",           "of",      "beyond: met", "of", "inputs: met",
        "of",     "told",   "of all: not run, error", "figures", NULL};
    fputs("<section><h2>Summary</h2>\n", out);
    cells_heads(heads, out);
    put_lines(papers, count, put_counts, out);
    cells_end(out);
    fputs("<p class=\"soft\">Results: what the paper has, within its "
          "tolerance. Beyond: goals of ours. Inputs: a knob is set to what the paper has, so that "
          "meeting it is no achievement. Told: reported only, not judged.</p></section>\n",
          out);
}

static void put_text(const struct paper *papers, uint32_t count, FILE *out)
{
    fprintf(out, "  %-16s %-9s %11s %11s %11s %5s %14s %7s\n", "paper", "seeds", "results met",
            "beyond met", "inputs met", "told", "not run, error", "figures");
    put_lines(papers, count, put_line, out);
}

// ---- The page ----

static void seeds_text(struct paper *paper)
{
    uint64_t first = value_number(paper->targets, "first_seed");
    uint64_t last = value_number(paper->targets, "last_seed");
    int n = snprintf(paper->seeds, sizeof paper->seeds, "%" PRIu64, first);
    if (last > first)
        snprintf(paper->seeds + n, sizeof paper->seeds - (size_t)n, " to %" PRIu64, last);
}

static bool read_paper(struct paper *paper, const char *dir, char error[PAGE_ERROR_OCTETS])
{
    const char *slash = strrchr(dir, '/');
    value_printable(slash ? slash + 1 : dir, paper->name, sizeof paper->name);
    paper->targets = runs_json(dir, strlen(dir), "targets", error);
    seeds_text(paper);
    if (paper->targets)
        paper->figures = runs_json(dir, strlen(dir), "figures", error);
    else if (!error[0])
        snprintf(error, PAGE_ERROR_OCTETS, "%.400s: no targets.json", dir);
    return !error[0];
}

// Of a paper that came before, with other seeds, the table alone.
static void put_paper(const struct paper *papers, uint32_t i, FILE *out)
{
    char title[NAME_OCTETS + SEEDS_OCTETS + 16];
    bool again = false;
    for (uint32_t k = 0; k < i; k++)
        again |= strcmp(papers[k].name, papers[i].name) == 0;
    snprintf(title, sizeof title, "%s, seeds %s", papers[i].name, papers[i].seeds);
    section_targets_of(papers[i].targets, title, out);
    section_origin(papers[i].targets, out);
    if (papers[i].figures && !again)
        section_redrawn(papers[i].figures, papers[i].name, out);
}

static void put_page(const struct paper *papers, uint32_t count, FILE *out)
{
    section_begin("Targets", out);
    put_summary(papers, count, out);
    for (uint32_t i = 0; i < count; i++)
        put_paper(papers, i, out);
    section_end(out);
}

int page_targets(FILE *out, FILE *text, const char *const *dirs, uint32_t count,
                 char error[PAGE_ERROR_OCTETS])
{
    struct paper *papers = calloc(count, sizeof *papers);
    error[0] = '\0';
    if (!papers)
        snprintf(error, PAGE_ERROR_OCTETS, "not enough memory");
    for (uint32_t i = 0; i < count && !error[0]; i++)
        read_paper(&papers[i], dirs[i], error);
    if (!error[0]) {
        put_page(papers, count, out);
        put_text(papers, count, text);
    }
    for (uint32_t i = 0; papers && i < count; i++) {
        value_free(papers[i].targets);
        value_free(papers[i].figures);
    }
    free(papers);
    return error[0] ? -1 : 0;
}
