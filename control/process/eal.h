// Starts DPDK's environment, with huge pages if enough are free, else with 4 KiB pages. A run in
// virtual time has one lcore and needs no root; a run in real time has an lcore for each worker
// too.
#ifndef SLUICE_CONTROL_PROCESS_EAL_H
#define SLUICE_CONTROL_PROCESS_EAL_H

#include <stdbool.h>
#include <stdint.h>

struct eal_plan {
    uint64_t need_octets;      // including DPDK's own memory
    uint64_t huge_free_octets; // huge pages found that nobody has taken or been promised
    // How many pages of 2 MiB to reserve in all, so that those free are enough without another
    // size; never fewer than now. 0: the kernel has no pages of that size.
    uint64_t pages_advised;
    bool huge, huge_refused; // refused: by --no-huge
    char instance[64]; // the instance's folder name in runtime.h's folder; "": no telemetry socket
};

// Looks for free huge pages below `sysfs_dir` (EAL_SYSFS outside tests).
#define EAL_SYSFS "/sys/kernel/mm/hugepages"
struct eal_plan eal_plan(const char *sysfs_dir, uint64_t need_octets);

// No huge pages, however many are free.
void eal_plan_refuse_huge(struct eal_plan *plan);

// Describes the plan in one line: which pages, why, and how to get huge ones if that helps.
void eal_plan_text(const struct eal_plan *plan, char *text, uint32_t room);

// Makes the folder for a telemetry socket, named after the run and this process. Returns 0 or a
// negative errno: then the run has no telemetry socket.
int eal_plan_telemetry(struct eal_plan *plan, const char *name);

// Returns 0 or a negative errno. pinned: the process stays on one processor, for benchmarks; else
// it keeps its processors, so that several runs spread.
int eal_start(const struct eal_plan *plan, bool pinned);

#define EAL_LCORES_MAX  17 // control and sixteen workers
#define EAL_DEVICES_MAX 4  // two ports, and for a benchmark two more for the generator

// A thread for each lcore, the caller's first, and the PCI devices to scan for.
struct eal_threads {
    uint32_t lcores;
    uint16_t processor[EAL_LCORES_MAX];
    const char *device[EAL_DEVICES_MAX]; // virtual devices and NULL are ignored
    int node[EAL_LCORES_MAX];            // the NUMA node of each lcore's processor
    int device_node[EAL_DEVICES_MAX];    // of each device; TOPOLOGY_NO_NODE: none
};

// Fills in the processors, and all nodes: the processors are those of `wanted`, or chosen for the
// first two devices (topology.h). With too few of them lcores share processors; the first lcore has
// its own if there are two. Returns their number.
uint32_t eal_processors(struct eal_threads *threads, const uint16_t *wanted, uint32_t wanted_n);

// The first of `wanted` that the process may not use; -1 if it may use all.
int eal_processor_missing(const uint16_t *wanted, uint32_t wanted_n);

// On 4 KiB pages a buffer has no address for DMA, and a NIC would receive nothing and say nothing.
// Returns the NIC that the plan cannot serve; NULL: it can serve all.
const char *eal_plan_lacks(const struct eal_plan *plan, const struct eal_threads *threads);

int eal_start_threads(const struct eal_plan *plan, const struct eal_threads *threads);
void eal_stop(void);

#endif
