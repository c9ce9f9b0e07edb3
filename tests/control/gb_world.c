// The control plane and the dataplane in virtual time, with nobody at their ports but who talks to
// this program: a line on stdin is a command, its answer lines on stdout, the last of them
// `ok ...` or `error WHY`. tests/gb/world.py speaks it.
//
//     gb_world FILE [--set KEY=VALUE]...   FILE is a configuration with run.clock = "virtual"
//
// An instant comes to rest as in the lab's engine: frames out, workers and control in turn until
// none has work; 100 000 rounds are a fault. After each, every worker has to be balanced (S8). Ends
// with stdin: 0 if nothing was lost and there was no fault.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/cli/commands.h"
#include "control/export/board.h"
#include "control/process/eal.h"
#include "tests/control/gb_world.h"

#define EACH_OCTETS   (1ULL << 30)   // that any of several configurations may take
#define NO_HUGE_PAGES "/nonexistent" // so none is found free, whatever the machine has

static const struct world_command commands[] = {
    {"frame", world_frame},     {"until", world_until},   {"rate", world_rate},
    {"tunnels", world_tunnels}, {"stats", world_stats},   {"counts", world_counts},
    {"lua", world_lua},         {"memory", world_memory}, {"kill", world_kill},
    {"ctl", world_ctl},         {"answer", world_answer}, {"template", world_template},
    {"fuzz", world_fuzz},       {"used", world_used},
};

void world_fault(struct world *world, const char *what)
{
    world->fault = true;
    printf("error %s\n", what);
}

// One line, its newline gone.
static void obey(struct world *world, char *line)
{
    char *name = strsep(&line, " ");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0) {
            commands[i].obey(world, line ? line : "");
            return;
        }
    world_fault(world, "no such command");
}

static void obey_all(struct world *world)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, stdin)) > 0) {
        line[n - (line[n - 1] == '\n')] = '\0';
        obey(world, line);
        fflush(stdout);
    }
    free(line);
}

static const char *bring_up(struct world *world)
{
    const char *why;
    world->dp = dp_create(&world->load.dp, &why);
    if (!world->dp)
        return why;
    world->board = board_create(&world->load.dp);
    if (!world->board)
        return "no memory for the board";
    world_lend_calls(world);
    world->control.log = (struct log){.out = stderr, .level = LOG_INFO};
    control_start(&world->control, &bind_procedures, world->dp);
    world->started = true;
    return world_bring_up(world) ? NULL : "the configuration was not brought up";
}

static const char *start(struct world *world)
{
    struct eal_plan plan = eal_plan(NO_HUGE_PAGES, load_memory_octets(&world->load));
    if (eal_start(&plan, false) != 0)
        return "DPDK's EAL did not start";
    world->eal = true;
    return bring_up(world);
}

static int stop(struct world *world)
{
    uint32_t lost = 0;
    world_ctl_end(world);
    world_clear(world);
    if (world->started)
        control_stop(&world->control);
    if (world->dp)
        lost = dp_destroy(world->dp);
    if (world->board)
        board_destroy(world->board);
    if (lost)
        fprintf(stderr, "gb_world: %u buffers did not come back\n", lost);
    if (world->control.lua)
        bind_destroy(world->control.lua);
    if (world->eal)
        eal_stop();
    return lost || world->fault ? 1 : 0;
}

static const char *run_one(struct world *world, char *file)
{
    struct options options;
    char *arguments[] = {"", file, NULL};
    if (options_parse(&options, &cli_of_check, 2, arguments) != CLI_GO)
        return "no file";
    world->control.lua = bind_create(false);
    if (!world->control.lua)
        return "no memory for Lua";
    if (!load_config(world->control.lua, &options, &world->load))
        return "refused";
    return bring_up(world);
}

// Configurations one after the other, a file's name a line: what `check` says of it, and whether
// it comes up if that is good.
static int run_each(struct world *world)
{
    struct eal_plan plan = eal_plan(NO_HUGE_PAGES, EACH_OCTETS);
    char file[256];
    if (eal_start(&plan, false) != 0)
        return 2;
    while (fgets(file, sizeof file, stdin)) {
        file[strcspn(file, "\n")] = '\0';
        *world = (struct world){0};
        const char *why = run_one(world, file);
        int lost = stop(world);
        printf("%s\n", why ? why : lost ? "buffers were lost" : "ran");
        fflush(stdout);
    }
    eal_stop();
    return 0;
}

int main(int argc, char **argv)
{
    static struct world world; // large
    struct options options;
    if (argc == 2 && strcmp(argv[1], "--each") == 0)
        return run_each(&world);
    if (options_parse(&options, &cli_of_check, argc, argv) != CLI_GO)
        return 2;
    world.control.lua = bind_create(false);
    if (!world.control.lua || !load_config(world.control.lua, &options, &world.load))
        return 2;
    const char *why = start(&world);
    if (why)
        world_fault(&world, why);
    else
        printf("ok\n");
    fflush(stdout);
    if (!why)
        obey_all(&world);
    return stop(&world);
}
