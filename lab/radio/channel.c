// Circuit-switched calls: which MSs have a channel, what is flushed, and what resumes a transfer.
#include "lab/radio/radio_parts.h"

uint32_t channel_slots(const struct radio *radio)
{
    return radio->slots > radio->slots_taken ? radio->slots - radio->slots_taken : 0;
}

bool channel_has(const struct radio *radio, const struct radio_ms *ms)
{
    return ms->calls == 0 && channel_slots(radio) > 0;
}

static void tell(struct radio *radio, struct radio_ms *ms, enum radio_event event, uint64_t now_ns)
{
    radio->owner.event(radio->owner.self, ms->index, event, now_ns);
}

static void flush_down(struct radio *radio, struct radio_ms *ms, uint64_t now_ns)
{
    struct tbf *tbf = &ms->tbf[RADIO_DOWN];
    tbf_lose_all(radio, tbf, RADIO_LOSS_preempted, now_ns);
    tbf->more = false;
    tell(radio, ms, RADIO_FLUSH, now_ns);
}

static void flush_later(struct radio *radio, struct radio_ms *ms, uint64_t now_ns)
{
    ms->flush_waits = true;
    ms->flush_ns = now_ns + radio->config.hold_taken_ns;
    ms->later = NULL;
    ms->earlier = radio->flush_last;
    *(ms->earlier ? &ms->earlier->later : &radio->flush_first) = ms;
    radio->flush_last = ms;
}

void channel_forget(struct radio *radio, struct radio_ms *ms)
{
    if (!ms->flush_waits)
        return;
    ms->flush_waits = false;
    *(ms->earlier ? &ms->earlier->later : &radio->flush_first) = ms->later;
    *(ms->later ? &ms->later->earlier : &radio->flush_last) = ms->earlier;
}

void channel_flush_due(struct radio *radio, uint64_t now_ns)
{
    while (radio->flush_first && radio->flush_first->flush_ns <= now_ns) {
        struct radio_ms *ms = radio->flush_first;
        channel_forget(radio, ms);
        flush_down(radio, ms, now_ns);
    }
}

static void lose(struct radio *radio, struct radio_ms *ms, uint64_t now_ns)
{
    tbf_end(radio, &ms->tbf[RADIO_DOWN], now_ns);
    tbf_end(radio, &ms->tbf[RADIO_UP], now_ns);
    tell(radio, ms, RADIO_TAKEN, now_ns);
    if (radio->config.hold_taken_ns)
        flush_later(radio, ms, now_ns);
    else
        flush_down(radio, ms, now_ns);
}

static void resume(struct radio *radio, struct radio_ms *ms, uint64_t now_ns)
{
    struct tbf *down = &ms->tbf[RADIO_DOWN], *up = &ms->tbf[RADIO_UP];
    channel_forget(radio, ms);
    down->sleeps = true; // until it is known whether there is data
    radio->resumes = ms;
    tell(radio, ms, RADIO_BACK, now_ns);
    radio->resumes = NULL;
    bool has_down = down->first || down->more;
    down->sleeps = has_down && radio->config.resume == RADIO_RESUME_BY_ACTIVITY;
    if (has_down)
        share_wake(radio, down, now_ns);
    if (up->first)
        share_wake(radio, up, now_ns);
}

// The MS sends, or has new data: a downlink transfer that waits for that goes on.
void channel_active(struct radio *radio, struct radio_ms *ms, uint64_t now_ns)
{
    struct tbf *down = &ms->tbf[RADIO_DOWN];
    if (!down->sleeps)
        return;
    down->sleeps = false;
    share_wake(radio, down, now_ns);
}

void channel_set(struct radio *radio, uint32_t slots, uint32_t taken, uint64_t now_ns)
{
    bool had = channel_slots(radio) > 0;
    radio->slots = slots;
    radio->slots_taken = taken;
    bool has = channel_slots(radio) > 0;
    for (uint32_t i = 0; i < radio->ms_room && had != has; i++)
        if (radio->ms[i] && radio->ms[i]->calls == 0)
            (has ? resume : lose)(radio, radio->ms[i], now_ns);
}

void channel_call(struct radio *radio, struct radio_ms *ms, bool begins, uint64_t now_ns)
{
    bool had = channel_has(radio, ms);
    ms->calls += begins ? 1 : -1;
    bool has = channel_has(radio, ms);
    if (had != has)
        (has ? resume : lose)(radio, ms, now_ns);
}
