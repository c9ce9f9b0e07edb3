// What a driver needs outlives the change of user, in every thread, whatever the thread is doing;
// everything else does not. Each case is a process of its own, for there is no way back.
#include "control/process/privileges.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <pthread.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NET_RAW   (UINT64_C(1) << CAP_NET_RAW)
#define NET_ADMIN (UINT64_C(1) << CAP_NET_ADMIN)
#define BPF       (UINT64_C(1) << 39) // in the second word that capset takes
#define THREADS   4 // this one, one in the kernel, one that works, one that makes others

static int silent[2]; // a pipe that nobody writes to

static void *waits(void *self)
{
    char octet;
    (void)self;
    while (read(silent[0], &octet, 1) < 0 && errno == EINTR) {
    }
    return NULL;
}

static void *works(void *self)
{
    static volatile uint64_t n;
    (void)self;
    for (;;)
        n++;
    return NULL;
}

static void *ends(void *self)
{
    return self;
}

static void *makes_others(void *self)
{
    pthread_t other;
    (void)self;
    for (;;)
        if (pthread_create(&other, NULL, ends, NULL) == 0)
            pthread_join(other, NULL);
    return NULL;
}

static bool start_threads(void)
{
    void *(*const of[])(void *) = {waits, works, makes_others};
    pthread_t thread;
    bool good = pipe(silent) == 0;
    for (size_t i = 0; good && i < sizeof of / sizeof of[0]; i++)
        good = pthread_create(&thread, NULL, of[i], NULL) == 0;
    return good;
}

static bool status_has(const char *thread, const char *line)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return true; // it has ended
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strstr(text, line) != NULL || text[0] == '\0';
}

// How many threads there are; -1: one of them has not that line.
static int threads_with(const char *line)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *entry; dir && n >= 0 && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.')
            n = status_has(entry->d_name, line) ? n + 1 : -1;
    closedir(dir);
    return n;
}

static void *opens_a_raw_socket(void *self)
{
    int fd = socket(AF_PACKET, SOCK_RAW, 0);
    *(bool *)self = fd >= 0;
    close(fd);
    return NULL;
}

// Root in a container may have no CAP_BPF, and then keeps none.
static uint64_t kept(void)
{
    return NET_RAW | NET_ADMIN | (prctl(PR_CAPBSET_READ, 39, 0, 0, 0) == 1 ? BPF : 0);
}

// The names of those that are not so; "": none.
static const char *after_the_drop(const struct user *user)
{
    char uid[64], effective[64], permitted[64];
    bool raw = false;
    pthread_t thread;
    snprintf(uid, sizeof uid, "\nUid:\t%u\t%u\t%u\t%u\n", user->uid, user->uid, user->uid,
             user->uid);
    snprintf(effective, sizeof effective, "\nCapEff:\t%016" PRIx64 "\n", kept());
    snprintf(permitted, sizeof permitted, "\nCapPrm:\t%016" PRIx64 "\n", kept());
    if (threads_with(uid) < THREADS)
        return "user";
    if (threads_with(effective) < THREADS || threads_with(permitted) < THREADS)
        return "capabilities";
    if (threads_with("\nNoNewPrivs:\t1\n") < THREADS)
        return "no_new_privs";
    if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
        return "dumpable";
    if (seteuid(0) == 0 || setuid(0) == 0)
        return "a way back";
    pthread_create(&thread, NULL, opens_a_raw_socket, &raw);
    pthread_join(thread, NULL);
    return raw ? "" : "what was kept is of no use";
}

static const char *drop(void)
{
    static char why[128];
    const struct passwd *found = getpwnam("daemon");
    struct user user = {.name = "daemon", .uid = found->pw_uid, .gid = found->pw_gid};
    if (!start_threads())
        return "threads";
    if (privileges_drop(&user, NET_RAW | NET_ADMIN | BPF, why) != 0)
        return why;
    return after_the_drop(&user);
}

static const char *nothing_to_drop(void)
{
    char why[128];
    uid_t before = getuid();
    if (privileges_drop(&(struct user){.name = ""}, 0, why) != 0 || getuid() != before)
        return "something was done";
    return threads_with("\nNoNewPrivs:\t0\n") == 1 ? "" : "no_new_privs";
}

// With one descriptor left its list of threads can be had, and nothing of any of them.
static const char *unseen(void)
{
    static char why[128];
    const struct passwd *found = getpwnam("daemon");
    struct user user = {.name = "daemon", .uid = found->pw_uid, .gid = found->pw_gid};
    int next = dup(0);
    close(next);
    struct rlimit limit = {(rlim_t)next + 1, (rlim_t)next + 1};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return "no limit";
    if (privileges_drop(&user, 0, why) == 0)
        return "nobody was looked at";
    return strcmp(why, "a thread still has privileges: Operation not permitted") ? why : "";
}

// In a process of its own; fails with what it returns, unless "".
static void in_a_process(const char *(*what)(void))
{
    char found[256] = "it has ended early";
    int pipe_of[2];
    assert_int_equal(pipe(pipe_of), 0);
    pid_t child = fork();
    if (child == 0) {
        const char *wrong = what();
        _exit(write(pipe_of[1], wrong, strlen(wrong) + 1) < 0);
    }
    close(pipe_of[1]);
    (void)!read(pipe_of[0], found, sizeof found - 1);
    close(pipe_of[0]);
    waitpid(child, NULL, 0);
    assert_string_equal(found, "");
}

static void kept_and_given_up_in_every_thread(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    in_a_process(drop);
}

static void threads_that_cannot_be_looked_at(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    in_a_process(unseen);
}

static void root_that_stays_root(void **state)
{
    (void)state;
    in_a_process(nothing_to_drop);
}

static void drivers(void **state)
{
    char text[128];
    (void)state;
    assert_int_equal(privileges_of_driver("net_af_packet"), 0);
    assert_int_equal(privileges_of_driver("no such driver"), 0);
    privileges_text(privileges_of_driver("mlx5_pci"), text);
    assert_string_equal(text, "CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK");
    privileges_text(privileges_of_driver("net_af_xdp"), text);
    assert_string_equal(text, "CAP_NET_ADMIN CAP_BPF");
    privileges_text(0, text);
    assert_string_equal(text, "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_and_given_up_in_every_thread),
        cmocka_unit_test(threads_that_cannot_be_looked_at),
        cmocka_unit_test(root_that_stays_root),
        cmocka_unit_test(drivers),
    };
    return cmocka_run_group_tests_name("control/process/privileges", tests, NULL, NULL);
}
