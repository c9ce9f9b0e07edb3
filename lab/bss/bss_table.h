// A hash table of links inside their owners; a key may occur several times, the last put is found
// first. Grows; its order decides nothing.
#ifndef SLUICE_LAB_BSS_TABLE_H
#define SLUICE_LAB_BSS_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct bss_link {
    struct bss_link *next;
    uint64_t key;
};

struct bss_table {
    struct bss_link **bucket;
    uint32_t buckets, links; // buckets: a power of two, or 0 at first
};

#define BSS_OWNER(link, type, member) ((type *)((char *)(link)-offsetof(type, member)))

void bss_table_put(struct bss_table *table, struct bss_link *link, uint64_t key);
void bss_table_remove(struct bss_table *table, struct bss_link *link);
struct bss_link *bss_table_find(const struct bss_table *table, uint64_t key);
void bss_table_release(struct bss_table *table);

#endif
