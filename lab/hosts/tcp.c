// The endpoint's calls, its states and the handshake (RFC 9293 3.10). Left out: simultaneous open,
// urgent data, PAWS (a run is shorter than the sequence numbers take to wrap), and the security
// considerations that need a hostile peer, but a reset must be exact (RFC 5961 3).
#include "lab/hosts/tcp.h"

#include <assert.h>

#include "lab/hosts/tcp_inside.h"

#define MSS_DEFAULT       536 // RFC 9293 3.7.1
#define TIMESTAMPS_OCTETS 12  // in each segment
#define RTO_AFTER_SYN_NS  (3 * S_IN_NS)

void tcp_setup(struct tcp_end *end, const struct tcp_profile *profile,
               const struct tcp_owner *owner, uint32_t isn)
{
    *end = (struct tcp_end){.profile = profile,
                            .owner = *owner,
                            .own_isn = isn,
                            .end = 1,
                            .wake_ns = TIME_NEVER,
                            .timer_ns = TIME_NEVER,
                            .tail_ns = TIME_NEVER,
                            .reorder_ns = TIME_NEVER,
                            .ack_ns = TIME_NEVER,
                            .peer_fin = TIME_NEVER,
                            .rto_base_ns = profile->rto_initial_ns,
                            .quick_left = profile->quick_acks,
                            .mss_octets = tcp_profile_mss_octets(profile),
                            .cwnd = tcp_profile_mss_octets(profile),
                            .sack = profile->sack,
                            .timestamps = profile->timestamps,
                            .ecn = profile->ecn,
                            .scaled = profile->window_scale > 0,
                            .own_scale = (uint8_t)profile->window_scale};
}

void tcp_release(struct tcp_end *end)
{
    tcp_sent_clear(&end->sent);
    free(end->sent.ring);
    end->sent = (struct tcp_sent){0};
    tcp_holes_clear(&end->holes);
    end->state = TCP_STATE_CLOSED;
    end->timer_ns = end->tail_ns = end->reorder_ns = end->ack_ns = end->wake_ns = TIME_NEVER;
}

// --- Around each call ----------------------------------------------------------------------------

void tcp_tell(struct tcp_end *end, enum tcp_event event)
{
    end->events |= (uint8_t)(1u << event);
}

static void tell_owner(struct tcp_end *end, uint64_t now_ns)
{
    for (int event = 0; event < TCP_EVENTS; event++) {
        if (!(end->events & 1u << event))
            continue;
        end->events &= (uint8_t) ~(1u << event);
        end->owner.event(end->owner.self, (enum tcp_event)event, now_ns);
    }
}

// The connection is over; `event` is the last one.
void tcp_end_connection(struct tcp_end *end, enum tcp_event event)
{
    tcp_release(end);
    tcp_tell(end, event);
}

static void check_closed(struct tcp_end *end, uint64_t now_ns)
{
    bool acked = end->closing && end->una == end->end + 1;
    if (end->state != TCP_STATE_OPEN || !acked || !end->peer_closed)
        return;
    bool remember = end->closed_first && end->profile->time_wait_ns;
    if (end->ack_now)
        tcp_send_ack(end, now_ns);
    tcp_end_connection(end, TCP_CLOSED);
    if (remember) {
        end->state = TCP_STATE_TIME_WAIT;
        end->timer_ns = now_ns + end->profile->time_wait_ns;
    }
}

// The owner hears first, so that what it writes goes with what is due anyhow.
void tcp_finish(struct tcp_end *end, uint64_t now_ns)
{
    if (end->inside)
        return;
    end->inside = true;
    check_closed(end, now_ns);
    tell_owner(end, now_ns);
    if (end->state == TCP_STATE_OPEN)
        tcp_output(end, now_ns);
    if (end->ack_now && end->state != TCP_STATE_CLOSED)
        tcp_send_ack(end, now_ns);
    bool idle = end->timer_ns == TIME_NEVER && (end->sent.pieces || tcp_has_new(end));
    if (idle && end->state == TCP_STATE_OPEN)
        tcp_timer_restart(end, now_ns);
    end->inside = false;
    tcp_set_wake(end);
}

// --- The application's calls ---------------------------------------------------------------------

void tcp_connect(struct tcp_end *end, uint64_t now_ns)
{
    end->state = TCP_STATE_SYN_SENT;
    tcp_send_syn(end, now_ns);
    tcp_finish(end, now_ns);
}

void tcp_listen(struct tcp_end *end)
{
    end->state = TCP_STATE_LISTEN;
}

void tcp_write(struct tcp_end *end, uint64_t octets, uint64_t now_ns)
{
    if (end->closing)
        return;
    end->end = tcp_min(end->end + octets, TCP_UNLIMITED);
    tcp_finish(end, now_ns);
}

void tcp_close(struct tcp_end *end, uint64_t now_ns)
{
    bool unheard = end->state == TCP_STATE_LISTEN || end->state == TCP_STATE_SYN_SENT;
    if (unheard && end->end == 1) {
        tcp_end_connection(end, TCP_CLOSED);
    } else if (!end->closing) {
        end->closing = true;
        end->closed_first = !end->peer_closed;
    }
    tcp_finish(end, now_ns);
}

