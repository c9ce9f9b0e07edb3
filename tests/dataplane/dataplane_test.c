// Making and ending a dataplane: what cannot be made says why and leaves nothing behind; whatever
// is queued or half sent at the end, no buffer is lost; and the memory is as foretold.
#include "tests/dataplane/path/path.h"
#include "tests/dataplane/taken_memory.h"

#include <string.h>

static void refuses(const struct dp_config *c, const char *reason)
{
    const char *why = NULL;
    assert_null(dp_create(c, &why));
    assert_non_null(why);
    if (!strstr(why, reason))
        fail_msg("'%s' is not about '%s'", why, reason);
}

static void what_cannot_be_made_says_why(void **state)
{
    const struct dp_config good = path_small_config(16, 16);
    struct dp_config c = good;
    (void)state;
    c.classes.item[1].aqm = 200;
    refuses(&c, "no AQM of that number");
    c = good;
    c.classes.item[1].aqm_params.n = 1;
    refuses(&c, "number of parameters");
    c = good;
    path_set_aqm(&c.classes.item[1], "codel");
    c.classes.item[1].aqm_params.item[1].value = 0;
    refuses(&c, "interval");
    c = good;
    c.classes.item[1].weight = 0;
    refuses(&c, "weight");
    c = good;
    c.classes.item[1].bss_least_ns = c.classes.item[1].lifetime_ns + 1;
    refuses(&c, "lifetime");
    c = good;
    c.classes.item[1].scope = SCHED_SCOPE_FLOW;
    refuses(&c, "flow");
    c = good;
    c.gn.device = (struct octets){(const uint8_t *)"net_nobody7", 11};
    refuses(&c, "net_nobody7");
    c = good;
    c.gb.device = (struct octets){(const uint8_t *)"net_nobody7,iface=x", 19}; // Gn is open by then
    refuses(&c, "net_nobody7");
    path_open_small_config(&good); // and none of that has left anything behind
    path_close();
}

static void too_little_memory_is_said(void **state)
{
    struct dp_config c = path_small_config(16, 16);
    (void)state;
    c.queue_packets = 4000000;
    c.mss = 4000000;
    refuses(&c, "memory");
    path_open_small(16, 16);
    path_close();
}

static uint64_t used_by(const struct dp_config *c)
{
    const char *why;
    uint64_t before = taken_memory_octets();
    struct dp *dp = dp_create(c, &why);
    assert_non_null(dp);
    uint64_t with = taken_memory_octets();
    assert_int_equal(dp_destroy(dp), 0);
    assert_int_equal(taken_memory_octets(), before);
    return with - before;
}

// What more of something takes; what DPDK needs for a port in any case is the EAL's to add.
static void foretold_memory_is_what_is_taken(void **state)
{
    const struct dp_config small = path_small_config(1000, 64);
    struct dp_config large[] = {small, small, small, small, small, small};
    (void)state;
    large[0].mss = large[0].pdps = 131080; // just more than the tables by name have room for
    large[1].queue_packets = 20000;
    large[2].queue_flows = 64;
    large[2].classes.item[1].flows = true;
    large[3].gb.rx_frames = 16384;
    large[4].mss = large[4].pdps = 300000;
    large[4].worker_mss = large[4].worker_pdps = 50000;
    large[5].mss = 100000;
    large[5].ms_options_octets = 10;
    for (uint32_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        uint64_t more = used_by(&large[i]) - used_by(&small);
        uint64_t foretold = dp_memory_octets(&large[i]) - dp_memory_octets(&small);
        assert_in_range(more, foretold * 95 / 100, foretold);
    }
}

// The room for an IMSI, and nothing else, in whole lines of the cache.
static void an_imsi_takes_its_octets(void **state)
{
    struct dp_config without = path_small_config(1000, 64), with;
    (void)state;
    without.mss = 100001;
    without.ms_options_octets = 0;
    with = without;
    with.ms_options_octets = 10;
    uint64_t room = (100001 * 10 + 63) / 64 * 64;
    assert_int_equal(dp_memory_octets(&with) - dp_memory_octets(&without), room);
    assert_in_range(used_by(&with) - used_by(&without), room, room + 128); // the heap's own part
}

// Frames at the port, a half-sent N-PDU, queues of two MSs longer than the list of drops.
static void the_end_counts_all_that_waits(void **state)
{
    (void)state;
    path_open_small(4000, 2);
    p.hold_frames = true;
    path_plain_ms(0, 0, 200);
    path_plain_ms(1, 0, 200);
    for (uint32_t i = 0; i < 2000; i++) {
        path_down(i % 2, 500);
        if (i % 64 == 63)
            path_poll();
    }
    path_poll();
    assert_true(dp_balanced(p.worker));
    assert_int_equal(dp_queued(p.worker).packets, 2000);
    path_close(); // asserts that no buffer is held
}

static void two_dataplanes_after_each_other_are_alike(void **state)
{
    uint64_t octets[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        path_open_small(16, 64);
        path_plain_ms(0, 0, 200);
        for (uint32_t n = 1; n < 16; n++)
            path_down(0, n * 90);
        path_poll();
        octets[i] = p.octets_out[STATS_GB];
        path_close();
    }
    assert_int_equal(octets[0], octets[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_made_says_why),
        cmocka_unit_test(too_little_memory_is_said),
        cmocka_unit_test(foretold_memory_is_what_is_taken),
        cmocka_unit_test(an_imsi_takes_its_octets),
        cmocka_unit_test(the_end_counts_all_that_waits),
        cmocka_unit_test(two_dataplanes_after_each_other_are_alike),
    };
    return cmocka_run_group_tests_name("dataplane", tests, path_start_eal, NULL);
}
