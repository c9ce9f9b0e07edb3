// A cell's radio: it asks the buffers for LLC PDUs, and says what arrived, what it lost, and which
// MS's channel was taken away. LLC PDUs that the radio has are on the air: their PDU lifetime does
// not count any more.
#include "lab/bss/bss_parts.h"
#include "lab/engine/need.h"

static struct bss_pdu *pdu_of(struct radio_pdu *air)
{
    return (struct bss_pdu *)air; // its first member
}

static struct radio_pdu *next_down(void *self, uint32_t ms, uint64_t now_ns)
{
    struct bss_cell *cell = self;
    struct bss_buffer *buffer = cell->on_air[ms];
    struct bss_pdu *pdu = bss_serve_may(buffer) ? bss_buffer_next(buffer, now_ns) : NULL;
    if (!pdu)
        return NULL;
    pdu->air.octets = radio_octets(cell->radio, pdu->octets);
    pdu->air.rank = (uint8_t)(pdu->rank < RADIO_RANKS ? pdu->rank : RADIO_RANKS - 1);
    return &pdu->air;
}

static struct bss_item book_up(const struct bss_pdu *pdu)
{
    struct bss_item item = bss_pdu_item(pdu);
    bss_book_held(item.cell->bss, &item, BSS_UP, -1);
    return item;
}

static void arrived(void *self, uint32_t ms, enum radio_way way, struct radio_pdu *air,
                    uint64_t now_ns)
{
    struct bss_cell *cell = self;
    struct bss_pdu *pdu = pdu_of(air);
    (void)ms;
    if (way == RADIO_DOWN) {
        bss_buffer_delivered(pdu, now_ns);
        return;
    }
    book_up(pdu);
    bss_serve_up(pdu->buffer->ms, (struct octets){pdu->llc, pdu->octets}, pdu->tag, now_ns);
    bss_pdu_free(cell->bss, pdu);
}

static void lost(void *self, uint32_t ms, enum radio_way way, struct radio_pdu *air,
                 enum radio_loss why, uint64_t now_ns)
{
    struct bss_cell *cell = self;
    struct bss_pdu *pdu = pdu_of(air);
    (void)ms;
    if (way == RADIO_DOWN) {
        bss_buffer_lose(pdu, why == RADIO_LOSS_preempted ? BSS_LOST_preempted : BSS_LOST_radio,
                        now_ns);
        return;
    }
    struct bss_item item = book_up(pdu);
    bss_book_lost(cell->bss, &item, BSS_LOST_up_radio, now_ns);
    bss_pdu_free(cell->bss, pdu);
}

// In a call of its own, and while it is out of reach, the MS's buffer is kept.
static void event(void *self, uint32_t ms, enum radio_event event, uint64_t now_ns)
{
    struct bss_cell *cell = self;
    struct bss_buffer *buffer = cell->on_air[ms];
    if (event == RADIO_TAKEN || event == RADIO_BACK)
        bss_channel_ms(buffer, event == RADIO_BACK, now_ns);
    else if (event == RADIO_FLUSH && !bss_ms_is_silent(buffer->ms))
        bss_buffer_lose_all(buffer, BSS_LOST_preempted, now_ns);
}

struct radio *bss_cell_add_radio(struct bss_cell *cell, const struct radio_config *config,
                                 uint64_t seed)
{
    const struct radio_owner owner = {cell, next_down, arrived, lost, event};
    uint64_t stream = (uint64_t)cell->bss->config.nsei << 16 | cell->config.bvci;
    cell->radio = radio_create(cell->bss->engine, config, &owner, seed, stream);
    return cell->radio;
}

struct radio *bss_cell_radio(const struct bss_cell *cell)
{
    return cell->radio;
}

void bss_radio_enter(struct bss_buffer *buffer, uint64_t now_ns)
{
    struct bss_cell *cell = buffer->cell;
    if (!cell->radio)
        return;
    uint32_t index = radio_add_ms(cell->radio, buffer->ms->number, buffer->ms->radio);
    if (index >= cell->air_room) {
        cell->air_room = index * 2 + 8;
        cell->on_air = need(realloc(cell->on_air, cell->air_room * sizeof(struct bss_buffer *)));
    }
    cell->on_air[index] = buffer;
    buffer->air = index;
    buffer->meter.use = (struct radio_use){0};
    buffer->no_channel = !radio_has_channel(cell->radio, index);
    for (int calls = buffer->ms->suspended + buffer->ms->unreachable; calls > 0; calls--)
        radio_preempt_ms(cell->radio, index, now_ns);
}

void bss_radio_leave(struct bss_buffer *buffer, uint64_t now_ns)
{
    if (buffer->cell->radio)
        radio_remove_ms(buffer->cell->radio, buffer->air, now_ns);
}
