// See near.h. By system calls: libnuma would be a package for one of its functions.
#include "dataplane/base/near.h"

#include <limits.h>
#include <linux/mempolicy.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NODES_MOST 1024
#define WORD_BITS  (CHAR_BIT * sizeof(unsigned long))

void near_place(void *memory, size_t octets, int node)
{
    unsigned long nodes[NODES_MOST / WORD_BITS] = {0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (node >= 0 && node < NODES_MOST) {
        nodes[(size_t)node / WORD_BITS] = 1ul << (size_t)node % WORD_BITS;
        syscall(SYS_mbind, memory, octets, MPOL_PREFERRED, nodes, NODES_MOST, 0);
    }
    for (size_t at = 0; at < octets; at += page)
        ((volatile uint8_t *)memory)[at] = 0;
}

void *near_alloc(size_t octets, int node)
{
    void *memory = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    near_place(memory, octets, node);
    return memory;
}

void near_free(void *memory, size_t octets)
{
    if (memory)
        munmap(memory, octets);
}
