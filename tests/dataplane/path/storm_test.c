// Anything at any time: the whole path in storm.h's weather, and property S8 at its end, as
// its neighbours have counted.
#include "tests/dataplane/path/storm.h"

#ifdef __SANITIZE_ADDRESS__
#define LESS 3 // a sample: instrumented code is some twenty times slower
#else
#define LESS 1
#endif

static void a_storm(uint32_t workers, uint64_t seconds, bool slow)
{
    struct dp_config c = path_config(workers);
    if (slow)
        c.gn.tx_frames = c.gb.tx_frames = 8;
    c.queue_packets = 1500;
    c.cell_packets = 400;
    c.ms_packets = 100;
    for (int i = 0; i < CLASS_COUNT; i++)
        c.classes.item[i].lifetime_ns = 6 * S_IN_NS;
    random_begin();
    storm(&c, seconds * S_IN_NS / LESS, slow);
    path_expect_conservation();
    path_close();
}

static void random_commands_at_random_instants(void **state)
{
    (void)state;
    a_storm(1, 60, false);
}

static void random_commands_to_several_workers(void **state)
{
    (void)state;
    a_storm(3, 60, false);
}

static void random_commands_and_ports_that_refuse(void **state)
{
    (void)state;
    a_storm(1, 30, true);
    a_storm(2, 30, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_commands_at_random_instants),
        cmocka_unit_test(random_commands_to_several_workers),
        cmocka_unit_test(random_commands_and_ports_that_refuse),
    };
    return cmocka_run_group_tests_name("path_storm", tests, path_start_eal, NULL);
}
