// A run in real time around a control plane that does as it is told (--wrap): what it does about
// questions that control cannot take yet, about a control plane that never comes up, about a reload
// while contexts.json is written, and about a dataplane that loses packet buffers; and what it
// keeps for its ports' drivers. Each run is a process of its own, for DPDK starts once in one.
#include "control/plane/control.h"

#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/process/privileges.h"
#include "control/run/contexts.h"
#include "control/run/results.h"

#define STARTS_S 50 // longer than a run may take that has to end by itself
#define FILES    3

// Never ends by itself within the test's time.
static const char config_head[] =
    "run { name = \"real\", clock = \"real\", duration = \"20 s\" }\n"
    "gn { device = \"net_null0,no-rx=1\", address = \"192.0.2.1\" }\n"
    "gb { device = \"net_null1,no-rx=1\", address = \"198.51.100.1\" }\n"
    "room { mss = 1000, pdps = 1000 }\n"
    "nse { nsei = 1, ns = \"manual\", nsvc { nsvci = 1, peer = \"198.51.100.2\" }, ";
static const char cell[] = "bvc { bvci = 2 } }\n";
static const char cell_with_mss[] =
    "bvc { bvci = 2, ms { imsi = \"001010000000001\", count = 1000, pdp { nsapi = 5, "
    "class = \"background\", address = \"10.0.0.1\" } } } }\n";

const struct cli_command cli_commands[] = {{NULL, NULL}};

// Shared with the run.
static struct told {
    bool control_fails, reload_while_writing, changes_on, has_two_drivers;
    uint32_t refusals;           // questions that find another one before them
    uint32_t reloads;            // posted
    uint32_t drops;              // of a contexts.json that was begun
    uint32_t files;              // of contexts.json that were complete
    uint64_t ended_ns, least_ns; // when the last one was; from there to the next one's beginning
    uint64_t kept;               // capabilities, as bits
    uint32_t lost;               // packet buffers
} * told;

void __real_control_start(struct control *control, const struct procedures *procedures,
                          struct dp *dp);
void __wrap_control_start(struct control *control, const struct procedures *procedures,
                          struct dp *dp);
bool __real_control_post(struct control *control, const char *question);
bool __wrap_control_post(struct control *control, const char *question);
bool __real_contexts_put(struct contexts *contexts);
bool __wrap_contexts_put(struct contexts *contexts);
void __real_results_drop(const struct results *results, const char *name, FILE *out);
void __wrap_results_drop(const struct results *results, const char *name, FILE *out);
const char *__real_dp_driver(const struct dp *dp, enum stats_side side);
const char *__wrap_dp_driver(const struct dp *dp, enum stats_side side);
int __real_privileges_drop(const struct user *user, uint64_t keep, char why[128]);
int __wrap_privileges_drop(const struct user *user, uint64_t keep, char why[128]);

static struct contexts *contexts_of_run;
static const struct control *control_of_run;
uint32_t __real_dp_end(struct dp *dp);
uint32_t __wrap_dp_end(struct dp *dp);

void __wrap_control_start(struct control *control, const struct procedures *procedures,
                          struct dp *dp)
{
    __real_control_start(control, procedures, dp);
    if (told->control_fails)
        control_kill(control, "told so");
    raise(SIGHUP);
}

static bool write_config(const char *cells)
{
    FILE *file = fopen("x.lua", "w");
    return file && fprintf(file, "%s%s", config_head, cells) > 0 && fclose(file) == 0;
}

// A context changes, as by an MS's new TLLI, and contexts.json is written when the reload comes.
static bool reload_while_writing(struct control *control)
{
    if (!contexts_of_run->writing)
        contexts_of_run->changes++;
    else if (write_config(cell_with_mss) && __real_control_post(control, "reload"))
        told->reloads++;
    return told->reloads;
}

// A context changes each time that control looks.
static bool change_on(const struct control *control)
{
    control_of_run = control;
    contexts_of_run->changes++;
    if (told->files == FILES)
        raise(SIGTERM);
    return false;
}

// The run is to end once it has got through.
bool __wrap_control_post(struct control *control, const char *question)
{
    if (told->changes_on)
        return change_on(control);
    if (told->reload_while_writing)
        return reload_while_writing(control);
    if (strcmp(question, "reload") != 0 || ++told->reloads <= told->refusals)
        return false;
    raise(SIGTERM);
    return true;
}

static void note_file(const struct contexts *contexts, bool begins, bool ends)
{
    uint64_t now_ns = control_of_run ? control_of_run->now_ns : 0;
    if (begins && told->ended_ns && now_ns - told->ended_ns < told->least_ns)
        told->least_ns = now_ns - told->ended_ns;
    if (ends && contexts->changes) {
        told->ended_ns = now_ns;
        told->files++;
    }
}

// What the reload finds being written is not complete before the reload asks for all of it.
bool __wrap_contexts_put(struct contexts *contexts)
{
    bool reloads = told->reload_while_writing && told->reloads;
    contexts_of_run = contexts;
    if (told->changes_on) {
        bool begins = contexts->next == 0, ends = __real_contexts_put(contexts);
        note_file(contexts, begins, ends);
        return ends;
    }
    if ((reloads && !contexts->asked) || !__real_contexts_put(contexts))
        return false;
    if (reloads)
        raise(SIGTERM);
    return true;
}

