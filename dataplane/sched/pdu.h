// One queued N-PDU: all that the scheduler knows of it. 32 octets, two to a cache line. The buffer
// is a handle that only its owner opens.
#ifndef SLUICE_SCHED_PDU_H
#define SLUICE_SCHED_PDU_H

#include <assert.h>
#include <stdint.h>

// An N-PDU has two times of arrival, both known modulo a power of two alone: a sojourn is told up
// to 13 days, a stay up to 4.9 h, in steps of 2^30 ns.
#define PDU_ARRIVED_BITS 50
#define PDU_ARRIVED_MASK ((1ULL << PDU_ARRIVED_BITS) - 1)
#define PDU_CAME_BITS    14
#define PDU_CAME_MASK    ((1u << PDU_CAME_BITS) - 1)
#define PDU_STEP_SHIFT   30

// What goes with it from its coming to its going, also as one word: it is copied as it is.
#define PDU_CARRIED                                                           \
    union {                                                                   \
        struct {                                                              \
            uint32_t context : 24; /* PDP context it came for */              \
            uint32_t lle : 2;      /* which of the four LLEs carries it */    \
            uint32_t ect : 1;      /* ECN-capable: may be marked */           \
            uint32_t mark : 1;     /* to be marked CE with its first piece */ \
        };                                                                    \
        uint32_t carried;                                                     \
    }

struct pdu {
    void *buffer;
    uint64_t arrived_ns : PDU_ARRIVED_BITS; // by the clock of its MS, which stands still while the
                                            // MS is frozen
    uint64_t came : PDU_CAME_BITS;          // in real time
    union {
        uint32_t flow_hash; // of the inner 5-tuple, until it is queued
        uint32_t next;      // slot of the one behind it, while it is queued
    };
    uint32_t aqm_word; // an AQM's own
    PDU_CARRIED;
    uint16_t octets;
    uint16_t next_octets_lle; // of the one behind it, so that its turn is known without touching it
};

static_assert(sizeof(struct pdu) == 32, "two PDUs to a cache line");

// Stays that are longer read as none: an N-PDU from another worker may have come by a clock that is
// a little ahead.
#define PDU_STAY_MOST (PDU_CAME_MASK - 8)

static inline void pdu_stamp(struct pdu *pdu, uint64_t clock_ns, uint64_t now_ns)
{
    pdu->arrived_ns = clock_ns & PDU_ARRIVED_MASK;
    pdu->came = now_ns >> PDU_STEP_SHIFT & PDU_CAME_MASK;
}

// How long it has waited, by the clock of its MS.
static inline uint64_t pdu_sojourn_ns(const struct pdu *pdu, uint64_t clock_ns)
{
    return (clock_ns - pdu->arrived_ns) & PDU_ARRIVED_MASK;
}

// How many steps of real time have begun since it came: its stay is longer than all of them but
// one.
static inline uint32_t pdu_stay(const struct pdu *pdu, uint64_t now_ns)
{
    uint32_t steps = (uint32_t)((now_ns >> PDU_STEP_SHIFT) - pdu->came) & PDU_CAME_MASK;
    return steps <= PDU_STAY_MOST ? steps : 0;
}

#endif
