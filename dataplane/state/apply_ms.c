// See state.h: carries out commands about MSs, packet flows and PDP contexts; never per packet.
#include "dataplane/state/apply.h"

#include <string.h>

static const uint8_t lle_sapi[STATE_LLES] = {3, 5, 9, 11};

int state_apply_ms(const struct apply *a, const struct command_ms *c)
{
    int fault = sched_ms_add(a->sched, c->ms_id, c->bvc_id, c->n201_u, a->now_ns);
    if (fault)
        return fault;
    a->state->ms[c->ms_id] =
        (struct state_ms){.bvc = c->bvc_id, .tlli = c->tlli, .heard = state_tick(a->now_ns)};
    a->state->ms_up[c->ms_id] =
        (struct state_ms_up){.first_pdp = STATE_NONE, .old_tlli = c->tlli, .id = a->command->ms_id};
    state_apply_name(a, a->state->bvc[c->bvc_id].nse, STATE_NAMED_TLLI, c->tlli, c->ms_id);
    return 0;
}

// After a change of the octets around the MS's PDUs: its NSE's pipe may wait for one of them.
static void frames_change(const struct apply *a, uint32_t ms)
{
    sched_nse_look_again(a->sched, a->state->bvc[a->state->ms[ms].bvc].nse);
}

// Frames made before stay as they are.
void state_ms_reset(struct state *state, uint32_t ms_id, uint32_t iov_ui)
{
    struct state_ms *ms = &state->ms[ms_id];
    ms->iov_ui = iov_ui;
    memset(ms->sent, 0, sizeof ms->sent);
    memset(state->ms_up[ms_id].lle, 0, sizeof state->ms_up[ms_id].lle);
}

// As LLGMM-ASSIGN: a new key restarts V(U), V(UR) and OC.
int state_apply_ms_cipher(const struct apply *a, const struct command_ms_cipher *c)
{
    struct state_ms *ms = &a->state->ms[c->ms_id];
    ms->enciphered = c->gea != 0;
    memcpy(ms->key, a->command->octets, sizeof ms->key);
    state_ms_reset(a->state, c->ms_id, c->iov_ui);
    return 0;
}

int state_lle_of_sapi(uint8_t sapi)
{
    for (int lle = 0; lle < STATE_LLES; lle++)
        if (lle_sapi[lle] == sapi)
            return lle;
    return -1;
}

static uint16_t npdu_octets_max(uint16_t n201_u)
{
    uint32_t octets = (n201_u - SNDCP_FIRST_OCTETS) +
                      (SNDCP_SEGMENTS_MAX - 1u) * (n201_u - (uint32_t)SNDCP_NEXT_OCTETS);
    return (uint16_t)(octets < UINT16_MAX ? octets : UINT16_MAX);
}

// Best effort on acknowledged RLC: user data without an LLC acknowledgement.
static void put_bssgp(const struct state_ms *ms, struct state_pdp *pdp)
{
    struct bssgp_dl_unitdata bssgp = {
        .tlli = ms->tlli,
        .qos = {.not_ack = true,
                .user_data = true,
                .precedence = pdp->traffic_class == CLASS_BACKGROUND ? 2 : 1}};
    bssgp_dl_unitdata_put_fixed(&bssgp, pdp->bssgp);
}

void state_old_tlli_end(struct state *state, uint32_t ms)
{
    const struct apply a = {.state = state};
    uint32_t tlli = state->ms[ms].tlli, *old = &state->ms_up[ms].old_tlli;
    if (*old != tlli)
        state_apply_unname(&a, state->bvc[state->ms[ms].bvc].nse, STATE_NAMED_TLLI, *old, ms);
    *old = tlli;
    state->ms[ms].holds &= (uint8_t)~STATE_TLLI_TO_COME;
}

