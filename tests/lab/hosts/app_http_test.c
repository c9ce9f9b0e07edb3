// Web pages: their times in closed form over links that only have latency, the number and the
// octets of their objects, and that a page comes to its end whatever happens to its connections.
#include "tests/lab/hosts/pages.h"

// An object's answer fits in the initial window: one round trip. The first page: a round trip for
// the handshake and 31 for the objects; the second, on the same connection, 31.
static void test_one_connection(void **state)
{
    (void)state;
    config.connections = 1;
    run(100 * S_IN_NS);
    assert_int_equal(seen.pages, 2);
    assert_int_equal(seen.of_page[0], 31);
    assert_int_equal(seen.page_octets[0], 31 * 4910);
    assert_int_equal(page_ns(0), 2 * LATENCY_NS * 32);
    assert_int_equal(page_ns(1), 2 * LATENCY_NS * 31);
    assert_int_equal(seen.begin_ns[1], seen.end_ns[0] + 1 * S_IN_NS);
    assert_int_equal(app->figures.connections, 1);
    assert_int_equal(app->figures.arrived[FLOW_HOST].octets, 62 * 350);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 62 * (4910 + 250));
    assert_int_equal(app->figures.sent[FLOW_MS].octets, 62 * 350);
    assert_int_equal(app->figures.sent[FLOW_HOST].octets, 62 * (4910 + 250));
}

// aqm-2006: the main object takes two round trips with the handshake; behind it the first
// connection takes one for each object, the three others one more for their handshakes: k round
// trips give 4 k - 3 objects, of which 30 are 9. With all open, 30 objects are 8 round trips of
// four.
static void test_four_connections(void **state)
{
    (void)state;
    run(100 * S_IN_NS);
    assert_int_equal(page_ns(0), 2 * LATENCY_NS * (2 + 9));
    assert_int_equal(page_ns(1), 2 * LATENCY_NS * (1 + 8));
    assert_int_equal(app->figures.connections, 4);
}

// A handshake for each object: two round trips, for the main one and 8 times for the others.
static void test_a_connection_for_each_object(void **state)
{
    (void)state;
    config.reuse = APP_HTTP_OBJECT;
    run(300 * S_IN_NS);
    assert_int_equal(seen.of_page[1], 31);
    assert_int_equal(page_ns(0), 4 * LATENCY_NS * (1 + 8));
    assert_int_equal(page_ns(1), 4 * LATENCY_NS * (1 + 8));
    assert_int_equal(app->figures.connections, 62);
    assert_int_equal(path.ended, 62);
    assert_int_equal(path.table.flows.entries, 0);
}

static void test_connections_for_one_page(void **state)
{
    (void)state;
    config.reuse = APP_HTTP_PAGE;
    run(300 * S_IN_NS);
    assert_int_equal(page_ns(0), 2 * LATENCY_NS * (2 + 9));
    assert_int_equal(page_ns(1), 2 * LATENCY_NS * (2 + 9));
    assert_int_equal(app->figures.connections, 8);
    assert_int_equal(path.table.flows.entries, 0);
}

// The file-downloading users of aqm-2006: four files of 875 kB at once, each on its connection. At
// 400 kbit/s, 3.5 MB in packets of 1448 of 1500 octets take 72.5 s.
static void test_no_main_object(void **state)
{
    (void)state;
    path.link[FLOW_HOST].config.rate_bit_per_s = 400000;
    config.main_octets = 0;
    config.embedded = 4;
    config.embedded_octets = 875000;
    config.pages = 1;
    run(200 * S_IN_NS);
    assert_int_equal(seen.pages, 1);
    assert_int_equal(seen.of_page[0], 4);
    assert_int_equal(app->figures.connections, 4);
    assert_in_range(page_ns(0), 72520 * MS_IN_NS, 74000 * MS_IN_NS);
}

static void test_drawn_pages(void **state)
{
    uint32_t few = 0;
    (void)state;
    config.pages = 400;
    config.embedded_law = DRAW_UNIFORM;
    config.embedded_least = 0;
    config.embedded_most = 9;
    config.embedded_octets_law = DRAW_EXPONENTIAL;
    config.embedded_octets = 3000;
    config.embedded_octets_least = 100;
    config.main_octets = 8000;
    config.think_ns_law = DRAW_EXPONENTIAL;
    run(3000 * S_IN_NS);
    assert_int_equal(seen.pages, 400);
    // 400 * 4.5 embedded ones, with a deviation of 57, besides the main ones.
    assert_in_range(seen.objects, 400 + 1800 - 230, 400 + 1800 + 230);
    for (uint32_t i = 0; i < 400; i++) {
        assert_in_range(seen.of_page[i], 1, 10);
        few += seen.of_page[i] == 1;
        assert_true(seen.page_octets[i] >= 8000 + 100 * (seen.of_page[i] - 1));
    }
    assert_in_range(few, 40 - 24, 40 + 24);
    assert_in_range(seen.object_least_octets, 100, 120);
    uint64_t thought_ns = seen.end_ns[399];
    for (uint32_t i = 0; i < 400; i++)
        thought_ns -= page_ns(i);
    assert_in_range(thought_ns / 399, 800 * MS_IN_NS, 1200 * MS_IN_NS);
    assert_int_equal(app->figures.of[APP_RECORD_page].n, 400);
    assert_int_equal(app->figures.of[APP_RECORD_object].n, seen.objects);
}

