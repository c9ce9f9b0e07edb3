// LLC frames of control's beside the queues: they conform and are charged at NSE, cell and MS as
// any PDU, go before the user data of their MS, keep their order there, and are not starved by
// smaller PDUs of others. That none goes too early, that none which conforms waits, and that no
// user data passes one is judged by the world at each step.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"
#include "tests/dataplane/sched/check.h"

enum level { LEVEL_NSE, LEVEL_CELL, LEVEL_MS, LEVEL_DEFAULT, LEVELS };

static void set(struct world *w, enum level level, struct bucket_terms terms)
{
    if (level == LEVEL_NSE)
        world_nse_set(w, 0, terms);
    else if (level == LEVEL_MS)
        world_ms_set(w, 0, terms);
    else if (level == LEVEL_CELL)
        world_cell_set(w, 0, terms, WORLD_PLENTY);
    else
        world_cell_set(w, 0, WORLD_PLENTY, terms);
}

// MSs 0 and 1 in a cell, each with a PFC; that level alone is limited.
static struct world *limited(enum level level, struct bucket_terms terms)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->judge_work = true;
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    world_add_simple(w, 0, CLASS_SIGNALLING);
    set(w, level, terms);
    return w;
}

// 8 kbit/s is an octet a millisecond.
static void a_frame_waits_until_it_conforms(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        struct world *w = limited(level, world_terms(8000, 1000));
        world_frame_put(w, 0, 1000);
        world_frame_put(w, 0, 300);
        world_run(w, 1);
        assert_int_equal(w->frames_gone, 1);
        world_run(w, 300 * MS_IN_NS);
        assert_int_equal(w->frames_gone, 1);
        assert_int_equal(sched_next_ns(w->sched, w->now_ns), 300 * MS_IN_NS + 1);
        world_run(w, 300 * MS_IN_NS + 1);
        assert_int_equal(w->frames_gone, 2);
        assert_int_equal(w->frame_octets, 1300);
        assert_int_equal(sched_next_ns(w->sched, w->now_ns), TIME_NEVER);
        world_close(w);
    }
}

// The bucket is kept full by PDUs of 60 octets, each of which conforms long before the frame's 1500
// do. The frame goes when it would with nobody else there; they go on behind it.
static void small_pdus_do_not_starve_it(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t other = 0; other < 2; other++) {
            if (other && level >= LEVEL_MS) // it has a bucket of its own
                continue;
            struct world *w = limited(level, world_terms(8000, 2000));
            world_add_greedy(w, other, 50, 50);
            world_run(w, 10 * S_IN_NS);
            uint32_t sents = w->sents;
            world_frame_put(w, 0, 1500);
            world_run(w, 10 * S_IN_NS + 1400 * MS_IN_NS);
            assert_int_equal(w->frames_gone, 0);
            assert_int_equal(w->sents, sents);
            world_run(w, 10 * S_IN_NS + 1501 * MS_IN_NS);
            assert_int_equal(w->frames_gone, 1);
            world_run(w, 20 * S_IN_NS);
            assert_in_range(w->sents - sents, 140, 143);
            world_close(w);
        }
}

// One that waits for its MS's bucket is in nobody else's way.
static void it_holds_up_nobody_but_its_ms(void **state)
{
    struct world *w = limited(LEVEL_MS, world_terms(800, 100));
    (void)state;
    for (int i = 0; i < 5; i++)
        world_frame_put(w, 0, 100);
    for (int i = 0; i < 5; i++)
        world_frame_put(w, 1, 100);
    world_put(w, 0, 50, 0, 0, false);
    world_put(w, 1, 50, 0, 0, false);
    world_run(w, 1);
    assert_int_equal(w->frames_gone, 6);
    assert_int_equal(w->sents, 1);
    assert_int_equal(w->sent[0].ms, 1);
    world_run(w, 4 * S_IN_NS);
    assert_int_equal(w->frames_gone, 9);
    assert_int_equal(w->sents, 1);
    world_run(w, 10 * S_IN_NS);
    assert_int_equal(w->frames_gone, 10);
    assert_int_equal(w->sents, 2);
    world_close(w);
}

