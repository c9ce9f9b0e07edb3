// See bss_table.h.
#include "lab/bss/bss_table.h"

#include "lab/engine/need.h"

#define BUCKETS_AT_FIRST 64u

static struct bss_link **place(const struct bss_table *table, uint64_t key)
{
    return &table->bucket[(key * 0x9e3779b97f4a7c15ULL >> 32) & (table->buckets - 1)];
}

static void put(struct bss_table *table, struct bss_link *link)
{
    struct bss_link **at = place(table, link->key);
    link->next = *at;
    *at = link;
}

static void grow(struct bss_table *table)
{
    struct bss_table old = *table;
    table->buckets = old.buckets ? old.buckets * 2 : BUCKETS_AT_FIRST;
    table->bucket = need(calloc(table->buckets, sizeof(struct bss_link *)));
    for (uint32_t i = 0; i < old.buckets; i++)
        for (struct bss_link *link = old.bucket[i], *next; link; link = next) {
            next = link->next;
            put(table, link);
        }
    free(old.bucket);
}

void bss_table_put(struct bss_table *table, struct bss_link *link, uint64_t key)
{
    if (table->links == table->buckets)
        grow(table);
    link->key = key;
    put(table, link);
    table->links++;
}

void bss_table_remove(struct bss_table *table, struct bss_link *link)
{
    struct bss_link **at = place(table, link->key);
    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    table->links--;
}

struct bss_link *bss_table_find(const struct bss_table *table, uint64_t key)
{
    if (table->buckets == 0)
        return NULL;
    struct bss_link *link = *place(table, key);
    while (link && link->key != key)
        link = link->next;
    return link;
}

void bss_table_release(struct bss_table *table)
{
    free(table->bucket);
    *table = (struct bss_table){0};
}
