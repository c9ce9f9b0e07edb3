// S10: a new Bmax or R takes effect at once, after the bucket is settled at the old R; R = 0 stops
// and a later R resumes; MSs on defaults follow their cell's new defaults, in virtual time at the
// instant of the change; a reset empties every bucket of the cell. That every level is right to the
// unit after any change is judged by the world at each step (S1).
#include "tests/dataplane/sched/world_inside.h"
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

enum level { LEVEL_NSE, LEVEL_CELL, LEVEL_MS, LEVEL_DEFAULT, LEVEL_PFC, LEVELS };

static void set(struct world *w, enum level level, struct bucket_terms terms)
{
    switch (level) {
    case LEVEL_NSE:
        world_nse_set(w, 0, terms);
        break;
    case LEVEL_CELL:
        world_cell_set(w, 0, terms, WORLD_PLENTY);
        break;
    case LEVEL_MS:
        world_ms_set(w, 0, terms);
        break;
    case LEVEL_DEFAULT:
        world_cell_set(w, 0, WORLD_PLENTY, terms);
        break;
    default:
        world_pfc_set(w, 0, terms);
    }
}

// One greedy MS, limited at that level alone; PDUs of 1000 octets.
static struct world *limited(enum level level, struct bucket_terms terms)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    set(w, level, terms);
    world_add_greedy(w, 0, 990, 990);
    return w;
}

static void assert_next_at(const struct world *w, uint32_t i, uint64_t at_ns)
{
    assert_true(i < w->sents);
    assert_int_equal(w->sent[i].time_ns, at_ns);
}

// 8 kbit/s, a PDU a second from 1 ns on; in the midst of the wait for the fourth R is changed.
static void a_new_r_counts_from_now_on(void **state)
{
    static const uint32_t kbit_per_s[] = {1, 2, 4, 16, 80, 800};
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t i = 0; i < sizeof kbit_per_s / sizeof kbit_per_s[0]; i++) {
            struct world *w = limited(level, world_terms(8000, 2000));
            world_run(w, 3 * S_IN_NS / 2 + 1);
            assert_int_equal(w->sents, 3);
            set(w, level, world_terms(kbit_per_s[i] * 1000, 2000));
            uint64_t wait_ns = 500 * 8 * S_IN_NS / (kbit_per_s[i] * 1000); // 500 octets are left
            world_run(w, w->now_ns + 10 * wait_ns + S_IN_NS);
            assert_next_at(w, 3, 3 * S_IN_NS / 2 + 1 + wait_ns);
            world_close(w);
        }
}

// Room for one more lets it go now; room for less holds it until the level is down.
static void a_new_bmax_counts_from_now_on(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t octets = 1000; octets <= 5000; octets += 500) {
            struct world *w = limited(level, world_terms(8000, 2000));
            world_run(w, 3 * S_IN_NS / 2 + 1); // the level is 1500
            set(w, level, world_terms(8000, octets));
            world_run(w, w->now_ns + 10 * S_IN_NS);
            uint64_t wait_ns = octets < 2500 ? (2500 - octets) * MS_IN_NS : 0;
            assert_next_at(w, 3, 3 * S_IN_NS / 2 + 1 + wait_ns);
            world_close(w);
        }
}

static void r_0_stops_and_a_later_r_resumes(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        struct world *w = limited(level, world_terms(8000, 2000));
        world_run(w, 3 * S_IN_NS / 2 + 1);
        set(w, level, world_terms(0, 2000));
        world_run(w, 1000 * S_IN_NS);
        assert_int_equal(w->sents, 3);
        assert_true(sched_next_ns(w->sched, w->now_ns) > 10000 * S_IN_NS);
        set(w, level, world_terms(8000, 2000)); // nothing has leaked meanwhile
        world_run(w, 1100 * S_IN_NS);
        assert_next_at(w, 3, 1000 * S_IN_NS + S_IN_NS / 2);
        world_close(w);
    }
}

