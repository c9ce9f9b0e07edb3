// See lab_event.h. An MS keeps all that it has when it changes its cell; what waits for it in the
// old one is the BSS's, until the SGSN has it flushed.
#include <errno.h>

#include "dataplane/base/rng.h"
#include "lab/lab_event.h"
#include "lab/lab_parts.h"

static const struct field event_fields[] = FIELD_KEYS_TABLE(lab_event_config, LAB_EVENT_FIELDS);
const struct field_record lab_event_record = FIELD_RECORD_OF(lab_event_config, event_fields);

const char *lab_event_fault(const void *config)
{
    const struct lab_event_config *c = config;
    if (c->times && !c->every_ns)
        return "event.times: needs every";
    if (c->kind == LAB_EVENT_MOVE)
        return NULL;
    if (c->every_ns && c->lasts_ns == 0)
        return "event.every: the first one lasts without end";
    if (c->every_ns && c->every_ns <= c->lasts_ns)
        return "event.every: not longer than one lasts";
    return NULL;
}

// ---- What happens ----

static void move(struct lab_event *event, uint64_t now_ns)
{
    struct lab_mobile *mobile = event->mobile;
    struct lab_place *to = event->to.item[event->moves++ % event->to.n];
    struct lab_bss *from = mobile->bss;
    mobile->bss = to->bss; // the MS is heard from there inside bss_move
    if (bss_move(mobile->at_bss, to->cell, now_ns)) {
        ledger_move(&event->lab->ledger, mobile->number, to->number);
        return;
    }
    mobile->bss = from;
    lab_fault(event->lab, "a move to an NSE where another MS has the TLLI", mobile->ms.label);
}

static void suspend(struct lab_mobile *mobile, bool begins, uint64_t now_ns)
{
    if (begins && mobile->calls++ == 0)
        bss_suspend(mobile->at_bss, now_ns);
    else if (!begins && --mobile->calls == 0)
        bss_resume(mobile->at_bss, now_ns);
}

static void away(struct lab_mobile *mobile, bool begins, uint64_t now_ns)
{
    if (begins && mobile->aways++ == 0)
        bss_reach(mobile->at_bss, false, now_ns);
    else if (!begins && --mobile->aways == 0)
        bss_reach(mobile->at_bss, true, now_ns);
}

static void set(struct lab_event *event)
{
    if (event->when.next_ns != TIME_NEVER)
        engine_set(event->lab->engine, &event->timer, event->when.next_ns);
}

static void fire(void *self, uint64_t now_ns)
{
    struct lab_event *event = self;
    bool begins = schedule_step(&event->when);
    set(event);
    if (event->kind == LAB_EVENT_MOVE)
        move(event, now_ns);
    else if (event->kind == LAB_EVENT_SUSPEND)
        suspend(event->mobile, begins, now_ns);
    else
        away(event->mobile, begins, now_ns);
}

// ---- Setup ----

#define STREAM_EVENTS (4ULL << 40)
#define CELL_OCTETS   6 // of a cell in `cells`

static uint64_t spread(const struct lab *lab, uint64_t spread_ns)
{
    struct rng rng;
    rng_seed(&rng, lab->config.seed, STREAM_EVENTS + lab->event.n);
    return spread_ns ? rng_below(&rng, spread_ns) : 0;
}

// In each NSE that it comes to the MS is known by its TLLI.
static int add_cells(struct lab *lab, struct lab_event *event, struct octets cells, uint32_t tlli)
{
    int fault = 0;
    for (uint32_t at = 0; at + CELL_OCTETS <= cells.n && !fault; at += CELL_OCTETS) {
        uint64_t key = lab_cell_key(get_be32(cells.at + at), get_be16(cells.at + at + 4));
        struct lab_place *place = map_find(&lab->place_by_cell, key);
        if (!place)
            return -ENOENT;
        lab_put_item(&event->to, place);
        fault = lab_know_mobile(lab, place->bss->nsei, tlli, event->mobile);
    }
    return event->kind == LAB_EVENT_MOVE && event->to.n == 0 ? -EINVAL : fault;
}

int64_t lab_add_event(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_event_call *c = argument;
    const struct lab_event_config *config = &c->event;
    struct lab_bss *at = map_find(&lab->bss_by_nse, c->nse_id);
    struct lab_mobile *mobile = at ? lab_mobile_of(lab, at->nsei, c->tlli) : NULL;
    if (!mobile)
        return -ENOENT;
    uint64_t later_ns = spread(lab, config->spread_ns);
    struct lab_event *event = lab_add_item(&lab->event, sizeof *event);
    event->lab = lab;
    event->mobile = mobile;
    event->kind = (enum lab_event_kind)config->kind;
    event->when = (struct schedule){.at_ns = config->at_ns + later_ns,
                                    .every_ns = config->every_ns,
                                    .lasts_ns = config->lasts_ns,
                                    .times = config->times};
    engine_timer_init(&event->timer, fire, event);
    return add_cells(lab, event, c->cells, c->tlli);
}

void lab_events_start(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->event.n; i++) {
        struct lab_event *event = lab->event.item[i];
        uint64_t now_ns = engine_now_ns(lab->engine); // all cells are up
        if (event->when.at_ns < now_ns)
            event->when.at_ns = now_ns;
        schedule_start(&event->when, now_ns);
        set(event);
    }
}

void lab_events_release(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->event.n; i++)
        free(((struct lab_event *)lab->event.item[i])->to.item);
}
