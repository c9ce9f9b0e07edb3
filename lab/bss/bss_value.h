// The values of flow control: what is measured, what the configuration makes of it, and how it is
// put into units. Sizes and rates are rounded down to the unit, and are at least one unit unless
// they are 0. The unit is 100, or with the feature Gigabit the smallest that can say all values of
// the PDU; without it values stop at 65535 units.
#ifndef SLUICE_LAB_BSS_VALUE_H
#define SLUICE_LAB_BSS_VALUE_H

#include "lab/bss/bss_parts.h"

static inline uint64_t bss_value_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Octets that R sends in that time.
uint64_t bss_value_octets(uint64_t r_bit_per_s, uint64_t ns);

// The granularity for a PDU with that largest value; a value in it; a bucket full ratio.
uint8_t bss_value_granularity(const struct bss *bss, uint64_t largest);
uint64_t bss_value_rounded(uint64_t value, uint8_t granularity);
uint8_t bss_value_full(uint64_t octets, uint64_t bmax_octets);

// R of the cell and of an MS without one of its own; Bmax of an MS with that R. In bit/s and
// octets.
uint64_t bss_value_cell_r(struct bss_cell *cell);
uint64_t bss_value_ms_r(struct bss_cell *cell);
uint64_t bss_value_ms_bmax(const struct bss_cell *cell, uint64_t r_bit_per_s);

// Whether the same values were said; they are said now, with the next tag.
bool bss_said_same(const struct bss_said *a, const struct bss_said *b);
void bss_said_say(struct bss_said *said, const struct bss_said *values, uint64_t now_ns);

// Sets the timer of a FLOW-CONTROL to the first time at which C lets it be sent.
void bss_flow_soon(struct engine *engine, struct engine_timer *timer, const struct bss_said *said,
                   uint64_t interval_ns, uint64_t now_ns);

#endif
