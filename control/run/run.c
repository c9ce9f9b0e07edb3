// One run: the parts that both clocks share, from the loaded configuration to the results.
#include "control/run/run.h"

#include <errno.h>
#include <rte_launch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_version.h>

#include "control/cli/commands.h"
#include "control/export/desk.h"
#include "control/run/batches.h"
#include "control/run/origin.h"
#include "control/run/outputs.h"
#include "control/process/signals.h"
#include "control/process/version.h"
#include "lab/base/json.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"

double run_wall_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int run_failed(const char *what, const char *why)
{
    fprintf(stderr, "sluice run: %s: %s\n", what, why);
    return EXIT_RUN_FAILED;
}

int run_unwritten(const struct results *results, const char *name, int fault)
{
    char path[PATH_MAX];
    results_path(results, name, path);
    return fault ? run_failed(path, strerror(-fault)) : EXIT_DONE;
}

int run_refuse_folder(const char *dir, int fault)
{
    return run_failed(dir, fault == -EEXIST
                               ? "has the results of `sluice bench`; give another --out"
                               : "another run writes into this folder; wait for its end, or give "
                                 "another --out");
}

int run_write(const struct run *run, const char *name, void (*put)(const void *self, FILE *out),
              const void *self)
{
    return run_unwritten(&run->results, name, results_write(&run->results, name, put, self));
}

struct capture *run_capture(const struct run *run, const char *name, enum capture_kind kind,
                            char error[256])
{
    char path[PATH_MAX];
    FILE *out = results_file(&run->results, name);
    if (out)
        return capture_open(out, kind, error);
    results_path(&run->results, name, path);
    snprintf(error, 256, "%.180s: %s", path, strerror(errno));
    return NULL;
}

const char *run_dir(struct run *run, char dir[128])
{
    snprintf(run->name, sizeof run->name, "%.*s", (int)run->load.run.name.n,
             (const char *)run->load.run.name.at);
    snprintf(dir, 128, "out/%s", run->name);
    return run->options.out ? run->options.out : dir;
}

static int open_out(struct run *run)
{
    char dir[128];
    const char *out = run_dir(run, dir);
    run->results.simulated = !run->load.run.real;
    int fault = results_open(&run->results, out, &run->user);
    if (!fault &&
        !origin_may_replace(run->origin, run->load.run.seed, &run->results, run->options.force))
        return EXIT_RUN_FAILED;
    fault = fault ? fault : results_clear(&run->results);
    if (fault == -EWOULDBLOCK || fault == -EEXIST)
        return run_refuse_folder(out, fault);
    if (fault == -EPERM && run->results.folder < 0 && user_is_other(&run->user))
        return run_failed(out, "making the folder for run.user takes CAP_CHOWN; make the folder as "
                               "that user before the run");
    if (fault == -EACCES && user_is_other(&run->user)) {
        fprintf(stderr,
                "sluice run: %s: user %s (run.user) cannot write there: chown %s %s, or "
                "give another --out\n",
                out, run->user.name, run->user.name, out);
        return EXIT_RUN_FAILED;
    }
    return fault ? run_failed(run->results.at, strerror(-fault)) : EXIT_DONE;
}

// Worker N is lcore N + 1, which does nothing yet.
struct job {
    void (*make)(void *it);
    void *it;
};

static int do_job(void *job)
{
    const struct job *j = job;
    j->make(j->it);
    return 0;
}

static void by_worker(void *self, uint32_t worker, void (*make)(void *it), void *it)
{
    struct job job = {make, it};
    (void)self;
    if (rte_eal_remote_launch(do_job, &job, worker + 1) == 0)
        rte_eal_wait_lcore(worker + 1);
    else
        make(it);
}

