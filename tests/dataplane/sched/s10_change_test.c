// S10: a new Bmax or R takes effect at once, after the bucket is settled at the old R; R = 0 stops
// and a later R resumes; MSs on defaults follow their cell's new defaults within 100 ms. That every
// level is right to the unit after any change is judged by the world at each step (S1).
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

// Of the MS's defaults the change may show up to 100 ms late.
static uint64_t late_ns(enum level level)
{
    return level == LEVEL_DEFAULT ? 100 * MS_IN_NS : 0;
}

static void assert_next_at(const struct world *w, enum level level, uint32_t i, uint64_t at_ns)
{
    assert_true(i < w->sents);
    assert_in_range(w->sent[i].time_ns, at_ns, at_ns + late_ns(level));
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
            assert_next_at(w, level, 3, 3 * S_IN_NS / 2 + 1 + wait_ns);
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
            assert_next_at(w, level, 3, 3 * S_IN_NS / 2 + 1 + wait_ns);
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
        if (level != LEVEL_DEFAULT)
            assert_true(sched_next_ns(w->sched, w->now_ns) > 10000 * S_IN_NS);
        set(w, level, world_terms(8000, 2000)); // nothing has leaked meanwhile
        world_run(w, 1100 * S_IN_NS);
        assert_next_at(w, level, 3, 1000 * S_IN_NS + S_IN_NS / 2);
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
        assert_next_at(w, LEVEL_CELL, 3, 3 * S_IN_NS / 2 + 1 + wait_ns);
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
        if (level != LEVEL_DEFAULT) // there a change may show late, and what leaks then is lost
            assert_true(sent + pdu >= (uint64_t)leaked);
        world_close(w);
    }
}

// Many MSs on defaults wait long; the new defaults let all of them go within 100 ms. And those that
// have values of their own are not touched.
static void mss_on_defaults_follow_within_100_ms(void **state)
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
    world_run(w, change_ns + 100 * MS_IN_NS);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(w->ms[i].sent_pdus > 1, i % 10 != 0);
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
        cmocka_unit_test(mss_on_defaults_follow_within_100_ms),
        cmocka_unit_test(to_values_of_its_own_and_back),
        cmocka_unit_test(a_reset_empties_and_stops),
        cmocka_unit_test(random_changes_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
