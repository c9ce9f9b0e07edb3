// See dataplane.h: set-up, the end, and reading. Nothing here runs per packet.
#include "dataplane/worker.h"

#include <errno.h>
#include <rte_malloc.h>
#include <rte_ring_elem.h>
#include <string.h>

#include "dataplane/commands.h"
#include "dataplane/config.h"
#include "dataplane/wire/fcs.h"

#define COMMAND_RING 4096u
// Buffers that are neither queued nor in a ring: what is framed, bursts in hand, and the caches of
// two lcores.
#define BUFFERS_IN_HAND (DOWN_FRAMES + 3u * PORT_BURST + 3u * PORT_POOL_CACHE)

struct dp {
    struct dp_worker *worker;
    struct commands commands;
};

// The queue in all stays below Gn's pool by what rings, bursts and caches can hold.
static uint32_t gn_buffers(const struct dp_config *c)
{
    return c->queue_packets + c->gn_ring_frames + c->gb_ring_frames + BUFFERS_IN_HAND;
}

static uint32_t segment_buffers(const struct dp_config *c)
{
    return c->gb_ring_frames + BUFFERS_IN_HAND;
}

static struct state_limits limits_of(const struct dp_config *c)
{
    return (struct state_limits){c->nses, c->bvcs, c->mss, c->pdps};
}

uint64_t dp_memory_octets(const struct dp_config *c)
{
    struct state_limits limits = limits_of(c);
    struct sched_config sched;
    config_sched(c, &sched); // what is wrong is for dp_create to say
    return sizeof(struct dp_worker) + COMMAND_RING * sizeof(struct command) +
           state_octets(&limits) + sched_octets(&sched) +
           port_pool_octets(gn_buffers(c), c->gn_mtu_octets) +
           port_pool_octets(segment_buffers(c), c->gb_mtu_octets) +
           8ULL * (c->gn_ring_frames + c->gb_ring_frames);
}

static int ports_setup(struct dp_worker *worker, const struct dp_config *c)
{
    struct port_config gn = {"gn", c->gn_ring_frames, 1, gn_buffers(c), c->gn_mtu_octets};
    struct port_config gb = {"gb", 1, c->gb_ring_frames, segment_buffers(c), c->gb_mtu_octets};
    int fault = port_setup(&worker->gn, &gn);
    if (fault)
        return fault;
    fault = port_setup(&worker->gb, &gb);
    if (fault)
        port_release(&worker->gn);
    return fault;
}

// NULL, or what is wrong.
static const char *scheduler_setup(struct dp_worker *worker, const struct dp_config *c)
{
    struct sched_config config;
    const char *wrong = config_sched(c, &config);
    if (wrong)
        return wrong;
    worker->sched_memory = rte_zmalloc("sched", sched_octets(&config), 64);
    if (!worker->sched_memory)
        return "too little memory for the scheduler";
    int fault = sched_setup(&worker->sched, &config, worker->sched_memory);
    return fault ? sched_err_text(fault) : NULL;
}

