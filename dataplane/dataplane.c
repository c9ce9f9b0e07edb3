// See dataplane.h: set-up, the command side, and reading. Nothing here runs per packet.
#include "dataplane/worker.h"

#include <errno.h>
#include <rte_malloc.h>
#include <rte_ring_elem.h>

#include "dataplane/wire/fcs.h"

#define COMMAND_RING 4096u
// Buffers that are neither queued nor in a ring: bursts in hand, and the caches of two lcores.
#define BUFFERS_IN_HAND (4u * PORT_BURST + 3u * PORT_POOL_CACHE)

struct dp {
    struct dp_worker *worker;
    struct state_limits limits;
    uint8_t *made[COMMAND_COUNT]; // which ids control has given out, by kind
};

const struct field dp_config_fields[] = FIELD_TABLE(dp_config, DP_CONFIG_FIELDS);
const uint32_t dp_config_field_count = sizeof dp_config_fields / sizeof dp_config_fields[0];

#define COMMAND(name, LIST, help)                                                            \
    static const struct field command_##name##_fields[] = FIELD_TABLE(command_##name, LIST); \
    static int64_t call_##name(void *target, const void *argument)                           \
    {                                                                                        \
        struct command command = {.op = COMMAND_##name};                                     \
        memcpy(&command.name, argument, sizeof command.name);                                \
        return dp_command(target, &command);                                                 \
    }
#include "dataplane/state/commands.def"
#undef COMMAND

static int64_t call_settled(void *target, const void *argument)
{
    (void)argument;
    return rte_ring_empty(((const struct dp *)target)->worker->commands) ? 0 : -EAGAIN;
}

const struct field_call dp_calls[] = {
    {"settled", "waits until the worker has carried out every command", NULL, 0, 0, call_settled},
#define COMMAND(name, LIST, help)                                        \
    {#name,                                                              \
     help,                                                               \
     command_##name##_fields,                                            \
     sizeof command_##name##_fields / sizeof command_##name##_fields[0], \
     sizeof(struct command_##name),                                      \
     call_##name},
#include "dataplane/state/commands.def"
#undef COMMAND
};
const uint32_t dp_call_count = sizeof dp_calls / sizeof dp_calls[0];

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
    return sizeof(struct dp_worker) + COMMAND_RING * sizeof(struct command) +
           state_octets(&limits) + port_pool_octets(gn_buffers(c), c->gn_mtu_octets) +
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

static int worker_parts_setup(struct dp_worker *worker, const struct dp_config *c)
{
    struct state_limits limits = limits_of(c);
    struct state_gb gb = {c->gb_mac, c->gb_address, c->gb_port};
    worker->commands = rte_ring_create_elem("commands", sizeof(struct command), COMMAND_RING,
                                            SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
    if (!worker->commands)
        return -rte_errno;
    int fault = fifo_setup(&worker->queue, c->queue_packets, c->queue_octets);
    if (!fault)
        fault = state_setup(&worker->state, 0, &limits, &gb);
    if (!fault)
        fault = ports_setup(worker, c);
    return fault;
}

static void worker_free(struct dp_worker *worker)
{
    rte_ring_free(worker->commands);
    fifo_release(&worker->queue);
    state_release(&worker->state);
    rte_free(worker);
}

static struct dp_worker *worker_create(const struct dp_config *c)
{
    struct dp_worker *worker = rte_zmalloc("worker", sizeof *worker, 64);
    if (!worker) {
        errno = ENOMEM;
        return NULL;
    }
    int fault = worker_parts_setup(worker, c);
    if (fault) {
        worker_free(worker);
        errno = -fault;
        return NULL;
    }
    worker->down = (struct down){.state = &worker->state,
                                 .queue = &worker->queue,
                                 .stats = &worker->stats,
                                 .segment_pool = worker->gb.pool,
                                 .gb = &worker->gb,
                                 .gn = {c->gn_mac, c->gn_address},
                                 .burst = 1};
    return worker;
}

static bool made_setup(struct dp *dp)
{
    const uint32_t counts[COMMAND_COUNT] = {[COMMAND_nse] = dp->limits.nses,
                                            [COMMAND_bvc] = dp->limits.bvcs,
                                            [COMMAND_ms] = dp->limits.mss,
                                            [COMMAND_pdp] = dp->limits.pdps};
    bool all = true;
    for (int op = 0; op < COMMAND_COUNT; op++) {
        dp->made[op] = calloc(counts[op], 1);
        all &= dp->made[op] != NULL;
    }
    return all;
}

static void dp_free(struct dp *dp)
{
    for (int op = 0; op < COMMAND_COUNT; op++)
        free(dp->made[op]);
    free(dp);
}

struct dp *dp_create(const struct dp_config *config)
{
    fcs_choose();
    struct dp *dp = calloc(1, sizeof *dp);
    if (!dp)
        return NULL;
    dp->limits = limits_of(config);
    if (made_setup(dp))
        dp->worker = worker_create(config);
    else
        errno = ENOMEM;
    if (dp->worker)
        return dp;
    dp_free(dp);
    return NULL;
}

uint32_t dp_destroy(struct dp *dp)
{
    struct dp_worker *worker = dp->worker;
    down_flush(&worker->down);
    uint32_t held =
        rte_mempool_in_use_count(worker->gn.pool) + rte_mempool_in_use_count(worker->gb.pool);
    port_release(&worker->gn);
    port_release(&worker->gb);
    worker_free(worker);
    dp_free(dp);
    return held;
}

// An id to be made, under a parent that has to be there (parent_op < 0: none).
static int id_check(const struct dp *dp, enum command_op op, uint32_t id, uint32_t count,
                    int parent_op, uint32_t parent, uint32_t parent_count)
{
    if (id >= count || (parent_op >= 0 && parent >= parent_count))
        return -ERANGE;
    if (dp->made[op][id])
        return -EEXIST;
    return parent_op < 0 || dp->made[parent_op][parent] ? 0 : -ENOENT;
}

static int command_check(const struct dp *dp, const struct command *c, uint32_t *id)
{
    const struct state_limits *l = &dp->limits;
    switch ((enum command_op)c->op) {
    case COMMAND_nse:
        *id = c->nse.nse_id;
        return id_check(dp, COMMAND_nse, *id, l->nses, -1, 0, 0);
    case COMMAND_bvc:
        *id = c->bvc.bvc_id;
        return id_check(dp, COMMAND_bvc, *id, l->bvcs, COMMAND_nse, c->bvc.nse_id, l->nses);
    case COMMAND_ms:
        *id = c->ms.ms_id;
        return id_check(dp, COMMAND_ms, *id, l->mss, COMMAND_bvc, c->ms.bvc_id, l->bvcs);
    case COMMAND_pdp:
        *id = c->pdp.pdp_id;
        return id_check(dp, COMMAND_pdp, *id, l->pdps, COMMAND_ms, c->pdp.ms_id, l->mss);
    case COMMAND_COUNT:
        break;
    }
    return -EINVAL;
}

// Every value within its described range, so that what is accepted cannot fail in the worker.
static int values_check(const struct command *c)
{
    static const struct {
        const struct field *fields;
        uint32_t count;
    } of_op[COMMAND_COUNT] = {
#define COMMAND(name, LIST, help)                \
    [COMMAND_##name] = {command_##name##_fields, \
                        sizeof command_##name##_fields / sizeof command_##name##_fields[0]},
#include "dataplane/state/commands.def"
#undef COMMAND
    };
    if (c->op >= COMMAND_COUNT)
        return -EINVAL;
    for (uint32_t i = 0; i < of_op[c->op].count; i++) {
        const struct field *f = &of_op[c->op].fields[i];
        uint64_t value = field_get(f, &c->nse); // the union's members all begin here
        if (field_is_integer(f) && (value < f->least || value > f->most))
            return -ERANGE;
    }
    if (c->op == COMMAND_pdp && state_lle_of_sapi(c->pdp.sapi) < 0)
        return -ERANGE;
    return 0;
}

int64_t dp_command(struct dp *dp, const struct command *command)
{
    uint32_t id;
    int fault = values_check(command);
    if (!fault)
        fault = command_check(dp, command, &id);
    if (fault)
        return fault;
    struct command copy = *command;
    if (rte_ring_sp_enqueue_elem(dp->worker->commands, &copy, sizeof copy) != 0)
        return -EAGAIN;
    dp->made[command->op][id] = 1;
    return command->op == COMMAND_pdp ? state_teid(&dp->worker->state, id) : 0;
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
