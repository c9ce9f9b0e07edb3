// LLC-DISCARDED: what is told, at once or gathered, split before its counts overflow; the sum
// equals what was lost. RADIO-STATUS.
#include "tests/lab/bss/peer.h"

#define DISCARDED(frames, octets) BVCI_0 "2c " TLLI_IE "0f81" frames " 04820002 2583" octets

static struct bss_ms *held(void)
{
    w.cell_config.flow_repeat = false;
    make(1, 2);
    bring_up(w.config.pfc ? BVCI_0 "23 04 82 0000 3b 81 01" : NULL);
    struct bss_ms *ms = enter(w.cell, TLLI);
    bss_reach(ms, false, now());
    return ms;
}

static void test_an_expired_pdu_is_told_at_once(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    held();
    DOWN(.octets = 300, .lifetime_cs = 10);
    DOWN(.octets = 200, .lifetime_cs = 10);
    run(S);
    out_at(100 * MS, DISCARDED("01", "00012c"));
    out_at(100 * MS, DISCARDED("01", "0000c8"));
    none();
    assert_int_equal(bss_counters(w.bss)->told.pdus, 2);
    assert_int_equal(bss_counters(w.bss)->told.octets, 500);
}

static void test_losses_are_gathered(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.gather_ns = 2 * S;
    held();
    for (uint16_t i = 1; i <= 5; i++)
        DOWN(.octets = 1000, .lifetime_cs = (uint16_t)(i * 60)); // 0.6 s, 1.2, 1.8, 2.4, 3 s
    run(10 * S);
    out_at(2600 * MS, DISCARDED("04", "000fa0")); // 2 s behind the first
    out_at(5 * S, DISCARDED("01", "0003e8"));
    none();
}

static void test_a_gathered_report_ends_before_255_frames(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.gather_ns = 60 * S;
    w.cell_config.ms_pdus = 1;
    held();
    for (int i = 0; i < 301; i++)
        DOWN(.octets = 10);
    out(DISCARDED("ff", "0009f6"));
    run(60 * S);
    run(0);
    while (w.sent[w.read].octets[4] != 0x2c) // NS-ALIVE
        w.read++;
    out_at(60 * S, DISCARDED("2d", "0001c2"));
    assert_int_equal(bss_counters(w.bss)->told.pdus, 300);
}

static void test_each_packet_flow_has_a_report_of_its_own(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.gather_ns = S;
    w.config.pfc = true;
    held();
    DOWN(.octets = 100, .lifetime_cs = 1, .pfi = 8);
    DOWN(.octets = 100, .lifetime_cs = 1, .pfi = 8);
    DOWN(.octets = 100, .lifetime_cs = 2, .pfi = 9);
    DOWN(.octets = 100, .lifetime_cs = 3);
    run(2 * S);
    out_at(20 * MS, DISCARDED("02", "0000c8") "288108");
    out_at(30 * MS, DISCARDED("01", "000064") "288109");
    out_at(1030 * MS, DISCARDED("01", "000064"));
    none();
}

static void test_what_is_not_told(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.tell_discards = false;
    held();
    DOWN(.lifetime_cs = 1);
    DOWN(.tlli = 0xdeadbeef);
    run(S);
    none();
    assert_int_equal(w.losses, 2);
}

static void test_an_unknown_ms_is_told_by_the_tlli_of_the_pdu(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    held();
    DOWN(.tlli = 0xdeadbeef, .octets = 70);
    out(BVCI_0 "2c 1f84deadbeef 0f8101 04820002 2583000046");
}

static void test_what_the_air_loses_is_told_if_asked_for(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        configure(BSS_NS_RESET);
        w.config.tell_radio_losses = told;
        w.config.absent_ns = 0;
        w.cell_config.rate_bit_per_s = 8000;
        w.cell_config.flow_repeat = false;
        make(1, 2);
        bring_up(NULL);
        struct bss_ms *ms = enter(w.cell, TLLI);
        DOWN(.octets = 100);
        DOWN(.octets = 50);
        bss_leave(ms, now()); // nothing is kept for it
        out(DISCARDED("01", "000032"));
        run(S);
        if (told)
            out_at(100 * MS, DISCARDED("01", "000064"));
        none();
        assert_int_equal(w.losses, 2);
        end_world(NULL);
    }
}

static void test_radio_status_when_an_absent_ms_is_given_up(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.tell_absent = true;
    w.config.absent_ns = S;
    w.config.gather_ns = 10 * S;
    struct bss_ms *ms = held();
    DOWN(.octets = 100);
    bss_leave(ms, now());
    run(S);
    out_at(S, BVCI_2 "0a " TLLI_IE "198100");
    out_at(S, DISCARDED("01", "000064")); // not gathered beyond the end of the buffer
    none();
}

static void test_radio_status_with_a_cause(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = held();
    bss_radio_status(w.bss, ms, 2, now());
    out(BVCI_2 "0a " TLLI_IE "198102");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_an_expired_pdu_is_told_at_once),
        TEST(test_losses_are_gathered),
        TEST(test_a_gathered_report_ends_before_255_frames),
        TEST(test_each_packet_flow_has_a_report_of_its_own),
        TEST(test_what_is_not_told),
        TEST(test_an_unknown_ms_is_told_by_the_tlli_of_the_pdu),
        TEST(test_what_the_air_loses_is_told_if_asked_for),
        TEST(test_radio_status_when_an_absent_ms_is_given_up),
        TEST(test_radio_status_with_a_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
