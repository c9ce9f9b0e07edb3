// The downlink of one worker: frames of the Gn port to N-PDUs to queue, and from the queue, framed
// as late as can be, to frames of the Gb port. N-PDUs wait as plaintext; N(U), N-PDU numbers and
// the FCS come into being when the scheduler has let a segment go.
#ifndef SLUICE_DOWN_DOWN_H
#define SLUICE_DOWN_DOWN_H

#include "dataplane/port/packet.h"
#include "dataplane/port/port.h"
#include "dataplane/sched/fifo.h"
#include "dataplane/state/state.h"

// What stands before a segment's octets in a Gb frame.
#define DOWN_HEADER_OCTETS_MAX                                                \
    (STATE_OUTER_OCTETS + NS_UNITDATA_OCTETS + BSSGP_DL_UNITDATA_OCTETS_MAX + \
     LLC_UI_HEADER_OCTETS + SNDCP_FIRST_OCTETS)

// Our own end of Gn.
struct down_gn {
    struct mac mac;
    uint32_t address;
};

// A framed segment on its way to the port.
struct down_frame {
    uint8_t *llc; // the LLC frame, whose FCS is written in a pass of its own
    uint16_t llc_octets;
    uint16_t npdu_octets; // of the N-PDU that this frame completes; 0 if more segments follow
    uint8_t traffic_class;
};

// The N-PDU at the head of the queue, as far as its segments are framed.
struct down_segmenter {
    bool started;
    uint32_t offset;
    uint16_t n201_u; // an N-PDU ends with the N201-U it began with
    uint16_t npdu_number;
    uint8_t segment;
};

struct down {
    struct state *state;
    struct fifo *queue;
    struct stats_worker *stats;
    struct rte_mempool *segment_pool;
    const struct port *gb;
    struct down_gn gn;
    struct down_segmenter segmenter;
    // Framed and not yet taken by the port: places first .. first + pending - 1.
    uint32_t first, pending;
    uint32_t burst; // how many to frame at once, 1 to PORT_BURST
    struct rte_mbuf *packet[PORT_BURST];
    struct down_frame frame[PORT_BURST];
};

// Takes frames off Gn: each becomes a queued N-PDU or is dropped.
void down_input(struct down *down, struct rte_mbuf **frames, uint32_t n, uint64_t now_ns);

// Frames what the scheduler lets go and gives it to the Gb port. True if it ended because the port
// or the buffers were full, so that only their recovery brings new work.
bool down_output(struct down *down);

// What waits: queued N-PDUs, and those whose last frame waits for the port.
void down_queued(const struct down *down, uint64_t *packets, uint64_t *octets);

// Drops all that waits, for the end.
void down_flush(struct down *down);

// decap.c: leaves the N-PDU alone in the buffer and names its tunnel, or gives the reason why not.
enum drop_reason decap(const struct down_gn *gn, struct rte_mbuf *packet, uint32_t *teid);

// frame.c: frames the next segment of the head N-PDU into packet[i], frame[i]; false if no buffer
// was free. The caller sees to it that the queue is not empty.
bool frame_next(struct down *down, uint32_t i);

#endif