void tcp_abort(struct tcp_end *end, uint64_t now_ns)
{
    if (end->state == TCP_STATE_OPEN || end->state == TCP_STATE_SYN_RECEIVED)
        tcp_send_reset(end, NULL, now_ns);
    tcp_release(end);
}

// --- Timers --------------------------------------------------------------------------------------

static void time_out(struct tcp_end *end, uint64_t now_ns)
{
    bool open = end->state == TCP_STATE_OPEN;
    if (++end->timeouts_in_row > (open ? end->profile->retries : end->profile->syn_retries)) {
        tcp_end_connection(end, TCP_ABORTED);
        return;
    }
    end->figures.timeouts++;
    if (open)
        tcp_lose(end, now_ns);
    else
        tcp_mark_all_below(end, end->next);
    end->backoff++;
    end->timer_ns = TIME_NEVER;
    end->tail_ns = end->reorder_ns = TIME_NEVER;
    tcp_send_piece(end, tcp_sent_at(&end->sent, 0), now_ns);
}

// Nothing is under way and something waits: the window is closed, or silly.
static void probe(struct tcp_end *end, uint64_t now_ns)
{
    end->probes++;
    end->timer_ns = TIME_NEVER;
    if (!tcp_send_new(end, true, now_ns)) {
        tcp_send_probe(end, now_ns);
        tcp_timer_restart(end, now_ns);
    }
}

// RFC 8985 7.3: new data, or the last segment again; then the time-out counts from here.
static void probe_tail(struct tcp_end *end, uint64_t now_ns)
{
    end->tail_ns = TIME_NEVER;
    if (end->sent.pieces == 0)
        return;
    end->figures.tail_probes++;
    end->tail_resent = !tcp_send_new(end, false, now_ns);
    if (end->tail_resent)
        tcp_send_piece(end, tcp_sent_at(&end->sent, end->sent.pieces - 1), now_ns);
    end->tail_end = end->next;
    tcp_timer_restart(end, now_ns);
}

static void reorder(struct tcp_end *end, uint64_t now_ns)
{
    end->reorder_ns = TIME_NEVER;
    if (tcp_find_losses(end, now_ns) &&
        (end->phase == TCP_PHASE_OPEN || end->phase == TCP_PHASE_REDUCED))
        tcp_recover(end, now_ns);
}

static void wake(struct tcp_end *end, uint64_t now_ns)
{
    if (end->ack_ns <= now_ns)
        tcp_ack_timer(end);
    if (end->reorder_ns <= now_ns)
        reorder(end, now_ns);
    if (end->tail_ns <= now_ns)
        probe_tail(end, now_ns);
    if (end->timer_ns > now_ns) {
        // nothing is due
    } else if (end->state == TCP_STATE_TIME_WAIT)
        tcp_release(end);
    else if (end->sent.pieces)
        time_out(end, now_ns);
    else if (end->state == TCP_STATE_OPEN && tcp_has_new(end))
        probe(end, now_ns);
    else
        end->timer_ns = TIME_NEVER;
}

void tcp_wake(struct tcp_end *end, uint64_t now_ns)
{
    assert(!end->inside);
    end->inside = true;
    wake(end, now_ns);
    end->inside = false;
    tcp_finish(end, now_ns);
}

// --- The handshake -------------------------------------------------------------------------------

// What both ends want, of the peer's SYN.
static void agree(struct tcp_end *end, const struct tcp *segment)
{
    uint8_t marks = segment->flags & (TCP_ECE | TCP_CWR);
    bool answer = segment->flags & TCP_ACK;
    uint32_t peer_mss = segment->has_mss_octets ? segment->mss_octets : MSS_DEFAULT;
    end->ecn = end->ecn && marks == (answer ? TCP_ECE : TCP_ECE | TCP_CWR);
    end->sack = end->sack && segment->sack_permitted;
    end->timestamps = end->timestamps && segment->has_timestamps;
    end->scaled = end->scaled && segment->has_window_scale;
    end->peer_scale = segment->window_scale;
    end->mss_octets =
        (uint32_t)tcp_min(tcp_profile_mss_octets(end->profile), tcp_max(peer_mss, 64));
    if (end->timestamps && end->profile->outside != TCP_OUTSIDE_QUIC)
        end->mss_octets -= TIMESTAMPS_OCTETS;
    end->stamp_recent = segment->timestamps.value;
    end->peer_isn = segment->sequence;
    end->received = end->last_ack = 1;
    end->window_sequence = 0;
    end->peer_window = end->peer_window_most = segment->window;
}

// RFC 6298 5.7: after a SYN that was lost, data begins with 3 s at least, if there is no sample.
static void open(struct tcp_end *end, uint64_t now_ns)
{
    tcp_window_open(end);
    if (end->figures.timeouts && end->srtt_ns == 0) {
        end->rto_base_ns = tcp_max(end->rto_base_ns, RTO_AFTER_SYN_NS);
        end->backoff = 0;
    }
    end->state = TCP_STATE_OPEN;
    end->recover = 0;
    tcp_timer_restart(end, now_ns);
    tcp_tell(end, TCP_OPEN);
}

