// DPDK's environment for a test program: 4 KiB pages, no devices, no files left behind. It can be
// started once in a process, so this is the group's set-up.
#ifndef TESTS_DATAPLANE_EAL_FIXTURE_H
#define TESTS_DATAPLANE_EAL_FIXTURE_H

#include <rte_eal.h>
#include <stdio.h>

static inline int eal_fixture_start(const char *memory_mib)
{
    static char words[][32] = {"test",           "--no-huge",   "--no-pci",
                               "--no-telemetry", "--no-shconf", "--log-level=error",
                               "--lcores=0",     "-m",          ""};
    char *argv[sizeof words / sizeof words[0] + 1] = {NULL};
    int argc = sizeof words / sizeof words[0];
    for (int i = 0; i < argc; i++)
        argv[i] = words[i];
    snprintf(argv[argc - 1], sizeof words[0], "%s", memory_mib);
    return rte_eal_init(argc, argv) < 0 ? -1 : 0;
}

static inline int eal_fixture_setup(void **state)
{
    (void)state;
    return eal_fixture_start("64");
}

static inline int eal_fixture_teardown(void **state)
{
    (void)state;
    return rte_eal_cleanup();
}

#endif