static const char *worker_parts_setup(struct dp_worker *worker, const struct dp_config *c)
{
    struct state_limits limits = limits_of(c);
    struct state_gb gb = {c->gb_mac, c->gb_address, c->gb_port};
    worker->commands = rte_ring_create_elem("commands", sizeof(struct command), COMMAND_RING,
                                            SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
    if (!worker->commands)
        return strerror(rte_errno);
    const char *wrong = scheduler_setup(worker, c);
    if (wrong)
        return wrong;
    int fault = state_setup(&worker->state, 0, &limits, &gb);
    if (!fault)
        fault = ports_setup(worker, c);
    return fault ? strerror(-fault) : NULL;
}

static void worker_free(struct dp_worker *worker)
{
    rte_ring_free(worker->commands);
    rte_free(worker->sched_memory);
    state_release(&worker->state);
    rte_free(worker);
}

static void worker_close(struct dp_worker *worker)
{
    port_release(&worker->gn);
    port_release(&worker->gb);
    worker_free(worker);
}

static bool any_flows(const struct dp_config *c)
{
    bool any = false;
    for (int i = 0; i < CLASS_COUNT; i++)
        any |= c->classes.item[i].flows;
    return any;
}

static struct dp_worker *worker_create(const struct dp_config *c, const char **why)
{
    struct dp_worker *worker = rte_zmalloc("worker", sizeof *worker, 64);
    *why = worker ? worker_parts_setup(worker, c) : strerror(ENOMEM);
    if (worker && *why) {
        worker_free(worker);
        return NULL;
    }
    if (!worker)
        return NULL;
    worker->down = (struct down){.state = &worker->state,
                                 .sched = worker->sched,
                                 .stats = &worker->stats,
                                 .scratch = &worker->scratch,
                                 .segment_pool = worker->gb.pool,
                                 .gb = &worker->gb,
                                 .gn = {c->gn_mac, c->gn_address},
                                 .flows = any_flows(c),
                                 .burst = 1};
    return worker;
}

struct dp *dp_create(const struct dp_config *config, const char **why)
{
    struct state_limits limits = limits_of(config);
    fcs_choose();
    cipher_choose();
    struct dp *dp = calloc(1, sizeof *dp);
    *why = strerror(ENOMEM);
    if (!dp)
        return NULL;
    dp->worker = worker_create(config, why);
    if (dp->worker) {
        *why = strerror(ENOMEM);
        if (commands_setup(&dp->commands, &limits, config->pfcs_an_ms, dp->worker->commands))
            return dp;
        worker_close(dp->worker);
    }
    commands_release(&dp->commands);
    free(dp);
    return NULL;
}

// Every MS's queue, in the order of ids.
static void queues_flush(struct dp_worker *worker)
{
    for (uint32_t ms = 0; ms < worker->state.limits.mss; ms++) {
        int fault;
        do {
            fault = sched_ms_flush(worker->sched, ms, DROP_shutdown, worker->now_ns);
            down_drops(&worker->down);
        } while (fault == -SCHED_MORE);
    }
}

uint32_t dp_destroy(struct dp *dp)
{
    struct dp_worker *worker = dp->worker;
    down_flush(&worker->down);
    queues_flush(worker);
    uint32_t held =
        rte_mempool_in_use_count(worker->gn.pool) + rte_mempool_in_use_count(worker->gb.pool);
    worker_close(worker);
    commands_release(&dp->commands);
    free(dp);
    return held;
}

int64_t dp_command(struct dp *dp, const struct command *command)
{
    return commands_send(&dp->commands, command);
}

bool dp_settled(const struct dp *dp)
{
    return rte_ring_empty(dp->worker->commands);
}

struct dp_worker *dp_worker(struct dp *dp)
{
    return dp->worker;
}

const struct stats_worker *dp_stats(const struct dp_worker *worker)
{
    return &worker->stats;
}

struct dp_queued dp_queued(const struct dp_worker *worker)
{
    struct dp_queued queued;
    down_queued(&worker->down, &queued.packets, &queued.octets);
    return queued;
}

// Twice over: frames into N-PDUs, and N-PDUs out, so that what is counted in between has to agree.
bool dp_balanced(const struct dp_worker *worker)
{
    struct stats_balance b = stats_balance(&worker->stats);
    struct dp_queued q = dp_queued(worker);
    const struct stats_drop *frames = &b.dropped_frames, *npdus = &b.dropped_npdus;
    return b.packets.in == b.npdu_packets + frames->packets &&
           b.octets.in == b.octets.headers + b.npdu_octets + frames->octets &&
           b.npdu_packets == b.packets.out + npdus->packets + q.packets &&
           b.npdu_octets == b.octets.out + npdus->octets + q.octets;
}

static struct dp_far_end far_end(const struct port *port)
{
    return (struct dp_far_end){port->rx_ring, port->tx_ring, port->pool};
}

struct dp_far_end dp_gn_far_end(const struct dp *dp)
{
    return far_end(&dp->worker->gn);
}

struct dp_far_end dp_gb_far_end(const struct dp *dp)
{
    return far_end(&dp->worker->gb);
}
