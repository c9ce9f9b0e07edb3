// Packet flow contexts: CREATE, DOWNLOAD, MODIFY, DELETE, their timers, FLOW-CONTROL-PFC, ranks.
#include "tests/lab/bss/peer.h"

#define ACK(features) BVCI_0 "23 04 82 0000 3b 81 " features

// ABQP, 24.008 10.5.6.5 from octet 3 on: streaming, SDU 1500 octets, 64 kbit/s both ways at most,
// 16 kbit/s guaranteed both ways, transfer delay 1000 ms
#define STREAMING "0b 92 1f 53 96 40 40 74 80 10 10 00"
// interactive, THP 1; the same with signalling indication
#define INTERACTIVE            "0b 92 1f 73 96 40 40 74 01 00 00 00"
#define CREATE(pfi, pft, abqp) BVCI_2 "51 " TLLI_IE "2881" pfi " 2981" pft " 3a8c " abqp

static struct bss_ms *begin(const char *features)
{
    w.config.pfc = true;
    w.cell_config.flow_repeat = false;
    make(1, 1);
    bring_up(features);
    return enter(w.cell, TLLI);
}

static void test_create_is_accepted_as_asked(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    begin(ACK("01"));
    in(CREATE("08", "e0", STREAMING));
    out(BVCI_2 "52 " TLLI_IE "288108 3a8c " STREAMING);
    none();
    no_fault();
}

static void test_create_is_accepted_lower(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.pfc_answer = BSS_PFC_LOWER;
    w.config.pfc_rate_bit_per_s = 12000;
    begin(ACK("01"));
    in(CREATE("08", "e0", STREAMING));
    out(BVCI_2 "52 " TLLI_IE "288108 3a8b 0b921f53960c0c74800c0c");
}

static void test_create_is_refused(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.pfc_answer = BSS_PFC_REFUSE;
    begin(ACK("01"));
    in(CREATE("08", "e0", STREAMING));
    out(BVCI_2 "53 " TLLI_IE "288108 07810a");
    in(BVCI_2 "51 1f84deadbeef 288108 2981e0 3a8c " STREAMING);
    out(BVCI_2 "53 1f84deadbeef 288108 078104");
    no_fault();
    in(BVCI_2 "51 " TLLI_IE "288108 2981e0 3a83 0b921f"); // R97's
    assert_int_equal(faults(), 1);
}

static void test_download_until_the_sgsn_creates(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.pfc_download = true;
    begin(ACK("01"));
    DOWN(.pfi = 8);
    DOWN(.pfi = 8);
    DOWN(.pfi = 1);
    out(BVCI_2 "50 " TLLI_IE "288108");
    none();
    run(3 * S);
    out(BVCI_2 "50 " TLLI_IE "288108");
    in(CREATE("08", "e0", STREAMING));
    out_any();
    DOWN(.pfi = 8);
    run(20 * S);
    none();
}

static void test_download_is_given_up(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.pfc_download = true;
    w.config.retries = 1;
    begin(ACK("01"));
    DOWN(.pfi = 8);
    run(10 * S);
    out_any();
    out_at(3 * S, BVCI_2 "50 " TLLI_IE "288108");
    none();
    DOWN(.pfi = 8); // asks again
    out(BVCI_2 "50 " TLLI_IE "288108");
}

static void test_an_idle_context_is_forgotten(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.pfc_download = true;
    begin(ACK("01"));
    in(CREATE("08", "03", STREAMING)); // packet flow timer 6 s
    forget_sent();
    run(5 * S);
    DOWN(.pfi = 8);
    run(6 * S - 1);
    DOWN(.pfi = 8);
    none();
    run(6 * S);
    DOWN(.pfi = 8);
    out(BVCI_2 "50 " TLLI_IE "288108");
}

static void test_modify(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin(ACK("01"));
    in(CREATE("08", "e0", STREAMING));
    forget_sent();
    bss_pfc_modify(w.bss, ms, 9, 32000, now()); // there is none
    none();
    bss_pfc_modify(w.bss, ms, 8, 32000, now());
    out(BVCI_2 "54 " TLLI_IE "288108 3a8b 0b921f53964020748010 10");
    run(3 * S);
    out_any();
    in(BVCI_2 "55 " TLLI_IE "288108 2981e0 3a8c 0b921f539640207480101000");
    run(20 * S);
    none();
    in(BVCI_2 "55 " TLLI_IE "288108 2981e0 3a8c 0b921f539640207480101000");
    assert_int_equal(bss_counters(w.bss)->late, 1);
}

// T8 ends for the last time: the old profile is in force, and an answer comes too late.
static void test_modify_is_given_up(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.retries = 1;
    struct bss_ms *ms = begin(ACK("01"));
    in(CREATE("08", "e0", STREAMING));
    forget_sent();
    bss_pfc_modify(w.bss, ms, 8, 32000, now());
    run(10 * S);
    out_any();
    out_any();
    none();
    assert_int_equal(bss_counters(w.bss)->timeouts, 1);
    in(BVCI_2 "55 " TLLI_IE "288108 2981e0 3a8c 0b921f539640207480101000");
    assert_int_equal(bss_counters(w.bss)->late, 1);
}

static void test_modify_is_answered_with_another_profile(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin(ACK("01"));
    in(CREATE("08", "e0", STREAMING));
    bss_pfc_modify(w.bss, ms, 8, 32000, now());
    in(BVCI_2 "55 " TLLI_IE "288108 2981e0 3a83 0b921f"); // R97's
    assert_int_equal(faults(), 1);
    assert_string_equal(
        bss_counters(w.bss)->first_fault,
        "NSE 101 at 0 ns, MODIFY-BSS-PFC-ACK: its profile cannot be read (octet 0)");
}