// Who waits for the first piece of a head, 1500 octets, waits for 146 when N201-U shrinks to 140,
// and for 1500 again when it grows back. 800 bit/s: an octet in 10 ms. All of it is shorter than a
// turn of the wheel, at whose end everybody looks again anyhow.
static void a_new_n201_u_counts_from_now_on(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint64_t at_ms = 100; at_ms <= 900; at_ms += 200)
            for (uint32_t back = 0; back < 2; back++) {
                struct world *w = limited(level, world_terms(800, 1600));
                w->source[0].least = w->source[0].most = 1490;
                world_run(w, 1 + at_ms * MS_IN_NS);
                assert_int_equal(w->sents, 1);
                world_ms_n201_u(w, 0, 0, 140);
                if (back)
                    world_ms_n201_u(w, 0, 0, 1520);
                world_run(w, 20 * S_IN_NS);
                uint64_t conforms_ms = (back ? 1400 : 46) * 10;
                assert_int_equal(w->sent[1].llc_octets, back ? 1500 : 146);
                assert_int_equal(w->sent[1].time_ns,
                                 1 + MS_IN_NS * (conforms_ms > at_ms ? conforms_ms : at_ms));
                world_close(w);
            }
}

// From the BSS's word that it holds nothing, or more than Bmax, on.
static void a_bucket_full_ratio_counts_from_now_on(void **state)
{
    (void)state;
    for (uint32_t percent = 0; percent <= 200; percent += 50) {
        struct world *w = limited(LEVEL_CELL, world_terms(8000, 2000));
        world_run(w, 3 * S_IN_NS / 2 + 1);
        world_cell_ratio(w, 0, percent);
        world_run(w, 10 * S_IN_NS);
        uint64_t wait_ns = percent > 50 ? (20 * percent - 1000) * MS_IN_NS : 0;
        assert_next_at(w, 3, 3 * S_IN_NS / 2 + 1 + wait_ns);
        world_close(w);
    }
}

// Between two rates, one change every 10 us; what goes is the integral of R, within one PDU.
static void a_hundred_thousand_changes_a_second(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        struct world *w = limited(level, world_terms(40000, 2000));
        uint32_t changes = WORLD_CASES(100000);
        unsigned __int128 leaked = 0;
        w->check_every = 1000;
        world_run(w, 1);
        uint64_t random = level + 1, before = w->ms[0].sent_octets;
        for (uint32_t i = 0; i < changes; i++) {
            struct bucket_terms terms = {world_random_rate(&random), 2000};
            set(w, level, terms);
            world_run(w, w->now_ns + 10000);
            leaked += (uint64_t)terms.rate * 10000;
        }
        uint64_t sent = (w->ms[0].sent_octets - before) * BUCKET_UNITS_AN_OCTET;
        uint64_t pdu = 1010 * BUCKET_UNITS_AN_OCTET;
        assert_true(sent <= (uint64_t)leaked + pdu);
        assert_true(sent + pdu >= (uint64_t)leaked);
        world_close(w);
    }
}

// Many MSs on defaults wait long; the new defaults let all of them go at once. And those that have
// values of their own are not touched.
static void mss_on_defaults_follow_at_once(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, world_terms(100, 1010));
    for (uint32_t i = 0; i < 100; i++) {
        world_add_greedy(w, world_add_simple(w, 0, (enum traffic_class)(i % CLASS_COUNT)), 990,
                         990);
        if (i % 10 == 0)
            world_ms_set(w, i, world_terms(100, 1010));
    }
    world_run(w, 10 * S_IN_NS + 10 * MS_IN_NS);
    uint64_t change_ns = w->now_ns;
    world_cell_set(w, 0, WORLD_PLENTY, world_terms(6500000, 2020));
    world_run(w, change_ns);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(w->ms[i].sent_pdus > 1, i % 10 != 0);
    world_close(w);
}

// As long as defaults stay, MSs that wait by them are left alone, however often they are said, and
// wait until the very instant. By defaults of 0 there is none to wait for.
static void defaults_that_stay_wake_nobody(void **state)
{
    (void)state;
    for (uint32_t rate = 0; rate < 2; rate++) {
        struct world *w = limited(LEVEL_DEFAULT, world_terms(8000, 1000));
        const struct bucket_terms terms = world_terms(rate ? 8000 : 0, 1000);
        uint64_t next_ns = rate ? S_IN_NS + 1 : TIME_NEVER;
        world_run(w, 1); // one has gone
        set(w, LEVEL_DEFAULT, terms);
        for (uint32_t i = 0; i < 100; i++) {
            world_run(w, w->now_ns + MS_IN_NS);
            assert_int_equal(sched_next_ns(w->sched, w->now_ns), next_ns);
            set(w, LEVEL_DEFAULT, terms);
            assert_int_equal(sched_next_ns(w->sched, w->now_ns), next_ns);
        }
        assert_int_equal(w->sents, 1);
        world_close(w);
    }
}

