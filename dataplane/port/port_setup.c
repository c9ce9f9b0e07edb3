// See port.h: a worker's part of a device, and the buffer pools.
#include <errno.h>
#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_memory.h>
#include <sys/mman.h>

#include "dataplane/port/port_parts.h"

#define DATA_ROOM_SPARE 64u // Ethernet header, FCS, and some
#define HUGE_OCTETS     (2u << 20)

// A NIC keeps sent buffers until its descriptors come round: the most that it keeps.
#define DESCRIPTORS_MOST 4096u

static uint16_t data_room(uint16_t mtu_octets)
{
    uint32_t room = mtu_octets + DATA_ROOM_SPARE;
    if (room < PORT_DATA_ROOM_MIN)
        room = PORT_DATA_ROOM_MIN;
    return (uint16_t)(RTE_ALIGN_CEIL(room, RTE_CACHE_LINE_SIZE) + RTE_PKTMBUF_HEADROOM);
}

uint64_t port_pool_octets(uint32_t buffers, uint16_t mtu_octets)
{
    // The pool with a cache for each lcore, and its ring; for each buffer the mbuf, the data room,
    // and the object's header with its padding over memory channels.
    uint64_t pool = sizeof(struct rte_mempool) + RTE_MAX_LCORE * sizeof(struct rte_mempool_cache) +
                    (uint64_t)rte_align32pow2(buffers + 1) * sizeof(void *);
    return pool + (uint64_t)buffers * (sizeof(struct rte_mbuf) + data_room(mtu_octets) + 128u);
}

static void memory_unmap(struct rte_mempool_memhdr *chunk, void *octets)
{
    munmap(chunk->addr, (size_t)(uintptr_t)octets);
}

// Memory of the pool's own: the kernel makes huge pages of it where it may. Without reserved huge
// pages DPDK's memory is a file, of which it makes none: to touch each of its pages took most of a
// start.
static int pool_populate_own(struct rte_mempool *pool)
{
    size_t object = pool->header_size + pool->elt_size + pool->trailer_size;
    size_t octets = RTE_ALIGN_CEIL(pool->size * object + RTE_MEMPOOL_ALIGN, HUGE_OCTETS);
    if (octets > rte_eal_get_physmem_size()) // as much as DPDK was given, as for all memory
        return -1;
    void *memory = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    madvise(memory, octets, MADV_HUGEPAGE); // where there are none, it is slower, and right
    int buffers = rte_mempool_populate_virt(pool, memory, octets, HUGE_OCTETS, memory_unmap,
                                            (void *)(uintptr_t)octets);
    if (buffers <= 0)
        munmap(memory, octets);
    return buffers == (int)pool->size ? 0 : -1;
}

static int pool_fill(struct rte_mempool *pool, uint16_t room, bool rings_only)
{
    struct rte_pktmbuf_pool_private private = {.mbuf_data_room_size = room};
    if (rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL) != 0)
        return -1;
    rte_pktmbuf_pool_init(pool, &private);
    int fault = rings_only && !rte_eal_has_hugepages() ? pool_populate_own(pool)
                                                       : rte_mempool_populate_default(pool);
    if (fault < 0)
        return -1;
    rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
    return 0;
}

// As rte_pktmbuf_pool_create, with one flag more: on 4 KiB pages a buffer may cross a page
// boundary; otherwise a page would hold one buffer. Such a buffer has no address for DMA:
// control opens no NIC then.
static struct rte_mempool *pool_at(const char *name, uint32_t buffers, uint16_t mtu_octets,
                                   bool rings_only, int node)
{
    uint16_t room = data_room(mtu_octets);
    unsigned flags = rte_eal_has_hugepages() ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
    struct rte_mempool *pool = rte_mempool_create_empty(
        name, buffers, (unsigned)sizeof(struct rte_mbuf) + room, PORT_POOL_CACHE,
        sizeof(struct rte_pktmbuf_pool_private), node, flags);
    if (pool && pool_fill(pool, room, rings_only) == 0)
        return pool;
    rte_mempool_free(pool);
    return NULL;
}

