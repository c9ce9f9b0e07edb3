// The page of what conclusions depend on, out of the knobs.json of several runs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/page.h"
#include "control/report/sections.h"
#include "control/report/tornado.h"

#define TEXT_ROOM 2048 // a sentence names settings

static void put_cell(const struct json_object *of, const char *name, const char *class, FILE *out)
{
    char text[TEXT_ROOM];
    fprintf(out, "<td%s>", class);
    section_escape(value_text(of, name, text, sizeof text), out);
    fputs("</td>", out);
}

static void begin_table(const char *const *heads, size_t count, FILE *out)
{
    fputs("<div class=\"wide\"><table><thead><tr>", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "<th>%s</th>", heads[i]);
    fputs("</tr></thead><tbody>\n", out);
}

static const char *class_of(const struct json_object *base)
{
    char verdict[16];
    bool met = strcmp(value_text(base, "verdict", verdict, sizeof verdict), "met") == 0;
    return met ? " class=\"good\"" : " class=\"bad\"";
}

static void put_conclusions(const struct json_object *list, FILE *out)
{
    static const char *const heads[] = {"figure", "conclusion", "at the base",
                                        "",       "met",        "what it depends on"};
    begin_table(heads, 6, out);
    for (size_t i = 0; i < value_count(list); i++) {
        const struct json_object *one = value_at(list, i), *base = value_in(one, "base");
        fputs("<tr>", out);
        put_cell(one, "figure", "", out);
        put_cell(one, "what", " class=\"wrap\"", out);
        put_cell(one, "ours", "", out);
        put_cell(base, "verdict", class_of(base), out);
        put_cell(one, "band", "", out);
        put_cell(one, "says", " class=\"wrap\"", out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void put_knobs(const struct json_object *knobs, FILE *out)
{
    static const char *const heads[] = {"knob", "base", "low", "high", "why these"};
    fputs("<h3>Knobs</h3>\n", out);
    begin_table(heads, 5, out);
    for (size_t i = 0; i < value_count(knobs); i++) {
        const struct json_object *knob = value_at(knobs, i);
        fputs("<tr>", out);
        put_cell(knob, "name", " class=\"wrap\"", out);
        put_cell(knob, "base", "", out);
        put_cell(knob, "low", "", out);
        put_cell(knob, "high", "", out);
        put_cell(knob, "from", " class=\"wrap\"", out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static bool moves(const struct json_object *knob)
{
    return value_is_true(value_in(value_in(knob, "low"), "moves")) ||
           value_is_true(value_in(value_in(knob, "high"), "moves"));
}

static void put_still(const struct json_object *knobs, FILE *out)
{
    const char *between = "<p class=\"soft\">Without any effect: ";
    for (size_t i = 0; i < value_count(knobs); i++) {
        char name[TEXT_ROOM];
        if (moves(value_at(knobs, i)))
            continue;
        fputs(between, out);
        section_escape(value_text(value_at(knobs, i), "name", name, sizeof name), out);
        between = ", ";
    }
    if (*between == ',')
        fputs(".</p>", out);
}

static void put_figure(const struct json_object *one, FILE *out)
{
    char text[TEXT_ROOM];
    fputs("<figure><h3>", out);
    section_escape(value_text(one, "figure", text, sizeof text), out);
    fputs(": ", out);
    section_escape(value_text(one, "what", text, sizeof text), out);
    fputs("</h3>\n", out);
    tornado_draw(one, out);
    fputs("<p>", out);
    section_escape(value_text(one, "says", text, sizeof text), out);
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
    put_conclusions(list, out);
    fputs("<div class=\"figures\">\n", out);
    for (size_t i = 0; i < value_count(list); i++)
        put_figure(value_at(list, i), out);
    fputs("</div>\n", out);
    put_knobs(value_in(file, "knobs"), out);
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
    fputs("</main></body></html>\n", out);
    return fault;
}
