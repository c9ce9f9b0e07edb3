// See neighbour.h: what allocates.
#include <rte_hash.h>
#include <rte_malloc.h>

#include "dataplane/base/units.h"
#include "dataplane/port/neighbour.h"

#define ROOM_LEAST   64u  // DPDK refuses a table of less than 8
#define PLACE_OCTETS 192u // with what the hash table has for each key, at most
#define TABLE_OCTETS 65536u

static uint32_t room_of(uint32_t wanted)
{
    return wanted > ROOM_LEAST ? wanted : ROOM_LEAST;
}

uint64_t neighbours_octets(uint32_t room)
{
    return TABLE_OCTETS + (uint64_t)room_of(room) * PLACE_OCTETS;
}

struct neighbours *neighbours_create(const char *name, uint32_t room)
{
    struct neighbours *neighbours = rte_zmalloc("neighbours", sizeof *neighbours, 0);
    if (!neighbours)
        return NULL;
    neighbours->room = room_of(room);
    neighbours->due_ns = TIME_NEVER;
    // With its extra buckets it takes as many keys as it says, whatever they hash to.
    struct rte_hash_parameters parameters = {.name = name,
                                             .entries = neighbours->room,
                                             .key_len = sizeof(struct ipv6_address),
                                             .socket_id = SOCKET_ID_ANY,
                                             .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE};
    neighbours->by_address = rte_hash_create(&parameters);
    neighbours->of =
        rte_zmalloc("neighbours", neighbours->room * sizeof *neighbours->of, RTE_CACHE_LINE_SIZE);
    if (neighbours->by_address && neighbours->of)
        return neighbours;
    neighbours_destroy(neighbours);
    return NULL;
}

void neighbours_destroy(struct neighbours *neighbours)
{
    if (!neighbours)
        return;
    rte_hash_free(neighbours->by_address);
    rte_free(neighbours->of);
    rte_free(neighbours);
}