static void test_delete_of_either_side(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin(ACK("01"));
    in(CREATE("08", "e0", STREAMING));
    forget_sent();
    bss_pfc_delete(w.bss, ms, 8, 0x0b, now());
    out(BVCI_2 "58 " TLLI_IE "288108 07810b");
    in(BVCI_2 "56 " TLLI_IE "288108");
    out(BVCI_2 "57 " TLLI_IE "288108");
    in(BVCI_2 "56 " TLLI_IE "288108"); // repeated
    out(BVCI_2 "57 " TLLI_IE "288108");
    no_fault();
}

// ---- FLOW-CONTROL-PFC ----

static void test_flow_control_pfc(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.pfc_fc = w.config.cbl = true;
    w.cell_config.flow_ms = BSS_FLOW_MS_FIXED;
    w.cell_config.flow_pfc = true;
    w.cell_config.ms_r_bit_per_s = 24000;
    w.cell_config.ms_bmax_ns = S; // 3000 octets; of 16 kbit/s 2000
    w.cell_config.rate_bit_per_s = 80;
    begin(ACK("23"));
    in(CREATE("08", "e0", STREAMING));
    in(CREATE("09", "e0", INTERACTIVE));
    forget_sent();
    DOWN(.octets = 300, .pfi = 8); // on the air
    DOWN(.octets = 500, .pfi = 8);
    DOWN(.octets = 600, .pfi = 9);
    run(0);
    out(BVCI_2 "2d " TLLI_IE
               "1e8101 1282001e 038200f0 3c812e 528d 02 08 0014 00a0 19 09 001e 00f0 14");
    in(BVCI_2 "2e " TLLI_IE "1e8101");
    assert_int_equal(bss_counters(w.bss)->late, 0);
    no_fault();
}

// ---- Ranks ----

static void test_the_packet_flows_class_ranks(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.priority = BSS_PRIORITY_PFC;
    w.cell_config.rate_bit_per_s = 8000;
    begin(ACK("01"));
    in(CREATE("08", "e0", STREAMING));
    in(CREATE("09", "e0", INTERACTIVE));
    DOWN(.number = 1, .sapi = 11); // best effort; on the air
    DOWN(.number = 2, .sapi = 11);
    DOWN(.number = 3, .sapi = 9, .pfi = 9);
    DOWN(.number = 4, .sapi = 5, .pfi = 8);
    DOWN(.number = 5, .sapi = 1, .pfi = 1);
    DOWN(.number = 6, .sapi = 7, .pfi = 77); // unknown: as best effort
    run(S);
    const uint32_t order[] = {1, 5, 4, 3, 2, 6};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(w.delivered[i].number, order[i]);
}

// FLUSH-LL to a cell that has one of the MS's two flows already: that cell's own stays, the other
// comes.
static void test_an_ms_takes_its_flows_along(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.pfc = true;
    w.config.flush = BSS_FLUSH_TRANSFER;
    w.cell_config.flow_repeat = false;
    w.cell_config.priority = BSS_PRIORITY_PFC;
    w.cell_config.rate_bit_per_s = 8000;
    make(1, 2);
    bring_up(ACK("01"));
    struct bss_ms *ms = enter(w.cell, TLLI);
    bss_reach(ms, true, now());
    in(CREATE("08", "e0", STREAMING));
    in(CREATE("0a", "e0", STREAMING));
    bss_move(ms, w.other, now());
    in(BVCI_3 "51 " TLLI_IE "288108 2981e0 3a8c " INTERACTIVE);
    in(BVCI_3 "51 " TLLI_IE "288109 2981e0 3a8c " STREAMING);
    in(BVCI_0 "2a " TLLI_IE "04820002 04820003");
    bss_reach(ms, true, now());
    DOWN(.number = 1, .bvci = 3, .sapi = 11); // on the air
    DOWN(.number = 2, .bvci = 3, .sapi = 7, .pfi = 8);
    DOWN(.number = 3, .bvci = 3, .sapi = 5, .pfi = 9);
    DOWN(.number = 4, .bvci = 3, .sapi = 3, .pfi = 10);
    run(S);
    const uint32_t order[] = {1, 3, 4, 2};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(w.delivered[i].number, order[i]);
    in(BVCI_3 "56 " TLLI_IE "288108"); // it is there once: deleted, it ranks as best effort
    DOWN(.number = 5, .bvci = 3, .sapi = 11);
    DOWN(.number = 6, .bvci = 3, .sapi = 11);
    DOWN(.number = 7, .bvci = 3, .sapi = 7, .pfi = 8);
    run(S);
    for (uint32_t i = 5; i <= 7; i++)
        assert_int_equal(w.delivered[i - 1].number, i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_create_is_accepted_as_asked),
        TEST(test_create_is_accepted_lower),
        TEST(test_create_is_refused),
        TEST(test_download_until_the_sgsn_creates),
        TEST(test_download_is_given_up),
        TEST(test_an_idle_context_is_forgotten),
        TEST(test_modify),
        TEST(test_modify_is_given_up),
        TEST(test_modify_is_answered_with_another_profile),
        TEST(test_delete_of_either_side),
        TEST(test_flow_control_pfc),
        TEST(test_the_packet_flows_class_ranks),
        TEST(test_an_ms_takes_its_flows_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
