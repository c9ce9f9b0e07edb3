// A run in real time around a control plane that does as it is told (--wrap): what it does about
// questions that control cannot take yet, about a control plane that never comes up, and about a
// dataplane that loses packet buffers. Each run is a process of its own, for DPDK starts once in
// one.
#include "control/plane/control.h"

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

#define STARTS_S 50 // longer than a run may take that has to end by itself

// Never ends by itself within the test's time.
static const char config[] =
    "run { name = \"real\", clock = \"real\", duration = \"20 s\" }\n"
    "gn { device = \"net_null0,no-rx=1\", address = \"192.0.2.1\" }\n"
    "gb { device = \"net_null1,no-rx=1\", address = \"198.51.100.1\" }\n"
    "nse { nsei = 1, ns = \"manual\", nsvc { nsvci = 1, peer = \"198.51.100.2\" }, "
    "bvc { bvci = 2 } }\n";

const struct cli_command cli_commands[] = {{NULL, NULL}};

// Shared with the run.
static struct told {
    bool control_fails;
    uint32_t refusals; // questions that find another one before them
    uint32_t reloads;  // posted
    uint32_t lost;     // packet buffers
} * told;

void __real_control_start(struct control *control, const struct procedures *procedures,
                          struct dp *dp);
void __wrap_control_start(struct control *control, const struct procedures *procedures,
                          struct dp *dp);
bool __wrap_control_post(struct control *control, const char *question);
uint32_t __real_dp_destroy(struct dp *dp);
uint32_t __wrap_dp_destroy(struct dp *dp);

void __wrap_control_start(struct control *control, const struct procedures *procedures,
                          struct dp *dp)
{
    __real_control_start(control, procedures, dp);
    if (told->control_fails)
        control_kill(control, "told so");
    raise(SIGHUP);
}

// The run is to end once it has got through.
bool __wrap_control_post(struct control *control, const char *question)
{
    (void)control;
    if (strcmp(question, "reload") != 0 || ++told->reloads <= told->refusals)
        return false;
    raise(SIGTERM);
    return true;
}

uint32_t __wrap_dp_destroy(struct dp *dp)
{
    return __real_dp_destroy(dp) + told->lost;
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
        FILE *file = chdir(folder) == 0 ? fopen("x.lua", "w") : NULL;
        if (!file || fputs(config, file) < 0 || fclose(file) != 0)
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
        cmocka_unit_test_setup_teardown(a_run_that_loses_buffers_fails_and_says_so, begin, end),
    };
    return cmocka_run_group_tests_name("control/program/real", tests, NULL, NULL);
}
