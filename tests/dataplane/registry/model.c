// See model.h.
#include "tests/dataplane/registry/model.h"

#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/random.h"

struct registry_model model;
uint32_t model_moves, model_late_moves, model_ahead, model_kept, model_pages, model_heard,
    model_tunnels;
uint32_t model_full;

// --- What the model says -------------------------------------------------------------------------
uint32_t model_nse_of(uint32_t ms)
{
    return model.bvc[model.ms[ms].bvc].nse;
}

bool model_has_bvc(uint32_t bvc)
{
    return bvc < BVCS && model.bvc[bvc].made && !model.bvc[bvc].going;
}

static bool has_ms(uint32_t ms)
{
    return ms < CALLERS && model.ms[ms].made;
}

static bool has_slot(uint32_t ms, uint32_t slot)
{
    return has_ms(ms) && slot < SLOTS && model.ms[ms].slot[slot];
}

static bool tlli_taken(uint32_t nse, uint32_t tlli, uint32_t by_other_than)
{
    for (uint32_t i = 0; i < CALLERS; i++)
        if (i != by_other_than && model.ms[i].made && model_nse_of(i) == nse &&
            (model.ms[i].tlli == tlli ||
             (model.ms[i].has_old_tlli && model.ms[i].old_tlli == tlli)))
            return true;
    return false;
}

static bool bvci_taken(uint32_t nse, uint32_t bvci)
{
    for (uint32_t i = 0; i < BVCS; i++)
        if (model.bvc[i].made && model.bvc[i].nse == nse && model.bvc[i].bvci == bvci)
            return true;
    return false;
}

static bool port_taken(uint32_t port)
{
    for (uint32_t i = 0; i < NSVCS; i++)
        if (model.nsvc[i].made && model.nsvc[i].port == port)
            return true;
    return false;
}

static bool nse_empty(uint32_t nse)
{
    for (uint32_t i = 0; i < NSVCS; i++)
        if (model.nsvc[i].made && model.nsvc[i].nse == nse)
            return false;
    for (uint32_t i = 0; i < BVCS; i++)
        if (model.bvc[i].made && model.bvc[i].nse == nse)
            return false;
    return true;
}

bool model_bvc_empty(uint32_t bvc)
{
    for (uint32_t i = 0; i < CALLERS; i++)
        if (model.ms[i].made && model.ms[i].bvc == bvc)
            return false;
    return true;
}

// A context of that MS, in that slot or any, of that NSAPI or any; or of that GGSN.
static bool has_pdp(uint32_t ms, uint32_t slot, uint32_t nsapi, uint32_t ggsn)
{
    for (uint32_t i = 0; i < TUNNELS; i++)
        if (model.pdp[i].made && (ms == UINT32_MAX || model.pdp[i].ms == ms) &&
            (slot == UINT32_MAX || model.pdp[i].slot == slot) &&
            (nsapi == UINT32_MAX || model.pdp[i].nsapi == nsapi) &&
            (ggsn == UINT32_MAX || model.pdp[i].ggsn == ggsn))
            return true;
    return false;
}
#define ANY UINT32_MAX

// Any of them, by turns.
static const struct aqm_ops *aqm_of(uint32_t traffic_class)
{
    return aqm_list[traffic_class % aqm_count];
}

void model_aqm_params(struct command_class_aqm *c, bool good)
{
    struct dp_class class;
    path_set_aqm(&class, aqm_of(c->traffic_class)->name);
    c->params = class.aqm_params;
    if (!good) // of one that has none, one too many
        c->params.n = c->params.n ? c->params.n - 1 : 1;
}

static bool data_sapi(uint8_t sapi)
{
    return sapi == 3 || sapi == 5 || sapi == 9 || sapi == 11;
}

