// Shared by RED and Adaptive RED alone: the average, the probability curve, and the spacing of
// signals. Averages, probabilities and weights are Q32 (base/fixed.h); lengths are octets or
// N-PDUs, as the thresholds; a threshold in time becomes octets.
#ifndef SLUICE_AQM_RED_H
#define SLUICE_AQM_RED_H

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/fixed.h"

#define RED_MILLIONTHS 1000000u

struct red_vars {
    uint64_t average; // avg, Q32
    uint64_t seen_ns; // of the last enqueue or dequeue
    uint32_t passed;  // count: N-PDUs since the last signal, while avg is above min_th
};

// The thresholds min_th and max_th as configured, in one unit.
struct red_span {
    uint64_t min, max;
    enum aqm_level_unit unit;
};

// The effect of one N-PDU on the average: -ln(1 - w_q) and 1 - w_q.
struct red_weight {
    uint64_t neg_ln, kept;
};

struct red_curve {
    uint64_t min, max; // min_th, max_th: octets or N-PDUs, at most UINT32_MAX
    uint64_t max_p;
    bool gentle;
};

static inline uint64_t red_q32(uint64_t millionths)
{
    return (millionths * FIXED_ONE + RED_MILLIONTHS / 2) / RED_MILLIONTHS;
}

// NULL, or why these thresholds contradict each other.
const char *aqm_red_span_configure(struct red_span *span, uint64_t min, uint64_t max);
struct red_weight aqm_red_weight_of(uint64_t millionths);

// exp(-x) of an unbounded x in Q32.
uint64_t aqm_red_kept(unsigned __int128 x_q32);
uint32_t aqm_red_length(const struct red_span *span, const struct aqm_view *view);
struct red_curve aqm_red_curve_of(const struct red_span *span, const struct aqm_view *view);

// At enqueue, once a packet. If the queue was found empty, the average decays as by m N-PDUs of
// mean size, m being the number that the share could have carried since.
void aqm_red_average(struct red_vars *v, const struct aqm_view *view, uint32_t length,
                     struct red_weight weight, uint32_t mean_pdu_octets);

// p_b, 0 .. FIXED_ONE.
uint64_t aqm_red_probability(const struct red_curve *curve, uint64_t average);

// Whether this N-PDU is marked or dropped.
bool aqm_red_signals(struct red_vars *v, const struct aqm_view *view, uint64_t pb);

#endif
