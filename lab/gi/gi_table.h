// Records by key, in memory that grows by pages: a hash table, and lists in the order of the last
// touch, out of which the oldest end first. Users and flows are kept in one of these each.
//
// A record begins with its node. Its key is the caller's: the caller walks over the records of one
// hash, and compares. Records do not move.
#ifndef SLUICE_GI_TABLE_H
#define SLUICE_GI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GI_TABLE_LISTS 3

struct gi_node {
    uint64_t touched_ns;
    struct gi_node *next; // of this hash, or free
    struct gi_node *older, *newer;
    uint32_t hash;
    uint32_t list : 2, listed : 30; // listed: when it became the newest, in units of 2^30 ns
};

struct gi_table {
    size_t octets; // of a record
    uint32_t used, most_used, pages, buckets;
    struct gi_node **bucket;
    struct gi_node *free;
    void **page;
    struct {
        struct gi_node *oldest, *newest;
    } list[GI_TABLE_LISTS];
};

void gi_table_create(struct gi_table *table, size_t octets);
void gi_table_destroy(struct gi_table *table);

// Where the first record of this hash is, for fetching it ahead.
static inline struct gi_node **gi_table_chain(const struct gi_table *table, uint32_t hash)
{
    return &table->bucket[hash & (table->buckets - 1)];
}

// The first record of this hash; then node->next, whose hash may be another.
static inline struct gi_node *gi_table_first(const struct gi_table *table, uint32_t hash)
{
    return *gi_table_chain(table, hash);
}

// A record that is all zeros but for its node, in list 0.
struct gi_node *gi_table_add(struct gi_table *table, uint32_t hash, uint64_t now_ns);
void gi_table_remove(struct gi_table *table, struct gi_node *node);
// It is the newest of that list now, among those that were touched at a distance of 1.1 s or more:
// the lists keep no finer order, for that costs the memory of two neighbours for each packet.
void gi_table_touch(struct gi_table *table, struct gi_node *node, uint32_t list, uint64_t now_ns);

// Memory of all records and of the table itself.
uint64_t gi_table_octets(const struct gi_table *table);

// A hash of octets, for keys.
uint32_t gi_table_hash(const void *key, uint32_t octets);

#endif
