// The folders of instances: where DPDK will look for them, made for us alone, and gone afterwards.
#include "control/process/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char base[] = "/tmp/runtime_test.XXXXXX";

static int begin(void **state)
{
    (void)state;
    return mkdtemp(base) && setenv("RUNTIME_DIRECTORY", base, 1) == 0 ? 0 : -1;
}

static int end(void **state)
{
    char path[PATH_MAX];
    (void)state;
    snprintf(path, sizeof path, "%s/dpdk", base);
    return rmdir(path) == 0 && rmdir(base) == 0 ? 0 : -1; // else something was left in it
}

static void the_folder(void **state)
{
    char folder[PATH_MAX], wanted[PATH_MAX];
    (void)state;
    runtime_folder(folder);
    snprintf(wanted, sizeof wanted, "%s/dpdk", base);
    assert_string_equal(folder, wanted);
    setenv("RUNTIME_DIRECTORY", "", 1);
    runtime_folder(folder);
    const char *of_user = getenv("XDG_RUNTIME_DIR");
    if (getuid() == 0)
        assert_string_equal(folder, "/var/run/dpdk");
    else if (of_user && *of_user) {
        snprintf(wanted, sizeof wanted, "%s/dpdk", of_user);
        assert_string_equal(folder, wanted);
    }
    setenv("RUNTIME_DIRECTORY", base, 1);
}

static void made_for_us_alone_and_removed(void **state)
{
    char path[PATH_MAX], socket[PATH_MAX];
    struct stat s;
    (void)state;
    snprintf(path, sizeof path, "%s/dpdk/sluice-x-1", base);
    snprintf(socket, sizeof socket, "%s/dpdk/sluice-x-1/" RUNTIME_SOCKET, base);
    for (int twice = 0; twice < 2; twice++) { // one that is there already will do
        assert_int_equal(runtime_make("sluice-x-1"), 0);
        assert_int_equal(stat(path, &s), 0);
        assert_int_equal(s.st_mode & 0777, 0700);
    }
    close(open(socket, O_CREAT | O_WRONLY, 0600));
    runtime_remove("sluice-x-1");
    assert_int_equal(stat(path, &s), -1);
    runtime_remove("sluice-x-1"); // nothing happens
}

static void make(const char *instance)
{
    assert_int_equal(runtime_make(instance), 0);
}

static bool is_there(const char *instance)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/dpdk/%s", base, instance);
    return access(path, F_OK) == 0;
}

static int listen_at(const char *instance)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/dpdk/%s/" RUNTIME_SOCKET, base, instance);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 1), 0);
    return fd;
}

// No process has a number beyond 2^22.
static void those_left_behind_are_swept(void **state)
{
    char ours[64];
    (void)state;
    snprintf(ours, sizeof ours, "sluice-x-%d", (int)getpid());
    make(ours); // no socket yet
    make("sluice-gone-4194400");
    make("sluice-answers-4194401");
    make("other-4194400");
    make("sluice-nonsense");
    close(listen_at("sluice-gone-4194400")); // a socket that nobody listens at
    int fd = listen_at("sluice-answers-4194401");
    runtime_clean();
    assert_true(is_there(ours) && is_there("other-4194400") && is_there("sluice-nonsense"));
    assert_false(is_there("sluice-gone-4194400"));
    assert_true(is_there("sluice-answers-4194401"));
    int client = runtime_connect("sluice-answers-4194401");
    assert_true(client >= 0);
    close(client);
    close(fd);
    assert_int_equal(runtime_connect("sluice-answers-4194401"), -1);
    runtime_clean();
    assert_false(is_there("sluice-answers-4194401"));
    runtime_remove(ours);
    runtime_remove("other-4194400");
    runtime_remove("sluice-nonsense");
}

// Its process, which has another number in another PID namespace, is about to start: it has no
// socket yet.
static void one_that_is_locked_lives(void **state)
{
    (void)state;
    make("sluice-starts-4194403");
    runtime_clean();
    assert_true(is_there("sluice-starts-4194403"));
    pid_t other = fork(); // of the same name and number, as in another PID namespace
    if (other == 0)
        _exit(runtime_make("sluice-starts-4194403") == -EBUSY ? 0 : 1);
    int status;
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    make("sluice-x-1"); // the process locks its latest one
    runtime_clean();
    assert_false(is_there("sluice-starts-4194403"));
    runtime_remove("sluice-x-1");
}

// Its queue is full, and it takes nobody from it: who connects is not held up for ever, and it is
// not taken for one that has gone.
static void one_that_stands(void **state)
{
    int waiting[8], n = 0;
    (void)state;
    make("sluice-stands-4194402");
    int fd = listen_at("sluice-stands-4194402");
    while (n < 8 && (waiting[n] = runtime_connect("sluice-stands-4194402")) >= 0)
        n++;
    assert_int_equal(errno, EAGAIN);
    assert_in_range(n, 1, 7);
    runtime_clean();
    assert_true(is_there("sluice-stands-4194402"));
    while (n > 0)
        close(waiting[--n]);
    close(fd);
    runtime_remove("sluice-stands-4194402");
}

static int open_descriptors(void)
{
    int open = 0;
    for (int fd = 0; fd < 64; fd++)
        open += fcntl(fd, F_GETFD) >= 0;
    return open;
}

