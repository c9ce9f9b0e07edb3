// sluice check, sluice lua, sluice version.
#include "control/commands.h"

#include <intel-ipsec-mb.h>
#include <rte_version.h>

#include "control/eal.h"
#include "control/load.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"

static int check(struct host *host, const struct options *options)
{
    if (options->keys) {
        host_describe(host, stdout);
        return EXIT_DONE;
    }
    struct load load;
    if (!load_config(host, options, &load))
        return EXIT_USAGE;
    struct eal_plan plan = eal_plan(EAL_SYSFS, load_memory_octets(&load));
    host_config_json(host, plan.need_octets, stdout);
    return EXIT_DONE;
}

int command_check(int argc, char **argv)
{
    struct options options;
    if (!options_parse(&options, OPTIONS_OF_CHECK, argc, argv))
        return EXIT_USAGE;
    struct host *host = host_create(false);
    int status = host ? check(host, &options) : EXIT_RUN_FAILED;
    if (host)
        host_destroy(host);
    return status;
}

int command_lua(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "sluice lua: a script is needed\n");
        return EXIT_USAGE;
    }
    struct host *host = host_create(true);
    int status = host ? host_script(host, argv[1], argc - 2, argv + 2) : EXIT_RUN_FAILED;
    if (host)
        host_destroy(host);
    return status;
}

int command_version(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        fprintf(stderr, "sluice version: it takes nothing, found %s\n", argv[1]);
        return EXIT_USAGE;
    }
    printf("sluice %s\n%s\n%s\nintel-ipsec-mb %s\nFCS by %s\nGEA3 and GEA4 by %s\n", SLUICE_VERSION,
           rte_version(), host_lua_version(), imb_get_version_str(), fcs_choose()->name,
           cipher_choose()->name);
    return EXIT_DONE;
}
