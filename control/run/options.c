// See options.h.
#include "control/run/options.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "control/cli/commands.h"

#define OPTIONS_SEED_MAX  (UINT64_C(1) << 53)
#define OPTIONS_SEEDS_MAX 100000

// A range where one seed is wanted: 1..5, 1-5 or 1:5.
static bool refuse_seeds(const char *seed)
{
    uint64_t first, last;
    int end = -1;
    if ((sscanf(seed, "%20" SCNu64 "..%20" SCNu64 "%n", &first, &last, &end) != 2 || seed[end]) &&
        (sscanf(seed, "%20" SCNu64 "%*1[-:]%20" SCNu64, &first, &last) != 2))
        return false;
    if (!isdigit((unsigned char)seed[0]) || first > last || last > OPTIONS_SEED_MAX)
        return false;
    fprintf(stderr,
            "sluice: --seed: found %s, allowed one whole number; for a run with each of several "
            "seeds: sluice run --seeds %" PRIu64 "..%" PRIu64 "\n",
            seed, first, last);
    return true;
}

static bool take_set(void *target, const char *set)
{
    if (strncmp(set, "run.seed=", 9) == 0 && refuse_seeds(set + 9))
        return false;
    struct options *options = target;
    bool seed = options->seed[0] != '\0'; // is one of them
    if (options->sets - seed == OPTIONS_SETS_MAX) {
        fprintf(stderr, "sluice: too many --set; allowed: %d\n", OPTIONS_SETS_MAX);
        return false;
    }
    options->set[options->sets++] = set;
    return true;
}

// Takes the place of an earlier one, behind all changes before it.
static bool take_seed(void *target, const char *seed)
{
    struct options *options = target;
    uint32_t kept = 0;
    if (refuse_seeds(seed))
        return false;
    int n = snprintf(options->seed, sizeof options->seed, "run.seed=%s", seed);
    if ((size_t)n >= sizeof options->seed) {
        fprintf(stderr, "sluice: --seed: '%s' is too long; allowed: a whole number\n", seed);
        return false;
    }
    for (uint32_t i = 0; i < options->sets; i++)
        if (options->set[i] != options->seed)
            options->set[kept++] = options->set[i];
    options->sets = kept;
    options->set[options->sets++] = options->seed; // there is room for one more
    return true;
}

static bool take_variant(void *target, const char *variant)
{
    struct options *options = target;
    for (uint32_t i = 0; i < options->variant_count; i++)
        if (strcmp(options->variants[i], variant) == 0 || strcmp(variant, OPTIONS_ALL) == 0 ||
            strcmp(options->variants[i], OPTIONS_ALL) == 0)
            return cli_refuse("run", "variant", variant, "each variant once, or all alone");
    if (options->variant_count == OPTIONS_VARIANTS_MAX) {
        fprintf(stderr, "sluice: too many --variant; allowed: %d, or --variant all\n",
                OPTIONS_VARIANTS_MAX);
        return false;
    }
    options->variants[options->variant_count++] = variant;
    return true;
}

// A..B, or A alone.
static bool take_seeds(void *target, const char *seeds)
{
    struct options *options = target;
    uint64_t *first = &options->seed_first, *last = &options->seed_last;
    int end = -1, n = 0;
    if (sscanf(seeds, "%20" SCNu64 "%n..%20" SCNu64 "%n", first, &end, last, &n) == 1)
        *last = *first;
    else
        end = n;
    options->seeds = true;
    if (end > 0 && seeds[end] == '\0' && !strpbrk(seeds, "-+ ") && *first <= *last &&
        *last <= OPTIONS_SEED_MAX && *last - *first < OPTIONS_SEEDS_MAX)
        return true;
    return cli_refuse("run", "seeds", seeds,
                      "A..B, such as 1..10: whole numbers up to 2^53, from A to B, 100000 at most");
}

static bool take_tun(void *target, const char *tun)
{
    struct options *options = target;
    int end = -1;
    options->has_tun = true;
    if (sscanf(tun, "%9d,%9d%n", &options->tun[0], &options->tun[1], &end) == 2 &&
        tun[end] == '\0' && !strpbrk(tun, "-+ ") && options->tun[0] != options->tun[1] &&
        fcntl(options->tun[0], F_GETFD) >= 0 && fcntl(options->tun[1], F_GETFD) >= 0)
        return true;
    return cli_refuse("run", "tun", tun, "HOSTS,MSS: the numbers of two open descriptors");
}

#define INTO(member) .at = offsetof(struct options, member)
#define SET_AND_SEED                                                                               \
    {"set", "KEY=VALUE",                                                                           \
     "replace a value of the file, such as run.seed=7; may be repeated.\n"                         \
     "A part of KEY without an index means all of its kind:\n"                                     \
     "nse.bvc.rate is the rate of every cell; class[background].weight\n"                          \
     "and nse[1].bvc[2].rate name one; class[*] means all seven. Another\n"                        \
     "class.aqm.name drops the parameters of the former AQM. @FILE: every\n"                       \
     "setting that FILE returns, such as @config/recommended.lua",                                 \
     .take = take_set},                                                                            \
    {                                                                                              \
        "seed", "N", "seed of all random numbers; the same as --set run.seed=N", .take = take_seed \
    }
