// See bss_table.h.
#include "lab/bss/bss_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>

#include "lab/engine/need.h"

#define BUCKETS_AT_FIRST 64u

// Digits of pi.
struct bss_hash_key bss_hash_key = {
    {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}};

void bss_hash_by_chance(void)
{
    static bool done;
    if (!done && getrandom(&bss_hash_key, sizeof bss_hash_key, 0) < 0)
        abort();
    done = true;
}

static struct bss_link **place(const struct bss_table *table, uint64_t key)
{
    return &table->bucket[bss_hash(&table->key, key) & (table->buckets - 1)];
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
    table->key = old.buckets ? old.key : bss_hash_key;
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
