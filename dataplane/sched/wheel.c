// See wheel.h. A ref is chunk x 16 + index. A slot's head is the ref after its last entry, and a
// head with index 9 means "the next entry needs a chunk": so does WHEEL_SLOT_EMPTY, with chunk
// NO_CHUNK, and an emptied first chunk leaves next x 16 + 9, which is correct with a next chunk (it
// is full) and without. A slot's busy bit is set with its first chunk and cleared with its last.
#include "dataplane/sched/wheel.h"

#include <string.h>

#include "dataplane/base/units.h"

#define NO_CHUNK   WHEEL_NO_CHUNK
#define WORD_SLOTS 64u
#define WORDS      (WHEEL_SLOTS / WORD_SLOTS)

static void busy_set(struct wheel *wheel, uint32_t slot)
{
    uint32_t word = slot / WORD_SLOTS;
    wheel->busy[word] |= 1ULL << slot % WORD_SLOTS;
    wheel->busy_words[word / WORD_SLOTS] |= 1ULL << word % WORD_SLOTS;
}

static void busy_clear(struct wheel *wheel, uint32_t slot)
{
    uint32_t word = slot / WORD_SLOTS;
    wheel->busy[word] &= ~(1ULL << slot % WORD_SLOTS);
    if (wheel->busy[word] == 0)
        wheel->busy_words[word / WORD_SLOTS] &= ~(1ULL << word % WORD_SLOTS);
}

// The first set bit from `from` on, 64 x n if there is none.
static uint32_t bit_from(const uint64_t *words, uint32_t n, uint32_t from)
{
    uint64_t mask = ~0ULL << from % 64;
    for (uint32_t i = from / 64; i < n; i++, mask = ~0ULL)
        if ((words[i] & mask) != 0)
            return i * 64 + (uint32_t)__builtin_ctzll(words[i] & mask);
    return n * 64;
}

// The first busy slot from `from` to the end of the array, WHEEL_SLOTS if there is none.
static uint32_t busy_from(const struct wheel *wheel, uint32_t from)
{
    uint32_t word = from / WORD_SLOTS;
    uint32_t slot = bit_from(wheel->busy, word + 1, from);
    if (slot < (word + 1) * WORD_SLOTS)
        return slot;
    word = bit_from(wheel->busy_words, WORDS / WORD_SLOTS, word + 1);
    return word < WORDS ? bit_from(wheel->busy, WORDS, word * WORD_SLOTS) : WHEEL_SLOTS;
}

// The first busy slot, counted from time 0; there must be one.
static uint64_t first_busy(const struct wheel *wheel)
{
    uint32_t turned = (uint32_t)wheel->turned_slots % WHEEL_SLOTS;
    uint32_t slot = busy_from(wheel, turned);
    if (slot == WHEEL_SLOTS)
        slot = busy_from(wheel, 0);
    return wheel->turned_slots + (slot - turned) % WHEEL_SLOTS;
}

uint32_t sched_wheel_chunk_add(struct wheel *wheel, uint32_t slot, uint32_t next)
{
    uint32_t i = wheel->free;
    struct wheel_chunk *chunk = &wheel->chunk[i];
    wheel->free = chunk->next;
    chunk->next = next;
    chunk->slot = (uint16_t)slot;
    busy_set(wheel, slot);
    return i;
}

// Removes the last n entries of the slot's first chunk; frees an emptied chunk.
static void slot_shrink(struct wheel *wheel, uint32_t slot, uint32_t n)
{
    uint32_t head = wheel->head[slot] - n;
    wheel->entries -= n;
    if (head % WHEEL_CHUNK_REFS == 0) {
        uint32_t i = head / WHEEL_CHUNK_REFS;
        head = wheel->chunk[i].next * WHEEL_CHUNK_REFS + WHEEL_CHUNK_IDS;
        wheel->chunk[i].next = wheel->free;
        wheel->free = i;
        if (head == WHEEL_SLOT_EMPTY)
            busy_clear(wheel, slot);
    }
    wheel->head[slot] = head;
}

// The last entry of the first chunk fills the hole.
void sched_wheel_remove(struct wheel *wheel, uint32_t ref)
{
    struct wheel_chunk *hole = &wheel->chunk[ref / WHEEL_CHUNK_REFS];
    uint32_t slot = hole->slot;
    uint32_t last = wheel->head[slot] - 1;
    if (last != ref) {
        const struct wheel_chunk *from = &wheel->chunk[last / WHEEL_CHUNK_REFS];
        hole->id[ref % WHEEL_CHUNK_REFS] = from->id[last % WHEEL_CHUNK_REFS];
        hole->offset_ns[ref % WHEEL_CHUNK_REFS] = from->offset_ns[last % WHEEL_CHUNK_REFS];
        wheel->moved(wheel->owner, hole->id[ref % WHEEL_CHUNK_REFS], ref);
    }
    slot_shrink(wheel, slot, 1);
}

