// See eal.h. One lcore, on the first processor that this process may use; no PCI scan, no shared
// files, no telemetry yet: nothing here needs root.
#include "control/eal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define MIB ((uint64_t)1 << 20)
// Heaps, the lcore's own and fragmentation, on top of what the dataplane asks for.
#define EAL_OWN_OCTETS (32 * MIB)

static uint64_t free_octets(const char *sysfs_dir, const char *size_name)
{
    char path[512];
    uint64_t kib = 0, pages = 0;
    if (sscanf(size_name, "hugepages-%" SCNu64 "kB", &kib) != 1)
        return 0;
    snprintf(path, sizeof path, "%s/%s/free_hugepages", sysfs_dir, size_name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%" SCNu64, &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * kib * 1024;
}

struct eal_plan eal_plan(const char *sysfs_dir, uint64_t need_octets)
{
    struct eal_plan plan = {.need_octets = need_octets + need_octets / 8 + EAL_OWN_OCTETS};
    DIR *dir = opendir(sysfs_dir);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        plan.huge_free_octets += free_octets(sysfs_dir, entry->d_name);
    if (dir)
        closedir(dir);
    plan.huge = plan.huge_free_octets >= plan.need_octets;
    return plan;
}

void eal_plan_text(const struct eal_plan *plan, char *text, uint32_t room)
{
    uint64_t need = plan->need_octets / MIB + 1;
    if (plan->huge)
        snprintf(text, room, "memory: huge pages (%" PRIu64 " MiB needed, %" PRIu64 " MiB free)",
                 need, plan->huge_free_octets / MIB);
    else
        snprintf(text, room,
                 "memory: 4 KiB pages, for %" PRIu64 " MiB of huge pages are needed and %" PRIu64
                 " MiB are free. Results are the same; with a million MSs a packet costs about 10 "
                 "%% more cycles. "
                 "To have them: echo %" PRIu64 " > /proc/sys/vm/nr_hugepages",
                 need, plan->huge_free_octets / MIB, (need + 1) / 2);
}

static int first_processor(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &allowed))
                return cpu;
    return 0;
}

int eal_start(const struct eal_plan *plan, bool pinned)
{
    cpu_set_t allowed;
    bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    char lcore[32], memory[32];
    snprintf(lcore, sizeof lcore, "--lcores=0@%d", first_processor());
    snprintf(memory, sizeof memory, "%" PRIu64, plan->need_octets / MIB + 1);
    const char *huge[] = {"sluice",     lcore, "--no-pci", "--no-telemetry", "--log-level=error",
                          "--in-memory"};
    const char *small[] = {
        "sluice",      lcore, "--no-pci", "--no-telemetry", "--log-level=error", "--no-huge",
        "--no-shconf", "-m",  memory};
    int n = plan->huge ? sizeof huge / sizeof huge[0] : sizeof small / sizeof small[0];
    // rte_eal_init may reorder its argument vector, not write to the strings.
    char **argv = (char **)(plan->huge ? huge : small);
    if (rte_eal_init(n, argv) < 0)
        return rte_errno ? -rte_errno : -EIO;
    if (known && !pinned)
        sched_setaffinity(0, sizeof allowed, &allowed);
    return 0;
}

void eal_stop(void)
{
    rte_eal_cleanup();
}
