// Dialogues: each step comes when its conditions are true and the end has thought, by times that
// are worked out here; files that are wrong are refused by the name of what is wrong.
#include "lab/hosts/app_dialogue.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lab/hosts/path.h"

static struct app_dialogue_config config;
static char name[32]; // of a file in memory
static int fd;
static struct {
    uint32_t n;
    uint64_t begin_ns[10], end_ns[10], octets[10];
} pages;

// 100 ms of round trip, and no time for octets.
static const struct link_config ideal = {.latency_ns = 50 * MS_IN_NS};
static const struct link_config dead = {.latency_ns = 50 * MS_IN_NS, .loss_ppm = 1000000};

#define HEAD DIALOGUE_HEAD "\n"

static void write_file(const char *text)
{
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
}

static void record(void *self, const struct app *by, enum app_record what, uint64_t begin_ns,
                   uint64_t octets, uint64_t now_ns)
{
    (void)self, (void)by;
    assert_int_equal(what, APP_RECORD_page);
    assert_true(pages.n < 10);
    pages.begin_ns[pages.n] = begin_ns;
    pages.octets[pages.n] = octets;
    pages.end_ns[pages.n++] = now_ns;
}

static void make_on(const struct link_config *link)
{
    memset(&pages, 0, sizeof pages);
    path_setup(link, link);
    path.world.owner = (struct app_owner){NULL, record};
    path_standard(&app_dialogue_config_record, &config);
    config.file = (struct octets){(const uint8_t *)name, (uint32_t)strlen(name)};
}

static int make(void **state)
{
    (void)state;
    make_on(&ideal);
    return 0;
}

static int make_dead(void **state)
{
    (void)state;
    make_on(&dead);
    return 0;
}

// When the end sent its packet with that much data first, behind a time; headers are 40 octets and
// no option but timestamps, 12.
static uint64_t sent_at(enum flow_end from, uint32_t data_octets, uint64_t behind_ns)
{
    for (uint32_t i = 0; i < path.n[from]; i++)
        if (path.sent[from][i].octets == data_octets + 52 && path.sent[from][i].at_ns >= behind_ns)
            return path.sent[from][i].at_ns;
    fail_msg("no packet with %u octets", data_octets);
    return 0;
}

#define ROW_OPTIONS ",0,0,1,1\n"

// Opens at 3 s, is open at 3.1 s at the MS; the host has the request at 3.15 s, thinks for 40 ms,
// and the MS has the answer at 3.24 s; it thinks for 2 s.
static void test_a_dialogue(void **state)
{
    (void)state;
    write_file(HEAD "# a comment\n"
                    "1,1,ms-opens,1,0,0,0,1000000" ROW_OPTIONS "1,1,ms-sends,1,350,1,0,0,,,,\n"
                    "1,1,host-sends,1,1000,1,350,40000,,,,\n"
                    "1,1,ms-sends,2,351,1,1000,2000000,,,,\n"
                    "1,1,host-sends,2,1001,1,701,0,,,,\n"
                    "1,1,host-closes,2,0,1,701,500000,,,,\n");
    config.start_ns = 2 * S_IN_NS;
    struct app *app = path_app("dialogue", &config, 0);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(path.sent[FLOW_MS][0].at_ns, 3 * S_IN_NS);
    assert_int_equal(sent_at(FLOW_MS, 350, 0), 3100 * MS_IN_NS);
    assert_int_equal(sent_at(FLOW_HOST, 1000, 0), 3190 * MS_IN_NS);
    assert_int_equal(sent_at(FLOW_MS, 351, 0), 5240 * MS_IN_NS);
    assert_int_equal(sent_at(FLOW_HOST, 1001, 0), 5290 * MS_IN_NS);
    // Its own octets are acknowledged at 5.39 s at the latest, and it thinks behind that.
    assert_int_equal(sent_at(FLOW_HOST, 0, 5880 * MS_IN_NS), 5890 * MS_IN_NS);
    assert_int_equal(pages.n, 2);
    assert_int_equal(pages.begin_ns[0], 3 * S_IN_NS);
    assert_int_equal(pages.end_ns[0], 3240 * MS_IN_NS);
    assert_int_equal(pages.octets[0], 1000);
    assert_int_equal(pages.begin_ns[1], 5240 * MS_IN_NS);
    assert_int_equal(pages.end_ns[1], 5340 * MS_IN_NS);
    assert_int_equal(pages.octets[1], 1001);
    assert_int_equal(app->figures.connections, 1);
    assert_int_equal(app->figures.aborted, 0);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 2001);
    assert_int_equal(app->figures.arrived[FLOW_HOST].octets, 701);
    assert_int_equal(path.ended, 1);
}

