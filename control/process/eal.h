// Starting DPDK's environment, with huge pages where there are enough free ones and without where
// there are not. A run in virtual time has one lcore and needs no root; one in real time has more.
#ifndef SLUICE_CONTROL_PROCESS_EAL_H
#define SLUICE_CONTROL_PROCESS_EAL_H

#include <stdbool.h>
#include <stdint.h>

struct eal_plan {
    uint64_t need_octets;      // with room for DPDK's own
    uint64_t huge_free_octets; // found
    bool huge;
    char instance[64]; // whose telemetry socket there is to be, in runtime.h's folder; "": none
};

// Looks for free huge pages below `sysfs_dir` (EAL_SYSFS outside tests).
#define EAL_SYSFS "/sys/kernel/mm/hugepages"
struct eal_plan eal_plan(const char *sysfs_dir, uint64_t need_octets);

// What was chosen and what it costs, one line.
void eal_plan_text(const struct eal_plan *plan, char *text, uint32_t room);

// That there be a socket, named for the run and this process, so that any number of them run side
// by side. 0, or a negative errno: then there will be none.
int eal_plan_telemetry(struct eal_plan *plan, const char *name);

// 0 or a negative errno. `pinned`: stay on one processor, as a benchmark wants; else the process
// keeps those it had, so that runs side by side spread.
int eal_start(const struct eal_plan *plan, bool pinned);

#define EAL_LCORES_MAX  17 // control and sixteen workers
#define EAL_DEVICES_MAX 4  // two ports, and for a benchmark their far ends

// A thread for each lcore, the caller's first, and the PCI devices that are to be found.
struct eal_threads {
    uint32_t lcores;
    uint16_t processor[EAL_LCORES_MAX];
    const char *device[EAL_DEVICES_MAX]; // virtual ones and NULL are not looked for
};

// Fills in the processors: `wanted` of them, or as many as there are of those that the process may
// use. With too few of them lcores share: the first keeps its own as long as there are two. Returns
// how many there are.
uint32_t eal_processors(struct eal_threads *threads, const uint16_t *wanted, uint32_t wanted_n);

// The first of those wanted that the process may not use; -1: it may use all of them.
int eal_processor_missing(const uint16_t *wanted, uint32_t wanted_n);

int eal_start_threads(const struct eal_plan *plan, const struct eal_threads *threads);
void eal_stop(void);

#endif
