// See knobs.h.
#include "control/runs/knobs.h"

#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/runs/targets.h"

bool knobs_plan(struct run *run, struct plan *plan, const char *dir)
{
    char *text = NULL;
    size_t octets;
    if (!bind_knobs(run->control.lua, run->options.knobs, stderr))
        return false;
    FILE *out = open_memstream(&text, &octets);
    if (!out || !bind_knobs_plan(run->control.lua, out) || fclose(out) != 0)
        abort(); // our own text; the reason is on stderr
    struct json_object *asked = value_parse_object(text);
    free(text);
    return plan_make_knobs(plan, run->control.lua, &run->options, dir, asked);
}

// ---- Judging ----

struct setting {
    const struct plan *plan;
    const char *base, *folder;
    const struct json_object *variants; // those that its knob is of; an empty list: all
};

static bool has_variant(const struct setting *s, const char *variant)
{
    bool found = value_size(s->variants) == 0;
    for (size_t i = 0; i < value_size(s->variants) && !found; i++)
        found = variant && strcmp(value_string(value_item(s->variants, i)), variant) == 0;
    return found;
}

// A variant that the knob is not of is as at the base.
static const char *find_run(const void *self, const char *variant, const char *point, uint32_t seed,
                            char folder[PATH_MAX], bool *missing)
{
    const struct setting *s = self;
    const char *setting = has_variant(s, variant) ? s->folder : s->base;
    return targets_find(s->plan, setting, variant, point, seed, folder, missing);
}

static const char *folder_of(const struct json_object *settings, size_t i)
{
    return value_string(value_in(value_item(settings, i), "folder"));
}

// Returns false if a conclusion has no figure at one of the settings.
static bool judge_all(const struct run *run, const struct plan *plan)
{
    const struct json_object *settings = value_in(plan->asked, "settings");
    bool good = true;
    for (size_t i = 0; i < value_size(settings); i++) {
        struct setting setting = {plan, folder_of(settings, 0), folder_of(settings, i),
                                  value_in(value_item(settings, i), "variants")};
        struct bind_judged judged = {&setting, plan->seeds,    plan_seed(plan, 0),
                                     find_run, targets_number, targets_interval};
        uint32_t missing, faults;
        if (!bind_judge_setting(run->control.lua, (uint32_t)i, &judged, &missing, &faults))
            return false;
        if (missing || faults)
            fprintf(stderr,
                    "sluice run: --knobs: %s: %u conclusions want a run that is not there,"
                    " %u could not be worked out\n",
                    setting.folder, missing, faults);
        good &= !missing && !faults;
    }
    return bind_knobs_conclude(run->control.lua) && good;
}

bool knobs_judge(const struct run *run, const struct plan *plan)
{
    static const struct targets_file files[] = {
        {"knobs.csv", "csv"}, {"knobs.json", "json"}, {NULL, NULL}};
    bool good = judge_all(run, plan);
    bind_put_knobs(run->control.lua, "table", NULL, stdout);
    printf("  knobs           %s/knobs.csv, knobs.json\n", run->results.dir);
    return targets_write(run, plan, bind_put_knobs, files) && good;
}
