// The migration of an MS: what arrives is what left, octet for octet, but for the ids that it has
// there and the TEIDs of its contexts, which are the other worker's; where it came from keeps only
// who has it; and without a free migration or room in the ring nothing happens, and it works later.
#include "dataplane/post/post.h"

#include <rte_malloc.h>
#include <rte_ring_elem.h>
#include <string.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/state/tree_fixture.h"
#include "tests/dataplane/sched/check.h"

#define MSS            80u
#define OPTIONS_OCTETS 10u // the room of an MS, and so many it has

static const struct state_limits limits = {.nses = 2,
                                           .nsvcs = 1,
                                           .bvcs = 2,
                                           .ggsns = 1,
                                           .mss = MSS,
                                           .pdps = 2 * MSS,
                                           .workers = 2,
                                           .options_octets = OPTIONS_OCTETS};

// Worker i has NSE i and in it cell i.
static struct side {
    struct state state;
    struct sched *sched;
    struct stats_worker stats;
} at[2];
static struct post posts[2];
static struct rte_mempool *pool;

static void apply(uint32_t worker, const struct command *c)
{
    assert_int_equal(state_apply(&at[worker].state, at[worker].sched, c, 0), 0);
}

static int make(void **state)
{
    (void)state;
    pool = rte_pktmbuf_pool_create("npdus", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
    memset(at, 0, sizeof at);
    for (uint32_t i = 0; i < 2; i++) {
        at[i].sched = tree_fixture_create(&limits);
        if (state_setup(&at[i].state, i, &limits, NULL, NULL))
            return -1;
        apply(i, &(struct command){.op = COMMAND_nse, .nse = {.nse_id = i, .nsei = 1}});
        apply(i, &(struct command){.op = COMMAND_bvc,
                                   .bvc = {.bvc_id = i, .nse_id = i, .bvci = (uint16_t)(2 + i)}});
    }
    memset(posts, 0, sizeof posts);
    return pool ? post_setup(posts, 0, 2) ?: post_setup(posts, 1, 2) : -1;
}

static int release(void **state)
{
    (void)state;
    post_release(posts, 2);
    for (uint32_t i = 0; i < 2; i++) {
        state_release(&at[i].state);
        free(at[i].sched);
    }
    uint32_t held = rte_mempool_in_use_count(pool);
    rte_mempool_free(pool);
    return held != 0;
}

// Worker 1 gives out its ids from the end.
static uint32_t ms_at(uint32_t worker, uint32_t ms)
{
    return worker ? MSS - 1 - ms : ms;
}

static uint32_t pdp_at(uint32_t worker, uint32_t ms, uint32_t slot)
{
    return worker ? 2 * MSS - 1 - (2 * ms + slot) : 2 * ms + slot;
}

static uint32_t teid_at(uint32_t worker, uint32_t ms, uint32_t slot)
{
    return teid_make(teid_bits(2, 2 * MSS), worker, (worker ? 5 : 1) + slot,
                     pdp_at(worker, ms, slot));
}

// At worker 0, with two packet flows and two contexts whose TEIDs name it.
static void make_ms(uint32_t ms)
{
    apply(0, &(struct command){.op = COMMAND_ms,
                               .ms_id = 1000 + ms,
                               .ms = {.ms_id = ms, .bvc_id = 0, .tlli = 100 + ms, .n201_u = 500}});
    for (uint8_t slot = 0; slot < 2; slot++) {
        apply(0, &(struct command){.op = COMMAND_pfc,
                                   .pfc = {.ms_id = ms, .slot = slot, .traffic_class = 2 + slot}});
        apply(0, &(struct command){.op = COMMAND_pdp,
                                   .teid = teid_at(0, ms, slot),
                                   .pdp = {.pdp_id = 2 * ms + slot,
                                           .ms_id = ms,
                                           .slot = slot,
                                           .nsapi = (uint8_t)(5 + slot),
                                           .sapi = 3}});
    }
}

static void put(uint32_t worker, uint32_t ms, uint32_t slot, uint16_t octets)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
    assert_non_null(m);
    memset(rte_pktmbuf_append(m, octets), octets, octets);
    struct pdu pdu = {.buffer = m, .octets = octets, .context = pdp_at(worker, ms, slot)};
    m->hash.usr = teid_at(worker, ms, slot);
    assert_int_equal(sched_put(at[worker].sched, ms_at(worker, ms), slot, &pdu, 0), DROP_NONE);
}

static bool leave(uint32_t from, uint32_t ms)
{
    struct command move = {.op = COMMAND_ms_move,
                           .worker = !from,
                           .homes = from == 0 ? 3 << 5 : 0,
                           .ms_move = {ms_at(from, ms), !from}};
    for (uint32_t slot = 0; slot < 2; slot++)
        move.teid_of[5 + slot] = teid_at(!from, ms, slot);
    return post_migration_send(&posts[from], &at[from].state, at[from].sched, &at[from].stats,
                               &move, 0);
}

