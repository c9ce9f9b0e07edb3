// The link selector (TS 48.016 4.4): each MS stays on one NS-VC of its NSE, load follows the
// weights, and a change of one NS-VC moves only those that were on it or come to it.
#include "tests/dataplane/path/path.h"

#define LINK_MSS 1024u

static void open_links(const uint8_t *weights, uint32_t nsvcs)
{
    struct dp_config c = path_config(1);
    path_open(&c);
    path_nse(0);
    path_ggsn(0, false);
    for (uint32_t i = 0; i < nsvcs; i++)
        path_nsvc(i, 0, i % 2, weights[i]);
    path_bvc(0, 0, 2);
    for (uint32_t ms = 0; ms < LINK_MSS; ms++)
        path_plain_ms(ms, 0, 500);
}

static void send_to_all(uint32_t times)
{
    for (uint32_t i = 0; i < PATH_NSVCS; i++)
        p.nsvc[i].frames = 0;
    for (uint32_t i = 0; i < times * LINK_MSS; i++) {
        path_down(i % LINK_MSS, 100);
        if (i % 32 == 31)
            path_poll();
    }
    path_poll();
}

static void end(void)
{
    path_expect_all();
    path_close();
}

static uint32_t changes(void)
{
    uint32_t sum = 0;
    for (uint32_t ms = 0; ms < LINK_MSS; ms++)
        sum += p.ms[ms].changes;
    return sum;
}

// Of the 64 of an NSE, by Knuth's multiplicative hash of its TLLI.
static uint32_t link_of(uint32_t ms)
{
    return (uint32_t)((uint64_t)p.ms[ms].tlli * 2654435769u % (1ULL << 32) * 64 >> 32);
}

// All MSs of a link are on one NS-VC; each NS-VC has the whole part of its share of the links, or
// one more if its share is not whole; and the frames of the MSs that are on them.
static void expect_shares(const uint8_t *weights, uint32_t nsvcs, uint32_t times)
{
    uint32_t on[64], links[PATH_NSVCS] = {0}, mss[PATH_NSVCS] = {0}, sum = 0;
    for (uint32_t l = 0; l < 64; l++)
        on[l] = PATH_NONE;
    for (uint32_t ms = 0; ms < LINK_MSS; ms++) {
        uint32_t l = link_of(ms), nsvc = p.ms[ms].nsvc;
        assert_true(nsvc < nsvcs);
        links[nsvc] += on[l] == PATH_NONE;
        on[l] = on[l] == PATH_NONE ? nsvc : on[l];
        assert_int_equal(nsvc, on[l]);
        mss[nsvc]++;
    }
    for (uint32_t i = 0; i < nsvcs; i++)
        sum += weights[i];
    for (uint32_t i = 0; i < nsvcs; i++) {
        uint32_t share = 64 * weights[i];
        assert_in_range(links[i], share / sum, share / sum + (share % sum > 0));
        assert_int_equal(p.nsvc[i].frames, times * mss[i]);
    }
}

static void each_ms_stays_on_one_link_and_load_follows_the_weights(void **state)
{
    static const uint8_t weights[] = {10, 10, 20, 0, 40};
    (void)state;
    open_links(weights, 5);
    send_to_all(8);
    assert_int_equal(changes(), 0);
    expect_shares(weights, 5, 8);
    end();
}

// Who moves was on the link that went, or goes to the one that came.
static void expect_moves(const uint32_t *before, uint32_t gone, uint32_t come)
{
    uint32_t moved = 0;
    for (uint32_t ms = 0; ms < LINK_MSS; ms++) {
        if (before[ms] == p.ms[ms].nsvc)
            continue;
        moved++;
        assert_true(before[ms] == gone || p.ms[ms].nsvc == come);
    }
    assert_true(moved > 0);
}

static void note_links(uint32_t *links)
{
    for (uint32_t ms = 0; ms < LINK_MSS; ms++)
        links[ms] = p.ms[ms].nsvc;
}

static void a_change_moves_only_the_links_that_it_is_about(void **state)
{
    static uint32_t before[LINK_MSS];
    uint8_t weights[] = {1, 1, 1, 1};
    (void)state;
    open_links(weights, 4);
    send_to_all(1);
    note_links(before);

    path_nsvc_weight(2, weights[2] = 0);
    send_to_all(1);
    expect_moves(before, 2, PATH_NONE);
    expect_shares(weights, 4, 1);
    note_links(before);

    path_nsvc_weight(2, weights[2] = 1);
    send_to_all(1);
    expect_moves(before, PATH_NONE, 2);
    expect_shares(weights, 4, 1);
    note_links(before);

    weights[0] = 0;
    path_nsvc_remove(0);
    send_to_all(1);
    expect_moves(before, 0, PATH_NONE);
    expect_shares(weights, 4, 1);
    end();
}

// None left: what comes is dropped, under that name.
static void without_a_link_nothing_goes(void **state)
{
    static const uint8_t weights[] = {1};
    (void)state;
    open_links(weights, 1);
    path_nsvc_weight(0, 0);
    p.lossy_down = true;
    send_to_all(1);
    assert_int_equal(p.down_received, 0);
    assert_int_equal(path_dropped(DROP_no_link).packets, LINK_MSS);
    path_nsvc_weight(0, 1);
    send_to_all(1);
    assert_int_equal(p.down_received, LINK_MSS);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_ms_stays_on_one_link_and_load_follows_the_weights),
        cmocka_unit_test(a_change_moves_only_the_links_that_it_is_about),
        cmocka_unit_test(without_a_link_nothing_goes),
    };
    return cmocka_run_group_tests_name("path_links", tests, path_start_eal, NULL);
}