static bool accepts_ms(const struct command *c)
{
    switch (c->op) {
    case COMMAND_ms:
        return c->ms.ms_id < CALLERS && !model.ms[c->ms.ms_id].made &&
               model_has_bvc(c->ms.bvc_id) &&
               !tlli_taken(model.bvc[c->ms.bvc_id].nse, c->ms.tlli, ANY) &&
               model_has_room_for_ms(c->ms.bvc_id);
    case COMMAND_ms_tlli:
        return has_ms(c->ms_tlli.ms_id) &&
               !tlli_taken(model_nse_of(c->ms_tlli.ms_id), c->ms_tlli.tlli, c->ms_tlli.ms_id);
    case COMMAND_ms_move:
        return has_ms(c->ms_move.ms_id) && model_has_bvc(c->ms_move.bvc_id) &&
               !tlli_taken(model.bvc[c->ms_move.bvc_id].nse, model.ms[c->ms_move.ms_id].tlli,
                           c->ms_move.ms_id) &&
               model_has_room_for_moving(c->ms_move.ms_id, c->ms_move.bvc_id);
    case COMMAND_ms_prove:
        return has_ms(c->ms_prove.ms_id) && model_has_bvc(c->ms_prove.bvc_id);
    case COMMAND_ms_n201_u:
        return has_ms(c->ms_n201_u.ms_id) && data_sapi(c->ms_n201_u.sapi);
    case COMMAND_ms_remove:
        return has_ms(c->ms_remove.ms_id) && !has_pdp(c->ms_remove.ms_id, ANY, ANY, ANY);
    default: // all about an MS alone
        return has_ms(c->ms_bucket.ms_id);
    }
}

static bool accepts_lifetimes(const struct command_class_set *c)
{
    return (c->lifetime_ns == 0 || c->bss_least_ns <= c->lifetime_ns) &&
           (c->bss_most_ns == 0 || c->bss_least_ns <= c->bss_most_ns);
}

static bool accepts_stranger(uint32_t bvc, uint32_t tlli)
{
    for (uint32_t i = 0; i < CALLERS; i++)
        if (model.ms[i].made && model.ms[i].bvc == bvc &&
            (model.ms[i].tlli == tlli ||
             (model.ms[i].has_old_tlli && model.ms[i].old_tlli == tlli)))
            return false;
    return model_has_bvc(bvc);
}

static bool asks_for_gtpc(const struct command_ggsn *c)
{
    return c->has_gtpc && c->gtpc;
}

static bool has_gtpc(void)
{
    bool any = false;
    for (uint32_t i = 0; i < GGSNS; i++)
        any |= model.ggsn[i].gtpc;
    return any;
}

