// sluice check, sluice lua, sluice version.
#include "control/cli/commands.h"

#include <stdlib.h>

#include <intel-ipsec-mb.h>
#include <rte_version.h>

#include "control/process/eal.h"
#include "control/run/load.h"
#include "control/process/version.h"
#include "control/runs/plan.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"

static int check(struct bind *lua, const struct options *options)
{
    if (options->keys) {
        load_describe(lua, stdout);
        return EXIT_DONE;
    }
    struct load load;
    char *said;
    bool good = load_config_said(lua, options, &load, &said);
    if (good)
        good = plan_check(lua, options, said);
    else
        fputs(said, stderr);
    free(said);
    if (!good)
        return EXIT_USAGE;
    struct eal_plan plan = eal_plan(EAL_SYSFS, load_memory_octets(&load));
    bind_config_json(lua, plan.need_octets, options->secrets, stdout);
    return EXIT_DONE;
}

int command_check(int argc, char **argv)
{
    struct options options;
    enum cli_end end = options_parse(&options, &cli_of_check, argc, argv);
    if (end != CLI_GO)
        return cli_status(end);
    struct bind *lua = bind_create(false);
    int status = lua ? check(lua, &options) : EXIT_RUN_FAILED;
    if (lua)
        bind_destroy(lua);
    return status;
}

const struct cli cli_of_lua = {.name = "lua",
                               .words = "FILE [ARGS]",
                               .about = "run a Lua script that can require \"wire\"",
                               .words_follow = true};

int command_lua(int argc, char **argv)
{
    int first;
    enum cli_end end = cli_parse(&cli_of_lua, argc, argv, NULL, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (first == argc) {
        fprintf(stderr, "sluice lua: no script given; usage: sluice lua FILE [ARGS]\n");
        return EXIT_USAGE;
    }
    struct bind *lua = bind_create(true);
    int status =
        lua ? bind_script(lua, argv[first], argc - first - 1, argv + first + 1) : EXIT_RUN_FAILED;
    if (lua)
        bind_destroy(lua);
    return status;
}

const struct cli cli_of_version = {
    .name = "version", .words = "", .about = "print the versions of Sluice and its libraries"};

int command_version(int argc, char **argv)
{
    int first;
    enum cli_end end = cli_parse(&cli_of_version, argc, argv, NULL, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (!cli_no_words(&cli_of_version, argc, argv, first))
        return EXIT_USAGE;
    printf("sluice %s\n%s\n%s\nintel-ipsec-mb %s\nFCS by %s\nGEA3 and GEA4 by %s\n", sluice_version,
           rte_version(), bind_lua_version(), imb_get_version_str(), fcs_choose()->name,
           cipher_choose()->name);
    return EXIT_DONE;
}
