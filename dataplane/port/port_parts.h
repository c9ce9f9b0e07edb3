// Shared by the files of this folder alone.
#ifndef SLUICE_PORT_PORT_PARTS_H
#define SLUICE_PORT_PORT_PARTS_H

#include <rte_flow.h>
#include <rte_ip_frag.h>

#include "dataplane/base/units.h"
#include "dataplane/port/neighbour.h"
#include "dataplane/port/packet.h"
#include "dataplane/port/port.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#define PORT_HOP_LIMIT 64  // in sent packets; also TTL
#define ND_HOP_LIMIT   255 // proves that no router was crossed (RFC 4861 7.1)

// The verdict on a frame: a drop reason, or one of these.
enum port_verdict {
    PORT_PASSED = DROP_NONE, // a datagram for the path
    PORT_HOST,               // for the host, which answered or learnt
    PORT_HELD,               // a fragment, accounted for already
    PORT_SECOND              // a datagram for the second UDP port
};

// ---- rules_slow.c: rules of a device that take frames to a queue ----

#define RULE_ITEMS_MOST 6u // Ethernet, VLAN, IP, UDP, GTP-U, end

// What of a frame it looks at: the IP header, or UDP's too, or, of UDP to GTP-U's port, GTP-U's.
enum rule_depth { RULE_IP, RULE_UDP, RULE_GTPU };

// `item` points into the rule, which must not be copied.
struct rule {
    uint16_t queue;
    struct rte_flow_item item[RULE_ITEMS_MOST];
    struct rte_flow_item_vlan vlan, vlan_mask;
    struct rte_flow_item_ipv4 ipv4, ipv4_mask;
    struct rte_flow_item_ipv6 ipv6, ipv6_mask;
    struct rte_flow_item_udp udp, udp_mask;
    struct rte_flow_item_gtp gtp, gtp_mask;
};

void port_rule_items(struct rule *rule, uint16_t vlan, bool ipv6, enum rule_depth depth);
// The rule says itself that it is for no fragment. A device that cannot say so must not look for
// UDP in fragments.
void port_rule_whole(struct rule *rule, bool ipv6);
// Validates the rule, or makes it if `made` is not NULL; 0 or a negative errno.
int port_rule_ask(const struct port_device *device, const struct rule *rule, struct rte_flow **made,
                  struct rte_flow_error *error);

// ---- steering_setup.c ----

// Chooses how frames come to their queues, and asks a started device for that. NULL, or why the
// device cannot do what is wished.
const char *port_steering_setup(struct port_device *device, const struct port_config *config);

// ---- link_slow.c ----

// Stores the interface named in the arguments.
void port_device_interface(struct port_device *device, const char *arguments);

// ---- sums.c ----

// Before frames are offered to a NIC that computes checksums.
void port_sums_prepare(const struct port *port, struct rte_mbuf **m, uint32_t n);

// ---- vlan.c ----

// Takes off a tag that says only a priority, from a frame of a port that is no trunk; false: the
// frame is of a VLAN.
bool port_priority_tag(struct port *port, struct rte_mbuf *m);
// Gives frames that are about to be sent their tag; returns how many can go. Takes it off those
// that did not.
uint32_t port_tags_put(const struct port *port, struct rte_mbuf **m, uint32_t n);
void port_tags_off(struct rte_mbuf **m, uint32_t n);
void port_trunk_flush(struct port *port);

// ---- unwrap.c: two ways with the same verdict ----

// False: not the common case; no verdict yet.
bool port_unwrap_fast(const struct port *port, const struct rte_mbuf *m,
                      struct port_datagram *datagram);
// *frame may become another frame, reassembled from fragments.
uint32_t port_unwrap_general(struct port *port, struct rte_mbuf **frame,
                             struct port_datagram *datagram, uint64_t now_ns);

// ---- host.c ----

uint32_t port_host_arp(struct port *port, const struct ether *ether, uint64_t now_ns);
uint32_t port_host_icmp(struct port *port, const uint8_t *ether, const struct ipv4 *ip,
                        uint64_t now_ns);
uint32_t port_host_icmpv6(struct port *port, const uint8_t *ether, const struct ipv6 *ip,
                          bool fragmented, uint64_t now_ns);

// ---- unreachable.c: verdicts as in host.c ----

uint32_t port_host_unreachable_ipv4(const struct port *port, const struct ipv4 *ip,
                                    uint64_t now_ns);
