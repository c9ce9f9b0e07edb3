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

#define WORKER_LCORE    1u // of the first
#define GENERATORS_MOST (DP_WORKERS_MAX + 1)
#define FLOOD_PPS       1e9
#define FLOOD_SECONDS   0.2
#define BEHIND          0.98 // of the rate asked for
#define LATE            (4 * OPTIONS_BURST)
#define STARVED_MOST    50u // trials in a row in which a thread got no processor
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

// One for each worker of the generators.
struct loops {
    struct loop of[DP_WORKERS_MAX];
    uint32_t n;
    bool threads; // each has one
};

static void loops_make(struct loops *loops, const struct generator *g, bool threads)
{
    *loops = (struct loops){.threads = threads};
    for (; g; g = g->other)
        if (g->worker == loops->n)
            loops->of[loops->n++] = (struct loop){.worker = dp_worker(g->population->dp, g->worker),
                                                  .pause_ns = g->pause_ns};
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

static uint32_t generators(const struct generator *g)
{
    uint32_t n = 0;
    for (; g; g = g->other)
        n++;
    return n;
}

// As much of each. Returns how much it is.
static uint64_t offer_all(struct generator *g, uint64_t elapsed, double pps, struct pace *pace)
{
    uint64_t offered = 0;
    double each_pps = pps / generators(g);
    for (; g; g = g->other, pace++) {
        offer(g, elapsed, each_pps, pace);
        offered += pace->offered;
    }
    return offered;
}

static void receive_all(struct generator *g)
{
    for (; g; g = g->other)
        while (generator_receive(g) == OPTIONS_BURST)
            ;
}

// The loops take their turns here, where they have no threads of their own.
static uint64_t generate(struct generator *g, double pps, uint64_t length, struct loops *loops,
                         struct watch *watch)
{
    uint64_t start = bench_clock_cycles(), elapsed, offered = 0;
    struct pace pace[GENERATORS_MOST] = {0};
    watch_begin(watch, g->pause_ns);
    while ((elapsed = bench_clock_cycles() - start) < length) {
        watch_turn(watch, start + elapsed);
        offered = offer_all(g, elapsed, pps, pace);
        for (uint32_t i = 0; i < loops->n && !loops->threads; i++)
            turn(&loops->of[i]);
        receive_all(g);
    }
    watch_end(watch);
    return offered;
}

static uint64_t generate_beside(struct generator *g, double pps, double seconds,
                                struct loops *loops, struct watch *watch)
{
    uint64_t length = (uint64_t)(seconds * bench_clock.hz);
    for (uint32_t i = 0; i < loops->n && loops->threads; i++)
        rte_eal_remote_launch(loop_run, &loops->of[i], WORKER_LCORE + i);
    uint64_t offered = generate(g, pps, length, loops, watch);
    for (uint32_t i = 0; i < loops->n; i++)
        __atomic_store_n(&loops->of[i].stop, true, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < loops->n && loops->threads; i++)
        rte_eal_wait_lcore(WORKER_LCORE + i);
    return offered;
}

// ---- A trial ----

static struct trial lost_so_far(const struct generator *g)
{
    struct trial so_far = {0};
    so_far.astray = generator_astray(g);
    for (; g; g = g->other) {
        so_far.refused += g->count.offered - g->count.sent;
        so_far.dropped += generator_dropped(g);
    }
    return so_far;
}

static void note_losses(struct trial *t, const struct trial *before, const struct trial *after)
{
    t->refused = after->refused - before->refused;
    t->dropped = after->dropped - before->dropped;
    t->astray = after->astray - before->astray;
    t->lost = t->refused + t->dropped + t->astray;
}

static void note_machine(struct trial *t, const struct watch *w)
{
    uint64_t most_ns = bench_clock_ns_of(w->most);
    t->paused_ns += bench_clock_ns_of(w->paused);
    t->pause_most_ns = most_ns > t->pause_most_ns ? most_ns : t->pause_most_ns;
    t->switches += (uint32_t)w->switches;
}

// The kernel or the hypervisor says that it took a processor away, and what was due in the pauses
// is no less than what is lost, or was not offered.
static bool is_disturbed(const struct trial *t, double pps, double seconds)
{
    double due = pps * (double)t->paused_ns / S_IN_NS, missing = pps * seconds - (double)t->offered;
    bool lost = t->lost > 0 && (double)t->lost <= due, late = t->behind && missing <= due;
    return (t->switches || t->stolen_ns) && (lost || late);
}

static struct trial trial_once(struct generator *g, double pps, double seconds, bool threads)
{
    struct loops loops;
    struct watch watch;
    struct trial trial = {0}, before = lost_so_far(g);
    uint64_t stolen = stolen_ns();
    bench_clock_skip(seconds);
    loops_make(&loops, g, threads);
    trial.offered = generate_beside(g, pps, seconds, &loops, &watch);
    generator_drain(g);
    trial.fault = generator_fault(g);
    struct trial after = lost_so_far(g);
    note_losses(&trial, &before, &after);
    note_machine(&trial, &watch);
    trial.starved = !trial.offered;
    for (uint32_t i = 0; i < loops.n; i++) {
        note_machine(&trial, &loops.of[i].watch);
        trial.starved |= threads && !loops.of[i].polls;
    }
    trial.stolen_ns = stolen_ns() - stolen;
    trial.offered_pps = (double)trial.offered / seconds;
    trial.behind = trial.offered_pps < BEHIND * pps;
    trial.disturbed = is_disturbed(&trial, pps, seconds);
    return trial;
}

// One in which the machine ran the generator or the worker not at all says nothing, and is made
// again.
struct trial trial_run(struct generator *g, double pps, double seconds, bool threads)
{
    struct trial trial;
    for (uint32_t i = 0; i < STARVED_MOST; i++) {
        if (g->latency)
            *g->latency = (struct histogram){0};
        trial = trial_once(g, pps, seconds, threads);
        if (!trial.starved || trial.fault)
            break;
    }
    return trial;
}

void trial_pause(struct generator *g, double packet_cycles)
{
    double own_ns = PAUSE_BURSTS * OPTIONS_BURST * packet_cycles / bench_clock.hz * S_IN_NS;
    for (; g; g = g->other)
        g->pause_ns = own_ns > PAUSE_NS ? (uint64_t)own_ns : PAUSE_NS;
}

double trial_flood(struct generator *g, bool threads, const char **fault)
{
    double seconds = g->population->options->seconds;
    seconds = seconds < FLOOD_SECONDS ? seconds : FLOOD_SECONDS;
    struct trial flood = trial_run(g, FLOOD_PPS, seconds, threads);
    *fault = flood.fault;
    return (double)(flood.offered - flood.lost) / seconds;
}

// ---- The generator's own limit ----

// Sluice's end of a side, as the forwarder has it.
static struct port_end our_end(const struct generator *g, enum stats_side side)
{
    const char *device = g->population->ports.ours[side];
    struct dp_far_end far = dp_far_end(g->population->dp, side, g->worker);
    struct port_end end = {
        .to_port = far.from_port, .from_port = far.to_port, .queue = (uint16_t)g->worker};
    char name[RTE_ETH_NAME_MAX_LEN];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(device, ","), device);
    end.device = RTE_MAX_ETHPORTS;
    if (!far.to_port && rte_eth_dev_get_port_by_name(name, &end.device) != 0)
        end.device = RTE_MAX_ETHPORTS;
    return end;
}