static bool take_message(uint32_t to)
{
    struct message message;
    if (posts[to].waiting[!to] || !post_take(&posts[to], !to, &message, 1))
        return false;
    if (message.kind == MESSAGE_MIGRATION)
        posts[to].waiting[!to] = message.migration;
    return true;
}

static bool unpack(uint32_t to, uint32_t ms)
{
    struct command expect = {
        .op = COMMAND_expect, .worker = !to, .expect = {.ms_id = ms_at(to, ms)}};
    for (uint32_t slot = 0; slot < 2; slot++)
        expect.teid_of[5 + slot] = teid_at(to, ms, slot);
    return post_migration_unpack(&posts[to], &at[to].state, at[to].sched, &at[to].stats, &expect,
                                 0);
}

static void expect_queued(uint32_t worker, uint32_t ms, uint64_t packets, uint64_t octets)
{
    struct sched_queued q = sched_ms_queued(at[worker].sched, ms_at(worker, ms));
    assert_int_equal(q.packets, packets);
    assert_int_equal(q.octets, octets);
    assert_null(sched_check(at[worker].sched));
}

// Frees all that is queued for the MS.
static void flush(uint32_t worker, uint32_t ms)
{
    const struct sched_drop *drops;
    assert_int_equal(sched_ms_flush(at[worker].sched, ms_at(worker, ms), DROP_flushed, 0), 0);
    for (uint32_t n = sched_dropped(at[worker].sched, &drops); n > 0; n--) {
        const struct rte_mbuf *m = drops[n - 1].buffer; // it is known whose it was
        const struct state_pdp *pdp = state_pdp_of_teid(&at[worker].state, m->hash.usr);
        assert_int_equal(pdp ? pdp->ms : STATE_NONE, ms_at(worker, ms));
        rte_pktmbuf_free(drops[n - 1].buffer);
    }
}

static void fill_record(uint32_t ms)
{
    struct state *s = &at[0].state;
    memcpy(s->ms[ms].key, "sixteen octets!!", 16);
    s->ms[ms].enciphered = true;
    s->ms[ms].options = OPTIONS_OCTETS;
    s->ms[ms].iov_ui = 0x12345678;
    for (uint32_t lle = 0; lle < STATE_LLES; lle++) {
        s->ms[ms].sent[lle] = 0xfffffff0u + lle;
        s->ms_up[ms].lle[lle] = (struct state_lle_up){70000 + lle, 0xdeadbeef};
    }
    assert_true(state_counts_have(s, ms));
    memset(&s->ms_counts[s->ms_up[ms].counts - 1], 0x33, sizeof s->ms_counts[0]);
    memset(state_options(s, ms), 0x5a, OPTIONS_OCTETS);
    s->pdp[2 * ms].npdu_number = 4000;
    s->pdp[2 * ms].segment = 3;
}

static void what_arrives_is_what_left(void **state)
{
    (void)state;
    make_ms(7);
    fill_record(7);
    for (uint16_t i = 0; i < 6; i++)
        put(0, 7, i % 2, (uint16_t)(100 + i));
    struct state_ms ms = at[0].state.ms[7];
    struct state_ms_up up = at[0].state.ms_up[7];
    struct state_ms_counts counts = *state_counts_of(&at[0].state, 7);
    struct state_pdp pdp[2] = {at[0].state.pdp[14], at[0].state.pdp[15]};
    struct state_pdp_up pdp_up[2] = {at[0].state.pdp_up[14], at[0].state.pdp_up[15]};
    uint8_t options[OPTIONS_OCTETS];
    memcpy(options, state_options(&at[0].state, 7), OPTIONS_OCTETS);
    assert_false(take_message(1) || unpack(1, 7));
    assert_true(leave(0, 7));
    assert_int_equal(state_ms_of(&at[0].state, 0, 107), STATE_NONE);
    for (uint32_t id = 14; id < 16; id++) {
        assert_ptr_equal(state_pdp_of_teid(&at[0].state, pdp[id - 14].teid), &at[0].state.pdp[id]);
        assert_int_equal(at[0].state.pdp[id].ms, STATE_NONE);
        assert_int_equal(at[0].state.pdp[id].elsewhere, teid_at(1, 7, id - 14));
        assert_null(state_pdp_of_teid(&at[1].state, pdp[id - 14].teid));
    }
    assert_int_equal(sched_queued(at[0].sched).packets, 0);
    assert_false(unpack(1, 7)); // it is still on its way
    assert_true(take_message(1));
    assert_true(unpack(1, 7));
    uint32_t there = ms_at(1, 7);
    ms.bvc = 1;
    up.first_pdp = pdp_at(1, 7, 1);
    assert_memory_equal(&at[1].state.ms[there], &ms, sizeof ms);
    assert_memory_equal(&at[1].state.ms_up[there], &up, sizeof up);
    assert_int_equal(up.id, 1007);
    assert_memory_equal(state_counts_of(&at[1].state, there), &counts, sizeof counts);
    for (uint32_t slot = 0; slot < 2; slot++) {
        pdp[slot].teid = teid_at(1, 7, slot);
        pdp[slot].ms = there;
        pdp_up[slot].next = slot ? pdp_at(1, 7, 0) : STATE_NONE;
        uint32_t id = pdp_at(1, 7, slot);
        assert_memory_equal(&at[1].state.pdp[id], &pdp[slot], sizeof pdp[0]);
        assert_memory_equal(&at[1].state.pdp_up[id], &pdp_up[slot], sizeof pdp_up[0]);
    }
    assert_memory_equal(state_options(&at[1].state, there), options, OPTIONS_OCTETS);
    assert_int_equal(*state_options(&at[1].state, there + 1), 0); // another MS's
    assert_int_equal(state_ms_of(&at[1].state, 1, 107), there);
    expect_queued(1, 7, 6, 615);
    for (int slot = 0; slot < 2; slot++) {
        assert_int_equal(at[0].stats.of_class[2 + slot].moved_out_packets, 3);
        assert_int_equal(at[1].stats.of_class[2 + slot].moved_in_packets, 3);
        assert_int_equal(at[1].stats.of_class[2 + slot].moved_in_octets, slot ? 309 : 306);
    }
    assert_false(unpack(1, 7));
    flush(1, 7);
}

