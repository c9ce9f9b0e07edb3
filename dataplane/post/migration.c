// See post.h: packs and unpacks an MS, with its contexts, keys, numbers, counters and N-PDUs; its
// uplink reassembly was dropped before. If a context's TEID names the old worker, the context's
// place there keeps the TEID at the new worker. Nothing here runs per packet.
#include "dataplane/post/post.h"

#include <rte_ring_elem.h>
#include <string.h>

#include "dataplane/trace/trace.h"

// At the start of a waiting buffer's headroom.
struct packed {
    struct pdu pdu;
    struct rte_mbuf *next;
    uint32_t slot, traffic_class;
};
_Static_assert(sizeof(struct packed) <= RTE_PKTMBUF_HEADROOM, "it fits in front of the N-PDU");

static struct packed *packed_of(const struct rte_mbuf *m)
{
    return m->buf_addr;
}

struct packing {
    struct migration *migration;
    struct stats_worker *stats;
    struct trace *trace;
};

static void pack_npdu(void *self, uint32_t slot, const struct pdu *pdu)
{
    struct packing *packing = self;
    struct migration *migration = packing->migration;
    struct rte_mbuf *m = pdu->buffer;
    uint32_t traffic_class = migration->baggage.pfc[slot].traffic_class;
    *packed_of(m) = (struct packed){.pdu = *pdu, .slot = slot, .traffic_class = traffic_class};
    if (pdu->traced) // nobody's number at the other worker
        trace_down_moved(packing->trace, m);
    if (migration->last)
        packed_of(migration->last)->next = m;
    else
        migration->first = m;
    migration->last = m;
    packing->stats->of_class[traffic_class].moved_out_packets++;
    packing->stats->of_class[traffic_class].moved_out_octets += pdu->octets;
}

// Packs the contexts; their places here keep the TEIDs by which their GGSNs' frames are forwarded.
static void pack_pdps(struct migration *migration, struct state *state, const struct command *move)
{
    migration->pdps = 0;
    for (uint32_t id = migration->ms_up.first_pdp; id != STATE_NONE; id = state->pdp_up[id].next) {
        uint32_t i = migration->pdps++;
        struct state_pdp *pdp = &state->pdp[id];
        migration->pdp[i] = *pdp;
        migration->pdp_up[i] = state->pdp_up[id];
        pdp->ms = STATE_NONE;
        pdp->elsewhere = move->teid_of[pdp->nsapi];
        if (!(move->homes >> pdp->nsapi & 1))
            pdp->teid = 0;
    }
}

static void unpack_pdps(const struct migration *migration, struct state *state,
                        const struct command *expect)
{
    uint32_t *link = &state->ms_up[expect->expect.ms_id].first_pdp;
    for (uint32_t i = 0; i < migration->pdps; i++) {
        uint32_t teid = expect->teid_of[migration->pdp[i].nsapi],
                 id = teid_index(state->teid_bits, teid);
        state->pdp[id] = migration->pdp[i];
        state->pdp[id].teid = teid;
        state->pdp[id].ms = expect->expect.ms_id;
        state->pdp_up[id] = migration->pdp_up[i];
        *link = id;
        link = &state->pdp_up[id].next;
    }
    *link = STATE_NONE;
}

// Gives the N-PDU its context's TEID at this worker; an N-PDU of a removed context gets none.
static void readdress(struct teid_bits bits, const struct migration *migration,
                      const struct command *expect, struct pdu *pdu)
{
    struct rte_mbuf *m = pdu->buffer;
    uint32_t left_as = m->hash.usr;
    m->hash.usr = TEID_NOBODYS;
    for (uint32_t i = 0; i < migration->pdps; i++)
        if (migration->pdp[i].teid == left_as)
            m->hash.usr = expect->teid_of[migration->pdp[i].nsapi];
    pdu->context = teid_index(bits, m->hash.usr);
}

static uint32_t name_of(const struct state *state, uint32_t ms)
{
    return names_hash(state->bvc[state->ms[ms].bvc].nse, state->ms[ms].tlli);
}

static struct migration *free_migration(struct post *post)
{
    for (uint32_t i = 0; i < POST_MIGRATIONS; i++)
        if (!__atomic_load_n(&post->migrations[i].taken, __ATOMIC_ACQUIRE))
            return &post->migrations[i];
    return NULL;
}