// The second connection opens when the first has 600 octets, and its request waits for all 1000;
// the third, which is the last in the file, waits for the least.
// Both answers are of one page.
static void test_one_waits_for_the_other(void **state)
{
    (void)state;
    write_file(HEAD "2,1,ms-opens,1,0,0,0,0" ROW_OPTIONS "2,1,ms-sends,1,350,1,0,0,,,,\n"
                    "2,1,host-sends,1,600,1,350,0,,,,\n"
                    "2,1,host-sends,1,400,1,350,1000000,,,,\n"
                    "2,2,ms-opens,1,0,1,600,100000" ROW_OPTIONS
                    "2,2,ms-sends,1,70,1,1000,30000,,,,\n"
                    "2,2,host-sends,1,500,2,70,0,,,,\n"
                    "2,3,ms-opens,0,0,1,300,50000" ROW_OPTIONS);
    config.user = 2;
    path_app("dialogue", &config, 0);
    path_run_to(100 * S_IN_NS);
    // 600 octets go at 150 ms and are there at 200; 400 follow a second behind the ACK at 250.
    assert_int_equal(sent_at(FLOW_HOST, 600, 0), 150 * MS_IN_NS);
    // SYN, ACK with data, ACK, and two SYNs
    assert_int_equal(path.sent[FLOW_MS][3].at_ns, 250 * MS_IN_NS);
    assert_int_equal(path.sent[FLOW_MS][4].at_ns, 300 * MS_IN_NS);
    assert_int_equal(sent_at(FLOW_HOST, 400, 0), 1250 * MS_IN_NS);
    assert_int_equal(sent_at(FLOW_MS, 70, 0), 1330 * MS_IN_NS);
    assert_int_equal(pages.n, 1);
    assert_int_equal(pages.octets[0], 1500);
    assert_int_equal(pages.end_ns[0], 1430 * MS_IN_NS);
}

static void test_a_host_opens_and_both_send(void **state)
{
    (void)state;
    write_file(HEAD "1,1,host-opens,0,0,0,0,0" ROW_OPTIONS "1,1,ms-sends,0,5000,1,0,0,,,,\n"
                    "1,1,host-sends,0,6000,1,0,0,,,,\n1,1,ms-closes,0,0,1,6000,0,,,,\n");
    struct app *app = path_app("dialogue", &config, 0);
    path_run_to(200 * S_IN_NS);
    assert_int_equal(path.sent[FLOW_HOST][0].at_ns, 0);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 6000);
    assert_int_equal(app->figures.arrived[FLOW_HOST].octets, 5000);
    assert_int_equal(pages.n, 0); // page 0 is none
    assert_int_equal(path.ended, 1);
}

// Segments of 500 octets at most, with their options; and a window of 1000.
static void test_what_the_ends_use(void **state)
{
    (void)state;
    write_file(HEAD "1,1,ms-opens,1,0,0,0,0,500,1000,0,0\n1,1,host-sends,1,20000,1,0,0,,,,\n");
    path_app("dialogue", &config, 0);
    path_run_to(100 * S_IN_NS);
    uint64_t at_ns = path.sent[FLOW_HOST][1].at_ns;
    uint32_t at_once = 0;
    for (uint32_t i = 1; i < path.n[FLOW_HOST]; i++) {
        assert_in_range(path.sent[FLOW_HOST][i].octets, 40, 540); // no timestamps
        at_once += path.sent[FLOW_HOST][i].at_ns == at_ns;
    }
    assert_int_equal(at_once, 2);
    assert_int_equal(pages.n, 1);
}

// Nothing arrives: after seven SYNs the first connection fails, and does not hold up the second.
static void test_what_fails(void **state)
{
    (void)state;
    write_file(HEAD "1,1,ms-opens,1,0,0,0,0" ROW_OPTIONS "1,1,host-sends,1,10,1,0,0,,,,\n"
                    "1,2,ms-opens,1,0,1,10,1000" ROW_OPTIONS "1,2,host-sends,1,10,2,0,0,,,,\n");
    struct app *app = path_app("dialogue", &config, 0);
    path_run_to(1000 * S_IN_NS);
    assert_int_equal(path.n[FLOW_MS], 14);
    assert_int_equal(path.sent[FLOW_MS][7].at_ns - path.sent[FLOW_MS][6].at_ns,
                     63 * S_IN_NS + 1 * MS_IN_NS + 1 * S_IN_NS);
    assert_int_equal(app->figures.connections, 2);
    assert_int_equal(app->figures.aborted, 2);
    assert_int_equal(pages.n, 0);
}

