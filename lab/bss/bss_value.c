// See bss_value.h.
#include "lab/bss/bss_value.h"

#define FEATURE_GIGABIT 0x02
#define UNIT            100u
#define UNITS_MAX       65535u
#define FULL_MAX        255u
#define BUSY_LEAST_NS   (100 * MS_IN_NS) // a meter's reading needs as much,
#define SLOTS_LEAST     50               // or with a radio so many slots: one of them for a second

#define R_UNKNOWN_BIT_PER_S 48000 // of a cell that delivers at once

// ---- Meters ----

void bss_meter_set(struct bss_meter *meter, bool busy, uint64_t now_ns)
{
    meter->moved = true;
    if (meter->busy == busy)
        return;
    if (meter->busy)
        meter->busy_ns += now_ns - meter->since_ns;
    meter->busy = busy;
    meter->since_ns = now_ns;
}

static void read_time(struct bss_meter *meter, uint64_t now_ns)
{
    if (meter->busy) {
        meter->busy_ns += now_ns - meter->since_ns;
        meter->since_ns = now_ns;
    }
    if (meter->busy_ns >= BUSY_LEAST_NS) {
        unsigned __int128 bits = (unsigned __int128)meter->octets * OCTETS_IN_BITS * S_IN_NS;
        meter->r_bit_per_s = (uint64_t)(bits / meter->busy_ns);
        if (meter->r_bit_per_s == 0)
            meter->r_bit_per_s = 1;
        meter->octets = meter->busy_ns = 0;
    }
}

static bool read_slots(struct bss_meter *meter, struct radio_use use)
{
    struct radio_use since = radio_use_since(use, meter->use);
    if (since.slots < SLOTS_LEAST)
        return false;
    meter->use = use;
    meter->read = since;
    return true;
}

// While calls have all slots, the last R holds.
static void set_r(struct bss_meter *meter, uint64_t r_bit_per_s)
{
    if (r_bit_per_s)
        meter->r_bit_per_s = r_bit_per_s;
}

void bss_meter_read_cell(struct bss_cell *cell, uint64_t now_ns)
{
    struct bss_meter *meter = &cell->meter;
    if (!cell->radio) {
        read_time(meter, now_ns);
        return;
    }
    read_slots(meter, radio_cell_use(cell->radio, RADIO_DOWN));
    if (meter->read.slots)
        set_r(meter, radio_cell_carries_bit_per_s(cell->radio, RADIO_DOWN, meter->read));
}

void bss_meter_read_ms(struct bss_buffer *buffer, uint64_t now_ns)
{
    struct radio *radio = buffer->cell->radio;
    struct bss_meter *meter = &buffer->meter;
    if (!radio)
        read_time(meter, now_ns);
    else if (buffer->ms && read_slots(meter, radio_ms_use(radio, buffer->air, RADIO_DOWN)))
        set_r(meter, radio_ms_carries_bit_per_s(radio, meter->read));
}

// ---- Values ----

uint64_t bss_value_octets(uint64_t r_bit_per_s, uint64_t ns)
{
    return (uint64_t)((unsigned __int128)r_bit_per_s * ns / (OCTETS_IN_BITS * S_IN_NS));
}

uint8_t bss_value_granularity(const struct bss *bss, uint64_t largest)
{
    uint8_t granularity = 0;
    uint64_t unit = UNIT;
    for (; (bss->extended & FEATURE_GIGABIT) && granularity < 3 && largest / unit > UNITS_MAX;
         unit *= 10)
        granularity++;
    return granularity;
}

uint64_t bss_value_rounded(uint64_t value, uint8_t granularity)
{
    uint64_t unit = UNIT;
    while (granularity--)
        unit *= 10;
    uint64_t units = value / unit;
    if (units == 0 && value)
        units = 1;
    return (units > UNITS_MAX ? UNITS_MAX : units) * unit;
}

uint8_t bss_value_full(uint64_t octets, uint64_t bmax_octets)
{
    uint64_t percent = octets * 100 / bss_value_larger(bmax_octets, 1);
    return (uint8_t)(percent > FULL_MAX ? FULL_MAX : percent);
}

// What the radio carries; while calls have all of it, what it carried before.
static uint64_t offered_r(struct bss_cell *cell)
{
    uint64_t r = cell->radio ? radio_cell_rate_bit_per_s(cell->radio, RADIO_DOWN)
                             : cell->config.rate_bit_per_s;
    if (r)
        cell->offered_bit_per_s = r;
    return cell->offered_bit_per_s ? cell->offered_bit_per_s : R_UNKNOWN_BIT_PER_S;
}

uint64_t bss_value_cell_r(struct bss_cell *cell)
{
    const struct bss_cell_config *config = &cell->config;
    if (config->flow_measured && cell->meter.r_bit_per_s)
        return cell->meter.r_bit_per_s;
    return config->r_bit_per_s ? config->r_bit_per_s : offered_r(cell);
}

// What the slots carry that an MS may have.
static uint64_t ms_slots_r(const struct bss_cell *cell)
{
    if (cell->config.flow_measured && cell->meter.read.slots)
        return radio_any_ms_carries_bit_per_s(cell->radio, RADIO_DOWN, cell->meter.read);
    return radio_ms_rate_bit_per_s(cell->radio, RADIO_DOWN);
}

uint64_t bss_value_ms_r(struct bss_cell *cell)
{
    if (cell->config.ms_r_bit_per_s)
        return cell->config.ms_r_bit_per_s;
    uint64_t r = bss_value_cell_r(cell), own = cell->radio ? ms_slots_r(cell) : r;
    return own && own < r ? own : r; // 0: a reading of repetitions alone
}

uint64_t bss_value_ms_bmax(const struct bss_cell *cell, uint64_t r_bit_per_s)
{
    const struct bss_cell_config *config = &cell->config;
    return bss_value_larger(config->ms_bmax_octets
                                ? config->ms_bmax_octets
                                : bss_value_octets(r_bit_per_s, config->ms_bmax_ns),
                            1);
}

bool bss_said_same(const struct bss_said *a, const struct bss_said *b)
{
    return a->r_bit_per_s == b->r_bit_per_s && a->bmax_octets == b->bmax_octets &&
           a->ms_r_bit_per_s == b->ms_r_bit_per_s && a->ms_bmax_octets == b->ms_bmax_octets;
}

void bss_said_say(struct bss_said *said, const struct bss_said *values, uint64_t now_ns)
{
    uint8_t tag = (uint8_t)(said->tag + 1);
    *said = *values;
    said->tag = tag;
    said->at_ns = now_ns;
    said->ever = true;
    said->acknowledged = false;
}
