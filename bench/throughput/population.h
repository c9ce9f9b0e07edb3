// The dataplane under test and all that it knows: NSEs, cells of 400 MSs, MSs with one packet flow
// and one PDP context each, buckets at packet flow, MS and cell that are tested and charged. They
// refuse nothing, but for the MSs that are to be backlogged.
#ifndef SLUICE_BENCH_THROUGHPUT_POPULATION_H
#define SLUICE_BENCH_THROUGHPUT_POPULATION_H

#include "bench/throughput/ports.h"

#define POPULATION_MSS_A_CELL  400u
#define POPULATION_KEY_OCTETS  16u
#define POPULATION_PDU_HEADERS 10u // SNDCP, LLC and FCS
#define POPULATION_BACKLOG     2u  // N-PDUs that a backlogged MS has here and there

struct population {
    const struct bench_options *options;
    struct ports ports;
    struct frames frames[STATS_SIDES]; // by the side where they go in
    struct dp *dp;
    uint32_t *teid;     // of each MS, in network order
    uint32_t *sent_up;  // UI frames that each has sent
    uint64_t bit_per_s; // of all backlogged MSs together
};

// Which MSs a worker has: `mss` from `first` on.
#define POPULATION_TEID_SEED 1u

struct population_share {
    uint32_t first, mss, first_bvc, bvcs;
};
struct population_share population_share(const struct bench_options *options, uint32_t worker);

void population_configure(const struct bench_options *options, const struct ports *ports,
                          struct dp_config *config);
// The memory that it takes, for the EAL.
uint64_t population_octets(const struct bench_options *options, const struct ports *ports);

void population_key(uint32_t ms, uint8_t key[POPULATION_KEY_OCTETS]);

// False, with the reason on stderr; then it is to be closed all the same.
bool population_open(struct population *population, const struct bench_options *options,
                     const struct ports *ports);
// Returns the buffers that were lost.
uint32_t population_close(struct population *population);

#endif
