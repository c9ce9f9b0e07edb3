// The command line of `run` and `check`.
#ifndef SLUICE_CONTROL_RUN_OPTIONS_H
#define SLUICE_CONTROL_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "control/cli/cli.h"

#define OPTIONS_SETS_MAX     64
#define OPTIONS_VARIANTS_MAX 64
#define OPTIONS_ALL          "all" // --variant all

struct options {
    const char *file;
    const char *out; // NULL: not given
    bool pcap, packets, keys, secrets, no_huge, no_page, force;
    const char *set[OPTIONS_SETS_MAX + 1]; // KEY=VALUE in order, also that of --seed
    uint32_t sets;
    char seed[64];
    const char *variant, *point; // of the load; NULL: the file's default, no point
    // Of several runs:
    const char *variants[OPTIONS_VARIANTS_MAX]; // each --variant
    uint32_t variant_count;
    uint64_t seed_first, seed_last; // --seeds
    bool seeds, resume, commands;
    const char *targets, *knobs; // NULL: not given
    uint32_t jobs;               // 0: not given
    bool has_tun;
    int tun[2]; // descriptors of the hosts' and the MSs' device
};

// cli: cli_of_run or cli_of_check.
enum cli_end options_parse(struct options *options, const struct cli *cli, int argc, char **argv);

#endif
