// Gb's frames by peer, through a NIC with rules (port/rule_nic.h): once the rules have followed the
// NS-VCs no frame is handed on, whatever commands came in whatever order; before that, and where
// the NIC has no room, they are handed on and none is lost. What has no rule comes to a queue that
// depends on its NS-VC alone, as with RSS.
#include <rte_ethdev.h>
#include <string.h>

#include "tests/dataplane/path/workers.h"
#include "tests/dataplane/port/rule_nic.h"

#define WORKERS 3u
#define NSES    6u // two of each worker
#define MSS     12u
#define NSVCS   24u // four of each NSE at the beginning

static uint16_t gb_port;
static uint32_t without_rule; // frames that came without

static void open_by_peer(uint32_t rules_most)
{
    struct dp_config c = path_config(WORKERS);
    random_begin();
    c.gn_steering = PORT_STEERING_STRAYS;
    rule_nic = (struct rule_nic){.knows_addresses = true,
                                 .knows_udp_ports = true,
                                 .knows_fragments = true,
                                 .looks_into_first = true,
                                 .rules_most = rules_most};
    without_rule = 0;
    path_open(&c);
    assert_int_equal(rte_eth_dev_get_port_by_name("net_ring_gb", &gb_port), 0);
    path_ciphers_begin();
    path_ggsn(0, false);
    path_ggsn(1, true);
    for (uint32_t nse = 0; nse < NSES; nse++) {
        path_nse(nse);
        path_bvc(nse, nse, (uint16_t)(2 + nse));
    }
    for (uint32_t nsvc = 0; nsvc < NSVCS; nsvc++)
        path_nsvc(nsvc, nsvc % NSES, nsvc % 2, 1);
    for (uint32_t ms = 0; ms < MSS; ms++)
        add_ms(ms, ms % NSES);
}

static void give_to_its_queue(const struct ip_frame *frame, uint32_t nsvc)
{
    int queue = rule_nic_queue_at(gb_port, frame->octets, frame->n);
    without_rule += queue < 0;
    assert_true(path_give(STATS_GB, queue < 0 ? (7 * nsvc + 1) % WORKERS : (uint32_t)queue, frame));
}

// An N-PDU of that context over that NS-VC, in fragments of `mtu` if that is not 0. Returns how
// many frames came.
static uint32_t up_through_nic(uint32_t pdp, uint32_t nsvc, size_t octets, size_t mtu)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX], piece;
    static uint8_t npdu[PATH_NPDU_OCTETS_MAX];
    static uint32_t id;
    struct path_ms *ms = &p.ms[p.pdp[pdp].ms];
    struct ul_cell cell = path_cell(ms->bvc);
    uint32_t seed = path_seed();
    cell.ends = path_ends_gb(nsvc);
    path_fill(npdu, octets, seed);
    unsigned n = ul_send(&ms->up, &cell, p.pdp[pdp].sapi, p.pdp[pdp].nsapi, npdu, octets, frames);
    path_expect(&p.pdp[pdp].up, seed, octets);
    for (unsigned i = 0; i < n; i++) {
        if (mtu == 0 || frames[i].n <= 14 + mtu) {
            give_to_its_queue(&frames[i], nsvc);
            continue;
        }
        id++;
        for (size_t at = 0; (at = ip_fragment(&frames[i], id, mtu, at, &piece)) > 0;)
            give_to_its_queue(&piece, nsvc);
        give_to_its_queue(&piece, nsvc);
    }
    path_poll();
    return n;
}

// Over each NS-VC that there is; returns how many frames came.
static uint32_t traffic_over_all(void)
{
    uint32_t frames = 0;
    for (uint32_t nsvc = 0; nsvc < PATH_NSVCS; nsvc++)
        for (uint32_t ms = 0; ms < MSS && p.nsvc[nsvc].made; ms++)
            if (p.bvc[p.ms[ms].bvc].nse == p.nsvc[nsvc].nse)
                frames += up_through_nic(2 * ms + ms % 2, nsvc, random_in(1, 1500), 0);
    return frames;
}

static uint32_t made_nsvcs(void)
{
    uint32_t n = 0;
    for (uint32_t nsvc = 0; nsvc < PATH_NSVCS; nsvc++)
        n += p.nsvc[nsvc].made;
    return n;
}

static void follow(void)
{
    for (uint32_t i = 0; dp_rules_follow(p.dp); i++)
        assert_true(i < 10 * PATH_NSVCS);
}

static void expect_rules(uint32_t wanted_made, uint32_t wanted_refused)
{
    uint32_t made, refused;
    const char *why;
    assert_true(dp_rules(p.dp, &made, &refused, &why));
    assert_int_equal(made, wanted_made);
    assert_int_equal(refused, wanted_refused);
    assert_int_equal(rule_nic.rules, wanted_made);
    if (refused)
        assert_string_equal(why, "no room for rules");
}

// A frame without a rule that comes to the right worker by chance is not handed on.
static void rules_leave_no_strays(void **state)
{
    (void)state;
    open_by_peer(RULE_NIC_RULES);
    expect_rules(0, 0);
    uint32_t frames = traffic_over_all();
    assert_int_equal(without_rule, frames);
    uint64_t before = strays(STATS_GB, true);
    assert_in_range(before, frames / 3, frames); // two in three, but not of all the same
    follow();
    expect_rules(NSVCS, 0);
    for (int i = 0; i < 5; i++)
        traffic_over_all();
    assert_int_equal(without_rule, frames);
    assert_int_equal(strays(STATS_GB, true), before);
    assert_int_equal(strays(STATS_GN, true), 0);
    close_whole();
}

