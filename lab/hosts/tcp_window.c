// The congestion window: RFC 5681, with the growth of RFC 3465, CUBIC (tcp_cubic.c), the ways in
// which it shrinks (at once, rate halving, PRR of RFC 6937), and the return after what was no loss.
#include "lab/hosts/tcp_inside.h"

#define HYSTART_SAMPLES 8
#define HYSTART_LEAST   16 // segments

// RFC 3390 (1), or so many segments; one if the SYN was lost (RFC 5681 3.1).
static uint64_t initial_window(const struct tcp_end *end)
{
    uint64_t mss = end->mss_octets;
    if (end->profile->initial_window)
        return end->profile->initial_window * mss;
    return tcp_min(4 * mss, tcp_max(2 * mss, 4380));
}

static uint64_t most(const struct tcp_end *end)
{
    return end->profile->cwnd_most_octets ? end->profile->cwnd_most_octets : TCP_UNLIMITED;
}

void tcp_window_open(struct tcp_end *end)
{
    uint64_t ssthresh = end->profile->initial_ssthresh_octets;
    end->cwnd = end->figures.timeouts ? end->mss_octets : initial_window(end);
    end->cwnd = tcp_max(tcp_min(end->cwnd, most(end)), end->mss_octets);
    end->ssthresh = ssthresh ? ssthresh : TCP_UNLIMITED;
}

void tcp_window_idle(struct tcp_end *end, uint64_t now_ns)
{
    bool rested = end->profile->idle_restart && end->sent.pieces == 0 &&
                  now_ns - end->last_sent_ns > tcp_rto_ns(end);
    if (rested)
        end->cwnd = tcp_min(end->cwnd, initial_window(end));
    if (end->sent.pieces == 0)
        end->cubic.epoch_ns = 0;
}

// --- Growth --------------------------------------------------------------------------------------

static void grow_reno(struct tcp_end *end, uint64_t counted)
{
    end->cwnd_fraction += counted;
    if (end->cwnd_fraction < end->cwnd)
        return;
    end->cwnd_fraction -= end->cwnd;
    end->cwnd += end->mss_octets;
}

void tcp_window_grow(struct tcp_end *end, const struct tcp_news *news)
{
    uint64_t mss = end->mss_octets, segments = end->profile->count_octets;
    uint64_t counted = segments ? tcp_min(news->moved, segments * mss) : mss;
    bool slow_start = end->cwnd < end->ssthresh;
    // A window that was not used up says nothing about the path.
    if (slow_start ? 2 * news->prior_pipe < end->cwnd : news->prior_pipe + mss <= end->cwnd)
        return;
    if (slow_start)
        end->cwnd += counted;
    else if (end->profile->congestion == TCP_CONGESTION_CUBIC)
        tcp_cubic_grow(end, news->delivered, news->now_ns);
    else
        grow_reno(end, counted);
    end->cwnd = tcp_min(end->cwnd, tcp_max(most(end), mss));
}

// As Linux does; other stacks grow with the next ACK. Until now the window was used up.
void tcp_window_resume(struct tcp_end *end, const struct tcp_news *news)
{
    if (end->profile->reduction != TCP_REDUCTION_PRR)
        return;
    if (end->profile->congestion == TCP_CONGESTION_CUBIC)
        tcp_cubic_grow(end, news->delivered, news->now_ns);
    else
        grow_reno(end, news->delivered);
    end->cwnd = tcp_min(end->cwnd, tcp_max(most(end), end->mss_octets));
}

// HyStart (Ha and Rhee, 2011): the least of a round's first samples has grown by an eighth; seen
// with the first sample behind those. A round begins with the first ACK beyond what was sent when
// the last one began. The SYN, which meets no queue of the flow's own, does not count.
static void end_slow_start(struct tcp_end *end, uint64_t rtt_ns)
{
    if (end->hystart.base_ns == 0 || rtt_ns < end->hystart.base_ns)
        end->hystart.base_ns = rtt_ns;
    if (end->una > end->hystart.round_end) {
        end->hystart.round_end = end->next;
        end->hystart.round_ns = rtt_ns;
        end->hystart.samples = 0;
    }
    end->hystart.round_ns = tcp_min(end->hystart.round_ns, rtt_ns);
    if (end->hystart.samples++ < HYSTART_SAMPLES ||
        end->cwnd < HYSTART_LEAST * (uint64_t)end->mss_octets)
        return;
    uint64_t margin_ns = tcp_min(tcp_max(end->hystart.base_ns / 8, 4 * MS_IN_NS), 16 * MS_IN_NS);
    if (end->hystart.round_ns >= end->hystart.base_ns + margin_ns)
        end->ssthresh = end->cwnd;
}

void tcp_window_sampled(struct tcp_end *end, uint64_t rtt_ns)
{
    if (end->rtt_least_ns == 0 || rtt_ns < end->rtt_least_ns)
        end->rtt_least_ns = rtt_ns;
    uint64_t *of_data_ns = &end->cubic.rtt_least_ns;
    if (end->state == TCP_STATE_OPEN && (*of_data_ns == 0 || rtt_ns < *of_data_ns))
        *of_data_ns = rtt_ns;
    bool shrinks = end->phase == TCP_PHASE_RECOVERY || end->phase == TCP_PHASE_REDUCED;
    bool slow_start = !shrinks && end->cwnd < end->ssthresh;
    bool hystart = end->profile->hystart && end->profile->congestion == TCP_CONGESTION_CUBIC;
    if (hystart && end->state == TCP_STATE_OPEN && slow_start)
        end_slow_start(end, rtt_ns);
}