// One call visits a part of a large cell's MSs. A cell that changes before each call, so that its
// visits never end, starves none of its MSs, and not those of another cell.
static void a_cell_that_never_rests_starves_nobody(void **state)
{
    const uint32_t mss = 1000;
    struct sched_config config = world_config();
    (void)state;
    config.mss = mss + 1;
    config.limit = config.bvc_limit = (struct sched_limit){2 * config.mss, 2000 * config.mss};
    config.of_class[CLASS_BACKGROUND].limit = config.limit;
    struct world *w = world_open(&config);
    w->check_every = 100000;
    world_add_nse(w, WORLD_UNLIMITED);
    for (uint32_t i = 0; i < 2; i++)
        world_add_cell(w, 0, WORLD_PLENTY, world_terms(100, 1010));
    for (uint32_t i = 0; i <= mss; i++)
        for (uint32_t n = world_add_simple(w, i == mss, CLASS_BACKGROUND), k = 0; k < 2; k++)
            world_put(w, n, 990, 0, 0, false);
    world_run(w, S_IN_NS);
    assert_int_equal(w->finished.packets, mss + 1);
    w->batch = WORLD_BATCH;
    for (uint32_t i = 0; i < 32; i++) {
        world_cell_set(w, 0, WORLD_PLENTY, world_terms(100, 2020 + i));
        if (i == 0)
            world_cell_set(w, 1, WORLD_PLENTY, world_terms(100, 2020));
        world_take(w);
        assert_true(i < 2 || w->ms[mss].sent_pdus == 2);
    }
    assert_int_equal(w->finished.packets, 2 * (mss + 1));
    world_close(w);
}

// To values of its own and back: the level goes with it, settled at each rate in turn.
static void to_values_of_its_own_and_back(void **state)
{
    (void)state;
    struct world *w = limited(LEVEL_DEFAULT, world_terms(8000, 2000));
    for (uint32_t i = 0; i < 1000; i++) {
        world_run(w, w->now_ns + 7 * MS_IN_NS * (1 + i % 50));
        if (i % 2)
            world_ms_default(w, 0);
        else
            world_ms_set(w, 0, world_terms(100 * (1 + i), 1000 + i));
        if (i % 7 == 0)
            world_cell_set(w, 0, WORLD_PLENTY, world_terms(100 * (1 + i * 3), 2000 - i));
    }
    world_close(w);
}

// After a reset the cell is stopped and its bucket empty, until it is set.
static void a_reset_empties_and_stops(void **state)
{
    (void)state;
    struct world *w = limited(LEVEL_CELL, world_terms(8000, 2000));
    world_run(w, S_IN_NS / 2);
    assert_int_equal(w->sents, 2);
    world_cell_reset(w, 0);
    assert_int_equal(sched_bvc_bucket(w->sched, 0, w->now_ns).level, 0);
    world_run(w, 100 * S_IN_NS);
    assert_int_equal(w->sents, 2);
    set(w, LEVEL_CELL, world_terms(8000, 2000));
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 4);
    world_close(w);
}

// B = 0 after initialisation, at every bucket of the cell: who waited for one goes as soon as the
// cell has values, even at the instant of the reset; the world judges all levels at once. Another
// cell's MS goes on waiting.
static void a_reset_empties_every_bucket_of_the_cell(void **state)
{
    (void)state;
    for (enum level level = LEVEL_CELL; level < LEVELS; level++)
        for (uint64_t later_ns = 0; later_ns < 4; later_ns++) {
            const struct bucket_terms terms = world_terms(100, 1010);
            struct world *w = limited(level, terms);
            uint32_t other = world_add_cell(w, 0, WORLD_PLENTY, terms);
            world_add_greedy(w, world_add_simple(w, other, CLASS_BACKGROUND), 990, 990);
            world_run(w, S_IN_NS);
            assert_int_equal(w->sents, 2);
            world_cell_reset(w, 0);
            world_run(w, w->now_ns + later_ns * later_ns);
            if (level == LEVEL_CELL || level == LEVEL_DEFAULT)
                set(w, level, terms);
            else
                world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
            world_run(w, w->now_ns);
            assert_int_equal(w->sents, 3);
            assert_int_equal(w->sent[2].cell, 0);
            world_close(w);
        }
}

