// BVCs at the BSS against typed octets: reset of BVCI 0 and of the cells, features, block, unblock.
#include "tests/lab/bss/peer.h"

#define RESET_0   BVCI_0 "22 04 82 0000 07 81 08"
#define RESET_2   BVCI_0 "22 04 82 0002 07 81 08 08 88 62f224 1234 56 0102"
#define RESET_3   BVCI_0 "22 04 82 0003 07 81 08 08 88 62f224 1234 56 0103"
#define ACK(bvci) BVCI_0 "23 04 82 " bvci
// R 48000 bit/s and Bmax 60000 octets, the MSs' the same
#define FLOW(tag) "26 1e 81 " tag " 05 82 0258 03 82 01e0 01 82 0258 1c 82 01e0"

static void up_to_unblocked(void)
{
    bss_start(w.bss, now());
    in("03 01 82 0007 04 82 0065");
    in("0b");
    w.read = w.sends;
    in("07");
}

static void test_reset_of_all_then_flow_control_at_once_and_each_interval(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 2);
    up_to_unblocked();
    out(RESET_0);
    in(ACK("0000"));
    out(RESET_2);
    out(RESET_3);
    none();
    run(5 * MS);
    in(ACK("0002"));
    out(BVCI_2 FLOW("01"));
    assert_int_equal(w.ups, 0);
    in(BVCI_2 "27 1e 81 01");
    assert_int_equal(w.ups, 1);
    assert_true(bss_cell_is_up(w.cell));
    assert_false(bss_cell_is_up(w.other));
    in(ACK("0003"));
    out(BVCI_3 FLOW("01"));
    in(BVCI_3 "27 1e 81 01");
    run_to(2 * S + 5 * MS);
    out_at(S + 5 * MS, BVCI_2 FLOW("02"));
    out_at(S + 5 * MS, BVCI_3 FLOW("02"));
    out_at(2 * S + 5 * MS, BVCI_2 FLOW("03"));
    out_at(2 * S + 5 * MS, BVCI_3 FLOW("03"));
    none();
    no_fault();
}

static void test_resets_are_repeated(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    up_to_unblocked();
    run(10 * S);
    out_at(0, RESET_0);
    out_at(10 * S, RESET_0);
    in(ACK("0000"));
    run(20 * S);
    out_at(10 * S, RESET_2);
    out_at(20 * S, RESET_2);
    while (w.sent[w.read].octets[0] != 0) // NS-ALIVE
        w.read++;
    out_at(30 * S, RESET_2);
}

static void test_features_are_those_of_both(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.pfc = w.config.cbl = w.config.inr = w.config.pfc_fc = w.config.gigabit = true;
    make(1, 1);
    up_to_unblocked();
    out(BVCI_0 "22 04 82 0000 07 81 08 3b 81 27 69 81 02");
    in(BVCI_0 "23 04 82 0000 3b 81 02 69 81 00"); // CBL alone
    out(RESET_2);
    in(ACK("0002"));
    out(BVCI_2 "26 1e 81 01 05 82 0258 03 82 01e0 01 82 0258 1c 82 01e0 3c 81 00");
    in(BVCI_2 "51 " TLLI_IE "28 81 08 29 81 e0 3a 83 010203"); // PFC is not in force
    out(BVCI_2 "41 07 81 28 15 92 51 1f84c0000001 288108 2981e0 3a83010203");
    assert_int_equal(faults(), 1);
}

static void test_the_sgsns_reset_of_a_cell_empties_it(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.rate_bit_per_s = 8000;
    make(1, 1);
    bring_up(NULL);
    enter(w.cell, TLLI);
    DOWN(.octets = 100, .number = 1);
    DOWN(.octets = 100, .number = 2);
    DOWN(.octets = 100, .number = 3);
    in(BVCI_0 "22 04 82 0002 07 81 08");
    out(BVCI_0 "23 04 82 0002 08 88 62f224 1234 56 0102");
    out(BVCI_2 FLOW("02"));
    none();
    assert_int_equal(w.losses, 2); // the first is on the air
    assert_int_equal(w.lost[0].why, BSS_LOST_reset);
    run(100 * MS);
    assert_int_equal(w.deliveries, 1);
    in(BVCI_2 "27 1e 81 02");
    assert_int_equal(w.ups, 2);
    no_fault();
}

