// Segments out: what is lost first, then new data, within the congestion window and the peer's;
// each carries the latest ACK. RFC 9293 3.8.6.2: no silly window in either direction.
#include "lab/hosts/tcp_inside.h"

#define SACK_WITH_STAMPS 3 // blocks that fit beside timestamps

uint64_t tcp_pipe(const struct tcp_end *end)
{
    uint64_t out = end->next - end->una, gone = end->sent.lost_octets;
    bool told = end->phase != TCP_PHASE_OPEN || end->profile->limited_transmit;
    if (told)
        gone += end->sent.sacked_octets;
    if (told && end->phase != TCP_PHASE_LOSS && tcp_kind(end) == TCP_RECOVERY_NEWRENO)
        gone += end->duplicates * (uint64_t)end->mss_octets;
    return out > gone ? out - gone : 0;
}

// --- One segment ---------------------------------------------------------------------------------

static uint32_t number(const struct tcp_end *end, uint64_t position)
{
    return end->own_isn + (uint32_t)position;
}

static uint32_t peer_number(const struct tcp_end *end, uint64_t position)
{
    return end->peer_isn + (uint32_t)position;
}

static void put_block(const struct tcp_end *end, struct tcp *segment, uint64_t left, uint64_t right)
{
    segment->sack.item[segment->sack.n++] =
        (struct tcp_sack_block){peer_number(end, left), peer_number(end, right)};
}

// RFC 2018 4, and RFC 2883: a duplicate is reported once, in front.
static void put_sack(struct tcp_end *end, struct tcp *segment)
{
    struct tcp_range recent[TCP_SACK_BLOCKS];
    uint32_t most = end->timestamps ? SACK_WITH_STAMPS : TCP_SACK_BLOCKS;
    if (end->dsack_right)
        put_block(end, segment, end->dsack_left, end->dsack_right);
    uint32_t ranges = tcp_holes_recent(&end->holes, recent, most - (uint32_t)segment->sack.n);
    for (uint32_t i = 0; i < ranges; i++)
        put_block(end, segment, recent[i].left, recent[i].right);
    end->dsack_left = end->dsack_right = 0;
}

// What every segment has; the ACK that it carries is no longer owed.
static void put_common(struct tcp_end *end, struct tcp *segment, uint64_t now_ns)
{
    if (end->timestamps) {
        segment->has_timestamps = true;
        segment->timestamps = (struct tcp_timestamps){tcp_stamp(end, now_ns), end->stamp_recent};
    }
    if (!(segment->flags & TCP_ACK)) {
        segment->window = tcp_receive_window(end, false);
        return;
    }
    segment->acknowledgement = peer_number(end, end->received);
    segment->window = tcp_receive_window(end, !(segment->flags & TCP_SYN));
    if (end->sack && segment->payload.n == 0)
        put_sack(end, segment);
    if (end->ecn && end->ece && !(segment->flags & TCP_SYN))
        segment->flags |= TCP_ECE;
    tcp_ack_sent(end);
}

static void send(struct tcp_end *end, struct tcp *segment, bool ect, uint64_t now_ns)
{
    put_common(end, segment, now_ns);
    end->figures.sent_segments++;
    end->owner.send(end->owner.self, segment, ect, now_ns);
}

static void put_handshake(const struct tcp_end *end, struct tcp *segment)
{
    const struct tcp_profile *p = end->profile;
    segment->flags |= TCP_SYN;
    segment->has_mss_octets = true;
    segment->mss_octets = (uint16_t)tcp_profile_mss_octets(p);
    segment->has_window_scale = end->scaled;
    segment->window_scale = end->own_scale;
    segment->sack_permitted = end->sack;
    if (end->ecn)
        segment->flags |= end->state == TCP_STATE_SYN_SENT ? TCP_ECE | TCP_CWR : TCP_ECE;
}

