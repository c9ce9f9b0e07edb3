// PAGING-PS (TS 48.018 7.1, 10.3.1) and FLUSH-LL (8.1, 10.4.1).
#include "lab/bss/bss_parts.h"

enum { DELETED, TRANSFERRED };

// ---- PAGING-PS ----

#define LOCAL_TLLI 0xc0000000u // of a P-TMSI (TS 23.003 2.6)

static bool same_lai(const struct bssgp_area *a, const struct bssgp_area *b)
{
    return a->mcc == b->mcc && a->mnc == b->mnc && a->mnc_digits == b->mnc_digits &&
           a->lac == b->lac;
}

static bool is_paged(const struct bss_cell *cell, const struct bssgp_paging_ps *pdu)
{
    if (pdu->has_bvci)
        return cell->config.bvci == pdu->bvci;
    if (pdu->has_location_area)
        return same_lai(&cell->config.identity, &pdu->location_area);
    if (pdu->has_routeing_area)
        return same_lai(&cell->config.identity, &pdu->routeing_area) &&
               cell->config.identity.rac == pdu->routeing_area.rac;
    return true;
}

static struct bss_ms *paged_ms(struct bss *bss, const struct bssgp_paging_ps *pdu)
{
    struct bss_ms *ms = pdu->has_p_tmsi ? bss_ms_find(bss, pdu->p_tmsi | LOCAL_TLLI) : NULL;
    return ms ? ms : bss_ms_find_imsi(bss, &pdu->imsi);
}

void bss_page_input(struct bss *bss, const struct bssgp_paging_ps *pdu, uint64_t now_ns)
{
    struct bss_ms *ms = paged_ms(bss, pdu);
    if (ms && is_paged(ms->buffer->cell, pdu) && !engine_timer_is_set(&ms->page))
        engine_set(bss->engine, &ms->page, now_ns + bss->config.page_answer_ns);
}

// ---- FLUSH-LL ----

// Where the LLC PDUs go: the MS's buffer in the new cell, which may be another BSS's. NULL:
// nowhere.
static struct bss_buffer *target_of(struct bss *bss, const struct bssgp_flush_ll *pdu)
{
    struct bss *there = bss;
    if (!pdu->has_new_bvci || bss->config.flush != BSS_FLUSH_TRANSFER)
        return NULL;
    if (pdu->has_nsei && pdu->nsei != bss->config.nsei)
        there = bss->owner.neighbour ? bss->owner.neighbour(bss->owner.self, pdu->nsei) : NULL;
    struct bss_cell *cell = there ? bss_cell_find(there, pdu->new_bvci) : NULL;
    struct bss_buffer *buffer = cell ? bss_buffer_find(there, cell, pdu->tlli) : NULL;
    return buffer && buffer->ms && bss_bvc_takes(cell) ? buffer : NULL;
}

static void answer(struct bss *bss, const struct bssgp_flush_ll *pdu, bool transferred,
                   uint32_t octets, uint64_t now_ns)
{
    struct bssgp_flush_ll_ack ack = {
        .tlli = pdu->tlli, .action = transferred ? TRANSFERRED : DELETED, .octets = octets};
    ack.has_new_bvci = transferred;
    ack.new_bvci = pdu->new_bvci;
    ack.has_nsei = transferred && pdu->has_nsei;
    ack.nsei = pdu->nsei;
    bss_send(bss, 0, BSSGP_FLUSH_LL_ACK_TYPE, &ack, now_ns);
}

// The acknowledgement counts what was deleted or transferred; LLC-DISCARDED says nothing of it.
void bss_flush_input(struct bss *bss, const struct bssgp_flush_ll *pdu, uint64_t now_ns)
{
    struct bss_cell *old = bss_cell_find(bss, pdu->old_bvci);
    struct bss_buffer *from = old ? bss_buffer_find(bss, old, pdu->tlli) : NULL;
    if (!old) {
        bss_fault(bss, "FLUSH-LL", "names an unknown BVC", 0, now_ns);
        return;
    }
    if (bss->config.flush == BSS_FLUSH_SILENT)
        return;
    struct bss_buffer *to = target_of(bss, pdu);
    uint32_t octets = from ? from->octets : 0;
    answer(bss, pdu, to != NULL, octets, now_ns);
    if (!from || from == to)
        return;
    if (to)
        bss_buffer_pass(from, to, now_ns);
    else
        bss_buffer_lose_all(from, BSS_LOST_flushed, now_ns);
    engine_cancel(bss->engine, &from->absent);
    bss_buffer_free_idle(from, now_ns);
}
