// A command that does not fit into a worker's ring is refused with -EAGAIN, has not happened and
// can be said again; other workers' commands still fit.
#include "tests/dataplane/path/path.h"

#include <errno.h>

// What control has made is known at once, so that more can be said of it before the worker has it.
static void a_full_ring_says_so_and_loses_nothing(void **state)
{
    uint32_t sent = 0, full = 0;
    (void)state;
    path_open_small(16, 16);
    while (sent < 3 * PATH_MSS) {
        uint32_t id = sent / 3;
        struct command ms = {.op = COMMAND_ms,
                             .ms = {.ms_id = id, .tlli = PATH_TLLI + id, .n201_u = 500}};
        struct command freeze = {.op = COMMAND_ms_freeze, .ms_freeze = {id}};
        int64_t result = dp_command(p.dp, sent % 3 ? &freeze : &ms);
        assert_true(result == 0 || result == -EAGAIN);
        sent += result == 0;
        full += result == -EAGAIN;
        if (result == -EAGAIN)
            dp_poll(p.worker, 0);
    }
    assert_true(full > 10);
    assert_false(dp_settled(p.dp));
    path_poll();
    assert_true(dp_settled(p.dp));
    assert_int_equal(dp_stats(p.worker)->commands, 5 + 3 * PATH_MSS);
    path_close();
}

// An NSE and a cell at each.
static void open_three_workers(void)
{
    struct dp_config c = path_small_config(16, 16);
    c.workers = c.nses = c.nsvcs = c.bvcs = 3;
    path_open_small_config(&c);
    for (uint32_t i = 1; i < 3; i++) {
        path_nse(i);
        path_nsvc(i, i, false, 1);
        path_bvc(i, i, (uint16_t)(2 + i));
    }
}

static void fill_ring(uint32_t worker)
{
    while (dp_command(p.dp, &(struct command){.op = COMMAND_bvc_bucket,
                                              .bvc_bucket = {.bvc_id = worker}}) == 0)
        ;
}

// The MS is at worker 1, its TEID names worker 0.
static void a_full_ring_is_its_own_workers_trouble(void **state)
{
    (void)state;
    open_three_workers();
    path_plain_ms(0, 0, 500);
    DO(ms_move, 0, 1);
    fill_ring(0);
    TRY(0, bvc_reset, 1);
    TRY(0, ms_freeze, 0);
    TRY(-EAGAIN, bvc_reset, 0);
    TRY(-EAGAIN, ms_move, 0, 0);
    TRY(-EAGAIN, ms_move, 0, 2);  // worker 0 has to know
    TRY(-EAGAIN, pdp_remove, 0);  // that, too
    TRY(-EAGAIN, nsvc_remove, 2); // and all of an NS-VC
    TRY(0, ms, .ms_id = 1, .bvc_id = 1, .tlli = 1, .n201_u = 500);
    TRY(0, ms_move, 1, 2); // no context that worker 0 has to hear of
    TRY(-EAGAIN, ms_move, 1, 0);
    path_poll();
    fill_ring(1);
    TRY(-EAGAIN, pdp_remove, 0);
    fill_ring(2);
    TRY(-EAGAIN, nsvc_remove, 0);
    path_poll();
    DO(ms_move, 0, 2);
    DO(pdp_remove, 0);
    path_close();
}

// A new MS in that cell, and a freeze, a context and an LLC PDU of the cell's first MS.
static void command_in(uint32_t cell, uint32_t id, int wanted)
{
    struct command pdp = {.op = COMMAND_pdp,
                          .pdp = {.pdp_id = id, .ms_id = cell, .nsapi = 5, .sapi = 3}};
    uint32_t before[2], after[2];
    dp_worker_left(p.dp, cell, &before[0], &before[1]);
    TRY(wanted, ms, .ms_id = id, .bvc_id = cell, .tlli = PATH_TLLI + id, .n201_u = 500);
    TRY(wanted, ms_freeze, cell);
    TRY(wanted, llc, .ms_id = cell, .pdu = {(const uint8_t *)"PDU", 3}); // in a buffer from here on
    int64_t teid = dp_command(p.dp, &pdp);
    assert_true(wanted ? teid == wanted : teid > 0);
    dp_worker_left(p.dp, cell, &after[0], &after[1]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(before[i] - after[i], wanted ? 0 : 1);
}

// Whichever worker's ring is full: its MSs and what becomes one have to wait, others do not. What
// had to wait can be said again.
static void mss_wait_for_their_own_worker_alone(void **state)
{
    (void)state;
    for (uint32_t full = 0; full < 3; full++) {
        open_three_workers();
        for (uint32_t cell = 0; cell < 3; cell++) {
            path_ms(cell, cell, 500);
            path_pfc(cell, 0, CLASS_BACKGROUND);
        }
        fill_ring(full);
        for (uint32_t cell = 0; cell < 3; cell++)
            command_in(cell, 3 + cell, cell == full ? -EAGAIN : 0);
        path_poll();
        command_in(full, 3 + full, 0);
        path_poll();
        path_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_ring_says_so_and_loses_nothing),
        cmocka_unit_test(a_full_ring_is_its_own_workers_trouble),
        cmocka_unit_test(mss_wait_for_their_own_worker_alone),
    };
    return cmocka_run_group_tests_name("full_ring", tests, path_start_eal, NULL);
}
