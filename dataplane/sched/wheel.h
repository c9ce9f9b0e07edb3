// Timers by the ten thousand a millisecond: a wheel of 16384 slots of 2^16 ns (65.5 us; one turn is
// 1.07 s). A slot is a list of 64-octet chunks that hold nine ids with their exact time within the
// slot. Adding and removing are O(1). Taking a whole slot reads no times; only an otherwise idle
// caller asks for exact ones.
//
// Invariants: of a slot's chunks only the first may be partly filled, and none is empty; an id's
// `ref` says where it is until it is taken or removed, or `moved` reports a new ref. An id with a
// time beyond one turn waits in the last slot: it comes out early, and the caller checks the id's
// own time. Ids are any 32-bit numbers, each at most once in the wheel (the caller keeps its ref).
// Time does not go back; it may advance by any amount.
#ifndef SLUICE_SCHED_WHEEL_H
#define SLUICE_SCHED_WHEEL_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define WHEEL_SLOT_BITS  16 // of a nanosecond clock
#define WHEEL_SLOTS      16384u
#define WHEEL_CHUNK_IDS  9
#define WHEEL_CHUNK_REFS 16u // numbers per chunk: a power of two, so that a ref splits cheaply
#define WHEEL_NO_REF     UINT32_MAX
#define WHEEL_SLOT_EMPTY \
    (UINT32_MAX / WHEEL_CHUNK_REFS * WHEEL_CHUNK_REFS + WHEEL_CHUNK_IDS) // a head
#define WHEEL_ENTRIES_MAX (1u << 31)

struct wheel_chunk {
    _Alignas(64) uint32_t id[WHEEL_CHUNK_IDS];
    uint16_t offset_ns[WHEEL_CHUNK_IDS]; // within the slot
    uint16_t slot;
    uint32_t next;
};
static_assert(sizeof(struct wheel_chunk) == 64, "a chunk is a cache line");

struct wheel {
    struct wheel_chunk *chunk;
    uint32_t free; // first free chunk
    uint32_t entries, entries_max;
    uint64_t turned_slots; // all earlier slots, counted from time 0, are empty
    // Called when an entry other than the taken or removed one gets a new ref.
    void (*moved)(void *owner, uint32_t id, uint32_t ref);
    void *owner;
    uint64_t busy_words[WHEEL_SLOTS / 64 / 64]; // a bit for each word of `busy` other than 0
    uint64_t busy[WHEEL_SLOTS / 64];            // a bit for each slot with an entry
    // The ref after the last one of the slot's first chunk, so that adding need not read the chunk.
    uint32_t head[WHEEL_SLOTS];
};

// Memory for the chunks, which sched_wheel_setup takes 64-octet aligned. entries_max: 1 ..
// WHEEL_ENTRIES_MAX.
uint64_t sched_wheel_octets(uint32_t entries_max);
void sched_wheel_setup(struct wheel *wheel, void *memory, uint32_t entries_max,
                       void (*moved)(void *owner, uint32_t id, uint32_t ref), void *owner);

// Adds a chunk in front of the slot's first one, `next`; returns it.
uint32_t sched_wheel_chunk_add(struct wheel *wheel, uint32_t slot, uint32_t next);

#define WHEEL_LAST_NS ((1u << WHEEL_SLOT_BITS) - 1)
// Adds an id; returns its ref. There must be room (entries < entries_max). A time in the past goes
// into the slot that is due next.
static inline uint32_t wheel_add(struct wheel *wheel, uint32_t id, uint64_t at_ns)
{
    uint64_t at_slot = at_ns >> WHEEL_SLOT_BITS;
    uint16_t offset_ns = (uint16_t)at_ns;
    if (at_slot < wheel->turned_slots) {
        at_slot = wheel->turned_slots;
        offset_ns = 0;
    } else if (at_slot - wheel->turned_slots >= WHEEL_SLOTS) {
        at_slot = wheel->turned_slots + WHEEL_SLOTS - 1;
        offset_ns = WHEEL_LAST_NS;
    }
    uint32_t slot = (uint32_t)at_slot % WHEEL_SLOTS;
    uint32_t ref = wheel->head[slot];
    if (ref % WHEEL_CHUNK_REFS == WHEEL_CHUNK_IDS)
        ref = sched_wheel_chunk_add(wheel, slot, ref / WHEEL_CHUNK_REFS) * WHEEL_CHUNK_REFS;
    struct wheel_chunk *chunk = &wheel->chunk[ref / WHEEL_CHUNK_REFS];
    chunk->id[ref % WHEEL_CHUNK_REFS] = id;
    chunk->offset_ns[ref % WHEEL_CHUNK_REFS] = offset_ns;
    wheel->head[slot] = ref + 1;
    wheel->entries++;
    return ref;
}
void sched_wheel_remove(struct wheel *wheel, uint32_t ref);

// Takes up to n due ids: of the slots that ended by now_ns, slot by slot, and, if `exact`, ids of
// the running slot with a time of at most now_ns. Returns their number; n means there may be more.
uint32_t sched_wheel_take(struct wheel *wheel, uint64_t now_ns, bool exact, uint32_t *ids,
                          uint32_t n);

// The next chunk to be taken from, to prefetch; WHEEL_NO_CHUNK if there is none.
#define WHEEL_NO_CHUNK (WHEEL_SLOT_EMPTY / WHEEL_CHUNK_REFS)
uint32_t sched_wheel_first_chunk(const struct wheel *wheel);

// The end of the first slot with an entry, without reading it; TIME_NEVER if there is none.
uint64_t sched_wheel_next_slot_ns(const struct wheel *wheel);

// The exact time of the first entry (of a late entry, or one beyond the turn: the end of its slot);
// TIME_NEVER if there is none.
uint64_t sched_wheel_next_ns(const struct wheel *wheel);

#endif
