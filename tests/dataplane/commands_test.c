// The command side: what is refused and why, by whatever is named, and that what was refused or did
// not fit into the ring has not happened. A command that was accepted is never refused by the
// worker (thread_close asserts it).
#include "tests/dataplane/down/thread.h"

#include <errno.h>
#include <string.h>

#include "tests/dataplane/random.h"

#define TRY(wanted, name_, ...) \
    thread_command(&(struct command){.op = COMMAND_##name_, .name_ = {__VA_ARGS__}}, wanted)
#define DO(name_, ...) thread_do(&(struct command){.op = COMMAND_##name_, .name_ = {__VA_ARGS__}})

static void ids_beyond_the_limits(void **state)
{
    (void)state;
    thread_open(16, 16); // one NSE, two cells, MSS, PDPS
    TRY(-ERANGE, nse, .nse_id = 1, .peer_port = 1);
    TRY(-ERANGE, bvc, .bvc_id = 2, .bvci = 2);
    TRY(-ERANGE, bvc, .bvc_id = 1, .nse_id = 1, .bvci = 2);
    TRY(-ERANGE, ms, .ms_id = MSS, .n201_u = 500);
    TRY(-ERANGE, ms, .bvc_id = 2, .n201_u = 500);
    TRY(-ERANGE, pdp, .pdp_id = PDPS, .nsapi = 5, .sapi = 3);
    TRY(-ERANGE, pdp, .ms_id = MSS, .nsapi = 5, .sapi = 3);
    TRY(-ERANGE, pfc, .ms_id = MSS);
    TRY(-ERANGE, nse_remove, 1);
    TRY(-ERANGE, bvc_flow, .bvc_id = 2);
    TRY(-ERANGE, ms_freeze, MSS);
    TRY(-ERANGE, ms_move, .ms_id = MSS);
    TRY(-ERANGE, pdp_remove, PDPS);
    thread_command(&(struct command){.op = COMMAND_COUNT}, -EINVAL);
    thread_command(&(struct command){.op = UINT32_MAX}, -EINVAL);
    thread_close();
}

static void values_out_of_their_ranges(void **state)
{
    (void)state;
    thread_open(16, 16);
    thread_add_ms(0, 500);
    TRY(-ERANGE, ms, .ms_id = 1, .n201_u = 139);
    TRY(-ERANGE, ms, .ms_id = 1, .n201_u = 1521);
    TRY(-ERANGE, bvc, .bvc_id = 1, .bvci = 1);
    TRY(-ERANGE, pfc, .slot = 1, .traffic_class = CLASS_COUNT);
    TRY(-ERANGE, pfc, .slot = 3); // there are three: 0 to 2
    TRY(-ERANGE, pdp, .pdp_id = 1, .nsapi = 4, .sapi = 3);
    TRY(-ERANGE, pdp, .pdp_id = 1, .nsapi = 16, .sapi = 3);
    TRY(-ERANGE, pdp, .pdp_id = 1, .nsapi = 6, .sapi = 4);
    TRY(-ERANGE, ms_flow, .has_rate_100_bit_per_s = true,
        .rate_100_bit_per_s = BUCKET_RATE_MAX + 1);
    TRY(0, ms_flow, .rate_100_bit_per_s = BUCKET_RATE_MAX + 1); // a rate that is not given
    thread_poll_to_rest();
    thread_close();
}

#define TRY_KEY(wanted, gea_, octets)                                                  \
    thread_command(&(struct command){.op = COMMAND_ms_cipher,                          \
                                     .ms_cipher = {.gea = gea_, .key = {kc, octets}}}, \
                   wanted)

static void ciphers_that_are_refused(void **state)
{
    static const uint8_t kc[17] = {1};
    (void)state;
    thread_open(16, 16);
    thread_add_ms(0, 500);
    for (uint32_t octets = 0; octets <= 17; octets++) {
        TRY_KEY(octets == 0 ? 0 : -EINVAL, 0, octets);
        TRY_KEY(-ENOTSUP, 1, octets);
        TRY_KEY(-ENOTSUP, 2, octets);
        TRY_KEY(octets == 8 ? 0 : -EINVAL, 3, octets);
        TRY_KEY(octets == 16 ? 0 : -EINVAL, 4, octets);
        TRY_KEY(-ENOTSUP, 5, octets);
        TRY_KEY(-EINVAL, 6, octets);
        TRY_KEY(-EINVAL, 7, octets);
        TRY_KEY(-ERANGE, 8, octets);
    }
    TRY(-ENOENT, ms_cipher, .ms_id = 1, .gea = 3, .key = {kc, 8});
    TRY(-ERANGE, ms_cipher, .ms_id = MSS, .gea = 3, .key = {kc, 8});
    thread_poll_to_rest();
    assert_int_equal(t.received, 0);
    thread_close();
}

static void what_is_not_there(void **state)
{
    (void)state;
    thread_open(16, 16);
    thread_add_plain_ms(0, 500);
    TRY(-ENOENT, ms, .ms_id = 1, .bvc_id = 1, .n201_u = 500);
    TRY(-ENOENT, ms_move, .ms_id = 0, .bvc_id = 1);
    TRY(-ENOENT, pfc, .ms_id = 1);
    TRY(-ENOENT, pfc_flow, .ms_id = 0, .slot = 0);
    TRY(-ENOENT, pfc_remove, .ms_id = 0, .slot = 0);
    TRY(-ENOENT, pdp, .ms_id = 0, .nsapi = 5, .sapi = 3); // no packet flow in that slot
    TRY(-ENOENT, pdp, .ms_id = 1, .nsapi = 5, .sapi = 3);
    TRY(-ENOENT, pdp_remove, 0);
    TRY(-ENOENT, ms_remove, 1);
    TRY(-ENOENT, bvc_remove, 1);
    thread_close();
}

static void what_is_there_already(void **state)
{
    (void)state;
    thread_open(16, 16);
    thread_add_ms(0, 500);
    TRY(-EEXIST, nse, .peer_port = 1);
    TRY(-EEXIST, bvc, .bvci = 2);
    TRY(-EEXIST, ms, .n201_u = 500);
    TRY(-EEXIST, pfc, .slot = 0);
    TRY(-EEXIST, pdp, .pdp_id = 0, .nsapi = 6, .sapi = 3);
    TRY(-EEXIST, pdp, .pdp_id = 1, .nsapi = 5, .sapi = 3); // the MS's NSAPI
    thread_close();
}

static void nothing_is_removed_below_what_needs_it(void **state)
{
    (void)state;
    thread_open(16, 16);
    DO(bvc, .bvc_id = 1, .bvci = 3);
    thread_add_ms(0, 500);
    thread_add_pfc(0, 1, CLASS_STREAMING);
    thread_add_pdp(1, 0, 1, 6, 3);
    TRY(-EBUSY, nse_remove, 0);
    TRY(-EBUSY, bvc_remove, 0);
    TRY(-EBUSY, ms_remove, 0);
    TRY(-EBUSY, pfc_remove, 0, 0);
    DO(pdp_remove, 0);
    DO(pfc_remove, 0, 0);
    TRY(-EBUSY, pfc_remove, 0, 1);
    DO(ms_move, 0, 1);
    DO(bvc_remove, 0);
    TRY(-EBUSY, bvc_remove, 1);
    DO(pdp_remove, 1);
    DO(ms_remove, 0); // its packet flow goes with it
    DO(bvc_remove, 1);
    DO(nse_remove, 0);
    TRY(-ENOENT, nse_remove, 0);
    thread_close();
}

// Each owner of a place has a TEID of its own; after 63 of them they come again.
static void places_are_given_again_under_other_teids(void **state)
{
    uint32_t teids[64];
    (void)state;
    thread_open(16, 16);
    thread_add_ms(0, 500);
    for (int i = 0; i < 64; i++) {
        teids[i] = t.pdp[0].teid;
        for (int j = 1; j < i; j++)
            assert_true(i == 63 || teids[i] != teids[j]);
        DO(pdp_remove, 0);
        thread_add_pdp(0, 0, 0, 5, 3);
    }
    assert_int_equal(teids[63], teids[0]);
    thread_close();
}

// What control has made is known at once, so that more can be said of it before the worker has it.
static void a_full_ring_says_so_and_loses_nothing(void **state)
{
    uint32_t sent = 0, full = 0;
    (void)state;
    thread_open(16, 16);
    while (sent < 3 * MSS) {
        uint32_t id = sent / 3;
        struct command ms = {.op = COMMAND_ms,
                             .ms = {.ms_id = id, .tlli = TLLI_FIRST + id, .n201_u = 500}};
        struct command freeze = {.op = COMMAND_ms_freeze, .ms_freeze = {id}};
        int64_t result = dp_command(t.dp, sent % 3 ? &freeze : &ms);
        assert_true(result == 0 || result == -EAGAIN);
        sent += result == 0;
        full += result == -EAGAIN;
        if (result == -EAGAIN)
            dp_poll(t.worker, 0);
    }
    assert_true(full > 10);
    assert_false(dp_settled(t.dp));
    thread_poll_to_rest();
    assert_true(dp_settled(t.dp));
    assert_int_equal(dp_stats(t.worker)->commands, 3 + 3 * MSS);
    thread_close();
}

// --- Any commands at all -------------------------------------------------------------------------

// Values within their ranges, by the commands' own description, and ids so small that many of them
// are there.
static struct command any_command(bool down)
{
    struct command c = {.op = (uint32_t)random_in(0, COMMAND_COUNT - 1)};
    const struct field_call *call = &dp_calls[1 + c.op]; // behind `settled`
    // In turns the tree grows and is taken down.
    bool takes_away = strstr(call->name, "remove") || strcmp(call->name, "ms_freeze") == 0;
    if (takes_away != down && random_next() % 20 != 0)
        return any_command(down);
    for (uint32_t i = 0; i < call->field_count; i++) {
        const struct field *f = &call->fields[i];
        bool is_id = f->kind == FIELD_U32 && strstr(f->name, "_id");
        uint64_t most = is_id || strcmp(f->name, "slot") == 0 ? 4 : f->most;
        field_set(f, &c.nse, random_in(f->least, most));
        if (f->has_offset != FIELD_ALWAYS)
            *((bool *)&c.nse + f->has_offset) = random_next() % 4 != 0;
    }
    if (c.op == COMMAND_pdp)
        c.pdp.sapi = (uint8_t[]){3, 5, 9, 11}[random_next() % 4];
    return c;
}

// What control is told was accepted, the worker carries out, whatever came before; thread_close
// asserts that none was refused there. Packets go on meanwhile, and each is accounted for.
static void whatever_is_accepted_is_carried_out(void **state)
{
    uint32_t accepted = 0, of_op[COMMAND_COUNT] = {0};
    struct dp_config config = thread_config(200, 64);
    struct rte_mbuf *m;
    (void)state;
    random_begin();
    config.mss = 4;
    config.pdps = 4;
    thread_open_config(&config);
    for (int i = 0; i < 300000; i++) {
        struct command c = any_command(i / 2000 % 4 == 3);
        int64_t result = dp_command(t.dp, &c);
        if (result >= 0) {
            accepted++;
            of_op[c.op]++;
        }
        if (result > 0)
            t.pdp[c.pdp.pdp_id].teid = (uint32_t)result;
        if (i % 3 == 0 && !rte_ring_full(t.gn.to_port))
            thread_send_frame(thread_gn_frame(t.pdp[i % 4].teid, 1 + (uint32_t)i % 1400, 0));
        if (i % 8 == 0) {
            t.now_ns += random_in(0, 20000000);
            dp_poll(t.worker, t.now_ns);
            assert_true(dp_balanced(t.worker));
            while (rte_ring_dequeue(t.gb.from_port, (void **)&m) == 0)
                rte_pktmbuf_free(m);
        }
    }
    dp_poll(t.worker, t.now_ns); // takes the frames sent last
    for (int op = 0; op < COMMAND_COUNT; op++)
        if (of_op[op] < 10)
            fail_msg("command %d was accepted %u times only", op, of_op[op]);
    print_message("# %u accepted, %u packets out\n", accepted,
                  (unsigned)stats_balance(dp_stats(t.worker)).packets.out);
    assert_true(stats_balance(dp_stats(t.worker)).packets.out > 1000);
    thread_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_beyond_the_limits),
        cmocka_unit_test(values_out_of_their_ranges),
        cmocka_unit_test(ciphers_that_are_refused),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(what_is_there_already),
        cmocka_unit_test(nothing_is_removed_below_what_needs_it),
        cmocka_unit_test(places_are_given_again_under_other_teids),
        cmocka_unit_test(a_full_ring_says_so_and_loses_nothing),
        cmocka_unit_test(whatever_is_accepted_is_carried_out),
    };
    return cmocka_run_group_tests_name("commands", tests, thread_start_eal, NULL);
}
