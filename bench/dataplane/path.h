// The path with its traffic, as the C++ of path_bench.cc can use it: made of the parts of
// bench/throughput.
#ifndef SLUICE_BENCH_DATAPLANE_PATH_H
#define SLUICE_BENCH_DATAPLANE_PATH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PATH_BURST   64
#define PATH_WAITING 512

// With two workers the packets are all for MSs of the second one; `strays`: they come to the first
// one's queue, which hands them on. `threads`: 2: the first worker has a thread of its own.
struct path_traffic {
    uint32_t mss, octets, n201_u, waiting, gea;
    uint32_t workers, strays, threads; // 0: 1 worker
};

// The memory that it takes, for the EAL.
uint64_t path_octets(const struct path_traffic *traffic);

struct path;
struct path *path_open(const struct path_traffic *traffic); // ends the program without memory
void path_close(struct path *path);
// What waits goes through the worker, in one call; the cycles it took, and how many packets. Of two
// workers the cycles of both, without those polls of a thread of its own that found nothing.
uint64_t path_round(struct path *path, uint64_t *packets);
uint64_t path_handed_on(const struct path *path); // packets, from one worker to the other
const char *path_fault(struct path *path);        // NULL: none

// Baselines: the cycles of a burst of PATH_BURST.
uint64_t path_mbuf_burst(void);
uint64_t path_forward_burst(void);

#ifdef __cplusplus
}
#endif
#endif