static uint64_t came_back(const struct generator *g)
{
    uint64_t frames = 0;
    for (; g; g = g->other)
        frames += g->count.frames;
    return frames;
}

// What is still under way, back to its pool.
static void sweep_out(struct generator *g, struct loops *loops)
{
    uint64_t until_ns = bench_clock_ns() + SWEEP_NS, frames;
    do {
        frames = came_back(g);
        for (uint32_t i = 0; i < loops->n; i++)
            turn(&loops->of[i]);
        receive_all(g);
    } while (came_back(g) != frames || bench_clock_ns() < until_ns);
}

// Packets a second that came back.
static double flood_forwarder(struct generator *g, bool threads)
{
    struct watch watch;
    struct loops loops;
    double seconds = g->population->options->seconds;
    uint64_t before = came_back(g);
    loops_make(&loops, g, threads);
    for (const struct generator *one = g; one; one = one->other) {
        struct loop *loop = &loops.of[one->worker];
        loop->worker = NULL;
        loop->from[one->in_side] = true;
        for (int side = 0; side < STATS_SIDES; side++)
            loop->end[side] = our_end(one, side);
    }
    generate_beside(g, FLOOD_PPS, seconds, &loops, &watch);
    sweep_out(g, &loops);
    return (double)(came_back(g) - before) / seconds;
}

struct spread trial_limit(struct generator *g, bool threads)
{
    const struct bench_options *o = g->population->options;
    double pps[SEARCH_REPEATS_MAX];
    for (uint32_t i = 0; i < o->repeats; i++) {
        pps[i] = 0; // again where the machine ran one of them not at all
        for (uint32_t n = 0; n < STARVED_MOST && pps[i] == 0; n++)
            pps[i] = flood_forwarder(g, threads);
    }
    // Sluice knows nothing of all this.
    memset(g->population->sent_up, 0, o->mss * sizeof *g->population->sent_up);
    for (; g; g = g->other)
        g->count = (struct generator_counts){0};
    return spread_of(pps, o->repeats);
}
