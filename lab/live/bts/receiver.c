// See receiver.h. A block of a coding scheme has at most RLCMAC_BLOCK_MOST octets. A block behind
// V(Q) was received before; one that is ahead by less than the window is new unless V(N) has it.
#include "lab/live/bts/receiver.h"

#include <string.h>

void receiver_begin(struct receiver *receiver)
{
    receiver->vr = receiver->vq = 0;
    receiver->vn = 0;
    receiver->has_final = receiver->over = receiver->too_long = false;
    receiver->pdu_octets = 0;
}

static void append(struct receiver *r, struct octets piece)
{
    uint32_t room = RECEIVER_PDU_MOST - r->pdu_octets, n = piece.n < room ? piece.n : room;
    memcpy(r->pdu + r->pdu_octets, piece.at, n);
    r->pdu_octets += n;
    r->too_long |= n < piece.n;
}

static void take_apart(struct receiver *r, const struct rlcmac_data *data,
                       const struct receiver_owner *owner)
{
    for (uint32_t i = 0; i < data->pieces; i++) {
        append(r, data->piece[i].octets);
        if (!data->piece[i].ends)
            continue;
        owner->pdu(owner->self, r->pdu, r->pdu_octets, r->too_long);
        r->pdu_octets = 0;
        r->too_long = false;
    }
}

// The blocks from V(Q) on that have come; each was decoded without a fault when it came.
static void go_on(struct receiver *r, const struct receiver_owner *owner)
{
    struct rlcmac_data data;
    while (r->vq != r->vr && receiver_has(r, r->vq)) {
        const struct receiver_block *block = &r->block[r->vq % RLCMAC_WINDOW];
        if (rlcmac_data_decode(&data, block->at, block->octets) == 0)
            take_apart(r, &data, owner);
        r->vq = (uint8_t)((r->vq + 1) % RLCMAC_BSNS);
    }
}

// V(R) follows the highest block; V(N) moves with it.
static void note(struct receiver *r, uint8_t bsn)
{
    uint32_t ahead = (bsn - r->vr) % RLCMAC_BSNS;
    if (ahead < RLCMAC_WINDOW) {
        r->vn = ahead + 1 < 64 ? r->vn << (ahead + 1) | 1 : 1;
        r->vr = (uint8_t)((bsn + 1) % RLCMAC_BSNS);
    } else {
        r->vn |= UINT64_C(1) << (RLCMAC_BSNS - ahead - 1);
    }
}

// The network may say only with a repetition that a block was the last one.
static void note_final(struct receiver *r, const struct rlcmac_data *data)
{
    r->has_final |= data->final;
    r->final = data->final ? data->bsn : r->final;
    r->over = r->has_final && r->vq == (r->final + 1) % RLCMAC_BSNS;
}

enum receiver_verdict receiver_take(struct receiver *receiver, const struct rlcmac_data *data,
                                    const uint8_t *b, uint32_t n,
                                    const struct receiver_owner *owner)
{
    bool is_new = (data->bsn - receiver->vq) % RLCMAC_BSNS < RLCMAC_WINDOW &&
                  !receiver_has(receiver, data->bsn);
    if (is_new) {
        struct receiver_block *block = &receiver->block[data->bsn % RLCMAC_WINDOW];
        block->octets = (uint8_t)n;
        memcpy(block->at, b, n);
        note(receiver, data->bsn);
        go_on(receiver, owner);
    }
    note_final(receiver, data);
    return is_new ? RECEIVER_TAKEN : RECEIVER_DUPLICATE;
}
