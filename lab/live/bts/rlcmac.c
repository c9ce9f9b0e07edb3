// See rlcmac.h. Clauses are those of TS 44.060.
#include "lab/live/bts/rlcmac.h"

#include <string.h>

#include "lab/live/bts/bits.h"

const struct rlcmac_coding rlcmac_coding[RLCMAC_CODINGS] = {{23, 20}, {34, 30}, {40, 36}, {54, 50}};

uint32_t rlcmac_coding_of(uint32_t octets)
{
    uint32_t i = 0;
    while (i < RLCMAC_CODINGS && rlcmac_coding[i].block_octets != octets)
        i++;
    return i;
}

// ---- Downlink ----

// 10.4.4, 10.4.5: RRBP is 13, 17 or 18, 21 or 22, 26 frames, which are 3 to 6 blocks.
struct rlcmac_head rlcmac_head(uint8_t first_octet)
{
    return (struct rlcmac_head){.payload = first_octet >> 6,
                                .polls = first_octet & 8,
                                .after_blocks = (uint8_t)(3 + (first_octet >> 4 & 3)),
                                .usf = first_octet & 7};
}

static void add_piece(struct rlcmac_data *data, const uint8_t *at, uint32_t n, bool ends)
{
    data->piece[data->pieces++] = (struct rlcmac_piece){{at, n}, ends};
}

// 10.4.12 to 10.4.14: an octet of length, M and E for each LLC PDU that ends in the block. Length
// 0: it would end here, but for the length indicator itself, and ends in the next block.
static int decode_pieces(struct rlcmac_data *data, const uint8_t *b, uint32_t end)
{
    uint32_t indicators = 0, at = RLCMAC_DATA_HEAD;
    while (!(b[at - 1] & 1)) // E of the octet before
        if (at++ == end)
            return wire_fault(WIRE_TRUNCATED, at);
    indicators = at - RLCMAC_DATA_HEAD;
    for (uint32_t i = 0; i < indicators; i++) {
        uint8_t indicator = b[RLCMAC_DATA_HEAD + i];
        uint32_t length = indicator >> 2;
        bool last = i == indicators - 1;
        if (length > end - at || data->pieces == RLCMAC_PIECES_MOST - 1)
            return wire_fault(WIRE_LENGTH, RLCMAC_DATA_HEAD + i);
        if ((length == 0 || !(indicator & 2)) && !last)
            return wire_fault(WIRE_RESERVED, RLCMAC_DATA_HEAD + i);
        if (length == 0)
            break;
        add_piece(data, b + at, length, true);
        at += length;
        if (!(indicator & 2)) // M: the rest of the block is filler
            return 0;
    }
    if (at < end)
        add_piece(data, b + at, end - at, data->final && indicators == 0);
    return 0;
}

// 10.2.1
int rlcmac_data_decode(struct rlcmac_data *data, const uint8_t *b, uint32_t n)
{
    uint32_t coding = rlcmac_coding_of(n);
    if (coding == RLCMAC_CODINGS)
        return wire_fault(WIRE_LENGTH, n);
    data->tfi = b[1] >> 1 & 31;
    data->final = b[1] & 1;
    data->bsn = b[2] >> 1;
    data->pieces = 0;
    return decode_pieces(data, b, RLCMAC_DATA_HEAD + rlcmac_coding[coding].data_octets);
}

// 12.10
static void take_tfi(struct bits *bits, struct rlcmac_to *to)
{
    to->by = bits_flag(bits) ? RLCMAC_BY_DOWN_TFI : RLCMAC_BY_UP_TFI;
    to->value = (uint32_t)bits_take(bits, 5);
}

// 0 and a TFI, or 10 and a TLLI. False: addressed in another way.
static bool take_to(struct bits *bits, struct rlcmac_to *to)
{
    if (!bits_flag(bits)) {
        take_tfi(bits, to);
        return true;
    }
    to->by = RLCMAC_BY_TLLI;
    if (bits_flag(bits))
        return false;
    to->value = (uint32_t)bits_take(bits, 32);
    return true;
}

