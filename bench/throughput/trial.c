// See measure.h. A trial offers packets at a steady rate for some time, and then waits until
// nothing is under way. Lost is what the full port refused, what Sluice dropped for whatever
// reason, and what devices lost between the generator and Sluice. At the end of each trial the
// books have to balance. The generator's limit is a flood with a bare forwarder in Sluice's place.
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/throughput/measure.h"

#define WORKER_LCORE  1u
#define FLOOD_PPS     1e9
#define FLOOD_SECONDS 0.2
#define BEHIND        0.98 // of the rate asked for
#define LATE          (4 * OPTIONS_BURST)
#define STARVED_MOST  50u // trials in a row in which a thread got no processor
// A turn of a thread that takes as long is a pause, unless bursts alone take a good part of it.
#define PAUSE_NS     200000u
#define PAUSE_BURSTS 8u
#define SWEEP_NS     (20 * MS_IN_NS) // what a device may take

// ---- What the machine does to a thread ----

struct watch {
    uint64_t last, pause, paused, most; // in cycles
    uint64_t switches;
};

static uint64_t switches(void)
{
    struct rusage used;
    return getrusage(RUSAGE_THREAD, &used) == 0 ? (uint64_t)used.ru_nivcsw : 0;
}

static void watch_begin(struct watch *w, uint64_t pause_ns)
{
    *w = (struct watch){.pause = (uint64_t)((double)pause_ns * 1e-9 * bench_clock.hz),
                        .switches = switches(),
                        .last = bench_clock_cycles()};
}

static inline void watch_turn(struct watch *w, uint64_t now)
{
    uint64_t gap = now - w->last;
    w->last = now;
    if (gap < w->pause)
        return;
    w->paused += gap;
    w->most = gap > w->most ? gap : w->most;
}

static void watch_end(struct watch *w)
{
    w->switches = switches() - w->switches;
}

