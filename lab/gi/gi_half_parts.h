// What gi_half.c and gi_half_ack.c share.
#ifndef SLUICE_GI_HALF_PARTS_H
#define SLUICE_GI_HALF_PARTS_H

#include "lab/gi/gi_half.h"

// Flags of a record.
#define GI_RECORD_DATA    1  // not SYN or FIN alone
#define GI_RECORD_SACKED  2  // acknowledged selectively
#define GI_RECORD_MISSING 4  // sent again while SACK said that it was missing
#define GI_RECORD_FILLER  8  // came into a hole
#define GI_RECORD_AGAIN   16 // was sent again

// Numbers are compared modulo 2^32.
static inline bool gi_half_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

static inline uint32_t gi_half_us(uint64_t time_ns)
{
    return (uint32_t)(time_ns / 1000);
}

static inline struct gi_record *gi_half_record(const struct gi_half *half, uint32_t i)
{
    return half->record + half->begin + i;
}

// The first record that ends behind that number.
uint32_t gi_half_find(const struct gi_half *half, uint32_t sequence);

// n segments of that number.
void gi_half_judged(struct gi_half *half, const struct gi_records *records, enum gi_verdict verdict,
                    uint32_t sequence, uint32_t n);

void gi_half_drop_first(struct gi_half *half, uint32_t n, struct gi_records *records);

#endif
