// Commands reach the scheduler's tree: what each of them leaves behind there, read through the
// scheduler's own face, and that a refused one changes nothing here.
#include "dataplane/state/state.h"

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/ports_fixture.h"
#include "tests/dataplane/state/tree_fixture.h"
#include "tests/dataplane/sched/check.h"

static const struct state_limits limits = {
    .nses = 2, .nsvcs = 2, .bvcs = 2, .ggsns = 2, .mss = 2, .pdps = 2, .options_octets = 3};

static struct ports_fixture gn, gb;
static struct state made;
static struct sched *sched;
static uint64_t now_ns;

static int apply(struct command c)
{
    return state_apply(&made, sched, &c, now_ns);
}
#define APPLY(name, ...) \
    assert_int_equal(apply((struct command){.op = COMMAND_##name, .name = {__VA_ARGS__}}), 0)

// NSE 0 with cells 0 and 1, MS 1 in cell 0 with one packet flow, neither limited.
static int make_tree(void **state)
{
    (void)state;
    now_ns = 0;
    sched = tree_fixture_create(&limits);
    ports_fixture_open(&gn, "gn", 1, 1, 2152);
    ports_fixture_open(&gb, "gb", 2, 2, 23000);
    if (state_setup(&made, 0, &limits, &gn.port, &gb.port) != 0)
        return -1;
    APPLY(nse, .nse_id = 0);
    APPLY(bvc, .bvc_id = 0, .nse_id = 0, .bvci = 2);
    APPLY(bvc, .bvc_id = 1, .nse_id = 0, .bvci = 3);
    APPLY(bvc_bucket, .bvc_id = 0);
    APPLY(ms, .ms_id = 1, .bvc_id = 0, .tlli = 7, .n201_u = 500);
    APPLY(pfc, .ms_id = 1, .slot = 1, .traffic_class = CLASS_STREAMING);
    return 0;
}

static int release_tree(void **state)
{
    (void)state;
    assert_null(sched_check(sched));
    state_release(&made);
    free(sched);
    ports_fixture_close(&gn);
    ports_fixture_close(&gb);
    return 0;
}

#define BUCKET(rate, octets) \
    .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = rate, .bucket_octets = octets
#define MS_BUCKET(rate, octets) \
    .has_ms_rate_100_bit_per_s = true, .ms_rate_100_bit_per_s = rate, .ms_bucket_octets = octets
#define FULL(percent) .has_full_percent = true, .full_percent = percent

static void expect_terms(struct sched_bucket bucket, uint32_t rate, uint32_t max_octets)
{
    assert_int_equal(bucket.terms.rate, rate);
    assert_int_equal(bucket.terms.max_octets, max_octets);
}

static void put(uint32_t octets)
{
    static char buffer;
    struct pdu pdu = {.buffer = &buffer, .octets = (uint16_t)octets, .arrived_ns = now_ns};
    assert_int_equal(sched_put(sched, 1, 1, &pdu, now_ns), DROP_NONE);
}

static uint32_t taken(void)
{
    struct sched_grant grant[8];
    return sched_take(sched, grant, 8, now_ns);
}

static void expect_drop(enum drop_reason reason)
{
    const struct sched_drop *drop;
    assert_int_equal(sched_dropped(sched, &drop), 1);
    assert_int_equal(drop->reason, reason);
    assert_int_equal(sched_queued(sched).packets, 0);
}

static void test_pipe(void **state)
{
    (void)state;
    assert_int_equal(sched_nse_bucket(sched, 0, 0).terms.rate, BUCKET_UNLIMITED);
    APPLY(nse_bucket, .nse_id = 0, BUCKET(640, 3000));
    expect_terms(sched_nse_bucket(sched, 0, 0), 640, 3000);
    APPLY(nse_bucket, .nse_id = 0);
    assert_int_equal(sched_nse_bucket(sched, 0, 0).terms.rate, BUCKET_UNLIMITED);
}

static void test_cell_and_its_defaults(void **state)
{
    (void)state;
    APPLY(bvc_bucket, .bvc_id = 0, BUCKET(400, 5000), MS_BUCKET(80, 2000));
    expect_terms(sched_bvc_bucket(sched, 0, 0), 400, 5000);
    expect_terms(sched_ms_bucket(sched, 1, 0), 80, 2000);
    APPLY(bvc_bucket, .bvc_id = 0, BUCKET(400, 5000));
    assert_int_equal(sched_ms_bucket(sched, 1, 0).terms.rate, BUCKET_UNLIMITED);
    APPLY(bvc_reset, 0);
    assert_int_equal(sched_bvc_bucket(sched, 0, 0).terms.rate, 0);
}

// 30 per cent of 5000 octets are 1500, in units of a ten millionth of a bit.
static void test_bucket_full_ratios(void **state)
{
    const uint64_t level = 1500ULL * 8 * 10000000;
    (void)state;
    APPLY(bvc_bucket, .bvc_id = 0, BUCKET(400, 5000), FULL(30));
    assert_true(sched_bvc_bucket(sched, 0, 0).level == level);
    APPLY(ms_bucket, .ms_id = 1, BUCKET(400, 5000), FULL(30));
    assert_true(sched_ms_bucket(sched, 1, 0).level == level);
    APPLY(pfc_bucket, .ms_id = 1, .slot = 1, BUCKET(400, 5000), FULL(30));
    assert_true(sched_pfc_bucket(sched, 1, 1, 0).level == level);
    APPLY(pfc_bucket, .ms_id = 1, .slot = 1, BUCKET(400, 5000)); // without a ratio the level stays
    assert_true(sched_pfc_bucket(sched, 1, 1, 0).level == level);
}

// A new key starts every LLE's numbers anew; the same for none. Nothing else of the MS changes.
static void test_cipher(void **state)
{
    struct command c = {.op = COMMAND_ms_cipher,
                        .octets = {1, 2, [15] = 16},
                        .octets_n = 16,
                        .ms_cipher = {.ms_id = 1, .gea = 4, .iov_ui = 0x12345678}};
    struct state_ms *ms = &made.ms[1];
    struct state_ms_up *up = &made.ms_up[1];
    (void)state;
    for (int on = 1; on >= 0; on--) {
        for (uint32_t lle = 0; lle < STATE_LLES; lle++) {
            ms->sent[lle] = 1000 + lle;
            up->lle[lle] = (struct state_lle_up){2000 + lle, 0x55};
        }
        c.ms_cipher.gea = on ? 4 : 0;
        assert_int_equal(apply(c), 0);
        assert_int_equal(ms->enciphered, on);
        for (int lle = 0; lle < STATE_LLES; lle++) {
            assert_int_equal(ms->sent[lle], 0);
            assert_int_equal(up->lle[lle].next, 0);
            assert_int_equal(up->lle[lle].seen, 0);
        }
    }
    assert_memory_equal(ms->key, c.octets, sizeof ms->key);
    assert_int_equal(ms->iov_ui, 0x12345678);
    assert_int_equal(ms->tlli, 7);
}

static void test_ms_own_and_default(void **state)
{
    (void)state;
    APPLY(bvc_bucket, .bvc_id = 0, MS_BUCKET(80, 2000));
    APPLY(ms_bucket, .ms_id = 1, BUCKET(50, 1000));
    expect_terms(sched_ms_bucket(sched, 1, 0), 50, 1000);
    APPLY(ms_default, 1);
    expect_terms(sched_ms_bucket(sched, 1, 0), 80, 2000);
}

static void test_packet_flow(void **state)
{
    (void)state;
    APPLY(pfc_bucket, .ms_id = 1, .slot = 1, BUCKET(30, 700));
    expect_terms(sched_pfc_bucket(sched, 1, 1, 0), 30, 700);
    APPLY(pfc_bucket, .ms_id = 1, .slot = 1);
    assert_int_equal(sched_pfc_bucket(sched, 1, 1, 0).terms.rate, BUCKET_UNLIMITED);
    APPLY(pfc, .ms_id = 1, .slot = 0, .traffic_class = CLASS_BACKGROUND, .has_shares = true,
          .shares = 1);
    APPLY(pfc_bucket, .ms_id = 1, .slot = 0, BUCKET(30, 700));
    expect_terms(sched_pfc_bucket(sched, 1, 1, 0), 30, 700);
}

static void test_freeze_and_release(void **state)
{
    (void)state;
    put(100);
    APPLY(ms_freeze, 1);
    assert_int_equal(taken(), 0);
    APPLY(ms_release, 1);
    assert_int_equal(taken(), 1);
}

// Whichever of two ends first, the other holds on; and both leave alone what is no hold.
static void test_holds_do_not_know_of_each_other(void **state)
{
    static const uint8_t holds[] = {STATE_HELD_BY_CONTROL, STATE_HELD_UNTIL_HEARD,
                                    STATE_HELD_FOR_PAGING, STATE_HELD_IN_STANDBY};
    (void)state;
    APPLY(ms_listen, 1);
    for (uint32_t i = 0; i < 16; i++) {
        uint8_t first = holds[i / 4], second = holds[i % 4];
        put(100);
        assert_int_equal(state_ms_hold(&made, sched, 1, first, now_ns), 0);
        assert_int_equal(state_ms_hold(&made, sched, 1, second, now_ns), 0);
        assert_int_equal(state_ms_let_go(&made, sched, 1, first, now_ns), 0);
        assert_int_equal(taken(), first == second);
        assert_int_equal(state_ms_let_go(&made, sched, 1, second, now_ns), 0);
        assert_int_equal(taken(), first != second);
        assert_int_equal(made.ms[1].holds, STATE_LISTENED_FOR);
    }
}

static void test_move(void **state)
{
    (void)state;
    APPLY(bvc_bucket, .bvc_id = 1, BUCKET(10, 100), MS_BUCKET(80, 2000));
    put(100);
    APPLY(ms_move, 1, 1);
    assert_int_equal(made.ms[1].bvc, 1);
    expect_terms(sched_ms_bucket(sched, 1, 0), 80, 2000);
    assert_int_equal(taken(), 1);
    APPLY(bvc_remove, 0); // nobody is left there
}

static void apply_pdp(uint32_t id, uint8_t nsapi, uint8_t sapi)
{
    assert_int_equal(apply((struct command){.op = COMMAND_pdp,
                                            .teid = teid_make(made.teid_bits, 0, 1, id),
                                            .pdp = {.pdp_id = id,
                                                    .ms_id = 1,
                                                    .slot = 1,
                                                    .nsapi = nsapi,
                                                    .sapi = sapi,
                                                    .has_pfi = nsapi == 5,
                                                    .pfi = 0x21,
                                                    .has_ggsn_id = nsapi == 5,
                                                    .ggsn_id = 1,
                                                    .ggsn_teid = 100u + nsapi}}),
                     0);
}

// Of its LLE: contexts that are there and those that come.
static void test_n201_u_of_an_lle(void **state)
{
    (void)state;
    apply_pdp(0, 5, 3);
    apply_pdp(1, 6, 11);
    assert_int_equal(made.pdp[0].npdu_octets_max, 500 - 4 + 15 * (500 - 3));
    APPLY(ms_n201_u, 1, 3, 140);
    assert_int_equal(made.pdp[0].npdu_octets_max, 140 - 4 + 15 * (140 - 3));
    assert_int_equal(made.pdp[1].npdu_octets_max, 500 - 4 + 15 * (500 - 3));
    APPLY(pdp_remove, 1);
    APPLY(ms_n201_u, 1, 11, 200);
    apply_pdp(1, 6, 11);
    assert_int_equal(made.pdp[1].npdu_octets_max, 200 - 4 + 15 * (200 - 3));
    put(400); // the first LLE's N-PDU goes in pieces of the new size
    struct sched_grant grant[8];
    uint32_t n = sched_take(sched, grant, 8, now_ns);
    assert_int_equal(n, 3);
    assert_int_equal(grant[0].octets, 136);
    assert_int_equal(grant[1].octets, 137);
}

static void test_options(void **state)
{
    struct command c = {.op = COMMAND_ms_options,
                        .octets = {0x17, 0x81, 5, 0xff}, // which is no more of it
                        .octets_n = 3,
                        .ms_options = {.ms_id = 1}};
    (void)state;
    assert_int_equal(apply(c), 0);
    assert_int_equal(made.ms[1].options, 3);
    assert_memory_equal(state_options(&made, 1), c.octets, 3);
    c.octets_n = 0;
    assert_int_equal(apply(c), 0);
    assert_int_equal(made.ms[1].options, 0);
}

static void test_a_contexts_uplink(void **state)
{
    (void)state;
    apply_pdp(0, 5, 3);
    apply_pdp(1, 6, 3);
    assert_int_equal(made.pdp[0].pfi, 0x21);
    assert_int_equal(made.pdp_up[0].ggsn, 1);
    assert_int_equal(made.pdp_up[0].teid, 105);
    assert_int_equal(made.pdp[1].pfi, STATE_NO_PFI);
    assert_true(made.pdp_up[1].ggsn == STATE_NO_GGSN);
    assert_int_equal(made.pdp_up[1].partial, 0);
}

// Whichever goes first, the others are still the MS's.
static void test_contexts_hang_on_their_ms(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 2; first++) {
        apply_pdp(0, 5, 3);
        apply_pdp(1, 6, 3);
        APPLY(pdp_remove, first);
        assert_int_equal(made.ms_up[1].first_pdp, 1 - first);
        assert_true(made.pdp_up[1 - first].next == STATE_NONE);
        APPLY(pdp_remove, 1 - first);
        assert_true(made.ms_up[1].first_pdp == STATE_NONE);
    }
}

static void test_a_ggsn(void **state)
{
    const struct ipv6_address v4 = address_of_ipv4(0x0a000001), v6 = {{0xfd, [15] = 9}};
    (void)state;
    APPLY(ggsn, .ggsn_id = 0, .address = v4);
    APPLY(ggsn, .ggsn_id = 1, .address = v6, .has_mac = true, .mac = {{2, 0, 0, 0, 0, 9}});
    assert_false(peer_ready(&made.ggsn[0].peer, &gn.port)); // to be found
    assert_true(peer_ready(&made.ggsn[1].peer, &gn.port));
    assert_true(made.ggsn[1].peer.ipv6);
    assert_memory_equal(made.ggsn[0].peer.outer + 36, "\x08\x68", 2); // to GTP-U's port
    APPLY(ggsn_remove, 1);
    assert_false(peer_ready(&made.ggsn[1].peer, &gn.port));
}

static void test_flush_and_removals(void **state)
{
    (void)state;
    put(100);
    APPLY(ms_flush, 1);
    expect_drop(DROP_flushed);
    put(100);
    APPLY(pfc_remove, 1, 1);
    expect_drop(DROP_removed);
    APPLY(pfc, 1, 1, CLASS_BACKGROUND);
    put(100);
    APPLY(ms_remove, 1);
    expect_drop(DROP_removed);
    APPLY(bvc_remove, 0);
    APPLY(bvc_remove, 1);
    APPLY(nse_remove, 0);
}

// More N-PDUs than the list of drops holds.
static void test_a_long_flush_goes_on(void **state)
{
    const struct command flush = {.op = COMMAND_ms_flush, .ms_flush = {1}};
    const struct sched_drop *drop;
    (void)state;
    for (int i = 0; i < SCHED_DROPS + 10; i++)
        put(100);
    assert_int_equal(apply(flush), -SCHED_MORE);
    assert_int_equal(sched_dropped(sched, &drop), SCHED_DROPS);
    assert_int_equal(apply(flush), 0);
    assert_int_equal(sched_dropped(sched, &drop), 10);
}

static void test_a_refused_command_changes_nothing(void **state)
{
    (void)state;
    struct state_ms before = made.ms[1];
    struct command again = {.op = COMMAND_ms,
                            .ms = {.ms_id = 1, .bvc_id = 1, .tlli = 9, .n201_u = 600}};
    assert_int_equal(apply(again), -SCHED_EXISTS);
    assert_memory_equal(&made.ms[1], &before, sizeof before);
    struct command pfc = {.op = COMMAND_pfc, .pfc = {1, 1, CLASS_BACKGROUND}};
    assert_int_equal(apply(pfc), -SCHED_EXISTS);
    struct sched_view view;
    assert_true(sched_pfc_view(sched, 1, 1, 0, &view));
    assert_int_equal(view.traffic_class, CLASS_STREAMING);
    struct command move = {.op = COMMAND_ms_move, .ms_move = {1, 2}};
    assert_int_equal(apply(move), -SCHED_BAD_ID);
    assert_int_equal(made.ms[1].bvc, 0);
    struct command none = {.op = COMMAND_COUNT};
    assert_int_not_equal(apply(none), 0);
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, make_tree, release_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_pipe),
        TREE_TEST(test_cell_and_its_defaults),
        TREE_TEST(test_bucket_full_ratios),
        TREE_TEST(test_cipher),
        TREE_TEST(test_ms_own_and_default),
        TREE_TEST(test_packet_flow),
        TREE_TEST(test_freeze_and_release),
        TREE_TEST(test_holds_do_not_know_of_each_other),
        TREE_TEST(test_move),
        TREE_TEST(test_n201_u_of_an_lle),
        TREE_TEST(test_options),
        TREE_TEST(test_a_contexts_uplink),
        TREE_TEST(test_contexts_hang_on_their_ms),
        TREE_TEST(test_a_ggsn),
        TREE_TEST(test_flush_and_removals),
        TREE_TEST(test_a_long_flush_goes_on),
        TREE_TEST(test_a_refused_command_changes_nothing),
    };
    return cmocka_run_group_tests_name("state/apply", tests, eal_fixture_setup,
                                       eal_fixture_teardown);
}
