// Round trips and the time-out (RFC 6298), the timestamp clock (RFC 7323), and when the endpoint
// has to be woken. Karn: the backoff stays until there is a sample, and a piece that was sent twice
// gives none unless a timestamp tells which of the two was acknowledged.
//
// With rto_margin the variance is Linux's, as "Congestion Control in Linux TCP" (Sarolahti and
// Kuznetsov, USENIX 2002) describes it: at least a quarter of rto_min, up at once, down once a
// round trip, and a sample far below the mean counts for an eighth only.
#include "lab/hosts/tcp_inside.h"

uint32_t tcp_stamp(const struct tcp_end *end, uint64_t now_ns)
{
    return (uint32_t)(now_ns / end->profile->tick_ns) + 1;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void estimate_rfc6298(struct tcp_end *end, uint64_t rtt_ns)
{
    end->rttvar_ns = (3 * end->rttvar_ns + apart(end->srtt_ns, rtt_ns)) / 4;
    end->srtt_ns = (7 * end->srtt_ns + rtt_ns) / 8;
}

static void estimate_linux(struct tcp_end *end, uint64_t rtt_ns)
{
    uint64_t error = apart(end->srtt_ns, rtt_ns);
    uint64_t weight = rtt_ns < end->srtt_ns && error > end->mdev_ns ? 32 : 4;
    end->mdev_ns = ((weight - 1) * end->mdev_ns + error) / weight;
    end->srtt_ns = (7 * end->srtt_ns + rtt_ns) / 8;
    end->mdev_most_ns = tcp_max(end->mdev_most_ns, end->mdev_ns);
    end->rttvar_ns = tcp_max(end->rttvar_ns, end->mdev_most_ns);
    if (end->una <= end->rttvar_end)
        return;
    if (end->mdev_most_ns < end->rttvar_ns)
        end->rttvar_ns -= (end->rttvar_ns - end->mdev_most_ns) / 4;
    end->rttvar_end = end->next;
    end->mdev_most_ns = end->profile->rto_least_ns / 4;
}

static void estimate_first(struct tcp_end *end, uint64_t rtt_ns)
{
    uint64_t least_ns = end->profile->rto_margin ? end->profile->rto_least_ns / 4 : 0;
    end->srtt_ns = tcp_max(rtt_ns, 1);
    end->mdev_ns = rtt_ns / 2;
    end->rttvar_ns = end->mdev_most_ns = tcp_max(end->mdev_ns, least_ns);
    end->rttvar_end = end->next;
}

void tcp_sample(struct tcp_end *end, uint64_t rtt_ns)
{
    const struct tcp_profile *p = end->profile;
    struct tcp_figures *f = &end->figures;
    if (end->srtt_ns == 0)
        estimate_first(end, rtt_ns);
    else if (p->rto_margin)
        estimate_linux(end, rtt_ns);
    else
        estimate_rfc6298(end, rtt_ns);
    uint64_t rto_ns = end->srtt_ns + tcp_max(p->tick_ns, 4 * end->rttvar_ns);
    end->rto_base_ns = tcp_min(tcp_max(rto_ns, p->rto_least_ns), p->rto_most_ns);
    end->backoff = 0;
    f->rtt_least_ns = f->rtt_samples ? tcp_min(f->rtt_least_ns, rtt_ns) : rtt_ns;
    f->rtt_most_ns = tcp_max(f->rtt_most_ns, rtt_ns);
    f->rtt_sum_ns += rtt_ns;
    end->rtt_last_ns = rtt_ns;
    f->rtt_samples++;
    tcp_window_sampled(end, rtt_ns);
}

void tcp_sample_stamp(struct tcp_end *end, uint32_t echo, uint64_t now_ns)
{
    int32_t ticks = (int32_t)(tcp_stamp(end, now_ns) - echo);
    if (ticks >= 0)
        tcp_sample(end, (uint64_t)ticks * end->profile->tick_ns);
}

uint64_t tcp_rto_ns(const struct tcp_end *end)
{
    uint64_t rto_ns = end->rto_base_ns;
    for (uint32_t i = 0; i < end->backoff + end->probes && rto_ns < end->profile->rto_most_ns; i++)
        rto_ns *= 2;
    return tcp_min(rto_ns, end->profile->rto_most_ns);
}

// Timers run in ticks: never early.
static uint64_t in_ticks(const struct tcp_end *end, uint64_t ns)
{
    uint64_t tick_ns = end->profile->tick_ns;
    return (ns + tick_ns - 1) / tick_ns * tick_ns;
}

// RFC 8985 7.2: two round trips, and time for a delayed ACK if there is but one segment; if that is
// later than the time-out, instead of it.
static void set_tail(struct tcp_end *end, uint64_t now_ns)
{
    bool may = end->profile->tail_probe && tcp_kind(end) == TCP_RECOVERY_RACK &&
               end->phase == TCP_PHASE_OPEN && end->state == TCP_STATE_OPEN && end->srtt_ns &&
               end->sent.pieces && end->sent.sacked_octets == 0 && end->tail_end == 0;
    uint64_t wait_ns = 2 * end->srtt_ns + (end->sent.pieces == 1 ? 200 * MS_IN_NS : 2 * MS_IN_NS);
    end->tail_ns = may ? tcp_min(in_ticks(end, now_ns + wait_ns), end->timer_ns) : TIME_NEVER;
}

void tcp_timer_restart(struct tcp_end *end, uint64_t now_ns)
{
    bool flying = end->sent.pieces > 0;
    bool probing = !flying && end->state == TCP_STATE_OPEN && tcp_has_new(end);
    end->timer_ns = flying || probing ? in_ticks(end, now_ns + tcp_rto_ns(end)) : TIME_NEVER;
    set_tail(end, now_ns);
}

void tcp_timer_sent(struct tcp_end *end, bool oldest, uint64_t now_ns)
{
    if (oldest || end->timer_ns == TIME_NEVER)
        tcp_timer_restart(end, now_ns);
    else
        set_tail(end, now_ns);
}

void tcp_set_wake(struct tcp_end *end)
{
    end->wake_ns =
        tcp_min(tcp_min(end->timer_ns, end->ack_ns), tcp_min(end->tail_ns, end->reorder_ns));
}