static void each_call_makes_one_at_most(void **state)
{
    (void)state;
    open_by_peer(RULE_NIC_RULES);
    for (uint32_t before = 0; dp_rules_follow(p.dp); before = rule_nic.rules)
        assert_in_range(rule_nic.rules, before, before + 1);
    expect_rules(NSVCS, 0);
    for (uint32_t nsvc = 0; nsvc < NSVCS; nsvc += 2)
        path_nsvc_remove(nsvc);
    expect_rules(NSVCS, 0);
    for (uint32_t before = NSVCS; dp_rules_follow(p.dp); before = rule_nic.rules)
        assert_in_range(rule_nic.rules, before - 1, before);
    expect_rules(NSVCS / 2, 0);
    close_whole();
}

// The same endpoint, and the same id, for another NSE's worker before control has turned to rules.
static void a_rule_follows_its_endpoint(void **state)
{
    (void)state;
    open_by_peer(RULE_NIC_RULES);
    follow();
    for (uint32_t nsvc = 0; nsvc < NSES; nsvc++) {
        path_nsvc_remove(nsvc);
        path_nsvc(nsvc, (nsvc + 1) % NSES, nsvc % 2, 1);
    }
    uint32_t frames = traffic_over_all();
    assert_int_equal(without_rule, 0);
    uint64_t before = strays(STATS_GB, true);
    assert_in_range(before, 1, frames / 2); // to the old worker
    follow();
    expect_rules(NSVCS, 0);
    traffic_over_all();
    assert_int_equal(strays(STATS_GB, true), before);
    assert_int_equal(without_rule, 0);
    path_nsvc_remove(0);
    path_nsvc(0, 1, true, 1); // the same id and worker, another endpoint
    follow();
    expect_rules(NSVCS, 0);
    traffic_over_all();
    assert_int_equal(without_rule, 0);
    close_whole();
}

static void a_nic_without_room_is_tried_again(void **state)
{
    (void)state;
    open_by_peer(NSVCS - 4);
    follow();
    expect_rules(NSVCS - 4, 4);
    uint32_t frames = traffic_over_all();
    assert_in_range(without_rule, 1, frames / 2);
    assert_in_range(strays(STATS_GB, true), 1, without_rule);
    path_nsvc_remove(NSVCS - 1); // one that was refused
    follow();
    expect_rules(NSVCS - 4, 3);
    path_nsvc_remove(0);
    path_nsvc_remove(1);
    follow();
    expect_rules(NSVCS - 4, 1);
    uint32_t asked = rule_nic.makes;
    follow();
    assert_int_equal(rule_nic.makes, asked); // not again and again
    path_nsvc(0, 0, false, 1);
    follow();
    expect_rules(NSVCS - 4, 2);
    assert_int_equal(rule_nic.makes, asked + 1);
    traffic_over_all();
    close_whole();
}

// They come without a rule, are joined where they come to, and handed on as one.
static void fragments_are_joined_before_they_are_handed_on(void **state)
{
    (void)state;
    open_by_peer(RULE_NIC_RULES);
    follow();
    p.ms[0].up.n201_u = 1520;
    uint32_t wrong = 0;
    for (uint32_t nsvc = 0; nsvc < NSVCS; nsvc += NSES) {
        uint32_t frames = up_through_nic(0, nsvc, 1400, 576);
        wrong += (7 * nsvc + 1) % WORKERS != 0 ? frames : 0;
    }
    assert_true(without_rule > wrong && wrong > 0);
    assert_int_equal(strays(STATS_GB, true), wrong);
    path_expect_all();
    path_close();
}

// NS-VCs come and go at random, and control turns to rules in between, or not.
static void any_order_ends_right(void **state)
{
    (void)state;
    open_by_peer(NSVCS + 8);
    for (uint32_t i = 0; i < 4000 / LESS; i++) {
        uint32_t nsvc = random_in(0, PATH_NSVCS - 1), nse = random_in(0, NSES - 1), there = 0;
        for (uint32_t n = 0; n < PATH_NSVCS; n++)
            there += p.nsvc[n].made && p.nsvc[n].nse == nse;
        if (p.nsvc[nsvc].made)
            path_nsvc_remove(nsvc);
        else if (there < 8)
            path_nsvc(nsvc, nse, random_in(0, 1), 1);
        for (uint32_t n = random_in(0, 3); n > 0; n--)
            dp_rules_follow(p.dp);
        if (i % 256 == 255) {
            traffic_over_all();
            follow();
            uint32_t made = made_nsvcs() < NSVCS + 8 ? made_nsvcs() : NSVCS + 8;
            expect_rules(made, made_nsvcs() - made);
            uint32_t without = without_rule;
            uint64_t before = strays(STATS_GB, true);
            traffic_over_all();
            assert_in_range(strays(STATS_GB, true) - before, 0, without_rule - without);
        }
    }
    close_whole();
}

static void without_the_way_there_are_no_rules(void **state)
{
    uint32_t made, refused;
    const char *why;
    (void)state;
    open_by_peer(0); // so the first is refused at the start
    assert_false(dp_rules_follow(p.dp));
    assert_false(dp_rules(p.dp, &made, &refused, &why));
    traffic_over_all();
    assert_true(strays(STATS_GB, true) > 0);
    close_whole();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_leave_no_strays),
        cmocka_unit_test(each_call_makes_one_at_most),
        cmocka_unit_test(a_rule_follows_its_endpoint),
        cmocka_unit_test(a_nic_without_room_is_tried_again),
        cmocka_unit_test(fragments_are_joined_before_they_are_handed_on),
        cmocka_unit_test(any_order_ends_right),
        cmocka_unit_test(without_the_way_there_are_no_rules),
    };
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
