// Finding MSs, cells and NS-VCs by what the wire says: a name means something within its NSE, goes
// with a move, ends with its owner and may then be another's; and the tables by name hold as many
// as the limits say, whatever the names are.
#include "dataplane/state/state.h"

#include <rte_hash.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/ports_fixture.h"
#include "tests/dataplane/random.h"
#include "tests/dataplane/state/tree_fixture.h"

#define NSES  3u
#define NSVCS 40u
#define BVCS  20u
#define MSS   300u

static const struct state_limits limits = {
    .nses = NSES, .nsvcs = NSVCS, .bvcs = BVCS, .ggsns = 1, .mss = MSS, .pdps = 20};

static struct ports_fixture gn, gb;
static struct state made;
static struct sched *sched;

static void apply(const struct command *c)
{
    assert_int_equal(state_apply(&made, sched, c, 0), 0);
}
#define APPLY(op_, ...) \
    apply(&(struct command){.op = COMMAND_##op_, .op_ = (struct command_##op_){__VA_ARGS__}})

static int make_state(void **state)
{
    (void)state;
    sched = tree_fixture_create(&limits);
    ports_fixture_open(&gn, "gn", 1, 1, 2152);
    ports_fixture_open(&gb, "gb", 2, 2, 23000);
    assert_int_equal(state_setup(&made, 0, &limits, &gn.port, &gb.port), 0);
    for (uint32_t nse = 0; nse < NSES; nse++)
        APPLY(nse, .nse_id = nse);
    return 0;
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

#define ADD_BVC(id, nse, name)    APPLY(bvc, .bvc_id = id, .nse_id = nse, .bvci = name)
#define ADD_MS(id, cell, name)    APPLY(ms, .ms_id = id, .bvc_id = cell, .tlli = name, .n201_u = 500)
#define EXPECT_MS(nse, name, id)  assert_true(state_ms_of(&made, nse, name) == (id))
#define EXPECT_BVC(nse, name, id) assert_true(state_bvc_of(&made, nse, name) == (id))

static struct state_endpoint endpoint(struct ipv6_address address, uint16_t udp_port)
{
    return (struct state_endpoint){address, udp_port};
}

static uint32_t nsvc_at(struct ipv6_address address, uint16_t udp_port)
{
    struct state_endpoint e = endpoint(address, udp_port);
    return state_nsvc_of(&made, &e);
}

static void add_nsvc(uint32_t id, uint32_t nse, struct ipv6_address address, uint16_t udp_port)
{
    APPLY(nsvc, .nsvc_id = id, .nse_id = nse, .peer_address = address, .peer_port = udp_port,
          .has_peer_mac = true, .peer_mac = {{2, 0, 0, 0, 0, 9}}, .weight = 1);
}

static void test_nobody_is_there_at_first(void **state)
{
    (void)state;
    EXPECT_MS(0, 0, STATE_NONE);
    EXPECT_BVC(0, 0, STATE_NONE);
    assert_true(nsvc_at((struct ipv6_address){{0}}, 0) == STATE_NONE);
}

// One TLLI, or BVCI, in two NSEs are two; a TLLI is no BVCI.
static void test_names_are_their_nses(void **state)
{
    (void)state;
    ADD_BVC(4, 0, 2);
    ADD_BVC(5, 1, 2);
    ADD_BVC(6, 1, 3);
    ADD_MS(7, 4, 2);
    ADD_MS(8, 6, 2);
    ADD_MS(0, 6, 0xffffffff);
    EXPECT_BVC(0, 2, 4);
    EXPECT_BVC(1, 2, 5);
    EXPECT_BVC(1, 3, 6);
    EXPECT_BVC(0, 3, STATE_NONE);
    EXPECT_BVC(2, 2, STATE_NONE);
    EXPECT_MS(0, 2, 7);
    EXPECT_MS(1, 2, 8);
    EXPECT_MS(1, 0xffffffff, 0);
    EXPECT_MS(0, 0xffffffff, STATE_NONE);
    EXPECT_MS(1, 3, STATE_NONE);
    EXPECT_MS(2, 2, STATE_NONE);
}

static void test_another_tlli(void **state)
{
    (void)state;
    ADD_BVC(0, 0, 2);
    ADD_MS(1, 0, 0xc0000001);
    APPLY(pfc, .ms_id = 1);
    for (uint32_t pdp = 0; pdp < 3; pdp++)
        apply(&(struct command){
            .op = COMMAND_pdp,
            .teid = teid_make(made.teid_bits, 0, 1, pdp),
            .pdp = {.pdp_id = pdp, .ms_id = 1, .nsapi = (uint8_t)(5 + pdp), .sapi = 3}});
    APPLY(ms_tlli, .ms_id = 1, .tlli = 0xc0000002);
    EXPECT_MS(0, 0xc0000001, 1); // until it is heard under the new one
    EXPECT_MS(0, 0xc0000002, 1);
    assert_true(made.ms[1].tlli == 0xc0000002);
    for (uint32_t pdp = 0; pdp < 3; pdp++) // each context's frames say it
        assert_memory_equal(made.pdp[pdp].bssgp, "\x00\xc0\x00\x00\x02", 5);
    APPLY(ms_tlli, .ms_id = 1, .tlli = 0xc0000002); // the same again: the old one ends
    EXPECT_MS(0, 0xc0000001, STATE_NONE);
    EXPECT_MS(0, 0xc0000002, 1);
    ADD_MS(2, 0, 0xc0000001); // what it had may be another's
    EXPECT_MS(0, 0xc0000001, 2);
    EXPECT_MS(0, 0xc0000002, 1);
}

static void test_the_old_tlli(void **state)
{
    (void)state;
    ADD_BVC(0, 0, 2);
    ADD_BVC(1, 1, 2);
    ADD_MS(1, 0, 1);
    APPLY(ms_tlli, .ms_id = 1, .tlli = 2);
    state_ms_heard(&made, 1, 1, 0); // it says nothing of the new one
    EXPECT_MS(0, 1, 1);
    state_ms_heard(&made, 1, 2, 0);
    EXPECT_MS(0, 1, STATE_NONE);
    APPLY(ms_tlli, .ms_id = 1, .tlli = 3);
    APPLY(ms_tlli, .ms_id = 1, .tlli = 2); // back
    EXPECT_MS(0, 3, 1);
    APPLY(ms_tlli, .ms_id = 1, .tlli = 4);
    EXPECT_MS(0, 3, STATE_NONE);
    EXPECT_MS(0, 2, 1);
    APPLY(ms_move, 1, 1);
    EXPECT_MS(0, 2, STATE_NONE);
    EXPECT_MS(0, 4, STATE_NONE);
    EXPECT_MS(1, 2, STATE_NONE);
    EXPECT_MS(1, 4, 1);
    APPLY(ms_tlli, .ms_id = 1, .tlli = 5);
    APPLY(ms_remove, 1);
    EXPECT_MS(1, 4, STATE_NONE);
    EXPECT_MS(1, 5, STATE_NONE);
}

static void test_a_move_within_an_nse_keeps_the_name(void **state)
{
    (void)state;
    ADD_BVC(0, 0, 2);
    ADD_BVC(1, 0, 3);
    ADD_MS(5, 0, 77);
    APPLY(ms_move, 5, 1);
    EXPECT_MS(0, 77, 5);
    assert_int_equal(made.ms[5].bvc, 1);
    APPLY(ms_move, 5, 1);
    EXPECT_MS(0, 77, 5);
}

static void test_a_move_to_another_nse_takes_the_name_along(void **state)
{
    (void)state;
    ADD_BVC(0, 0, 2);
    ADD_BVC(1, 1, 2);
    ADD_MS(5, 0, 77);
    APPLY(ms_move, 5, 1);
    EXPECT_MS(0, 77, STATE_NONE);
    EXPECT_MS(1, 77, 5);
    ADD_MS(6, 0, 77);
    EXPECT_MS(0, 77, 6);
    EXPECT_MS(1, 77, 5);
    APPLY(ms_remove, 5);
    EXPECT_MS(0, 77, 6);
    EXPECT_MS(1, 77, STATE_NONE);
}

static void test_removal_ends_a_name(void **state)
{
    (void)state;
    ADD_BVC(3, 0, 2);
    ADD_MS(5, 3, 77);
    APPLY(ms_remove, 5);
    EXPECT_MS(0, 77, STATE_NONE);
    APPLY(bvc_remove, 3);
    EXPECT_BVC(0, 2, STATE_NONE);
    ADD_BVC(3, 1, 9); // the ids again, under other names
    ADD_MS(5, 3, 78);
    EXPECT_BVC(0, 2, STATE_NONE);
    EXPECT_BVC(1, 9, 3);
    EXPECT_MS(0, 77, STATE_NONE);
    EXPECT_MS(1, 77, STATE_NONE);
    EXPECT_MS(1, 78, 5);
}

// A cell with an MS stays, and keeps its name.
static void test_a_refused_removal_keeps_the_name(void **state)
{
    (void)state;
    ADD_BVC(3, 0, 2);
    ADD_MS(5, 3, 77);
    assert_int_not_equal(state_apply(&made, sched,
                                     &(struct command){.op = COMMAND_bvc_remove, .bvc_remove = {3}},
                                     0),
                         0);
    EXPECT_BVC(0, 2, 3);
}

static void test_endpoints(void **state)
{
    const struct ipv6_address v4 = address_of_ipv4(0x0a000001), other = address_of_ipv4(0x0a000002),
                              v6 = {{0xfd, [15] = 9}};
    (void)state;
    add_nsvc(4, 0, v4, 23000);
    add_nsvc(5, 1, v4, 23001);
    add_nsvc(6, 1, v6, 23000);
    assert_int_equal(nsvc_at(v4, 23000), 4);
    assert_int_equal(nsvc_at(v4, 23001), 5);
    assert_int_equal(nsvc_at(v6, 23000), 6);
    assert_true(nsvc_at(other, 23000) == STATE_NONE);
    assert_true(nsvc_at(v4, 23002) == STATE_NONE);
    assert_true(nsvc_at(v6, 23001) == STATE_NONE);
    assert_int_equal(made.nsvc[5].nse, 1);
    APPLY(nsvc_remove, 4);
    assert_true(nsvc_at(v4, 23000) == STATE_NONE);
    assert_int_equal(nsvc_at(v4, 23001), 5);
    add_nsvc(4, 2, other, 23000);
    assert_int_equal(nsvc_at(other, 23000), 4);
    assert_true(nsvc_at(v4, 23000) == STATE_NONE);
    add_nsvc(7, 0, v4, 23000);
    assert_int_equal(nsvc_at(v4, 23000), 7);
}

// It is known by its endpoint, so that its frames find their way; nothing is sent over it.
static void test_another_workers_nsvc_is_known_and_not_used(void **state)
{
    const struct ipv6_address v4 = address_of_ipv4(0x0a000001);
    (void)state;
    apply(&(struct command){
        .op = COMMAND_nsvc,
        .worker = 3,
        .nsvc = {.nsvc_id = 4, .nse_id = 1, .peer_address = v4, .peer_port = 9, .weight = 1}});
    assert_int_equal(nsvc_at(v4, 9), 4);
    assert_int_equal(made.nsvc[4].worker, 3);
    assert_true(state_link(&made.nse[1], 7) == STATE_NONE);
    add_nsvc(5, 1, v4, 10);
    assert_int_equal(made.nsvc[5].worker, 0);
    assert_int_equal(state_link(&made.nse[1], 7), 5);
    APPLY(nsvc_remove, 4);
    assert_true(nsvc_at(v4, 9) == STATE_NONE);
    assert_int_equal(state_link(&made.nse[1], 7), 5);
}

// As many cells, MSs and NS-VCs as the limits say, and each MS under two TLLIs.
static void test_full_tables(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < BVCS; i++)
        ADD_BVC(i, i % NSES, (uint16_t)(2 + i / NSES));
    for (uint32_t i = 0; i < MSS; i++)
        ADD_MS(i, i % BVCS, 0x80000000 + i * 0x10000);
    for (uint32_t i = 0; i < MSS; i++)
        APPLY(ms_tlli, .ms_id = i, .tlli = 0xc0000000 + i * 0x10000);
    for (uint32_t i = 0; i < NSVCS; i++)
        add_nsvc(i, i % NSES, address_of_ipv4(0x0a000000 + i * 256), (uint16_t)(1 + i * 64));
    for (uint32_t i = 0; i < BVCS; i++)
        EXPECT_BVC(i % NSES, (uint16_t)(2 + i / NSES), i);
    for (uint32_t i = 0; i < MSS; i++) {
        EXPECT_MS(i % BVCS % NSES, 0x80000000 + i * 0x10000, i);
        EXPECT_MS(i % BVCS % NSES, 0xc0000000 + i * 0x10000, i);
    }
    for (uint32_t i = 0; i < NSVCS; i++)
        assert_int_equal(nsvc_at(address_of_ipv4(0x0a000000 + i * 256), (uint16_t)(1 + i * 64)), i);
}

// Any moves, other TLLIs, removals and additions, against a plain list; no old TLLI: the same.
static void test_any_sequence(void **state)
{
    struct {
        bool there;
        uint32_t bvc, tlli, old;
    } plain[MSS] = {0};
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < BVCS; i++)
        ADD_BVC(i, i % NSES, (uint16_t)(2 + i));
    for (int i = 0; i < 100000; i++) {
        uint32_t ms = (uint32_t)random_next() % MSS, bvc = (uint32_t)random_next() % BVCS;
        uint32_t tlli = (uint32_t)random_next() % 2000, from = plain[ms].bvc % NSES,
                 to = bvc % NSES;
        uint32_t owner_there = state_ms_of(&made, to, tlli);
        if (!plain[ms].there) {
            if (owner_there != STATE_NONE)
                continue;
            ADD_MS(ms, bvc, tlli);
            plain[ms].there = true;
            plain[ms].bvc = bvc;
            plain[ms].tlli = plain[ms].old = tlli;
        } else if (i % 3 == 0 && state_ms_of(&made, from, tlli) == STATE_NONE) {
            APPLY(ms_tlli, .ms_id = ms, .tlli = tlli);
            plain[ms].old = plain[ms].tlli;
            plain[ms].tlli = tlli;
        } else if (i % 3 == 1 &&
                   (from == to || state_ms_of(&made, to, plain[ms].tlli) == STATE_NONE)) {
            APPLY(ms_move, ms, bvc);
            plain[ms].bvc = bvc;
            if (from != to)
                plain[ms].old = plain[ms].tlli;
        } else if (i % 9 == 5) {
            state_ms_heard(&made, ms, plain[ms].tlli, 0);
            plain[ms].old = plain[ms].tlli;
        } else if (i % 9 == 2) {
            APPLY(ms_remove, ms);
            plain[ms].there = false;
            EXPECT_MS(from, plain[ms].tlli, STATE_NONE);
        }
        for (uint32_t m = 0; i % 100 == 0 && m < MSS; m++)
            if (plain[m].there) {
                EXPECT_MS(plain[m].bvc % NSES, plain[m].tlli, m);
                EXPECT_MS(plain[m].bvc % NSES, plain[m].old, m);
            }
        if (owner_there != STATE_NONE && owner_there != ms)
            assert_true(plain[owner_there].there && plain[owner_there].bvc % NSES == to &&
                        (plain[owner_there].tlli == tlli || plain[owner_there].old == tlli));
    }
    uint32_t named = BVCS;
    for (uint32_t m = 0; m < MSS; m++)
        named += plain[m].there + (plain[m].there && plain[m].old != plain[m].tlli);
    assert_int_equal(state_names_in_use(&made.name[0]) + state_names_in_use(&made.name[1]), named);
}

// --- A table alone -------------------------------------------------------------------------------

// Fills it, empties half of it, fills it again: every key is taken, whatever the keys are.
static void fill(uint32_t entries, uint32_t step)
{
    struct rte_hash *hash = state_hash("filled", 0, entries, sizeof(struct state_endpoint));
    void *at;
    assert_non_null(hash);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < entries; i++) {
            struct state_endpoint key = {.udp_port = i * step};
            if (rte_hash_add_key_data(hash, &key, (void *)(uintptr_t)(i + round)) != 0)
                fail_msg("key %u of %u was refused", i, entries);
        }
        for (uint32_t i = 0; i < entries; i++) {
            struct state_endpoint key = {.udp_port = i * step};
            assert_true(rte_hash_lookup_data(hash, &key, &at) >= 0);
            assert_int_equal((uintptr_t)at, i + round);
            if (i % 2 == round % 2)
                assert_true(rte_hash_del_key(hash, &key) >= 0);
        }
    }
    rte_hash_free(hash);
}