// 12.12
static void skip_timing_advance(struct bits *bits)
{
    bits_skip_optional(bits, 6);
    bits_skip_optional(bits, 7);
}

// 12.8: TSC and an ARFCN. False: hopping.
static bool skip_frequency(struct bits *bits)
{
    if (!bits_flag(bits))
        return true;
    bits_skip(bits, 3);
    bool plain = bits_take(bits, 2) == 0;
    bits_skip(bits, 10);
    return plain;
}

// PAGE_MODE, and the persistence levels that some messages have.
static void skip_page_mode(struct bits *bits, bool has_persistence)
{
    bits_skip(bits, 2);
    if (has_persistence)
        bits_skip_optional(bits, 16);
}

// 11.2.7
static int take_downlink_assignment(struct bits *bits, struct rlcmac_control *c)
{
    skip_page_mode(bits, true);
    if (!take_to(bits, &c->to) || bits_flag(bits))
        return wire_fault(WIRE_EXTENSION, bits->next / 8);
    bits_skip(bits, 3); // MAC_MODE, RLC_MODE
    c->is_new = bits_flag(bits);
    c->slots = (uint8_t)bits_take(bits, 8);
    skip_timing_advance(bits);
    bits_skip_optional(bits, 6);
    if (!skip_frequency(bits))
        return wire_fault(WIRE_EXTENSION, bits->next / 8);
    c->has_tfi = bits_flag(bits);
    if (c->has_tfi)
        c->tfi = (uint8_t)bits_take(bits, 5);
    return 0;
}

// 11.2.29, the dynamic allocation
static int take_allocation(struct bits *bits, struct rlcmac_control *c)
{
    bits_skip(bits, 1);          // extended dynamic allocation
    bits_skip_optional(bits, 5); // P0, PR_MODE
    bits_skip(bits, 1);          // USF_GRANULARITY
    c->has_tfi = bits_flag(bits);
    if (c->has_tfi)
        c->tfi = (uint8_t)bits_take(bits, 5);
    bits_skip_optional(bits, 8); // RLC_DATA_BLOCKS_GRANTED
    if (bits_flag(bits))         // TBF starting time
        return wire_fault(WIRE_EXTENSION, bits->next / 8);
    bool power = bits_flag(bits);
    if (power)
        bits_skip(bits, 4);
    for (uint32_t slot = 0; slot < RLCMAC_SLOTS; slot++) {
        if (!bits_flag(bits))
            continue;
        c->slots |= (uint8_t)(0x80 >> slot);
        c->usf[slot] = (uint8_t)bits_take(bits, 3);
        if (power)
            bits_skip(bits, 5);
    }
    return 0;
}

static int take_uplink_assignment(struct bits *bits, struct rlcmac_control *c)
{
    skip_page_mode(bits, true);
    if (!take_to(bits, &c->to) || bits_flag(bits))
        return wire_fault(WIRE_EXTENSION, bits->next / 8);
    c->coding = (uint8_t)bits_take(bits, 2);
    bits_skip(bits, 1); // TLLI_BLOCK_CHANNEL_CODING
    skip_timing_advance(bits);
    if (!skip_frequency(bits) || bits_take(bits, 2) != 1)
        return wire_fault(WIRE_EXTENSION, bits->next / 8);
    return take_allocation(bits, c);
}