// Of all processors, since the machine was started; 0 if there is no hypervisor that says so.
static uint64_t stolen_ns(void)
{
    unsigned long long steal = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (file && fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
        steal = 0;
    if (file)
        fclose(file);
    return steal * (S_IN_NS / (uint64_t)sysconf(_SC_CLK_TCK));
}

// ---- In Sluice's place: the worker, or a forwarder ----

struct loop {
    struct dp_worker *worker; // NULL: a forwarder
    struct port_end end[STATS_SIDES];
    bool from[STATS_SIDES]; // that it forwards from
    struct watch watch;
    uint64_t polls, pause_ns;
    bool stop;
};

static void forward(const struct loop *loop, enum stats_side side)
{
    struct rte_mbuf *m[OPTIONS_BURST];
    uint32_t n = port_end_receive(&loop->end[side], m, OPTIONS_BURST);
    uint32_t sent = n ? port_end_send(&loop->end[!side], m, n) : 0;
    rte_pktmbuf_free_bulk(m + sent, n - sent);
}

static void turn(struct loop *loop)
{
    if (loop->worker)
        dp_poll(loop->worker, bench_clock_ns());
    for (int side = 0; !loop->worker && side < STATS_SIDES; side++)
        if (loop->from[side])
            forward(loop, side);
}

static int loop_run(void *self)
{
    struct loop *loop = self;
    watch_begin(&loop->watch, loop->pause_ns);
    for (; !__atomic_load_n(&loop->stop, __ATOMIC_RELAXED); loop->polls++) {
        turn(loop);
        watch_turn(&loop->watch, bench_clock_cycles());
    }
    watch_end(&loop->watch);
    return 0;
}

// ---- The generator ----

struct pace {
    uint64_t offered, left_out;
};

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

// `loop`: takes its turns here, where it has no thread of its own.
// As much each way, if there are two.
static void offer_all(struct generator *g, uint64_t elapsed, double pps, struct pace pace[2])
{
    offer(g, elapsed, g->other ? pps / 2 : pps, &pace[0]);
    if (g->other)
        offer(g->other, elapsed, pps / 2, &pace[1]);
}

static void receive_all(struct generator *g)
{
    for (; g; g = g->other)
        while (generator_receive(g) == OPTIONS_BURST)
            ;
}

static uint64_t generate(struct generator *g, double pps, uint64_t length, struct loop *loop,
                         struct watch *watch)
{
    uint64_t start = bench_clock_cycles(), elapsed;
    struct pace pace[2] = {0};
    watch_begin(watch, g->pause_ns);
    while ((elapsed = bench_clock_cycles() - start) < length) {
        watch_turn(watch, start + elapsed);
        offer_all(g, elapsed, pps, pace);
        if (loop)
            turn(loop);
        receive_all(g);
    }
    watch_end(watch);
    return pace[0].offered + pace[1].offered;
}

static uint64_t generate_beside(struct generator *g, double pps, double seconds, bool two_threads,
                                struct loop *loop, struct watch *watch)
{
    uint64_t length = (uint64_t)(seconds * bench_clock.hz);
    if (two_threads)
        rte_eal_remote_launch(loop_run, loop, WORKER_LCORE);
    uint64_t offered = generate(g, pps, length, two_threads ? NULL : loop, watch);
    __atomic_store_n(&loop->stop, true, __ATOMIC_RELAXED);
    if (two_threads)
        rte_eal_wait_lcore(WORKER_LCORE);
    return offered;
}

// ---- A trial ----

static struct trial lost_so_far(const struct generator *g)
{
    struct trial so_far = {0};
    for (; g; g = g->other) {
        so_far.refused += g->count.offered - g->count.sent;
        so_far.dropped += generator_dropped(g);
        so_far.astray += generator_astray(g);
    }
    return so_far;
}

static const char *drain(struct generator *g)
{
    const char *fault = NULL;
    for (struct generator *one = g; one; one = one->other)
        generator_drain(one);
    for (; g && !fault; g = g->other)
        fault = generator_fault(g);
    return fault;
}

static void note_losses(struct trial *t, const struct trial *before, const struct trial *after)
{
    t->refused = after->refused - before->refused;
    t->dropped = after->dropped - before->dropped;
    t->astray = after->astray - before->astray;
    t->lost = t->refused + t->dropped + t->astray;
}

static void note_machine(struct trial *t, const struct watch *a, const struct watch *b)
{
    t->paused_ns = bench_clock_ns_of(a->paused + b->paused);
    t->pause_most_ns = bench_clock_ns_of(a->most > b->most ? a->most : b->most);
    t->switches = (uint32_t)(a->switches + b->switches);
}

// The kernel or the hypervisor says that it took a processor away, and what was due in the pauses
// is no less than what is lost, or was not offered.
static bool is_disturbed(const struct trial *t, double pps, double seconds)
{
    double due = pps * (double)t->paused_ns / S_IN_NS, missing = pps * seconds - (double)t->offered;
    bool lost = t->lost > 0 && (double)t->lost <= due, late = t->behind && missing <= due;
    return (t->switches || t->stolen_ns) && (lost || late);
}

static struct trial trial_once(struct generator *g, double pps, double seconds, bool two_threads)
{
    struct loop loop = {.worker = dp_worker(g->population->dp, g->worker), .pause_ns = g->pause_ns};
    struct watch watch;
    struct trial trial = {0}, before = lost_so_far(g);
    uint64_t stolen = stolen_ns();
    trial.offered = generate_beside(g, pps, seconds, two_threads, &loop, &watch);
    trial.fault = drain(g);
    struct trial after = lost_so_far(g);
    note_losses(&trial, &before, &after);
    note_machine(&trial, &watch, &loop.watch);
    trial.stolen_ns = stolen_ns() - stolen;
    trial.offered_pps = (double)trial.offered / seconds;
    trial.behind = trial.offered_pps < BEHIND * pps;
    trial.starved = !trial.offered || (two_threads && !loop.polls);
    trial.disturbed = is_disturbed(&trial, pps, seconds);
    return trial;
}

// One in which the machine ran the generator or the worker not at all says nothing, and is made
// again.
struct trial trial_run(struct generator *g, double pps, double seconds, bool two_threads)
{
    struct trial trial;
    for (uint32_t i = 0; i < STARVED_MOST; i++) {
        if (g->latency)
            *g->latency = (struct histogram){0};
        trial = trial_once(g, pps, seconds, two_threads);
        if (!trial.starved || trial.fault)
            break;
    }
    return trial;
}

void trial_pause(struct generator *g, double packet_cycles)
{
    double own_ns = PAUSE_BURSTS * OPTIONS_BURST * packet_cycles / bench_clock.hz * S_IN_NS;
    g->pause_ns = own_ns > PAUSE_NS ? (uint64_t)own_ns : PAUSE_NS;
}

double trial_flood(struct generator *g, bool two_threads, const char **fault)
{
    double seconds = g->population->options->seconds;
    seconds = seconds < FLOOD_SECONDS ? seconds : FLOOD_SECONDS;
    struct trial flood = trial_run(g, FLOOD_PPS, seconds, two_threads);
    *fault = flood.fault;
    return (double)(flood.offered - flood.lost) / seconds;
}

// ---- The generator's own limit ----

// Sluice's end of a side, as the forwarder has it.
static struct port_end our_end(const struct generator *g, enum stats_side side)
{
    const char *device = g->population->ports.ours[side];
    struct dp_far_end far = dp_far_end(g->population->dp, side, g->worker);
    struct port_end end = {.to_port = far.from_port, .from_port = far.to_port};
    char name[RTE_ETH_NAME_MAX_LEN];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(device, ","), device);
    end.device = RTE_MAX_ETHPORTS;
    if (!far.to_port && rte_eth_dev_get_port_by_name(name, &end.device) != 0)
        end.device = RTE_MAX_ETHPORTS;
    return end;
}

static uint64_t came_back(const struct generator *g)
{
    return g->count.frames + (g->other ? g->other->count.frames : 0);
}

// What is still under way, back to its pool.
static void sweep_out(struct generator *g, struct loop *loop)
{
    uint64_t until_ns = bench_clock_ns() + SWEEP_NS, frames;
    do {
        frames = came_back(g);
        turn(loop);
        receive_all(g);
    } while (came_back(g) != frames || bench_clock_ns() < until_ns);
}

// Packets a second that came back.
static double flood_forwarder(struct generator *g, bool two_threads)
{
    struct watch watch;
    double seconds = g->population->options->seconds;
    struct loop loop = {
        .end = {[STATS_GN] = our_end(g, STATS_GN), [STATS_GB] = our_end(g, STATS_GB)}};
    uint64_t before = came_back(g);
    for (const struct generator *one = g; one; one = one->other)
        loop.from[one->in_side] = true;
    generate_beside(g, FLOOD_PPS, seconds, two_threads, &loop, &watch);
    sweep_out(g, &loop);
    return (double)(came_back(g) - before) / seconds;
}

struct spread trial_limit(struct generator *g, bool two_threads)
{
    const struct bench_options *o = g->population->options;
    double pps[SEARCH_REPEATS_MAX];
    for (uint32_t i = 0; i < o->repeats; i++)
        pps[i] = flood_forwarder(g, two_threads);
    // Sluice knows nothing of all this.
    memset(g->population->sent_up, 0, o->mss * sizeof *g->population->sent_up);
    for (; g; g = g->other)
        g->count = (struct generator_counts){0};
    return spread_of(pps, o->repeats);
}
