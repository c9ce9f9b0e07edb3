// See page.h.
#include "control/report/page.h"

#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/figures.h"
#include "control/report/sections.h"

#define FIRST_FIGURES 4 // of one run: delays, goodput and what is under way, by class

struct page {
    struct runs runs;
    struct curves curves;
    struct classes classes;
    struct drops drops;
    struct figures figures;
    struct outcomes outcomes[RUNS_GATHERED_MAX]; // of the runs that are gathered
    struct figures axes[RUNS_GATHERED_MAX];
    char **svg; // one for each figure, or NULL; then those of the axes
};

// Over a name of the legend, and unseen: who unticks it hides what has its colour in this figure,
// by the style alone. Not where two names share a colour.
static void put_switch(const struct figures_name *name, FILE *out)
{
    fprintf(out, "<input type=\"checkbox\" checked=\"checked\" class=\"c%u\" aria-label=\"",
            name->colour);
    section_escape(name->text, out);
    fputs("\">", out);
}

static bool has_switches(const struct figure *figure)
{
    for (uint32_t i = 0; i < figure->names; i++)
        if (figure->name[i].colour >= PLOT_COLOURS)
            return false;
    return figure->names > 1;
}

static void put_names(const struct figure *figure, FILE *out)
{
    bool switches = has_switches(figure);
    fputs("<ul class=\"names\">", out);
    for (uint32_t i = 0; i < figure->names; i++) {
        uint32_t colour = figure->name[i].colour;
        const char *class = figure->boxes           ? " class=\"box\""
                            : colour < PLOT_COLOURS ? ""
                                                    : " class=\"dashed\"";
        fputs("<li>", out);
        if (switches)
            put_switch(&figure->name[i], out);
        fprintf(out, "<i%s style=\"border-color:var(--s%u)\"></i>", class, colour % PLOT_COLOURS);
        section_escape(figure->name[i].text, out);
        fputs("</li>", out);
    }
    if (figure->published)
        fputs("<li><i class=\"mark\" style=\"border-color:var(--ink)\"></i>published</li>", out);
    fputs("</ul>", out);
}

void section_figure(const struct figure *figure, const char *svg, FILE *out)
{
    fputs("<figure><h3>", out);
    section_escape(figure->title, out);
    fprintf(out, "</h3>\n%s", svg);
    put_names(figure, out);
    if (figure->remark[0])
        fprintf(out, "<p class=\"soft\">%s</p>", figure->remark);
    fputs("</figure>\n", out);
}

void section_figures(const struct figure *figure, uint32_t count, const char *none, FILE *out)
{
    char why[256] = "not enough memory", **svg = NULL;
    struct plot *plots = calloc(count + 1, sizeof *plots);
    for (uint32_t i = 0; plots && i < count; i++)
        plots[i] = figure[i].plot;
    if (plots && count)
        svg = plot_draw(plots, count, why);
    free(plots);
    fputs("<section><h2>Figures</h2>\n<div class=\"figures\">\n", out);
    for (uint32_t i = 0; svg && i < count; i++) {
        section_figure(&figure[i], svg[i], out);
        free(svg[i]);
    }
    fputs("</div>\n", out);
    if (!svg && (count || none)) {
        fputs("<p>No figures: ", out);
        section_escape(count ? why : none, out);
        fputs(".</p>\n", out);
    }
    free(svg);
}

static void put_notes(const char *notes, FILE *out)
{
    if (!*notes)
        return;
    fputs("<p class=\"bad\">Not shown: ", out);
    section_escape(notes, out);
    fputs("</p>\n", out);
}

// Some of them, from the first on.
static void put_svgs(const struct figures *figures, uint32_t first, uint32_t end, char **svg,
                     FILE *out)
{
    fputs("<div class=\"figures\">\n", out);
    for (uint32_t i = first; i < end; i++)
        section_figure(&figures->figure[i], svg[i], out);
    fputs("</div>", out);
}

static void put_figures(const struct page *p, uint32_t most, const char *why, FILE *out)
{
    fputs("<section><h2>Figures</h2>\n", out);
    if (!p->svg || p->figures.count == 0) {
        fputs("<p>No figures: ", out);
        section_escape(
            *why ? why : "the folders have none of the CSV files that they are drawn from", out);
        fputs(".</p>", out);
    } else {
        put_svgs(&p->figures, 0, most < p->figures.count ? most : p->figures.count, p->svg, out);
    }
    if (p->svg)
        fputs("<p class=\"soft\">A click on a name below a figure hides its curve, another shows "
              "it.</p>\n",
              out);
    if (p->svg && p->runs.count > p->runs.groups)
        fputs("<p class=\"soft\">A curve is all seeds of a variant: a distribution is of all their "
              "packets, a curve over time is the mean of theirs.</p>\n",
              out);
    put_notes(p->runs.notes, out);
    fputs("</section>\n", out);
}

static void put_more_figures(const struct page *p, uint32_t first, FILE *out)
{
    if (!p->svg || p->figures.count <= first)
        return;
    fputs("<section><h2>More figures</h2>\n", out);
    put_svgs(&p->figures, first, p->figures.count, p->svg, out);
    fputs("</section>\n", out);
}

