// See rr.h.
#include "lab/live/bts/rr.h"

#include "dataplane/wire/bytes.h"
#include "lab/live/bts/bits.h"

#define IMMEDIATE_ASSIGNMENT 0x3f
#define IMMEDIATE_REJECT     0x3a
#define PAGING_REQUEST_1     0x21
#define RR_DISCRIMINATOR     0x06

// Behind TLLI: 44.018 10.5.2.16, Packet Downlink Assignment.
static int take_rest_down(struct bits *bits, struct rr *rr)
{
    rr->tlli = (uint32_t)bits_take(bits, 32);
    if (!bits_flag(bits))
        return wire_fault(WIRE_EXTENSION, 16);
    rr->tfi = (uint8_t)bits_take(bits, 5);
    bits_skip(bits, 1); // RLC_MODE
    bits_skip_optional(bits, 4);
    bits_skip(bits, 5);
    if (bits_flag(bits)) // an answer in access bursts
        return wire_fault(WIRE_EXTENSION, 18);
    rr->type = RR_DOWN;
    return 0;
}

// Packet Uplink Assignment. A single block, for an access in two phases, is not asked for.
static int take_rest_up(struct bits *bits, struct rr *rr)
{
    if (!bits_flag(bits))
        return wire_fault(WIRE_EXTENSION, 12);
    rr->tfi = (uint8_t)bits_take(bits, 5);
    bits_skip(bits, 2);
    rr->usf = (uint8_t)bits_take(bits, 3);
    bits_skip(bits, 1);
    bits_skip_optional(bits, 5);
    rr->coding = (uint8_t)bits_take(bits, 2);
    bits_skip(bits, 1);
    bits_skip_optional(bits, 4);
    bits_skip(bits, 5);
    bits_skip_optional(bits, 4);
    if (bits_flag(bits)) // TBF starting time
        return wire_fault(WIRE_EXTENSION, 16);
    rr->type = RR_UP;
    return 0;
}

#define MODE_AT        3
#define CHANNEL_AT     4
#define REFERENCE_AT   7
#define ALLOCATION_AT  11
#define MODE_IS_PACKET 0x10

// The rest octets begin with HH, that is 11 where the padding has 00, and 00 or 01.
static int take_assignment(struct rr *rr, const uint8_t *b)
{
    if (!(b[MODE_AT] & MODE_IS_PACKET))
        return 0;
    if (b[ALLOCATION_AT] != 0) // hopping
        return wire_fault(WIRE_EXTENSION, ALLOCATION_AT);
    struct bits bits = {.at = b, .end = 8 * RR_OCTETS, .next = 8 * (ALLOCATION_AT + 1)};
    rr->slot = b[CHANNEL_AT] & 7;
    rr->burst = b[REFERENCE_AT];
    rr->frame = (uint16_t)(b[REFERENCE_AT + 1] << 8 | b[REFERENCE_AT + 2]);
    int fault = 0;
    switch (bits_take(&bits, 4)) {
    case 0xc:
        fault = take_rest_up(&bits, rr);
        break;
    case 0xd:
        fault = take_rest_down(&bits, rr);
        break;
    default:
        fault = wire_fault(WIRE_EXTENSION, ALLOCATION_AT + 1);
    }
    return !fault && bits.over ? wire_fault(WIRE_TRUNCATED, RR_OCTETS) : fault;
}

// 44.018 9.1.20: four times a request reference and a wait indication.
static int take_rejection(struct rr *rr, const uint8_t *b)
{
    rr->type = RR_REJECT;
    for (uint32_t i = 0; i < RR_REFUSALS; i++) {
        const uint8_t *at = b + CHANNEL_AT + 4 * i;
        rr->refusal[i] = (struct rr_refusal){at[0], (uint16_t)(at[1] << 8 | at[2]), at[3]};
    }
    return 0;
}

#define IDENTITY_AT   4
#define IDENTITY_TYPE 7 // of its first octet
#define IDENTITY_TMSI 4
#define P_TMSI_OCTETS 5
#define TLLI_LOCAL    0xc0000000 // TS 23.003 2.6

// 44.018 9.1.22: the first identity.
static int take_page(struct rr *rr, const uint8_t *b)
{
    if (b[IDENTITY_AT] != P_TMSI_OCTETS || (b[IDENTITY_AT + 1] & IDENTITY_TYPE) != IDENTITY_TMSI)
        return 0;
    rr->type = RR_PAGE;
    rr->tlli = get_be32(b + IDENTITY_AT + 2) | TLLI_LOCAL;
    return 0;
}

int rr_decode(struct rr *rr, const uint8_t b[RR_OCTETS])
{
    *rr = (struct rr){.type = RR_OTHER};
    if (b[1] != RR_DISCRIMINATOR)
        return 0;
    if (b[2] == IMMEDIATE_REJECT)
        return take_rejection(rr, b);
    if (b[2] == PAGING_REQUEST_1)
        return take_page(rr, b);
    return b[2] == IMMEDIATE_ASSIGNMENT ? take_assignment(rr, b) : 0;
}
