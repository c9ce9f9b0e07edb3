// The radio of one cell, both ways, in virtual time. LLC PDUs of an MS are packed back to back into
// RLC data blocks; in each block period the cell's time slots go round robin, one slot a turn, to
// the MSs whose TBFs have a block to send. A block arrives a period after its start, or with
// errors; then it is repeated a round trip after its start (acknowledged RLC, 44.060 9.1), before
// any new block. LLC PDUs arrive in order. Laws that both ends of a test need exactly:
// * Block periods start at multiples of the period. A TBF that is open sends in the first period
//   that starts after its data came (uplink: and radio.up_reaction later). Data that comes inside
//   `arrived` may go in the period that starts then: it is an answer. A TBF that is set up sends in
//   the first period that starts when the set-up has ended, or later.
// * An LLC PDU that ends inside a block costs one octet of length indicator there; one that ends
//   with the block's last octet none (44.060 10.4.14). The rest of a block is not filled up later.
// * MSs join the round robin at its end, in the order in which they began to wait.
// * radio.order = rank: a slot goes to the MS of the lowest rank, in turns among equals. An MS has
//   the rank of the LLC PDU that it took last from the BSC's buffer; 0 before the first.
// * At one instant: blocks arrive, plans, discards, flushes, the new period starts; in that order.
//
// Without slots a TBF is lost: blocks under way are gone, and LLC PDUs that have not arrived start
// from their first octet in the next TBF, unless they are flushed (radio.hold_taken). The MS keeps
// its uplink PDUs until they are too late (radio.up_discard).
//
// Left out: which slot of which carrier an MS has (any slot serves any MS, up to its multislot
// limit), choice of the coding by quality, RLC unacknowledged mode, contention on RACH, TLLI and
// padding in uplink blocks, and repetitions of blocks that are not known to be wrong while the
// window is full.
#ifndef SLUICE_LAB_RADIO_RADIO_H
#define SLUICE_LAB_RADIO_RADIO_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/engine/engine.h"
#include "lab/radio/config.h"
#include "lab/radio/trace.h"
#include "lab/radio/walk.h"

enum radio_way { RADIO_DOWN, RADIO_UP, RADIO_WAYS };

enum radio_loss {
#define LOSS(name, help) RADIO_LOSS_##name,
#include "lab/radio/losses.def"
#undef LOSS
    RADIO_LOSSES
};

// What the owner hears about an MS's channel.
enum radio_event {
    RADIO_TAKEN,  // the MS has no channel any more
    RADIO_FLUSH,  // the BSC flushes its buffer of the MS: now (after TAKEN) or radio.hold_taken
                  // later
    RADIO_BACK,   // the MS can have a channel again
    RADIO_UP_OPEN // an uplink TBF of the MS is set up: the BSS hears from the MS
};

#define RADIO_RANKS 16

// An LLC PDU, a part of its owner's struct. It is the radio's from next_down or radio_up until
// `arrived` or `lost`. The owner sets `octets`, at least 1; the rest is the radio's.
struct radio_pdu {
    struct radio_pdu *next, *before; // of the same MS and way, in order
    struct radio_pdu *older, *newer; // of all uplink PDUs of the cell, until they are too late
    struct tbf *tbf;
    uint64_t since_ns;   // uplink: when it came,
    uint64_t from_ns;    // and from when on a period may start that carries it
    uint32_t octets;     // of radio_octets
    uint8_t rank;        // the owner's: for radio.order, below RADIO_RANKS
    uint32_t last_block; // the block that carries its last octet, if that was sent
    bool begun;          // a block carries octets of it
    bool dated;          // it is between older and newer
    bool late;           // it became too late after it was begun
};

// Inside any of these the owner may call radio_ready, radio_up and the functions that only read,
// and no other function of the radio.
struct radio_owner {
    void *self;
    // The next downlink LLC PDU of the BSC's buffer for this MS, or NULL: then radio_ready says
    // when there is one again. Called when there is room in a block.
    struct radio_pdu *(*next_down)(void *self, uint32_t ms, uint64_t now_ns);
    // A whole LLC PDU, in order: to the MS (down), to the BSC (up).
    void (*arrived)(void *self, uint32_t ms, enum radio_way way, struct radio_pdu *pdu,
                    uint64_t now_ns);
    void (*lost)(void *self, uint32_t ms, enum radio_way way, struct radio_pdu *pdu,
                 enum radio_loss why, uint64_t now_ns);
    void (*event)(void *self, uint32_t ms, enum radio_event event, uint64_t now_ns);
};

struct radio_amount {
    uint64_t packets, octets;
};

// in = out + the sum of lost + held, at any instant outside the radio's functions.
struct radio_counts {
    struct radio_amount in, out, held, lost[RADIO_LOSSES];
#define COUNT(name, help) uint64_t name;
#include "lab/radio/counts.def"
#undef COUNT
};

struct radio;

// The config has passed radio_config_fault. `stream` keeps the random numbers of radios apart.
struct radio *radio_create(struct engine *engine, const struct radio_config *config,
                           const struct radio_owner *owner, uint64_t seed, uint64_t stream);
