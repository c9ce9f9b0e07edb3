// See runtime.h.
#include "control/process/runtime.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define COMING        RUNTIME_SOCKET ".new" // until it replaces RUNTIME_SOCKET
#define MAKE_TRIES    50
#define MAKE_PAUSE_NS 10000000

// ---- Where ----

#define RUNTIME_DIRECTORY "RUNTIME_DIRECTORY"

// Where nobody has made a folder for the user: its own below /tmp, where everybody may put
// anything. Returns whether that is where.
static bool is_in_tmp(char base[PATH_MAX])
{
    const char *given = getenv(RUNTIME_DIRECTORY), *of_user = getenv("XDG_RUNTIME_DIR");
    snprintf(base, PATH_MAX, "/tmp/dpdk-%u", getuid());
    if (given && *given)
        return strcmp(given, base) == 0;
    return getuid() != 0 && !(of_user && *of_user);
}

void runtime_folder(char folder[PATH_MAX])
{
    const char *given = getenv(RUNTIME_DIRECTORY);
    char base[PATH_MAX];
    if (is_in_tmp(base))
        given = base;
    else if (!given || !*given)
        given = getuid() == 0 ? "/var/run" : getenv("XDG_RUNTIME_DIR");
    snprintf(folder, PATH_MAX, "%.*s/dpdk", PATH_MAX - 8, given);
}

// Returns 0, or -EPERM: somebody else may have put it there, or may write into it.
static int check_tmp(void)
{
    char base[PATH_MAX];
    struct stat stat;
    if (!is_in_tmp(base))
        return 0;
    if (lstat(base, &stat) != 0)
        return -errno;
    bool private = S_ISDIR(stat.st_mode) && stat.st_uid == getuid() && !(stat.st_mode & 077);
    return private ? 0 : -EPERM;
}

// DPDK is told of it, too, which would take /tmp itself.
static int make_tmp(void)
{
    char base[PATH_MAX];
    if (!is_in_tmp(base))
        return 0;
    if (mkdir(base, 0700) != 0 && errno != EEXIST)
        return -errno;
    int fault = check_tmp();
    return fault ? fault : setenv(RUNTIME_DIRECTORY, base, 1) ? -errno : 0;
}

static int make(const char *path)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return -errno;
    return access(path, W_OK | X_OK) == 0 ? 0 : -errno;
}

static void path_in(char path[PATH_MAX], const char *instance, const char *name)
{
    char folder[PATH_MAX];
    runtime_folder(folder);
    snprintf(path, PATH_MAX, "%.*s/%s/%s", PATH_MAX - 300, folder, instance, name);
}

// ---- This process's folder ----

static struct {
    char instance[RUNTIME_NAME_OCTETS];
    int folder, own; // descriptors of the runtime folder and of the instance's folder
} held = {.folder = -1, .own = -1};

