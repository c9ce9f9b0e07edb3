// What time slots carried, and what they could have: see radio.h. So a rate can be told that does
// not follow the load: an idle slot says nothing of what a slot carries.
#include "lab/radio/radio_parts.h"

// The periods before that one count.
void use_counts_to(struct tbf *tbf, uint32_t period)
{
    tbf->use.periods += period - tbf->since;
    tbf->since = period;
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

// The cell's rate is that of full slots, so divided by a slot's octets it is a number of slots.
static uint64_t slots_now_carry_bit_per_s(const struct radio *radio, enum radio_way way,
                                          struct radio_use use)
{
    const struct share *share = &radio->share[way];
    unsigned __int128 rate = (unsigned __int128)radio_cell_rate_bit_per_s(radio, way) *
                             (PPM - share->control_ppm) * use.octets;
    uint64_t slot_octets = (uint64_t)share->law.blocks * share->law.block_octets;
    return (uint64_t)(rate / PPM / slot_octets / use.slots);
}

uint64_t radio_cell_carries_bit_per_s(const struct radio *radio, enum radio_way way,
                                      struct radio_use use)
{
    uint64_t then = carries_bit_per_s(radio, use);
    uint64_t most = slots_now_carry_bit_per_s(radio, way, use);
    return then < most ? then : most;
}

uint64_t radio_ms_carries_bit_per_s(const struct radio *radio, struct radio_use use)
{
    return carries_bit_per_s(radio, use);
}