static void put_axes(const struct page *p, uint32_t gathered, FILE *out)
{
    uint32_t before = p->figures.count;
    for (uint32_t i = 0; i < gathered; i++)
        before += p->axes[i].count;
    if (!p->svg || p->axes[gathered].count == 0)
        return;
    fputs("<section><h2>Over the sweep</h2>\n", out);
    put_svgs(&p->axes[gathered], 0, p->axes[gathered].count, p->svg + before, out);
    fprintf(out, "<p class=\"soft\">%s. At a value the variants are side by side.</p></section>\n",
            p->outcomes[gathered].seeds > 1 ? "Means over the seeds with their 95 % intervals"
            : p->outcomes[gathered].batches
                ? "Means over the batches of one seed with their 95 % intervals"
                : "One seed, which gives no interval");
}

// Above the sections of one of several commands: its folder.
static void put_folder(const struct runs *runs, uint32_t gathered, FILE *out)
{
    if (runs->gathers < 2)
        return;
    fputs("<h2>In ", out);
    section_escape(runs->gathered_label[gathered], out);
    fputs("</h2>\n", out);
}

// Of several runs of one command: what they come to.
static void put_gathered(const struct page *p, FILE *out)
{
    const struct runs *runs = &p->runs;
    for (uint32_t i = 0; i < runs->gathers; i++) {
        put_folder(runs, i, out);
        section_missing(runs->gathered[i], runs, out);
        if (!runs->loose) // else the table of runs has them
            section_set(&p->outcomes[i], out);
        section_answer(&p->outcomes[i], runs->gathered_first[i], out);
        put_axes(p, i, out);
        section_beside(&p->outcomes[i], runs->gathered_first[i], out);
    }
    section_targets(runs, out);
    for (uint32_t i = 0; i < runs->gathers; i++) {
        put_folder(runs, i, out);
        section_means(&p->outcomes[i], runs->gathered_first[i], out);
    }
}

static void put_runs(const struct page *p, FILE *out)
{
    section_classes(&p->runs, &p->classes, &p->curves, out);
    section_applications(&p->runs, out);
    section_phones(&p->runs, out);
    section_batches(&p->runs, out);
    section_drops(&p->runs, &p->drops, out);
    section_balance(&p->runs, out);
    section_runs(&p->runs, out);
}

// Of one run, what its users felt, then its tables, then what explains it. Of several, all figures,
// and each run is folded.
static void put_all(const struct page *p, const char *why, FILE *out)
{
    const struct runs *runs = &p->runs;
    uint32_t first = runs->count == 1 ? FIRST_FIGURES : UINT32_MAX;
    section_head(runs, out);
    put_gathered(p, out);
    put_figures(p, first, why, out);
    for (uint32_t i = 0; i < runs->gathers; i++)
        section_settings(&p->outcomes[i], runs->gathered_first[i], out);
    if (!runs->loose)
        fprintf(out, "<details><summary>Each of the %u runs</summary>\n", runs->count);
    put_runs(p, out);
    fputs(runs->loose ? "" : "</details>\n", out);
    put_more_figures(p, first, out);
    fputs("<p class=\"soft\">All tables come from <code>summary.json</code>, "
          "<code>classes.csv</code> and <code>drops.csv</code>. The CSV files beside them have "
          "more, by cell, MS and flow; <code>sluice help csv</code> says what their columns "
          "mean.</p>\n",
          out);
    section_end(out);
}

static bool gather(struct page *p, const char *const *dirs, uint32_t count,
                   char error[PAGE_ERROR_OCTETS])
{
    if (!runs_find(&p->runs, dirs, count, error))
        return false;
    bool good = curves_read(&p->curves, &p->runs) && classes_read(&p->classes, &p->runs) &&
                drops_read(&p->drops, &p->runs) &&
                figures_make(&p->figures, &p->runs, &p->curves, &p->drops);
    for (uint32_t i = 0; good && i < p->runs.gathers; i++)
        good = outcomes_read(&p->outcomes[i], p->runs.gathered[i]) &&
               figures_over_axes(&p->axes[i], &p->outcomes[i], p->runs.gathered_first[i]);
    if (!good)
        snprintf(error, PAGE_ERROR_OCTETS, "not enough memory");
    return good;
}

// All in one picture after another: the page's, then those over the axes.
static uint32_t collect(const struct page *p, struct plot *plots)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k <= p->runs.gathers; k++) {
        const struct figures *f = k ? &p->axes[k - 1] : &p->figures;
        for (uint32_t i = 0; i < f->count; i++, count++)
            if (plots)
                plots[count] = f->figure[i].plot;
    }
    return count;
}

static void draw(struct page *p, char error[PAGE_ERROR_OCTETS])
{
    uint32_t count = collect(p, NULL);
    struct plot *plots = calloc(count + 1, sizeof *plots);
    if (plots && count) {
        collect(p, plots);
        p->svg = plot_draw(plots, count, error);
    }
    free(plots);
}

static void release(struct page *p)
{
    for (uint32_t i = 0; p->svg && i < collect(p, NULL); i++)
        free(p->svg[i]);
    free(p->svg);
    for (uint32_t i = 0; i < p->runs.gathers; i++) {
        outcomes_release(&p->outcomes[i]);
        figures_release(&p->axes[i]);
    }
    figures_release(&p->figures);
    drops_release(&p->drops);
    classes_release(&p->classes);
    curves_release(&p->curves);
    runs_release(&p->runs);
}

int page_write(FILE *out, const char *const *dirs, uint32_t count, char error[PAGE_ERROR_OCTETS])
{
    struct page *page = calloc(1, sizeof *page);
    bool good = page && gather(page, dirs, count, error);
    if (!page)
        snprintf(error, PAGE_ERROR_OCTETS, "not enough memory");
    if (good) {
        error[0] = '\0';
        draw(page, error);
        put_all(page, error, out);
    }
    if (page)
        release(page);
    free(page);
    return good ? 0 : -1;
}
