// Rough lives: few MSs in small cells, each with many PFCs that share buckets and LLEs; several
// changes come at one instant, most often to an MS with half-sent N-PDUs: buckets of hardly any
// rate or room, freezing, resets, moves, other N201-U, MSs and PFCs that go and come again. In a
// third of the lives the worker comes late: the wheel brings several at once, and some of them make
// others wait again. The world judges every grant, loss and idle instant.
#include "tests/dataplane/sched/world_inside.h"
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

#define MSS   5u
#define PFCS  7u
#define STEPS 200u

// What a life has besides.
struct kind {
    bool flows, full, ages, holds;
};

static uint64_t dice;

static uint32_t draw(uint32_t least, uint32_t most)
{
    return (uint32_t)world_draw(&dice, least, most);
}

static bool one_in(uint32_t n)
{
    return draw(1, n) == 1;
}

// One in three has hardly any rate or room, or much of one of them alone.
static struct bucket_terms terms(void)
{
    static const uint32_t rates[] = {0, 1, 2, 10, 80, 240, 1000, BUCKET_RATE_MAX};
    static const uint32_t octets[] = {0, 1, 140, 146, 300, 600, 1000, 1526, 3000, 100000};
    if (one_in(3))
        return (struct bucket_terms){rates[draw(0, 7)], octets[draw(0, 9)]};
    return world_terms(draw(1, 20) * 2000, draw(150, 4000));
}

static uint64_t delay_ns(void)
{
    return one_in(3) ? draw(1, 3000) * MS_IN_NS : 0;
}

static uint16_t n201_u(void)
{
    return one_in(2) ? 140 : (uint16_t)draw(140, 1520);
}

static struct sched_limit limit(uint32_t packets)
{
    return (struct sched_limit){draw(3, packets), draw(2000, packets * 1000)};
}

static void draw_class(struct sched_class *k, const struct kind *kind)
{
    k->flow_queues = kind->flows && one_in(2);
    k->weight = one_in(2) ? k->weight : draw(1, 1000);
    if (!kind->ages || one_in(2))
        return;
    k->lifetime_ns = k->bss_most_ns = draw(10, 8000) * MS_IN_NS;
    k->bss_least_ns = draw(1, 5) * MS_IN_NS;
}

static struct sched_config draw_config(const struct kind *kind)
{
    struct sched_config c = world_config();
    c.nses = 2;
    c.bvcs = 4;
    c.mss = MSS;
    c.seed = draw(0, 1u << 30);
    c.in_full = one_in(4);
    c.tail_drop = !kind->full;
    c.pipe_header_octets = draw(0, 60);
    c.pipe_octets = one_in(2) ? world_pipe : NULL;
    c.flows_a_pfc = kind->flows ? 1u << draw(1, 3) : 0;
    c.bvc_delay_ns = delay_ns();
    c.ms_delay_ns = delay_ns();
    c.pfc_delay_ns = delay_ns();
    c.hold_ns = kind->holds ? draw(1, 5) * S_IN_NS : 0;
    if (kind->full) {
        c.limit = limit(60);
        c.bvc_limit = limit(40);
        c.nse_limit = limit(50);
        c.ms_limit = limit(30);
    }
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        draw_class(&c.of_class[i], kind);
    return c;
}

// ---- MSs and PFCs, which come again under their numbers ----

static uint32_t pfc_in(const struct world *w, uint32_t ms, uint32_t slot)
{
    for (uint32_t i = 0; i < w->pfcs; i++)
        if (w->pfc[i].exists && w->pfc[i].ms == ms && w->pfc[i].slot == slot)
            return i;
    return WORLD_NONE;
}

static uint32_t free_pfc(const struct world *w)
{
    uint32_t i = 0;
    while (i < w->pfcs && w->pfc[i].exists)
        i++;
    return i;
}

static enum traffic_class draw_class_of_pfc(void)
{
    if (one_in(3))
        return (enum traffic_class)draw(0, CLASS_COUNT - 1);
    return one_in(2) ? (enum traffic_class)draw(0, 1) : CLASS_BACKGROUND;
}

static void add_pfc(struct world *w, uint32_t ms, uint32_t slot)
{
    uint32_t pfcs = w->pfcs, pfc = free_pfc(w);
    w->pfcs = pfc;
    world_add_pfc(w, ms, slot, draw_class_of_pfc());
    w->pfcs = pfcs > pfc ? pfcs : pfc + 1;
    if (one_in(2))
        world_pfc_set(w, pfc, terms());
    uint32_t with = pfc_in(w, ms, draw(0, PFCS - 1));
    if (!one_in(3) && with != WORLD_NONE && with != pfc)
        world_pfc_share(w, pfc, with);
}

