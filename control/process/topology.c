// See topology.h.
#include "control/process/topology.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_OCTETS 512
#define NODES_MAX   64
#define MAX         TOPOLOGY_PROCESSORS_MAX

// ---- What the kernel says ----

__attribute__((format(printf, 2, 3))) static FILE *open_file(const char *sys, const char *format,
                                                             ...)
{
    char path[PATH_OCTETS];
    int n = snprintf(path, sizeof path, "%s/", sys);
    va_list words;
    va_start(words, format);
    vsnprintf(path + n, sizeof path - (size_t)n, format, words);
    va_end(words);
    return fopen(path, "r");
}

// Sets those that a list as 0-3,8 names, and closes its file; returns the first, or -1.
static int read_list(FILE *file, bool member[MAX])
{
    unsigned first, last;
    int least = -1;
    memset(member, 0, MAX * sizeof *member);
    while (file && fscanf(file, "%u", &first) == 1) {
        last = first;
        if (fscanf(file, "-%u", &last) != 1)
            last = first;
        least = least < 0 ? (int)first : least;
        for (; first <= last && first < MAX; first++)
            member[first] = true;
        if (fgetc(file) != ',')
            break;
    }
    if (file)
        fclose(file);
    return least;
}

static int read_number(FILE *file, int otherwise)
{
    int number;
    if (!file || fscanf(file, "%d", &number) != 1)
        number = otherwise;
    if (file)
        fclose(file);
    return number;
}

static void read_nodes(struct topology *t, const char *sys)
{
    bool nodes[MAX], of_node[MAX];
    read_list(open_file(sys, "devices/system/node/online"), nodes);
    for (int node = 0; node < NODES_MAX; node++) {
        if (!nodes[node])
            continue;
        read_list(open_file(sys, "devices/system/node/node%d/cpulist", node), of_node);
        for (uint32_t p = 0; p < MAX; p++)
            if (of_node[p])
                t->of[p].node = (int16_t)node;
    }
}

static void read_cores(struct topology *t, const char *sys, const bool online[MAX])
{
    bool siblings[MAX];
    for (uint32_t p = 0; p < MAX; p++) {
        const char *format = "devices/system/cpu/cpu%u/topology/thread_siblings_list";
        int first = online[p] ? read_list(open_file(sys, format, p), siblings) : -1;
        t->of[p].core = (uint16_t)(first < 0 ? p : (uint32_t)first);
    }
}

// Those of this process, by number; returns their number, 0 if the kernel does not say.
static uint32_t affinity(cpu_set_t *set, bool member[MAX])
{
    uint32_t n = 0;
    CPU_ZERO(set);
    if (sched_getaffinity(0, sizeof *set, set) != 0)
        return 0;
    for (uint32_t p = 0; p < MAX; p++) {
        member[p] = p < CPU_SETSIZE && CPU_ISSET(p, set);
        n += member[p];
    }
    return n;
}

// A process that was given only some processors has no others; one that has all that it could begin
// with is asked of the kernel whether it may have the isolated ones as well.
static void read_allowed(struct topology *t, const bool online[MAX])
{
    bool member[MAX];
    cpu_set_t own, more;
    if (affinity(&own, member) == 0)
        return;
    more = own;
    bool all = true, any = false;
    for (uint32_t p = 0; p < MAX; p++) {
        t->of[p].allowed = member[p];
        all &= !online[p] || member[p] || t->of[p].isolated;
        if (online[p] && t->of[p].isolated && p < CPU_SETSIZE)
            CPU_SET(p, &more), any = true;
    }
    if (!all || !any || sched_setaffinity(0, sizeof more, &more) != 0)
        return;
    if (affinity(&more, member) > 0)
        for (uint32_t p = 0; p < MAX; p++)
            t->of[p].allowed |= member[p];
    sched_setaffinity(0, sizeof own, &own);
}

void topology_read(struct topology *t, const char *sys)
{
    bool online[MAX], isolated[MAX];
    memset(t, 0, sizeof *t);
    read_list(open_file(sys, "devices/system/cpu/online"), online);
    read_list(open_file(sys, "devices/system/cpu/isolated"), isolated);
    for (uint32_t p = 0; p < MAX; p++)
        t->of[p].isolated = isolated[p];
    read_cores(t, sys, online);
    read_nodes(t, sys);
    read_allowed(t, online);
}

