// See sender.h.
#include "lab/live/bts/sender.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/bytes.h"
#include "lab/live/bts/pcuif.h"
#include "lab/engine/need.h"

#define TLLI_OCTETS  4
#define COUNTDOWN_NO 15

bool sender_queue(struct sender *sender, const uint8_t *llc, uint32_t octets)
{
    if (octets == 0 || sender->octets + octets > SENDER_QUEUE_MOST)
        return false;
    struct sender_pdu *pdu = need(malloc(sizeof *pdu + octets));
    *pdu = (struct sender_pdu){.octets = octets};
    memcpy(pdu->at, llc, octets);
    if (sender->last)
        sender->last->next = pdu;
    else
        sender->first = pdu;
    sender->last = pdu;
    sender->cutting = sender->cutting ? sender->cutting : pdu;
    sender->pdus++;
    sender->octets += octets;
    return true;
}

uint32_t sender_waiting_octets(const struct sender *sender)
{
    uint32_t octets = 0;
    for (const struct sender_pdu *pdu = sender->cutting; pdu; pdu = pdu->next)
        octets += pdu->cut == 0 ? pdu->octets : 0;
    return octets;
}

uint32_t sender_period_octets(const struct sender *sender)
{
    uint32_t slots = sender->slots ? sender->slots : 1;
    return slots * rlcmac_coding[sender->coding].data_octets;
}

static void drop_first(struct sender *s)
{
    struct sender_pdu *pdu = s->first;
    s->first = pdu->next;
    s->last = s->first ? s->last : NULL;
    s->cutting = s->cutting == pdu ? s->first : s->cutting;
    s->pdus--;
    s->octets -= pdu->octets;
    free(pdu);
}

void sender_release(struct sender *sender)
{
    while (sender->first)
        drop_first(sender);
}

void sender_begin(struct sender *sender, uint8_t tfi, uint8_t coding, uint8_t slots, bool has_tlli,
                  uint32_t tlli)
{
    sender->va = sender->vs = sender->again = 0;
    sender->tfi = tfi;
    sender->coding = coding;
    sender->slots = slots ? slots : 1;
    sender->has_tlli = has_tlli;
    sender->tlli = tlli;
    sender->counts_down = false;
    sender->closed_pdus = 0;
}

// ---- A new block ----

// The PDU to cut next, if it is for this TBF.
static struct sender_pdu *next_pdu(const struct sender *s)
{
    return s->counts_down && s->closed_pdus == 0 ? NULL : s->cutting;
}

static void cut(struct sender *s, uint8_t **to, uint32_t octets)
{
    struct sender_pdu *pdu = s->cutting;
    memcpy(*to, pdu->at + pdu->cut, octets);
    *to += octets;
    pdu->cut += octets;
    if (pdu->cut < pdu->octets)
        return;
    pdu->last = s->vs;
    s->cutting = pdu->next;
    s->closed_pdus -= s->counts_down;
}

// 9.3.1: how many blocks are left (TBC - BSN'), with a length indicator for each PDU but the last,
// which has one only where there is room for it anyway.
static uint32_t blocks_left(const struct sender *s, uint32_t room)
{
    uint32_t octets = 0, pdus = 0;
    for (const struct sender_pdu *p = s->cutting; p && !(s->counts_down && pdus == s->closed_pdus);
         p = p->next, pdus++)
        octets += p->octets - p->cut + (pdus > 0);
    return (octets + room - 1) / room;
}

// 9.3.1: from BS_CV_MAX on the number of blocks that follow, by slots. What the TBF carries is
// settled with the first such number.
static uint8_t countdown(struct sender *s, uint32_t left_before, bool more)
{
    uint32_t left = more ? (left_before > 1 ? left_before - 1 : 1) : 0;
    uint32_t count = (left + s->slots - 1) / s->slots;
    return count <= PCUIF_BS_CV_MAX ? (uint8_t)count : COUNTDOWN_NO;
}

static void close_tbf(struct sender *s)
{
    s->counts_down = true;
    s->closed_pdus = 0;
    for (const struct sender_pdu *p = s->cutting; p; p = p->next)
        s->closed_pdus++;
}

// What goes into the block behind its header: so many of the next PDUs end in it, each with a
// length indicator; whether the PDU behind them begins in it; and whether the next PDU ends with
// the block but for the room of its length indicator, which says 0 then (10.4.14). A single PDU
// that ends with the last block of the TBF needs no length indicator.
struct layout {
    uint32_t ends;
    bool rest, zero;
};

static struct layout lay_out(const struct sender *s, uint32_t room)
{
    struct layout layout = {0};
    const struct sender_pdu *p = s->cutting;
    for (; p && !(s->counts_down && layout.ends == s->closed_pdus); p = p->next) {
        uint32_t left = p->octets - p->cut;
        bool alone = layout.ends == 0 && s->counts_down && s->closed_pdus == 1;
        layout.zero = left == room && room > 0 && !alone;
        layout.rest = room > 0;
        if (left >= room)
            return layout;
        layout.ends++;
        room -= 1 + left;
        layout.rest = false;
    }
    return layout;
}

static uint8_t indicator(uint32_t octets, bool more_data, bool last)
{
    return (uint8_t)(octets << 2 | more_data << 1 | last);
}

