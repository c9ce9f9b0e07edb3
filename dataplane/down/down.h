// The downlink of one worker: turns frames of the Gn port into queued N-PDUs, and queued N-PDUs, as
// late as possible, into frames of the Gb port. N-PDUs wait as plaintext; the CE mark, N(U), N-PDU
// numbers and the FCS are written after the scheduler has granted a piece.
//
// A waiting buffer carries its TEID (hash.usr), so a buffer that outlived its PDP context is
// recognized when it leaves, even if another context has the same place by then.
#ifndef SLUICE_DOWN_DOWN_H
#define SLUICE_DOWN_DOWN_H

#include "dataplane/cipher/cipher.h"
#include "dataplane/port/packet.h"
#include "dataplane/port/port.h"
#include "dataplane/post/post.h"
#include "dataplane/sched/sched.h"
#include "dataplane/state/event_put.h"
#include "dataplane/state/state.h"
#include "dataplane/stats/stages.h"
#include "dataplane/window/window.h"

// The octets of a Gb frame before a segment's data.
#define DOWN_HEADER_OCTETS_MAX                                                                 \
    (ETHER_TAG_OCTETS + PEER_OUTER_OCTETS_MAX + NS_UNITDATA_OCTETS +                           \
     BSSGP_DL_UNITDATA_OCTETS_MAX + COMMAND_OCTETS + STATE_PFI_OCTETS + LLC_UI_HEADER_OCTETS + \
     SNDCP_FIRST_OCTETS)
// Headroom for these, more than DPDK's default, in buffers that are filled here.
#define DOWN_HEADROOM RTE_ALIGN_CEIL(DOWN_HEADER_OCTETS_MAX, RTE_CACHE_LINE_SIZE)

// The most frames enciphered together: the lanes of the widest cipher.
#define DOWN_FRAMES 512u

// Control's LLC frame that waits for the buckets (llc.c).
struct down_llc {
    struct rte_mbuf *frame; // of a stranger: with its optional elements in front of the LLC tag's
                            // place, where they stay
    uint64_t arrived_ns;
    uint32_t ms;            // STATE_NONE: a stranger
    uint32_t bvc;           // of a stranger
    uint32_t tlli;          // of a stranger
    uint32_t reset_iov_ui;  // if `resets`
    bool resets;            // a Reset of the MS takes effect when the frame goes
    bool first;             // the oldest of its MS
    uint8_t options_octets; // of a stranger
};

// A secret of the run, without which nobody can make flows that share a queue.
struct down_flow_key {
    uint64_t word[3];
};

// A made frame on its way to the port.
struct down_frame {
    uint8_t *llc; // the LLC frame; its FCS is written in a later pass
    uint16_t llc_octets;
    uint16_t npdu_octets;  // of the N-PDU that this frame completes; 0: more segments follow
    uint8_t traffic_class; // any, while npdu_octets is 0
    bool ipv6;             // needs its UDP checksum at the end
    uint16_t traced;       // number of a traced N-PDU (trace/trace.h); 0: none
};

struct down {
    struct state *state;
    struct sched *sched;
    struct stats_worker *stats;
    struct rte_mempool *segment_pool;
    struct port *gn, *gb;
    struct rte_ring *events;
    struct event_unread *gtpc;      // by GGSN
    struct rte_mempool *event_pool; // Gb's, which has a buffer for each place of that ring
    uint64_t gtpc_stranger_ns;      // when the next event `gtpc_stranger` may go
    struct post *post;
    struct window *window;      // NULL: no class has one
    uint64_t indication_gap_ns; // least time between Error Indications; 0: none are sent
    uint64_t indication_ns;     // of the next permitted one
    bool flows; // a class has queues by flow, so down_inner_classify computes the hash
    struct down_flow_key flow_key;
    uint32_t ready_ticks; // READY time in state_tick units; 0: infinite
    uint32_t llcs;        // waiting frames in llc
    // Grants without a free buffer yet: places grant_first .. grants - 1.
    uint32_t grant_first, grants;
    // Frames that the port has not taken yet: places first .. first + pending - 1.
    uint32_t first, pending;
    uint32_t burst;         // most frames made at once, 1 to DOWN_FRAMES
    uint32_t cipher_frames; // frames still to be enciphered; 0 between calls
    struct cipher_scratch *scratch;
    struct stages *stages; // NULL, except during a measurement
    struct rte_mbuf *packet[DOWN_FRAMES];
    struct down_frame frame[DOWN_FRAMES];
    struct cipher_frame cipher_frame[DOWN_FRAMES];
    struct sched_grant grant[PORT_BURST];
    struct down_llc llc[SCHED_FRAMES + 1]; // in order of arrival; one place more, until a frame is
                                           // dropped for the newest
};

// Bursts of Gn taken in one poll: more than one only while as many frames are enciphered together.
static inline uint32_t down_bursts_in(const struct down *down)
{
    return (down->burst + PORT_BURST - 1) / PORT_BURST;
}

// Takes frames off Gn: each becomes a queued N-PDU, is handled by the port or by GTP-U's own
// procedures, is forwarded to another worker, or is dropped.
void down_input(struct down *down, struct rte_mbuf **frames, uint32_t n, uint64_t now_ns);

