// sluice run with run.clock = "virtual": the dataplane in the lab, from the first event to the
// last.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "control/bind/bind.h"
#include "control/cli/commands.h"
#include "control/run/outputs.h"
#include "control/run/batches.h"
#include "control/run/run.h"
#include "control/process/signals.h"
#include "control/run/tun.h"

static uint64_t poll_worker(void *self, uint64_t now_ns)
{
    return dp_poll(self, now_ns);
}

static uint64_t poll_control(void *self, uint64_t now_ns)
{
    return control_poll(self, now_ns);
}

// True also after control has failed: it does not start any more. A signal ends the run.
static bool is_up(void *self)
{
    struct run *run = self;
    if (signals_ended)
        engine_stop(lab_engine(run->lab));
    return run->control.phase != CONTROL_STARTING;
}

static void add_pollers(struct run *run)
{
    for (uint32_t w = 0; w < run->load.dp.workers; w++)
        engine_add_poller(lab_engine(run->lab), poll_worker, dp_worker(run->dp, w));
    engine_add_poller(lab_engine(run->lab), poll_control, &run->control);
}

static void end_warmup(void *self, uint64_t now_ns)
{
    run_mark(self, now_ns);
}

static int build(struct run *run)
{
    int status = run_build(run, NULL);
    if (status)
        return status;
    uint32_t calls;
    run->lab = lab_create(&run->load.lab, run->dp, &run->outputs);
    engine_timer_init(&run->warmup, end_warmup, run);
    if (run->load.run.warmup_ns) // set first, it fires before all else of its instant
        engine_set(lab_engine(run->lab), &run->warmup, run->load.run.warmup_ns);
    batches_begin(run);
    add_pollers(run);
    const struct field_call *call = lab_calls(run->lab, &calls);
    bind_add_calls(run->control.lua, "lab", call, calls, run->lab);
    bind_add_calls(run->control.lua, "contexts", NULL, 0, NULL);
    control_start(&run->control, &bind_procedures, run->dp);
    run_show(run);
    return EXIT_DONE;
}

// Ends the run after a signal; shows progress on a terminal, from the first second of real time on.
static void progress(void *self, uint64_t now_ns)
{
    struct run *run = self;
    double now_s = run_wall_s();
    if (signals_ended)
        engine_stop(lab_engine(run->lab));
    if (!isatty(STDERR_FILENO) || now_s - run->started_s < 1 || now_s - run->told_s < 0.2)
        return;
    run->told_s = now_s;
    fprintf(stderr, "\r%5.1f %% of %.1f virtual seconds ",
            100.0 * (double)now_ns / (double)run->load.lab.duration_ns,
            (double)run->load.lab.duration_ns / 1e9);
}

// What an interrupted run has done, and never 0, for rates are made of it.
static uint64_t elapsed_ns(const struct run *run, int fault)
{
    uint64_t now_ns = engine_now_ns(lab_engine(run->lab));
    if (fault != -EINTR)
        return run->load.lab.duration_ns;
    return now_ns ? now_ns : 1;
}

static int simulate(struct run *run)
{
    struct tun tun;
    if (run->options.has_tun)
        tun_join(&tun, run->lab, run->options.tun, progress, run);
    run->started_s = run_wall_s();
    int fault = lab_run(run->lab, is_up, progress, run);
    run->wall_s = run_wall_s() - run->started_s;
    if (run->told_s > 0)
        fprintf(stderr, "\r\033[K");
    if (run->options.has_tun && tun_fault(&tun))
        return run_failed("--tun", strerror(tun_fault(&tun)));
    if (run->options.has_tun)
        fprintf(stderr, "--tun: the latest timer was %.3f ms behind the clock\n",
                (double)tun.latest_ns / 1e6);
    struct report report = {.lab = run->lab,
                            .elapsed_ns = elapsed_ns(run, fault),
                            .complete = fault == 0 && run->control.phase == CONTROL_UP};
    if (fault == -ETIMEDOUT)
        run_failed("control", "the configuration did not come up before the end of the run");
    if (fault == -ELOOP)
        run_failed("internal error", "work at one instant did not end after 1000 rounds");
    return run_report(run, &report);
}

int run_virtual(struct run *run)
{
    signals_leave_hangup();
    signals_take_ends();
    int status = outputs_open(run);
    if (!status)
        status = build(run);
    if (!status)
        status = simulate(run);
    int tables = run->lab ? outputs_tables(run) : EXIT_DONE;
    int outputs = outputs_close(run);
    status = status ? status : tables;
    return status ? status : outputs;
}
