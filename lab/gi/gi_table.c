// See gi_table.h. Chains of records in a table that doubles when there are as many records as
// chains. The hash is keyed by nothing: who chooses all addresses of a capture can make it slow.
#include "lab/gi/gi_table.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_RECORDS  64
#define BUCKETS_LEAST 1024

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

void gi_table_create(struct gi_table *table, size_t octets)
{
    *table = (struct gi_table){.octets = (octets + 7) & ~(size_t)7, .buckets = BUCKETS_LEAST};
    table->bucket = need(calloc(table->buckets, sizeof(struct gi_node *)));
}

void gi_table_destroy(struct gi_table *table)
{
    for (uint32_t i = 0; i < table->pages; i++)
        free(table->page[i]);
    free(table->page);
    free(table->bucket);
    *table = (struct gi_table){0};
}

static void grow_records(struct gi_table *table)
{
    char *page = need(malloc(PAGE_RECORDS * table->octets));
    table->page = need(realloc(table->page, (table->pages + 1) * sizeof *table->page));
    table->page[table->pages++] = page;
    for (uint32_t i = PAGE_RECORDS; i-- > 0;) {
        struct gi_node *node = (struct gi_node *)(page + i * table->octets);
        node->next = table->free;
        table->free = node;
    }
}

static void grow_buckets(struct gi_table *table)
{
    uint32_t buckets = 2 * table->buckets;
    struct gi_node **bucket = need(calloc(buckets, sizeof(struct gi_node *)));
    for (uint32_t i = 0; i < table->buckets; i++)
        for (struct gi_node *node = table->bucket[i], *next; node; node = next) {
            next = node->next;
            node->next = bucket[node->hash & (buckets - 1)];
            bucket[node->hash & (buckets - 1)] = node;
        }
    free(table->bucket);
    table->bucket = bucket;
    table->buckets = buckets;
}

static uint32_t unit_of(uint64_t now_ns)
{
    return (uint32_t)(now_ns >> 30) & ((1u << 30) - 1);
}

static void list_add(struct gi_table *table, struct gi_node *node)
{
    node->listed = unit_of(node->touched_ns);
    node->older = table->list[node->list].newest;
    node->newer = NULL;
    if (node->older)
        node->older->newer = node;
    else
        table->list[node->list].oldest = node;
    table->list[node->list].newest = node;
}

static void list_remove(struct gi_table *table, struct gi_node *node)
{
    if (node->older)
        node->older->newer = node->newer;
    else
        table->list[node->list].oldest = node->newer;
    if (node->newer)
        node->newer->older = node->older;
    else
        table->list[node->list].newest = node->older;
}

struct gi_node *gi_table_add(struct gi_table *table, uint32_t hash, uint64_t now_ns)
{
    if (!table->free)
        grow_records(table);
    if (table->used >= table->buckets)
        grow_buckets(table);
    struct gi_node *node = table->free;
    table->free = node->next;
    memset(node, 0, table->octets);
    node->hash = hash;
    node->touched_ns = now_ns;
    node->next = table->bucket[hash & (table->buckets - 1)];
    table->bucket[hash & (table->buckets - 1)] = node;
    list_add(table, node);
    if (++table->used > table->most_used)
        table->most_used = table->used;
    return node;
}

void gi_table_remove(struct gi_table *table, struct gi_node *node)
{
    struct gi_node **at = &table->bucket[node->hash & (table->buckets - 1)];
    while (*at != node)
        at = &(*at)->next;
    *at = node->next;
    list_remove(table, node);
    node->next = table->free;
    table->free = node;
    table->used--;
}

void gi_table_touch(struct gi_table *table, struct gi_node *node, uint32_t list, uint64_t now_ns)
{
    node->touched_ns = now_ns;
    if (node->list == list && (!node->newer || node->listed == unit_of(now_ns)))
        return;
    list_remove(table, node);
    node->list = list;
    list_add(table, node);
}

uint64_t gi_table_octets(const struct gi_table *table)
{
    return (uint64_t)table->pages * (PAGE_RECORDS * table->octets + sizeof(void *)) +
           (uint64_t)table->buckets * sizeof(struct gi_node *);
}

// Multiply and fold, eight octets at a time; the high half of the last product depends on all bits.
uint32_t gi_table_hash(const void *key, uint32_t octets)
{
    const uint8_t *b = key;
    uint64_t h = 0x9e3779b97f4a7c15;
    for (; octets >= 8; b += 8, octets -= 8) {
        uint64_t word;
        memcpy(&word, b, 8);
        h = (h ^ word) * 0xff51afd7ed558ccd;
        h ^= h >> 32;
    }
    for (; octets; b++, octets--)
        h = (h ^ *b) * 0xff51afd7ed558ccd;
    h = (h ^ h >> 29) * 0xc4ceb9fe1a85ec53;
    return (uint32_t)(h >> 32);
}
