// What the stages of the uplink share: a datagram on its way, filled in layer by layer, and what
// becomes of it.
#ifndef SLUICE_UP_UP_PARTS_H
#define SLUICE_UP_UP_PARTS_H

#include "dataplane/up/up.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

struct up_frame {
    struct rte_mbuf *m;
    const struct port_datagram *datagram;
    struct port_endpoint from;
    struct octets ns, bssgp, llc; // where the PDUs of the layers lie in the buffer
    uint32_t nsvc, nse, bvc, ms;  // STATE_NONE: not known
    uint32_t tlli;                // with ms
    uint16_t bvci;
    uint8_t lle;
    enum drop_reason reason; // of UP_DROP, and of what control is not told
    struct llc_ui ui;
    uint32_t number; // N(U) + OC that it was deciphered with
    bool of_anybody; // what an MS sends as often as it likes
};

enum up_way {
    UP_ON,       // user data for the layer above
    UP_HOST,     // answered here
    UP_CONTROL,  // control's, from a known NS-VC
    UP_STRANGER, // control's, from an unknown endpoint; UP_TOLD_MAX of a burst
    UP_FAULTY,   // malformed: control's, which tells the BSS; UP_TOLD_MAX of a burst
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

// ns.c: what an NS PDU is; then the NS-ALIVE, and what goes to control.
enum up_way up_ns(struct up_frame *f);
void up_ns_alive(struct up *up, const struct up_frame *f);
// Control learns that it has come from an endpoint that no NS-VC has, if it has not just learnt of
// one.
void up_unlisted(struct up *up, const struct up_frame *f, uint64_t now_ns);
void up_to_control(struct up *up, const struct up_frame *f, enum event_kind kind);

// bssgp.c: what a UL-UNITDATA holds; 0, or the fault. `plain`: the short way alone, if it is one.
int up_bssgp(const uint8_t *b, uint32_t n, uint32_t *tlli, struct octets *llc);
bool up_bssgp_plain(const uint8_t *b, uint32_t n, uint32_t *tlli, struct octets *llc);

// llc.c: what an LLC frame of a known MS is; deciphers those of a burst; then, frame by frame in
// order, FCS, number and cell.
enum up_way up_llc(const struct state *state, struct up_frame *f);
void up_decipher(struct up *up, struct up_frame *frames, uint32_t n);
enum drop_reason up_llc_take(struct up *up, const struct up_frame *f, uint64_t now_ns);

// sndcp.c: a UI frame's segment. With a reason the frame is still the caller's.
enum drop_reason up_segment_take(struct up *up, const struct up_frame *f, uint64_t now_ns);

// output.c: a whole N-PDU, alone in its buffer.
void up_npdu(struct up *up, uint32_t pdp, struct rte_mbuf *m, uint8_t segments);

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

// A frame, while it is none of the uplink's segments; and as so many segments.
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
