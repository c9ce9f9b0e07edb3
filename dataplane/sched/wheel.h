// Timers by the ten thousand a millisecond: a wheel of 16384 slots of 2^16 ns (65.5 us; one turn is
// 1.07 s), each slot a list of 64-octet chunks that hold nine ids with their exact time within the
// slot. Adding and removing are O(1); a whole slot is taken without looking at its times, and only
// who has nothing better to do asks for exact ones.
//
// Invariants: of a slot's chunks only the first may be less than full, and none is empty; an id's
// `ref` names its place until it is taken or removed, or `moved` told a new one. An id whose time
// lies beyond the turn waits in the last slot: it comes out early, and who takes it looks at its
// own time again. Ids are any 32-bit numbers; each is in the wheel at most once (the caller keeps
// its ref). Time does not go back; how far it goes at once does not matter.
#ifndef SLUICE_SCHED_WHEEL_H
#define SLUICE_SCHED_WHEEL_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define WHEEL_SLOT_BITS   16 // of a nanosecond clock
#define WHEEL_SLOTS       16384u
#define WHEEL_CHUNK_IDS   9
#define WHEEL_PLACES      16u // place numbers a chunk has, so that a ref is cheap to take apart
#define WHEEL_NO_REF      UINT32_MAX
#define WHEEL_SLOT_EMPTY  (UINT32_MAX / WHEEL_PLACES * WHEEL_PLACES + WHEEL_CHUNK_IDS) // a head
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
    uint64_t turned_slots; // every slot before this one, counted from time 0, is empty
    // Called when an entry other than the one in hand gets a new place.
    void (*moved)(void *owner, uint32_t id, uint32_t ref);
    void *owner;
    uint64_t busy_words[WHEEL_SLOTS / 64 / 64]; // a bit for each word of `busy` that is not 0
    uint64_t busy[WHEEL_SLOTS / 64];            // a bit for each slot that holds something
    // The ref behind the last one of the slot's first chunk: adding need not read the chunk.
    uint32_t head[WHEEL_SLOTS];
};

// Memory for the chunks, 64-octet aligned, given to wheel_setup. entries_max: 1 ..
// WHEEL_ENTRIES_MAX.
uint64_t wheel_octets(uint32_t entries_max);
void wheel_setup(struct wheel *wheel, void *memory, uint32_t entries_max,
                 void (*moved)(void *owner, uint32_t id, uint32_t ref), void *owner);

// A chunk in front of the slot's first one, `next`; returns it.
uint32_t wheel_chunk_add(struct wheel *wheel, uint32_t slot, uint32_t next);

#define WHEEL_LAST_NS ((1u << WHEEL_SLOT_BITS) - 1)
// Returns its ref. There must be room (entries < entries_max). A time in the past goes into the
// slot that is due next.
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
    if (ref % WHEEL_PLACES == WHEEL_CHUNK_IDS)
        ref = wheel_chunk_add(wheel, slot, ref / WHEEL_PLACES) * WHEEL_PLACES;
    struct wheel_chunk *chunk = &wheel->chunk[ref / WHEEL_PLACES];
    chunk->id[ref % WHEEL_PLACES] = id;
    chunk->offset_ns[ref % WHEEL_PLACES] = offset_ns;
    wheel->head[slot] = ref + 1;
    wheel->entries++;
    return ref;
}
void wheel_remove(struct wheel *wheel, uint32_t ref);

// Takes up to n ids that are due: those of slots that have ended by now_ns, slot by slot, and, if
// `exact`, those of the running slot whose time is not after now_ns. Returns how many; n of them
// means that there may be more.
uint32_t wheel_take(struct wheel *wheel, uint64_t now_ns, bool exact, uint32_t *ids, uint32_t n);

// The chunk that is taken from next, to prefetch for; WHEEL_NO_CHUNK if there is none.
#define WHEEL_NO_CHUNK (WHEEL_SLOT_EMPTY / WHEEL_PLACES)
uint32_t wheel_first_chunk(const struct wheel *wheel);

// When the first slot that holds something has ended, without looking into it; TIME_NEVER if there
// is none.
uint64_t wheel_next_slot_ns(const struct wheel *wheel);

// When the first entry is due, exactly (one that came too late or waits beyond the turn: by its
// slot); TIME_NEVER if there is none.
uint64_t wheel_next_ns(const struct wheel *wheel);

#endif
