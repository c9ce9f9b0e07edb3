// sluice bench: options, EAL, baselines, dataplane, then one measurement after another. A run in
// which a packet is not accounted for fails, whatever it has measured.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/throughput/report.h"
#include "control/cli/commands.h"
#include "control/process/eal.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"

#define LOSS_ON_RINGS 1e-4
#define OWN_OCTETS    (64ULL << 20) // the generator's devices

struct bench {
    struct bench_options options;
    struct ports ports;
    struct population population;
    struct generator *g[DP_WORKERS_MAX];
    struct bench_result result;
    struct eal_threads threads;
    uint32_t processors;
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
    uint64_t dataplane = population_octets(&b->options, &b->ports);
    uint64_t baseline = baseline_octets(&b->options); // given back before
    struct eal_plan plan =
        eal_plan(EAL_SYSFS, (dataplane > baseline ? dataplane : baseline) + OWN_OCTETS);
    eal_plan_text(&plan, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    b->result.huge_pages = plan.huge;
    if (eal_plan_lacks(&plan, &b->threads))
        return failed("a NIC needs huge pages, see above");
    return eal_start_threads(&plan, &b->threads) == 0 || failed("DPDK's EAL did not start");
}

static bool open_generators(struct bench *b)
{
    for (uint32_t i = 0; i < b->options.workers; i++) {
        b->g[i] = aligned_alloc(_Alignof(struct generator), sizeof *b->g[i]);
        if (!b->g[i] || !generator_open(b->g[i], &b->population, i))
            return failed("the generator could not be made");
    }
    return true;
}

// ---- What is measured ----

static bool measure_alone(struct bench *b)
{
    struct generator *g = b->g[0];
    measure_progress("the worker alone");
    if (b->options.backlogged)
        backlog_begin(g);
    if (b->options.capture && !mirrored_begin(g))
        return failed("no memory for a mirror");
    b->result.saturated = saturated_run(g);
    measure_progress("its stages");
    b->result.stages = stages_run(g);
    if (b->options.capture)
        b->result.mirrored = mirrored_end();
    if (b->options.view) {
        measure_progress("the worker during queries");
        b->result.view = view_run(g);
    }
    if (b->options.backlogged)
        backlog_end(g);
    else if (!b->ports.by_itself)
        generator_drain(g);
    return !b->result.saturated.fault || failed(b->result.saturated.fault);
}

static bool measure_workers(struct bench *b)
{
    uint32_t n = b->options.workers;
    measure_progress("all workers at once");
    if (n == 1)
        return true;
    saturated_run_all(b->g, n, b->result.of_worker);
    for (uint32_t i = 0; i < n; i++) {
        generator_drain(b->g[i]);
        if (b->result.of_worker[i].fault)
            return failed(b->result.of_worker[i].fault);
    }
    return true;
}

static bool measure_rate(struct bench *b)
{
    const struct bench_options *o = &b->options;
    struct bench_result *r = &b->result;
    double most_loss = o->loss >= 0 ? o->loss : b->ports.nic ? 0 : LOSS_ON_RINGS;
    if (o->no_search || o->backlogged || o->workers > 1 || b->ports.by_itself)
        return true;
    r->searched = true;
    measure_progress("the rate without loss");
    r->search = search_run(b->g[0], most_loss, r->two_threads);
    if (r->search.fault)
        return failed(r->search.fault);
    if (r->search.pps.median == 0)
        return failed("no rate was without loss");
    measure_progress("latency");
    const char *fault = latency_run(b->g[0], r->search.pps.median, r->two_threads, r->latency);
    return !fault || failed(fault);
}

static bool check_books(struct bench *b)
{
    struct bench_result *r = &b->result;
    for (uint32_t i = 0; i < b->options.workers; i++) {
        const struct generator *g = b->g[i];
        const char *fault = generator_fault(g);
        generator_drops(g, r->drops);
        if (fault) {
            report_drops(r, stderr);
            return failed(fault);
        }
        r->sent += b->ports.by_itself ? generator_came(g) : g->count.sent;
        r->astray += generator_astray(g);
        r->dropped += generator_dropped(g);
        r->queued += generator_inside(g);
        r->received += generator_finished(g);
    }
    return true;
}

static bool measure(struct bench *b)
{
    struct bench_result *r = &b->result;
    measure_progress("baselines");
    r->baseline = baseline_run(&b->options);
    measure_progress("making the dataplane");
    if (!population_open(&b->population, &b->options, &b->ports) || !open_generators(b))
        return false;
    r->mean_octets = frames_mean_octets(&b->population.frames);
    return measure_alone(b) && measure_workers(b) && measure_rate(b) && check_books(b);
}

// Our devices first, so that no device still holds a buffer of ours.
static bool close_all(struct bench *b)
{
    for (uint32_t i = 0; i < b->options.workers; i++) {
        if (b->g[i]) {
            while (b->population.dp && generator_receive(b->g[i]) > 0)
                ;
            generator_close(b->g[i]);
        }
        free(b->g[i]);
    }
    uint32_t lost = population_close(&b->population);
    return lost == 0 || failed("buffers were lost");
}

static bool run(struct bench *b)
{
    struct bench_result *r = &b->result;
    bench_clock_start();
    bool good = measure(b);
    good &= close_all(b);
    measure_progress(NULL);
    if (!good)
        return false;
    if (b->options.json)
        report_json(r, stdout);
    else
        report_text(r, stdout);
    return true;
}

static int run_all(struct bench *b)
{
    b->result.options = &b->options;
    b->result.ports = &b->ports;
    b->result.two_threads = b->processors > 1;
    if (!b->result.two_threads)
        fprintf(stderr, "one processor: generator and worker take turns on it\n");
    if (!start_eal(b))
        return EXIT_RUN_FAILED;
    bool good = run(b);
    eal_stop();
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}

// An lcore for each worker, and one more than that for the generator beside a single one.
static void plan_threads(struct bench *b)
{
    struct eal_threads *t = &b->threads;
    t->lcores = b->options.workers > 1 ? b->options.workers : 2;
    b->processors = eal_processors(t, NULL, 0);
    for (int side = 0; side < STATS_SIDES; side++) {
        t->device[2 * side] = b->ports.ours[side];
        t->device[2 * side + 1] = b->ports.theirs[side];
    }
}

int command_bench(int argc, char **argv)
{
    static struct bench b;
    enum cli_end end = bench_options_parse(&b.options, argc, argv);
    if (end != CLI_GO)
        return cli_status(end);
    if (!ports_parse(&b.ports, b.options.ports))
        return EXIT_USAGE;
    if (b.options.size_octets > b.ports.packet_octets_max) {
        fprintf(stderr, "sluice bench: --size: found %u, allowed at most %u on these ports\n",
                b.options.size_octets, b.ports.packet_octets_max);
        return EXIT_USAGE;
    }
    plan_threads(&b);
    if (b.options.workers > b.processors) {
        fprintf(stderr, "sluice bench: --workers: found %u, allowed at most %u, the processors\n",
                b.options.workers, b.processors);
        return EXIT_USAGE;
    }
    return run_all(&b);
}
