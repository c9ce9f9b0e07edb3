// The load of an NSE over its NS-VCs: links in proportion to the weights by largest remainder, and
// at each change no link is moved that need not be. A link is followed by the NS-VC it is on, not
// by its place.
#include "dataplane/state/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/dataplane/random.h"

#define NSVCS 40u

static struct state_nsvc nsvcs[NSVCS];
static struct state made = {.nsvc = nsvcs};
static struct state_nse nse;
static uint32_t before[STATE_LINKS]; // the NS-VC of each link

static uint32_t nsvc_of(uint32_t link)
{
    uint32_t place = nse.link[link];
    return place < STATE_NSVCS_AN_NSE ? nse.nsvc[place] : STATE_NONE;
}

static int begin(void **state)
{
    (void)state;
    memset(nsvcs, 0, sizeof nsvcs);
    memset(nse.link, STATE_NSVCS_AN_NSE, sizeof nse.link);
    memset(nse.nsvc, 0xff, sizeof nse.nsvc);
    memset(before, 0xff, sizeof before);
    return 0;
}

static uint32_t links_on(uint32_t nsvc)
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < STATE_LINKS; l++)
        n += nsvc_of(l) == nsvc;
    return n;
}

static uint32_t weight_at(uint32_t place)
{
    return nse.nsvc[place] == STATE_NONE ? 0 : nsvcs[nse.nsvc[place]].weight;
}

// Each has the whole part of its share or one more, and no one with a larger rest goes without
// while another is rounded up.
static void expect_shares(void)
{
    uint32_t sum = 0, least_up = UINT32_MAX, most_down = 0;
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        sum += weight_at(i);
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++) {
        if (nse.nsvc[i] == STATE_NONE)
            continue;
        uint32_t share = STATE_LINKS * weight_at(i), has = links_on(nse.nsvc[i]);
        uint32_t whole = sum ? share / sum : 0, rest = sum ? share % sum : 0;
        assert_in_range(has, whole, whole + (rest > 0));
        if (has > whole)
            least_up = rest < least_up ? rest : least_up;
        else
            most_down = rest > most_down ? rest : most_down;
    }
    assert_true(least_up >= most_down);
    assert_int_equal(links_on(STATE_NONE), sum ? 0 : STATE_LINKS);
}

// As many links have to move as NS-VCs have fewer than they had; no more did.
static void expect_least_moves(void)
{
    uint32_t moved = 0, least = 0;
    for (uint32_t l = 0; l < STATE_LINKS; l++)
        moved += before[l] != nsvc_of(l);
    for (uint32_t nsvc = 0; nsvc <= NSVCS; nsvc++) { // the last stands for none
        uint32_t id = nsvc < NSVCS ? nsvc : STATE_NONE, had = 0, has = links_on(id);
        for (uint32_t l = 0; l < STATE_LINKS; l++)
            had += before[l] == id;
        least += had > has ? had - has : 0;
    }
    assert_int_equal(moved, least);
}

static void spread(void)
{
    for (uint32_t l = 0; l < STATE_LINKS; l++)
        before[l] = nsvc_of(l);
    state_links_spread(&made, &nse);
    expect_shares();
    expect_least_moves();
}

static void put(uint32_t place, uint32_t nsvc, uint8_t weight)
{
    for (uint32_t l = 0; l < STATE_LINKS; l++)
        before[l] = nsvc_of(l);
    nse.nsvc[place] = nsvc;
    if (nsvc != STATE_NONE)
        nsvcs[nsvc].weight = weight;
    state_links_spread(&made, &nse);
    expect_shares();
    expect_least_moves();
}

static void test_no_nsvc_no_link(void **state)
{
    (void)state;
    spread();
    for (uint32_t tlli = 0; tlli < 1000; tlli++)
        assert_true(state_link(&nse, tlli * 0x01234567) == STATE_NONE);
}

static void test_one_has_all(void **state)
{
    (void)state;
    put(3, 7, 1);
    assert_int_equal(links_on(7), STATE_LINKS);
    for (uint32_t tlli = 0; tlli < 1000; tlli++)
        assert_int_equal(state_link(&nse, tlli * 0x01234567), 7);
    put(3, 7, 255);
    assert_int_equal(links_on(7), STATE_LINKS);
    put(3, 7, 0);
    assert_int_equal(links_on(STATE_NONE), STATE_LINKS);
}

