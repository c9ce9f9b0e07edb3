// See measure.h. A closed loop: an MS gets its next packet when a quarter of all MSs have sent
// since it did, so that its lines have left the nearest cache, as those of any other arrival have.
// Time goes at the pace of all rates together, by a little less than a burst a round: a scheduler
// under exactly its load would never catch up.
#include "bench/throughput/measure.h"

#define PACE       (OPTIONS_BURST - 4)
#define PART       4u // what of all MSs sends before one of them is sent to again
#define RING_POLLS 1000u
#define WARM_UP_NS (S_IN_NS + S_IN_NS / 2) // more than a turn of the scheduler's wheel

static uint64_t now_ns(const struct generator *g)
{
    double bits =
        PACE * 8 * (frames_mean_octets(&g->population->frames[STATS_GN]) + POPULATION_PDU_HEADERS);
    unsigned __int128 all = (unsigned __int128)g->turns.rounds * (uint64_t)bits * S_IN_NS;
    return g->turns.start_ns + (uint64_t)(all / g->population->bit_per_s);
}

// A burst at most, for a round takes no more off the port.
uint64_t backlog_round(struct generator *g)
{
    struct generator_turns *t = &g->turns;
    uint32_t keep = g->population->options->backlogged / PART, ms[OPTIONS_BURST], n = 0;
    for (; n < OPTIONS_BURST && t->n > keep; n++, t->n--) {
        ms[n] = t->ms[t->first];
        t->first = t->first + 1 == t->room ? 0 : t->first + 1;
    }
    if (n)
        generator_send_to(g, ms, n);
    t->rounds++;
    return now_ns(g);
}

// Time goes on meanwhile, or MSs of one rate would all wait for the same instant ever after.
static void fill(struct generator *g)
{
    struct dp_worker *worker = dp_worker(g->population->dp, g->worker);
    uint32_t n = g->population->options->backlogged;
    for (uint64_t sent = 0; sent < (uint64_t)n * POPULATION_BACKLOG; sent++) {
        uint32_t ms = (uint32_t)(sent % n);
        generator_send_to(g, &ms, 1);
        g->turns.rounds += sent % PACE == 0;
        if (sent % OPTIONS_BURST == 0)
            dp_poll(worker, now_ns(g));
        while (generator_receive(g) > 0)
            ;
    }
}

void backlog_end(struct generator *g)
{
    struct dp_worker *worker = dp_worker(g->population->dp, g->worker);
    for (uint32_t i = 0; i < RING_POLLS && rte_ring_count(g->in.to_port); i++) {
        dp_poll(worker, now_ns(g));
        while (generator_receive(g) > 0)
            ;
    }
}

void backlog_begin(struct generator *g)
{
    uint64_t packets;
    g->turns.start_ns = bench_clock_ns();
    fill(g);
    uint64_t filled_ns = now_ns(g);
    while (now_ns(g) - filled_ns < WARM_UP_NS)
        saturated_round(g, NULL, &packets);
}
