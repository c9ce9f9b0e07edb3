// Starting DPDK's environment, with huge pages where there are enough free ones and without where
// there are not.
#ifndef SLUICE_CONTROL_EAL_H
#define SLUICE_CONTROL_EAL_H

#include <stdbool.h>
#include <stdint.h>

struct eal_plan {
    uint64_t need_octets;      // with room for DPDK's own
    uint64_t huge_free_octets; // found
    bool huge;
};

// Looks for free huge pages below `sysfs_dir` (EAL_SYSFS outside tests).
#define EAL_SYSFS "/sys/kernel/mm/hugepages"
struct eal_plan eal_plan(const char *sysfs_dir, uint64_t need_octets);

// What was chosen and what it costs, one line.
void eal_plan_text(const struct eal_plan *plan, char *text, uint32_t room);

// 0 or a negative errno. `pinned`: stay on one processor, as a benchmark wants; else the process
// keeps those it had, so that runs side by side spread.
int eal_start(const struct eal_plan *plan, bool pinned);
void eal_stop(void);

#endif