void __wrap_results_drop(const struct results *results, const char *name, FILE *out)
{
    told->drops++;
    __real_results_drop(results, name, out);
}

const char *__wrap_dp_driver(const struct dp *dp, enum stats_side side)
{
    if (!told->has_two_drivers)
        return __real_dp_driver(dp, side);
    return side == STATS_GN ? "mlx5_pci" : "net_af_xdp";
}

int __wrap_privileges_drop(const struct user *user, uint64_t keep, char why[128])
{
    told->kept = keep;
    return __real_privileges_drop(user, keep, why);
}

uint32_t __wrap_dp_end(struct dp *dp)
{
    return __real_dp_end(dp) + told->lost;
}

static int begin(void **state)
{
    static char base[32];
    strcpy(base, "/tmp/real_test.XXXXXX");
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *state = mkdtemp(base);
    return told == MAP_FAILED || !*state ? -1 : 0;
}

static int end(void **state)
{
    char command[64];
    munmap(told, sizeof *told);
    snprintf(command, sizeof command, "rm -r %s", (const char *)*state);
    return system(command);
}

static char last_line[128]; // of what the run has said to its user

static void hear(const char *folder)
{
    char path[64];
    snprintf(path, sizeof path, "%s/stderr", folder);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(last_line, sizeof last_line, in))
        fputs(last_line, stderr);
    fclose(in);
}

// Its exit status; it is ended if it does not end.
static int run(const char *folder)
{
    pid_t pid = fork();
    if (pid == 0) {
        char *words[] = {"run", "x.lua", "--out", "out", NULL};
        if (chdir(folder) != 0 || !write_config(cell))
            _exit(EXIT_USAGE);
        dup2(2, 1); // stdout is the test's
        if (!freopen("stderr", "w", stderr))
            _exit(EXIT_USAGE);
        setenv("RUNTIME_DIRECTORY", folder, 1);
        alarm(STARTS_S);
        exit(command_run(4, words));
    }
    int status = -1;
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    hear(folder);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// Whoever looks for running instances finds none: their folder is there, and empty.
static void leaves_no_instance(const char *folder)
{
    char instances[64];
    snprintf(instances, sizeof instances, "%s/dpdk", folder);
    assert_int_equal(rmdir(instances), 0);
}

static void a_hangup_waits_until_control_can_take_it(void **state)
{
    told->refusals = 3;
    assert_int_equal(run(*state), EXIT_DONE);
    assert_int_equal(told->reloads, 4);
    leaves_no_instance(*state);
}

static void a_control_plane_that_does_not_come_up_ends_the_run(void **state)
{
    told->control_fails = true;
    assert_int_equal(run(*state), EXIT_RUN_FAILED);
    assert_int_equal(told->reloads, 0);
    leaves_no_instance(*state);
}

// What the reload adds is in the file; the writing that it makes obsolete leaves nothing.
static void a_reload_while_contexts_json_is_written_begins_it_anew(void **state)
{
    static char text[1 << 20];
    char path[64], part[64];
    told->reload_while_writing = true;
    assert_int_equal(run(*state), EXIT_DONE);
    assert_int_equal(told->drops, 1);
    snprintf(path, sizeof path, "%s/out/contexts.json", (const char *)*state);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "001010000001000"));
    snprintf(part, sizeof part, "%s/out/.contexts.json.part", (const char *)*state);
    assert_int_equal(access(part, F_OK), -1);
}

static void contexts_that_change_all_the_time_are_written_together(void **state)
{
    told->changes_on = true;
    told->least_ns = UINT64_MAX;
    assert_int_equal(run(*state), EXIT_DONE);
    assert_int_equal(told->files, FILES);
    assert_in_range(told->least_ns, 1000000000, UINT64_MAX - 1);
    assert_in_range(told->drops, 0, 1); // of what the end of the run finds being written
}

static void it_keeps_what_either_of_its_ports_drivers_needs(void **state)
{
    told->has_two_drivers = true;
    assert_int_equal(run(*state), EXIT_DONE);
    assert_int_equal(told->kept, UINT64_C(1) << CAP_NET_ADMIN | UINT64_C(1) << CAP_NET_RAW |
                                     UINT64_C(1) << CAP_IPC_LOCK |
                                     UINT64_C(1) << 39 /* CAP_BPF, from Linux 5.8 on */);
}

static void a_run_that_loses_buffers_fails_and_says_so(void **state)
{
    told->lost = 1;
    assert_int_equal(run(*state), EXIT_RUN_FAILED);
    assert_string_equal(
        last_line,
        "sluice run: internal error: packet buffers were not freed; please report this\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hangup_waits_until_control_can_take_it, begin, end),
        cmocka_unit_test_setup_teardown(a_control_plane_that_does_not_come_up_ends_the_run, begin,
                                        end),
        cmocka_unit_test_setup_teardown(contexts_that_change_all_the_time_are_written_together,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_reload_while_contexts_json_is_written_begins_it_anew,
                                        begin, end),
        cmocka_unit_test_setup_teardown(it_keeps_what_either_of_its_ports_drivers_needs, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_run_that_loses_buffers_fails_and_says_so, begin, end),
    };
    return cmocka_run_group_tests_name("control/program/real", tests, NULL, NULL);
}
