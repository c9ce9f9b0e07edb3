// LLC frames of control's that do not go: too old, nowhere to go, too many, or their MS has left;
// each is counted once, none is lost or sent twice, in any weather.
#include <errno.h>

#include "tests/dataplane/path/llc.h"
#include "tests/dataplane/random.h"

static void after_ten_seconds_it_is_of_no_use(void **state)
{
    uint64_t next_ns;
    (void)state;
    open_world(1, false);
    path_plain_ms(0, 0, 500);
    DO(bvc_block, .bvc_id = 0, .blocked = true);
    give(0);
    path_run_until(5 * S_IN_NS);
    give(0);
    path_run_until(10 * S_IN_NS - 1);
    assert_false(path_poll_once(&next_ns));
    assert_int_equal(next_ns, 10 * S_IN_NS);
    answers_are(0, 0);
    path_run_until(10 * S_IN_NS);
    answers_are(1, 1);
    path_down(0, 100);
    path_run_until(15 * S_IN_NS - 1);
    DO(bvc_block, .bvc_id = 0, .blocked = false);
    answers_are(2, 1);
    assert_int_equal(wents, 1);
    assert_int_equal(p.down_received, 1);
    DO(bvc_block, .bvc_id = 0, .blocked = true);
    give(0);
    path_run_until(100 * S_IN_NS);
    answers_are(3, 2);
    DO(bvc_block, .bvc_id = 0, .blocked = false);
    path_down(0, 100);
    path_poll();
    assert_int_equal(p.down_received, 2); // nothing stands before it any more
    path_close();
}

// By the lifetime of signalling, if that ends before.
static void its_lifetime_is_that_of_signalling(void **state)
{
    (void)state;
    open_world(1, false);
    path_plain_ms(0, 0, 500);
    DO(class_set, .traffic_class = CLASS_SIGNALLING, .weight = 1, .packets = 100, .octets = 10000,
       .lifetime_ns = 5 * S_IN_NS, .bss_least_ns = 2 * S_IN_NS, .bss_most_ns = 3 * S_IN_NS);
    give(0);
    assert_int_equal(went[0].lifetime_cs, 300);
    for (int late = 0; late < 2; late++) {
        DO(bvc_block, .bvc_id = 0, .blocked = true);
        give(0);
        path_run_until(p.now_ns + 3 * S_IN_NS + (uint64_t)late);
        DO(bvc_block, .bvc_id = 0, .blocked = false);
        assert_int_equal(wents, 2);
        assert_int_equal(went[1].lifetime_cs, 200);
        answers_are(2 + (uint64_t)late, (uint64_t)late);
    }
    path_close();
}

static void without_a_way_it_ends(void **state)
{
    (void)state;
    open_world(1, false);
    path_plain_ms(0, 0, 500);
    path_nsvc_weight(0, 0);
    give(0);
    answers_are(1, 1);
    path_nsvc(2, 0, false, 1);
    give(0);
    answers_are(2, 1);
    DO(nsvc_weight, .nsvc_id = 2, .weight = 1, .has_blocked = true, .blocked = true);
    give(0);
    answers_are(3, 2);
    path_nsvc_weight(2, 1);
    DO(bvc_block, .bvc_id = 0, .blocked = true);
    give(0);
    path_nsvc_remove(2); // while it waits
    DO(bvc_block, .bvc_id = 0, .blocked = false);
    answers_are(4, 3);
    assert_int_equal(wents, 1);
    path_close();
}

static void the_line_is_bounded(void **state)
{
    (void)state;
    open_world(1, false);
    for (uint32_t ms = 0; ms < 5; ms++)
        path_plain_ms(ms, 0, 500);
    DO(bvc_block, .bvc_id = 0, .blocked = true);
    for (uint32_t i = 0; i < SCHED_FRAMES + 44; i++)
        give(i % 5);
    answers_are(44, 44);
    DO(bvc_block, .bvc_id = 0, .blocked = false);
    path_poll();
    assert_int_equal(wents, SCHED_FRAMES);
    for (uint32_t i = 0; i < SCHED_FRAMES; i++)
        assert_true(i < 5 || went[i].number > went[i - 5].number);
    answers_are(SCHED_FRAMES + 44, 44);
    path_close();
}

