// sluice COMMAND ...: where all meet.
#include "control/commands.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"run", command_run,
     "run FILE [--out DIR] [--seed N] [--set KEY=VALUE]... [--pcap]   run a configuration"},
    {"check", command_check,
     "check FILE [--seed N] [--set KEY=VALUE]...   check it; print it, all defaults filled in, as "
     "JSON\n"
     "         check --keys                      every key that a configuration may have"},
    {"bench", command_bench,
     "bench [--ms N] [--size OCTETS|imix] [--cipher NAME] [--json]...   how fast it is; bench "
     "--help"},
    {"stats", command_stats,
     "stats [--run NAME] [--json] [--all] [--mss] [--cell NSEI-BVCI] [--ms IMSI]   a running "
     "instance"},
    {"top", command_top, "top [--run NAME]   its cells by delay, anew each second"},
    {"metrics", command_metrics,
     "metrics [--run NAME] [--listen ADDRESS:PORT]   it for Prometheus; at 127.0.0.1:9464"},
    {"ctl", command_ctl, "ctl [--run NAME] WORDS...   asks it to do something; ctl help"},
    {"lua", command_lua, "lua FILE [ARGS]   run a Lua script that can require \"wire\""},
    {"version", command_version, "version   of Sluice and of the libraries it runs on"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static int usage(FILE *out, int status)
{
    fprintf(out, "usage: sluice COMMAND ...\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  sluice %s\n", commands[i].help);
    fprintf(out, "\nExit status: 0 done, 1 the run failed, 2 usage or configuration.\n");
    return status;
}

// What could not be written to stdout was not done.
static int flushed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "sluice: standard output could not be written whole: %m\n");
    return status ? status : EXIT_RUN_FAILED;
}

// A standard stream that is closed would leave its number to the next file that is opened.
static void open_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
            abort();
}

int main(int argc, char **argv)
{
    open_standard_streams();
    if (argc < 2)
        return usage(stderr, EXIT_USAGE);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
        return flushed(usage(stdout, EXIT_DONE));
    bool explains_itself = strcmp(argv[1], "bench") == 0;
    if (argc > 2 && strcmp(argv[2], "--help") == 0 && !explains_itself)
        return flushed(usage(stdout, EXIT_DONE));
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return flushed(commands[i].run(argc - 1, argv + 1));
    fprintf(stderr, "sluice: no command '%s'\n\n", argv[1]);
    return usage(stderr, EXIT_USAGE);
}
