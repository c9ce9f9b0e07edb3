// What commands leave behind: templates, read octet by octet, and which TEIDs find a context.
#include "dataplane/state/state.h"

#include <errno.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/random.h"
#include "tests/dataplane/state/tree_fixture.h"
#include "tests/dataplane/wire/judge.h"

static const struct state_limits limits = {.nses = 3, .bvcs = 4, .mss = 5, .pdps = 10};
static const struct state_gb gb = {
    .mac = {{0x02, 0, 0, 0, 0, 0x0b}}, .address = 0xc0000201, .port = 23000};

static struct state made;
static struct sched *sched;

static int make_state(void **state)
{
    (void)state;
    sched = tree_fixture_create(&limits);
    return state_setup(&made, 0, &limits, &gb);
}

static int release_state(void **state)
{
    (void)state;
    state_release(&made);
    free(sched);
    return 0;
}

static void apply(const struct command *c)
{
    assert_int_equal(state_apply(&made, sched, c, 0), 0);
}

static uint32_t teid_of(uint32_t id)
{
    return teid_make(0, 1, id);
}

static void apply_nse(uint32_t id, uint32_t address, uint16_t port)
{
    apply(&(struct command){.op = COMMAND_nse,
                            .nse = {.nse_id = id,
                                    .nsei = 100,
                                    .peer_address = address,
                                    .peer_port = port,
                                    .peer_mac = {{0x06, 1, 2, 3, 4, 5}}}});
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
    apply_nse(id, 1, 1);
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

static void test_outer_template(void **state)
{
    // to the BSS, from us; then IPv4 without length, id and checksum; then UDP
    static const uint8_t expected[] = {
        0x06, 1,    2,    3,    4,    5,    0x02, 0,    0,    0,    0,    0x0b,
        0x08, 0x00,                                                             // Ethernet
        0x45, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x11, 0x00, 0x00, // IPv4
        0xc0, 0x00, 0x02, 0x01, 0x0a, 0x14, 0x1e, 0x28,                         //
        0x59, 0xd8, 0x5b, 0xa0,                                                 // UDP
    };
    (void)state;
    apply_nse(1, 0x0a141e28, 23456);
    assert_memory_equal(made.nse[1].outer, expected, sizeof expected);
    assert_int_equal(made.nse[1].outer[40], 0); // no UDP checksum
    assert_int_equal(made.nse[1].outer[41], 0);
    assert_int_equal(made.nse[1].ip_id, 0);
}

// The sum kept for the IPv4 header plus what a frame adds makes the checksum of the whole header.
static void test_kept_sum_makes_the_checksum(void **state)
{
    uint8_t header[20];
    (void)state;
    random_begin();
    for (int i = 0; i < 1000; i++) {
        uint16_t octets = (uint16_t)random_next(), id = (uint16_t)random_next();
        apply_nse(2, (uint32_t)random_next(), 23000);
        apply(&(struct command){.op = COMMAND_nse_remove, .nse_remove = {2}});
        memcpy(header, made.nse[2].outer + 14, sizeof header);
        header[2] = (uint8_t)(octets >> 8);
        header[3] = (uint8_t)octets;
        header[4] = (uint8_t)(id >> 8);
        header[5] = (uint8_t)id;
        uint32_t sum = made.nse[2].ip_sum + octets + id;
        while (sum > 0xffff)
            sum = (sum & 0xffff) + (sum >> 16);
        assert_int_equal(sum ^ 0xffff, plain_checksum(header, sizeof header));
    }
}

static void test_bvc_template(void **state)
{
    (void)state;
    apply_nse(2, 1, 1);
    apply_bvc(3, 2, 0x1234);
    assert_int_equal(made.bvc[3].nse, 2);
    assert_memory_equal(made.bvc[3].ns, "\x00\x00\x12\x34", 4);
}

static void test_ms_begins_anew(void **state)
{
    (void)state;
    apply_nse(0, 1, 1);
    apply_bvc(3, 0, 2);
    apply_ms(4, 3, 0xc0001234, 500);
    assert_int_equal(made.ms[4].bvc, 3);
    assert_true(made.ms[4].tlli == 0xc0001234);
    assert_int_equal(made.ms[4].n201_u, 500);
    for (int lle = 0; lle < 4; lle++)
        assert_int_equal(made.ms[4].sent[lle], 0);
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

// Worker 4 bits, generation 6, index 22; the first generation is 1.
static void test_teid_bits(void **state)
{
    (void)state;
    assert_true(teid_make(0, 1, 0) == 0x00400000);
    assert_true(teid_make(15, 63, 0x3fffff) == 0xffffffff);
    assert_true(teid_make(2, 0, 5) == 0x20000005);
    assert_int_equal(teid_index(0xffffffff), 0x3fffff);
    assert_int_equal(teid_index(0x00400007), 7);
    assert_int_equal(teid_generation(0x00400007), 1);
    assert_int_equal(teid_generation(0xffffffff), 63);
}

// 1 to 63 and round; 0 is what an index has that was never given.
static void test_generations_go_round(void **state)
{
    (void)state;
    for (uint32_t generation = 0; generation < 63; generation++)
        assert_int_equal(teid_generation_after(generation), generation + 1);
    assert_int_equal(teid_generation_after(63), 1);
}

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
    for (uint32_t generation = 0; generation < 64; generation++)
        if (generation != 1)
            assert_null(state_pdp_of_teid(&made, teid_make(0, generation, 4)));
    for (uint32_t worker = 1; worker < 16; worker++)
        assert_null(state_pdp_of_teid(&made, teid_make(worker, 1, 4)));
}

static void test_index_beyond_the_limits_is_unknown(void **state)
{
    (void)state;
    apply_tree(0, 1, 500, 0);
    apply_pdp(9, 0, 3);
    assert_non_null(state_pdp_of_teid(&made, teid_make(0, 1, 9)));
    assert_null(state_pdp_of_teid(&made, teid_make(0, 1, 10)));
    assert_null(state_pdp_of_teid(&made, teid_make(0, 1, 0x3fffff)));
    assert_null(state_pdp_of_teid(&made, 0xffffffff));
    made.limits.pdps = 9;
    assert_null(state_pdp_of_teid(&made, teid_make(0, 1, 9)));
}

static void test_a_removed_context_is_unknown(void **state)
{
    (void)state;
    apply_tree(0, 1, 500, 0);
    apply_pdp(4, 0, 3);
    apply(&(struct command){.op = COMMAND_pdp_remove, .pdp_remove = {4}});
    assert_null(state_pdp_of_teid(&made, teid_of(4)));
}

// --- Memory --------------------------------------------------------------------------------------

static void test_octets_hold_all_records(void **state)
{
    (void)state;
    uint64_t one = state_octets(&(struct state_limits){1, 1, 1, 1});
    assert_true(one >= sizeof(struct state_nse) + sizeof(struct state_bvc) +
                           sizeof(struct state_ms) + sizeof(struct state_pdp));
    assert_true(state_octets(&(struct state_limits){4096, 65536, 4194304, 4194304}) >
                4194304 * (uint64_t)(sizeof(struct state_ms) + sizeof(struct state_pdp)));
}

// Too little memory: a fault, nothing kept, and a release that frees nothing twice.
static void test_out_of_memory(void **state)
{
    struct state_limits too_many = {.nses = 1, .bvcs = 1, .mss = 1, .pdps = 1u << 30};
    struct state poor;
    (void)state;
    assert_int_equal(state_setup(&poor, 0, &too_many, &gb), -ENOMEM);
    assert_null(poor.nse);
    assert_null(poor.bvc);
    assert_null(poor.ms);
    assert_null(poor.pdp);
    state_release(&poor);
}

#define STATE_TEST(name) cmocka_unit_test_setup_teardown(name, make_state, release_state)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATE_TEST(test_outer_template),
        STATE_TEST(test_kept_sum_makes_the_checksum),
        STATE_TEST(test_bvc_template),
        STATE_TEST(test_ms_begins_anew),
        STATE_TEST(test_pdp_template),
        STATE_TEST(test_saps_have_their_own_lle),
        STATE_TEST(test_largest_npdu),
        STATE_TEST(test_teid_bits),
        cmocka_unit_test(test_generations_go_round),
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
