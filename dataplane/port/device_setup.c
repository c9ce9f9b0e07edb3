// Opens a device: DPDK's EAL probes it, or it is made of rings; it gets queues, pools, MTU and
// Ethernet address, and starts. Features that the port can do without are requested only if the
// device has them: checksums in hardware, RSS, a filter for its address. See port.h.
#include <errno.h>
#include <rte_dev.h>
#include <rte_eth_ring.h>
#include <stdio.h>

#include "dataplane/port/port_parts.h"

#define WHY_OCTETS 320

// Returns the error, with its sentence in *why.
__attribute__((format(printf, 3, 4))) static int fault(const char **why, int error,
                                                       const char *format, ...)
{
    static _Thread_local char text[WHY_OCTETS];
    va_list words;
    va_start(words, format);
    vsnprintf(text, sizeof text, format, words);
    va_end(words);
    *why = text;
    return error;
}

// The device's name, without its arguments.
static void device_name(const struct port_config *config, char name[RTE_ETH_NAME_MAX_LEN])
{
    snprintf(name, RTE_ETH_NAME_MAX_LEN, "%.*s", (int)strcspn(config->device, ","), config->device);
}

static struct rte_ring *ring(const char *port_name, const char *way, uint16_t queue,
                             uint32_t frames)
{
    char name[RTE_RING_NAMESIZE];
    snprintf(name, sizeof name, "%s_%s%u", port_name, way, queue);
    return rte_ring_create(name, frames, SOCKET_ID_ANY,
                           RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
}

static int open_rings(struct port_device *device, const struct port_config *config,
                      const char **why)
{
    device->rings = true;
    for (uint16_t q = 0; q < config->queues; q++) {
        device->rx_ring[q] = ring(config->name, "rx", q, config->rx_frames);
        device->tx_ring[q] = ring(config->name, "tx", q, config->tx_frames);
        if (!device->rx_ring[q] || !device->tx_ring[q])
            return fault(why, -ENOMEM, "%s: out of memory for rings of %u and %u frames",
                         config->name, config->rx_frames, config->tx_frames);
    }
    int id = rte_eth_from_rings(config->name, device->rx_ring, config->queues, device->tx_ring,
                                config->queues, SOCKET_ID_ANY);
    if (id < 0)
        return fault(why, -rte_errno, "%s: DPDK cannot make a port from rings: %s", config->name,
                     rte_strerror(rte_errno));
    device->id = (uint16_t)id;
    return 0;
}

// Claims a DPDK port that has no owner.
static int claim(struct port_device *device, uint16_t id, const struct port_config *config,
                 const char **why)
{
    struct rte_eth_dev_owner owner = {0};
    snprintf(owner.name, sizeof owner.name, "%s", config->name);
    int error = rte_eth_dev_owner_new(&owner.id);
    if (!error)
        error = rte_eth_dev_owner_set(id, &owner);
    if (error)
        return fault(why, -EBUSY, "%s: %s is in use already", config->name, config->device);
    device->id = id;
    return 0;
}

// The EAL has probed a NIC at its start; DPDK would complain about a second time.
static bool find(const struct port_config *config, uint16_t *id)
{
    char name[RTE_ETH_NAME_MAX_LEN];
    struct rte_dev_iterator iterator;
    device_name(config, name);
    RTE_ETH_FOREACH_MATCHING_DEV(*id, name, &iterator)
    {
        rte_eth_iterator_cleanup(&iterator);
        return true;
    }
    return false;
}

static int probe(struct port_device *device, const struct port_config *config, const char **why)
{
    uint16_t id;
    if (find(config, &id))
        return claim(device, id, config, why);
    int error = rte_dev_probe(config->device);
    if (error == -1) // from drivers that give no cause
        error = -ENODEV;
    if (error == -EFAULT)
        return fault(why, -ENODEV, "%s: no installed DPDK driver supports the device %s",
                     config->name, config->device);
    if (error && error != -EEXIST)
        return fault(why, error,
                     "%s: DPDK cannot open %s: %s; check its arguments, that the interface "
                     "exists, and that a NIC is bound to vfio-pci",
                     config->name, config->device, rte_strerror(-error));
    return find(config, &id)
               ? claim(device, id, config, why)
               : fault(why, -ENODEV, "%s: %s is no Ethernet device", config->name, config->device);
}

// The RSS features of the device that receiving can use.
static uint64_t rss_of(const struct port_config *config, const struct rte_eth_dev_info *info)
{
    return config->queues > 1 ? info->flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP)
                              : 0;
}

static bool has_tags(const struct port_config *config)
{
    return config->vlan || config->vlan_besides;
}

// A virtio device passes no tag before it has a list of VLANs (VIRTIO_NET_F_CTRL_VLAN); of others a
// list would hide what port_trunk_receive counts.
static bool passes_only_listed(const struct rte_eth_dev_info *info)
{
    return info->driver_name && strcmp(info->driver_name, "net_virtio") == 0 &&
           info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
}

// Asked for only where a port has an IPv6 address, because drivers send faster without it.
static uint64_t sums_of(const struct port_config *config, const struct rte_eth_dev_info *info)
{
    return address_is_none(&config->host.ipv6)
               ? 0
               : info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_UDP_CKSUM;
}

