// MSs: SUSPEND and RESUME, RA-CAPABILITY-UPDATE, uplink, cell change, pages.
#include "tests/lab/bss/peer.h"

#define RAI_IE  "1b86 62f224 1234 56"
#define CELL_IE "0888 62f224 1234 56 "
// NULL of SAPI 1, an MS's command, with its FCS (computed apart from the project's code)
#define NULL_FRAME      "01e0 " NULL_FCS
#define NULL_FCS        "1ca2b3"
#define HELLO(bvci, ci) bvci "01 c0000001 000004 " CELL_IE ci " 0e85 " NULL_FRAME

static struct bss_ms *begin(void)
{
    w.cell_config.flow_repeat = false;
    make(1, 2);
    bring_up(NULL);
    return enter(w.cell, TLLI);
}

// ---- Uplink ----

static void test_an_llc_pdu_goes_up_with_the_cell(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    const uint8_t llc[] = {0x03, 0xc0, 0x01, 0x55};
    bss_up(ms, llc, sizeof llc, now());
    out(BVCI_2 "01 c0000001 000004 " CELL_IE "0102 0e84 03c00155");
    books();
}

static void test_an_llc_pdu_up_needs_a_cell_and_an_nsvc(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    in("04 00 81 01 01 82 0007"); // NS-BLOCK
    forget_sent();
    bss_up(ms, (const uint8_t *)"abc", 3, now());
    assert_int_equal(w.lost[0].why, BSS_LOST_up_no_nsvc);
    in("06");
    bss_cell_reset(w.bss, w.cell, now());
    bss_up(ms, (const uint8_t *)"abc", 3, now());
    assert_int_equal(w.lost[1].why, BSS_LOST_up_not_up);
    books();
}

// ---- Calls ----

static void test_suspend_and_resume_with_the_reference(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_suspend(ms, now());
    out(BVCI_0 "0b " TLLI_IE RAI_IE);
    DOWN(.octets = 100);
    run(10 * MS);
    in(BVCI_0 "0c " TLLI_IE RAI_IE "1d81a7");
    run(10 * S);
    none();
    assert_int_equal(w.deliveries, 0);
    bss_resume(ms, now());
    assert_int_equal(w.deliveries, 1);
    out(BVCI_0 "0e " TLLI_IE RAI_IE "1d81a7");
    in(BVCI_0 "0f " TLLI_IE RAI_IE);
    run(10 * S);
    none();
    no_fault();
}

static void test_both_are_repeated_and_then_the_ms_is_heard(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.retries = 2;
    struct bss_ms *ms = begin();
    bss_suspend(ms, now());
    run(600 * MS);
    out_at(0, BVCI_0 "0b " TLLI_IE RAI_IE);
    out_at(500 * MS, BVCI_0 "0b " TLLI_IE RAI_IE);
    in(BVCI_0 "0c " TLLI_IE RAI_IE "1d8105");
    bss_resume(ms, now());
    run(10 * S);
    for (uint64_t i = 0; i < 3; i++)
        out_at(600 * MS + i * 500 * MS, BVCI_0 "0e " TLLI_IE RAI_IE "1d8105");
    out_at(2100 * MS, HELLO(BVCI_2, "0102"));
    none();
    assert_int_equal(bss_counters(w.bss)->timeouts, 1);
}

static void test_a_refused_resume(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_suspend(ms, now());
    in(BVCI_0 "0c " TLLI_IE RAI_IE "1d8105");
    bss_resume(ms, now());
    forget_sent();
    in(BVCI_0 "10 " TLLI_IE RAI_IE "078120");
    out(HELLO(BVCI_2, "0102"));
    none();
}

static void test_without_a_reference_there_is_no_resume(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_suspend(ms, now());
    out_any();
    in(BVCI_0 "0d " TLLI_IE RAI_IE "078104");
    bss_resume(ms, now());
    out(HELLO(BVCI_2, "0102"));
    none();
}

static void test_a_call_that_is_shorter_than_its_suspend(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_suspend(ms, now());
    run(10 * MS);
    bss_resume(ms, now());
    out_any();
    out(HELLO(BVCI_2, "0102"));
    in(BVCI_0 "0c " TLLI_IE RAI_IE "1d8105");
    run(10 * S);
    none();
    assert_int_equal(bss_counters(w.bss)->late, 1);
    no_fault();
}

static void test_a_cell_change_in_a_call_is_heard_behind_it(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_suspend(ms, now());
    in(BVCI_0 "0c " TLLI_IE RAI_IE "1d8105");
    forget_sent();
    bss_move(ms, w.other, now());
    none();
    bss_resume(ms, now());
    out(BVCI_0 "0e " TLLI_IE RAI_IE "1d8105");
    none();
    in(BVCI_0 "0f " TLLI_IE RAI_IE);
    out(HELLO(BVCI_3, "0103"));
    none();
}