// --- Reduction -----------------------------------------------------------------------------------

// RFC 5681 (4): of what is under way; what limited transmit adds does not count (RFC 3042 2). With
// PRR in whole segments, as Linux counts.
static uint64_t threshold(struct tcp_end *end)
{
    uint64_t used = tcp_min(end->cwnd, end->next - end->una);
    uint64_t ssthresh =
        end->profile->congestion == TCP_CONGESTION_CUBIC ? tcp_cubic_lost(end, used) : used / 2;
    if (end->profile->reduction == TCP_REDUCTION_PRR)
        ssthresh -= ssthresh % end->mss_octets;
    return tcp_max(ssthresh, 2 * (uint64_t)end->mss_octets);
}

static void remember(struct tcp_end *end)
{
    end->prior_cwnd = end->cwnd;
    end->prior_ssthresh = end->ssthresh;
}

// The window has a new threshold and shrinks towards it.
static void begin(struct tcp_end *end)
{
    remember(end);
    end->ssthresh = threshold(end);
    end->cwnd_fraction = 0;
    end->halving_acks = 0;
    end->prr.delivered = end->prr.out = 0;
    end->prr.flight = tcp_max(end->next - end->una, 1);
    if (end->profile->reduction == TCP_REDUCTION_AT_ONCE)
        end->cwnd = end->ssthresh;
    end->cwr_due = end->ecn;
}

// A loss within a window that has shrunk for ECN already does not shrink it again (RFC 3168 6.1.2).
void tcp_window_recover(struct tcp_end *end)
{
    if (end->phase != TCP_PHASE_REDUCED)
        begin(end);
    end->phase = TCP_PHASE_RECOVERY;
    end->recover = end->next;
    end->figures.fast_recoveries++;
}

void tcp_window_reduce(struct tcp_end *end)
{
    begin(end);
    end->phase = TCP_PHASE_REDUCED;
    end->recover = end->next;
}

// RFC 5681 3.1 and (4): only the first time-out of a segment lowers the threshold.
void tcp_window_timeout(struct tcp_end *end)
{
    if (end->timeouts_in_row == 1) {
        if (end->phase == TCP_PHASE_OPEN)
            remember(end);
        end->ssthresh = threshold(end);
    }
    end->cwnd = end->mss_octets;
    end->cwnd_fraction = 0;
    end->cwr_due = end->ecn;
}

// RFC 6937 3: in proportion while more is under way than the threshold, else back up to it: one
// more for each ACK that makes progress and tells of no further loss, as its successor RFC 9937 has
// it.
static void shrink_prr(struct tcp_end *end, const struct tcp_news *news)
{
    uint64_t pipe = tcp_pipe(end), mss = end->mss_octets, send = 0;
    end->prr.delivered += news->delivered;
    if (pipe > end->ssthresh) {
        uint64_t due = (end->prr.delivered * end->ssthresh + end->prr.flight - 1) / end->prr.flight;
        send = due > end->prr.out ? due - end->prr.out : 0;
    } else {
        bool safe = news->moved && !news->lost;
        uint64_t behind = end->prr.delivered - tcp_min(end->prr.delivered, end->prr.out);
        uint64_t limit = tcp_max(behind, news->delivered) + (safe ? mss : 0);
        send = tcp_min(end->ssthresh - pipe, limit);
    }
    end->cwnd = tcp_max(pipe + send, mss);
}

static uint64_t halving_least(const struct tcp_end *end)
{
    bool half = end->profile->halving_least == TCP_HALVING_HALF;
    return tcp_max(half ? end->ssthresh / 2 : end->ssthresh, end->mss_octets);
}

// One segment less for each second ACK, and never more than one may be sent for an ACK.
static void shrink_halving(struct tcp_end *end)
{
    uint64_t least = halving_least(end);
    if (end->halving_acks++ % 2 && end->cwnd > least)
        end->cwnd = tcp_max(end->cwnd - tcp_min(end->cwnd, end->mss_octets), least);
    end->cwnd = tcp_min(end->cwnd, tcp_max(tcp_pipe(end), end->mss_octets) + end->mss_octets);
}

void tcp_window_shrink(struct tcp_end *end, const struct tcp_news *news)
{
    if (end->profile->reduction == TCP_REDUCTION_PRR)
        shrink_prr(end, news);
    else if (end->profile->reduction == TCP_REDUCTION_HALVING)
        shrink_halving(end);
}

void tcp_window_settle(struct tcp_end *end)
{
    uint64_t burst = end->profile->burst;
    if (end->phase != TCP_PHASE_LOSS)
        end->cwnd = end->profile->reduction == TCP_REDUCTION_HALVING
                        ? tcp_min(end->cwnd, end->ssthresh)
                        : end->ssthresh;
    if (burst)
        end->cwnd = tcp_min(end->cwnd, tcp_pipe(end) + burst * end->mss_octets);
    end->cwnd = tcp_max(end->cwnd, end->mss_octets);
    end->phase = TCP_PHASE_OPEN;
}

void tcp_window_undo(struct tcp_end *end)
{
    end->cwnd = end->prior_cwnd;
    end->ssthresh = tcp_max(end->ssthresh, end->prior_ssthresh);
    end->phase = TCP_PHASE_OPEN;
    end->cubic.epoch_ns = 0;
    end->figures.spurious++;
}
