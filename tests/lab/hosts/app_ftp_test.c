// File transfers: all octets arrive, once, in the time that the links need; and what ends a
// transfer.
#include "lab/hosts/app_ftp.h"

#include "tests/lab/hosts/path.h"

static struct app_ftp_config config;
static struct app *app;
static struct {
    uint32_t n;
    uint64_t begin_ns[1000], end_ns[1000], octets[1000];
} seen;

// 200 kbit/s down and 50 up, 100 ms of round trip.
static const struct link_config down = {.rate_bit_per_s = 200000, .latency_ns = 50 * MS_IN_NS};
static const struct link_config up = {.rate_bit_per_s = 50000, .latency_ns = 50 * MS_IN_NS};
// Without rates a transfer is made of round trips.
static const struct link_config ideal = {.latency_ns = 50 * MS_IN_NS};

static void record(void *self, const struct app *by, enum app_record what, uint64_t begin_ns,
                   uint64_t octets, uint64_t now_ns)
{
    assert_ptr_equal(self, &seen);
    assert_ptr_equal(by, app);
    assert_int_equal(what, APP_RECORD_transfer);
    seen.begin_ns[seen.n] = begin_ns;
    seen.octets[seen.n] = octets;
    seen.end_ns[seen.n++] = now_ns;
}

static void make_path(const struct link_config *link_down, const struct link_config *link_up)
{
    memset(&seen, 0, sizeof seen);
    path_setup(link_down, link_up);
    path.world.owner = (struct app_owner){&seen, record};
    path_standard(&app_ftp_config_record, &config);
    config.file_octets = 100000;
}

static int make(void **state)
{
    (void)state;
    make_path(&down, &up);
    return 0;
}

static int make_ideal(void **state)
{
    (void)state;
    make_path(&ideal, &ideal);
    return 0;
}

static void expect_one_file(enum flow_end to)
{
    const struct app_figures *f = &app->figures;
    assert_int_equal(f->connections, 1);
    assert_int_equal(f->aborted, 0);
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.octets[0], config.file_octets);
    assert_int_equal(f->arrived[to].octets, config.file_octets);
    assert_int_equal(f->arrived[flow_far(to)].octets, config.request_octets);
    assert_int_equal(f->sent[flow_far(to)].octets, config.file_octets);
    assert_int_equal(f->sent[to].octets, config.request_octets);
}

// A full packet has 1448 octets of data in 1500: 100 000 octets need at least 70 packets or 4.14 s
// at 200 kbit/s, and the handshake and the first packet's way 150 ms and a little.
static void test_a_download(void **state)
{
    (void)state;
    app = path_app("ftp", &config, 0);
    path_run_to(10 * S_IN_NS);
    expect_one_file(FLOW_MS);
    assert_in_range(seen.end_ns[0], 4143 * MS_IN_NS + 150 * MS_IN_NS,
                    4143 * MS_IN_NS + 600 * MS_IN_NS);
    path_run_to(200 * S_IN_NS);
    assert_int_equal(path.ended, 1);
    assert_int_equal(path.table.flows.entries, 0);
}

static void test_an_upload(void **state)
{
    (void)state;
    config.way = APP_UP;
    app = path_app("ftp", &config, 0);
    path_run_to(40 * S_IN_NS);
    expect_one_file(FLOW_HOST);
    assert_in_range(seen.end_ns[0], 16570 * MS_IN_NS + 150 * MS_IN_NS,
                    16570 * MS_IN_NS + 1000 * MS_IN_NS);
}

// Handshake, then the file in one round trip's window: the SYN and its answer 100 ms, and 50 ms for
// the data that follows the client's ACK, 50 ms later.
static void test_who_opens(void **state)
{
    (void)state;
    config.file_octets = 5000;
    app = path_app("ftp", &config, 0);
    path_run_to(10 * S_IN_NS);
    expect_one_file(FLOW_MS);
    assert_int_equal(seen.end_ns[0], 200 * MS_IN_NS);
    assert_int_equal(path.sent[FLOW_MS][0].at_ns, 0);
}

// The host opens: it may send when the answer to its SYN is there.
static void test_the_host_opens(void **state)
{
    (void)state;
    config.file_octets = 5000;
    config.opener = FLOW_HOST;
    app = path_app("ftp", &config, 0);
    path_run_to(10 * S_IN_NS);
    expect_one_file(FLOW_MS);
    assert_int_equal(seen.end_ns[0], 150 * MS_IN_NS);
    assert_int_equal(path.sent[FLOW_HOST][0].at_ns, 0);
}

