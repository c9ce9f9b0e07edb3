// sluice run with run.clock = "real": one worker per lcore over real devices; control and the
// clock's corrections in the first thread; until run.duration is over or a signal comes.
//
// An idle worker sleeps longer the longer it is idle, at most one millisecond between two polls of
// its ports, and never beyond the time that dp_poll returned.
#include <errno.h>
#include <inttypes.h>
#include <rte_launch.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "control/bind/bind.h"
#include "control/cli/commands.h"
#include "control/process/claim.h"
#include "control/process/clock.h"
#include "control/run/links.h"
#include "control/run/nodes.h"
#include "control/run/restarts.h"
#include "control/run/rules.h"
#include "control/run/run.h"
#include "control/process/signals.h"
#include "dataplane/base/units.h"
#include "dataplane/wire/bytes.h"

#define NAP_LEAST_NS    50000u
#define NAP_MOST_NS     1000000u
#define CONTROL_NAP_NS  1000000u
#define TIMER_SLACK_NS  1000u
#define PROGRESS_EACH_S 1

struct real;

struct real_worker {
    struct real *real;
    struct dp_worker *worker;
};

struct real {
    struct run *run;
    struct clock clock;
    bool stop; // for the workers
    struct real_worker worker[DP_WORKERS_MAX];
    uint64_t up_ns, ended_ns; // first and last time of traffic; 0: not yet
    uint64_t second_ns;       // next time to correct the clock and show progress
    struct stats_worker shown;
    FILE *contexts;             // contexts.json while it is written, else NULL
    uint64_t again_ns;          // next try after a failed write; 0: the last write succeeded
    uint64_t began_ns, next_ns; // when it was begun last; before when changes wait
};

static void nap(uint64_t ns)
{
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = (long)ns}, NULL);
}

// ---- A worker's thread ----

// The frames received and commands applied so far.
static uint64_t work_of(const struct stats_worker *s)
{
    return s->of_port[STATS_GN].rx_packets + s->of_port[STATS_GB].rx_packets + s->commands;
}

// The next, longer sleep after another poll without work.
static uint64_t longer(uint64_t nap_ns)
{
    if (nap_ns == 0)
        return NAP_LEAST_NS;
    return nap_ns < NAP_MOST_NS / 2 ? 2 * nap_ns : NAP_MOST_NS;
}

static int worker_loop(void *self)
{
    const struct real_worker *w = self;
    const struct real *real = w->real;
    const struct stats_worker *stats = dp_stats(w->worker);
    bool spin = real->run->load.run.spin;
    uint64_t now_ns = 0, nap_ns = 0, work = 0;
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    while (!__atomic_load_n(&real->stop, __ATOMIC_RELAXED)) {
        uint64_t clock = clock_ns(&real->clock);
        now_ns = clock > now_ns ? clock : now_ns;
        uint64_t next_ns = dp_poll(w->worker, now_ns);
        if (spin)
            continue;
        bool worked = work_of(stats) != work;
        work = work_of(stats);
        nap_ns = worked ? 0 : longer(nap_ns);
        if (next_ns > now_ns && !worked)
            nap(next_ns - now_ns < nap_ns ? next_ns - now_ns : nap_ns);
    }
    return 0;
}

static int start_workers(struct real *real)
{
    for (uint32_t i = 0; i < real->run->load.dp.workers; i++) {
        real->worker[i] = (struct real_worker){real, dp_worker(real->run->dp, i)};
        int fault = rte_eal_remote_launch(worker_loop, &real->worker[i], i + 1);
        if (fault)
            return run_failed("a worker did not start", strerror(-fault));
    }
    return EXIT_DONE;
}

static void stop_workers(struct real *real)
{
    __atomic_store_n(&real->stop, true, __ATOMIC_RELAXED);
    rte_eal_mp_wait_lcore();
}

// ---- Control's thread ----

static void tell_up(const struct real *real)
{
    const struct run *run = real->run;
    fprintf(stderr, "up: %" PRIu32 " PDP contexts, their TEIDs in %s/contexts.json; ",
            run->contexts.n, run->results.dir);
    if (run->load.run.duration_ns)
        fprintf(stderr, "runs for %.3f s, or until SIGINT or SIGTERM\n",
                (double)run->load.run.duration_ns / 1e9);
    else
        fprintf(stderr, "runs until SIGINT or SIGTERM\n");
}

