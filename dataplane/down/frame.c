// A granted piece to a Gb frame: SNDCP SN-UNITDATA (TS 44.065), LLC UI (44.064), BSSGP DL-UNITDATA
// (48.018) with the N-PDU's remaining lifetime, its optional elements, NS-UNITDATA (48.016), UDP,
// IP, Ethernet. The last piece, most often the only one, is framed in the N-PDU's own buffer,
// headers in front and FCS behind; earlier pieces are copied into a buffer each.
//
// Invariant: N(U) follows the order in which frames are made here, per LLE; the N-PDU number, per
// context. Pieces of different LLEs may take turns; pieces of one LLE go N-PDU by N-PDU, so a
// context has at most one half-sent N-PDU. Segments to be enciphered are only noted here, with
// INPUT; the cipher runs in a pass of its own after the FCS. Over IPv4 the UDP checksum stays 0
// (none), as the LLC frame has its FCS.
#include "dataplane/base/units.h"
#include "dataplane/down/down.h"
#include "dataplane/trace/trace.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_cipher.h"

// A buffer whose data begins with the piece's octets; NULL if none is free.
static struct rte_mbuf *piece_buffer(struct down *down, const struct sched_grant *grant)
{
    struct rte_mbuf *whole = grant->buffer;
    if (grant->last) {
        whole->data_off = (uint16_t)(whole->data_off + grant->offset);
        return whole;
    }
    struct rte_mbuf *copy = rte_pktmbuf_alloc(down->segment_pool);
    if (!copy)
        return NULL;
    copy->data_off = DOWN_HEADROOM;
    memcpy(rte_pktmbuf_mtod(copy, uint8_t *),
           rte_pktmbuf_mtod_offset(whole, uint8_t *, grant->offset), grant->octets);
    return copy;
}

_Static_assert(DOWN_HEADROOM + LLC_N201_U_MAX + LLC_FCS_OCTETS <= PORT_DATA_ROOM_MIN,
               "a copy has room for its headers and its FCS");

// Makes room for headers in front of the piece's octets and for the FCS behind them. An N-PDU has
// enough since it came (input.c), and a copy by its pool. Written as a whole: DPDK's functions, one
// after another, would wait for each other's stores, and look for a next buffer in its own line.
static uint8_t *make_room(struct rte_mbuf *m, uint32_t headers, uint32_t octets)
{
    m->data_off = (uint16_t)(m->data_off - headers);
    m->data_len = (uint16_t)(headers + octets + LLC_FCS_OCTETS);
    m->pkt_len = m->data_len;
    return rte_pktmbuf_mtod(m, uint8_t *);
}

static struct sndcp_unitdata sndcp_next(struct state_pdp *pdp, const struct sched_grant *grant)
{
    bool first = grant->offset == 0;
    if (first) {
        pdp->npdu_number = (pdp->npdu_number + 1) % SNDCP_NPDU_NUMBERS;
        pdp->segment = 0;
    }
    return (struct sndcp_unitdata){.first = first,
                                   .more = !grant->last,
                                   .nsapi = pdp->nsapi,
                                   .segment = pdp->segment++ % SNDCP_SEGMENTS_MAX,
                                   .npdu_number = pdp->npdu_number};
}

static uint32_t lifetime_ms(uint64_t lifetime_ns)
{
    uint64_t ms = lifetime_ns / MS_IN_NS;
    return ms < BSSGP_LIFETIME_INFINITE_MS ? (uint32_t)ms : BSSGP_LIFETIME_INFINITE_MS;
}

// Octets between the fixed part and the LLC-PDU element.
static uint32_t options_octets(const struct state_ms *ms, const struct state_pdp *pdp)
{
    return ms->options + (pdp->pfi == STATE_NO_PFI ? 0 : STATE_PFI_OCTETS);
}

// Octets of NS and BSSGP headers in front of an LLC PDU.
static uint32_t gb_header_octets(uint32_t options, uint32_t llc_octets)
{
    return NS_UNITDATA_OCTETS + BSSGP_DL_UNITDATA_FIXED_OCTETS + options +
           bssgp_llc_tag_octets(llc_octets);
}

// Without an NS-VC the PDU is not sent, and counts as if sent over the port's own family.
uint32_t down_pipe_octets(const void *owner, uint32_t ms_id, uint32_t context, uint32_t llc_octets)
{
    const struct state *state = owner;
    const struct state_ms *ms = &state->ms[ms_id];
    uint32_t options =
        context == SCHED_NO_CONTEXT ? ms->options : options_octets(ms, &state->pdp[context]);
    uint32_t link = state_link(&state->nse[state->bvc[ms->bvc].nse], ms->tlli);
    bool ipv6 = link == STATE_NONE ? state->gb->host.ipv4 == 0 : state->nsvc[link].peer.ipv6;
    return port_ip_octets(state->gb, ipv6,
                          UDP_OCTETS + gb_header_octets(options, llc_octets) + llc_octets);
}

