// What time slots carried, and what they could have: see radio.h. So a rate can be told that does
// not follow the load: an idle slot says nothing of what a slot carries.
#include "lab/radio/radio_parts.h"

// The periods before that one count.
void use_counts_to(struct tbf *tbf, uint32_t period)
{
    tbf->use.periods += period - tbf->since;
    tbf->since = period;
}

void use_ends(struct share *share, struct tbf *tbf)
{
    if (!tbf->lately)
        return;
    tbf->lately = false;
    *(tbf->older ? &tbf->older->newer : &share->lately_first) = tbf->newer;
    *(tbf->newer ? &tbf->newer->older : &share->lately_last) = tbf->older;
}

// The first block of a period.
void use_sends(struct share *share, struct tbf *tbf)
{
    use_ends(share, tbf);
    tbf->lately = true;
    tbf->newer = NULL;
    tbf->older = share->lately_last;
    *(tbf->older ? &tbf->older->newer : &share->lately_first) = tbf;
    share->lately_last = tbf;
}

// What the TBF could have had of those that are left, up to the MS's limit.
static uint32_t could_have(const struct radio *radio, const struct tbf *tbf, uint32_t left)
{
    uint32_t used = tbf->last_sent == radio->last_period ? tbf->slots_used : 0;
    uint32_t own = tbf->stalled ? 0 : tbf->law->slots_most - used;
    return own < left ? own : left;
}

static uint64_t all_could_have(const struct radio *radio, struct share *share, uint32_t left)
{
    uint64_t lately = S_IN_NS / radio->config.period_ns, all = 0;
    while (share->lately_first && radio->last_period - share->lately_first->last_sent >= lately)
        use_ends(share, share->lately_first);
    for (const struct tbf *tbf = share->lately_last; tbf && all < left; tbf = tbf->older)
        all += could_have(radio, tbf, left);
    return all < left ? all : left;
}

// The end of a period. For the cell it counts if somebody sent, or waits for a turn.
void use_count(const struct radio *radio, struct share *share, uint32_t left, bool waits)
{
    uint64_t used = 0;
    for (struct tbf *tbf = share->sent_first; tbf; tbf = tbf->next_sent) {
        tbf->use.slots += tbf->slots_used;
        tbf->use.could += tbf->slots_used + could_have(radio, tbf, left);
        used += tbf->slots_used;
    }
    share->use.slots += used;
    share->use.could += used + (used && left ? all_could_have(radio, share, left) : 0);
    share->use.periods += used > 0 || waits;
}

struct radio_use radio_cell_use(const struct radio *radio, enum radio_way way)
{
    return radio->share[way].use;
}

struct radio_use radio_ms_use(const struct radio *radio, uint32_t ms, enum radio_way way)
{
    const struct tbf *tbf = &radio->ms[ms]->tbf[way];
    struct radio_use use = tbf->use;
    if (tbf->state == TBF_TURNS)
        use.periods += radio->last_period + 1 - tbf->since;
    return use;
}

struct radio_use radio_use_since(struct radio_use now, struct radio_use then)
{
    return (struct radio_use){now.octets - then.octets, now.slots - then.slots,
                              now.could - then.could, now.periods - then.periods};
}

static uint64_t carries_bit_per_s(const struct radio *radio, struct radio_use use)
{
    unsigned __int128 bits = (unsigned __int128)use.octets * OCTETS_IN_BITS * use.could * S_IN_NS;
    return (uint64_t)(bits / use.slots / use.periods / radio->config.period_ns);
}

// A rate of full slots, divided by a slot's octets, is a number of slots.
static uint64_t slots_carry_bit_per_s(const struct radio *radio, enum radio_way way,
                                      uint64_t rate_bit_per_s, struct radio_use use)
{
    const struct share *share = &radio->share[way];
    unsigned __int128 rate =
        (unsigned __int128)rate_bit_per_s * (PPM - share->control_ppm) * use.octets;
    uint64_t slot_octets = (uint64_t)share->law.blocks * share->law.block_octets;
    return (uint64_t)(rate / PPM / slot_octets / use.slots);
}

uint64_t radio_cell_carries_bit_per_s(const struct radio *radio, enum radio_way way,
                                      struct radio_use use)
{
    uint64_t then = carries_bit_per_s(radio, use);
    uint64_t most = slots_carry_bit_per_s(radio, way, radio_cell_rate_bit_per_s(radio, way), use);
    return then < most ? then : most;
}

uint64_t radio_any_ms_carries_bit_per_s(const struct radio *radio, enum radio_way way,
                                        struct radio_use use)
{
    return slots_carry_bit_per_s(radio, way, radio_ms_rate_bit_per_s(radio, way), use);
}

uint64_t radio_ms_carries_bit_per_s(const struct radio *radio, struct radio_use use)
{
    return carries_bit_per_s(radio, use);
}