// Writes indicators, TLLI and data behind the header.
static void fill(struct sender *s, struct layout layout, uint8_t *b, uint8_t *end)
{
    uint32_t indicators = layout.ends + layout.zero;
    uint8_t *to = b + RLCMAC_DATA_HEAD + indicators, *at = b + RLCMAC_DATA_HEAD;
    if (indicators)
        b[RLCMAC_DATA_HEAD - 1] &= 0xfe; // E
    if (s->has_tlli) {
        put_be32(to, s->tlli);
        to += TLLI_OCTETS;
    }
    for (uint32_t i = 0; i < layout.ends; i++) {
        uint32_t left = s->cutting->octets - s->cutting->cut;
        bool last = i == layout.ends - 1;
        *at++ = indicator(left, !last || layout.rest, last && !layout.zero);
        cut(s, &to, left);
    }
    if (layout.zero)
        *at = indicator(0, false, true);
    if (layout.rest)
        cut(s, &to, (uint32_t)(end - to));
    memset(to, RLCMAC_PADDING, (size_t)(end - to));
}

static void make_block(struct sender *s)
{
    const struct rlcmac_coding *coding = &rlcmac_coding[s->coding];
    struct sender_block *block = &s->block[s->vs % RLCMAC_WINDOW];
    uint32_t room = coding->data_octets - (s->has_tlli ? TLLI_OCTETS : 0);
    uint32_t left = blocks_left(s, room);
    if (!s->counts_down && left <= (uint32_t)PCUIF_BS_CV_MAX * s->slots + 1)
        close_tbf(s);
    struct rlcmac_up up = {.tfi = s->tfi, .bsn = (uint8_t)(s->vs % RLCMAC_BSNS)};
    *block = (struct sender_block){.octets = coding->block_octets, .state = SENDER_PENDING};
    rlcmac_put_head(&up, s->has_tlli, block->at);
    fill(s, lay_out(s, room), block->at, block->at + RLCMAC_DATA_HEAD + coding->data_octets);
    up.countdown = countdown(s, left, next_pdu(s) != NULL);
    block->at[0] = (uint8_t)(up.countdown << 2);
    memset(block->at + RLCMAC_DATA_HEAD + coding->data_octets, RLCMAC_PADDING,
           coding->block_octets - coding->data_octets - RLCMAC_DATA_HEAD);
    s->vs++;
}

// ---- Which block is next: 9.1.3.1 ----

static struct sender_block *nacked(struct sender *s)
{
    for (uint32_t n = s->va; n != s->vs; n++)
        if (s->block[n % RLCMAC_WINDOW].state == SENDER_NACKED)
            return &s->block[n % RLCMAC_WINDOW];
    return NULL;
}

// The blocks that wait for acknowledgement in turn, from the oldest on.
static struct sender_block *pending(struct sender *s)
{
    for (uint32_t tries = s->vs - s->va; tries > 0; tries--) {
        if (s->again < s->va || s->again >= s->vs)
            s->again = s->va;
        struct sender_block *block = &s->block[s->again++ % RLCMAC_WINDOW];
        if (block->state == SENDER_PENDING)
            return block;
    }
    return NULL;
}

struct sender_sent sender_next(struct sender *sender)
{
    struct sender_block *block = nacked(sender);
    if (block) {
        block->state = SENDER_PENDING;
        return (struct sender_sent){block, true};
    }
    if (next_pdu(sender) && sender->vs - sender->va < RLCMAC_WINDOW) {
        make_block(sender);
        return (struct sender_sent){&sender->block[(sender->vs - 1) % RLCMAC_WINDOW], false};
    }
    return (struct sender_sent){pending(sender), true};
}

// ---- The network's report ----

// V(A) goes on to the first block that is not acknowledged; PDUs that end before it are done.
static uint32_t settle(struct sender *s)
{
    uint32_t done = 0;
    while (s->va != s->vs && s->block[s->va % RLCMAC_WINDOW].state == SENDER_ACKED)
        s->va++;
    for (; s->first && s->first->cut == s->first->octets && s->first->last < s->va; done++)
        drop_first(s);
    return done;
}

uint32_t sender_ack(struct sender *sender, uint8_t ssn, uint64_t bitmap)
{
    for (uint32_t n = sender->va; n != sender->vs; n++) {
        struct sender_block *block = &sender->block[n % RLCMAC_WINDOW];
        uint32_t behind = (ssn - n) % RLCMAC_BSNS;
        if (behind == 0 || behind > RLCMAC_WINDOW || block->state == SENDER_ACKED)
            continue;
        block->state = bitmap >> (behind - 1) & 1 ? SENDER_ACKED : SENDER_NACKED;
    }
    return settle(sender);
}

uint32_t sender_end(struct sender *sender, bool acknowledged)
{
    for (uint32_t n = sender->va; acknowledged && n != sender->vs; n++)
        sender->block[n % RLCMAC_WINDOW].state = SENDER_ACKED;
    uint32_t done = settle(sender);
    for (struct sender_pdu *p = sender->first; p && p->cut > 0; p = p->next)
        p->cut = 0;
    sender->cutting = sender->first;
    sender->va = sender->vs = 0;
    sender->counts_down = false;
    return done;
}