static void add_ms(struct world *w, uint32_t ms)
{
    uint32_t mss = w->mss;
    w->mss = ms;
    world_add_ms(w, draw(0, w->cells - 1), n201_u());
    w->mss = mss > ms ? mss : ms + 1;
    world_sizes_follow(w);
    w->ms[ms].extra = draw(0, 120);
    if (one_in(2))
        world_ms_set(w, ms, terms());
    for (uint32_t slot = 0, n = draw(1, PFCS); slot < n; slot++)
        add_pfc(w, ms, slot);
}

static void remove_ms(struct world *w, uint32_t ms)
{
    world_ms_remove(w, ms);
    for (uint32_t i = 0; i < w->pfcs; i++)
        if (w->pfc[i].ms == ms)
            w->pfc[i].shares = 0;
}

static bool has_begun(const struct world *w, uint32_t ms)
{
    bool begun = false;
    for (uint32_t lle = 0; lle < SCHED_LLES; lle++)
        begun |= w->ms[ms].exists && w->ms[ms].started[lle] != WORLD_NONE;
    return begun;
}

// Most often one with a half-sent N-PDU.
static uint32_t draw_ms(const struct world *w)
{
    uint32_t ms = draw(0, w->mss - 1);
    for (uint32_t i = 0; i < 2 * w->mss && !has_begun(w, ms); i++)
        ms = draw(0, w->mss - 1);
    return ms;
}

// ---- Changes ----

static void put_some(struct world *w)
{
    uint32_t ms = draw(0, w->mss - 1), lles = draw(0, SCHED_LLES - 1);
    for (uint32_t n = draw(1, 6); n; n--) {
        uint32_t pfc = pfc_in(w, ms, draw(0, PFCS - 1));
        uint16_t octets = (uint16_t)(one_in(3) ? draw(1, 1600) : draw(130, 500));
        if (pfc != WORLD_NONE)
            world_put(w, pfc, octets, (uint8_t)draw(0, lles), draw(1, 20) * 0x9e3779b9u, one_in(2));
    }
}

static void change_size(struct world *w, uint32_t ms)
{
    switch (draw(0, 3)) {
    case 0:
        world_ms_n201_u(w, ms, draw(0, SCHED_LLES - 1), n201_u());
        break;
    case 1:
        world_ms_lles(w, ms, draw(0, 15));
        break;
    case 2:
        world_ms_extra(w, ms, draw(0, 120));
        break;
    default:
        world_frame_put(w, ms, draw(5, 600));
    }
}

static void change_ms(struct world *w)
{
    uint32_t ms = draw_ms(w);
    if (!w->ms[ms].exists) {
        add_ms(w, ms);
        return;
    }
    switch (draw(0, 13)) {
    case 0:
        world_ms_freeze(w, ms);
        break;
    case 1:
        world_ms_move(w, ms, draw(0, w->cells - 1));
        break;
    case 2:
        world_ms_set(w, ms, terms());
        break;
    case 3:
        world_ms_default(w, ms);
        break;
    case 4:
        world_ms_ratio(w, ms, one_in(2) ? 0 : draw(0, 255));
        break;
    case 5:
        world_ms_credit(w, ms, draw(0, 3000));
        break;
    case 6:
        if (one_in(4))
            remove_ms(w, ms);
        else if (one_in(3))
            world_ms_flush(w, ms);
        break;
    case 7:
    case 8:
    case 9:
    case 10:
        change_size(w, ms);
        break;
    default:
        world_ms_release(w, ms);
    }
}

static void change_bucket(struct world *w, uint32_t pfc)
{
    bool limited = world_flow(w, pfc)->limited;
    switch (draw(0, 4)) {
    case 0:
        world_pfc_unlimit(w, pfc);
        break;
    case 1:
        if (limited)
            world_pfc_ratio(w, pfc, one_in(2) ? 0 : draw(0, 255));
        break;
    case 2:
        if (limited)
            world_pfc_credit(w, pfc, draw(0, 3000));
        break;
    default:
        world_pfc_set(w, pfc, terms());
    }
}

static void change_pfc(struct world *w)
{
    uint32_t ms = draw_ms(w), slot = draw(0, PFCS - 1), pfc = pfc_in(w, ms, slot);
    uint32_t with = pfc_in(w, ms, draw(0, PFCS - 1));
    if (!w->ms[ms].exists)
        return;
    if (pfc == WORLD_NONE)
        add_pfc(w, ms, slot);
    else if (one_in(16))
        world_pfc_remove(w, pfc);
    else if (one_in(4) && with != WORLD_NONE && with != pfc)
        world_pfc_share(w, pfc, with);
    else
        change_bucket(w, pfc);
}

