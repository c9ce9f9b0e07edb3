// See commands_model.h: what workers know, at rest.
#include "tests/dataplane/commands_model.h"

#include <rte_hash.h>

static void expect_holds(uint8_t holds, uint32_t ms)
{
    assert_int_equal(!!(holds & STATE_HELD_BY_CONTROL), model.ms[ms].by_control);
    if (model.ms[ms].unsure)
        return;
    assert_int_equal(!!(holds & STATE_HELD_UNTIL_HEARD), model.ms[ms].until_heard);
    assert_int_equal(!!(holds & STATE_HELD_FOR_PAGING), model.ms[ms].paged);
}

// LLC frames wait for MSs that are this worker's, and the first of each is known.
static void expect_frames(uint32_t w)
{
    const struct down *down = &worker(w)->down;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < down->llcs; i++) {
        uint32_t ms = down->llc[i].ms;
        assert_true(model.ms[ms].made && model_nse_of(ms) % WORKERS == w);
        assert_int_equal(down->llc[i].first, !(seen >> ms & 1));
        seen |= 1u << ms;
    }
}

// Its names at its worker, which may have heard it under the new one.
static uint32_t expect_ms(uint32_t ms)
{
    uint32_t nse = model_nse_of(ms);
    const struct state *state = &worker(nse % WORKERS)->state;
    assert_int_equal(state->ms[ms].bvc, model.ms[ms].bvc);
    assert_int_equal(state->ms[ms].tlli, model.ms[ms].tlli);
    assert_int_equal(state_ms_of(state, nse, model.ms[ms].tlli), ms);
    assert_int_equal(dp_ms_of(t.dp, nse, model.ms[ms].tlli), ms);
    expect_holds(state->ms[ms].holds, ms);
    if (!model.ms[ms].has_old_tlli || state->ms_up[ms].old_tlli == model.ms[ms].tlli)
        return 1;
    assert_int_equal(state->ms_up[ms].old_tlli, model.ms[ms].old_tlli);
    assert_int_equal(state_ms_of(state, nse, model.ms[ms].old_tlli), ms);
    return 2;
}

static void expect_pdp(uint32_t id)
{
    const struct state *state = &worker(model_nse_of(model.pdp[id].ms) % WORKERS)->state;
    const struct state_pdp *pdp = state_pdp_of_teid(state, model.pdp[id].teid);
    assert_ptr_equal(pdp, &state->pdp[id]);
    assert_int_equal(pdp->ms, model.pdp[id].ms);
    assert_int_equal(pdp->nsapi, model.pdp[id].nsapi);
}

// Under its endpoint at every worker.
static void expect_nsvc(uint32_t id)
{
    struct state_endpoint e = {address_of_ipv4(BSS), model.nsvc[id].port};
    for (uint32_t w = 0; w < WORKERS; w++)
        assert_int_equal(state_nsvc_of(&worker(w)->state, &e), id);
}

void model_expect(void)
{
    uint32_t names = 0, nsvcs = 0, names_there = 0;
    for (uint32_t i = 0; i < CALLERS; i++)
        if (model.ms[i].made)
            names += expect_ms(i);
    for (uint32_t i = 0; i < BVCS; i++)
        if (model.bvc[i].made) {
            assert_int_equal(dp_bvc_of(t.dp, model.bvc[i].nse, model.bvc[i].bvci), i);
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
            names_there += names_count(&worker(w)->state.name[kind]);
        assert_int_equal(rte_hash_count(worker(w)->state.endpoints), nsvcs);
        assert_null(sched_check(worker(w)->sched));
        expect_frames(w);
    }
    assert_int_equal(names_there, names);
}