// Fills in what the positions of a piece stand for. Returns the octets of data.
static uint32_t put_piece(const struct tcp_end *end, const struct tcp_piece *piece,
                          struct tcp *segment)
{
    uint64_t last = tcp_piece_end(piece);
    uint32_t octets = piece->octets;
    segment->sequence = number(end, piece->start);
    if (piece->start == 0) {
        put_handshake(end, segment);
        octets--;
    }
    if (last > end->end) {
        segment->flags |= TCP_FIN;
        octets--;
    }
    if (octets && (last >= end->end || end->push))
        segment->flags |= TCP_PSH;
    segment->payload.n = octets;
    return octets;
}

static void count_piece(struct tcp_end *end, const struct tcp_piece *piece, uint32_t octets)
{
    end->figures.sent_octets += octets;
    if (piece->sends == 0)
        return;
    end->figures.retransmitted_octets += octets;
    end->figures.retransmitted_segments++;
}

void tcp_send_piece(struct tcp_end *end, struct tcp_piece *piece, uint64_t now_ns)
{
    struct tcp segment = {.flags = end->state == TCP_STATE_SYN_SENT ? 0 : TCP_ACK};
    uint32_t octets = put_piece(end, piece, &segment);
    bool again = piece->sends > 0, ect = end->ecn && octets && !again;
    count_piece(end, piece, octets);
    if (ect && end->cwr_due) {
        segment.flags |= TCP_CWR;
        end->cwr_due = false;
    }
    // Karn: what is under way while something is sent again cannot be timed.
    if (again)
        end->timed_end = 0;
    else if (end->timed_end == 0) {
        end->timed_end = tcp_piece_end(piece);
        end->timed_ns = now_ns;
    }
    if (piece->sends < UINT16_MAX)
        piece->sends++;
    piece->sent_ns = end->last_sent_ns = now_ns;
    piece->order = ++end->orders;
    tcp_sent_set(&end->sent, piece, TCP_PIECE_FLYING);
    end->prr.out += piece->octets;
    end->probes = 0;
    bool oldest = piece == tcp_sent_at(&end->sent, 0);
    tcp_timer_sent(end, oldest && !tcp_timer_runs_on(end), now_ns);
    send(end, &segment, ect, now_ns);
}

void tcp_send_ack(struct tcp_end *end, uint64_t now_ns)
{
    struct tcp segment = {.flags = TCP_ACK, .sequence = number(end, end->next)};
    send(end, &segment, false, now_ns);
}

// An octet that the peer has: its answer says what its window is (as Linux probes).
void tcp_send_probe(struct tcp_end *end, uint64_t now_ns)
{
    struct tcp segment = {.flags = TCP_ACK, .sequence = number(end, end->una - 1)};
    end->figures.window_probes++;
    send(end, &segment, false, now_ns);
}

// RFC 9293 3.10.7.1: an answer to a segment, or, with NULL, of ourselves.
void tcp_send_reset(struct tcp_end *end, const struct tcp *segment, uint64_t now_ns)
{
    struct tcp reset = {.flags = TCP_RST | TCP_ACK, .sequence = number(end, end->next)};
    reset.acknowledgement = peer_number(end, end->received);
    if (segment && segment->flags & TCP_ACK) {
        reset.flags = TCP_RST;
        reset.sequence = segment->acknowledgement;
        reset.acknowledgement = 0;
    } else if (segment) {
        uint32_t octets =
            segment->payload.n + !!(segment->flags & TCP_SYN) + !!(segment->flags & TCP_FIN);
        reset.sequence = 0;
        reset.acknowledgement = segment->sequence + octets;
    }
    end->figures.sent_segments++;
    end->owner.send(end->owner.self, &reset, false, now_ns);
}

// --- New data ------------------------------------------------------------------------------------

bool tcp_has_new(const struct tcp_end *end)
{
    return end->next < end->end + end->closing;
}