bool model_accepts(const struct command *c)
{
    switch (c->op) {
    case COMMAND_gn_from:
        return c->gn_from.nets.n <= 12;
    case COMMAND_class_set:
        return accepts_lifetimes(&c->class_set);
    case COMMAND_class_aqm:
        return c->class_aqm.params.n == aqm_of(c->class_aqm.traffic_class)->param_count;
    case COMMAND_nse:
        return c->nse.nse_id < NSES && !model.nse[c->nse.nse_id].made;
    case COMMAND_nse_bucket:
        return c->nse_bucket.nse_id < NSES && model.nse[c->nse_bucket.nse_id].made;
    case COMMAND_nse_remove:
        return c->nse_remove.nse_id < NSES && model.nse[c->nse_remove.nse_id].made &&
               nse_empty(c->nse_remove.nse_id);
    case COMMAND_nsvc:
        return c->nsvc.nsvc_id < NSVCS && !model.nsvc[c->nsvc.nsvc_id].made &&
               c->nsvc.nse_id < NSES && model.nse[c->nsvc.nse_id].made &&
               !port_taken(c->nsvc.peer_port);
    case COMMAND_nsvc_weight:
    case COMMAND_nsvc_remove:
    case COMMAND_send:
        return c->send.nsvc_id < NSVCS && model.nsvc[c->send.nsvc_id].made;
    case COMMAND_ggsn: // all have one address
        return c->ggsn.ggsn_id < GGSNS && !model.ggsn[c->ggsn.ggsn_id].made &&
               !(asks_for_gtpc(&c->ggsn) && has_gtpc());
    case COMMAND_ggsn_send:
        return c->ggsn_send.ggsn_id < GGSNS && model.ggsn[c->ggsn_send.ggsn_id].gtpc;
    case COMMAND_ggsn_remove:
        return c->ggsn_remove.ggsn_id < GGSNS && model.ggsn[c->ggsn_remove.ggsn_id].made &&
               !has_pdp(ANY, ANY, ANY, c->ggsn_remove.ggsn_id);
    case COMMAND_bvc:
        return c->bvc.bvc_id < BVCS && !model.bvc[c->bvc.bvc_id].made &&
               model_bvc_empty(c->bvc.bvc_id) && c->bvc.nse_id < NSES &&
               model.nse[c->bvc.nse_id].made && !bvci_taken(c->bvc.nse_id, c->bvc.bvci);
    case COMMAND_bvc_bucket:
    case COMMAND_bvc_block:
    case COMMAND_bvc_credit:
    case COMMAND_bvc_reset:
        return model_has_bvc(c->bvc_bucket.bvc_id);
    case COMMAND_bvc_llc:
        return accepts_stranger(c->bvc_llc.bvc_id, c->bvc_llc.tlli);
    case COMMAND_bvc_remove:
        return model_has_bvc(c->bvc_remove.bvc_id) && model_bvc_empty(c->bvc_remove.bvc_id) &&
               !model.bvc[c->bvc_remove.bvc_id].kept;
    case COMMAND_pfc:
        return has_ms(c->pfc.ms_id) && c->pfc.slot < SLOTS &&
               !has_slot(c->pfc.ms_id, c->pfc.slot) &&
               (!c->pfc.has_shares || has_slot(c->pfc.ms_id, c->pfc.shares));
    case COMMAND_pfc_bucket:
    case COMMAND_pfc_credit:
        return has_slot(c->pfc_bucket.ms_id, c->pfc_bucket.slot);
    case COMMAND_pfc_remove:
        return has_slot(c->pfc_remove.ms_id, c->pfc_remove.slot) &&
               !has_pdp(c->pfc_remove.ms_id, c->pfc_remove.slot, ANY, ANY);
    case COMMAND_pdp:
        return c->pdp.pdp_id < TUNNELS && !model.pdp[c->pdp.pdp_id].made &&
               has_slot(c->pdp.ms_id, c->pdp.slot) && data_sapi(c->pdp.sapi) &&
               (!c->pdp.has_ggsn_id ||
                (c->pdp.ggsn_id < GGSNS && model.ggsn[c->pdp.ggsn_id].made)) &&
               !has_pdp(c->pdp.ms_id, ANY, c->pdp.nsapi, ANY) &&
               model_has_room_for_pdp(c->pdp.ms_id);
    case COMMAND_pdp_tunnel:
        return c->pdp_tunnel.pdp_id < TUNNELS && model.pdp[c->pdp_tunnel.pdp_id].made &&
               c->pdp_tunnel.ggsn_id < GGSNS && model.ggsn[c->pdp_tunnel.ggsn_id].made;
    case COMMAND_pdp_uplink:
    case COMMAND_pdp_remove:
        return c->pdp_remove.pdp_id < TUNNELS && model.pdp[c->pdp_remove.pdp_id].made;
    default:
        return accepts_ms(c);
    }
}

// How many commands the worker of that cell will have carried out with the one sent last.
static uint64_t commands_with_the_last(uint32_t bvc)
{
    const struct dp_worker *w = worker(model.bvc[bvc].nse % WORKERS);
    return w->stats.commands + rte_ring_count(w->commands) + w->waits;
}

static void note_freeze(const struct command_ms_freeze *c)
{
    if (c->has_until_heard && c->until_heard) {
        model.ms[c->ms_id].until_heard = true;
        model.ms[c->ms_id].hold_said = commands_with_the_last(model.ms[c->ms_id].bvc);
    } else {
        model.ms[c->ms_id].by_control = true;
    }
}

// With down_old it is a second name, which the MS keeps until the next.
static void note_tlli(const struct command_ms_tlli *c)
{
    bool to_come = c->has_down_old && c->down_old;
    uint32_t before = model.ms[c->ms_id].tlli;
    model.ms[c->ms_id].has_old_tlli = before != c->tlli;
    model.ms[c->ms_id].to_come = to_come && before != c->tlli;
    model.ms[c->ms_id].old_tlli = to_come ? c->tlli : before;
    model.ms[c->ms_id].tlli = to_come ? before : c->tlli;
}

