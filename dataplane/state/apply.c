// See state.h: carries out commands in the worker's arrays and in the scheduler's tree; here those
// about NSEs, NS-VCs, cells and GGSNs. Nothing here runs per packet.
#include "dataplane/state/apply.h"

#include <rte_hash.h>
#include <string.h>

#include "dataplane/state/links.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"

// Control gives each name once, and the table has room for all names.
void state_apply_name(const struct apply *a, uint32_t nse, enum state_named kind, uint32_t value,
                      uint32_t id)
{
    state_names_add(&a->state->name[kind], names_hash(nse, value), id);
}

void state_apply_unname(const struct apply *a, uint32_t nse, enum state_named kind, uint32_t value,
                        uint32_t id)
{
    state_names_remove(&a->state->name[kind], names_hash(nse, value), id);
}

int state_apply_nse(const struct apply *a, const struct command_nse *c)
{
    struct state_nse *nse = &a->state->nse[c->nse_id];
    int fault = sched_nse_add(a->sched, c->nse_id, terms(false, 0, 0), a->now_ns);
    if (fault)
        return fault;
    memset(nse->link, STATE_NSVCS_AN_NSE, sizeof nse->link);
    memset(nse->nsvc, 0xff, sizeof nse->nsvc); // STATE_NONE
    return 0;
}

// The NSE's MSs are now on other NS-VCs, maybe of another IP family: the PDU that its pipe waits
// for may have another size. While all usable NS-VCs are blocked the NSE's downlink waits; without
// any its PDUs are dropped (no_link).
static void spread(const struct apply *a, uint32_t nse_id)
{
    struct state_nse *nse = &a->state->nse[nse_id];
    bool waits = !state_links_spread(a->state, nse) && state_links_wait(a->state, nse);
    sched_nse_block(a->sched, nse_id, waits);
    sched_nse_look_again(a->sched, nse_id);
}

static void join_nse(struct state *state, uint32_t nsvc_id, uint32_t nse_id)
{
    struct state_nse *nse = &state->nse[nse_id];
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        if (nse->nsvc[i] == STATE_NONE) {
            nse->nsvc[i] = nsvc_id;
            break;
        }
}

int state_apply_nsvc(const struct apply *a, const struct command_nsvc *c)
{
    struct state_nsvc *nsvc = &a->state->nsvc[c->nsvc_id];
    struct state_endpoint endpoint = state_endpoint(c);
    *nsvc = (struct state_nsvc){.nse = c->nse_id,
                                .endpoint = endpoint,
                                .weight = c->weight,
                                .blocked = c->has_blocked && c->blocked,
                                .worker = (uint8_t)a->command->worker};
    rte_hash_add_key_data(a->state->endpoints, &endpoint, (void *)(uintptr_t)c->nsvc_id);
    port_peer_setup(&nsvc->peer, a->state->gb, &c->peer_address, c->peer_port,
                    c->has_peer_mac ? &c->peer_mac : NULL, a->now_ns);
    if (nsvc->worker != a->state->worker) // its fragments may arrive here nevertheless
        return 0;
    join_nse(a->state, c->nsvc_id, c->nse_id);
    spread(a, c->nse_id);
    return 0;
}

int state_apply_nsvc_weight(const struct apply *a, const struct command_nsvc_weight *c)
{
    struct state_nsvc *nsvc = &a->state->nsvc[c->nsvc_id];
    nsvc->weight = c->weight;
    nsvc->blocked = c->has_blocked && c->blocked;
    spread(a, nsvc->nse);
    return 0;
}

int state_apply_nsvc_remove(const struct apply *a, const struct command_nsvc_remove *c)
{
    struct state_nsvc *nsvc = &a->state->nsvc[c->nsvc_id];
    struct state_nse *nse = &a->state->nse[nsvc->nse];
    rte_hash_del_key(a->state->endpoints, &nsvc->endpoint);
    port_peer_release(&nsvc->peer, a->state->gb);
    if (nsvc->worker != a->state->worker)
        return 0;
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        if (nse->nsvc[i] == c->nsvc_id)
            nse->nsvc[i] = STATE_NONE;
    spread(a, nsvc->nse);
    return 0;
}

// The worker carries these five out; there is nothing to store.
int state_apply_ms_prove(const struct apply *a, const struct command_ms_prove *c)
{
    (void)a, (void)c;
    return 0;
}

int state_apply_send(const struct apply *a, const struct command_send *c)
{
    (void)a, (void)c;
    return 0;
}

int state_apply_llc(const struct apply *a, const struct command_llc *c)
{
    (void)a, (void)c;
    return 0;
}

int state_apply_bvc_llc(const struct apply *a, const struct command_bvc_llc *c)
{
    (void)a, (void)c;
    return 0;
}

int state_apply_ggsn_send(const struct apply *a, const struct command_ggsn_send *c)
{
    (void)a, (void)c;
    return 0;
}

// Several GGSNs may have one address. GTP-C's UDP port is open while a GGSN has GTP-C.
static void count_ggsn(struct state *state, uint32_t id, bool comes)
{
    const struct state_ggsn *ggsn = &state->ggsn[id];
    void *before = NULL;
    uintptr_t it = 1 + (ggsn->gtpc ? (id + 1ULL) << STATE_GTPC_SHIFT : 0);
    rte_hash_lookup_data(state->ggsns, &ggsn->address, &before);
    uintptr_t of = (uintptr_t)before + (comes ? it : -it);
    if (of)
        rte_hash_add_key_data(state->ggsns, &ggsn->address, (void *)of);
    else
        rte_hash_del_key(state->ggsns, &ggsn->address);
    if (ggsn->gtpc)
        state->gtpcs += comes ? 1 : UINT32_MAX;
    state->gn->second_udp_port = state->gtpcs ? GTPC_PORT : 0;
}

