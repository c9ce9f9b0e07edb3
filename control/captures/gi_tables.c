// See gi_tables.h.
#include "control/captures/gi_tables.h"

#include <math.h>
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

void gi_figure_name(const char *key, FILE *out)
{
    bool is_b = strncmp(key, "b_", 2) == 0, of_b = strncmp(key, "deviation_b_", 12) == 0;
    const char *from = of_b ? key + 12 : is_b ? key + 2 : key;
    char name[TEXT_ROOM];
    snprintf(name, sizeof name, "%s%.*s", of_b ? "deviation of " : "", (int)strcspn(from, "_"),
             from);
    section_escape(name, out);
    fputs(gi_unit_texts[gi_unit_of(key)], out);
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
    section_figures(f->figure, f->count, NULL, out);
    if (f->empty[0])
        fprintf(out, "<p class=\"soft\">Without a flow: %s.</p>\n", f->empty);
    fprintf(out, "<p class=\"soft\">%s</p>\n</section>\n", note);
    gi_figures_release(f);
}
