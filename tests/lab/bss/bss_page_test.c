// FLUSH-LL: deleted or transferred, in order, within the NSE and to another one.
#include "tests/lab/bss/peer.h"

#define FLUSH(more) BVCI_0 "2a " TLLI_IE "04820002" more

static struct bss_ms *left(uint32_t flush)
{
    w.config.flush = flush;
    w.cell_config.flow_repeat = false;
    w.cell_config.rate_bit_per_s = 8000;
    make(1, 2);
    bring_up(NULL);
    struct bss_ms *ms = enter(w.cell, TLLI);
    bss_reach(ms, false, now());
    DOWN(.number = 1, .octets = 100, .lifetime_cs = 500);
    DOWN(.number = 2, .octets = 200);
    DOWN(.number = 3, .octets = 300, .sapi = 5);
    bss_move(ms, w.other, now());
    forget_sent();
    return ms;
}

static void numbers(uint32_t n, const uint32_t *expected)
{
    assert_int_equal(w.deliveries, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(w.delivered[i].number, expected[i]);
}

static void test_without_a_new_cell_it_is_deleted(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    left(BSS_FLUSH_TRANSFER);
    in(FLUSH(""));
    out(BVCI_0 "2b " TLLI_IE "0c8100 2583000258");
    none(); // no LLC-DISCARDED
    assert_int_equal(w.losses, 3);
    assert_int_equal(w.lost[0].why, BSS_LOST_flushed);
    DOWN(.number = 4); // nothing is kept there any more
    assert_int_equal(w.lost[3].why, BSS_LOST_absent);
    forget_sent();
    run(10 * S);
    none();
}

static void test_a_bss_that_does_not_transfer_deletes(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    left(BSS_FLUSH_DELETE);
    in(FLUSH("04820003"));
    out(BVCI_0 "2b " TLLI_IE "0c8100 2583000258");
    assert_int_equal(w.losses, 3);
}

static void test_a_silent_bss_gives_up_in_time(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.tell_discards = false;
    left(BSS_FLUSH_SILENT);
    in(FLUSH("04820003"));
    none();
    run(5 * S - 1);
    assert_int_equal(w.losses, 0);
    run(1);
    assert_int_equal(w.losses, 3);
}

static void test_transferred_before_what_is_new_of_its_lle(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = left(BSS_FLUSH_TRANSFER);
    run(S);
    DOWN(.number = 4, .bvci = 3, .octets = 100);
    DOWN(.number = 5, .bvci = 3, .octets = 100, .sapi = 5);
    DOWN(.number = 6, .octets = 50); // for the old cell still
    in(FLUSH("04820003"));
    out(BVCI_0 "2b " TLLI_IE "0c8101 04820003 258300028a");
    assert_int_equal(bss_ms_held(ms).pdus, 6);
    bss_reach(ms, true, now());
    run(10 * S);
    numbers(6, (uint32_t[]){1, 2, 3, 5, 6, 4});
    assert_int_equal(w.losses, 0);
    forget_sent();
    in(FLUSH("04820003")); // a repeated one finds nothing
    out(BVCI_0 "2b " TLLI_IE "0c8101 04820003 2583000000");
    no_fault();
}

static void test_lifetimes_go_on_where_they_were(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    left(BSS_FLUSH_TRANSFER);
    run(2 * S);
    in(FLUSH("04820003"));
    run(10 * S);
    assert_int_equal(w.losses, 1);
    assert_true(w.lost[0].at_ns == 5 * S && w.lost[0].number == 1);
    in("0b");
}

static void test_a_new_cell_without_the_ms_or_unknown(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    struct bss_ms *ms = left(BSS_FLUSH_TRANSFER);
    bss_move(ms, w.cell, now()); // it has come back: its PDUs are where they belong
    forget_sent();
    in(FLUSH("04820009"));
    out(BVCI_0 "2b " TLLI_IE "0c8100 2583000258");
    assert_int_equal(w.losses, 3);
    in(BVCI_0 "2a " TLLI_IE "04820077");
    assert_int_equal(faults(), 1);
}

static void test_an_unknown_ms_has_nothing_to_flush(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    left(BSS_FLUSH_TRANSFER);
    in(BVCI_0 "2a 1f84deadbeef 04820002");
    out(BVCI_0 "2b 1f84deadbeef 0c8100 2583000000");
    no_fault();
}

// ---- To another NSE ----

static struct bss *there;

static struct bss *neighbour(void *self, uint16_t nsei)
{
    (void)self;
    return nsei == 102 ? there : NULL;
}

static void both_books(void)
{
    books();
    check_books(&bss_counters(there)->traffic, "the other NSE");
}

static void test_transferred_to_another_nse(void **state)
{
    (void)state;
    configure(BSS_NS_MANUAL);
    struct bss_owner owner = {
        .send = peer_send, .deliver = peer_deliver, .lost = peer_lost, .neighbour = neighbour};
    w.engine = engine_create();
    w.bss = bss_create(&w.config, &owner, w.engine);
    w.config.nsei = 102;
    there = bss_create(&w.config, &owner, w.engine);
    struct bss_nsvc_config nsvc = nsvc_config(7, 2);
    bss_add_nsvc(w.bss, &nsvc);
    bss_add_nsvc(there, &nsvc);
    w.cell = bss_add_cell(w.bss, &w.cell_config);
    set_identity(&w.cell_config, 3, 0x0103);
    struct bss_cell *cell = bss_add_cell(there, &w.cell_config);
    bss_start(w.bss, now());
    bss_start(there, now());
    struct bss_ms *ms = enter(w.cell, TLLI);
    bss_reach(ms, false, now());
    DOWN(.number = 1, .octets = 100);
    DOWN(.number = 2, .octets = 150);
    assert_true(bss_move(ms, cell, now()));
    assert_null(bss_ms_find(w.bss, TLLI));
    assert_ptr_equal(bss_ms_find(there, TLLI), ms);
    tags.there = there;
    in(FLUSH("04820003 3e820066"));
    out(BVCI_0 "2b " TLLI_IE "0c8101 04820003 25830000fa 3e820066");
    assert_int_equal(w.deliveries, 0); // it is out of reach there, too
    bss_reach(ms, true, now());
    numbers(2, (uint32_t[]){1, 2});
    both_books();
    assert_int_equal(bss_counters(w.bss)->traffic.over.octets, 250);
    struct bss_identity same = {.tlli = TLLI}; // its TLLI is free where it was, and taken there
    struct bss_ms *other = bss_enter(w.bss, w.cell, &same, NULL, now());
    assert_false(bss_move(other, cell, now()));
    assert_ptr_equal(bss_ms_find(w.bss, TLLI), other);
    tags.there = NULL;
    bss_destroy(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_without_a_new_cell_it_is_deleted),
        TEST(test_a_bss_that_does_not_transfer_deletes),
        TEST(test_a_silent_bss_gives_up_in_time),
        TEST(test_transferred_before_what_is_new_of_its_lle),
        TEST(test_lifetimes_go_on_where_they_were),
        TEST(test_a_new_cell_without_the_ms_or_unknown),
        TEST(test_an_unknown_ms_has_nothing_to_flush),
        TEST(test_transferred_to_another_nse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
