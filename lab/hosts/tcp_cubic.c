// CUBIC (RFC 9438) in integers: octets and milliseconds. C = 0.4 segments/s^3, beta = 0.7.
#include "lab/hosts/tcp_inside.h"

// The least k with k^3 >= x; x < 2^60.
static uint64_t cube_root(uint64_t x)
{
    uint64_t low = 0, high = 1ULL << 20;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (middle * middle * middle >= x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// RFC 9438 4.6 and 4.7: with fast convergence, a window that did not reach the last maximum makes
// room for others.
uint64_t tcp_cubic_lost(struct tcp_end *end, uint64_t window)
{
    end->cubic.w_max = window < end->cubic.w_max ? window * 17 / 20 : window;
    end->cubic.epoch_ns = 0;
    return window * 7 / 10;
}

// RFC 9438 4.2 (2): K = cbrt((W_max - cwnd) / C), here in ms.
static void begin_epoch(struct tcp_end *end, uint64_t now_ns)
{
    uint64_t mss = end->mss_octets, cwnd = end->cwnd;
    uint64_t below = end->cubic.w_max > cwnd ? end->cubic.w_max - cwnd : 0;
    below = tcp_min(below, 1ULL << 28);
    end->cubic.epoch_ns = tcp_max(now_ns, 1);
    end->cubic.origin = cwnd + below;
    end->cubic.k_ms = cube_root(below * 10 / 4 * 1000000 / mss * 1000);
    end->cubic.reno_q16 = cwnd << 16;
}

// RFC 9438 4.2 (1), one round trip ahead, within its limits of 4.2: cwnd .. 1.5 cwnd. The least
// round trip, as in the paper (Ha, Rhee and Xu, 2008, dMin) and as Linux does; the RFC has the
// smoothed one, which in a buffer of many seconds is another law.
static uint64_t target(const struct tcp_end *end, uint64_t now_ns)
{
    uint64_t t_ms = (now_ns - end->cubic.epoch_ns + end->rtt_least_ns) / MS_IN_NS;
    bool before = t_ms < end->cubic.k_ms;
    uint64_t away_ms = tcp_min(before ? end->cubic.k_ms - t_ms : t_ms - end->cubic.k_ms, 200000);
    uint64_t cube = away_ms * away_ms * away_ms / 1000000;
    uint64_t octets = cube * 4 / 10 * end->mss_octets / 1000;
    uint64_t w;
    if (before)
        w = end->cubic.origin > octets ? end->cubic.origin - octets : 0;
    else
        w = end->cubic.origin + octets;
    return tcp_min(tcp_max(w, end->cwnd), end->cwnd * 3 / 2);
}

// RFC 9438 4.3: what NewReno would have, with alpha = 3 (1 - beta) / (1 + beta) = 9/17.
static void grow_estimate(struct tcp_end *end, uint64_t acked)
{
    uint64_t growth_q16 = (acked * end->mss_octets << 16) / end->cwnd;
    bool below = end->cubic.reno_q16 >> 16 < end->cubic.w_max;
    end->cubic.reno_q16 += below ? growth_q16 * 9 / 17 : growth_q16;
}

void tcp_cubic_grow(struct tcp_end *end, uint64_t acked, uint64_t now_ns)
{
    if (end->cubic.epoch_ns == 0)
        begin_epoch(end, now_ns);
    grow_estimate(end, acked);
    end->cwnd_fraction += acked * (target(end, now_ns) - end->cwnd);
    uint64_t cwnd = end->cwnd;
    end->cwnd += end->cwnd_fraction / cwnd;
    end->cwnd_fraction %= cwnd;
    end->cwnd = tcp_max(end->cwnd, end->cubic.reno_q16 >> 16);
}
