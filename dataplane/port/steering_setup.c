// How frames come to the queue of the worker that they are for. All GTP-U of a GGSN goes from one
// UDP endpoint to another, so RSS by addresses and ports takes it to one queue, whose worker has to
// hand on what is for the others. Better ways need a device with rules (rte_flow): by destination
// address, if the host has one for each queue, or by the bits of the TEID that name the worker; or
// one that hashes the TEID, and with nothing else: then control gives only TEIDs whose hash leads
// to their worker (port_hash_queue), by the device's own key and table.
//
// On Gb each NS-VC is a UDP endpoint of its own, and all that comes from it is for the worker of
// its NSE: a rule by peer is always right, and RSS spreads endpoints, but not to their workers.
//
// All rules of a way hold, or none: each is validated before the first is made. (Those by peer are
// made one by one, later.) What matches no rule comes as without: ARP, neighbour discovery, and but
// by address all fragments, none of which may be taken away from its datagram's others. With one
// queue there is nothing to choose. A ring has no rules; the simulated network at its far end
// chooses the queue.
#include <rte_thash.h>
#include <stdio.h>

#include "dataplane/port/port_parts.h"

const char *const port_steering_names[] = {
#define STEERING(name, text) text,
    PORT_STEERINGS(STEERING)
#undef STEERING
};

#define RULES_MOST (2u * PORT_QUEUES_MAX)
#define KEY_OCTETS 128u // the longest key of a device's hash; most have 40 or 52

struct rules {
    uint32_t n, made;
    struct rule of[RULES_MOST];
    struct rte_flow *flow[RULES_MOST];
};

static struct rule *rule_add(struct rules *rules, uint16_t queue)
{
    struct rule *rule = &rules->of[rules->n++];
    memset(rule, 0, sizeof *rule);
    rule->queue = queue;
    return rule;
}

static void add_by_address(struct rules *rules, const struct port_config *config, uint16_t queue)
{
    const struct port_address *address = &config->addresses.of[queue];
    if (address->ipv4) {
        struct rule *rule = rule_add(rules, queue);
        rule->ipv4.hdr.dst_addr = rte_cpu_to_be_32(address->ipv4);
        rule->ipv4_mask.hdr.dst_addr = UINT32_MAX;
        port_rule_items(rule, config->vlan, false, RULE_IP);
    }
    if (!address_is_none(&address->ipv6)) {
        struct rule *rule = rule_add(rules, queue);
        memcpy(&rule->ipv6.hdr.dst_addr, &address->ipv6, sizeof address->ipv6);
        memset(&rule->ipv6_mask.hdr.dst_addr, 0xff, sizeof address->ipv6);
        port_rule_items(rule, config->vlan, true, RULE_IP);
    }
}

static void add_by_teid(struct rules *rules, const struct port_config *config, uint16_t queue,
                        bool ipv6, bool whole)
{
    struct rule *rule = rule_add(rules, queue);
    uint32_t shift = 32u - config->teid_worker_bits;
    rule->gtp.teid = rte_cpu_to_be_32((uint32_t)queue << shift);
    rule->gtp_mask.teid = rte_cpu_to_be_32(UINT32_MAX << shift);
    if (whole)
        port_rule_whole(rule, ipv6);
    port_rule_items(rule, config->vlan, ipv6, RULE_GTPU);
}

// NULL, or why the device does not do it; then it has none of these rules.
static const char *rules_make(const struct port_device *device, struct rules *rules)
{
    struct rte_flow_error error = {0};
    int fault = 0;
    for (uint32_t i = 0; i < rules->n && !fault; i++)
        fault = port_rule_ask(device, &rules->of[i], NULL, &error);
    while (rules->made < rules->n && !fault) {
        fault = port_rule_ask(device, &rules->of[rules->made], &rules->flow[rules->made], &error);
        rules->made += !fault;
    }
    if (!fault)
        return NULL;
    while (rules->made > 0)
        port_rule_end(device, rules->flow[--rules->made]);
    return error.message ? error.message : rte_strerror(-fault);
}

static const char *by_address(struct port_device *device, const struct port_config *config)
{
    struct rules rules = {0};
    if (config->addresses.n == 0)
        return "there is no list of addresses, one for each worker";
    for (uint16_t q = 0; q < config->queues; q++)
        add_by_address(&rules, config, q);
    return rules_make(device, &rules);
}

static const char *by_teid(struct port_device *device, const struct port_config *config)
{
    const char *why = "its TEIDs name no worker";
    for (int whole = 1; whole >= 0 && why && config->teid_worker_bits; whole--) {
        struct rules rules = {0};
        for (uint16_t q = 0; q < config->queues; q++) {
            if (config->host.ipv4)
                add_by_teid(&rules, config, q, false, whole);
            if (!address_is_none(&config->host.ipv6))
                add_by_teid(&rules, config, q, true, whole);
        }
        why = rules_make(device, &rules);
    }
    return why;
}

uint32_t port_hash_queue(const struct port_hash *hash, uint32_t teid)
{
    uint32_t value = rte_softrss(&teid, 1, (const uint8_t *)hash->key);
    return hash->queue[value & (hash->entries - 1)];
}

