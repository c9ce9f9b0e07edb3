// See dataplane.h: reading. Nothing here runs per packet.
#include "dataplane/dataplane_parts.h"

#include <errno.h>

#include "dataplane/port/packet.h"

uint32_t dp_ms_of(const struct dp *dp, uint32_t nse, uint32_t tlli)
{
    return registry_find(&dp->registry, nse, STATE_NAMED_TLLI, tlli);
}

uint32_t dp_mss_of(const struct dp *dp, uint32_t tlli, uint32_t *ms, uint32_t most)
{
    return registry_mss_of(&dp->registry, tlli, ms, most);
}

uint32_t dp_bvc_of(const struct dp *dp, uint32_t nse, uint32_t bvci)
{
    uint32_t bvc = registry_find(&dp->registry, nse, STATE_NAMED_BVCI, bvci);
    return bvc != EVENT_NONE && dp->registry.bvc[bvc].going ? EVENT_NONE : bvc;
}

uint32_t dp_ms_cell(const struct dp *dp, uint32_t id, uint32_t *tlli)
{
    const struct registry_ms *ms = registry_made_ms(&dp->registry, id);
    if (!ms)
        return EVENT_NONE;
    *tlli = ms->tlli;
    return ms->bvc;
}

// Until the worker has the MS its place holds what the place's former user has left.
uint64_t dp_ms_silence_ns(const struct dp *dp, uint32_t id)
{
    const struct registry_ms *ms = registry_made_ms(&dp->registry, id);
    if (!ms)
        return TIME_NEVER;
    uint32_t w = dp_at_worker(ms->at);
    if ((int32_t)((uint32_t)registry_carried_out(&dp->registry, w) - ms->heard) < 0)
        return 0;
    const uint32_t *heard = &dp->worker[w]->state.ms[dp_at_place(ms->at)].heard;
    int32_t ticks =
        (int32_t)(state_tick(dp->events.now_ns) - __atomic_load_n(heard, __ATOMIC_RELAXED));
    return ticks > 0 ? (uint64_t)ticks << STATE_TICK_SHIFT : 0;
}

int dp_ms_may_move(const struct dp *dp, uint32_t ms, uint32_t bvc)
{
    return registry_ms_may_move(&dp->registry, ms, bvc);
}

void dp_worker_left(const struct dp *dp, uint32_t nse, uint32_t *mss, uint32_t *pdps)
{
    const struct registry_worker *worker = &dp->registry.worker[nse % dp->workers];
    *mss = worker->mss.left;
    *pdps = worker->pdps.left;
}

uint32_t dp_ms_at(const struct dp *dp, uint32_t ms)
{
    const struct registry *r = &dp->registry;
    return ms < r->limits.mss ? __atomic_load_n(&r->ms[ms].at, __ATOMIC_ACQUIRE) : 0;
}

bool dp_bvc_held(struct dp *dp, uint32_t bvc)
{
    struct registry *r = &dp->registry;
    registry_settle(r);
    return bvc < r->limits.bvcs && (r->bvc[bvc].made || r->bvc[bvc].mss > 0);
}

bool dp_settled(const struct dp *dp)
{
    return registry_settled(&dp->registry);
}

struct dp_worker *dp_worker(struct dp *dp, uint32_t worker)
{
    return dp->worker[worker];
}

const struct stats_worker *dp_stats(const struct dp_worker *worker)
{
    return &worker->stats;
}

void dp_stages(struct dp_worker *worker, struct stages *stages)
{
    worker->down.stages = stages;
}

struct dp_queued dp_queued(const struct dp_worker *worker)
{
    struct dp_queued queued;
    down_queued(&worker->down, &queued.packets, &queued.octets);
    return queued;
}

struct dp_held dp_held(const struct dp_worker *worker, enum stats_side side)
{
    struct dp_held held = {0};
    if (side == STATS_GN)
        held.inner = dp_queued(worker);
    else
        up_held(&worker->up, &held.inner.packets, &held.inner.octets);
    port_held(&worker->port[side], &held.fragments.packets, &held.fragments.octets);
    return held;
}

bool dp_in_pieces(const struct dp_worker *worker, enum stats_side side)
{
    return worker->port[side].pieces > 0;
}

static uint64_t sum_of(const uint64_t *drop)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < STATS_NPDU_DROPS; i++)
        sum += drop[i];
    return sum;
}