int state_apply_ggsn(const struct apply *a, const struct command_ggsn *c)
{
    struct state_ggsn *ggsn = &a->state->ggsn[c->ggsn_id];
    ggsn->address = c->address;
    ggsn->gtpc = c->has_gtpc && c->gtpc;
    count_ggsn(a->state, c->ggsn_id, true);
    port_peer_setup(&ggsn->peer, a->state->gn, &c->address, GTPU_PORT, c->has_mac ? &c->mac : NULL,
                    a->now_ns);
    return 0;
}

int state_apply_ggsn_remove(const struct apply *a, const struct command_ggsn_remove *c)
{
    count_ggsn(a->state, c->ggsn_id, false);
    port_peer_release(&a->state->ggsn[c->ggsn_id].peer, a->state->gn);
    return 0;
}

int state_apply_gn_from(const struct apply *a, const struct command_gn_from *c)
{
    struct port_nets *expected = &a->state->gn->expected;
    expected->n = (uint32_t)c->nets.n;
    for (uint32_t i = 0; i < expected->n; i++)
        expected->net[i] = (struct port_net){c->nets.item[i].address, c->nets.item[i].prefix};
    return 0;
}

int state_apply_nse_bucket(const struct apply *a, const struct command_nse_bucket *c)
{
    return sched_nse_set(a->sched, c->nse_id, TERMS(c), a->now_ns);
}

int state_apply_nse_remove(const struct apply *a, const struct command_nse_remove *c)
{
    return sched_nse_remove(a->sched, c->nse_id);
}

int state_apply_bvc(const struct apply *a, const struct command_bvc *c)
{
    struct state_bvc *bvc = &a->state->bvc[c->bvc_id];
    struct ns_unitdata ns = {.bvci = c->bvci};
    int fault = sched_bvc_add(a->sched, c->bvc_id, c->nse_id, a->now_ns);
    if (fault)
        return fault;
    bool blocked = c->has_blocked && c->blocked;
    *bvc = (struct state_bvc){.nse = c->nse_id, .bvci = c->bvci, .blocked = blocked};
    ns_unitdata_put_header(&ns, bvc->ns);
    state_apply_name(a, c->nse_id, STATE_NAMED_BVCI, c->bvci, c->bvc_id);
    return sched_bvc_block(a->sched, c->bvc_id, blocked, a->now_ns);
}

int state_apply_bvc_bucket(const struct apply *a, const struct command_bvc_bucket *c)
{
    int fault = sched_bvc_more(a->sched, c->bvc_id, c->has_more ? c->more : 0);
    if (!fault)
        fault = sched_bvc_set(a->sched, c->bvc_id, TERMS(c), MS_TERMS(c), a->now_ns);
    if (fault || !c->has_full_percent)
        return fault;
    return sched_bvc_level(a->sched, c->bvc_id, LEVEL(c), a->now_ns);
}

int state_apply_bvc_block(const struct apply *a, const struct command_bvc_block *c)
{
    a->state->bvc[c->bvc_id].blocked = c->blocked;
    return sched_bvc_block(a->sched, c->bvc_id, c->blocked, a->now_ns);
}

int state_apply_bvc_credit(const struct apply *a, const struct command_bvc_credit *c)
{
    a->state->bvc[c->bvc_id].discarded += c->discarded;
    return sched_bvc_credit(a->sched, c->bvc_id, c->octets, a->now_ns);
}

int state_apply_bvc_reset(const struct apply *a, const struct command_bvc_reset *c)
{
    return sched_bvc_reset(a->sched, c->bvc_id, a->now_ns);
}

int state_apply_bvc_remove(const struct apply *a, const struct command_bvc_remove *c)
{
    struct state_bvc *bvc = &a->state->bvc[c->bvc_id];
    int fault = sched_bvc_remove(a->sched, c->bvc_id);
    if (fault)
        return fault;
    state_apply_unname(a, bvc->nse, STATE_NAMED_BVCI, bvc->bvci, c->bvc_id);
    bvc->nse = STATE_NONE;
    return 0;
}

int state_apply_class_set(const struct apply *a, const struct command_class_set *c)
{
    struct sched_class values = {.weight = c->weight,
                                 .limit = {c->packets, c->octets},
                                 .lifetime_ns = c->lifetime_ns ? c->lifetime_ns : SCHED_INFINITE,
                                 .bss_least_ns = c->bss_least_ns,
                                 .bss_most_ns = c->bss_most_ns ? c->bss_most_ns : SCHED_INFINITE};
    return sched_class_set(a->sched, c->traffic_class, &values);
}

int state_apply_class_aqm(const struct apply *a, const struct command_class_aqm *c)
{
    uint64_t params[AQM_PARAMS_MAX];
    dp_aqm_values(&c->params, params);
    return sched_class_aqm(a->sched, c->traffic_class, params, (uint32_t)c->params.n);
}

int state_apply(struct state *state, struct sched *sched, const struct command *command,
                uint64_t now_ns)
{
    struct apply a = {state, sched, now_ns, command};
    switch ((enum command_op)command->op) {
#define COMMAND(name, LIST, help) \
    case COMMAND_##name:          \
        return state_apply_##name(&a, &command->name);
#include "dataplane/state/commands.def"
#undef COMMAND
    case COMMAND_expect: // carried out by worker.c
    case COMMAND_redirect:
        break;
    }
    return -SCHED_MISSING;
}
