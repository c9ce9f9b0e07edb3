// See telemetry.h: pages of NSEs, NS-VCs, cells and MSs. A row joins the worker's record and
// control's record on the board.
#include <stdio.h>
#include <string.h>

#include "control/export/telemetry_parts.h"

struct telemetry_page telemetry_page_begin(struct telemetry *t, struct row *row, uint64_t first)
{
    return (struct telemetry_page){
        .t = t, .row = row, .rows = row_begin(), .first = first, .next = UINT64_MAX};
}

bool telemetry_page_add(struct telemetry_page *page, struct row *row, uint64_t id)
{
    char name[24];
    if (page->n == ROWS_MOST || page->rows.octets + row->octets > ROWS_OCTETS_MAX) {
        page->next = id;
        row_free(row);
        return false;
    }
    snprintf(name, sizeof name, "%u", page->n++);
    row_inside(&page->rows, name, row);
    return true;
}

void telemetry_page_end(struct telemetry_page *page)
{
    row_put(page->row, "first", page->first);
    row_put(page->row, "count", page->n);
    if (page->next != UINT64_MAX)
        row_put(page->row, "next", page->next);
    row_inside(page->row, "rows", &page->rows);
}

// ---- NSEs ----

static void put_sum(struct row *row, const struct cells_sum *sum)
{
    row_put(row, "down_frames", sum->down_frames);
    row_put(row, "down_octets", sum->down_octets);
    row_put(row, "up_frames", sum->up_frames);
    row_put(row, "up_octets", sum->up_octets);
    row_put(row, "marks", sum->marks);
    row_put(row, "dropped_npdus", sum->dropped_npdus);
    row_put(row, "discarded_frames", sum->discarded_frames);
    row_drops(row, sum->drops.npdus, stats_npdu_names, STATS_NPDU_DROPS);
}

// Puts the board's record without its first `ids` fields, the indices, which the worker's record
// has.
static void put_board(struct row *row, const struct field_record *record, const void *of,
                      uint32_t ids)
{
    struct field_record rest = {record->fields + ids, record->count - ids, record->octets};
    row_fields(row, &rest, of);
}

static void put_nsei(const struct telemetry *t, struct row *row, uint32_t nse_id)
{
    struct board_nse nse;
    if (board_nse(t->source.board, nse_id, &nse))
        row_put(row, "nsei", nse.nsei);
}

static bool take_nse(void *self, uint32_t id, const void *view, const struct view_drops *drops)
{
    struct telemetry_page *page = self;
    struct row row = row_begin();
    struct board_nse nse;
    struct cells_sum sum = cells_sum(&page->t->cells, id);
    (void)drops;
    row_fields(&row, &view_nse_record, view);
    if (board_nse(page->t->source.board, id, &nse))
        put_board(&row, &board_nse_record, &nse, 1);
    put_sum(&row, &sum);
    return telemetry_page_add(page, &row, id);
}

const char *telemetry_nses(struct telemetry *t, const char *words, struct row *row)
{
    uint64_t first;
    if (!telemetry_number(&words, UINT32_MAX, &first))
        return TELEMETRY_NO_NUMBER;
    const char *why = cells_read(&t->cells, &t->ask);
    if (why)
        return why;
    struct telemetry_page page = telemetry_page_begin(t, row, first);
    why = ask_rows(&t->ask, VIEW_NSES, VIEW_ALL, (uint32_t)first, VIEW_ALL, take_nse, &page);
    telemetry_page_end(&page);
    return why;
}

// ---- NS-VCs: from the board only ----

const char *telemetry_nsvcs(struct telemetry *t, const char *words, struct row *row)
{
    uint64_t first;
    bool more = true;
    if (!telemetry_number(&words, UINT32_MAX, &first))
        return TELEMETRY_NO_NUMBER;
    struct telemetry_page page = telemetry_page_begin(t, row, first);
    for (uint64_t id = first; id < t->source.config->nsvcs && more; id++) {
        struct board_nsvc nsvc;
        if (!board_nsvc(t->source.board, (uint32_t)id, &nsvc))
            continue;
        struct row one = row_begin();
        row_fields(&one, &board_nsvc_record, &nsvc);
        put_nsei(t, &one, nsvc.nse_id);
        more = telemetry_page_add(&page, &one, id);
    }
    telemetry_page_end(&page);
    return NULL;
}

// ---- Cells ----

// Without an NS-VC of its NSE a cell sends nothing, whatever state it is in.
#define NSE_DOWN "NSE down"