// Removed, or off to another worker, it takes none along; within its NSE they follow it.
static void an_ms_that_leaves(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        open_world(2, false);
        path_plain_ms(0, 0, 500);
        path_plain_ms(1, 0, 500);
        for (uint32_t bvc = 0; bvc < 3; bvc++)
            DO(bvc_block, .bvc_id = bvc, .blocked = true);
        for (int i = 0; i < 6; i++)
            give((uint32_t)i % 2);
        if (how == 0)
            path_ms_remove(0);
        else if (how < 3)
            path_ms_move(0, (uint32_t)how);
        answers_are(how % 2 ? 0 : 3, how % 2 ? 0 : 3);
        if (how == 3) { // by being heard there
            DO(bvc_block, .bvc_id = 1, .blocked = false);
            path_up_from(0, 1, 100);
            path_poll();
            assert_int_equal(wents, 3);
        }
        for (uint32_t bvc = 0; bvc < 3; bvc++)
            DO(bvc_block, .bvc_id = bvc, .blocked = false);
        assert_int_equal(wents, how % 2 ? 6 : 3);
        if (how)
            give(0);
        assert_int_equal(wents, (how % 2 ? 6 : 3) + (how > 0));
        if (how == 2)
            assert_int_equal(went[3].bvci, 4);
        path_close();
    }
}

static void what_waits_at_the_end_goes_back(void **state)
{
    (void)state;
    open_world(1, false);
    path_plain_ms(0, 0, 500);
    DO(bvc_block, .bvc_id = 0, .blocked = true);
    for (int i = 0; i < 10; i++)
        give(0);
    p.defer = true;
    give(0); // still on the ring
    path_close();
}

static void what_is_refused(void **state)
{
    static const uint8_t octets[COMMAND_LLC_OCTETS_MAX + 1];
    struct command c = {.op = COMMAND_llc, .llc = {.pdu = {octets, 10}}};
    (void)state;
    open_world(1, false);
    path_command(&c, -ENOENT);
    path_plain_ms(0, 0, 500);
    c.llc.pdu.n = 0;
    path_command(&c, -ERANGE);
    c.llc.pdu.n = sizeof octets;
    path_command(&c, -ERANGE);
    c.llc.ms_id = PATH_MSS + 1;
    c.llc.pdu.n = 10;
    path_command(&c, -ERANGE);
    path_close();
}

// Anything: MSs that move, buckets that change, cells that block; of each MS they come in order,
// and what was given is what came, was counted unsent, or waits.
static void in_any_weather(void **state)
{
    uint32_t given = 0, last[8];
    (void)state;
    random_begin();
    open_world(2, false);
    p.lossy_down = true;
    memset(last, 0, sizeof last);
    for (uint32_t ms = 0; ms < 8; ms++)
        path_plain_ms(ms, ms % 3, 500);
    for (int i = 0; i < 6000; i++) {
        uint32_t ms = (uint32_t)random_next() % 8, bvc = (uint32_t)random_next() % 3;
        bool limited = random_next() % 3;
        switch (random_next() % 10) {
        case 0:
            DO(bvc_block, .bvc_id = bvc, .blocked = random_next() % 3 == 0);
            break;
        case 1:
            path_bvc_flow(bvc, limited ? random_in(0, 200) * 100 : TIME_NEVER,
                          (uint32_t)random_in(0, 4000));
            break;
        case 2:
            DO(ms_bucket, .ms_id = ms, .has_rate_100_bit_per_s = limited,
               .rate_100_bit_per_s = (uint32_t)random_in(1, 300),
               .bucket_octets = (uint32_t)random_in(0, 4000));
            break;
        case 3:
            path_ms_move(ms, bvc);
            break;
        case 4:
            path_run_until(p.now_ns + random_in(1, 2000) * MS_IN_NS);
            break;
        case 5:
        case 6:
            path_down(ms, random_in(1, 1000));
            path_poll();
            break;
        default:
            if (given < FRAMES_MAX) {
                numbers = given++;
                give(ms);
            }
        }
    }
    for (uint32_t bvc = 0; bvc < 3; bvc++) {
        DO(bvc_block, .bvc_id = bvc, .blocked = false);
        path_bvc_flow(bvc, TIME_NEVER, 0);
    }
    path_run_until(p.now_ns + 20 * S_IN_NS);
    for (uint32_t i = 0; i < wents; i++) {
        assert_true(went[i].number >= last[went[i].ms]);
        last[went[i].ms] = went[i].number + 1;
    }
    answers_are(given, given - wents);
    print_message("# %u of %u went\n", wents, given);
    assert_true(wents > 500 && wents < given);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_ten_seconds_it_is_of_no_use),
        cmocka_unit_test(its_lifetime_is_that_of_signalling),
        cmocka_unit_test(without_a_way_it_ends),
        cmocka_unit_test(the_line_is_bounded),
        cmocka_unit_test(an_ms_that_leaves),
        cmocka_unit_test(what_waits_at_the_end_goes_back),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(in_any_weather),
    };
    return cmocka_run_group_tests_name("path_llc_ends", tests, path_start_eal, NULL);
}
