// See outcomes.h.
#include "control/report/outcomes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/sections.h"

#define VALUE_MOST 1e15
#define ROUNDING   1e-9 // the summary's figures are coarser; less is of the arithmetic

#define TIME(key, text, first, samples)                                            \
    {                                                                              \
        "applications", key, text, "ms", 1, -1, false, first, true, samples, false \
    }
#define COUNT(key, text)                                                    \
    {                                                                       \
        "applications", key, text, "", 1, 1, true, false, false, NULL, true \
    }
#define OF_CLASS(key, text, unit, scale, better, counted, first)                      \
    {                                                                                 \
        "classes", key, text, unit, scale, better, counted, first, false, NULL, false \
    }

#define OF_PHONES(key, text)                                            \
    {                                                                   \
        "lab", key, text, "ms", 1, -1, false, false, false, NULL, false \
    }

// Of drops and marks more is neither better nor worse: they are how an AQM speaks.
static const struct outcomes_kind kinds[] = {
    TIME("round_trip_p95_ms", "round trip p95", true, "round_trips"),
    TIME("round_trip_mean_ms", "round trip mean", false, "round_trips"),
    TIME("page_mean_ms", "page time mean", true, "pages"),
    TIME("page_p95_ms", "page time p95", false, "pages"),
    TIME("transfer_mean_ms", "transfer mean", true, "transfers"),
    TIME("transfer_p95_ms", "transfer p95", false, "transfers"),
    TIME("object_mean_ms", "object mean", false, "objects"),
    TIME("object_p95_ms", "object p95", false, "objects"),
    COUNT("round_trips", "pings answered"),
    COUNT("pages", "pages finished"),
    COUNT("transfers", "transfers finished"),
    {"applications", "goodput_bit_per_s", "goodput", "kbit/s", 1e-3, 1, true, true, false, NULL,
     false},
    {"applications", "timeouts", "TCP timeouts", "", 1, -1, false, false, false, NULL, false},
    {"applications", "retransmitted_segments", "segments sent again", "", 1, -1, false, false,
     false, NULL, false},
    OF_CLASS("goodput_bit_per_s", "goodput", "kbit/s", 1e-3, 1, true, false),
    OF_CLASS("delay_p50_ms", "delay p50", "ms", 1, -1, false, false),
    OF_CLASS("delay_p95_ms", "delay p95", "ms", 1, -1, false, true),
    OF_CLASS("delay_p99_ms", "delay p99", "ms", 1, -1, false, false),
    OF_CLASS("packets", "packets delivered", "", 1, 0, true, false),
    OF_CLASS("dropped", "dropped in the SGSN", "", 1, 0, true, false),
    OF_CLASS("marks", "marked", "", 1, 0, true, false),
    OF_PHONES("attach_mean_ms", "attach mean"),
    OF_PHONES("attach_p95_ms", "attach p95"),
    OF_PHONES("context_mean_ms", "context mean"),
    OF_PHONES("context_p95_ms", "context p95"),
    OF_PHONES("first_octet_mean_ms", "first octet mean"),
    OF_PHONES("first_octet_p95_ms", "first octet p95"),
};
#define KINDS (sizeof kinds / sizeof kinds[0])

// ---- Groups ----

void outcomes_label(const struct json_object *of, char variant[OUTCOMES_LABEL_OCTETS],
                    char point[OUTCOMES_LABEL_OCTETS])
{
    char own[OUTCOMES_LABEL_OCTETS];
    value_text(of, "variant", variant, OUTCOMES_LABEL_OCTETS);
    value_text(of, "point", point, OUTCOMES_LABEL_OCTETS);
    value_text(of, "own_point", own, sizeof own);
    size_t name = strlen(variant), all = strlen(point), end = strlen(own);
    if (end == 0 || end > all || strcmp(point + all - end, own) != 0)
        return;
    snprintf(variant + name, OUTCOMES_LABEL_OCTETS - name, " %s", own);
    point[all > end ? all - end - 1 : 0] = '\0'; // and the comma before it
}

// `most`: there is no room for another name.
static uint32_t number_of(char (*names)[OUTCOMES_LABEL_OCTETS], uint32_t *count, uint32_t most,
                          const char text[OUTCOMES_LABEL_OCTETS])
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    if (*count == most)
        return most;
    strcpy(names[*count], text);
    return (*count)++;
}