// The request leaves the client behind its ACK, so it costs nothing; of a client that listens, it
// comes half a round trip behind the opening, and the file the other half.
static void test_a_request(void **state)
{
    (void)state;
    config.file_octets = 5000;
    config.request_octets = 300;
    app = path_app("ftp", &config, 0);
    path_run_to(10 * S_IN_NS);
    expect_one_file(FLOW_MS);
    assert_int_equal(seen.end_ns[0], 200 * MS_IN_NS);
    path_release(NULL);
    make_ideal(NULL);
    config.file_octets = 5000;
    config.request_octets = 300;
    config.opener = FLOW_HOST;
    app = path_app("ftp", &config, 0);
    path_run_to(10 * S_IN_NS);
    expect_one_file(FLOW_MS);
    assert_int_equal(seen.end_ns[0], 250 * MS_IN_NS);
}

// All of the request must be there: 5000 octets take 0.8 s at 50 kbit/s.
static void test_a_long_request(void **state)
{
    uint32_t first = 0;
    (void)state;
    config.request_octets = 5000;
    app = path_app("ftp", &config, 0);
    path_run_to(20 * S_IN_NS);
    expect_one_file(FLOW_MS);
    while (path.sent[FLOW_HOST][first].octets < 1000)
        first++;
    assert_in_range(path.sent[FLOW_HOST][first].at_ns, 900 * MS_IN_NS, 1200 * MS_IN_NS);
}

static void test_files_one_after_the_other(void **state)
{
    (void)state;
    config.file_octets = 5000;
    config.files = 10;
    config.pause_ns = 700 * MS_IN_NS;
    config.start_ns = 2 * S_IN_NS;
    app = path_app("ftp", &config, 0);
    path_run_to(1000 * S_IN_NS);
    assert_int_equal(seen.n, 10);
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(seen.begin_ns[i], 2 * S_IN_NS + i * 900 * MS_IN_NS);
        assert_int_equal(seen.end_ns[i], seen.begin_ns[i] + 200 * MS_IN_NS);
        assert_int_equal(seen.octets[i], 5000);
    }
    assert_int_equal(app->figures.connections, 10);
    assert_int_equal(path.ended, 10);
    assert_int_equal(path.table.flows.entries, 0);
}

// The stop resets the connection, and nothing is sent behind the reset and its way.
static void test_unlimited_until_the_stop(void **state)
{
    (void)state;
    config.file_octets = 0;
    config.stop_ns = 60 * S_IN_NS;
    app = path_app("ftp", &config, 0);
    path_run_to(60 * S_IN_NS);
    // 60 s at 200 kbit/s are 1.5 MB, of which 1448 in 1500 are data.
    uint64_t octets = app->figures.arrived[FLOW_MS].octets;
    assert_in_range(octets, 1448000 * 97 / 100, 1448000);
    path_run_to(500 * S_IN_NS);
    assert_int_equal(path.ended, 1);
    assert_int_equal(path.table.flows.entries, 0);
    assert_int_equal(seen.n, 0);
    // The MS answers what comes meanwhile with resets, until the first of them has arrived.
    for (int from = 0; from < FLOW_ENDS; from++)
        assert_true(path.sent[from][path.n[from] - 1].at_ns < 60 * S_IN_NS + 200 * MS_IN_NS);
    assert_true(path.table.fault[FLOW_MS][FLOW_FAULT_no_flow] > 0);
}

// The request is under way when its client stops and resets the connection, which arrives behind
// it.
static void test_a_request_before_the_stop(void **state)
{
    (void)state;
    config.request_octets = 300;
    config.stop_ns = 120 * MS_IN_NS;
    app = path_app("ftp", &config, 0);
    path_run_to(10 * S_IN_NS);
    assert_int_equal(app->figures.arrived[FLOW_HOST].octets, 300);
    for (uint32_t i = 0; i < path.n[FLOW_HOST]; i++)
        assert_true(path.sent[FLOW_HOST][i].octets < 100); // no file
    assert_int_equal(path.table.flows.entries, 0);
}

// Whatever the links lose, every octet arrives once.
static void test_losses_both_ways(void **state)
{
    (void)state;
    path.link[FLOW_HOST].config.loss_ppm = 50000;
    path.link[FLOW_HOST].config.queue_packets = 20;
    path.link[FLOW_MS].config.loss_ppm = 50000;
    path.link[FLOW_MS].config.jitter_ns = 30 * MS_IN_NS;
    config.files = 20;
    app = path_app("ftp", &config, 0);
    path_run_to(3000 * S_IN_NS);
    assert_int_equal(seen.n, 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(seen.octets[i], 100000);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 20 * 100000);
    assert_true(path.link[FLOW_HOST].counters.lost[NET_LOSS_link_random].packets > 50);
    for (int fault = 0; fault < FLOW_FAULTS; fault++)
        if (fault != FLOW_FAULT_no_flow) // of what comes behind a flow's end
            assert_int_equal(path.table.fault[FLOW_MS][fault], 0);
}

