// See privileges.h. glibc's setresuid changes all threads, the kernel's capset one thread only. So
// that some capabilities survive the change of user, each thread sets PR_SET_KEEPCAPS before, and
// gives up the other capabilities afterwards.
#include "control/process/privileges.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control/process/every_thread.h"

#define BIT(capability) (UINT64_C(1) << (capability))
#define NET_ADMIN       BIT(CAP_NET_ADMIN)
#define NET_RAW         BIT(CAP_NET_RAW)
#define IPC_LOCK        BIT(CAP_IPC_LOCK)
#define BPF             BIT(39) // CAP_BPF, from Linux 5.8 on

static const struct {
    const char *name;
    uint64_t keep;
} drivers[] = {
#define DRIVER(name, kept, why) {name, kept},
#include "control/process/drivers.def"
#undef DRIVER
};

uint64_t privileges_of_driver(const char *driver)
{
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        if (strcmp(drivers[i].name, driver) == 0)
            return drivers[i].keep;
    return 0;
}

void privileges_text(uint64_t keep, char text[128])
{
    static const struct {
        uint64_t bit;
        const char *name;
    } names[] = {{NET_ADMIN, " CAP_NET_ADMIN"},
                 {NET_RAW, " CAP_NET_RAW"},
                 {IPC_LOCK, " CAP_IPC_LOCK"},
                 {BPF, " CAP_BPF"}};
    size_t n = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (keep & names[i].bit)
            n += (size_t)snprintf(text + n, 128 - n, "%s", names[i].name + (n == 0));
    if (n == 0)
        snprintf(text, 128, "none");
}

// ---- In each thread ----

static uint64_t kept; // the capabilities that each thread keeps

static uint64_t permitted(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{.permitted = 0}};
    if (syscall(SYS_capget, &head, data) != 0)
        return 0;
    return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

static int hold(void)
{
    return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

// PR_SET_NO_NEW_PRIVS: nor does a program that the process starts get more.
static int let_go(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    for (int i = 0; i < 2; i++) {
        uint32_t part = (uint32_t)(kept >> 32 * i);
        data[i] = (struct __user_cap_data_struct){.effective = part, .permitted = part};
    }
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
        syscall(SYS_capset, &head, data) != 0 || prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -errno;
    return 0;
}

// ---- Verification in /proc/self/task ----

static bool line_is(const char *status, const char *name, const char *wanted)
{
    const char *at = strstr(status, name);
    return at && strncmp(at + strlen(name), wanted, strlen(wanted)) == 0;
}

struct right {
    uid_t uid;
    gid_t gid;
};

static bool is_right(const char *status, const struct right *right)
{
    char uids[64], gids[64], caps[32];
    uid_t uid = right->uid;
    gid_t gid = right->gid;
    snprintf(uids, sizeof uids, "%u\t%u\t%u\t%u\n", uid, uid, uid, uid);
    snprintf(gids, sizeof gids, "%u\t%u\t%u\t%u\n", gid, gid, gid, gid);
    snprintf(caps, sizeof caps, "%016" PRIx64 "\n", kept);
    return line_is(status, "\nUid:\t", uids) && line_is(status, "\nGid:\t", gids) &&
           line_is(status, "\nCapPrm:\t", caps) && line_is(status, "\nCapEff:\t", caps) &&
           line_is(status, "\nCapAmb:\t", "0000000000000000\n");
}

// A thread that has ended meanwhile is right; a thread without a readable status is not.
static bool thread_is_right(const char *thread, const struct right *right)
{
    char path[64], status[4096];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, status, sizeof status - 1);
    bool has_ended = n < 0 && (errno == ENOENT || errno == ESRCH);
    if (fd >= 0)
        close(fd);
    status[n < 0 ? 0 : n] = '\0';
    return has_ended || is_right(status, right);
}

static int verify(const struct user *user)
{
    struct right right = {getuid(), getgid()};
    DIR *dir = opendir("/proc/self/task");
    bool good = dir != NULL;
    if (user_is_other(user))
        right = (struct right){user->uid, user->gid};
    for (struct dirent *entry; good && (entry = readdir(dir)) != NULL;)
        good = entry->d_name[0] == '.' || thread_is_right(entry->d_name, &right);
    if (dir)
        closedir(dir);
    return good ? 0 : -EPERM;
}

// ----

static int change_user(const struct user *user)
{
    if (!user_is_other(user))
        return 0;
    if (initgroups(user->name, user->gid) != 0 || setresgid(user->gid, user->gid, user->gid) != 0 ||
        setresuid(user->uid, user->uid, user->uid) != 0)
        return -errno;
    return 0;
}

static int undumpable(void)
{
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -errno;
}

static int step(const char *what, int fault, char why[128])
{
    if (fault)
        snprintf(why, 128, "%s: %s", what, strerror(-fault));
    return fault;
}

int privileges_drop(const struct user *user, uint64_t keep, char why[128])
{
    bool stays = !user_is_other(user);
    kept = keep & permitted();
    if (stays && (geteuid() == 0 || permitted() == kept))
        return 0;
    int fault = step("PR_SET_KEEPCAPS in every thread", every_thread(hold), why);
    if (!fault)
        fault = step("CAP_SETUID and CAP_SETGID are needed", change_user(user), why);
    if (!fault)
        fault = step("capset in every thread", every_thread(let_go), why);
    if (!fault)
        fault = step("PR_SET_DUMPABLE", undumpable(), why);
    return fault ? fault : step("a thread still has privileges", verify(user), why);
}