static uint8_t *put_options(const struct state *state, const struct sched_grant *grant,
                            const struct state_ms *ms, const struct state_pdp *pdp, uint8_t *b)
{
    if (ms->options)
        memcpy(b, state_options(state, grant->ms), ms->options);
    b += ms->options;
    if (pdp->pfi == STATE_NO_PFI)
        return b;
    memcpy(b, (uint8_t[STATE_PFI_OCTETS]){0x28, 0x81, pdp->pfi},
           STATE_PFI_OCTETS); // TS 48.018 11.3.42
    return b + STATE_PFI_OCTETS;
}

static uint8_t *put_bssgp(const struct state *state, const struct sched_grant *grant,
                          const struct state_ms *ms, const struct state_pdp *pdp,
                          uint32_t llc_octets, uint8_t *b)
{
    memcpy(b, pdp->bssgp, BSSGP_DL_UNITDATA_FIXED_OCTETS);
    bssgp_dl_unitdata_put_lifetime(lifetime_ms(grant->lifetime_ns), b);
    b += BSSGP_DL_UNITDATA_FIXED_OCTETS;
    if (options_octets(ms, pdp))
        b = put_options(state, grant, ms, pdp, b);
    bssgp_put_llc_tag(llc_octets, b);
    return b + bssgp_llc_tag_octets(llc_octets);
}

// Notes information and FCS, behind the header, for the cipher.
static void note_segment(struct down *down, const struct state_ms *ms, uint32_t input,
                         uint32_t llc_octets, uint8_t *llc)
{
    down->cipher_frame[down->cipher_frames++] =
        (struct cipher_frame){.key = ms->key,
                              .octets = llc + LLC_UI_HEADER_OCTETS,
                              .input = input,
                              .length_octets = (uint16_t)(llc_octets - LLC_UI_HEADER_OCTETS),
                              .direction = CIPHER_DOWNLINK};
}

static void put_llc(struct down *down, struct state_ms *ms, const struct state_pdp *pdp,
                    uint32_t llc_octets, uint8_t *b)
{
    uint32_t sent = ms->sent[pdp->lle]++, nu = sent % LLC_NU_COUNT, oc = sent - nu;
    struct llc_ui llc = {.cr = true,
                         .sapi = pdp->sapi,
                         .nu = (uint16_t)nu,
                         .enciphered = ms->enciphered,
                         .protect_all = true};
    llc_ui_put_header(&llc, b);
    if (ms->enciphered)
        note_segment(down, ms, llc_cipher_input_ui(ms->iov_ui, pdp->sapi, nu, oc), llc_octets, b);
}

// What few pieces need: a count of its mark, a record of its trace.
static __attribute__((noinline)) void mark_or_trace(struct down *down,
                                                    const struct sched_grant *grant,
                                                    struct state_bvc *bvc, uint32_t llc_octets,
                                                    struct down_frame *frame)
{
    if (grant->traced)
        frame->traced = trace_down_segment(down->state->trace, grant, &down->state->ms[grant->ms],
                                           &down->state->pdp[grant->context], llc_octets,
                                           lifetime_ms(grant->lifetime_ns));
    if (!grant->mark)
        return;
    bvc->marks++;
    down->state->ms_up[grant->ms].marks++;
    down->stats->of_class[grant->traffic_class].marks++;
}

static void count_of_cell(struct state_bvc *bvc, uint32_t llc_octets)
{
    if (bvc->frames++ % STATE_LONGEST_OF == 0) {
        bvc->longest_before_ns = bvc->longest_ns;
        bvc->longest_ns = 0;
    }
    bvc->octets += llc_octets;
}

static void count(struct down *down, const struct sched_grant *grant, struct state_ms *ms,
                  struct state_bvc *bvc, uint32_t llc_octets)
{
    if (grant->last)
        stats_delay_add(&down->stats->of_class[grant->traffic_class].delays, grant->sojourn_ns);
    state_ms_sent(ms, llc_octets);
    count_of_cell(bvc, llc_octets);
    __atomic_store_n(&bvc->last, grant->ms + 1, __ATOMIC_RELAXED);
    if (grant->sojourn_ns > bvc->longest_ns)
        bvc->longest_ns = grant->sojourn_ns;
}

