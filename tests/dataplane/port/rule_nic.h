// A NIC with rules and a hash, in a program that is linked with --wrap for the functions of DPDK
// that rule_nic.c wraps: it keeps the rules and the kinds of frames to hash that it is asked for,
// and says to which queue they take a frame. Written after the manual of rte_flow: a rule's items
// are the frame's headers one after the other, and of each the octets under the mask have to be
// those of the rule. The hash is Toeplitz's, bit by bit.
#ifndef TESTS_DATAPLANE_PORT_RULE_NIC_H
#define TESTS_DATAPLANE_PORT_RULE_NIC_H

#include <rte_ethdev.h>
#include <rte_flow.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RULE_NIC_RULES   64u
#define RULE_NIC_ITEMS   8u
#define RULE_NIC_KEY     52u
#define RULE_NIC_ENTRIES 512u

struct rule_nic_item {
    enum rte_flow_item_type type;
    bool has_spec;
    uint8_t spec[64], mask[64];
};

struct rule_nic_rule {
    bool there;
    uint16_t port;
    struct rule_nic_item item[RULE_NIC_ITEMS];
    uint32_t items;
    uint16_t queue;
};

struct rule_nic {
    bool knows_addresses, knows_gtpu, knows_vlans;
    bool knows_udp_ports;  // in rules that are not about GTP-U
    bool keeps_rules;      // it does not remove them
    bool knows_fragments;  // takes rules that are about them
    bool looks_into_first; // at UDP and GTP-U in the first fragment of a datagram
    uint32_t rules_most;   // that it has room for; it does not say so before
    uint32_t rules, asked; // `asked`: validations
    uint32_t makes;        // that were tried
    struct rule_nic_rule rule[RULE_NIC_RULES];
    bool hashes_endpoints;        // addresses and ports; where to is not modelled
    bool hashes_teids, tells_key; // `tells_key`: and its table
    uint64_t hashed;              // RTE_ETH_RSS_*
    uint64_t hashes_besides;      // kinds that it does not leave out
    uint32_t updates;             // of `hashed`
    uint8_t key[RULE_NIC_KEY];
    uint16_t entries;
    uint16_t table[RULE_NIC_ENTRIES];
};
extern struct rule_nic rule_nic;

// The queue of a frame; -1: no rule is about it, and it is not hashed. At any port, or at that.
int rule_nic_queue(const uint8_t *frame, size_t n);
int rule_nic_queue_at(uint16_t port, const uint8_t *frame, size_t n);

uint32_t rule_nic_toeplitz(const uint8_t *key, const uint8_t *octets, size_t n);

#endif