static bool acks_syn(const struct tcp_end *end, const struct tcp *segment)
{
    return segment->flags & TCP_ACK && segment->acknowledgement == end->own_isn + 1;
}

static void input_listen(struct tcp_end *end, const struct tcp *segment, uint64_t now_ns)
{
    if (segment->flags & TCP_RST)
        return;
    if (segment->flags & TCP_ACK) {
        tcp_send_reset(end, segment, now_ns);
    } else if (segment->flags & TCP_SYN) {
        agree(end, segment);
        end->state = TCP_STATE_SYN_RECEIVED;
        tcp_send_syn(end, now_ns);
    }
}

static void input_syn_sent(struct tcp_end *end, const struct tcp *segment, uint64_t now_ns)
{
    if (!acks_syn(end, segment)) {
        if (segment->flags & TCP_ACK && !(segment->flags & TCP_RST))
            tcp_send_reset(end, segment, now_ns);
        return;
    }
    if (segment->flags & TCP_RST) {
        tcp_end_connection(end, TCP_ABORTED);
        return;
    }
    if (!(segment->flags & TCP_SYN))
        return;
    agree(end, segment);
    tcp_acknowledge(end, segment, 0, now_ns);
    open(end, now_ns);
    end->ack_now = true;
}

// --- Input ---------------------------------------------------------------------------------------

static void input_reset(struct tcp_end *end, int64_t at)
{
    if (at == (int64_t)end->received)
        tcp_end_connection(end, end->closing && end->peer_closed ? TCP_CLOSED : TCP_ABORTED);
    else if (at > (int64_t)end->received && at < (int64_t)end->window_end)
        end->ack_now = true;
}

// RFC 7323 4.3: of the segments that the latest ACK has asked for.
static void read_stamp(struct tcp_end *end, const struct tcp *segment, int64_t at)
{
    bool later = (int32_t)(segment->timestamps.value - end->stamp_recent) >= 0;
    if (end->timestamps && segment->has_timestamps && later && at <= (int64_t)end->last_ack)
        end->stamp_recent = segment->timestamps.value;
}

// RFC 9293 3.10.7.4, of a connection that both ends know.
static void input_known(struct tcp_end *end, const struct tcp *segment, bool ce, uint64_t now_ns)
{
    uint32_t expected = end->peer_isn + (uint32_t)end->received;
    int64_t at = (int64_t)end->received + (int32_t)(segment->sequence - expected);
    if (segment->flags & TCP_RST) {
        input_reset(end, at);
        return;
    }
    if (segment->flags & TCP_SYN) {
        if (end->state == TCP_STATE_SYN_RECEIVED && at == 0)
            tcp_send_piece(end, tcp_sent_at(&end->sent, 0), now_ns);
        else
            end->ack_now = true;
        return;
    }
    uint32_t ack = segment->acknowledgement - end->own_isn - (uint32_t)end->una;
    bool future = (int32_t)ack > (int32_t)(end->next - end->una);
    if (future || at < 0 || at > (int64_t)end->window_end) {
        end->ack_now = true;
        return;
    }
    if (!(segment->flags & TCP_ACK))
        return;
    // A probe, or something that was acknowledged long ago: the peer needs to hear where we are.
    if (at < (int64_t)end->received && segment->payload.n == 0)
        end->ack_now = true;
    read_stamp(end, segment, at);
    tcp_acknowledge(end, segment, (uint64_t)at, now_ns);
    if (end->state == TCP_STATE_SYN_RECEIVED) {
        if (end->una == 0)
            return;
        open(end, now_ns);
    }
    tcp_receive(end, segment, at, ce, now_ns);
}

static void input_time_wait(struct tcp_end *end, const struct tcp *segment, uint64_t now_ns)
{
    if (!(segment->flags & TCP_FIN))
        return;
    end->timer_ns = now_ns + end->profile->time_wait_ns;
    end->ack_now = true;
}

static void input(struct tcp_end *end, const struct tcp *segment, bool ce, uint64_t now_ns)
{
    switch (end->state) {
    case TCP_STATE_CLOSED:
        if (!(segment->flags & TCP_RST))
            tcp_send_reset(end, segment, now_ns);
        break;
    case TCP_STATE_LISTEN:
        input_listen(end, segment, now_ns);
        break;
    case TCP_STATE_SYN_SENT:
        input_syn_sent(end, segment, now_ns);
        break;
    case TCP_STATE_TIME_WAIT:
        input_time_wait(end, segment, now_ns);
        break;
    default:
        input_known(end, segment, ce, now_ns);
    }
}

void tcp_input(struct tcp_end *end, const struct tcp *segment, bool ce, uint64_t now_ns)
{
    assert(!end->inside);
    end->inside = true;
    end->figures.received_segments++;
    input(end, segment, ce, now_ns);
    end->inside = false;
    tcp_finish(end, now_ns);
}
