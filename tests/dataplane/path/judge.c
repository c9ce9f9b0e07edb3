// See judge.h: what comes out has to be what was sent, from whom and to whom it belongs.
#include "tests/dataplane/path/judge.h"

#include <string.h>

#include "tests/dataplane/path/ends.h"
#include "tests/dataplane/path/path.h"

static bool is_expected(const uint8_t *octets, size_t n, const struct path_expected *e)
{
    uint8_t wanted[PATH_NPDU_OCTETS_MAX];
    if (n != e->octets)
        return false;
    path_fill(wanted, n, e->seed);
    return memcmp(octets, wanted, n) == 0;
}

// True if it is the next one; in a lossy way, one of those that follow.
static bool take_expected(struct path_way *way, bool lossy, const uint8_t *octets, size_t n)
{
    bool found = false;
    for (; way->head && !found; way->head = p.expected[way->head - 1].next) {
        found = is_expected(octets, n, &p.expected[way->head - 1]);
        if (!found && !lossy)
            break;
    }
    way->received++;
    return found;
}

static void complain(const char *what, uint32_t whose, size_t octets)
{
    if (p.wrong++ < 3)
        print_message("# wrong: %s, of %08x, %zu octets\n", what, whose, octets);
}

static struct path_ms *ms_of_tlli(uint32_t tlli)
{
    struct path_ms *ms = &p.ms[tlli & 0xffff & (PATH_MSS - 1)];
    return ms->made && ms->tlli == tlli ? ms : NULL;
}

// Over which NS-VC a frame went, by its port; PATH_NONE if to none.
static uint32_t nsvc_of(const struct ip_ends *ends)
{
    uint32_t i = ends->destination_port - BSS_PORT;
    if (i >= PATH_NSVCS || !p.nsvc[i].made)
        return PATH_NONE;
    struct ip_ends back = path_reversed(ends), its = path_ends_gb(i);
    return path_same_ends(&back, &its) ? i : PATH_NONE;
}

// Each LLC frame: where it went, and that its MS stays on one link.
void path_see_frame(void *ctx, const struct gb_npdu *frame)
{
    struct path_ms *ms = ms_of_tlli(frame->tlli);
    uint32_t nsvc = nsvc_of(&frame->ends);
    (void)ctx;
    if (!ms || nsvc == PATH_NONE || p.nsvc[nsvc].nse != p.bvc[ms->bvc].nse ||
        frame->bvci != p.bvc[ms->bvc].bvci) {
        complain("MS, NS-VC or BVCI of a frame", frame->tlli, frame->len);
        return;
    }
    p.nsvc[nsvc].frames++;
    ms->changes += ms->nsvc != PATH_NONE && ms->nsvc != nsvc;
    ms->nsvc = nsvc;
}

// Headers of 4 octets in the first segment, 3 in the others.
static unsigned segments_of(uint16_t n201_u, size_t octets)
{
    return octets <= n201_u - 4u ? 1 : 2 + (unsigned)((octets - (n201_u - 4u) - 1) / (n201_u - 3u));
}

void path_judge_down(void *ctx, const struct gb_npdu *npdu)
{
    struct path_ms *ms = ms_of_tlli(npdu->tlli);
    uint32_t id = ms ? ms->pdp_of[npdu->nsapi] : PATH_NONE;
    (void)ctx;
    p.down_received++;
    if (p.on_npdu) {
        p.on_npdu(npdu);
        return;
    }
    if (id == PATH_NONE) {
        complain("nobody's N-PDU on Gb", npdu->tlli, npdu->len);
        return;
    }
    struct path_pdp *pdp = &p.pdp[id];
    if (!take_expected(&pdp->down, p.lossy_down, npdu->octets, npdu->len))
        complain("another N-PDU on Gb than was sent", npdu->tlli, npdu->len);
    if (!p.any_segments && npdu->segments != segments_of(ms->n201_u[npdu->sapi], npdu->len))
        complain("another number of segments than N201-U asks for", npdu->tlli, npdu->len);
    pdp->lifetime_cs = npdu->lifetime_cs;
    if (npdu->sapi != pdp->sapi || (!p.any_lifetime && npdu->lifetime_cs > PATH_LIFETIME_CS) ||
        npdu->qos[0] || npdu->qos[1] || (npdu->qos[2] & 0xf8) != 0x30)
        complain("SAPI, lifetime or QoS", npdu->tlli, npdu->len);
}

void path_judge_up(void *ctx, const struct gn_tpdu *tpdu)
{
    uint32_t id = tpdu->teid - GGSN_TEID_FIRST;
    (void)ctx;
    p.up_received++;
    if (id >= PATH_PDPS || !p.pdp[id].made) {
        complain("nobody's T-PDU on Gn", tpdu->teid, tpdu->n);
        return;
    }
    struct path_pdp *pdp = &p.pdp[id];
    struct ip_ends back = path_reversed(&tpdu->ends), ggsn = path_ends_gn(pdp->ggsn);
    if (!path_same_ends(&back, &ggsn))
        complain("a T-PDU's GGSN", tpdu->teid, tpdu->n);
    if (!take_expected(&pdp->up, p.lossy_up, tpdu->octets, tpdu->n))
        complain("another T-PDU on Gn than was sent", tpdu->teid, tpdu->n);
}
