#ifndef TESTS_DATAPLANE_SCHED_CHECK_H
#define TESTS_DATAPLANE_SCHED_CHECK_H

#include "dataplane/sched/sched.h"

// NULL, or the invariant of the scheduler's structure that does not hold.
const char *sched_check(const struct sched *s);

const char *sched_check_overflow(const struct sched *s); // the part for sched_candidates.c

#endif