// Of a sweep with more points than there is room for, the first of each variant.
static void read_groups(struct outcomes *o, const struct json_object *list)
{
    for (size_t i = 0; i < value_count(list) && o->groups < OUTCOMES_GROUPS_MAX; i++) {
        struct outcomes_group group = {.json = value_at(list, i)};
        char variant[OUTCOMES_LABEL_OCTETS], point[OUTCOMES_LABEL_OCTETS];
        outcomes_label(group.json, variant, point);
        group.variant = number_of(o->variant, &o->variants, OUTCOMES_VARIANTS_MAX, variant);
        group.point = number_of(o->point, &o->points, OUTCOMES_POINTS_MAX, point);
        if (group.variant < OUTCOMES_VARIANTS_MAX && group.point < OUTCOMES_POINTS_MAX)
            o->group[o->groups++] = group;
    }
    o->more = o->groups < value_count(list);
}

// ---- Axes ----

static uint32_t value_number_of(struct outcomes_axis *axis, const char *text)
{
    for (uint32_t i = 0; i < axis->values; i++)
        if (strcmp(axis->value[i], text) == 0)
            return i;
    if (axis->values == OUTCOMES_POINTS_MAX)
        return 0; // more than points: the file is wrong
    snprintf(axis->value[axis->values], OUTCOMES_LABEL_OCTETS, "%s", text);
    return axis->values++;
}

// Each group has the values of the same axes, by name.
static void read_axes(struct outcomes *o)
{
    const struct json_object *first = o->groups ? value_in(o->group[0].json, "axes") : NULL;
    if (!value_is_object(first) || value_size(first) > OUTCOMES_AXES_MAX)
        return;
    for (size_t i = 0; i < value_size(first); i++) {
        struct outcomes_axis *axis = &o->axis[o->axes];
        const char *key = value_key(first, i);
        value_printable(key, axis->name, sizeof axis->name);
        for (uint32_t g = 0; g < o->groups; g++) {
            char text[OUTCOMES_LABEL_OCTETS];
            value_text(value_in(o->group[g].json, "axes"), key, text, sizeof text);
            o->at[o->group[g].point][o->axes] = value_number_of(axis, text);
        }
        o->axes++;
    }
}

static const struct outcomes_group *group_at(const struct outcomes *o, uint32_t variant,
                                             uint32_t point)
{
    for (uint32_t i = 0; i < o->groups; i++)
        if (o->group[i].variant == variant && o->group[i].point == point)
            return &o->group[i];
    return NULL;
}

// NULL: it is of none that was read.
static struct outcomes_group *group_of(const struct outcomes *o, const struct json_object *run)
{
    char variant[OUTCOMES_LABEL_OCTETS], point[OUTCOMES_LABEL_OCTETS];
    outcomes_label(run, variant, point);
    for (uint32_t i = 0; i < o->groups; i++)
        if (strcmp(o->variant[o->group[i].variant], variant) == 0 &&
            strcmp(o->point[o->group[i].point], point) == 0)
            return &o->group[i];
    return NULL;
}

// The list has the runs of each group behind each other.
static void find_runs(struct outcomes *o)
{
    for (size_t run = 0; run < value_count(o->list); run++) {
        struct outcomes_group *group = group_of(o, value_at(o->list, run));
        if (!group || (group->runs && group->run + group->runs != run))
            continue;
        if (group->runs == 0)
            group->run = run;
        if (++group->runs > o->seeds)
            o->seeds = (uint32_t)group->runs;
    }
    for (uint32_t i = 0; i < o->groups; i++)
        o->uneven |= o->group[i].runs < o->seeds;
}

// ---- Outcomes ----

struct subjects {
    char name[OUTCOMES_SUBJECTS_MAX][OUTCOMES_NAME_OCTETS];
    uint32_t count;
};

static void take_subject(void *self, const char *name, struct json_object *member)
{
    struct subjects *s = self;
    (void)member;
    for (uint32_t i = 0; i < s->count; i++)
        if (strcmp(s->name[i], name) == 0)
            return;
    if (s->count < OUTCOMES_SUBJECTS_MAX && strlen(name) < OUTCOMES_NAME_OCTETS)
        strcpy(s->name[s->count++], name);
}

