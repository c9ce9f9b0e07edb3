// Traffic of path.h: N-PDUs into the frames in which GGSNs and BSSs send them.
#include <stdlib.h>
#include <string.h>

#include "dataplane/state/teid.h"
#include "tests/dataplane/path/path.h"
#include "tests/dataplane/path/unseen.h"

void path_fill(uint8_t *b, size_t octets, uint32_t seed)
{
    uint32_t x = seed * 2654435761u + 12345;
    for (size_t i = 0; i < octets; i++) {
        x = x * 1664525u + 1013904223u;
        b[i] = (uint8_t)(x >> 24);
    }
}

static bool put_frame(enum stats_side side, uint32_t worker, const struct ip_frame *frame)
{
    struct dp_far_end *far = &p.far[side][worker];
    struct rte_mbuf *m = rte_pktmbuf_alloc(far->pool);
    if (!m)
        return false;
    char *b = rte_pktmbuf_append(m, (uint16_t)frame->n);
    assert_non_null(b);
    memcpy(b, frame->octets, frame->n);
    unseen_give(m);
    if (rte_ring_enqueue(far->to_port, m) == 0) {
        p.frames_in[side]++;
        return true;
    }
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
    struct ip_ends ends = path_ends_gn(pdp->ggsn);
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
