// See commands_parts.h: what is there, by what control has sent and workers have told.
#include "dataplane/commands_parts.h"

#include <rte_hash.h>

bool commands_named(const struct commands *k, uint32_t nse, enum state_named kind, uint32_t value)
{
    return commands_find(k, nse, kind, value) != STATE_NONE;
}

static bool is_named(const struct commands *k, uint32_t id, uint32_t nse, enum state_named kind,
                     uint32_t value)
{
    if (kind == STATE_NAMED_BVCI)
        return k->bvc[id].bvci == value && k->bvc[id].nse == nse;
    const struct made_ms *ms = &k->ms[id];
    return (ms->tlli == value || ms->old_tlli == value) && k->bvc[ms->bvc].nse == nse;
}

uint32_t commands_find(const struct commands *k, uint32_t nse, enum state_named kind,
                       uint32_t value)
{
    struct names_search search = names_search(&k->name[kind], names_hash(nse, value));
    uint32_t id = names_next(&k->name[kind], &search);
    while (id != NAMES_NONE && !is_named(k, id, nse, kind, value))
        id = names_next(&k->name[kind], &search);
    return id;
}

static void name(struct commands *k, uint32_t nse, enum state_named kind, uint32_t value,
                 uint32_t id)
{
    names_add(&k->name[kind], names_hash(nse, value), id);
}

void commands_unname(struct commands *k, uint32_t nse, enum state_named kind, uint32_t value,
                     uint32_t id)
{
    names_remove(&k->name[kind], names_hash(nse, value), id);
}

uint32_t commands_nse_of_ms(const struct commands *k, uint32_t ms)
{
    return k->bvc[k->ms[ms].bvc].nse;
}

uint32_t commands_worker_of_bvc(const struct commands *k, uint32_t bvc)
{
    return k->nse[k->bvc[bvc].nse].worker;
}

uint32_t commands_worker_of_ms(const struct commands *k, uint32_t ms)
{
    return commands_worker_of_bvc(k, k->ms[ms].bvc);
}

static void note_nse(struct commands *k, uint32_t id)
{
    uint8_t worker = (uint8_t)(id % k->workers);
    k->nse[id] = (struct made_nse){.made = true, .worker = worker, .since = k->worker[worker].sent};
}

static void note_nsvc(struct commands *k, const struct command_nsvc *c)
{
    struct state_endpoint endpoint = state_endpoint(c);
    struct made_nse *nse = &k->nse[c->nse_id];
    k->nsvc[c->nsvc_id] =
        (struct made_nsvc){true, c->nse_id, endpoint, k->worker[nse->worker].sent};
    rte_hash_add_key(k->endpoints, &endpoint);
    nse->nsvcs++;
}

static void note_nsvc_removed(struct commands *k, uint32_t id)
{
    struct made_nsvc *nsvc = &k->nsvc[id];
    nsvc->made = false;
    rte_hash_del_key(k->endpoints, &nsvc->endpoint);
    k->nse[nsvc->nse].nsvcs--;
}

static void note_bvc(struct commands *k, const struct command_bvc *c)
{
    struct made_nse *nse = &k->nse[c->nse_id];
    k->bvc[c->bvc_id] = (struct made_bvc){
        .made = true, .bvci = c->bvci, .nse = c->nse_id, .since = k->worker[nse->worker].sent};
    name(k, c->nse_id, STATE_NAMED_BVCI, c->bvci, c->bvc_id);
    nse->bvcs++;
}

// One word, for who asks from another thread.
static void put_at(struct commands *k, uint32_t ms, uint32_t worker, uint32_t place)
{
    __atomic_store_n(&k->ms[ms].at, dp_at(worker, place), __ATOMIC_RELEASE);
}

static void note_ms(struct commands *k, const struct command_ms *c, uint32_t place)
{
    uint32_t sent = (uint32_t)k->worker[commands_worker_of_bvc(k, c->bvc_id)].sent;
    put_at(k, c->ms_id, commands_worker_of_bvc(k, c->bvc_id), place);
    k->ms[c->ms_id] = (struct made_ms){.made = true,
                                       .at = k->ms[c->ms_id].at,
                                       .bvc = c->bvc_id,
                                       .tlli = c->tlli,
                                       .old_tlli = c->tlli,
                                       .first_pdp = STATE_NONE,
                                       .since = sent,
                                       .said = sent,
                                       .heard = sent};
    name(k, k->bvc[c->bvc_id].nse, STATE_NAMED_TLLI, c->tlli, c->ms_id);
    k->bvc[c->bvc_id].mss++;
}

