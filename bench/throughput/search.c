// See measure.h. RFC 2544 26.1: a trial offers packets at a steady rate for some time; the highest
// rate at which no more are lost than may be is found by halving. Lost is what the full port
// refused and what Sluice dropped. At the end of each trial the books have to balance.
#include <rte_launch.h>
#include <string.h>

#include "bench/throughput/measure.h"

#define WORKER_LCORE  1u
#define TRIALS_MAX    14u
#define PRECISION     0.01 // where halving ends
#define HEADROOM      1.1  // of the first rate over what a flood lets through
#define FLOOD_PPS     1e9
#define BEHIND        0.98 // of the rate asked for
#define BEHIND_MOST   3u   // trials in a row, and the generator does no more
#define LATE          (4 * OPTIONS_BURST)
#define FLOOD_SECONDS 0.2
#define STARVED_MOST  50u // trials in a row in which a thread got no processor

struct worker_loop {
    struct dp_worker *worker;
    uint64_t polls;
    bool stop;
};

struct pace {
    uint64_t offered, left_out;
};

static int worker_loop(void *self)
{
    struct worker_loop *loop = self;
    for (; !__atomic_load_n(&loop->stop, __ATOMIC_RELAXED); loop->polls++)
        dp_poll(loop->worker, bench_clock_ns());
    return 0;
}

// Offers what is due since the start, a burst at most. What it is too late for, since the machine
// had something else to do, is not offered in a heap but left out.
static void offer(struct generator *g, uint64_t elapsed, double pps, struct pace *pace)
{
    uint64_t due = (uint64_t)((double)elapsed / bench_clock.hz * pps) - pace->left_out;
    due -= pace->offered;
    if (due > LATE)
        pace->left_out += due - LATE;
    uint32_t n = due < OPTIONS_BURST ? (uint32_t)due : OPTIONS_BURST;
    if (n == 0)
        return;
    g->stamp = bench_clock_cycles();
    generator_send(g, n);
    pace->offered += n;
}

// `turn`: the worker, where it has no thread of its own.
static uint64_t generate(struct generator *g, double pps, uint64_t length, struct dp_worker *turn)
{
    uint64_t start = bench_clock_cycles(), elapsed;
    struct pace pace = {0};
    while ((elapsed = bench_clock_cycles() - start) < length) {
        offer(g, elapsed, pps, &pace);
        if (turn)
            dp_poll(turn, bench_clock_ns());
        while (generator_receive(g) == OPTIONS_BURST)
            ;
    }
    return pace.offered;
}

static struct trial trial_once(struct generator *g, double pps, double seconds, bool two_threads)
{
    struct worker_loop loop = {.worker = dp_worker(g->population->dp, g->worker)};
    struct trial trial = {0};
    uint64_t refused = g->count.offered - g->count.sent,
             dropped = generator_dropped(g) + generator_astray(g);
    uint64_t length = (uint64_t)(seconds * bench_clock.hz);
    if (two_threads)
        rte_eal_remote_launch(worker_loop, &loop, WORKER_LCORE);
    trial.offered = generate(g, pps, length, two_threads ? NULL : loop.worker);
    __atomic_store_n(&loop.stop, true, __ATOMIC_RELAXED);
    if (two_threads)
        rte_eal_wait_lcore(WORKER_LCORE);
    generator_drain(g);
    trial.lost = g->count.offered - g->count.sent - refused + generator_dropped(g) +
                 generator_astray(g) - dropped;
    trial.offered_pps = (double)trial.offered / seconds;
    trial.behind = trial.offered_pps < BEHIND * pps;
    trial.starved = !trial.offered || (two_threads && !loop.polls);
    trial.fault = generator_fault(g);
    return trial;
}

// One in which the machine ran the generator or the worker not at all says nothing, and is made
// again.
struct trial trial_run(struct generator *g, double pps, double seconds, bool two_threads)
{
    struct trial trial;
    for (uint32_t i = 0; i < STARVED_MOST; i++) {
        if (g->latency)
            memset(g->latency, 0, sizeof *g->latency);
        trial = trial_once(g, pps, seconds, two_threads);
        if (!trial.starved || trial.fault)
            break;
    }
    return trial;
}

static bool passes(const struct trial *t, double most_loss)
{
    return (double)t->lost <= most_loss * (double)t->offered;
}

// What a flood lets through, and somewhat more.
static double first_rate(struct generator *g, bool two_threads, const char **fault)
{
    double seconds = g->population->options->seconds;
    seconds = seconds < FLOOD_SECONDS ? seconds : FLOOD_SECONDS;
    struct trial flood = trial_run(g, FLOOD_PPS, seconds, two_threads);
    *fault = flood.fault;
    return HEADROOM * (double)(flood.offered - flood.lost) / seconds;
}

// One search. A trial that passed below the rate it was to have says what it offered, and some of
// them in a row that the generator does no more.
static struct trial find(struct generator *g, double most_loss, bool two_threads, uint32_t *trials)
{
    struct trial best = {0};
    double high = first_rate(g, two_threads, &best.fault), rate = high;
    uint32_t behind = 0;
    for (uint32_t i = 0; i < TRIALS_MAX && !best.fault && behind < BEHIND_MOST &&
                         high - best.offered_pps > PRECISION * high;
         i++) {
        struct trial t = trial_run(g, rate, g->population->options->seconds, two_threads);
        bool passed = passes(&t, most_loss);
        (*trials)++;
        if (!passed)
            high = rate;
        else
            behind = t.behind ? behind + 1 : 0;
        if (t.fault || (passed && t.offered_pps > best.offered_pps))
            best = t;
        rate = (best.offered_pps + high) / 2;
    }
    best.behind = behind == BEHIND_MOST;
    return best;
}

struct search search_run(struct generator *g, double most_loss, bool two_threads)
{
    struct search result = {0};
    double pps[OPTIONS_REPEATS_MAX];
    uint32_t repeats = g->population->options->repeats;
    for (uint32_t i = 0; i < repeats; i++) {
        struct trial t = find(g, most_loss, two_threads, &result.trials);
        pps[i] = t.offered_pps;
        result.offered += t.offered;
        result.lost += t.lost;
        result.behind |= t.behind;
        if (t.fault) {
            result.fault = t.fault;
            return result;
        }
    }
    result.pps = spread_of(pps, repeats);
    return result;
}
