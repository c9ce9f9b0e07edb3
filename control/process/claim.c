// The claim is an abstract socket named after the interface: like the interface it belongs to the
// network namespace, and the kernel removes it when the process ends.
#include "control/process/claim.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Other processes connect to learn the owner. No connection is accepted, so ASKERS can ask.
#define ASKERS 1024

// The interface in NAME0,iface=eth1,...; returns false if there is none.
static bool interface_of(const char *device, char name[64])
{
    const char *at = strstr(device, ",iface=");
    if (!at)
        return false;
    at += strlen(",iface=");
    size_t n = strcspn(at, ",");
    if (n == 0 || n >= 64)
        return false;
    memcpy(name, at, n);
    name[n] = '\0';
    return true;
}

static socklen_t address_of(const char *interface, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n =
        snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "sluice/iface/%s", interface);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int owner_of(const struct sockaddr_un *address, socklen_t octets)
{
    struct ucred peer = {.pid = 0};
    socklen_t n = sizeof peer;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return 0;
    if (connect(fd, (const struct sockaddr *)address, octets) == 0)
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n);
    close(fd);
    return peer.pid;
}

bool claim_device(const char *device, int *owner)
{
    struct sockaddr_un address;
    char name[64];
    if (!interface_of(device, name))
        return true;
    socklen_t octets = address_of(name, &address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); // held until the end
    if (fd < 0)
        return true; // opening the device will report the fault
    if (bind(fd, (const struct sockaddr *)&address, octets) == 0 && listen(fd, ASKERS) == 0)
        return true;
    close(fd);
    *owner = owner_of(&address, octets);
    return false;
}
