// sluice bench: options, EAL, baselines, dataplane, then one measurement after another. A run in
// which a packet is not accounted for fails, whatever it has measured.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/throughput/report.h"
#include "control/cli/commands.h"
#include "control/process/eal.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"

#define OWN_OCTETS (64ULL << 20) // the generator's devices

struct bench {
    const struct bench_options *options; // of this point
    struct ports ports;
    struct population population;
    struct generator *g[DP_WORKERS_MAX + 1];
    uint32_t generators;
    struct bench_result *result;
    const struct bench_result *before; // of the point before it; NULL: this is the first
    struct eal_threads threads;
    uint32_t processors;
    uint32_t trials; // of the search, for the line of progress
};

static bool failed(const char *why)
{
    measure_progress(NULL);
    fprintf(stderr, "sluice bench: %s\n", why);
    return false;
}

void measure_progress(const char *what)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s%s", what ? what : "", what ? " ..." : "");
}

static bool start_eal(struct bench *b)
{
    char text[512];
    uint64_t dataplane = population_octets(b->options, &b->ports);
    uint64_t baseline = baseline_octets(b->options); // given back before
    struct eal_plan plan =
        eal_plan(EAL_SYSFS, (dataplane > baseline ? dataplane : baseline) + OWN_OCTETS);
    b->result->huge_pages = plan.huge;
    eal_plan_text(&plan, text, sizeof text);
    if (!b->before || b->before->huge_pages != plan.huge)
        fprintf(stderr, "%s\n", text);
    if (eal_plan_lacks(&plan, &b->threads))
        return failed("a NIC needs huge pages, see above");
    return eal_start_threads(&plan, &b->threads) == 0 || failed("DPDK's EAL did not start");
}

static struct generator *open_generator(struct bench *b, uint32_t worker, enum stats_side in_side)
{
    struct generator *g = aligned_alloc(_Alignof(struct generator), sizeof *g);
    if (g && generator_open(g, &b->population, worker, in_side, b->generators ? b->g[0] : NULL))
        return g;
    failed("the generator could not be made");
    if (g)
        generator_close(g);
    free(g);
    return NULL;
}

// One for each worker, and with --both a second one for the other way. In a search each is followed
// by the next.
static bool open_generators(struct bench *b)
{
    const struct bench_options *o = b->options;
    enum stats_side in_side = o->up ? STATS_GB : STATS_GN;
    for (b->generators = 0; b->generators < o->workers; b->generators++)
        if (!(b->g[b->generators] = open_generator(b, b->generators, in_side)))
            return false;
    if (o->both && !(b->g[b->generators++] = open_generator(b, 0, STATS_GB)))
        return false;
    for (uint32_t i = 1; i < o->workers && o->one_queue; i++) {
        b->g[i]->in.to_port = b->g[0]->in.to_port;
        b->g[i]->in.queue = b->g[0]->in.queue;
        b->g[i]->shares_queue = true;
    }
    return true;
}

static void chain(struct bench *b, bool all)
{
    for (uint32_t i = 0; i + 1 < b->generators; i++)
        b->g[i]->other = all ? b->g[i + 1] : NULL;
}

// ---- What is measured ----

static bool measure_alone(struct bench *b)
{
    struct generator *g = b->g[0];
    measure_progress("the worker alone");
    if (b->options->backlogged)
        backlog_begin(g);
    if (b->options->capture && !mirrored_begin(g))
        return failed("no memory for a mirror");
    b->result->saturated = saturated_run(g);
    measure_progress("its stages");
    b->result->stages = stages_run(g);
    if (b->options->capture)
        b->result->mirrored = mirrored_end();
    if (b->options->view) {
        measure_progress("the worker during queries");
        b->result->view = view_run(g);
    }
    if (b->options->backlogged)
        backlog_end(g);
    else if (!b->ports.by_itself)
        generator_drain(g);
    return !b->result->saturated.fault || failed(b->result->saturated.fault);
}

static bool measure_workers(struct bench *b)
{
    uint32_t n = b->options->workers;
    measure_progress("all workers at once");
    if (n == 1 || b->options->one_queue || !b->g[0]->rings) // devices may bring them others' frames
        return true;
    saturated_run_all(b->g, n, b->result->of_worker);
    for (uint32_t i = 0; i < n; i++) {
        generator_drain(b->g[i]);
        if (b->result->of_worker[i].fault)
            return failed(b->result->of_worker[i].fault);
    }
    return true;
}

static bool may_search(const struct bench *b)
{
    const struct bench_options *o = b->options;
    return !o->no_search && !o->backlogged && !b->ports.by_itself;
}

