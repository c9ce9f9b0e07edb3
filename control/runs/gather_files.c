// See gather_parts.h: summary.json.
#include "control/report/tidy.h"
#include "control/runs/gather_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/run/batches.h"
#include "control/run/origin.h"

static const char *const state_names[] = {"absent", "other", "incomplete", "unsound", "complete"};

// ---- summary.json ----

static void put_decimal(struct json *json, const char *key, double value, int decimals)
{
    json_key(json, key);
    if (isnan(value))
        json_null(json);
    else if (decimals)
        json_fixed(json, value, decimals);
    else
        json_integer(json, (int64_t)value);
}

static void put_texts_of_group(struct json *json, const struct plan *plan,
                               const struct plan_group *group)
{
    if (group->variant)
        json_put_text(json, "variant", group->variant);
    if (group->point)
        json_put_text(json, "point", group->point);
    if (plan_own(plan, group)[0])
        json_put_text(json, "own_point", plan_own(plan, group)); // the end of the point
}

static void put_axes_of(struct json *json, const char *key, const struct plan *plan,
                        const struct plan_group *group, size_t first, size_t end)
{
    json_put_object(json, key);
    for (size_t axis = first; axis < end; axis++)
        if (plan_value(plan, group, axis)[0])
            json_put_text(json, plan_axis(plan, axis), plan_value(plan, group, axis));
    json_close(json);
}

// The values of the sweep's axes, as the file has them, and of the variant's own, if there are any.
static void put_axes(struct json *json, const struct plan *plan, const struct plan_group *group)
{
    size_t shared = plan_shared_axes(plan);
    if (group->point)
        put_axes_of(json, "axes", plan, group, 0, shared);
    if (plan_own(plan, group)[0])
        put_axes_of(json, "own_axes", plan, group, shared, plan_axes(plan));
}

// Only a lab with phones has figures of its own.
static bool is_left_out(enum compared_what what, bool has)
{
    return what == COMPARED_LAB && !has;
}

static void put_run_set(struct json *json, const struct gather_run *run, enum compared_what what)
{
    const struct compared_set *set = &compared_sets[what];
    const char *name;
    if (is_left_out(what, run->of[what][0].has))
        return;
    json_put_object(json, set->key);
    for (int i = 0; (name = gather_subject(what, i)) != NULL; i++) {
        if (!run->of[what][i].has)
            continue;
        json_put_object(json, name);
        for (int f = 0; f < set->figures; f++)
            put_decimal(json, set->figure[f].name, run->of[what][i].value[f],
                        set->figure[f].decimals);
        json_close(json);
    }
    json_close(json);
}

static void put_run(struct json *json, const struct gather_all *all, uint32_t run)
{
    char folder[PATH_MAX];
    plan_folder(all->plan, run, folder);
    json_object(json);
    put_texts_of_group(json, all->plan, plan_group_of(all->plan, run));
    json_put(json, "seed", plan_seed(all->plan, run));
    json_put_text(json, "folder", folder);
    json_key(json, "complete");
    json_boolean(json, all->run[run].state == GATHER_COMPLETE);
    json_put_text(json, "state", state_names[all->run[run].state]);
    for (int what = 0; what < COMPARED_WHATS && all->run[run].state == GATHER_COMPLETE; what++)
        put_run_set(json, &all->run[run], (enum compared_what)what);
    json_close(json);
}

static void put_statistics(struct json *json, const char *name, const struct statistics *s)
{
    json_put_object(json, name);
    json_put(json, "runs", s->batches ? 1 : s->n);
    if (s->batches) {
        batches_put(json, s);
    } else {
        put_decimal(json, "mean", s->n ? s->mean : NAN, 6);
        put_decimal(json, "ci95", s->n > 1 ? s->ci95 : NAN, 6);
    }
    json_close(json);
}

static void put_group_set(struct json *json, const struct gather_all *all, uint32_t group,
                          enum compared_what what)
{
    const struct compared_set *set = &compared_sets[what];
    const char *name;
    if (is_left_out(what, gather_has(all, group, what, 0)))
        return;
    json_put_object(json, set->key);
    for (int i = 0; (name = gather_subject(what, i)) != NULL; i++) {
        if (!gather_has(all, group, what, i))
            continue;
        json_put_object(json, name);
        for (int f = 0; f < set->figures; f++) {
            struct gather_place at = {group, what, i, f};
            struct statistics s = gather_statistics(all, at);
            put_statistics(json, set->figure[f].name, &s);
        }
        json_close(json);
    }
    json_close(json);
}

static void put_group(struct json *json, const struct gather_all *all, uint32_t group)
{
    const struct plan *plan = all->plan;
    json_object(json);
    put_texts_of_group(json, plan, &plan->group[group]);
    put_axes(json, plan, &plan->group[group]);
    origin_put_overrides(plan->group[group].origin, json);
    json_put(json, "runs_complete", gather_complete(all, group * plan->seeds, plan->seeds));
    for (int what = 0; what < COMPARED_WHATS; what++)
        put_group_set(json, all, group, (enum compared_what)what);
    json_close(json);
}

static void put_missing(struct json *json, const struct gather_all *all)
{
    char folder[PATH_MAX];
    json_put_array(json, "missing");
    for (uint32_t i = 0; i < plan_runs(all->plan); i++) {
        if (all->run[i].state == GATHER_COMPLETE)
            continue;
        plan_folder(all->plan, i, folder);
        json_text(json, folder);
    }
    json_close(json);
}

// The tables that results.csv does not have.
static void put_without(struct json *json, const struct gather_all *all)
{
    json_put_array(json, "results_without");
    for (int i = 0; i < TIDY_TABLES; i++)
        if (all->without[i])
            json_text(json, tidy_file(i));
    json_close(json);
}

void gather_put_summary(const void *self, FILE *out)
{
    const struct gather_all *all = self;
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    json_put_text(&json, "scenario", all->name);
    origin_put_shared(all->plan->group[0].origin, &json);
    json_key(&json, "complete");
    json_boolean(&json, gather_is_complete(all));
    put_missing(&json, all);
    if (all->tidy)
        put_without(&json, all);
    json_put_array(&json, "variants");
    for (uint32_t g = 0; g < all->plan->groups; g++)
        put_group(&json, all, g);
    json_close(&json);
    json_put_array(&json, "runs");
    for (uint32_t i = 0; i < plan_runs(all->plan); i++)
        put_run(&json, all, i);
    json_close(&json);
    json_close(&json);
    json_end(&json);
}
