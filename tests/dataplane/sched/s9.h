// What the tests of S9 share: a scheduler that is compiled with a call at each basic block, so that
// its work is counted exactly, without a clock.
#ifndef SLUICE_TESTS_DATAPLANE_SCHED_S9_H
#define SLUICE_TESTS_DATAPLANE_SCHED_S9_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/sched/sched.h"

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    blocks++;
}

// One NSE, tail-drop, one packet flow an MS, and one limit for each of all, cells, MSs and classes.
static inline struct sched_config s9_config(uint32_t bvcs, uint32_t mss, struct sched_limit limit)
{
    struct sched_config c = {.nses = 1,
                             .bvcs = bvcs,
                             .mss = mss,
                             .pfcs_an_ms = 1,
                             .first_header_octets = 10,
                             .next_header_octets = 9,
                             .llc_octets = 6,
                             .pdu_octets_max = 1526};
    c.limit = c.bvc_limit = c.ms_limit = limit;
    for (uint32_t i = 0; i < CLASS_COUNT; i++) {
        c.of_class[i] = (struct sched_class){.weight = 1 + 7 * i,
                                             .limit = limit,
                                             .lifetime_ns = SCHED_INFINITE,
                                             .bss_most_ns = SCHED_INFINITE,
                                             .scope = SCHED_SCOPE_PFC};
        assert_null(aqm_setup(&c.of_class[i].aqm, &aqm_tail_drop, NULL));
    }
    return c;
}

// In memory of its own, which is the caller's.
static inline struct sched *s9_setup(const struct sched_config *c, void **memory)
{
    struct sched *s;
    uint64_t octets = sched_octets(c);
    *memory = aligned_alloc(64, octets);
    assert_non_null(*memory);
    memset(*memory, 0, octets);
    assert_int_equal(sched_setup(&s, c, *memory), 0);
    return s;
}

#endif
