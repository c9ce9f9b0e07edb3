// See sections.h. Every number is as the summary writes it, digit for digit.
#include "control/report/sections.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/cells.h"
#include "control/report/compared.h"
#include "control/report/outcomes.h"

#define TEXT_ROOM       512
#define DIGEST_SHOWN    12
#define OVERRIDES_SHOWN 3
#define OVERRIDES_MAX   256

void section_escape(const char *text, FILE *out)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            fputc(*text, out);
        }
}

// ---- Cells ----

void section_digits(const char *digits, FILE *out)
{
    size_t whole = strcspn(digits, ".");
    if (!*digits)
        fputs("&ndash;", out);
    for (size_t i = 0; digits[i]; i++) {
        if (i > 0 && i < whole && whole > 4 && (whole - i) % 3 == 0)
            fputs("&#8239;", out);
        fputc(digits[i], out);
    }
}

static void put_digits(const char *digits, FILE *out)
{
    fputs("<td class=\"n\">", out);
    section_digits(digits, out);
    fputs("</td>", out);
}

static void put_number(uint64_t number, FILE *out)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    put_digits(digits, out);
}

static void put_member(const struct json_object *object, const char *name, FILE *out)
{
    char digits[40];
    put_digits(value_digits(object, name, digits, sizeof digits), out);
}

static void put_kbit(uint64_t bit, FILE *out)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64 ".%03" PRIu64, bit / 1000, bit % 1000);
    put_digits(digits, out);
}

// A head that begins with '=' is over text, the others over numbers.
static void begin_table(const char *title, const struct runs *runs, const char *first,
                        const char *const *heads, uint32_t count, FILE *out)
{
    fprintf(out, "<section><h2>%s</h2>", title);
    cells_begin(out);
    if (first)
        fprintf(out, "<th>%s</th>", first);
    if (runs->count > 1)
        fputs("<th>run</th>", out);
    for (uint32_t i = 0; i < count; i++)
        cells_head(heads[i], out);
    cells_body(out);
}

static void end_table(FILE *out)
{
    fputs("</tbody></table></div></section>\n", out);
}

static void put_run(const struct runs *runs, uint32_t run, FILE *out)
{
    if (runs->count > 1)
        cells_text(runs->run[run].label, NULL, out);
}

// ---- What was run ----

static const char *scenario_of(const struct runs_run *run, char text[TEXT_ROOM])
{
    value_text(run->summary, "scenario", text, TEXT_ROOM);
    return *text ? text : run->label;
}

void section_head(const struct runs *runs, FILE *out)
{
    char text[TEXT_ROOM], other[TEXT_ROOM], title[RUNS_LABEL_OCTETS + 32];
    bool one = true;
    const char *scenario = scenario_of(&runs->run[0], text);
    for (uint32_t i = 1; i < runs->count; i++)
        one &= strcmp(scenario, scenario_of(&runs->run[i], other)) == 0;
    snprintf(title, sizeof title, "%s", scenario);
    if (runs->count > 1)
        snprintf(title, sizeof title, "%s%s%u runs side by side", one ? scenario : "",
                 one ? ": " : "", runs->count);
    section_begin(title, out);
}

static bool is_true(const struct json_object *object, const char *name)
{
    return value_is_true(value_in(object, name));
}

static void put_verdict(const struct json_object *summary, FILE *out)
{
    static const char *const words[][3] = {{"complete", "complete", "not complete"},
                                           {"sound", "every packet accounted for", "NOT SOUND"}};
    fputs("<td>", out);
    for (int i = 0; i < 2; i++) {
        bool good = is_true(summary, words[i][0]);
        fprintf(out, "%s<span class=\"%s\">%s</span>", i ? ", " : "", good ? "good" : "bad",
                words[i][good ? 1 : 2]);
    }
    fputs("</td>", out);
}

// Its beginning; a pointer over it shows all.
static void put_digest(const struct json_object *summary, FILE *out)
{
    char digest[TEXT_ROOM];
    value_text(summary, "config_sha256", digest, sizeof digest);
    fputs("<code title=\"", out);
    section_escape(digest, out);
    fputs("\">", out);
    digest[DIGEST_SHOWN] = '\0';
    section_escape(digest, out);
    fputs("</code>", out);
}