// Every context's headers include the TLLI. The former TLLI, if different, becomes the old one;
// with `down_old` it stays, and the new one is a second name.
int state_apply_ms_tlli(const struct apply *a, const struct command_ms_tlli *c)
{
    struct state *state = a->state;
    struct state_ms *ms = &state->ms[c->ms_id];
    state_old_tlli_end(state, c->ms_id);
    if (c->tlli == ms->tlli)
        return 0;
    state_apply_name(a, state->bvc[ms->bvc].nse, STATE_NAMED_TLLI, c->tlli, c->ms_id);
    if (c->has_down_old && c->down_old) {
        state->ms_up[c->ms_id].old_tlli = c->tlli;
        ms->holds |= STATE_TLLI_TO_COME;
        return 0;
    }
    ms->tlli = c->tlli;
    for (uint32_t pdp = state->ms_up[c->ms_id].first_pdp; pdp != STATE_NONE;
         pdp = state->pdp_up[pdp].next)
        put_bssgp(ms, &state->pdp[pdp]);
    frames_change(a, c->ms_id); // the TLLI selects the link
    return 0;
}

int state_apply_ms_n201_u(const struct apply *a, const struct command_ms_n201_u *c)
{
    struct state *state = a->state;
    uint32_t lle = (uint32_t)state_lle_of_sapi(c->sapi);
    int fault = sched_ms_n201_u(a->sched, c->ms_id, lle, c->n201_u, a->now_ns);
    if (fault)
        return fault;
    for (uint32_t pdp = state->ms_up[c->ms_id].first_pdp; pdp != STATE_NONE;
         pdp = state->pdp_up[pdp].next)
        if (state->pdp[pdp].lle == lle)
            state->pdp[pdp].npdu_octets_max = npdu_octets_max(c->n201_u);
    return 0;
}

int state_apply_ms_options(const struct apply *a, const struct command_ms_options *c)
{
    uint32_t octets = a->command->octets_n;
    if (octets)
        memcpy(state_options(a->state, c->ms_id), a->command->octets, octets);
    a->state->ms[c->ms_id].options = (uint8_t)octets;
    frames_change(a, c->ms_id);
    return 0;
}

int state_apply_ms_bucket(const struct apply *a, const struct command_ms_bucket *c)
{
    int fault = sched_ms_set(a->sched, c->ms_id, TERMS(c), a->now_ns);
    if (fault || !c->has_full_percent)
        return fault;
    return sched_ms_level(a->sched, c->ms_id, LEVEL(c), a->now_ns);
}

int state_apply_ms_default(const struct apply *a, const struct command_ms_default *c)
{
    return sched_ms_default(a->sched, c->ms_id, a->now_ns);
}

int state_apply_ms_freeze(const struct apply *a, const struct command_ms_freeze *c)
{
    uint8_t hold =
        c->has_until_heard && c->until_heard ? STATE_HELD_UNTIL_HEARD : STATE_HELD_BY_CONTROL;
    return state_ms_hold(a->state, a->sched, c->ms_id, hold, a->now_ns);
}

// The worker reports N-PDUs that wait already.
static int stand_by(const struct apply *a, uint32_t ms)
{
    a->state->standby = true;
    return state_ms_hold(a->state, a->sched, ms, STATE_HELD_IN_STANDBY, a->now_ns);
}

int state_apply_ms_standby(const struct apply *a, const struct command_ms_standby *c)
{
    return stand_by(a, c->ms_id);
}

int state_apply_ms_listen(const struct apply *a, const struct command_ms_listen *c)
{
    a->state->ms[c->ms_id].holds |= STATE_LISTENED_FOR;
    return 0;
}

// Control has heard the MS in control's frames.
int state_apply_ms_release(const struct apply *a, const struct command_ms_release *c)
{
    state_ms_is_there(&a->state->ms[c->ms_id], a->now_ns);
    return state_ms_let_go(a->state, a->sched, c->ms_id, STATE_HELD_BY_ANY | STATE_LISTENED_FOR,
                           a->now_ns);
}

// LLC PDUs of the MS, one at least, were discarded. If all goes in vain no more of its queue goes:
// each that is discarded gives its octets back, so that the next one could go after it at once.
static int count_discarded(const struct apply *a, uint32_t ms, uint32_t discarded)
{
    uint8_t *in_vain = &a->state->ms[ms].in_vain;
    uint32_t sum = *in_vain + 2 * discarded;
    if (state_counts_have(a->state, ms))
        a->state->ms_counts[a->state->ms_up[ms].counts - 1].discarded += discarded;
    *in_vain = (uint8_t)(sum < UINT8_MAX ? sum : UINT8_MAX);
    return *in_vain < STATE_ALL_IN_VAIN ? 0 : stand_by(a, ms);
}

