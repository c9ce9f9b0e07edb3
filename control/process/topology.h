// The machine's processors: NUMA node, physical core, whether the kernel keeps others' work away
// (isolcpus=), and which of them a run's threads get if the configuration does not say.
//
// Workers first, one after the other, each the best that is left: at the node of Gn's device, else
// of Gb's; with a physical core of its own; isolated; not on the first processor's core, where
// Linux does most of its own work; the lowest number. Then control, where it disturbs least: no
// worker's processor; no worker's physical core; not isolated, for it sleeps; at the workers' node,
// whose memory it shares with them. If devices have no node, that of the first isolated processor,
// else of the first processor, is as good as theirs.
#ifndef SLUICE_CONTROL_PROCESS_TOPOLOGY_H
#define SLUICE_CONTROL_PROCESS_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#define TOPOLOGY_PROCESSORS_MAX 1024
#define TOPOLOGY_NO_NODE        (-1)
#define TOPOLOGY_SYS            "/sys"

struct topology_processor {
    bool allowed; // to this process
    bool isolated;
    int16_t node;
    uint16_t core; // the lowest number of its physical core's processors
};

struct topology {
    struct topology_processor of[TOPOLOGY_PROCESSORS_MAX];
};

// Reads what the kernel says below `sys`, and which processors this process may use. Isolated ones
// are not among those that a process begins with; they count as allowed if it has all others, and
// nothing forbids it to take them.
void topology_read(struct topology *topology, const char *sys);

// The node of a device by its PCI address, or of the NIC below the interface of a virtual device
// (iface=); TOPOLOGY_NO_NODE: it has none, or the machine has but one.
int topology_node_of(const char *sys, const char *device);

// How far a node's memory is from another node by the firmware's table, in tenths of the distance
// of its own; 0: unknown.
uint32_t topology_distance(const char *sys, int from, int to);

// Control's processor first, then each worker's; returns how many different ones. With too few of
// them workers share; control has its own if there are two.
uint32_t topology_choose(const struct topology *topology, int gn_node, int gb_node,
                         uint32_t workers, uint16_t *processor);

#endif
