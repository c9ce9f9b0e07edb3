// See lab.h: the lab's beginning, its run and its end.
#include "lab/lab_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"

void lab_fault(struct lab *lab, const char *what, uint32_t number)
{
    if (lab->faults.count++ == 0)
        snprintf(lab->faults.first, sizeof lab->faults.first, "%s %u", what, number);
}

void lab_put_item(struct lab_items *items, void *item)
{
    if (items->n == items->room) {
        items->room = items->room ? 2 * items->room : 64;
        items->item = need(realloc(items->item, items->room * sizeof *items->item));
    }
    items->item[items->n++] = item;
}

void *lab_add_item(struct lab_items *items, size_t octets)
{
    void *item = need(calloc(1, octets));
    lab_put_item(items, item);
    return item;
}

void lab_free_items(struct lab_items *items)
{
    for (uint32_t i = 0; i < items->n; i++)
        free(items->item[i]);
    free(items->item);
}

struct lab *lab_create(const struct lab_config *config, const struct dp *dp,
                       const struct lab_outputs *outputs)
{
    struct lab *lab = need(calloc(1, sizeof *lab));
    lab->config = *config;
    lab->dp = dp;
    lab->out = *outputs;
    lab->engine = engine_create();
    lab->times = need(calloc(app_kind_count, sizeof *lab->times));
    lab->batch_times = need(calloc(app_kind_count, sizeof *lab->batch_times));
    lab_account_setup(lab);
    lab_packets_start(lab);
    lab_gn_setup(lab);
    lab_gb_setup(lab);
    for (uint32_t w = 0; w < config->workers; w++) {
        lab->gn.end[w] = dp_far_end(dp, STATS_GN, w);
        lab->gb.end[w] = dp_far_end(dp, STATS_GB, w);
    }
    return lab;
}

struct engine *lab_engine(struct lab *lab)
{
    return lab->engine;
}

// Cells whose BSS does the procedures are up with their first acknowledged FLOW-CONTROL-BVC.
static bool all_up(void *self)
{
    struct lab *lab = self;
    bool up = lab->control_is_up(lab->control);
    for (uint32_t i = 0; i < lab->bss.n; i++) {
        const struct lab_bss *at = lab->bss.item[i];
        up &= at->cells_up >= at->cells;
    }
    return up;
}

// Control first: a BSS begins when the SGSN is there to answer.
static int bring_up(struct lab *lab)
{
    uint64_t until_ns = lab->config.duration_ns;
    int fault = engine_bring_up(lab->engine, until_ns, lab->control_is_up, lab->control);
    for (uint32_t i = 0; i < lab->bss.n && !fault; i++)
        bss_start(((struct lab_bss *)lab->bss.item[i])->bss, engine_now_ns(lab->engine));
    return fault ? fault : engine_bring_up(lab->engine, until_ns, all_up, lab);
}

int lab_run(struct lab *lab, engine_is_up_fn *is_up, engine_fire_fn *progress, void *self)
{
    lab->control_is_up = is_up;
    lab->control = self;
    int fault = bring_up(lab);
    if (fault)
        return fault;
    lab_events_start(lab);
    lab_phones_start(lab);
    for (uint32_t i = 0; i < lab->app.n && !lab->outside.run; i++)
        if (!(*(struct app **)lab->app.item[i])->place.waits)
            app_start(*(struct app **)lab->app.item[i], engine_now_ns(lab->engine));
    lab_series_start(lab);
    fault = lab->outside.run ? lab->outside.run(lab->outside.self, lab->config.duration_ns)
                             : engine_run(lab->engine, lab->config.duration_ns, progress, self);
    lab_series_end(lab);
    return fault;
}

void lab_mark(struct lab *lab)
{
    ledger_mark(&lab->ledger);
    lab->world.mark_ns = engine_now_ns(lab->engine);
    for (uint32_t i = 0; i < lab->app.n; i++)
        app_mark(*(struct app **)lab->app.item[i]);
    memset(lab->times, 0, app_kind_count * sizeof *lab->times);
    lab_tables_mark(lab);
}

void lab_batch(struct lab *lab)
{
    ledger_batch(&lab->ledger);
    lab_figures_batch(lab);
}

static void destroy_bss(struct lab_bss *at)
{
    bss_destroy(at->bss);
    for (uint32_t i = 0; i < at->nsvc.n; i++) {
        struct lab_nsvc *nsvc = at->nsvc.item[i];
        link_release(&nsvc->to_bss);
        link_release(&nsvc->to_sgsn);
    }
    lab_free_items(&at->nsvc);
}

