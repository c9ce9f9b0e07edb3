// An ACK: what it acknowledges and SACKs, the sample that it gives, and what it means: progress, a
// duplicate, the end of a phase, a time-out that was none (F-RTO, RFC 5682; Eifel, RFC 3522), a
// mark.
#include "lab/hosts/tcp_inside.h"

#define FRTO_OFF    0
#define FRTO_BEFORE 1 // only the oldest piece has been sent again
#define FRTO_FIRST  2 // the first ACK moved una, and new data is out

static uint64_t position_of(const struct tcp_end *end, uint32_t number)
{
    return end->una + (uint64_t)(int64_t)(int32_t)(number - end->own_isn - (uint32_t)end->una);
}

// --- The scoreboard ------------------------------------------------------------------------------

static void deliver(struct tcp_end *end, struct tcp_piece *piece, struct tcp_news *news)
{
    if (piece->sends == 1 && piece->start < end->recover)
        news->original = true;
    tcp_rack_delivered(end, piece, news);
}

static void sack_range(struct tcp_end *end, uint64_t left, uint64_t right, struct tcp_news *news)
{
    for (uint32_t i = tcp_sent_find(&end->sent, left); i < end->sent.pieces; i++) {
        struct tcp_piece *piece = tcp_sent_at(&end->sent, i);
        if (tcp_piece_end(piece) > right)
            break;
        if (piece->start < left || piece->state == TCP_PIECE_SACKED)
            continue;
        deliver(end, piece, news);
        tcp_sent_set(&end->sent, piece, TCP_PIECE_SACKED);
        news->sacked += piece->octets;
        end->sacked_most = tcp_max(end->sacked_most, tcp_piece_end(piece));
    }
}

// RFC 2883 4: the first block is a duplicate if it is acknowledged, or lies within the second.
static bool is_dsack(const struct tcp_end *end, const struct tcp_sack_blocks *sack, uint64_t ack)
{
    uint64_t left = position_of(end, sack->item[0].left), right;
    right = position_of(end, sack->item[0].right);
    if (right <= ack)
        return true;
    return sack->n > 1 && left >= position_of(end, sack->item[1].left) &&
           right <= position_of(end, sack->item[1].right);
}

static void read_sack(struct tcp_end *end, const struct tcp_sack_blocks *sack, uint64_t ack,
                      struct tcp_news *news)
{
    if (sack->n == 0)
        return;
    news->dsack = is_dsack(end, sack, ack);
    for (uint64_t i = 0; i < sack->n; i++) {
        uint64_t left = position_of(end, sack->item[i].left);
        uint64_t right = position_of(end, sack->item[i].right);
        if (left < right && right > ack && right <= end->next)
            sack_range(end, left, right, news);
    }
}

static void read_cumulative(struct tcp_end *end, uint64_t ack, struct tcp_news *news)
{
    bool first = true;
    news->moved = ack - end->una;
    news->fresh = true;
    while (end->sent.pieces && tcp_sent_at(&end->sent, 0)->start < ack) {
        struct tcp_piece *piece = tcp_sent_at(&end->sent, 0);
        if (piece->state != TCP_PIECE_SACKED) {
            news->fresh = news->fresh && piece->sends == 1;
            news->fresh_ns = first ? piece->sent_ns : news->fresh_ns;
            first = false;
            deliver(end, piece, news);
            news->delivered += tcp_min(ack, tcp_piece_end(piece)) - piece->start;
        }
        news->pieces += tcp_piece_end(piece) <= ack;
        tcp_sent_remove(&end->sent, ack);
    }
    news->fresh = news->fresh && !first;
    end->una = ack;
}

// --- Round trips ---------------------------------------------------------------------------------

static void sample(struct tcp_end *end, const struct tcp_news *news)
{
    bool timed = end->timed_end && end->una >= end->timed_end;
    uint64_t since_ns = timed ? end->timed_ns : news->fresh_ns;
    if (timed)
        end->timed_end = 0;
    if (end->profile->sample_each_ack ? news->fresh : timed) {
        uint64_t tick_ns = end->profile->tick_ns;
        tcp_sample(end, (news->now_ns / tick_ns - since_ns / tick_ns) * tick_ns);
    } else if (news->has_echo && end->profile->sample_each_ack) {
        tcp_sample_stamp(end, news->echo, news->now_ns);
    }
}

// --- Spurious ------------------------------------------------------------------------------------

static void unmark_all(struct tcp_end *end)
{
    for (uint32_t i = 0; i < end->sent.pieces; i++) {
        struct tcp_piece *piece = tcp_sent_at(&end->sent, i);
        if (piece->state == TCP_PIECE_LOST)
            tcp_sent_set(&end->sent, piece, TCP_PIECE_FLYING);
    }
}

static void undo(struct tcp_end *end)
{
    unmark_all(end);
    tcp_window_undo(end);
    end->frto = FRTO_OFF;
    end->undo_armed = false;
    end->duplicates = 0;
}

