// The command line of `run` and `check`.
#ifndef SLUICE_CONTROL_OPTIONS_H
#define SLUICE_CONTROL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_SETS_MAX 64

struct options {
    const char *file;
    const char *out; // NULL: not given
    bool pcap, keys;
    const char *set[OPTIONS_SETS_MAX]; // KEY=VALUE in order; --seed is one of them
    uint32_t sets;
    char seed[64];
};

enum options_of { OPTIONS_OF_RUN, OPTIONS_OF_CHECK };

// False, with the reason on stderr, for what that command does not understand.
bool options_parse(struct options *options, enum options_of command, int argc, char **argv);

#endif
