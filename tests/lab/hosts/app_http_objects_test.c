// Web pages of listed objects, and objects that are asked for more than once.
#include "tests/lab/hosts/pages.h"

// 300, 14000, 1 and 70000 octets, 32 bits each.
static const uint8_t list[] = {0, 0, 1, 0x2c, 0, 0, 0x36, 0xb0, 0, 0, 0, 1, 0, 1, 0x11, 0x70};
static const uint64_t listed[] = {300, 14000, 1, 70000};

static void expect_list(const uint64_t *octets)
{
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(octets[i], listed[i]);
}

// In turn behind the main object, page after page, whatever `embedded` says. An initial window has
// 10 segments of 1448 octets, with the header 14250 of them; 70250 octets are 49 segments, of which
// 10 leave in the first round trip, 20 in the second and the rest in the third.
static void test_listed_objects(void **state)
{
    (void)state;
    config.connections = 1;
    config.reuse = APP_HTTP_PAGE;
    config.objects = (struct octets){list, sizeof list};
    run(100 * S_IN_NS);
    assert_int_equal(seen.pages, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(seen.of_page[i], 5);
        assert_int_equal(seen.object_octets[5 * i], 4910);
        expect_list(&seen.object_octets[5 * i + 1]);
        assert_int_equal(page_ns(i), 2 * LATENCY_NS * (1 + 1 + 1 + 1 + 1 + 3));
    }
}

// The page of latency-geran: its objects in sequence and no other.
static void test_listed_objects_alone(void **state)
{
    (void)state;
    config.main_octets = 0;
    config.embedded = 0;
    config.connections = 1;
    config.objects = (struct octets){list, sizeof list};
    run(100 * S_IN_NS);
    assert_int_equal(seen.pages, 2);
    assert_int_equal(seen.objects, 8);
    expect_list(seen.object_octets);
    expect_list(seen.object_octets + 4);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 2 * (84301 + 4 * 250));
}

// What failed is asked for again with its own size, and the list goes on.
static void test_listed_objects_over_losses(void **state)
{
    (void)state;
    config.connections = 2;
    config.pages = 1;
    config.objects = (struct octets){list, sizeof list};
    app = path_app("http", &config, 0);
    path_run_to(5 * LATENCY_NS);
    for (struct flow *flow = path.table.all; flow; flow = flow->next)
        flow_finish(flow, 5 * LATENCY_NS);
    path_run_to(100 * S_IN_NS);
    assert_true(app->figures.aborted > 0);
    assert_int_equal(seen.pages, 1);
    assert_int_equal(seen.of_page[0], 5);
    assert_int_equal(seen.page_octets[0], 4910 + 84301);
}

// Each object is asked for three times: two answers are a header, of an octet at least.
static void test_round_trips(void **state)
{
    (void)state;
    config.connections = 1;
    config.round_trips = 3;
    config.header_octets = 0;
    run(100 * S_IN_NS);
    assert_int_equal(seen.of_page[0], 31);
    assert_int_equal(page_ns(0), 2 * LATENCY_NS * (1 + 3 * 31));
    assert_int_equal(page_ns(1), 2 * LATENCY_NS * 3 * 31);
    assert_int_equal(app->figures.arrived[FLOW_HOST].octets, 62 * 3 * 350);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 62 * (2 + 4910));
}

// HTTP 1.0: the handshake once for each object, and the round trips over the same connection.
static void test_round_trips_without_reuse(void **state)
{
    (void)state;
    config.connections = 1;
    config.reuse = APP_HTTP_OBJECT;
    config.round_trips = 2;
    run(100 * S_IN_NS);
    assert_int_equal(page_ns(0), 2 * LATENCY_NS * 31 * (1 + 2));
    assert_int_equal(app->figures.connections, 62);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 62 * (250 + 250 + 4910));
}

static void test_lists_that_do_not_fit(void **state)
{
    (void)state;
    config.objects = (struct octets){list, sizeof list - 1};
    path_expect_refused("http", &config, "http: objects: a list of at most 256");
    config.objects = (struct octets){(const uint8_t[]){0, 0, 0, 0}, 4};
    path_expect_refused("http", &config, "http: objects: an object has 1 to 1000000000 octets");
    config.objects = (struct octets){(const uint8_t[]){0x3b, 0x9a, 0xca, 1}, 4};
    path_expect_refused("http", &config, "http: objects: an object has 1 to 1000000000 octets");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_listed_objects),
        HTTP_TEST(test_listed_objects_alone),
        HTTP_TEST(test_listed_objects_over_losses),
        HTTP_TEST(test_round_trips),
        HTTP_TEST(test_round_trips_without_reuse),
        HTTP_TEST(test_lists_that_do_not_fit),
    };
    return cmocka_run_group_tests_name("lab/hosts/app_http_objects", tests, NULL, NULL);
}
