// See plan.h.
#include "control/runs/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/run/origin.h"
#include "control/run/run.h"

static bool wants_all(const struct options *options)
{
    return options->variant_count == 1 && strcmp(options->variants[0], OPTIONS_ALL) == 0;
}

static struct json_object *points_of(const struct json_object *names, const char *variant)
{
    return plan_list(names, "points", variant);
}

bool plan_is_several(struct bind *lua, const struct options *options)
{
    struct json_object *names = origin_ask(lua, "plan");
    const char *variant = options->variant_count ? options->variants[0] : NULL;
    bool points = !options->point && value_size(points_of(names, variant)) > 0;
    value_free(names);
    return options->seeds || options->variant_count > 1 || wants_all(options) || points ||
           options->knobs;
}

// ---- Progress on a terminal, for a sweep may have thousands of points ----

static void clear_progress(struct plan *plan)
{
    if (plan->told_s > 0)
        fprintf(stderr, "\r\033[K");
    plan->told_s = 0;
}

static void show_progress(struct plan *plan, uint32_t done, double began_s)
{
    double now_s = run_wall_s();
    if (!isatty(STDERR_FILENO) || now_s - began_s < 1 || now_s - plan->told_s < 0.2)
        return;
    plan->told_s = now_s;
    fprintf(stderr, "\r\033[K%u of %u variants at points checked", done, plan->groups);
}

// ---- Making ----

// The names that the command line chooses, or those of the file; one NULL if there is none. *count
// is their number.
static const char **chosen(struct json_object *file, const char *const *asked, size_t asked_count,
                           bool all, size_t *count)
{
    size_t n = asked_count ? asked_count : all ? value_size(file) : 0;
    const char **names = calloc(n ? n : 1, sizeof *names);
    if (!names)
        abort();
    for (size_t i = 0; i < n; i++)
        names[i] = asked_count ? asked[i] : value_string(value_item(file, i));
    *count = n ? n : 1;
    return names;
}

// Prints the lines of a load, those that other loads have said before left out. *told has all of
// them, each between two ends of a line. Returns whether there was a new one.
static bool tell_once(char *said, char **told)
{
    bool any = false;
    for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
        char *searched, *more;
        if (asprintf(&searched, "\n%s\n", line) < 0)
            abort();
        if (!strstr(*told, searched)) {
            any = true;
            fprintf(stderr, "%s\n", line);
            if (asprintf(&more, "%s%s\n", *told, line) < 0)
                abort();
            free(*told);
            *told = more;
        }
        free(searched);
    }
    return any;
}

// Adds the setting's changes to those of the command line. False: there are too many.
static bool add_sets(struct options *options, const struct plan_group *group)
{
    for (size_t i = 0; i < value_size(group->sets); i++) {
        if (options->sets == OPTIONS_SETS_MAX)
            return false;
        options->set[options->sets++] = value_string(value_item(group->sets, i));
    }
    return true;
}

// Behind the mistakes of a load, which name lines and keys only. any: they are of this group.
static void tell_group(const struct plan *plan, const struct plan_group *group, bool any,
                       char **told)
{
    const char *variant = group->variant, *point = group->point;
    char *line = NULL;
    size_t octets;
    FILE *out = open_memstream(&line, &octets);
    if (!out)
        abort();
    if (group->setting)
        fprintf(out, "sluice run: --knobs: the setting %s does not fit variant %s", group->setting,
                variant ? variant : "(the default)");
    else
        fprintf(out, "sluice %s: that is%s%s%s%s", plan->command, variant ? " in variant " : "",
                variant ? variant : "", point ? " at point " : "", point ? point : "");
    plan_put_axes(plan, group, out);
    if (fclose(out))
        abort();
    if (group->setting || (any && (variant || point)))
        tell_once(line, told);
    free(line);
}

// With --seeds a run has a seed of its own, whatever a sweep says: as in the run, that is a
// mistake.
static void add_seed(struct options *options)
{
    if (options->seeds) {
        snprintf(options->seed, sizeof options->seed, "run.seed=%" PRIu64, options->seed_first);
        options->set[options->sets++] = options->seed; // there is room for one more
    }
}

static bool load_group(struct plan *plan, struct bind *lua, struct plan_group *group, char **told)
{
    struct options options = *plan->options;
    struct load load = {.lab.passive = false}; // a run in real time has no lab
    char *said = NULL;
    options.variant = group->variant;
    options.point = group->point;
    add_seed(&options);
    bool good = add_sets(&options, group) && load_config_said(lua, &options, &load, &said);
    if (!good || said[0])
        clear_progress(plan);
    bool any = said && tell_once(said, told);
    free(said);
    if (!good) {
        tell_group(plan, group, any && points_of(plan->names, group->variant), told);
        return false;
    }
    plan->real |= load.run.real;
    uint64_t need_octets = eal_plan(EAL_SYSFS, load_memory_octets(&load)).need_octets;
    plan->need_octets = need_octets > plan->need_octets ? need_octets : plan->need_octets;
    group->series = load.lab.step_ns > 0;
    group->batches = load.run.batches;
    group->passive = load.lab.passive;
    group->origin = origin_ask(lua, "origin");
    group->replaced = origin_ask(lua, "replaced");
    // also the default's name, if none was chosen
    group->variant = value_string(value_in(group->origin, "variant"));
    group->seed_first = plan->options->seeds ? plan->options->seed_first : load.run.seed;
    return true;
}

