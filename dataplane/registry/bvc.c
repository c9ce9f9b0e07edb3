// See parts.h: cells and their removal. A worker moves an MS to the cell that the MS sends from. So
// a cell that is empty in control's records may have an MS in the worker: then the worker keeps the
// cell. The worker's own record of the cell says removed or kept before the worker counts the
// command: a removal is decided as soon as the worker has counted it, even if control reads no
// event. Only the event bvc_kept waits until control has read the worker's earlier events: one of
// them is the MS's move, the reason for keeping the cell.
#include "dataplane/registry/parts.h"

#include "dataplane/state/event_put.h"

// A removed cell stays allocated until its worker has carried out the removal: until then commands
// to the cell get -ENOENT, and its id is not free (-EAGAIN). -EAGAIN never waits for unread events.
int registry_bvc_there(const struct registry *r, uint32_t bvc)
{
    return REGISTRY_THERE(r, bvc, bvc) ?: refuse(r->bvc[bvc].going, -ENOENT);
}

static int bvc_free(const struct registry *r, uint32_t bvc)
{
    int fault = REGISTRY_FREE(r, bvc, bvc);
    if (!fault && r->bvc[bvc].mss > 0)
        return -EEXIST;
    return fault == -EEXIST && r->bvc[bvc].going ? -EAGAIN : fault;
}

int registry_bvc(struct registry *r, struct command *command)
{
    const struct command_bvc *c = &command->bvc;
    struct registry_nse *nse = registry_made_nse(r, c->nse_id);
    bool named = registry_find(r, c->nse_id, STATE_NAMED_BVCI, c->bvci) != STATE_NONE;
    int fault = bvc_free(r, c->bvc_id) ?: REGISTRY_THERE(r, nse, c->nse_id)
        ?: refuse(named, nse->going ? -EAGAIN : -EEXIST)
        ?: registry_offer(r, 1u << nse->worker, command);
    if (fault)
        return fault;
    r->bvc[c->bvc_id] = (struct registry_bvc){
        .made = true, .bvci = c->bvci, .nse = c->nse_id, .since = r->worker[nse->worker].sent};
    state_names_add(&r->name[STATE_NAMED_BVCI], names_hash(c->nse_id, c->bvci), c->bvc_id);
    nse->bvcs++;
    return 0;
}

static int offer(struct registry *r, struct command *c)
{
    uint32_t id = c->bvc_bucket.bvc_id; // the first field of all these commands
    return registry_bvc_there(r, id) ?: registry_offer(r, 1u << registry_worker_of_bvc(r, id), c);
}

REGISTRY_PLAIN(bvc_bucket, offer)
REGISTRY_PLAIN(bvc_reset, offer)
REGISTRY_PLAIN(bvc_block, offer)
REGISTRY_PLAIN(bvc_credit, offer)

// A frame to an MS in its cell would escape the MS's bucket, so it is refused here: the command llc
// sends it. A frame with the MS's TLLI to another cell is taken: it is the answer to a phone there
// that uses this TLLI and has not yet proved that it is the MS.
int registry_bvc_llc(struct registry *r, struct command *c)
{
    const struct command_bvc_llc to = c->bvc_llc;
    const struct bssgp_dl_unitdata options = REGISTRY_OPTIONS(&to);
    struct octets *pdu = &c->bvc_llc.pdu;
    int fault = refuse(pdu->n == 0 || pdu->n > COMMAND_LLC_OCTETS_MAX, -ERANGE)
                    ?: registry_bvc_there(r, to.bvc_id);
    if (fault)
        return fault;
    uint32_t ms = registry_find(r, r->bvc[to.bvc_id].nse, STATE_NAMED_TLLI, to.tlli);
    bool is_ms = ms != STATE_NONE && r->ms[ms].bvc == to.bvc_id;
    uint32_t workers = 1u << registry_worker_of_bvc(r, to.bvc_id);
    c->bvc_llc.ra_capability = (struct octets){0};
    return refuse(is_ms, -EEXIST) ?: registry_room(r, workers)
        ?: registry_take_options(c, &options, COMMAND_OCTETS)
        ?: registry_take_pdu(r, c, pdu, r->llc_headroom) ?: registry_offer(r, workers, c);
}

// ---- Removal ----

static void append(struct registry *r, struct registry_cells *cells, uint32_t bvc)
{
    r->bvc[bvc].next = STATE_NONE;
    *(cells->first == STATE_NONE ? &cells->first : &r->bvc[cells->last].next) = bvc;
    cells->last = bvc;
}

static uint32_t take_first(const struct registry *r, struct registry_cells *cells)
{
    uint32_t bvc = cells->first;
    cells->first = r->bvc[bvc].next;
    return bvc;
}

static bool is_past(const struct registry *r, const struct registry_cells *cells, uint64_t commands)
{
    return cells->first != STATE_NONE && r->bvc[cells->first].removed <= commands;
}

int registry_bvc_remove(struct registry *r, struct command *c)
{
    uint32_t id = c->bvc_remove.bvc_id;
    struct registry_bvc *bvc = registry_made_bvc(r, id);
    int fault = registry_bvc_there(r, id) ?: refuse(bvc->mss > 0 || bvc->kept, -EBUSY)
        ?: offer(r, c);
    if (fault)
        return fault;
    struct registry_worker *worker = &r->worker[registry_worker_of_bvc(r, id)];
    bvc->going = true;
    bvc->removed = worker->sent;
    append(r, &worker->going, id);
    r->nse[bvc->nse].going++;
    return 0;
}

static void settle_first(struct registry *r, struct registry_worker *worker)
{
    uint32_t id = take_first(r, &worker->going);
    struct registry_bvc *bvc = &r->bvc[id];
    bvc->going = false;
    r->nse[bvc->nse].going--;
    bvc->made = bvc->kept = worker->cells[id].nse != STATE_NONE;
    if (bvc->kept) {
        append(r, &worker->kept, id);
        return;
    }
    state_names_remove(&r->name[STATE_NAMED_BVCI], names_hash(bvc->nse, bvc->bvci), id);
    r->nse[bvc->nse].bvcs--;
}

static void settle(struct registry *r, uint32_t w)
{
    struct registry_worker *worker = &r->worker[w];
    if (worker->going.first == STATE_NONE)
        return;
    uint64_t commands = registry_carried_out(r, w);
    while (is_past(r, &worker->going, commands))
        settle_first(r, worker);
}

void registry_settle(struct registry *r)
{
    for (uint32_t w = 0; w < r->workers; w++)
        settle(r, w);
}

bool registry_take_kept(struct registry *r, uint32_t w, struct event *event)
{
    struct registry_worker *worker = &r->worker[w];
    settle(r, w);
    if (!is_past(r, &worker->kept, worker->heard))
        return false;
    uint32_t id = take_first(r, &worker->kept);
    r->bvc[id].kept = false;
    *event = event_of(EVENT_bvc_kept, w, worker->heard);
    event->bvc_id = id;
    return true;
}