static void sum_up(const struct run *run, struct stats_worker *sum)
{
    struct report report = {.workers = run->load.dp.workers};
    report_add(&report, run->dp);
    *sum = report.stats;
}

static uint64_t drops_of(const struct stats_worker *stats)
{
    return stats_balance(stats).packets.dropped + stats_balance_up(stats).packets.dropped;
}

static void show_port(const struct real *real, const struct stats_worker *now, int side)
{
    const struct stats_port *a = &real->shown.of_port[side], *b = &now->of_port[side];
    fprintf(stderr,
            "%s in %" PRIu64 " frames/s %.2f Mbit/s, out %" PRIu64 " frames/s %.2f Mbit/s; ",
            side == STATS_GN ? "Gn" : "Gb", b->rx_packets - a->rx_packets,
            (double)(b->rx_octets - a->rx_octets) * 8 / 1e6, b->tx_packets - a->tx_packets,
            (double)(b->tx_octets - a->tx_octets) * 8 / 1e6);
}

static void show_progress(struct real *real, uint64_t now_ns)
{
    struct stats_worker now;
    sum_up(real->run, &now);
    fprintf(stderr, "\r\033[K%.0f s: ", (double)(now_ns - real->up_ns) / 1e9);
    show_port(real, &now, STATS_GN);
    show_port(real, &now, STATS_GB);
    fprintf(stderr, "%" PRIu64 " drops/s ", drops_of(&now) - drops_of(&real->shown));
    real->shown = now;
}

// ---- contexts.json, written in pieces, so that events do not wait ----

static const char CONTEXTS_NAME[] = "contexts.json";

// Phones may change contexts hundreds of times a second, of ten thousands: so changes are written
// together, a second apart, and in a twentieth of the time. Only what is asked for does not wait.
#define CONTEXTS_EACH_NS S_IN_NS
#define CONTEXTS_REST    20

static void drop_contexts(struct real *real)
{
    if (real->contexts)
        results_drop(&real->run->results, CONTEXTS_NAME, real->contexts);
    real->contexts = NULL;
    real->run->contexts.writing = false;
}

// Logs when the result changes. A failed write is tried again in a second.
static void end_contexts(struct real *real, int fault)
{
    struct control *control = &real->run->control;
    int before = real->run->contexts.fault;
    char text[128];
    uint64_t rest_ns = (control->now_ns - real->began_ns) * CONTEXTS_REST;
    real->contexts = NULL;
    real->run->contexts.writing = false;
    real->run->contexts.done = real->run->contexts.begun;
    real->run->contexts.fault = fault;
    real->next_ns = control->now_ns + (rest_ns > CONTEXTS_EACH_NS ? rest_ns : CONTEXTS_EACH_NS);
    real->again_ns = fault ? control->now_ns + S_IN_NS : 0;
    if (fault == before)
        return;
    snprintf(text, sizeof text, "%s %s%s", CONTEXTS_NAME,
             fault ? "cannot be written; next try in 1 s: " : "is written again",
             fault ? strerror(-fault) : "");
    log_put(&control->log, fault ? LOG_ERROR : LOG_INFO, control->now_ns, text);
}

static void begin_contexts(struct real *real)
{
    struct run *run = real->run;
    drop_contexts(real);
    run->contexts.begun = run->contexts.changes;
    real->began_ns = run->control.now_ns;
    real->again_ns = 0;
    real->contexts = results_begin(&run->results, CONTEXTS_NAME);
    if (!real->contexts) {
        end_contexts(real, -errno);
        return;
    }
    run->contexts.writing = true;
    contexts_begin(&run->contexts, real->contexts);
}

// During a reload contexts change; the file is written when the reload asks for it, or has ended.
static bool contexts_are_due(const struct real *real)
{
    const struct contexts *contexts = &real->run->contexts;
    const struct control *control = &real->run->control;
    if (contexts->asked > contexts->begun || (!real->up_ns && contexts->changes != contexts->begun))
        return true;
    if (real->contexts || mailbox_is_taken(&control->mailbox))
        return false;
    if (real->again_ns)
        return control->now_ns >= real->again_ns;
    return contexts->changes != contexts->begun && control->now_ns >= real->next_ns;
}

static void write_contexts(struct real *real)
{
    struct run *run = real->run;
    if (contexts_are_due(real))
        begin_contexts(real);
    else if (real->contexts && contexts_put(&run->contexts))
        end_contexts(real, results_end(&run->results, CONTEXTS_NAME, real->contexts));
}