struct rte_mempool *port_pool_at(const char *name, uint32_t buffers, uint16_t mtu_octets,
                                 bool rings_only, int node)
{
    struct rte_mempool *pool = pool_at(name, buffers, mtu_octets, rings_only, node);
    return pool || node == SOCKET_ID_ANY
               ? pool
               : pool_at(name, buffers, mtu_octets, rings_only, SOCKET_ID_ANY);
}

struct rte_mempool *port_pool(const char *name, uint32_t buffers, uint16_t mtu_octets,
                              bool rings_only)
{
    return port_pool_at(name, buffers, mtu_octets, rings_only, SOCKET_ID_ANY);
}

int port_memory_node(const void *memory)
{
    const struct rte_memseg *segment =
        rte_eal_has_hugepages() ? rte_mem_virt2memseg(memory, NULL) : NULL;
    return segment ? segment->socket_id : -1;
}

static uint32_t answer_buffers(const struct port_config *config)
{
    uint32_t at_device =
        config->tx_frames < DESCRIPTORS_MOST ? config->tx_frames : DESCRIPTORS_MOST;
    return at_device + 2 * PORT_ANSWERS + PORT_POOL_CACHE;
}

// A pool of a queue, named after the queue.
static struct rte_mempool *queue_pool(const struct port_config *config, const char *what,
                                      uint16_t queue, uint32_t buffers)
{
    char name[RTE_MEMPOOL_NAMESIZE];
    snprintf(name, sizeof name, "%s_%s%u", config->name, what, queue);
    return port_pool(name, buffers, config->host.mtu_octets, config->rings_only);
}

static int make_parts(struct port *port, const struct port_config *config)
{
    char name[RTE_MEMPOOL_NAMESIZE];
    snprintf(name, sizeof name, "%s_next%u", config->name, port->queue);
    port->answer_pool = queue_pool(config, "answer", port->queue, answer_buffers(config));
    port->neighbours = port_neighbours_create(name, config->neighbours);
    port->fragments = port_fragments_create();
    return port->answer_pool && port->neighbours && port->fragments ? 0 : -ENOMEM;
}

int port_setup(struct port *port, const struct port_device *device, uint16_t queue,
               const struct port_config *config, struct stats_port *stats)
{
    *port = (struct port){.id = device->id,
                          .queue = queue,
                          .frame_octets_max = (uint16_t)(ETHER_OCTETS + config->host.mtu_octets),
                          .check_udp = config->check_udp,
                          .ip_id = queue * (0x10000u / PORT_QUEUES_MAX), // apart from other queues
                          .host = config->host,
                          .addresses = config->addresses,
                          .trunk = config->vlan != 0,
                          .inserts_tags = device->inserts_tags,
                          .nic_sums = device->nic_sums,
                          .vlan = config->vlan,
                          .finder = port,
                          .stats = stats};
    port->host.mac = device->mac;
    if (queue < config->addresses.n) {
        port->host.ipv4 = config->addresses.of[queue].ipv4;
        port->host.ipv6 = config->addresses.of[queue].ipv6;
    }
    int fault = make_parts(port, config);
    if (fault)
        port_release(port);
    return fault;
}

void port_flush(struct port *port)
{
    port_answers_flush(port);
    port_trunk_flush(port);
    if (port->fragments)
        port_fragments_flush(port);
}

void port_release(struct port *port)
{
    port_flush(port);
    port_fragments_destroy(port->fragments);
    port_neighbours_destroy(port->neighbours);
    rte_mempool_free(port->answer_pool);
    port->fragments = NULL;
    port->neighbours = NULL;
    port->answer_pool = NULL;
}

uint64_t port_octets(const struct port_config *config)
{
    uint16_t mtu_octets = config->host.mtu_octets;
    uint64_t rings =
        (uint64_t)rte_align32pow2(config->rx_frames + 1) + rte_align32pow2(config->tx_frames + 1);
    return config->queues *
           (port_pool_octets(config->buffers, mtu_octets) +
            port_pool_octets(answer_buffers(config), mtu_octets) + rings * sizeof(void *) +
            port_neighbours_octets(config->neighbours) + port_fragments_octets());
}
