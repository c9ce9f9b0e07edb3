// The leaky bucket of TS 48.018 8.2.3.2, exact: the level B is in units of 1e-7 bit, the amount
// that a rate of 100 bit/s, the unit of R on the wire, leaks in a nanosecond. So there are no
// remainders. A PDU of L octets at Tc: B* = max(B - leaked, 0) + L; it conforms if B* <= Bmax or
// the bucket had run empty (so a PDU larger than Bmax can go); else it waits until Te = Tp + (B + L
// - max(Bmax, L)) * 8 / R. R = 0 is a stop.
//
// The bucket of an MS on defaults leaks at its cell's default rate, which changes for all such MSs
// at once: the cell keeps the integral of that rate over time (struct leak), and the bucket stores
// that integral in place of time and rate.
#ifndef SLUICE_SCHED_BUCKET_H
#define SLUICE_SCHED_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/units.h"

#define BUCKET_UNITS_AN_OCTET 80000000ULL
#define BUCKET_RATE_BIT_PER_S 100ULL     // the unit of a rate
#define BUCKET_UNLIMITED      UINT32_MAX // as a rate: there is no bucket
#define BUCKET_RATE_MAX       65535000u  // 65535 x 100 000 bit/s, the most on the wire

// Bmax and R as the BSS sent them.
struct bucket_terms {
    uint32_t rate; // in 100 bit/s
    uint32_t max_octets;
};

struct bucket {
    uint64_t level; // B at at_ns
    uint64_t at_ns; // Tp; on defaults the low half of the integral at that time
    uint32_t rate;  // R; on defaults the high part of that integral
    uint32_t max_octets;
};

// A default rate over time, and the integral of its leak since the beginning.
struct leak {
    unsigned __int128 leaked; // until since_ns
    uint64_t since_ns;
    struct bucket_terms terms;
};

// The level after a leak: an empty bucket banks no credit.
static inline uint64_t bucket_after(uint64_t level, unsigned __int128 leaked)
{
    return leaked < level ? level - (uint64_t)leaked : 0;
}

static inline uint64_t bucket_level(const struct bucket *b, uint64_t now_ns)
{
    return bucket_after(b->level, (unsigned __int128)b->rate * (now_ns - b->at_ns));
}

// The highest level at which a PDU conforms; 0 for a PDU larger than Bmax.
static inline uint64_t bucket_room(struct bucket_terms terms, uint32_t octets)
{
    uint32_t most = terms.max_octets > octets ? terms.max_octets : octets;
    return (most - octets) * BUCKET_UNITS_AN_OCTET;
}

static inline bool bucket_conforms(uint64_t level, struct bucket_terms terms, uint32_t octets)
{
    if (terms.rate == BUCKET_UNLIMITED)
        return true;
    return (terms.rate != 0) & (level <= bucket_room(terms, octets));
}

// The time at which a PDU conforms, now or later; TIME_NEVER for R = 0.
static inline uint64_t bucket_conforms_at(uint64_t level, struct bucket_terms terms,
                                          uint32_t octets, uint64_t now_ns)
{
    if (terms.rate == 0)
        return TIME_NEVER;
    uint64_t room = bucket_room(terms, octets);
    if (terms.rate == BUCKET_UNLIMITED || level <= room)
        return now_ns;
    return now_ns + (level - room + terms.rate - 1) / terms.rate;
}

static inline struct bucket_terms bucket_terms(const struct bucket *b)
{
    return (struct bucket_terms){b->rate, b->max_octets};
}

static inline void bucket_charge(struct bucket *b, uint64_t level, uint32_t octets, uint64_t now_ns)
{
    b->level = level + octets * BUCKET_UNITS_AN_OCTET;
    b->at_ns = now_ns;
}

// Sets new values: the past leaks at the old rate. A bucket after BUCKET_UNLIMITED begins empty.
static inline void bucket_set(struct bucket *b, struct bucket_terms terms, uint64_t now_ns)
{
    b->level = b->rate == BUCKET_UNLIMITED ? 0 : bucket_level(b, now_ns);
    b->at_ns = now_ns;
    b->rate = terms.rate;
    b->max_octets = terms.max_octets;
}

// The level for a bucket-full ratio, in per cent of Bmax; it may exceed 100.
static inline uint64_t bucket_level_of_ratio(uint32_t max_octets, uint32_t percent)
{
    return (uint64_t)max_octets * percent * (BUCKET_UNITS_AN_OCTET / 100);
}

static inline unsigned __int128 leak_total(const struct leak *leak, uint64_t now_ns)
{
    if (leak->since_ns == now_ns)
        return leak->leaked;
    return leak->leaked + (unsigned __int128)leak->terms.rate * (now_ns - leak->since_ns);
}

// Brings the integral up to now_ns; further calls at the same instant do nothing.
static inline void leak_follow(struct leak *leak, uint64_t now_ns)
{
    if (leak->since_ns == now_ns)
        return;
    leak->leaked = leak_total(leak, now_ns);
    leak->since_ns = now_ns;
}

static inline void leak_set(struct leak *leak, struct bucket_terms terms, uint64_t now_ns)
{
    leak_follow(leak, now_ns);
    leak->terms = terms;
}

// Reads and writes the level of a bucket on defaults; the 96 bits of its integral never overflow.
static inline uint64_t bucket_default_level(const struct bucket *b, const struct leak *leak,
                                            uint64_t now_ns)
{
    unsigned __int128 then = (unsigned __int128)b->rate << 64 | b->at_ns;
    return bucket_after(b->level, leak_total(leak, now_ns) - then);
}

static inline void bucket_default_set(struct bucket *b, const struct leak *leak, uint64_t level,
                                      uint64_t now_ns)
{
    unsigned __int128 total = leak_total(leak, now_ns);
    b->level = level;
    b->at_ns = (uint64_t)total;
    b->rate = (uint32_t)(total >> 64);
}

// The part of Bmax that is used: the octets that the BSS sends in `delay_ns` and the largest PDU
// that can come, so that the queue stays here, under the AQM; or least_octets if that is more.
// delay_ns 0: all of Bmax.
static inline struct bucket_terms bucket_effective(struct bucket_terms terms, uint64_t delay_ns,
                                                   uint32_t pdu_octets, uint32_t least_octets)
{
    unsigned __int128 units = (unsigned __int128)terms.rate * delay_ns;
    unsigned __int128 octets = units / BUCKET_UNITS_AN_OCTET + pdu_octets;
    octets = octets > least_octets ? octets : least_octets;
    if (delay_ns != 0 && terms.rate != BUCKET_UNLIMITED && octets < terms.max_octets)
        terms.max_octets = (uint32_t)octets;
    return terms;
}

#endif