// The seconds by the run's clock, without noughts at their end.
static void put_time(const struct json_object *summary, FILE *out)
{
    const char *name = value_in(summary, "virtual_s") ? "virtual_s" : "real_s";
    char digits[40], text[80];
    value_digits(summary, name, digits, sizeof digits);
    for (size_t n = strlen(digits); strchr(digits, '.') && strchr("0.", digits[n - 1]); n--)
        digits[n - 1] = '\0';
    put_digits(digits, out);
    value_digits(summary, "warmup_s", digits, sizeof digits);
    snprintf(text, sizeof text, "%s%s%.*s%s", name[0] == 'v' ? "virtual" : "real",
             *digits ? ", warm-up " : "", (int)(strcspn(digits, ".") + 4), digits,
             *digits ? " s" : "");
    cells_text(text, NULL, out);
}

// The overrides, a list of texts; folded, if there are many.
static void put_overrides(const struct json_object *overrides, FILE *out)
{
    char text[TEXT_ROOM];
    size_t count = value_count(overrides);
    bool folded = count > OVERRIDES_SHOWN;
    fputs("<td>", out);
    if (folded)
        fprintf(out, "<details><summary>%zu</summary>", count);
    for (size_t i = 0; i < count && i < OVERRIDES_MAX; i++) {
        fputs(i ? "<br><code>" : "<code>", out);
        section_escape(value_printable(value_text_at(overrides, i), text, sizeof text), out);
        fputs("</code>", out);
    }
    fputs(folded ? "</details></td>" : count ? "</td>" : "none</td>", out);
}

void section_runs(const struct runs *runs, FILE *out)
{
    static const char *const heads[] = {"seed",     "seconds",        "=clock",    "=result",
                                        "=version", "=configuration", "=overrides"};
    bool has_origin = value_in(runs->run[0].summary, "version") != NULL;
    // Those of several runs of one command are in section_settings.
    bool has_overrides = runs->loose;
    begin_table("What was run", runs, "scenario", heads, has_origin ? 6 + has_overrides : 4, out);
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct json_object *summary = runs->run[i].summary;
        fputs("<tr>", out);
        cells_member(summary, "scenario", NULL, out);
        put_run(runs, i, out);
        put_member(summary, "seed", out);
        put_time(summary, out);
        put_verdict(summary, out);
        if (has_origin) {
            cells_member(summary, "version", NULL, out);
            fputs("<td>", out);
            put_digest(summary, out);
            fputs("</td>", out);
            if (has_overrides)
                put_overrides(value_in(summary, "overrides"), out);
        }
        fputs("</tr>\n", out);
    }
    end_table(out);
}

void section_origin(const struct json_object *file, FILE *out)
{
    const struct json_object *origin = value_in(file, "origin");
    uint64_t first = value_number(origin, "first_seed"), last = value_number(origin, "last_seed");
    if (!value_is_object(origin))
        return;
    fputs("<p class=\"soft\">Scenario ", out);
    cells_put(origin, "scenario", out);
    fprintf(out, last > first ? ", seeds %" PRIu64 " to %" PRIu64 : ", seed %" PRIu64, first, last);
    fputs(", by Sluice ", out);
    cells_put(origin, "version", out);
    fputs(", configuration ", out);
    put_digest(origin, out);
    fputs(".</p>\n", out);
}

// ---- Classes ----

static void put_class(const struct runs *runs, const struct classes_row *row, FILE *out)
{
    fputs("<tr>", out);
    cells_text(row->class, NULL, out);
    put_run(runs, row->run, out);
    cells_text(row->direction, NULL, out);
    for (int i = 0; i < CLASSES_FIGURES; i++)
        if (i == CLASSES_GOODPUT && row->digits[i][0])
            put_kbit(strtoull(row->digits[i], NULL, 10), out);
        else
            put_digits(row->digits[i], out);
    fputs("</tr>\n", out);
}

// Rows that are to be compared are below each other: by class, direction, run.
void section_classes(const struct runs *runs, const struct classes *classes,
                     const struct curves *names, FILE *out)
{
    static const char *const ways[] = {"down", "up"};
    const char *heads[1 + CLASSES_FIGURES] = {"=direction"};
    memcpy(heads + 1, classes_heads, sizeof classes_heads);
    begin_table("Classes", runs, "class", heads, 1 + CLASSES_FIGURES, out);
    for (uint32_t class = 0; class < names->names[CURVES_CLASS]; class ++)
        for (int way = 0; way < 2; way++)
            for (uint32_t i = 0; i < classes->count; i++) {
                const struct classes_row *row = &classes->row[i];
                if (strcmp(row->class, names->name[CURVES_CLASS][class]) == 0 &&
                    strcmp(row->direction, ways[way]) == 0)
                    put_class(runs, row, out);
            }
    end_table(out);
}

