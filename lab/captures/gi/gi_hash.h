// Hashes of flows, users and tunnels. Their key is random: who chooses the addresses, ports and
// TEIDs of a capture cannot choose which of them meet in the table. Nothing that is written depends
// on it. Each step multiplies two words that are both hidden by the key; none adds or joins two
// words that a capture chooses, for then some differences would cancel under any key. One product
// is not enough: of TEIDs in steps of the same size it joins many in a place, with one key in 100.
#ifndef SLUICE_GI_HASH_H
#define SLUICE_GI_HASH_H

#include <stdint.h>
#include <string.h>

#include "dataplane/wire/field.h"

extern uint64_t gi_hash_key[4];
// Once.
void gi_hash_begin(void);

static inline uint64_t gi_hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t gi_hash_address(const struct ipv6_address *address)
{
    uint64_t word[2];
    memcpy(word, address, sizeof word);
    return gi_hash_mix(word[0] ^ gi_hash_key[0], word[1] ^ gi_hash_key[1]);
}

// Of an address and what tells its users or tunnels apart.
static inline uint32_t gi_hash_with(uint64_t address, uint64_t number)
{
    uint64_t h = gi_hash_mix(address ^ gi_hash_key[2], number ^ gi_hash_key[3]);
    h = gi_hash_mix(h ^ gi_hash_key[0], gi_hash_key[1]);
    return (uint32_t)(h ^ h >> 32);
}

// The same for both directions. Product and sum say which two ports there are.
static inline uint32_t gi_hash_ends(uint64_t from, uint64_t to, uint16_t from_port,
                                    uint16_t to_port)
{
    uint64_t sum = (uint64_t)from_port + to_port;
    return gi_hash_with(from + to, sum << 32 | (uint32_t)from_port * to_port);
}

#endif