// 64 links by 1 : 2 are 21 1/3 and 42 2/3.
static void test_shares_by_largest_remainder(void **state)
{
    (void)state;
    put(0, 0, 1);
    put(1, 1, 2);
    assert_int_equal(links_on(0), 21);
    assert_int_equal(links_on(1), 43);
    put(2, 2, 4); // 9 1/7, 18 2/7, 36 4/7
    assert_int_equal(links_on(0), 9);
    assert_int_equal(links_on(1), 18);
    assert_int_equal(links_on(2), 37);
    put(1, 1, 0); // 12 4/5, 51 1/5
    assert_int_equal(links_on(0), 13);
    assert_int_equal(links_on(1), 0);
    assert_int_equal(links_on(2), 51);
    put(0, STATE_NONE, 0);
    assert_int_equal(links_on(2), 64);
}

static void test_sixteen(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        put(i, 20 + i, 9);
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        assert_int_equal(links_on(20 + i), 4);
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        put(i, 20 + i, i == 5 ? 255 : 1); // 64 x 255 / 270 are 60 120/270
    assert_int_equal(links_on(25), 61);   // its rest is the largest
}

// The MSs of one that leaves go to the others; those of the others stay.
static void test_a_leaver_disturbs_nobody_else(void **state)
{
    uint32_t was[STATE_LINKS];
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        put(i, i, 1);
    for (uint32_t l = 0; l < STATE_LINKS; l++)
        was[l] = nsvc_of(l);
    put(2, STATE_NONE, 0);
    for (uint32_t l = 0; l < STATE_LINKS; l++)
        if (was[l] != 2)
            assert_int_equal(nsvc_of(l), was[l]);
}

// An NS-VC that comes into the place of one that is gone is another one.
static void test_places_are_used_again(void **state)
{
    (void)state;
    put(0, 0, 1);
    put(1, 1, 1);
    put(0, STATE_NONE, 0);
    put(0, 5, 3);
    assert_int_equal(links_on(5), 48);
    assert_int_equal(links_on(1), 16);
}

static void test_any_sequence(void **state)
{
    uint32_t next = 0;
    (void)state;
    random_begin();
    for (int i = 0; i < 50000; i++) {
        uint32_t place = (uint32_t)random_in(0, STATE_NSVCS_AN_NSE - 1);
        uint8_t weight = (uint8_t)(random_next() % 4 ? random_in(0, 5) : random_in(0, 255));
        if (nse.nsvc[place] != STATE_NONE && random_next() % 2) {
            put(place, STATE_NONE, 0);
            continue;
        }
        if (nse.nsvc[place] != STATE_NONE) {
            put(place, nse.nsvc[place], weight);
            continue;
        }
        bool taken = true;
        for (; taken; next++) {
            taken = false;
            for (uint32_t p = 0; p < STATE_NSVCS_AN_NSE; p++)
                taken |= nse.nsvc[p] == (next + 1) % NSVCS;
        }
        put(place, next % NSVCS, weight);
    }
}

// TLLIs that follow each other, as control gives them, spread over the links.
static void test_tllis_spread(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        put(i, i, 1);
    for (uint32_t step = 1; step < 0x1000000; step *= 4) {
        uint32_t in[STATE_NSVCS_AN_NSE] = {0};
        for (uint32_t i = 0; i < 16000; i++)
            in[state_link(&nse, 0xc0000000 + i * step)]++;
        for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
            assert_in_range(in[i], 500, 2000); // 1000 each
    }
}

#define LINKS_TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINKS_TEST(test_no_nsvc_no_link),
        LINKS_TEST(test_one_has_all),
        LINKS_TEST(test_shares_by_largest_remainder),
        LINKS_TEST(test_sixteen),
        LINKS_TEST(test_a_leaver_disturbs_nobody_else),
        LINKS_TEST(test_places_are_used_again),
        LINKS_TEST(test_any_sequence),
        LINKS_TEST(test_tllis_spread),
    };
    return cmocka_run_group_tests_name("state/links", tests, NULL, NULL);
}
