// sluice run: from the command line to one run, or to several.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// As if it had been called so: DPDK does not begin twice in a process. Returns if that fails, too.
static int without_huge_pages(int argc, char **argv)
{
    char **words = calloc((size_t)argc + 3, sizeof *words);
    if (!words)
        return run_failed("memory", strerror(ENOMEM));
    words[0] = "sluice";
    words[1] = "run";
    words[2] = "--no-huge";
    memcpy(words + 3, argv + 1, (size_t)(argc - 1) * sizeof *words);
    fprintf(stderr,
            "sluice run: the huge pages that were counted as free cannot be had: another program "
            "has taken them, or a limit forbids them, such as its cgroup's of hugetlb; "
            "it begins again with --no-huge\n");
    close_range(3, ~0u, 0); // of devices
    execv("/proc/self/exe", words);
    free(words);
    return run_failed("/proc/self/exe", strerror(errno));
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
    bool again = run->huge_taken;
    free(run);
    return again ? without_huge_pages(argc, argv) : status;
}
