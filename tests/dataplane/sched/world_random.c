// See world_random.h.
#include "tests/dataplane/sched/world_random.h"

static uint64_t draw(uint64_t *random, uint64_t least, uint64_t most)
{
    return world_draw(random, least, most);
}

static bool one_in(uint64_t *random, uint32_t n)
{
    return draw(random, 1, n) == 1;
}

static uint64_t draw_log(uint64_t *random, uint32_t bits_least, uint32_t bits_most)
{
    uint64_t power = 1ULL << draw(random, bits_least, bits_most);
    return draw(random, power, 2 * power - 1);
}

uint32_t world_random_rate(uint64_t *random)
{
    return (uint32_t)draw_log(random, 0, 15);
}

// Bmax from less than a PDU to half a minute of the rate.
static struct bucket_terms random_terms(uint64_t *random)
{
    uint32_t rate = world_random_rate(random);
    uint32_t octets =
        one_in(random, 4) ? (uint32_t)draw(random, 0, 1600) : (uint32_t)draw_log(random, 10, 17);
    return (struct bucket_terms){one_in(random, 12) ? 0 : rate, octets};
}

static struct sched_limit random_limit(uint64_t *random, uint32_t packets)
{
    return (struct sched_limit){(uint32_t)draw(random, 1, packets), draw(random, 1, packets) * 700};
}

static void random_class(struct sched_class *c, uint64_t *random, const struct world_wish *wish)
{
    c->weight = one_in(random, 2) ? c->weight : (uint32_t)draw(random, 1, 1000);
    c->flow_queues = wish->flow_queues && one_in(random, 2);
    if (wish->limits)
        c->limit = random_limit(random, 60);
    if (wish->lifetimes && !one_in(random, 4)) {
        c->lifetime_ns = draw_log(random, 20, 34);
        c->bss_least_ns = draw(random, 0, c->lifetime_ns / 2);
        c->bss_most_ns = draw(random, c->bss_least_ns, c->lifetime_ns);
    }
    if (wish->aqm) {
        c->aqm = *wish->aqm;
        c->scope = wish->scope;
        c->flow_queues = c->flow_queues || wish->scope == SCHED_SCOPE_FLOW;
    }
    c->refuse_late = c->weight & 1;
}

static struct sched_config random_config(uint64_t *random, const struct world_wish *wish)
{
    struct sched_config c = world_config();
    c.in_full = wish->in_full;
    c.seed = draw(random, 0, 1u << 30);
    c.pipe_header_octets = (uint32_t)draw(random, 0, 60);
    c.pipe_octets = one_in(random, 2) ? world_pipe : NULL;
    if (one_in(random, 4))
        c.first_header_octets = c.next_header_octets = c.llc_octets = 0;
    c.nses = wish->nses > c.nses ? wish->nses : c.nses;
    c.bvcs = wish->cells > c.bvcs ? wish->cells : c.bvcs;
    c.mss = wish->mss > c.mss ? wish->mss : c.mss;
    c.limit.packets = 1024;
    c.ms_limit.packets = 64;
    c.flows_a_pfc = wish->flow_queues ? 1u << draw(random, 1, 6) : 0;
    c.bvc_delay_ns = one_in(random, 3) ? draw_log(random, 20, 31) : 0;
    c.ms_delay_ns = one_in(random, 3) ? draw_log(random, 20, 31) : 0;
    c.pfc_delay_ns = one_in(random, 3) ? draw_log(random, 20, 31) : 0;
    if (wish->limits) {
        c.limit = random_limit(random, 400);
        c.bvc_limit = random_limit(random, 200);
        c.nse_limit = random_limit(random, 300);
        c.ms_limit = random_limit(random, 50);
        c.tail_drop = one_in(random, 2);
    }
    if (wish->holds)
        c.hold_ns = draw_log(random, 30, 33);
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        random_class(&c.of_class[i], random, wish);
    return c;
}