// 11.2.28.1: what stands between the bitmap and TBF_EST, none of which is of use but the TLLI.
static void take_behind_bitmap(struct bits *bits, struct rlcmac_control *c)
{
    c->has_tlli = bits_flag(bits);
    if (c->has_tlli)
        c->tlli = (uint32_t)bits_take(bits, 32);
    if (bits_flag(bits))
        skip_timing_advance(bits);
    if (bits_flag(bits)) { // power control parameters, 12.13
        bits_skip(bits, 4);
        for (uint32_t slot = 0; slot < RLCMAC_SLOTS; slot++)
            bits_skip_optional(bits, 5);
    }
    if (bits_flag(bits)) // extension bits, 12.26
        bits_skip(bits, (uint32_t)bits_take(bits, 6) + 1);
    bits_skip(bits, 1);
    if (!bits_flag(bits)) // additions of R99
        return;
    bits_skip_optional(bits, 2);
    c->may_ask = bits_flag(bits);
}

// 11.2.28
static int take_uplink_ack(struct bits *bits, struct rlcmac_control *c)
{
    skip_page_mode(bits, false);
    bits_skip(bits, 2);
    c->to = (struct rlcmac_to){RLCMAC_BY_UP_TFI, (uint32_t)bits_take(bits, 5)};
    if (bits_flag(bits))
        return wire_fault(WIRE_EXTENSION, bits->next / 8);
    c->coding = (uint8_t)bits_take(bits, 2);
    c->final = bits_flag(bits);
    c->ssn = (uint8_t)bits_take(bits, 7);
    c->bitmap = bits_take(bits, 64);
    take_behind_bitmap(bits, c);
    return 0;
}

// 11.2.12
static int take_polling(struct bits *bits, struct rlcmac_control *c)
{
    skip_page_mode(bits, false);
    return take_to(bits, &c->to) ? 0 : wire_fault(WIRE_EXTENSION, 1);
}

// 11.2.26
static int take_release(struct bits *bits, struct rlcmac_control *c)
{
    skip_page_mode(bits, false);
    if (bits_flag(bits))
        return wire_fault(WIRE_EXTENSION, 1);
    take_tfi(bits, &c->to);
    c->up = bits_flag(bits);
    c->down = bits_flag(bits);
    return 0;
}

// 11.2.1, the first of its reject structures
static int take_reject(struct bits *bits, struct rlcmac_control *c)
{
    skip_page_mode(bits, false);
    c->to.by = RLCMAC_BY_TLLI;
    if (!bits_flag(bits))
        c->to.value = (uint32_t)bits_take(bits, 32);
    else if (bits_flag(bits))
        take_tfi(bits, &c->to);
    else
        return wire_fault(WIRE_EXTENSION, 1);
    if (bits_flag(bits)) {
        c->wait_ms = (uint32_t)bits_take(bits, 8);
        c->wait_ms *= bits_flag(bits) ? 20 : 1000;
    }
    return 0;
}

static int take_nothing(struct bits *bits, struct rlcmac_control *c)
{
    (void)bits;
    (void)c;
    return 0;
}

// Table 11.2.0.1.
static const struct message {
    uint8_t number;
    enum rlcmac_type type;
    int (*take)(struct bits *, struct rlcmac_control *);
} messages[] = {
    {0x02, RLCMAC_DOWNLINK_ASSIGNMENT, take_downlink_assignment},
    {0x04, RLCMAC_POLLING, take_polling},
    {0x08, RLCMAC_RELEASE, take_release},
    {0x09, RLCMAC_UPLINK_ACK, take_uplink_ack},
    {0x0a, RLCMAC_UPLINK_ASSIGNMENT, take_uplink_assignment},
    {0x21, RLCMAC_REJECT, take_reject},
    {0x25, RLCMAC_DUMMY, take_nothing},
};

// 10.3.1: with payload type 2, a second octet of header, and a third one if its last bit is set.
static uint32_t control_at(const uint8_t *b)
{
    if (rlcmac_head(b[0]).payload != RLCMAC_CONTROL_HEAD)
        return 1;
    return b[1] & 1 ? 3 : 2;
}