static bool is_down(const struct telemetry *t, uint32_t nse_id)
{
    static const char down[] = "down"; // bvc.lua
    struct board_nse nse;
    return board_nse(t->source.board, nse_id, &nse) && nse.state.n == sizeof down - 1 &&
           memcmp(nse.state.at, down, nse.state.n) == 0;
}

void telemetry_put_bvc(const struct telemetry *t, struct row *row, const struct view_bvc *view,
                       const struct view_drops *drops)
{
    struct board_bvc bvc;
    row_fields(row, &view_bvc_record, view);
    put_nsei(t, row, view->nse_id);
    if (board_bvc(t->source.board, view->bvc_id, &bvc) && bvc.bvci == view->bvci) {
        if (is_down(t, view->nse_id))
            bvc.state = (struct octets){(const uint8_t *)NSE_DOWN, sizeof NSE_DOWN - 1};
        put_board(row, &board_bvc_record, &bvc, 3);
    }
    row_drops(row, drops->npdus, stats_npdu_names, STATS_NPDU_DROPS);
}

static bool take_bvc(void *self, uint32_t id, const void *view, const struct view_drops *drops)
{
    struct telemetry_page *page = self;
    struct row row = row_begin();
    telemetry_put_bvc(page->t, &row, view, drops);
    return telemetry_page_add(page, &row, id);
}

// The first page reads and sorts all cells; later pages go on in that order. Another client that
// reads the cells meanwhile, for a first page or for NSEs, leaves them sorted, too.
static const char *sorted_bvcs(struct telemetry *t, uint64_t first, struct row *row)
{
    const char *why = first == 0 || t->cells.n == 0 ? cells_read(&t->cells, &t->ask) : NULL;
    bool more = true;
    if (why)
        return why;
    struct telemetry_page page = telemetry_page_begin(t, row, first);
    for (uint64_t rank = first; rank < t->cells.n && more; rank++) {
        const struct cell *cell = &t->cells.cell[rank];
        struct row one = row_begin();
        telemetry_put_bvc(t, &one, &cell->view, &cell->drops);
        more = telemetry_page_add(&page, &one, rank);
    }
    telemetry_page_end(&page);
    return NULL;
}

const char *telemetry_bvcs(struct telemetry *t, const char *words, struct row *row)
{
    uint64_t first;
    if (!telemetry_number(&words, UINT32_MAX, &first))
        return TELEMETRY_NO_NUMBER;
    if (strcmp(words, "sort") == 0)
        return sorted_bvcs(t, first, row);
    if (*words)
        return "behind the index only the word sort is allowed";
    struct telemetry_page page = telemetry_page_begin(t, row, first);
    const char *why =
        ask_rows(&t->ask, VIEW_BVCS, VIEW_ALL, (uint32_t)first, VIEW_ALL, take_bvc, &page);
    telemetry_page_end(&page);
    return why;
}

// ---- MSs ----

void telemetry_put_ms(const struct telemetry *t, struct row *row, const struct view_ms *view,
                      const struct view_drops *drops)
{
    struct board_ms ms;
    row_fields(row, &view_ms_record, view);
    if (board_ms(t->source.board, view->ms_id, &ms))
        put_board(row, &board_ms_record, &ms, 1);
    row_drops(row, drops->npdus, stats_npdu_names, STATS_NPDU_DROPS);
}

static bool take_ms(void *self, uint32_t id, const void *view, const struct view_drops *drops)
{
    struct telemetry_page *page = self;
    struct row row = row_begin();
    telemetry_put_ms(page->t, &row, view, drops);
    return telemetry_page_add(page, &row, id);
}

static const char *put_mss(struct telemetry *t, uint32_t bvc, uint64_t first, struct row *row)
{
    struct telemetry_page page = telemetry_page_begin(t, row, first);
    const char *why = ask_rows(&t->ask, VIEW_MSS, bvc, (uint32_t)first, VIEW_ALL, take_ms, &page);
    telemetry_page_end(&page);
    return why;
}

const char *telemetry_mss(struct telemetry *t, const char *words, struct row *row)
{
    uint64_t first;
    if (!telemetry_number(&words, UINT32_MAX, &first))
        return TELEMETRY_NO_NUMBER;
    return put_mss(t, VIEW_ALL, first, row);
}

const char *telemetry_cell_mss(struct telemetry *t, const char *words, struct row *row)
{
    uint64_t first;
    uint32_t bvc;
    if (!telemetry_cell(t, &words, &bvc))
        return TELEMETRY_NO_CELL;
    if (!telemetry_number(&words, UINT32_MAX, &first))
        return TELEMETRY_NO_NUMBER;
    return put_mss(t, bvc, first, row);
}