#define VARIANT_HELP "a variant of the file's variants { }; without it the default"
#define POINT_HELP   "a point of the file's sweep { }, such as rate=20kbit_s"

static const struct cli_option check_options[] = {
    SET_AND_SEED,
    {"variant", "V", VARIANT_HELP, INTO(variant)},
    {"point", "P", POINT_HELP, INTO(point)},
    {"keys", NULL, "print every key of the configuration language", INTO(keys)},
    {"secrets", NULL, "print keys of MSs and of phones, which are hidden otherwise",
     INTO(secrets)}};

const struct cli cli_of_check = {
    .name = "check",
    .words = "FILE",
    .about =
        "check a configuration, each variant at each point; print it as JSON with all defaults",
    .options = check_options,
    .count = sizeof check_options / sizeof check_options[0]};

static const struct cli_option run_options[] = {
    SET_AND_SEED,
    {"out", "DIR", "folder for the results (default: out/NAME, from run.name)", INTO(out)},
    {"force", NULL,
     "replace the results of several runs that DIR has, and with\n"
     "--resume those of another configuration or version",
     INTO(force)},
    {"pcap", NULL,
     "in virtual time, write all packets to gi.pcap, gn.pcap and gb.pcap; of\n"
     "several runs, those of the first one",
     INTO(pcap)},
    {"packets", NULL,
     "in virtual time, write the events of each IP packet, with times, to\n"
     "packets.csv; of several runs, those of the first one",
     INTO(packets)},
    {"no-page", NULL, "do not draw report.html", INTO(no_page)},
    {"no-huge", NULL, "use 4 KiB pages, even if enough huge pages are free; several runs always do",
     INTO(no_huge)},
    {"tun", "HOSTS,MSS",
     "in virtual time, at the pace of the clock: replace the applications by real\n"
     "hosts and MSs, behind two open descriptors of tun devices",
     .take = take_tun},
    {"variant", "V", VARIANT_HELP ";\nmay be repeated, or all", .take = take_variant},
    {"point", "P", POINT_HELP ";\nwithout it all points", INTO(point)},
    {"seeds", "A..B", "a run for each of these seeds", .take = take_seeds},
    {"jobs", "N", "runs at the same time (default: as many as processors\nand memory allow)",
     INTO(jobs), .least = 1, .most = 4096},
    {"resume", NULL, "run only what DIR does not have complete, then summarize all", INTO(resume)},
    {"targets", "FILE",
     "when all runs are complete, judge them by the targets of FILE:\n"
     "targets.csv, targets.json, and a table",
     INTO(targets)},
    {"knobs", "FILE",
     "with --targets: run at the base and at each setting of FILE, and show which\n"
     "settings its conclusions depend on: knobs.csv, knobs.json, and a table",
     INTO(knobs)},
    {"commands", NULL,
     "run nothing: print a command of the shell, a line each, for each run that DIR\n"
     "does not have complete; once they have run, --resume instead gathers",
     INTO(commands)}};

static const char run_more[] =
    "Several variants, points or seeds make several runs, in virtual time, each in\n"
    "DIR/[VARIANT/][POINT/]SEED/ with a run.log. DIR/summary.json, runs.csv and results.csv have\n"
    "all of them, with means and 95 % confidence intervals over the seeds, the same for\n"
    "any --jobs. After an interruption complete runs stay, and --resume continues.\n"
    "A single run replaces the results of an earlier one in DIR, and says so unless it\n"
    "was the same run. DIR with several runs needs --resume or --force.";

const struct cli cli_of_run = {.name = "run",
                               .words = "FILE",
                               .about = "run a configuration",
                               .more = run_more,
                               .options = run_options,
                               .count = sizeof run_options / sizeof run_options[0]};

// One --variant, but for `all`, is that of a single run.
static bool settle(struct options *options)
{
    if (options->variant_count == 1 && strcmp(options->variants[0], OPTIONS_ALL) != 0)
        options->variant = options->variants[0];
    for (uint32_t i = 0; i < options->sets && options->seeds; i++)
        if (strncmp(options->set[i], "run.seed=", 9) == 0) {
            fprintf(stderr,
                    "sluice run: --seeds: found a single seed as well, %s; allowed one of them\n",
                    options->set[i]);
            return false;
        }
    return true;
}

enum cli_end options_parse(struct options *options, const struct cli *cli, int argc, char **argv)
{
    int first;
    *options = (struct options){0};
    enum cli_end end = cli_parse(cli, argc, argv, options, &first);
    if (end != CLI_GO || options->keys)
        return end;
    if (first != argc - 1) {
        fprintf(stderr, "sluice %s: %d configuration files given, 1 needed%s%s%s%s\n", cli->name,
                argc - first, argc > first ? ": " : "", argc > first ? argv[first] : "",
                argc > first ? " and " : "", argc > first ? argv[first + 1] : "");
        return CLI_WRONG;
    }
    options->file = argv[first];
    return settle(options) ? CLI_GO : CLI_WRONG;
}
