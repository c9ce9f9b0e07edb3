// sluice run with run.clock = "virtual": the dataplane in the lab, from the first event to the
// last.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "control/bind/bind.h"
#include "control/cli/commands.h"
#include "control/program/run.h"
#include "control/program/signals.h"

static int open_capture(const struct run *run, const char *name, struct capture **capture)
{
    char error[256];
    *capture = run_capture(run, name, error);
    return *capture ? EXIT_DONE : run_failed("capture", error);
}

static int open_captures(struct run *run)
{
    if (!run->options.pcap)
        return EXIT_DONE;
    int status = open_capture(run, "gn.pcap", &run->gn);
    return status ? status : open_capture(run, "gb.pcap", &run->gb);
}

static int close_captures(struct run *run)
{
    int fault = run->gn ? capture_close(run->gn) : 0;
    fault |= run->gb ? capture_close(run->gb) : 0;
    return fault ? run_failed(run->results.dir, "a capture: the file is incomplete") : EXIT_DONE;
}

static uint64_t poll_worker(void *self, uint64_t now_ns)
{
    return dp_poll(self, now_ns);
}

static uint64_t poll_control(void *self, uint64_t now_ns)
{
    return control_poll(self, now_ns);
}

// True also after control has failed: it does not start any more.
static bool is_up(void *self)
{
    return ((struct run *)self)->control.phase != CONTROL_STARTING;
}

static void add_pollers(struct run *run)
{
    for (uint32_t w = 0; w < run->load.dp.workers; w++)
        engine_add_poller(run->lab->engine, poll_worker, dp_worker(run->dp, w));
    engine_add_poller(run->lab->engine, poll_control, &run->control);
}

static int build(struct run *run)
{
    int status = run_build(run, NULL);
    if (status)
        return status;
    run->lab = lab_create(&run->load.lab, run->dp, run->gn, run->gb);
    if (!run->lab)
        return run_failed("the lab did not start", strerror(errno));
    add_pollers(run);
    bind_add_calls(run->control.lua, "lab", lab_calls, lab_call_count, run->lab);
    bind_add_calls(run->control.lua, "contexts", NULL, 0, NULL);
    control_start(&run->control, &bind_procedures, run->dp);
    run_show(run);
    return EXIT_DONE;
}

// Shows progress on a terminal, from the first second of real time on.
static void progress(void *self, uint64_t now_ns)
{
    struct run *run = self;
    double now_s = run_wall_s();
    if (!isatty(STDERR_FILENO) || now_s - run->started_s < 1 || now_s - run->told_s < 0.2)
        return;
    run->told_s = now_s;
    fprintf(stderr, "\r%5.1f %% of %.1f virtual seconds ",
            100.0 * (double)now_ns / (double)run->load.lab.duration_ns,
            (double)run->load.lab.duration_ns / 1e9);
}

static int simulate(struct run *run)
{
    run->started_s = run_wall_s();
    int fault = lab_run(run->lab, is_up, progress, run);
    run->wall_s = run_wall_s() - run->started_s;
    if (run->told_s > 0)
        fprintf(stderr, "\r\033[K");
    struct report report = {.lab = run->lab,
                            .elapsed_ns = run->load.lab.duration_ns,
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
    int status = open_captures(run);
    if (!status)
        status = build(run);
    if (!status)
        status = simulate(run);
    int captures = close_captures(run);
    return status ? status : captures;
}
