// One segment of the head N-PDU to a Gb frame: SNDCP SN-UNITDATA (TS 44.065), LLC UI (44.064),
// BSSGP DL-UNITDATA (48.018), NS-UNITDATA (48.016), UDP, IPv4, Ethernet. The last segment, most
// often the only one, is framed in the N-PDU's own buffer, headers in front and FCS behind; those
// before it are copied into a buffer each.
//
// Invariant: N(U) follows the order in which frames leave here, per LLE; so does the N-PDU number,
// per context. The UDP checksum stays 0 (none): the LLC frame has its FCS.
#include "dataplane/down/down.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/llc.h"

// What one segment is, before a single octet of it is written.
struct segment {
    struct state_ms *ms;
    struct state_pdp *pdp;
    struct sndcp_unitdata sndcp;
    uint32_t octets;
};

static void segmenter_start(struct down_segmenter *s, const struct state_ms *ms,
                            struct state_pdp *pdp)
{
    *s = (struct down_segmenter){
        .started = true, .n201_u = ms->n201_u, .npdu_number = pdp->npdu_number};
    pdp->npdu_number = (pdp->npdu_number + 1) % SNDCP_NPDU_NUMBERS;
}

static struct segment segment_next(struct down *down, const struct pdu *npdu)
{
    struct down_segmenter *s = &down->segmenter;
    struct state_pdp *pdp = &down->state->pdp[npdu->context];
    struct state_ms *ms = &down->state->ms[pdp->ms];
    if (!s->started)
        segmenter_start(s, ms, pdp);
    bool first = s->offset == 0;
    uint32_t room = s->n201_u - (uint32_t)(first ? SNDCP_FIRST_OCTETS : SNDCP_NEXT_OCTETS);
    uint32_t left = npdu->octets - s->offset;
    return (struct segment){.ms = ms,
                            .pdp = pdp,
                            .sndcp = {.first = first,
                                      .more = left > room,
                                      .nsapi = pdp->nsapi,
                                      .segment = s->segment,
                                      .npdu_number = s->npdu_number},
                            .octets = left > room ? room : left};
}

// A buffer that holds the segment's octets alone; NULL if none is free.
static struct rte_mbuf *segment_buffer(struct down *down, const struct pdu *npdu,
                                       const struct segment *segment)
{
    struct rte_mbuf *whole = npdu->buffer;
    if (!segment->sndcp.more) {
        rte_pktmbuf_adj(whole, (uint16_t)down->segmenter.offset);
        return whole;
    }
    struct rte_mbuf *copy = rte_pktmbuf_alloc(down->segment_pool);
    if (copy)
        memcpy(rte_pktmbuf_append(copy, (uint16_t)segment->octets),
               rte_pktmbuf_mtod_offset(whole, uint8_t *, down->segmenter.offset), segment->octets);
    return copy;
}

static uint8_t *put_outer(struct state_nse *nse, uint32_t ip_octets, uint8_t *b)
{
    memcpy(b, nse->outer, STATE_OUTER_OCTETS);
    uint8_t *ip = b + ETHER_OCTETS;
    uint16_t id = nse->ip_id++;
    put_be16(ip + 2, (uint16_t)ip_octets);
    put_be16(ip + 4, id);
    put_be16(ip + 10, ipv4_fold(nse->ip_sum + ip_octets + id));
    put_be16(ip + IPV4_OCTETS + 4, (uint16_t)(ip_octets - IPV4_OCTETS));
    return b + STATE_OUTER_OCTETS;
}

static uint8_t *put_llc_and_sndcp(const struct segment *segment, uint8_t *b)
{
    uint16_t *vu = &segment->ms->vu[segment->pdp->lle];
    struct llc_ui llc = {.cr = true, .sapi = segment->pdp->sapi, .nu = *vu, .protect_all = true};
    *vu = (*vu + 1) % LLC_NU_COUNT;
    llc_ui_put_header(&llc, b);
    return b + LLC_UI_HEADER_OCTETS +
           sndcp_unitdata_put_header(&segment->sndcp, b + LLC_UI_HEADER_OCTETS);
}

// Headers in front of the segment's octets and room for the FCS behind them.
static void put_headers(struct down *down, const struct segment *segment, struct rte_mbuf *m,
                        struct down_frame *frame)
{
    const struct state_bvc *bvc = &down->state->bvc[segment->ms->bvc];
    uint32_t sndcp_octets = segment->sndcp.first ? SNDCP_FIRST_OCTETS : SNDCP_NEXT_OCTETS;
    uint32_t llc_octets = LLC_UI_HEADER_OCTETS + sndcp_octets + segment->octets + LLC_FCS_OCTETS;
    uint32_t tag_octets = bssgp_llc_tag_octets(llc_octets);
    uint32_t below_llc =
        STATE_OUTER_OCTETS + NS_UNITDATA_OCTETS + BSSGP_DL_UNITDATA_FIXED_OCTETS + tag_octets;
    uint32_t headers = below_llc + LLC_UI_HEADER_OCTETS + sndcp_octets;
    uint8_t *b = (uint8_t *)rte_pktmbuf_prepend(m, (uint16_t)headers);
    rte_pktmbuf_append(m, LLC_FCS_OCTETS);
    b = put_outer(&down->state->nse[bvc->nse], m->pkt_len - ETHER_OCTETS, b);
    memcpy(b, bvc->ns, NS_UNITDATA_OCTETS);
    b += NS_UNITDATA_OCTETS;
    memcpy(b, segment->pdp->bssgp, BSSGP_DL_UNITDATA_FIXED_OCTETS);
    b += BSSGP_DL_UNITDATA_FIXED_OCTETS;
    bssgp_put_llc_tag(llc_octets, b);
    frame->llc = b + tag_octets;
    frame->llc_octets = (uint16_t)llc_octets;
    put_llc_and_sndcp(segment, frame->llc);
}

bool frame_next(struct down *down, uint32_t i)
{
    const struct pdu *npdu = fifo_head(down->queue);
    struct segment segment = segment_next(down, npdu);
    struct rte_mbuf *m = segment_buffer(down, npdu, &segment);
    if (!m)
        return false;
    down->packet[i] = m;
    down->frame[i] = (struct down_frame){.traffic_class = npdu->traffic_class};
    put_headers(down, &segment, m, &down->frame[i]);
    if (segment.sndcp.more) {
        down->segmenter.offset += segment.octets;
        down->segmenter.segment++;
    } else {
        down->frame[i].npdu_octets = npdu->octets;
        down->segmenter.started = false;
        fifo_pop(down->queue);
    }
    return true;
}