static void it_waits_for_who_stands(void **state)
{
    (void)state;
    for (int what = 0; what < 5; what++) {
        struct world *w = limited(LEVEL_CELL, WORLD_PLENTY);
        for (int stop = 1; stop >= 0; stop--) {
            if (what == 0 && stop)
                world_ms_freeze(w, 0);
            else if (what == 0)
                world_ms_release(w, 0);
            else if (what == 1)
                world_cell_block(w, 0, stop);
            else
                set(w, (enum level)(what - 2), stop ? (struct bucket_terms){0} : WORLD_PLENTY);
            if (stop) {
                world_frame_put(w, 0, 100);
                world_run(w, 5 * S_IN_NS);
                assert_int_equal(w->frames_gone, 0);
                assert_int_equal(sched_next_ns(w->sched, w->now_ns), TIME_NEVER);
            }
        }
        world_run(w, w->now_ns);
        assert_int_equal(w->frames_gone, 1);
        world_close(w);
    }
}

// A cell or pipe kept for one frame is free again when that is gone without having gone.
static void what_was_kept_is_given_back(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVEL_MS; level++)
        for (int how = 0; how < 3; how++) {
            struct world *w = limited(level, world_terms(8000, 2000));
            world_add_cell(w, world_add_nse(w, WORLD_UNLIMITED), WORLD_PLENTY, WORLD_PLENTY);
            world_add_greedy(w, 1, 50, 50);
            world_run(w, 10 * S_IN_NS);
            world_frame_put(w, 0, 1500);
            world_run(w, 11 * S_IN_NS);
            uint32_t sents = w->sents;
            if (how == 0)
                world_frames_forget(w, 0);
            else if (how == 1)
                world_ms_move(w, 0, 1);
            else
                world_ms_remove(w, 0);
            assert_int_equal(w->frames_gone, 0);
            world_run(w, w->now_ns);
            assert_in_range(w->sents - sents, 13, 19); // what leaked in that second
            assert_int_equal(w->frames_gone, how == 1);
            world_close(w);
        }
}

// All of SCHED_FRAMES wait for one bucket, from several MSs, and go in the order in which they
// came.
static void as_many_as_there_is_room_for(void **state)
{
    struct world *w = limited(LEVEL_NSE, world_terms(8000, 100));
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        world_add_ms(w, 0, 500);
    for (uint32_t i = 0; i < SCHED_FRAMES + 10; i++)
        world_frame_put(w, i * i % 8, 100);
    assert_int_equal(w->frames, SCHED_FRAMES);
    for (uint64_t ms = 0; ms < SCHED_FRAMES; ms++) {
        assert_int_equal(w->frame[0].number, ms);
        world_run(w, 1 + ms * 100 * MS_IN_NS);
        assert_int_equal(w->frames_gone, ms + 1);
    }
    assert_int_equal(sched_next_ns(w->sched, w->now_ns), TIME_NEVER);
    world_close(w);
}

// Whoever keeps the frames should have said that they wait no longer; the tree is right without.
static void an_ms_that_is_removed_keeps_nothing(void **state)
{
    struct world *w = limited(LEVEL_CELL, WORLD_PLENTY);
    (void)state;
    sched_ms_reserve(w->sched, 0, true, w->now_ns);
    world_ms_remove(w, 0);
    assert_null(sched_check(w->sched));
    world_close(w);
}

static void random_lives(void **state)
{
    uint64_t gone = 0, kept = 0;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(600); i++) {
        const struct world_wish wish = {
            .nses = 3, .cells = 5, .mss = 12, .pfcs = 1 + i % 4, .octets = i % 2 ? 1500 : 0};
        uint64_t random = random_next();
        struct world *w = world_random(&random, &wish);
        w->judge_work = true;
        for (uint32_t n = 0; n < 60; n++) {
            world_random_life(w, &random, UINT32_MAX, 1);
            world_frame_put(w, (uint32_t)world_draw(&random, 0, w->mss - 1),
                            (uint32_t)world_draw(&random, 5, 1526));
            kept += w->frames;
        }
        gone += w->frames_gone;
        world_close(w);
    }
    print_message("# %llu frames went, %llu waited\n", (unsigned long long)gone,
                  (unsigned long long)kept);
    assert_true(gone > WORLD_CASES(600) * 10 && kept > WORLD_CASES(600) * 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_waits_until_it_conforms),
        cmocka_unit_test(small_pdus_do_not_starve_it),
        cmocka_unit_test(it_holds_up_nobody_but_its_ms),
        cmocka_unit_test(it_waits_for_who_stands),
        cmocka_unit_test(what_was_kept_is_given_back),
        cmocka_unit_test(as_many_as_there_is_room_for),
        cmocka_unit_test(an_ms_that_is_removed_keeps_nothing),
        cmocka_unit_test(random_lives),
    };
    return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
