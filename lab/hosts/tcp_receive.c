// Data in: order, what the window lets in, when an ACK is due (RFC 9293 3.8.6.3, RFC 5681 4.2),
// marks (RFC 3168 6.1.3).
#include "lab/hosts/tcp_inside.h"

// The right edge moves by a full segment or half the buffer at least (RFC 9293 3.8.6.2.2), and
// never back.
uint16_t tcp_receive_window(struct tcp_end *end, bool scaled)
{
    uint64_t buffer = end->profile->receive_window_octets;
    uint64_t next = tcp_max(end->received, 1); // a SYN's window begins behind the peer's SYN
    uint64_t edge = next + buffer - tcp_min(buffer, end->unread_octets);
    if (edge >= end->window_end + tcp_min(end->mss_octets, buffer / 2))
        end->window_end = edge;
    uint64_t window = end->window_end > next ? end->window_end - next : 0;
    uint8_t shift = scaled && end->scaled ? end->own_scale : 0;
    window = (window + (1ULL << shift) - 1) >> shift;
    if (window > 0xffff) {
        window = 0xffff;
        end->window_end = next + (window << shift);
    }
    return (uint16_t)window;
}

void tcp_read(struct tcp_end *end, uint64_t octets, uint64_t now_ns)
{
    uint64_t before = end->window_end;
    end->unread_octets -= tcp_min(octets, end->unread_octets);
    if (end->state != TCP_STATE_OPEN)
        return;
    tcp_receive_window(end, true);
    if (end->window_end > before)
        end->ack_now = true;
    tcp_finish(end, now_ns);
}

// --- Acknowledging -------------------------------------------------------------------------------

// Where the delay follows the arrivals: half of it and the latest gap, unless that gap was longer
// than the delay itself.
static uint64_t ack_delay_ns(const struct tcp_end *end)
{
    const struct tcp_profile *p = end->profile;
    if (p->ack_delay_least_ns == 0)
        return p->ack_delay_ns;
    return tcp_min(tcp_max(end->ack_interval_ns, p->ack_delay_least_ns), p->ack_delay_ns);
}

static void be_quick(struct tcp_end *end)
{
    end->quick_left = end->profile->quick_acks;
    end->ack_interval_ns = end->profile->ack_adapts ? 0 : end->ack_interval_ns;
}

// Linux of today times what comes in order, so that a recovery may be a pause.
static void measure(struct tcp_end *end, uint64_t at, uint32_t octets, uint64_t now_ns)
{
    bool adapts = end->profile->ack_adapts;
    uint64_t gap_ns = now_ns - end->last_data_ns, delay_ns = ack_delay_ns(end);
    end->full_octets = (uint32_t)tcp_max(end->full_octets, octets);
    if (adapts && at != end->received)
        return;
    if (adapts && (end->last_data_ns == 0 || gap_ns > tcp_rto_ns(end)))
        be_quick(end);
    else if (gap_ns < delay_ns)
        end->ack_interval_ns = delay_ns / 2 + gap_ns;
    end->last_data_ns = now_ns;
}

// Out of order, or twice: at once (RFC 5681 4.2).
static void owe_ack_now(struct tcp_end *end, bool quick_again)
{
    end->ack_now = true;
    if (quick_again)
        be_quick(end);
}

// A delayed ACK is due.
void tcp_ack_timer(struct tcp_end *end)
{
    end->ack_now = true;
    if (end->profile->ack_adapts)
        end->ack_interval_ns = 2 * ack_delay_ns(end);
}

void tcp_ack_sent(struct tcp_end *end)
{
    end->last_ack = end->received;
    end->ack_now = false;
    end->ack_ns = TIME_NEVER;
    if (!end->profile->ack_adapts || end->quick_left == 0)
        return;
    if (--end->quick_left == 0)
        end->ack_interval_ns = 0;
}

static void owe_ack(struct tcp_end *end, uint64_t now_ns)
{
    uint64_t owed = end->received - end->last_ack;
    if (end->profile->ack_every == 1 ||
        owed >= (uint64_t)end->profile->ack_every * end->full_octets || end->quick_left > 0 ||
        ack_delay_ns(end) == 0)
        end->ack_now = true;
    else if (end->ack_ns == TIME_NEVER)
        end->ack_ns = now_ns + ack_delay_ns(end);
    if (end->quick_left > 0 && !end->profile->ack_adapts)
        end->quick_left--;
}

// --- Data ----------------------------------------------------------------------------------------

static void report_duplicate(struct tcp_end *end, uint64_t left, uint64_t right)
{
    end->figures.duplicate_octets += right - left;
    owe_ack_now(end, true);
    if (!end->sack || !end->profile->dsack)
        return;
    end->dsack_left = left;
    end->dsack_right = right;
}

static void take_in_order(struct tcp_end *end, uint64_t last, uint64_t now_ns)
{
    uint64_t before = end->received;
    bool hole = end->holes.ranges > 0;
    end->received = tcp_holes_take(&end->holes, last);
    uint64_t octets = end->received - before;
    end->figures.received_octets += octets;
    if (end->hold)
        end->unread_octets += octets;
    if (hole)
        end->ack_now = true;
    else
        owe_ack(end, now_ns);
    tcp_tell(end, TCP_RECEIVED);
}

static void take_later(struct tcp_end *end, uint64_t left, uint64_t right)
{
    owe_ack_now(end, !end->profile->ack_adapts);
    enum tcp_hole hole = tcp_holes_add(&end->holes, left, right);
    if (hole == TCP_HOLE_KNOWN)
        report_duplicate(end, left, right);
}

static void take_data(struct tcp_end *end, uint64_t at, uint64_t last, uint64_t now_ns)
{
    if (last > end->window_end) {
        end->ack_now = true;
        if (at >= end->window_end)
            return;
        last = end->window_end;
    }
    if (at < end->received)
        report_duplicate(end, at, tcp_min(last, end->received));
    if (last <= end->received)
        return;
    if (at > end->received)
        take_later(end, at, last);
    else
        take_in_order(end, last, now_ns);
}

static void take_fin(struct tcp_end *end)
{
    if (end->peer_closed || end->received != end->peer_fin)
        return;
    end->received++;
    end->peer_closed = true;
    end->ack_now = true;
    tcp_tell(end, TCP_PEER_CLOSED);
}

static void read_marks(struct tcp_end *end, const struct tcp *segment, bool ce)
{
    if (!end->ecn)
        return;
    if (segment->flags & TCP_CWR)
        end->ece = false;
    if (ce) {
        end->ece = true;
        end->figures.ecn_marks++;
    }
}

uint64_t tcp_arrived_to(const struct tcp_end *end)
{
    const struct tcp_holes *holes = &end->holes;
    return holes->ranges ? holes->range[holes->ranges - 1].right : end->received;
}

void tcp_receive(struct tcp_end *end, const struct tcp *segment, int64_t at, bool ce,
                 uint64_t now_ns)
{
    uint32_t octets = segment->payload.n;
    int64_t last = at + octets;
    bool fin = segment->flags & TCP_FIN;
    if (octets == 0 && !fin)
        return;
    if (at < 1 || end->peer_closed) {
        end->figures.duplicate_octets += octets;
        end->ack_now = true;
        return;
    }
    if (octets) {
        read_marks(end, segment, ce);
        measure(end, (uint64_t)at, octets, now_ns);
        take_data(end, (uint64_t)at, (uint64_t)last, now_ns);
        end->ack_now |= end->profile->ack_adapts && segment->flags & TCP_PSH;
    }
    if (fin) {
        end->peer_fin = (uint64_t)last;
        end->ack_now = true;
    }
    take_fin(end);
}
