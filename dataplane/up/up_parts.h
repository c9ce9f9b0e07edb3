// Shared by the stages of the uplink: a datagram with what the layers found so far, and the ways in
// which it leaves the uplink.
#ifndef SLUICE_UP_UP_PARTS_H
#define SLUICE_UP_UP_PARTS_H

#include "dataplane/trace/trace.h"
#include "dataplane/up/up.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

struct up_frame {
    struct rte_mbuf *m;
    const struct port_datagram *datagram;
    struct port_endpoint from;
    struct octets ns, bssgp, llc; // the PDUs of the layers, in the buffer
    uint32_t nsvc, nse, bvc, ms;  // STATE_NONE: unknown
    uint32_t tlli;                // valid with ms
    uint16_t bvci;
    uint8_t lle;
    enum drop_reason reason; // of UP_DROP, and of PDUs that exceed control's limits
    struct llc_ui ui;
    uint32_t number;  // the N(U) + OC used to decipher it
    bool unsolicited; // of a kind that an MS can send at will
};

enum up_way {
    UP_ON,       // user data for the layer above
    UP_HOST,     // answered here
    UP_CONTROL,  // to control, from a known NS-VC
    UP_STRANGER, // to control, from an unknown endpoint; UP_TOLD_MAX a burst
    UP_FAULTY,   // malformed: to control, which answers STATUS; UP_TOLD_MAX a burst
    UP_DROP,
    UP_WAYS
};

static inline enum up_way up_end(struct up_frame *f, enum up_way way, enum drop_reason reason)
{
    f->reason = reason;
    return way;
}

static inline enum up_way up_refuse(struct up_frame *f, enum drop_reason reason)
{
    return up_end(f, UP_DROP, reason);
}

// ns.c: classifies an NS PDU; answers NS-ALIVE; makes events for control.
enum up_way up_ns(struct up_frame *f);
void up_ns_alive(struct up *up, const struct up_frame *f);
// Reports a PDU from an endpoint without an NS-VC, once in UP_UNLISTED_NS.
void up_unlisted(struct up *up, const struct up_frame *f, uint64_t now_ns);
void up_to_control(struct up *up, const struct up_frame *f, enum event_kind kind);

// bssgp.c: decodes a UL-UNITDATA; 0, or the fault. up_bssgp_plain: only the common form, or false.
int up_bssgp(const uint8_t *b, uint32_t n, uint32_t *tlli, struct octets *llc);
bool up_bssgp_plain(const uint8_t *b, uint32_t n, uint32_t *tlli, struct octets *llc);

// llc.c: up_llc classifies an LLC frame of a known MS; up_decipher deciphers those of a burst;
// up_llc_take checks FCS and number and updates the cell, frame by frame in order.
enum up_way up_llc(const struct state *state, struct up_frame *f);
void up_decipher(struct up *up, struct up_frame *frames, uint32_t n);
enum drop_reason up_llc_take(struct up *up, const struct up_frame *f, uint64_t now_ns);

// sndcp.c: takes a UI frame's segment. With a drop reason the frame is still the caller's.
enum drop_reason up_segment_take(struct up *up, const struct up_frame *f, uint64_t now_ns);
// Whether the segment is the first of an IP packet, in one of the MS's contexts: of random frames
// not even one in 2^18 is.
bool up_segment_begins_ip(const struct state *state, const struct up_frame *f);

// output.c: sends a whole N-PDU, alone in its buffer; `traced` as in struct up_partial.
void up_npdu(struct up *up, uint32_t pdp, struct rte_mbuf *m, uint8_t segments, uint16_t traced);

// traced.c: while the worker has a trace. A frame of a known MS that is dropped as a frame; a
// segment, which goes on with the reassembly p, or does not: returns its packet's number, or 0.
void up_trace_refused(struct up *up, const struct up_frame *f, enum drop_reason reason);
uint16_t up_trace_segment(struct up *up, const struct up_frame *f, const struct up_partial *p,
                          bool goes_on, const struct sndcp_unitdata *s);
// At any time: a packet of that number, or of none, is dropped. It is no inline function, so that
// the way of a packet that is not dropped stays short.
void up_trace_dropped(const struct up *up, uint16_t number, enum drop_reason reason);

static inline struct event up_event(const struct up *up, const struct up_frame *f,
                                    enum event_kind kind)
{
    struct event event = event_of(kind, up->state->worker, up->stats->commands);
    event.nse_id = f->nse;
    event.nsvc_id = f->nsvc;
    event.bvc_id = f->bvc;
    if (f->ms != STATE_NONE)
        event.ms_id = up->state->ms_up[f->ms].id;
    return event;
}

// Ends a frame before it is a segment of the uplink; and so many segments in one buffer.
static inline void up_drop_frame(struct up *up, enum drop_reason reason, struct rte_mbuf *m)
{
    packet_drop(up->stats->of_port[STATS_GB].drop, reason, m, m->pkt_len);
}

static inline void up_drop_segments(struct up *up, enum drop_reason reason, struct rte_mbuf *m,
                                    uint32_t segments, uint32_t octets)
{
    up->stats->up.drop[reason].packets += segments - 1;
    packet_drop(up->stats->up.drop, reason, m, octets);
}

#endif
