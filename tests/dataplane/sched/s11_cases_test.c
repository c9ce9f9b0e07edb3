// S11, case by case: limits of MS, NSE and all that others fill, frozen and blocked ones among
// them; who is never a victim, and what one call may do. The world judges each loss (world_loss.c).
// Floods beside healthy MSs in one cell are in s11_loss_test.c, random trees in s11_random_test.c.
#include "tests/dataplane/sched/world.h"
#include "tests/dataplane/sched/check.h"

#include <string.h>

#define NO_LIMIT ((struct sched_limit){100000, 1u << 30})

// The program's own.
static struct sched_config default_limits(void)
{
    struct sched_config c = world_config();
    c.tail_drop = false;
    c.mss = 256;
    c.limit = c.nse_limit = (struct sched_limit){4096, 4000000};
    c.bvc_limit = (struct sched_limit){1024, 1000000};
    c.ms_limit = (struct sched_limit){256, 128000};
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        c.of_class[i].limit = NO_LIMIT;
    return c;
}

static struct world *open_cells(const struct sched_config *config, uint32_t nses, uint32_t cells)
{
    struct world *w = world_open(config);
    w->check_every = WORLD_EVERY(1000);
    for (uint32_t i = 0; i < nses; i++)
        world_add_nse(w, WORLD_UNLIMITED);
    for (uint32_t i = 0; i < cells; i++)
        world_add_cell(w, i % nses, world_terms(40000, 5000), WORLD_PLENTY);
    return w;
}

// One more MS with one context: so many N-PDUs of 500 octets a second, from a time of its own on.
static uint32_t add_ms(struct world *w, uint32_t cell, enum traffic_class class, double a_second)
{
    uint32_t pfc = world_add_simple(w, cell, class);
    world_add_source(w, (struct world_source){.pfc = pfc,
                                              .least = 500,
                                              .most = 500,
                                              .burst = 1,
                                              .interval_ns = (uint64_t)(1e9 / a_second),
                                              .start_ns = 1 + pfc * 17 * MS_IN_NS});
    return pfc;
}

// Ten of them, three quarters of the cell's 40 kbit/s.
#define HEALTHY  10
#define A_SECOND 0.737

static void add_healthy(struct world *w, enum traffic_class class)
{
    for (uint32_t i = 0; i < HEALTHY; i++)
        add_ms(w, 0, class, A_SECOND);
}

// Of 200 s. They are the first.
static void healthy_lose_nothing(struct world *w)
{
    uint64_t put = 0, lost = 0;
    world_run(w, 200 * S_IN_NS);
    for (uint32_t i = 0; i < HEALTHY; i++) {
        put += w->source[i].count;
        lost += w->pfc[i].lost;
    }
    uint64_t others = w->put.packets - put;
    print_message("# the healthy lose %llu of %llu N-PDUs; the others put %llu\n",
                  (unsigned long long)lost, (unsigned long long)put, (unsigned long long)others);
    assert_true(put > 1400 && others > 4000);
    assert_int_equal(lost, 0);
    world_close(w);
}

// Fifty in five other cells, of the same NSE or of others; the limit that they fill is of all, or
// of the NSE.
static void stuck_ones_in_other_cells(void **state)
{
    (void)state;
    for (uint32_t nses = 1; nses <= 3; nses += 2)
        for (uint32_t of_nse = 0; of_nse < 2; of_nse++) {
            struct sched_config config = default_limits();
            if (of_nse)
                config.nse_limit = (struct sched_limit){1500, 1500000};
            struct world *w = open_cells(&config, nses, 6);
            add_healthy(w, CLASS_INTERACTIVE_1);
            for (uint32_t i = 0; i < 50; i++)
                world_ms_freeze(w, w->pfc[add_ms(w, 1 + i % 5, CLASS_INTERACTIVE_1, 3)].ms);
            healthy_lose_nothing(w);
        }
}

