// See parts.h: MSs. The worker of an MS knows the MS by its place in the worker's arrays.
#include <string.h>

#include "dataplane/cipher/cipher.h"
#include "dataplane/registry/parts.h"

// ---- TLLIs and places ----

static uint32_t nse_of(const struct registry *r, uint32_t ms)
{
    return r->bvc[r->ms[ms].bvc].nse;
}

static bool is_tlli(const struct registry *r, uint32_t nse, uint32_t tlli)
{
    return registry_find(r, nse, STATE_NAMED_TLLI, tlli) != STATE_NONE;
}

static void tlli_add(struct registry *r, uint32_t nse, uint32_t tlli, uint32_t ms)
{
    state_names_add(&r->name[STATE_NAMED_TLLI], names_hash(nse, tlli), ms);
}

static void tlli_remove(struct registry *r, uint32_t nse, uint32_t tlli, uint32_t ms)
{
    state_names_remove(&r->name[STATE_NAMED_TLLI], names_hash(nse, tlli), ms);
}

static void old_tlli_end(struct registry *r, uint32_t id)
{
    struct registry_ms *ms = &r->ms[id];
    if (ms->old_tlli != ms->tlli)
        tlli_remove(r, nse_of(r, id), ms->old_tlli, id);
    ms->old_tlli = ms->tlli;
}

// The present one becomes the former one.
static void new_tlli(struct registry *r, uint32_t id, uint32_t tlli)
{
    tlli_add(r, nse_of(r, id), tlli, id);
    r->ms[id].tlli = tlli;
}

// The present one stays; the new one is in the former one's place.
static void tlli_to_come(struct registry *r, uint32_t id, uint32_t tlli)
{
    tlli_add(r, nse_of(r, id), tlli, id);
    r->ms[id].old_tlli = tlli;
}

// One atomic store, because other threads read the word.
static void put_at(struct registry *r, uint32_t ms, uint32_t worker, uint32_t place)
{
    __atomic_store_n(&r->ms[ms].at, dp_at(worker, place), __ATOMIC_RELEASE);
}

static uint32_t take_place(struct registry *r, uint32_t worker, uint32_t ms)
{
    struct places *places = &r->worker[worker].mss;
    return registry_places_take(places, places->n == r->limits.mss ? ms : UINT32_MAX);
}

static void give_place(struct registry *r, uint32_t ms)
{
    uint32_t at = r->ms[ms].at;
    registry_places_give(&r->worker[dp_at_worker(at)].mss, dp_at_place(at));
}

// ---- Commands to an existing MS ----

static int ready(const struct registry *r, const struct command *c)
{
    uint32_t id = c->ms_bucket.ms_id; // the first field of all these commands
    return REGISTRY_THERE(r, ms, id) ?: registry_room(r, 1u << dp_at_worker(r->ms[id].at));
}

int registry_offer_ms(struct registry *r, struct command *c)
{
    uint32_t at = r->ms[c->ms_bucket.ms_id].at;
    c->ms_bucket.ms_id = dp_at_place(at);
    return registry_offer(r, 1u << dp_at_worker(at), c);
}

static int offer(struct registry *r, struct command *c)
{
    return ready(r, c) ?: registry_offer_ms(r, c);
}

REGISTRY_PLAIN(ms_bucket, offer)
REGISTRY_PLAIN(ms_default, offer)
REGISTRY_PLAIN(ms_credit, offer)
REGISTRY_PLAIN(ms_freeze, offer)
REGISTRY_PLAIN(ms_standby, offer)
REGISTRY_PLAIN(ms_listen, offer)

// The command makes paging the MS needless: events that ask for a page are stale from here on.
static int heard(struct registry *r, struct command *c)
{
    struct registry_ms *ms = registry_made_ms(r, c->ms_release.ms_id);
    int fault = offer(r, c);
    if (!fault)
        ms->heard = (uint32_t)r->worker[dp_at_worker(ms->at)].sent;
    return fault;
}

REGISTRY_PLAIN(ms_release, heard)
REGISTRY_PLAIN(ms_flush, heard)

// Copies the key into the command in the worker's form, and clears the pointer to the caller's key.
// GEA1, GEA2 and GEA5 give -ENOTSUP, unknown algorithms -EINVAL.
static int take_key(struct command *c)
{
    struct octets kc = c->ms_cipher.key;
    char name[] = "GEA?";
    const char *why;
    name[3] = (char)('0' + c->ms_cipher.gea);
    c->ms_cipher.key = (struct octets){0};
    if (c->ms_cipher.gea == 0)
        return kc.n == 0 ? 0 : -EINVAL;
    return cipher_key(name, kc.at, kc.n, c->octets, &why);
}

