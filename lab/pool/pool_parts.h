// What the files of a pool share; see pool.h. pool.c has contexts and addresses, pool_messages.c
// GTP-C, pool_options.c the protocol configuration options, pool_repeats.c requests that come
// again.
#ifndef SLUICE_LAB_POOL_POOL_PARTS_H
#define SLUICE_LAB_POOL_POOL_PARTS_H

#include "lab/pool/pool.h"

#define REPEATS 16384 // the most that are kept; a power of two

// The last request of its place, and the answer to it.
struct repeat {
    uint64_t at_ns;
    uint32_t request_octets, answer_octets;
    uint16_t port, sequence;
    uint8_t *octets; // of the request, then of the answer; NULL: none
};

struct pool {
    struct pool_config config;
    struct pool_context *context;
    uint32_t places;                // of the network
    uint32_t fresh;                 // places from here on were never used
    uint32_t free_first, free_last; // the others that are free, oldest first: 1 + place; 0: none
    uint32_t first;                 // of all contexts, the newest: 1 + place; 0: none
    uint32_t *bucket, bucket_mask;  // contexts by IMSI and NSAPI: 1 + place; 0: none
    uint32_t contexts, charging_id;
    bool has_peer_recovery;
    uint8_t peer_recovery;
    struct repeat repeat[REPEATS];
    uint64_t count[POOL_COUNTS];
    char first_fault[160];
};

#define POOL_ADD(pool, name) ((pool)->count[POOL_COUNT_##name]++)

// The same IMSI and NSAPI; NULL: none.
struct pool_context *pool_find(const struct pool *pool, uint64_t imsi, uint8_t nsapi);
// NULL: all addresses are taken.
struct pool_context *pool_add(struct pool *pool, uint64_t imsi, uint8_t nsapi);
// Its address stays with it, and its TEID becomes another one.
void pool_renew(struct pool *pool, struct pool_context *context);
void pool_remove(struct pool *pool, struct pool_context *context);

// What an MS at that address is told for the options that it sent; returns the octets, 0: nothing.
uint32_t pool_options(const struct pool_config *config, uint32_t address, struct octets asked,
                      uint8_t *b, uint32_t room);

// The answer to the same octets from the same port not long ago; 0: there was none.
uint32_t pool_repeat_answer(const struct pool *pool, uint16_t port, uint16_t sequence,
                            struct octets request, uint8_t *answer, uint64_t now_ns);
void pool_repeat_keep(struct pool *pool, uint16_t port, uint16_t sequence, struct octets request,
                      struct octets answer, uint64_t now_ns);
void pool_repeats_forget(struct pool *pool);

#endif
