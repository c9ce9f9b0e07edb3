// Push-to-talk: bursts and silences of one talker; in a group one talks at a time, and all others
// hear every frame.
#include "lab/hosts/app_ptt.h"

#include "tests/lab/hosts/path.h"

static struct app_ptt_config config;
static const struct link_config fast = {.latency_ns = 10 * MS_IN_NS};

static int make(void **state)
{
    (void)state;
    path_setup(&fast, &fast);
    path_standard(&app_ptt_config_record, &config);
    return 0;
}

// 5 s of talk are 25 packets of 200 ms, then 5 s of silence: 25 packets in 10 s, as 8 kbit/s talk.
static void test_alone(void **state)
{
    (void)state;
    struct app *app = path_app("ptt", &config, 0);
    path_run_to(1000 * S_IN_NS);
    const struct path_sent *sent = path.sent[FLOW_HOST];
    assert_int_equal(path.n[FLOW_MS], 0);
    assert_in_range(path.n[FLOW_HOST], 2475, 2500);
    for (uint32_t i = 0; i < path.n[FLOW_HOST]; i++) {
        assert_int_equal(sent[i].octets, 200);
        if (i > 0)
            assert_int_equal(sent[i].at_ns - sent[i - 1].at_ns,
                             i % 25 ? 200 * MS_IN_NS : 5200 * MS_IN_NS);
    }
    assert_int_equal(app->figures.missing[FLOW_MS], 0);
    assert_int_equal(app->figures.arrived[FLOW_MS].packets, path.n[FLOW_HOST]);
}

static void test_talking_up_without_silence(void **state)
{
    (void)state;
    config.way = APP_UP;
    config.silence_ns = 0;
    config.ect = 1;
    config.stop_ns = 100 * S_IN_NS;
    struct app *app = path_app("ptt", &config, 0);
    path_run_to(200 * S_IN_NS);
    assert_in_range(path.n[FLOW_MS], 499, 500);
    assert_int_equal(path.sent[FLOW_MS][0].tos, 2);
    assert_int_equal(app->figures.arrived[FLOW_HOST].packets, path.n[FLOW_MS]);
}

// A talk burst that is shorter than an interval is still one packet.
static void test_drawn_bursts(void **state)
{
    uint32_t bursts = 1;
    (void)state;
    config.talk_ns_law = config.silence_ns_law = DRAW_EXPONENTIAL;
    path_app("ptt", &config, 0);
    path_run_to(10000 * S_IN_NS);
    uint32_t n = path.n[FLOW_HOST];
    for (uint32_t i = 1; i < n; i++)
        bursts +=
            path.sent[FLOW_HOST][i].at_ns - path.sent[FLOW_HOST][i - 1].at_ns > 200 * MS_IN_NS;
    // Rounded up a burst is 5.1 s, a silence 5 s: 990 bursts, deviation 22; of 25.5 packets.
    assert_in_range(bursts, 990 - 110, 990 + 110);
    assert_in_range(100 * n / bursts, 2550 - 340, 2550 + 340);
}

// One packet, where the drawn talk is of no length.
static void test_the_shortest_burst(void **state)
{
    (void)state;
    config.talk_ns_law = DRAW_UNIFORM;
    config.talk_ns_most = 1;
    path_app("ptt", &config, 0);
    path_run_to(1000 * S_IN_NS);
    assert_in_range(path.n[FLOW_HOST], 190, 193); // one in 5.2 s
}

// Five members: who talks sends up; the server sends to the four others, 10 ms later; nobody else
// talks meanwhile, and each talks in a fifth of the bursts.
static void test_a_group(void **state)
{
    struct app *member[5];
    uint64_t spoken = 0;
    (void)state;
    config.group = 7;
    config.talk_ns = 1 * S_IN_NS;
    config.silence_ns = 1 * S_IN_NS;
    for (uint32_t i = 0; i < 5; i++)
        member[i] = path_app("ptt", &config, i);
    path_run_to(2000 * S_IN_NS - 500 * MS_IN_NS);
    uint32_t up = path.n[FLOW_MS], down = path.n[FLOW_HOST];
    assert_in_range(up, 4990, 5000);
    assert_in_range(down, 4 * (up - 1), 4 * up);
    for (uint32_t i = 0; i < down; i++)
        assert_int_equal(path.sent[FLOW_HOST][i].at_ns,
                         path.sent[FLOW_MS][i / 4].at_ns + 10 * MS_IN_NS);
    for (uint32_t i = 0; i < 5; i++) {
        const struct app_figures *f = &member[i]->figures;
        assert_in_range(f->sent[FLOW_MS].packets, 1000 - 320,
                        1000 + 320); // 4 deviations of 16 bursts
        assert_int_equal(f->sent[FLOW_MS].packets + f->sent[FLOW_HOST].packets,
                         up - (down < 4 * up));
        assert_int_equal(f->missing[FLOW_MS], 0);
        spoken += f->sent[FLOW_MS].packets;
    }
    assert_int_equal(spoken, up);
}

