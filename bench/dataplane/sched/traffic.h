// The traffic that the scheduler and rte_sched are measured with, and what is asked of either.
// N-PDUs of 500 octets, each a single LLC PDU; queues at 8 to 236 kbit/s (122 on average), spread
// over the six classes below signalling. Every queue stays backlogged: for each N-PDU sent one more
// comes, but for the queue that sent a quarter of all queues ago. Without that delay its lines
// would still be in the nearest cache, which no other arrival would find.
#ifndef SLUICE_BENCH_DATAPLANE_SCHED_TRAFFIC_H
#define SLUICE_BENCH_DATAPLANE_SCHED_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TRAFFIC_BURST = 64,
    TRAFFIC_NPDU_OCTETS = 500,
    TRAFFIC_HEADER_OCTETS = 10, // SNDCP, LLC and FCS
    TRAFFIC_PDU_OCTETS = TRAFFIC_NPDU_OCTETS + TRAFFIC_HEADER_OCTETS,
    TRAFFIC_NPDUS_A_QUEUE = 3,
    TRAFFIC_BUCKET_OCTETS = 4 * TRAFFIC_PDU_OCTETS,
    TRAFFIC_RATES = 58,
    TRAFFIC_CLASSES = 6,
    TRAFFIC_FLOWS_MAX = 16, // of a queue
};

uint32_t traffic_rate_bit_per_s(uint32_t rate); // 0 .. TRAFFIC_RATES - 1
uint32_t traffic_rate_of(uint32_t ms);
uint64_t traffic_total_bit_per_s(uint32_t mss);
uint32_t traffic_class_of(uint32_t queue); // 0 .. TRAFFIC_CLASSES - 1

// 0 .. n - 1 in a random order that is the same each time. The caller frees it.
uint32_t *traffic_random_order(uint32_t n);

// A ring of queues between what they sent and what comes for them next.
struct traffic_delay {
    uint32_t *queue;
    uint32_t room, first, count;
};

void traffic_delay_setup(struct traffic_delay *delay, uint32_t queues);
void traffic_delay_release(struct traffic_delay *delay);
// Puts `queue` in; true if another one came out, into `queue`.
bool traffic_delay_swap(struct traffic_delay *delay, uint32_t *queue);

// Zeroed pages, huge ones if there are some. Ends the program if there is no memory.
void *traffic_pages(uint64_t octets);
void traffic_pages_release(void *pages, uint64_t octets);

struct subject {
    // Time goes on, a burst is dequeued and as much enqueued: the cycles of that and how many
    // packets were dequeued; 0 and 0 if this round is not to be counted.
    uint64_t (*round)(struct subject *subject, uint32_t *packets);
    // Octets that went out since the warm-up, over what the rates allow in that time; 0 as long as
    // that time is too short to tell.
    double (*delivered)(const struct subject *subject);
    const char *(*fault)(const struct subject *subject); // NULL: none
    void (*release)(struct subject *subject);
};

struct subject *tree_subject(uint32_t mss, uint32_t pfcs_an_ms, const char *aqm_name, bool full,
                             uint32_t flows);
// Cells that are ready at once, and their pipe (ready.c).
enum ready_pipe { READY_PIPE_NO_CIR, READY_PIPE_ROOMY, READY_PIPE_FULL };
struct subject *ready_subject(uint32_t cells, enum ready_pipe pipe);
struct subject *rte_sched_subject(uint32_t pipes, uint32_t tc_period_ms);

#ifdef __cplusplus
}
#endif
#endif
