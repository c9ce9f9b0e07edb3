// See fifo.h.
#include "dataplane/sched/fifo.h"

#include <stddef.h>

bool fifo_put(struct fifo *fifo, const struct pdu *pdu)
{
    if (fifo_packets(fifo) >= fifo->packets_max || fifo->octets + pdu->octets > fifo->octets_max)
        return false;
    fifo->slots[fifo->tail++ & fifo->mask] = *pdu;
    fifo->octets += pdu->octets;
    return true;
}

const struct pdu *fifo_peek(const struct fifo *fifo, uint32_t i)
{
    return i < fifo_packets(fifo) ? &fifo->slots[(fifo->head + i) & fifo->mask] : NULL;
}

const struct pdu *fifo_head(const struct fifo *fifo)
{
    return fifo_peek(fifo, 0);
}

void fifo_pop(struct fifo *fifo)
{
    fifo->octets -= fifo->slots[fifo->head++ & fifo->mask].octets;
}
