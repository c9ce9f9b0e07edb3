// The owner of a wheel in tests, and the plain model that the wheel is held against: a table of ids
// and their times. Where the wheel may differ from what was asked (a time that has passed, one
// beyond the turn), the model follows its law.
#ifndef TESTS_DATAPLANE_SCHED_WHEEL_OWNER_H
#define TESTS_DATAPLANE_SCHED_WHEEL_OWNER_H

#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/sched/wheel.h"
#include "tests/dataplane/random.h"

#define SLOT_NS (1ULL << WHEEL_SLOT_BITS)
#define TURN_NS (SLOT_NS * WHEEL_SLOTS)
#define DAY_NS  (86400 * S_IN_NS)
#define TAKE    80

// The owner of ids 0 .. ids-1.
struct owner {
    struct wheel wheel;
    uint32_t ids, waiting;
    uint32_t *ref;   // WHEEL_NO_REF: not in the wheel
    uint64_t *at_ns; // when the wheel owes it
    uint64_t now_ns;
    bool *told; // by `moved`
};

static inline void owner_moved(void *owner_, uint32_t id, uint32_t ref)
{
    struct owner *owner = owner_;
    assert_true(id < owner->ids);
    assert_int_not_equal(owner->ref[id], WHEEL_NO_REF);
    assert_int_not_equal(owner->ref[id], ref);
    owner->ref[id] = ref;
    owner->told[id] = true;
}

static inline struct owner *owner_begin(uint32_t ids)
{
    struct owner *owner = calloc(1, sizeof *owner);
    owner->ids = ids;
    owner->ref = malloc(ids * sizeof *owner->ref);
    owner->at_ns = malloc(ids * sizeof *owner->at_ns);
    owner->told = calloc(ids, sizeof *owner->told);
    memset(owner->ref, 0xff, ids * sizeof *owner->ref);
    void *memory = aligned_alloc(64, sched_wheel_octets(ids));
    memset(memory, 0xa5, sched_wheel_octets(ids));
    sched_wheel_setup(&owner->wheel, memory, ids, owner_moved, owner);
    return owner;
}

static inline void owner_end(struct owner *owner)
{
    free(owner->wheel.chunk);
    free(owner->ref);
    free(owner->at_ns);
    free(owner->told);
    free(owner);
}

static inline void owner_add(struct owner *owner, uint32_t id, uint64_t at_ns)
{
    uint64_t least_ns = owner->wheel.turned_slots * SLOT_NS;
    uint64_t most_ns = least_ns + TURN_NS - 1;
    owner->at_ns[id] = at_ns < least_ns ? least_ns : at_ns > most_ns ? most_ns : at_ns;
    owner->ref[id] = wheel_add(&owner->wheel, id, at_ns);
    owner->waiting++;
}

static inline void owner_remove(struct owner *owner, uint32_t id)
{
    uint32_t ref = owner->ref[id];
    owner->ref[id] = WHEEL_NO_REF;
    owner->waiting--;
    sched_wheel_remove(&owner->wheel, ref);
}

// May it come out now?
static inline bool owner_due(const struct owner *owner, uint32_t id, bool exact)
{
    if (owner->ref[id] == WHEEL_NO_REF)
        return false;
    return owner->at_ns[id] / SLOT_NS < owner->now_ns / SLOT_NS ||
           (exact && owner->at_ns[id] <= owner->now_ns);
}

static inline uint32_t owner_count_due(const struct owner *owner, bool exact)
{
    uint32_t due = 0;
    for (uint32_t id = 0; id < owner->ids; id++)
        due += owner_due(owner, id, exact);
    return due;
}

// What comes is due, in the order of slots, each once.
static inline uint32_t owner_take_some(struct owner *owner, bool exact, uint32_t *ids, uint32_t n)
{
    uint32_t taken = sched_wheel_take(&owner->wheel, owner->now_ns, exact, ids, n);
    assert_true(taken <= n);
    uint64_t slot = 0;
    for (uint32_t i = 0; i < taken; i++) {
        assert_true(ids[i] < owner->ids);
        assert_true(owner_due(owner, ids[i], exact));
        assert_true(slot <= owner->at_ns[ids[i]] / SLOT_NS);
        slot = owner->at_ns[ids[i]] / SLOT_NS;
        owner->ref[ids[i]] = WHEEL_NO_REF;
    }
    owner->waiting -= taken;
    if (taken < n)
        assert_int_equal(owner->wheel.turned_slots, owner->now_ns / SLOT_NS);
    return taken;
}

