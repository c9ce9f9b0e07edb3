// An input of sched_fuzz.c as ids, values and a configuration.
#ifndef TESTS_FUZZ_SCHED_INPUT_H
#define TESTS_FUZZ_SCHED_INPUT_H

#include "dataplane/sched/sched.h"
#include "tests/fuzz/input.h"

// Of a node; one beyond the table is among them.
uint32_t input_nse_id(void);
uint32_t input_bvc_id(void);
uint32_t input_ms_id(void);
uint32_t input_slot_id(void);

// Some that the scheduler has to refuse, too.
struct bucket_terms input_terms(void);
uint64_t input_level(void);
uint16_t input_n201_u(void);

// `good` is false if it has to be refused.
struct sched_config input_config(bool *good);

#endif