static bool contexts_are_written(const struct real *real)
{
    return !real->contexts && real->run->contexts.changes == real->run->contexts.begun;
}

// ----

static void each_second(struct real *real, uint64_t now_ns)
{
    if (now_ns < real->second_ns)
        return;
    links_look(real->run, now_ns);
    shares_look(real->run, now_ns);
    rules_tell(real->run, now_ns);
    clock_correct(&real->clock, clock_read());
    real->second_ns = now_ns + S_IN_NS;
    if (real->up_ns && isatty(STDERR_FILENO) && log_may_write(stderr))
        show_progress(real, now_ns);
}

// SIGHUP waits while another request is handled.
static void pass_hangup(const struct real *real)
{
    if (real->up_ns && signals_hung_up() && control_post(&real->run->control, "reload"))
        signals_hangup_done();
}

static bool is_over(const struct real *real, uint64_t now_ns)
{
    const struct run *run = real->run;
    if (signals_ended || run->control.phase == CONTROL_FAILED)
        return true;
    return real->up_ns && run->load.run.duration_ns &&
           now_ns >= real->up_ns + run->load.run.duration_ns;
}

// Traffic may flow: tells the user.
static void come_up(struct real *real, uint64_t now_ns)
{
    real->up_ns = now_ns;
    real->second_ns = now_ns + S_IN_NS;
    sum_up(real->run, &real->shown);
    tell_up(real);
}

static int look_at_contexts(struct real *real, uint64_t now_ns)
{
    if (!real->up_ns && (real->run->control.phase != CONTROL_UP || !dp_settled(real->run->dp)))
        return EXIT_DONE;
    write_contexts(real);
    if (real->up_ns || !contexts_are_written(real))
        return EXIT_DONE;
    if (real->run->contexts.fault)
        return run_unwritten(&real->run->results, CONTEXTS_NAME, real->run->contexts.fault);
    come_up(real, now_ns);
    return EXIT_DONE;
}

static void look_at_warmup(const struct real *real, uint64_t now_ns)
{
    struct run *run = real->run;
    uint64_t warmup_ns = run->load.run.warmup_ns;
    if (warmup_ns && !run->marked_ns && real->up_ns && now_ns >= real->up_ns + warmup_ns)
        run_mark(run, now_ns - real->up_ns);
}

static void log_end(const struct real *real, uint64_t now_ns)
{
    struct control *control = &real->run->control;
    char text[64];
    if (signals_ended)
        snprintf(text, sizeof text, "the run ends: SIG%s has come", sigabbrev_np(signals_ended));
    else
        snprintf(text, sizeof text, "the run ends: run.duration is over");
    if (control->phase != CONTROL_FAILED) // which has its own line
        log_put(&control->log, LOG_INFO, now_ns, text);
}

static int control_loop(struct real *real)
{
    struct control *control = &real->run->control;
    uint64_t now_ns = clock_ns(&real->clock);
    for (; !is_over(real, now_ns); now_ns = clock_ns(&real->clock)) {
        pass_hangup(real);
        uint64_t next_ns = control_poll(control, now_ns);
        if (look_at_contexts(real, now_ns) != EXIT_DONE)
            return EXIT_RUN_FAILED;
        dp_rules_follow(real->run->dp);
        recorder_look(&real->run->recorder, control);
        look_at_warmup(real, now_ns);
        each_second(real, now_ns);
        if ((next_ns > now_ns && !real->contexts) || control->phase == CONTROL_STARTING) {
            run_signalling_flush(real->run);
            nap(CONTROL_NAP_NS / (control->phase == CONTROL_STARTING ? 20 : 1));
        }
    }
    real->ended_ns = now_ns;
    log_end(real, now_ns);
    return EXIT_DONE;
}

// ---- The run ----

static void tell_threads(const struct run *run, const struct eal_threads *threads, uint32_t n)
{
    fprintf(stderr, "threads: control on processor %u, workers on", threads->processor[0]);
    for (uint32_t i = 1; i < threads->lcores; i++)
        fprintf(stderr, " %u", threads->processor[i]);
    if (n < threads->lcores)
        fprintf(stderr, "; %u threads share %u processor%s%s", threads->lcores, n, n > 1 ? "s" : "",
                run->load.run.spin ? ", and with idle = \"spin\" take time from each other" : "");
    fputc('\n', stderr);
}

