// See measure.h: the cost, for a worker under full load, of queries for the state of MSs, page by
// page, by a thread of its own, as a client of the telemetry does. A round in which the worker
// answers, and those after it, whose lines the answer may have put out of the cache, stand beside
// the rounds without a query; medians, for other programs on the machine interrupt some rounds.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/throughput/measure.h"

#define GAP_NS       100000u // between two pages
#define AFTER        4u      // rounds that an answer may still be felt in, itself included
#define SAMPLES_MOST 8192u
#define LENGTHS_MOST 20u

struct asker {
    struct dp *dp;
    int worker_processor;
    bool stop;
    uint64_t passes, pages, records;
};

// Rounds so far since the last answer: 0 is the one with it; AFTER: all that are later.
struct rounds {
    double cycles[AFTER + 1][SAMPLES_MOST];
    uint32_t n[AFTER + 1];
};

static struct dp_query query;

static bool stopped(const struct asker *a)
{
    return __atomic_load_n(&a->stop, __ATOMIC_ACQUIRE);
}

// False: it is to stop, and the query is the worker's still.
static bool page(struct asker *a, uint32_t first)
{
    query = (struct dp_query){.kind = VIEW_MSS, .of = VIEW_ALL, .first = first, .end = VIEW_ALL};
    dp_ask(a->dp, 0, &query);
    while (!dp_answered(a->dp, 0)) {
        if (stopped(a))
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    a->pages++;
    a->records += query.n;
    return true;
}

// Away from the worker's processor, as the telemetry's threads are.
static void move_away(int processor)
{
    cpu_set_t others;
    memset(&others, 0xff, sizeof others);
    CPU_CLR(processor, &others);
    sched_setaffinity(0, sizeof others, &others);
}

static void *ask(void *self)
{
    struct asker *a = self;
    move_away(a->worker_processor);
    while (!stopped(a)) {
        for (uint32_t first = 0; first != VIEW_ALL; first = query.next) {
            if (!page(a, first))
                return NULL;
            nanosleep(&(struct timespec){.tv_nsec = GAP_NS}, NULL);
        }
        __atomic_add_fetch(&a->passes, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

// The least duration; longer if the machine has interrupted the asker before a whole pass.
static bool goes_on(const struct asker *a, uint64_t spent, uint64_t length)
{
    bool passed = __atomic_load_n(&a->passes, __ATOMIC_RELAXED);
    return spent < length || (!passed && spent < LENGTHS_MOST * length);
}

// A packet's cycles times a burst, so that rounds of other lengths count alike.
static void run_rounds(struct generator *g, const struct asker *a, struct rounds *r, double seconds)
{
    uint64_t length = (uint64_t)(seconds * bench_clock.hz), start = bench_clock_cycles();
    uint32_t since = AFTER;
    while (goes_on(a, bench_clock_cycles() - start, length)) {
        uint64_t packets;
        bool asked = !dp_answered(g->population->dp, 0);
        uint64_t cycles = saturated_round(g, NULL, &packets);
        since = asked ? 0 : since < AFTER ? since + 1 : AFTER;
        if (cycles && r->n[since] < SAMPLES_MOST)
            r->cycles[since][r->n[since]++] =
                (double)cycles / (double)packets * g->population->options->waiting;
    }
}

struct view_cost view_run(struct generator *g)
{
    struct asker asker = {.dp = g->population->dp, .worker_processor = sched_getcpu()};
    struct view_cost cost = {0};
    struct rounds *r = calloc(1, sizeof *r);
    pthread_t thread;
    if (!r || pthread_create(&thread, NULL, ask, &asker) != 0) {
        free(r);
        return cost;
    }
    run_rounds(g, &asker, r, 5 * g->population->options->seconds * g->population->options->repeats);
    __atomic_store_n(&asker.stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    double quiet = r->n[AFTER] ? spread_of(r->cycles[AFTER], r->n[AFTER]).median : 0;
    for (uint32_t since = 0; since < AFTER && r->n[0]; since++)
        if (r->n[since])
            cost.page_cycles += spread_of(r->cycles[since], r->n[since]).median - quiet;
    cost.round_cycles = quiet;
    cost.pages = asker.pages;
    double records = asker.pages ? (double)asker.records / (double)asker.pages : 0;
    cost.pass_pages = records > 0 ? g->population->options->mss / records : 0;
    free(r);
    return cost;
}

double view_percent(const struct view_cost *cost, double each_s)
{
    return 100 * cost->page_cycles * cost->pass_pages / (bench_clock.hz * each_s);
}
