// See radio.h: what the owner asks for, and the timer.
#include "lab/radio/radio_parts.h"

#include "lab/engine/need.h"

static struct radio_ms *ms_of(const struct radio *radio, uint32_t ms)
{
    if (ms >= radio->ms_room || !radio->ms[ms])
        abort();
    return radio->ms[ms];
}

// --- The timer -----------------------------------------------------------------------------------

static uint64_t earlier_of(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

void radio_arm(struct radio *radio, uint64_t now_ns)
{
    if (radio->busy)
        return;
    uint64_t t_ns = earlier_of(share_next_ns(radio, now_ns), plan_next_ns(radio));
    t_ns = earlier_of(t_ns, tbf_discard_ns(radio));
    if (radio->flush_first)
        t_ns = earlier_of(t_ns, radio->flush_first->flush_ns);
    if (t_ns == radio->armed_ns)
        return;
    radio->armed_ns = t_ns;
    if (t_ns == TIME_NEVER)
        engine_cancel(radio->engine, &radio->timer);
    else
        engine_set(radio->engine, &radio->timer, t_ns);
}

// The order at one instant (radio.h).
void radio_fire(void *self, uint64_t now_ns)
{
    struct radio *radio = self;
    bool starts = share_next_ns(radio, now_ns) <= now_ns;
    radio->armed_ns = TIME_NEVER;
    radio->busy = true;
    share_receive(radio, now_ns);
    plan_run(radio, now_ns);
    tbf_discard_late(radio, now_ns);
    channel_flush_due(radio, now_ns);
    if (starts)
        share_period(radio, now_ns);
    radio->busy = false;
    radio_arm(radio, now_ns);
}

// What a call that takes something away does first: a block that ended at this instant has arrived.
static void begin(struct radio *radio, uint64_t now_ns)
{
    if (radio->busy) // inside a call of the owner (radio.h)
        abort();
    radio->busy = true;
    share_receive(radio, now_ns);
}

static void end(struct radio *radio, uint64_t now_ns)
{
    radio->busy = false;
    radio_arm(radio, now_ns);
}

// --- What the owner asks for ---------------------------------------------------------------------

void radio_ready(struct radio *radio, uint32_t ms, uint64_t now_ns)
{
    struct tbf *down = &ms_of(radio, ms)->tbf[RADIO_DOWN];
    down->more = true;
    if (radio->resumes != down->ms)
        down->sleeps = false;
    share_wake(radio, down, now_ns);
    radio_arm(radio, now_ns);
}

void radio_up(struct radio *radio, uint32_t ms, struct radio_pdu *pdu, uint64_t now_ns)
{
    struct tbf *up = &ms_of(radio, ms)->tbf[RADIO_UP];
    uint64_t most = radio->config.up_buffer_octets;
    pdu->since_ns = now_ns;
    pdu->from_ns = now_ns + radio->config.up_reaction_ns + !radio->arriving;
    tbf_add(radio, up, pdu);
    if (most && up->held.octets > most)
        tbf_lose(radio, up, pdu, RADIO_LOSS_up_full, now_ns);
    else
        share_wake(radio, up, now_ns);
    radio_arm(radio, now_ns);
}

void radio_flush(struct radio *radio, uint32_t ms, enum radio_way way, enum radio_loss why,
                 uint64_t now_ns)
{
    struct tbf *tbf = &ms_of(radio, ms)->tbf[way];
    begin(radio, now_ns);
    tbf_end(radio, tbf, now_ns);
    tbf_lose_all(radio, tbf, why, now_ns);
    if (tbf->first || tbf->more)
        share_wake(radio, tbf, now_ns);
    end(radio, now_ns);
}

void radio_preempt(struct radio *radio, uint32_t slots, uint64_t now_ns)
{
    begin(radio, now_ns);
    channel_set(radio, radio->slots, radio->slots_taken + slots, now_ns);
    end(radio, now_ns);
}

void radio_release(struct radio *radio, uint32_t slots, uint64_t now_ns)
{
    if (slots > radio->slots_taken)
        abort();
    begin(radio, now_ns);
    channel_set(radio, radio->slots, radio->slots_taken - slots, now_ns);
    end(radio, now_ns);
}

void radio_set_slots(struct radio *radio, uint32_t slots, uint64_t now_ns)
{
    begin(radio, now_ns);
    channel_set(radio, slots, radio->slots_taken, now_ns);
    end(radio, now_ns);
}

void radio_preempt_ms(struct radio *radio, uint32_t ms, uint64_t now_ns)
{
    begin(radio, now_ns);
    channel_call(radio, ms_of(radio, ms), true, now_ns);
    end(radio, now_ns);
}

void radio_release_ms(struct radio *radio, uint32_t ms, uint64_t now_ns)
{
    struct radio_ms *of = ms_of(radio, ms);
    if (of->calls == 0)
        abort();
    begin(radio, now_ns);
    channel_call(radio, of, false, now_ns);
    end(radio, now_ns);
}

// --- Reading -------------------------------------------------------------------------------------

const struct radio_counts *radio_counts(const struct radio *radio, enum radio_way way)
{
    return &radio->share[way].counts;
}

struct radio_amount radio_held(const struct radio *radio, uint32_t ms, enum radio_way way)
{
    return ms_of(radio, ms)->tbf[way].held;
}

uint32_t radio_octets(const struct radio *radio, uint32_t llc_octets)
{
    uint32_t free_octets = (uint32_t)radio->config.free_headers_octets;
    return llc_octets > free_octets ? llc_octets - free_octets : 1;
}

bool radio_has_channel(const struct radio *radio, uint32_t ms)
{
    return channel_has(radio, ms_of(radio, ms));
}

static uint64_t slots_bit_per_s(const struct radio *radio, const struct tbf_law *law,
                                uint64_t slots)
{
    uint64_t slot_bits = (uint64_t)law->blocks * law->block_octets * OCTETS_IN_BITS;
    return slots * slot_bits * S_IN_NS / radio->config.period_ns;
}

static uint64_t rate_now_bit_per_s(const struct radio *radio, const struct share *share)
{
    uint64_t now_ns = engine_now_ns(radio->engine),
             from_ns = now_ns < S_IN_NS ? 0 : now_ns - S_IN_NS;
    if (!share->trace)
        return share->rate_bit_per_s;
    return (uint64_t)(radio_trace_carried(share->trace, from_ns, from_ns + S_IN_NS) / S_IN_NS);
}

uint64_t radio_cell_rate_bit_per_s(const struct radio *radio, enum radio_way way)
{
    const struct share *share = &radio->share[way];
    if (share->rate_bit_per_s)
        return rate_now_bit_per_s(radio, share) * channel_slots(radio) / radio->config.slots;
    return slots_bit_per_s(radio, &share->law, channel_slots(radio));
}

uint64_t radio_ms_rate_bit_per_s(const struct radio *radio, enum radio_way way)
{
    const struct tbf_law *law = &radio->share[way].law;
    return law->slots_most == UINT32_MAX ? UINT64_MAX
                                         : slots_bit_per_s(radio, law, law->slots_most);
}