int registry_take_options(struct command *c, const struct bssgp_dl_unitdata *options,
                          uint32_t room_octets)
{
    int n = bssgp_dl_unitdata_put_options(options, c->octets, room_octets);
    c->octets_n = n < 0 ? 0 : (uint32_t)n;
    return n < 0 ? -EMSGSIZE : 0;
}

static int take_options(const struct registry *r, struct command *c)
{
    const struct bssgp_dl_unitdata options = REGISTRY_OPTIONS(&c->ms_options);
    c->ms_options.ra_capability = (struct octets){0};
    return registry_take_options(c, &options, r->limits.options_octets);
}

int registry_ms_cipher(struct registry *r, struct command *c)
{
    return ready(r, c) ?: take_key(c) ?: registry_offer_ms(r, c);
}

int registry_ms_options(struct registry *r, struct command *c)
{
    return ready(r, c) ?: take_options(r, c) ?: registry_offer_ms(r, c);
}

int registry_ms_n201_u(struct registry *r, struct command *c)
{
    return refuse(state_lle_of_sapi(c->ms_n201_u.sapi) < 0, -ERANGE) ?: offer(r, c);
}

int registry_llc(struct registry *r, struct command *c)
{
    struct octets *pdu = &c->llc.pdu;
    return refuse(pdu->n == 0 || pdu->n > COMMAND_LLC_OCTETS_MAX, -ERANGE) ?: ready(r, c)
        ?: registry_take_pdu(r, c, pdu, r->llc_headroom) ?: registry_offer_ms(r, c);
}

// The cell is another NSE's, whose worker may be another one.
int registry_ms_prove(struct registry *r, struct command *c)
{
    struct octets *pdu = &c->ms_prove.pdu;
    return refuse(pdu->n == 0 || pdu->n > COMMAND_LLC_OCTETS_MAX, -ERANGE)
        ?: registry_bvc_there(r, c->ms_prove.bvc_id) ?: ready(r, c)
        ?: registry_take_pdu(r, c, pdu, 0) ?: registry_offer_ms(r, c);
}

int registry_ms_tlli(struct registry *r, struct command *c)
{
    uint32_t id = c->ms_tlli.ms_id, tlli = c->ms_tlli.tlli;
    bool down_old = c->ms_tlli.has_down_old && c->ms_tlli.down_old;
    struct registry_ms *ms = registry_made_ms(r, id);
    if (ms && tlli != ms->tlli && tlli != ms->old_tlli && is_tlli(r, nse_of(r, id), tlli))
        return -EEXIST;
    int fault = offer(r, c);
    if (fault)
        return fault;
    old_tlli_end(r, id);
    if (tlli != ms->tlli)
        (down_old ? tlli_to_come : new_tlli)(r, id, tlli);
    return 0;
}

// ---- Creation, moves and removal ----

int registry_ms(struct registry *r, struct command *command)
{
    const struct command_ms c = command->ms;
    int fault = REGISTRY_FREE(r, ms, c.ms_id) ?: registry_bvc_there(r, c.bvc_id)
        ?: refuse(is_tlli(r, r->bvc[c.bvc_id].nse, c.tlli), -EEXIST);
    if (fault)
        return fault;
    uint32_t worker = registry_worker_of_bvc(r, c.bvc_id);
    fault = refuse(r->worker[worker].mss.left == 0, -ENOSPC) ?: registry_room(r, 1u << worker);
    if (fault)
        return fault;
    command->place = take_place(r, worker, c.ms_id);
    command->ms_id = c.ms_id;
    command->ms.ms_id = command->place;
    registry_put(r, worker, command);
    uint32_t sent = (uint32_t)r->worker[worker].sent;
    put_at(r, c.ms_id, worker, command->place);
    r->ms[c.ms_id] = (struct registry_ms){.made = true,
                                          .at = r->ms[c.ms_id].at,
                                          .bvc = c.bvc_id,
                                          .tlli = c.tlli,
                                          .old_tlli = c.tlli,
                                          .first_pdp = STATE_NONE,
                                          .since = sent,
                                          .said = sent,
                                          .heard = sent};
    tlli_add(r, r->bvc[c.bvc_id].nse, c.tlli, c.ms_id);
    r->bvc[c.bvc_id].mss++;
    return 0;
}

void registry_ms_moved(struct registry *r, uint32_t id, uint32_t bvc)
{
    struct registry_ms *ms = &r->ms[id];
    uint32_t from = nse_of(r, id), to = r->bvc[bvc].nse;
    if (from != to) {
        old_tlli_end(r, id);
        tlli_remove(r, from, ms->tlli, id);
        tlli_add(r, to, ms->tlli, id);
    }
    r->bvc[ms->bvc].mss--;
    ms->bvc = bvc;
    r->bvc[bvc].mss++;
}