// ---- Applications ----

#define APPLICATIONS_MAX 16
#define NAME_ROOM        64

// The kinds of all runs, in the order of their first run.
struct kinds {
    char name[APPLICATIONS_MAX][NAME_ROOM];
    uint32_t count;
};

static void take_kind(void *self, const char *name, struct json_object *member)
{
    struct kinds *kinds = self;
    (void)member;
    for (uint32_t i = 0; i < kinds->count; i++)
        if (strcmp(kinds->name[i], name) == 0)
            return;
    if (kinds->count < APPLICATIONS_MAX && strlen(name) < NAME_ROOM)
        strcpy(kinds->name[kinds->count++], name);
}

// A row for each time that the application of a run measures, or one row.
struct application {
    const struct runs *runs;
    uint32_t run, rows;
    const char *kind;
    struct json_object *of;
    FILE *out;
};

static void put_application(const struct application *a, const char *what,
                            const struct json_object *times)
{
    fputs("<tr>", a->out);
    cells_text(a->kind, NULL, a->out);
    put_run(a->runs, a->run, a->out);
    put_member(a->of, "count", a->out);
    put_kbit(value_number(a->of, "goodput_bit_per_s"), a->out);
    cells_text(what, NULL, a->out);
    put_member(times, "n", a->out);
    put_member(times, "mean", a->out);
    put_member(times, "p95", a->out);
    fputs("</tr>\n", a->out);
}

// The members that end in _ms are times. False: this one is none; else its name in words.
static bool is_time(const char *name, char what[NAME_ROOM])
{
    size_t length = strlen(name);
    if (length < 4 || length - 3 >= NAME_ROOM || strcmp(name + length - 3, "_ms") != 0)
        return false;
    memcpy(what, name, length - 3);
    what[length - 3] = '\0';
    for (char *c = what; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return true;
}

static void take_times(void *self, const char *name, struct json_object *member)
{
    struct application *a = self;
    char what[NAME_ROOM];
    if (!is_time(name, what))
        return;
    a->rows++;
    put_application(a, what, member);
}

void section_applications(const struct runs *runs, FILE *out)
{
    static const char *const heads[] = {"number",  "goodput, kbit/s", "=time of a",
                                        "samples", "mean, ms",        "p95, ms"};
    struct kinds kinds = {.count = 0};
    for (uint32_t i = 0; i < runs->count; i++)
        value_members(value_in(runs->run[i].summary, "applications"), take_kind, &kinds);
    if (kinds.count == 0)
        return;
    begin_table("Applications", runs, "application", heads, 6, out);
    for (uint32_t k = 0; k < kinds.count; k++)
        for (uint32_t i = 0; i < runs->count; i++) {
            struct application a = {runs, i, 0, kinds.name[k], NULL, out};
            a.of = value_in(value_in(runs->run[i].summary, "applications"), kinds.name[k]);
            value_members(a.of, take_times, &a);
            if (a.of && a.rows == 0)
                put_application(&a, "", NULL);
        }
    end_table(out);
}

// ---- Phones ----

// A row for each step of a run's phones.
static void put_phones(void *self, const char *name, struct json_object *times)
{
    static const char *const members[] = {"n", "mean", "p50", "p95", "p99", "max"};
    const struct application *a = self;
    char what[NAME_ROOM];
    if (!is_time(name, what))
        return;
    fputs("<tr>", a->out);
    cells_text(what, NULL, a->out);
    put_run(a->runs, a->run, a->out);
    put_member(a->of, "count", a->out);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        put_member(times, members[i], a->out);
    fputs("</tr>\n", a->out);
}

void section_phones(const struct runs *runs, FILE *out)
{
    static const char *const heads[] = {"phones",  "came so far", "mean, ms", "p50, ms",
                                        "p95, ms", "p99, ms",     "max, ms"};
    bool any = false;
    for (uint32_t i = 0; i < runs->count; i++)
        any |= value_in(runs->run[i].summary, "phones") != NULL;
    if (!any)
        return;
    begin_table("Phones, from when each is switched on", runs, "until the first", heads, 7, out);
    for (uint32_t i = 0; i < runs->count; i++) {
        struct application a = {runs, i, 0, NULL, value_in(runs->run[i].summary, "phones"), out};
        value_members(a.of, put_phones, &a);
    }
    end_table(out);
}

// ---- Batches ----

struct batches {
    const struct runs *runs;
    uint32_t run;
    const char *subject;
    FILE *out;
};

static void put_batches_of(void *self, const char *name, struct json_object *of)
{
    const struct batches *b = self;
    struct statistics s = compared_over_batches(of);
    if (s.n == 0)
        return;
    fputs("<tr>", b->out);
    cells_text(b->subject, NULL, b->out);
    put_run(b->runs, b->run, b->out);
    cells_text(name, NULL, b->out);
    put_number(s.n, b->out);
    fputs("<td class=\"n\">", b->out);
    outcomes_put(&s, "", b->out);
    fprintf(b->out, "</td><td class=\"n\">%.2f</td><td class=\"bad\">%s</td></tr>\n", s.lag1,
            s.too_short ? "batches too short" : "");
}

static void put_subject(void *self, const char *name, struct json_object *of)
{
    struct batches b = *(struct batches *)self;
    b.subject = name;
    value_members(of, put_batches_of, &b);
}

// As the summary has them, of each run that has some.
void section_batches(const struct runs *runs, FILE *out)
{
    static const char *const heads[] = {"=figure", "batches", "mean", "lag-1 autocorrelation", "="};
    bool any = false;
    for (uint32_t i = 0; i < runs->count; i++)
        any |= value_in(runs->run[i].summary, "batches") != NULL;
    if (!any)
        return;
    begin_table("Over the batches", runs, "class or application", heads, 5, out);
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct json_object *batches = value_in(runs->run[i].summary, "batches");
        for (int what = 0; what < COMPARED_BATCHED; what++)
            value_members(value_in(batches, compared_sets[what].key), put_subject,
                          &(struct batches){runs, i, NULL, out});
    }
    fputs("</tbody></table></div><p class=\"soft\">&plusmn;: the 95 % confidence interval of the "
          "mean over the batches of the run, as if each were a run; counts are of one batch. Where "
          "neighbours are alike, "
          "with an autocorrelation of more than 2/&radic;n, the batches are too short and the "
          "interval is too small.</p></section>\n",
          out);
}

