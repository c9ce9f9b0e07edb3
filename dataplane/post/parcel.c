// See post.h: an MS as a parcel, with its contexts, keys, numbers, counters and N-PDUs; its uplink
// reassembly was dropped before. If a context's TEID names the old worker, the context's place
// there keeps the TEID at the new worker. Nothing here runs per packet.
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
    struct parcel *parcel;
    struct stats_worker *stats;
    struct trace *trace;
};

static void pack_npdu(void *self, uint32_t slot, const struct pdu *pdu)
{
    struct packing *packing = self;
    struct parcel *parcel = packing->parcel;
    struct rte_mbuf *m = pdu->buffer;
    uint32_t traffic_class = parcel->baggage.pfc[slot].traffic_class;
    *packed_of(m) = (struct packed){.pdu = *pdu, .slot = slot, .traffic_class = traffic_class};
    if (pdu->traced)
        trace_down_moved(packing->trace, m);
    packed_of(m)->pdu.traced = 0;
    if (parcel->last)
        packed_of(parcel->last)->next = m;
    else
        parcel->first = m;
    parcel->last = m;
    packing->stats->of_class[traffic_class].moved_out_packets++;
    packing->stats->of_class[traffic_class].moved_out_octets += pdu->octets;
}

// Packs the contexts; their places here keep the TEIDs by which their GGSNs' frames are forwarded.
static void pack_pdps(struct parcel *parcel, struct state *state, const struct command *move)
{
    parcel->pdps = 0;
    for (uint32_t id = parcel->ms_up.first_pdp; id != STATE_NONE; id = state->pdp_up[id].next) {
        uint32_t i = parcel->pdps++;
        struct state_pdp *pdp = &state->pdp[id];
        parcel->pdp[i] = *pdp;
        parcel->pdp_up[i] = state->pdp_up[id];
        pdp->ms = STATE_NONE;
        pdp->elsewhere = move->teid_of[pdp->nsapi];
        if (!(move->homes >> pdp->nsapi & 1))
            pdp->teid = 0;
    }
}

static void unpack_pdps(const struct parcel *parcel, struct state *state,
                        const struct command *expect)
{
    uint32_t *link = &state->ms_up[expect->expect.ms_id].first_pdp;
    for (uint32_t i = 0; i < parcel->pdps; i++) {
        uint32_t teid = expect->teid_of[parcel->pdp[i].nsapi],
                 id = teid_index(state->teid_bits, teid);
        state->pdp[id] = parcel->pdp[i];
        state->pdp[id].teid = teid;
        state->pdp[id].ms = expect->expect.ms_id;
        state->pdp_up[id] = parcel->pdp_up[i];
        *link = id;
        link = &state->pdp_up[id].next;
    }
    *link = STATE_NONE;
}

// Gives the N-PDU its context's TEID at this worker; an N-PDU of a removed context gets none.
static void readdress(struct teid_bits bits, const struct parcel *parcel,
                      const struct command *expect, struct pdu *pdu)
{
    struct rte_mbuf *m = pdu->buffer;
    uint32_t left_as = m->hash.usr;
    m->hash.usr = TEID_NOBODYS;
    for (uint32_t i = 0; i < parcel->pdps; i++)
        if (parcel->pdp[i].teid == left_as)
            m->hash.usr = expect->teid_of[parcel->pdp[i].nsapi];
    pdu->context = teid_index(bits, m->hash.usr);
}

static uint32_t name_of(const struct state *state, uint32_t ms)
{
    return names_hash(state->bvc[state->ms[ms].bvc].nse, state->ms[ms].tlli);
}

static struct parcel *free_parcel(struct post *post)
{
    for (uint32_t i = 0; i < POST_PARCELS; i++)
        if (!__atomic_load_n(&post->parcels[i].taken, __ATOMIC_ACQUIRE))
            return &post->parcels[i];
    return NULL;
}

