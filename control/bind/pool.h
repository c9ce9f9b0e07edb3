// Memory of one Lua state: small blocks come from lists by size, larger ones from malloc. A phone
// that attaches makes and drops some hundreds of objects, most of them below 64 octets. Before
// there were lists, malloc and free took a sixth of control's processor time.
//
// What it costs: a free block serves only blocks of its own size, and goes back to the system only
// when the pool ends. So for each size the pool keeps as much as was ever in use at once, and
// bind_limit, which counts what Lua uses now, does not bound the sum.
#ifndef SLUICE_CONTROL_BIND_POOL_H
#define SLUICE_CONTROL_BIND_POOL_H

#include <stddef.h>

#define POOL_STEP       16u
#define POOL_OCTETS_MAX 256u // of a block in a list

struct pool_chunk;

// All zeros at the beginning.
struct pool {
    void *free[POOL_OCTETS_MAX / POOL_STEP];
    struct pool_chunk *chunks;
    char *at; // the unused part of the newest chunk
    size_t left;
};

// Like realloc, but the caller passes the block's present size; octets 0: frees it. Making a block
// smaller never fails.
void *pool_resize(struct pool *pool, void *block, size_t old_octets, size_t octets);

// Frees all small blocks. The caller frees the large ones before.
void pool_end(struct pool *pool);

#endif