// Its GGSN sends to worker 0, so worker 1 forgets its contexts.
static void and_back(void **state)
{
    (void)state;
    make_ms(7);
    uint32_t teid = at[0].state.pdp[14].teid;
    assert_true(leave(0, 7) && take_message(1) && unpack(1, 7));
    put(1, 7, 0, 100);
    assert_true(leave(1, 7) && take_message(0) && unpack(0, 7));
    for (uint32_t slot = 0; slot < 2; slot++)
        assert_null(state_pdp_of_teid(&at[1].state, teid_at(1, 7, slot)));
    assert_int_equal(state_pdp_of_teid(&at[0].state, teid)->ms, 7);
    assert_int_equal(state_ms_of(&at[0].state, 0, 107), 7);
    assert_int_equal(state_ms_of(&at[1].state, 1, 107), STATE_NONE);
    expect_queued(0, 7, 1, 100);
    assert_int_equal(at[0].stats.commands_refused + at[1].stats.commands_refused, 0);
    flush(0, 7);
}

static void expect_untouched(uint32_t ms)
{
    assert_int_equal(state_ms_of(&at[0].state, 0, 100 + ms), ms);
    assert_int_equal(at[0].state.pdp[2 * ms].ms, ms);
    expect_queued(0, ms, 1, 100);
}

static void no_migration_is_free(void **state)
{
    (void)state;
    rte_free(posts[0].migrations); // one more follows, which is free, and not the worker's
    posts[0].migrations =
        rte_calloc("migrations", POST_MIGRATIONS + 1, sizeof(struct migration), 64);
    assert_non_null(posts[0].migrations);
    for (uint32_t ms = 0; ms <= POST_MIGRATIONS; ms++)
        make_ms(ms);
    put(0, POST_MIGRATIONS, 0, 100);
    for (uint32_t ms = 0; ms < POST_MIGRATIONS; ms++)
        assert_true(leave(0, ms));
    assert_false(leave(0, POST_MIGRATIONS));
    expect_untouched(POST_MIGRATIONS);
    assert_true(take_message(1));
    assert_false(leave(0, POST_MIGRATIONS));
    posts[0].news = posts[1].news = false;
    assert_true(unpack(1, 0));
    assert_true(posts[1].news); // who waits for a migration has one now
    assert_int_equal(state_ms_of(&at[1].state, 1, 100), ms_at(1, 0));
    assert_true(leave(0, POST_MIGRATIONS));
    assert_true(posts[0].news);
    for (uint32_t ms = 1; take_message(1); ms++)
        assert_true(unpack(1, ms));
    expect_queued(1, POST_MIGRATIONS, 1, 100);
    flush(1, POST_MIGRATIONS);
}

static void no_place_in_the_ring(void **state)
{
    struct message message = {.kind = MESSAGE_NEIGHBOUR};
    (void)state;
    make_ms(0);
    put(0, 0, 0, 100);
    for (uint32_t i = 0; i < POST_MESSAGES; i++)
        rte_ring_enqueue_elem(posts[0].to[1], &message, sizeof message);
    assert_false(leave(0, 0));
    expect_untouched(0);
    assert_int_equal(at[0].stats.of_class[2].moved_out_packets, 0);
    assert_true(take_message(1));
    assert_true(leave(0, 0));
    for (uint32_t i = 0; i < POST_MESSAGES - 1; i++)
        assert_true(take_message(1));
    assert_true(unpack(1, 0));
    expect_queued(1, 0, 1, 100);
    flush(1, 0);
}

