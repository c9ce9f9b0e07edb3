// See options.h.
#include "control/program/options.h"

#include <stdio.h>

#include "control/cli/commands.h"

static bool take_set(void *target, const char *set)
{
    struct options *options = target;
    if (options->sets == OPTIONS_SETS_MAX) {
        fprintf(stderr, "sluice: too many --set; allowed: %d\n", OPTIONS_SETS_MAX);
        return false;
    }
    options->set[options->sets++] = set;
    return true;
}

static bool take_seed(void *target, const char *seed)
{
    struct options *options = target;
    int n = snprintf(options->seed, sizeof options->seed, "run.seed=%s", seed);
    if ((size_t)n < sizeof options->seed)
        return take_set(options, options->seed);
    fprintf(stderr, "sluice: --seed: '%s' is too long; allowed: a whole number\n", seed);
    return false;
}

#define INTO(member) .at = offsetof(struct options, member)
#define SET_AND_SEED                                                                               \
    {"set", "KEY=VALUE", "replace a value of the file, such as run.seed=7; may be repeated",       \
     .take = take_set},                                                                            \
    {                                                                                              \
        "seed", "N", "seed of all random numbers; the same as --set run.seed=N", .take = take_seed \
    }

static const struct cli_option check_options[] = {
    SET_AND_SEED,
    {"keys", NULL, "print every key that a configuration may have", INTO(keys)},
    {"secrets", NULL, "print the ciphering keys of MSs, which are hidden otherwise",
     INTO(secrets)}};

const struct cli cli_of_check = {
    .name = "check",
    .words = "FILE",
    .about = "check a configuration; print it, all defaults filled in, as JSON",
    .options = check_options,
    .count = sizeof check_options / sizeof check_options[0]};

static const struct cli_option run_options[] = {
    SET_AND_SEED,
    {"out", "DIR", "folder for the results (default: out/NAME, from run.name)", INTO(out)},
    {"pcap", NULL, "in virtual time, write all frames to gn.pcap and gb.pcap", INTO(pcap)}};

const struct cli cli_of_run = {.name = "run",
                               .words = "FILE",
                               .about = "run a configuration",
                               .options = run_options,
                               .count = sizeof run_options / sizeof run_options[0]};

enum cli_end options_parse(struct options *options, const struct cli *cli, int argc, char **argv)
{
    int first;
    *options = (struct options){0};
    enum cli_end end = cli_parse(cli, argc, argv, options, &first);
    if (end != CLI_GO || options->keys)
        return end;
    if (first != argc - 1) {
        fprintf(stderr, "sluice %s: %d configuration files given, 1 needed\n", cli->name,
                argc - first);
        return CLI_WRONG;
    }
    options->file = argv[first];
    return CLI_GO;
}
