// See fragment.c: what allocates.
#include <rte_malloc.h>

#include "dataplane/port/port_parts.h"

#define BUCKETS        256u
#define BUCKET_ENTRIES 4u
#define HASHES         2u   // a datagram has a bucket in either half
#define ENTRY_OCTETS   512u // a bit more than the library's own struct

uint64_t fragments_octets(void)
{
    return sizeof(struct fragments) + (uint64_t)BUCKETS * BUCKET_ENTRIES * HASHES * ENTRY_OCTETS;
}

struct fragments *fragments_create(void)
{
    struct fragments *f = rte_zmalloc("fragments", sizeof *f, RTE_CACHE_LINE_SIZE);
    if (!f)
        return NULL;
    f->table = rte_ip_frag_table_create(BUCKETS, BUCKET_ENTRIES, PORT_FRAGMENTS, FRAGMENT_WAIT_NS,
                                        SOCKET_ID_ANY);
    if (f->table)
        return f;
    rte_free(f);
    return NULL;
}

void fragments_destroy(struct fragments *f)
{
    if (!f)
        return;
    rte_ip_frag_table_destroy(f->table);
    rte_free(f);
}