// The octets that may go as one segment, 0: none now.
static uint32_t new_octets(const struct tcp_end *end, bool override)
{
    uint64_t edge = end->una + end->peer_window, left = end->end - tcp_min(end->next, end->end);
    if (end->profile->send_buffer_octets)
        edge = tcp_min(edge, end->una + end->profile->send_buffer_octets);
    uint64_t room = edge > end->next ? edge - end->next : 0;
    uint64_t octets = tcp_min(tcp_min(left, room), end->mss_octets);
    if (octets == end->mss_octets || override)
        return (uint32_t)octets;
    if (octets == left)
        return end->profile->nagle && !end->closing && end->sent.pieces ? 0 : (uint32_t)octets;
    return 2 * octets >= end->peer_window_most ? (uint32_t)octets : 0;
}

static void send_octets(struct tcp_end *end, uint32_t octets, uint64_t now_ns)
{
    bool fin = end->closing && end->next + octets == end->end;
    tcp_window_idle(end, now_ns);
    struct tcp_piece *piece = tcp_sent_add(&end->sent, end->next, octets + fin);
    end->next += octets + fin;
    tcp_send_piece(end, piece, now_ns);
}

bool tcp_send_new(struct tcp_end *end, bool override, uint64_t now_ns)
{
    uint32_t octets = new_octets(end, override);
    bool fin = end->closing && end->next == end->end;
    if (octets == 0 && !fin)
        return false;
    send_octets(end, octets, now_ns);
    return true;
}

void tcp_send_syn(struct tcp_end *end, uint64_t now_ns)
{
    struct tcp_piece *piece = tcp_sent_add(&end->sent, 0, 1);
    end->next = 1;
    tcp_send_piece(end, piece, now_ns);
}

// --- All that may go -----------------------------------------------------------------------------

static bool fits(const struct tcp_end *end, uint32_t octets)
{
    uint64_t pipe = tcp_pipe(end);
    return pipe == 0 || pipe + octets <= end->cwnd;
}

static struct tcp_piece *first_lost(struct tcp_end *end)
{
    if (end->sent.lost_octets == 0)
        return NULL;
    uint32_t from = tcp_sent_find(&end->sent, end->resend_from);
    for (uint32_t i = from; i < end->sent.pieces; i++) {
        struct tcp_piece *piece = tcp_sent_at(&end->sent, i);
        if (piece->state == TCP_PIECE_LOST)
            return piece;
    }
    return NULL;
}

// Rule 3 of NextSeg (RFC 6675 4): rather than nothing, what is below the foremost SACK.
static struct tcp_piece *maybe_lost(struct tcp_end *end)
{
    if (end->phase != TCP_PHASE_RECOVERY || tcp_kind(end) != TCP_RECOVERY_SACK)
        return NULL;
    for (uint32_t i = 0; i < end->sent.pieces; i++) {
        struct tcp_piece *piece = tcp_sent_at(&end->sent, i);
        if (tcp_piece_end(piece) > end->sacked_most)
            return NULL;
        if (piece->state == TCP_PIECE_FLYING && piece->sends == 1)
            return piece;
    }
    return NULL;
}

static bool send_lost(struct tcp_end *end, uint64_t now_ns)
{
    struct tcp_piece *piece = first_lost(end);
    if (!piece || !(end->must_resend || fits(end, piece->octets)))
        return false;
    end->must_resend = false;
    end->resend_from = piece->start;
    tcp_send_piece(end, piece, now_ns);
    return true;
}

static bool send_more(struct tcp_end *end, uint64_t now_ns)
{
    if (end->sent.lost_octets)
        return false;
    uint32_t octets = new_octets(end, false);
    bool fin = end->closing && end->next == end->end;
    if (octets || fin) {
        end->push = end->several && !fits(end, octets + end->mss_octets);
        return fits(end, octets) && tcp_send_new(end, false, now_ns);
    }
    struct tcp_piece *piece = maybe_lost(end);
    if (!piece || !fits(end, piece->octets))
        return false;
    tcp_send_piece(end, piece, now_ns);
    return true;
}

// Where ACKs adapt: the last of several that go at once has PSH, for Linux makes them as one.
void tcp_output(struct tcp_end *end, uint64_t now_ns)
{
    while (send_lost(end, now_ns) || send_more(end, now_ns))
        end->several = end->profile->ack_adapts;
    end->must_resend = end->several = end->push = false;
}
