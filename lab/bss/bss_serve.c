// From the buffers to the MSs of a cell: by the cell's radio, which asks for the next LLC PDU; at a
// fixed rate, the MSs in turns of one LLC PDU; or at once. And an MS's LLC PDUs up.
#include "lab/bss/bss_parts.h"

#define RADIO_PRIORITY_UNKNOWN 4 // 48.018 11.3.28, uplink

// An MS that is in a call, out of reach or without a channel gets nothing; a radio knows itself who
// has a channel.
bool bss_serve_may(const struct bss_buffer *buffer)
{
    bool has_channel = buffer->cell->radio || (!buffer->no_channel && !buffer->cell->no_channel);
    return buffer->ms && !bss_ms_is_silent(buffer->ms) && has_channel;
}

// ---- At a fixed rate ----

static void join(struct bss_buffer *buffer)
{
    struct bss_cell *cell = buffer->cell;
    if (buffer->in_turn)
        return;
    buffer->in_turn = true;
    if (!cell->turn) {
        cell->turn = buffer->turn_next = buffer->turn_before = buffer;
        return;
    }
    buffer->turn_next = cell->turn;
    buffer->turn_before = cell->turn->turn_before;
    buffer->turn_before->turn_next = buffer->turn_next->turn_before = buffer;
}

void bss_serve_leave(struct bss_buffer *buffer)
{
    struct bss_cell *cell = buffer->cell;
    if (!buffer->in_turn)
        return;
    buffer->in_turn = false;
    buffer->turn_before->turn_next = buffer->turn_next;
    buffer->turn_next->turn_before = buffer->turn_before;
    if (cell->turn == buffer)
        cell->turn = buffer->turn_next == buffer ? NULL : buffer->turn_next;
}

static uint64_t time_of(const struct bss_cell *cell, const struct bss_pdu *pdu)
{
    uint64_t bits_ns = (uint64_t)pdu->octets * OCTETS_IN_BITS * S_IN_NS;
    return (bits_ns + cell->config.rate_bit_per_s - 1) / cell->config.rate_bit_per_s;
}

// The LLC PDU whose turn it is; an MS that may get nothing now leaves, and joins again when it may.
static struct bss_pdu *next_of_cell(struct bss_cell *cell, uint64_t now_ns)
{
    while (cell->turn) {
        struct bss_buffer *buffer = cell->turn;
        struct bss_pdu *pdu = bss_serve_may(buffer) ? bss_buffer_next(buffer, now_ns) : NULL;
        if (pdu) {
            cell->turn = buffer->turn_next;
            return pdu;
        }
        bss_serve_leave(buffer);
    }
    return NULL;
}

static void serve_next(struct bss_cell *cell, uint64_t now_ns)
{
    if (cell->served)
        return;
    cell->served = next_of_cell(cell, now_ns);
    if (cell->served)
        engine_set(cell->bss->engine, &cell->server, now_ns + time_of(cell, cell->served));
}

// An MS that has gone meanwhile, or can get nothing, has not got it.
static void served(void *self, uint64_t now_ns)
{
    struct bss_cell *cell = self;
    struct bss_pdu *pdu = cell->served;
    struct bss_buffer *buffer = pdu->buffer;
    cell->served = NULL;
    if (bss_serve_may(buffer))
        bss_buffer_delivered(pdu, now_ns);
    else
        bss_buffer_lose(pdu, BSS_LOST_radio, now_ns);
    bss_buffer_free_idle(buffer, now_ns);
    serve_next(cell, now_ns);
}

// ---- All ways ----

void bss_serve_init(struct bss_cell *cell)
{
    engine_timer_init(&cell->server, served, cell);
}

void bss_serve(struct bss_buffer *buffer, uint64_t now_ns)
{
    struct bss_cell *cell = buffer->cell;
    if (buffer->pdus == 0 || !bss_serve_may(buffer))
        return;
    if (cell->radio) {
        radio_ready(cell->radio, buffer->air, now_ns);
        return;
    }
    if (cell->config.rate_bit_per_s) {
        join(buffer);
        serve_next(cell, now_ns);
        return;
    }
    for (struct bss_pdu *pdu; (pdu = bss_buffer_next(buffer, now_ns));)
        bss_buffer_delivered(pdu, now_ns);
}

void bss_serve_cell(struct bss_cell *cell, uint64_t now_ns)
{
    for (struct bss_buffer *buffer = cell->buffers; buffer; buffer = buffer->of_cell_next)
        bss_serve(buffer, now_ns);
}

// A call of the MS takes its channel, and so does being out of reach; without a radio bss_serve_may
// and bss_up see to it.
void bss_serve_call(struct bss_buffer *buffer, bool begins, uint64_t now_ns)
{
    if (buffer->cell->radio)
        (begins ? radio_preempt_ms : radio_release_ms)(buffer->cell->radio, buffer->air, now_ns);
}

// ---- Up ----

void bss_serve_up(struct bss_ms *ms, struct octets llc, uint64_t tag, uint64_t now_ns)
{
    struct bss *bss = ms->bss;
    struct bss_cell *cell = ms->buffer->cell;
    struct bss_item item = {cell, ms->tlli, llc.at, llc.n, tag};
    struct bssgp_ul_unitdata pdu = {.tlli = ms->tlli,
                                    .qos = {.precedence = RADIO_PRIORITY_UNKNOWN},
                                    .cell = cell->config.identity,
                                    .llc_pdu = llc};
    if (!bss_bvc_takes(cell))
        bss_book_lost(bss, &item, BSS_LOST_up_not_up, now_ns);
    else if (!bss_send_unitdata(bss, cell->config.bvci, &pdu, tag, now_ns))
        bss_book_lost(bss, &item, BSS_LOST_up_no_nsvc, now_ns);
    else
        bss_book_out(bss, &item, BSS_UP);
}

void bss_up(struct bss_ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    bss_up_tagged(ms, llc, octets, 0, now_ns);
}

void bss_up_tagged(struct bss_ms *ms, const uint8_t *llc, uint32_t octets, uint64_t tag,
                   uint64_t now_ns)
{
    struct bss *bss = ms->bss;
    struct radio *radio = ms->buffer->cell->radio;
    struct bss_item item = {ms->buffer->cell, ms->tlli, llc, octets, tag};
    bss_book_in(bss, &item, BSS_UP);
    if (!radio && bss_ms_is_silent(ms)) {
        bss_book_lost(bss, &item, BSS_LOST_up_radio, now_ns);
        return;
    }
    if (!radio) {
        bss_serve_up(ms, (struct octets){llc, octets}, tag, now_ns);
        return;
    }
    struct bss_pdu *pdu = bss_pdu_make(bss, (struct octets){llc, octets}, tag);
    pdu->buffer = ms->buffer;
    pdu->air.octets = radio_octets(radio, octets);
    bss_book_held(bss, &item, BSS_UP, 1);
    radio_up(radio, ms->buffer->air, &pdu->air, now_ns);
}
