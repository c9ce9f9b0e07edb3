// A DPDK port with one queue each way and the pool its received frames come from. Today one kind: a
// pair of rings (net_ring) whose far end is held by whoever plays the network. Left out so far:
// NICs and the kernel's devices, neighbours, fragments, offloads.
#ifndef SLUICE_PORT_PORT_H
#define SLUICE_PORT_PORT_H

#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#define PORT_BURST      64
#define PORT_POOL_CACHE 128

struct port_config {
    const char *name;
    uint32_t rx_frames, tx_frames; // what the rings hold
    uint32_t buffers;              // of the pool
    uint16_t mtu_octets;
};

struct port {
    uint16_t id;
    struct rte_mempool *pool;
    struct rte_ring *rx_ring, *tx_ring;
};

// 0 or a negative errno; on a fault nothing is left behind.
int port_setup(struct port *port, const struct port_config *config);
void port_release(struct port *port);

// A pool of buffers that hold a frame of that MTU and room to frame it in place.
struct rte_mempool *port_pool(const char *name, uint32_t buffers, uint16_t mtu_octets);
uint64_t port_pool_octets(uint32_t buffers, uint16_t mtu_octets);

static inline uint32_t port_receive(const struct port *port, struct rte_mbuf **m)
{
    return rte_eth_rx_burst(port->id, 0, m, PORT_BURST);
}

static inline uint32_t port_send(const struct port *port, struct rte_mbuf **m, uint32_t n)
{
    return rte_eth_tx_burst(port->id, 0, m, (uint16_t)n);
}

#endif