// A stopped cell, one that is blocked.
static void a_cell_that_stands(void **state)
{
    (void)state;
    for (uint32_t blocked = 0; blocked < 2; blocked++) {
        struct sched_config config = default_limits();
        config.limit = (struct sched_limit){800, 1u << 30};
        struct world *w = open_cells(&config, 1, 2);
        add_healthy(w, CLASS_INTERACTIVE_1);
        for (uint32_t i = 0; i < 10; i++)
            add_ms(w, 1, CLASS_STREAMING, 3);
        if (blocked)
            world_cell_block(w, 1, true);
        else
            world_cell_set(w, 1, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
        healthy_lose_nothing(w);
    }
}

// Within an MS: its streaming beside background that fills the MS's limit.
static void background_fills_the_ms(void **state)
{
    (void)state;
    struct sched_config config = default_limits();
    config.ms_limit = (struct sched_limit){40, 128000};
    struct world *w = open_cells(&config, 1, 1);
    add_healthy(w, CLASS_STREAMING);
    for (uint32_t i = 0; i < HEALTHY; i++) {
        uint32_t pfc = world_add_pfc(w, i, 1, CLASS_BACKGROUND);
        world_add_source(w, (struct world_source){.pfc = pfc,
                                                  .least = 500,
                                                  .most = 500,
                                                  .burst = 1,
                                                  .lle = 1,
                                                  .interval_ns = 300 * MS_IN_NS});
    }
    healthy_lose_nothing(w);
}

// With queues by flow, in a packet flow whose MS is full: a flow that sends little beside one that
// sends all it can.
static void a_flow_fills_its_packet_flow(void **state)
{
    (void)state;
    struct sched_config config = default_limits();
    config.flows_a_pfc = 16;
    config.of_class[CLASS_BACKGROUND].flow_queues = true;
    config.ms_limit = (struct sched_limit){40, 128000};
    struct world *w = open_cells(&config, 1, 1);
    world_ms_set(w, w->pfc[world_add_simple(w, 0, CLASS_BACKGROUND)].ms, world_terms(8000, 2000));
    uint64_t refused = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        world_run(w, w->now_ns + 100 * MS_IN_NS);
        world_put(w, 0, 500, 0, 1, false);
        if (i % 20 == 0)
            refused += world_put(w, 0, 100, 0, 2, false) != DROP_NONE;
    }
    assert_int_equal(refused, 0);
    assert_true(w->dropped[DROP_ms_full].packets > 1000);
    world_close(w);
}

// What is half sent stays; the one behind it goes.
static void a_half_sent_one_is_no_victim(void **state)
{
    (void)state;
    struct sched_config config = world_config();
    config.tail_drop = false;
    config.ms_limit = (struct sched_limit){4, 1u << 20};
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(8000, 150), WORLD_PLENTY);
    world_add_pfc(w, world_add_ms(w, 0, 140), 0, CLASS_BACKGROUND);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(world_put(w, 0, 500, 0, 0, false), DROP_NONE);
    world_run(w, 200 * MS_IN_NS);
    assert_int_equal(w->sents, 2);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(world_put(w, 0, 500, 0, 0, false), DROP_NONE);
    assert_int_equal(w->dropped[DROP_ms_full].packets, 10);
    world_run(w, 60 * S_IN_NS);
    assert_int_equal(w->finished.packets, 4);
    world_close(w);
}

// Contexts of one class in an MS are ranked together, and given up one by one.
static void contexts_of_one_class(void **state)
{
    (void)state;
    struct sched_config config = world_config();
    config.tail_drop = false;
    config.bvc_limit = (struct sched_limit){60, 1u << 30};
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    for (uint32_t ms = 0; ms < 3; ms++) {
        world_add_ms(w, 0, 500);
        for (uint32_t slot = 0; slot < 3; slot++)
            world_add_pfc(w, ms, slot, slot == 1 ? CLASS_INTERACTIVE_3 : CLASS_BACKGROUND);
    }
    for (uint32_t i = 0; i < 600; i++)
        assert_int_equal(world_put(w, i % 4 < 3 ? 2 : i / 4 % 9, 100, 0, 0, false), DROP_NONE);
    assert_int_equal(w->dropped[DROP_bvc_full].packets, 540);
    for (uint32_t ms = 0; ms < 3; ms++)
        world_pfc_remove(w, ms * 3);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(world_put(w, i % 2 ? 2 : 5 + i / 2 % 2 * 2, 100, 0, 0, false), DROP_NONE);
    world_take(w);
    world_close(w);
}

