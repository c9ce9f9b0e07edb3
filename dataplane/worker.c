// The poll loop's body: commands, then a burst of frames in, then a few bursts out, so that none
// waits long for the others.
#include "dataplane/worker.h"

#include <rte_ring_elem.h>

#define COMMANDS_A_POLL 64

// True if the ring may hold more.
static bool take_commands(struct dp_worker *worker)
{
    struct command command;
    for (int i = 0; i < COMMANDS_A_POLL; i++) {
        if (rte_ring_sc_dequeue_elem(worker->commands, &command, sizeof command) != 0)
            return false;
        state_apply(&worker->state, &command);
        worker->stats.commands++;
    }
    return true;
}

uint64_t dp_poll(struct dp_worker *worker, uint64_t now_ns)
{
    struct rte_mbuf *frames[PORT_BURST];
    bool more = take_commands(worker);
    uint32_t n = port_receive(&worker->gn, frames);
    if (n) {
        down_input(&worker->down, frames, n, now_ns);
        more |= n == PORT_BURST;
    }
    bool blocked = down_output(&worker->down);
    more |= !blocked && fifo_packets(&worker->queue) > 0;
    return more ? now_ns : TIME_NEVER;
}
