// What commands leave behind: templates, read octet by octet, and which TEIDs find a context.
#include "dataplane/state/state.h"

#include <errno.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/ports_fixture.h"
#include "tests/dataplane/state/tree_fixture.h"
#include "tests/dataplane/wire/judge.h"

static const struct state_limits limits = {.nses = 3,
                                           .nsvcs = 4,
                                           .bvcs = 4,
                                           .ggsns = 2,
                                           .mss = 80,
                                           .pdps = 10,
                                           .workers = 16,
                                           .options_octets = 10};

static struct ports_fixture gn, gb;
static struct state made;
static struct sched *sched;

static int make_state(void **state)
{
    (void)state;
    sched = tree_fixture_create(&limits);
    ports_fixture_open(&gn, "gn", 0x0a, 0xc6336401, 2152);
    ports_fixture_open(&gb, "gb", 0x0b, 0xc0000201, 23000);
    return state_setup(&made, 0, &limits, &gn.port, &gb.port);
}

static int release_state(void **state)
{
    (void)state;
    state_release(&made);
    free(sched);
    ports_fixture_close(&gn);
    ports_fixture_close(&gb);
    return 0;
}

static void apply(const struct command *c)
{
    assert_int_equal(state_apply(&made, sched, c, 0), 0);
}

static uint32_t teid_of(uint32_t id)
{
    return teid_make(made.teid_bits, 0, 1, id);
}

static void apply_nse(uint32_t id)
{
    apply(&(struct command){.op = COMMAND_nse, .nse = {.nse_id = id, .nsei = 100}});
}

static void apply_nsvc(uint32_t id, uint32_t nse, struct ipv6_address address, uint16_t port)
{
    apply(&(struct command){.op = COMMAND_nsvc,
                            .nsvc = {.nsvc_id = id,
                                     .nse_id = nse,
                                     .peer_address = address,
                                     .peer_port = port,
                                     .has_peer_mac = true,
                                     .peer_mac = {{0x06, 1, 2, 3, 4, 5}},
                                     .weight = 1}});
}

static void apply_bvc(uint32_t id, uint32_t nse, uint16_t bvci)
{
    apply(&(struct command){.op = COMMAND_bvc, .bvc = {.bvc_id = id, .nse_id = nse, .bvci = bvci}});
}

static void apply_ms(uint32_t id, uint32_t bvc, uint32_t tlli, uint16_t n201_u)
{
    apply(&(struct command){.op = COMMAND_ms,
                            .ms = {.ms_id = id, .bvc_id = bvc, .tlli = tlli, .n201_u = n201_u}});
}

// An MS in a cell in an NSE, all of that number, with a packet flow in slot 0 and slot 1.
static void apply_tree(uint32_t id, uint32_t tlli, uint16_t n201_u, uint8_t class)
{
    apply_nse(id);
    apply_bvc(id, id, 2);
    apply_ms(id, id, tlli, n201_u);
    for (uint8_t slot = 0; slot < 2; slot++)
        apply(&(struct command){.op = COMMAND_pfc,
                                .pfc = {.ms_id = id, .slot = slot, .traffic_class = class}});
}

static const struct state_pdp *apply_pdp(uint32_t id, uint32_t ms, uint8_t sapi)
{
    apply(
        &(struct command){.op = COMMAND_pdp,
                          .teid = teid_of(id),
                          .pdp = {.pdp_id = id, .ms_id = ms, .slot = 1, .nsapi = 6, .sapi = sapi}});
    return &made.pdp[id];
}

// --- Templates -----------------------------------------------------------------------------------