static struct statistics figure_of(const struct outcomes_group *group, const struct outcome *of)
{
    const struct outcomes_kind *kind = of->kind;
    const struct json_object *subject = value_in(value_in(group->json, kind->set), of->subject);
    const struct json_object *figure = value_in(subject, kind->key);
    struct statistics s = {.mean = value_as_real(value_in(figure, "mean"))};
    double ci95 = value_as_real(value_in(figure, "ci95"));
    s.batches = value_has(figure, "batches");
    s.too_short = value_is_true(value_in(figure, "too_short"));
    uint64_t n = value_number(figure, s.batches ? "batches" : "runs");
    if (!(fabs(s.mean) < VALUE_MOST))
        return (struct statistics){0};
    s.n = n < UINT32_MAX ? (uint32_t)n : 0;
    s.mean *= kind->scale;
    if (s.n > 1 && ci95 > 0 && ci95 < VALUE_MOST)
        s.ci95 = ci95 * kind->scale;
    return s;
}

// Of what none had at all, such as pages of pings, there is no count.
static bool has_any(const struct outcomes *o, const struct outcome *of)
{
    for (uint32_t i = 0; i < o->groups; i++) {
        struct statistics s = figure_of(&o->group[i], of);
        if (s.n > 0 && (s.mean != 0 || !of->kind->counts))
            return true;
    }
    return false;
}

static void add_outcomes(struct outcomes *o, const char *set, const char *subject)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct outcome *of = &o->outcome[o->outcomes];
        *of = (struct outcome){.kind = &kinds[k]};
        strcpy(of->subject, subject);
        if (strcmp(kinds[k].set, set) == 0 && has_any(o, of))
            o->outcomes++;
        for (uint32_t i = 0; i < o->groups; i++)
            o->batches |= figure_of(&o->group[i], of).batches;
    }
}

// An answer is about times: an application's, and if it has none, its goodput; where no application
// has one, the delays of the classes, too.
static void choose_first(struct outcomes *o)
{
    bool any = false;
    for (uint32_t i = 0; i < o->outcomes; i++)
        any |= o->outcome[i].kind->time;
    for (uint32_t i = 0; i < o->outcomes; i++) {
        struct outcome *of = &o->outcome[i];
        bool timed = strcmp(of->kind->set, "classes") == 0 && any;
        for (uint32_t k = 0; !of->kind->time && k < o->outcomes; k++)
            timed |= strcmp(o->outcome[k].kind->set, of->kind->set) == 0 &&
                     strcmp(o->outcome[k].subject, of->subject) == 0 && o->outcome[k].kind->time;
        of->first = of->kind->first && !timed;
    }
}

bool outcomes_read(struct outcomes *o, const struct json_object *summary)
{
    static const char *const sets[] = {"applications", "classes", "lab"};
    const int count = sizeof sets / sizeof sets[0];
    *o = (struct outcomes){.list = value_in(summary, "runs")};
    o->group = calloc(OUTCOMES_GROUPS_MAX, sizeof *o->group);
    o->outcome = calloc((size_t)count * OUTCOMES_SUBJECTS_MAX * KINDS + 1, sizeof *o->outcome);
    o->variant = calloc(OUTCOMES_VARIANTS_MAX, sizeof *o->variant);
    o->point = calloc(OUTCOMES_POINTS_MAX, sizeof *o->point);
    o->axis = calloc(OUTCOMES_AXES_MAX, sizeof *o->axis);
    o->at = calloc(OUTCOMES_POINTS_MAX, sizeof *o->at);
    if (!o->group || !o->outcome || !o->variant || !o->point || !o->axis || !o->at)
        return false;
    read_groups(o, value_in(summary, "variants"));
    read_axes(o);
    find_runs(o);
    for (int i = 0; i < count; i++) {
        struct subjects subjects = {.count = 0};
        for (uint32_t g = 0; g < o->groups; g++)
            value_members(value_in(o->group[g].json, sets[i]), take_subject, &subjects);
        for (uint32_t s = 0; s < subjects.count; s++)
            add_outcomes(o, sets[i], subjects.name[s]);
    }
    choose_first(o);
    return true;
}

