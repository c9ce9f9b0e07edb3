// One queued N-PDU: all that the scheduler knows of it. 32 octets, two to a cache line. The buffer
// is a handle that only its owner opens.
#ifndef SLUICE_SCHED_PDU_H
#define SLUICE_SCHED_PDU_H

#include <assert.h>
#include <stdint.h>

struct pdu {
    void *buffer;
    uint64_t arrived_ns;
    uint32_t flow_hash; // of the inner 5-tuple; unused by the FIFO
    uint32_t aqm_word;  // an AQM's own; unused by the FIFO
    uint32_t context;   // PDP context it came for
    uint16_t octets;
    uint8_t traffic_class;
    uint8_t flags;
};

static_assert(sizeof(struct pdu) == 32, "two PDUs to a cache line");

#endif