// What stands in front of 100 octets of NS, as the NS-VC's peer writes it the second time.
static void test_ipv4_headers_of_an_nsvc(void **state)
{
    static const uint8_t expected[] = {
        0x06, 1,    2,    3,    4,    5,    0x02, 0,    0,    0,    0,    0x0b,
        0x08, 0x00,                                                             // Ethernet
        0x45, 0x00, 0x00, 0x80, 0x00, 0x01, 0x00, 0x00, 0x40, 0x11, 0x90, 0x2f, // IPv4
        0xc0, 0x00, 0x02, 0x01, 0x0a, 0x14, 0x1e, 0x28,                         //
        0x59, 0xd8, 0x5b, 0xa0, 0x00, 0x6c, 0x00, 0x00,                         // UDP
    };
    uint8_t b[PEER_OUTER_OCTETS_MAX];
    (void)state;
    apply_nse(1);
    apply_nsvc(2, 1, address_of_ipv4(0x0a141e28), 23456);
    struct peer *peer = &made.nsvc[2].peer;
    assert_int_equal(peer->outer_octets, sizeof expected);
    assert_true(peer_ready(peer, &gb.port));
    peer_put(peer, &gb.port, 100, b);
    peer_put(peer, &gb.port, 100, b);
    assert_int_equal(plain_checksum(b + 14, 20), 0);
    assert_memory_equal(b, expected, sizeof expected);
    assert_int_equal(made.nsvc[2].nse, 1);
    assert_int_equal(made.nsvc[2].weight, 1);
}

static void test_ipv6_headers_of_an_nsvc(void **state)
{
    static const uint8_t expected[] = {
        0x06, 1,    2,    3, 4,    5,    0x02, 0,    0,    0,    0, 0x0b, 0x86, 0xdd, // Ethernet
        0x60, 0,    0,    0, 0x00, 0x6c, 17,   64,                                    // IPv6
        0xfd, 0,    0,    0, 0,    0,    0,    0,    0,    0,    0, 0,    0,    0,
        0,    0x0b, 0xfd, 0, 0,    0,    0,    0,    0,    0,    0, 0,    0,    0,
        0,    0,    0,    9, 0x59, 0xd8, 0x5b, 0xa0, 0x00, 0x6c, // UDP; its checksum comes last
    };
    uint8_t b[PEER_OUTER_OCTETS_MAX];
    (void)state;
    apply_nse(1);
    apply_nsvc(2, 1, (struct ipv6_address){{0xfd, [15] = 9}}, 23456);
    struct peer *peer = &made.nsvc[2].peer;
    assert_int_equal(peer->outer_octets, sizeof expected + 2);
    peer_put(peer, &gb.port, 100, b);
    assert_memory_equal(b, expected, sizeof expected);
}

static void test_bvc_template(void **state)
{
    (void)state;
    apply_nse(2);
    apply_bvc(3, 2, 0x1234);
    assert_int_equal(made.bvc[3].nse, 2);
    assert_memory_equal(made.bvc[3].ns, "\x00\x00\x12\x34", 4);
}

static void test_ms_begins_anew(void **state)
{
    (void)state;
    apply_nse(0);
    apply_bvc(3, 0, 2);
    made.ms_up[4].marks = made.ms_up[4].dropped = 1; // of another
    apply_ms(4, 3, 0xc0001234, 500);
    assert_int_equal(made.ms_up[4].marks, 0);
    assert_int_equal(made.ms_up[4].dropped, 0);
    assert_int_equal(state_counts_of(&made, 4)->drop[3], 0);
    assert_int_equal(made.ms[4].bvc, 3);
    assert_true(made.ms[4].tlli == 0xc0001234);
    assert_int_equal(made.ms[4].options, 0);
    assert_int_equal(made.ms[4].octets, 0);
    assert_false(made.ms[4].enciphered);
    for (int lle = 0; lle < 4; lle++) {
        assert_int_equal(made.ms[4].sent[lle], 0);
        assert_int_equal(sched_ms_n201_u_of(sched, 4, lle), 500);
    }
    assert_true(made.ms_up[4].first_pdp == STATE_NONE);
}

// Best effort (peak 0), data without LLC ACK, acknowledged RLC, and room for the lifetime.
// Precedence is normal, for background low.
static void test_pdp_template(void **state)
{
    static const uint8_t normal[] = {0x00, 0xc0, 0, 0, 7, 0, 0, 0x31, 0x16, 0x82, 0, 0};
    static const uint8_t low[] = {0x00, 0xc0, 0, 0, 8, 0, 0, 0x32, 0x16, 0x82, 0, 0};
    (void)state;
    apply_tree(1, 0xc0000007, 1520, CLASS_STREAMING);
    const struct state_pdp *pdp = apply_pdp(2, 1, 3);
    assert_memory_equal(pdp->bssgp, normal, sizeof normal);
    assert_int_equal(pdp->ms, 1);
    assert_int_equal(pdp->slot, 1);
    assert_int_equal(pdp->nsapi, 6);
    assert_int_equal(pdp->sapi, 3);
    assert_int_equal(pdp->traffic_class, CLASS_STREAMING);
    assert_int_equal(pdp->npdu_number, 4095); // the next one is 0
    apply_tree(2, 0xc0000008, 1520, CLASS_BACKGROUND);
    pdp = apply_pdp(3, 2, 3);
    assert_memory_equal(pdp->bssgp, low, sizeof low);
}

