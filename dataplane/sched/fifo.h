// A plain FIFO of N-PDUs with limits in packets and octets: it stands where the scheduler will be.
// It frees nothing and knows no buffer; a refused N-PDU stays the caller's.
#ifndef SLUICE_SCHED_FIFO_H
#define SLUICE_SCHED_FIFO_H

#include <stdbool.h>

#include "dataplane/sched/pdu.h"

struct fifo {
    struct pdu *slots;
    uint32_t mask;
    uint32_t head, tail; // run freely; tail - head is what is queued
    uint32_t packets_max;
    uint64_t octets, octets_max;
};

// Allocates; 0 or -ENOMEM.
int fifo_setup(struct fifo *fifo, uint32_t packets_max, uint64_t octets_max);
void fifo_release(struct fifo *fifo);

bool fifo_put(struct fifo *fifo, const struct pdu *pdu);

// The PDU that goes next, NULL if none, and the one i places behind it (to prefetch for).
const struct pdu *fifo_head(const struct fifo *fifo);
const struct pdu *fifo_peek(const struct fifo *fifo, uint32_t i);
void fifo_pop(struct fifo *fifo);

static inline uint32_t fifo_packets(const struct fifo *fifo)
{
    return fifo->tail - fifo->head;
}

#endif
