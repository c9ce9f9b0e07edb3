// See filling.h.
#include "tests/oracle/filling.h"

#include <math.h>

#define CLOSE 1e-12 // of a rate: rounding, no tolerance of anything judged

struct vessel {
    double left, weight; // of those that still fill
};

struct fill {
    struct filling_pair *pairs;
    uint32_t count;
    bool full[FILLING_PAIRS];
    struct vessel cell[FILLING_CELLS], pipe;
};

static double weight_of(const struct filling_pair *pair)
{
    return pair->first ? 1 : pair->weight;
}

static void weigh(struct fill *f, uint32_t cells)
{
    f->pipe.weight = 0;
    for (uint32_t b = 0; b < cells; b++)
        f->cell[b].weight = 0;
    for (uint32_t i = 0; i < f->count; i++)
        if (!f->full[i]) {
            f->cell[f->pairs[i].cell].weight += weight_of(&f->pairs[i]);
            f->pipe.weight += weight_of(&f->pairs[i]);
        }
}

// How far the level can rise until this pair stops.
static double rise_of(const struct fill *f, uint32_t i)
{
    const struct filling_pair *pair = &f->pairs[i];
    const struct vessel *cell = &f->cell[pair->cell];
    double rise = (pair->demand - pair->share) / weight_of(pair);
    rise = fmin(rise, fmin(cell->left / cell->weight, f->pipe.left / f->pipe.weight));
    return fmax(rise, 0);
}

static double rise_least(const struct fill *f)
{
    double rise = INFINITY;
    for (uint32_t i = 0; i < f->count; i++)
        if (!f->full[i])
            rise = fmin(rise, rise_of(f, i));
    return rise;
}

static void pour(struct fill *f, double rise)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (!f->full[i]) {
            double more = rise * weight_of(&f->pairs[i]);
            f->pairs[i].share += more;
            f->cell[f->pairs[i].cell].left -= more;
            f->pipe.left -= more;
        }
}

// Those that this rise has stopped are full; at least one is.
static void stop(struct fill *f, const bool *stops)
{
    for (uint32_t i = 0; i < f->count; i++)
        f->full[i] = f->full[i] || stops[i];
}

static bool fill_step(struct fill *f, uint32_t cells)
{
    bool stops[FILLING_PAIRS] = {false};
    weigh(f, cells);
    double rise = rise_least(f);
    if (!(rise < INFINITY))
        return false;
    for (uint32_t i = 0; i < f->count; i++)
        stops[i] = !f->full[i] && rise_of(f, i) <= rise * (1 + CLOSE) + CLOSE;
    pour(f, rise);
    stop(f, stops);
    return true;
}

void filling(struct filling_pair *pairs, uint32_t count, const double *cell_rates, uint32_t cells,
             double pipe_rate)
{
    struct fill f = {.pairs = pairs, .count = count, .pipe.left = pipe_rate};
    for (uint32_t b = 0; b < cells; b++)
        f.cell[b].left = cell_rates[b];
    for (int first = 1; first >= 0; first--) {
        for (uint32_t i = 0; i < count; i++) {
            f.full[i] = pairs[i].first != (first == 1);
            pairs[i].share = first || !f.full[i] ? 0 : pairs[i].share;
        }
        while (fill_step(&f, cells))
            ;
    }
}