static void test_the_stop(void **state)
{
    (void)state;
    write_file(HEAD "1,1,ms-opens,1,0,0,0,0" ROW_OPTIONS "1,1,host-sends,1,10,1,0,0,,,,\n"
                    "1,1,ms-sends,1,10,1,10,9000000,,,,\n");
    config.stop_ns = 5 * S_IN_NS;
    path_app("dialogue", &config, 0);
    path_run_to(1000 * S_IN_NS);
    assert_int_equal(path.sent[FLOW_MS][path.n[FLOW_MS] - 1].at_ns, 5 * S_IN_NS); // a reset
    assert_int_equal(path.ended, 1);
}

// The file has users 1 and 3; each of two MSs is one of them, and the file is read once.
static void test_users(void **state)
{
    (void)state;
    write_file(HEAD "1,1,ms-opens,1,0,0,0,0" ROW_OPTIONS "3,1,ms-opens,1,0,0,0,0" ROW_OPTIONS
                    "3,1,host-sends,1,77,1,0,0,,,,\n");
    struct app *app[3];
    for (uint32_t i = 0; i < 3; i++) {
        config.user = i + 1;
        config.file = (struct octets){(const uint8_t *)name, (uint32_t)strlen(name)};
        app[i] = path_app("dialogue", &config, i);
    }
    path_run_to(10 * S_IN_NS);
    assert_int_equal(app[0]->figures.connections, 1);
    assert_int_equal(app[1]->figures.connections, 0);
    assert_int_equal(app[2]->figures.arrived[FLOW_MS].octets, 77);
    assert_non_null(path.world.dialogue_files);
    assert_null(path.world.dialogue_files->next);
}

#define OPEN "1,1,ms-opens,1,0,0,0,0" ROW_OPTIONS

static const struct {
    const char *text, *why;
} wrong[] = {
    {"", "no connections"},
    {HEAD, "no connections"},
    {"1,1\n", "line 1: the first line is not the head"},
    {HEAD "0,1,ms-opens,1,0,0,0,0" ROW_OPTIONS, "line 2: user"},
    {HEAD "100001,1,ms-opens,1,0,0,0,0" ROW_OPTIONS, "line 2: user"},
    {HEAD "1,1,ms-open,1,0,0,0,0" ROW_OPTIONS, "line 2: what"},
    {HEAD "1,2,ms-opens,1,0,0,0,0" ROW_OPTIONS, "line 2: connection"},
    {HEAD OPEN "1,2,ms-sends,1,5,1,0,0,,,,\n", "line 3: connection"},
    {HEAD OPEN "1,1,ms-sends,1,0,1,0,0,,,,\n", "line 3: octets"},
    {HEAD OPEN "1,1,ms-closes,1,7,1,0,0,,,,\n", "line 3: octets"},
    {HEAD OPEN "1,1,ms-sends,1,1000000001,1,0,0,,,,\n", "line 3: octets"},
    {HEAD OPEN "1,1,ms-sends,1,-5,1,0,0,,,,\n", "line 3: octets"},
    {HEAD OPEN "1,1,ms-sends,1,5,2,0,0,,,,\n", "a connection that the user does not have"},
    {HEAD OPEN "1,1,ms-sends,1,5,2,0,0,,,,\n2,1,ms-opens,1,0,0,0,0" ROW_OPTIONS,
     "a connection that the user does not have"},
    {HEAD OPEN "1,2,ms-opens,1,0,2,0,0" ROW_OPTIONS, "line 3: after"},
    {HEAD OPEN "1,2,ms-opens,1,0,1,0,0" ROW_OPTIONS "1,2,host-sends,1,9,1,0,0,,,,\n",
     "line 4: after"},
    {HEAD OPEN "1,1,ms-sends,1,5,1,0,1000000000001,,,,\n", "line 3: think_us"},
    {HEAD OPEN "1,1,ms-sends,1,5,1,1099511627777,0,,,,\n", "line 3: received"},
    {HEAD OPEN "1,1,ms-sends,1,5,1,0,0,,,,,\n", "line 3: more columns"},
    {HEAD OPEN "1,1,ms-sends,1,5,1,0,0,,,2,\n", "line 3: sack"},
    {HEAD "1,1,ms-opens,1,0,0,0,0,1461,0,1,1\n", "line 2: mss: a number up to 1460"},
    {HEAD OPEN "1,1,ms-sends,1,5\n", "line 3: after"},
    {HEAD OPEN "2,1,ms-opens,1,0,0,0,0" ROW_OPTIONS OPEN, "line 4: user"},
    {HEAD "#...................................................................................."
          "..................................................................................."
          "..................................................................................\n",
     "line 2: a line of more than 200 octets"},
};

