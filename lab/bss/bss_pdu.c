// The memory of LLC PDUs, in rooms of three sizes that are reused; and the books: what came in is
// out, lost, handed over or held, in the BSS and in each cell.
#include <string.h>

#include "lab/bss/bss_parts.h"
#include "lab/engine/need.h"

static const uint32_t room_octets[BSS_ROOMS] = {128, 640, 1600};

struct bss_pdu *bss_pdu_make(struct bss *bss, struct octets llc, uint64_t tag)
{
    uint8_t room = 0;
    while (room < BSS_ROOMS && llc.n > room_octets[room])
        room++;
    struct bss_pdu *pdu = room < BSS_ROOMS ? bss->free[room] : NULL;
    if (pdu)
        bss->free[room] = pdu->next;
    else
        pdu = need(malloc(sizeof *pdu + (room < BSS_ROOMS ? room_octets[room] : llc.n)));
    memset(pdu, 0, sizeof *pdu);
    pdu->room = room;
    pdu->octets = llc.n;
    pdu->tag = tag;
    memcpy(pdu->llc, llc.at, llc.n);
    return pdu;
}

void bss_pdu_free(struct bss *bss, struct bss_pdu *pdu)
{
    if (pdu->room == BSS_ROOMS) {
        free(pdu);
        return;
    }
    pdu->next = bss->free[pdu->room];
    bss->free[pdu->room] = pdu;
}

void bss_pdu_release(struct bss *bss)
{
    for (uint32_t room = 0; room < BSS_ROOMS; room++)
        for (struct bss_pdu *pdu = bss->free[room], *next; pdu; pdu = next) {
            next = pdu->next;
            free(pdu);
        }
}

// ---- Books ----

static void add(struct bss_tally *tally, uint32_t octets, int sign)
{
    tally->pdus += (uint64_t)(int64_t)sign;
    tally->octets += (uint64_t)((int64_t)octets * sign);
}

#define BOOK(bss, item, member, sign)                                 \
    do {                                                              \
        add(&(bss)->counters.traffic.member, (item)->octets, sign);   \
        if ((item)->cell)                                             \
            add(&(item)->cell->traffic.member, (item)->octets, sign); \
    } while (0)

void bss_book_in(struct bss *bss, const struct bss_item *item, enum bss_way way)
{
    BOOK(bss, item, in[way], 1);
}

void bss_book_held(struct bss *bss, const struct bss_item *item, enum bss_way way, int sign)
{
    BOOK(bss, item, held[way], sign);
}

void bss_book_out(struct bss *bss, const struct bss_item *item, enum bss_way way)
{
    BOOK(bss, item, out[way], 1);
}

void bss_book_over(struct bss *bss, const struct bss_item *item, int sign)
{
    BOOK(bss, item, over, sign);
}

void bss_book_lost(struct bss *bss, const struct bss_item *item, enum bss_loss why, uint64_t now_ns)
{
    BOOK(bss, item, lost[why], 1);
    bss->tag = item->tag;
    if (bss->owner.lost)
        bss->owner.lost(bss->owner.self, item->tlli, bss_loss_way(why), item->llc, item->octets,
                        why, now_ns);
}
