// See world_shares.h.
#include "tests/dataplane/sched/world_shares.h"

#include <math.h>

double shares_octets_per_s(struct bucket_terms terms)
{
    return terms.rate == BUCKET_UNLIMITED ? INFINITY : terms.rate * 100.0 / 8;
}

static struct bucket_terms deep(double bit_per_s, double s, double unit_octets)
{
    return world_terms((uint64_t)bit_per_s, (uint32_t)(bit_per_s / 8 * s + unit_octets + 1));
}

struct bucket_terms shares_deep(double bit_per_s, double s)
{
    return deep(bit_per_s, s, SHARES_LLC_MOST);
}

double shares_draw_rate(uint64_t *random, double least, double most)
{
    double x = (double)world_draw(random, 0, 1000000) / 1e6;
    return floor(least * pow(most / least, x) / 100) * 100;
}

struct shares *shares_open(const struct sched_config *config, struct bucket_terms cir)
{
    struct shares *t = calloc(1, sizeof *t);
    struct sched_config roomy = *config; // nobody's queue takes another's room
    assert_non_null(t);
    roomy.limit.packets = roomy.bvc_limit.packets = 16384;
    roomy.ms_limit.packets = 16384;
    for (uint32_t c = 0; c < CLASS_COUNT; c++)
        roomy.of_class[c].limit.packets = 16384;
    t->w = world_open(&roomy);
    t->w->check_every = 256;
    t->pipe_rate = shares_octets_per_s(cir);
    t->ms_bank_s = SHARES_BANK_S;
    world_add_nse(t->w, cir);
    return t;
}

uint32_t shares_cell(struct shares *t, struct bucket_terms terms)
{
    uint32_t b = world_add_cell(t->w, 0, terms, WORLD_PLENTY);
    t->cell_rate[b] = shares_octets_per_s(terms);
    for (uint32_t c = 0; c < CLASS_COUNT; c++)
        t->pair[b * CLASS_COUNT + c] = (struct filling_pair){
            .cell = b, .first = c == CLASS_SIGNALLING, .weight = t->w->config.of_class[c].weight};
    return b;
}

// All LLC PDUs of an N-PDU.
static double whole_octets(const struct world *w, uint32_t ms, uint8_t lle, uint16_t octets)
{
    uint32_t n201_u = w->ms[ms].n201_u[lle] + w->config.llc_octets;
    double whole = w->config.first_header_octets;
    uint32_t room = n201_u - w->config.first_header_octets, left = octets;
    for (; left > room; room = n201_u - w->config.next_header_octets) {
        whole += room + w->config.next_header_octets;
        left -= room;
    }
    return whole + left;
}

uint32_t shares_add(struct shares *t, uint32_t ms, uint32_t slot, struct shares_context c)
{
    struct world *w = t->w;
    uint32_t pfc = world_add_pfc(w, ms, slot, c.traffic_class);
    struct world_source s = {
        .pfc = pfc, .least = c.least, .most = c.most, .depth = 8, .seed = pfc, .lle = c.lle};
    double unit = fmax(whole_octets(w, ms, c.lle, c.most), SHARES_LLC_MOST);
    if (c.demand < INFINITY && c.way == BY_SOURCE) {
        s.depth = 0;
        s.burst = 1;
        s.most_queued = 30;
        s.most = c.least;
        s.interval_ns = (uint64_t)(whole_octets(w, ms, c.lle, c.least) / c.demand * 1e9);
    } else if (c.demand < INFINITY) {
        struct bucket_terms terms = deep(floor(c.demand * 8), t->ms_bank_s, unit);
        c.demand = shares_octets_per_s(terms);
        if (c.way == BY_MS)
            world_ms_set(w, ms, terms);
        else
            world_pfc_set(w, pfc, terms);
    }
    t->pair[c.cell * CLASS_COUNT + c.traffic_class].demand += c.demand;
    world_add_source(w, s);
    return pfc;
}

void shares_ms(struct shares *t, uint32_t b, enum traffic_class class, double demand,
               enum shares_way way, uint16_t least, uint16_t most)
{
    struct shares_context c = {b, class, demand, way, least, most, 0};
    shares_add(t, world_add_ms(t->w, b, 1520), 0, c);
}

void shares_twin(struct shares *t, uint32_t pfc, uint16_t least, uint16_t most)
{
    struct world *w = t->w;
    const struct world_pfc *p = &w->pfc[pfc];
    uint32_t twin = world_add_pfc(w, p->ms, p->slot + 1, p->traffic_class);
    world_add_source(w, (struct world_source){.pfc = twin,
                                              .least = least,
                                              .most = most,
                                              .depth = 8,
                                              .seed = twin,
                                              .lle = w->source[w->sources - 1].lle});
    if (p->traffic_class != CLASS_SIGNALLING)
        return;
    assert_true(t->twins_count < SHARES_TWINS);
    t->twins[t->twins_count++] = (struct shares_twins){.pfc = {pfc, twin}};
}

static void twins_begin(struct shares *t)
{
    for (uint32_t i = 0; i < t->twins_count; i++)
        for (uint32_t k = 0; k < 2; k++)
            t->twins[i].before[k] = t->w->pfc[t->twins[i].pfc[k]].sent_octets;
}

static void twins_judge(const struct shares *t)
{
    for (uint32_t i = 0; i < t->twins_count; i++) {
        const struct shares_twins *of = &t->twins[i];
        double sent[2];
        for (uint32_t k = 0; k < 2; k++)
            sent[k] = (double)(t->w->pfc[of->pfc[k]].sent_octets - of->before[k]);
        double half = (sent[0] + sent[1]) / 2;
        if (fabs(sent[0] - half) > 0.02 * half + 2 * SHARES_LLC_MOST)
            fail_msg("PFCs %u and %u, %s: %.0f and %.0f octets", of->pfc[0], of->pfc[1],
                     class_names[t->w->pfc[of->pfc[0]].traffic_class], sent[0], sent[1]);
    }
}

void shares_judge(struct shares *t, double warm_s, double measure_s)
{
    struct world *w = t->w;
    uint32_t pairs = w->cells * CLASS_COUNT;
    world_run(w, (uint64_t)(warm_s * 1e9));
    for (uint32_t i = 0; i < pairs; i++)
        t->before[i] = w->cell[i / CLASS_COUNT].class_octets[i % CLASS_COUNT];
    twins_begin(t);
    world_run(w, w->now_ns + (uint64_t)(measure_s * 1e9));
    twins_judge(t);
    filling(t->pair, pairs, t->cell_rate, w->cells, t->pipe_rate);
    for (uint32_t i = 0; i < pairs; i++) {
        double sent =
            (double)(w->cell[i / CLASS_COUNT].class_octets[i % CLASS_COUNT] - t->before[i]);
        double wanted = t->pair[i].share * measure_s;
        if (fabs(sent - wanted) > 0.02 * wanted + 2 * SHARES_LLC_MOST)
            fail_msg("cell %u %s: %.0f octets, wanted %.0f (%.1f %% off)", i / CLASS_COUNT,
                     class_names[i % CLASS_COUNT], sent, wanted, 100 * (sent / wanted - 1));
    }
    world_close(w);
    free(t);
}