bool post_migration_send(struct post *post, struct state *state, struct sched *sched,
                         struct stats_worker *stats, const struct command *move, uint64_t now_ns)
{
    struct migration *migration = free_migration(post);
    uint32_t ms = move->ms_move.ms_id, to = move->worker;
    if (!migration || rte_ring_full(post->to[to]))
        return false;
    state_old_tlli_end(state, ms);
    migration->taken = 1;
    migration->bvc_id = move->ms_move.bvc_id;
    migration->first = migration->last = NULL;
    migration->baggage = (struct sched_baggage){0};
    migration->ms = state->ms[ms];
    migration->ms_up = state->ms_up[ms];
    migration->counts = *state_counts_of(state, ms);
    migration->has_counts = state->ms_up[ms].counts != 0;
    state_counts_give(state, ms);
    migration->ms_up.counts = 0;
    if (migration->ms.options)
        memcpy(migration->options, state_options(state, ms), migration->ms.options);
    pack_pdps(migration, state, move);
    state_names_remove(&state->name[STATE_NAMED_TLLI], name_of(state, ms), ms);
    struct packing packing = {migration, stats, state->trace};
    stats->commands_refused +=
        sched_ms_leave(sched, ms, &migration->baggage, pack_npdu, &packing, now_ns) != 0;
    state->ms[ms] = (struct state_ms){0};
    state->ms_up[ms] = (struct state_ms_up){.first_pdp = STATE_NONE};
    struct message message = {.kind = MESSAGE_MIGRATION, .migration = migration};
    rte_ring_sp_enqueue_elem(post->to[to], &message, sizeof message);
    post->news = true;
    return true;
}

// Queues the N-PDUs in that state and scheduler; without them drops all.
static void unpack_npdus(const struct migration *migration, struct state *state,
                         struct sched *sched, struct stats_worker *stats,
                         const struct command *expect, uint64_t now_ns)
{
    for (struct rte_mbuf *m = migration->first, *next; m; m = next) {
        struct packed packed = *packed_of(m);
        struct stats_class *class = &stats->of_class[packed.traffic_class];
        enum drop_reason reason = DROP_shutdown;
        next = packed.next;
        class->moved_in_packets++;
        class->moved_in_octets += packed.pdu.octets;
        if (sched) {
            readdress(state->teid_bits, migration, expect, &packed.pdu);
            reason = sched_ms_arrive_npdu(sched, expect->expect.ms_id, packed.slot, &packed.pdu,
                                          &migration->baggage, now_ns);
        }
        if (reason == DROP_NONE)
            continue;
        if (state)
            state_count_drop(state, expect->expect.ms_id, reason);
        packet_drop(class->drop, reason, m, packed.pdu.octets);
    }
}

bool post_migration_unpack(struct post *post, struct state *state, struct sched *sched,
                           struct stats_worker *stats, const struct command *expect,
                           uint64_t now_ns)
{
    struct migration *migration = post->waiting[expect->worker];
    if (!migration)
        return false;
    post->waiting[expect->worker] = NULL;
    uint32_t ms = expect->expect.ms_id;
    state->ms[ms] = migration->ms;
    state->ms[ms].bvc = migration->bvc_id;
    state_ms_is_there(&state->ms[ms], now_ns);
    state->ms_up[ms] = migration->ms_up;
    if (migration->has_counts && state_counts_have(state, ms))
        state->ms_counts[state->ms_up[ms].counts - 1] = migration->counts;
    if (migration->ms.options)
        memcpy(state_options(state, ms), migration->options, migration->ms.options);
    unpack_pdps(migration, state, expect);
    state_names_add(&state->name[STATE_NAMED_TLLI], name_of(state, ms), ms);
    stats->commands_refused +=
        sched_ms_arrive(sched, ms, migration->bvc_id, &migration->baggage, now_ns) != 0;
    unpack_npdus(migration, state, sched, stats, expect, now_ns);
    state->standby |= (migration->ms.holds & STATE_HELD_IN_STANDBY) != 0;
    state_ms_let_go(state, sched, ms, STATE_ENDS_BY_MOVE, now_ns);
    __atomic_store_n(&migration->taken, 0, __ATOMIC_RELEASE);
    post->news = true; // the sender may wait for a free migration
    return true;
}

void post_migration_drop(struct migration *migration, struct stats_worker *stats)
{
    unpack_npdus(migration, NULL, NULL, stats, NULL, 0);
}
