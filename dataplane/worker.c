// The poll loop's body: commands, then a burst of frames in, then a few bursts out, so that none
// waits long for the others. Traffic that is enciphered comes and goes in up to eight bursts.
#include "dataplane/worker.h"

#include <rte_ring_elem.h>

#define COMMANDS_A_POLL 64

// What a command makes the scheduler drop may be more than its list holds; then it goes on.
static void carry_out(struct dp_worker *worker, const struct command *command, uint64_t now_ns)
{
    int fault;
    do {
        fault = state_apply(&worker->state, worker->sched, command, now_ns);
        down_drops(&worker->down);
    } while (fault == -SCHED_MORE);
    worker->stats.commands++;
    worker->stats.commands_refused += fault != 0;
}

// True if the ring may hold more.
static bool take_commands(struct dp_worker *worker, uint64_t now_ns)
{
    struct command command;
    for (int i = 0; i < COMMANDS_A_POLL; i++) {
        if (down_stalled(&worker->down) ||
            rte_ring_sc_dequeue_elem(worker->commands, &command, sizeof command) != 0)
            return false;
        carry_out(worker, &command, now_ns);
    }
    return true;
}

// True if the port may have more.
static bool take_frames(struct dp_worker *worker, uint64_t now_ns)
{
    struct rte_mbuf *frames[PORT_BURST];
    uint32_t n = PORT_BURST;
    for (uint32_t left = down_bursts_in(&worker->down); left > 0 && n == PORT_BURST; left--) {
        n = port_receive(&worker->gn, frames);
        if (n)
            down_input(&worker->down, frames, n, now_ns);
    }
    return n == PORT_BURST;
}

uint64_t dp_poll(struct dp_worker *worker, uint64_t now_ns)
{
    worker->now_ns = now_ns;
    bool more = take_commands(worker, now_ns);
    more |= take_frames(worker, now_ns);
    bool blocked = down_output(&worker->down, now_ns);
    if (more)
        return now_ns;
    if (blocked)
        return TIME_NEVER;
    uint64_t next_ns = sched_next_ns(worker->sched, now_ns);
    return next_ns > now_ns ? next_ns : now_ns;
}