void outcomes_release(struct outcomes *o)
{
    free(o->group);
    free(o->outcome);
    free(o->variant);
    free(o->point);
    free(o->axis);
    free(o->at);
    *o = (struct outcomes){0};
}

// ---- Comparing ----

struct statistics outcomes_at(const struct outcomes *o, uint32_t outcome, uint32_t variant,
                              uint32_t point)
{
    const struct outcomes_group *group = group_at(o, variant, point);
    return group ? figure_of(group, &o->outcome[outcome]) : (struct statistics){0};
}

// NAN: the run has none.
static double value_of(const struct json_object *run, const struct outcome *of)
{
    const struct outcomes_kind *kind = of->kind;
    const struct json_object *subject = value_in(value_in(run, kind->set), of->subject);
    if (!value_is_true(value_in(run, "complete")))
        return NAN;
    if (!subject && kind->counted)
        return 0;
    double value = value_as_real(value_in(subject, kind->key));
    return fabs(value) < VALUE_MOST ? value * kind->scale : NAN;
}

// NULL: the group has none of that seed. near: its number, if both groups have the same seeds.
static const struct json_object *run_of_seed(const struct outcomes *o,
                                             const struct outcomes_group *group, uint64_t seed,
                                             size_t near)
{
    for (size_t i = 0; i < group->runs; i++) {
        const struct json_object *run = value_at(o->list, group->run + (near + i) % group->runs);
        if (value_number(run, "seed") == seed)
            return run;
    }
    return NULL;
}

static struct statistics difference_of(const struct outcomes *o, const struct outcome *of,
                                       const struct outcomes_group *one,
                                       const struct outcomes_group *other)
{
    double *samples = calloc(one->runs + 1, sizeof *samples);
    uint32_t n = 0;
    for (size_t i = 0; samples && i < one->runs; i++) {
        const struct json_object *a = value_at(o->list, one->run + i);
        const struct json_object *b = run_of_seed(o, other, value_number(a, "seed"), i);
        double difference = b ? value_of(a, of) - value_of(b, of) : NAN;
        if (!isnan(difference))
            samples[n++] = difference;
    }
    struct statistics s = samples ? statistics_of(samples, n) : (struct statistics){0};
    if (s.ci95 < ROUNDING)
        s.ci95 = 0;
    free(samples);
    return s;
}

static enum outcomes_verdict compare(const struct outcomes *o, uint32_t outcome, uint32_t variant,
                                     uint32_t other, uint32_t point, uint32_t at_once,
                                     struct statistics *difference)
{
    const struct outcome *of = &o->outcome[outcome];
    const struct outcomes_group *a = group_at(o, variant, point), *b = group_at(o, other, point);
    // Who has none at any seed has nothing to compare, and not 0.
    bool both = a && b && figure_of(a, of).n > 0 && figure_of(b, of).n > 0;
    *difference = both ? difference_of(o, of, a, b) : (struct statistics){0};
    if (difference->n < 2 || of->kind->better == 0)
        return OUTCOMES_UNKNOWN;
    if (at_once > 1)
        difference->ci95 *=
            statistics_t_of(difference->n - 1, at_once) / statistics_t975(difference->n - 1);
    if (!(fabs(difference->mean) > difference->ci95))
        return OUTCOMES_SAME;
    return difference->mean * of->kind->better > 0 ? OUTCOMES_BETTER : OUTCOMES_WORSE;
}

enum outcomes_verdict outcomes_compare(const struct outcomes *o, uint32_t outcome, uint32_t variant,
                                       uint32_t other, uint32_t point,
                                       struct statistics *difference)
{
    return compare(o, outcome, variant, other, point, 1, difference);
}

// How many variants have the outcome there.
static uint32_t having(const struct outcomes *o, uint32_t outcome, uint32_t point)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < o->variants; v++)
        n += outcomes_at(o, outcome, v, point).n > 0;
    return n;
}

