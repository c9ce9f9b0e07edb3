// See options.h.
#include "control/options.h"

#include <getopt.h>
#include <stdio.h>

static bool add_set(struct options *options, const char *set)
{
    if (options->sets == OPTIONS_SETS_MAX) {
        fprintf(stderr, "sluice: more than %d --set\n", OPTIONS_SETS_MAX);
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
    fprintf(stderr, "sluice: --seed: found %s, allowed a whole number\n", seed);
    return false;
}

static bool take(struct options *options, int option)
{
    switch (option) {
    case 'o':
        options->out = optarg;
        return true;
    case 'p':
        return options->pcap = true;
    case 'k':
        return options->keys = true;
    case 's':
        return add_set(options, optarg);
    case 'n':
        return take_seed(options, optarg);
    default: // getopt has said what is wrong
        return false;
    }
}

bool options_parse(struct options *options, enum options_of command, int argc, char **argv)
{
    static const struct option of_check[] = {{"keys", no_argument, NULL, 'k'},
                                             {"set", required_argument, NULL, 's'},
                                             {"seed", required_argument, NULL, 'n'},
                                             {NULL, 0, NULL, 0}};
    static const struct option of_run[] = {{"out", required_argument, NULL, 'o'},
                                           {"pcap", no_argument, NULL, 'p'},
                                           {"set", required_argument, NULL, 's'},
                                           {"seed", required_argument, NULL, 'n'},
                                           {NULL, 0, NULL, 0}};
    const struct option *known = command == OPTIONS_OF_RUN ? of_run : of_check;
    *options = (struct options){0};
    argv[0] = command == OPTIONS_OF_RUN ? "sluice run" : "sluice check"; // for getopt's messages
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (!take(options, option))
            return false;
    if (options->keys)
        return true;
    if (optind != argc - 1) {
        fprintf(stderr, "%s: one configuration file is needed, found %d\n", argv[0], argc - optind);
        return false;
    }
    options->file = argv[optind];
    return true;
}
