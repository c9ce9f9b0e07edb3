// What happens to all at once (a pause, a step of the clock, a reset of BVCI 0, a PDU that was cut,
// an MS's defaults in its cell) is noted in one place and applied to each cell, MS or LLE when it
// is met again, as of the time of the event: a walk over all for each event would be quadratic. Of
// several pauses the first counts for what was not met in between, of the others the last.
#include <string.h>

#include "lab/captures/audit/audit_parts.h"
#include "lab/engine/need.h"

#define PAUSES_MAX 65536u // of which the times are kept

// ---- What happens ----

void audit_all_pause(struct audit *audit)
{
    struct audit_all *all = &audit->all;
    audit->counts[AUDIT_pauses]++;
    if (all->pauses == all->pause_room && all->pause_room < PAUSES_MAX) {
        all->pause_room = all->pause_room ? all->pause_room * 2 : 16;
        all->pause = need(realloc(all->pause, all->pause_room * sizeof *all->pause));
    }
    uint32_t i = all->pauses < all->pause_room ? all->pauses : all->pause_room - 1;
    all->pause[i] = (struct audit_at){.time_ns = audit->last_ns, .frame = audit->frames};
    all->pauses++;
}

void audit_all_step(struct audit *audit)
{
    audit->all.step = (struct audit_at){.time_ns = audit->last_ns, .frame = audit->frames};
    audit->counts[AUDIT_clock_jumps]++;
    audit->all.steps++;
}

// ---- Cells ----

static void with_time(struct audit *audit, const struct audit_at *at, struct audit_bvc *bvc,
                      void apply(struct audit *, struct audit_bvc *))
{
    struct audit_at now = audit->at;
    audit->at = *at;
    apply(audit, bvc);
    audit->at = now;
}

static void pause_cell(struct audit *audit, struct audit_bvc *bvc)
{
    audit_flow_reset(audit, bvc);
    bvc->had_reset = false;
    bvc->state = BVC_UNKNOWN;
    memset(bvc->asked_by, 0, sizeof bvc->asked_by);
}

static void step_cell(struct audit *audit, struct audit_bvc *bvc)
{
    bvc->asked.any = 0;
    audit_bucket_restart(&bvc->bucket, audit->at.time_ns);
}

struct event {
    const struct audit_at *at;
    void (*apply)(struct audit *, struct audit_bvc *);
};

// In the order of time.
static void add(struct event events[], uint32_t *count, const struct audit_at *at,
                void apply(struct audit *, struct audit_bvc *))
{
    uint32_t i = (*count)++;
    for (; i > 0 && events[i - 1].at->frame > at->frame; i--)
        events[i] = events[i - 1];
    events[i] = (struct event){at, apply};
}

static const struct audit_at *pause_behind(const struct audit *audit, uint32_t met)
{
    const struct audit_all *all = &audit->all;
    return &all->pause[met < all->pause_room ? met : all->pause_room - 1];
}

void audit_fresh_bvc(struct audit *audit, struct audit_bvc *bvc)
{
    struct event events[4];
    uint32_t count = 0;
    const struct audit_all *all = &audit->all;
    const struct audit_nse *nse = bvc->nse;
    if (bvc->met_pauses != all->pauses)
        add(events, &count, pause_behind(audit, bvc->met_pauses), pause_cell);
    if (bvc->met_steps != all->steps)
        add(events, &count, &all->step, step_cell);
    if (bvc->met_resets != nse->resets)
        add(events, &count, &nse->reset_at, audit_bvc_reset_by_nse);
    if (bvc->met_blinds != nse->blinds)
        add(events, &count, &nse->blind_at, audit_bvc_forget);
    bvc->met_pauses = all->pauses;
    bvc->met_steps = all->steps;
    bvc->met_resets = nse->resets;
    bvc->met_blinds = nse->blinds;
    for (uint32_t i = 0; i < count; i++)
        with_time(audit, events[i].at, bvc, events[i].apply);
}

// ---- MSs ----

static void step_ms(const struct audit *audit, struct audit_ms *ms)
{
    uint64_t step_ns = audit->all.step.time_ns;
    if (ms->met_steps == audit->all.steps)
        return;
    ms->met_steps = audit->all.steps;
    ms->asked[FLOW_MS].any = 0;
    audit_bucket_restart(&ms->bucket, step_ns);
    for (struct audit_pfc *pfc = ms->pfcs; pfc; pfc = pfc->next)
        audit_bucket_restart(&pfc->bucket, step_ns);
}

// If more are behind it than are kept, its bucket begins again with the oldest one of those.
void audit_fresh_defaults(struct audit *audit, struct audit_ms *ms)
{
    const struct audit_bvc *bvc = ms->bvc;
    if (!bvc || ms->met_defaults == bvc->defaults_made)
        return;
    uint32_t behind = bvc->defaults_made - ms->met_defaults;
    if (behind > AUDIT_DEFAULTS) {
        behind = AUDIT_DEFAULTS;
        audit_bucket_restart(&ms->bucket,
                             bvc->defaults[(bvc->defaults_made - behind) % AUDIT_DEFAULTS].now_ns);
    }
    ms->met_defaults = bvc->defaults_made;
    for (; behind > 0 && !ms->own; behind--) {
        const struct audit_default *one =
            &bvc->defaults[(bvc->defaults_made - behind) % AUDIT_DEFAULTS];
        if (one->now_ns >= audit->all.step.time_ns)
            step_ms(audit, ms);
        audit_flow_default(&ms->bucket, one);
    }
}

void audit_fresh_ms(struct audit *audit, struct audit_ms *ms)
{
    if (ms->bvc)
        audit_fresh_bvc(audit, ms->bvc);
    audit_fresh_defaults(audit, ms);
    step_ms(audit, ms);
    if (ms->met_pauses == audit->all.pauses)
        return;
    ms->met_pauses = audit->all.pauses;
    ms->suspended = ms->resuming = ms->known = false;
    ms->unanswered = NULL;
    ms->heard = NULL;
}

// ---- NS-VCs and NSEs ----

void audit_fresh_pair(struct audit *audit, struct audit_pair *pair)
{
    if (pair->met_pauses != audit->all.pauses) {
        pair->state = NSVC_UNKNOWN;
        memset(pair->asked, 0, sizeof pair->asked);
        memset(pair->alive_unanswered, 0, sizeof pair->alive_unanswered);
    }
    if (pair->nse->met_pauses != audit->all.pauses)
        pair->nse->features[AUDIT_SGSN] = pair->nse->features[AUDIT_BSS] = -1;
    pair->met_pauses = pair->nse->met_pauses = audit->all.pauses;
}

// Of all, for the report.
void audit_fresh_finish(struct audit *audit)
{
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        if (pair->number)
            audit_fresh_pair(audit, pair);
    for (struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next)
        audit_fresh_bvc(audit, bvc);
    for (struct audit_ms *ms = audit->mss; ms; ms = ms->next)
        audit_fresh_ms(audit, ms);
}
