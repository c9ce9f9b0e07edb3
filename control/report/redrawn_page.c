// See sections.h: the figures that a file of targets declares, as their command worked them out
// (figures.json).
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/cells.h"
#include "control/report/redrawn.h"
#include "control/report/sections.h"

// ---- The legend ----

static void put_swatch(const char *class, const char *colour, uint32_t number, FILE *out)
{
    fprintf(out, "<li><i%s%s%s style=\"border-color:var(--", *class ? " class=\"" : "", class,
            *class ? "\"" : "");
    if (colour)
        fputs(colour, out);
    else
        fprintf(out, "s%u", number % PLOT_COLOURS);
    fputs(")\"></i>", out);
}

static void put_name(const struct redrawn_figure *f, uint32_t number, FILE *out)
{
    const struct json_object *series = value_at(value_in(f->json, "series"), number);
    bool worked = value_in(series, "kind"), dots = value_is_true(value_in(series, "marks"));
    const char *class = number < PLOT_COLOURS ? "" : "dashed";
    if (!worked)
        class = "mark";
    else if (dots)
        class = "dot";
    else if (f->named)
        class = "box";
    put_swatch(class, NULL, number, out);
    cells_put(series, "name", out);
    fputs(worked ? "</li>" : ", published</li>", out);
}

static bool any_of(const struct redrawn_figure *f, const char *kind)
{
    bool any = false;
    for (uint32_t i = 0; i < redrawn_series(f); i++) {
        char text[16];
        const struct json_object *series = value_at(value_in(f->json, "series"), i);
        any |= strcmp(value_text(series, "kind", text, sizeof text), kind) == 0;
    }
    return any;
}

// Of one seed there is none, nor where the seeds change nothing.
static bool has_interval(const struct plot *p)
{
    for (uint32_t i = 0; i < p->values; i++)
        if (p->value[i].most > p->value[i].least)
            return true;
    return false;
}

static void put_names(const struct redrawn_figure *f, FILE *out)
{
    fputs("<ul class=\"names\">", out);
    for (uint32_t i = 0; i < redrawn_series(f); i++)
        put_name(f, i, out);
    if (any_of(f, "ours")) {
        if (f->named)
            fputs("<li>columns: ", out);
        else
            put_swatch("dot", "ink", 0, out);
        fputs(has_interval(&f->plot) ? "ours, with its 95 % interval</li>" : "ours</li>", out);
    }
    if (f->plot.publisheds) {
        put_swatch("mark", "ink", 0, out);
        fputs("published</li>", out);
    }
    fputs("</ul>", out);
}

// ---- What is not there ----

static void put_missing(const struct redrawn_figure *f, FILE *out)
{
    for (uint32_t i = 0; i < redrawn_series(f); i++) {
        const struct json_object *series = value_at(value_in(f->json, "series"), i);
        bool fault = value_in(series, "error"), missing = value_number(series, "missing") > 0;
        if (!fault && !missing)
            continue;
        fputs(fault ? "<p class=\"bad\">Not drawn: " : "<p class=\"bad\">Not run: ", out);
        cells_put(series, "name", out);
        if (fault) {
            fputs(": ", out);
            cells_put(series, "error", out);
        } else if (value_count(value_in(series, "points"))) {
            fprintf(out, ", %u of its points", (uint32_t)value_number(series, "missing"));
        }
        fputs("</p>", out);
    }
}

static void put_figure(const struct redrawn_figure *f, const char *svg, FILE *out)
{
    fputs("<figure><h3>", out);
    cells_put(f->json, "name", out);
    fputs(": ", out);
    cells_put(f->json, "title", out);
    fprintf(out, "</h3>\n%s", svg);
    put_names(f, out);
    put_missing(f, out);
    if (value_in(f->json, "note")) {
        fputs("<p class=\"soft\">", out);
        cells_put(f->json, "note", out);
        fputs("</p>", out);
    }
    fputs("</figure>\n", out);
}

// ---- All ----

static char **draw(const struct redrawn *r, char error[256])
{
    struct plot *plots = calloc(r->count + 1, sizeof *plots);
    char **svg = NULL;
    for (uint32_t i = 0; plots && i < r->count; i++)
        plots[i] = r->figure[i].plot;
    if (plots)
        svg = plot_draw(plots, r->count, error);
    free(plots);
    return svg;
}

static void put_figures(const struct redrawn *r, char **svg, const char *why, FILE *out)
{
    if (!svg) {
        fputs("<p>No figures: ", out);
        section_escape(*why ? why : "not enough memory", out);
        fputs(". figures.csv has their points.</p>", out);
        return;
    }
    fputs("<div class=\"figures\">\n", out);
    for (uint32_t i = 0; i < r->count; i++) {
        put_figure(&r->figure[i], svg[i], out);
        free(svg[i]);
    }
    fputs("</div>", out);
    free(svg);
}

void section_redrawn(const struct json_object *figures, const char *title, FILE *out)
{
    struct redrawn redrawn;
    char why[256] = "";
    if (value_count(value_in(figures, "figures")) == 0)
        return;
    fputs("<section><h2>Figures of the targets", out);
    fputs(title ? ": " : "", out);
    section_escape(title ? title : "", out);
    fputs("</h2>\n", out);
    bool good = redrawn_make(&redrawn, figures);
    put_figures(&redrawn, good ? draw(&redrawn, why) : NULL, why, out);
    redrawn_release(&redrawn);
    fputs("</section>\n", out);
}
