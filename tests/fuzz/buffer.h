// DPDK for the targets that need it, and frames in buffers that a sanitizer can see: from malloc()
// and no longer than asked for, so the first octet read beyond them, or after the frame was freed,
// is a finding. Those of a DPDK pool are one piece of memory to it.
#ifndef TESTS_FUZZ_BUFFER_H
#define TESTS_FUZZ_BUFFER_H

#include <rte_mbuf.h>

void buffer_start_dpdk(const char *program); // once

// n octets behind DPDK's usual headroom and before a tailroom of so many; NULL if the pool is
// empty.
struct rte_mbuf *buffer_of(struct rte_mempool *pool, const uint8_t *octets, uint32_t n,
                           uint32_t tailroom);

#endif