static int configure(struct port_device *device, const struct port_config *config,
                     const struct rte_eth_dev_info *info, const char **why)
{
    uint64_t judges = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM;
    struct rte_eth_conf conf = {.rxmode.offloads = info->rx_offload_capa & judges};
    uint64_t rss = rss_of(config, info);
    conf.txmode.offloads = sums_of(config, info);
    device->nic_sums = conf.txmode.offloads != 0;
    device->hashes = rss != 0;
    if (rss) {
        conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
        conf.rx_adv_conf.rss_conf.rss_hf = rss;
    }
    if (has_tags(config)) {
        conf.rxmode.offloads |= info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
        conf.txmode.offloads |= info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_VLAN_INSERT;
        device->strips_tags = conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
        device->inserts_tags = conf.txmode.offloads & RTE_ETH_TX_OFFLOAD_VLAN_INSERT;
        if (passes_only_listed(info))
            conf.rxmode.offloads |= info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
    }
    if (info->max_rx_queues < config->queues || info->max_tx_queues < config->queues)
        return fault(why, -ENOSPC,
                     "%s: %s has %u receive and %u send queues, and %u workers need one each; "
                     "give it more (qpairs=) or take fewer workers",
                     config->name, config->device, info->max_rx_queues, info->max_tx_queues,
                     config->queues);
    int error = rte_eth_dev_configure(device->id, config->queues, config->queues, &conf);
    return error ? fault(why, error, "%s: %s refuses its configuration: %s", config->name,
                         config->device, rte_strerror(-error))
                 : 0;
}

// A device that cannot set its MTU may keep it if that is large enough.
static int set_mtu(const struct port_device *device, const struct port_config *config,
                   const char **why)
{
    uint16_t wanted = config->host.mtu_octets, has = 0;
    int error = rte_eth_dev_set_mtu(device->id, wanted);
    if (error == 0 || error == -ENOTSUP)
        return 0;
    if (rte_eth_dev_get_mtu(device->id, &has) == 0 && has >= wanted)
        return 0;
    return fault(why, error, "%s: %s cannot set an MTU of %u, it has %u: %s", config->name,
                 config->device, wanted, has, rte_strerror(-error));
}

static uint16_t descriptors(uint32_t frames)
{
    return (uint16_t)(frames < UINT16_MAX ? frames : UINT16_MAX);
}

// A virtual device has the node of the thread that opened it.
int port_device_node(const struct port_device *device)
{
    return device->rings ? SOCKET_ID_ANY : rte_eth_dev_socket_id(device->id);
}

static int setup_queue(const struct port_device *device, uint16_t queue, uint16_t rx, uint16_t tx,
                       int node)
{
    int error = rte_eth_rx_queue_setup(device->id, queue, rx, (unsigned)node, NULL, device->pool);
    return error ? error : rte_eth_tx_queue_setup(device->id, queue, tx, (unsigned)node, NULL);
}

static int setup_queues(struct port_device *device, const struct port_config *config,
                        const char **why)
{
    uint16_t rx = descriptors(config->rx_frames), tx = descriptors(config->tx_frames);
    int error = device->rings ? 0 : rte_eth_dev_adjust_nb_rx_tx_desc(device->id, &rx, &tx);
    uint32_t buffers = config->queues * config->buffers;
    int node = port_device_node(device);
    device->pool =
        port_pool_at(config->name, buffers, config->host.mtu_octets, config->rings_only, node);
    if (!device->pool)
        return fault(why, -ENOMEM, "%s: out of memory for %u buffers", config->name, buffers);
    for (uint16_t q = 0; q < config->queues && !error; q++) {
        error = setup_queue(device, q, rx, tx, node);
        if (error == -ENOMEM && node != SOCKET_ID_ANY)
            error = setup_queue(device, q, rx, tx, SOCKET_ID_ANY);
    }
    return error ? fault(why, error, "%s: %s refuses queues of %u and %u frames: %s", config->name,
                         config->device, rx, tx, rte_strerror(-error))
                 : 0;
}

// Our address: the device's own, or one set in the device, or one received in promiscuous mode.
static int set_mac(struct port_device *device, const struct port_config *config, const char **why)
{
    struct rte_ether_addr own, wanted;
    memcpy(&wanted, &config->host.mac, sizeof wanted);
    int error = rte_eth_macaddr_get(device->id, &own);
    if (rte_is_zero_ether_addr(&wanted)) {
        memcpy(&device->mac, &own, sizeof own);
        return error == 0 && mac_is_unicast(own.addr_bytes)
                   ? 0
                   : fault(why, -EADDRNOTAVAIL,
                           "%s: %s has no Ethernet address of its own; configure one", config->name,
                           config->device);
    }
    memcpy(&device->mac, &wanted, sizeof wanted);
    if (!mac_is_unicast(wanted.addr_bytes))
        return fault(why, -EADDRNOTAVAIL, "%s: its Ethernet address is a group address",
                     config->name);
    if (device->rings || (error == 0 && rte_is_same_ether_addr(&own, &wanted)) ||
        rte_eth_dev_default_mac_addr_set(device->id, &wanted) == 0 ||
        rte_eth_promiscuous_enable(device->id) == 0)
        return 0;
    return fault(why, -EADDRNOTAVAIL,
                 "%s: %s can neither change its Ethernet address nor be promiscuous", config->name,
                 config->device);
}