// What comes counts where it wants to go: if that makes its queue the largest, and it is all that
// the queue has to give, it is refused. An N-PDU no larger than the others' takes one's place.
static void what_comes_is_the_largest(void **state)
{
    (void)state;
    struct sched_config config = world_config();
    config.tail_drop = false;
    config.bvc_limit = (struct sched_limit){1000, 4000};
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    for (uint32_t i = 0; i < 10; i++)
        world_add_simple(w, 0, CLASS_BACKGROUND);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(world_put(w, i, 500, 0, 0, false), DROP_NONE);
    assert_int_equal(world_put(w, 8, 600, 0, 0, false), DROP_bvc_full);
    assert_int_equal(w->dropped[DROP_bvc_full].packets, 0);
    assert_int_equal(world_put(w, 9, 500, 0, 0, false), DROP_NONE);
    assert_int_equal(w->dropped[DROP_bvc_full].packets, 1);
    assert_int_equal(world_put(w, 0, 5000, 0, 0, false), DROP_bvc_full); // no limit could hold it
    assert_int_equal(w->dropped[DROP_bvc_full].packets, 1);
    world_close(w);
}

// Where others are as large, one of them gives, whichever context comes first.
static void others_as_large_give(void **state)
{
    (void)state;
    struct sched_config config = world_config();
    config.tail_drop = false;
    config.ms_limit = (struct sched_limit){2, 1u << 30};
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    world_add_ms(w, 0, 500);
    for (uint32_t slot = 0; slot < 3; slot++)
        world_add_pfc(w, 0, slot, CLASS_BACKGROUND);
    for (uint32_t i = 0; i < 30; i++)
        assert_int_equal(world_put(w, i * 5 % 3, 100, 0, 0, false), DROP_NONE);
    assert_int_equal(w->dropped[DROP_ms_full].packets, 28);
    world_close(w);
}

// Most MSs have waited since long before the limit was nearly full, and are not heard of again.
static void who_waits_since_long(void **state)
{
    (void)state;
    for (uint32_t of_all = 0; of_all < 2; of_all++) {
        struct sched_config config = world_config();
        config.tail_drop = false;
        config.mss = 600;
        *(of_all ? &config.limit : &config.bvc_limit) = (struct sched_limit){1000, 1u << 30};
        struct world *w = world_open(&config);
        w->check_every = 100;
        world_add_nse(w, WORLD_UNLIMITED);
        for (uint32_t cell = 0; cell < 1 + of_all * 3; cell++)
            world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
        for (uint32_t i = 0; i < 600; i++)
            world_add_simple(w, i % w->cells, i % 7 ? CLASS_BACKGROUND : CLASS_STREAMING);
        for (uint32_t i = 0; i < 500; i++)
            for (uint32_t n = i % 5 ? 1 : 2; n; n--)
                assert_int_equal(world_put(w, i, 100, 0, 0, false), DROP_NONE);
        world_run(w, S_IN_NS);
        for (uint32_t i = 0; i < 2000; i++) // to a hundred that have nothing yet
            assert_int_equal(world_put(w, 500 + i % 100, 100, 0, 0, false), DROP_NONE);
        assert_int_equal(w->queued.packets, 1000);
        world_run(w, 2 * S_IN_NS);
        world_close(w);
    }
}

