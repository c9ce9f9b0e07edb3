// See fifo.h: what allocates. The ring is the next power of two, the limit what was asked for.
#include "dataplane/sched/fifo.h"

#include <errno.h>
#include <stdlib.h>

int fifo_setup(struct fifo *fifo, uint32_t packets_max, uint64_t octets_max)
{
    uint32_t size = 1;
    while (size < packets_max)
        size *= 2;
    *fifo = (struct fifo){.packets_max = packets_max, .octets_max = octets_max, .mask = size - 1};
    fifo->slots = aligned_alloc(64, (size_t)(size < 2 ? 2 : size) * sizeof *fifo->slots);
    return fifo->slots ? 0 : -ENOMEM;
}

void fifo_release(struct fifo *fifo)
{
    free(fifo->slots);
    fifo->slots = NULL;
}