bool post_parcel_send(struct post *post, struct state *state, struct sched *sched,
                      struct stats_worker *stats, const struct command *move, uint64_t now_ns)
{
    struct parcel *parcel = free_parcel(post);
    uint32_t ms = move->ms_move.ms_id, to = move->worker;
    if (!parcel || rte_ring_full(post->to[to]))
        return false;
    state_old_tlli_end(state, ms);
    parcel->taken = 1;
    parcel->bvc_id = move->ms_move.bvc_id;
    parcel->first = parcel->last = NULL;
    parcel->baggage = (struct sched_baggage){0};
    parcel->ms = state->ms[ms];
    parcel->ms_up = state->ms_up[ms];
    parcel->counts = *state_counts_of(state, ms);
    parcel->has_counts = state->ms_up[ms].counts != 0;
    state_counts_give(state, ms);
    parcel->ms_up.counts = 0;
    if (parcel->ms.options)
        memcpy(parcel->options, state_options(state, ms), parcel->ms.options);
    pack_pdps(parcel, state, move);
    state_names_remove(&state->name[STATE_NAMED_TLLI], name_of(state, ms), ms);
    struct packing packing = {parcel, stats, state->trace};
    stats->commands_refused +=
        sched_ms_leave(sched, ms, &parcel->baggage, pack_npdu, &packing, now_ns) != 0;
    state->ms[ms] = (struct state_ms){0};
    state->ms_up[ms] = (struct state_ms_up){.first_pdp = STATE_NONE};
    struct letter letter = {.kind = LETTER_PARCEL, .parcel = parcel};
    rte_ring_sp_enqueue_elem(post->to[to], &letter, sizeof letter);
    post->news = true;
    return true;
}

// Queues the N-PDUs in that state and scheduler; without them drops all.
static void unpack_npdus(const struct parcel *parcel, struct state *state, struct sched *sched,
                         struct stats_worker *stats, const struct command *expect, uint64_t now_ns)
{
    for (struct rte_mbuf *m = parcel->first, *next; m; m = next) {
        struct packed packed = *packed_of(m);
        struct stats_class *class = &stats->of_class[packed.traffic_class];
        enum drop_reason reason = DROP_shutdown;
        next = packed.next;
        class->moved_in_packets++;
        class->moved_in_octets += packed.pdu.octets;
        if (sched) {
            readdress(state->teid_bits, parcel, expect, &packed.pdu);
            reason = sched_ms_arrive_npdu(sched, expect->expect.ms_id, packed.slot, &packed.pdu,
                                          &parcel->baggage, now_ns);
        }
        if (reason == DROP_NONE)
            continue;
        if (state)
            state_count_drop(state, expect->expect.ms_id, reason);
        packet_drop(class->drop, reason, m, packed.pdu.octets);
    }
}

bool post_parcel_unpack(struct post *post, struct state *state, struct sched *sched,
                        struct stats_worker *stats, const struct command *expect, uint64_t now_ns)
{
    struct parcel *parcel = post->waiting[expect->worker];
    if (!parcel)
        return false;
    post->waiting[expect->worker] = NULL;
    uint32_t ms = expect->expect.ms_id;
    state->ms[ms] = parcel->ms;
    state->ms[ms].bvc = parcel->bvc_id;
    state->ms[ms].heard = state_tick(now_ns);
    state->ms_up[ms] = parcel->ms_up;
    if (parcel->has_counts && state_counts_have(state, ms))
        state->ms_counts[state->ms_up[ms].counts - 1] = parcel->counts;
    if (parcel->ms.options)
        memcpy(state_options(state, ms), parcel->options, parcel->ms.options);
    unpack_pdps(parcel, state, expect);
    state_names_add(&state->name[STATE_NAMED_TLLI], name_of(state, ms), ms);
    stats->commands_refused +=
        sched_ms_arrive(sched, ms, parcel->bvc_id, &parcel->baggage, now_ns) != 0;
    unpack_npdus(parcel, state, sched, stats, expect, now_ns);
    state->standby |= (parcel->ms.holds & STATE_HELD_IN_STANDBY) != 0;
    state_ms_let_go(state, sched, ms, STATE_ENDS_BY_MOVE, now_ns);
    __atomic_store_n(&parcel->taken, 0, __ATOMIC_RELEASE);
    post->news = true; // the sender may wait for a free parcel
    return true;
}

void post_parcel_drop(struct parcel *parcel, struct stats_worker *stats)
{
    unpack_npdus(parcel, NULL, NULL, stats, NULL, 0);
}
