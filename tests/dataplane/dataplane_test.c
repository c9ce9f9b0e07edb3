// The command side of the dataplane: what is refused and why, and that a full ring loses nothing.
#include "tests/dataplane/down/thread.h"

#include <errno.h>

static void commands_are_refused_by_reason(void **state)
{
    (void)state;
    thread_open(16, 16);
    struct command ms = {.op = COMMAND_ms, .ms = {.ms_id = 2048, .n201_u = 500}};
    thread_command(&ms, -ERANGE);
    ms.ms = (struct command_ms){.bvc_id = 1, .n201_u = 500};
    thread_command(&ms, -ERANGE);
    struct command pdp = {.op = COMMAND_pdp, .pdp = {.ms_id = 0, .nsapi = 5, .sapi = 3}};
    thread_command(&pdp, -ENOENT);
    thread_command(&(struct command){.op = COMMAND_nse}, -EEXIST);
    thread_command(&(struct command){.op = COMMAND_COUNT}, -EINVAL);
    thread_close();
}

static void a_full_command_ring_says_so_and_loses_nothing(void **state)
{
    (void)state;
    thread_open(16, 16);
    uint32_t id = 0;
    int64_t result = 0;
    for (uint32_t round = 0; id < 2048; round++) {
        struct command ms = {.op = COMMAND_ms,
                             .ms = {.ms_id = id, .tlli = TLLI_FIRST + id, .n201_u = 500}};
        result = dp_command(t.dp, &ms);
        id += result == 0;
        assert_true(result == 0 || result == -EAGAIN);
        if (result == -EAGAIN)
            thread_poll_to_rest();
    }
    struct command pdp = {.op = COMMAND_pdp, .pdp = {.nsapi = 5, .sapi = 3}};
    for (id = 0, result = 0; id < 2048 && result >= 0; id++) {
        pdp.pdp.pdp_id = pdp.pdp.ms_id = id;
        result = dp_command(t.dp, &pdp);
        if (result == -EAGAIN) {
            thread_poll_to_rest();
            result = dp_command(t.dp, &pdp);
        }
    }
    assert_true(result > 0);
    thread_poll_to_rest();
    assert_int_equal(dp_stats(t.worker)->commands, 2 + 2048 + 2048);
    thread_close();
}

static void an_idle_worker_wants_no_wake_up(void **state)
{
    (void)state;
    thread_open(16, 16);
    thread_poll_to_rest();
    assert_int_equal(dp_poll(t.worker, 5), TIME_NEVER);
    thread_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_refused_by_reason),
        cmocka_unit_test(a_full_command_ring_says_so_and_loses_nothing),
        cmocka_unit_test(an_idle_worker_wants_no_wake_up),
    };
    return cmocka_run_group_tests(tests, thread_start_eal, NULL);
}