// Nobody is there: after 6 more SYNs, at 1, 3, 7, ... 63 s, and a last wait of 64 s, the opener
// gives up; with an endless number of files it tries again after the pause.
static void test_a_dead_link(void **state)
{
    (void)state;
    path.link[FLOW_MS].config.loss_ppm = 1000000;
    config.files = 3;
    app = path_app("ftp", &config, 0);
    path_run_to(1000 * S_IN_NS);
    assert_int_equal(app->figures.connections, 3);
    assert_int_equal(app->figures.aborted, 3);
    assert_int_equal(path.n[FLOW_MS], 3 * 7);
    assert_int_equal(path.sent[FLOW_MS][7].at_ns, 128 * S_IN_NS);
    assert_int_equal(path.table.flows.entries, 0);
    assert_int_equal(seen.n, 0);
}

// The link dies amid a transfer: the sender gives up in time, and the flow ends although the
// receiver has nothing to wait for.
static void test_a_link_that_dies(void **state)
{
    (void)state;
    config.file_octets = 0;
    app = path_app("ftp", &config, 0);
    path_run_to(5 * S_IN_NS);
    path.link[FLOW_HOST].config.loss_ppm = path.link[FLOW_MS].config.loss_ppm = 1000000;
    path_run_to(2000 * S_IN_NS);
    assert_int_equal(app->figures.aborted, 1);
    assert_int_equal(path.ended, 1);
    assert_int_equal(path.table.flows.entries, 0);
}

// The file is there, but the receiver's FIN never arrives: what becomes of the connection is of no
// matter to the next transfer.
static void test_a_close_that_fails(void **state)
{
    (void)state;
    config.files = 2;
    config.pause_ns = 3600 * S_IN_NS;
    app = path_app("ftp", &config, 0);
    while (seen.n == 0)
        path_run_to(engine_now_ns(path.engine) + MS_IN_NS);
    path.link[FLOW_MS].config.loss_ppm = 1000000;
    path_run_to(3500 * S_IN_NS);
    assert_int_equal(path.ended, 1);
    path.link[FLOW_MS].config.loss_ppm = 0;
    path_run_to(4000 * S_IN_NS);
    assert_int_equal(seen.n, 2);
    assert_int_equal(seen.begin_ns[1], seen.end_ns[0] + config.pause_ns);
    assert_int_equal(app->figures.connections, 2);
    assert_int_equal(app->figures.aborted, 0);
}

// A connection that is taken away, as when its MS is: the transfer has failed.
static void test_a_flow_that_is_finished(void **state)
{
    (void)state;
    config.files = 2;
    app = path_app("ftp", &config, 0);
    path_run_to(2 * S_IN_NS);
    flow_finish(path.table.all, 2 * S_IN_NS);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(app->figures.connections, 2);
    assert_int_equal(app->figures.aborted, 1);
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.begin_ns[0], 3 * S_IN_NS);
}

// A thousand MSs, one after the other and at a time, leave nothing behind.
static void test_many(void **state)
{
    static struct app *apps[1000];
    uint64_t octets = 0;
    (void)state;
    path.world.owner = (struct app_owner){0};
    config.file_octets = 10000;
    config.files = 3;
    for (uint32_t i = 0; i < 1000; i++) {
        config.start_ns = i * 3 * MS_IN_NS;
        apps[i] = path_app("ftp", &config, i);
    }
    path_run_to(300 * S_IN_NS);
    for (uint32_t i = 0; i < 1000; i++)
        octets += apps[i]->figures.arrived[FLOW_MS].octets;
    assert_int_equal(octets, 1000 * 3 * 10000);
    assert_int_equal(path.ended, 3000);
    assert_int_equal(path.table.flows.entries, 0);
}

#define FTP_TEST(name)       cmocka_unit_test_setup_teardown(name, make, path_release)
#define FTP_IDEAL_TEST(name) cmocka_unit_test_setup_teardown(name, make_ideal, path_release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FTP_TEST(test_a_download),
        FTP_TEST(test_an_upload),
        FTP_IDEAL_TEST(test_who_opens),
        FTP_IDEAL_TEST(test_the_host_opens),
        FTP_IDEAL_TEST(test_a_request),
        FTP_TEST(test_a_long_request),
        FTP_TEST(test_a_close_that_fails),
        FTP_IDEAL_TEST(test_files_one_after_the_other),
        FTP_TEST(test_unlimited_until_the_stop),
        FTP_IDEAL_TEST(test_a_request_before_the_stop),
        FTP_TEST(test_losses_both_ways),
        FTP_TEST(test_a_dead_link),
        FTP_TEST(test_a_link_that_dies),
        FTP_TEST(test_a_flow_that_is_finished),
        FTP_IDEAL_TEST(test_many),
    };
    return cmocka_run_group_tests_name("lab/hosts/app_ftp", tests, NULL, NULL);
}