static void destroy_parts(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->app.n; i++)
        app_destroy(*(struct app **)lab->app.item[i]);
    app_world_release(&lab->world);
    for (uint32_t i = 0; i < lab->bss.n; i++)
        destroy_bss(lab->bss.item[i]);
    for (uint32_t i = 0; i < lab->mobile.n; i++)
        ms_release(&((struct lab_mobile *)lab->mobile.item[i])->ms, engine_now_ns(lab->engine));
    ms_shared_release(&lab->mobiles_shared);
}

void lab_destroy(struct lab *lab)
{
    lab->out.packets = NULL; // what is freed with its MS was under way to the last
    struct lab_items *items[] = {&lab->bss,     &lab->place, &lab->mobile, &lab->tunnel, &lab->app,
                                 &lab->profile, &lab->event, &lab->phone,  &lab->radio};
    struct map *maps[] = {&lab->bss_by_nse,     &lab->mobile_by_tlli,   &lab->place_by_cell,
                          &lab->place_by_bvc,   &lab->nsvc_by_endpoint, &lab->tunnel_by_address,
                          &lab->tunnel_by_teid, &lab->phone_by_imsi};
    dp_watch_drops(NULL, NULL);
    line_clear(&lab->gn);
    line_clear(&lab->gb);
    flow_table_release(&lab->flows, engine_now_ns(lab->engine));
    lab_events_release(lab);
    lab_phones_release(lab);
    destroy_parts(lab);
    lab_radios_release(lab);
    ggsn_release(&lab->ggsn);
    link_release(&lab->gi_down);
    link_release(&lab->gi_up);
    for (uint32_t i = 0; i < lab->cake.n; i++)
        cake_destroy(lab->cake.item[i]);
    free(lab->cake.item);
    map_release(&lab->cake_of);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        lab_free_items(items[i]);
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        map_release(maps[i]);
    ledger_release(&lab->ledger);
    engine_destroy(lab->engine);
    free(lab->calls);
    free(lab->app_fields);
    free(lab->times);
    free(lab->batch_times);
    free(lab->batch_before);
    free(lab->window);
    free(lab->ended);
    free(lab->before);
    free(lab);
}

// ---- Results ----

const struct ledger *lab_ledger(const struct lab *lab)
{
    return &lab->ledger;
}

const struct line *lab_line(const struct lab *lab, enum stats_side side)
{
    return side == STATS_GN ? &lab->gn : &lab->gb;
}

static void add_faults(struct lab_faults *sum, const char *where, uint64_t count, const char *first)
{
    if (count && sum->count == 0)
        snprintf(sum->first, sizeof sum->first, "%s: %s", where, first);
    sum->count += count;
}

static void add_ledger_faults(struct lab_faults *sum, const struct ledger *ledger)
{
    for (uint32_t i = 0; i < LEDGER_FAULT_COUNT; i++)
        add_faults(sum, "the ledger", ledger->faults[i], ledger_fault_helps[i]);
}

// A packet for a flow that has ended is none: TCP's last ones may be late.
static void add_flow_faults(struct lab_faults *sum, const struct flow_table *flows)
{
    for (uint32_t i = 0; i < FLOW_FAULTS; i++)
        for (uint32_t end = 0; end < FLOW_ENDS && i != FLOW_FAULT_no_flow; end++)
            add_faults(sum, end == FLOW_MS ? "an MS" : "a host", flows->fault[end][i],
                       flow_fault_helps[i]);
}

struct lab_received lab_received(const struct lab *lab)
{
    struct lab_received r = {.frames = lab->gb_ends.frames, .fragments = lab->gb_ends.fragments};
    for (uint32_t i = 0; i < lab->mobile.n; i++) {
        const struct ms_counters *c = &((struct lab_mobile *)lab->mobile.item[i])->counters;
        r.partial += c->npdus_open;
        for (int why = 0; why < MS_LOST_COUNT; why++)
            r.given_up += c->npdus_lost[why];
    }
    return r;
}

struct lab_faults lab_faults(const struct lab *lab)
{
    struct lab_faults sum = lab->faults;
    const struct ends *gn = &lab->ggsn.ends, *gb = &lab->gb_ends;
    add_faults(&sum, "the GGSN", gn->faults, gn->first_fault);
    add_faults(&sum, "the GGSN", lab->ggsn.faults, lab->ggsn.first_fault);
    add_faults(&sum, "Gb", gb->faults, gb->first_fault);
    for (uint32_t i = 0; i < lab->bss.n; i++) {
        const struct bss_counters *c = bss_counters(((struct lab_bss *)lab->bss.item[i])->bss);
        add_faults(&sum, "a BSS", c->faults, c->first_fault);
    }
    add_faults(&sum, "an MS", lab->mobiles_shared.faults, lab->mobiles_shared.first_fault);
    add_flow_faults(&sum, &lab->flows);
    add_ledger_faults(&sum, &lab->ledger);
    return sum;
}
