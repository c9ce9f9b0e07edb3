// The uplink of one worker: datagrams of the Gb port to N-PDUs on Gn. NS (TS 48.016), BSSGP
// UL-UNITDATA (48.018), LLC UI frames with FCS, cipher and duplicates (44.064), SNDCP reassembly
// (44.065), GTP-U (29.281) to the GGSN. Every other PDU from a BSS goes to control unchanged, as an
// event; NS-ALIVE is answered here.
//
// A burst is processed in passes: first classification and owner of each datagram, then one cipher
// call, then FCS, numbers and segments of each frame.
#ifndef SLUICE_UP_UP_H
#define SLUICE_UP_UP_H

#include "dataplane/cipher/cipher.h"
#include "dataplane/port/packet.h"
#include "dataplane/port/port.h"
#include "dataplane/post/post.h"
#include "dataplane/state/event_put.h"
#include "dataplane/state/state.h"
#include "dataplane/window/window.h"

#define UP_PENDING        256u           // the most N-PDUs that wait for Gn
#define UP_PARTIALS       4096u          // the most N-PDUs in reassembly
#define UP_SEGMENTS_NS    10000000000ULL // the longest time of a reassembly
#define UP_WINDOW         32u // a UI frame up to so far behind V(UR) may be new (44.064 8.4.2)
#define UP_UNREACHABLE_NS 10000000ULL   // least time between events `unreachable`
#define UP_UNLISTED_NS    1000000000ULL // least time between events `unlisted`
#define UP_LOOKED_MAX     256u          // NS-VCs in a call
#define UP_TOLD_MAX       4u // malformed PDUs to control a burst; unknown senders' likewise

// An N-PDU in reassembly; in a list ordered by begin. In a free one only `newer` is used: the next
// free one.
struct up_partial {
    struct rte_mbuf *m;
    uint64_t begun_ns;
    uint32_t pdp;
    uint32_t iov_ui; // of its MS when it began: a Reset of LLC, which starts N-PDU numbers again,
                     // changes it
    uint16_t npdu_number;
    uint8_t segments;      // received, which is the number of the next
    uint16_t older, newer; // UP_NONE at the ends
    uint16_t traced;       // its number (trace/trace.h); 0: none
};
#define UP_NONE UINT16_MAX

struct up {
    struct state *state;
    struct sched *sched; // for an MS that moves
    struct port *gn, *gb;
    struct stats_worker *stats;
    struct cipher_scratch *scratch;
    struct rte_ring *events;    // of struct event
    struct event_unread *moves; // by NSE
    struct post *post;
    struct window *window;           // NULL: no class has one
    uint16_t oldest, newest, unused; // of `partial`
    uint32_t partials;
    uint64_t partial_segments, partial_octets;
    uint32_t first, pending; // waiting for Gn: places first .. first + pending - 1
    uint64_t pending_segments, pending_octets;
    uint64_t unreachable_ns; // when the next event `unreachable` may go
    uint64_t unlisted_ns;    // when the next event `unlisted` may go
    uint32_t looked;  // NS-VCs whose neighbour was checked since the last change of a neighbour
    uint32_t changes; // struct neighbours' count at that change
    struct up_partial partial[UP_PARTIALS];
    struct rte_mbuf *packet[UP_PENDING];
    uint8_t segments[UP_PENDING]; // 0: of GTP-C
    uint16_t octets[UP_PENDING];
    uint16_t traced[UP_PENDING];
};

_Static_assert(UP_PARTIALS <= UP_NONE, "each has a number");

void up_setup(struct up *up);

// An ICMP error says that an endpoint is unreachable: control is told, if the endpoint is an
// NS-VC's, once in UP_UNREACHABLE_NS. `up` is a struct up: for struct port.
void up_unreachable(void *up, const struct port_endpoint *endpoint, uint64_t now_ns);

// The reassembly of a context; NULL: none.
static inline const struct up_partial *up_partial_of(const struct up *up, uint32_t pdp)
{
    uint32_t at = up->state->pdp_up[pdp].partial;
    return at ? &up->partial[at - 1] : NULL;
}

// Takes at most PORT_BURST datagrams from port_unwrap, and owns their buffers from then on.
void up_input(struct up *up, struct rte_mbuf **frames, const struct port_datagram *datagrams,
              uint32_t n, uint64_t now_ns);

// Tells control whether an LLC frame that came in a cell of another NSE proves that the MS is there
// (llc.c). Owns the buffer, which holds the frame alone. If the ring of events is full nothing
// happens: the MS's next frame is another try.
void up_prove(struct up *up, uint32_t ms, uint32_t bvc, struct rte_mbuf *frame);

// Sends control's GTP-C message to that UDP port of a GGSN, behind all N-PDUs made already; owns
// the buffer. A message that cannot go is counted as unsent: GTP-C repeats it.
void up_send(struct up *up, uint32_t ggsn, uint16_t udp_port, struct rte_mbuf *message);

// Offers waiting N-PDUs to Gn.
void up_output(struct up *up);

// Reports NS-VCs with a next hop that fell silent, or answers again; returns the time of the next
// call, or TIME_NEVER.
uint64_t up_look(struct up *up, uint64_t now_ns);

// Drops overdue reassemblies; returns the time of the next call, or TIME_NEVER.
uint64_t up_tick(struct up *up, uint64_t now_ns);

// Drops the reassembly of a PDP context: before the context is removed, or its MS gets another key
// or goes to another worker.
void up_forget(struct up *up, uint32_t pdp, enum drop_reason reason);

// Waiting segments, in reassembly or for Gn.
void up_held(const struct up *up, uint64_t *packets, uint64_t *octets);

// At the end: drops all segments.
void up_flush(struct up *up);

#endif
