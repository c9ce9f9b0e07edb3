// One queued N-PDU as the scheduler knows it. 32 octets, two to a cache line. Only the owner of the
// buffer opens it; here it is a handle.
#ifndef SLUICE_SCHED_PDU_H
#define SLUICE_SCHED_PDU_H

#include <assert.h>
#include <stdint.h>

// An N-PDU has two times of arrival, both modulo a power of two: its sojourn is exact up to 13
// days, its stay up to 4.9 h, in steps of 2^30 ns.
#define PDU_ARRIVED_BITS 50
#define PDU_ARRIVED_MASK ((1ULL << PDU_ARRIVED_BITS) - 1)
#define PDU_CAME_BITS    14
#define PDU_CAME_MASK    ((1u << PDU_CAME_BITS) - 1)
#define PDU_STEP_SHIFT   30

// Fields that stay unchanged from sched_put to the grant; copied as one word.
#define PDU_CARRIED                                                           \
    union {                                                                   \
        struct {                                                              \
            uint32_t context : 24; /* PDP context it came for */              \
            uint32_t lle : 2;      /* which of the four LLEs carries it */    \
            uint32_t ect : 1;      /* ECN-capable: may be marked */           \
            uint32_t mark : 1;     /* to be marked CE with its first piece */ \
            uint32_t traced : 1;   /* its owner is told where it ends */      \
        };                                                                    \
        uint32_t carried;                                                     \
    }

struct pdu {
    void *buffer;
    uint64_t arrived_ns : PDU_ARRIVED_BITS; // arrival by its MS's clock, which stops while the MS
                                            // is frozen
    uint64_t came : PDU_CAME_BITS;          // arrival in real time, in steps
    union {
        uint32_t flow_hash; // of the inner 5-tuple, until it is queued
        uint32_t next;      // slot of the N-PDU behind it, while it is queued
    };
    uint32_t aqm_word; // an AQM's own
    PDU_CARRIED;
    uint16_t octets;
    uint16_t next_octets_lle; // of the N-PDU behind it, so that its round need not read it first
};

static_assert(sizeof(struct pdu) == 32, "two PDUs to a cache line");

// Longer stays read as 0: an N-PDU from another worker may carry a time of a clock slightly ahead.
#define PDU_STAY_MOST (PDU_CAME_MASK - 8)

static inline void pdu_stamp(struct pdu *pdu, uint64_t clock_ns, uint64_t now_ns)
{
    pdu->arrived_ns = clock_ns & PDU_ARRIVED_MASK;
    pdu->came = now_ns >> PDU_STEP_SHIFT & PDU_CAME_MASK;
}

// The time since its arrival, by the clock of its MS.
static inline uint64_t pdu_sojourn_ns(const struct pdu *pdu, uint64_t clock_ns)
{
    return (clock_ns - pdu->arrived_ns) & PDU_ARRIVED_MASK;
}

// The steps of real time begun since its arrival: its stay is longer than all of them but one.
static inline uint32_t pdu_stay(const struct pdu *pdu, uint64_t now_ns)
{
    uint32_t steps = (uint32_t)((now_ns >> PDU_STEP_SHIFT) - pdu->came) & PDU_CAME_MASK;
    return steps <= PDU_STAY_MOST ? steps : 0;
}

#endif
