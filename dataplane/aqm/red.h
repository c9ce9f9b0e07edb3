// What RED and Adaptive RED have in common: the average, the curve over it, and the spacing of
// signals. Only for these two. Averages, probabilities and weights are Q32 (base/fixed.h); lengths
// are octets or N-PDUs, whichever the thresholds are given in; time is turned into octets.
#ifndef SLUICE_AQM_RED_H
#define SLUICE_AQM_RED_H

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/fixed.h"

#define RED_MILLIONTHS 1000000u

struct red_vars {
    uint64_t average; // Q32
    uint64_t seen_ns; // last enqueue or dequeue
    uint32_t passed;  // N-PDUs since the last signal, while the average is above min
};

// The thresholds as they were given, in one unit.
struct red_span {
    uint64_t min, max;
    enum aqm_level_unit unit;
};

// What one N-PDU moves the average by: -ln(1 - wq) and 1 - wq.
struct red_weight {
    uint64_t neg_ln, kept;
};

struct red_curve {
    uint64_t min, max; // octets or N-PDUs, at most UINT32_MAX
    uint64_t max_p;
    bool gentle;
};

static inline uint64_t red_q32(uint64_t millionths)
{
    return (millionths * FIXED_ONE + RED_MILLIONTHS / 2) / RED_MILLIONTHS;
}

// NULL, or why these do not go together.
const char *red_span_configure(struct red_span *span, uint64_t min, uint64_t max);
struct red_weight red_weight_of(uint64_t millionths);

// exp(-x) of any x in Q32.
uint64_t red_kept(unsigned __int128 x_q32);
uint32_t red_length(const struct red_span *span, const struct aqm_view *view);
struct red_curve red_curve_of(const struct red_span *span, const struct aqm_view *view);

// At enqueue, once a packet. Over a queue found empty it forgets what m mean N-PDUs would have made
// it forget, m being how many of them the share could have carried since.
void red_average(struct red_vars *v, const struct aqm_view *view, uint32_t length,
                 struct red_weight weight, uint32_t mean_pdu_octets);

// pb, 0 .. FIXED_ONE.
uint64_t red_probability(const struct red_curve *curve, uint64_t average);

// Whether this N-PDU carries the signal.
bool red_signals(struct red_vars *v, const struct aqm_view *view, uint64_t pb);

#endif
