// The BSC buffer of a TLLI in a cell: a queue for each LLE, so that the order within an LLE stays
// (TS 48.018 8.2), and of the LLEs' first LLC PDUs the one with the lowest rank goes, then the
// oldest. An LLC PDU that has its PDU lifetime behind it is discarded at that instant, unless it is
// on the air.
#include "lab/bss/bss_parts.h"

struct bss_item bss_pdu_item(const struct bss_pdu *pdu)
{
    const struct bss_buffer *buffer = pdu->buffer;
    return (struct bss_item){buffer->cell, buffer->tlli, pdu->llc, pdu->octets, pdu->tag};
}

// ---- Queues ----

// A meter runs while there is something to deliver, and a channel to deliver it by.
void bss_buffer_meter(struct bss_buffer *buffer, uint64_t now_ns)
{
    struct bss_cell *cell = buffer->cell;
    bool busy = buffer->pdus + buffer->air_pdus > 0 && !buffer->no_channel && !cell->no_channel;
    cell->busy_buffers += (uint32_t)busy - (uint32_t)buffer->meter.busy;
    bss_meter_set(&buffer->meter, busy, now_ns);
    bss_meter_set(&cell->meter, cell->busy_buffers > 0, now_ns);
}

void bss_buffer_count(struct bss_buffer *buffer, const struct bss_pdu *pdu, int sign)
{
    buffer->pdus += (uint32_t)sign;
    buffer->octets += (uint32_t)sign * pdu->octets;
    if (pdu->flow.has_pfi)
        for (struct bss_pfc *pfc = buffer->pfcs; pfc; pfc = pfc->next)
            if (pfc->pfi == pdu->flow.pfi)
                pfc->octets += (uint32_t)sign * pdu->octets;
}

void bss_buffer_append(struct bss_buffer *buffer, struct bss_pdu *pdu)
{
    struct bss_queue *queue = &buffer->lle[pdu->sapi];
    pdu->buffer = buffer;
    pdu->next = NULL;
    pdu->before = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = pdu;
    queue->last = pdu;
    buffer->waiting |= (uint16_t)(1u << pdu->sapi);
    bss_buffer_count(buffer, pdu, 1);
}

static void take_out(struct bss_pdu *pdu)
{
    struct bss_buffer *buffer = pdu->buffer;
    struct bss_queue *queue = &buffer->lle[pdu->sapi];
    *(pdu->before ? &pdu->before->next : &queue->first) = pdu->next;
    *(pdu->next ? &pdu->next->before : &queue->last) = pdu->before;
    if (!queue->first)
        buffer->waiting &= (uint16_t) ~(1u << pdu->sapi);
    bss_buffer_count(buffer, pdu, -1);
    engine_cancel(buffer->cell->bss->engine, &pdu->expiry);
}

static bool before(const struct bss_pdu *a, const struct bss_pdu *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->since_ns != b->since_ns ? a->since_ns < b->since_ns : a->order < b->order;
}

static struct bss_pdu *pick(const struct bss_buffer *buffer)
{
    struct bss_pdu *best = NULL;
    for (uint32_t left = buffer->waiting; left; left &= left - 1) {
        struct bss_pdu *pdu = buffer->lle[__builtin_ctz(left)].first;
        if (!best || before(pdu, best))
            best = pdu;
    }
    return best;
}

// ---- Losses ----

// The PDU is in no queue any more.
static void finish_lost(struct bss_pdu *pdu, enum bss_loss why, uint64_t now_ns)
{
    struct bss_buffer *buffer = pdu->buffer;
    struct bss *bss = buffer->cell->bss;
    struct bss_item item = bss_pdu_item(pdu);
    bss_book_held(bss, &item, BSS_DOWN, -1);
    bss_buffer_meter(buffer, now_ns);
    bss_report_loss(buffer->cell, buffer, buffer->tlli, &pdu->flow, pdu->octets, why, now_ns);
    bss_book_lost(bss, &item, why, now_ns);
    bss_pdu_free(bss, pdu);
}

static void land(struct bss_pdu *pdu)
{
    pdu->buffer->air_pdus--;
    pdu->buffer->air_octets -= pdu->octets;
}

void bss_buffer_lose(struct bss_pdu *pdu, enum bss_loss why, uint64_t now_ns)
{
    land(pdu);
    finish_lost(pdu, why, now_ns);
}

void bss_buffer_lose_all(struct bss_buffer *buffer, enum bss_loss why, uint64_t now_ns)
{
    for (struct bss_pdu *pdu = pick(buffer); pdu; pdu = pick(buffer)) {
        take_out(pdu);
        finish_lost(pdu, why, now_ns);
    }
}

static void expire(void *self, uint64_t now_ns)
{
    struct bss_pdu *pdu = self;
    struct bss_buffer *buffer = pdu->buffer;
    take_out(pdu);
    finish_lost(pdu, BSS_LOST_expired, now_ns);
    bss_buffer_free_idle(buffer, now_ns);
}

// ---- In ----

static bool beyond(uint64_t value, uint64_t limit)
{
    return limit && value > limit;
}

