// What the frames come and go by: Sluice's two devices, and what the network has of each: the far
// end of a pair of rings, or a device of its own that is wired to it.
#ifndef SLUICE_BENCH_THROUGHPUT_PORTS_H
#define SLUICE_BENCH_THROUGHPUT_PORTS_H

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "bench/throughput/frames.h"
#include "dataplane/dataplane.h"

#define PORTS_TEXT        256
#define PORTS_PCAP_FRAMES 16384u

struct ports {
    bool nic;      // some device is a NIC
    bool ethernet; // they are devices, whose MTU is 1500 unless told
    uint16_t mtu_octets;
    uint16_t queues, vlan;      // of each device; vlan 0: no tags
    uint32_t packet_octets_max; // that goes both ways without IP fragments
    bool by_itself;             // the Gn port has its frames from somewhere else than the generator
    const char *pcap;           // the file that it reads; NULL: none
    char ours[STATS_SIDES][PORTS_TEXT];
    char theirs[STATS_SIDES][PORTS_TEXT]; // "": rings, or none
};

// False, with the reason on stderr.
bool ports_parse(struct ports *ports, const char *text);

// Packets will have at most so many octets: if Ethernet's usual MTU is enough for them, it is
// taken.
void ports_fit(struct ports *ports, uint32_t packet_octets);

// Writes packets for MSs at random, in turn of each of an MS's flows. A file that is there already
// has to have these. False, with the reason on stderr: not so, or too few for all flows.
bool ports_write_pcap(const struct ports *ports, const struct frames *frames, const uint32_t *teid,
                      uint32_t mss);

struct port_end {
    struct rte_ring *to_port, *from_port; // NULL: a device, or none
    uint16_t device;                      // RTE_MAX_ETHPORTS: none
    uint16_t queue, queues;               // that it uses, and that its device has
    uint16_t vlan;                        // of what it sends; 0: no tag
    struct rte_mempool *pool;
    bool own; // the device and the pool
};

// A worker's; `first`: the first one's, which has the device, or NULL. False, with the reason on
// stderr.
bool port_end_open(struct port_end *end, const struct ports *ports, enum stats_side side,
                   const struct dp *dp, uint32_t worker, const struct port_end *first);
void port_end_close(struct port_end *end);
// Waits until its link is up, for a few seconds at most.
bool port_end_ready(const struct port_end *end);
uint32_t port_end_send(const struct port_end *end, struct rte_mbuf **m, uint32_t n);
uint32_t port_end_receive(const struct port_end *end, struct rte_mbuf **m, uint32_t n);

#endif
