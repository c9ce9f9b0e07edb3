// One queued N-PDU: all that the scheduler knows of it. 32 octets, two to a cache line. The buffer
// is a handle that only its owner opens.
#ifndef SLUICE_SCHED_PDU_H
#define SLUICE_SCHED_PDU_H

#include <assert.h>
#include <stdint.h>

struct pdu {
    void *buffer;
    uint64_t arrived_ns; // by the clock of its MS, which stands still while the MS is frozen
    union {
        uint32_t flow_hash; // of the inner 5-tuple, until it is queued
        uint32_t next;      // slot of the one behind it, while it is queued
    };
    uint32_t aqm_word;     // an AQM's own
    uint32_t context : 24; // PDP context it came for
    uint32_t lle : 2;      // which of the four LLEs of user data carries it
    uint32_t ect : 1;      // ECN-capable: may be marked
    uint32_t mark : 1;     // to be marked CE when it goes out
    uint32_t : 4;
    uint16_t octets;
    uint16_t next_octets_lle; // of the one behind it, so that its turn is known without touching it
};

static_assert(sizeof(struct pdu) == 32, "two PDUs to a cache line");

#endif