// Each data SAPI has N(U)s of its own.
static void test_saps_have_their_own_lle(void **state)
{
    static const uint8_t sapis[] = {3, 5, 9, 11};
    bool taken[4] = {false};
    (void)state;
    apply_tree(0, 1, 500, CLASS_BACKGROUND);
    for (uint32_t i = 0; i < 4; i++) {
        const struct state_pdp *pdp = apply_pdp(i, 0, sapis[i]);
        assert_int_equal(pdp->sapi, sapis[i]);
        assert_true(pdp->lle < 4);
        assert_false(taken[pdp->lle]);
        taken[pdp->lle] = true;
    }
}

// 16 segment numbers; the first segment has a header of 4 octets, the others of 3.
static void test_largest_npdu(void **state)
{
    static const uint16_t n201_u[] = {140, 500, 1520};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        apply_tree(i, i, n201_u[i], CLASS_BACKGROUND);
        assert_int_equal(apply_pdp(i, i, 3)->npdu_octets_max, n201_u[i] - 4 + 15 * (n201_u[i] - 3));
    }
}

// --- TEIDs ---------------------------------------------------------------------------------------

static void test_teid_finds_its_context(void **state)
{
    (void)state;
    apply_tree(0, 1, 500, 0);
    for (uint32_t id = 0; id < limits.pdps; id += 3) {
        const struct state_pdp *pdp = apply_pdp(id, 0, 3);
        assert_true(pdp->teid == teid_of(id));
        assert_ptr_equal(state_pdp_of_teid(&made, pdp->teid), pdp);
    }
}

static void test_teid_0_is_never_valid(void **state)
{
    (void)state;
    assert_null(state_pdp_of_teid(&made, 0)); // no context yet: the index holds TEID 0
    apply_tree(0, 1, 500, 0);
    apply_pdp(0, 0, 3);
    assert_null(state_pdp_of_teid(&made, 0));
}

static void test_unmade_and_stale_teids_are_unknown(void **state)
{
    (void)state;
    apply_tree(0, 1, 500, 0);
    apply_pdp(4, 0, 3);
    assert_null(state_pdp_of_teid(&made, teid_of(5)));
    for (uint32_t random = 0; random < 64; random++)
        if (random != 1)
            assert_null(state_pdp_of_teid(&made, teid_make(made.teid_bits, 0, random, 4)));
    for (uint32_t worker = 1; worker < 16; worker++)
        assert_null(state_pdp_of_teid(&made, teid_make(made.teid_bits, worker, 1, 4)));
}

static void test_index_beyond_the_limits_is_unknown(void **state)
{
    (void)state;
    apply_tree(0, 1, 500, 0);
    apply_pdp(9, 0, 3);
    assert_non_null(state_pdp_of_teid(&made, teid_make(made.teid_bits, 0, 1, 9)));
    assert_null(state_pdp_of_teid(&made, teid_make(made.teid_bits, 0, 1, 10)));
    assert_null(state_pdp_of_teid(&made, teid_make(made.teid_bits, 0, 1, 15)));
    assert_null(state_pdp_of_teid(&made, 0xffffffff));
    made.limits.pdps = 9;
    assert_null(state_pdp_of_teid(&made, teid_make(made.teid_bits, 0, 1, 9)));
}

static void test_a_removed_context_is_unknown(void **state)
{
    (void)state;
    apply_tree(0, 1, 500, 0);
    apply_pdp(4, 0, 3);
    apply(&(struct command){.op = COMMAND_pdp_remove, .pdp_remove = {4}});
    assert_null(state_pdp_of_teid(&made, teid_of(4)));
}

