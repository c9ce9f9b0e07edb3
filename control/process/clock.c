// See clock.h.
#include "control/process/clock.h"

#include <rte_cycles.h>
#include <time.h>

#include "dataplane/base/units.h"

#define CALIBRATION_NS 50000000
#define READINGS       8
#define SLEW_MOST_NS   1000000 // of a second

static uint64_t rate_between(struct clock_pair a, struct clock_pair b)
{
    return (uint64_t)(((unsigned __int128)(b.raw_ns - a.raw_ns) << 32) / (b.tsc - a.tsc));
}

static uint64_t on_line(uint64_t tsc, uint64_t ns, uint64_t rate, uint64_t at)
{
    return at < tsc ? ns : ns + (uint64_t)((unsigned __int128)(at - tsc) * rate >> 32);
}

// A reader that sees a value of the new line also sees the odd sequence number, or a later one.
// Release and acquire on the values do that without fences, which ThreadSanitizer does not know.
static void write_line(struct clock *clock, uint64_t tsc, uint64_t ns, uint64_t rate)
{
    __atomic_store_n(&clock->sequence, clock->sequence + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&clock->tsc, tsc, __ATOMIC_RELEASE);
    __atomic_store_n(&clock->ns, ns, __ATOMIC_RELEASE);
    __atomic_store_n(&clock->rate, rate, __ATOMIC_RELEASE);
    __atomic_store_n(&clock->sequence, clock->sequence + 1, __ATOMIC_RELEASE);
}

void clock_begin(struct clock *clock, struct clock_pair first, struct clock_pair second)
{
    *clock = (struct clock){.first = first};
    write_line(clock, first.tsc, 0, rate_between(first, second));
}

void clock_correct(struct clock *clock, struct clock_pair now)
{
    uint64_t ours_ns = clock_at(clock, now.tsc);
    int64_t behind_ns = (int64_t)(now.raw_ns - clock->first.raw_ns - ours_ns);
    if (behind_ns > SLEW_MOST_NS)
        behind_ns = SLEW_MOST_NS;
    if (behind_ns < -SLEW_MOST_NS)
        behind_ns = -SLEW_MOST_NS;
    uint64_t rate = rate_between(clock->first, now);
    int64_t slew = (int64_t)((__int128)rate * behind_ns / (int64_t)S_IN_NS);
    write_line(clock, now.tsc, ours_ns, rate + (uint64_t)slew);
}

uint64_t clock_at(const struct clock *clock, uint64_t at)
{
    uint32_t before, after;
    uint64_t tsc, ns, rate;
    do {
        before = __atomic_load_n(&clock->sequence, __ATOMIC_ACQUIRE);
        tsc = __atomic_load_n(&clock->tsc, __ATOMIC_ACQUIRE);
        ns = __atomic_load_n(&clock->ns, __ATOMIC_ACQUIRE);
        rate = __atomic_load_n(&clock->rate, __ATOMIC_ACQUIRE);
        after = __atomic_load_n(&clock->sequence, __ATOMIC_RELAXED);
    } while (before != after || before % 2);
    return on_line(tsc, ns, rate, at);
}

// The closest of a few readings: the kernel may preempt the thread between the two clocks.
struct clock_pair clock_read(void)
{
    struct clock_pair best = {0};
    uint64_t closest = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        struct timespec t;
        uint64_t before = rte_rdtsc();
        clock_gettime(CLOCK_MONOTONIC_RAW, &t);
        uint64_t took = rte_rdtsc() - before;
        if (took >= closest)
            continue;
        closest = took;
        best.tsc = before + took / 2;
        best.raw_ns = (uint64_t)t.tv_sec * S_IN_NS + (uint64_t)t.tv_nsec;
    }
    return best;
}

void clock_start(struct clock *clock)
{
    struct clock_pair first = clock_read();
    nanosleep(&(struct timespec){.tv_nsec = CALIBRATION_NS}, NULL);
    clock_begin(clock, first, clock_read());
}

uint64_t clock_ns(const struct clock *clock)
{
    return clock_at(clock, rte_rdtsc());
}
