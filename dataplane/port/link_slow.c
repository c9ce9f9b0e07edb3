// See port.h: whether a device can carry frames. For a device on a kernel interface (net_af_packet,
// net_tap) the kernel is asked, as the driver does not know; for others the driver. Control asks,
// at intervals; never a worker.
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/port/port_parts.h"

const char *const port_link_names[] = {"up", "down", "gone"};

void port_device_interface(struct port_device *device, const char *arguments)
{
    const char *at = strstr(arguments, ",iface=");
    device->interface[0] = 0;
    if (at)
        snprintf(device->interface, sizeof device->interface, "%.*s", (int)strcspn(at + 7, ","),
                 at + 7);
    device->interface_index = if_nametoindex(device->interface);
}

// An interface that was deleted and created again has the same name and another index. The driver's
// socket is still bound to the deleted one, so for Sluice the device is gone.
static enum port_link of_interface(const char *name, unsigned index)
{
    unsigned now = if_nametoindex(name);
    if (now && index && now != index)
        return PORT_LINK_GONE;
    struct ifreq request = {.ifr_flags = 0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    int fault = fd < 0 ? 0 : ioctl(fd, SIOCGIFFLAGS, &request) < 0 ? errno : 0;
    bool up = fd < 0 || (request.ifr_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
    if (fd >= 0)
        close(fd);
    return fault == ENODEV ? PORT_LINK_GONE : fault || up ? PORT_LINK_UP : PORT_LINK_DOWN;
}

enum port_link port_device_link(const struct port_device *device)
{
    struct rte_eth_link link;
    if (device->rings)
        return PORT_LINK_UP;
    if (device->interface[0])
        return of_interface(device->interface, device->interface_index);
    if (rte_eth_dev_is_removed(device->id) == 1)
        return PORT_LINK_GONE;
    if (rte_eth_link_get_nowait(device->id, &link) != 0)
        return PORT_LINK_UP;
    return link.link_status == RTE_ETH_LINK_UP ? PORT_LINK_UP : PORT_LINK_DOWN;
}

void port_device_counts(const struct port_device *device, struct stats_nic *counts,
                        uint32_t *mbit_per_s)
{
    struct rte_eth_stats stats;
    struct rte_eth_link link;
    *mbit_per_s = 0;
    if (device->rings)
        return;
    if (rte_eth_stats_get(device->id, &stats) == 0) {
        counts->rx_missed = stats.imissed;
        counts->rx_errors = stats.ierrors;
        counts->rx_no_buffer = stats.rx_nombuf;
        counts->tx_errors = stats.oerrors;
    }
    if (rte_eth_link_get_nowait(device->id, &link) == 0 && link.link_speed &&
        link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
        *mbit_per_s = link.link_speed;
}

const char *port_device_driver(const struct port_device *device)
{
    struct rte_eth_dev_info info;
    bool known = rte_eth_dev_info_get(device->id, &info) == 0 && info.driver_name;
    return known ? info.driver_name : "unknown";
}
