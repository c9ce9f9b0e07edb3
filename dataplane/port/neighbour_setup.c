// See neighbour.h: allocation.
#include <rte_hash.h>
#include <rte_malloc.h>

#include "dataplane/base/units.h"
#include "dataplane/port/neighbour.h"

#define ROOM_LEAST   64u  // DPDK refuses a table of less than 8
#define PLACE_OCTETS 320u // with the octets of the two hash tables for each key, at most
#define TABLE_OCTETS 131072u

static uint32_t room_of(uint32_t wanted)
{
    return wanted > ROOM_LEAST ? wanted : ROOM_LEAST;
}

uint64_t port_neighbours_octets(uint32_t room)
{
    return TABLE_OCTETS + (uint64_t)room_of(room) * PLACE_OCTETS;
}

// With its extra buckets the table takes `room` keys, whatever their hashes.
static struct rte_hash *table(const char *name, const char *what, uint32_t room)
{
    char both[RTE_HASH_NAMESIZE];
    snprintf(both, sizeof both, "%s%s", name, what);
    struct rte_hash_parameters parameters = {.name = both,
                                             .entries = room,
                                             .key_len = sizeof(struct ipv6_address),
                                             .socket_id = SOCKET_ID_ANY,
                                             .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE};
    return rte_hash_create(&parameters);
}

struct neighbours *port_neighbours_create(const char *name, uint32_t room)
{
    struct neighbours *neighbours = rte_zmalloc("neighbours", sizeof *neighbours, 0);
    if (!neighbours)
        return NULL;
    neighbours->room = room_of(room);
    neighbours->due_ns = TIME_NEVER;
    neighbours->by_address = table(name, "", neighbours->room);
    neighbours->peers = table(name, "_peers", neighbours->room);
    neighbours->of =
        rte_zmalloc("neighbours", neighbours->room * sizeof *neighbours->of, RTE_CACHE_LINE_SIZE);
    neighbours->peers_at =
        rte_calloc("neighbours", neighbours->room, sizeof *neighbours->peers_at, 0);
    if (neighbours->by_address && neighbours->peers && neighbours->of && neighbours->peers_at)
        return neighbours;
    port_neighbours_destroy(neighbours);
    return NULL;
}

void port_neighbours_destroy(struct neighbours *neighbours)
{
    if (!neighbours)
        return;
    rte_hash_free(neighbours->by_address);
    rte_hash_free(neighbours->peers);
    rte_free(neighbours->of);
    rte_free(neighbours->peers_at);
    rte_free(neighbours);
}
