// See plan.h.
#include "control/runs/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/run/origin.h"

static bool wants_all(const struct options *options)
{
    return options->variant_count == 1 && strcmp(options->variants[0], OPTIONS_ALL) == 0;
}

bool plan_is_several(struct bind *lua, const struct options *options)
{
    struct json_object *names = origin_ask(lua, "plan");
    bool points = !options->point && value_size(value_in(names, "points")) > 0;
    value_free(names);
    return options->seeds || options->variant_count > 1 || wants_all(options) || points ||
           options->knobs;
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
// them, each between two ends of a line.
static void tell_once(char *said, char **told)
{
    for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
        char *searched, *more;
        if (asprintf(&searched, "\n%s\n", line) < 0)
            abort();
        if (!strstr(*told, searched)) {
            fprintf(stderr, "%s\n", line);
            if (asprintf(&more, "%s%s\n", *told, line) < 0)
                abort();
            free(*told);
            *told = more;
        }
        free(searched);
    }
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

// Behind the mistakes of a load, which name keys only.
static void tell_setting(const struct plan_group *group, char **told)
{
    char line[512];
    snprintf(line, sizeof line, "sluice run: --knobs: the setting %s does not fit variant %s",
             group->setting, group->variant ? group->variant : "(the default)");
    tell_once(line, told);
}

static bool load_group(struct plan *plan, struct bind *lua, struct plan_group *group, char **told)
{
    struct options options = *plan->options;
    struct load load;
    char *said = NULL;
    options.variant = group->variant;
    options.point = group->point;
    bool good = add_sets(&options, group) && load_config_said(lua, &options, &load, &said);
    if (said)
        tell_once(said, told);
    free(said);
    if (!good) {
        if (group->setting)
            tell_setting(group, told);
        return false;
    }
    if (load.run.real) {
        char real[] = "sluice run: several runs: allowed with run.clock = \"virtual\" only";
        tell_once(real, told);
        return false;
    }
    uint64_t need_octets = eal_plan(EAL_SYSFS, load_memory_octets(&load)).need_octets;
    plan->need_octets = need_octets > plan->need_octets ? need_octets : plan->need_octets;
    group->origin = origin_ask(lua, "origin");
    // also the default's name, if none was chosen
    group->variant = value_string(value_in(group->origin, "variant"));
    group->seed_first = plan->options->seeds ? plan->options->seed_first : load.run.seed;
    return true;
}

static bool load_all(struct plan *plan, struct bind *lua)
{
    char *told = strdup("\n");
    bool good = told != NULL;
    for (uint32_t g = 0; g < plan->groups; g++)
        good = load_group(plan, lua, &plan->group[g], &told) && good;
    free(told);
    return good;
}

static void begin(struct plan *plan, struct bind *lua, const struct options *options,
                  const char *dir)
{
    *plan = (struct plan){.options = options, .dir = dir, .names = origin_ask(lua, "plan")};
    plan->seeds = options->seeds ? (uint32_t)(options->seed_last - options->seed_first) + 1 : 1;
}

// Each variant at each point, all with what `like` says.
static void add_groups(struct plan *plan, struct plan_group like, const char **variant,
                       size_t variants, const char **point, size_t points)
{
    size_t count = plan->groups + variants * points;
    plan->group = realloc(plan->group, count * sizeof *plan->group);
    if (!plan->group)
        abort();
    for (size_t i = 0; i < variants * points; i++) {
        like.variant = variant[i / points];
        like.point = point[i % points];
        plan->group[plan->groups++] = like;
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
        size_t variants, count;
        if (value_size(points) == 0)
            points = value_in(plan->names, "points");
        const char **point = chosen(points, NULL, 0, true, &count);
        const char **variant =
            chosen(value_in(value_item(runs, i), "variants"), NULL, 0, true, &variants);
        add_groups(plan, like, variant, variants, point, count);
        free(variant);
        free(point);
    }
}

bool plan_make_knobs(struct plan *plan, struct bind *lua, const struct options *options,
                     const char *dir, struct json_object *asked)
{
    struct json_object *settings = value_in(asked, "settings");
    begin(plan, lua, options, dir);
    plan->asked = asked;
    for (size_t i = 0; i < value_size(settings); i++)
        add_setting(plan, value_item(settings, i));
    return load_all(plan, lua);
}

bool plan_make(struct plan *plan, struct bind *lua, const struct options *options, const char *dir)
{
    size_t variants, points;
    begin(plan, lua, options, dir);
    bool all = wants_all(options);
    if (all && value_size(value_in(plan->names, "variants")) == 0) {
        fprintf(stderr, "--variant all: the file has no variants { }\n");
        return false;
    }
    const char **variant = chosen(value_in(plan->names, "variants"), options->variants,
                                  all ? 0 : options->variant_count, all, &variants);
    const char **point = chosen(value_in(plan->names, "points"), &options->point,
                                options->point ? 1 : 0, true, &points);
    add_groups(plan, (struct plan_group){0}, variant, variants, point, points);
    free(variant);
    free(point);
    return load_all(plan, lua);
}

void plan_release(struct plan *plan)
{
    for (uint32_t g = 0; g < plan->groups; g++)
        value_free(plan->group[g].origin);
    free(plan->group);
    value_free(plan->names);
    value_free(plan->asked);
}

// ---- Its axes ----

size_t plan_axes(const struct plan *plan)
{
    return value_size(value_in(plan->names, "axes"));
}

static struct json_object *axis_of(const struct plan *plan, size_t axis)
{
    return value_item(value_in(plan->names, "axes"), axis);
}

const char *plan_axis(const struct plan *plan, size_t axis)
{
    return value_string(value_in(axis_of(plan, axis), "name"));
}

// A point's name has a part for each axis, between commas.
const char *plan_value(const struct plan *plan, const struct plan_group *group, size_t axis)
{
    const char *part = group->point;
    struct json_object *labels = value_in(axis_of(plan, axis), "labels");
    for (size_t i = 0; i < axis; i++)
        part = strchr(part, ',') + 1;
    size_t n = strcspn(part, ","), i = 0;
    for (const char *label; (label = value_string(value_item(labels, i))); i++)
        if (strlen(label) == n && strncmp(label, part, n) == 0)
            break;
    return value_string(value_item(value_in(axis_of(plan, axis), "values"), i));
}

// ---- Its runs ----

uint32_t plan_runs(const struct plan *plan)
{
    return plan->groups * plan->seeds;
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

// The first run of the first variant has the captures, and what became of each packet.
static void add_switches(const struct plan *plan, uint32_t run, struct words *words)
{
    add(words, "--no-huge"); // several runs at once would take each other's huge pages
    add(words, "--no-page"); // one page has all of them
    if (plan->options->pcap && run == 0)
        add(words, "--pcap");
    if (plan->options->packets && run == 0)
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
