// sluice run: configuration, EAL, dataplane and lab, in this order; the run; what it leaves.
#include "control/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_version.h>

#include "control/control.h"
#include "control/eal.h"
#include "control/load.h"
#include "control/results.h"
#include "dataplane/base/json.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"
#include "lab/report/report.h"

struct run {
    struct options options;
    struct control control;
    struct dp_config dp_config;
    struct lab_config lab_config;
    struct dp *dp;
    struct lab *lab;
    struct capture *gn, *gb;
    struct eal_plan plan;
    bool eal_started;
    struct results results;
    double told_s; // when progress was last shown; 0: never
    double started_s, wall_s;
    uint32_t buffers_held;
};

static double wall_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int failed(const char *what, const char *why)
{
    fprintf(stderr, "sluice run: %s: %s\n", what, why);
    return EXIT_RUN_FAILED;
}

static bool load(struct run *run)
{
    struct host *host = run->control.host;
    return load_config(host, &run->options) &&
           host_struct(host, "dp_config", dp_config_fields, dp_config_field_count,
                       &run->dp_config) &&
           host_struct(host, "lab_config", lab_config_fields, lab_config_field_count,
                       &run->lab_config);
}

static int open_out(struct run *run)
{
    char dir[128];
    snprintf(dir, sizeof dir, "out/%.*s", (int)run->lab_config.name.n,
             (const char *)run->lab_config.name.at);
    const char *out = run->options.out ? run->options.out : dir;
    int fault = results_open(&run->results, out);
    if (fault == -EWOULDBLOCK)
        return failed(out, "another run writes there; wait for it or name another --out");
    return fault ? failed(run->results.at, strerror(-fault)) : EXIT_DONE;
}

static int open_capture(const struct run *run, const char *name, struct capture **capture)
{
    char path[PATH_MAX], error[256];
    results_path(&run->results, name, path);
    *capture = capture_open(path, error);
    return *capture ? EXIT_DONE : failed("capture", error);
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
    return fault ? failed(run->results.dir, "the captures could not be written whole") : EXIT_DONE;
}

static int build(struct run *run)
{
    char text[512];
    run->plan = eal_plan(EAL_SYSFS,
                         dp_memory_octets(&run->dp_config) + lab_memory_octets(&run->lab_config));
    eal_plan_text(&run->plan, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    int fault = eal_start(&run->plan, false);
    if (fault)
        return failed("DPDK's EAL did not start", run->plan.huge
                                                      ? "another program may have taken the huge "
                                                        "pages since they were counted; try again"
                                                      : strerror(-fault));
    run->eal_started = true;
    const char *why;
    run->dp = dp_create(&run->dp_config, &why);
    if (!run->dp)
        return failed("the dataplane could not be made", why);
    run->lab = lab_create(&run->lab_config, run->dp, &run->control, run->gn, run->gb);
    if (!run->lab)
        return failed("the lab could not be made", strerror(errno));
    host_add_calls(run->control.host, "dp", dp_calls, dp_call_count, run->dp);
    host_add_calls(run->control.host, "lab", lab_calls, lab_call_count, run->lab);
    control_start(&run->control);
    return EXIT_DONE;
}

// On a terminal, and only once it takes long enough for somebody to wonder.
static void progress(void *self, uint64_t now_ns)
{
    struct run *run = self;
    double now_s = wall_s();
    if (!isatty(STDERR_FILENO) || now_s - run->started_s < 1 || now_s - run->told_s < 0.2)
        return;
    run->told_s = now_s;
    fprintf(stderr, "\r%5.1f %% of %.1f virtual seconds ",
            100.0 * (double)now_ns / (double)run->lab_config.duration_ns,
            (double)run->lab_config.duration_ns / 1e9);
}

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
    json_put_text(&json, "lua", host_lua_version());
    json_put_text(&json, "sluice", SLUICE_VERSION);
    json_close(&json);
    json_end(&json);
}

static void put_summary(const void *self, FILE *out)
{
    report_summary(self, out);
}

static int write_result(const struct run *run, const char *name,
                        void (*put)(const void *self, FILE *out), const void *self)
{
    int fault = results_write(&run->results, name, put, self);
    return fault ? failed(name, strerror(-fault)) : EXIT_DONE;
}

static int simulate(struct run *run)
{
    run->started_s = wall_s();
    int fault = lab_run(run->lab, progress, run);
    run->wall_s = wall_s() - run->started_s;
    if (run->told_s > 0)
        fprintf(stderr, "\r\033[K");
    struct report report = {.lab = run->lab,
                            .worker = dp_worker(run->dp),
                            .complete = fault == 0 && run->control.phase == CONTROL_UP};
    report_text(&report, stdout);
    int status = write_result(run, "summary.json", put_summary, &report);
    if (fault)
        return failed("an instant did not come to rest", "1000 rounds; this is a fault of ours");
    if (!report.complete)
        return failed("the configuration was not brought up", "see the message above");
    if (!report_sound(&report))
        return failed("the run is not sound", "see \"sound\" in summary.json and the report above");
    return status;
}

static void tear_down(struct run *run)
{
    if (run->lab)
        lab_destroy(run->lab);
    if (run->dp)
        run->buffers_held = dp_destroy(run->dp);
}

static void print_where(const struct run *run)
{
    printf("\n  results         %s/summary.json, run.json", run->results.dir);
    if (run->options.pcap)
        printf(", gn.pcap, gb.pcap\n"
               "  to read Gb      tshark -r %s/gb.pcap -d udp.port==%u,gprs-ns\n",
               run->results.dir, run->dp_config.gb_port);
    else
        printf(" (with --pcap also both captures)\n");
    printf("  took            %.1f ms of wall time\n", run->wall_s * 1e3);
}

static int run_all(struct run *run)
{
    if (!load(run))
        return EXIT_USAGE;
    int status = open_out(run);
    if (!status)
        status = open_captures(run);
    if (!status)
        status = build(run);
    if (!status)
        status = simulate(run);
    int captures = close_captures(run);
    tear_down(run);
    if (!status && run->buffers_held)
        status =
            failed("buffers were lost", "a packet was not given back; this is a fault of ours");
    if (!status)
        status = write_result(run, "run.json", put_run_json, run);
    if (!status)
        print_where(run);
    return status ? status : captures;
}

int command_run(int argc, char **argv)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return failed("memory", strerror(ENOMEM));
    run->results.lock = -1;
    int status = EXIT_USAGE;
    if (options_parse(&run->options, OPTIONS_OF_RUN, argc, argv)) {
        run->control.host = host_create(false);
        status = run->control.host ? run_all(run) : failed("Lua", strerror(ENOMEM));
        if (run->control.host)
            host_destroy(run->control.host);
        results_close(&run->results);
        if (run->eal_started)
            eal_stop();
    }
    free(run);
    return status;
}
