// A worker's room: ids there are its own, so a worker has memory for its part of the MSs and PDP
// contexts alone. What would need one more than it has room for is refused, and nothing has
// happened; the worker that a context's TEID names keeps that context's place while it is away.
#include "tests/dataplane/path/path.h"
#include "tests/dataplane/sched/check.h"

#include <errno.h>

#include "dataplane/dataplane_parts.h"

#define ROOM_MSS  3u
#define ROOM_PDPS 4u

// Two workers; cell 0 and NSE 0 are worker 0's, cell 1 and NSE 1 worker 1's.
static void open_two(void)
{
    struct dp_config c = path_small_config(16, 16);
    c.workers = c.nses = 2;
    c.worker_mss = ROOM_MSS;
    c.worker_pdps = ROOM_PDPS;
    path_open_small_config(&c);
    path_nse(1);
    path_nsvc(1, 1, false, 1);
    path_bvc(1, 1, 3);
}

static void settle(void)
{
    for (int i = 0; i < 20; i++)
        for (uint32_t w = 0; w < 2; w++) {
            dp_poll(dp_worker(p.dp, w), p.now_ns);
            assert_true(dp_balanced(dp_worker(p.dp, w)));
        }
    assert_true(dp_settled(p.dp));
    for (uint32_t w = 0; w < 2; w++) {
        assert_int_equal(dp_stats(dp_worker(p.dp, w))->commands_refused, 0);
        assert_null(sched_check(dp_worker(p.dp, w)->sched));
    }
}

static void add(uint32_t ms, uint32_t bvc)
{
    TRY(0, ms, .ms_id = ms, .bvc_id = bvc, .tlli = PATH_TLLI + ms, .n201_u = 500);
    TRY(0, pfc, .ms_id = ms, .traffic_class = CLASS_BACKGROUND);
    settle();
}

static int64_t pdp(uint32_t id, uint32_t ms, uint8_t nsapi)
{
    return dp_command(
        p.dp, &(struct command){.op = COMMAND_pdp,
                                .pdp = {.pdp_id = id, .ms_id = ms, .nsapi = nsapi, .sapi = 3}});
}

static void expect_left(uint32_t worker, uint32_t mss, uint32_t pdps)
{
    uint32_t left_mss, left_pdps;
    dp_worker_left(p.dp, worker, &left_mss, &left_pdps);
    assert_int_equal(left_mss, mss);
    assert_int_equal(left_pdps, pdps);
}

// The MS is there, by the worker's own word, in that cell.
static void expect_in(uint32_t ms, uint32_t bvc)
{
    uint32_t tlli, at = dp_ms_at(p.dp, ms);
    const struct state *state = &dp_worker(p.dp, bvc)->state; // cell i is worker i's
    assert_int_equal(dp_ms_cell(p.dp, ms, &tlli), bvc);
    assert_int_equal(dp_at_worker(at), bvc);
    assert_int_equal(state->ms_up[dp_at_place(at)].id, ms);
    assert_int_equal(state->ms[dp_at_place(at)].tlli, PATH_TLLI + ms);
    assert_int_equal(state->ms[dp_at_place(at)].bvc, bvc);
}

static void a_full_worker_takes_no_ms(void **state)
{
    (void)state;
    open_two();
    for (uint32_t ms = 0; ms < ROOM_MSS; ms++)
        add(1000 + ms, 1);
    TRY(-ENOSPC, ms, .ms_id = 7, .bvc_id = 1, .tlli = 7, .n201_u = 500);
    add(5, 0);
    TRY(-ENOSPC, ms_move, .ms_id = 5, .bvc_id = 1);
    assert_int_equal(dp_ms_may_move(p.dp, 5, 1), -ENOSPC);
    settle();
    expect_in(5, 0);
    expect_left(0, ROOM_MSS - 1, ROOM_PDPS);
    TRY(0, ms_remove, 1001);
    assert_int_equal(dp_ms_may_move(p.dp, 5, 1), 0);
    TRY(0, ms_move, .ms_id = 5, .bvc_id = 1); // at once, for the ring keeps the order
    TRY(-ENOSPC, ms, .ms_id = 7, .bvc_id = 1, .tlli = 7, .n201_u = 500);
    settle();
    expect_in(5, 1);
    expect_in(1000, 1);
    expect_left(0, ROOM_MSS, ROOM_PDPS);
    expect_left(1, 0, ROOM_PDPS);
    path_close();
}