// Writes headers in front of the piece's octets and makes room for the FCS behind them.
static void put_headers(struct down *down, const struct sched_grant *grant, struct state_nsvc *nsvc,
                        struct rte_mbuf *m, struct down_frame *frame)
{
    struct state_pdp *pdp = &down->state->pdp[grant->context];
    struct state_ms *ms = &down->state->ms[grant->ms];
    struct state_bvc *bvc = &down->state->bvc[ms->bvc];
    struct sndcp_unitdata sndcp = sndcp_next(pdp, grant);
    uint32_t sndcp_octets = sndcp.first ? SNDCP_FIRST_OCTETS : SNDCP_NEXT_OCTETS;
    uint32_t llc_octets = LLC_UI_HEADER_OCTETS + sndcp_octets + grant->octets + LLC_FCS_OCTETS;
    uint32_t headers = nsvc->peer.outer_octets +
                       gb_header_octets(options_octets(ms, pdp), llc_octets) +
                       LLC_UI_HEADER_OCTETS + sndcp_octets;
    uint8_t *b = make_room(m, headers, grant->octets);
    peer_put(&nsvc->peer, down->gb, m->pkt_len - nsvc->peer.outer_octets, b);
    b += nsvc->peer.outer_octets;
    memcpy(b, bvc->ns, NS_UNITDATA_OCTETS);
    b = put_bssgp(down->state, grant, ms, pdp, llc_octets, b + NS_UNITDATA_OCTETS);
    put_llc(down, ms, pdp, llc_octets, b);
    sndcp_unitdata_put_header(&sndcp, b + LLC_UI_HEADER_OCTETS);
    count(down, grant, ms, bvc, llc_octets);
    *frame = (struct down_frame){.llc = b,
                                 .llc_octets = (uint16_t)llc_octets,
                                 .npdu_octets = grant->last ? grant->npdu_octets : 0,
                                 .traffic_class = grant->traffic_class,
                                 .ipv6 = nsvc->peer.ipv6};
    if (__builtin_expect(grant->mark | grant->traced, 0))
        mark_or_trace(down, grant, bvc, llc_octets, frame);
}

bool down_frame_piece(struct down *down, const struct sched_grant *grant, struct state_nsvc *nsvc,
                      uint32_t i)
{
    if (grant->mark)
        down_inner_mark_ce(rte_pktmbuf_mtod((struct rte_mbuf *)grant->buffer, uint8_t *));
    struct rte_mbuf *m = piece_buffer(down, grant);
    if (!m)
        return false;
    put_headers(down, grant, nsvc, m, &down->frame[i]);
    down->packet[i] = m;
    return true;
}

uint32_t down_stranger_octets(const struct down *down, const struct down_llc *l,
                              const struct state_nsvc *nsvc)
{
    uint32_t octets = l->frame->pkt_len;
    return port_ip_octets(down->gb, nsvc->peer.ipv6,
                          UDP_OCTETS + gb_header_octets(l->options_octets, octets) + octets);
}

static void count_llc(struct down *down, uint32_t ms_id, struct state_bvc *bvc, uint32_t octets)
{
    count_of_cell(bvc, octets);
    if (ms_id == STATE_NONE)
        return;
    state_ms_sent(&down->state->ms[ms_id], octets);
    down->state->ms[ms_id].llc_frames++;
}

// As user data, but the QoS profile is of signalling (T, TS 48.018 11.3.28), and without PFI.
void down_frame_llc(struct down *down, const struct down_llc *l, uint64_t lifetime_ns,
                    struct state_nsvc *nsvc, uint32_t i)
{
    const struct state_ms *ms = l->ms == STATE_NONE ? NULL : &down->state->ms[l->ms];
    struct state_bvc *bvc = &down->state->bvc[ms ? ms->bvc : l->bvc];
    struct rte_mbuf *m = l->frame;
    uint32_t octets = m->pkt_len, outer = nsvc->peer.outer_octets;
    uint32_t options = ms ? ms->options : l->options_octets;
    struct bssgp_dl_unitdata bssgp; // only the fixed part is read
    bssgp.tlli = ms ? ms->tlli : l->tlli;
    bssgp.lifetime_ms = lifetime_ms(lifetime_ns);
    bssgp.qos = (struct bssgp_qos){.not_ack = true, .precedence = 1};
    uint32_t headers = outer + gb_header_octets(options, octets);
    uint8_t *b = (uint8_t *)rte_pktmbuf_prepend(m, (uint16_t)headers);
    peer_put(&nsvc->peer, down->gb, m->pkt_len - outer, b);
    b += outer;
    memcpy(b, bvc->ns, NS_UNITDATA_OCTETS);
    b += NS_UNITDATA_OCTETS;
    bssgp_dl_unitdata_put_fixed(&bssgp, b);
    b += BSSGP_DL_UNITDATA_FIXED_OCTETS;
    if (ms && options)
        memcpy(b, state_options(down->state, l->ms), options);
    bssgp_put_llc_tag(octets, b + options);
    count_llc(down, l->ms, bvc, octets);
    down->packet[i] = m;
    down->frame[i] = (struct down_frame){.ipv6 = nsvc->peer.ipv6};
}