static void note_ms(const struct command *c)
{
    switch (c->op) {
    case COMMAND_ms:
        memset(&model.ms[c->ms.ms_id], 0, sizeof model.ms[0]);
        model.ms[c->ms.ms_id].made = true;
        model.ms[c->ms.ms_id].bvc = c->ms.bvc_id;
        model.ms[c->ms.ms_id].tlli = c->ms.tlli;
        model.ms[c->ms.ms_id].said = commands_with_the_last(c->ms.bvc_id);
        break;
    case COMMAND_ms_cipher:
        model.ms[c->ms_cipher.ms_id].keyed = c->ms_cipher.gea != 0;
        model.ms[c->ms_cipher.ms_id].number = 0;
        break;
    case COMMAND_ms_tlli:
        note_tlli(&c->ms_tlli);
        break;
    case COMMAND_ms_move:
        if (model_nse_of(c->ms_move.ms_id) != model.bvc[c->ms_move.bvc_id].nse)
            model.ms[c->ms_move.ms_id].has_old_tlli = false;
        model.ms[c->ms_move.ms_id].unsure |=
            model_nse_of(c->ms_move.ms_id) % WORKERS != model.bvc[c->ms_move.bvc_id].nse % WORKERS;
        model.ms[c->ms_move.ms_id].paged = false;
        model.ms[c->ms_move.ms_id].bvc = c->ms_move.bvc_id;
        model.ms[c->ms_move.ms_id].said = commands_with_the_last(c->ms_move.bvc_id);
        break;
    case COMMAND_ms_remove:
        model.ms[c->ms_remove.ms_id].made = false;
        break;
    case COMMAND_ms_freeze:
        note_freeze(&c->ms_freeze);
        break;
    case COMMAND_ms_release:
        model.ms[c->ms_release.ms_id].by_control = false;
        model.ms[c->ms_release.ms_id].until_heard = model.ms[c->ms_release.ms_id].unsure = false;
        model.ms[c->ms_release.ms_id].paged = false;
        break;
    case COMMAND_ms_flush:
        model.ms[c->ms_flush.ms_id].paged = false;
        break;
    case COMMAND_pfc:
        model.ms[c->pfc.ms_id].slot[c->pfc.slot] = true;
        break;
    case COMMAND_pfc_remove:
        model.ms[c->pfc_remove.ms_id].slot[c->pfc_remove.slot] = false;
        break;
    default:
        break;
    }
}

void model_note(const struct command *c, uint32_t teid)
{
    switch (c->op) {
    case COMMAND_nse:
        model.nse[c->nse.nse_id].made = true;
        break;
    case COMMAND_nse_remove:
        model.nse[c->nse_remove.nse_id].made = false;
        break;
    case COMMAND_nsvc:
        model.nsvc[c->nsvc.nsvc_id].made = true;
        model.nsvc[c->nsvc.nsvc_id].nse = c->nsvc.nse_id;
        model.nsvc[c->nsvc.nsvc_id].port = c->nsvc.peer_port;
        break;
    case COMMAND_nsvc_remove:
        model.nsvc[c->nsvc_remove.nsvc_id].made = false;
        break;
    case COMMAND_ggsn:
        model.ggsn[c->ggsn.ggsn_id].made = true;
        model.ggsn[c->ggsn.ggsn_id].gtpc = asks_for_gtpc(&c->ggsn);
        break;
    case COMMAND_ggsn_remove:
        memset(&model.ggsn[c->ggsn_remove.ggsn_id], 0, sizeof model.ggsn[0]);
        break;
    case COMMAND_bvc:
        model.bvc[c->bvc.bvc_id].made = true;
        model.bvc[c->bvc.bvc_id].nse = c->bvc.nse_id;
        model.bvc[c->bvc.bvc_id].bvci = c->bvc.bvci;
        break;
    case COMMAND_bvc_remove:
        model.bvc[c->bvc_remove.bvc_id].going = true;
        model.bvc[c->bvc_remove.bvc_id].removed = commands_with_the_last(c->bvc_remove.bvc_id);
        break;
    case COMMAND_pdp:
        model.pdp[c->pdp.pdp_id].made = true;
        model.pdp[c->pdp.pdp_id].ended = false;
        model.pdp[c->pdp.pdp_id].ms = c->pdp.ms_id;
        model.pdp[c->pdp.pdp_id].slot = c->pdp.slot;
        model.pdp[c->pdp.pdp_id].nsapi = c->pdp.nsapi;
        model.pdp[c->pdp.pdp_id].sapi = c->pdp.sapi;
        model.pdp[c->pdp.pdp_id].ggsn = c->pdp.has_ggsn_id ? c->pdp.ggsn_id : NO_GGSN;
        model.pdp[c->pdp.pdp_id].ggsn_teid = c->pdp.ggsn_teid;
        model.pdp[c->pdp.pdp_id].teid = teid;
        break;
    case COMMAND_pdp_tunnel:
        model.pdp[c->pdp_tunnel.pdp_id].ggsn = c->pdp_tunnel.ggsn_id;
        model.pdp[c->pdp_tunnel.pdp_id].ggsn_teid = c->pdp_tunnel.ggsn_teid;
        model.pdp[c->pdp_tunnel.pdp_id].ended = model.pdp[c->pdp_tunnel.pdp_id].unsure = false;
        break;
    case COMMAND_pdp_uplink:
        model.pdp[c->pdp_uplink.pdp_id].ended = c->pdp_uplink.ended;
        model.pdp[c->pdp_uplink.pdp_id].unsure = false;
        break;
    case COMMAND_pdp_remove:
        model.pdp[c->pdp_remove.pdp_id].made = false;
        break;
    default:
        note_ms(c);
        break;
    }
}