// As many as there are, up to n; no slot is begun before the one in front of it is empty.
static inline uint32_t owner_take(struct owner *owner, bool exact, uint32_t n)
{
    uint32_t ids[TAKE + 1];
    uint32_t due = owner_count_due(owner, exact);
    ids[n] = 0xdeadbeef;
    uint32_t taken = owner_take_some(owner, exact, ids, n);
    assert_int_equal(ids[n], 0xdeadbeef);
    assert_int_equal(taken, due < n ? due : n);
    for (uint32_t id = 0; taken > 0 && id < owner->ids; id++)
        if (owner_due(owner, id, exact))
            assert_true(owner->at_ns[id] / SLOT_NS >= owner->at_ns[ids[taken - 1]] / SLOT_NS);
    return taken;
}

static inline void expect_next(const struct owner *owner)
{
    uint64_t next_ns = TIME_NEVER;
    for (uint32_t id = 0; id < owner->ids; id++)
        if (owner->ref[id] != WHEEL_NO_REF && owner->at_ns[id] < next_ns)
            next_ns = owner->at_ns[id];
    assert_int_equal(sched_wheel_next_ns(&owner->wheel), next_ns);
}

// Each id is where its ref says, with its time, and nothing else is counted.
static inline void expect_refs(const struct owner *owner)
{
    uint32_t waiting = 0;
    for (uint32_t id = 0; id < owner->ids; id++) {
        uint32_t ref = owner->ref[id];
        if (ref == WHEEL_NO_REF)
            continue;
        const struct wheel_chunk *chunk = &owner->wheel.chunk[ref / WHEEL_CHUNK_REFS];
        waiting++;
        assert_int_equal(chunk->id[ref % WHEEL_CHUNK_REFS], id);
        assert_int_equal(chunk->offset_ns[ref % WHEEL_CHUNK_REFS], owner->at_ns[id] % SLOT_NS);
        assert_int_equal(chunk->slot, owner->at_ns[id] / SLOT_NS % WHEEL_SLOTS);
    }
    assert_int_equal(waiting, owner->waiting);
    assert_int_equal(waiting, owner->wheel.entries);
}

// Chunks of a slot, and its entries if but the first are full.
static inline uint32_t slot_chunks(const struct wheel *wheel, uint32_t slot, uint32_t *entries)
{
    uint32_t n = 0, head = wheel->head[slot];
    *entries = 0;
    if (head == WHEEL_SLOT_EMPTY)
        return 0;
    *entries = head % WHEEL_CHUNK_REFS;
    assert_in_range(*entries, 1, WHEEL_CHUNK_IDS);
    for (uint32_t i = head / WHEEL_CHUNK_REFS; i != WHEEL_SLOT_EMPTY / WHEEL_CHUNK_REFS;
         i = wheel->chunk[i].next)
        n++;
    *entries += (n - 1) * WHEEL_CHUNK_IDS;
    return n;
}

// All chunks are in a slot or free, and the bits say which slots are busy. Returns the free ones.
static inline uint32_t expect_chunks(const struct wheel *wheel)
{
    uint32_t all = (uint32_t)(sched_wheel_octets(wheel->entries_max) / sizeof *wheel->chunk);
    uint32_t used = 0, entries = 0, unused = 0;
    for (uint32_t slot = 0; slot < WHEEL_SLOTS; slot++) {
        uint32_t in_slot;
        used += slot_chunks(wheel, slot, &in_slot);
        entries += in_slot;
        assert_int_equal(wheel->busy[slot / 64] >> slot % 64 & 1, in_slot != 0);
    }
    for (uint32_t word = 0; word < WHEEL_SLOTS / 64; word++)
        assert_int_equal(wheel->busy_words[word / 64] >> word % 64 & 1, wheel->busy[word] != 0);
    for (uint32_t i = wheel->free; i < all; i = wheel->chunk[i].next)
        unused++;
    assert_int_equal(entries, wheel->entries);
    assert_int_equal(used + unused, all);
    return unused;
}

#endif
