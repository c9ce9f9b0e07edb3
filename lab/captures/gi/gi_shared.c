// See gi_shared.h. A user is full in a moment if much waited for it in most of that.
#include "lab/captures/gi/gi_shared.h"

#include <math.h>
#include <stdlib.h>

#include "lab/captures/gi/gi_shared_fit.h"

#define USERS         GI_SHARED_USERS_MOST
#define FULL_US       (GI_CHANNEL_MOMENT_US * 6 / 10)
#define FULL_LEAST    20 // moments that say something about a user
#define SAMPLES_LEAST 30
#define GAIN_LEAST    8.0 // of the logarithm of the likelihood
#define GAIN_OF_ALL   0.7 // of the best gain: then all share one cell, as is most likely before
// What the others get more, the full ones get less, as one of a Student's distribution has it.
#define T_MOST     (-6.0)
#define KNOWN      4096     // gains that are kept
#define RATE_LEAST 4000     // bit/s, of a cell
#define RATE_MOST  30000000 // and what limits all users at a higher rate is none

typedef uint32_t mask; // of users

struct known {
    mask users;
    double gain;
};

struct look {
    uint32_t users, moments;
    uint32_t place[USERS];
    uint64_t mean_bit_per_s[USERS];
    bool is_full[USERS]; // often
    mask *full;          // by moment
    float *rate;         // of who is full, by moment and user, in bit/s
    float *part;         // by how much that is above that user's mean
    float *octets;       // what came to who is not full, in bit/s
    struct known *known;
};

static float *at(float *of, uint32_t moment, uint32_t user)
{
    return &of[moment * USERS + user];
}

// ---- What is known of each moment ----

static void *zeros(size_t n, size_t octets)
{
    void *array = calloc(n, octets);
    if (!array)
        abort();
    return array;
}

static void take_user(struct look *look, uint32_t user, const struct gi_channel *channel)
{
    uint32_t n = 0;
    double sum = 0;
    for (uint32_t i = 0; i < channel->moments && i < look->moments; i++) {
        const struct gi_channel_moment *m = &channel->moment[i];
        *at(look->octets, i, user) = (float)m->octets * 8e6f / GI_CHANNEL_MOMENT_US;
        if (m->full_us < FULL_US)
            continue;
        *at(look->rate, i, user) = (float)m->full_octets * 8e6f / (float)m->full_us;
        sum += *at(look->rate, i, user);
        n++;
    }
    if (n < FULL_LEAST || sum == 0)
        return;
    look->is_full[user] = true;
    for (uint32_t i = 0; i < channel->moments && i < look->moments; i++)
        if (channel->moment[i].full_us >= FULL_US) {
            look->full[i] |= 1u << user;
            *at(look->part, i, user) = (float)(*at(look->rate, i, user) * n / sum - 1);
            *at(look->octets, i, user) = 0;
        }
}

static void look_at(struct look *look, const struct gi_vectors *vectors)
{
    *look = (struct look){0};
    for (uint32_t i = 0; i < vectors->users; i++)
        if (vectors->user[i]->place && vectors->user[i]->channel.moments > look->moments)
            look->moments = vectors->user[i]->channel.moments;
    if (look->moments > GI_CHANNEL_MOMENTS_MOST)
        look->moments = GI_CHANNEL_MOMENTS_MOST;
    look->full = zeros(look->moments + 1, sizeof *look->full);
    look->rate = zeros((look->moments + 1) * USERS, sizeof *look->rate);
    look->part = zeros((look->moments + 1) * USERS, sizeof *look->part);
    look->octets = zeros((look->moments + 1) * USERS, sizeof *look->octets);
    look->known = zeros(KNOWN, sizeof *look->known);
    for (uint32_t i = 0; i < vectors->users; i++) {
        if (!vectors->user[i]->place)
            continue;
        look->place[look->users] = vectors->user[i]->place;
        look->mean_bit_per_s[look->users] = gi_channel_rate(&vectors->user[i]->channel);
        take_user(look, look->users++, &vectors->user[i]->channel);
    }
}

static void look_away(struct look *look)
{
    free(look->full);
    free(look->rate);
    free(look->part);
    free(look->octets);
    free(look->known);
}

// ---- Sums of pairs, by how many users were full ----

struct sums {
    double n, x, y, xx, xy, yy;
};

