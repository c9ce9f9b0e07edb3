// The downlink from the wire to the wire: what enters as GTP-U at the Gn port is what an
// independent receiver gets out of the Gb frames, octet for octet and in order, after reassembly,
// deciphering and the segments' joining; over both IP families on each side, through fragments on
// each side, to an NS-VC of its NSE, with the elements that were asked for.
#include "tests/dataplane/path/path.h"

#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/path/turns.h"
#include "tests/dataplane/random.h"

static void send_some(uint32_t pdp, size_t octets, uint32_t *sent)
{
    path_down(pdp, octets);
    if (++*sent % 32 == 0)
        path_poll();
}

static void end(uint32_t sent)
{
    path_poll();
    print_message("# %u N-PDUs in %lu frames\n", sent, (unsigned long)p.frames_out[STATS_GB]);
    assert_int_equal(p.down_received, sent);
    path_expect_all();
    path_close();
}

static void every_size(const struct dp_config *c, uint32_t stride)
{
    uint32_t sent = 0;
    turns_open(c, 2);
    turns_all();
    turns_every_size(send_some, stride, &sent);
    end(sent);
}

static void every_size_comes_out_unchanged(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    every_size(&c, STRIDE);
}

static void every_n201_u_at_random_sizes(void **state)
{
    uint32_t sent = 0;
    struct dp_config c = path_config(1);
    (void)state;
    turns_open(&c, 2);
    turns_every_n201_u(send_some, &sent);
    end(sent);
}

// Every LLE's N201-U changes between N-PDUs, the next one is cut by the new one.
static void n201_u_changes(void **state)
{
    uint32_t sent = 0;
    struct dp_config c = path_config(1);
    (void)state;
    random_begin();
    turns_open(&c, 2);
    for (uint32_t ms = 0; ms < 16; ms++)
        turns_ms(ms, 500, turns_geas[ms % 3]);
    for (uint32_t round = 0; round < 6000 / STRIDE; round++) {
        uint32_t ms = (uint32_t)random_in(0, 15);
        path_ms_n201_u(ms, p.pdp[ms].sapi, (uint16_t)random_in(140, 1520));
        path_down(ms, random_in(1, 1500));
        path_poll();
        sent++;
    }
    end(sent);
}

// Neither Gb frames nor G-PDUs fit into the MTU of their links.
static void through_fragments(uint16_t gb_mtu, uint16_t gn_mtu)
{
    uint32_t sent = 0;
    struct dp_config c = path_config(1);
    c.gb.mtu_octets = gb_mtu;
    turns_open(&c, 2);
    p.gn_mtu_octets = gn_mtu;
    for (uint32_t i = 0; i < 4 * TURNS_N201_US; i++)
        turns_ms(i, turns_n201_us[i / 4 % TURNS_N201_US], turns_geas[i % 3]);
    for (uint32_t octets = 1; octets <= 1500; octets += 7 * STRIDE)
        for (uint32_t ms = 0; ms < 4 * TURNS_N201_US; ms++)
            send_some(ms, octets, &sent);
    path_poll();
    uint64_t large = dp_stats(dp_worker(p.dp, 0))->of_port[STATS_GB].tx_fragmented;
    assert_true(large > 100 / STRIDE);
    assert_in_range(gb_receiver_counters(p.gb)->fragments, 2 * large, 4 * large);
    assert_int_equal(dp_stats(dp_worker(p.dp, 0))->of_port[STATS_GN].joined_packets > 0,
                     gn_mtu != 0);
    end(sent);
}

static void frames_beyond_the_mtu_go_in_fragments(void **state)
{
    (void)state;
    through_fragments(576, 0);
    through_fragments(1280, 700);
}

static void fragments_of_the_downlink_are_joined(void **state)
{
    (void)state;
    through_fragments(1500, 576);
}

// ---- Optional elements (TS 48.018 10.2.1) ----

static const uint8_t ra_capability[] = {0x17, 0x93, 0x43, 0x2b, 0x37, 0x10};