// Groups do not hear each other.
static void test_two_groups(void **state)
{
    struct app *member[4];
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        config.group = 1 + i % 2;
        member[i] = path_app("ptt", &config, i);
    }
    path_run_to(101 * S_IN_NS);
    for (uint32_t i = 0; i < 4; i++) {
        const struct app_figures *f = &member[i]->figures, *g = &member[(i + 2) % 4]->figures;
        assert_int_equal(f->arrived[FLOW_MS].packets, g->arrived[FLOW_HOST].packets);
    }
}

// Members that begin one after another: each talks and hears from then on, and not before.
static void test_members_that_are_spread(void **state)
{
    struct app *member[4];
    uint32_t joined_apart = 0;
    (void)state;
    config.group = 7;
    config.talk_ns = 1 * S_IN_NS;
    config.silence_ns = 0;
    config.spread_ns = 100 * S_IN_NS;
    for (uint32_t i = 0; i < 4; i++)
        member[i] = path_app("ptt", &config, i);
    for (uint64_t now_ns = S_IN_NS; now_ns <= 400 * S_IN_NS; now_ns += S_IN_NS) {
        uint32_t members = 0;
        path_run_to(now_ns);
        for (uint32_t i = 0; i < 4; i++) {
            const struct app_figures *f = &member[i]->figures;
            members += member[i]->started;
            if (!member[i]->started)
                assert_int_equal(f->sent[FLOW_HOST].packets + f->sent[FLOW_MS].packets, 0);
        }
        joined_apart += members > 0 && members < 4;
    }
    assert_in_range(joined_apart, 10, 100);
    for (uint32_t i = 0; i < 4; i++) {
        assert_in_range(member[i]->figures.sent[FLOW_MS].packets, 100, 1000);
        assert_in_range(member[i]->figures.arrived[FLOW_MS].packets, 1000, 2000);
    }
}

// The last member talks to nobody; a group that all have left begins again with the next.
static void test_members_come_and_go(void **state)
{
    (void)state;
    config.group = 7;
    config.silence_ns = 0;
    config.stop_ns = 50 * S_IN_NS;
    struct app *first = path_app("ptt", &config, 0);
    config.stop_ns = 100 * S_IN_NS;
    struct app *second = path_app("ptt", &config, 1);
    config.start_ns = 150 * S_IN_NS;
    config.stop_ns = 200 * S_IN_NS;
    struct app *third = path_app("ptt", &config, 2);
    path_run_to(49 * S_IN_NS);
    uint64_t to_first = first->figures.arrived[FLOW_MS].packets;
    assert_int_equal(first->figures.sent[FLOW_MS].packets + second->figures.sent[FLOW_MS].packets,
                     path.n[FLOW_MS]);
    path_run_to(99 * S_IN_NS);
    assert_in_range(first->figures.arrived[FLOW_MS].packets, to_first, to_first + 6);
    uint32_t up = path.n[FLOW_MS];
    assert_in_range(up, 490, 500);
    path_run_to(300 * S_IN_NS);
    assert_in_range(third->figures.sent[FLOW_MS].packets, 248, 250);
    assert_int_equal(third->figures.arrived[FLOW_MS].packets, 0);
}

// Who leaves amid a burst is silent, and another talks.
static void test_the_speaker_leaves(void **state)
{
    (void)state;
    config.group = 7;
    config.talk_ns = 1000 * S_IN_NS;
    config.silence_ns = 0;
    config.stop_ns = 50 * S_IN_NS;
    struct app *first = path_app("ptt", &config, 0);
    config.start_ns = 1 * S_IN_NS;
    config.stop_ns = 100 * S_IN_NS;
    struct app *second = path_app("ptt", &config, 1);
    path_run_to(200 * S_IN_NS);
    assert_in_range(first->figures.sent[FLOW_MS].packets, 249, 250);
    assert_int_equal(first->figures.arrived[FLOW_MS].packets, 0);
    assert_in_range(second->figures.arrived[FLOW_MS].packets, 244, 246);
    assert_in_range(second->figures.sent[FLOW_MS].packets, 249, 250);
}

static void test_values_that_do_not_fit(void **state)
{
    (void)state;
    config.talk_ns_law = DRAW_LOGNORMAL;
    path_expect_refused("ptt", &config, "ptt: talk_law: needs _deviation");
    config.talk_ns_law = DRAW_FIXED;
    config.silence_ns_law = DRAW_UNIFORM;
    path_expect_refused("ptt", &config, "ptt: silence_law: needs _most");
}

#define PTT_TEST(name) cmocka_unit_test_setup_teardown(name, make, path_release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PTT_TEST(test_alone),
        PTT_TEST(test_talking_up_without_silence),
        PTT_TEST(test_drawn_bursts),
        PTT_TEST(test_the_shortest_burst),
        PTT_TEST(test_the_speaker_leaves),
        PTT_TEST(test_a_group),
        PTT_TEST(test_two_groups),
        PTT_TEST(test_members_that_are_spread),
        PTT_TEST(test_members_come_and_go),
        PTT_TEST(test_values_that_do_not_fit),
    };
    return cmocka_run_group_tests_name("lab/hosts/app_ptt", tests, NULL, NULL);
}