int rlcmac_control_decode(struct rlcmac_control *control, const uint8_t *b, uint32_t n)
{
    *control = (struct rlcmac_control){.type = RLCMAC_OTHER};
    if (n != RLCMAC_CONTROL_OCTETS)
        return wire_fault(WIRE_LENGTH, n);
    struct bits bits = {.at = b, .end = 8 * n, .next = 8 * control_at(b)};
    uint8_t number = (uint8_t)bits_take(&bits, 6);
    for (uint32_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        if (messages[i].number != number)
            continue;
        control->type = messages[i].type;
        int fault = messages[i].take(&bits, control);
        return !fault && bits.over ? wire_fault(WIRE_TRUNCATED, n) : fault;
    }
    return 0;
}

// ---- Uplink ----

// 10.2.2: no SI, no R, no PI; E is set: no length indicators.
void rlcmac_put_head(const struct rlcmac_up *up, bool has_tlli, uint8_t b[RLCMAC_DATA_HEAD])
{
    b[0] = (uint8_t)(up->countdown << 2);
    b[1] = (uint8_t)(up->tfi << 1 | has_tlli);
    b[2] = (uint8_t)(up->bsn << 1 | 1);
}

// Table 11.2.0.2. Returns where the message goes on.
static uint32_t put_begin(uint8_t *b, uint8_t number)
{
    uint32_t next = 8;
    memset(b, RLCMAC_PADDING, RLCMAC_CONTROL_OCTETS);
    b[0] = RLCMAC_CONTROL << 6;
    bits_put(b, &next, number, 6);
    return next;
}

#define PEAK_THROUGHPUT 1
#define C_VALUE         40 // of 63; a radio without noise

// 12.7: RLC in acknowledged mode, the first block is not an LLC SACK or ACK
static void put_request(uint8_t *b, uint32_t *next, uint16_t octets)
{
    bits_put(b, next, PEAK_THROUGHPUT, 4);
    bits_put(b, next, 0, 2 + 1);
    bits_put(b, next, 1, 1);
    bits_put(b, next, octets, 16);
}

// 11.2.6: the quality report has no interference levels.
void rlcmac_put_down_ack(const struct rlcmac_down_ack *ack, uint8_t b[RLCMAC_CONTROL_OCTETS])
{
    uint32_t next = put_begin(b, 0x02);
    bits_put(b, &next, ack->tfi, 5);
    bits_put(b, &next, ack->final, 1);
    bits_put(b, &next, ack->ssn, 7);
    bits_put(b, &next, ack->bitmap, 64);
    bits_put(b, &next, ack->asks, 1);
    if (ack->asks)
        put_request(b, &next, ack->ask_octets);
    bits_put(b, &next, C_VALUE, 6);
    bits_put(b, &next, 0, 3 + 6 + 8);
}

// 11.2.2: the message came in one block.
void rlcmac_put_control_ack(uint32_t tlli, uint8_t b[RLCMAC_CONTROL_OCTETS])
{
    uint32_t next = put_begin(b, 0x01);
    bits_put(b, &next, tlli, 32);
    bits_put(b, &next, 3, 2);
}

// 11.2.16: no access type, no capability, no change mark, no interference levels.
void rlcmac_put_resource_request(uint32_t tlli, uint16_t octets, uint8_t b[RLCMAC_CONTROL_OCTETS])
{
    uint32_t next = put_begin(b, 0x05);
    bits_put(b, &next, 0, 1);
    bits_put(b, &next, 1, 1);
    bits_put(b, &next, tlli, 32);
    bits_put(b, &next, 0, 1);
    put_request(b, &next, octets);
    bits_put(b, &next, 0, 1);
    bits_put(b, &next, C_VALUE, 6);
    bits_put(b, &next, 0, 1 + 8);
}

// 11.2.8b
void rlcmac_put_dummy(uint32_t tlli, uint8_t b[RLCMAC_CONTROL_OCTETS])
{
    uint32_t next = put_begin(b, 0x03);
    bits_put(b, &next, tlli, 32);
}