// Each is octet for octet as the tables of 48.018 11.3 have it; in the order of 10.2.1.
static void elements_are_those_that_were_asked_for(void **state)
{
    static const uint8_t all[] = {0x13, 0x86, 0x17, 0x93, 0x43, 0x2b, 0x37, 0x10, 0x17, 0x81, 0x81,
                                  0x0a, 0x82, 0x0b, 0x20, 0x0d, 0x88, 0x29, 0x26, 0x02, 0x10, 0x32,
                                  0x54, 0x76, 0x98, 0x1f, 0x84, 0xc0, 0x00, 0x12, 0x34};
    const struct command_ms_options options = {.has_ra_capability = true,
                                               .ra_capability = {ra_capability, 6},
                                               .has_priority = true,
                                               .priority = 0x81,
                                               .has_drx = true,
                                               .drx = 0x0b20,
                                               .has_imsi = true,
                                               .imsi = {"262200123456789"},
                                               .has_old_tlli = true,
                                               .old_tlli = 0xc0001234};
    struct dp_config c = path_config(1);
    uint32_t sent = 0;
    (void)state;
    turns_open(&c, 2);
    for (uint32_t ms = 0; ms < 24; ms++) {
        turns_ms(ms, turns_n201_us[ms % TURNS_N201_US], turns_geas[ms % 3]);
        path_pdp(100 + ms, ms, 0, (uint8_t)(5 + (ms + 4) % 11), 3, 0, (int)(ms % 128));
    }
    for (uint32_t round = 0; round < 4; round++)
        for (uint32_t ms = 0; ms < 24; ms++) {
            // none, all, all again, none again; some later than others
            if (round == 1 || round == 2)
                path_ms_options(ms, &options, all, sizeof all);
            if (round == 3)
                path_ms_options(ms, &(struct command_ms_options){0}, NULL, 0);
            for (uint32_t octets = 1; octets < 1500; octets += 37 * STRIDE) {
                send_some(ms, octets, &sent);
                send_some(100 + ms, 1501 - octets, &sent);
            }
            path_poll();
        }
    end(sent);
}

// One element at a time, and every PFI.
static void elements_one_by_one(void **state)
{
    struct command_ms_options one[5] = {
        {.has_ra_capability = true, .ra_capability = {ra_capability, 6}},
        {.has_priority = true, .priority = 0x81},
        {.has_drx = true, .drx = 0x0b20},
        {.has_imsi = true, .imsi = {"00101123456789"}},
        {.has_old_tlli = true, .old_tlli = 0x80abcdef}};
    static const struct {
        uint8_t octets[12], n;
    } wanted[] = {{{0x13, 0x86, 0x17, 0x93, 0x43, 0x2b, 0x37, 0x10}, 8},
                  {{0x17, 0x81, 0x81}, 3},
                  {{0x0a, 0x82, 0x0b, 0x20}, 4},
                  {{0x0d, 0x88, 0x01, 0x10, 0x10, 0x21, 0x43, 0x65, 0x87, 0xf9}, 10},
                  {{0x1f, 0x84, 0x80, 0xab, 0xcd, 0xef}, 6}};
    struct dp_config c = path_config(1);
    uint32_t sent = 0;
    (void)state;
    turns_open(&c, 2);
    turns_ms(0, 1520, 0);
    for (int i = 0; i < 5; i++) {
        path_ms_options(0, &one[i], wanted[i].octets, wanted[i].n);
        send_some(0, 100, &sent);
    }
    for (int pfi = 0; pfi < 128; pfi++) {
        path_pdp(200, 0, 0, 15, 9, 1, pfi);
        path_down(200, 1 + (uint32_t)pfi);
        path_poll();
        sent++;
        path_pdp_remove(200);
    }
    end(sent);
}

// The numbers go on under another TLLI, and elements and keys stay.
static void another_tlli(void **state)
{
    static const uint8_t priority[] = {0x17, 0x81, 0x07};
    struct dp_config c = path_config(1);
    uint32_t sent = 0;
    (void)state;
    random_begin();
    turns_open(&c, 2);
    for (uint32_t ms = 0; ms < 12; ms++) {
        turns_ms(ms, 200, turns_geas[ms % 3]);
        path_ms_options(ms, &(struct command_ms_options){.has_priority = true, .priority = 7},
                        priority, 3);
    }
    for (uint32_t round = 0; round < 600; round++) {
        for (uint32_t ms = 0; ms < 12; ms++, sent++)
            path_down(ms, random_in(1, 600));
        path_poll();
        path_ms_tlli((uint32_t)random_in(0, 11));
    }
    assert_true(path_oc_most >= 1024);
    end(sent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_comes_out_unchanged),
        cmocka_unit_test(every_n201_u_at_random_sizes),
        cmocka_unit_test(n201_u_changes),
        cmocka_unit_test(frames_beyond_the_mtu_go_in_fragments),
        cmocka_unit_test(fragments_of_the_downlink_are_joined),
        cmocka_unit_test(elements_are_those_that_were_asked_for),
        cmocka_unit_test(elements_one_by_one),
        cmocka_unit_test(another_tlli),
    };
    return cmocka_run_group_tests_name("path_down", tests, path_start_eal, NULL);
}
