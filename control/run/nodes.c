// See nodes.h.
#include "control/run/nodes.h"

#include "control/process/topology.h"

static bool are_several(const struct eal_threads *threads)
{
    return topology_distance(TOPOLOGY_SYS, 0, 1) > 0 || threads->node[0] > 0;
}

static void put_node(FILE *out, const char *before, int node)
{
    if (node < 0)
        fprintf(out, "%s?", before);
    else
        fprintf(out, "%s%d", before, node);
}

static void tell_memory(const struct dp *dp, const struct eal_threads *threads, FILE *out)
{
    fprintf(out, "NUMA nodes: control %d, workers", threads->node[0]);
    for (uint32_t i = 1; i < threads->lcores; i++)
        fprintf(out, " %d", threads->node[i]);
    fprintf(out, ", their memory");
    for (uint32_t i = 1; i < threads->lcores; i++)
        put_node(out, " ", dp_worker_node(dp, i - 1));
    for (int side = 0; side < STATS_SIDES; side++) {
        fprintf(out, "; %s's device", stats_side_names[side]);
        put_node(out, " ", threads->device_node[side]);
        put_node(out, ", its buffers ", dp_buffers_node(dp, side));
    }
    fputc('\n', out);
}

// The price is the firmware's: how much farther memory is.
static void warn_of_workers(const struct eal_threads *threads, int side, FILE *out)
{
    int node = threads->device_node[side];
    for (uint32_t i = 1; i < threads->lcores && node >= 0; i++) {
        if (threads->node[i] == node)
            continue;
        uint32_t distance = topology_distance(TOPOLOGY_SYS, threads->node[i], node);
        fprintf(out,
                "warning: worker %u, on processor %u, is at NUMA node %d, and %s's device and "
                "buffers at node %d: each frame that is not in a cache is read over %u.%u times "
                "the distance (the firmware's table); run.cores may name processors of node %d\n",
                i - 1, threads->processor[i], threads->node[i], stats_side_names[side], node,
                distance / 10, distance % 10, node);
    }
}

static void warn_of_memory(const char *what, uint32_t number, int wanted, int is, FILE *out)
{
    if (wanted >= 0 && is >= 0 && is != wanted)
        fprintf(out,
                "warning: the memory of %s %u is at NUMA node %d and not at node %d, which has too "
                "few free huge pages (/sys/devices/system/node/node%d/hugepages)\n",
                what, number, is, wanted, wanted);
}

void nodes_tell(const struct dp *dp, const struct eal_threads *threads, FILE *out)
{
    if (!are_several(threads))
        return;
    tell_memory(dp, threads, out);
    for (int side = 0; side < STATS_SIDES; side++) {
        warn_of_workers(threads, side, out);
        warn_of_memory("port", (uint32_t)side, threads->device_node[side],
                       dp_buffers_node(dp, side), out);
    }
    for (uint32_t i = 1; i < threads->lcores; i++)
        warn_of_memory("worker", i - 1, threads->node[i], dp_worker_node(dp, i - 1), out);
}