// said: of loads before.
static bool load_all(struct plan *plan, struct bind *lua, char *said)
{
    char *told = strdup("\n");
    if (!told)
        abort();
    tell_once(said, &told);
    bool good = true;
    double began_s = run_wall_s();
    for (uint32_t g = 0; g < plan->groups; g++) {
        good = load_group(plan, lua, &plan->group[g], &told) && good;
        show_progress(plan, g + 1, began_s);
    }
    clear_progress(plan);
    free(told);
    return good;
}

// The same for runs.
static bool load_runs(struct plan *plan, struct bind *lua)
{
    bool good = load_all(plan, lua, (char[]){""});
    if (plan->real)
        fprintf(stderr, "sluice run: several runs: allowed with run.clock = \"virtual\" only\n");
    plan->failure = calloc(plan_runs(plan) + 1, sizeof *plan->failure);
    if (!plan->failure)
        abort();
    return good && !plan->real && plan_keeps_variants(plan);
}

static void begin(struct plan *plan, struct bind *lua, const struct options *options,
                  const char *command, const char *dir)
{
    *plan = (struct plan){
        .options = options, .command = command, .dir = dir, .names = origin_ask(lua, "plan")};
    plan->seeds = options->seeds ? (uint32_t)(options->seed_last - options->seed_first) + 1 : 1;
}

// The variant of `like` at each of these points.
static void add_points(struct plan *plan, struct plan_group like, const char **point, size_t points)
{
    plan->group = realloc(plan->group, (plan->groups + points) * sizeof *plan->group);
    if (!plan->group)
        abort();
    for (size_t i = 0; i < points; i++) {
        like.point = point[i];
        plan->group[plan->groups++] = like;
    }
}

// Each variant at each of its points, or at those asked for, all with what `like` says.
static void add_groups(struct plan *plan, struct plan_group like, const char **variant,
                       size_t variants, struct json_object *asked, const char *const *one)
{
    for (size_t i = 0; i < variants; i++) {
        size_t points;
        struct json_object *all = asked ? asked : points_of(plan->names, variant[i]);
        const char **point = chosen(all, one, one ? 1 : 0, true, &points);
        like.variant = variant[i];
        add_points(plan, like, point, points);
        free(point);
    }
}

// A setting's runs: lists of variants and points; an empty one is the default, or all points.
static void add_setting(struct plan *plan, struct json_object *setting)
{
    const struct json_object *runs = value_in(setting, "runs");
    const struct plan_group like = {.setting = value_string(value_in(setting, "folder")),
                                    .sets = value_in(setting, "sets")};
    for (size_t i = 0; i < value_size(runs); i++) {
        struct json_object *points = value_in(value_item(runs, i), "points");
        size_t variants;
        const char **variant =
            chosen(value_in(value_item(runs, i), "variants"), NULL, 0, true, &variants);
        add_groups(plan, like, variant, variants, value_size(points) ? points : NULL, NULL);
        free(variant);
    }
}

bool plan_make_knobs(struct plan *plan, struct bind *lua, const struct options *options,
                     const char *dir, struct json_object *asked)
{
    struct json_object *settings = value_in(asked, "settings");
    begin(plan, lua, options, "run", dir);
    plan->asked = asked;
    for (size_t i = 0; i < value_size(settings); i++)
        add_setting(plan, value_item(settings, i));
    return load_runs(plan, lua);
}

bool plan_make(struct plan *plan, struct bind *lua, const struct options *options, const char *dir)
{
    size_t variants;
    begin(plan, lua, options, "run", dir);
    bool all = wants_all(options);
    if (all && value_size(value_in(plan->names, "variants")) == 0) {
        fprintf(stderr, "--variant all: the file has no variants { }\n");
        return false;
    }
    const char **variant = chosen(value_in(plan->names, "variants"), options->variants,
                                  all ? 0 : options->variant_count, all, &variants);
    add_groups(plan, (struct plan_group){0}, variant, variants, NULL,
               options->point ? &options->point : NULL);
    free(variant);
    return load_runs(plan, lua);
}