// Between a reset and the end of its visits nothing goes that the buckets do not allow; what is set
// meanwhile holds; who comes from elsewhere or goes is no exception; and resets in any number, with
// or without values between them, are as one.
static void what_happens_while_a_reset_goes_on(void **state)
{
    static const uint32_t times[] = {1, 2, 31, 256, 341};
    const uint32_t mss = 600;
    struct sched_config config = world_config();
    (void)state;
    config.mss = mss;
    for (uint32_t k = 0; k < sizeof times / sizeof times[0]; k++) {
        uint32_t resets = times[k];
        struct world *w = world_open(&config);
        w->check_every = 100;
        world_add_nse(w, WORLD_UNLIMITED);
        for (uint32_t i = 0; i < 2; i++)
            world_add_cell(w, 0, WORLD_PLENTY, world_terms(100, 1010));
        for (uint32_t i = 0; i < mss; i++)
            world_put(w, world_add_simple(w, i % 4 == 3, CLASS_BACKGROUND), 990, 0, 0, false);
        world_run(w, S_IN_NS);
        for (uint32_t i = 0; i < resets; i++) {
            world_cell_reset(w, 0);
            if (i % 2)
                world_cell_set(w, 0, WORLD_PLENTY, world_terms(100, 1010));
            if (i < 200) // what is set behind more resets than are counted is no longer told apart
                world_ms_ratio(w, i / 4 * 4, 100);
            if (i % 100 == 7)
                world_take(w);
        }
        world_ms_set(w, mss - 2, world_terms(100, 3000));
        world_ms_ratio(w, mss - 4, 50);
        world_ms_move(w, mss - 1, 0);
        world_ms_move(w, mss - 6, 1);
        world_judge_levels(w);
        world_cell_set(w, 0, WORLD_PLENTY, world_terms(100, 1010));
        for (uint32_t i = 0; i < mss; i++)
            world_put(w, i, 990, 0, 0, false);
        world_run(w, w->now_ns);
        for (uint32_t i = 0; i < mss; i++) // those of the other cell wait, and whom a ratio holds
            assert_true(w->ms[i].sent_pdus == 2 || w->ms[i].cell == 1 || i % 4 == 0);
        world_close(w);
    }
}

static void random_changes_are_exact(void **state)
{
    const struct world_wish wish = {.nses = 2, .cells = 4, .mss = 12, .pfcs = 3};
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(400); i++) {
        uint64_t random = random_next();
        struct world *w = world_random(&random, &wish);
        world_random_life(w, &random, 1000, 30);
        for (uint32_t k = 0; k < 300; k++) { // in quick succession, many at one instant
            world_random_change(w, &random);
            if (world_draw(&random, 0, 3) == 0)
                world_run(w, w->now_ns + world_draw(&random, 0, 100000));
        }
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_r_counts_from_now_on),
        cmocka_unit_test(a_new_bmax_counts_from_now_on),
        cmocka_unit_test(r_0_stops_and_a_later_r_resumes),
        cmocka_unit_test(a_new_n201_u_counts_from_now_on),
        cmocka_unit_test(a_bucket_full_ratio_counts_from_now_on),
        cmocka_unit_test(a_hundred_thousand_changes_a_second),
        cmocka_unit_test(mss_on_defaults_follow_at_once),
        cmocka_unit_test(defaults_that_stay_wake_nobody),
        cmocka_unit_test(a_cell_that_never_rests_starves_nobody),
        cmocka_unit_test(to_values_of_its_own_and_back),
        cmocka_unit_test(a_reset_empties_and_stops),
        cmocka_unit_test(a_reset_empties_every_bucket_of_the_cell),
        cmocka_unit_test(what_happens_while_a_reset_goes_on),
        cmocka_unit_test(random_changes_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
