// An XID Reset among control's LLC frames: N(U), OC and IOV-UI begin anew with the frame that
// leaves, both ways, and not before; with a frame that never leaves, not at all. The receiver
// deciphers with libosmocore by what has come out: a frame under the wrong number or IOV-UI has a
// wrong FCS, and a number that is missing or comes twice is an error.
#include "tests/dataplane/path/cipher.h"
#include "tests/dataplane/path/llc.h"
#include "tests/dataplane/random.h"

// By the number of the frame.
static struct {
    bool resets;
    uint32_t iov_ui;
} made[FRAMES_MAX];

// The MS as it gets a Reset: one that repeats the last it answers, and otherwise ignores.
static void judge_reset(const struct ip_datagram *d)
{
    judge(d);
    uint32_t number = went[wents - 1].number;
    struct path_ms *ms = &p.ms[went[wents - 1].ms];
    if (!made[number].resets || made[number].iov_ui == ms->key.iov_ui)
        return;
    ms->key.iov_ui = made[number].iov_ui;
    gb_receiver_new_key(p.gb, ms->tlli);
    memset(ms->up.next_ui, 0, sizeof ms->up.next_ui);
}

static void give_reset(uint32_t ms, uint32_t iov_ui)
{
    uint8_t octets[1526];
    made[numbers].resets = true;
    made[numbers].iov_ui = iov_ui;
    uint32_t n = (uint32_t)frame_of(numbers++, octets);
    DO(llc, .ms_id = ms, .pdu = {octets, n}, .has_reset_iov_ui = true, .reset_iov_ui = iov_ui);
}

static const uint8_t geas[] = {0, 3, 4};
#define GEAS 3

// An MS of each cipher in cell 0.
static void open_mss(uint32_t workers)
{
    open_world(workers, false);
    path_ciphers_begin();
    memset(made, 0, sizeof made);
    p.on_llc = judge_reset;
    for (uint32_t ms = 0; ms < GEAS; ms++) {
        path_plain_ms(ms, 0, 200);
        path_key(ms, geas[ms]);
    }
}

// Data of each MS both ways, which has to come.
static void carry(uint32_t npdus)
{
    for (uint32_t i = 0; i < npdus; i++)
        for (uint32_t ms = 0; ms < GEAS; ms++) {
            path_down(ms, 100 + 300 * i);
            path_up_from(ms, p.ms[ms].bvc, 100);
        }
    path_poll();
    path_expect_all();
}

// The buckets of the MSs pass nothing.
static void shut(void)
{
    for (uint32_t ms = 0; ms < GEAS; ms++)
        DO(ms_bucket, .ms_id = ms, .has_rate_100_bit_per_s = true);
}

static void open_again(void)
{
    for (uint32_t ms = 0; ms < GEAS; ms++)
        DO(ms_default, ms);
}

static void it_takes_effect_as_it_leaves(void **state)
{
    (void)state;
    open_mss(1);
    for (uint32_t round = 0; round < 5; round++) {
        carry(3);
        shut();
        for (uint32_t ms = 0; ms < GEAS; ms++) {
            path_down(ms, 700);
            give_reset(ms, 0x89abcdef + round);
            path_down(ms, 700);
        }
        path_run_until(p.now_ns + 9 * S_IN_NS);
        for (uint32_t ms = 0; ms < GEAS; ms++) // what it sends meanwhile is of before
            path_up(ms, 100);
        path_poll();
        assert_int_equal(wents, GEAS * round);
        open_again();
        path_poll();
        assert_int_equal(wents, GEAS * (round + 1));
        carry(3);
    }
    answers_are(GEAS * 5, 0);
    path_expect_conservation();
    path_close();
}

// Resets at any time between N-PDUs that are half sent; those come whole all the same.
static void amid_traffic(void **state)
{
    uint32_t half_sent = 0;
    (void)state;
    random_begin();
    open_mss(1);
    path_bvc_flow(0, 400000, 2000);
    for (uint32_t i = 0; i < 400; i++) {
        for (uint32_t ms = 0; ms < GEAS; ms++) {
            path_down(ms, random_in(1, 1500));
            path_up(ms, 100);
        }
        give_reset(i % GEAS, 0x10000 * i + 1);
        path_run_until(p.now_ns + random_in(0, 120) * MS_IN_NS);
        half_sent += gb_receiver_counters(p.gb)->partials_open > 0;
    }
    path_bvc_flow(0, TIME_NEVER, 0);
    carry(3);
    assert_true(half_sent > 50);
    assert_int_equal(wents, 400);
    answers_are(400, 0);
    path_expect_conservation();
    path_close();
}

static void wait_too_long(void)
{
    shut();
    give_reset(1, 77);
    path_run_until(p.now_ns + 10 * S_IN_NS);
    open_again();
}

static void give_way_to_others(void)
{
    shut();
    give_reset(1, 77);
    for (uint32_t i = 0; i < SCHED_FRAMES; i++)
        give(1);
    open_again();
}

static void find_no_nsvc(void)
{
    path_nsvc_weight(0, 0);
    give_reset(1, 77);
    path_nsvc_weight(0, 1);
}

static void move_to_another_worker(void)
{
    shut();
    give_reset(1, 77);
    path_ms_move(1, 2);
    open_again();
}

static void one_that_never_leaves_has_none(void **state)
{
    static void (*const ends[])(void) = {wait_too_long, give_way_to_others, find_no_nsvc,
                                         move_to_another_worker};
    (void)state;
    for (uint32_t how = 0; how < 4; how++) {
        open_mss(2);
        carry(3);
        ends[how]();
        carry(3);
        uint32_t others = how == 1 ? SCHED_FRAMES : 0;
        assert_int_equal(wents, others);
        answers_are(others + 1, 1);
        give_reset(1, 78);
        assert_int_equal(wents, others + 1);
        carry(3);
        path_expect_conservation();
        path_close();
    }
}

// As the answer to a Reset that the MS repeats: only the first that leaves has an effect.
static void repeated_it_has_no_second_effect(void **state)
{
    (void)state;
    open_mss(1);
    carry(3);
    wait_too_long();
    carry(1);
    for (uint32_t i = 0; i < 3; i++) {
        give_reset(1, 77);
        carry(3);
    }
    assert_int_equal(wents, 3);
    answers_are(4, 1);
    path_expect_conservation();
    path_close();
}

// Both of two that wait take effect, in their order.
static void two_that_wait(void **state)
{
    (void)state;
    open_mss(1);
    carry(3);
    shut();
    give_reset(1, 77);
    path_run_until(p.now_ns + 5 * S_IN_NS);
    give_reset(1, 78);
    open_again();
    carry(3);
    assert_int_equal(wents, 2);
    path_expect_conservation();
    path_close();
}

// It was meant for numbers and IOV-UI under the former key.
static void another_key_ends_it(void **state)
{
    (void)state;
    open_mss(1);
    carry(3);
    shut();
    give_reset(1, 77);
    give_reset(2, 77);
    path_key(1, 4);
    open_again();
    carry(3);
    assert_int_equal(wents, 1);
    answers_are(2, 1);
    path_expect_conservation();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_takes_effect_as_it_leaves),
        cmocka_unit_test(amid_traffic),
        cmocka_unit_test(one_that_never_leaves_has_none),
        cmocka_unit_test(repeated_it_has_no_second_effect),
        cmocka_unit_test(two_that_wait),
        cmocka_unit_test(another_key_ends_it),
    };
    return cmocka_run_group_tests_name("path_llc_reset", tests, path_start_eal, NULL);
}
