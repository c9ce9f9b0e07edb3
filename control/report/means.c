// See sections.h: the means of several runs over their seeds, with their 95 % confidence interval,
// or the figures of the only seed: a row for each outcome at each point, a column for each variant.
#include <string.h>

#include "control/client/value.h"
#include "control/report/cells.h"
#include "control/report/outcomes.h"
#include "control/report/sections.h"

static void put_mean(const struct outcomes *o, uint32_t outcome, uint32_t variant, uint32_t point,
                     FILE *out)
{
    struct statistics s = outcomes_at(o, outcome, variant, point);
    bool best = outcomes_is_best(o, outcome, variant, point);
    fprintf(out, "<td class=\"n\">%s", best ? "<strong>" : "");
    outcomes_put(&s, " <span class=\"soft\">alike</span>", out);
    fputs(best ? "</strong>" : "", out);
    if (s.n > 0 && s.n < o->seeds)
        fprintf(out, " <span class=\"soft\">(%u run%s)</span>", s.n, s.n == 1 ? "" : "s");
    if (s.too_short)
        fputs(" <span class=\"bad\">batches too short</span>", out);
    fputs("</td>", out);
}

static void put_row(const struct outcomes *o, uint32_t outcome, uint32_t point, FILE *out)
{
    const struct outcome *of = &o->outcome[outcome];
    fputs("<tr><td class=\"name\">", out);
    section_outcome(of, out);
    fprintf(out, "%s%s</td>", *of->kind->unit ? ", " : "", of->kind->unit);
    if (o->points > 1)
        cells_text(o->point[point], NULL, out);
    for (uint32_t v = 0; v < o->variants; v++)
        put_mean(o, outcome, v, point, out);
    fputs("</tr>\n", out);
}

void section_missing(const struct json_object *summary, const struct runs *runs, FILE *out)
{
    size_t missing = value_count(value_in(summary, "missing"));
    size_t all = value_count(value_in(summary, "runs"));
    if (missing)
        fprintf(out, "<p class=\"bad\">%zu of %zu runs are missing, or not complete.</p>\n",
                missing, all);
    const struct json_object *differing = value_in(summary, "differing");
    for (size_t i = 0; i < value_size(differing); i++) {
        fputs(i ? ", " : "<p class=\"bad\">Compare with care: these runs differ in ", out);
        section_escape(value_key(differing, i), out);
    }
    fputs(value_size(differing) ? ".</p>\n" : "", out);
    if (runs->count == RUNS_MAX && all > RUNS_MAX)
        fprintf(out,
                "<p class=\"bad\">Single runs and curves are of the first %d runs; the means "
                "are of all.</p>\n",
                RUNS_MAX);
}

static void put_intervals(const struct outcomes *o, FILE *out)
{
    fputs(
        o->batches
            ? "<p class=\"soft\">&plusmn;: the 95 % confidence interval of the mean over the "
              "batches "
              "of a run (<code>run.batches</code>), as if each batch were a run; counts are of one "
              "batch. The interval is too small "
              "where batches are too short: there neighbours are alike, with an autocorrelation of "
              "more than 2/&radic;n. Two variants are compared by seeds only "
              "(<code>--seeds 1..10</code>).</p>\n"
        : o->seeds < 2
            ? "<p class=\"soft\">One seed: there is no interval, and nothing here tells an effect "
              "from chance. More seeds do (<code>--seeds 1..10</code>).</p>\n"
            : "<p class=\"soft\">&plusmn;: the 95 % confidence interval of the mean over the "
              "seeds. Alike: the seeds change nothing in it, so it has none.</p>\n",
        out);
}

void section_means(const struct outcomes *o, uint32_t colour, FILE *out)
{
    fprintf(out, "<section><h2>%s</h2>\n",
            o->batches     ? "Means over the batches of one seed"
            : o->seeds < 2 ? "The figures of one seed"
                           : "Means over the seeds");
    cells_begin(out);
    fputs(o->points > 1 ? "<th>outcome</th><th>point</th>" : "<th>outcome</th>", out);
    for (uint32_t v = 0; v < o->variants; v++) {
        fputs("<th class=\"n\">", out);
        if (o->variants > 1)
            section_variant(o, v, colour + v, out);
        else
            fputs(o->seeds < 2 && !o->batches ? "figure" : "mean", out);
        fputs("</th>", out);
    }
    cells_body(out);
    for (uint32_t i = 0; i < o->outcomes; i++)
        for (uint32_t point = 0; point < o->points; point++)
            put_row(o, i, point, out);
    cells_end(out);
    fputs("<p class=\"soft\">", out);
    outcomes_put_seeds(o, out);
    fprintf(out, ", three significant digits; <code>summary.json</code> has all. %s</p>\n",
            o->variants > 1 && o->seeds > 1 ? "Bold: sure to be better than each other variant."
                                            : "");
    if (o->more)
        fprintf(out,
                "<p class=\"bad\">Only %u variants at points are here; the files have all.</p>\n",
                o->groups);
    put_intervals(o, out);
    fputs("</section>\n", out);
}