int topology_node_of(const char *sys, const char *device)
{
    const char *interface = strstr(device, ",iface=");
    int octets = (int)strcspn(interface ? interface + 7 : device, ",");
    if (interface)
        return read_number(open_file(sys, "class/net/%.*s/device/numa_node", octets, interface + 7),
                           TOPOLOGY_NO_NODE);
    // 01:00.0 is in domain 0
    const char *domain = strchr(device, ':') == strrchr(device, ':') ? "0000:" : "";
    return read_number(open_file(sys, "bus/pci/devices/%s%.*s/numa_node", domain, octets, device),
                       TOPOLOGY_NO_NODE);
}

uint32_t topology_distance(const char *sys, int from, int to)
{
    FILE *file = open_file(sys, "devices/system/node/node%d/distance", from);
    unsigned distance = 0;
    for (int node = 0; file && node <= to; node++)
        if (fscanf(file, "%u", &distance) != 1)
            distance = 0;
    if (file)
        fclose(file);
    return distance;
}

// ---- The choice ----

struct choice {
    const struct topology *t;
    int gn_node, gb_node;
    int first; // processor
    bool taken[MAX];
    uint8_t workers_at[MAX]; // by physical core
};

static int node_of_first(const struct topology *t)
{
    int first = -1;
    for (int p = 0; p < MAX; p++)
        if (t->of[p].allowed && (first < 0 || (t->of[p].isolated && !t->of[first].isolated)))
            first = p;
    return first < 0 ? TOPOLOGY_NO_NODE : t->of[first].node;
}

static uint32_t worth_to_worker(const struct choice *c, const struct topology_processor *p)
{
    const struct topology_processor *first = &c->t->of[c->first];
    uint32_t near = 2u * (p->node == c->gn_node) + (p->node == c->gb_node);
    return near << 4 | (c->workers_at[p->core] == 0) << 3 | p->isolated << 2 |
           (p->core != first->core) << 1 | (p != first);
}

static uint32_t worth_to_control(const struct choice *c, const struct topology_processor *p)
{
    return (c->workers_at[p->core] == 0) << 2 | !p->isolated << 1 | (p->node == c->gn_node);
}

// The first of the best that are left; there is one.
static uint16_t take_best(struct choice *c, uint32_t (*worth)(const struct choice *c,
                                                              const struct topology_processor *p))
{
    int best = -1;
    for (int p = 0; p < MAX; p++)
        if (c->t->of[p].allowed && !c->taken[p] &&
            (best < 0 || worth(c, &c->t->of[p]) > worth(c, &c->t->of[best])))
            best = p;
    c->taken[best] = true;
    return (uint16_t)best;
}

static int by_number(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

uint32_t topology_choose(const struct topology *t, int gn_node, int gb_node, uint32_t workers,
                         uint16_t *processor)
{
    struct choice c = {.t = t, .gn_node = gn_node, .gb_node = gb_node, .first = -1};
    uint32_t allowed = 0;
    for (int p = 0; p < MAX; p++) {
        if (t->of[p].allowed && allowed++ == 0)
            c.first = p;
    }
    if (c.gn_node == TOPOLOGY_NO_NODE && c.gb_node == TOPOLOGY_NO_NODE)
        c.gn_node = node_of_first(t);
    if (c.gn_node == TOPOLOGY_NO_NODE)
        c.gn_node = c.gb_node;
    if (allowed < 2) {
        uint16_t only = allowed ? take_best(&c, worth_to_worker) : 0;
        for (uint32_t i = 0; i <= workers; i++)
            processor[i] = only;
        return 1;
    }
    uint32_t own = workers < allowed ? workers : allowed - 1; // that some worker has
    for (uint32_t i = 1; i <= own; i++) {
        processor[i] = take_best(&c, worth_to_worker);
        c.workers_at[t->of[processor[i]].core]++;
    }
    qsort(processor + 1, own, sizeof *processor, by_number);
    for (uint32_t i = own + 1; i <= workers; i++)
        processor[i] = processor[i - own];
    processor[0] = take_best(&c, worth_to_control);
    return own + 1;
}
