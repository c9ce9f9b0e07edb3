// The rate that a device under test passes (RFC 2544 26.1): for each of some tolerances the highest
// rate at which no larger share of the packets is lost, which is the non-drop rate (NDR) where the
// share is 0, else a partial drop rate (PDR). No clock and no device: a trial is a function.
//
// A rate that passed its trial counts as passed, one that did not only if it fails again: of three
// trials two decide. The rate that is found in the end has passed two. A trial that lost too
// much or offered too little because the machine had stopped a thread (trial.disturbed) is made
// again.
#ifndef SLUICE_BENCH_THROUGHPUT_SEARCH_H
#define SLUICE_BENCH_THROUGHPUT_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#define SEARCH_LOSSES_MAX  4u
#define SEARCH_REPEATS_MAX 31u
#define SEARCH_TRIALS_MAX  4096u // of all repeats; one that may need more is not made
#define SEARCH_PRECISION   0.01  // where halving ends, of the rate

struct spread {
    double least, median, most;
};
struct spread spread_of(double *values, uint32_t n); // sorts them

struct trial {
    double asked_pps, offered_pps;
    uint64_t offered;
    uint64_t lost; // refused by the full port, dropped by Sluice, lost by devices:
    uint64_t refused, dropped, astray;
    uint64_t paused_ns, pause_most_ns; // of both threads: turns that took long
    uint32_t switches;                 // how often the kernel took their processor away
    uint64_t stolen_ns;                // by a hypervisor, from the whole machine
    bool behind;                       // the generator did not reach the rate that was asked for
    bool starved;                      // a thread got no processor
    bool disturbed;                    // what is lost or not offered may be the machine's fault
    uint32_t repeat;                   // of the search, from 1 on; here for the list of trials
    const char *fault;                 // NULL: none
};

typedef struct trial search_trial_fn(void *device, double pps);

struct search_ask {
    double loss[SEARCH_LOSSES_MAX]; // shares of the packets, rising
    uint32_t losses, repeats;
    double first_pps; // where to begin: about what a flood lets through
    search_trial_fn *trial;
    void *device;
};

struct search_rate {
    struct spread pps;      // of the repeats; 0: none passed
    uint64_t offered, lost; // in the trials that passed at these rates
    bool behind;            // the generator was the limit
};

struct search {
    struct search_rate rate[SEARCH_LOSSES_MAX];
    struct trial trial[SEARCH_TRIALS_MAX]; // all of them, in order
    uint32_t trials, disturbed;
    const char *fault;
};

void search_run(const struct search_ask *ask, struct search *search);

#endif
