// sluice run: from the command line to one run, or to several.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/cli/commands.h"
#include "control/client/value.h"
#include "control/process/signals.h"
#include "control/run/run.h"
#include "control/runs/sweep.h"

// What loading says is shown where it is about a single run; of several, each says it.
static int run_all(struct run *run)
{
    int several = EXIT_USAGE;
    char *said;
    if (load_config_said(run->control.lua, &run->options, &run->load, &said))
        several = sweep_of(run);
    if (several == SWEEP_NONE || several == EXIT_USAGE)
        fputs(said, stderr);
    free(said);
    return several == SWEEP_NONE ? run_once(run) : several;
}

static int run_with_lua(struct run *run)
{
    run->control.lua = bind_create(false);
    run->control.log = (struct log){.out = stderr, .level = LOG_INFO};
    run_signalling(run);
    int status = run->control.lua ? run_all(run) : run_failed("Lua", strerror(ENOMEM));
    if (run->control.lua)
        bind_destroy(run->control.lua);
    results_close(&run->results);
    value_free(run->origin);
    if (run->eal_started)
        eal_stop();
    return status;
}

int command_run(int argc, char **argv)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return run_failed("memory", strerror(ENOMEM));
    run->results.folder = -1;
    signals_begin();
    enum cli_end end = options_parse(&run->options, &cli_of_run, argc, argv);
    int status = end == CLI_GO ? run_with_lua(run) : cli_status(end);
    free(run);
    return status;
}
