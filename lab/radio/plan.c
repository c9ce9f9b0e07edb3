// Events at given times.
#include "lab/radio/radio_parts.h"

#include "lab/engine/need.h"

void radio_add_plans(struct radio *radio, const struct radio_plan *plans, uint32_t count,
                     uint64_t now_ns)
{
    radio->plan = need(realloc(radio->plan, (radio->plans + count + 1) * sizeof *radio->plan));
    for (uint32_t i = 0; i < count; i++) {
        struct plan *plan = &radio->plan[radio->plans++];
        plan->plan = plans[i];
        plan->when = (struct schedule){.at_ns = plans[i].at_ns,
                                       .every_ns = plans[i].every_ns,
                                       .lasts_ns = plans[i].lasts_ns,
                                       .times = plans[i].times};
        schedule_start(&plan->when, now_ns);
    }
    radio_arm(radio, now_ns);
}

static struct plan *first_plan(const struct radio *radio)
{
    struct plan *first = NULL;
    for (uint32_t i = 0; i < radio->plans; i++)
        if (!first || radio->plan[i].when.next_ns < first->when.next_ns)
            first = &radio->plan[i];
    return first;
}

uint64_t plan_next_ns(const struct radio *radio)
{
    struct plan *first = first_plan(radio);
    return first ? first->when.next_ns : TIME_NEVER;
}

static void calls(struct radio *radio, uint32_t slots, bool begin, uint64_t now_ns)
{
    uint32_t taken = radio->slots_taken;
    channel_set(radio, radio->slots, begin ? taken + slots : taken - slots, now_ns);
}

// The MS may be in another cell meanwhile; NULL.
static struct radio_ms *ms_of(const struct radio *radio, uint32_t number)
{
    for (uint32_t i = 0; i < radio->ms_room; i++)
        if (radio->ms[i] && radio->ms[i]->number == number)
            return radio->ms[i];
    return NULL;
}

// A call ends for the MS that it began for, unless that has left the cell since.
static void ms_call(struct radio *radio, struct plan *p, struct radio_ms *ms, bool begins,
                    uint64_t now_ns)
{
    if (begins)
        p->entry = ms ? ms->entry : 0;
    if (ms && ms->entry == p->entry)
        channel_call(radio, ms, begins, now_ns);
}

static void happen(struct radio *radio, struct plan *p, bool begins, uint64_t now_ns)
{
    const struct radio_plan *plan = &p->plan;
    struct radio_ms *ms = ms_of(radio, plan->ms);
    switch ((enum radio_plan_kind)plan->kind) {
    case RADIO_PLAN_LOSS:
    case RADIO_PLAN_UP_LOSS:
        if (ms)
            ms->tbf[plan->kind == RADIO_PLAN_UP_LOSS].losses_planned += plan->count;
        break;
    case RADIO_PLAN_CALLS:
        calls(radio, plan->count, begins, now_ns);
        break;
    case RADIO_PLAN_MS_CALL:
        ms_call(radio, p, ms, begins, now_ns);
        break;
    case RADIO_PLAN_SLOTS:
        channel_set(radio, plan->count, radio->slots_taken, now_ns);
        break;
    case RADIO_PLAN_KINDS:
        break;
    }
}

void plan_run(struct radio *radio, uint64_t now_ns)
{
    for (struct plan *p = first_plan(radio); p && p->when.next_ns <= now_ns;
         p = first_plan(radio)) {
        bool begins = schedule_step(&p->when); // before anything happens
        happen(radio, p, begins, now_ns);
    }
}