static void test_wrong_files(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_file(wrong[i].text);
        path_expect_refused("dialogue", &config, wrong[i].why);
    }
    config.file = (struct octets){(const uint8_t *)"/nowhere/at/all", 15};
    path_expect_refused("dialogue", &config, "/nowhere/at/all");
    config.file = (struct octets){(const uint8_t *)"/dev/null", 9};
    path_expect_refused("dialogue", &config, "not a regular file");
    config.file.n = 0;
    path_expect_refused("dialogue", &config, "a name of 1 to 4095 octets");
}

// Random files of good lines in a random order and with random changes: refused, or played to the
// end of the run with balanced books (path.h).
static void test_random_files(void **state)
{
    static const char *const words[] = {"ms-opens",   "host-opens", "ms-sends",
                                        "host-sends", "ms-closes",  "host-closes"};
    struct rng rng;
    uint32_t taken = 0;
    rng_seed(&rng, 9, 9);
    for (uint32_t i = 0; i < 300; i++) {
        char text[8000];
        size_t n = (size_t)snprintf(text, sizeof text, HEAD);
        uint32_t connection = 0, most = 1 + (uint32_t)rng_below(&rng, 5);
        for (uint64_t rows = 1 + rng_below(&rng, 40); rows > 0; rows--) {
            uint64_t what = connection && rng_below(&rng, 10) ? 2 + rng_below(&rng, 4) : 0;
            what = what == 0 && connection == most ? 2 : what;
            connection += what == 0;
            bool host = what % 2, sends = what == 2 || what == 3;
            uint64_t after = host ? connection : 1 + rng_below(&rng, most);
            if (what == 0 && after == connection)
                after = 0;
            n += (size_t)snprintf(text + n, sizeof text - n, "1,%u,%s,%u,%u,%u,%u,%u,,,1,1\n",
                                  connection, words[what], (uint32_t)rng_below(&rng, 4),
                                  sends ? 1 + (uint32_t)rng_below(&rng, 9000) : 0, (uint32_t)after,
                                  (uint32_t)rng_below(&rng, 9000),
                                  (uint32_t)rng_below(&rng, 3000000));
        }
        if (rng_below(&rng, 4) == 0)
            text[rng_below(&rng, n)] = (char)(32 + rng_below(&rng, 90));
        path_release(state);
        make(state);
        write_file(text);
        char error[APP_ERROR_ROOM] = "";
        struct dialogue_file *read = app_dialogue_read(name, error);
        assert_true(read || strlen(error) > 0);
        if (read) {
            path_app("dialogue", &config, 0);
            path_run_to(300 * S_IN_NS);
            taken++;
        }
        app_dialogue_free(read);
    }
    assert_in_range(taken, 50, 299);
}

static int make_file(void **state)
{
    (void)state;
    fd = memfd_create("dialogue", 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return fd < 0 ? -1 : 0;
}

static int close_file(void **state)
{
    (void)state;
    return close(fd);
}

#define DIALOGUE_TEST(name) cmocka_unit_test_setup_teardown(name, make, path_release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DIALOGUE_TEST(test_a_dialogue),
        DIALOGUE_TEST(test_one_waits_for_the_other),
        DIALOGUE_TEST(test_a_host_opens_and_both_send),
        DIALOGUE_TEST(test_what_the_ends_use),
        cmocka_unit_test_setup_teardown(test_what_fails, make_dead, path_release),
        DIALOGUE_TEST(test_the_stop),
        DIALOGUE_TEST(test_users),
        DIALOGUE_TEST(test_wrong_files),
        DIALOGUE_TEST(test_random_files),
    };
    return cmocka_run_group_tests(tests, make_file, close_file);
}
