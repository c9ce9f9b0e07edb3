// See targets.h.
#include "control/runs/targets.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "control/client/value.h"
#include "control/run/origin.h"
#include "control/runs/gather.h"
#include "control/report/statistics.h"

bool targets_read(const struct run *run)
{
    const char *path = run->options.targets;
    return !path || bind_targets(run->control.lua, path, stderr);
}

// ---- What judging asks ----

static bool is_name(const char *has, const char *wanted)
{
    return has && wanted ? strcmp(has, wanted) == 0 : has == wanted;
}

static bool is_variant(const struct plan *plan, const char *name)
{
    struct json_object *names = value_in(plan->names, "variants");
    bool found = !name && value_size(names) == 0;
    for (size_t i = 0; i < value_size(names) && !found; i++)
        found = is_name(value_string(value_item(names, i)), name);
    return found;
}

const char *targets_find(const struct plan *plan, const char *setting, const char *variant,
                         const char *point, uint32_t seed, char folder[PATH_MAX], bool *missing)
{
    if (!is_variant(plan, variant))
        return variant ? "the file has no such variant" : "no variant given";
    if (!plan_has_point(plan, variant, point))
        return point ? "the file has no such point" : "no point given";
    for (uint32_t g = 0; g < plan->groups; g++) {
        const struct plan_group *group = &plan->group[g];
        uint32_t run = g * plan->seeds + seed;
        if (!is_name(group->setting, setting) || !is_name(group->variant, variant) ||
            !is_name(group->point, point) || gather_look(plan, run).state != GATHER_COMPLETE)
            continue;
        plan_path(plan, run, folder);
        return NULL;
    }
    *missing = true;
    return "not run";
}

static const char *find_run(const void *self, const char *variant, const char *point, uint32_t seed,
                            char folder[PATH_MAX], bool *missing)
{
    return targets_find(self, NULL, variant, point, seed, folder, missing);
}

static double number_at(struct json_object *value, const char *path)
{
    char name[128];
    for (const char *at = path; value && at; at = strchr(at, '.') ? strchr(at, '.') + 1 : NULL) {
        size_t n = strcspn(at, ".");
        if (n >= sizeof name)
            return NAN;
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        value = value_is_object(value) ? value_in(value, name) : NULL;
    }
    return value_as_real(value);
}

double targets_number(const char *folder, const char *path)
{
    char file[PATH_MAX + 16];
    snprintf(file, sizeof file, "%s/summary.json", folder);
    struct json_object *summary = value_read_object(AT_FDCWD, file);
    double number = number_at(summary, path);
    value_free(summary);
    return number;
}

double targets_interval(const double *samples, uint32_t n, double *mean)
{
    struct statistics s = statistics_of(samples, n);
    *mean = s.mean;
    return n > 1 ? s.ci95 : NAN;
}

// ---- Writing ----

struct origin {
    const char *name; // of the scenario
    const struct plan *plan;
};

struct writing {
    struct bind *lua;
    targets_put_fn *put;
    const char *form;
    struct bind_members origin;
};

static void put_origin(const void *self, struct json *json)
{
    const struct origin *origin = self;
    const struct plan *plan = origin->plan;
    json_put_object(json, "origin");
    json_put_text(json, "scenario", origin->name);
    origin_put_shared(plan->group[0].origin, json);
    json_put(json, "first_seed", plan_seed(plan, 0));
    json_put(json, "last_seed", plan_seed(plan, 0) + plan->seeds - 1);
    json_close(json);
}

static void put_file(const void *self, FILE *out)
{
    const struct writing *writing = self;
    writing->put(writing->lua, writing->form, &writing->origin, out);
}

bool targets_write(const struct run *run, const struct plan *plan, targets_put_fn *put,
                   const struct targets_file *files)
{
    const struct origin origin = {run->name, plan};
    int status = 0;
    for (; files->name; files++) {
        const struct writing writing = {run->control.lua, put, files->form, {put_origin, &origin}};
        status |= run_write(run, files->name, put_file, &writing);
    }
    return !status;
}

bool targets_judge(const struct run *run, const struct plan *plan)
{
    static const struct targets_file files[] = {{"targets.csv", "targets_csv"},
                                                {"targets.json", "targets_json"},
                                                {"figures.csv", "figures_csv"},
                                                {"figures.json", "figures_json"},
                                                {NULL, NULL}};
    struct bind_judged judged = {plan,     plan->seeds,    plan_seed(plan, 0),
                                 find_run, targets_number, targets_interval};
    uint32_t faults;
    if (!run->options.targets)
        return true;
    if (!bind_judge(run->control.lua, &judged, &faults))
        return false;
    printf("\n");
    bind_put_targets(run->control.lua, "table", NULL, stdout);
    printf("\n  targets         %s/targets.csv, targets.json; figures.csv, figures.json\n",
           run->results.dir);
    return targets_write(run, plan, bind_put_targets, files) && !faults;
}
