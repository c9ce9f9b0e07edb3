// See sections.h: the means of several runs over their seeds, with their 95 % confidence interval.
#include "control/report/sections.h"

#include "control/client/value.h"

static const struct {
    const char *name, *head;
    double scale;
    int decimals;
} figures[] = {{"packets", "delivered", 1, 1},
               {"dropped", "dropped in the SGSN", 1, 1},
               {"marks", "marked", 1, 1},
               {"goodput_bit_per_s", "goodput, kbit/s", 1e-3, 3},
               {"delay_p50_ms", "delay p50, ms", 1, 1},
               {"delay_p95_ms", "p95, ms", 1, 1},
               {"delay_p99_ms", "p99, ms", 1, 1}};
#define FIGURES (sizeof figures / sizeof figures[0])

static void put_text(const struct json_object *object, const char *name, FILE *out)
{
    char text[64];
    fputs("<td>", out);
    section_escape(value_text(object, name, text, sizeof text), out);
    fputs("</td>", out);
}

// The member with a figure's decimals, in its unit; "": there is none.
static const char *round_member(const struct json_object *of, const char *name, size_t i,
                                char digits[64])
{
    if (*value_digits(of, name, digits, 64))
        snprintf(digits, 64, "%.*f", figures[i].decimals, value_real(of, name) * figures[i].scale);
    return digits;
}

static void put_figure(const struct json_object *of, size_t i, FILE *out)
{
    char digits[64];
    fputs("<td class=\"n\">", out);
    section_digits(round_member(of, "mean", i, digits), out);
    if (value_real(of, "ci95") > 0) { // 0: no seed moves it
        round_member(of, "ci95", i, digits);
        fputs(" <span class=\"soft\">&plusmn; ", out);
        section_digits(digits, out);
        fputs("</span>", out);
    }
    fputs("</td>", out);
}

struct walk {
    const struct json_object *group;
    bool has_variant, has_point;
    FILE *out;
};

static void put_class(void *self, const char *class, struct json_object *of_class)
{
    const struct walk *w = self;
    char digits[24];
    fputs("<tr>", w->out);
    if (w->has_variant)
        put_text(w->group, "variant", w->out);
    if (w->has_point)
        put_text(w->group, "point", w->out);
    fputs("<td>", w->out);
    section_escape(class, w->out);
    const struct json_object *packets = value_in(of_class, "packets");
    fprintf(w->out, "</td><td class=\"n\">%s</td>",
            value_digits(packets, "runs", digits, sizeof digits));
    for (size_t i = 0; i < FIGURES; i++)
        put_figure(value_in(of_class, figures[i].name), i, w->out);
    fputs("</tr>\n", w->out);
}

static void put_missing(const struct json_object *summary, const struct runs *runs, FILE *out)
{
    size_t missing = value_count(value_in(summary, "missing"));
    size_t all = value_count(value_in(summary, "runs"));
    if (missing)
        fprintf(out, "<p class=\"bad\">%zu of %zu runs are missing, or not complete.</p>\n",
                missing, all);
    if (runs->count == RUNS_MAX && all > RUNS_MAX)
        fprintf(out, "<p class=\"bad\">Below are the first %d runs; the means are of all.</p>\n",
                RUNS_MAX);
}

static void put_table(const struct json_object *summary, const struct runs *runs, FILE *out)
{
    const struct json_object *groups = value_in(summary, "variants");
    struct walk walk = {value_at(groups, 0), false, false, out};
    walk.has_variant = value_in(walk.group, "variant") != NULL;
    walk.has_point = value_in(walk.group, "point") != NULL;
    fputs("<section><h2>Means over the seeds</h2>\n", out);
    put_missing(summary, runs, out);
    fputs("<div class=\"wide\"><table><thead><tr>", out);
    fprintf(out, "%s%s<th>class</th><th class=\"n\">runs</th>",
            walk.has_variant ? "<th>variant</th>" : "", walk.has_point ? "<th>point</th>" : "");
    for (size_t i = 0; i < FIGURES; i++)
        fprintf(out, "<th class=\"n\">%s</th>", figures[i].head);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < value_count(groups); i++) {
        walk.group = value_at(groups, i);
        value_members(value_in(walk.group, "classes"), put_class, &walk);
    }
    fputs("</tbody></table></div>\n<p class=\"soft\">With the 95 % confidence interval of the "
          "mean; a figure without: all runs are alike in it, or there is one.</p></section>\n",
          out);
}

void section_means(const struct runs *runs, FILE *out)
{
    for (uint32_t i = 0; i < runs->gathers; i++)
        put_table(runs->gathered[i], runs, out);
}
