// See model.h: its workers: what they have room for, what they know at rest, and what they have
// done about cells that go.
#include "tests/dataplane/registry/model.h"
#include "tests/dataplane/sched/check.h"

#include <rte_hash.h>

#include "dataplane/dataplane_parts.h"

// --- Room
// ------------------------------------------------------------------------------------------

static uint32_t worker_of_bvc(uint32_t bvc)
{
    return model.bvc[bvc].nse % WORKERS;
}

bool model_has_room_for_ms(uint32_t bvc)
{
    uint32_t mss = 0;
    for (uint32_t i = 0; i < CALLERS; i++)
        mss += model.ms[i].made && worker_of_bvc(model.ms[i].bvc) == worker_of_bvc(bvc);
    return mss < WORKER_CALLERS;
}

// A context has a place at the worker that its TEID names, and one where its MS is.
static bool has_place(uint32_t pdp, uint32_t w)
{
    return model.pdp[pdp].made && (teid_worker(teid_bits(WORKERS, 1), model.pdp[pdp].teid) == w ||
                                   worker_of_bvc(model.ms[model.pdp[pdp].ms].bvc) == w);
}

static uint32_t places_taken(uint32_t w)
{
    uint32_t pdps = 0;
    for (uint32_t i = 0; i < TUNNELS; i++)
        pdps += has_place(i, w);
    return pdps;
}

bool model_has_room_for_pdp(uint32_t ms)
{
    return places_taken(worker_of_bvc(model.ms[ms].bvc)) < WORKER_TUNNELS;
}

bool model_has_room_for_moving(uint32_t ms, uint32_t bvc)
{
    uint32_t w = worker_of_bvc(bvc), more = 0;
    if (worker_of_bvc(model.ms[ms].bvc) == w)
        return true;
    for (uint32_t i = 0; i < TUNNELS; i++)
        more += model.pdp[i].made && model.pdp[i].ms == ms && !has_place(i, w);
    bool room = model_has_room_for_ms(bvc) && places_taken(w) + more <= WORKER_TUNNELS;
    model_full += !room;
    return room;
}

// --- What workers know
// -----------------------------------------------------------------------------

static void expect_holds(uint8_t holds, uint32_t ms)
{
    assert_int_equal(!!(holds & STATE_HELD_BY_CONTROL), model.ms[ms].by_control);
    if (model.ms[ms].unsure)
        return;
    assert_int_equal(!!(holds & STATE_HELD_UNTIL_HEARD), model.ms[ms].until_heard);
    assert_int_equal(!!(holds & STATE_HELD_FOR_PAGING), model.ms[ms].paged);
}

// LLC frames wait for MSs that are this worker's, and the first of each is known; and for strangers
// in its cells.
static void expect_frames(uint32_t w)
{
    const struct down *down = &worker(w)->down;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < down->llcs; i++) {
        if (down->llc[i].ms == STATE_NONE) {
            uint32_t bvc = down->llc[i].bvc;
            assert_true(model.bvc[bvc].made && model.bvc[bvc].nse % WORKERS == w);
            continue;
        }
        uint32_t ms = worker(w)->state.ms_up[down->llc[i].ms].id;
        assert_true(model.ms[ms].made && model_nse_of(ms) % WORKERS == w);
        assert_int_equal(down->llc[i].first, !(seen >> ms & 1));
        seen |= 1u << ms;
    }
}

// Its names at its worker, which may have heard it under the new one.
static uint32_t expect_ms(uint32_t ms)
{
    uint32_t nse = model_nse_of(ms), at = dp_ms_at(p.dp, ms), id = dp_at_place(at);
    const struct state *state = &worker(nse % WORKERS)->state;
    assert_int_equal(dp_at_worker(at), nse % WORKERS);
    assert_int_equal(state->ms_up[id].id, ms);
    assert_int_equal(state->ms[id].bvc, model.ms[ms].bvc);
    assert_int_equal(state->ms[id].tlli, model.ms[ms].tlli);
    assert_int_equal(state_ms_of(state, nse, model.ms[ms].tlli), id);
    assert_int_equal(dp_ms_of(p.dp, nse, model.ms[ms].tlli), ms);
    expect_holds(state->ms[id].holds, ms);
    if (!model.ms[ms].has_old_tlli ||
        (!model.ms[ms].to_come && state->ms_up[id].old_tlli == model.ms[ms].tlli))
        return 1;
    assert_int_equal(state->ms_up[id].old_tlli, model.ms[ms].old_tlli);
    assert_int_equal(state_ms_of(state, nse, model.ms[ms].old_tlli), id);
    return 2;
}

static bool has_tlli(uint32_t ms, uint32_t tlli)
{
    return model.ms[ms].made && (model.ms[ms].tlli == tlli ||
                                 (model.ms[ms].has_old_tlli && model.ms[ms].old_tlli == tlli));
}

// All MSs with that TLLI, whatever their NSE, and no other; of several, as many as are asked for.
static void expect_mss_of(uint32_t tlli)
{
    uint32_t found[CALLERS + 1], n = dp_mss_of(p.dp, tlli, found, CALLERS + 1), wanted = 0;
    for (uint32_t i = 0; i < CALLERS; i++)
        wanted += has_tlli(i, tlli);
    assert_int_equal(n, wanted);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(has_tlli(found[i], tlli));
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(found[i], found[k]);
    }
    assert_int_equal(dp_mss_of(p.dp, tlli, found, 1), wanted > 0);
}

