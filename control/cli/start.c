// How a program of commands begins and ends.
#include <fcntl.h>
#include <stdlib.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"

void cli_begin(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
            abort();
}

int cli_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "sluice: standard output is incomplete: %m\n");
    return status ? status : EXIT_RUN_FAILED;
}
