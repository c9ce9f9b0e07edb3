// A DPDK port, and the IP host that it is on its network: it answers ARP, neighbour solicitations
// and ICMP echo, resolves its neighbours, reassembles received fragments and fragments what exceeds
// the MTU. The path receives UDP datagrams for the port's address and UDP port.
//
// A device is opened once and has a queue for each worker; a struct port is one worker's use of it,
// which no other worker touches. Time is an argument. A device is either `net_ring`, a pair of
// rings a queue with a far end for a simulated network, or a device of DPDK's EAL: a PCI address,
// or a virtual device with its arguments (net_af_packet0,iface=veth0).
#ifndef SLUICE_PORT_PORT_H
#define SLUICE_PORT_PORT_H

#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "dataplane/mirror/mirror.h"
#include "dataplane/port/nets.h"
#include "dataplane/port/steering.h"
#include "dataplane/stats/stats.h"
#include "dataplane/wire/address.h"

#define PORT_BURST         64
#define PORT_POOL_CACHE    128
#define PORT_QUEUES_MAX    16
#define PORT_ANSWERS       64    // the most waiting frames of its own
#define PORT_DATA_ROOM_MIN 2048u // of a buffer, beside DPDK's headroom
// The most waiting fragments, in buffers of the receive pool.
#define PORT_FRAGMENTS_PEERS     1024
#define PORT_FRAGMENTS_STRANGERS 256
#define PORT_FRAGMENTS           (PORT_FRAGMENTS_PEERS + PORT_FRAGMENTS_STRANGERS)
#define PORT_DEVICE_RING         "net_ring"

// A port's IP configuration. No gateway: every address is on the link.
struct port_host {
    struct mac mac; // zeros: the device's own
    uint32_t ipv4;  // 0: none
    uint8_t ipv4_prefix;
    uint32_t ipv4_gateway;    // 0: none
    struct ipv6_address ipv6; // zeros: none
    uint8_t ipv6_prefix;
    struct ipv6_address ipv6_gateway;
    uint16_t udp_port;
    uint16_t mtu_octets;
};

// The addresses of a host that has one for each queue; n is the number of queues, or 0 if port_host
// has the only address of each family.
struct port_address {
    uint32_t ipv4;            // 0: none
    struct ipv6_address ipv6; // zeros: none
};
struct port_addresses {
    uint32_t n;
    struct port_address of[PORT_QUEUES_MAX];
};

struct port_config {
    const char *name;   // "gn", "gb"
    const char *device; // PORT_DEVICE_RING, or for the EAL
    uint16_t queues;
    uint32_t rx_frames, tx_frames; // a queue's ring or descriptors
    uint32_t buffers;              // receive buffers, per queue
    uint32_t neighbours;           // the most addresses that may be sent to
    bool check_udp;                // compute UDP checksums that the NIC has not checked
    bool rings_only;               // as are all ports: no driver wants buffers in memory of DPDK's
    uint16_t vlan;                 // VID of all its frames (802.1Q); 0: they have no tag
    bool shared;                   // the device is a second port's, too, with another `vlan`
    uint16_t vlan_besides;         // that port's
    struct port_host host;
    struct port_addresses addresses;
    enum port_steering steering; // as wished
    uint8_t teid_worker_bits;    // the top bits of a TEID, which name the queue; 0: they do not
    bool by_peers; // all that comes from a peer's UDP endpoint is for one queue, as on Gb
};

// An unknown state counts as up.
enum port_link { PORT_LINK_UP, PORT_LINK_DOWN, PORT_LINK_GONE };
extern const char *const port_link_names[];

#define PORT_INTERFACE_OCTETS 16
#define PORT_LACKS_OCTETS     500 // 100 for each way

// A device's hash of the TEID (Toeplitz), and the table that makes a queue of it.
#define PORT_HASH_ENTRIES 512
struct port_hash {
    uint32_t entries; // a power of two; 0: the device does not hash TEIDs
    uint32_t key[2];  // the octets of the key that the TEID's bits meet
    uint8_t queue[PORT_HASH_ENTRIES];
};

// The queue that the device takes a TEID to.
uint32_t port_hash_queue(const struct port_hash *hash, uint32_t teid);

// How a rule by peer is made: see port_peer_rule.
struct port_peer_rules {
    uint16_t vlan;
    bool whole; // the rule says itself that it is for no fragment
};

