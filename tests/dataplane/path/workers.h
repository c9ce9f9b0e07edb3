// What the tests of several workers share: a world of path.h with an NSE, an NS-VC and a cell for
// each worker, all of one number; MSs of all ciphers, with two contexts each; frames to any queue.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_WORKERS_H
#define SLUICE_TESTS_DATAPLANE_PATH_WORKERS_H

#include "dataplane/base/units.h"
#include "dataplane/state/teid.h"
#include "tests/dataplane/path/path.h"
#include "tests/dataplane/path/cipher.h"
#include "tests/dataplane/random.h"

#ifdef __SANITIZE_ADDRESS__
#define LESS 8 // a sample: instrumented code is some twenty times slower
#else
#define LESS 1
#endif

static const uint8_t workers_sapis[] = {3, 5, 9, 11};
static const uint8_t workers_geas[] = {0, 3, 4};

static inline void open_workers(const struct dp_config *c)
{
    random_begin();
    path_open(c);
    path_ciphers_begin();
    path_ggsn(0, false);
    path_ggsn(1, true);
    for (uint32_t i = 0; i < c->workers; i++) {
        path_nse(i);
        path_nsvc(i, i, i % 2, 1);
        path_bvc(i, i, (uint16_t)(2 + i));
    }
}

static inline void open_plain(uint32_t workers)
{
    struct dp_config c = path_config(workers);
    open_workers(&c);
}

static inline void add_ms(uint32_t ms, uint32_t bvc)
{
    path_ms(ms, bvc, (uint16_t)random_in(140, 1520));
    path_pfc(ms, 0, CLASS_BACKGROUND);
    path_pfc(ms, 1, CLASS_STREAMING);
    path_pdp(2 * ms, ms, 0, 5, workers_sapis[ms % 4], ms % 2, -1);
    path_pdp(2 * ms + 1, ms, 1, 6, workers_sapis[(ms + 1) % 4], 0, 17);
    path_key(ms, workers_geas[ms % 3]);
}

static inline void add_mss(uint32_t mss)
{
    for (uint32_t ms = 0; ms < mss; ms++)
        add_ms(ms, ms % p.workers);
}

static inline void stop_cells(bool stop)
{
    for (uint32_t i = 0; i < p.workers; i++)
        path_bvc_flow(i, stop ? 0 : TIME_NEVER, 0);
}

// As path_down, to any queue.
static inline void down_at(uint32_t pdp, uint32_t worker, size_t octets)
{
    static struct ip_frame frame;
    static uint8_t npdu[9000];
    struct ip_ends ends = path_ends_gn(p.pdp[pdp].ggsn);
    uint32_t seed = path_seed();
    path_fill(npdu, octets, seed);
    path_gpdu(&frame, &ends, p.pdp[pdp].teid, npdu, octets);
    path_expect(&p.pdp[pdp].down, seed, octets);
    assert_true(path_give(STATS_GN, worker, &frame));
}

static inline void up_at(uint32_t pdp, uint32_t worker, size_t octets)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static uint8_t npdu[PATH_NPDU_OCTETS_MAX];
    struct path_ms *ms = &p.ms[p.pdp[pdp].ms];
    struct ul_cell cell = path_cell(ms->bvc);
    uint32_t seed = path_seed();
    path_fill(npdu, octets, seed);
    unsigned n = ul_send(&ms->up, &cell, p.pdp[pdp].sapi, p.pdp[pdp].nsapi, npdu, octets, frames);
    path_expect(&p.pdp[pdp].up, seed, octets);
    for (unsigned i = 0; i < n; i++)
        assert_true(path_give(STATS_GB, worker, &frames[i]));
}

// To the TEID's worker and to others, a context always to one.
static inline void traffic(uint32_t pdps, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        for (uint32_t pdp = 0; pdp < pdps; pdp++) {
            if (!p.pdp[pdp].made)
                continue;
            down_at(pdp, (p.pdp[pdp].teid + pdp / 4) % p.workers, random_in(1, 1500));
            up_at(pdp, (pdp / 3 + pdp) % p.workers, random_in(1, 1500));
            if (pdp % 8 == 7)
                path_poll();
        }
    path_poll();
}

static inline uint64_t strays(enum stats_side side, bool out)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < p.workers; w++) {
        const struct stats_port *port = &dp_stats(dp_worker(p.dp, w))->of_port[side];
        sum += out ? port->strays_out_packets : port->strays_in_packets;
    }
    return sum;
}

// At rest nothing is on its way between workers, in frames or in MSs.
static inline void expect_nothing_between(void)
{
    uint64_t moved_packets = 0, moved_octets = 0, octets = 0;
    for (uint32_t w = 0; w < p.workers; w++) {
        const struct stats_worker *stats = dp_stats(dp_worker(p.dp, w));
        struct stats_balance b = stats_balance(stats);
        moved_packets += b.moved.packets;
        moved_octets += b.moved.octets;
        for (int side = 0; side < STATS_SIDES; side++)
            octets +=
                stats->of_port[side].strays_out_octets - stats->of_port[side].strays_in_octets;
    }
    assert_int_equal(moved_packets, 0);
    assert_int_equal(moved_octets, 0);
    assert_int_equal(octets, 0);
    for (int side = 0; side < STATS_SIDES; side++)
        assert_int_equal(strays(side, true), strays(side, false));
    path_expect_conservation();
}

static inline void close_whole(void)
{
    path_expect_all();
    expect_nothing_between();
    path_close();
}

static uint32_t error_indications;

// On Gn nothing else is but T-PDUs: of contexts that are gone, or never were.
static inline void count_error_indication(const uint8_t *frame, size_t n)
{
    static struct ip_reader reader = {.accept = {.ipv6 = true}};
    struct ip_datagram d;
    assert_int_equal(ip_read(&reader, frame, n, &d), IP_ERR_NONE);
    assert_true(d.n >= 8 && d.octets[1] == 26);
    error_indications++;
}

static inline void give_unknown(uint32_t teid, uint32_t worker)
{
    static struct ip_frame frame;
    struct ip_ends ends = path_ends_gn(0);
    path_gpdu(&frame, &ends, teid, (const uint8_t *)"nobody's", 8);
    assert_true(path_give(STATS_GN, worker, &frame));
    p.now_ns += S_IN_NS; // so that each may be answered
    path_poll();
}

#endif