static void test_a_cell_change_out_of_reach_is_heard_when_it_is_back(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_reach(ms, false, now());
    bss_move(ms, w.other, now());
    none();
    bss_reach(ms, true, now());
    out(HELLO(BVCI_3, "0103"));
    bss_reach(ms, false, now());
    bss_reach(ms, true, now());
    none();
}

// ---- Another BSS ----

// The MS goes to a BSS with the same numbers, but another cell. Returns the one until then.
static struct bss *leave_bss(struct bss_ms *ms)
{
    struct bss *first = w.bss;
    struct bss_owner owner = {.send = peer_send, .lost = peer_lost, .up = peer_up};
    struct bss_nsvc_config nsvc = nsvc_config(7, 2);
    w.bss = bss_create(&w.config, &owner, w.engine);
    bss_add_nsvc(w.bss, &nsvc);
    set_identity(&w.cell_config, 2, 0x0204);
    w.cell = bss_add_cell(w.bss, &w.cell_config);
    w.other = NULL;
    w.ups = 0;
    bring_up(NULL);
    assert_true(bss_move(ms, w.cell, now()));
    return first;
}

// That many answers came late to the BSS, and it repeats nothing.
static void late(const struct bss *bss, uint64_t answers)
{
    const struct bss_counters *counters = bss_counters(bss);
    assert_int_equal(counters->late, answers);
    assert_int_equal(counters->retries + counters->timeouts + counters->faults, 0);
}

// The MS is heard behind the call, no more: the reference, if there is one, is the first BSS's.
static void end_call(struct bss_ms *ms, struct bss *first, uint64_t answers)
{
    run(10 * S);
    none();
    bss_resume(ms, now());
    out(HELLO(BVCI_2, "0204"));
    run(10 * S);
    none();
    late(w.bss, answers);
    late(first, 0);
    bss_destroy(first);
}

static void test_a_call_that_ends_in_another_bss(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_suspend(ms, now());
    in(BVCI_0 "0c " TLLI_IE RAI_IE "1d8105");
    end_call(ms, leave_bss(ms), 0);
}

static void test_a_suspend_is_late_in_another_bss(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_suspend(ms, now());
    struct bss *first = leave_bss(ms);
    in(BVCI_0 "0c " TLLI_IE RAI_IE "1d8105");
    end_call(ms, first, 1);
}

static void test_a_resume_is_late_in_another_bss(void **state)
{
    (void)state;
    static const char *const answers[] = {BVCI_0 "0f " TLLI_IE RAI_IE,
                                          BVCI_0 "10 " TLLI_IE RAI_IE "078120"};
    for (int i = 0; i < 2; i++) {
        configure(BSS_NS_RESET);
        struct bss_ms *ms = begin();
        bss_suspend(ms, now());
        in(BVCI_0 "0c " TLLI_IE RAI_IE "1d8105");
        bss_resume(ms, now());
        struct bss *first = leave_bss(ms);
        out(HELLO(BVCI_2, "0204"));
        in(answers[i]);
        run(10 * S);
        none();
        late(w.bss, 1);
        late(first, 0);
        bss_destroy(first);
        end_world(state);
    }
}

// ---- RA-CAPABILITY-UPDATE ----

static void test_ra_capability_update(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_ra_capability_update(w.bss, ms, now());
    out(BVCI_2 "08 " TLLI_IE "1e8101");
    run(15 * S);
    out(BVCI_2 "08 " TLLI_IE "1e8101");
    in(BVCI_2 "09 " TLLI_IE "1e8102 1a8102"); // another tag
    in(BVCI_2 "09 " TLLI_IE "1e8101 1a8102");
    run(14 * S);
    none();
    assert_int_equal(bss_counters(w.bss)->late, 1);
}

// ---- Cells ----

static void test_a_cell_change_is_heard_in_the_new_cell(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_move(ms, w.other, now());
    out(HELLO(BVCI_3, "0103"));
    assert_ptr_equal(bss_ms_cell(ms), w.other);
    DOWN(.bvci = 3);
    assert_int_equal(w.deliveries, 1);
    bss_move(ms, w.other, now());
    none();
}

static void test_entering_is_silent_and_tllis_are_unique(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    struct bss_identity same = {.tlli = TLLI};
    none();
    assert_null(bss_enter(w.bss, w.other, &same, NULL, now()));
    bss_hello(ms, now());
    out(HELLO(BVCI_2, "0102"));
    bss_leave(ms, now());
    assert_non_null(bss_enter(w.bss, w.other, &same, NULL, now()));
}

// ---- Pages ----

#define QOS_IE "1883 000031"

static void answered(const char *page, bool yes)
{
    forget_sent();
    in(page);
    run(500 * MS - 1);
    none();
    run(1);
    if (yes)
        out(HELLO(BVCI_2, "0102"));
    none();
    no_fault();
}

