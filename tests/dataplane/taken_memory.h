// The memory that DPDK's heap has given away, and that of buffers, which may be outside of it.
#ifndef TESTS_DATAPLANE_TAKEN_MEMORY_H
#define TESTS_DATAPLANE_TAKEN_MEMORY_H

#include <rte_malloc.h>
#include <rte_mempool.h>
#include <stdint.h>

static inline void taken_memory_add_chunk(struct rte_mempool *pool, void *octets,
                                          struct rte_mempool_memhdr *chunk, unsigned number)
{
    (void)number;
    if (!rte_mem_virt2memseg(chunk->addr, NULL))
        *(uint64_t *)octets +=
            (uint64_t)pool->size * (pool->header_size + pool->elt_size + pool->trailer_size);
}

static inline void taken_memory_add_pool(struct rte_mempool *pool, void *octets)
{
    rte_mempool_mem_iter(pool, taken_memory_add_chunk, octets);
}

static inline uint64_t taken_memory_octets(void)
{
    struct rte_malloc_socket_stats stats;
    uint64_t buffers_octets = 0;
    assert_int_equal(rte_malloc_get_socket_stats(0, &stats), 0);
    rte_mempool_walk(taken_memory_add_pool, &buffers_octets);
    return stats.heap_allocsz_bytes + buffers_octets;
}

#endif