// Neighbour solicitations are sent to multicast groups. A driver may have no such filter.
static int hear_groups(const struct port_device *device, const struct port_config *config,
                       const char **why)
{
    if (device->rings || address_is_none(&config->host.ipv6))
        return 0;
    int error = rte_eth_allmulticast_enable(device->id);
    if (error == 0 || error == -ENOTSUP || rte_eth_promiscuous_enable(device->id) == 0)
        return 0;
    return fault(why, error, "%s: %s cannot receive multicast frames, which IPv6 needs: %s",
                 config->name, config->device, rte_strerror(-error));
}

static int hear_vlans(const struct port_device *device, const struct port_config *config,
                      const struct rte_eth_dev_info *info, const char **why)
{
    const uint16_t vlans[] = {config->vlan, config->vlan_besides};
    for (int i = 0; i < 2 && passes_only_listed(info); i++) {
        int error = vlans[i] ? rte_eth_dev_vlan_filter(device->id, vlans[i], 1) : 0;
        if (error)
            return fault(why, error, "%s: %s does not listen to VLAN %u: %s", config->name,
                         config->device, vlans[i], rte_strerror(-error));
    }
    return 0;
}

static int steer(struct port_device *device, const struct port_config *config, const char **why)
{
    const char *lacks = port_steering_setup(device, config);
    return lacks ? fault(why, -ENOTSUP,
                         "%s: %s cannot do steering = \"%s\": %s; \"auto\" takes what it can do",
                         config->name, config->device, port_steering_names[config->steering], lacks)
                 : 0;
}

static int start(struct port_device *device, const struct port_config *config, const char **why)
{
    struct rte_eth_dev_info info;
    int error = rte_eth_dev_info_get(device->id, &info);
    if (error)
        return fault(why, error, "%s: DPDK cannot read the properties of %s: %s", config->name,
                     config->device, rte_strerror(-error));
    error = configure(device, config, &info, why);
    if (!error)
        error = set_mtu(device, config, why);
    if (!error)
        error = setup_queues(device, config, why);
    if (!error)
        error = set_mac(device, config, why);
    if (error)
        return error;
    error = rte_eth_dev_start(device->id);
    if (error)
        return fault(why, error, "%s: %s cannot be started: %s", config->name, config->device,
                     rte_strerror(-error));
    error = hear_groups(device, config, why);
    if (!error)
        error = hear_vlans(device, config, &info, why);
    return error ? error : steer(device, config, why);
}

static int check(const struct port_config *config, const char **why)
{
    if (config->device[0] == 0)
        return fault(why, -ENODEV, "%s: it names no device", config->name);
    if (config->queues == 0 || config->queues > PORT_QUEUES_MAX)
        return fault(why, -EINVAL, "%s: %u queues; allowed are 1 to %u", config->name,
                     config->queues, PORT_QUEUES_MAX);
    return 0;
}

int port_device_open(struct port_device *device, const struct port_config *config, const char **why)
{
    *device = (struct port_device){.id = RTE_MAX_ETHPORTS};
    int error = check(config, why);
    if (error)
        return error;
    error = strcmp(config->device, PORT_DEVICE_RING) == 0 ? open_rings(device, config, why)
                                                          : probe(device, config, why);
    port_device_interface(device, config->device);
    if (!error)
        error = start(device, config, why);
    if (error)
        port_device_close(device);
    return error;
}

// Some drivers keep their receive buffers until they are closed.
static void shut_down(struct port_device *device)
{
    struct rte_eth_dev_info info;
    if (device->id == RTE_MAX_ETHPORTS)
        return;
    bool known = rte_eth_dev_info_get(device->id, &info) == 0;
    rte_eth_dev_stop(device->id);
    rte_eth_dev_close(device->id);
    if (known && info.device)
        rte_dev_remove(info.device);
    device->id = RTE_MAX_ETHPORTS;
}

int port_device_borrow(struct port_device *second, const struct port_device *device,
                       const struct port_config *config, const char **why)
{
    *second = *device;
    second->borrowed = true;
    second->steering_lacks[0] = 0;
    return steer(second, config, why);
}

uint32_t port_device_stop(struct port_device *device)
{
    if (device->borrowed)
        return 0;
    shut_down(device);
    return device->pool ? rte_mempool_in_use_count(device->pool) : 0;
}

void port_device_close(struct port_device *device)
{
    if (device->borrowed) {
        *device = (struct port_device){.id = RTE_MAX_ETHPORTS};
        return;
    }
    shut_down(device);
    for (uint16_t q = 0; q < PORT_QUEUES_MAX; q++) {
        rte_ring_free(device->rx_ring[q]);
        rte_ring_free(device->tx_ring[q]);
    }
    rte_mempool_free(device->pool);
    *device = (struct port_device){.id = RTE_MAX_ETHPORTS};
}
