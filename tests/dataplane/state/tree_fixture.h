// A scheduler for tests of the state: room for some nodes, no limits, no AQM. free() ends it.
#ifndef SLUICE_TESTS_DATAPLANE_STATE_TREE_FIXTURE_H
#define SLUICE_TESTS_DATAPLANE_STATE_TREE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/state/state.h"

static inline struct sched *tree_fixture_create(const struct state_limits *limits)
{
    const struct sched_limit plenty = {4096, 1 << 24};
    struct sched_config c = {.nses = limits->nses,
                             .bvcs = limits->bvcs,
                             .mss = limits->mss,
                             .pfcs_an_ms = 2,
                             .limit = plenty,
                             .bvc_limit = plenty,
                             .ms_limit = plenty,
                             .first_header_octets = 10,
                             .next_header_octets = 9,
                             .llc_octets = 6,
                             .pdu_octets_max = 1526};
    for (int i = 0; i < CLASS_COUNT; i++) {
        c.of_class[i] = (struct sched_class){.weight = 1,
                                             .limit = plenty,
                                             .lifetime_ns = SCHED_INFINITE,
                                             .bss_most_ns = SCHED_INFINITE,
                                             .scope = SCHED_SCOPE_PFC};
        assert_null(aqm_setup(&c.of_class[i].aqm, &aqm_tail_drop, NULL));
    }
    struct sched *sched;
    uint64_t octets = sched_octets(&c);
    void *memory = aligned_alloc(64, octets);
    assert_non_null(memory);
    memset(memory, 0, octets);
    assert_int_equal(sched_setup(&sched, &c, memory), 0);
    assert_ptr_equal(sched, memory);
    return sched;
}

#endif
