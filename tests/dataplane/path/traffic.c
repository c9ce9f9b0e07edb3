// Traffic of path.h: N-PDUs into the frames in which GGSNs and BSSs send them.
#include <stdlib.h>
#include <string.h>

#include "dataplane/state/teid.h"
#include "tests/dataplane/path/path.h"
#include "tests/dataplane/path/unseen.h"
#include "tests/dataplane/wire/judge.h"

void path_fill(uint8_t *b, size_t octets, uint32_t seed)
{
    uint32_t x = seed * 2654435761u + 12345;
    for (size_t i = 0; i < octets; i++) {
        x = x * 1664525u + 1013904223u;
        b[i] = (uint8_t)(x >> 24);
    }
}

// In a buffer of that port's; NULL if there is none.
static struct rte_mbuf *frame_of(enum stats_side side, uint32_t worker, const uint8_t *octets,
                                 size_t n)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(p.far[side][worker].pool);
    if (!m)
        return NULL;
    char *b = rte_pktmbuf_append(m, (uint16_t)n);
    assert_non_null(b);
    memcpy(b, octets, n);
    return m;
}

static bool put(enum stats_side side, uint32_t worker, struct rte_mbuf *m)
{
    unseen_give(m);
    if (rte_ring_enqueue(p.far[side][worker].to_port, m) != 0)
        return false;
    p.frames_in[side]++;
    return true;
}

static bool put_frame(enum stats_side side, uint32_t worker, const struct ip_frame *frame)
{
    struct rte_mbuf *m = frame_of(side, worker, frame->octets, frame->n);
    if (m && put(side, worker, m))
        return true;
    rte_pktmbuf_free(m);
    return false;
}

bool path_give(enum stats_side side, uint32_t worker, const struct ip_frame *frame)
{
    static struct ip_frame piece;
    static uint32_t id;
    size_t mtu = side == STATS_GN ? p.gn_mtu_octets : p.gb_mtu_octets, at = 0;
    if (mtu == 0 || frame->n <= 14 + mtu)
        return put_frame(side, worker, frame);
    id++;
    do {
        at = ip_fragment(frame, id, mtu, at, &piece);
        if (!put_frame(side, worker, &piece))
            return false;
    } while (at > 0);
    return true;
}

void path_gpdu(struct ip_frame *frame, const struct ip_ends *ends, uint32_t teid,
               const uint8_t *octets, size_t n)
{
    static uint8_t gpdu[8 + 9000] = {0x30, 255};
    gpdu[2] = (uint8_t)(n >> 8);
    gpdu[3] = (uint8_t)n;
    for (int i = 0; i < 4; i++)
        gpdu[4 + i] = (uint8_t)(teid >> (24 - 8 * i));
    memcpy(gpdu + 8, octets, n);
    ip_write(frame, ends, gpdu, 8 + n);
}

uint32_t path_seed(void)
{
    return ++p.seeds;
}

void path_expect(struct path_way *way, uint32_t seed, size_t octets)
{
    if (p.expecteds == p.expected_room) {
        p.expected_room = p.expected_room ? 2 * p.expected_room : 1024;
        p.expected = realloc(p.expected, p.expected_room * sizeof *p.expected);
        assert_non_null(p.expected);
    }
    uint32_t i = p.expecteds++;
    p.expected[i] = (struct path_expected){.seed = seed, .octets = (uint16_t)octets};
    if (way->head)
        p.expected[way->tail - 1].next = i + 1;
    else
        way->head = i + 1;
    way->tail = i + 1;
    way->sent++;
}

void path_down(uint32_t id, size_t octets)
{
    static struct ip_frame frame;
    static uint8_t npdu[9000];
    struct path_pdp *pdp = &p.pdp[id];
    struct ip_ends ends = path_ends_gn(pdp->ggsn == PATH_NONE ? 0 : pdp->ggsn);
    uint32_t seed = path_seed();
    path_fill(npdu, octets, seed);
    path_gpdu(&frame, &ends, pdp->teid, npdu, octets);
    path_expect(&pdp->down, seed, octets);
    assert_true(path_give(STATS_GN, teid_worker(teid_bits(p.workers, 1), pdp->teid), &frame));
}

void path_up_from(uint32_t id, uint32_t bvc, size_t octets)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static uint8_t npdu[PATH_NPDU_OCTETS_MAX];
    struct path_pdp *pdp = &p.pdp[id];
    struct ul_cell cell = path_cell(bvc);
    uint32_t seed = path_seed();
    path_fill(npdu, octets, seed);
    unsigned n = ul_send(&p.ms[pdp->ms].up, &cell, pdp->sapi, pdp->nsapi, npdu, octets, frames);
    assert_true(n > 0);
    path_expect(&pdp->up, seed, octets);
    for (unsigned i = 0; i < n; i++)
        assert_true(path_give(STATS_GB, path_worker_of_bvc(bvc), &frames[i]));
}

void path_up(uint32_t id, size_t octets)
{
    path_up_from(id, p.ms[p.pdp[id].ms].bvc, octets);
}

// ---- Past the oracles ----

void path_put(enum stats_side side, struct rte_mbuf *frame)
{
    assert_true(put(side, 0, frame));
}

void path_put_octets(enum stats_side side, const uint8_t *frame, size_t n)
{
    struct rte_mbuf *m = frame_of(side, 0, frame, n);
    assert_non_null(m);
    path_put(side, m);
}

struct rte_mbuf *path_gn_frame(uint32_t teid, uint32_t octets, uint32_t seed)
{
    static struct ip_frame frame;
    static uint8_t npdu[9000];
    struct ip_ends ends = path_ends_gn(0);
    path_fill(npdu, octets, seed);
    path_gpdu(&frame, &ends, teid, npdu, octets);
    memset(frame.octets + 40, 0, 2);
    struct rte_mbuf *m = frame_of(STATS_GN, 0, frame.octets, frame.n);
    assert_non_null(m);
    return m;
}

void path_offer(uint32_t pdp, uint32_t octets)
{
    path_put(STATS_GN, path_gn_frame(p.pdp[pdp].teid, octets, 0));
}

void path_offer_octets(uint32_t pdp, const uint8_t *npdu, uint32_t octets)
{
    struct rte_mbuf *m = path_gn_frame(p.pdp[pdp].teid, octets, 0);
    memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, 50), npdu, octets);
    path_put(STATS_GN, m);
}

struct rte_mbuf *path_next(enum stats_side side)
{
    struct rte_mbuf *m;
    if (rte_ring_dequeue(p.far[side][0].from_port, (void **)&m) != 0)
        return NULL;
    p.frames_out[side]++;
    p.octets_out[side] += m->pkt_len;
    return m;
}

uint32_t path_discard(enum stats_side side)
{
    struct rte_mbuf *m;
    uint32_t n = 0;
    for (; (m = path_next(side)) != NULL; n++)
        rte_pktmbuf_free(m);
    return n;
}

void put_ipv4_checksum(uint8_t *ip)
{
    put16(ip + 10, 0);
    put16(ip + 10, plain_checksum(ip, 20));
}
