// See gi_tables.h.
#include "control/captures/gi_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/sections.h"
#include "lab/captures/gi/gi_sheets.h"

#define TEXT_ROOM 512

const char *const gi_unit_texts[] = {"", "", ", s", ", bit/s"};

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

enum gi_unit gi_unit_of(const char *key)
{
    if (ends(key, "share") || strcmp(key, "ratio") == 0 || ends(key, "b_background"))
        return GI_UNIT_SHARE;
    return ends(key, "_bit_per_s") || strcmp(key, "bit/s") == 0 ? GI_UNIT_RATE
           : ends(key, "_s") || strcmp(key, "s") == 0           ? GI_UNIT_S
                                                                : GI_UNIT_COUNT;
}

static void put_cell(double value, enum gi_unit unit, const char *plus, FILE *out)
{
    const int decimals[] = {0, 2, gi_seconds_decimals(value), 0};
    char digits[64] = "";
    double shown = unit == GI_UNIT_SHARE ? 100 * value : value;
    if (!isnan(value))
        snprintf(digits, sizeof digits, "%.*f", decimals[unit], fabs(shown));
    fprintf(out, "<td class=\"n\">%s", isnan(value) ? "" : value < 0 ? "&minus;" : plus);
    section_digits(digits, out);
    fputs(unit == GI_UNIT_SHARE && *digits ? " %</td>" : "</td>", out);
}

void gi_cell(double value, enum gi_unit unit, FILE *out)
{
    put_cell(value, unit, "", out);
}

void gi_cell_signed(double value, enum gi_unit unit, FILE *out)
{
    put_cell(value, unit, "+", out);
}

void gi_title(const struct json_object *titles, const char *name, FILE *out)
{
    char text[TEXT_ROOM];
    value_text(titles, name, text, sizeof text);
    section_escape(*text ? text : name, out);
}

void gi_pictures(struct gi_figures *f, const char *note, FILE *out)
{
    char why[256] = "not enough memory", **svg = NULL;
    struct plot plots[GI_FIGURES_MOST];
    for (uint32_t i = 0; i < f->count; i++)
        plots[i] = f->figure[i].plot;
    if (f->count)
        svg = plot_draw(plots, f->count, why);
    fputs("<section><h2>Figures</h2>\n<div class=\"figures\">\n", out);
    for (uint32_t i = 0; svg && i < f->count; i++) {
        section_figure(&f->figure[i], svg[i], out);
        free(svg[i]);
    }
    fputs("</div>\n", out);
    if (f->count && !svg) {
        fputs("<p>No figures: ", out);
        section_escape(why, out);
        fputs(".</p>\n", out);
    }
    if (f->empty[0])
        fprintf(out, "<p class=\"soft\">Without a flow: %s.</p>\n", f->empty);
    fprintf(out, "<p class=\"soft\">%s</p>\n</section>\n", note);
    free(svg);
    gi_figures_release(f);
}
