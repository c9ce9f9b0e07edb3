// NS-VCs at the BSS against typed octets: reset, unblock, test, block, collisions, more than one.
#include "tests/lab/bss/peer.h"

#define RESET     "02 00 81 01 01 82 0007 04 82 0065"
#define RESET_ACK "03 01 82 0007 04 82 0065"
#define BVC_RESET BVCI_0 "22 04 82 0000 07 81 08"

static void test_reset_then_alive_and_unblock(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bss_start(w.bss, now());
    out(RESET);
    run(20 * MS);
    in(RESET_ACK);
    out("0a");
    out("06");
    in("0b");
    in("07");
    out(BVC_RESET);
    none();
    no_fault();
}

static void test_reset_is_repeated_for_ever(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.tns_reset_ns = 2 * S;
    make(1, 1);
    bss_start(w.bss, now());
    run(21 * S);
    for (uint64_t i = 0; i <= 10; i++)
        out_at(i * 2 * S, RESET);
    none();
    assert_int_equal(bss_counters(w.bss)->retries, 10);
}

static void test_unblock_is_repeated(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bss_start(w.bss, now());
    in(RESET_ACK);
    in("0b");
    forget_sent();
    run(7 * S);
    out_at(3 * S, "06");
    out_at(6 * S, "06");
    none();
}

static void test_alive_is_answered_and_asked_each_test_time(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bring_up(NULL);
    in("0a");
    out("0b");
    w.cell_config.flow_repeat = false;
    run_to(30 * S);
    while (w.sent[w.read].octets[0] == 0) // FLOW-CONTROL-BVC
        w.read++;
    out_at(30 * S, "0a");
}

static void test_a_dead_nsvc_is_reset_and_the_cells_with_it(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.alive_retries = 2;
    w.cell_config.flow_repeat = false;
    make(1, 1);
    bring_up(NULL);
    run(39 * S);
    out_at(30 * S, "0a");
    out_at(33 * S, "0a");
    out_at(36 * S, "0a");
    out_at(39 * S, "02 00 81 00 01 82 0007 04 82 0065"); // transit network failure
    in(RESET_ACK);
    out("0a");
    out("06");
    in("07");
    out(BVC_RESET);
}

static void test_resets_that_cross(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bss_start(w.bss, now());
    out(RESET);
    in(RESET);
    out(RESET_ACK);
    out("0a");
    in("0b");
    run(2 * S);
    none();
    run(S); // neither has unblocked: the BSS does after Tns-block
    out("06");
    in("06");
    out("07");
    out(BVC_RESET);
    no_fault();
}

static void test_the_sgsn_resets_blocks_and_unblocks(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.flow_repeat = false;
    make(1, 1);
    bring_up(NULL);
    in("04 00 81 01 01 82 0007");
    out("05 01 82 0007");
    DOWN(.octets = 50);
    out("08 00 81 03 01 82 0007");
    assert_int_equal(w.lost[0].why, BSS_LOST_nsvc_blocked);
    in("06");
    out("07");
    none(); // the cells stay as they were
    in(RESET);
    out(RESET_ACK);
    out("0a");
    in("06");
    out("07");
    out(BVC_RESET); // the SGSN may have forgotten them
    no_fault();
}

// The SGSN has given up its NS-UNBLOCK: the BSS sends its own, for ever.
static void test_what_the_sgsn_holds_for_blocked_is_unblocked_after_tns_block(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.flow_repeat = false;
    make(1, 1);
    bring_up(NULL);
    in("08 00 81 03 01 82 0008");   // another NSVCI
    in("08 00 81 0b 02 83 000000"); // another cause
    run(6 * S);
    none();
    in("08 00 81 03 01 82 0007");
    DOWN(.octets = 50);
    out("08 00 81 03 01 82 0007");
    in("08 00 81 03 01 82 0007"); // waits no longer for it
    run(6 * S);
    out_at(9 * S, "06");
    out_at(12 * S, "06");
    in("08 00 81 03 01 82 0007");
    run(3 * S);
    out("06");
    in("07");
    none(); // the cells stay as they were
    run(6 * S);
    none();
    DOWN(.octets = 50);
    assert_int_equal(w.lost[1].why, BSS_LOST_absent); // and not for the NS-VC
    no_fault();
}

static void test_an_unblock_during_a_reset_is_late(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bss_start(w.bss, now());
    out(RESET);
    in("06"); // the SGSN has heard NS-RESET twice, and its acknowledgements were lost
    none();
    assert_int_equal(bss_counters(w.bss)->late, 1);
    no_fault();
}

