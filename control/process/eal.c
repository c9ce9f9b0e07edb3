// See eal.h. No shared files; the PCI scan is limited to the NICs of the configuration. DPDK's
// telemetry thread runs on processors without an lcore, if there are any.
#include "control/process/eal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/process/runtime.h"
#include "control/process/topology.h"

#define MIB ((uint64_t)1 << 20)
// DPDK's own heaps, lcore data and fragmentation, on top of the dataplane's memory.
#define EAL_OWN_OCTETS (32 * MIB)
#define USUAL_PAGES    "hugepages-2048kB"

// Returns whether the file is there; without a number it counts none.
static bool read_pages(const char *sysfs_dir, const char *size_name, const char *file_name,
                       uint64_t *pages)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", sysfs_dir, size_name, file_name);
    FILE *file = fopen(path, "r");
    *pages = 0;
    if (!file)
        return false;
    if (fscanf(file, "%" SCNu64, pages) != 1)
        *pages = 0;
    fclose(file);
    return true;
}

// The pages of that size that nobody has taken. Those promised to another process are counted as
// free until it touches them.
static uint64_t free_octets(const char *sysfs_dir, const char *size_name)
{
    uint64_t kib = 0, pages, promised;
    if (sscanf(size_name, "hugepages-%" SCNu64 "kB", &kib) != 1)
        return 0;
    read_pages(sysfs_dir, size_name, "free_hugepages", &pages);
    read_pages(sysfs_dir, size_name, "resv_hugepages", &promised);
    return (pages - RTE_MIN(pages, promised)) * kib * 1024;
}

static uint64_t pages_advised(const char *sysfs_dir, uint64_t need_octets)
{
    uint64_t pages, free = free_octets(sysfs_dir, USUAL_PAGES);
    if (!read_pages(sysfs_dir, USUAL_PAGES, "nr_hugepages", &pages))
        return 0;
    return pages + (need_octets - RTE_MIN(need_octets, free) + 2 * MIB - 1) / (2 * MIB);
}

struct eal_plan eal_plan(const char *sysfs_dir, uint64_t need_octets)
{
    struct eal_plan plan = {.need_octets = need_octets + need_octets / 8 + EAL_OWN_OCTETS};
    DIR *dir = opendir(sysfs_dir);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        plan.huge_free_octets += free_octets(sysfs_dir, entry->d_name);
    if (dir)
        closedir(dir);
    plan.pages_advised = pages_advised(sysfs_dir, plan.need_octets);
    plan.huge = plan.huge_free_octets >= plan.need_octets;
    return plan;
}

void eal_plan_refuse_huge(struct eal_plan *plan)
{
    plan->huge_refused = true;
    plan->huge = false;
}

void eal_plan_text(const struct eal_plan *plan, char *text, uint32_t room)
{
    uint64_t need = plan->need_octets / MIB + 1, found = plan->huge_free_octets / MIB;
    char advice[128] = "This kernel has no huge pages of 2 MiB";
    if (plan->huge_refused) {
        snprintf(text, room,
                 "memory: 4 KiB pages, because of --no-huge (each run of a sweep has it)");
        return;
    }
    if (plan->huge) {
        snprintf(text, room, "memory: huge pages (%" PRIu64 " MiB needed, %" PRIu64 " MiB free)",
                 need, found);
        return;
    }
    if (plan->pages_advised)
        snprintf(advice, sizeof advice,
                 "To get huge pages: echo %" PRIu64 " > " EAL_SYSFS "/" USUAL_PAGES "/nr_hugepages",
                 plan->pages_advised);
    snprintf(text, room,
             "memory: 4 KiB pages, because %" PRIu64 " MiB of huge pages are needed and %" PRIu64
             " MiB are free. Results are the same; a packet costs 2 %% more cycles with a "
             "thousand MSs, 11 %% with a million. %s",
             need, found, advice);
}

// A socket's path has 108 octets at most, so a long name is cut.
int eal_plan_telemetry(struct eal_plan *plan, const char *name)
{
    snprintf(plan->instance, sizeof plan->instance, RUNTIME_PREFIX "%.40s-%d", name, (int)getpid());
    runtime_clean();
    int fault = runtime_make(plan->instance);
    if (fault)
        plan->instance[0] = '\0';
    return fault;
}

// Read once: the processors of a process are those that it began with.
static const struct topology *machine(void)
{
    static struct topology topology;
    static bool is_read;
    if (!is_read)
        topology_read(&topology, TOPOLOGY_SYS);
    is_read = true;
    return &topology;
}

static void find_nodes(struct eal_threads *threads)
{
    for (uint32_t i = 0; i < threads->lcores; i++)
        threads->node[i] = machine()->of[threads->processor[i]].node;
}

