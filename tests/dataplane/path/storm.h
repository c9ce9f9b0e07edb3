// Random commands at random instants of virtual time, with random traffic both ways, in a random
// world of path.h. The oracles are told of each command as it is given, so they judge all that
// comes out; who draws the numbers is random.h of the test that includes this.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_STORM_H
#define SLUICE_TESTS_DATAPLANE_PATH_STORM_H

#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/worker.h"
#include "tests/dataplane/path/path.h"
#include "tests/dataplane/path/cipher.h"
#include "tests/dataplane/random.h"

#define STORM_NSES  4u
#define STORM_BVCS  12u // NSE: number modulo STORM_NSES
#define STORM_NSVCS 12u // likewise
#define STORM_MSS   40u
#define STORM_PDPS  80u // MS: number modulo STORM_MSS; NSAPI 5 or 6

static inline uint32_t storm_one_of(uint32_t count)
{
    return (uint32_t)(random_next() % count);
}

// Frames of control's that came out; what is in them is llc_test.c's affair.
static uint32_t storm_llcs;

static inline void storm_count_llc(const struct ip_datagram *datagram)
{
    storm_llcs += datagram->n > 0;
}

static inline void storm_begin(const struct dp_config *config)
{
    path_open(config);
    p.on_llc = storm_count_llc;
    storm_llcs = 0;
    path_ciphers_begin();
    p.lossy_down = p.lossy_up = p.any_segments = true;
    for (uint32_t i = 0; i < 2; i++)
        path_ggsn(i, i);
    for (uint32_t i = 0; i < STORM_NSES; i++)
        path_nse(i);
    for (uint32_t i = 0; i < STORM_NSVCS; i++)
        path_nsvc(i, i % STORM_NSES, storm_one_of(2), (uint8_t)random_in(1, 10));
    for (uint32_t i = 0; i < STORM_BVCS; i++)
        path_bvc(i, i % STORM_NSES, (uint16_t)(2 + i));
}

static inline void storm_ms(uint32_t ms)
{
    if (p.ms[ms].made) {
        path_ms_remove(ms);
        return;
    }
    path_ms(ms, storm_one_of(STORM_BVCS), (uint16_t)random_in(140, 1520));
    for (uint8_t slot = 0; slot < 3; slot++)
        path_pfc(ms, slot, (uint8_t)storm_one_of(CLASS_COUNT));
}

// Made and perhaps not carried out yet: nobody has been told its TEID.
static bool storm_fresh[STORM_PDPS];

static inline void storm_pdp(uint32_t pdp)
{
    static const uint8_t sapis[] = {3, 5, 9, 11};
    storm_fresh[pdp] = true;
    if (p.pdp[pdp].made)
        path_pdp_remove(pdp);
    else if (p.ms[pdp % STORM_MSS].made)
        path_pdp(pdp, pdp % STORM_MSS, (uint8_t)storm_one_of(3), pdp < STORM_MSS ? 5 : 6,
                 sapis[storm_one_of(4)], storm_one_of(2), (int)storm_one_of(140) - 12);
}

static inline void storm_nsvc(uint32_t nsvc)
{
    if (!p.nsvc[nsvc].made)
        path_nsvc(nsvc, nsvc % STORM_NSES, storm_one_of(2), (uint8_t)storm_one_of(4));
    else if (nsvc < STORM_NSES) // one of each NSE stays, or N-PDUs would end in the middle
        path_nsvc_weight(nsvc, (uint8_t)random_in(1, 4));
    else if (storm_one_of(3) == 0)
        path_nsvc_remove(nsvc);
    else if (storm_one_of(3) == 0)
        DO(nsvc_weight, nsvc, 4, .has_blocked = true, .blocked = true);
    else
        path_nsvc_weight(nsvc, (uint8_t)storm_one_of(4));
}