// Reasons are kept of as many MSs as there are records for, whoever they are; how many were dropped
// is known of all.
static void test_drops_and_their_reasons(void **state)
{
    uint32_t records = state_counts_count(&limits);
    (void)state;
    assert_true(limits.mss >= records + 2);
    apply_nse(0);
    apply_bvc(0, 0, 2);
    for (uint32_t ms = 0; ms < records + 2; ms++) {
        apply_ms(ms, 0, 1000 + ms, 500);
        for (uint32_t i = 0; i <= ms % 3; i++)
            state_count_drop(&made, ms, DROP_expired);
        state_count_drop(&made, ms, DROP_removed);
    }
    for (uint32_t ms = 0; ms < records + 2; ms++) {
        const struct state_ms_counts *counts = state_counts_of(&made, ms);
        assert_int_equal(made.ms_up[ms].dropped, ms % 3 + 2);
        assert_int_equal(counts->drop[STATS_NPDU_expired], ms < records ? ms % 3 + 1 : 0);
        assert_int_equal(counts->drop[STATS_NPDU_removed], ms < records);
    }
    apply(&(struct command){.op = COMMAND_ms_remove, .ms_remove = {5}});
    state_count_drop(&made, records, DROP_aqm_in);
    assert_int_equal(made.ms_up[records].dropped, records % 3 + 3);
    for (uint32_t i = 0; i < STATS_NPDU_DROPS; i++) // nothing of the one that had it before
        assert_int_equal(state_counts_of(&made, records)->drop[i], i == STATS_NPDU_aqm_in);
}

// --- Memory --------------------------------------------------------------------------------------

static void test_octets_hold_all_records(void **state)
{
    const struct state_limits some = {.nses = 4096,
                                      .nsvcs = 16384,
                                      .bvcs = 65536,
                                      .ggsns = 4096,
                                      .mss = 4194304,
                                      .pdps = 4194304};
    struct state_limits with_options = some;
    (void)state;
    with_options.options_octets = 10;
    assert_true(state_octets(&some) >
                some.mss * (uint64_t)(sizeof(struct state_ms) + sizeof(struct state_ms_up)) +
                    some.pdps * (uint64_t)(sizeof(struct state_pdp) + sizeof(struct state_pdp_up)) +
                    some.nsvcs * sizeof(struct state_nsvc) +
                    2 * some.mss * (uint64_t)sizeof(struct names_entry));
    assert_int_equal(state_octets(&with_options) - state_octets(&some), some.mss * 10ULL);
    with_options.mss = 7; // 70 octets: whole lines
    struct state_limits seven = with_options;
    seven.options_octets = 0;
    assert_int_equal(state_octets(&with_options) - state_octets(&seven), 128);
}

// Too little memory: a fault, nothing kept, and a release that frees nothing twice.
static void test_out_of_memory(void **state)
{
    struct state_limits too_many = {
        .nses = 1, .nsvcs = 1, .bvcs = 1, .ggsns = 1, .mss = 1, .pdps = 1u << 30};
    struct state poor, zero = {0};
    (void)state;
    assert_int_equal(state_setup(&poor, 0, &too_many, NULL, NULL), -ENOMEM);
    assert_memory_equal(&poor, &zero, sizeof poor);
    state_release(&poor);
}

#define STATE_TEST(name) cmocka_unit_test_setup_teardown(name, make_state, release_state)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATE_TEST(test_ipv4_headers_of_an_nsvc),
        STATE_TEST(test_ipv6_headers_of_an_nsvc),
        STATE_TEST(test_bvc_template),
        STATE_TEST(test_ms_begins_anew),
        STATE_TEST(test_pdp_template),
        STATE_TEST(test_saps_have_their_own_lle),
        STATE_TEST(test_largest_npdu),
        STATE_TEST(test_drops_and_their_reasons),
        STATE_TEST(test_teid_finds_its_context),
        STATE_TEST(test_teid_0_is_never_valid),
        STATE_TEST(test_unmade_and_stale_teids_are_unknown),
        STATE_TEST(test_index_beyond_the_limits_is_unknown),
        STATE_TEST(test_a_removed_context_is_unknown),
        cmocka_unit_test(test_octets_hold_all_records),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("state/state", tests, eal_fixture_setup,
                                       eal_fixture_teardown);
}