uint32_t eal_processors(struct eal_threads *threads, const uint16_t *wanted, uint32_t wanted_n)
{
    for (int i = 0; i < EAL_DEVICES_MAX; i++)
        threads->device_node[i] = threads->device[i]
                                      ? topology_node_of(TOPOLOGY_SYS, threads->device[i])
                                      : TOPOLOGY_NO_NODE;
    uint32_t n = wanted_n < EAL_LCORES_MAX ? wanted_n : EAL_LCORES_MAX;
    if (n == 0)
        n = topology_choose(machine(), threads->device_node[0], threads->device_node[1],
                            threads->lcores - 1, threads->processor);
    else
        threads->processor[0] = wanted[0];
    for (uint32_t i = 1; i < threads->lcores && wanted_n; i++)
        threads->processor[i] = n > 1 ? wanted[1 + (i - 1) % (n - 1)] : wanted[0];
    find_nodes(threads);
    return n;
}

int eal_processor_missing(const uint16_t *wanted, uint32_t wanted_n)
{
    for (uint32_t i = 0; i < wanted_n; i++)
        if (wanted[i] >= TOPOLOGY_PROCESSORS_MAX || !machine()->of[wanted[i]].allowed)
            return wanted[i];
    return -1;
}

// rte_eal_init's argument vector, which it may reorder; it does not write to the strings.
struct arguments {
    char *at[32];
    int n;
    char lcores[EAL_LCORES_MAX * 12 + 16], memory[24], prefix[96];
};

static void add(struct arguments *a, const char *argument)
{
    a->at[a->n++] = (char *)argument;
}

static void add_lcores(struct arguments *a, const struct eal_threads *threads)
{
    int n = snprintf(a->lcores, sizeof a->lcores, "--lcores=");
    for (uint32_t i = 0; i < threads->lcores; i++)
        n += snprintf(a->lcores + n, sizeof a->lcores - (size_t)n, "%s%u@%u", i ? "," : "", i,
                      threads->processor[i]);
    add(a, a->lcores);
}

// Returns whether the device is 0000:01:00.0 or 01:00.0, with or without arguments.
static bool is_pci(const char *device)
{
    size_t digits = strspn(device, "0123456789abcdefABCDEF");
    return (digits == 2 || digits == 4) && device[digits] == ':';
}

const char *eal_plan_lacks(const struct eal_plan *plan, const struct eal_threads *threads)
{
    for (int i = 0; i < EAL_DEVICES_MAX && !plan->huge; i++)
        if (threads->device[i] && is_pci(threads->device[i]))
            return threads->device[i];
    return NULL;
}

// Two ports may be at one NIC.
static bool is_again(const struct eal_threads *threads, int place)
{
    bool again = false;
    for (int i = 0; i < place && !again; i++)
        again = threads->device[i] && strcmp(threads->device[i], threads->device[place]) == 0;
    return again;
}

// Only the NICs of the configuration: another program may use the others.
static void add_devices(struct arguments *a, const struct eal_threads *threads)
{
    bool pci = false;
    for (int i = 0; i < EAL_DEVICES_MAX; i++) {
        if (!threads->device[i] || !is_pci(threads->device[i]) || is_again(threads, i))
            continue;
        pci = true;
        add(a, "-a");
        add(a, threads->device[i]);
    }
    if (!pci)
        add(a, "--no-pci");
}

static void add_memory(struct arguments *a, const struct eal_plan *plan)
{
    if (plan->huge) {
        add(a, "--in-memory");
        return;
    }
    snprintf(a->memory, sizeof a->memory, "%" PRIu64, plan->need_octets / MIB + 1);
    add(a, "--no-huge");
    add(a, "--no-shconf");
    add(a, "-m");
    add(a, a->memory);
}

static void add_telemetry(struct arguments *a, const struct eal_plan *plan)
{
    if (!plan->instance[0]) {
        add(a, "--no-telemetry");
        return;
    }
    snprintf(a->prefix, sizeof a->prefix, "--file-prefix=%s", plan->instance);
    add(a, a->prefix);
}

int eal_start_threads(const struct eal_plan *plan, const struct eal_threads *threads)
{
    struct arguments a = {.n = 0};
    add(&a, "sluice");
    add_lcores(&a, threads);
    add_devices(&a, threads);
    add_telemetry(&a, plan);
    add(&a, "--log-level=error");
    add_memory(&a, plan);
    if (rte_eal_init(a.n, a.at) >= 0)
        return 0;
    if (plan->instance[0])
        runtime_remove(plan->instance);
    return rte_errno ? -rte_errno : -EIO;
}

int eal_start(const struct eal_plan *plan, bool pinned)
{
    cpu_set_t allowed;
    bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    struct eal_threads threads = {.lcores = 1};
    eal_processors(&threads, NULL, 0);
    int fault = eal_start_threads(plan, &threads);
    if (!fault && known && !pinned)
        sched_setaffinity(0, sizeof allowed, &allowed);
    return fault;
}

// Also removes the instance's folder.
void eal_stop(void)
{
    const char *folder = strrchr(rte_eal_get_runtime_dir(), '/');
    char instance[64];
    snprintf(instance, sizeof instance, "%s", folder ? folder + 1 : "");
    rte_eal_cleanup();
    if (strncmp(instance, RUNTIME_PREFIX, strlen(RUNTIME_PREFIX)) == 0)
        runtime_remove(instance);
}
