// The gate of a node, the same at all four levels (NSE, cell, MS, PFC): why the node lets no PDU
// through, and its entry in the wheel. A node whose bucket refuses a PDU waits: in the wheel
// until the PDU conforms; or without an entry, until a value changes, or while another PFC of the
// same bucket has the entry. Invariant: a gate with an entry waits.
#ifndef SLUICE_SCHED_SCHED_GATE_H
#define SLUICE_SCHED_SCHED_GATE_H

#include "dataplane/base/units.h"
#include "dataplane/sched/wheel.h"

// The state of a gate. A level has bits of its own besides; a PFC, which has only WAITS and
// STOPPED, in place of the rest.
enum {
    GATE_WAITS = 1,    // for its bucket
    GATE_STOPPED = 2,  // R = 0
    GATE_BLOCKED = 4,  // by command; of an MS: frozen
    GATE_RESERVED = 8, // for an LLC frame: see sched_frame.c
    GATE_EXISTS = 16
};
#define GATE_SHUT (GATE_STOPPED | GATE_BLOCKED | GATE_RESERVED)

// Where a node keeps them. They stay members of the node, each at its place: an MS has no room for
// the padding of a struct of its own, and in a union with one the compiler knows less of what
// aliases what, which took 5 cycles a packet.
struct gate {
    uint8_t *state;
    uint32_t *wheel_ref;
};
#define gate_of(node) ((struct gate){&(node)->state, &(node)->wheel_ref})

// at_ns TIME_NEVER: until a value changes.
static inline void gate_wait(struct wheel *wheel, struct gate g, uint32_t id, uint64_t at_ns)
{
    *g.state |= GATE_WAITS;
    if (at_ns != TIME_NEVER)
        *g.wheel_ref = wheel_add(wheel, id, at_ns);
}

// True: it waited.
static inline bool gate_unwait(struct wheel *wheel, struct gate g)
{
    if (!(*g.state & GATE_WAITS))
        return false;
    *g.state &= (uint8_t)~GATE_WAITS;
    if (*g.wheel_ref != WHEEL_NO_REF)
        sched_wheel_remove(wheel, *g.wheel_ref);
    *g.wheel_ref = WHEEL_NO_REF;
    return true;
}

#endif