static void test_pages_by_area_imsi_and_p_tmsi(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    begin();
    const char *imsi = "06 0d88 0910100000000010 ";
    char page[200];
    static const struct {
        const char *area;
        bool yes;
    } areas[] = {
        {"04820002", true},            // its cell
        {"04820003", false},           // another cell
        {"1085 62f2241234", true},     // its LA
        {"1085 62f2241235", false},    // another LA
        {"1b86 62f2241234 56", true},  // its RA
        {"1b86 62f2241234 57", false}, // another RA
        {"028100", true},              // the whole BSS
    };
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++) {
        snprintf(page, sizeof page, BVCI_0 "%s%s" QOS_IE, imsi, areas[i].area);
        answered(page, areas[i].yes);
    }
    answered(BVCI_0 "06 0d88 0910100000000020 028100 " QOS_IE, false); // another IMSI
    answered(BVCI_0 "06 0d88 0910100000000020 028100 " QOS_IE "2084c0000001", true);
    answered(BVCI_0 "06 0d88 0910100000000020 028100 " QOS_IE "208400000001", true);
}

static void test_who_does_not_answer_a_page(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    const char *page = BVCI_0 "06 0d88 0910100000000010 028100 " QOS_IE;
    bss_reach(ms, false, now());
    answered(page, false);
    bss_reach(ms, true, now());
    bss_suspend(ms, now());
    in(BVCI_0 "0c " TLLI_IE RAI_IE "1d8105");
    answered(page, false);
    bss_resume(ms, now());
    in(BVCI_0 "0f " TLLI_IE RAI_IE);
    answered(page, true);
}

static void test_two_pages_have_one_answer(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    begin();
    in(BVCI_0 "06 0d88 0910100000000010 028100 " QOS_IE);
    run(200 * MS);
    in(BVCI_0 "06 0d88 0910100000000010 028100 " QOS_IE);
    run(5 * S);
    out_at(500 * MS, HELLO(BVCI_2, "0102"));
    none();
}

// ---- Another TLLI ----

static void test_another_tlli_and_the_one_before(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_rename(ms, 0xc0000055);
    assert_int_equal(bss_ms_tlli(ms), 0xc0000055);
    DOWN(.octets = 100);
    DOWN(.octets = 100, .tlli = 0xc0000055);
    assert_int_equal(w.deliveries, 2);
    const uint8_t llc[] = {0x03, 0xc0, 0x01, 0x55};
    bss_up(ms, llc, sizeof llc, now());
    out(BVCI_2 "01 c0000055 000004 " CELL_IE "0102 0e84 03c00155");
    bss_rename(ms, 0xc0000055); // that it has already
    DOWN(.octets = 100);
    assert_int_equal(w.deliveries, 3);
    bss_rename(ms, 0xc0000056);
    DOWN(.octets = 100); // two before
    assert_int_equal(w.deliveries, 3);
    DOWN(.octets = 100, .tlli = 0xc0000055);
    assert_int_equal(w.deliveries, 4);
    bss_rename(ms, 0xc0000055); // back
    DOWN(.octets = 100, .tlli = 0xc0000056);
    DOWN(.octets = 100, .tlli = 0xc0000055);
    assert_int_equal(w.deliveries, 6);
    books();
}

static void test_the_tlli_before_is_of_its_cell_and_goes_with_the_ms(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = begin();
    bss_rename(ms, 0xc0000055);
    bss_move(ms, w.other, now());
    DOWN(.octets = 100);
    assert_int_equal(w.deliveries, 0);
    bss_leave(ms, now());
    enter(w.cell, 0xc0000055);
    DOWN(.octets = 100);
    assert_int_equal(w.deliveries, 0);
    DOWN(.octets = 100, .tlli = 0xc0000055);
    assert_int_equal(w.deliveries, 1);
    books();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_an_llc_pdu_goes_up_with_the_cell),
        TEST(test_an_llc_pdu_up_needs_a_cell_and_an_nsvc),
        TEST(test_suspend_and_resume_with_the_reference),
        TEST(test_both_are_repeated_and_then_the_ms_is_heard),
        TEST(test_a_refused_resume),
        TEST(test_without_a_reference_there_is_no_resume),
        TEST(test_a_call_that_is_shorter_than_its_suspend),
        TEST(test_a_cell_change_in_a_call_is_heard_behind_it),
        TEST(test_a_cell_change_out_of_reach_is_heard_when_it_is_back),
        TEST(test_a_call_that_ends_in_another_bss),
        TEST(test_a_suspend_is_late_in_another_bss),
        TEST(test_a_resume_is_late_in_another_bss),
        TEST(test_ra_capability_update),
        TEST(test_a_cell_change_is_heard_in_the_new_cell),
        TEST(test_entering_is_silent_and_tllis_are_unique),
        TEST(test_pages_by_area_imsi_and_p_tmsi),
        TEST(test_who_does_not_answer_a_page),
        TEST(test_two_pages_have_one_answer),
        TEST(test_another_tlli_and_the_one_before),
        TEST(test_the_tlli_before_is_of_its_cell_and_goes_with_the_ms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
