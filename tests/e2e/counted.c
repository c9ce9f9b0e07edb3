// `sluice audit` and `sluice gi` with a call at each basic block of what judges packets, so that a
// test can see how their work grows without a clock: the last line of stderr says how many blocks
// ran.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "control/cli/commands.h"

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    blocks++;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return EXIT_USAGE;
    int status = strcmp(argv[1], "gi") == 0 ? command_gi(argc - 1, argv + 1)
                                            : command_audit(argc - 1, argv + 1);
    fprintf(stderr, "blocks %" PRIu64 "\n", blocks);
    return status;
}
