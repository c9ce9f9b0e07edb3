// What is lost, by kind: the oldest segment at a partial ACK (RFC 6582), what has dupthresh
// segments SACKed above it (RFC 6675), what is dupthresh segments behind the foremost SACK (FACK),
// what was sent long enough before something that has arrived (RACK, RFC 8985). Only RACK sees that
// a retransmission was lost; for the others that is the time-out's.
#include "lab/hosts/tcp_inside.h"

enum tcp_recovery tcp_kind(const struct tcp_end *end)
{
    return end->sack ? (enum tcp_recovery)end->profile->recovery : TCP_RECOVERY_NEWRENO;
}

void tcp_mark(struct tcp_end *end, struct tcp_piece *piece)
{
    tcp_sent_set(&end->sent, piece, TCP_PIECE_LOST);
    end->resend_from = tcp_min(end->resend_from, piece->start);
}

void tcp_mark_all_below(struct tcp_end *end, uint64_t position)
{
    for (uint32_t i = 0; i < end->sent.pieces; i++) {
        struct tcp_piece *piece = tcp_sent_at(&end->sent, i);
        if (piece->state == TCP_PIECE_FLYING && piece->start < position)
            tcp_mark(end, piece);
    }
}

// --- NewReno, SACK, FACK -------------------------------------------------------------------------

static bool find_newreno(struct tcp_end *end)
{
    struct tcp_piece *first = tcp_sent_at(&end->sent, 0);
    bool third = end->phase != TCP_PHASE_RECOVERY && end->duplicates >= end->profile->dupthresh;
    bool partial = end->phase == TCP_PHASE_RECOVERY && first->sends == 1;
    // RFC 6582 3.2 step 2: duplicates of before the latest recovery or time-out say nothing.
    bool old = end->phase != TCP_PHASE_REDUCED && end->una <= end->recover;
    if (!partial && (!third || old))
        return false;
    if (first->state != TCP_PIECE_FLYING)
        return false;
    tcp_mark(end, first);
    return true;
}

// IsLost of RFC 6675 4, in segments: so many are SACKed above.
static bool find_sacked(struct tcp_end *end)
{
    uint32_t above = 0;
    bool found = false;
    for (uint32_t i = tcp_sent_find(&end->sent, end->sacked_most); i-- > 0;) {
        struct tcp_piece *piece = tcp_sent_at(&end->sent, i);
        if (piece->state == TCP_PIECE_SACKED) {
            above++;
        } else if (piece->state == TCP_PIECE_FLYING && piece->sends == 1 &&
                   above >= end->profile->dupthresh) {
            tcp_mark(end, piece);
            found = true;
        }
    }
    return found;
}

static bool find_fack(struct tcp_end *end)
{
    bool found = false;
    uint32_t foremost = tcp_sent_find(&end->sent, end->sacked_most);
    for (uint32_t i = 0; i + end->profile->dupthresh < foremost; i++) {
        struct tcp_piece *piece = tcp_sent_at(&end->sent, i);
        if (piece->state == TCP_PIECE_FLYING && piece->sends == 1) {
            tcp_mark(end, piece);
            found = true;
        }
    }
    return found;
}

// --- RACK ----------------------------------------------------------------------------------------

// RFC 8985 6.2 steps 1 to 3; of two sendings the later one has arrived, as in Linux, unless that
// was faster than any round trip. The RFC asks the echoed stamp, too, but what is SACKed behind a
// hole echoes the stamp from before the hole (RFC 7323 4.3), so the loss of what was sent again
// there would be seen by the time-out alone.
void tcp_rack_delivered(struct tcp_end *end, const struct tcp_piece *piece,
                        const struct tcp_news *news)
{
    uint64_t rtt_ns = news->now_ns - piece->sent_ns, last = tcp_piece_end(piece);
    if (piece->sends > 1) {
        if (rtt_ns < end->rtt_least_ns)
            return;
    } else if (last < news->prior_fack) {
        end->rack.reordered = true;
    }
    end->rack.fack = tcp_max(end->rack.fack, last);
    if ((int32_t)(piece->order - end->rack.order) <= 0)
        return;
    end->rack.order = piece->order;
    end->rack.rtt_ns = rtt_ns;
}

// RFC 8985 6.2 step 4.
static uint64_t reorder_window_ns(const struct tcp_end *end)
{
    uint64_t sacked = end->sent.sacked_octets / tcp_max(end->mss_octets, 1);
    if (!end->rack.reordered && (end->phase == TCP_PHASE_RECOVERY || end->phase == TCP_PHASE_LOSS ||
                                 sacked >= end->profile->dupthresh))
        return 0;
    return tcp_min(end->rtt_least_ns / 4, end->srtt_ns);
}

// RFC 8985 6.2 step 5; what may still come sets the timer.
static bool find_rack(struct tcp_end *end, uint64_t now_ns)
{
    uint64_t wait_ns = end->rack.rtt_ns + reorder_window_ns(end);
    bool found = false;
    end->reorder_ns = TIME_NEVER;
    // In order, all that flies was sent later than what has arrived.
    if (end->phase == TCP_PHASE_OPEN && end->sent.sacked_octets == 0)
        return false;
    for (uint32_t i = 0; i < end->sent.pieces; i++) {
        struct tcp_piece *piece = tcp_sent_at(&end->sent, i);
        bool later = (int32_t)(piece->order - end->rack.order) >= 0;
        if (piece->state != TCP_PIECE_FLYING || later)
            continue;
        if (piece->sent_ns + wait_ns <= now_ns) {
            tcp_mark(end, piece);
            found = true;
        } else {
            end->reorder_ns = end->reorder_ns == TIME_NEVER
                                  ? piece->sent_ns + wait_ns
                                  : tcp_max(end->reorder_ns, piece->sent_ns + wait_ns);
        }
    }
    return found;
}

bool tcp_find_losses(struct tcp_end *end, uint64_t now_ns)
{
    if (end->sent.pieces == 0)
        return false;
    switch (tcp_kind(end)) {
    case TCP_RECOVERY_SACK:
        return find_sacked(end);
    case TCP_RECOVERY_FACK:
        return find_fack(end);
    case TCP_RECOVERY_RACK:
        return find_rack(end, now_ns);
    default:
        return find_newreno(end);
    }
}