// From the worker that its GGSN sends to a frame comes to the one that has it, where it is its
// MS's, for either way.
static void expect_pdp(uint32_t id)
{
    uint32_t w = teid_worker(teid_bits(WORKERS, 1), model.pdp[id].teid);
    const struct state_pdp *pdp = state_pdp_of_teid(&worker(w)->state, model.pdp[id].teid);
    assert_non_null(pdp);
    if (pdp->ms == STATE_NONE) {
        uint32_t teid = pdp->elsewhere;
        w = teid_worker(teid_bits(WORKERS, 1), teid);
        pdp = state_pdp_of_teid(&worker(w)->state, teid);
        assert_non_null(pdp);
    }
    const struct state *state = &worker(w)->state;
    assert_int_equal(w, model_nse_of(model.pdp[id].ms) % WORKERS);
    assert_int_equal(state->ms_up[pdp->ms].id, model.pdp[id].ms);
    assert_int_equal(pdp->nsapi, model.pdp[id].nsapi);
    const struct state_pdp_up *up = &state->pdp_up[teid_index(state->teid_bits, pdp->teid)];
    bool ended = up->ended;
    assert_int_equal(up->ggsn, model.pdp[id].ggsn == NO_GGSN ? STATE_NO_GGSN : model.pdp[id].ggsn);
    assert_int_equal(up->teid, model.pdp[id].ggsn_teid);
    assert_true(ended == model.pdp[id].ended || (!ended && model.pdp[id].unsure));
    uint32_t at = state->ms_up[pdp->ms].first_pdp;
    while (&state->pdp[at] != pdp)
        at = state->pdp_up[at].next;
}

// Nothing is taken but by what is there.
static void expect_places(uint32_t w)
{
    uint32_t mss = 0, pdps = places_taken(w);
    for (uint32_t i = 0; i < CALLERS; i++)
        mss += model.ms[i].made && model_nse_of(i) % WORKERS == w;
    assert_int_equal(p.dp->registry.worker[w].mss.left, WORKER_CALLERS - mss);
    assert_int_equal(p.dp->registry.worker[w].pdps.left, WORKER_TUNNELS - pdps);
    uint32_t known = 0;
    for (uint32_t i = 0; i < WORKER_TUNNELS; i++)
        known += worker(w)->state.pdp[i].teid != 0;
    assert_int_equal(known, pdps);
}

// Under its endpoint at every worker.
static void expect_nsvc(uint32_t id)
{
    struct state_endpoint e = {address_of_ipv4(BSS), model.nsvc[id].port};
    for (uint32_t w = 0; w < WORKERS; w++)
        assert_int_equal(state_nsvc_of(&worker(w)->state, &e), id);
}

// Whether it has gone or was kept is known by its name.
void model_settle(void)
{
    for (uint32_t i = 0; i < BVCS; i++) {
        const struct dp_worker *w = worker(model.bvc[i].nse % WORKERS);
        if (!model.bvc[i].going || model.bvc[i].removed > w->stats.commands)
            continue;
        model.bvc[i].going = false;
        model.bvc[i].kept =
            state_bvc_of(&w->state, model.bvc[i].nse, (uint16_t)model.bvc[i].bvci) == i;
        model.bvc[i].made = model.bvc[i].kept;
    }
}

// The id that GTP-C's address finds, at every worker; its port is open while there is one.
static void expect_gtpc(void)
{
    struct ipv6_address address = address_of_ipv4(GGSN);
    uint32_t wanted = STATE_NONE;
    bool any = false;
    for (uint32_t i = 0; i < GGSNS; i++) {
        any |= model.ggsn[i].made;
        wanted = model.ggsn[i].gtpc ? i : wanted;
    }
    for (uint32_t w = 0; w < WORKERS; w++) {
        const struct state *state = &worker(w)->state;
        assert_int_equal(state_gtpc_of(state, &address), wanted);
        assert_int_equal(state->gn->second_udp_port, wanted == STATE_NONE ? 0 : 2123);
        assert_int_equal(state_is_ggsn(state, &address), any);
    }
}

void model_expect(void)
{
    uint32_t names = 0, nsvcs = 0, names_there = 0;
    for (uint32_t i = 0; i < CALLERS; i++)
        if (model.ms[i].made)
            names += expect_ms(i);
    for (uint32_t i = 0; i < CALLERS; i++) { // also of those that are no more
        expect_mss_of(model.ms[i].tlli);
        expect_mss_of(model.ms[i].old_tlli);
    }
    for (uint32_t i = 0; i < BVCS; i++)
        if (model.bvc[i].made) {
            assert_int_equal(dp_bvc_of(p.dp, model.bvc[i].nse, model.bvc[i].bvci), i);
            assert_int_equal(state_bvc_of(&worker(model.bvc[i].nse % WORKERS)->state,
                                          model.bvc[i].nse, (uint16_t)model.bvc[i].bvci),
                             i);
            names++;
        }
    for (uint32_t i = 0; i < TUNNELS; i++)
        if (model.pdp[i].made)
            expect_pdp(i);
    for (uint32_t i = 0; i < NSVCS; i++)
        if (model.nsvc[i].made) {
            expect_nsvc(i);
            nsvcs++;
        }
    for (uint32_t w = 0; w < WORKERS; w++) {
        for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
            names_there += state_names_in_use(&worker(w)->state.name[kind]);
        assert_int_equal(rte_hash_count(worker(w)->state.endpoints), nsvcs);
        assert_null(sched_check(worker(w)->sched));
        expect_frames(w);
        expect_places(w);
    }
    assert_int_equal(names_there, names);
    expect_gtpc();
}
