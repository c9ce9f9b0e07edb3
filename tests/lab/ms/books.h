// The books of an MS: what went in is somewhere, by its counters. Also for fuzzing, so without
// CMocka.
#ifndef TESTS_LAB_MS_BOOKS_H
#define TESTS_LAB_MS_BOOKS_H

#include "lab/ms/ms.h"

// NULL, or the equation that does not hold.
const char *books_wrong(const struct ms_counters *counters);

// The faults that the counters say there were.
uint64_t books_faults(const struct ms_counters *counters);

#endif