static void tell_ports(const struct run *run)
{
    for (int side = 0; side < STATS_SIDES; side++) {
        const char *how, *sums = dp_sums(run->dp, side);
        uint16_t vlan = dp_vlan(run->dp, side, &how);
        if (vlan)
            fprintf(stderr, "%s: VLAN %u, its tags %s\n", stats_side_names[side], vlan, how);
        if (sums)
            fprintf(stderr, "%s: UDP checksums over IPv6 %s\n", stats_side_names[side], sums);
    }
}

static void device_text(const struct dp_port *port, char text[256])
{
    snprintf(text, 256, "%.*s", (int)port->device.n, (const char *)port->device.at);
}

static bool claim(const char *device, const char *port)
{
    int owner;
    if (claim_device(device, &owner))
        return true;
    char process[16] = "?"; // unknown
    if (owner)
        snprintf(process, sizeof process, "%d", owner);
    fprintf(stderr, "sluice run: %s.device: the interface of %s is in use by process %s\n", port,
            device, process);
    return false;
}

static int build(struct run *run)
{
    struct eal_threads *threads = &run->threads;
    const struct octets *cores = &run->load.run.cores;
    char *gn = run->device[STATS_GN], *gb = run->device[STATS_GB];
    uint16_t wanted[EAL_LCORES_MAX];
    for (uint32_t i = 0; i < cores->n / 2; i++)
        wanted[i] = get_be16(cores->at + 2 * i);
    int missing = eal_processor_missing(wanted, cores->n / 2);
    if (missing >= 0) {
        fprintf(stderr,
                "sluice run: run.cores: this process may not use processor %d; allowed: those of "
                "taskset -cp $$\n",
                missing);
        return EXIT_USAGE;
    }
    device_text(&run->load.dp.gn, gn);
    device_text(&run->load.dp.gb, gb);
    *threads = (struct eal_threads){.lcores = 1 + run->load.dp.workers, .device = {gn, gb}};
    uint32_t n = eal_processors(threads, wanted, cores->n / 2);
    if (!claim(gn, "gn") || (strcmp(gn, gb) != 0 && !claim(gb, "gb")))
        return EXIT_RUN_FAILED;
    int status = run_build(run, threads);
    if (status && run->eal_started)
        fprintf(stderr, "sluice run: on Debian each driver is a package (apt-cache search "
                        "librte-net); config/nic.lua says how to bind a NIC\n");
    if (status)
        return status;
    tell_threads(run, threads, n);
    nodes_tell(run->dp, threads, stderr);
    tell_ports(run);
    rules_tell_steering(run);
    status = run_owner_become(run);
    if (status)
        return status;
    run->contexts.dp = run->dp;
    run->contexts.sgsn = &run->load.dp.gn_addresses;
    run->contexts.changes = 1; // there is no file yet
    bind_add_calls(run->control.lua, "contexts", contexts_calls, contexts_call_count,
                   &run->contexts);
    bind_add_calls(run->control.lua, "lab", NULL, 0, NULL);
    return EXIT_DONE;
}

static int report(struct real *real)
{
    struct run *run = real->run;
    uint64_t elapsed_ns = real->up_ns ? real->ended_ns - real->up_ns : 0;
    struct report report = {.elapsed_ns = elapsed_ns ? elapsed_ns : 1,
                            .complete = real->up_ns != 0};
    run->wall_s = (double)elapsed_ns / 1e9;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    return run_report(run, &report);
}

static int next_restart(void *self)
{
    return restarts_next(&((struct run *)self)->results, (uint64_t)time(NULL));
}

int run_real(struct run *run)
{
    static struct real real; // too large for the stack
    real = (struct real){.run = run};
    int status = build(run);
    if (status)
        return status;
    clock_start(&real.clock);
    signals_take_ends();
    run->control.ended = &signals_ended;
    run->control.restarts = (struct control_restarts){run, next_restart};
    recorder_begin(&run->recorder, &run->control, run->dp, run->load.dp.workers, &run->results,
                   &real.clock);
    status = start_workers(&real);
    if (!status) {
        control_start(&run->control, &bind_procedures, run->dp);
        run_show(run);
        status = control_loop(&real);
    }
    telemetry_stop(); // while workers still answer: who asks one that has ended waits for a second
    stop_workers(&real);
    recorder_end(&run->recorder, &run->control);
    drop_contexts(&real);
    if (real.up_ns)
        control_finish(&run->control);
    return status ? status : report(&real);
}
