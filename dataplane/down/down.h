// The downlink of one worker: frames of the Gn port to N-PDUs to queue, and from the queue, framed
// as late as can be, to frames of the Gb port. N-PDUs wait as plaintext; the CE mark, N(U), N-PDU
// numbers and the FCS come into being when the scheduler has let a piece go.
//
// A waiting buffer carries the TEID it came by (hash.usr), so that what outlives its PDP context is
// known when it comes out, whatever context has the same place then.
#ifndef SLUICE_DOWN_DOWN_H
#define SLUICE_DOWN_DOWN_H

#include "dataplane/cipher/cipher.h"
#include "dataplane/port/packet.h"
#include "dataplane/port/port.h"
#include "dataplane/post/post.h"
#include "dataplane/sched/sched.h"
#include "dataplane/state/state.h"
#include "dataplane/stats/stages.h"

// What stands before a segment's octets in a Gb frame.
#define DOWN_HEADER_OCTETS_MAX                                                                    \
    (PEER_OUTER_OCTETS_MAX + NS_UNITDATA_OCTETS + BSSGP_DL_UNITDATA_OCTETS_MAX + COMMAND_OCTETS + \
     STATE_PFI_OCTETS + LLC_UI_HEADER_OCTETS + SNDCP_FIRST_OCTETS)
// Room for it, longer than what DPDK leaves in front, in a buffer that is filled here.
#define DOWN_HEADROOM RTE_ALIGN_CEIL(DOWN_HEADER_OCTETS_MAX, RTE_CACHE_LINE_SIZE)

// Frames that are enciphered together at most: as many as the widest cipher has lanes.
#define DOWN_FRAMES 512u

// An LLC frame of control's that waits for the buckets (llc.c).
struct down_llc {
    struct rte_mbuf *frame;
    uint64_t arrived_ns;
    uint32_t ms;
    bool first; // of its MS
};

// A framed segment on its way to the port.
struct down_frame {
    uint8_t *llc; // the LLC frame, whose FCS is written in a pass of its own
    uint16_t llc_octets;
    uint16_t npdu_octets;  // of the N-PDU that this frame completes; 0 if more segments follow
    uint8_t traffic_class; // of no meaning while npdu_octets is 0
    bool ipv6;             // its UDP checksum is still to come
};

struct down {
    struct state *state;
    struct sched *sched;
    struct stats_worker *stats;
    struct rte_mempool *segment_pool;
    struct port *gn, *gb;
    struct rte_ring *events;
    struct post *post;
    uint64_t indication_gap_ns; // between error indications; 0: none are sent
    uint64_t indication_ns;     // when the next one may go
    bool flows;                 // some class has queues by flow, so the hash is wanted
    uint32_t ready_ticks;       // so long an MS counts as ready after it was heard; 0: for ever
    uint32_t llcs;              // that wait
    // Granted and not yet framed, for no buffer was free: places grant_first .. grants - 1.
    uint32_t grant_first, grants;
    // Framed and not yet taken by the port: places first .. first + pending - 1.
    uint32_t first, pending;
    uint32_t burst;    // how many to frame at once, 1 to DOWN_FRAMES
    uint32_t segments; // of what is framed, still to be enciphered; 0 between calls
    struct cipher_scratch *scratch;
    struct stages *stages; // NULL, but while somebody measures
    struct rte_mbuf *packet[DOWN_FRAMES];
    struct down_frame frame[DOWN_FRAMES];
    struct cipher_segment segment[DOWN_FRAMES];
    struct sched_grant grant[PORT_BURST];
    struct down_llc llc[SCHED_FRAMES + 1]; // as they came; one too many until one has given way
};

// How many bursts of Gn one poll takes: more than one only while that many are enciphered together.
static inline uint32_t down_bursts_in(const struct down *down)
{
    return (down->burst + PORT_BURST - 1) / PORT_BURST;
}

// Takes frames off Gn: each becomes a queued N-PDU, is taken by the port or by GTP-U's own
// procedures, goes on to another worker, or is dropped.
void down_input(struct down *down, struct rte_mbuf **frames, uint32_t n, uint64_t now_ns);

