// A hash table of links inside their owners; a key may occur several times, the last put is found
// first. Grows; its order decides nothing. The hash has a key, so that who chooses the keys of
// links, as in a capture, cannot choose which of them meet; in the lab, where nobody does, it is
// always the same.
#ifndef SLUICE_LAB_BSS_TABLE_H
#define SLUICE_LAB_BSS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/mix.h"

struct bss_link {
    struct bss_link *next;
    uint64_t key;
};

struct bss_table {
    struct bss_link **bucket;
    uint32_t buckets, links; // buckets: a power of two, or 0 at first
    struct bss_hash_key {
        uint64_t word[4];
    } key; // bss_hash_key as the table was when it got its first link
};

extern struct bss_hash_key bss_hash_key;

// Gives tables that begin from now on a random key; once, then it stays.
void bss_hash_by_chance(void);

#define BSS_OWNER(link, type, member) ((type *)((char *)(link)-offsetof(type, member)))

// Two rounds, and in each a word that nobody knows times another one: without the key no two words
// are known to meet.
static inline uint64_t bss_hash(const struct bss_hash_key *key, uint64_t word)
{
    for (int i = 0; i < 4; i += 2)
        word = mix(word ^ key->word[i], key->word[i + 1] | 1);
    return word;
}

void bss_table_put(struct bss_table *table, struct bss_link *link, uint64_t key);
void bss_table_remove(struct bss_table *table, struct bss_link *link);
struct bss_link *bss_table_find(const struct bss_table *table, uint64_t key);
void bss_table_release(struct bss_table *table);

#endif
