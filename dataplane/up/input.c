// A burst from Gb, in passes: the classification and owner of each datagram, then the deciphering
// of all user data up to a PDU for control at once, then FCS, numbers and segments in order of
// arrival.
#include "dataplane/up/up_parts.h"

#include <rte_prefetch.h>

// Fields that no layer has set are not read, so they are not cleared.
static void frame_begin(struct up_frame *f, const struct state *state, struct rte_mbuf *m,
                        const struct port_datagram *datagram)
{
    f->m = m;
    f->datagram = datagram;
    f->from = port_sender(m, datagram);
    f->ns.at = rte_pktmbuf_mtod_offset(m, const uint8_t *, datagram->payload_offset);
    f->ns.n = datagram->payload_octets;
    const struct state_endpoint endpoint = {f->from.address, f->from.udp_port};
    f->nsvc = state_nsvc_of(state, &endpoint);
    f->nse = f->nsvc == STATE_NONE ? STATE_NONE : state->nsvc[f->nsvc].nse;
    f->bvc = f->ms = STATE_NONE;
    f->unsolicited = false;
}

// Only UL-UNITDATA holds user data (TS 48.018 10.2.2); the BVCI of its NS-UNITDATA names the cell.
static enum up_way bssgp(const struct state *state, struct up_frame *f)
{
    int fault = up_bssgp(f->bssgp.at, f->bssgp.n, &f->tlli, &f->llc);
    if (fault == wire_fault(WIRE_TYPE, 0))
        return UP_CONTROL;
    f->unsolicited = true;
    if (fault < 0)
        return up_end(f, UP_FAULTY, DROP_bssgp);
    f->bvc = state_bvc_of(state, f->nse, f->bvci);
    if (f->bvc == STATE_NONE || state->bvc[f->bvc].blocked)
        return UP_CONTROL;
    f->ms = state_ms_of(state, f->nse, f->tlli);
    return f->ms == STATE_NONE ? UP_CONTROL : UP_ON;
}

// NS, BSSGP and LLC in turn.
static enum up_way stages(const struct state *state, struct up_frame *f)
{
    enum up_way way = up_ns(f);
    if (way == UP_ON && state->nsvc[f->nsvc].blocked) {
        f->unsolicited = true;
        way = UP_CONTROL;
    }
    if (way == UP_ON)
        way = bssgp(state, f);
    if (way == UP_ON)
        way = up_llc(state, f);
    return way;
}

// Ends a datagram that is not the path's: answered, given to control, or dropped.
static void set_aside(struct up *up, const struct up_frame *f, enum up_way way, uint32_t *told,
                      uint64_t now_ns)
{
    if (f->nsvc == STATE_NONE && way == UP_DROP)
        up_unlisted(up, f, now_ns);
    if (way == UP_HOST)
        up_ns_alive(up, f);
    else if (way == UP_DROP || (way != UP_CONTROL && told[way]++ >= UP_TOLD_MAX)) {
        if (up->state->trace && f->ms != STATE_NONE)
            up_trace_refused(up, f, f->reason);
        up_drop_frame(up, f->reason, f->m);
    } else
        up_to_control(up, f, way == UP_STRANGER ? EVENT_stranger : EVENT_ns);
}

// A datagram from an NS-VC of another worker.
static bool is_stray(const struct state *state, const struct up_frame *f)
{
    return f->nsvc != STATE_NONE && state->nsvc[f->nsvc].worker != state->worker;
}

static void go_on(struct up *up, const struct up_frame *f)
{
    if (post_may(f->datagram))
        post_stray(up->post, up->state->nsvc[f->nsvc].worker, up->gb, STATS_GB, f->m, f->datagram);
    else
        up_drop_frame(up, DROP_stranger, f->m);
}

// Ends the MS's holds until it is heard, and reports it to control. If the ring of events is full
// the state stays, and the next frame tries again.
static void end_hold(struct up *up, const struct up_frame *f, uint64_t now_ns)
{
    struct event event = up_event(up, f, EVENT_heard);
    event.bvc_id = up->state->ms[f->ms].bvc;
    if (event_put(up->events, &event))
        state_ms_let_go(up->state, up->sched, f->ms, STATE_UNTIL_HEARD, now_ns);
}

static void take(struct up *up, const struct up_frame *f, uint64_t now_ns)
{
    enum drop_reason reason = up_llc_take(up, f, now_ns);
    if (reason == DROP_NONE) {
        state_ms_heard(up->state, f->ms, f->tlli, now_ns);
        if (__builtin_expect(up->state->ms[f->ms].holds & STATE_UNTIL_HEARD, 0))
            end_hold(up, f, now_ns);
        reason = up_segment_take(up, f, now_ns);
    }
    if (reason == DROP_NONE)
        return;
    if (up->state->trace)
        up_trace_refused(up, f, reason);
    up_drop_frame(up, reason, f->m);
}

static void take_all(struct up *up, struct up_frame *user, uint32_t n, uint64_t now_ns)
{
    up_decipher(up, user, n);
    for (uint32_t i = 0; i < n; i++)
        take(up, &user[i], now_ns);
}

// Collects a burst's user data, in order. Returns the number that is left to take: what comes
// before a PDU for control is taken first, so that control reads that an MS was heard before a
// SUSPEND behind it.
static uint32_t sort(struct up *up, struct rte_mbuf **frames, const struct port_datagram *datagrams,
                     uint32_t n, struct up_frame *user, uint64_t now_ns)
{
    uint32_t passed = 0, told[UP_WAYS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        struct up_frame *f = &user[passed];
        frame_begin(f, up->state, frames[i], &datagrams[i]);
        if (is_stray(up->state, f)) {
            go_on(up, f);
            continue;
        }
        enum up_way way = stages(up->state, f);
        if (way == UP_CONTROL) {
            take_all(up, user, passed, now_ns);
            passed = 0;
        }
        if (way != UP_ON) {
            set_aside(up, f, way, told, now_ns);
            continue;
        }
        rte_prefetch0(&up->state->ms_up[f->ms]);
        passed++;
    }
    return passed;
}

void up_input(struct up *up, struct rte_mbuf **frames, const struct port_datagram *datagrams,
              uint32_t n, uint64_t now_ns)
{
    struct up_frame user[PORT_BURST];
    n = sort(up, frames, datagrams, n, user, now_ns);
    take_all(up, user, n, now_ns);
}