struct dp_traffic dp_bvc_traffic(const struct dp *dp, uint32_t id)
{
    if (!registry_made_bvc(&dp->registry, id))
        return (struct dp_traffic){0};
    const struct dp_worker *worker = dp->worker[registry_worker_of_bvc(&dp->registry, id)];
    const struct state_bvc *bvc = &worker->state.bvc[id];
    struct sched_queued queued = sched_bvc_queued(worker->sched, id);
    return (struct dp_traffic){.down_frames = bvc->frames,
                               .down_octets = bvc->octets,
                               .up_frames = bvc->up_frames,
                               .up_octets = bvc->up_octets,
                               .dropped_npdus = sum_of(bvc->drop),
                               .queued = {queued.packets, queued.octets}};
}

uint32_t dp_bvc_waiting(const struct dp *dp, uint32_t id)
{
    if (!registry_made_bvc(&dp->registry, id))
        return 0;
    return sched_bvc_waiting(dp->worker[registry_worker_of_bvc(&dp->registry, id)]->sched, id);
}

// The record at that place may be free now, or have another MS.
uint32_t dp_bvc_last_ms(const struct dp *dp, uint32_t id)
{
    const struct registry *r = &dp->registry;
    if (!registry_made_bvc(r, id))
        return EVENT_NONE;
    uint32_t w = registry_worker_of_bvc(r, id);
    const struct state *state = &dp->worker[w]->state;
    uint32_t last = __atomic_load_n(&state->bvc[id].last, __ATOMIC_RELAXED);
    if (last == 0)
        return EVENT_NONE;
    uint32_t ms = __atomic_load_n(&state->ms_up[last - 1].id, __ATOMIC_RELAXED);
    const struct registry_ms *made = registry_made_ms(r, ms);
    bool here = made && dp_at_worker(made->at) == w && dp_at_place(made->at) == last - 1;
    return here && made->bvc == id ? ms : EVENT_NONE;
}

struct dp_traffic dp_nse_traffic(const struct dp *dp, uint32_t nse)
{
    const struct registry *r = &dp->registry;
    struct dp_traffic sum = {0};
    for (uint32_t id = 0; id < r->limits.bvcs; id++) {
        if (!r->bvc[id].made || r->bvc[id].nse != nse)
            continue;
        struct dp_traffic one = dp_bvc_traffic(dp, id);
        sum.down_frames += one.down_frames;
        sum.down_octets += one.down_octets;
        sum.up_frames += one.up_frames;
        sum.up_octets += one.up_octets;
        sum.dropped_npdus += one.dropped_npdus;
        sum.queued.packets += one.queued.packets;
        sum.queued.octets += one.queued.octets;
    }
    return sum;
}

struct dp_traffic dp_ms_traffic(const struct dp *dp, uint32_t id)
{
    const struct registry_ms *made = registry_made_ms(&dp->registry, id);
    if (!made)
        return (struct dp_traffic){0};
    const struct dp_worker *worker = dp->worker[dp_at_worker(made->at)];
    uint32_t place = dp_at_place(made->at);
    const struct state_ms *ms = &worker->state.ms[place];
    struct sched_queued queued = sched_ms_queued(worker->sched, place);
    struct dp_traffic traffic = {.down_frames = ms->llc_frames,
                                 .down_octets = ms->octets,
                                 .up_octets = worker->state.ms_up[place].octets,
                                 .dropped_npdus = worker->state.ms_up[place].dropped,
                                 .queued = {queued.packets, queued.octets}};
    for (int lle = 0; lle < STATE_LLES; lle++)
        traffic.down_frames += ms->sent[lle]; // since its present key
    return traffic;
}

// The balance in two steps: frames into N-PDUs or segments, and these out, so that the counts in
// between have to agree.
static bool balanced(const struct stats_balance *b, const struct dp_held *h)
{
    const struct stats_ledger *p = &b->packets, *o = &b->octets;
    return p->in ==
               p->aside + b->dropped_frames.packets + h->fragments.packets + b->inner_packets &&
           o->in == o->headers + o->aside + b->dropped_frames.octets + h->fragments.octets +
                        b->inner_octets &&
           b->inner_packets + b->moved.packets ==
               p->out + b->dropped_inner.packets + h->inner.packets &&
           b->inner_octets + b->moved.octets == o->out + b->dropped_inner.octets + h->inner.octets;
}

bool dp_balanced(const struct dp_worker *worker)
{
    struct stats_balance down = stats_balance(&worker->stats);
    struct stats_balance up = stats_balance_up(&worker->stats);
    struct dp_held gn = dp_held(worker, STATS_GN), gb = dp_held(worker, STATS_GB);
    return balanced(&down, &gn) && balanced(&up, &gb);
}