struct port_device {
    uint16_t id; // RTE_MAX_ETHPORTS: not open
    bool rings;
    bool borrowed;                     // another port's, which opens, closes and counts it
    bool strips_tags, inserts_tags;    // the NIC does, where a port has a VLAN; else this program
    bool nic_sums;                     // the NIC computes UDP checksums over IPv6
    bool hashes;                       // addresses, and perhaps UDP ports (RSS)
    enum port_steering steering;       // never PORT_STEERING_AUTO
    struct port_hash hash;             // with PORT_STEERING_RSS of Gn
    struct port_peer_rules peer_rules; // with PORT_STEERING_PEER
    char steering_lacks[PORT_LACKS_OCTETS]; // which better ways it does not do, and why
    char interface[PORT_INTERFACE_OCTETS];  // the kernel interface behind it; empty: none
    unsigned interface_index;               // as it was when the device was opened
    struct mac mac;
    struct rte_mempool *pool; // of all queues, as a frame may wait at another worker
    struct rte_ring *rx_ring[PORT_QUEUES_MAX], *tx_ring[PORT_QUEUES_MAX]; // of net_ring
};

// 0 or a negative errno, with the reason in words; after an error nothing stays allocated.
int port_device_open(struct port_device *device, const struct port_config *config,
                     const char **why);
void port_device_close(struct port_device *device);

// The same device for a second port, to be released before the first one's. Errors as above.
int port_device_borrow(struct port_device *second, const struct port_device *device,
                       const struct port_config *config, const char **why);

// Stops the device for good, so that it returns its buffers, those of the workers' pools too, and
// counts the missing buffers of its own pool (frames left in net_ring's rings are among them). The
// workers' parts are released after that.
uint32_t port_device_stop(struct port_device *device);

// Asks the kernel or the driver, for control.
enum port_link port_device_link(const struct port_device *device);

// What the driver has counted, and the link's speed in Mbit/s, 0 if it is unknown; for control.
void port_device_counts(const struct port_device *device, struct stats_nic *counts,
                        uint32_t *mbit_per_s);

// With PORT_STEERING_PEER, for control: a rule that takes what comes from that endpoint to a queue;
// NULL: the device makes none, with the reason in *why. Fragments
// have none.
struct port_endpoint;
struct rte_flow *port_peer_rule(const struct port_device *device, const struct port_endpoint *peer,
                                uint16_t queue, const char **why);
int port_rule_end(const struct port_device *device, struct rte_flow *rule);

// The driver's DPDK name.
const char *port_device_driver(const struct port_device *device);

struct neighbours;
struct fragments;
struct port_datagram;

struct port_endpoint {
    struct ipv6_address address;
    uint16_t udp_port;
};

struct port {
    uint16_t id, queue;
    uint16_t frame_octets_max; // Ethernet header and MTU
    bool check_udp;            // in software
    bool trunk;                // it has a VLAN, or a device together with another port
    uint32_t ip_id;            // of its next answer or fragmented datagram
    struct port_host host;
    struct stats_port *stats;
    struct mirror *mirror; // gets all frames that come and go; NULL: none
    enum mirror_interface mirror_interface;
    uint32_t waiting;                // frames in `wait`, which `other` has received
    uint64_t due_ns;                 // of the next port_tick
    struct rte_mempool *answer_pool; // also for outgoing fragments
    struct neighbours *neighbours;
    struct fragments *fragments;
    struct port_nets expected;
    // Called with each learnt neighbour; NULL: not called.
    void (*tell)(void *self, const struct ipv6_address *address, const struct mac *mac);
    void *tell_self;
    // Called when a datagram from its UDP port did not reach an endpoint; NULL: not called.
    void (*unreachable)(void *self, const struct port_endpoint *endpoint, uint64_t now_ns);
    void *unreachable_self;
    // A second UDP port of the host, for few datagrams; 0: none. Their checksums are always
    // computed. `second` gets each datagram, and owns the frame.
    uint16_t second_udp_port;
    void (*second)(void *self, struct rte_mbuf *frame, const struct port_datagram *datagram,
                   uint64_t now_ns);
    void *second_self;
    // The port's own frames, and fragments (`pieces` of them), until the device takes them.
    uint32_t answer_first, answers, pieces;
    bool frames_first; // the path's turn to send
    bool inserts_tags; // the NIC does
    bool nic_sums;     // the NIC computes UDP checksums over IPv6
    uint16_t vlan;     // 0: none
    struct rte_mbuf *answer[PORT_ANSWERS];
    // Of a trunk (vlan.c).
    struct port *other;  // at the same device; NULL: none
    struct port *finder; // counts what is of neither
    struct rte_mbuf *wait[PORT_BURST];
    struct port_addresses addresses; // of all queues, `host` has that of this one
};

