// sluice-dpdk COMMAND ...: the table of all commands, and help. front.c starts it.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/throughput/keys.h"
#include "control/bind/bind.h"
#include "control/captures/columns.h"
#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/run/outputs.h"
#include "control/runs/gather.h"
#include "control/process/version.h"

const struct cli_command cli_commands[] = {
    {&cli_of_run, command_run}, // in the order of the usage
    {&cli_of_check, command_check},     {&cli_of_report, command_report},
    {&cli_of_bench, command_bench},     {&cli_of_stats, command_stats},
    {&cli_of_top, command_top},         {&cli_of_metrics, command_metrics},
    {&cli_of_ctl, command_ctl},         {&cli_of_lua, command_lua},
    {&cli_of_bts, command_bts},         {&cli_of_ggsn, command_ggsn},
    {&cli_of_audit, command_audit},     {&cli_of_gi, command_gi},
    {&cli_of_version, command_version}, {NULL, NULL},
};

static int unknown(const char *word)
{
    const char *nearest = cli_nearest(word);
    fprintf(stderr, "sluice: unknown command '%s'", word);
    if (nearest)
        fprintf(stderr, "; did you mean %s?", nearest);
    fprintf(stderr, "\n\n");
    cli_usage(stderr);
    return EXIT_USAGE;
}

// Each file that Sluice writes: its name, and what each of its columns means.
static int help_csv(void)
{
    struct bind *lua = bind_create(false);
    if (!lua)
        return EXIT_RUN_FAILED;
    printf("Of a run, in its folder:\n");
    outputs_describe(stdout);
    printf("\nOf several runs, in their folder:\n");
    gather_describe(stdout);
    bind_describe(lua, "sluice.targets.report", stdout);
    bind_describe(lua, "sluice.knobs.report", stdout);
    bind_destroy(lua);
    printf("\nOf sluice audit --csv DIR:\n\n");
    columns_audit(stdout);
    printf("\nOf sluice gi --csv FILE: those of gi_flows.csv\n\nOf sluice gi --losses "
           "FILE:\n\nFILE\n");
    columns_gi_losses(stdout);
    printf("\nOf sluice gi --series FILE:\n\nFILE\n");
    columns_gi_series(stdout);
    printf("\nOf sluice bench --out DIR:\n");
    bench_columns(stdout);
    return EXIT_DONE;
}

// The keys of the JSON that has no table of its own.
static int help_json(void)
{
    printf("Of a run, in summary.json:\n\n");
    outputs_describe_keys(stdout);
    printf("\nOf sluice bench --json:\n\n");
    bench_keys(stdout);
    return EXIT_DONE;
}

static int help_man(void)
{
    cli_man(stdout, sluice_version);
    return EXIT_DONE;
}

static int help_bash(void)
{
    cli_completion(stdout);
    return EXIT_DONE;
}

static int help_help(void)
{
    cli_usage(stdout);
    return EXIT_DONE;
}

const struct cli_topic cli_topics[] = {{"csv", help_csv},   {"json", help_json}, {"man", help_man},
                                       {"bash", help_bash}, {"help", help_help}, {NULL, NULL}};

static int help(const char *word)
{
    const struct cli_command *command = cli_find(word);
    if (command)
        cli_help(command->cli, stdout);
    for (const struct cli_topic *t = cli_topics; !command && t->name; t++)
        if (strcmp(word, t->name) == 0)
            return t->print();
    return command ? EXIT_DONE : unknown(word);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv)
{
    cli_begin();
    if (argc < 2) {
        cli_usage(stderr);
        return EXIT_USAGE;
    }
    if (is_one_of(argv[1], "help", "--help", "-h"))
        return cli_finish(help(argc > 2 ? argv[2] : "help"));
    if (is_one_of(argv[1], "--version", "-V", "-v"))
        return cli_finish(command_version(argc - 1, argv + 1));
    const struct cli_command *command = cli_find(argv[1]);
    return command ? cli_finish(command->run(argc - 1, argv + 1)) : unknown(argv[1]);
}