// Before Sluice has received anything.
static void measure_generator(struct bench *b)
{
    measure_progress("the generator alone");
    if (!may_search(b))
        return;
    chain(b, true);
    b->result->generator = trial_limit(b->g[0], b->result->threads);
    chain(b, false);
}

static struct trial trial_at(void *bench, double pps)
{
    struct bench *b = bench;
    char what[100];
    snprintf(what, sizeof what, "trial %u of the rates, at %.4g Mpps", ++b->trials, pps / 1e6);
    measure_progress(what);
    return trial_run(b->g[0], pps, b->options->seconds, b->result->threads);
}

static bool measure_rates(struct bench *b)
{
    const struct bench_options *o = b->options;
    struct bench_result *r = b->result;
    struct search_ask ask = {
        .losses = o->losses, .repeats = o->repeats, .trial = trial_at, .device = b};
    memcpy(ask.loss, o->loss, sizeof ask.loss);
    chain(b, true);
    trial_pause(b->g[0], r->saturated.cycles.median);
    ask.first_pps = trial_flood(b->g[0], r->threads, &r->search.fault);
    if (!r->search.fault)
        search_run(&ask, &r->search);
    report_searched(r);
    return !r->search.fault || failed(r->search.fault);
}

static bool measure_latency(struct bench *b)
{
    struct bench_result *r = b->result;
    double pps = report_found(r)->rate.pps.median;
    measure_progress("latency");
    for (uint32_t i = 0; i < LATENCY_LOAD_COUNT && pps > 0; i++) {
        r->latency[i].point = r;
        const char *fault = latency_run(b->g[0], i, pps, r->threads, &r->latency[i].of);
        if (fault)
            return failed(fault);
    }
    return true;
}

static bool check_books(struct bench *b)
{
    struct bench_result *r = b->result;
    chain(b, true);
    const char *fault = generator_fault(b->g[0]);
    for (uint32_t i = 0; i < b->options->workers; i++) { // those of both ways
        generator_drops(b->g[i], r->drops);
        r->handed_on += generator_stats(b->g[i])->of_port[b->g[i]->in_side].strays_out_packets;
    }
    if (fault) {
        report_drops(r, stderr);
        return failed(fault);
    }
    r->astray = generator_astray(b->g[0]);
    r->received = generator_finished(b->g[0]);
    for (uint32_t i = 0; i < b->generators; i++) {
        const struct generator *g = b->g[i];
        r->sent += b->ports.by_itself ? generator_came(g) : g->count.sent;
        r->dropped += generator_dropped(g);
        r->queued += generator_inside(g);
    }
    return true;
}

static void note_ports(struct bench *b)
{
    struct bench_result *r = b->result;
    const struct dp *dp = b->population.dp;
    const char *lacks, *how, *steering = dp_steering(dp, STATS_GN, &lacks);
    r->vlan = dp_vlan(dp, STATS_GN, &how);
    if (steering) {
        snprintf(r->steering, sizeof r->steering, "%s", steering);
        snprintf(r->steering_lacks, sizeof r->steering_lacks, "%s", lacks);
    }
    for (int side = 0; side < STATS_SIDES; side++)
        if (!dp_far_end(dp, side, 0).to_port)
            snprintf(r->drivers[side], sizeof r->drivers[side], "%s", dp_driver(dp, side));
}

static bool measure(struct bench *b)
{
    struct bench_result *r = b->result;
    measure_progress("baselines");
    r->baseline = baseline_run(b->options);
    measure_progress("making the dataplane");
    if (!population_open(&b->population, b->options, &b->ports) || !open_generators(b))
        return false;
    r->mean_octets = frames_mean_octets(&b->population.frames[STATS_GN]);
    note_ports(b);
    measure_generator(b);
    return measure_alone(b) && measure_workers(b) &&
           (!may_search(b) || (measure_rates(b) && measure_latency(b))) && check_books(b);
}

// Our devices first, so that no device still holds a buffer of ours.
static bool close_all(struct bench *b)
{
    for (uint32_t i = b->generators; i-- > 0;) {
        if (!b->g[i])
            continue;
        while (b->population.dp && generator_receive(b->g[i]) > 0)
            ;
        generator_close(b->g[i]);
        free(b->g[i]);
    }
    uint32_t lost = population_close(&b->population);
    return lost == 0 || failed("buffers were lost");
}

static bool run(struct bench *b)
{
    bench_clock_start();
    b->result->tsc_hz = bench_clock.hz;
    bool good = measure(b);
    good &= close_all(b);
    measure_progress(NULL);
    return good;
}

