// See loose.h.
#include "control/report/loose.h"

#include <math.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/compared.h"
#include "control/report/outcomes.h"
#include "control/report/runs.h"
#include "control/report/statistics.h"

static bool is_complete(const struct json_object *summary)
{
    return value_is_true(value_in(summary, "complete")) &&
           value_is_true(value_in(summary, "sound"));
}

// A class without traffic in a run had a goodput of 0 there, and no delay.
static double value_of(const struct json_object *subject, enum compared_what what, int figure)
{
    if (!subject)
        return compared_sets[what].figure[figure].member ? NAN : 0;
    return compared_value(subject, what, figure);
}

static void set_real(struct json_object *object, const char *name, double value)
{
    if (!isnan(value))
        value_set_real(object, name, value);
}

// ---- A run ----

static struct json_object *set_of(const struct json_object *summary, enum compared_what what)
{
    const struct compared_set *set = &compared_sets[what];
    struct json_object *subjects = compared_subjects(summary, what), *to = value_new();
    for (size_t i = 0; i < value_size(subjects) && i < OUTCOMES_SUBJECTS_MAX; i++) {
        struct json_object *figures = value_new();
        for (int f = 0; f < set->figures; f++)
            set_real(figures, set->figure[f].name, value_of(value_item(subjects, i), what, f));
        value_set(to, value_key(subjects, i), figures);
    }
    value_free(subjects);
    return to;
}

static void add_run(const struct runs *runs, const struct runs_run *run, struct json_object *list,
                    struct json_object *missing)
{
    struct json_object *to = value_new();
    bool complete = is_complete(run->summary);
    value_set_text(to, "variant", runs->variant[runs->group[run->group].variant]);
    value_set_number(to, "seed", value_number(run->summary, "seed"));
    if (complete)
        value_set(to, "complete", value_hold(value_in(run->summary, "complete")));
    else
        value_add(missing, to);
    for (int what = 0; complete && what < COMPARED_WHATS; what++)
        value_set(to, compared_sets[what].key, set_of(run->summary, (enum compared_what)what));
    value_add(list, to);
    value_free(to);
}

// ---- A group: its runs' means ----

// All groups have one run, and each as many batches: else counts of a batch would be beside those
// of another, or of a run.
static bool is_of_batches(const struct runs *runs)
{
    uint64_t first = 0;
    for (uint32_t i = 0; i < runs->count; i++) {
        uint64_t batches = value_number(value_in(runs->run[i].summary, "batches"), "count");
        first = i ? first : batches;
        if (batches == 0 || batches != first || runs->group[runs->run[i].group].runs != 1)
            return false;
    }
    return true;
}

static struct json_object *statistics_in(const struct runs *runs, uint32_t group,
                                         enum compared_what what, const char *subject, int figure)
{
    double samples[RUNS_MAX] = {0};
    struct json_object *batches = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct json_object *summary = runs->run[i].summary;
        if (runs->run[i].group != group || !is_complete(summary))
            continue;
        struct json_object *subjects = compared_subjects(summary, what);
        double value = value_of(value_in(subjects, subject), what, figure);
        value_free(subjects);
        batches = compared_batches(summary, what, subject, figure);
        if (!isnan(value))
            samples[n++] = value;
    }
    if (batches && is_of_batches(runs))
        return value_hold(batches);
    struct statistics s = statistics_of(samples, n);
    struct json_object *to = value_new();
    value_set_number(to, "runs", n);
    set_real(to, "mean", n ? s.mean : NAN);
    set_real(to, "ci95", n > 1 ? s.ci95 : NAN);
    return to;
}

static struct json_object *means_of(const struct runs *runs, uint32_t group,
                                    enum compared_what what)
{
    const struct compared_set *set = &compared_sets[what];
    struct json_object *to = value_new();
    for (uint32_t i = 0; i < runs->count; i++) {
        if (runs->run[i].group != group || !is_complete(runs->run[i].summary))
            continue;
        struct json_object *subjects = compared_subjects(runs->run[i].summary, what);
        for (size_t k = 0; k < value_size(subjects) && k < OUTCOMES_SUBJECTS_MAX; k++) {
            const char *name = value_key(subjects, k);
            struct json_object *figures = value_in(to, name) ? NULL : value_new();
            for (int f = 0; figures && f < set->figures; f++)
                value_set(figures, set->figure[f].name, statistics_in(runs, group, what, name, f));
            if (figures)
                value_set(to, name, figures);
        }
        value_free(subjects);
    }
    return to;
}

static void add_group(const struct runs *runs, uint32_t group, struct json_object *list)
{
    struct json_object *to = value_new(), *overrides = NULL;
    value_set_text(to, "variant", runs->variant[runs->group[group].variant]);
    for (uint32_t i = 0; i < runs->count && !overrides; i++)
        if (runs->run[i].group == group)
            overrides = value_in(runs->run[i].summary, "overrides");
    if (overrides)
        value_set(to, "overrides", value_hold(overrides));
    for (int what = 0; what < COMPARED_WHATS; what++)
        value_set(to, compared_sets[what].key, means_of(runs, group, (enum compared_what)what));
    value_add(list, to);
    value_free(to);
}

// ---- All ----

// Two runs of a seed are one sample, from which no interval comes.
static const char *why_not(const struct runs *runs, const struct runs_run **of)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        *of = &runs->run[i];
        if (strlen(runs->variant[runs->group[(*of)->group].variant]) >= OUTCOMES_LABEL_OCTETS)
            return "not compared, because its folder has too long a name";
        for (uint32_t k = 0; k < i; k++)
            if (runs->run[k].group == (*of)->group &&
                value_number(runs->run[k].summary, "seed") == value_number((*of)->summary, "seed"))
                return "not compared, because a run beside it has the same seed; name the runs one "
                       "by one";
    }
    return NULL;
}

// What else than settings and seeds the runs differ in: who compares them may not mean that.
static struct json_object *differing(const struct runs *runs)
{
    static const char *const keys[] = {"scenario", "version", "virtual_s", "warmup_s"};
    struct json_object *names = value_new();
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        struct json_object *first = value_in(runs->run[0].summary, keys[k]);
        for (uint32_t i = 1; i < runs->count; i++)
            if (!value_equal(first, value_in(runs->run[i].summary, keys[k])))
                value_set_number(names, keys[k], 1);
    }
    return names;
}

struct json_object *loose_gather(struct runs *runs)
{
    const struct runs_run *of;
    const char *why = why_not(runs, &of);
    if (why) {
        runs_note(runs, of->label, "summary.json", why);
        return NULL;
    }
    struct json_object *all = value_new(), *variants = value_list(), *list = value_list();
    struct json_object *missing = value_list();
    for (uint32_t group = 0; group < runs->groups; group++) {
        add_group(runs, group, variants);
        for (uint32_t i = 0; i < runs->count; i++)
            if (runs->run[i].group == group)
                add_run(runs, &runs->run[i], list, missing);
    }
    value_set(all, "variants", variants);
    value_set(all, "runs", list);
    value_set(all, "missing", missing);
    value_set(all, "differing", differing(runs));
    return all;
}