static void change_above(struct world *w)
{
    uint32_t cell = draw(0, w->cells - 1);
    switch (draw(0, 5)) {
    case 0:
        world_cell_reset(w, cell);
        if (!one_in(3))
            world_cell_set(w, cell, terms(), terms());
        break;
    case 1:
        world_cell_set(w, cell, terms(), terms());
        break;
    case 2:
        world_cell_credit(w, cell, draw(0, 3000));
        break;
    case 3:
        world_cell_block(w, cell, one_in(4));
        break;
    case 4:
        world_cell_ratio(w, cell, one_in(2) ? 0 : draw(0, 255));
        break;
    default:
        world_nse_set(w, draw(0, w->nses - 1), one_in(2) ? WORLD_UNLIMITED : terms());
    }
}

static void change_weight(struct world *w)
{
    enum traffic_class class = (enum traffic_class)draw(0, CLASS_COUNT - 1);
    struct sched_class values = w->config.of_class[class];
    values.weight = draw(1, 1000);
    world_class_set(w, class, &values);
}

static void change(struct world *w)
{
    uint32_t what = draw(0, 19);
    if (what < 4)
        put_some(w);
    else if (what < 9)
        change_ms(w);
    else if (what < 13)
        change_pfc(w);
    else if (what < 19)
        change_above(w);
    else
        change_weight(w);
}

// Often to the very instant at which something is due.
static void time_passes(struct world *w)
{
    uint64_t next_ns = sched_next_ns(w->sched, w->now_ns), until_ns = w->now_ns;
    switch (draw(0, 5)) {
    case 0:
        world_take(w);
        return;
    case 1:
        break;
    case 2:
        until_ns = next_ns > until_ns && next_ns < until_ns + 100 * S_IN_NS ? next_ns : until_ns;
        break;
    case 3:
        until_ns += draw(0, 2000);
        break;
    case 4:
        until_ns += draw(1, 400) * MS_IN_NS;
        break;
    default:
        until_ns += draw(1, 20) * 100 * MS_IN_NS;
    }
    world_run(w, until_ns);
}

// Returns the N-PDUs that it finished.
static uint64_t life(const struct kind *kind)
{
    struct sched_config c = draw_config(kind);
    struct world *w = world_open(&c);
    w->batch = draw(1, 9);
    w->judge_work = !kind->flows;
    w->poll_ns = one_in(3) ? draw(1, 3000) * MS_IN_NS : 0;
    for (uint32_t n = draw(1, 2); n; n--)
        world_add_nse(w, one_in(2) ? WORLD_UNLIMITED : terms());
    for (uint32_t n = draw(1, 4); n; n--)
        world_add_cell(w, draw(0, w->nses - 1), terms(), terms());
    for (uint32_t ms = 0, mss = draw(1, MSS); ms < mss; ms++)
        add_ms(w, ms);
    for (uint32_t i = 0; i < STEPS; i++) {
        for (uint32_t n = draw(1, 3); n; n--)
            change(w);
        time_passes(w);
    }
    uint64_t finished = w->finished.packets;
    world_close(w);
    return finished;
}

static void lives(const struct kind *kind)
{
    uint32_t cases = WORLD_CASES(200);
    uint64_t finished = 0;
    random_begin();
    for (uint32_t i = 0; i < cases; i++) {
        dice = random_next();
        finished += life(kind);
    }
    print_message("# %llu N-PDUs in %u lives\n", (unsigned long long)finished, cases);
    assert_true(finished > 10 * cases);
}

static void rough_lives(void **state)
{
    (void)state;
    lives(&(struct kind){0});
}

static void with_full_limits(void **state)
{
    (void)state;
    lives(&(struct kind){.full = true});
}

static void with_lifetimes(void **state)
{
    (void)state;
    lives(&(struct kind){.ages = true, .holds = true});
}

static void with_queues_by_flow(void **state)
{
    (void)state;
    lives(&(struct kind){.flows = true, .ages = true});
}

static void with_all_of_it(void **state)
{
    (void)state;
    lives(&(struct kind){.flows = true, .full = true, .ages = true, .holds = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rough_lives),    cmocka_unit_test(with_full_limits),
        cmocka_unit_test(with_lifetimes), cmocka_unit_test(with_queues_by_flow),
        cmocka_unit_test(with_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
