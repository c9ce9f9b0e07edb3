// See port.h: what allocates.
#include "dataplane/port/port.h"

#include <errno.h>
#include <rte_bus_vdev.h>
#include <rte_eth_ring.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>

#define DATA_ROOM_MIN   2048u
#define DATA_ROOM_SPARE 64u // Ethernet header, FCS, and some

static uint16_t data_room(uint16_t mtu_octets)
{
    uint32_t room = mtu_octets + DATA_ROOM_SPARE;
    if (room < DATA_ROOM_MIN)
        room = DATA_ROOM_MIN;
    return (uint16_t)(RTE_ALIGN_CEIL(room, RTE_CACHE_LINE_SIZE) + RTE_PKTMBUF_HEADROOM);
}

uint64_t port_pool_octets(uint32_t buffers, uint16_t mtu_octets)
{
    // mbuf, data room, and the object's header with its padding over memory channels
    return (uint64_t)buffers * (sizeof(struct rte_mbuf) + data_room(mtu_octets) + 128u);
}

static int pool_fill(struct rte_mempool *pool, uint16_t room)
{
    struct rte_pktmbuf_pool_private private = {.mbuf_data_room_size = room};
    if (rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL) != 0)
        return -1;
    rte_pktmbuf_pool_init(pool, &private);
    if (rte_mempool_populate_default(pool) < 0)
        return -1;
    rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
    return 0;
}

// As rte_pktmbuf_pool_create, but for one flag: on 4 KiB pages a buffer may cross from one to the
// next, or a page would hold one buffer alone. DPDK maps them as one range, so devices see no seam.
struct rte_mempool *port_pool(const char *name, uint32_t buffers, uint16_t mtu_octets)
{
    uint16_t room = data_room(mtu_octets);
    unsigned flags = rte_eal_has_hugepages() ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
    struct rte_mempool *pool = rte_mempool_create_empty(
        name, buffers, (unsigned)sizeof(struct rte_mbuf) + room, PORT_POOL_CACHE,
        sizeof(struct rte_pktmbuf_pool_private), SOCKET_ID_ANY, flags);
    if (pool && pool_fill(pool, room) == 0)
        return pool;
    rte_mempool_free(pool);
    return NULL;
}

static struct rte_ring *ring(const char *port_name, const char *way, uint32_t frames)
{
    char name[RTE_RING_NAMESIZE];
    snprintf(name, sizeof name, "%s_%s", port_name, way);
    return rte_ring_create(name, frames, SOCKET_ID_ANY,
                           RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
}

static int start(struct port *port)
{
    struct rte_eth_conf conf = {0};
    int fault = rte_eth_dev_configure(port->id, 1, 1, &conf);
    if (!fault)
        fault = rte_eth_rx_queue_setup(port->id, 0, 0, SOCKET_ID_ANY, NULL, port->pool);
    if (!fault)
        fault = rte_eth_tx_queue_setup(port->id, 0, 0, SOCKET_ID_ANY, NULL);
    if (!fault)
        fault = rte_eth_dev_start(port->id);
    return fault;
}

static int open_rings(struct port *port, const char *name)
{
    int id = rte_eth_from_rings(name, &port->rx_ring, 1, &port->tx_ring, 1, 0);
    if (id < 0)
        return -rte_errno;
    port->id = (uint16_t)id;
    return start(port);
}

int port_setup(struct port *port, const struct port_config *config)
{
    *port = (struct port){.id = RTE_MAX_ETHPORTS};
    port->pool = port_pool(config->name, config->buffers, config->mtu_octets);
    port->rx_ring = ring(config->name, "rx", config->rx_frames);
    port->tx_ring = ring(config->name, "tx", config->tx_frames);
    int fault = -ENOMEM;
    if (port->pool && port->rx_ring && port->tx_ring)
        fault = open_rings(port, config->name);
    if (fault)
        port_release(port);
    return fault;
}

void port_release(struct port *port)
{
    if (port->id < RTE_MAX_ETHPORTS) {
        char name[RTE_ETH_NAME_MAX_LEN];
        int named = rte_eth_dev_get_name_by_port(port->id, name);
        rte_eth_dev_stop(port->id);
        rte_eth_dev_close(port->id);
        if (named == 0)
            rte_vdev_uninit(name);
    }
    rte_ring_free(port->rx_ring);
    rte_ring_free(port->tx_ring);
    rte_mempool_free(port->pool);
}
