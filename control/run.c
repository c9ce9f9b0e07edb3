// sluice run: configuration, EAL, dataplane and lab, in this order; the run; what it leaves.
#include "control/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <rte_version.h>

#include "control/bind/host.h"
#include "control/control.h"
#include "control/eal.h"
#include "control/options.h"
#include "dataplane/base/json.h"
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
    char out[PATH_MAX];
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
    host_limit(host, CONFIG_LUA_OCTETS_MAX);
    if (!host_config(host, run->options.file, run->options.set, run->options.sets, stderr))
        return false;
    host_limit(host, SIZE_MAX);
    return host_struct(host, "dp_config", dp_config_fields, dp_config_field_count,
                       &run->dp_config) &&
           host_struct(host, "lab_config", lab_config_fields, lab_config_field_count,
                       &run->lab_config);
}

// DIR and what is above it.
static int make_directories(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = part + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    struct stat made;
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
        return -errno;
    if (stat(part, &made) != 0)
        return -errno;
    return S_ISDIR(made.st_mode) ? 0 : -ENOTDIR;
}

static void path_of(const struct run *run, const char *name, char *path)
{
    snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 64, run->out, name);
}

static int open_out(struct run *run)
{
    if (run->options.out)
        snprintf(run->out, sizeof run->out, "%s", run->options.out);
    else
        snprintf(run->out, sizeof run->out, "out/%.*s", (int)run->lab_config.name.n,
                 (const char *)run->lab_config.name.at);
    int fault = make_directories(run->out);
    return fault ? failed(run->out, strerror(-fault)) : EXIT_DONE;
}

static int open_capture(const struct run *run, const char *name, struct capture **capture)
{
    char path[PATH_MAX], error[256];
    path_of(run, name, path);
    *capture = capture_open(path, error);
    return *capture ? EXIT_DONE : failed(path, error);
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
    return fault ? failed(run->out, "the captures could not be written whole") : EXIT_DONE;
}

static int build(struct run *run)
{
    char text[512];
    run->plan = eal_plan(EAL_SYSFS,
                         dp_memory_octets(&run->dp_config) + lab_memory_octets(&run->lab_config));
    eal_plan_text(&run->plan, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    int fault = eal_start(&run->plan);
    if (fault)
        return failed("DPDK's EAL did not start", run->plan.huge
                                                      ? "another program may have taken the huge "
                                                        "pages since they were counted; try again"
                                                      : strerror(-fault));
    run->eal_started = true;
    run->dp = dp_create(&run->dp_config);
    if (!run->dp)
        return failed("the dataplane could not be made", strerror(errno));
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
    const struct run *run = self;
    if (isatty(STDERR_FILENO) && wall_s() - run->started_s > 1)
        fprintf(stderr, "\r%5.1f %% of %.1f virtual seconds ",
                100.0 * (double)now_ns / (double)run->lab_config.duration_ns,
                (double)run->lab_config.duration_ns / 1e9);
}

static void put_run_json(const struct run *run, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    json_key(&json, "wall_s");
    json_decimal(&json, (uint64_t)(run->wall_s * 1e6), 6);
    json_put_text(&json, "pages", run->plan.huge ? "huge" : "4 KiB");
    json_put(&json, "memory_octets", run->plan.need_octets);
    json_put(&json, "buffers_held_at_exit", run->buffers_held);
    json_put_text(&json, "fcs", fcs_choose()->name);
    json_put_text(&json, "dpdk", rte_version());
    json_put_text(&json, "lua", host_lua_version());
    json_put_text(&json, "sluice", SLUICE_VERSION);
    json_close(&json);
    json_end(&json);
}

static int write_summary(const struct run *run, const struct report *report)
{
    char path[PATH_MAX];
    path_of(run, "summary.json", path);
    FILE *out = fopen(path, "w");
    if (!out)
        return failed(path, strerror(errno));
    report_summary(report, out);
    return fclose(out) == 0 ? EXIT_DONE : failed(path, strerror(errno));
}

static int write_run_json(const struct run *run)
{
    char path[PATH_MAX];
    path_of(run, "run.json", path);
    FILE *out = fopen(path, "w");
    if (!out)
        return failed(path, strerror(errno));
    put_run_json(run, out);
    return fclose(out) == 0 ? EXIT_DONE : failed(path, strerror(errno));
}

static int simulate(struct run *run)
{
    run->started_s = wall_s();
    int fault = lab_run(run->lab, progress, run);
    run->wall_s = wall_s() - run->started_s;
    struct report report = {.lab = run->lab,
                            .worker = dp_worker(run->dp),
                            .complete = fault == 0 && run->control.phase == CONTROL_UP};
    report_text(&report, stdout);
    int status = write_summary(run, &report);
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
    printf("\n  results         %s/summary.json, run.json", run->out);
    if (run->options.pcap)
        printf(", gn.pcap, gb.pcap\n"
               "  to read Gb      tshark -r %s/gb.pcap -d udp.port==%u,gprs-ns\n",
               run->out, run->dp_config.gb_port);
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
        status = write_run_json(run);
    if (!status)
        print_where(run);
    return status ? status : captures;
}

int command_run(int argc, char **argv)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return failed("memory", strerror(ENOMEM));
    int status = EXIT_USAGE;
    if (options_parse(&run->options, OPTIONS_OF_RUN, argc, argv)) {
        run->control.host = host_create(false);
        status = run->control.host ? run_all(run) : failed("Lua", strerror(ENOMEM));
        if (run->control.host)
            host_destroy(run->control.host);
        if (run->eal_started)
            eal_stop();
    }
    free(run);
    return status;
}