// The MS that the path has begun or ceased to hold by itself. What control said later holds.
static void take_hold(const struct event *event)
{
    uint32_t ms = event->ms_id;
    if (ms == EVENT_NONE)
        return;
    assert_true(model.ms[ms].made);
    model.ms[ms].paged = event->kind == EVENT_page;
    if (event->kind == EVENT_heard && model.ms[ms].hold_said <= event->commands)
        model.ms[ms].until_heard = model.ms[ms].unsure = false;
    model_pages += event->kind == EVENT_page;
    model_heard += event->kind == EVENT_heard;
}

// The move that a cell was kept for has been told.
static void take_kept(const struct event *event)
{
    assert_true(model.bvc[event->bvc_id].kept);
    model.bvc[event->bvc_id].kept = false;
    model_kept++;
}

// What control said after the worker had written it is the later word, and then the worker knows
// better.
static void take_tunnel(const struct event *event)
{
    for (uint32_t i = 0; i < TUNNELS; i++)
        if (model.pdp[i].made && model.pdp[i].ggsn_teid == event->teid)
            model.pdp[i].unsure = true;
    model_tunnels++;
}

bool model_take_event(void)
{
    struct event event;
    model_settle();
    if (random_next() % 8 == 0)
        dp_events_keep(p.dp);
    dp_events_now(p.dp, p.now_ns);
    if (!dp_event(p.dp, &event))
        return false;
    if (event.kind == EVENT_bvc_kept)
        take_kept(&event);
    if (event.kind == EVENT_tunnel)
        take_tunnel(&event);
    if (event.kind == EVENT_page || event.kind == EVENT_heard)
        take_hold(&event);
    if (event.kind == EVENT_moved) {
        // What control said after the worker had written it is the later word.
        bool valid = event.ms_id != EVENT_NONE && event.bvc_id != EVENT_NONE &&
                     model.ms[event.ms_id].made &&
                     model_nse_of(event.ms_id) % WORKERS == event.worker &&
                     model.ms[event.ms_id].said <= event.commands;
        if (valid)
            model.ms[event.ms_id].bvc = event.bvc_id;
        model_moves += valid;
        model_late_moves += !valid;
        model_ahead += event.bvc_id == EVENT_NONE;
    }
    dp_event_done(p.dp, &event);
    return true;
}

// --- The beginning -------------------------------------------------------------------------------

void model_open(void)
{
    struct dp_config c = path_small_config(200, 64);
    c.workers = WORKERS;
    c.nses = NSES, c.nsvcs = NSVCS, c.bvcs = BVCS;
    c.ggsns = GGSNS;
    c.mss = CALLERS;
    c.pdps = TUNNELS;
    c.worker_mss = WORKER_CALLERS;
    c.worker_pdps = WORKER_TUNNELS;
    c.ready_ns = S_IN_NS;
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        path_set_aqm(&c.classes.item[i], aqm_of(i)->name);
    path_open_small_config(&c);
    memset(&model, 0, sizeof model);
    p.blind = true;
    model.nse[0].made = model.nsvc[0].made = model.bvc[0].made = true; // path_open_small_config's
    model.nsvc[0].port = BSS_PORT;
    model.bvc[0].bvci = 2;
}
