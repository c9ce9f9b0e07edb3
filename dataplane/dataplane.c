// See dataplane.h: creates and destroys a dataplane. Nothing here runs per packet.
#include "dataplane/dataplane_parts.h"

#include <errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_ring_elem.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/config.h"
#include "dataplane/wire/fcs.h"

#define COMMAND_RING 4096u
// Buffers neither queued nor in a ring: made frames, bursts in hand, and the caches of two lcores.
#define BUFFERS_IN_HAND (DOWN_FRAMES + 3u * PORT_BURST + 3u * PORT_POOL_CACHE)
// Control's PDUs on their way to a worker.
#define BUFFERS_OF_CONTROL 512u

// Strays on their way to other workers.
static uint32_t messages(const struct dp_config *c)
{
    return (c->workers - 1) * POST_MESSAGES;
}

// A worker's part of each pool. The pools are separate, so that a full downlink takes no buffer
// from the uplink, nor from sending. The limit of all queues stays below Gn's pool by as many
// buffers as rings, bursts and caches can hold. Not counted: the queue of an MS in transit to
// another worker.
static uint32_t gn_buffers(const struct dp_config *c)
{
    return c->queue_packets + c->gn.rx_frames + c->gb.tx_frames + PORT_FRAGMENTS + messages(c) +
           BUFFERS_IN_HAND;
}

static uint32_t gb_buffers(const struct dp_config *c)
{
    return c->gb.rx_frames + c->gn.tx_frames + PORT_FRAGMENTS + UP_PARTIALS + UP_PENDING +
           DP_EVENT_RING + messages(c) + BUFFERS_IN_HAND;
}

static uint32_t segment_buffers(const struct dp_config *c)
{
    return c->gb.tx_frames + BUFFERS_IN_HAND;
}

static uint32_t control_buffers(const struct dp_config *c)
{
    return c->workers * (c->gb.tx_frames + SCHED_FRAMES + PORT_POOL_CACHE) + BUFFERS_OF_CONTROL;
}

// Both ports are at one device, and told apart by their VLANs. net_ring makes one for each.
static bool one_device(const struct dp_config *c)
{
    const struct octets *gn = &c->gn.device, *gb = &c->gb.device;
    return gn->n == gb->n && memcmp(gn->at, gb->at, gn->n) == 0 &&
           !(gn->n == strlen(PORT_DEVICE_RING) && memcmp(gn->at, PORT_DEVICE_RING, gn->n) == 0);
}

// One device has one ring a queue and way, with room for the frames of the larger.
static struct dp_config of_devices(const struct dp_config *given)
{
    struct dp_config c = *given;
    if (!one_device(&c))
        return c;
    c.gn.rx_frames = c.gb.rx_frames = RTE_MAX(c.gn.rx_frames, c.gb.rx_frames);
    c.gn.tx_frames = c.gb.tx_frames = RTE_MAX(c.gn.tx_frames, c.gb.tx_frames);
    return c;
}

// Both ports in the port folder's form; `device` holds their device names.
struct ports_config {
    struct port_config of[STATS_SIDES];
    char device[STATS_SIDES][CONFIG_DEVICE_OCTETS];
};

static void ports_config(const struct dp_config *c, struct ports_config *p)
{
    struct port_config *gn = &p->of[STATS_GN], *gb = &p->of[STATS_GB];
    dp_config_port(&c->gn, "gn", p->device[STATS_GN], gn);
    dp_config_port(&c->gb, "gb", p->device[STATS_GB], gb);
    gn->queues = gb->queues = (uint16_t)c->workers;
    gn->buffers = gn_buffers(c);
    gb->buffers = gb_buffers(c);
    gn->neighbours = c->ggsns;
    gb->neighbours = c->nsvcs;
    gn->rings_only = gb->rings_only =
        strcmp(gn->device, PORT_DEVICE_RING) == 0 && strcmp(gb->device, PORT_DEVICE_RING) == 0;
    dp_config_gn(c, gn);
    dp_config_gb(c, gb);
    gn->shared = gb->shared = one_device(c);
}

// Gn's, for a device that is Gb's as well.
static void for_both(struct port_config *gn, const struct port_config *gb)
{
    static const struct mac none;
    if (memcmp(&gn->host.mac, &none, sizeof none) == 0)
        gn->host.mac = gb->host.mac;
    gn->vlan_besides = gb->vlan;
    gn->buffers += gb->buffers;
    if (gn->host.mtu_octets < gb->host.mtu_octets)
        gn->host.mtu_octets = gb->host.mtu_octets;
    if (address_is_none(&gn->host.ipv6))
        gn->host.ipv6 = gb->host.ipv6; // for its groups
}