bool plan_check(struct bind *lua, const struct options *options, char *said)
{
    struct plan plan;
    struct load load;
    size_t variants;
    begin(&plan, lua, options, "check", NULL);
    const char **variant = chosen(value_in(plan.names, "variants"), &options->variant,
                                  options->variant ? 1 : 0, true, &variants);
    if (!options->point) // else the load before was of the one that is asked for
        add_groups(&plan, (struct plan_group){0}, variant, variants, NULL, NULL);
    free(variant);
    bool good = load_all(&plan, lua, said);
    plan_release(&plan);
    said = NULL;
    good = good && load_config_said(lua, options, &load, &said);
    free(said);
    return good;
}

void plan_release(struct plan *plan)
{
    for (uint32_t g = 0; g < plan->groups; g++) {
        value_free(plan->group[g].origin);
        value_free(plan->group[g].replaced);
    }
    for (uint32_t run = 0; plan->failure && run < plan_runs(plan); run++)
        free(plan->failure[run]);
    free(plan->failure);
    free(plan->group);
    value_free(plan->names);
    value_free(plan->asked);
}

bool plan_has_point(const struct plan *plan, const char *variant, const char *point)
{
    struct json_object *points = points_of(plan->names, variant);
    bool found = !point && value_size(points) == 0;
    for (size_t i = 0; point && i < value_size(points) && !found; i++)
        found = strcmp(value_string(value_item(points, i)), point) == 0;
    return found;
}

// ---- Its runs ----

uint32_t plan_runs(const struct plan *plan)
{
    return plan->groups * plan->seeds;
}

uint32_t plan_in_turn(const struct plan *plan, uint32_t turn)
{
    return turn % plan->groups * plan->seeds + turn / plan->groups;
}

bool plan_is_of_batches(const struct plan *plan)
{
    bool of_batches = plan->seeds == 1;
    for (uint32_t g = 0; g < plan->groups; g++)
        of_batches &= plan->group[g].batches && plan->group[g].batches == plan->group[0].batches;
    return of_batches;
}

const struct plan_group *plan_group_of(const struct plan *plan, uint32_t run)
{
    return &plan->group[run / plan->seeds];
}

uint64_t plan_seed(const struct plan *plan, uint32_t run)
{
    return plan_group_of(plan, run)->seed_first + run % plan->seeds;
}

void plan_folder(const struct plan *plan, uint32_t run, char folder[PATH_MAX])
{
    const struct plan_group *g = plan_group_of(plan, run);
    snprintf(folder, PATH_MAX, "%s%s%s%s%s%s%" PRIu64, g->setting ? g->setting : "",
             g->setting ? "/" : "", g->variant ? g->variant : "", g->variant ? "/" : "",
             g->point ? g->point : "", g->point ? "/" : "", plan_seed(plan, run));
}

void plan_path(const struct plan *plan, uint32_t run, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    plan_folder(plan, run, folder);
    snprintf(path, PATH_MAX, "%.*s/%.*s", PATH_MAX - 1024, plan->dir, 1000, folder);
}

// ---- The command line of a run ----

struct words {
    char *at[2 * OPTIONS_SETS_MAX + 32];
    size_t n;
};

static void add(struct words *words, const char *word)
{
    words->at[words->n] = strdup(word);
    if (!words->at[words->n++])
        abort();
}

static void add_option(struct words *words, const char *option, const char *value)
{
    if (!value)
        return;
    add(words, option);
    add(words, value);
}

static void add_switches(const struct plan *plan, uint32_t run, struct words *words)
{
    add(words, "--no-huge"); // several runs at once would take each other's huge pages
    add(words, "--no-page"); // one page has all of them
    if (plan->options->pcap && run == PLAN_CAPTURED)
        add(words, "--pcap");
    if (plan->options->packets && run == PLAN_CAPTURED)
        add(words, "--packets");
    if (plan->options->force)
        add(words, "--force");
}

char **plan_words(const struct plan *plan, uint32_t run)
{
    const struct plan_group *group = plan_group_of(plan, run);
    struct words *words = calloc(1, sizeof *words);
    char path[PATH_MAX], seed[24];
    if (!words)
        abort();
    plan_path(plan, run, path);
    snprintf(seed, sizeof seed, "%" PRIu64, plan_seed(plan, run));
    add(words, "sluice");
    add(words, "run");
    add_switches(plan, run, words);
    add_option(words, "--out", path);
    add_option(words, "--variant", group->variant);
    add_option(words, "--point", group->point);
    for (uint32_t i = 0; i < plan->options->sets; i++)
        if (plan->options->set[i] != plan->options->seed)
            add_option(words, "--set", plan->options->set[i]);
    for (size_t i = 0; i < value_size(group->sets); i++)
        add_option(words, "--set", value_string(value_item(group->sets, i)));
    if (plan->options->seeds || plan->options->seed[0]) // else the file has it, or an axis
        add_option(words, "--seed", seed);
    add(words, "--");
    add(words, plan->options->file);
    return words->at;
}

void plan_words_free(char **words)
{
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
    free(words);
}
