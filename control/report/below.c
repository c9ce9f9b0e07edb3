// See below.h.
#include "control/report/below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// O_PATH opens a link itself, so that it can be told from what is no folder.
static int enter(int folder, const char *name)
{
    struct stat stat;
    int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int fault = fd < 0                   ? errno
                : fstat(fd, &stat) != 0  ? errno
                : S_ISLNK(stat.st_mode)  ? ELOOP
                : !S_ISDIR(stat.st_mode) ? ENOTDIR
                                         : 0;
    if (fault && fd >= 0)
        close(fd);
    errno = fault;
    return fault ? -1 : fd;
}

static int open_last(int folder, const char *name, int flags)
{
    if (!(flags & O_DIRECTORY))
        return openat(folder, name, flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int it = enter(folder, name); // else a link is ENOTDIR
    int fd = it < 0 ? -1 : openat(it, ".", flags | O_RDONLY | O_CLOEXEC);
    int fault = errno;
    if (it >= 0)
        close(it);
    errno = fault;
    return fd;
}

static bool goes_up(const char *rest)
{
    for (const char *at = rest; (at = strstr(at, "..")) != NULL; at += 2)
        if ((at == rest || at[-1] == '/') && (at[2] == '/' || !at[2]))
            return true;
    return false;
}

// Takes the folder's descriptor.
static int walk(int folder, char *rest, int flags)
{
    char *at, *name = strtok_r(rest, "/", &at), *next;
    int fd = -1;
    for (; folder >= 0 && name; name = next) {
        next = strtok_r(NULL, "/", &at);
        fd = next ? enter(folder, name) : open_last(folder, name, flags);
        int fault = errno;
        close(folder);
        errno = fault;
        folder = next ? fd : -1;
    }
    return fd;
}

int below_open(const char *path, size_t root_octets, int flags)
{
    char root[PATH_MAX], rest[PATH_MAX];
    if (strlen(path) >= sizeof rest || root_octets >= sizeof root) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (path[root_octets] == '\0') // the folder itself, which may be a link
        return open(path, flags | O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (goes_up(path + root_octets)) {
        errno = ELOOP;
        return -1;
    }
    snprintf(root, sizeof root, "%.*s", (int)root_octets, path);
    snprintf(rest, sizeof rest, "%s", path + root_octets);
    return walk(open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC), rest, flags);
}

bool below_leads_out(const char *path, size_t root_octets)
{
    int fd = below_open(path, root_octets, O_DIRECTORY);
    bool leads_out = fd < 0 && errno == ELOOP;
    if (fd >= 0)
        close(fd);
    return leads_out;
}

FILE *below_replace(const char *path)
{
    return unlink(path) != 0 && errno != ENOENT ? NULL : fopen(path, "wxe");
}

const char *below_fault(int number)
{
    return number == ELOOP ? "leads out of its folder, or is a symbolic link, which is not followed"
           : number == EINVAL ? "not a regular file"
                              : strerror(number);
}
