// See options.h.
#include "control/program/options.h"

#include <stdio.h>

#include "control/cli/commands.h"

static bool add_set(struct options *options, const char *set)
{
    if (options->sets == OPTIONS_SETS_MAX) {
        fprintf(stderr, "sluice: too many --set; allowed: %d\n", OPTIONS_SETS_MAX);
        return false;
    }
    options->set[options->sets++] = set;
    return true;
}

static bool take_seed(struct options *options, const char *seed)
{
    int n = snprintf(options->seed, sizeof options->seed, "run.seed=%s", seed);
    if ((size_t)n < sizeof options->seed)
        return add_set(options, options->seed);
    fprintf(stderr, "sluice: --seed: '%s' is too long; allowed: a whole number\n", seed);
    return false;
}

enum { SET, SEED, KEYS, SECRETS, OUT = KEYS, PCAP }; // their places in both tables

#define SET_AND_SEED                                                              \
    [SET] = {"set", "KEY=VALUE",                                                  \
             "replace a value of the file, such as run.seed=7; may be repeated"}, \
    [SEED] = {"seed", "N", "seed of all random numbers; the same as --set run.seed=N"}

static const struct cli_option check_options[] = {
    SET_AND_SEED, [KEYS] = {"keys", NULL, "print every key that a configuration may have"},
    [SECRETS] = {"secrets", NULL, "print the ciphering keys of MSs, which are hidden otherwise"}};

const struct cli cli_of_check = {
    .name = "check",
    .words = "FILE",
    .about = "check a configuration; print it, all defaults filled in, as JSON",
    .options = check_options,
    .count = sizeof check_options / sizeof check_options[0]};

static const struct cli_option run_options[] = {
    SET_AND_SEED,
    [OUT] = {"out", "DIR", "folder for the results (default: out/NAME, from run.name)"},
    [PCAP] = {"pcap", NULL, "in virtual time, write all frames to gn.pcap and gb.pcap"}};

const struct cli cli_of_run = {.name = "run",
                               .words = "FILE",
                               .about = "run a configuration",
                               .options = run_options,
                               .count = sizeof run_options / sizeof run_options[0]};

static bool take(struct options *options, size_t option, const char *value)
{
    return option == SET ? add_set(options, value) : take_seed(options, value);
}

static bool take_of_check(void *self, size_t option, const char *value)
{
    struct options *options = self;
    if (option == KEYS)
        options->keys = true;
    else if (option == SECRETS)
        options->secrets = true;
    else
        return take(options, option, value);
    return true;
}

static bool take_of_run(void *self, size_t option, const char *value)
{
    struct options *options = self;
    if (option == OUT)
        options->out = value;
    else if (option == PCAP)
        options->pcap = true;
    else
        return take(options, option, value);
    return true;
}

enum cli_end options_parse(struct options *options, const struct cli *cli, int argc, char **argv)
{
    int first;
    *options = (struct options){0};
    enum cli_end end = cli_parse(cli, argc, argv, cli == &cli_of_run ? take_of_run : take_of_check,
                                 options, &first);
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