static void add(struct sums *s, double x, double y)
{
    s->n++;
    s->x += x;
    s->y += y;
    s->xx += x * x;
    s->xy += x * y;
    s->yy += y * y;
}

// Around the means of each number of full users.
struct within {
    double xx, xy, yy, n;
    uint32_t levels;
};

static struct within within_of(const struct sums by_full[USERS + 1])
{
    struct within w = {0};
    for (uint32_t k = 1; k <= USERS; k++) {
        const struct sums *s = &by_full[k];
        if (s->n == 0)
            continue;
        w.levels++;
        w.n += s->n;
        w.xx += s->xx - s->x * s->x / s->n;
        w.xy += s->xy - s->x * s->y / s->n;
        w.yy += s->yy - s->y * s->y / s->n;
    }
    return w;
}

static double others_of(const struct look *look, uint32_t moment, mask users)
{
    double sum = 0;
    for (mask left = users & ~look->full[moment]; left; left &= left - 1)
        sum += *at(look->octets, moment, (uint32_t)__builtin_ctz(left));
    return sum;
}

// ---- What it explains that users share a cell ----

// The squares that are left if y of a level is `slope` times x and a number that does not rise with
// the number of full users: levels that would rise are one.
static double left_over(const struct sums by_full[USERS + 1], double slope)
{
    struct {
        double n, sum, squares;
    } level[USERS];
    uint32_t levels = 0;
    double left = 0;
    for (uint32_t k = 1; k <= USERS; k++) {
        const struct sums *s = &by_full[k];
        if (s->n == 0)
            continue;
        level[levels].n = s->n;
        level[levels].sum = s->y - slope * s->x;
        level[levels++].squares = s->yy - 2 * slope * s->xy + slope * slope * s->xx;
        for (; levels > 1 && level[levels - 2].sum * level[levels - 1].n <
                                 level[levels - 1].sum * level[levels - 2].n;
             levels--) {
            level[levels - 2].n += level[levels - 1].n;
            level[levels - 2].sum += level[levels - 1].sum;
            level[levels - 2].squares += level[levels - 1].squares;
        }
    }
    while (levels--)
        left += level[levels].squares - level[levels].sum * level[levels].sum / level[levels].n;
    return left;
}

// The logarithm of the likelihood that they share a cell, above that of a cell for each; each
// number that is fitted costs as much as Schwarz's criterion says.
static double gain_of(const struct look *look, mask users)
{
    struct sums by_full[USERS + 1] = {0};
    double yy = 0, n = 0;
    for (uint32_t i = 0; i < look->moments; i++) {
        mask full = look->full[i] & users;
        if (!full)
            continue;
        uint32_t k = (uint32_t)__builtin_popcount(full);
        double x = others_of(look, i, users) / k;
        for (; full; full &= full - 1) {
            double y = *at(look->part, i, (uint32_t)__builtin_ctz(full));
            add(&by_full[k], x, y);
            yy += y * y;
            n++;
        }
    }
    struct within w = within_of(by_full);
    if (n < SAMPLES_LEAST || __builtin_popcount(users) < 2)
        return 0;
    double left = left_over(by_full, w.xx > 0 && w.xy < 0 ? w.xy / w.xx : 0);
    return left > 0 ? n / 2 * log(yy / left) - (1 + w.levels) * log(n) / 2 : 0;
}

static double gain(const struct look *look, mask users)
{
    struct known *known = &look->known[users * 2654435761u >> 20];
    if (known->users != users)
        *known = (struct known){users, gain_of(look, users)};
    return known->gain;
}
static_assert(KNOWN == 1 << (32 - 20), "a place for each");

// ---- The best division ----

struct division {
    mask cell[USERS + 1];
    uint32_t cells;
    double gain;
};

// Users go from one cell to another, which may be a new one. False: nothing is gained.
static bool move(const struct look *look, struct division *d, mask users, uint32_t from,
                 uint32_t to, struct division *best)
{
    mask other = to < d->cells ? d->cell[to] : 0;
    double more = gain(look, d->cell[from] & ~users) + gain(look, other | users) -
                  gain(look, d->cell[from]) - gain(look, other);
    if (d->gain + more <= best->gain + 1e-9)
        return false;
    *best = *d;
    best->gain = d->gain + more;
    best->cell[to] = other | users;
    best->cells = to < d->cells ? d->cells : to + 1;
    best->cell[from] &= ~users;
    if (best->cell[from] == 0)
        best->cell[from] = best->cell[--best->cells];
    return true;
}

