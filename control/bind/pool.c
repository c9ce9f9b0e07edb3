// See pool.h. In a build with the address sanitizer the pool tells it which octets are in use,
// because it sees only the chunks.
#include "control/bind/pool.h"

#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_OCTETS 65536u

struct pool_chunk {
    struct pool_chunk *next;
    _Alignas(POOL_STEP) char octets[CHUNK_OCTETS];
};

static size_t list_of(size_t octets)
{
    return (octets - 1) / POOL_STEP;
}

// The rest of the previous chunk, less than one block, is lost. Cleared, because gcc 14 takes the
// call that poisons the chunk for one that reads it.
static bool grow(struct pool *pool)
{
    struct pool_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk)
        return false;
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    pool->at = chunk->octets;
    pool->left = sizeof chunk->octets;
    ASAN_POISON_MEMORY_REGION(chunk->octets, sizeof chunk->octets);
    return true;
}

// Of a small block, the first `octets` may be used and the rest may not.
static void allow(void *block, size_t octets)
{
    ASAN_POISON_MEMORY_REGION(block, (list_of(octets) + 1) * POOL_STEP);
    ASAN_UNPOISON_MEMORY_REGION(block, octets);
}

static void *take(struct pool *pool, size_t octets)
{
    size_t list = list_of(octets), room = (list + 1) * POOL_STEP;
    void *block = pool->free[list];
    if (!block && pool->left < room && !grow(pool))
        return NULL;
    if (block) {
        ASAN_UNPOISON_MEMORY_REGION(block, sizeof block);
        memcpy(&pool->free[list], block, sizeof block);
    } else {
        block = pool->at;
        pool->at += room;
        pool->left -= room;
    }
    allow(block, octets);
    return block;
}

static void give(struct pool *pool, void *block, size_t octets)
{
    size_t list = list_of(octets);
    ASAN_UNPOISON_MEMORY_REGION(block, sizeof block);
    memcpy(block, &pool->free[list], sizeof block);
    pool->free[list] = block;
    ASAN_POISON_MEMORY_REGION(block, (list + 1) * POOL_STEP);
}

static void drop(struct pool *pool, void *block, size_t octets)
{
    if (octets > POOL_OCTETS_MAX)
        free(block);
    else if (octets)
        give(pool, block, octets);
}

static void *obtain(struct pool *pool, size_t octets)
{
    return octets > POOL_OCTETS_MAX ? malloc(octets) : take(pool, octets);
}

void *pool_resize(struct pool *pool, void *block, size_t old_octets, size_t octets)
{
    if (octets == 0) {
        drop(pool, block, old_octets);
        return NULL;
    }
    if (old_octets > POOL_OCTETS_MAX && octets > POOL_OCTETS_MAX)
        return realloc(block, octets);
    if (old_octets && list_of(old_octets) == list_of(octets)) {
        allow(block, octets);
        return block;
    }
    void *moved = obtain(pool, octets);
    if (!moved)
        return octets < old_octets ? block : NULL; // the block stays where it is, its rest is lost
    if (!old_octets)
        return moved;
    memcpy(moved, block, old_octets < octets ? old_octets : octets);
    drop(pool, block, old_octets);
    return moved;
}

void pool_end(struct pool *pool)
{
    while (pool->chunks) {
        struct pool_chunk *chunk = pool->chunks;
        pool->chunks = chunk->next;
        ASAN_UNPOISON_MEMORY_REGION(chunk->octets, sizeof chunk->octets);
        free(chunk);
    }
    *pool = (struct pool){0};
}
