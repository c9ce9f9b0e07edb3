// The Gb receiver's state, and a frame on its way up through the layers. For its files alone.
#ifndef TESTS_ORACLE_GB_RECEIVER_STATE_H
#define TESTS_ORACLE_GB_RECEIVER_STATE_H

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
    bool options_expected;
    size_t options_n;
    uint8_t options[GB_OPTIONS_MAX];
};

struct ms {
    struct ms *next; // in its bucket
    uint32_t tlli;
    uint32_t next_ui[16]; // by SAPI: N(U) of the next UI frame, plus OC
    struct context contexts[CONTEXTS];
};

struct gb_receiver {
    void (*deliver)(void *ctx, const struct gb_npdu *npdu);
    void (*seen)(void *ctx, const struct gb_npdu *frame);
    void *ctx;
    struct ip_reader ip;
    struct gb_receiver_counters counters;
    bool unfinished; // N-PDUs are allowed
    bool uplink;     // the LLC PDUs are those of MSs
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
    const uint8_t *options;
    size_t options_n;
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

// gb_receiver_mss.c: the MS of a TLLI, NULL if there is none (or no room for one more).
struct ms *gb_receiver_ms(const struct gb_receiver *r, uint32_t tlli);
struct ms *gb_receiver_ms_or_new(struct gb_receiver *r, uint32_t tlli);
void gb_receiver_discard(struct gb_receiver *r, struct context *c);

// gb_receiver_llc.c: the layer.
enum gb_error gb_receiver_llc_open(struct frame *f);

#endif