// Reads key and table. False: it says nothing about them, some drivers without an error, or a queue
// is in no entry.
static bool hash_read(const struct port_device *device, uint32_t entries, uint16_t queues,
                      struct port_hash *hash)
{
    struct rte_eth_rss_reta_entry64 table[PORT_HASH_ENTRIES / RTE_ETH_RETA_GROUP_SIZE] = {0};
    uint8_t key[KEY_OCTETS] = {0};
    struct rte_eth_rss_conf conf = {.rss_key = key, .rss_key_len = KEY_OCTETS};
    uint32_t found = 0;
    for (uint32_t i = 0; i < entries; i += RTE_ETH_RETA_GROUP_SIZE)
        table[i / RTE_ETH_RETA_GROUP_SIZE].mask = UINT64_MAX;
    if (rte_eth_dev_rss_hash_conf_get(device->id, &conf) != 0 || conf.rss_hf != RTE_ETH_RSS_GTPU ||
        rte_eth_dev_rss_reta_query(device->id, table, (uint16_t)entries) != 0)
        return false;
    memcpy(hash->key, key, sizeof hash->key);
    for (uint32_t i = 0; i < entries; i++) {
        uint16_t queue = table[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE];
        hash->queue[i] = (uint8_t)queue;
        found |= queue < queues ? 1u << queue : 0;
    }
    hash->entries = entries;
    return (hash->key[0] | hash->key[1]) && found == (1u << queues) - 1;
}

static const char *by_hash(struct port_device *device, const struct port_config *config)
{
    struct rte_eth_dev_info info;
    struct rte_eth_rss_conf conf = {.rss_hf = RTE_ETH_RSS_GTPU}, before = {0};
    if (config->shared)
        return "Gb's frames at the same device have no TEID";
    if (rte_eth_dev_info_get(device->id, &info) != 0 ||
        !(info.flow_type_rss_offloads & RTE_ETH_RSS_GTPU))
        return "it does not hash TEIDs";
    uint32_t entries = info.reta_size;
    if (entries < RTE_ETH_RETA_GROUP_SIZE || entries > PORT_HASH_ENTRIES ||
        (entries & (entries - 1)) || info.hash_key_size < 8 || info.hash_key_size > KEY_OCTETS)
        return "the size of its hash's key or table is unknown here";
    if (rte_eth_dev_rss_hash_conf_get(device->id, &before) != 0 ||
        rte_eth_dev_rss_hash_update(device->id, &conf) != 0)
        return "it does not change what it hashes";
    if (hash_read(device, entries, config->queues, &device->hash))
        return NULL;
    device->hash.entries = 0;
    before.rss_key = NULL; // unchanged
    rte_eth_dev_rss_hash_update(device->id, &before);
    return "it does not tell its hash's key and table, or leaves out a queue";
}

// Makes the rule of a peer that there cannot be, one with our own address, and removes it: some
// drivers know only then that the kernel or the NIC does not do it.
static const char *try_peer(const struct port_device *device, const struct ipv6_address *address,
                            const struct port_config *config)
{
    const struct port_endpoint peer = {*address, config->host.udp_port};
    const char *why = NULL;
    struct rte_flow *rule = port_peer_rule(device, &peer, 0, &why);
    if (rule && port_rule_end(device, rule) != 0)
        why = "it does not remove rules";
    return why;
}

// The rules come and go with the peers (port_peer_rule).
static const char *by_peer(struct port_device *device, const struct port_config *config)
{
    const struct ipv6_address ipv4 = address_of_ipv4(config->host.ipv4), *ipv6 = &config->host.ipv6;
    const char *why = "";
    for (int whole = 1; whole >= 0 && why; whole--) {
        device->peer_rules = (struct port_peer_rules){config->vlan, whole};
        why = config->host.ipv4 ? try_peer(device, &ipv4, config) : NULL;
        if (!why && !address_is_none(ipv6))
            why = try_peer(device, ipv6, config);
    }
    return why;
}

// Each endpoint's frames come to one queue, which need not be that of their worker.
static const char *by_endpoint_hash(struct port_device *device, const struct port_config *config)
{
    (void)config;
    return device->hashes ? NULL : "it does not hash addresses and ports";
}

static const char *as_strays(struct port_device *device, const struct port_config *config)
{
    (void)device, (void)config;
    return NULL;
}

// In the order in which "auto" tries them; the last is always possible.
static const struct way {
    enum port_steering is;
    const char *(*ask)(struct port_device *device, const struct port_config *config);
} ways[] = {{PORT_STEERING_ADDRESS, by_address},
            {PORT_STEERING_TEID, by_teid},
            {PORT_STEERING_RSS, by_hash},
            {PORT_STEERING_STRAYS, as_strays}},
  ways_by_peers[] = {{PORT_STEERING_PEER, by_peer},
                     {PORT_STEERING_RSS, by_endpoint_hash},
                     {PORT_STEERING_STRAYS, as_strays}};

// One that is wished and cannot be had is an error, but of rings.
const char *port_steering_setup(struct port_device *device, const struct port_config *config)
{
    const struct way *way = config->by_peers ? ways_by_peers : ways;
    bool any = config->steering == PORT_STEERING_AUTO;
    const char *why = NULL;
    uint32_t at = 0;
    device->steering = PORT_STEERING_STRAYS;
    if (config->queues == 1)
        return NULL;
    while (!any && way->is != config->steering)
        way++;
    for (; (why = way->ask(device, config)) != NULL && (any || device->rings); way++)
        at += (uint32_t)snprintf(device->steering_lacks + at, sizeof device->steering_lacks - at,
                                 "%s%s: %.80s", at ? "; " : "", port_steering_names[way->is], why);
    if (!why)
        device->steering = way->is;
    return why;
}
