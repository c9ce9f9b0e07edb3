// Records by key, in memory that grows by pages: a hash table, and lists in the order of the last
// touch, out of which the oldest end first. Users and flows are kept in one of these each.
//
// A record begins with its node. Its key is the caller's: the caller walks over the records of one
// hash, and compares. Records do not move.
#ifndef SLUICE_GI_TABLE_H
#define SLUICE_GI_TABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GI_LINE_OCTETS     64 // of a cache
#define GI_TABLE_LISTS     3
#define GI_TABLE_LIST_BITS 2
#define GI_TABLE_UNIT_BITS 30 // of the time that orders a list: 1.1 s
static_assert(GI_TABLE_LISTS <= 1 << GI_TABLE_LIST_BITS, "each list has a number");

struct gi_node {
    struct gi_node *older, *newer, *next; // next: of the same hash, or free
    uint32_t hash;
    uint32_t place; // its list, and when it became the newest there: gi_table_newest()
    uint64_t touched_ns;
};

struct gi_table {
    size_t octets, before; // of a record
    uint32_t used, most_used, pages;
    uint32_t slots, filled; // filled: hashes that there are
    uint64_t *slot;         // below the line
    struct gi_node *free;
    void **page;
    struct {
        struct gi_node *oldest, *newest;
    } list[GI_TABLE_LISTS];
};

// before: of a record's octets, those in front of a line of the cache, as far as that is possible;
// they are needed when lists and hashes change.
void gi_table_create(struct gi_table *table, size_t octets, size_t before);
void gi_table_destroy(struct gi_table *table);

// Each hash has one slot, at its place or in the row behind that. Addresses of x86-64 have 47 bits,
// so a slot is the address of the last record that was added with this hash, with a part of the
// hash above: records of other hashes are not touched. 0: free.
#define GI_TABLE_TAG_BIT 48

static inline uint64_t gi_table_tag(uint32_t hash)
{
    return hash >> (64 - GI_TABLE_TAG_BIT);
}

static inline struct gi_node *gi_table_node(uint64_t slot)
{
    return (struct gi_node *)(slot & ((1ull << GI_TABLE_TAG_BIT) - 1));
}

// Where the row begins in which this hash has its slot.
static inline const uint64_t *gi_table_slot(const struct gi_table *table, uint32_t hash)
{
    return &table->slot[hash & (table->slots - 1)];
}

// The slot of this hash, or the free one where it would be.
static inline uint32_t gi_table_find(const struct gi_table *table, uint32_t hash)
{
    uint32_t at = hash & (table->slots - 1);
    while (table->slot[at] && (table->slot[at] >> GI_TABLE_TAG_BIT != gi_table_tag(hash) ||
                               gi_table_node(table->slot[at])->hash != hash))
        at = (at + 1) & (table->slots - 1);
    return at;
}

// The last record that was added with this hash; then node->next. NULL: there is none.
static inline struct gi_node *gi_table_first(const struct gi_table *table, uint32_t hash)
{
    return gi_table_node(table->slot[gi_table_find(table, hash)]);
}

// A record that is all zeros but for its node, in list 0.
struct gi_node *gi_table_add(struct gi_table *table, uint32_t hash, uint64_t now_ns);
void gi_table_remove(struct gi_table *table, struct gi_node *node);
// It is the newest of that list now, among those that were touched at a distance of 1.1 s or more:
// the lists keep no finer order, for that costs the memory of two neighbours for each packet.
void gi_table_move(struct gi_table *table, struct gi_node *node, uint32_t list);
static inline uint32_t gi_table_newest(uint32_t list, uint64_t now_ns)
{
    return (uint32_t)(now_ns >> GI_TABLE_UNIT_BITS) << GI_TABLE_LIST_BITS | list;
}
static inline uint32_t gi_table_list(const struct gi_node *node)
{
    return node->place & ((1u << GI_TABLE_LIST_BITS) - 1);
}
static inline void gi_table_touch(struct gi_table *table, struct gi_node *node, uint32_t list,
                                  uint64_t now_ns)
{
    node->touched_ns = now_ns;
    if (node->place != gi_table_newest(list, now_ns) &&
        (node->newer || gi_table_list(node) != list))
        gi_table_move(table, node, list);
}

// Memory of all records and of the table itself.
uint64_t gi_table_octets(const struct gi_table *table);

#endif