int run_build(struct run *run, const struct eal_threads *threads)
{
    char text[512];
    run->plan = eal_plan(EAL_SYSFS, load_memory_octets(&run->load));
    if (run->options.no_huge)
        eal_plan_refuse_huge(&run->plan);
    eal_plan_text(&run->plan, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    const char *nic = threads ? eal_plan_lacks(&run->plan, threads) : NULL;
    if (nic)
        return run_failed(nic, "a NIC needs huge pages, see above");
    int fault = eal_plan_telemetry(&run->plan, run->name);
    if (fault)
        fprintf(stderr, "no live view: cannot make its socket: %s\n",
                fault == -EPERM   ? "its folder in /tmp is not this user's alone"
                : fault == -EBUSY ? "a process of another container has this name and number; give "
                                    "each a /var/run of its own, or another run.name"
                                  : strerror(-fault));
    fault = threads ? eal_start_threads(&run->plan, threads) : eal_start(&run->plan, false);
    run->huge_taken = run->plan.huge && fault == -ENOMEM;
    if (fault)
        return run_failed("DPDK's EAL did not start", strerror(-fault));
    run->eal_started = true;
    fault = run->plan.instance[0] ? desk_open(run->plan.instance) : 0;
    if (fault)
        fprintf(stderr, "the live view takes ten clients only: %s\n", strerror(-fault));
    const char *why;
    run->dp = threads ? dp_create_by(&run->load.dp, by_worker, NULL, &why)
                      : dp_create(&run->load.dp, &why);
    run->huge_taken = !run->dp && run->plan.huge && strstr(why, "out of memory");
    if (!run->dp)
        return run_failed("the dataplane did not start", why);
    run->board = board_create(&run->load.dp);
    if (!run->board)
        return run_failed("the live view's board", strerror(ENOMEM));
    bind_add_calls(run->control.lua, "dp", dp_calls, dp_call_count, run->dp);
    bind_add_find(run->control.lua, run->dp);
    bind_add_calls(run->control.lua, "board", board_calls, board_call_count, run->board);
    return EXIT_DONE;
}

static void put_file(void *self, const char *name, uint64_t octets)
{
    json_put(self, name, octets);
}

// The last of the files: a run that has it has written all the others, and `files` says how long
// they were.
static void put_run_json(const void *self, FILE *out)
{
    const struct run *run = self;
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    json_key(&json, "wall_s");
    json_decimal(&json, (uint64_t)(run->wall_s * 1e6), 6);
    json_put_text(&json, "pages", run->plan.huge ? "huge" : "4 KiB");
    json_put(&json, "memory_octets", run->plan.need_octets);
    json_put(&json, "buffers_held_at_exit", run->buffers_held);
    json_put_text(&json, "fcs", fcs_choose()->name);
    json_put_text(&json, "cipher", cipher_choose()->name);
    json_put_text(&json, "dpdk", rte_version());
    json_put_text(&json, "lua", bind_lua_version());
    json_put_text(&json, "sluice", sluice_version);
    json_put_object(&json, "files");
    results_files(&run->results, put_file, &json);
    json_close(&json);
    json_close(&json);
    json_end(&json);
}

static void put_summary(const void *self, FILE *out)
{
    report_summary(self, out);
}

// Control's part of the report; the policy's last fault goes into `text`.
static void report_control(const struct run *run, struct report *report,
                           char text[CONTROL_HOOK_FAULT_OCTETS])
{
    const struct counts *counts = bind_counts(run->control.lua);
    control_hook_fault(&run->control, text);
    report->events = run->control.events;
    report->faults = counts->count[COUNT_hook_faults];
    report->cuts = counts->count[COUNT_hook_cuts];
    report->last_fault = text;
}

// A signal ends a run in real time in order; in virtual time the run is not complete.
static int cut_short(const struct run *run, const struct report *report)
{
    if (report->complete || run->load.run.real)
        return EXIT_DONE;
    fprintf(stderr,
            "sluice run: interrupted at %.3f of %.3f s; the results up to there are in %s\n",
            (double)report->elapsed_ns / 1e9, (double)run->load.run.duration_ns / 1e9,
            run->results.dir);
    return EXIT_RUN_FAILED;
}

void run_mark(struct run *run, uint64_t elapsed_ns)
{
    struct report now = {.workers = run->load.dp.workers};
    report_add(&now, run->dp);
    run->before = now.stats;
    run->marked_ns = elapsed_ns;
    if (run->lab)
        lab_mark(run->lab);
}

// A run that ends in its warm-up has measured nothing.
int run_report(struct run *run, struct report *report)
{
    char last_fault[CONTROL_HOOK_FAULT_OCTETS];
    if (run->load.run.warmup_ns && !run->marked_ns)
        run_mark(run, report->elapsed_ns);
    report->warmup_ns = run->marked_ns;
    report->before = &run->before;
    report->name = run->name;
    report->seed = run->load.run.seed;
    report->workers = run->load.dp.workers;
    report->put_origin = origin_put;
    report->origin = run->origin;
    report_control(run, report, last_fault);
    batches_end(run, report);
    report_collect(report, run->dp);
    report_print(report, stdout);
    batches_print(run, stdout);
    int status = run_write(run, "summary.json", put_summary, report);
    if (!report->complete && !signals_ended)
        return run_failed("the configuration did not come up", "see the message above");
    if (!report_sound(report))
        return run_failed("the run is not sound",
                          "see \"sound\" in summary.json and the report above");
    return status ? status : cut_short(run, report);
}

void run_show(struct run *run)
{
    const struct telemetry_source source = {.name = run->name,
                                            .config = &run->load.dp,
                                            .dp = run->dp,
                                            .board = run->board,
                                            .counts = bind_counts(run->control.lua),
                                            .control = &run->control,
                                            .threads = &run->threads};
    int fault = run->plan.instance[0] ? telemetry_start(&source) : 0;
    if (fault)
        fprintf(stderr, "no live view: DPDK refuses its commands: %s\n", strerror(-fault));
}

static void tear_down(struct run *run)
{
    telemetry_stop();
    desk_close();
    control_stop(&run->control);
    if (run->lab)
        lab_destroy(run->lab);
    if (run->dp)
        run->buffers_held = dp_end(run->dp);
    board_destroy(run->board);
    contexts_release(&run->contexts);
    batches_release(run);
}

static void print_where(const struct run *run)
{
    printf("\n  results         %s/summary.json, run.json", run->results.dir);
    if (run->load.run.real)
        printf(", contexts.json\n");
    else if (run->options.pcap)
        printf(", *.csv, gi.pcap, gn.pcap, gb.pcap\n"
               "  to read Gb      tshark -r %s/gb.pcap -d udp.port==%u,gprs-ns\n",
               run->results.dir, run->load.dp.gb.port);
    else
        printf(", *.csv (with --pcap also captures)\n");
    if (!run->load.run.real && !run->options.no_page)
        printf("  page            %s/report.html\n", run->results.dir);
    printf("  took            %.1f ms of wall time\n", run->wall_s * 1e3);
}

int run_once(struct run *run)
{
    run->origin = origin_ask(run->control.lua, "origin");
    if (run->load.run.real && run->options.pcap) {
        fprintf(stderr,
                "sluice run: --pcap: allowed with run.clock = \"virtual\" only; while a run "
                "in real time lasts: sluice ctl capture user on\n");
        return EXIT_USAGE;
    }
    if (run->load.run.real && run->options.packets) {
        fprintf(stderr, "sluice run: --packets: allowed with run.clock = \"virtual\" only\n");
        return EXIT_USAGE;
    }
    if (run->load.run.real && run->options.has_tun) {
        fprintf(stderr, "sluice run: --tun: allowed with run.clock = \"virtual\" only\n");
        return EXIT_USAGE;
    }
    run->control.log.dated = run->load.run.real;
    int status = run->load.run.real ? run_owner_choose(run) : EXIT_DONE;
    if (!status)
        status = open_out(run);
    if (!status)
        status = run->load.run.real ? run_real(run) : run_virtual(run);
    int signalling = run_signalling_end(run);
    status = status ? status : signalling;
    tear_down(run);
    bool ended = !status;
    if (ended)
        status = run_write(run, "run.json", put_run_json, run);
    if (ended && run->buffers_held)
        status = run_failed("internal error", "packet buffers were not freed; please report this");
    if (!status && !run->load.run.real && !run->options.no_page)
        status = outputs_page(run);
    if (!status)
        print_where(run);
    return status;
}