// The same for datagrams forwarded by another worker.
void down_datagrams(struct down *down, struct rte_mbuf **frames, struct port_datagram *datagrams,
                    uint32_t n, uint64_t now_ns);

// Reports a page if the MS was put in standby and an N-PDU waits for it already.
void down_standby(struct down *down, uint32_t ms, uint64_t now_ns);

// Takes grants, frames them and gives the frames to the Gb port. True if it ended because the port
// was full or buffers were missing, so that only their recovery brings new work.
bool down_output(struct down *down, uint64_t now_ns);

// Frees and counts the scheduler's list of drops: to be called after each call that can drop.
void down_drops(struct down *down);

// Granted pieces wait for a buffer. They name MSs and buffers, so no command may run meanwhile.
static inline bool down_stalled(const struct down *down)
{
    return down->grant_first < down->grants;
}

// Held packets: queued N-PDUs, and those with a last frame that waits for a buffer or for the port.
void down_queued(const struct down *down, uint64_t *packets, uint64_t *octets);

// Frames control's PDU for that NS-VC, behind all frames made already. False: no room now.
bool down_send(struct down *down, uint32_t nsvc, struct rte_mbuf *pdu);

// Queues the LLC frame of control's command `llc`; it goes before the MS's user data, once the
// buckets pass it.
void down_llc(struct down *down, const struct command *command, uint64_t now_ns);

// The same of the command `bvc_llc`, to a stranger: a phone that is no MS.
void down_bvc_llc(struct down *down, const struct command *command, uint64_t now_ns);

// Drops control's LLC frames for an MS that leaves or gets another key; and for the strangers of a
// cell that is removed.
void down_llc_forget(struct down *down, uint32_t ms, uint64_t now_ns);
void down_llc_forget_bvc(struct down *down, uint32_t bvc, uint64_t now_ns);

// llc.c: frames control's LLC frames that may go, at most `most`, behind all frames made
// already. down_llc_end_ns: when the first one expires; TIME_NEVER.
void down_llc_output(struct down *down, uint32_t most, uint64_t now_ns);
uint64_t down_llc_end_ns(const struct down *down);

// frame.c: octets of the IP packets that carry an LLC PDU of the MS, by its present options, NS-VC
// and MTU. For the scheduler (pipe_octets); `state` is a struct state.
uint32_t down_pipe_octets(const void *state, uint32_t ms, uint32_t context, uint32_t llc_octets);

// frame.c: writes the headers in front of control's LLC frame.
void down_frame_llc(struct down *down, const struct down_llc *l, uint64_t lifetime_ns,
                    struct state_nsvc *nsvc, uint32_t i);
// Octets of the IP packets that carry a stranger's frame.
uint32_t down_stranger_octets(const struct down *down, const struct down_llc *l,
                              const struct state_nsvc *nsvc);

// The NS-VC for the frames to a TLLI in a cell; NULL: none now.
struct state_nsvc *down_link(const struct down *down, uint32_t bvc, uint32_t tlli);

// At the end: drops all that waits outside the scheduler.
void down_flush(struct down *down);

// decap.c: finds the N-PDU in its frame, and its tunnel; or returns a drop reason. DECAP_TAKEN: the
// message was no G-PDU, and is handled.
struct gpdu {
    uint32_t teid;
    uint16_t offset, octets;
};
#define DECAP_TAKEN (DROP_NONE + 1)
uint32_t down_decap(struct down *down, struct rte_mbuf *packet,
                    const struct port_datagram *datagram, struct gpdu *gpdu);

// gtpu.c: handles a message that is no G-PDU; returns decap's result.
struct gtpu;
uint32_t down_gtpu_message(struct down *down, struct rte_mbuf *packet,
                           const struct port_datagram *datagram, const struct gtpu *message);
// Sends an Error Indication for a G-PDU with an unknown TEID, unless the rate limit forbids it.
void down_gtpu_unknown(struct down *down, const struct rte_mbuf *packet,
                       const struct port_datagram *datagram, uint32_t teid, uint64_t now_ns);

// gtpc.c: takes a datagram for GTP-C's UDP port, which is Gn's second one: to control, or to its
// end. `down` is a struct down: for struct port.
#define DOWN_GTPC_STRANGER_NS 1000000000ULL // least time between events `gtpc_stranger`
void down_gtpc(void *down, struct rte_mbuf *frame, const struct port_datagram *datagram,
               uint64_t now_ns);

// inner.c: fills in `ect`, and with a key the hash; down_inner_mark_ce marks an N-PDU that was ECT.
void down_inner_classify(const uint8_t *b, uint32_t n, const struct down_flow_key *key,
                         struct pdu *pdu);
void down_inner_mark_ce(uint8_t *b);

// Combines the outer header's ECN field with the inner one (RFC 6040 4.2).
enum drop_reason down_inner_decap_ecn(uint8_t *b, uint32_t n, uint8_t outer_ecn);

// frame.c: frames a granted piece into packet[i], frame[i]; false if no buffer was free.
bool down_frame_piece(struct down *down, const struct sched_grant *grant, struct state_nsvc *nsvc,
                      uint32_t i);

#endif