static bool rings_only(const struct dp_config *c)
{
    struct ports_config p;
    ports_config(c, &p);
    return p.of[STATS_GN].rings_only;
}

static bool any_windows(const struct dp_config *c)
{
    bool any = false;
    for (int i = 0; i < CLASS_COUNT; i++)
        any |= c->classes.item[i].window_ns != 0;
    return any;
}

static uint64_t worker_octets(const struct dp_config *c)
{
    struct state_limits limits = dp_config_room(c);
    struct sched_config sched;
    dp_config_sched(c, &sched); // dp_create reports a fault
    return sizeof(struct dp_worker) + COMMAND_RING * sizeof(struct command) +
           DP_EVENT_RING * sizeof(struct event) + state_octets(&limits) + sched_octets(&sched) +
           (any_windows(c) ? window_octets(limits.pdps) : 0) +
           port_pool_octets(segment_buffers(c), c->gb.mtu_octets);
}

// The command registry's sizes, without its memory.
static struct registry registry_sizes(const struct dp_config *c)
{
    return (struct registry){.workers = c->workers,
                             .limits = dp_config_limits(c),
                             .room_mss = dp_config_room(c).mss,
                             .room_pdps = dp_config_room(c).pdps};
}

uint64_t dp_memory_octets(const struct dp_config *given)
{
    const struct dp_config of = of_devices(given), *c = &of;
    const struct registry sizes = registry_sizes(c);
    struct ports_config ports;
    ports_config(c, &ports);
    return c->workers * worker_octets(c) + post_octets(c->workers) +
           port_octets(&ports.of[STATS_GN]) + port_octets(&ports.of[STATS_GB]) +
           registry_octets(&sizes) + port_pool_octets(control_buffers(c), c->gb.mtu_octets);
}

// ---- A worker ----

// NULL, or the fault.
static const char *scheduler_setup(struct dp_worker *worker, const struct dp_config *c)
{
    struct sched_config config;
    const char *wrong = dp_config_sched(c, &config);
    if (wrong)
        return wrong;
    config.pipe_octets = down_pipe_octets;
    config.pipe_owner = &worker->state;
    worker->sched_memory = rte_zmalloc("sched", sched_octets(&config), 64);
    if (!worker->sched_memory)
        return "out of memory for the scheduler";
    int fault = sched_setup(&worker->sched, &config, worker->sched_memory);
    return fault ? sched_err_text(fault) : NULL;
}

// NULL, or the fault.
static const char *windows_setup(struct dp_worker *worker, const struct dp_config *c)
{
    uint64_t of_class_ns[CLASS_COUNT];
    if (!any_windows(c))
        return NULL;
    worker->window_memory = rte_zmalloc("window", window_octets(dp_config_room(c).pdps), 64);
    if (!worker->window_memory)
        return "out of memory for the windows of flows";
    for (int i = 0; i < CLASS_COUNT; i++)
        of_class_ns[i] = c->classes.item[i].window_ns;
    window_setup(&worker->window, c->secret_seed, of_class_ns, &worker->stats.up,
                 worker->window_memory);
    return NULL;
}

