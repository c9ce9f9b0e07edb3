// See fragment.c: allocation.
#include <rte_malloc.h>

#include "dataplane/port/port_parts.h"

#define BUCKET_ENTRIES 4u
#define HASHES         2u   // a datagram has a bucket in either half
#define ENTRY_OCTETS   512u // a bit more than the library's own struct

static const uint32_t room_of[FRAGMENT_ROOMS] = {PORT_FRAGMENTS_PEERS, PORT_FRAGMENTS_STRANGERS};

uint64_t port_fragments_octets(void)
{
    return sizeof(struct fragments) + (uint64_t)PORT_FRAGMENTS * HASHES * ENTRY_OCTETS;
}

struct fragments *port_fragments_create(void)
{
    struct fragments *f = rte_zmalloc("fragments", sizeof *f, RTE_CACHE_LINE_SIZE);
    bool there = f != NULL;
    for (int i = 0; i < FRAGMENT_ROOMS && there; i++) {
        f->of[i].room = room_of[i];
        f->of[i].table = rte_ip_frag_table_create(room_of[i] / BUCKET_ENTRIES, BUCKET_ENTRIES,
                                                  room_of[i], FRAGMENT_WAIT_NS, SOCKET_ID_ANY);
        there = f->of[i].table != NULL;
    }
    if (there)
        return f;
    port_fragments_destroy(f);
    return NULL;
}

void port_fragments_destroy(struct fragments *f)
{
    for (int i = 0; f && i < FRAGMENT_ROOMS; i++)
        if (f->of[i].table)
            rte_ip_frag_table_destroy(f->of[i].table);
    rte_free(f);
}