// Where there is no way to it any more, as for who has become a user and may not walk there.
static void one_that_is_held_is_removed_by_its_descriptor(void **state)
{
    char moved[PATH_MAX], path[PATH_MAX];
    struct stat s;
    (void)state;
    make("sluice-x-1");
    close(listen_at("sluice-x-1"));
    int open_before = open_descriptors();
    assert_int_equal(runtime_hold("sluice-x-1", NULL), 0);
    snprintf(path, sizeof path, "%s/dpdk/sluice-x-1/" RUNTIME_SOCKET, base);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0640);
    snprintf(moved, sizeof moved, "%s.moved", base);
    assert_int_equal(rename(base, moved), 0);
    runtime_remove("sluice-x-1");
    assert_int_equal(rename(moved, base), 0);
    assert_false(is_there("sluice-x-1"));
    assert_int_equal(runtime_hold("", NULL), 0);
    assert_int_equal(runtime_hold("sluice-x-1", NULL), -ENOENT);
    assert_int_equal(open_descriptors(), open_before);
}

// ---- A user without a folder of the system's ----

#define NOBODY 61234 // no user of this number; root becomes it
#define OURS   "/tmp/dpdk-61234"

// Calls it as that user, without a word of where. Returns what it returns, 0 to 127.
static int as_nobody(int (*what)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        unsetenv("RUNTIME_DIRECTORY");
        unsetenv("XDG_RUNTIME_DIR");
        _exit(setresuid(NOBODY, NOBODY, NOBODY) ? 127 : what());
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int makes(void)
{
    return -runtime_make("sluice-x-1");
}

static int connects(void)
{
    int fd = runtime_connect("sluice-gone-4194400");
    return fd < 0 ? errno : 0;
}

static int cleans(void)
{
    runtime_clean();
    return 0;
}

static int made_for_dpdk(void)
{
    char folder[PATH_MAX];
    struct stat s;
    bool good =
        runtime_make("sluice-x-1") == 0 && stat(OURS, &s) == 0 && (s.st_mode & 0777) == 0700;
    good = good && strcmp(getenv("RUNTIME_DIRECTORY"), OURS) == 0; // what DPDK looks at
    runtime_folder(folder);
    good = good && strcmp(folder, OURS "/dpdk") == 0;
    good = good && access(OURS "/dpdk/sluice-x-1", W_OK) == 0;
    runtime_remove("sluice-x-1");
    return good && rmdir(OURS "/dpdk") == 0 && rmdir(OURS) == 0 ? 0 : 1;
}

static void put_in_the_way(const char *owner)
{
    if (strcmp(owner, "link") == 0) {
        assert_int_equal(symlink(base, OURS), 0);
        return;
    }
    assert_int_equal(mkdir(OURS, 0700), 0);
    if (strcmp(owner, "open") == 0)
        assert_int_equal(chown(OURS, NOBODY, NOBODY) | chmod(OURS, 0777), 0);
    else
        assert_int_equal(chown(OURS, 1, 1) | chmod(OURS, 0755), 0);
}

static void take_away(void)
{
    if (unlink(OURS) != 0)
        assert_int_equal(rmdir(OURS), 0);
}

static void a_folder_in_tmp_is_the_users_alone(void **state)
{
    static const char *const ways[] = {"link", "open", "stranger"};
    (void)state;
    if (getuid() != 0)
        skip();
    struct stat s;
    if (lstat(OURS, &s) == 0)
        skip(); // of another run of this test
    assert_int_equal(as_nobody(made_for_dpdk), 0);
    for (int i = 0; i < 3; i++) {
        put_in_the_way(ways[i]);
        assert_int_equal(as_nobody(makes), EPERM);
        assert_int_equal(as_nobody(connects), EPERM);
        take_away();
    }
}

// Nor is anything removed where a link in the place of an instance leads.
static void what_a_link_leads_to_is_not_removed(void **state)
{
    char kept[64], path[PATH_MAX];
    (void)state;
    snprintf(kept, sizeof kept, "%s/kept", base);
    assert_int_equal(mkdir(kept, 0700), 0);
    snprintf(path, sizeof path, "%s/" RUNTIME_SOCKET, kept);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    make("sluice-x-1");
    snprintf(path, sizeof path, "%s/dpdk/sluice-gone-4194400", base);
    assert_int_equal(symlink(kept, path), 0);
    cleans();
    runtime_remove("sluice-gone-4194400");
    unlink(path);
    snprintf(path, sizeof path, "%s/" RUNTIME_SOCKET, kept);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(kept), 0);
    runtime_remove("sluice-x-1");
}

static void where_none_can_be(void **state)
{
    (void)state;
    setenv("RUNTIME_DIRECTORY", "/proc/self/fd", 1);
    assert_true(runtime_make("sluice-x-1") < 0);
    setenv("RUNTIME_DIRECTORY", "/tmp/there/is/no/such", 1);
    assert_int_equal(runtime_make("sluice-x-1"), -ENOENT);
    setenv("RUNTIME_DIRECTORY", base, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folder),
        cmocka_unit_test(made_for_us_alone_and_removed),
        cmocka_unit_test(those_left_behind_are_swept),
        cmocka_unit_test(one_that_is_locked_lives),
        cmocka_unit_test(one_that_stands),
        cmocka_unit_test(one_that_is_held_is_removed_by_its_descriptor),
        cmocka_unit_test(a_folder_in_tmp_is_the_users_alone),
        cmocka_unit_test(what_a_link_leads_to_is_not_removed),
        cmocka_unit_test(where_none_can_be),
    };
    return cmocka_run_group_tests_name("control/process/runtime", tests, begin, end);
}