// The worker has a place for an arriving MS, and a place for each context of the MS without one at
// that worker.
static int room_check(const struct registry *r, const struct registry_ms *ms, uint32_t worker)
{
    uint32_t pdps = 0;
    for (uint32_t pdp = ms->first_pdp; pdp != STATE_NONE; pdp = r->pdp[pdp].next)
        pdps += registry_pdp_worker(r, pdp) != worker;
    return r->worker[worker].mss.left > 0 && r->worker[worker].pdps.left >= pdps ? 0 : -ENOSPC;
}

int registry_ms_may_move(const struct registry *r, uint32_t id, uint32_t bvc)
{
    int fault = REGISTRY_THERE(r, ms, id) ?: registry_bvc_there(r, bvc);
    if (fault)
        return fault;
    uint32_t from = nse_of(r, id), to = r->bvc[bvc].nse, worker = r->nse[to].worker;
    if (from != to && is_tlli(r, to, r->ms[id].tlli))
        return -EEXIST;
    return r->nse[from].worker == worker ? 0 : room_check(r, &r->ms[id], worker);
}

// The old worker, the new worker and the workers that own the contexts' TEIDs all get commands.
static int room_to_move(const struct registry *r, const struct registry_ms *ms, uint32_t to)
{
    uint32_t workers = 1u << dp_at_worker(ms->at) | 1u << to;
    for (uint32_t pdp = ms->first_pdp; pdp != STATE_NONE; pdp = r->pdp[pdp].next)
        workers |= 1u << registry_pdp_worker(r, pdp);
    return registry_room(r, workers);
}

// Takes places for the MS and its contexts at the new worker. If that worker owns the TEID of a
// context, the context still has its first place there, and takes no other.
static void take_places(struct registry *r, const struct registry_ms *ms, struct command *c)
{
    c->place = take_place(r, c->worker, c->ms_move.ms_id);
    for (uint32_t id = ms->first_pdp; id != STATE_NONE; id = r->pdp[id].next) {
        const struct registry_pdp *pdp = &r->pdp[id];
        uint32_t named = registry_pdp_worker(r, id);
        c->teid_of[pdp->nsapi] =
            named == c->worker ? pdp->teid : registry_pdp_teid(r, c->worker, id);
        if (named == dp_at_worker(ms->at))
            c->homes |= (uint16_t)(1u << pdp->nsapi);
    }
}

// The old and the new worker update their own records of the contexts. A third worker that owns a
// context's TEID gets a redirect.
static void pdps_move(struct registry *r, const struct registry_ms *ms, const struct command *c)
{
    for (uint32_t id = ms->first_pdp; id != STATE_NONE; id = r->pdp[id].next) {
        uint32_t named = registry_pdp_worker(r, id), teid = c->teid_of[r->pdp[id].nsapi];
        if (named != dp_at_worker(ms->at) && named != c->worker)
            registry_pdp_redirect(r, id, teid);
        registry_pdp_leave(r, id);
        r->pdp[id].here = teid;
    }
}

static int to_other_worker(struct registry *r, uint32_t id, struct command *c)
{
    struct registry_ms *ms = &r->ms[id];
    struct command expect = {.op = COMMAND_expect, .worker = (uint16_t)dp_at_worker(ms->at)};
    int fault = room_to_move(r, ms, c->worker);
    if (fault)
        return fault;
    take_places(r, ms, c);
    expect.expect.ms_id = c->place;
    memcpy(expect.teid_of, c->teid_of, sizeof expect.teid_of);
    registry_offer_ms(r, c);
    registry_put(r, c->worker, &expect);
    pdps_move(r, ms, c);
    give_place(r, id);
    put_at(r, id, c->worker, c->place);
    ms->since = (uint32_t)r->worker[c->worker].sent;
    return 0;
}

int registry_ms_move(struct registry *r, struct command *c)
{
    uint32_t id = c->ms_move.ms_id, bvc = c->ms_move.bvc_id;
    int fault = registry_ms_may_move(r, id, bvc);
    if (fault)
        return fault;
    struct registry_ms *ms = &r->ms[id];
    c->worker = (uint16_t)registry_worker_of_bvc(r, bvc);
    fault = c->worker == dp_at_worker(ms->at) ? registry_offer_ms(r, c) : to_other_worker(r, id, c);
    if (fault)
        return fault;
    registry_ms_moved(r, id, bvc);
    ms->said = ms->heard = (uint32_t)r->worker[c->worker].sent;
    return 0;
}

int registry_ms_remove(struct registry *r, struct command *c)
{
    uint32_t id = c->ms_remove.ms_id;
    struct registry_ms *ms = registry_made_ms(r, id);
    int fault = ms && ms->nsapis != 0 ? -EBUSY : offer(r, c);
    if (fault)
        return fault;
    old_tlli_end(r, id);
    tlli_remove(r, nse_of(r, id), ms->tlli, id);
    ms->made = false;
    r->bvc[ms->bvc].mss--;
    give_place(r, id);
    return 0;
}
