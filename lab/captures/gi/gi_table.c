// See gi_table.h. The slots double when three quarters are filled.
#include "lab/captures/gi/gi_table.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_RECORDS 64 // so that a page is of whole lines
#define SLOTS_LEAST  1024

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

void gi_table_create(struct gi_table *table, size_t octets, size_t before)
{
    *table = (struct gi_table){
        .octets = (octets + 7) & ~(size_t)7, .before = before, .slots = SLOTS_LEAST};
    table->slot = need(calloc(table->slots, sizeof *table->slot));
}

void gi_table_destroy(struct gi_table *table)
{
    for (uint32_t i = 0; i < table->pages; i++)
        free(table->page[i]);
    free(table->page);
    free(table->slot);
    *table = (struct gi_table){0};
}

static void grow_records(struct gi_table *table)
{
    char *page = need(aligned_alloc(GI_LINE_OCTETS, GI_LINE_OCTETS + PAGE_RECORDS * table->octets));
    table->page = need(realloc(table->page, (table->pages + 1) * sizeof *table->page));
    table->page[table->pages++] = page;
    for (uint32_t i = PAGE_RECORDS; i-- > 0;) {
        struct gi_node *node =
            (struct gi_node *)(page + GI_LINE_OCTETS - table->before + i * table->octets);
        node->next = table->free;
        table->free = node;
    }
}

static uint64_t slot_of(const struct gi_node *node)
{
    return (uint64_t)(uintptr_t)node | gi_table_tag(node->hash) << GI_TABLE_TAG_BIT;
}

static void grow_slots(struct gi_table *table)
{
    uint64_t *old = table->slot;
    uint32_t n = table->slots;
    table->slots = 2 * n;
    table->slot = need(calloc(table->slots, sizeof *table->slot));
    for (uint32_t i = 0; i < n; i++)
        if (old[i])
            table->slot[gi_table_find(table, gi_table_node(old[i])->hash)] = old[i];
    free(old);
}

// Those behind it in the row move up, as far as that brings them nearer to their place.
static void empty_slot(struct gi_table *table, uint32_t at)
{
    uint32_t last = table->slots - 1;
    for (uint32_t next = (at + 1) & last; table->slot[next]; next = (next + 1) & last) {
        uint32_t place = gi_table_node(table->slot[next])->hash & last;
        if (((next - place) & last) < ((next - at) & last))
            continue;
        table->slot[at] = table->slot[next];
        at = next;
    }
    table->slot[at] = 0;
    table->filled--;
}

static void list_add(struct gi_table *table, struct gi_node *node, uint32_t list)
{
    node->place = gi_table_newest(list, node->touched_ns);
    node->older = table->list[list].newest;
    node->newer = NULL;
    if (node->older)
        node->older->newer = node;
    else
        table->list[list].oldest = node;
    table->list[list].newest = node;
}

static void list_remove(struct gi_table *table, struct gi_node *node)
{
    uint32_t list = gi_table_list(node);
    if (node->older)
        node->older->newer = node->newer;
    else
        table->list[list].oldest = node->newer;
    if (node->newer)
        node->newer->older = node->older;
    else
        table->list[list].newest = node->older;
}

struct gi_node *gi_table_add(struct gi_table *table, uint32_t hash, uint64_t now_ns)
{
    if (!table->free)
        grow_records(table);
    if (table->filled >= table->slots / 4 * 3)
        grow_slots(table);
    struct gi_node *node = table->free;
    table->free = node->next;
    memset(node, 0, table->octets);
    node->hash = hash;
    node->touched_ns = now_ns;
    uint32_t at = gi_table_find(table, hash);
    node->next = gi_table_node(table->slot[at]);
    table->filled += node->next == NULL;
    table->slot[at] = slot_of(node);
    list_add(table, node, 0);
    if (++table->used > table->most_used)
        table->most_used = table->used;
    return node;
}

void gi_table_remove(struct gi_table *table, struct gi_node *node)
{
    uint32_t slot = gi_table_find(table, node->hash);
    struct gi_node *at = gi_table_node(table->slot[slot]);
    if (at == node && !node->next)
        empty_slot(table, slot);
    else if (at == node)
        table->slot[slot] = slot_of(node->next);
    else {
        while (at->next != node)
            at = at->next;
        at->next = node->next;
    }
    list_remove(table, node);
    node->next = table->free;
    table->free = node;
    table->used--;
}

void gi_table_move(struct gi_table *table, struct gi_node *node, uint32_t list)
{
    list_remove(table, node);
    list_add(table, node, list);
}

uint64_t gi_table_octets(const struct gi_table *table)
{
    return (uint64_t)table->pages *
               (PAGE_RECORDS * table->octets + GI_LINE_OCTETS + sizeof(void *)) +
           (uint64_t)table->slots * sizeof *table->slot;
}
