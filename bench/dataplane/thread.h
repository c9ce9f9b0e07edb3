// The thread with its traffic, as the C++ of thread_bench.cc can use it: made of the parts of
// bench/throughput.
#ifndef SLUICE_BENCH_DATAPLANE_THREAD_H
#define SLUICE_BENCH_DATAPLANE_THREAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THREAD_BURST   64
#define THREAD_WAITING 512

struct thread_traffic {
    uint32_t mss, octets, n201_u, waiting, gea;
};

// The memory that it takes, for the EAL.
uint64_t thread_octets(const struct thread_traffic *traffic);

struct thread;
struct thread *thread_open(const struct thread_traffic *traffic); // ends the program without memory
void thread_close(struct thread *thread);
// What waits goes through the worker, in one call; the cycles it took, and how many packets.
uint64_t thread_round(struct thread *thread, uint64_t *packets);
const char *thread_fault(struct thread *thread); // NULL: none

// Baselines: the cycles of a burst of THREAD_BURST.
uint64_t thread_mbuf_burst(void);
uint64_t thread_forward_burst(void);

#ifdef __cplusplus
}
#endif
#endif