// Inline by force: gcc takes a function that only prefetches for one without effect.
static inline __attribute__((always_inline)) void chunk_prefetch(const struct wheel *wheel,
                                                                 uint32_t i)
{
    if (i != NO_CHUNK)
        __builtin_prefetch(&wheel->chunk[i]);
}

// Chunk after chunk; a chunk beyond the room loses its last ids. Copying all nine ids is cheaper
// than a variable length: surplus ids are overwritten or not counted.
static uint32_t slot_take(struct wheel *wheel, uint32_t slot, uint32_t *ids, uint32_t n)
{
    uint32_t taken = 0;
    while (wheel->head[slot] != WHEEL_SLOT_EMPTY && taken < n) {
        uint32_t count = wheel->head[slot] % WHEEL_CHUNK_REFS;
        const struct wheel_chunk *chunk = &wheel->chunk[wheel->head[slot] / WHEEL_CHUNK_REFS];
        chunk_prefetch(wheel, chunk->next);
        if (n - taken >= WHEEL_CHUNK_IDS) {
            memcpy(ids + taken, chunk->id, sizeof chunk->id);
        } else {
            uint32_t fit = count < n - taken ? count : n - taken;
            memcpy(ids + taken, chunk->id + count - fit, fit * sizeof *ids);
            count = fit;
        }
        slot_shrink(wheel, slot, count);
        taken += count;
    }
    return taken;
}

// Backwards through each chunk, first chunk first: an entry moved into a hole was checked before.
static uint32_t slot_take_until(struct wheel *wheel, uint32_t slot, uint16_t until_ns,
                                uint32_t *ids, uint32_t n)
{
    uint32_t taken = 0;
    uint32_t i = wheel->head[slot] / WHEEL_CHUNK_REFS;
    uint32_t count = wheel->head[slot] % WHEEL_CHUNK_REFS;
    while (i != NO_CHUNK && taken < n) {
        const struct wheel_chunk *chunk = &wheel->chunk[i];
        uint32_t next = chunk->next; // before the chunk may be freed
        chunk_prefetch(wheel, next);
        for (uint32_t index = count; index-- > 0 && taken < n;)
            if (chunk->offset_ns[index] <= until_ns) {
                ids[taken++] = chunk->id[index];
                sched_wheel_remove(wheel, i * WHEEL_CHUNK_REFS + index);
            }
        i = next;
        count = WHEEL_CHUNK_IDS;
    }
    return taken;
}

uint32_t sched_wheel_take(struct wheel *wheel, uint64_t now_ns, bool exact, uint32_t *ids,
                          uint32_t n)
{
    uint64_t now_slot = now_ns >> WHEEL_SLOT_BITS;
    uint32_t taken = 0;
    while (wheel->entries != 0 && taken < n) {
        uint64_t slot = first_busy(wheel);
        if (slot >= now_slot)
            break;
        wheel->turned_slots = slot;
        taken += slot_take(wheel, (uint32_t)slot % WHEEL_SLOTS, ids + taken, n - taken);
    }
    if (taken == n)
        return n;
    if (wheel->turned_slots < now_slot)
        wheel->turned_slots = now_slot;
    if (exact && wheel->turned_slots == now_slot)
        taken += slot_take_until(wheel, (uint32_t)now_slot % WHEEL_SLOTS, (uint16_t)now_ns,
                                 ids + taken, n - taken);
    return taken;
}

uint64_t sched_wheel_next_ns(const struct wheel *wheel)
{
    if (wheel->entries == 0)
        return TIME_NEVER;
    uint64_t slot = first_busy(wheel);
    uint32_t head = wheel->head[slot % WHEEL_SLOTS];
    uint32_t count = head % WHEEL_CHUNK_REFS;
    uint16_t least_ns = WHEEL_LAST_NS;
    for (uint32_t i = head / WHEEL_CHUNK_REFS; i != NO_CHUNK; i = wheel->chunk[i].next) {
        for (uint32_t index = 0; index < count; index++)
            if (wheel->chunk[i].offset_ns[index] < least_ns)
                least_ns = wheel->chunk[i].offset_ns[index];
        count = WHEEL_CHUNK_IDS;
    }
    return (slot << WHEEL_SLOT_BITS) + least_ns;
}

uint32_t sched_wheel_first_chunk(const struct wheel *wheel)
{
    return wheel->entries ? wheel->head[first_busy(wheel) % WHEEL_SLOTS] / WHEEL_CHUNK_REFS
                          : NO_CHUNK;
}

uint64_t sched_wheel_next_slot_ns(const struct wheel *wheel)
{
    return wheel->entries ? (first_busy(wheel) + 1) << WHEEL_SLOT_BITS : TIME_NEVER;
}