int port_setup(struct port *port, const struct port_device *device, uint16_t queue,
               const struct port_config *config, struct stats_port *stats);
// After port_setup of both: they are at one device, and their VLANs differ.
void port_share(struct port *first, struct port *second);
// At the end: frees waiting frames and fragments (reason `shutdown`).
void port_flush(struct port *port);
void port_release(struct port *port); // its tables; a port that was never set up has none

// Memory for both, for the EAL.
uint64_t port_octets(const struct port_config *config);

// A pool of buffers for a frame of that MTU with room to frame it in place.
// Near the thread that calls, or at that NUMA node if there is room.
struct rte_mempool *port_pool(const char *name, uint32_t buffers, uint16_t mtu_octets,
                              bool rings_only);
struct rte_mempool *port_pool_at(const char *name, uint32_t buffers, uint16_t mtu_octets,
                                 bool rings_only, int node);

// The NUMA node where memory of DPDK's lies; -1: unknown, as without huge pages.
int port_memory_node(const void *memory);
// The node of a device; -1: it has none.
int port_device_node(const struct port_device *device);
uint64_t port_pool_octets(uint32_t buffers, uint16_t mtu_octets);

// ---- In ----

// A datagram for the path, and its position in its frame, which is one segment from the Ethernet
// header on.
struct port_datagram {
    uint16_t payload_offset, payload_octets; // of UDP
    uint8_t ecn;                             // of the outer IP header
    uint8_t ip_offset;
    bool ipv6;
    uint8_t hops;  // times forwarded from worker to worker; 0 off the wire
    uint32_t teid; // of the context at the worker it is forwarded to; 0: the GTP header's
};

// port_receive of a trunk: of its VLAN, without their tags; drops what is of none.
uint32_t port_trunk_receive(struct port *port, struct rte_mbuf **m);

static inline uint32_t port_receive(struct port *port, struct rte_mbuf **m)
{
    if (unlikely(port->trunk))
        return port_trunk_receive(port, m);
    uint32_t n = rte_eth_rx_burst(port->id, port->queue, m, PORT_BURST);
    if (unlikely(port->mirror != NULL)) {
        mirror_put(port->mirror, port->mirror_interface, MIRROR_IN, m, n);
        mirror_take(port->mirror, port->mirror_interface, n);
    }
    return n;
}

// Processes received frames: answers those for the host, drops bad ones, keeps fragments until
// their datagram is whole. `frames` and `datagrams` keep the others in order; returns their number.
uint32_t port_unwrap(struct port *port, struct rte_mbuf **frames, struct port_datagram *datagrams,
                     uint32_t n, uint64_t now_ns);

// The address of ours that a datagram was sent to.
struct ipv6_address port_receiver(const struct rte_mbuf *frame,
                                  const struct port_datagram *datagram);

// The source address and port of a datagram.
struct port_endpoint port_sender(const struct rte_mbuf *frame,
                                 const struct port_datagram *datagram);

// Whether that address is in one of the `expected` nets.
bool port_expects(const struct port *port, const struct ipv6_address *from);

// Waiting fragments, in frames and their octets.
void port_held(const struct port *port, uint64_t *packets, uint64_t *octets);

// ---- Out ----

// Gives frames to the device; returns how many it took, from the first on. A frame larger than the
// MTU goes in fragments and counts as one.
uint32_t port_send(struct port *port, struct rte_mbuf **m, uint32_t n);

// The octets of the IP packets of a datagram with so many octets behind its IP header: of its
// fragments, if port_send fragments it.
uint32_t port_ip_octets(const struct port *port, bool ipv6, uint32_t payload_octets);

// Queues a frame of the host's own, or an answer of the path, for the next port_send or port_tick;
// if too many wait, drops and counts it (answers_unsent).
void port_answer(struct port *port, struct rte_mbuf *m);

// Makes an answer to a datagram, with so many octets of UDP payload, which the caller writes at the
// returned address. The frame is a new buffer, *answer; NULL if there is none. Call
// port_reply_finish and port_answer after writing the payload.
uint8_t *port_reply(struct port *port, const struct rte_mbuf *frame,
                    const struct port_datagram *datagram, uint32_t payload_octets,
                    struct rte_mbuf **answer);
void port_reply_finish(struct rte_mbuf *answer); // checksums

// To be called at due_ns, and while answers wait: asks for neighbours that are unknown or due for
// verification, drops overdue fragments, and offers answers to the device. Returns due_ns: later
// than now or TIME_NEVER, unless there was more to do than one call does.
uint64_t port_tick(struct port *port, uint64_t now_ns);

#endif