int state_apply_ms_credit(const struct apply *a, const struct command_ms_credit *c)
{
    int fault = c->discarded ? count_discarded(a, c->ms_id, c->discarded) : 0;
    return fault ? fault : sched_ms_credit(a->sched, c->ms_id, c->octets, a->now_ns);
}

int state_apply_ms_move(const struct apply *a, const struct command_ms_move *c)
{
    struct state *state = a->state;
    const struct state_ms *ms = &state->ms[c->ms_id];
    uint32_t from = state->bvc[ms->bvc].nse, to = state->bvc[c->bvc_id].nse;
    if (from != to)
        state_old_tlli_end(state, c->ms_id);
    int fault = state_ms_move(state, a->sched, c->ms_id, c->bvc_id, a->now_ns);
    if (!fault)
        fault = state_ms_let_go(state, a->sched, c->ms_id, STATE_ENDS_BY_MOVE, a->now_ns);
    if (fault || from == to)
        return fault;
    state_apply_unname(a, from, STATE_NAMED_TLLI, ms->tlli, c->ms_id);
    state_apply_name(a, to, STATE_NAMED_TLLI, ms->tlli, c->ms_id);
    return 0;
}

int state_apply_ms_flush(const struct apply *a, const struct command_ms_flush *c)
{
    int fault = sched_ms_flush(a->sched, c->ms_id, DROP_flushed, a->now_ns);
    if (fault)
        return fault;
    return state_ms_let_go(a->state, a->sched, c->ms_id, STATE_HELD_FOR_PAGING, a->now_ns);
}

int state_apply_ms_remove(const struct apply *a, const struct command_ms_remove *c)
{
    const struct state_ms *ms = &a->state->ms[c->ms_id];
    int fault = sched_ms_remove(a->sched, c->ms_id, DROP_removed, a->now_ns);
    if (fault)
        return fault;
    state_old_tlli_end(a->state, c->ms_id);
    state_counts_give(a->state, c->ms_id);
    state_apply_unname(a, a->state->bvc[ms->bvc].nse, STATE_NAMED_TLLI, ms->tlli, c->ms_id);
    return 0;
}

int state_apply_pfc(const struct apply *a, const struct command_pfc *c)
{
    int fault = sched_pfc_add(a->sched, c->ms_id, c->slot, c->traffic_class);
    if (fault || !c->has_shares)
        return fault;
    return sched_pfc_share(a->sched, c->ms_id, c->slot, c->shares, a->now_ns);
}

int state_apply_pfc_bucket(const struct apply *a, const struct command_pfc_bucket *c)
{
    int fault = sched_pfc_set(a->sched, c->ms_id, c->slot, TERMS(c), a->now_ns);
    if (fault || !c->has_full_percent)
        return fault;
    return sched_pfc_level(a->sched, c->ms_id, c->slot, LEVEL(c), a->now_ns);
}

int state_apply_pfc_credit(const struct apply *a, const struct command_pfc_credit *c)
{
    return sched_pfc_credit(a->sched, c->ms_id, c->slot, c->octets, a->now_ns);
}

int state_apply_pfc_remove(const struct apply *a, const struct command_pfc_remove *c)
{
    return sched_pfc_remove(a->sched, c->ms_id, c->slot, DROP_removed, a->now_ns);
}

// Tells the scheduler the LLEs of the MS's contexts.
static int lles_change(const struct apply *a, uint32_t ms)
{
    uint32_t lles = 0;
    for (uint32_t pdp = a->state->ms_up[ms].first_pdp; pdp != STATE_NONE;
         pdp = a->state->pdp_up[pdp].next)
        lles |= 1u << a->state->pdp[pdp].lle;
    return sched_ms_lles(a->sched, ms, lles, a->now_ns);
}