static void test_the_host_asks(void **state)
{
    (void)state;
    config.client = FLOW_HOST;
    run(100 * S_IN_NS);
    assert_int_equal(seen.pages, 2);
    assert_int_equal(app->figures.arrived[FLOW_HOST].octets, 62 * (4910 + 250));
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 62 * 350);
}

// Every page has all its objects, whatever is lost.
static void test_losses(void **state)
{
    (void)state;
    for (int from = 0; from < FLOW_ENDS; from++)
        path.link[from].config = (struct link_config){.rate_bit_per_s = 100000,
                                                      .latency_ns = 100 * MS_IN_NS,
                                                      .loss_ppm = 80000,
                                                      .queue_packets = 15};
    config.pages = 20;
    run(3000 * S_IN_NS);
    assert_int_equal(seen.pages, 20);
    assert_int_equal(seen.objects, 20 * 31);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 20 * 31 * (4910 + 250));
}

// A link that is dead for two hours: the connections give up, and the page is finished on new ones.
static void test_a_dead_link_comes_back(void **state)
{
    (void)state;
    config.pages = 5;
    app = path_app("http", &config, 0);
    path_run_to(500 * MS_IN_NS);
    path.link[FLOW_HOST].config.loss_ppm = path.link[FLOW_MS].config.loss_ppm = 1000000;
    path_run_to(7200 * S_IN_NS);
    assert_int_equal(seen.pages, 0);
    assert_true(app->figures.aborted >= 4);
    path.link[FLOW_HOST].config.loss_ppm = path.link[FLOW_MS].config.loss_ppm = 0;
    path_run_to(8000 * S_IN_NS);
    assert_int_equal(seen.pages, 5);
    assert_int_equal(seen.objects, 5 * 31);
    assert_int_equal(path.table.flows.entries, 0);
}

// Connections that are taken away, in a page and while the user reads: what was under way is asked
// for again, and the next page comes when it would have come.
static void test_flows_that_are_finished(void **state)
{
    (void)state;
    config.pages = 3;
    app = path_app("http", &config, 0);
    path_run_to(300 * MS_IN_NS);
    for (struct flow *flow = path.table.all; flow; flow = flow->next)
        flow_finish(flow, 300 * MS_IN_NS);
    path_run_to(301 * MS_IN_NS);
    assert_int_equal(path.table.flows.entries, 0);
    while (seen.pages == 0)
        path_run_to(engine_now_ns(path.engine) + 100 * MS_IN_NS);
    assert_int_equal(seen.of_page[0], 31);
    for (struct flow *flow = path.table.all; flow; flow = flow->next)
        flow_finish(flow, engine_now_ns(path.engine));
    path_run_to(100 * S_IN_NS);
    assert_int_equal(seen.pages, 3);
    assert_int_equal(seen.objects, 93);
    assert_int_equal(seen.begin_ns[1], seen.end_ns[0] + 1 * S_IN_NS);
    assert_int_equal(app->figures.aborted, 8);
}

static void test_pages_of_no_objects(void **state)
{
    (void)state;
    config.main_octets = 0;
    config.embedded_law = DRAW_UNIFORM;
    config.embedded_most = 1;
    config.pages = 50;
    run(200 * S_IN_NS);
    assert_int_equal(seen.pages, 50); // each has one at least
    assert_int_equal(seen.objects, 50);
}

// An object of no octets under no header is one of one octet.
static void test_empty_objects(void **state)
{
    (void)state;
    config.header_octets = 0;
    config.embedded_octets_law = DRAW_UNIFORM;
    config.embedded_octets_most = 1;
    run(200 * S_IN_NS);
    assert_int_equal(seen.objects, 62);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 2 * (4910 + 30));
}

static void test_stop(void **state)
{
    (void)state;
    config.pages = 0;
    config.stop_ns = 30 * S_IN_NS;
    run(31 * S_IN_NS);
    uint32_t pages = seen.pages;
    assert_in_range(pages, 15, 18); // of 1.72 s each
    path_run_to(1000 * S_IN_NS);
    assert_int_equal(seen.pages, pages);
    assert_int_equal(path.ended, app->figures.connections);
    assert_int_equal(path.table.flows.entries, 0);
}

