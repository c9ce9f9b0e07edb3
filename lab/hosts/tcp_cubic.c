// CUBIC in whole segments and milliseconds: C = 0.4 segments/s^3, beta = 0.7. The law is RFC
// 9438's. How a window of few segments follows the law is of the paper (Ha, Rhee and Xu, 2008), as
// in Linux: the window grows by one when so many segments are acknowledged as the law, in whole
// numbers, asks for now; a window of octets would be about one segment later, which is much on a
// slow radio.
#include "lab/hosts/tcp_inside.h"

#define COUNT_LEAST  2            // a window grows by a half in a round trip at most, RFC 9438 4.2
#define COUNT_AT_TOP 100          // windows for a segment, where the law asks for none
#define REACH_MOST   (1ULL << 18) // segments from the window to the last maximum

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

static uint64_t segments(const struct tcp_end *end, uint64_t octets)
{
    return octets / end->mss_octets;
}

// RFC 9438 4.6 and 4.7: with fast convergence, a window that did not reach the last maximum makes
// room for others.
uint64_t tcp_cubic_lost(struct tcp_end *end, uint64_t window)
{
    uint64_t w = segments(end, window);
    end->cubic.w_max = w < end->cubic.w_max ? w * 17 / 20 : w;
    end->cubic.epoch_ns = 0;
    return w * 7 / 10 * end->mss_octets;
}

// RFC 9438 4.2 (2): K = cbrt((W_max - cwnd) / C), here in ms.
static void begin_epoch(struct tcp_end *end, uint64_t now_ns)
{
    uint64_t w = segments(end, end->cwnd);
    uint64_t below = end->cubic.w_max > w ? tcp_min(end->cubic.w_max - w, REACH_MOST) : 0;
    end->cubic.epoch_ns = tcp_max(now_ns, 1);
    end->cubic.origin = w + below;
    end->cubic.k_ms = cube_root(below * 10 / 4 * 1000000000);
    end->cubic.reno_q16 = w << 16;
    end->cwnd_fraction = 0;
}

// RFC 9438 4.2 (1), one round trip ahead. The least round trip of data, as in the paper (dMin) and
// as Linux does; the RFC has the smoothed one, which in a buffer of many seconds is another law.
static uint64_t target(const struct tcp_end *end, uint64_t now_ns)
{
    uint64_t t_ms = (now_ns - end->cubic.epoch_ns + end->cubic.rtt_least_ns) / MS_IN_NS;
    bool before = t_ms < end->cubic.k_ms;
    uint64_t away_ms = tcp_min(before ? end->cubic.k_ms - t_ms : t_ms - end->cubic.k_ms, 200000);
    uint64_t away = away_ms * away_ms * away_ms / 1000000 * 4 / 10 / 1000;
    if (!before)
        return end->cubic.origin + away;
    return end->cubic.origin > away ? end->cubic.origin - away : 0;
}

// RFC 9438 4.3: what NewReno would have, with alpha = 3 (1 - beta) / (1 + beta) = 9/17.
static void grow_estimate(struct tcp_end *end, uint64_t acked)
{
    uint64_t growth_q16 = (acked << 16) / end->cwnd;
    bool below = end->cubic.reno_q16 >> 16 < end->cubic.w_max;
    end->cubic.reno_q16 += below ? growth_q16 * 9 / 17 : growth_q16;
}

// Segments to be acknowledged for one more.
static uint64_t count(const struct tcp_end *end, uint64_t now_ns)
{
    uint64_t w = segments(end, end->cwnd);
    uint64_t aim = tcp_max(target(end, now_ns), end->cubic.reno_q16 >> 16);
    return tcp_max(aim > w ? w / (aim - w) : COUNT_AT_TOP * w, COUNT_LEAST);
}

// What was acknowledged while more was asked for is worth one segment, however much it is.
void tcp_cubic_grow(struct tcp_end *end, uint64_t acked, uint64_t now_ns)
{
    if (end->cubic.epoch_ns == 0)
        begin_epoch(end, now_ns);
    grow_estimate(end, acked);
    uint64_t due = count(end, now_ns) * end->mss_octets;
    if (end->cwnd_fraction >= due) {
        end->cwnd_fraction = 0;
        end->cwnd += end->mss_octets;
    }
    end->cwnd_fraction += acked;
    end->cwnd += end->cwnd_fraction / due * end->mss_octets;
    end->cwnd_fraction %= due;
}
