// The command line of `run` and `check`.
#ifndef SLUICE_CONTROL_PROGRAM_OPTIONS_H
#define SLUICE_CONTROL_PROGRAM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "control/cli/cli.h"

#define OPTIONS_SETS_MAX 64

struct options {
    const char *file;
    const char *out; // NULL: not given
    bool pcap, keys, secrets;
    const char *set[OPTIONS_SETS_MAX]; // KEY=VALUE in order, also that of --seed
    uint32_t sets;
    char seed[64];
};

// cli: cli_of_run or cli_of_check.
enum cli_end options_parse(struct options *options, const struct cli *cli, int argc, char **argv);

#endif