static inline void storm_bucket(uint32_t ms, uint32_t bvc)
{
    static const uint64_t rates[] = {TIME_NEVER, TIME_NEVER, 0, 8000, 64000, 1000000};
    uint64_t rate = rates[storm_one_of(6)];
    struct command flow = {.op = COMMAND_ms_bucket,
                           .ms_bucket = {.ms_id = ms,
                                         .has_rate_100_bit_per_s = rate != TIME_NEVER,
                                         .rate_100_bit_per_s = (uint32_t)(rate / 100),
                                         .bucket_octets = (uint32_t)random_in(0, 20000),
                                         .has_full_percent = storm_one_of(2),
                                         .full_percent = (uint8_t)random_in(0, 255)}};
    uint32_t octets = (uint32_t)random_in(0, 3000);
    switch (storm_one_of(9)) {
    case 5:
        DO(bvc_block, bvc, storm_one_of(2));
        break;
    case 6:
        DO(bvc_credit, bvc, octets);
        break;
    case 7:
        DO(ms_credit, ms, octets, (uint8_t)storm_one_of(6));
        break;
    case 8:
        DO(pfc_credit, ms, 1, octets);
        break;
    case 0:
        DO(bvc_reset, .bvc_id = bvc);
        break;
    case 1:
        DO(ms_default, .ms_id = ms);
        break;
    case 2:
        path_do(&flow);
        break;
    default:
        path_bvc_flow(bvc, rate, (uint32_t)random_in(0, 20000));
    }
}

static inline void storm_of_all(void)
{
    DO(class_set, .traffic_class = (uint8_t)storm_one_of(CLASS_COUNT),
       .weight = (uint32_t)random_in(1, SCHED_WEIGHT_MAX), .packets = 4000, .octets = 4000000,
       .lifetime_ns = random_in(1, 40) * S_IN_NS);
    path_do(&(struct command){.op = COMMAND_class_aqm, // tail-drop has none
                              .class_aqm = {.traffic_class = (uint8_t)storm_one_of(CLASS_COUNT)}});
}

static inline void storm_llc(uint32_t ms)
{
    static const uint8_t xid[1526] = {0x43, 0xfb};
    for (uint32_t left = storm_one_of(4); left > 0; left--) {
        struct command c = {.op = COMMAND_llc, .llc = {.ms_id = ms}};
        c.llc.pdu = (struct octets){xid, (uint32_t)random_in(5, sizeof xid)};
        path_do(&c);
    }
}

static inline void storm_of_ms(uint32_t ms)
{
    static const uint8_t geas[] = {0, 3, 4}, sapis[] = {3, 5, 9, 11}, priority[] = {0x17, 0x81, 9};
    switch (storm_one_of(14)) {
    case 12:
        DO(ms_standby, .ms_id = ms);
        break;
    case 13:
        DO(ms_listen, .ms_id = ms);
        break;
    case 8:
        DO(ms_freeze, ms, true, true);
        break;
    case 9:
    case 10:
        storm_llc(ms);
        break;
    case 0:
        path_ms_flush(ms);
        break;
    case 1:
        DO(ms_freeze, .ms_id = ms);
        break;
    case 2:
    case 3:
        DO(ms_release, .ms_id = ms);
        break;
    case 4:
        path_key(ms, geas[storm_one_of(3)]);
        break;
    case 5:
        path_ms_tlli(ms);
        break;
    case 6:
        path_ms_n201_u(ms, sapis[storm_one_of(4)], (uint16_t)random_in(140, 1520));
        break;
    case 7:
        path_ms_options(ms, &(struct command_ms_options){.has_priority = true, .priority = 9},
                        priority, 3);
        break;
    default:
        path_ms_move(ms, storm_one_of(STORM_BVCS));
    }
}

static inline void storm_command(void)
{
    uint32_t ms = storm_one_of(STORM_MSS), kind = storm_one_of(20);
    if (kind == 0)
        storm_ms(ms);
    else if (kind == 1)
        storm_nsvc(storm_one_of(STORM_NSVCS));
    else if (kind < 5 || !p.ms[ms].made)
        p.ms[ms].made ? storm_pdp(storm_one_of(STORM_PDPS)) : storm_ms(ms);
    else if (kind < 10)
        storm_bucket(ms, storm_one_of(STORM_BVCS));
    else if (kind == 10)
        storm_of_all();
    else
        storm_of_ms(ms);
}

