// The lab's own book of every IP packet that hosts and MSs send: an entry from send to its end,
// found by PDP context, direction and IP id. Counts by class, cell, MS and flow, each for both
// directions, for which always
//     sent = delivered + lost + under way
// in packets and octets. A packet counts for the class and the cell that it had when it was sent.
// Figures may leave a beginning out (ledger_mark): what was counted until then is in `before`.
// What cannot be, such as the end of a packet that was never sent, is a fault: the run is not
// sound.
#ifndef SLUICE_LAB_REPORT_LEDGER_H
#define SLUICE_LAB_REPORT_LEDGER_H

#include "dataplane/base/classes.h"
#include "lab/report/delays.h"
#include "lab/report/underway.h"

enum ledger_way { LEDGER_DOWN, LEDGER_UP, LEDGER_WAYS };
enum ledger_kind { LEDGER_CLASS, LEDGER_CELL, LEDGER_MS, LEDGER_FLOW, LEDGER_KINDS };

extern const char *const ledger_way_names[LEDGER_WAYS];   // "down", "up"
extern const char *const ledger_kind_names[LEDGER_KINDS]; // "class", "cell", "ms", "flow"

// LEDGER_FAULT(name, help)
#define LEDGER_FAULTS(LEDGER_FAULT)                                                     \
    LEDGER_FAULT(id_in_use, "sent with the IP id of a packet still under way")          \
    LEDGER_FAULT(unknown, "ended without being under way: never sent, or ended before") \
    LEDGER_FAULT(before_sent, "ended before it was sent")                               \
    LEDGER_FAULT(octets, "delivered with another length than sent")                     \
    LEDGER_FAULT(ce, "delivered with CE, though sent as not ECN-capable")               \
    LEDGER_FAULT(reason, "lost for a reason that no place has")                         \
    LEDGER_FAULT(owner, "of a PDP context or flow that the ledger does not know")

enum ledger_fault {
#define LEDGER_FAULT(name, help) LEDGER_FAULT_##name,
    LEDGER_FAULTS(LEDGER_FAULT)
#undef LEDGER_FAULT
        LEDGER_FAULT_COUNT
};
extern const char *const ledger_fault_helps[LEDGER_FAULT_COUNT];

// Where packets are lost, such as the dataplane or the radio, with the names of its reasons.
#define LEDGER_PLACES_MAX 16
struct ledger_place {
    const char *name;
    const char *const *reasons, *const *helps; // `count` each
    uint32_t count;
};

struct ledger_count {
    uint64_t packets, octets;
};

struct ledger_loss {
    uint32_t reason;
    struct ledger_count count;
};

// What was counted before the mark.
struct ledger_before {
    struct ledger_count sent, delivered, lost;
};

// The counts of one direction, since the mark.
struct ledger_tally {
    struct ledger_count sent, delivered, lost, marked; // marked: those delivered with CE
    struct ledger_before before;
    struct ledger_loss *loss; // each reason that has a count, in the order of the first of each
    uint32_t losses, loss_room;
    struct delays delay; // from send to delivery
};

// A class, a cell, an MS or a flow.
struct ledger_group {
    char *name;
    uint32_t above; // an MS's present cell, a flow's PDP context
    struct ledger_tally of[LEDGER_WAYS];
    struct ledger_tally step[LEDGER_WAYS]; // since ledger_step; not of MSs
    struct ledger_tally *batch; // [LEDGER_WAYS], since ledger_batch; NULL: none, or not of its kind
};

struct ledger_context {
    uint32_t ms;
    uint8_t traffic_class;
};

struct ledger_groups {
    struct ledger_group *group;
    uint32_t count, room;
};

struct ledger {
    struct underway underway;
    struct ledger_groups groups[LEDGER_KINDS]; // the classes are there from the start
    struct ledger_context *context;
    uint32_t contexts, contexts_room;
    struct ledger_place place[LEDGER_PLACES_MAX];
    uint32_t places, reasons;
    uint64_t faults[LEDGER_FAULT_COUNT];
    bool batches;
};

#define LEDGER_NO_FLOW UINT32_MAX

// Zeroes the ledger and makes the classes.
void ledger_setup(struct ledger *ledger);
void ledger_release(struct ledger *ledger);

// ---- Setup ----
// Each returns the index of what it adds; indexes count up from 0. Names are copied. They may be
// called at any time.
uint32_t ledger_add_cell(struct ledger *ledger, const char *name);
uint32_t ledger_add_ms(struct ledger *ledger, const char *name, uint32_t cell);
uint32_t ledger_add_context(struct ledger *ledger, uint32_t ms, enum traffic_class traffic_class);
uint32_t ledger_add_flow(struct ledger *ledger, const char *name, uint32_t context);
// Returns the number of the place's first reason: the reason r of that place is the number + r. The
// texts are not copied.
uint32_t ledger_add_place(struct ledger *ledger, const struct ledger_place *place);

// Packets that the MS sends, and that are sent to it, from now on count for this cell.
void ledger_move(struct ledger *ledger, uint32_t ms, uint32_t cell);

// ---- Packets ----
struct ledger_key {
    uint32_t context;
    enum ledger_way way;
    uint16_t id; // of the IP header
};

// `octets` of the whole IP packet, at most 65535. `ect`: its IP header says ECN-capable, or CE.
void ledger_sent(struct ledger *ledger, struct ledger_key key, uint32_t octets, uint32_t flow,
                 bool ect, uint64_t now_ns);
// `ce`: it arrived with CE.
void ledger_delivered(struct ledger *ledger, struct ledger_key key, uint32_t octets, bool ce,
                      uint64_t now_ns);
void ledger_lost(struct ledger *ledger, struct ledger_key key, uint32_t reason, uint64_t now_ns);
// For a part of a packet, such as an LLC PDU, of which another part may have been lost before.
bool ledger_is_under_way(const struct ledger *ledger, struct ledger_key key);

// From now on the tallies of all groups start at 0.
void ledger_mark(struct ledger *ledger);

// Begins a new batch of classes and flows; what is under way counts as before its mark.
void ledger_batch(struct ledger *ledger);

// Begins a new step: clears the steps of classes, cells and flows.
void ledger_step(struct ledger *ledger);

// ---- Results ----
struct ledger_count ledger_under_way(const struct ledger_tally *tally);
// Of those, what was under way already at the mark: this + sent = delivered + lost + under way.
struct ledger_count ledger_begun(const struct ledger_tally *tally);
// Whether there was any packet since the mark.
bool ledger_has(const struct ledger_tally *tally);
// Counts the entries of all groups one by one. False: there is a fault, or for some group they are
// not sent - delivered - lost.
bool ledger_sound(const struct ledger *ledger);
// The place of a reason, and the reason's own number there.
const struct ledger_place *ledger_place_of(const struct ledger *ledger, uint32_t reason,
                                           uint32_t *own);

#endif