// ---- Drops, balance ----

void section_drops(const struct runs *runs, const struct drops *drops, FILE *out)
{
    static const char *const heads[] = {"=class", "packets", "octets"};
    if (drops->count == 0) {
        fputs("<section><h2>Drops</h2><p>None.</p></section>\n", out);
        return;
    }
    begin_table("Drops", runs, "place and reason", heads, 3, out);
    for (uint32_t i = 0; i < drops->count; i++) {
        const struct drops_row *row = &drops->row[i];
        fputs("<tr>", out);
        cells_text(row->what, NULL, out);
        put_run(runs, row->run, out);
        cells_text(row->class, NULL, out);
        put_number(row->packets, out);
        put_number(row->octets, out);
        fputs("</tr>\n", out);
    }
    end_table(out);
}

static void put_ledger(const struct runs *runs, uint32_t run, const char *what,
                       const struct json_object *ledger, FILE *out)
{
    static const char *const names[] = {"in", "headers", "aside", "out", "dropped", "queued"};
    fputs("<tr>", out);
    cells_text(what, NULL, out);
    put_run(runs, run, out);
    for (int i = 0; i < 6; i++)
        put_member(ledger, names[i], out);
    fputs("</tr>\n", out);
}

void section_balance(const struct runs *runs, FILE *out)
{
    static const char *const heads[] = {"in",  "headers", "set aside",
                                        "out", "dropped", "still queued"};
    begin_table("Balance of the dataplane", runs, "", heads, 6, out);
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct json_object *down = value_in(runs->run[i].summary, "conservation");
        const struct json_object *up = value_in(down, "up");
        if (!value_is_object(down))
            continue;
        put_ledger(runs, i, "packets down", down, out);
        put_ledger(runs, i, "octets down", value_in(down, "octets"), out);
        if (value_number(up, "in") == 0)
            continue;
        put_ledger(runs, i, "packets up", up, out);
        put_ledger(runs, i, "octets up", value_in(up, "octets"), out);
    }
    end_table(out);
}
