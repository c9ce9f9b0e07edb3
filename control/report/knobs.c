// The page of what conclusions depend on, out of the knobs.json of several runs.
#include <string.h>

#include "control/client/value.h"
#include "control/report/cells.h"
#include "control/report/page.h"
#include "control/report/sections.h"
#include "control/report/tornado.h"

static const struct cells_column conclusions[] = {{"figure", NULL, "figure", NULL},
                                                  {"conclusion", NULL, "what", "wrap"},
                                                  {"at the base", NULL, "ours", NULL},
                                                  {"", "base", NULL, NULL},
                                                  {"met", NULL, "band", NULL},
                                                  {"what it depends on", NULL, "says", "wrap"},
                                                  {NULL, NULL, NULL, NULL}};

static const struct cells_column knobs[] = {
    {"knob", NULL, "name", "wrap"}, {"base", NULL, "base", NULL},        {"low", NULL, "low", NULL},
    {"high", NULL, "high", NULL},   {"why these", NULL, "from", "wrap"}, {NULL, NULL, NULL, NULL}};

static bool moves(const struct json_object *knob)
{
    return value_is_true(value_in(value_in(knob, "low"), "moves")) ||
           value_is_true(value_in(value_in(knob, "high"), "moves"));
}

static void put_still(const struct json_object *of, FILE *out)
{
    const char *between = "<p class=\"soft\">Without any effect: ";
    for (size_t i = 0; i < value_count(of); i++) {
        if (moves(value_at(of, i)))
            continue;
        fputs(between, out);
        cells_put(value_at(of, i), "name", out);
        between = ", ";
    }
    if (*between == ',')
        fputs(".</p>", out);
}

static void put_figure(const struct json_object *one, FILE *out)
{
    fputs("<figure><h3>", out);
    cells_put(one, "figure", out);
    fputs(": ", out);
    cells_put(one, "what", out);
    fputs("</h3>\n", out);
    tornado_draw(one, out);
    fputs("<p>", out);
    cells_put(one, "says", out);
    fputs("</p>", out);
    put_still(value_in(one, "knobs"), out);
    fputs("</figure>\n", out);
}

static int put_paper(const char *dir, FILE *out, char error[PAGE_ERROR_OCTETS])
{
    struct json_object *file = runs_json(dir, strlen(dir), "knobs", error);
    char title[PAGE_ERROR_OCTETS];
    const char *slash = strrchr(dir, '/');
    if (!file) {
        if (!error[0])
            snprintf(error, PAGE_ERROR_OCTETS, "%.400s: no knobs.json", dir);
        return -1;
    }
    const struct json_object *list = value_in(file, "conclusions");
    fputs("<section><h2>", out);
    section_escape(value_printable(slash ? slash + 1 : dir, title, sizeof title), out);
    fputs("</h2>\n", out);
    cells_table(conclusions, list, out);
    fputs("<div class=\"figures\">\n", out);
    for (size_t i = 0; i < value_count(list); i++)
        put_figure(value_at(list, i), out);
    fputs("</div>\n", out);
    fputs("<h3>Knobs</h3>\n", out);
    cells_table(knobs, value_in(file, "knobs"), out);
    section_origin(file, out);
    fputs("</section>\n", out);
    value_free(file);
    return 0;
}

int page_knobs(FILE *out, const char *const *dirs, uint32_t count, char error[PAGE_ERROR_OCTETS])
{
    int fault = 0;
    error[0] = '\0';
    section_begin("What the conclusions depend on", out);
    fputs("<p>One knob at a time is set to its low and its high setting, all others stay at the "
          "base. The upper bar of a knob is its low setting, the lower bar its high one, from the "
          "value at the base (the upright line) to the mean over the seeds; the thin line is the "
          "95 % interval of that mean, if there are several seeds. In the shaded band the row of "
          "the targets is met. A bar has "
          "a colour where the verdict is not that of the base: red, no longer met; green, met. A "
          "pale bar's interval reaches over the bound. Below a knob's name is its base.</p>\n",
          out);
    for (uint32_t i = 0; i < count && !fault; i++)
        fault = put_paper(dirs[i], out, error);
    section_end(out);
    return fault;
}
