// See unseen.h.
#include "tests/dataplane/path/unseen.h"

#ifdef __SANITIZE_THREAD__

#include <rte_ethdev.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_mempool.h>
#include <string.h>

// ---- Pools: DPDK's own operations, with a word before and behind ----

static const struct rte_mempool_ops *pool_ops;

static int pool_put(struct rte_mempool *pool, void *const *buffers, unsigned int n)
{
    for (unsigned int i = 0; i < n; i++)
        unseen_give(buffers[i]);
    return pool_ops->enqueue(pool, buffers, n);
}

static int pool_get(struct rte_mempool *pool, void **buffers, unsigned int n)
{
    int fault = pool_ops->dequeue(pool, buffers, n);
    for (unsigned int i = 0; i < n && !fault; i++)
        unseen_take(buffers[i]);
    return fault;
}

int unseen_pools(void)
{
    for (uint32_t i = 0; i < rte_mempool_ops_table.num_ops; i++)
        if (strcmp(rte_mempool_ops_table.ops[i].name, "ring_mp_mc") == 0)
            pool_ops = &rte_mempool_ops_table.ops[i];
    if (!pool_ops)
        return -1;
    struct rte_mempool_ops ops = *pool_ops;
    strcpy(ops.name, "ring_seen");
    ops.enqueue = pool_put;
    ops.dequeue = pool_get;
    return rte_mempool_register_ops(&ops) < 0 ? -1 : rte_mbuf_set_user_mempool_ops(ops.name);
}

// ---- Ports: DPDK's hooks around a burst ----

static uint16_t received(uint16_t port, uint16_t queue, struct rte_mbuf *m[], uint16_t n,
                         uint16_t most, void *unused)
{
    (void)port, (void)queue, (void)most, (void)unused;
    for (uint16_t i = 0; i < n; i++)
        unseen_take(m[i]);
    return n;
}

static uint16_t sends(uint16_t port, uint16_t queue, struct rte_mbuf *m[], uint16_t n, void *unused)
{
    (void)port, (void)queue, (void)unused;
    for (uint16_t i = 0; i < n; i++)
        unseen_give(m[i]);
    return n;
}

int unseen_ports(void)
{
    uint16_t port;
    RTE_ETH_FOREACH_DEV(port)
    {
        struct rte_eth_dev_info info;
        if (rte_eth_dev_info_get(port, &info) != 0)
            return -1;
        for (uint16_t q = 0; q < info.nb_rx_queues; q++)
            if (!rte_eth_add_rx_callback(port, q, received, NULL) ||
                !rte_eth_add_tx_callback(port, q, sends, NULL))
                return -1;
    }
    return 0;
}

#endif