// The same for datagrams that another worker has taken off its queue.
void down_datagrams(struct down *down, struct rte_mbuf **frames, struct port_datagram *datagrams,
                    uint32_t n, uint64_t now_ns);

// Control has put an MS in standby: what waits for it already is told.
void down_standby(struct down *down, uint32_t ms, uint64_t now_ns);

// Frames what the scheduler lets go and gives it to the Gb port. True if it ended because the port
// or the buffers were full, so that only their recovery brings new work.
bool down_output(struct down *down, uint64_t now_ns);

// Frees and counts what the scheduler has dropped: to be called after each of its calls that drop.
void down_drops(struct down *down);

// Granted pieces wait for a buffer. They name MSs and buffers, so nothing may be removed meanwhile.
static inline bool down_stalled(const struct down *down)
{
    return down->grant_first < down->grants;
}

// What waits: queued N-PDUs, and those whose last frame waits for a buffer or for the port.
void down_queued(const struct down *down, uint64_t *packets, uint64_t *octets);

// A PDU of control's, framed for that NS-VC behind what is framed already. False: no room now.
bool down_send(struct down *down, uint32_t nsvc, struct rte_mbuf *pdu);

// An LLC frame of control's to an MS; it goes before the MS's user data, when the buckets let it.
void down_llc(struct down *down, uint32_t ms, struct rte_mbuf *frame, uint64_t now_ns);

// The MS leaves: what waits of these for it ends.
void down_llc_forget(struct down *down, uint32_t ms, uint64_t now_ns);

// llc.c: frames those that may go, at most `most`, behind what is framed. When one of them will
// have waited for too long; TIME_NEVER.
void down_llc_output(struct down *down, uint32_t most, uint64_t now_ns);
uint64_t down_llc_end_ns(const struct down *down);

// frame.c: what the IP packets have that an LLC PDU of the MS goes in, by the options, the NS-VC
// and the MTU of now. For the scheduler (pipe_octets); `state` is a struct state.
uint32_t down_pipe_octets(const void *state, uint32_t ms, uint32_t context, uint32_t llc_octets);

// frame.c: headers in front of an LLC frame of control's.
void frame_llc(struct down *down, uint32_t ms, uint64_t lifetime_ns, struct state_nsvc *nsvc,
               struct rte_mbuf *frame, uint32_t i);

// Where an MS's frames go; NULL: nowhere now.
struct state_nsvc *down_link(const struct down *down, uint32_t ms);

// Drops all that waits outside the scheduler, for the end.
void down_flush(struct down *down);

// decap.c: where in its frame an N-PDU is, and its tunnel; or the reason why there is none.
// DECAP_TAKEN: the message was no G-PDU, and is dealt with.
struct gpdu {
    uint32_t teid;
    uint16_t offset, octets;
};
#define DECAP_TAKEN (DROP_NONE + 1)
uint32_t decap(struct down *down, struct rte_mbuf *packet, const struct port_datagram *datagram,
               struct gpdu *gpdu);

// gtpu.c: a message that is no G-PDU; what decap returns.
struct gtpu;
uint32_t gtpu_message(struct down *down, struct rte_mbuf *packet,
                      const struct port_datagram *datagram, const struct gtpu *message);
// Tells the sender of a G-PDU that there is no such tunnel, unless too many were told.
void gtpu_unknown(struct down *down, const struct rte_mbuf *packet,
                  const struct port_datagram *datagram, uint32_t teid, uint64_t now_ns);

// inner.c: fills in `ect`, and with `flows` the hash; and marks what was found ECN-capable.
void inner_classify(const uint8_t *b, uint32_t n, bool flows, struct pdu *pdu);
void inner_mark_ce(uint8_t *b);

// What the outer header's ECN field does to the inner one's (RFC 6040 4.2).
enum drop_reason inner_decap_ecn(uint8_t *b, uint32_t n, uint8_t outer_ecn);

// frame.c: frames a granted piece into packet[i], frame[i]; false if no buffer was free.
bool frame_piece(struct down *down, const struct sched_grant *grant, struct state_nsvc *nsvc,
                 uint32_t i);

#endif
