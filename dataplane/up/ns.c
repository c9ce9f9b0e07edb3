// NS on the uplink (TS 48.016): from a known NS-VC the path takes UNITDATA with a UL-UNITDATA, and
// answers NS-ALIVE, so that an NS-VC survives while control is busy; all other PDUs go to control.
// From an unknown endpoint control gets PDUs that may create an NS-VC (NS-RESET, the SNS PDUs) and
// NS-STATUS, at most UP_TOLD_MAX a burst; a notice of any other PDU once in UP_UNLISTED_NS.
//
// Control gets the datagram in its buffer, unchanged. Left out: a BSS's request to change the flow
// (the R bit), which is ignored.
#include "dataplane/up/up_parts.h"

static bool may_be_new(uint8_t type)
{
    return type == NS_RESET_TYPE || type == NS_STATUS_TYPE ||
           (type >= SNS_ACK_TYPE && type <= SNS_SIZE_ACK_TYPE);
}

enum up_way up_ns(struct up_frame *f)
{
    struct ns_unitdata unitdata;
    if (f->nsvc == STATE_NONE)
        return up_end(f, f->ns.n && may_be_new(f->ns.at[0]) ? UP_STRANGER : UP_DROP, DROP_stranger);
    if (f->ns.n == 0)
        return up_refuse(f, DROP_ns);
    if (f->ns.at[0] == NS_ALIVE_TYPE)
        return UP_HOST;
    if (f->ns.at[0] != NS_UNITDATA_TYPE)
        return UP_CONTROL;
    if (ns_unitdata_decode(&unitdata, f->ns.at, f->ns.n) < 0)
        return up_refuse(f, DROP_ns);
    f->bvci = unitdata.bvci;
    f->bssgp = unitdata.sdu;
    return UP_ON;
}

// A BSS may send PDUs that create no NS-VC, for instance if the configuration has another address
// for it. The PDU is dropped; the event has its type.
void up_unlisted(struct up *up, const struct up_frame *f, uint64_t now_ns)
{
    static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, NS_ALIVE_ACK_TYPE};
    if (f->ns.n == 0 || f->ns.at[0] > NS_ALIVE_ACK_TYPE || now_ns < up->unlisted_ns)
        return;
    struct event event = event_of(EVENT_unlisted, up->state->worker, up->stats->commands);
    event.source = f->from.address;
    event.udp_port = f->from.udp_port;
    event.pdu = (struct octets){&types[f->ns.at[0]], 1};
    up->unlisted_ns = now_ns + UP_UNLISTED_NS;
    event_put_unsolicited(up->events, &event);
}

void up_ns_alive(struct up *up, const struct up_frame *f)
{
    struct stats_port *stats = &up->stats->of_port[STATS_GB];
    struct rte_mbuf *answer;
    uint8_t *pdu = port_reply(up->gb, f->m, f->datagram, 1, &answer);
    if (pdu) {
        *pdu = NS_ALIVE_ACK_TYPE;
        port_reply_finish(answer);
        port_answer(up->gb, answer);
    }
    stats->host_packets++;
    stats->host_octets += f->m->pkt_len;
    packet_release(f->m);
}

void up_unreachable(void *self, const struct port_endpoint *endpoint, uint64_t now_ns)
{
    struct up *up = self;
    const struct state_endpoint of = {endpoint->address, endpoint->udp_port};
    struct event event = event_of(EVENT_unreachable, up->state->worker, up->stats->commands);
    event.source = endpoint->address;
    event.udp_port = endpoint->udp_port;
    if (now_ns < up->unreachable_ns || state_nsvc_of(up->state, &of) == STATE_NONE)
        return;
    up->unreachable_ns = now_ns + UP_UNREACHABLE_NS;
    event_put_unsolicited(up->events, &event);
}

// False: the ring of events is full.
static bool tell_silence(struct up *up, uint32_t id)
{
    struct state_nsvc *nsvc = &up->state->nsvc[id];
    bool silent = nsvc->peer.made && neighbour_silent(up->gb->neighbours, nsvc->peer.neighbour);
    if (nsvc->silent == silent || nsvc->worker != up->state->worker)
        return true;
    struct event event = event_of(silent ? EVENT_neighbour_silent : EVENT_neighbour_answers,
                                  up->state->worker, up->stats->commands);
    event.nse_id = nsvc->nse;
    event.nsvc_id = id;
    if (!event_put(up->events, &event))
        return false;
    nsvc->silent = silent;
    return true;
}

// Checks all NS-VCs after a change of a neighbour, a bounded number a call.
uint64_t up_look(struct up *up, uint64_t now_ns)
{
    uint32_t nsvcs = up->state->limits.nsvcs, left = UP_LOOKED_MAX;
    if (up->changes != up->gb->neighbours->changes) {
        up->changes = up->gb->neighbours->changes;
        up->looked = 0;
    }
    for (; up->looked < nsvcs && left > 0; left--, up->looked++)
        if (!tell_silence(up, up->looked))
            return now_ns + UP_UNREACHABLE_NS;
    return up->looked < nsvcs ? now_ns : TIME_NEVER;
}

static bool put(struct up *up, const struct up_frame *f, struct event *event)
{
    bool unsolicited = event->kind == EVENT_stranger || f->unsolicited;
    return unsolicited ? event_put_unsolicited(up->events, event) : event_put(up->events, event);
}

void up_to_control(struct up *up, const struct up_frame *f, enum event_kind kind)
{
    struct stats_port *stats = &up->stats->of_port[STATS_GB];
    struct event event = up_event(up, f, kind);
    event.udp_port = f->from.udp_port;
    event.source = f->from.address;
    event.pdu = f->ns;
    event.buffer = f->m;
    uint32_t octets = f->m->pkt_len; // control owns the buffer once it is on the ring
    if (!put(up, f, &event)) {
        up_drop_frame(up, DROP_control_full, f->m);
        return;
    }
    packet_show(f->m, DROP_NONE, NULL, 0);
    stats->control_packets++;
    stats->control_octets += octets;
}