// Three of ten connections are reset at once, and their objects are asked for again: 620 objects
// take 266 connections more, with a deviation of 19.
static void test_servers_that_refuse(void **state)
{
    (void)state;
    config.connections = 1;
    config.reuse = APP_HTTP_OBJECT;
    config.pages = 20;
    config.refused_ppm = 300000;
    run(3000 * S_IN_NS);
    assert_int_equal(seen.pages, 20);
    assert_int_equal(seen.objects, 620);
    assert_int_equal(app->figures.connections, 620 + app->figures.aborted);
    assert_in_range(app->figures.aborted, 266 - 80, 266 + 80);
    assert_int_equal(path.ended, app->figures.connections);
    assert_int_equal(path.table.flows.entries, 0);
}

// Nobody is there: SYNs at 0, 1 and 3 s until the patience ends at 4 s, and again a second later.
static void test_servers_that_are_silent(void **state)
{
    (void)state;
    config.silent_ppm = 999999;
    config.patience_ns = 4 * S_IN_NS;
    run(50 * S_IN_NS - 1);
    assert_int_equal(app->figures.connections, 10);
    assert_int_equal(app->figures.aborted, 10);
    assert_int_equal(path.n[FLOW_MS], 30);
    assert_int_equal(path.n[FLOW_HOST], 0);
    assert_int_equal(seen.objects, 0);
}

// Without patience TCP itself gives up: 7 SYNs in 127 s.
static void test_silence_without_patience(void **state)
{
    (void)state;
    config.silent_ppm = 999999;
    run(127 * S_IN_NS - 1);
    assert_int_equal(app->figures.aborted, 0);
    assert_int_equal(path.n[FLOW_MS], 7);
    path_run_to(127 * S_IN_NS + 10 * MS_IN_NS);
    assert_int_equal(app->figures.aborted, 1);
}

// The answer takes 6 s and finds nobody: a reset, at 9 s there, ends the server's end too, and with
// it the flow.
static void test_an_answer_too_late(void **state)
{
    (void)state;
    path.link[FLOW_HOST].config.latency_ns = path.link[FLOW_MS].config.latency_ns = 3 * S_IN_NS;
    config.patience_ns = 4 * S_IN_NS;
    config.stop_ns = 4500 * MS_IN_NS;
    run(4400 * MS_IN_NS);
    assert_int_equal(path.n[FLOW_MS], 3);
    assert_int_equal(app->figures.aborted, 1);
    path_run_to(9 * S_IN_NS - 1);
    assert_int_equal(path.n[FLOW_MS], 3 + 3);
    assert_int_equal(path.table.flows.entries, 1);
    path_run_to(9 * S_IN_NS + 10 * MS_IN_NS);
    assert_int_equal(path.table.flows.entries, 0);
    assert_int_equal(app->figures.connections, 1);
}

// Patience is of no matter to a connection that opens, however long it lasts then.
static void test_patience_enough(void **state)
{
    (void)state;
    config.connections = 1;
    config.patience_ns = 100 * MS_IN_NS;
    run(100 * S_IN_NS);
    assert_int_equal(seen.pages, 2);
    assert_int_equal(app->figures.aborted, 0);
    assert_int_equal(page_ns(0), 2 * LATENCY_NS * 32);
}

static void test_values_that_do_not_fit(void **state)
{
    (void)state;
    config.main_octets = config.embedded = 0;
    path_expect_refused("http", &config, "a page needs a main object or embedded ones");
    config.main_octets = 1;
    config.main_octets_law = DRAW_PARETO;
    path_expect_refused("http", &config, "http: main_law: needs a _least");
    config.main_octets_law = DRAW_FIXED;
    config.silent_ppm = 600000;
    config.refused_ppm = 400000;
    path_expect_refused("http", &config, "http: silent: with refused it leaves no connection");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_one_connection),
        HTTP_TEST(test_four_connections),
        HTTP_TEST(test_a_connection_for_each_object),
        HTTP_TEST(test_connections_for_one_page),
        HTTP_TEST(test_no_main_object),
        HTTP_TEST(test_drawn_pages),
        HTTP_TEST(test_the_host_asks),
        HTTP_TEST(test_losses),
        HTTP_TEST(test_a_dead_link_comes_back),
        HTTP_TEST(test_flows_that_are_finished),
        HTTP_TEST(test_pages_of_no_objects),
        HTTP_TEST(test_empty_objects),
        HTTP_TEST(test_stop),
        HTTP_TEST(test_servers_that_refuse),
        HTTP_TEST(test_servers_that_are_silent),
        HTTP_TEST(test_silence_without_patience),
        HTTP_TEST(test_an_answer_too_late),
        HTTP_TEST(test_patience_enough),
        HTTP_TEST(test_values_that_do_not_fit),
    };
    return cmocka_run_group_tests_name("lab/hosts/app_http", tests, NULL, NULL);
}