// A full list of drops costs nothing that comes where others make room, for a while; with tail drop
// a full limit refuses all the same.
static void a_full_list_of_drops(void **state)
{
    (void)state;
    for (uint32_t tail_drop = 0; tail_drop < 2; tail_drop++) {
        struct sched_config config = world_config();
        config.tail_drop = tail_drop;
        config.limit = (struct sched_limit){1000, 1u << 30};
        struct world *w = world_open(&config);
        struct pdu pdu = {.buffer = w, .octets = 100};
        const struct sched_drop *drops;
        world_add_nse(w, WORLD_UNLIMITED);
        world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
        for (uint32_t ms = 0; ms < 2; ms++)
            world_add_simple(w, 0, CLASS_BACKGROUND);
        for (uint32_t i = 0; i < 1000; i++)
            assert_int_equal(sched_put(w->sched, i < 600, 0, &pdu, 1), DROP_NONE);
        assert_int_equal(sched_ms_flush(w->sched, 1, DROP_flushed, 1), -SCHED_MORE);
        for (uint32_t i = 0; i < SCHED_DROPS; i++)
            assert_int_equal(sched_put(w->sched, 0, 0, &pdu, 1), DROP_NONE);
        for (uint32_t i = 0; i < 10; i++)
            assert_int_equal(sched_put(w->sched, 0, 0, &pdu, 1),
                             tail_drop ? DROP_queue_full : DROP_NONE);
        assert_null(sched_check(w->sched));
        assert_int_equal(sched_dropped(w->sched, &drops), SCHED_DROPS);
        for (uint32_t ms = 0; ms < 2; ms++) { // the mirror has not seen them
            while (sched_ms_flush(w->sched, ms, DROP_flushed, 1) == -SCHED_MORE)
                sched_dropped(w->sched, &drops);
            sched_dropped(w->sched, &drops);
        }
        world_close(w);
    }
}

// ---- One call ----

// 32 large N-PDUs come to a full limit before the caller empties the list; each needs the room of
// many small ones. None of them is refused, and none of the small ones is lost twice.
static void a_burst_before_the_list_is_emptied(void **state)
{
    (void)state;
    struct sched_config config = world_config();
    config.tail_drop = false;
    config.bvc_limit = (struct sched_limit){100000, 100000};
    config.limit = config.nse_limit = config.ms_limit = NO_LIMIT;
    for (uint32_t c = 0; c < CLASS_COUNT; c++)
        config.of_class[c].limit = NO_LIMIT;
    struct world *w = world_open(&config);
    const struct sched_drop *drops;
    static bool lost[100000 / 100 + 1];
    memset(lost, 0, sizeof lost);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    for (uintptr_t i = 0; i < 1000; i++) {
        struct pdu pdu = {.buffer = (void *)(i + 1), .octets = 100};
        assert_int_equal(sched_put(w->sched, 0, 0, &pdu, w->now_ns), DROP_NONE);
    }
    for (uint32_t i = 0; i < 32; i++) {
        struct pdu pdu = {.buffer = w, .octets = 1500};
        assert_int_equal(sched_put(w->sched, 1, 0, &pdu, w->now_ns), DROP_NONE);
        assert_true(sched_queued(w->sched).octets <= 100000);
    }
    uint32_t n = sched_dropped(w->sched, &drops);
    assert_int_equal(n, 32 * 15);
    for (uint32_t i = 0; i < n; i++) {
        uintptr_t id = (uintptr_t)drops[i].buffer - 1;
        assert_true(id < 1000 && !lost[id]);
        assert_int_equal(drops[i].reason, DROP_bvc_full);
        assert_int_equal(id, i); // the oldest first
        lost[id] = true;
    }
    assert_int_equal(sched_queued(w->sched).packets, 1000 - n + 32);
    assert_null(sched_check(w->sched));
    for (uint32_t ms = 0; ms < 2; ms++) { // the mirror has not seen them
        while (sched_ms_flush(w->sched, ms, DROP_flushed, w->now_ns) == -SCHED_MORE)
            sched_dropped(w->sched, &drops);
        sched_dropped(w->sched, &drops);
    }
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stuck_ones_in_other_cells),
        cmocka_unit_test(a_cell_that_stands),
        cmocka_unit_test(background_fills_the_ms),
        cmocka_unit_test(a_flow_fills_its_packet_flow),
        cmocka_unit_test(a_half_sent_one_is_no_victim),
        cmocka_unit_test(contexts_of_one_class),
        cmocka_unit_test(what_comes_is_the_largest),
        cmocka_unit_test(others_as_large_give),
        cmocka_unit_test(who_waits_since_long),
        cmocka_unit_test(a_full_list_of_drops),
        cmocka_unit_test(a_burst_before_the_list_is_emptied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
