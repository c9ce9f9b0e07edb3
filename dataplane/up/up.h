// The uplink of one worker: datagrams of the Gb port to N-PDUs on Gn. NS (TS 48.016), BSSGP
// UL-UNITDATA (48.018), LLC UI frames with FCS, cipher and duplicates (44.064), SNDCP reassembly
// (44.065), GTP-U (29.281) to the GGSN. All else that comes from a BSS is given to control as it
// stands, as an event; NS-ALIVE is answered here.
//
// A burst goes through in passes: what it is and whose, then the deciphering of all of it at once,
// then FCS, numbers and segments.
#ifndef SLUICE_UP_UP_H
#define SLUICE_UP_UP_H

#include "dataplane/cipher/cipher.h"
#include "dataplane/port/packet.h"
#include "dataplane/port/port.h"
#include "dataplane/post/post.h"
#include "dataplane/state/event_put.h"
#include "dataplane/state/state.h"

#define UP_PENDING        256u           // N-PDUs that wait for Gn at most
#define UP_PARTIALS       4096u          // N-PDUs of which some segments have come, at most
#define UP_SEGMENTS_NS    10000000000ULL // how long they may take to become whole
#define UP_WINDOW         32u            // a UI frame so far behind V(UR) may be new (44.064 8.4.2)
#define UP_UNREACHABLE_NS 10000000ULL
#define UP_UNLISTED_NS    1000000000ULL
#define UP_LOOKED_MAX     256u // NS-VCs in a call
#define UP_TOLD_MAX       4u   // malformed PDUs that control sees of a burst; strangers' likewise

// An N-PDU of which some segments have come; in a list of all such, by when it was begun. Of a free
// one only `newer` counts: the next.
struct up_partial {
    struct rte_mbuf *m;
    uint64_t begun_ns;
    uint32_t pdp;
    uint16_t npdu_number;
    uint8_t segments;      // that have come, which is the number of the next
    uint16_t older, newer; // UP_NONE at the ends
};
#define UP_NONE UINT16_MAX

struct up {
    struct state *state;
    struct sched *sched; // for an MS that moves
    struct port *gn, *gb;
    struct stats_worker *stats;
    struct cipher_scratch *scratch;
    struct rte_ring *events;   // of struct event
    struct event_moves *moves; // by NSE
    struct post *post;
    uint16_t oldest, newest, unused; // of `partial`
    uint32_t partials;
    uint64_t partial_segments, partial_octets;
    uint32_t first, pending; // to be sent: places first .. first + pending - 1
    uint64_t pending_segments, pending_octets;
    uint64_t unreachable_ns; // when control may next be told of such
    uint64_t unlisted_ns;    // the same of who speaks from an endpoint that no NS-VC has
    uint32_t looked;  // NS-VCs whose neighbour has been looked at since the last change of one
    uint32_t changes; // which that was, as struct neighbours counts
    struct up_partial partial[UP_PARTIALS];
    struct rte_mbuf *packet[UP_PENDING];
    uint8_t segments[UP_PENDING];
    uint16_t octets[UP_PENDING];
};

_Static_assert(UP_PARTIALS <= UP_NONE, "each has a number");

void up_setup(struct up *up);

// An endpoint cannot be reached, says somebody: control learns of it, if it is an NS-VC's, and if
// it has not just learnt of one (UP_UNREACHABLE_NS). `up` is a struct up: for struct port.
void up_unreachable(void *up, const struct port_endpoint *endpoint, uint64_t now_ns);

// That of a context; NULL: none of its segments waits.
static inline const struct up_partial *up_partial_of(const struct up *up, uint32_t pdp)
{
    uint32_t at = up->state->pdp_up[pdp].partial;
    return at ? &up->partial[at - 1] : NULL;
}

// Takes at most PORT_BURST datagrams that port_unwrap has left; the buffers are its own from here
// on.
void up_input(struct up *up, struct rte_mbuf **frames, const struct port_datagram *datagrams,
              uint32_t n, uint64_t now_ns);

// Offers what waits to Gn.
void up_output(struct up *up);

// Control learns whose neighbour has fallen silent, or answers again; when to call again, or
// TIME_NEVER.
uint64_t up_look(struct up *up, uint64_t now_ns);

// Ends partial N-PDUs that have taken too long; when to call again, or TIME_NEVER.
uint64_t up_tick(struct up *up, uint64_t now_ns);

// Before a PDP context is removed, or its MS gets another key or goes to another worker: what has
// come of an N-PDU ends.
void up_forget(struct up *up, uint32_t pdp, enum drop_reason reason);

// Segments that wait, in partial N-PDUs or for Gn.
void up_held(const struct up *up, uint64_t *packets, uint64_t *octets);

// Drops all of them, for the end.
void up_flush(struct up *up);

#endif