// LLC PDUs that the radio holds stay the owner's: radio_remove_ms or radio_flush gives them back.
void radio_destroy(struct radio *radio);

// The downlink's rate follows the trace, which is the radio's from now on. The radio has no coding
// scheme there.
void radio_follow(struct radio *radio, struct radio_trace *trace);

// Events at given times from now on; the plans have passed radio_plan_fault, and are copied.
void radio_add_plans(struct radio *radio, const struct radio_plan *plans, uint32_t count,
                     uint64_t now_ns);

// What an MS has in place of its cell's keys, whichever cell it is in (see config.h).
struct radio_own {
    struct octets keys;            // fields of radio_config_fields (field_change)
    const struct radio_walk *walk; // its downlink's coding and errors over time; NULL: the keys
};

// Returns the smallest index that is free. number: by which plans name the MS. own: NULL: the
// cell's keys; its walk must stay.
uint32_t radio_add_ms(struct radio *radio, uint32_t number, const struct radio_own *own);
// The MS leaves: what the radio holds for it is lost with reason `left`.
void radio_remove_ms(struct radio *radio, uint32_t ms, uint64_t now_ns);

// What an LLC PDU takes of blocks, for `octets` of radio_pdu: all its octets but those of
// radio.free_headers, and one at least.
uint32_t radio_octets(const struct radio *radio, uint32_t llc_octets);

// The BSC's buffer has data for the MS; may be said again for each PDU. Inside the event RADIO_BACK
// it tells of what has waited, and is no activity (radio.resume).
void radio_ready(struct radio *radio, uint32_t ms, uint64_t now_ns);
// Into the MS's uplink buffer; `lost` may be called inside.
void radio_up(struct radio *radio, uint32_t ms, struct radio_pdu *pdu, uint64_t now_ns);

// Gives back, as lost, what the radio holds for the MS in one way; its TBF of that way ends.
void radio_flush(struct radio *radio, uint32_t ms, enum radio_way way, enum radio_loss why,
                 uint64_t now_ns);

// Calls take time slots from packets, and give them back. They may take more than there are.
void radio_preempt(struct radio *radio, uint32_t slots, uint64_t now_ns);
void radio_release(struct radio *radio, uint32_t slots, uint64_t now_ns);
// The same of one MS, which has no channel while others have; counted, so that they may overlap.
void radio_preempt_ms(struct radio *radio, uint32_t ms, uint64_t now_ns);
void radio_release_ms(struct radio *radio, uint32_t ms, uint64_t now_ns);
// The number of time slots changes, 0 included. What calls have taken stays taken.
void radio_set_slots(struct radio *radio, uint32_t slots, uint64_t now_ns);

const struct radio_counts *radio_counts(const struct radio *radio, enum radio_way way);
struct radio_amount radio_held(const struct radio *radio, uint32_t ms, enum radio_way way);
// Whether the MS has a channel as far as calls are concerned.
bool radio_has_channel(const struct radio *radio, uint32_t ms);

// The rate of all slots of the cell that calls have left, without errors and control blocks, in
// bit/s of RLC data octets: what flow control may be told. With a trace the mean of the last
// second.
uint64_t radio_cell_rate_bit_per_s(const struct radio *radio, enum radio_way way);
// Of the slots that an MS without keys of its own may have at most; UINT64_MAX: no limit.
uint64_t radio_ms_rate_bit_per_s(const struct radio *radio, enum radio_way way);

// What time slots carried since the radio, or the MS, began. A period counts for an MS in which it
// sent, or waited for a turn or for its window with something to send; in such a period it could
// have had the slots that it used and, if it had nothing more to send, those that nobody used, up
// to its limit. For the cell a period counts in which somebody sent or waited for a turn; those who
// sent in the last second could have had, all together, what was used and what was left, so that it
// does not matter whether the owner sends to them at once or in turns.
struct radio_use {
    uint64_t octets;  // of LLC PDUs, in blocks that were sent for the first time
    uint64_t slots;   // used; for repetitions too
    uint64_t could;   // the slots that could have been used,
    uint64_t periods; // in so many periods
};
struct radio_use radio_cell_use(const struct radio *radio, enum radio_way way);
struct radio_use radio_ms_use(const struct radio *radio, uint32_t ms, enum radio_way way);
// The use since then.
struct radio_use radio_use_since(struct radio_use now, struct radio_use then);

// The octets in a used slot, times the slots of a period that could have been used; of the cell no
// more than calls and control blocks leave now. In bit/s of LLC octets; the use has slots.
uint64_t radio_cell_carries_bit_per_s(const struct radio *radio, enum radio_way way,
                                      struct radio_use use);
uint64_t radio_ms_carries_bit_per_s(const struct radio *radio, struct radio_use use);
// Of the cell's use, what it would be with the slots that an MS without keys of its own may have.
uint64_t radio_any_ms_carries_bit_per_s(const struct radio *radio, enum radio_way way,
                                        struct radio_use use);

#endif