enum outcomes_verdict outcomes_compare_best(const struct outcomes *o, uint32_t outcome,
                                            uint32_t variant, uint32_t best, uint32_t point,
                                            struct statistics *difference)
{
    uint32_t n = having(o, outcome, point);
    return compare(o, outcome, variant, best, point, n * (n - 1) / 2, difference);
}

bool outcomes_samples(const struct outcomes *o, uint32_t outcome, uint32_t point, double *least,
                      double *most)
{
    const struct outcome *of = &o->outcome[outcome];
    *least = INFINITY;
    *most = 0;
    for (uint32_t i = 0; of->kind->samples && i < o->outcomes; i++) {
        if (strcmp(o->outcome[i].kind->key, of->kind->samples) != 0 ||
            strcmp(o->outcome[i].subject, of->subject) != 0)
            continue;
        for (uint32_t v = 0; v < o->variants; v++) {
            struct statistics s = outcomes_at(o, i, v, point);
            if (s.n == 0)
                continue;
            double of_run = s.batches ? s.mean * s.n : s.mean;
            *least = fmin(*least, of_run);
            *most = fmax(*most, of_run);
        }
    }
    return *most > 0;
}

uint32_t outcomes_best(const struct outcomes *o, uint32_t outcome, uint32_t point)
{
    int better = o->outcome[outcome].kind->better;
    uint32_t best = UINT32_MAX;
    double found = -INFINITY;
    for (uint32_t v = 0; v < o->variants; v++) {
        struct statistics s = outcomes_at(o, outcome, v, point);
        if (s.n > 0 && s.mean * better > found) {
            found = s.mean * better;
            best = v;
        }
    }
    return best;
}

bool outcomes_is_best(const struct outcomes *o, uint32_t outcome, uint32_t variant, uint32_t point)
{
    uint32_t others = 0;
    if (outcomes_best(o, outcome, point) != variant)
        return false;
    for (uint32_t v = 0; v < o->variants; v++) {
        struct statistics difference;
        if (v == variant || outcomes_at(o, outcome, v, point).n == 0)
            continue;
        if (outcomes_compare_best(o, outcome, variant, v, point, &difference) != OUTCOMES_BETTER)
            return false;
        others++;
    }
    return others > 0;
}

// ---- Digits ----

// The decimals of so many significant digits, below 0 for tens and more.
static int decimals_of(double value, int digits)
{
    char text[OUTCOMES_DIGITS];
    snprintf(text, sizeof text, "%.*e", digits - 1, value); // rounded as it will be
    return digits - 1 - atoi(strchr(text, 'e') + 1);
}

static void put_decimals(double value, int decimals, char text[OUTCOMES_DIGITS])
{
    if (decimals < 0) {
        double step = pow(10, -decimals);
        value = round(value / step) * step;
    }
    snprintf(text, OUTCOMES_DIGITS, "%.*f", decimals > 0 ? decimals : 0, value);
}

void outcomes_digits(const struct statistics *s, char mean[OUTCOMES_DIGITS],
                     char interval[OUTCOMES_DIGITS])
{
    int decimals = s->mean == 0 ? 0 : decimals_of(s->mean, 3);
    decimals = decimals > 9 ? 9 : decimals;
    mean[0] = interval[0] = '\0';
    if (s->n == 0)
        return;
    put_decimals(s->mean, decimals, mean);
    if (!(s->ci95 > 0))
        return;
    put_decimals(s->ci95, decimals, interval);
    if (s->mean == 0 || atof(interval) == 0) {
        decimals = decimals_of(s->ci95, 2);
        put_decimals(s->ci95, decimals < 9 ? decimals : 9, interval);
    }
}

void outcomes_put(const struct statistics *s, const char *alike, FILE *out)
{
    char mean[OUTCOMES_DIGITS], interval[OUTCOMES_DIGITS];
    outcomes_digits(s, mean, interval);
    section_digits(mean, out);
    if (interval[0]) {
        fputs(" &plusmn; ", out);
        section_digits(interval, out);
    } else if (s->n > 1) {
        fputs(alike, out);
    }
}

void outcomes_put_seeds(const struct outcomes *o, FILE *out)
{
    fprintf(out, "%s%u seed%s of each", o->uneven ? "at most " : "", o->seeds,
            o->seeds == 1 ? "" : "s");
}