void dp_watch_drops(dp_dropped_fn *dropped, void *self)
{
    port_watch = (struct port_watch){dropped, self};
}

struct dp_far_end dp_far_end(const struct dp *dp, enum stats_side side, uint32_t worker)
{
    const struct port_device *device = &dp->device[side];
    return (struct dp_far_end){device->rx_ring[worker], device->tx_ring[worker], device->pool};
}

int dp_worker_node(const struct dp *dp, uint32_t worker)
{
    return port_memory_node(dp->worker[worker]);
}

int dp_device_node(const struct dp *dp, enum stats_side side)
{
    return port_device_node(&dp->device[side]);
}

int dp_buffers_node(const struct dp *dp, enum stats_side side)
{
    const struct rte_mempool_memhdr *first = STAILQ_FIRST(&dp->device[side].pool->mem_list);
    return first ? port_memory_node(first->addr) : -1;
}

uint32_t dp_teid_worker(const struct dp *dp, uint32_t teid)
{
    return teid_worker(dp->registry.teid_bits, teid);
}

const char *dp_link_look(struct dp *dp, enum stats_side side)
{
    uint32_t was = dp->link[side], link = port_device_link(&dp->device[side]);
    __atomic_store_n(&dp->link[side], link, __ATOMIC_RELAXED);
    dp->nic[side].link_downs += dp->link_seen[side] && was == PORT_LINK_UP && link != was;
    dp->link_seen[side] = true;
    if (!dp->device[side].borrowed)
        port_device_counts(&dp->device[side], &dp->nic[side], &dp->mbit_per_s[side]);
    return dp_link(dp, side);
}

const struct stats_nic *dp_nic(const struct dp *dp, enum stats_side side, uint32_t *mbit_per_s)
{
    *mbit_per_s = dp->mbit_per_s[side];
    return dp->device[side].rings || dp->device[side].borrowed ? NULL : &dp->nic[side];
}

const char *dp_driver(const struct dp *dp, enum stats_side side)
{
    return port_device_driver(&dp->device[side]);
}

uint16_t dp_vlan(const struct dp *dp, enum stats_side side, const char **how)
{
    const struct port_device *device = &dp->device[side];
    *how = device->strips_tags && device->inserts_tags ? "taken off and put on by the device"
           : device->strips_tags  ? "taken off by the device, put on in software"
           : device->inserts_tags ? "taken off in software, put on by the device"
                                  : "taken off and put on in software";
    return dp->worker[0]->port[side].vlan;
}

const char *dp_sums(const struct dp *dp, enum stats_side side)
{
    if (address_is_none(&dp->worker[0]->port[side].host.ipv6))
        return NULL;
    return dp->device[side].nic_sums ? "by the device" : "in software";
}

const char *dp_steering(const struct dp *dp, enum stats_side side, const char **lacks)
{
    const struct port_device *device = &dp->device[side];
    if (dp->workers == 1 || device->rings)
        return NULL;
    *lacks = device->steering_lacks;
    return port_steering_names[device->steering];
}

const char *dp_link(const struct dp *dp, enum stats_side side)
{
    return port_link_names[__atomic_load_n(&dp->link[side], __ATOMIC_RELAXED)];
}

bool dp_answered(const struct dp *dp, uint32_t worker)
{
    return view_answered(&dp->worker[worker]->view);
}

void dp_ask(struct dp *dp, uint32_t worker, struct dp_query *query)
{
    view_ask(&dp->worker[worker]->view, query);
}

// A query that is published goes on waiting.
void dp_look(const struct dp *dp, uint32_t worker, struct dp_query *query, uint64_t now_ns)
{
    struct view view = dp->worker[worker]->view;
    view.query = query;
    view_answer(&view, now_ns);
}

int dp_trace_begin(struct dp *dp, const struct trace_wish *wish)
{
    for (uint32_t i = dp->traces.workers; i < dp->workers; i++)
        if (!trace_add(&dp->traces, &dp->worker[i]->state.trace, &dp->worker[i]->now_ns,
                       TRACE_RECORDS, dp->worker[i]->node))
            return -ENOMEM;
    trace_start(&dp->traces, wish);
    return 0;
}

struct trace *dp_trace(const struct dp *dp, uint32_t worker)
{
    return dp->traces.of[worker];
}

uint32_t dp_trace_take(struct dp *dp, uint32_t worker, struct trace_record *records, uint32_t n)
{
    return worker < dp->traces.workers ? trace_take(&dp->traces, worker, records, n) : 0;
}

struct trace_progress dp_trace_progress(const struct dp *dp)
{
    return trace_progress(&dp->traces);
}
