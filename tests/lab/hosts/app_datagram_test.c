// What the user of datagrams is told of their numbers, against a plain model, with packets in any
// order, some of them twice or never.
#include "lab/hosts/app_datagram.h"

#include "lab/hosts/app_traffic.h"
#include "tests/lab/hosts/path.h"

#define PACKETS 300

static struct {
    uint8_t ip[PACKETS][40];
    uint32_t n;
} kept;

static void keep(void *self, struct flow *flow, enum flow_end from, const uint8_t *ip,
                 uint32_t octets, uint64_t now_ns)
{
    (void)self, (void)flow, (void)from, (void)now_ns;
    assert_int_equal(octets, 40);
    memcpy(kept.ip[kept.n++], ip, octets);
}

static struct app *make_packets(void)
{
    static const uint8_t size[] = {0, 40};
    struct app_traffic_config config;
    path_setup(&(struct link_config){0}, &(struct link_config){0});
    path_standard(&app_traffic_config_record, &config);
    config.sizes = (struct octets){size, 2};
    path.table.owner.send = keep;
    kept.n = 0;
    struct app *app = path_app("traffic", &config, 0);
    while (kept.n < PACKETS)
        assert_int_equal(
            engine_run(path.engine, engine_now_ns(path.engine) + 10 * MS_IN_NS, NULL, NULL), 0);
    return app;
}

// Of the last 64 numbers the model knows all; packets here are never later than that.
static void test_any_order(void **state)
{
    struct app *app = make_packets();
    const struct app_figures *f = &app->figures;
    uint32_t times[PACKETS] = {0}, next = 0;
    uint64_t missing = 0, duplicates = 0, late = 0;
    struct rng rng;
    (void)state;
    rng_seed(&rng, 6, 6);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t from = i / 10, number = from + (uint32_t)rng_below(&rng, 60);
        assert_int_equal(
            flow_table_input(&path.table, FLOW_MS, kept.ip[number], 40, engine_now_ns(path.engine)),
            FLOW_TAKEN);
        duplicates += times[number] > 0;
        late += times[number]++ == 0 && number < next;
        next = number >= next ? number + 1 : next;
        missing = 0;
        for (uint32_t k = 0; k < next; k++)
            missing += times[k] == 0;
        assert_int_equal(f->missing[FLOW_MS], missing);
        assert_int_equal(f->duplicates[FLOW_MS], duplicates);
        assert_int_equal(f->late[FLOW_MS], late);
        assert_int_equal(f->arrived[FLOW_MS].packets, i + 1);
    }
    assert_true(late > 100 && duplicates > 1000 && missing > 0);
    path_release(NULL);
}

// Beyond the 64th behind the latest nothing is known any more.
static void test_very_late(void **state)
{
    struct app *app = make_packets();
    (void)state;
    flow_table_input(&path.table, FLOW_MS, kept.ip[0], 40, 0);
    flow_table_input(&path.table, FLOW_MS, kept.ip[200], 40, 0);
    flow_table_input(&path.table, FLOW_MS, kept.ip[137], 40, 0);
    assert_int_equal(app->figures.late[FLOW_MS], 1);
    assert_int_equal(app->figures.missing[FLOW_MS], 198);
    flow_table_input(&path.table, FLOW_MS, kept.ip[136], 40, 0);
    assert_int_equal(app->figures.late[FLOW_MS], 1);
    assert_int_equal(app->figures.missing[FLOW_MS], 198);
    assert_int_equal(app->figures.duplicates[FLOW_MS], 1);
    path_release(NULL);
}

// What was missing before a mark is late behind it, and is none of those that are missing then.
static void test_a_mark(void **state)
{
    struct app *app = make_packets();
    const struct app_figures *f = &app->figures;
    (void)state;
    flow_table_input(&path.table, FLOW_MS, kept.ip[9], 40, 0);
    assert_int_equal(f->missing[FLOW_MS], 9);
    path.world.mark_ns = engine_now_ns(path.engine);
    app_mark(app);
    flow_table_input(&path.table, FLOW_MS, kept.ip[4], 40, 0);
    assert_int_equal(f->late[FLOW_MS], 1);
    assert_int_equal(f->missing[FLOW_MS], 0);
    assert_int_equal(f->arrived[FLOW_MS].packets, 1);
    flow_table_input(&path.table, FLOW_MS, kept.ip[12], 40, 0);
    assert_int_equal(f->missing[FLOW_MS], 2);
    flow_table_input(&path.table, FLOW_MS, kept.ip[5], 40, 0);
    assert_int_equal(f->missing[FLOW_MS], 2);
    flow_table_input(&path.table, FLOW_MS, kept.ip[10], 40, 0);
    assert_int_equal(f->missing[FLOW_MS], 1);
    assert_int_equal(f->late[FLOW_MS], 3);
    path_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_very_late),
        cmocka_unit_test(test_a_mark),
    };
    return cmocka_run_group_tests_name("lab/hosts/app_datagram", tests, NULL, NULL);
}
