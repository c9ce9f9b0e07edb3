// sluice: the commands that need no dataplane are here, for the loader takes longer over DPDK's
// libraries than some of them run, and a machine that has captures need not have DPDK. All others,
// and their help, are those of sluice-dpdk, which has every command and stands in the same folder.
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"

const struct cli_command cli_commands[] = {
    {&cli_of_report, command_report}, {&cli_of_stats, command_stats},
    {&cli_of_top, command_top},       {&cli_of_metrics, command_metrics},
    {&cli_of_ctl, command_ctl},       {&cli_of_audit, command_audit},
    {&cli_of_gi, command_gi},         {NULL, NULL},
};

#define WHOLE "sluice-dpdk"

// Beside this program, wherever a link or PATH found that. False: nobody knows where that is, and
// whatever stands in the working directory is not it.
static bool name_whole(char path[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof WHOLE);
    char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
    strcpy(slash ? slash + 1 : path, WHOLE);
    return slash;
}

static int start_whole(char **argv)
{
    char path[PATH_MAX];
    if (name_whole(path))
        execv(path, argv);
    fprintf(stderr,
            "sluice: cannot start %s: %s; this command needs it, and it is installed beside "
            "sluice\n",
            path, strerror(errno));
    return EXIT_RUN_FAILED;
}

int main(int argc, char **argv)
{
    cli_begin();
    const struct cli_command *command = argc > 1 ? cli_find(argv[1]) : NULL;
    const struct cli_command *topic =
        argc > 2 && strcmp(argv[1], "help") == 0 ? cli_find(argv[2]) : NULL;
    if (topic)
        cli_help(topic->cli, stdout);
    return topic     ? cli_finish(EXIT_DONE)
           : command ? cli_finish(command->run(argc - 1, argv + 1))
                     : start_whole(argv);
}
