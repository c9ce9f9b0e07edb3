// LLC frames of control's: octet for octet on Gb, before the user data of their MS, when NSE, cell
// and MS let them go, in their order; whatever the port and the cipher make of bursts.
#include "dataplane/worker.h"
#include "tests/dataplane/path/cipher.h"
#include "tests/dataplane/path/llc.h"

static void every_octet_is_there(void **state)
{
    static const uint8_t rest[] = {0x0a, 0x82, 0x12, 0x34, 0x0d, 0x83, 0x09, 0x10, 0x10};
    static uint8_t options[50 + sizeof rest] = {0x13, 0xb0};
    const struct command_ms_options with = {.has_ra_capability = true,
                                            .ra_capability = {options + 2, 48},
                                            .has_imsi = true,
                                            .imsi = {"00101"},
                                            .has_drx = true,
                                            .drx = 0x1234};
    memcpy(options + 50, rest, sizeof rest);
    (void)state;
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        uint64_t octets = 0;
        open_world(1, ipv6);
        path_plain_ms(0, 0, 500);
        path_plain_ms(1, 1, 500);
        path_ms_tlli(1);
        for (uint32_t i = 0; i < 300; i++) {
            if (i == 150)
                path_ms_options(0, &with, options, sizeof options);
            give(i % 2);
            path_down(i % 2, 100);
        }
        assert_int_equal(wents, 300);
        for (uint32_t i = 0; i < 300; i++) {
            assert_int_equal(went[i].number, i);
            assert_int_equal(went[i].lifetime_cs, 4000);
            octets += i % 2 ? 0 : went[i].octets;
        }
        answers_are(300, 0);
        struct dp_traffic ms = dp_ms_traffic(p.dp, 0), bvc = dp_bvc_traffic(p.dp, 0);
        path_poll();
        assert_int_equal(ms.down_frames, 150 + 150);
        assert_int_equal(ms.down_octets, octets + 150 * 110);
        assert_int_equal(bvc.down_frames, ms.down_frames);
        assert_int_equal(bvc.down_octets, ms.down_octets);
        path_expect_all();
        path_expect_conservation();
        path_close();
    }
}

// 8 kbit/s: an octet in a millisecond. What is queued first goes last.
static void before_the_user_data_of_its_ms(void **state)
{
    (void)state;
    open_world(1, false);
    for (uint32_t ms = 0; ms < 2; ms++)
        path_plain_ms(ms, 0, 500);
    DO(ms_bucket, .ms_id = 0, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 80,
       .bucket_octets = 1600);
    for (uint32_t i = 0; i < 30; i++)
        path_down(0, 90);
    path_poll();
    uint32_t received = p.down_received;
    for (uint32_t i = 0; i < 7; i++) // 6 small ones, and one of 1526 octets
        give(0);
    path_down(1, 90);
    path_poll();
    assert_int_equal(p.down_received, received + 1); // who is another is not held up
    path_run_until(100 * S_IN_NS);
    assert_int_equal(wents, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(went[i].number, i);
        assert_int_equal(went[i].received, received + 1);
    }
    path_expect_all();
    path_close();
}

// In a cell that is full of others' small packets it has its turn as if it were alone.
static void a_full_cell_does_not_starve_it(void **state)
{
    (void)state;
    open_world(1, false);
    for (uint32_t ms = 0; ms < 2; ms++)
        path_plain_ms(ms, 0, 500);
    path_bvc_flow(0, 8000, 2000);
    for (uint32_t i = 0; i < 200; i++)
        path_down(1, 50);
    path_run_until(2 * S_IN_NS);
    numbers = 6; // 1526 octets
    give(0);
    path_run_until(2 * S_IN_NS + 1400 * MS_IN_NS);
    assert_int_equal(wents, 0);
    path_run_until(2 * S_IN_NS + 1530 * MS_IN_NS);
    assert_int_equal(wents, 1);
    path_run_until(60 * S_IN_NS);
    path_close();
}

static void it_waits_with_a_frozen_ms_and_a_blocked_cell(void **state)
{
    (void)state;
    open_world(1, false);
    path_plain_ms(0, 0, 500);
    DO(ms_freeze, .ms_id = 0);
    give(0);
    path_run_until(S_IN_NS);
    assert_int_equal(wents, 0);
    DO(bvc_block, .bvc_id = 0, .blocked = true);
    DO(ms_release, 0);
    path_run_until(2 * S_IN_NS);
    assert_int_equal(wents, 0);
    DO(bvc_block, .bvc_id = 0, .blocked = false);
    assert_int_equal(wents, 1);
    DO(ms_freeze, .ms_id = 0, .has_until_heard = true, .until_heard = true);
    give(0);
    path_up(0, 100);
    path_poll();
    assert_int_equal(wents, 2);
    assert_int_equal(went[0].lifetime_cs, 3800);
    path_close();
}

// A port that takes a frame at a time: all come, in each MS's order, user data behind.
static void a_slow_port(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    c.gb.tx_frames = 2;
    c.gb.mtu_octets = 1700;
    path_open(&c);
    wents = numbers = 0;
    p.on_llc = judge;
    path_one_cell(false, false);
    path_plain_ms(0, 0, 500);
    p.hold_frames = true;
    for (uint32_t i = 0; i < 100; i++) {
        path_down(0, 90);
        give(0);
    }
    path_poll();
    p.hold_frames = false;
    path_poll();
    assert_int_equal(wents, 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(went[i].number, i);
    path_expect_all();
    path_expect_conservation();
    path_close();
}

// With the largest burst, which only ciphers bring about: frames and user data share its places.
static void in_the_largest_burst(void **state)
{
    (void)state;
    open_world(1, false);
    path_ciphers_begin();
    path_plain_ms(0, 0, 500);
    path_plain_ms(1, 1, 500);
    path_key(0, 4);
    for (int round = 0; round < 3; round++) {
        p.defer = false;
        for (uint32_t bvc = 0; bvc < 2; bvc++)
            DO(bvc_block, .bvc_id = bvc, .blocked = true);
        for (uint32_t i = 0; i < 1200; i++) {
            path_down(0, 60);
            if (i % 64 == 0)
                path_poll();
        }
        for (uint32_t i = 0; i < SCHED_FRAMES; i++)
            give(1);
        if (round)
            assert_int_equal(dp_worker(p.dp, 0)->down.burst, DOWN_FRAMES);
        p.defer = true;
        for (uint32_t bvc = 0; bvc < 2; bvc++)
            DO(bvc_block, .bvc_id = bvc, .blocked = false);
        path_poll();
        assert_int_equal(wents, (round + 1) * SCHED_FRAMES);
    }
    path_expect_all();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_octet_is_there),
        cmocka_unit_test(before_the_user_data_of_its_ms),
        cmocka_unit_test(a_full_cell_does_not_starve_it),
        cmocka_unit_test(it_waits_with_a_frozen_ms_and_a_blocked_cell),
        cmocka_unit_test(a_slow_port),
        cmocka_unit_test(in_the_largest_burst),
    };
    return cmocka_run_group_tests_name("path_llc", tests, path_start_eal, NULL);
}
