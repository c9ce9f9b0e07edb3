// A discipline under a queue that stands.
#ifndef TESTS_DATAPLANE_AQM_CONGESTED_H
#define TESTS_DATAPLANE_AQM_CONGESTED_H

#include "tests/dataplane/aqm/asked.h"

// Ten seconds of a queue that stands at `stands_s` of its share; how often each verdict came.
// False: the discipline has no parameter `ecn`.
static inline bool congest(struct asked *a, uint32_t stands_s, bool ecn, bool ect,
                           uint32_t counts[3])
{
    uint32_t word = 0;
    struct rng rng;
    struct aqm_view view = {.pdu_octets = 500,
                            .queue_octets = 10000 * stands_s,
                            .queue_pdus = 20 * stands_s,
                            .share_octets_per_s = 10000,
                            .ect = ect,
                            .rng = &rng,
                            .pdu_word = &word};
    rng_seed(&rng, 7, 0);
    bool may_mark = asked_param_if_any(a, "ecn", ecn);
    asked_param_if_any(a, "ecn_ceiling", 1000000); // PIE's standard ends marks at 10 %
    asked_ready(a);
    memset(counts, 0, 3 * sizeof counts[0]);
    for (view.now_ns = S_NS; view.now_ns < 11 * S_NS; view.now_ns += 50 * MS_NS) {
        view.sojourn_ns = 0;
        counts[asked_in(a, &view)]++;
        view.sojourn_ns = stands_s * S_NS;
        counts[asked_out(a, &view)]++;
    }
    return may_mark;
}

// Of the discipline whose name is the test's first state.
static inline void test_marks_a_queue_of_2_s(void **state)
{
    uint32_t counts[3];
    struct asked a = asked_of(*state);
    assert_true(congest(&a, 2, true, true, counts));
    assert_true(counts[AQM_MARK] > 0);
    congest(&a, 2, true, false, counts);
    assert_true(counts[AQM_MARK] == 0 && counts[AQM_DROP] > 0);
    congest(&a, 2, false, true, counts);
    assert_true(counts[AQM_MARK] == 0 && counts[AQM_DROP] > 0);
}

#endif