static void test_a_table_takes_as_many_as_it_is_made_for(void **state)
{
    (void)state;
    for (uint32_t entries = 1; entries < 50000; entries = entries * 3 + 1)
        for (uint32_t kind = 0; kind < 3; kind++)
            fill(entries, kind == 0 ? 1 : kind == 1 ? 1u << 16 : 0x9e3779b1u);
    fill(65536, 1u << 16);
}

#define FIND_TEST(name) cmocka_unit_test_setup_teardown(name, make_state, release_state)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIND_TEST(test_nobody_is_there_at_first),
        FIND_TEST(test_names_are_their_nses),
        FIND_TEST(test_another_tlli),
        FIND_TEST(test_the_old_tlli),
        FIND_TEST(test_a_move_within_an_nse_keeps_the_name),
        FIND_TEST(test_a_move_to_another_nse_takes_the_name_along),
        FIND_TEST(test_removal_ends_a_name),
        FIND_TEST(test_a_refused_removal_keeps_the_name),
        FIND_TEST(test_endpoints),
        FIND_TEST(test_another_workers_nsvc_is_known_and_not_used),
        FIND_TEST(test_full_tables),
        FIND_TEST(test_any_sequence),
        cmocka_unit_test(test_a_table_takes_as_many_as_it_is_made_for),
    };
    return cmocka_run_group_tests_name("state/state_find", tests, eal_fixture_setup,
                                       eal_fixture_teardown);
}