static void end_old_tlli(struct commands *k, uint32_t id)
{
    struct made_ms *ms = &k->ms[id];
    if (ms->old_tlli != ms->tlli)
        commands_unname(k, commands_nse_of_ms(k, id), STATE_NAMED_TLLI, ms->old_tlli, id);
    ms->old_tlli = ms->tlli;
}

static void note_ms_moved(struct commands *k, uint32_t id, uint32_t bvc)
{
    struct made_ms *ms = &k->ms[id];
    uint32_t from = commands_nse_of_ms(k, id), to = k->bvc[bvc].nse;
    if (from != to) {
        end_old_tlli(k, id);
        commands_unname(k, from, STATE_NAMED_TLLI, ms->tlli, id);
        name(k, to, STATE_NAMED_TLLI, ms->tlli, id);
    }
    k->bvc[ms->bvc].mss--;
    ms->bvc = bvc;
    k->bvc[bvc].mss++;
}

// A context keeps its place at the worker that its TEID names, also while its MS is elsewhere.
static void leave_place(struct commands *k, const struct made_pdp *pdp)
{
    if (pdp->here != pdp->teid)
        places_give(&k->worker[teid_worker(k->teid_bits, pdp->here)].pdps,
                    teid_index(k->teid_bits, pdp->here));
}

static void note_other_worker(struct commands *k, uint32_t id, uint32_t from,
                              const struct command *c)
{
    struct made_ms *ms = &k->ms[id];
    places_give(&k->worker[from].mss, dp_at_place(ms->at));
    put_at(k, id, c->worker, c->place);
    for (uint32_t at = ms->first_pdp; at != STATE_NONE; at = k->pdp[at].next) {
        leave_place(k, &k->pdp[at]);
        k->pdp[at].here = c->teid_of[k->pdp[at].nsapi];
    }
    ms->since = ms->said;
}

static void note_ms_move(struct commands *k, const struct command *c)
{
    uint32_t id = c->ms_move.ms_id, from = commands_worker_of_ms(k, id);
    struct made_ms *ms = &k->ms[id];
    note_ms_moved(k, id, c->ms_move.bvc_id);
    ms->said = ms->heard = (uint32_t)k->worker[c->worker].sent;
    if (c->worker != from)
        note_other_worker(k, id, from, c);
}

static void note_ms_tlli(struct commands *k, const struct command_ms_tlli *c)
{
    end_old_tlli(k, c->ms_id);
    if (c->tlli == k->ms[c->ms_id].tlli)
        return;
    name(k, commands_nse_of_ms(k, c->ms_id), STATE_NAMED_TLLI, c->tlli, c->ms_id);
    k->ms[c->ms_id].tlli = c->tlli;
}

static void note_ms_removed(struct commands *k, uint32_t ms)
{
    end_old_tlli(k, ms);
    commands_unname(k, commands_nse_of_ms(k, ms), STATE_NAMED_TLLI, k->ms[ms].tlli, ms);
    k->ms[ms].made = false;
    k->bvc[k->ms[ms].bvc].mss--;
    places_give(&k->worker[commands_worker_of_ms(k, ms)].mss, dp_at_place(k->ms[ms].at));
}

static void note_pdp(struct commands *k, const struct command_pdp *c, uint32_t teid)
{
    struct made_ms *ms = &k->ms[c->ms_id];
    k->pdp[c->pdp_id] = (struct made_pdp){.made = true,
                                          .has_ggsn = c->has_ggsn_id,
                                          .nsapi = c->nsapi & 15,
                                          .slot = c->slot & 7,
                                          .teid = teid,
                                          .here = teid,
                                          .next = ms->first_pdp,
                                          .ms = c->ms_id,
                                          .ggsn = (uint16_t)c->ggsn_id};
    ms->first_pdp = c->pdp_id;
    ms->nsapis |= (uint16_t)(1u << c->nsapi);
    if (c->has_ggsn_id)
        k->ggsn[c->ggsn_id].pdps++;
}

static void note_pdp_removed(struct commands *k, uint32_t id)
{
    struct made_pdp *pdp = &k->pdp[id];
    uint32_t *link = &k->ms[pdp->ms].first_pdp;
    while (*link != id)
        link = &k->pdp[*link].next;
    *link = pdp->next;
    pdp->made = false;
    leave_place(k, pdp);
    places_give(&k->worker[teid_worker(k->teid_bits, pdp->teid)].pdps,
                teid_index(k->teid_bits, pdp->teid));
    k->ms[pdp->ms].nsapis &= (uint16_t) ~(1u << pdp->nsapi);
    if (pdp->has_ggsn)
        k->ggsn[pdp->ggsn].pdps--;
}