uint32_t port_host_unreachable_ipv6(const struct port *port, const struct ipv6 *ip,
                                    uint64_t now_ns);

// A unicast Ethernet address other than zeros.
static inline bool mac_is_unicast(const uint8_t *mac)
{
    static const uint8_t none[6];
    return !(mac[0] & 1) && memcmp(mac, none, sizeof none) != 0;
}

// Whether an address is the host's: this queue's, or that of another queue.
static inline bool port_is_ours_ipv4(const struct port *port, uint32_t address)
{
    bool ours = address == port->host.ipv4;
    for (uint32_t q = 0; unlikely(!ours) && q < port->addresses.n; q++)
        ours = address == port->addresses.of[q].ipv4;
    return ours && address != 0;
}

static inline bool port_is_ours_ipv6(const struct port *port, const struct ipv6_address *address)
{
    bool ours = address_same(address, &port->host.ipv6);
    for (uint32_t q = 0; !ours && q < port->addresses.n; q++)
        ours = address_same(address, &port->addresses.of[q].ipv6);
    return ours && !address_is_none(address);
}

// Whether the host answers packets with that source address.
bool port_host_answers_ipv4(const struct port *port, uint32_t source);
bool port_host_answers_ipv6(const struct port *port, const struct ipv6_address *source);

// The solicited-node address ff02::1:ffXX:XXXX of an address (RFC 4291 2.7.1).
struct ipv6_address port_host_solicited_node(const struct ipv6_address *address);
// Whether a group is that of an address of ours.
bool port_host_is_solicited_node(const struct port *port, const struct ipv6_address *group);

// ---- reply.c ----

// An empty frame for the host's own use; NULL, counted as answers_unsent, if there is no buffer.
struct rte_mbuf *port_answer_alloc(struct port *port, uint32_t octets);
void port_answer_put_ether(const struct port *port, const uint8_t *destination, uint16_t type,
                           uint8_t *b);
void port_answer_put_ipv4(struct port *port, uint32_t source, uint32_t destination, uint8_t tos,
                          uint8_t protocol, uint32_t payload_octets, uint8_t *b);
void port_answer_put_ipv6(const struct ipv6_address *source, const struct ipv6_address *destination,
                          uint8_t next_header, uint8_t hop_limit, uint32_t payload_octets,
                          uint8_t *b);

// ---- fragment.c ----

// Fragments wait in one of two rooms, so that strangers take no places of peers. In either room a
// source holds at most as many places as are free, so there is room for another source.
enum fragment_room { FRAGMENT_PEERS, FRAGMENT_STRANGERS, FRAGMENT_ROOMS };
#define FRAGMENT_SOURCES_BITS 8
#define FRAGMENT_SOURCES      (1u << FRAGMENT_SOURCES_BITS) // hash values; sources may share one

struct fragment_places {
    struct rte_ip_frag_tbl *table;
    uint32_t room, taken;
    uint16_t of_source[FRAGMENT_SOURCES];
};

// One port's incomplete datagrams. A waiting frame has its octets in hash.usr, and its ECN field,
// room and source in hash.fdir.hi.
struct fragments {
    struct fragment_places of[FRAGMENT_ROOMS];
    uint64_t packets, octets; // of waiting fragments
    uint64_t due_ns;          // of the next search for overdue fragments
    struct rte_ip_frag_death_row row;
};

#define FRAGMENT_WAIT_NS 2000000000ULL

struct fragments *port_fragments_create(void);
void port_fragments_destroy(struct fragments *fragments);
uint64_t port_fragments_octets(void);

// Takes a fragment; returns the reassembled frame if it is complete, in one buffer and without the
// NIC's checksum flags. IPv4's header checksum is recomputed.
struct rte_mbuf *port_fragment_join_ipv4(struct port *port, struct rte_mbuf *m,
                                         const struct ipv4 *ip, uint64_t now_ns);
struct rte_mbuf *port_fragment_join_ipv6(struct port *port, struct rte_mbuf *m,
                                         const struct ipv6 *ip, uint64_t now_ns);

// Drops some overdue fragments; returns the time of the next call, or TIME_NEVER.
uint64_t port_fragments_tick(struct port *port, uint64_t now_ns);
void port_fragments_flush(struct port *port);

// ---- send.c ----

// At the end: frees waiting frames.
void port_answers_flush(struct port *port);

#endif