static void test_alive_mode_ignores_ns_status(void **state)
{
    (void)state;
    configure(BSS_NS_ALIVE);
    make(1, 1);
    bss_start(w.bss, now());
    out("0a");
    in("0b");
    out(BVC_RESET);
    in("08 00 81 03 01 82 0007");
    run(9 * S);
    none();
    no_fault();
}

static void test_alive_mode_needs_one_answer(void **state)
{
    (void)state;
    configure(BSS_NS_ALIVE);
    make(1, 1);
    bss_start(w.bss, now());
    out("0a");
    run(3 * S);
    out("0a");
    in("0b");
    out(BVC_RESET);
    none();
}

static void test_alive_mode_asks_again_after_a_failure(void **state)
{
    (void)state;
    configure(BSS_NS_ALIVE);
    w.config.alive_retries = 0;
    make(1, 1);
    bss_start(w.bss, now());
    run(33 * S);
    out_at(0, "0a");
    out_at(33 * S, "0a");
    in("0b");
    out(BVC_RESET);
}

static void test_manual_mode_says_nothing(void **state)
{
    (void)state;
    configure(BSS_NS_MANUAL);
    make(1, 1);
    struct bss_ms *ms = enter(w.cell, TLLI);
    bss_start(w.bss, now());
    assert_int_equal(w.ups, 1);
    DOWN(.octets = 60);
    assert_int_equal(w.deliveries, 1);
    assert_ptr_equal(w.delivered[0].ms, ms);
    DOWN(.tlli = 0xdeadbeef);
    bss_suspend(ms, now());
    DOWN(.lifetime_cs = 1);
    bss_radio_status(w.bss, ms, 0, now());
    bss_ra_capability_update(w.bss, ms, now());
    run(100 * S);
    bss_resume(ms, now());
    bss_cell_block(w.bss, w.cell, 8, now());
    bss_cell_reset(w.bss, w.cell, now());
    run(100 * S);
    assert_int_equal(w.losses, 2);
    none();
}

static void test_links_share_by_weight_and_one_tlli_keeps_its_link(void **state)
{
    (void)state;
    configure(BSS_NS_MANUAL);
    make(2, 1);
    bss_start(w.bss, now());
    uint32_t on[2] = {0};
    for (uint32_t i = 0; i < 200; i++) {
        struct bss_ms *ms = enter(w.cell, 0xc0000000 + i);
        bss_up(ms, (const uint8_t *)"abc", 3, now());
        uint32_t first = out_any()->nsvc;
        bss_up(ms, (const uint8_t *)"abc", 3, now());
        assert_int_equal(out_any()->nsvc, first);
        on[first]++;
    }
    assert_in_range(on[0], 80, 120);
}

static void test_wrong_names_are_faults(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bss_start(w.bss, now());
    in("03 01 82 0008 04 82 0065"); // another NSVCI
    assert_int_equal(faults(), 1);
    assert_non_null(strstr(bss_counters(w.bss)->first_fault, "NS-RESET-ACK"));
    in("03 01 82 0007 04 82 0066"); // another NSEI
    in("04 00 81 01 01 82 0009");   // NS-BLOCK of an unknown NS-VC
    in("1f");                       // an unknown type
    in("");
    assert_int_equal(faults(), 5);
    in("08 00 81 03 01 82 0007"); // NS-STATUS is not a fault
    assert_int_equal(faults(), 5);
    assert_int_equal(bss_counters(w.bss)->statuses, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_reset_then_alive_and_unblock),
        TEST(test_reset_is_repeated_for_ever),
        TEST(test_unblock_is_repeated),
        TEST(test_alive_is_answered_and_asked_each_test_time),
        TEST(test_a_dead_nsvc_is_reset_and_the_cells_with_it),
        TEST(test_resets_that_cross),
        TEST(test_the_sgsn_resets_blocks_and_unblocks),
        TEST(test_what_the_sgsn_holds_for_blocked_is_unblocked_after_tns_block),
        TEST(test_an_unblock_during_a_reset_is_late),
        TEST(test_alive_mode_ignores_ns_status),
        TEST(test_alive_mode_needs_one_answer),
        TEST(test_alive_mode_asks_again_after_a_failure),
        TEST(test_manual_mode_says_nothing),
        TEST(test_links_share_by_weight_and_one_tlli_keeps_its_link),
        TEST(test_wrong_names_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
