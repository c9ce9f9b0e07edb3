// See device.h.
#include "lab/live/device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int set_up(const char *name)
{
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    int status = fd < 0 ? -1 : ioctl(fd, SIOCGIFFLAGS, &request);
    request.ifr_flags |= IFF_UP;
    if (status == 0)
        status = ioctl(fd, SIOCSIFFLAGS, &request);
    int fault = status == 0 ? 0 : -errno;
    if (fd >= 0)
        close(fd);
    return fault;
}

static int open_here(const char *name, const char **what)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    *what = "/dev/net/tun";
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    *what = name;
    int fault = ioctl(fd, TUNSETIFF, &request) == 0 ? set_up(name) : -errno;
    if (!fault)
        return fd;
    close(fd);
    return fault;
}

static int open_namespace(const char *name)
{
    char path[PATH_MAX];
    if (strchr(name, '/') || (size_t)snprintf(path, sizeof path, "/run/netns/%s", name) >= PATH_MAX)
        return -EINVAL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

// Goes there and comes back.
static int open_there(const char *name, const char *namespace_name, const char **what)
{
    int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int there = open_namespace(namespace_name);
    int fd = here < 0 ? -errno : there;
    *what = namespace_name;
    if (here >= 0 && there >= 0)
        fd = setns(there, CLONE_NEWNET) == 0 ? open_here(name, what) : -errno;
    if (here >= 0 && there >= 0 && setns(here, CLONE_NEWNET) != 0 && fd >= 0) {
        close(fd);
        fd = -errno;
    }
    if (there >= 0)
        close(there);
    if (here >= 0)
        close(here);
    return fd;
}

int device_open(const char *name, const char *namespace_name, const char **what)
{
    *what = name;
    if (strlen(name) == 0 || strlen(name) >= IFNAMSIZ)
        return -ENAMETOOLONG;
    return namespace_name ? open_there(name, namespace_name, what) : open_here(name, what);
}