// Nothing but the table's size refuses: what has no place is dropped and counted there, as its
// class's, its MS's and its cell's.
static void no_room_where_it_comes(void **state)
{
    (void)state;
    make_ms(0);
    make_ms(1);
    for (uint16_t i = 0; i < 10; i++)
        put(0, 0, i % 2, 100);
    assert_true(leave(0, 1) && take_message(1) && unpack(1, 1));
    for (uint32_t i = 0; i < 4096 - 3; i++) {
        struct pdu pdu = {.octets = 1};
        assert_int_equal(sched_put(at[1].sched, ms_at(1, 1), 0, &pdu, 0), DROP_NONE);
    }
    assert_true(leave(0, 0) && take_message(1) && unpack(1, 0));
    expect_queued(1, 0, 3, 300);
    uint64_t in = 0, dropped = 0;
    for (int class = 0; class < CLASS_COUNT; class ++) {
        in += at[1].stats.of_class[class].moved_in_octets;
        dropped += at[1].stats.of_class[class].drop[DROP_queue_full].octets;
    }
    assert_int_equal(in, 1000);
    assert_int_equal(dropped, 700);
    assert_int_equal(state_counts_of(&at[1].state, ms_at(1, 0))->drop[STATS_NPDU_queue_full], 7);
    assert_int_equal(at[1].state.bvc[1].drop[STATS_NPDU_queue_full], 7);
    flush(1, 0);
}

// What waits of a context that has been removed is nobody's there as well, whoever has its place.
static void what_is_nobodys_stays_so(void **state)
{
    (void)state;
    make_ms(7);
    put(0, 7, 0, 100);
    put(0, 7, 1, 101);
    apply(0, &(struct command){.op = COMMAND_pdp_remove, .pdp_remove = {pdp_at(0, 7, 0)}});
    assert_true(leave(0, 7) && take_message(1) && unpack(1, 7));
    struct sched_queued q = sched_ms_queued(at[1].sched, ms_at(1, 7));
    assert_int_equal(q.packets, 2);
    const struct sched_drop *drops;
    assert_int_equal(sched_ms_flush(at[1].sched, ms_at(1, 7), DROP_flushed, 0), 0);
    assert_int_equal(sched_dropped(at[1].sched, &drops), 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct rte_mbuf *m = drops[i].buffer;
        bool is_gone = drops[i].octets == 100;
        assert_int_equal(m->hash.usr, is_gone ? TEID_NOBODYS : teid_at(1, 7, 1));
        assert_int_equal(state_pdp_of_teid(&at[1].state, m->hash.usr) == NULL, is_gone);
        rte_pktmbuf_free(m);
    }
}

static void the_end_on_the_way(void **state)
{
    (void)state;
    make_ms(0);
    for (uint16_t i = 0; i < 10; i++)
        put(0, 0, 1, 100);
    assert_true(leave(0, 0) && take_message(1));
    post_migration_drop(posts[1].waiting[0], &at[1].stats);
    assert_int_equal(at[1].stats.of_class[3].moved_in_packets, 10);
    assert_int_equal(at[1].stats.of_class[3].moved_in_octets, 1000);
    assert_int_equal(at[1].stats.of_class[3].drop[DROP_shutdown].packets, 10);
    assert_int_equal(at[1].stats.of_class[3].drop[DROP_shutdown].octets, 1000);
}

// An internal error is not silent: the worker whose scheduler refuses counts it.
static void a_scheduler_that_refuses(void **state)
{
    (void)state;
    make_ms(7);
    assert_int_equal(sched_ms_remove(at[0].sched, 7, DROP_removed, 0), 0);
    assert_true(leave(0, 7));
    assert_int_equal(at[0].stats.commands_refused, 1);
    assert_true(take_message(1) && unpack(1, 7)); // nothing that a scheduler would add
    assert_int_equal(at[1].stats.commands_refused, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_arrives_is_what_left, make, release),
        cmocka_unit_test_setup_teardown(and_back, make, release),
        cmocka_unit_test_setup_teardown(no_migration_is_free, make, release),
        cmocka_unit_test_setup_teardown(no_place_in_the_ring, make, release),
        cmocka_unit_test_setup_teardown(no_room_where_it_comes, make, release),
        cmocka_unit_test_setup_teardown(what_is_nobodys_stays_so, make, release),
        cmocka_unit_test_setup_teardown(the_end_on_the_way, make, release),
        cmocka_unit_test_setup_teardown(a_scheduler_that_refuses, make, release),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