// From any cell of its NSE; sometimes a frame is lost, or comes twice.
static inline void storm_up(uint32_t pdp)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static uint8_t npdu[1500];
    struct path_ms *ms = &p.ms[p.pdp[pdp].ms];
    uint32_t bvc = (ms->bvc + STORM_NSES * storm_one_of(3)) % STORM_BVCS, seed = path_seed();
    struct ul_cell cell = path_cell(bvc);
    size_t octets = random_in(1, sizeof npdu);
    path_fill(npdu, octets, seed);
    unsigned n = ul_send(&ms->up, &cell, p.pdp[pdp].sapi, p.pdp[pdp].nsapi, npdu, octets, frames);
    path_expect(&p.pdp[pdp].up, seed, octets);
    for (unsigned i = 0; i < n; i++)
        for (uint32_t times = storm_one_of(30) ? 1 : 2 * storm_one_of(2); times > 0; times--)
            path_give(STATS_GB, path_worker_of_bvc(bvc), &frames[i]);
}

static inline void storm_traffic(void)
{
    for (uint32_t left = (uint32_t)random_in(0, 12); left > 0; left--) {
        uint32_t pdp = storm_one_of(STORM_PDPS);
        if (!p.pdp[pdp].made || storm_fresh[pdp])
            continue;
        path_down(pdp, random_in(1, 1500));
        if (storm_one_of(3) == 0)
            storm_up(pdp);
    }
}

static inline void storm_calm(void)
{
    p.defer = false;
    for (uint32_t i = 0; i < STORM_NSVCS; i++)
        if (p.nsvc[i].made)
            path_nsvc_weight(i, 1);
    for (uint32_t i = 0; i < STORM_MSS; i++)
        if (p.ms[i].made) {
            DO(ms_release, .ms_id = i);
            DO(ms_default, .ms_id = i);
        }
    for (uint32_t i = 0; i < STORM_BVCS; i++) {
        DO(bvc_block, i, false);
        path_bvc_flow(i, TIME_NEVER, 0);
    }
    path_run_until(p.now_ns + S_IN_NS);
}

// Opens the world, lets it storm until that time, and lets all that can go out go out. What is left
// to do is path_close. Slowly: the ports' frames are taken few at a time, and counted only, for the
// oracles are told of commands that then wait behind them.
static inline void storm(const struct dp_config *config, uint64_t end_ns, bool slow)
{
    uint32_t commands = 0;
    storm_begin(config);
    p.blind = p.hold_frames = slow;
    while (p.now_ns < end_ns) {
        // Several workers may rightly send for one MS as it was while they wait for another to
        // come.
        p.defer = slow || (p.workers == 1 && storm_one_of(2));
        for (uint32_t left = (uint32_t)random_in(0, 6); left > 0; left--, commands++)
            storm_command();
        p.defer = false;
        storm_traffic();
        for (int side = 0; side < STATS_SIDES && slow; side++)
            path_take((enum stats_side)side, (uint32_t)random_in(0, 8));
        path_run_until(p.now_ns + random_in(0, 10 * MS_IN_NS));
        memset(storm_fresh, 0, sizeof storm_fresh);
    }
    p.hold_frames = false;
    path_poll();
    storm_calm();
    for (uint32_t w = 0; w < p.workers; w++) {
        assert_int_equal(dp_queued(dp_worker(p.dp, w)).packets, 0);
        assert_int_equal(dp_worker(p.dp, w)->down.llcs, 0);
    }
    print_message("# %u commands; %lu frames down, %lu up, %lu moves\n", commands,
                  (unsigned long)p.frames_out[STATS_GB], (unsigned long)p.frames_out[STATS_GN],
                  (unsigned long)p.events[EVENT_moved]);
    if (!slow)
        assert_true(p.down_received > 500 && p.up_received > 250 && storm_llcs > 100);
    assert_true(p.events[EVENT_moved] > 50);
}

#endif