static void random_source(struct world *w, uint64_t *random, uint32_t pfc,
                          const struct world_wish *wish)
{
    struct world_source s = {.pfc = pfc,
                             .least = 1,
                             .most = 1600,
                             .seed = draw(random, 0, 1 << 30),
                             .lle = (uint8_t)draw(random, 0, 3),
                             .ect = one_in(random, 2),
                             .flows = (uint32_t)draw(random, 1, 100)};
    if (one_in(random, 2))
        s.least = s.most = (uint16_t)draw(random, 1, 1600);
    if (wish->octets)
        s.least = s.most = wish->octets;
    s.on_ns = draw_log(random, 20, 32);
    s.off_ns = one_in(random, 2) ? draw_log(random, 20, 34) : 0;
    s.interval_ns = draw_log(random, 20, 31);
    s.burst = (uint32_t)draw_log(random, 0, 3);
    s.depth = one_in(random, 2) ? (uint32_t)draw(random, 1, 12) : 0;
    if (wish->sparse) {
        s.burst = 1;
        s.depth = 0;
    }
    world_add_source(w, s);
}

static void random_ms(struct world *w, uint64_t *random, const struct world_wish *wish)
{
    uint16_t n201_u = one_in(random, 3) ? 140 : (uint16_t)draw(random, 140, 1520);
    uint32_t cell = (uint32_t)draw(random, 0, w->cells - 1);
    uint32_t ms = world_add_ms(w, cell, wish->octets ? 1520 : n201_u);
    uint32_t pfcs = (uint32_t)draw(random, 1, wish->pfcs);
    w->ms[ms].extra = (uint32_t)draw(random, 0, 120);
    if (one_in(random, 2))
        world_ms_set(w, ms, random_terms(random));
    for (uint32_t slot = 0; slot < pfcs; slot++) {
        enum traffic_class class = (enum traffic_class)draw(random, 0, CLASS_COUNT - 1);
        if (wish->sparse && !one_in(random, 4))
            class = CLASS_BACKGROUND;
        uint32_t pfc = world_add_pfc(w, ms, slot, class);
        if (one_in(random, 3))
            world_pfc_set(w, pfc, random_terms(random));
        if (slot && one_in(random, 4))
            world_pfc_share(w, pfc, pfc - 1 - (uint32_t)draw(random, 0, slot - 1));
        for (uint32_t n = (uint32_t)draw(random, 1, 2); n; n--)
            random_source(w, random, pfc, wish);
    }
}

struct world *world_random(uint64_t *random, const struct world_wish *wish)
{
    struct sched_config config = random_config(random, wish);
    struct world *w = world_open(&config);
    w->batch = (uint32_t)draw(random, 1, 9);
    w->check_every = one_in(random, 10) ? 1 : 50;
    for (uint32_t n = (uint32_t)draw(random, 1, wish->nses); n; n--)
        world_add_nse(w, one_in(random, 2) ? WORLD_UNLIMITED : random_terms(random));
    for (uint32_t n = (uint32_t)draw(random, 1, wish->cells); n; n--)
        world_add_cell(w, (uint32_t)draw(random, 0, w->nses - 1), random_terms(random),
                       random_terms(random));
    for (uint32_t n = (uint32_t)draw(random, 1, wish->mss); n; n--)
        random_ms(w, random, wish);
    return w;
}

static void change_ms(struct world *w, uint64_t *random, uint32_t ms)
{
    if (!w->ms[ms].exists)
        return;
    switch (draw(random, 0, 14)) {
    case 13:
    case 14:
        world_ms_lles(w, ms, (uint32_t)draw(random, 0, 15));
        break;
    case 12: // sizes that a test wants alike stay
        if (w->ms[ms].n201_u[0] != 1520)
            world_ms_n201_u(w, ms, (uint32_t)draw(random, 1, 3), (uint16_t)draw(random, 140, 1520));
        break;
    case 10:
    case 11:
        world_ms_extra(w, ms, (uint32_t)draw(random, 0, 120));
        break;
    case 7:
        world_ms_credit(w, ms, (uint32_t)draw_log(random, 0, 12));
        break;
    case 8:
    case 9:
        for (uint32_t n = (uint32_t)draw(random, 1, 4); n; n--)
            world_frame_put(w, ms, (uint32_t)draw(random, 5, 1526));
        break;
    case 0:
        world_ms_set(w, ms, random_terms(random));
        break;
    case 1:
        world_ms_default(w, ms);
        break;
    case 2:
        world_ms_ratio(w, ms, (uint32_t)draw(random, 0, 255));
        break;
    case 3:
        world_ms_freeze(w, ms);
        break;
    case 4:
        world_ms_release(w, ms);
        break;
    case 5:
        world_ms_move(w, ms, (uint32_t)draw(random, 0, w->cells - 1));
        break;
    default:
        world_ms_flush(w, ms);
    }
}