static bool improve(const struct look *look, struct division *d)
{
    struct division best = *d;
    bool better = false;
    for (uint32_t from = 0; from < d->cells; from++)
        for (uint32_t to = 0; to <= d->cells; to++) {
            if (to == from)
                continue;
            if (to < from) // both become one
                better |= move(look, d, d->cell[from], from, to, &best);
            bool alone = !(d->cell[from] & (d->cell[from] - 1));
            if (alone) // it has one already, or both would become one
                continue;
            for (mask left = d->cell[from]; left; left &= left - 1)
                better |= move(look, d, left & -left, from, to, &best);
        }
    *d = best;
    return better;
}

// From one cell for all, or from one for each.
static struct division divide(const struct look *look, bool from_all)
{
    struct division d = {0};
    for (uint32_t user = 0; user < look->users; user++) {
        d.cells = from_all ? 1 : user + 1;
        d.cell[d.cells - 1] |= 1u << user;
    }
    if (from_all && d.cells)
        d.gain = gain(look, d.cell[0]);
    for (uint32_t n = 0; n < 4 * USERS && improve(look, &d); n++) {
    }
    return d;
}

// ---- Is it so, and what does the cell carry? ----

static double full_rate(const struct look *look, uint32_t moment, mask full)
{
    double sum = 0;
    for (; full; full &= full - 1)
        sum += *at(look->rate, moment, (uint32_t)__builtin_ctz(full));
    return sum;
}

// By what the others get, and not by how many are full, which may have another cause in common.
static bool is_sure(const struct look *look, mask users)
{
    struct sums by_full[USERS + 1] = {0};
    for (uint32_t i = 0; i < look->moments; i++) {
        mask full = look->full[i] & users;
        if (full)
            add(&by_full[__builtin_popcount(full)], others_of(look, i, users),
                full_rate(look, i, full));
    }
    struct within w = within_of(by_full);
    double free = w.n - w.levels - 1, slope = w.xx > 0 ? w.xy / w.xx : 0;
    if (free < SAMPLES_LEAST)
        return false;
    double t = slope / sqrt(fmax(w.yy - slope * w.xy, 1) / free / w.xx);
    return gain(look, users) >= GAIN_LEAST && t <= T_MOST;
}

static void describe(const struct look *look, mask users, struct gi_shared_cell *cell)
{
    struct gi_shared_got *got = zeros(look->moments, sizeof *got);
    uint32_t n = 0;
    uint64_t few_rate = 0;
    *cell = (struct gi_shared_cell){0};
    for (uint32_t i = 0; i < look->moments; i++) {
        mask full = look->full[i] & users;
        if (full)
            got[n++] = (struct gi_shared_got){full_rate(look, i, full), others_of(look, i, users),
                                              (uint32_t)__builtin_popcount(full)};
    }
    for (; users; users &= users - 1) {
        uint32_t user = (uint32_t)__builtin_ctz(users);
        cell->user[cell->users++] = look->place[user];
        if (!look->is_full[user] && look->mean_bit_per_s[user] > few_rate)
            few_rate = look->mean_bit_per_s[user];
    }
    gi_shared_fit(got, n, (double)few_rate, cell);
    free(got);
}

static struct division best_division(const struct look *look)
{
    struct division all = divide(look, true), each = divide(look, false);
    struct division best = all.gain >= each.gain ? all : each;
    mask everybody = look->users == USERS ? ~(mask)0 : (1u << look->users) - 1;
    if (gain(look, everybody) >= GAIN_OF_ALL * best.gain && is_sure(look, everybody))
        return (struct division){{everybody}, 1, gain(look, everybody)};
    return best;
}

uint32_t gi_shared_find(const struct gi_vectors *vectors,
                        struct gi_shared_cell cells[GI_SHARED_CELLS_MOST])
{
    uint32_t n = 0;
    if (vectors->users > USERS)
        return 0;
    struct look look;
    look_at(&look, vectors);
    struct division best = best_division(&look);
    for (uint32_t i = 0; i < best.cells; i++) {
        if (!is_sure(&look, best.cell[i]))
            continue;
        describe(&look, best.cell[i], &cells[n]);
        n += cells[n].rate_bit_per_s >= RATE_LEAST && cells[n].rate_bit_per_s <= RATE_MOST;
    }
    look_away(&look);
    return n;
}