static int open_folder(int at, const char *path)
{
    return openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Until the process ends, however it ends: who cleans up knows by that that it lives, in whatever
// PID namespace.
static int locked = -1;

// -EAGAIN: somebody who cleans up has just removed it. -EBUSY: somebody cleans up at this moment,
// or a process of another PID namespace has that name and number. Where nothing can be locked, as
// on some network's file system, it goes on without.
static int lock(const char *path)
{
    struct stat own, there;
    if (locked >= 0)
        close(locked);
    locked = open_folder(AT_FDCWD, path);
    if (locked < 0)
        return errno == ENOENT ? -EAGAIN : -errno;
    if (flock(locked, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return -EBUSY;
    bool same = fstat(locked, &own) == 0 && lstat(path, &there) == 0 &&
                own.st_dev == there.st_dev && own.st_ino == there.st_ino;
    return same ? 0 : -EAGAIN;
}

int runtime_make(const char *instance)
{
    const struct timespec pause = {.tv_nsec = MAKE_PAUSE_NS};
    char path[PATH_MAX];
    int fault = make_tmp();
    runtime_folder(path);
    fault = fault ? fault : make(path);
    if (fault)
        return fault;
    path_in(path, instance, "");
    for (int tries = 0; tries < MAKE_TRIES; tries++) {
        fault = make(path);
        fault = fault ? fault : lock(path);
        if (fault != -EAGAIN && fault != -EBUSY)
            break;
        nanosleep(&pause, NULL);
    }
    return fault;
}

static void close_held(void)
{
    if (held.folder >= 0)
        close(held.folder);
    if (held.own >= 0)
        close(held.own);
    held.folder = held.own = -1;
}

static int open_held(const char *instance)
{
    char path[PATH_MAX];
    runtime_folder(path);
    snprintf(held.instance, sizeof held.instance, "%s", instance);
    held.folder = open_folder(AT_FDCWD, path);
    held.own = held.folder < 0 ? -1 : open_folder(held.folder, instance);
    int fault = held.own < 0 ? -errno : 0;
    if (fault)
        close_held();
    return fault;
}

// The runtime folder stays root's, since root makes and removes entries in it by name.
static int give(const struct user *user)
{
    if (fchmodat(held.own, RUNTIME_SOCKET, 0640, 0) != 0)
        return -errno;
    if (!user_is_other(user))
        return 0;
    if (fchownat(held.own, RUNTIME_SOCKET, user->uid, user->gid, AT_SYMLINK_NOFOLLOW) != 0 ||
        fchown(held.own, user->uid, user->gid) != 0)
        return -errno;
    return 0;
}

int runtime_hold(const char *instance, const struct user *user)
{
    if (!*instance)
        return 0;
    int fault = open_held(instance);
    return fault ? fault : give(user);
}

// If root has become another user meanwhile, the empty folder stays until a run of root cleans up.
static void remove_held(void)
{
    unlinkat(held.own, RUNTIME_SOCKET, 0);
    unlinkat(held.own, COMING, 0);
    unlinkat(held.folder, held.instance, AT_REMOVEDIR);
    close_held();
}

// ----

void runtime_remove(const char *instance)
{
    if (held.own >= 0 && strcmp(instance, held.instance) == 0) {
        remove_held();
        return;
    }
    char path[PATH_MAX];
    runtime_folder(path);
    int folder = open_folder(AT_FDCWD, path);
    int own = folder < 0 ? -1 : open_folder(folder, instance); // no link: it may lead anywhere
    if (own >= 0) {
        unlinkat(own, RUNTIME_SOCKET, 0);
        unlinkat(own, COMING, 0);
        unlinkat(folder, instance, AT_REMOVEDIR);
        close(own);
    }
    if (folder >= 0)
        close(folder);
}

// Makes a socket and its address in the instance's folder; -1 after a fault, such as a too long
// path.
static int socket_in(const char *instance, const char *name, int flags, struct sockaddr_un *at)
{
    char path[PATH_MAX];
    path_in(path, instance, name);
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    errno = ENAMETOOLONG;
    if (strlen(path) >= sizeof at->sun_path)
        return -1;
    memcpy(at->sun_path, path, strlen(path));
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
}

// Renames the socket into place in one step, so that there is one at any moment.
static int put_in_place(int fd, const struct sockaddr_un *at, const char *instance)
{
    char path[PATH_MAX];
    path_in(path, instance, RUNTIME_SOCKET);
    unlink(at->sun_path);
    if (bind(fd, (const struct sockaddr *)at, sizeof *at) != 0)
        return -errno;
    if (listen(fd, RUNTIME_BACKLOG) == 0 && rename(at->sun_path, path) == 0)
        return 0;
    int fault = -errno;
    unlink(at->sun_path);
    return fault;
}

int runtime_listen(const char *instance)
{
    struct sockaddr_un at;
    int fd = socket_in(instance, COMING, SOCK_NONBLOCK, &at);
    int fault = fd < 0 ? 0 : put_in_place(fd, &at, instance);
    if (!fault)
        return fd;
    close(fd);
    errno = -fault;
    return -1;
}

int runtime_connect(const char *instance)
{
    static const struct timeval most = {.tv_sec = RUNTIME_MOST_S};
    struct sockaddr_un at;
    int wrong = check_tmp();
    if (wrong) {
        errno = -wrong;
        return -1;
    }
    int fd = socket_in(instance, RUNTIME_SOCKET, 0, &at);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most); // connect's, too
    if (connect(fd, (const struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    int fault = errno;
    close(fd);
    errno = fault;
    return -1;
}

// An instance may be left behind if its process has ended and its socket does not answer. One in
// another PID namespace (a container) has a socket that answers, or is too busy to (EAGAIN), but
// for the moment of its start.
static bool may_be_left_behind(const char *instance)
{
    const char *dash = strrchr(instance, '-');
    int pid = dash ? atoi(dash + 1) : 0, fd;
    if (strncmp(instance, RUNTIME_PREFIX, strlen(RUNTIME_PREFIX)) != 0 || pid <= 0 ||
        kill(pid, 0) == 0 || errno != ESRCH)
        return false;
    fd = runtime_connect(instance);
    if (fd >= 0)
        close(fd);
    return fd < 0 && errno != EAGAIN;
}

// It is, if nobody has locked it.
static void remove_left_behind(int folder, const char *instance)
{
    int own = open_folder(folder, instance);
    if (own < 0)
        return;
    if (flock(own, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        runtime_remove(instance);
    close(own);
}

void runtime_clean(void)
{
    char folder[PATH_MAX];
    runtime_folder(folder);
    DIR *dir = check_tmp() ? NULL : opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (may_be_left_behind(entry->d_name))
            remove_left_behind(dirfd(dir), entry->d_name);
    if (dir)
        closedir(dir);
}
