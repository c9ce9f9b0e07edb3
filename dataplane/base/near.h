// Memory at a NUMA node, where one thread allocates what others use and DPDK has no part in it.
#ifndef SLUICE_BASE_NEAR_H
#define SLUICE_BASE_NEAR_H

#include <stddef.h>

// Fills whole pages that nobody has touched yet with zeros, which makes the kernel place them: at
// that node if it has room and the kernel allows it (a container may not). Below 0: at the node of
// the thread that calls.
void near_place(void *memory, size_t octets, int node);

// Zeros in pages of their own, placed so. NULL: there is no memory.
void *near_alloc(size_t octets, int node);
void near_free(void *memory, size_t octets); // NULL: nothing to free

#endif
