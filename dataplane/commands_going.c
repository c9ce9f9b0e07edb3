// See commands_parts.h: cells that control has had removed. A worker moves an MS that it hears in
// another cell, so control may remove a cell that it thinks empty and that no longer is: then the
// worker keeps it. Which of the two it was stands in the worker's own record of the cell, written
// before it counts the command, so a removal is decided as soon as its worker has come past it,
// whatever the worker has to tell and whoever takes events. Only the word to control that a cell
// was kept waits for what the worker wrote before: the move for which it was.
#include "dataplane/commands_parts.h"

#include "dataplane/state/event_put.h"

static void append(struct commands *k, struct commands_cells *cells, uint32_t bvc)
{
    k->bvc[bvc].next = STATE_NONE;
    if (cells->first == STATE_NONE)
        cells->first = bvc;
    else
        k->bvc[cells->last].next = bvc;
    cells->last = bvc;
}

static uint32_t take_first(struct commands *k, struct commands_cells *cells)
{
    uint32_t bvc = cells->first;
    cells->first = k->bvc[bvc].next;
    return bvc;
}

static bool is_past(const struct commands *k, const struct commands_cells *cells, uint64_t commands)
{
    return cells->first != STATE_NONE && k->bvc[cells->first].removed <= commands;
}

void commands_going_add(struct commands *k, uint32_t id)
{
    struct commands_worker *worker = &k->worker[commands_worker_of_bvc(k, id)];
    k->bvc[id].going = true;
    k->bvc[id].removed = worker->sent;
    append(k, &worker->going, id);
    k->nse[k->bvc[id].nse].going++;
}

static void gone(struct commands *k, struct made_bvc *bvc)
{
    commands_unname(k, bvc->nse, STATE_NAMED_BVCI, bvc->bvci, (uint32_t)(bvc - k->bvc));
    k->nse[bvc->nse].bvcs--;
    bvc->made = false;
}

static void settle_first(struct commands *k, struct commands_worker *worker)
{
    uint32_t id = take_first(k, &worker->going);
    struct made_bvc *bvc = &k->bvc[id];
    bvc->going = false;
    k->nse[bvc->nse].going--;
    bvc->kept = worker->cells[id].nse != STATE_NONE;
    if (bvc->kept)
        append(k, &worker->kept, id);
    else
        gone(k, bvc);
}

uint64_t commands_carried_out(const struct commands *k, uint32_t worker)
{
    return __atomic_load_n(k->worker[worker].carried_out, __ATOMIC_ACQUIRE);
}

static void settle(struct commands *k, uint32_t w)
{
    if (k->worker[w].going.first == STATE_NONE)
        return;
    uint64_t commands = commands_carried_out(k, w);
    while (is_past(k, &k->worker[w].going, commands))
        settle_first(k, &k->worker[w]);
}

void commands_going_settle(struct commands *k)
{
    for (uint32_t w = 0; w < k->workers; w++)
        settle(k, w);
}

bool commands_settled(const struct commands *k)
{
    for (uint32_t w = 0; w < k->workers; w++)
        if (commands_carried_out(k, w) != k->worker[w].sent)
            return false;
    return true;
}

void commands_note_silence(struct commands *k, uint32_t worker, uint64_t carried_out)
{
    k->worker[worker].heard = carried_out;
}

bool commands_take_kept(struct commands *k, uint32_t w, struct event *event)
{
    struct commands_worker *worker = &k->worker[w];
    settle(k, w);
    if (!is_past(k, &worker->kept, worker->heard))
        return false;
    uint32_t id = take_first(k, &worker->kept);
    k->bvc[id].kept = false;
    *event = event_of(EVENT_bvc_kept, w, worker->heard);
    event->nse_id = k->bvc[id].nse;
    event->bvc_id = id;
    return true;
}
