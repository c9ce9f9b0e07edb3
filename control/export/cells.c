// See cells.h.
#include "control/export/cells.h"

#include <stdlib.h>

static bool take_cell(void *self, uint32_t id, const void *row, const struct view_drops *drops)
{
    struct cells *cells = self;
    (void)id;
    if (cells->n == cells->room) {
        uint32_t room = cells->room ? 2 * cells->room : 64;
        struct cell *more = realloc(cells->cell, room * sizeof *more);
        if (!more)
            return false;
        cells->cell = more;
        cells->room = room;
    }
    cells->cell[cells->n++] = (struct cell){*(const struct view_bvc *)row, *drops};
    return true;
}

static uint64_t delay_of(const struct view_bvc *view)
{
    return view->delay_ns + view->sojourn_ns;
}

static int by_delay(const void *a, const void *b)
{
    const struct view_bvc *x = &((const struct cell *)a)->view,
                          *y = &((const struct cell *)b)->view;
    uint64_t x_ns = delay_of(x), y_ns = delay_of(y);
    if (x_ns != y_ns)
        return x_ns > y_ns ? -1 : 1;
    return x->bvc_id < y->bvc_id ? -1 : x->bvc_id > y->bvc_id;
}

const char *cells_read(struct cells *cells, const struct ask *ask)
{
    cells->n = 0;
    const char *why = ask_rows(ask, VIEW_BVCS, VIEW_ALL, 0, VIEW_ALL, take_cell, cells);
    if (why)
        cells->n = 0;
    if (cells->n)
        qsort(cells->cell, cells->n, sizeof *cells->cell, by_delay);
    return why;
}

void cells_free(struct cells *cells)
{
    free(cells->cell);
    *cells = (struct cells){0};
}

struct cells_sum cells_sum(const struct cells *cells, uint32_t nse_id)
{
    struct cells_sum sum = {0};
    for (uint32_t i = 0; i < cells->n; i++) {
        const struct view_bvc *view = &cells->cell[i].view;
        if (view->nse_id != nse_id)
            continue;
        sum.down_frames += view->down_frames;
        sum.down_octets += view->down_octets;
        sum.up_frames += view->up_frames;
        sum.up_octets += view->up_octets;
        sum.marks += view->marks;
        sum.dropped_npdus += view->dropped_npdus;
        sum.discarded_frames += view->discarded_frames;
        for (uint32_t r = 0; r < STATS_NPDU_DROPS; r++)
            sum.drops.npdus[r] += cells->cell[i].drops.npdus[r];
    }
    return sum;
}
