// Where BSC buffers are: made when an MS enters a cell, left behind when it goes, passed on when
// FLUSH-LL transfers. What the MS left behind in a cell waits for FLUSH-LL, for bss.absent at most.
#include "lab/bss/bss_parts.h"
#include "lab/engine/need.h"

static uint64_t key_of(const struct bss_cell *cell, uint32_t tlli)
{
    return (uint64_t)cell->config.bvci << 32 | tlli;
}

struct bss_buffer *bss_buffer_find(struct bss *bss, const struct bss_cell *cell, uint32_t tlli)
{
    struct bss_link *link = bss_table_find(&bss->buffer_by_tlli, key_of(cell, tlli));
    return link ? BSS_OWNER(link, struct bss_buffer, by_tlli) : NULL;
}

// ---- Coming and going ----

static void absent(void *self, uint64_t now_ns)
{
    struct bss_buffer *buffer = self;
    if (buffer->pdus && buffer->cell->bss->config.tell_absent)
        bss_report_radio(buffer->cell, buffer->tlli, 0, now_ns);
    bss_buffer_lose_all(buffer, BSS_LOST_absent, now_ns);
    bss_buffer_free_idle(buffer, now_ns);
}

struct bss_buffer *bss_buffer_make(struct bss_cell *cell, uint32_t tlli, struct bss_ms *ms)
{
    struct bss_buffer *buffer = need(calloc(1, sizeof *buffer));
    buffer->cell = cell;
    buffer->ms = ms;
    buffer->tlli = tlli;
    engine_timer_init(&buffer->absent, absent, buffer);
    bss_report_init(buffer);
    bss_flow_init_buffer(buffer);
    bss_table_put(&cell->bss->buffer_by_tlli, &buffer->by_tlli, key_of(cell, tlli));
    buffer->of_cell_next = cell->buffers;
    if (cell->buffers)
        cell->buffers->of_cell_before = buffer;
    cell->buffers = buffer;
    return buffer;
}

void bss_buffer_free(struct bss_buffer *buffer)
{
    struct bss_cell *cell = buffer->cell;
    struct engine *engine = cell->bss->engine;
    bss_serve_leave(buffer);
    bss_pfc_forget(buffer);
    engine_cancel(engine, &buffer->absent);
    engine_cancel(engine, &buffer->gather);
    engine_cancel(engine, &buffer->flow);
    bss_table_remove(&cell->bss->buffer_by_tlli, &buffer->by_tlli);
    *(buffer->of_cell_before ? &buffer->of_cell_before->of_cell_next : &cell->buffers) =
        buffer->of_cell_next;
    if (buffer->of_cell_next)
        buffer->of_cell_next->of_cell_before = buffer->of_cell_before;
    free(buffer);
}

// A buffer whose MS has left goes once it holds nothing and waits for nothing; not within C of its
// FLOW-CONTROL-MS, for the MS may come back.
void bss_buffer_free_idle(struct bss_buffer *buffer, uint64_t now_ns)
{
    struct bss_cell *cell = buffer->cell;
    uint64_t least_ns = buffer->said.at_ns + cell->config.flow_interval_ns;
    if (buffer->ms || buffer->pdus || buffer->air_pdus || engine_timer_is_set(&buffer->absent))
        return;
    bss_report_flush(buffer, now_ns);
    if (buffer->said.ever && least_ns > now_ns) {
        engine_set(cell->bss->engine, &buffer->absent, least_ns);
        return;
    }
    bss_buffer_free(buffer);
}

void bss_buffer_attach(struct bss_buffer *buffer, struct bss_ms *ms, uint64_t now_ns)
{
    engine_cancel(buffer->cell->bss->engine, &buffer->absent);
    buffer->ms = ms;
    bss_radio_enter(buffer, now_ns);
    bss_serve(buffer, now_ns);
}

void bss_buffer_detach(struct bss_buffer *buffer, uint64_t now_ns)
{
    struct bss *bss = buffer->cell->bss;
    bss_serve_leave(buffer);
    bss_radio_leave(buffer, now_ns);
    engine_cancel(bss->engine, &buffer->flow);
    buffer->ms = NULL;
    buffer->no_channel = false;
    if (bss->config.absent_ns)
        engine_set(bss->engine, &buffer->absent, now_ns + bss->config.absent_ns);
    else
        absent(buffer, now_ns);
}

void bss_buffer_rename(struct bss_buffer *buffer, uint32_t tlli)
{
    struct bss_table *table = &buffer->cell->bss->buffer_by_tlli;
    bss_table_remove(table, &buffer->by_tlli);
    buffer->tlli = tlli;
    bss_table_put(table, &buffer->by_tlli, key_of(buffer->cell, tlli));
}

// ---- Transfer ----

static void move_book(struct bss_pdu *pdu, struct bss_buffer *to)
{
    struct bss_cell *from = pdu->buffer->cell;
    struct bss_item old = bss_pdu_item(pdu),
                    new = {to->cell, to->tlli, pdu->llc, pdu->octets, pdu->tag};
    bss_book_held(from->bss, &old, BSS_DOWN, -1);
    bss_book_over(from->bss, &old, 1);
    bss_book_over(to->cell->bss, &new, -1);
    bss_book_held(to->cell->bss, &new, BSS_DOWN, 1);
}

// Of one LLE: what was left behind is older than what came for the new cell, and goes first.
static void pass_queue(struct bss_buffer *from, struct bss_buffer *to, uint32_t sapi)
{
    struct bss_queue newer = to->lle[sapi];
    to->lle[sapi] = (struct bss_queue){NULL, NULL};
    for (struct bss_pdu *pdu = newer.first; pdu; pdu = pdu->next)
        bss_buffer_count(to, pdu, -1);
    for (struct bss_pdu *pdu = from->lle[sapi].first, *next; pdu; pdu = next) {
        next = pdu->next;
        move_book(pdu, to);
        bss_buffer_count(from, pdu, -1);
        bss_buffer_append(to, pdu);
    }
    for (struct bss_pdu *pdu = newer.first, *next; pdu; pdu = next) {
        next = pdu->next;
        bss_buffer_append(to, pdu);
    }
    from->lle[sapi] = (struct bss_queue){NULL, NULL};
    from->waiting &= (uint16_t) ~(1u << sapi);
}

void bss_buffer_pass(struct bss_buffer *from, struct bss_buffer *to, uint64_t now_ns)
{
    bss_pfc_pass(from, to);
    for (uint32_t sapi = 0; sapi < BSS_SAPIS; sapi++)
        if (from->waiting & 1u << sapi)
            pass_queue(from, to, sapi);
    bss_buffer_meter(from, now_ns);
    bss_buffer_meter(to, now_ns);
    bss_flow_arrived(to, now_ns);
    bss_serve(to, now_ns);
}
