// See traffic.h.
#include "bench/dataplane/sched/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "dataplane/base/rng.h"

#define HUGE_OCTETS (2ULL << 20)

uint32_t traffic_rate_bit_per_s(uint32_t rate)
{
    return 8000 + 4000 * rate;
}

// Neighbours in memory have nothing in common.
static uint32_t scattered(uint32_t n)
{
    return n * 2654435761u >> 8;
}

uint32_t traffic_rate_of(uint32_t ms)
{
    return scattered(ms) % TRAFFIC_RATES;
}

uint32_t traffic_class_of(uint32_t queue)
{
    return scattered(queue + 1) % TRAFFIC_CLASSES;
}

uint64_t traffic_total_bit_per_s(uint32_t mss)
{
    uint64_t total = 0;
    for (uint32_t ms = 0; ms < mss; ms++)
        total += traffic_rate_bit_per_s(traffic_rate_of(ms));
    return total;
}

uint32_t *traffic_random_order(uint32_t n)
{
    uint32_t *order = malloc(n * sizeof *order);
    struct rng rng;
    rng_seed(&rng, 1, 0);
    for (uint32_t i = 0; i < n; i++) { // each one takes the place of one before it
        uint32_t at = (uint32_t)rng_below(&rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

void traffic_delay_setup(struct traffic_delay *delay, uint32_t queues)
{
    *delay = (struct traffic_delay){.room = queues / 4};
    delay->queue = malloc(delay->room * sizeof *delay->queue);
}

void traffic_delay_release(struct traffic_delay *delay)
{
    free(delay->queue);
}

bool traffic_delay_swap(struct traffic_delay *delay, uint32_t *queue)
{
    if (delay->count < delay->room) {
        delay->queue[delay->count++] = *queue;
        return false;
    }
    uint32_t out = delay->queue[delay->first];
    delay->queue[delay->first] = *queue;
    delay->first = delay->first + 1 == delay->room ? 0 : delay->first + 1;
    *queue = out;
    return true;
}

static uint64_t whole_pages(uint64_t octets)
{
    return (octets + HUGE_OCTETS - 1) / HUGE_OCTETS * HUGE_OCTETS;
}

void *traffic_pages(uint64_t octets)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    octets = whole_pages(octets);
    void *pages = mmap(NULL, octets, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB, -1, 0);
    if (pages == MAP_FAILED) {
        fprintf(stderr, "bench: no huge pages for %lu MiB\n", (unsigned long)(octets >> 20));
        flags &= ~MAP_POPULATE; // so that the advice comes first
        pages = mmap(NULL, octets, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (pages == MAP_FAILED)
            exit(1);
        madvise(pages, octets, MADV_HUGEPAGE);
    }
    return pages;
}

void traffic_pages_release(void *pages, uint64_t octets)
{
    munmap(pages, whole_pages(octets));
}
