// BSC buffers: lifetimes exact to the ns, limits, order within an LLE, ranks, turns, what the MS
// leaves behind.
#include "tests/lab/bss/peer.h"

// 1000 octets/s: one octet a millisecond.
static struct bss_ms *slow_cell(enum bss_priority priority)
{
    configure(BSS_NS_MANUAL);
    w.cell_config.rate_bit_per_s =
        w.cell_config.rate_bit_per_s ? w.cell_config.rate_bit_per_s : 8000;
    w.cell_config.priority = priority;
    make(1, 2);
    bss_start(w.bss, now());
    return enter(w.cell, TLLI);
}

static void delivered_in_order(uint32_t n, const uint32_t *numbers)
{
    assert_int_equal(w.deliveries, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(w.delivered[i].number, numbers[i]);
}

static void test_delivery_at_the_rate_exact_to_the_ns(void **state)
{
    (void)state;
    configure(BSS_NS_MANUAL);
    w.cell_config.rate_bit_per_s = 7000; // 100 octets: 114285714.29 ns, rounded up
    make(1, 1);
    bss_start(w.bss, now());
    enter(w.cell, TLLI);
    run(13);
    DOWN(.octets = 100);
    DOWN(.octets = 100);
    run(S);
    assert_true(w.delivered[0].at_ns == 13 + 114285715);
    assert_true(w.delivered[1].at_ns == 13 + 2 * 114285715);
}

static void test_a_lifetime_ends_at_its_ns(void **state)
{
    (void)state;
    slow_cell(BSS_PRIORITY_NONE);
    run(7);
    DOWN(.octets = 500, .number = 1);                    // on the air until 500 ms + 7
    DOWN(.octets = 100, .number = 2, .lifetime_cs = 30); // to 300 ms + 7
    DOWN(.octets = 100, .number = 3, .lifetime_cs = 51); // to 510 ms + 7: goes in time
    run_to(300 * MS + 6);
    assert_int_equal(w.losses, 0);
    run_to(S);
    assert_int_equal(w.losses, 1);
    assert_true(w.lost[0].at_ns == 300 * MS + 7);
    assert_int_equal(w.lost[0].why, BSS_LOST_expired);
    assert_int_equal(w.lost[0].number, 2);
    delivered_in_order(2, (uint32_t[]){1, 3});
    assert_true(w.delivered[1].at_ns == 600 * MS + 7); // on the air its lifetime does not count
}

static void test_at_its_very_end_a_lifetime_is_over(void **state)
{
    (void)state;
    slow_cell(BSS_PRIORITY_NONE);
    DOWN(.octets = 500, .number = 1);
    DOWN(.octets = 100, .number = 2, .lifetime_cs = 50); // the air is free at 500 ms, too
    run(S);
    assert_int_equal(w.losses, 1);
    assert_true(w.lost[0].at_ns == 500 * MS && w.lost[0].why == BSS_LOST_expired);
}

// AddressSanitizer sees what is not given back.
static void test_it_ends_with_pdus_of_each_lle(void **state)
{
    (void)state;
    slow_cell(BSS_PRIORITY_NONE);
    for (uint8_t sapi = 1; sapi <= 16; sapi++) // 16: 0
        for (uint32_t i = 0; i < 2; i++)
            DOWN(.octets = 100, .sapi = sapi);
    run(10 * MS);
    assert_int_equal(w.deliveries, 0);
}

static void test_infinite_lifetimes_do_not_end(void **state)
{
    (void)state;
    struct bss_ms *ms = slow_cell(BSS_PRIORITY_NONE);
    bss_suspend(ms, now());
    DOWN(.octets = 100, .number = 1);
    run(100000 * S);
    assert_int_equal(w.losses, 0);
    bss_resume(ms, now());
    run(S);
    assert_int_equal(w.deliveries, 1);
}

static void test_limits_of_an_ms_and_of_the_cell(void **state)
{
    (void)state;
    configure(BSS_NS_MANUAL);
    w.cell_config.rate_bit_per_s = 8;
    w.cell_config.ms_pdus = 3;
    w.cell_config.ms_octets = 2000;
    w.cell_config.cell_pdus = 6;
    w.cell_config.cell_octets = 4000;
    make(1, 1);
    bss_start(w.bss, now());
    enter(w.cell, TLLI);
    enter(w.cell, TLLI + 1);
    enter(w.cell, TLLI + 2);
    DOWN(.octets = 10); // on the air, in the cell's books
    for (int i = 0; i < 4; i++)
        DOWN(.octets = 10);
    assert_int_equal(w.losses, 1);
    assert_int_equal(w.lost[0].why, BSS_LOST_ms_full); // the fourth that waits
    DOWN(.tlli = TLLI + 1, .octets = 1500);
    DOWN(.tlli = TLLI + 1, .octets = 501);
    assert_int_equal(w.lost[1].why, BSS_LOST_ms_full);
    DOWN(.tlli = TLLI + 1, .octets = 500);
    assert_int_equal(w.losses, 2);
    DOWN(.tlli = TLLI + 2, .octets = 10); // the seventh of the cell
    assert_int_equal(w.lost[2].why, BSS_LOST_cell_full);
}

static void test_the_cells_octets_limit(void **state)
{
    (void)state;
    configure(BSS_NS_MANUAL);
    w.cell_config.rate_bit_per_s = 8;
    w.cell_config.cell_octets = 2000;
    make(1, 1);
    bss_start(w.bss, now());
    enter(w.cell, TLLI);
    DOWN(.octets = 1000);
    DOWN(.octets = 1000);
    assert_int_equal(w.losses, 0);
    DOWN(.octets = 1);
    assert_int_equal(w.lost[0].why, BSS_LOST_cell_full);
}

static void test_precedence_goes_first_but_an_lle_keeps_its_order(void **state)
{
    (void)state;
    slow_cell(BSS_PRIORITY_QOS);
    DOWN(.number = 1, .sapi = 3, .precedence = 2);
    DOWN(.number = 2, .sapi = 3, .precedence = 2);
    DOWN(.number = 3, .sapi = 5, .precedence = 1);
    DOWN(.number = 4, .sapi = 3, .precedence = 0); // behind 2, which is of its LLE
    DOWN(.number = 5, .sapi = 5, .precedence = 0);
    DOWN(.number = 6, .sapi = 1, .precedence = 2, .signalling = true);
    DOWN(.number = 7, .sapi = 9, .precedence = 5); // as 2
    run(2 * S);
    delivered_in_order(7, (uint32_t[]){1, 6, 3, 5, 2, 4, 7});
}

static void test_without_priority_the_oldest_goes_first(void **state)
{
    (void)state;
    slow_cell(BSS_PRIORITY_NONE);
    DOWN(.number = 1, .sapi = 9, .precedence = 2);
    DOWN(.number = 2, .sapi = 5, .precedence = 2);
    DOWN(.number = 3, .sapi = 3, .precedence = 0);
    DOWN(.number = 4, .sapi = 1, .signalling = true);
    run(2 * S);
    delivered_in_order(4, (uint32_t[]){1, 2, 3, 4});
}

static void test_the_element_priority(void **state)
{
    (void)state;
    slow_cell(BSS_PRIORITY_SDU);
    DOWN(.number = 1, .sapi = 3);
    DOWN(.number = 2, .sapi = 5); // none: last
    DOWN(.number = 3, .sapi = 9, .priority = 14);
    DOWN(.number = 4, .sapi = 11, .priority = 1);
    run(2 * S);
    delivered_in_order(4, (uint32_t[]){1, 4, 3, 2});
}

static void test_mss_take_turns(void **state)
{
    (void)state;
    slow_cell(BSS_PRIORITY_NONE);
    enter(w.cell, TLLI + 1);
    enter(w.cell, TLLI + 2);
    for (uint32_t i = 0; i < 3; i++)
        DOWN(.number = 10 + i);
    for (uint32_t i = 0; i < 2; i++) {
        DOWN(.tlli = TLLI + 1, .number = 20 + i);
        DOWN(.tlli = TLLI + 2, .number = 30 + i);
    }
    run(2 * S);
    delivered_in_order(7, (uint32_t[]){10, 11, 20, 30, 12, 21, 31});
}

static void test_an_unknown_tlli(void **state)
{
    (void)state;
    slow_cell(BSS_PRIORITY_NONE);
    DOWN(.tlli = 0xdeadbeef, .octets = 77);
    assert_int_equal(w.lost[0].why, BSS_LOST_absent);
    assert_int_equal(w.lost[0].tlli, 0xdeadbeef);
    no_fault();
}

static void test_an_empty_llc_pdu_is_a_fault(void **state)
{
    (void)state;
    slow_cell(BSS_PRIORITY_NONE);
    in(BVCI_2 "00 c0000001 000030 1682ffff 0e80");
    assert_int_equal(faults(), 1);
}

static void test_the_old_tlli_gives_way(void **state)
{
    (void)state;
    struct bss_ms *ms = slow_cell(BSS_PRIORITY_NONE);
    DOWN(.number = 1);
    DOWN(.number = 2, .tlli = 0xc0000099, .old_tlli = TLLI);
    DOWN(.number = 3, .tlli = 0xc0000099);
    run(S);
    delivered_in_order(3, (uint32_t[]){1, 2, 3});
    assert_int_equal(bss_ms_tlli(ms), 0xc0000099);
    assert_ptr_equal(bss_ms_find(w.bss, 0xc0000099), ms);
    assert_null(bss_ms_find(w.bss, TLLI));
}

// ---- What the MS leaves behind ----

static void test_what_is_left_behind_is_given_up_in_time(void **state)
{
    (void)state;
    struct bss_ms *ms = slow_cell(BSS_PRIORITY_NONE);
    DOWN(.number = 1, .octets = 200); // on the air
    DOWN(.number = 2);
    DOWN(.number = 3, .lifetime_cs = 100);
    run(50 * MS);
    bss_move(ms, w.other, now());
    out_any();
    DOWN(.number = 4); // to the old cell: the SGSN does not know yet
    run(5 * S - 1);
    assert_int_equal(w.losses, 2);
    assert_int_equal(w.lost[0].why, BSS_LOST_radio);
    assert_true(w.lost[0].at_ns == 200 * MS && w.lost[0].number == 1);
    assert_int_equal(w.lost[1].why, BSS_LOST_expired);
    assert_true(w.lost[1].at_ns == S && w.lost[1].number == 3);
    run(1);
    assert_int_equal(w.losses, 4);
    assert_int_equal(w.lost[2].why, BSS_LOST_absent);
    assert_true(w.lost[3].at_ns == 5 * S + 50 * MS && w.lost[3].number == 4);
    DOWN(.number = 5);
    assert_int_equal(w.lost[4].why, BSS_LOST_absent); // nothing is kept any more
    DOWN(.number = 6, .bvci = 3);
    run(S);
    delivered_in_order(1, (uint32_t[]){6});
}

static void test_an_ms_that_comes_back_gets_what_it_left(void **state)
{
    (void)state;
    struct bss_ms *ms = slow_cell(BSS_PRIORITY_NONE);
    DOWN(.number = 1, .octets = 10);
    DOWN(.number = 2);
    bss_move(ms, w.other, now());
    run(S);
    bss_move(ms, w.cell, now());
    run(10 * S);
    delivered_in_order(1, (uint32_t[]){2});
    assert_int_equal(w.lost[0].why, BSS_LOST_radio);
}

static void test_out_of_reach_and_back(void **state)
{
    (void)state;
    struct bss_ms *ms = slow_cell(BSS_PRIORITY_NONE);
    bss_reach(ms, false, now());
    DOWN(.number = 1);
    run(10 * S);
    assert_int_equal(w.deliveries, 0);
    bss_reach(ms, true, now());
    run(S);
    assert_int_equal(w.deliveries, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_delivery_at_the_rate_exact_to_the_ns),
        TEST(test_a_lifetime_ends_at_its_ns),
        TEST(test_at_its_very_end_a_lifetime_is_over),
        TEST(test_it_ends_with_pdus_of_each_lle),
        TEST(test_infinite_lifetimes_do_not_end),
        TEST(test_limits_of_an_ms_and_of_the_cell),
        TEST(test_the_cells_octets_limit),
        TEST(test_precedence_goes_first_but_an_lle_keeps_its_order),
        TEST(test_without_priority_the_oldest_goes_first),
        TEST(test_the_element_priority),
        TEST(test_mss_take_turns),
        TEST(test_an_unknown_tlli),
        TEST(test_an_empty_llc_pdu_is_a_fault),
        TEST(test_the_old_tlli_gives_way),
        TEST(test_what_is_left_behind_is_given_up_in_time),
        TEST(test_an_ms_that_comes_back_gets_what_it_left),
        TEST(test_out_of_reach_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