// An lcore for the generator, and one for each worker. Where there are too few processors they take
// turns on the first.
static void plan_threads(struct bench *b, uint32_t workers)
{
    struct eal_threads *t = &b->threads;
    t->lcores = workers + 1;
    for (int side = 0; side < STATS_SIDES; side++) { // Sluice's first, for their nodes
        t->device[side] = b->ports.ours[side];
        t->device[STATS_SIDES + side] = b->ports.theirs[side];
    }
    b->processors = eal_processors(t, NULL, 0);
}

// ---- Points ----

static bool run_point(struct bench *b, struct bench_point *point)
{
    b->options = &point->options;
    b->result = &point->result;
    b->result->options = &point->options;
    b->result->threads = b->processors > b->options->workers;
    if (!start_eal(b))
        return false;
    b->result->good = run(b);
    eal_stop();
    return b->result->good;
}

// DPDK starts once in a process, with the memory for one point: so each has its own, which leaves
// its results in shared memory.
static bool run_in_child(struct bench *b, struct bench_point *point, uint32_t number, uint32_t of)
{
    int status = 0;
    char room[TABLE_ROOM];
    fprintf(stderr, "point %u of %u: %u MSs, size %s\n", number, of, point->options.mss,
            report_size(&point->options, room));
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(run_point(b, point) ? EXIT_DONE : EXIT_RUN_FAILED);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || status != 0)
        point->result.good = failed(child < 0 ? strerror(errno) : "this point has no result");
    return point->result.good;
}

static bool keep(const struct bench_results *results)
{
    return !results->options->out || report_files(results, results->options->out);
}

// The files are written after each point, so that who interrupts a sweep has what it measured.
static bool run_points(struct bench *b, struct bench_results *results)
{
    bool good = true;
    if (b->processors <= results->options->workers)
        fprintf(stderr, "too few processors: generator and workers take turns on one\n");
    if (results->points == 1) {
        results->done = 1;
        return run_point(b, &results->point[0]) && keep(results);
    }
    while (results->done < results->points) {
        uint32_t i = results->done++;
        b->before = i ? &results->point[i - 1].result : NULL;
        good &= run_in_child(b, &results->point[i], i + 1, results->points);
        good &= keep(results);
    }
    return good;
}

static void print(const struct bench_results *results)
{
    if (results->options->json)
        report_json(results, stdout);
    else if (results->points == 1)
        report_text(&results->point[0].result, stdout);
    else
        report_lines(results, stdout);
}

static int run_all(struct bench *b, const struct bench_options *options,
                   const struct machine *machine)
{
    struct bench_results results = {
        .options = options, .machine = machine, .points = bench_options_points(options)};
    size_t octets = results.points * sizeof *results.point;
    results.point = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results.point == MAP_FAILED) {
        failed("no memory for the results");
        return EXIT_RUN_FAILED;
    }
    for (uint32_t i = 0; i < results.points; i++) {
        results.point[i].options = bench_options_point(options, i);
        results.point[i].result.machine = machine;
    }
    bool good = run_points(b, &results);
    if (good || results.points > 1)
        print(&results);
    good &= report_found_all(&results) || failed("no rate lost as little as it may");
    munmap(results.point, octets);
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}

int command_bench(int argc, char **argv)
{
    static struct bench b;
    static struct bench_options options;
    static struct machine machine;
    enum cli_end end = bench_options_parse(&options, argc, argv);
    if (end != CLI_GO)
        return cli_status(end);
    if (!ports_parse(&b.ports, options.ports))
        return EXIT_USAGE;
    if (bench_options_largest(&options) > b.ports.packet_octets_max) {
        fprintf(stderr, "sluice bench: --size: found %u, allowed at most %u on these ports\n",
                bench_options_largest(&options), b.ports.packet_octets_max);
        return EXIT_USAGE;
    }
    if (b.ports.by_itself && options.workers > 1) {
        fprintf(stderr,
                "sluice bench: --workers: found %u, allowed 1 without a device for the generator\n",
                options.workers);
        return EXIT_USAGE;
    }
    ports_fit(&b.ports, bench_options_largest(&options));
    b.ports.queues = (uint16_t)options.workers;
    b.ports.vlan = (uint16_t)options.vlan;
    plan_threads(&b, options.workers);
    if (options.workers > b.processors) {
        fprintf(stderr, "sluice bench: --workers: found %u, allowed at most %u, the processors\n",
                options.workers, b.processors);
        return EXIT_USAGE;
    }
    if (options.out && !report_folder(options.out))
        return EXIT_RUN_FAILED;
    machine_read(&machine, argc, argv);
    return run_all(&b, &options, &machine);
}
