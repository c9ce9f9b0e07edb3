// What the files of the Gb receiver share: its state, and a frame on its way up through the layers.
// For them alone.
#ifndef TESTS_ORACLE_GB_RECEIVER_PARTS_H
#define TESTS_ORACLE_GB_RECEIVER_PARTS_H

#include "tests/oracle/gb_receiver.h"

#define BUCKETS     512
#define NSAPI_FIRST 5
#define CONTEXTS    11
#define NU_COUNT    512

#define REQUIRE(condition, error)  \
    do {                           \
        if (!(condition))          \
            return GB_ERR_##error; \
    } while (0)

// One (TLLI, NSAPI): the N-PDU that is being put together, and the number the next one must have.
struct context {
    uint8_t sapi; // 0 until the NSAPI is first seen
    bool open;
    unsigned npdu_number, next_npdu_number, segments;
    size_t len;
    uint8_t octets[GB_NPDU_OCTETS_MAX];
};

struct ms {
    struct ms *next; // in its bucket
    uint32_t tlli;
    uint32_t next_ui[16]; // by SAPI: N(U) of the next UI frame, plus OC
    struct context contexts[CONTEXTS];
};

struct gb_receiver {
    void (*deliver)(void *ctx, const struct gb_npdu *npdu);
    void *ctx;
    struct gb_receiver_counters counters;
    uint32_t fcs_low[16], fcs_high[16]; // what each half of an octet leaves in the register
    gb_decipher *decipher;
    void *decipher_ctx;
    uint8_t clear[GB_N201_U_MAX + 3]; // information and FCS of the frame at hand, deciphered
    unsigned mss;
    struct ms *buckets[BUCKETS]; // by TLLI
};

// One frame on its way up: the octets not yet looked at, and what has been read so far.
struct frame {
    struct gb_receiver *receiver;
    struct ms *ms;
    const uint8_t *at;
    size_t left;
    struct gb_npdu npdu;
    bool first, more;
    uint32_t ui; // N(U) plus OC
    unsigned segment;
};

static inline unsigned be16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static inline void narrow(struct frame *f, const uint8_t *at, size_t octets)
{
    f->at = at;
    f->left = octets;
}

// gb_receiver_llc.c: the tables of the FCS; the MS of a TLLI, NULL if there is none; the layer.
void gb_receiver_fcs_begin(struct gb_receiver *r);
struct ms *gb_receiver_ms(const struct gb_receiver *r, uint32_t tlli);
enum gb_error gb_receiver_llc_open(struct frame *f);

#endif