int state_apply_pdp(const struct apply *a, const struct command_pdp *c)
{
    struct state *state = a->state;
    struct state_ms_up *ms_up = &state->ms_up[c->ms_id];
    struct state_pdp *pdp = &state->pdp[c->pdp_id];
    uint32_t lle = (uint32_t)state_lle_of_sapi(c->sapi);
    uint32_t ggsn = c->has_ggsn_id ? c->ggsn_id : STATE_NO_GGSN;
    struct sched_view flow = {.traffic_class = 0};
    sched_pfc_view(a->sched, c->ms_id, c->slot, a->now_ns, &flow);
    *pdp = (struct state_pdp){.teid = a->command->teid,
                              .ms = c->ms_id,
                              .npdu_octets_max =
                                  npdu_octets_max(sched_ms_n201_u_of(a->sched, c->ms_id, lle)),
                              .npdu_number = SNDCP_NPDU_NUMBERS - 1, // the first one is 0
                              .nsapi = c->nsapi,
                              .sapi = c->sapi,
                              .lle = lle & 3,
                              .slot = c->slot,
                              .traffic_class = flow.traffic_class,
                              .pfi = c->has_pfi ? c->pfi : STATE_NO_PFI,
                              .source = state_source_of(state, ggsn)};
    put_bssgp(&state->ms[c->ms_id], pdp);
    state->pdp_up[c->pdp_id] = (struct state_pdp_up){
        .next = ms_up->first_pdp, .teid = c->ggsn_teid, .ggsn = (uint16_t)ggsn};
    ms_up->first_pdp = c->pdp_id;
    frames_change(a, c->ms_id); // N-PDUs of a former context at this place may still be queued
    return lles_change(a, c->ms_id);
}

// N-PDUs queued for it stay in its packet flow's queue, which other contexts may share; their TEID
// identifies them when they leave. The worker has dropped the uplink N-PDU in reassembly before.
int state_apply_pdp_remove(const struct apply *a, const struct command_pdp_remove *c)
{
    struct state *state = a->state;
    uint32_t ms = state->pdp[c->pdp_id].ms, *link = &state->ms_up[ms].first_pdp;
    while (*link != c->pdp_id)
        link = &state->pdp_up[*link].next;
    *link = state->pdp_up[c->pdp_id].next;
    state->pdp[c->pdp_id].teid = 0;
    return lles_change(a, ms);
}

// The segments of an N-PDU in reassembly stay, and the N-PDU is dropped when complete.
int state_apply_pdp_uplink(const struct apply *a, const struct command_pdp_uplink *c)
{
    state_pdp_uplink(a->state, c->pdp_id, c->ended);
    return 0;
}

// From here on it takes G-PDUs of that GGSN, and no longer of the former one. An N-PDU in
// reassembly goes to the new one.
int state_apply_pdp_tunnel(const struct apply *a, const struct command_pdp_tunnel *c)
{
    struct state_pdp_up *up = &a->state->pdp_up[c->pdp_id];
    up->ggsn = (uint16_t)c->ggsn_id;
    up->teid = c->ggsn_teid;
    state_pdp_uplink(a->state, c->pdp_id, false);
    return 0;
}

int state_ms_move(struct state *state, struct sched *sched, uint32_t ms, uint32_t bvc,
                  uint64_t now_ns)
{
    int fault = sched_ms_move(sched, ms, bvc, now_ns);
    if (fault)
        return fault;
    state->ms[ms].bvc = bvc;
    state_ms_is_there(&state->ms[ms], now_ns);
    return 0;
}

int state_ms_hold(struct state *state, struct sched *sched, uint32_t ms, uint8_t hold,
                  uint64_t now_ns)
{
    struct state_ms *m = &state->ms[ms];
    int fault = sched_ms_freeze(sched, ms, now_ns);
    if (!fault)
        m->holds |= hold;
    return fault;
}

int state_ms_let_go(struct state *state, struct sched *sched, uint32_t ms, uint8_t holds,
                    uint64_t now_ns)
{
    struct state_ms *m = &state->ms[ms];
    bool held = m->holds & STATE_HELD_BY_ANY;
    m->holds &= (uint8_t)~holds;
    return held && !(m->holds & STATE_HELD_BY_ANY) ? sched_ms_release(sched, ms, now_ns) : 0;
}