static struct rte_ring *ring(const char *name, uint32_t i, uint32_t octets, uint32_t count)
{
    char text[RTE_RING_NAMESIZE];
    snprintf(text, sizeof text, "%s%u", name, i);
    return rte_ring_create_elem(text, octets, count, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

static const char *memory_setup(struct dp_worker *worker, uint32_t i, const struct dp_config *c)
{
    char name[RTE_MEMPOOL_NAMESIZE];
    struct state_limits limits = dp_config_room(c);
    snprintf(name, sizeof name, "segments%u", i);
    worker->commands = ring("commands", i, sizeof(struct command), COMMAND_RING);
    worker->events = ring("events", i, sizeof(struct event), DP_EVENT_RING);
    worker->segment_pool = port_pool(name, segment_buffers(c), c->gb.mtu_octets, rings_only(c));
    if (!worker->commands || !worker->events || !worker->segment_pool)
        return "out of memory for rings and buffers";
    int fault =
        state_setup(&worker->state, i, &limits, &worker->port[STATS_GN], &worker->port[STATS_GB]);
    const char *wrong =
        fault ? "out of memory for MSs and PDP contexts" : scheduler_setup(worker, c);
    return wrong ? wrong : windows_setup(worker, c);
}

static const char *worker_setup(struct dp_worker *worker, uint32_t i, const struct dp *dp,
                                const struct dp_config *c)
{
    struct ports_config ports;
    const char *wrong = memory_setup(worker, i, c);
    ports_config(c, &ports);
    for (int side = 0; side < STATS_SIDES && !wrong; side++)
        if (port_setup(&worker->port[side], &dp->device[side], (uint16_t)i, &ports.of[side],
                       &worker->stats.of_port[side]))
            wrong = "out of memory for neighbours and fragments";
    if (!wrong && ports.of[STATS_GN].shared)
        port_share(&worker->port[STATS_GN], &worker->port[STATS_GB]);
    return wrong;
}

static void worker_free(struct dp_worker *worker)
{
    for (int side = 0; side < STATS_SIDES; side++)
        port_release(&worker->port[side]);
    rte_ring_free(worker->commands);
    rte_ring_free(worker->events);
    rte_mempool_free(worker->segment_pool);
    rte_free(worker->sched_memory);
    rte_free(worker->window_memory);
    state_release(&worker->state);
    rte_free(worker);
}

static bool any_flows(const struct dp_config *c)
{
    bool any = false;
    for (int i = 0; i < CLASS_COUNT; i++)
        any |= c->classes.item[i].flows;
    return any;
}

#define FLOW_KEY_STREAM 0x666c6f77 // of the secret's random numbers

static struct down_flow_key flow_key(const struct dp_config *c)
{
    struct down_flow_key key;
    struct rng rng;
    rng_seed(&rng, c->secret_seed, FLOW_KEY_STREAM);
    for (size_t i = 0; i < sizeof key.word / sizeof key.word[0]; i++)
        key.word[i] = rng_next(&rng);
    return key;
}

// Rounded up; the largest value is 13 months.
static uint32_t ready_ticks(uint64_t ready_ns)
{
    uint64_t ticks = (ready_ns >> STATE_TICK_SHIFT) + (ready_ns % (1u << STATE_TICK_SHIFT) != 0);
    return ticks < INT32_MAX ? (uint32_t)ticks : INT32_MAX;
}

static void tell_gn(void *post, const struct ipv6_address *address, const struct mac *mac)
{
    post_neighbour(post, STATS_GN, address, mac);
}

static void tell_gb(void *post, const struct ipv6_address *address, const struct mac *mac)
{
    post_neighbour(post, STATS_GB, address, mac);
}

static void ways_setup(struct dp_worker *worker, struct dp *dp, uint32_t i,
                       const struct dp_config *c)
{
    struct post *post = &dp->post[i];
    struct port *gn = &worker->port[STATS_GN], *gb = &worker->port[STATS_GB];
    struct window *window = worker->window_memory ? &worker->window : NULL;
    worker->post = post;
    if (c->workers > 1) { // a neighbour's answers arrive at one queue only
        gn->tell = tell_gn;
        gb->tell = tell_gb;
        gn->tell_self = gb->tell_self = post;
    }
    worker->down = (struct down){
        .state = &worker->state,
        .post = post,
        .window = window,
        .sched = worker->sched,
        .stats = &worker->stats,
        .scratch = &worker->scratch,
        .segment_pool = worker->segment_pool,
        .gn = gn,
        .gb = gb,
        .events = worker->events,
        .gtpc = &dp->events.gtpc[i * c->ggsns],
        .event_pool = dp->device[STATS_GB].pool,
        .indication_gap_ns = c->error_indications_per_s ? S_IN_NS / c->error_indications_per_s : 0,
        .flows = any_flows(c),
        .flow_key = flow_key(c),
        .ready_ticks = ready_ticks(c->ready_ns),
        .burst = 1};
    worker->up = (struct up){.state = &worker->state,
                             .post = post,
                             .window = window,
                             .sched = worker->sched,
                             .gn = gn,
                             .gb = gb,
                             .stats = &worker->stats,
                             .scratch = &worker->scratch,
                             .events = worker->events,
                             .moves = dp->events.moves};
    up_setup(&worker->up);
    worker->view =
        (struct view){&worker->state, worker->sched, &worker->stats, &worker->state.trace, NULL};
    gn->second = down_gtpc;
    gn->second_self = &worker->down;
    gb->unreachable = up_unreachable;
    gb->unreachable_self = &worker->up;
}

static const char *worker_create(struct dp *dp, uint32_t i, const struct dp_config *c)
{
    struct dp_worker *worker = rte_zmalloc("worker", sizeof *worker, 64);
    if (!worker)
        return strerror(ENOMEM);
    worker->node = (int)rte_socket_id();
    const char *wrong = post_setup(dp->post, i, c->workers)
                            ? "out of memory for messages between workers"
                            : worker_setup(worker, i, dp, c);
    if (wrong) {
        worker_free(worker);
        return wrong;
    }
    ways_setup(worker, dp, i, c);
    dp->worker[dp->workers++] = worker;
    return NULL;
}

// ---- The whole dataplane ----

// Made in a worker's thread, whose node DPDK then prefers.
struct making {
    struct dp *dp;
    const struct dp_config *config;
    uint32_t worker;
    const char *wrong;
};

static void make_worker(void *it)
{
    struct making *m = it;
    m->wrong = worker_create(m->dp, m->worker, m->config);
}

static void make_here(void *self, uint32_t worker, void (*make)(void *it), void *it)
{
    (void)self, (void)worker;
    make(it);
}

static const char *workers_create(struct dp *dp, const struct dp_config *c, dp_by_worker_fn *by,
                                  void *self)
{
    struct making m = {.dp = dp, .config = c};
    for (; m.worker < c->workers && !m.wrong; m.worker++)
        by(self, m.worker, make_worker, &m);
    return m.wrong;
}

static const char *devices_open(struct dp *dp, const struct dp_config *c)
{
    struct ports_config ports;
    const char *wrong = NULL;
    ports_config(c, &ports);
    bool shared = ports.of[STATS_GN].shared;
    if (shared)
        for_both(&ports.of[STATS_GN], &ports.of[STATS_GB]);
    for (int side = 0; side < (shared ? 1 : STATS_SIDES) && !wrong; side++)
        if (port_device_open(&dp->device[side], &ports.of[side], &wrong) == 0)
            wrong = NULL;
    if (shared && !wrong &&
        port_device_borrow(&dp->device[STATS_GB], &dp->device[STATS_GN], &ports.of[STATS_GB],
                           &wrong) == 0)
        wrong = NULL;
    return wrong;
}

static struct registry_port own_addresses(const struct dp_port *port)
{
    struct registry_port own = {
        .ipv6 = port->address6, .udp_port = port->port, .mtu_octets = (uint16_t)port->mtu_octets};
    if (port->address != 0)
        own.ipv4 = address_of_ipv4(port->address);
    return own;
}

static const char *registry_of(struct dp *dp, const struct dp_config *c)
{
    struct registry *r = &dp->registry;
    *r = registry_sizes(c);
    r->pfcs_an_ms = c->room_pfcs;
    r->teid_seed = c->secret_seed;
    r->gn = own_addresses(&c->gn);
    r->gb = own_addresses(&c->gb);
    r->gn.all = dp_config_addresses(c);
    if (dp->device[STATS_GN].hash.entries)
        r->teid_hash = &dp->device[STATS_GN].hash;
    r->llc_headroom = DOWN_HEADROOM;
    r->pool = port_pool("control", control_buffers(c), c->gb.mtu_octets, rings_only(c));
    for (int i = 0; i < CLASS_COUNT; i++)
        r->aqm[i] = aqm_list[c->classes.item[i].aqm];
    for (uint32_t i = 0; i < dp->workers; i++)
        r->worker[i] = (struct registry_worker){.commands = dp->worker[i]->commands,
                                                .carried_out = &dp->worker[i]->stats.commands,
                                                .cells = dp->worker[i]->state.bvc};
    return registry_setup(r) && r->pool ? NULL : "out of memory for the command registry";
}

static void release(struct dp *dp)
{
    dp_mirrors_close(dp);
    free(dp->rules.of); // the devices end the rules
    registry_release(&dp->registry);
    dp_events_release(&dp->events);
    for (uint32_t i = 0; i < dp->workers; i++)
        worker_free(dp->worker[i]);
    trace_free(&dp->traces);
    post_release(dp->post, DP_WORKERS_MAX);
    for (int side = STATS_SIDES; side-- > 0;)
        port_device_close(&dp->device[side]);
    free(dp);
}

struct dp *dp_create(const struct dp_config *config, const char **why)
{
    return dp_create_by(config, make_here, NULL, why);
}

struct dp *dp_create_by(const struct dp_config *given, dp_by_worker_fn *by, void *self,
                        const char **why)
{
    fcs_choose();
    cipher_choose();
    struct dp *dp = calloc(1, sizeof *dp);
    *why = strerror(ENOMEM);
    if (!dp)
        return NULL;
    struct dp_config one = of_devices(given), *config = &one;
    config->secret_seed = rng_secret(given->secret_seed); // all workers have the same secret
    dp->device[STATS_GN].id = dp->device[STATS_GB].id = RTE_MAX_ETHPORTS;
    *why = devices_open(dp, config);
    if (!*why && !dp_events_setup(&dp->events, config->workers, config->nses, config->ggsns))
        *why = strerror(ENOMEM);
    if (!*why)
        *why = workers_create(dp, config, by, self);
    if (!*why)
        *why = registry_of(dp, config);
    if (!*why && !dp_rules_setup(dp))
        *why = strerror(ENOMEM);
    if (!*why)
        return dp;
    release(dp);
    return NULL;
}

// Flushes every MS's queue, in the order of places. Where nothing waits, no place is looked at:
// most of a large room has never been used, and the kernel would give it memory now.
static void queues_flush(struct dp_worker *worker)
{
    uint32_t mss = dp_queued(worker).packets ? worker->state.limits.mss : 0;
    for (uint32_t ms = 0; ms < mss; ms++) {
        int fault;
        do {
            fault = sched_ms_flush(worker->sched, ms, DROP_shutdown, worker->now_ns);
            down_drops(&worker->down);
        } while (fault == -SCHED_MORE);
    }
}

// Frees control's PDUs that were not sent.
static void commands_flush(struct dp_worker *worker)
{
    struct command *c = &worker->waiting;
    if (worker->waits && c->buffer)
        packet_release(c->buffer);
    while (rte_ring_sc_dequeue_elem(worker->commands, c, sizeof *c) == 0)
        if (c->buffer)
            packet_release(c->buffer);
}

static void message_drop(struct dp_worker *worker, const struct message *message)
{
    struct stats_port *port = &worker->stats.of_port[message->side];
    if (message->kind == MESSAGE_MIGRATION)
        post_migration_drop(message->migration, &worker->stats);
    if (message->kind != MESSAGE_STRAY)
        return;
    port->strays_in_packets++;
    port->strays_in_octets += message->stray.frame->pkt_len;
    packet_drop(port->drop, DROP_shutdown, message->stray.frame, message->stray.frame->pkt_len);
}

static void messages_flush(struct dp_worker *worker)
{
    struct message message;
    for (uint32_t from = 0; from < worker->post->workers; from++) {
        if (from == worker->post->worker)
            continue;
        if (worker->post->waiting[from])
            post_migration_drop(worker->post->waiting[from], &worker->stats);
        while (post_take(worker->post, from, &message, 1))
            message_drop(worker, &message);
    }
}

static void worker_flush(struct dp_worker *worker)
{
    messages_flush(worker);
    commands_flush(worker);
    down_flush(&worker->down);
    queues_flush(worker);
    up_flush(&worker->up);
}

// The number of buffers that are missing.
static uint32_t stop(struct dp *dp)
{
    struct event event;
    uint32_t held = 0;
    while (dp_event(dp, &event))
        dp_event_done(dp, &event);
    for (uint32_t i = 0; i < dp->workers; i++)
        worker_flush(dp->worker[i]);
    for (uint32_t i = 0; i < dp->workers; i++)
        for (int side = 0; side < STATS_SIDES; side++)
            port_flush(&dp->worker[i]->port[side]);
    // A device holds sent buffers, of any pool, until it is stopped.
    for (int side = 0; side < STATS_SIDES; side++)
        port_device_stop(&dp->device[side]);
    for (int side = 0; side < STATS_SIDES; side++)
        held += port_device_stop(&dp->device[side]);
    for (uint32_t i = 0; i < dp->workers; i++)
        held += rte_mempool_in_use_count(dp->worker[i]->segment_pool);
    return held + rte_mempool_in_use_count(dp->registry.pool);
}

uint32_t dp_destroy(struct dp *dp)
{
    uint32_t held = stop(dp);
    release(dp);
    return held;
}

uint32_t dp_end(struct dp *dp)
{
    uint32_t held = stop(dp);
    dp_mirrors_close(dp);
    trace_free(&dp->traces);
    dp_events_release(&dp->events);
    free(dp->rules.of);
    free(dp);
    return held;
}