// BSS_LOSSES: there is room.
static enum bss_loss full(const struct bss_buffer *buffer, uint32_t octets)
{
    const struct bss_cell_config *limit = &buffer->cell->config;
    const struct bss_tally *held = &buffer->cell->traffic.held[BSS_DOWN];
    if (beyond(buffer->pdus + 1, limit->ms_pdus) ||
        beyond((uint64_t)buffer->octets + octets, limit->ms_octets))
        return BSS_LOST_ms_full;
    if (beyond(held->pdus + 1, limit->cell_pdus) ||
        beyond(held->octets + octets, limit->cell_octets))
        return BSS_LOST_cell_full;
    return BSS_LOSSES;
}

static void set_lifetime(struct bss_pdu *pdu, uint32_t lifetime_ms, uint64_t now_ns)
{
    engine_timer_init(&pdu->expiry, expire, pdu);
    pdu->dies_ns = TIME_NEVER;
    if (lifetime_ms == BSSGP_LIFETIME_INFINITE_MS)
        return;
    pdu->dies_ns = now_ns + lifetime_ms * MS_IN_NS;
    engine_set(pdu->buffer->cell->bss->engine, &pdu->expiry, pdu->dies_ns);
}

void bss_buffer_put(struct bss_buffer *buffer, const struct bssgp_dl_unitdata *dl, uint64_t now_ns)
{
    struct bss_cell *cell = buffer->cell;
    struct bss_item item = {cell, buffer->tlli, dl->llc_pdu.at, dl->llc_pdu.n, cell->bss->in_tag};
    struct bss_flow_id flow = {dl->has_pfi, dl->pfi};
    bss_book_in(cell->bss, &item, BSS_DOWN);
    enum bss_loss why = full(buffer, dl->llc_pdu.n);
    if (why != BSS_LOSSES) {
        bss_report_loss(cell, buffer, buffer->tlli, &flow, dl->llc_pdu.n, why, now_ns);
        bss_book_lost(cell->bss, &item, why, now_ns);
        return;
    }
    struct bss_pdu *pdu = bss_pdu_make(cell->bss, dl->llc_pdu, cell->bss->in_tag);
    pdu->sapi = dl->llc_pdu.at[0] & 15;
    pdu->rank = (uint16_t)bss_pdu_rank(buffer, dl);
    pdu->flow = flow;
    pdu->since_ns = now_ns;
    pdu->order = cell->bss->orders++;
    if (dl->has_pfi)
        bss_pfc_used(buffer, dl->pfi, now_ns);
    bss_buffer_append(buffer, pdu);
    set_lifetime(pdu, dl->lifetime_ms, now_ns);
    bss_book_held(cell->bss, &item, BSS_DOWN, 1);
    bss_buffer_meter(buffer, now_ns);
    bss_flow_arrived(buffer, now_ns);
    bss_serve(buffer, now_ns);
}

// ---- Out ----

static bool codel_drops(struct bss_buffer *buffer, const struct bss_pdu *pdu, uint64_t now_ns)
{
    const struct bss_cell_config *config = &buffer->cell->config;
    const struct bss_codel_law law = {config->codel_target_ns, config->codel_interval_ns,
                                      config->codel_idle_octets};
    return config->codel_target_ns &&
           bss_codel_drops(&buffer->codel, &law, now_ns - pdu->since_ns, buffer->octets, now_ns);
}

static void codel_empty(struct bss_buffer *buffer, uint64_t now_ns)
{
    const struct bss_cell_config *config = &buffer->cell->config;
    const struct bss_codel_law law = {config->codel_target_ns, config->codel_interval_ns,
                                      config->codel_idle_octets};
    if (config->codel_target_ns)
        bss_codel_empty(&buffer->codel, &law, now_ns);
}

struct bss_pdu *bss_buffer_next(struct bss_buffer *buffer, uint64_t now_ns)
{
    struct bss_cell *cell = buffer->cell;
    for (struct bss_pdu *pdu = pick(buffer); pdu; pdu = pick(buffer)) {
        take_out(pdu);
        if (pdu->dies_ns <= now_ns) { // its timer fires behind the caller's
            finish_lost(pdu, BSS_LOST_expired, now_ns);
            continue;
        }
        if (codel_drops(buffer, pdu, now_ns)) {
            finish_lost(pdu, BSS_LOST_codel, now_ns);
            continue;
        }
        buffer->air_pdus++;
        buffer->air_octets += pdu->octets;
        cell->delay_ns += now_ns - pdu->since_ns;
        cell->delays++;
        return pdu;
    }
    codel_empty(buffer, now_ns);
    return NULL;
}

void bss_buffer_delivered(struct bss_pdu *pdu, uint64_t now_ns)
{
    struct bss_buffer *buffer = pdu->buffer;
    struct bss *bss = buffer->cell->bss;
    struct bss_item item = bss_pdu_item(pdu);
    land(pdu);
    buffer->meter.octets += pdu->octets;
    buffer->cell->meter.octets += pdu->octets;
    bss_book_held(bss, &item, BSS_DOWN, -1);
    bss_book_out(bss, &item, BSS_DOWN);
    bss_buffer_meter(buffer, now_ns);
    bss->tag = pdu->tag;
    if (bss->owner.deliver)
        bss->owner.deliver(bss->owner.self, buffer->ms, pdu->llc, pdu->octets, now_ns);
    bss_pdu_free(bss, pdu);
}
