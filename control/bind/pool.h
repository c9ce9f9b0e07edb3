// Memory of one Lua state: small blocks come from lists by size, larger ones from malloc. A phone
// that attaches makes and drops some hundreds of objects, most of them below 64 octets, and malloc
// took a sixth of control's time for them. What a list has is not given back before the pool ends,
// so memory does not shrink after a crowd has left, but it serves the next one.
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
    char *at; // the part of the newest chunk that no block has had
    size_t left;
};

// As realloc, with the block's octets, which the caller knows; 0 octets: none, or free it. A block
// that becomes smaller always stays.
void *pool_resize(struct pool *pool, void *block, size_t old_octets, size_t octets);

// Frees all of its small blocks; large ones are the caller's to free before.
void pool_end(struct pool *pool);

#endif