// RFC 3522: the first ACK that moves una after a retransmission echoes a stamp from before it.
static bool is_eifel(struct tcp_end *end, const struct tcp_news *news)
{
    bool armed = end->undo_armed;
    end->undo_armed = false;
    return armed && news->has_echo && (int32_t)(news->echo - end->undo_stamp) < 0;
}

// RFC 5682 2.1 and 3.1. True: the time-out was spurious.
static bool frto(struct tcp_end *end, const struct tcp_news *news)
{
    if (end->frto == FRTO_OFF)
        return false;
    if (end->frto == FRTO_FIRST && news->original)
        return true;
    if (end->frto == FRTO_BEFORE && news->moved && end->una < end->recover && tcp_has_new(end)) {
        unmark_all(end);
        end->cwnd = tcp_pipe(end) + 2 * end->mss_octets;
        end->frto = FRTO_FIRST;
        return false;
    }
    if (!news->moved && !news->duplicate)
        return false;
    if (end->frto == FRTO_FIRST) {
        tcp_mark_all_below(end, end->recover);
        end->cwnd = tcp_min(end->cwnd, 3 * (uint64_t)end->mss_octets);
    }
    end->frto = FRTO_OFF;
    return false;
}

// --- What it means -------------------------------------------------------------------------------

void tcp_recover(struct tcp_end *end, uint64_t now_ns)
{
    tcp_window_recover(end);
    end->must_resend = true;
    end->partial_seen = false;
    end->undo_armed = end->profile->spurious == TCP_SPURIOUS_EIFEL && end->timestamps;
    end->undo_stamp = tcp_stamp(end, now_ns);
}

// A time-out: all that flies counts as lost. F-RTO waits with all but the oldest, so long as
// nothing else has been sent again since the first time-out.
void tcp_lose(struct tcp_end *end, uint64_t now_ns)
{
    enum tcp_spurious kind = (enum tcp_spurious)end->profile->spurious;
    bool first = end->timeouts_in_row == 1;
    bool alone = end->phase != TCP_PHASE_LOSS || end->frto == FRTO_BEFORE;
    tcp_window_timeout(end);
    end->phase = TCP_PHASE_LOSS;
    end->recover = end->next;
    end->duplicates = 0;
    end->frto = kind == TCP_SPURIOUS_FRTO && alone ? FRTO_BEFORE : FRTO_OFF;
    if (first) {
        end->undo_armed = kind == TCP_SPURIOUS_EIFEL && end->timestamps;
        end->undo_stamp = tcp_stamp(end, now_ns);
    }
    tcp_mark_all_below(end, end->next);
}

static void count_duplicate(struct tcp_end *end, struct tcp_news *news)
{
    if (news->moved) {
        // A partial ACK of n segments tells of n - 1 that the duplicates stood for (RFC 6582 3.2).
        bool partial = end->phase == TCP_PHASE_RECOVERY && news->pieces <= end->duplicates;
        end->duplicates = partial ? end->duplicates + 1 - news->pieces : 0;
        return;
    }
    if (!news->duplicate)
        return;
    end->duplicates++;
    if (tcp_kind(end) == TCP_RECOVERY_NEWRENO)
        news->delivered += end->mss_octets;
}

// The first loss since una passed `recover` begins a recovery; a later one is part of it.
static void find_losses(struct tcp_end *end, struct tcp_news *news)
{
    if (end->frto != FRTO_OFF || !tcp_find_losses(end, news->now_ns))
        return;
    news->lost = true;
    if (end->phase == TCP_PHASE_OPEN || end->phase == TCP_PHASE_REDUCED)
        tcp_recover(end, news->now_ns);
    else if (tcp_kind(end) == TCP_RECOVERY_NEWRENO)
        end->must_resend = true;
}

static void leave_phase(struct tcp_end *end)
{
    tcp_window_settle(end);
    end->frto = FRTO_OFF;
    end->duplicates = 0;
    end->undo_armed = false;
}

// Until something above `recover` is acknowledged, the peer may not have seen the CWR. Linux waits
// for that as well when it has shrunk for a mark; but where a recovery has ended with una at
// `recover`, Linux 6.18 takes the old mark for a new one.
static bool knows_cwr(const struct tcp_end *end)
{
    return end->una > end->recover ||
           (end->una == end->recover && tcp_kind(end) == TCP_RECOVERY_RACK);
}

// What the recovery sent itself has been lost, and was sent again: for Linux that is a loss of its
// own, with a recovery that begins where the last one ends.
static bool is_lost_beyond(const struct tcp_end *end)
{
    for (uint32_t i = 0; i < end->sent.pieces && tcp_kind(end) == TCP_RECOVERY_RACK; i++) {
        const struct tcp_piece *piece = tcp_sent_at(&end->sent, i);
        if (piece->state == TCP_PIECE_LOST ||
            (piece->state == TCP_PIECE_FLYING && piece->sends > 1))
            return true;
    }
    return false;
}