static void share_one(struct world *w, uint64_t *random, uint32_t pfc)
{
    uint32_t with = (uint32_t)draw(random, 0, w->pfcs - 1);
    if (with != pfc && w->pfc[with].exists && w->pfc[with].ms == w->pfc[pfc].ms)
        world_pfc_share(w, pfc, with);
}

static void change_pfc(struct world *w, uint64_t *random, uint32_t pfc)
{
    if (!w->pfc[pfc].exists)
        return;
    switch (draw(random, 0, 4)) {
    case 4:
        share_one(w, random, pfc);
        break;
    case 3:
        if (world_flow(w, pfc)->limited)
            world_pfc_credit(w, pfc, (uint32_t)draw_log(random, 0, 12));
        break;
    case 0:
        world_pfc_set(w, pfc, random_terms(random));
        break;
    case 1:
        world_pfc_unlimit(w, pfc);
        break;
    default:
        if (world_flow(w, pfc)->limited)
            world_pfc_ratio(w, pfc, (uint32_t)draw(random, 0, 255));
    }
}

// Lifetimes as they were: what they do to what waits is judged apart.
static void change_class(struct world *w, uint64_t *random)
{
    uint32_t class = (uint32_t)draw(random, 0, CLASS_COUNT - 1);
    struct sched_class values = w->config.of_class[class];
    values.weight = (uint32_t)draw_log(random, 0, 9);
    world_class_set(w, (enum traffic_class) class, &values);
}

void world_random_change(struct world *w, uint64_t *random)
{
    uint32_t cell = (uint32_t)draw(random, 0, w->cells - 1);
    switch (draw(random, 0, 9)) {
    case 8:
        world_cell_reset(w, cell);
        if (one_in(random, 2))
            world_cell_set(w, cell, random_terms(random), random_terms(random));
        break;
    case 5:
        world_cell_credit(w, cell, (uint32_t)draw_log(random, 0, 12));
        break;
    case 9:
        world_cell_more(w, cell, (uint32_t)draw(random, 0, 3));
        break;
    case 6:
        world_cell_block(w, cell, one_in(random, 4));
        break;
    case 7:
        change_class(w, random);
        break;
    case 0:
        world_cell_set(w, cell, random_terms(random), random_terms(random));
        break;
    case 1:
        world_cell_ratio(w, cell, (uint32_t)draw(random, 0, 255));
        break;
    case 2:
        world_nse_set(w, (uint32_t)draw(random, 0, w->nses - 1),
                      one_in(random, 2) ? WORLD_UNLIMITED : random_terms(random));
        break;
    case 3:
        change_ms(w, random, (uint32_t)draw(random, 0, w->mss - 1));
        break;
    default:
        change_pfc(w, random, (uint32_t)draw(random, 0, w->pfcs - 1));
    }
}

static uint64_t pdus_sent(const struct world *w)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w->mss; i++)
        sum += w->ms[i].sent_pdus;
    return sum;
}

void world_random_life(struct world *w, uint64_t *random, uint32_t pdus, uint32_t changes)
{
    for (uint32_t i = 0; i < changes && pdus_sent(w) < pdus; i++) {
        world_run(w, w->now_ns + draw_log(random, 10, 29));
        world_random_change(w, random);
    }
}