static void test_the_sgsns_reset_of_bvci_0(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.cbl = true;
    make(1, 1);
    bring_up(BVCI_0 "23 04 82 0000 3b 81 02");
    in(BVCI_0 "22 04 82 0000 07 81 08 3b 81 27");
    out(BVCI_0 "23 04 82 0000 3b 81 02");
    out(RESET_2);
    none();
    DOWN(.octets = 70); // from before the reset
    assert_int_equal(w.lost[0].why, BSS_LOST_not_up);
}

static void test_resets_that_cross_count_as_answers(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    up_to_unblocked();
    out(RESET_0);
    in(BVCI_0 "22 04 82 0000 07 81 08");
    out(ACK("0000"));
    out(RESET_2);
    in(BVCI_0 "22 04 82 0002 07 81 08");
    out(BVCI_0 "23 04 82 0002 08 88 62f224 1234 56 0102");
    out(BVCI_2 FLOW("01"));
    in(ACK("0002")); // to ours: late
    none();
    assert_int_equal(bss_counters(w.bss)->late, 1);
    no_fault();
}

static void test_block_and_unblock(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bring_up(NULL);
    enter(w.cell, TLLI);
    bss_cell_block(w.bss, w.cell, 8, now());
    out(BVCI_0 "20 04 82 0002 07 81 08");
    DOWN(.octets = 80); // under way when the cell was blocked
    assert_int_equal(w.deliveries, 1);
    in(BVCI_0 "21 04 82 0002");
    DOWN(.octets = 5, .number = 7);
    out(BVCI_0 "41 07 81 09 04 82 0002 15 94 00c0000001 000030 1682ffff 0e0005 4300072b2b");
    assert_int_equal(w.lost[0].why, BSS_LOST_not_up);
    run(S);
    none(); // no FLOW-CONTROL-BVC from a blocked cell
    bss_cell_unblock(w.bss, w.cell, now());
    out(BVCI_0 "24 04 82 0002");
    run(5 * S);
    out(BVCI_0 "24 04 82 0002");
    in(BVCI_0 "25 04 82 0002");
    out(BVCI_2 FLOW("02"));
    DOWN(.octets = 80);
    assert_int_equal(w.deliveries, 2);
}

static void test_an_unknown_bvc_is_a_fault_and_gets_a_status(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bring_up(NULL);
    in("0000 0009 27 1e 81 01");
    out(BVCI_0 "41 07 81 05 04 82 0009 15 84 271e8101");
    assert_int_equal(faults(), 1);
}

static void test_the_sgsns_reset_of_an_unknown_cell(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bring_up(NULL);
    in(BVCI_0 "22 04820009 078108");
    out(BVCI_0 "41 078105 04820009 1588 2204820009078108");
    assert_int_equal(faults(), 1);
}

static void test_what_an_sgsn_must_not_send(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    make(1, 1);
    bring_up(NULL);
    in(BVCI_2 "26 1e 81 01 05 82 0258 03 82 01e0 01 82 0258 1c 82 01e0"); // FLOW-CONTROL-BVC
    in(BVCI_0 "27 1e 81 01");                                             // on the wrong BVC
    in(BVCI_2 "2a " TLLI_IE "04 82 0002");                                // FLUSH-LL on a cell's
    in(BVCI_2 "ee");                                                      // an unknown type
    in(BVCI_2);                                                           // none at all
    in(BVCI_2 "00 c0000001 000030 0e 81 43");                             // no PDU lifetime
    in("0001 0002 27 1e 81 01");                                          // control bit C: taken
    assert_int_equal(faults(), 6);
    assert_int_equal(w.sends, 5); // STATUS
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_reset_of_all_then_flow_control_at_once_and_each_interval),
        TEST(test_resets_are_repeated),
        TEST(test_features_are_those_of_both),
        TEST(test_the_sgsns_reset_of_a_cell_empties_it),
        TEST(test_the_sgsns_reset_of_bvci_0),
        TEST(test_resets_that_cross_count_as_answers),
        TEST(test_block_and_unblock),
        TEST(test_an_unknown_bvc_is_a_fault_and_gets_a_status),
        TEST(test_the_sgsns_reset_of_an_unknown_cell),
        TEST(test_what_an_sgsn_must_not_send),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
