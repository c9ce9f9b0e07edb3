// What the files of gi_half.h share.
#ifndef SLUICE_GI_HALF_PARTS_H
#define SLUICE_GI_HALF_PARTS_H

#include "lab/captures/gi/gi_half.h"

#define GI_HALF_ROOM_KEPT 8 // records

// Flags of a record.
#define GI_RECORD_DATA    1  // not SYN or FIN alone
#define GI_RECORD_SACKED  2  // acknowledged selectively
#define GI_RECORD_MISSING 4  // sent again while SACK said that it was missing
#define GI_RECORD_FILLER  8  // came into a hole
#define GI_RECORD_AGAIN   16 // was sent again
#define GI_RECORD_FIN     32 // FIN alone
#define GI_RECORD_CLOSES  64 // ends with a FIN, with data or alone

// Numbers are compared modulo 2^32.
static inline bool gi_half_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

static inline uint32_t gi_half_us(uint64_t time_ns)
{
    return (uint32_t)(time_ns / 1000);
}

static inline void gi_half_more(uint16_t *count, uint32_t n)
{
    *count = (uint16_t)(*count + n < UINT16_MAX ? *count + n : UINT16_MAX);
}

static inline struct gi_record *gi_half_record(const struct gi_half *half, uint32_t i)
{
    return half->record + half->begin + i;
}

// Did the first pass later than the second? Both less than 71 minutes ago; half of that would do
// for gi_half_after, and users are silent for longer.
static inline bool gi_half_later(uint32_t us, uint32_t than_us, uint32_t now_us)
{
    return now_us - us < now_us - than_us;
}

// The first record that ends behind that number.
uint32_t gi_half_find(const struct gi_half *half, uint32_t sequence);

// What an ACK covers.
struct gi_covered {
    uint32_t from, to; // sequence numbers
    uint32_t n, late;  // records; those that were sent again or came into a hole
    uint32_t late_us;  // when the last of those did
    uint32_t passed;   // octets of them
    uint32_t now_us, least_us;
    bool has_echo, data;
    uint32_t echo;
};

// ---- Round trips: gi_half_trip.c ----

// The sample of an ACK of these: looked for before it is said what was lost of them, taken after
// it. before: none of it, but one of something before it, for which it had to wait.
enum gi_sending {
    GI_SENDING_NONE,
    GI_SENDING_FIRST,
    GI_SENDING_LAST,
    GI_SENDING_BEFORE,
    GI_SENDING_UNSURE
};
struct gi_trip {
    enum gi_sending sending; // which one the receiver had
    bool once, karn, fin;
    uint32_t now_us, first_us, last_us;
};
struct gi_trip gi_half_trip(const struct gi_half *half, const struct gi_covered *covered,
                            const struct gi_receiver *receiver);
void gi_half_trip_look(struct gi_half *half, const struct gi_receiver *receiver);
void gi_half_trip_take(struct gi_half *half, const struct gi_trip *trip,
                       const struct gi_receiver *receiver);
// A segment that has come, by SACK; one that has come twice.
void gi_half_trip_came(const struct gi_receiver *receiver, const struct gi_record *record);
void gi_half_trip_twice(struct gi_half *half, const struct gi_receiver *receiver);

// ---- Late segments: gi_half_late.c ----

// It begins behind what has passed.
void gi_half_late_open(struct gi_half *half, const struct gi_packet *packet, uint32_t upstream_us,
                       struct gi_records *records);
// It came into a hole, so long after that was seen.
void gi_half_late_fill(struct gi_half *half, const struct gi_packet *packet, uint32_t waited_us,
                       uint32_t upstream_us, struct gi_records *records);
// It had passed.
void gi_half_late_again(struct gi_half *half, const struct gi_packet *packet,
                        const struct gi_records *records);
void gi_half_late_end(struct gi_half *half, uint32_t upstream_us, struct gi_records *records);

// ---- Verdicts ----

// n segments of that number.
void gi_half_judged(struct gi_half *half, const struct gi_records *records, enum gi_verdict verdict,
                    uint32_t sequence, uint32_t n);

// One verdict takes the place of another.
void gi_half_rejudged(struct gi_half *half, const struct gi_records *records,
                      enum gi_verdict verdict, enum gi_verdict instead, uint32_t sequence);

// There are no records.
void gi_half_empty(struct gi_half *half, struct gi_records *records);

#endif