static void read_mark(struct tcp_end *end, const struct tcp_news *news)
{
    if (!news->ece || end->phase != TCP_PHASE_OPEN || !knows_cwr(end))
        return;
    tcp_window_reduce(end);
    end->figures.ecn_reductions++;
}

// What ends a phase: all that was under way when it began is acknowledged, for ECN with the CWR.
static bool is_past(const struct tcp_end *end)
{
    return end->una > end->recover || (end->una == end->recover && end->phase != TCP_PHASE_REDUCED);
}

static void steer(struct tcp_end *end, struct tcp_news *news)
{
    bool shrinking = end->phase == TCP_PHASE_RECOVERY || end->phase == TCP_PHASE_REDUCED;
    bool lossy = end->phase == TCP_PHASE_RECOVERY || end->phase == TCP_PHASE_LOSS;
    if (lossy && news->moved && is_eifel(end, news))
        undo(end);
    else if (end->phase == TCP_PHASE_LOSS && frto(end, news))
        undo(end);
    else if (end->phase != TCP_PHASE_OPEN && news->moved && is_past(end)) {
        bool again = end->phase == TCP_PHASE_RECOVERY && is_lost_beyond(end);
        leave_phase(end);
        if (again)
            tcp_recover(end, news->now_ns);
    }
    count_duplicate(end, news);
    find_losses(end, news);
    read_mark(end, news);
    if (end->phase == TCP_PHASE_RECOVERY || end->phase == TCP_PHASE_REDUCED)
        tcp_window_shrink(end, news);
    else if (news->moved && shrinking)
        tcp_window_resume(end, news);
    else if (news->moved && end->frto == FRTO_OFF)
        tcp_window_grow(end, news);
}

// RFC 8985 7.4: the probe at a flight's end has repaired a loss, or it was not needed.
static void read_tail(struct tcp_end *end, const struct tcp_news *news)
{
    if (end->tail_end == 0 || end->una < end->tail_end)
        return;
    bool needed = end->tail_resent && !news->dsack;
    if (needed && end->una == end->tail_end)
        return; // its duplicate may still be reported
    if (needed && end->phase == TCP_PHASE_OPEN)
        tcp_window_reduce(end);
    end->tail_end = 0;
}

// --- All of it -----------------------------------------------------------------------------------

// RFC 9293 3.10.7.4: only a segment that is newer than the latest says what the window is.
static bool read_window(struct tcp_end *end, const struct tcp *segment, uint64_t at, uint64_t ack)
{
    if (at < end->window_sequence || (at == end->window_sequence && ack < end->window_ack))
        return false;
    uint64_t window = (uint64_t)segment->window
                      << (end->scaled && !(segment->flags & TCP_SYN) ? end->peer_scale : 0);
    bool same = window == end->peer_window;
    end->window_sequence = at;
    end->window_ack = ack;
    end->peer_window = window;
    end->peer_window_most = tcp_max(end->peer_window_most, window);
    return !same;
}

void tcp_acknowledge(struct tcp_end *end, const struct tcp *segment, uint64_t at, uint64_t now_ns)
{
    uint64_t ack = position_of(end, segment->acknowledgement);
    if ((int64_t)ack < (int64_t)end->una)
        return;
    struct tcp_news news = {.now_ns = now_ns,
                            .prior_pipe = tcp_pipe(end),
                            .prior_fack = end->rack.fack,
                            .ece = end->ecn && segment->flags & TCP_ECE,
                            .has_echo = end->timestamps && segment->has_timestamps,
                            .echo = segment->timestamps.echo};
    bool pure = segment->payload.n == 0 && !(segment->flags & (TCP_SYN | TCP_FIN));
    bool same_window = !read_window(end, segment, at, ack), flying = end->sent.pieces > 0;
    bool board = tcp_kind(end) != TCP_RECOVERY_NEWRENO;
    if (board)
        read_sack(end, &segment->sack, ack, &news);
    read_cumulative(end, ack, &news);
    news.delivered += news.sacked;
    news.duplicate = flying && news.moved == 0 && (board ? news.sacked > 0 : pure && same_window);
    if (news.moved) {
        end->timeouts_in_row = 0;
        end->figures.acked_octets = tcp_min(end->una, end->end) - 1;
        sample(end, &news);
        tcp_tell(end, TCP_ACKED);
    }
    if (end->state == TCP_STATE_OPEN)
        steer(end, &news);
    read_tail(end, &news);
    bool partial = news.moved && end->phase == TCP_PHASE_RECOVERY;
    if (news.moved && !tcp_timer_runs_on(end))
        tcp_timer_restart(end, now_ns);
    end->partial_seen = end->partial_seen || partial;
    if (end->sent.pieces == 0)
        end->resend_from = end->next;
}