// ---- Events ----

// What the worker means by an id is what it is now. An MS that has gone to another worker since, or
// come back, counts as another: what is late of it is not put down to anybody.
static bool is_still(const struct event *event, bool made, uint32_t worker, uint64_t since)
{
    return made && worker == event->worker && since <= event->commands;
}

#define CLEAR_FORMER(kind, id, worker)                                                          \
    if (e->id != EVENT_NONE && !is_still(e, k->kind[e->id].made, worker, k->kind[e->id].since)) \
        e->id = EVENT_NONE;

static bool is_still_ms(const struct commands *k, const struct event *e)
{
    const struct made_ms *ms = &k->ms[e->ms_id];
    return ms->made && dp_at_worker(ms->at) == e->worker && commands_had_come_to(k, e, ms->since);
}

static void clear_former(const struct commands *k, struct event *e)
{
    CLEAR_FORMER(nsvc, nsvc_id, k->nse[k->nsvc[e->nsvc_id].nse].worker)
    CLEAR_FORMER(nse, nse_id, k->nse[e->nse_id].worker)
    CLEAR_FORMER(bvc, bvc_id, commands_worker_of_bvc(k, e->bvc_id))
    if (e->kind == EVENT_moved)
        CLEAR_FORMER(bvc, old_bvc_id, commands_worker_of_bvc(k, e->old_bvc_id))
    if (e->ms_id != EVENT_NONE && !is_still_ms(k, e))
        e->ms_id = EVENT_NONE;
}

void commands_note_event(struct commands *k, struct event *event)
{
    struct commands_worker *worker = &k->worker[event->worker];
    if (event->commands > worker->heard) // one that had to wait for its turn is older
        worker->heard = event->commands;
    clear_former(k, event);
    if (event->kind == EVENT_page && event->ms_id != EVENT_NONE &&
        !commands_had_come_to(k, event, k->ms[event->ms_id].heard))
        event->ms_id = EVENT_NONE;
    // What control has said of that MS since then is the later word. A cell that has gone since the
    // MS came into it has gone without it: where it went, a later event says.
    if (event->kind == EVENT_moved && event->ms_id != EVENT_NONE && event->bvc_id != EVENT_NONE &&
        commands_had_come_to(k, event, k->ms[event->ms_id].said))
        note_ms_moved(k, event->ms_id, event->bvc_id);
}

// ---- Commands ----

void commands_note(struct commands *k, const struct command *c)
{
    switch ((enum command_op)c->op) {
    case COMMAND_nse:
        note_nse(k, c->nse.nse_id);
        break;
    case COMMAND_nsvc:
        note_nsvc(k, &c->nsvc);
        break;
    case COMMAND_nsvc_remove:
        note_nsvc_removed(k, c->nsvc_remove.nsvc_id);
        break;
    case COMMAND_ggsn:
        k->ggsn[c->ggsn.ggsn_id] = (struct made_ggsn){.made = true};
        break;
    case COMMAND_ggsn_remove:
        k->ggsn[c->ggsn_remove.ggsn_id].made = false;
        break;
    case COMMAND_nse_remove:
        k->nse[c->nse_remove.nse_id].made = false;
        break;
    case COMMAND_bvc:
        note_bvc(k, &c->bvc);
        break;
    case COMMAND_bvc_remove:
        commands_going_add(k, c->bvc_remove.bvc_id);
        break;
    case COMMAND_ms:
        note_ms(k, &c->ms, c->place);
        break;
    case COMMAND_ms_move:
        note_ms_move(k, c);
        break;
    case COMMAND_ms_release:
    case COMMAND_ms_flush: // what waits no longer need not be paged for
        k->ms[c->ms_release.ms_id].heard =
            (uint32_t)k->worker[commands_worker_of_ms(k, c->ms_release.ms_id)].sent;
        break;
    case COMMAND_ms_tlli:
        note_ms_tlli(k, &c->ms_tlli);
        break;
    case COMMAND_ms_remove:
        note_ms_removed(k, c->ms_remove.ms_id);
        break;
    case COMMAND_pfc:
        k->ms[c->pfc.ms_id].slots |= (uint8_t)(1u << c->pfc.slot);
        break;
    case COMMAND_pfc_remove:
        k->ms[c->pfc_remove.ms_id].slots &= (uint8_t) ~(1u << c->pfc_remove.slot);
        break;
    case COMMAND_pdp:
        note_pdp(k, &c->pdp, c->teid);
        break;
    case COMMAND_pdp_remove:
        note_pdp_removed(k, c->pdp_remove.pdp_id);
        break;
    default: // the others make and remove nothing
        break;
    }
}