// Its contexts go with it or it does not go; where they were made they keep their places.
static void contexts_have_places(void **state)
{
    (void)state;
    open_two();
    add(1, 0);
    add(2, 1);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(pdp(100 + i, 1, (uint8_t)(5 + i)) > 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(pdp(200 + i, 2, (uint8_t)(5 + i)) > 0);
    TRY(-ENOSPC, ms_move, .ms_id = 1, .bvc_id = 1); // one place, two contexts
    settle();
    expect_in(1, 0);
    expect_left(1, ROOM_MSS - 1, 1);
    TRY(0, pdp_remove, 202);
    TRY(0, ms_move, .ms_id = 1, .bvc_id = 1);
    settle();
    expect_in(1, 1);
    expect_left(0, ROOM_MSS, ROOM_PDPS - 2);
    expect_left(1, ROOM_MSS - 2, 0);
    assert_int_equal(pdp(300, 1, 9), -ENOSPC);
    add(3, 0);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(pdp(400 + i, 3, (uint8_t)(5 + i)) > 0);
    assert_int_equal(pdp(402, 3, 9), -ENOSPC); // the other two are kept
    TRY(0, ms_move, .ms_id = 1, .bvc_id = 0);  // which it comes back to
    settle();
    expect_in(1, 0);
    expect_left(0, ROOM_MSS - 2, 0);
    expect_left(1, ROOM_MSS - 1, 2);
    TRY(0, pdp_remove, 100);
    TRY(0, pdp_remove, 101);
    settle();
    expect_left(0, ROOM_MSS - 2, 2);
    path_close();
}

// A context that is removed while it is away leaves both its places, and no redirect.
static void removed_while_away(void **state)
{
    (void)state;
    open_two();
    add(1, 0);
    int64_t teid = pdp(100, 1, 5);
    TRY(0, ms_move, .ms_id = 1, .bvc_id = 1);
    settle();
    const struct state_pdp *named = state_pdp_of_teid(&dp_worker(p.dp, 0)->state, (uint32_t)teid);
    assert_non_null(named);
    uint32_t there = named->elsewhere;
    assert_int_equal(teid_worker(teid_bits(2, 1), there), 1);
    assert_non_null(state_pdp_of_teid(&dp_worker(p.dp, 1)->state, there));
    TRY(0, pdp_remove, 100);
    settle();
    assert_null(state_pdp_of_teid(&dp_worker(p.dp, 0)->state, (uint32_t)teid));
    assert_null(state_pdp_of_teid(&dp_worker(p.dp, 1)->state, there));
    expect_left(0, ROOM_MSS, ROOM_PDPS);
    expect_left(1, ROOM_MSS - 1, ROOM_PDPS);
    path_close();
}

// Of an MS with one context, whatever the number of workers; with an equal share and a quarter more
// for each of several.
static uint64_t octets_an_ms(uint32_t workers, const char *aqm, uint32_t options_octets,
                             uint64_t delay_ns)
{
    uint64_t octets[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct dp_config c = path_small_config(16, 16);
        c.workers = c.nses = workers;
        c.room_pfcs = 1;
        c.ms_options_octets = options_octets;
        c.ms_delay_ns = c.pfc_delay_ns = delay_ns;
        for (int class = 0; class < CLASS_COUNT; class ++)
            path_set_aqm(&c.classes.item[class], aqm);
        c.mss = c.pdps = (1 + i) * 1000000;
        c.worker_mss = c.worker_pdps = workers > 1 ? c.mss / workers * 5 / 4 : 0;
        octets[i] = dp_memory_octets(&c);
    }
    return (octets[1] - octets[0]) / 1000000;
}

static void expect_octets_an_ms(uint32_t options_octets, uint64_t delay_ns, const char *with)
{
    uint64_t one = octets_an_ms(1, "cobalt", options_octets, delay_ns);
    uint64_t two = octets_an_ms(2, "cobalt", options_octets, delay_ns);
    uint64_t sixteen = octets_an_ms(16, "cobalt", options_octets, delay_ns);
    print_message("# octets an MS %s with 1, 2, 16 workers, COBALT: %u, %u, %u\n", with,
                  (unsigned)one, (unsigned)two, (unsigned)sixteen);
    assert_in_range(sixteen, two, two + 1);
    assert_true(sixteen <= one * 5 / 4);
}

static void memory_does_not_grow_with_the_workers(void **state)
{
    (void)state;
    expect_octets_an_ms(0, 0, "without optional elements");
    expect_octets_an_ms(10, 0, "with its IMSI");
    expect_octets_an_ms(10, 600 * MS_IN_NS, "with its IMSI and bounded buckets");
}

// Of each packet flow as much as the disciplines that are configured remember, and no more.
static void memory_is_as_the_disciplines_need(void **state)
{
    uint64_t none = octets_an_ms(1, "tail-drop", 0, 0);
    (void)state;
    assert_int_equal(octets_an_ms(1, "pdpc", 0, 0), none + 8);
    assert_int_equal(octets_an_ms(1, "cobalt", 0, 0), none + 16);
    assert_int_equal(octets_an_ms(1, "pie", 0, 0), none + 48);
    // Of the MS's bucket and the packet flow's, what a delay bounds them by.
    assert_int_equal(octets_an_ms(1, "tail-drop", 0, MS_IN_NS), none + 4 + 4);
    struct dp_config c = path_small_config(16, 16);
    uint64_t plain = dp_memory_octets(&c);
    path_set_aqm(&c.classes.item[CLASS_STREAMING], "pdpc");
    path_set_aqm(&c.classes.item[CLASS_BACKGROUND], "pie"); // of several that with the most
    assert_true(dp_memory_octets(&c) >= plain + (uint64_t)c.mss * c.room_pfcs * 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_worker_takes_no_ms),
        cmocka_unit_test(contexts_have_places),
        cmocka_unit_test(removed_while_away),
        cmocka_unit_test(memory_does_not_grow_with_the_workers),
        cmocka_unit_test(memory_is_as_the_disciplines_need),
    };
    return cmocka_run_group_tests_name("room", tests, path_start_eal, NULL);
}
