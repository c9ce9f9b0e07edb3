// See rule_nic.h.
#include "tests/dataplane/port/rule_nic.h"

#include <string.h>

struct rule_nic rule_nic;

int __wrap_rte_flow_validate(uint16_t port, const struct rte_flow_attr *attr,
                             const struct rte_flow_item *pattern,
                             const struct rte_flow_action *actions, struct rte_flow_error *error);
struct rte_flow *__wrap_rte_flow_create(uint16_t port, const struct rte_flow_attr *attr,
                                        const struct rte_flow_item *pattern,
                                        const struct rte_flow_action *actions,
                                        struct rte_flow_error *error);
int __wrap_rte_flow_destroy(uint16_t port, struct rte_flow *flow, struct rte_flow_error *error);
int __real_rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info);
int __wrap_rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info);
int __wrap_rte_eth_dev_rss_hash_update(uint16_t port, struct rte_eth_rss_conf *conf);
int __wrap_rte_eth_dev_rss_hash_conf_get(uint16_t port, struct rte_eth_rss_conf *conf);
int __wrap_rte_eth_dev_rss_reta_query(uint16_t port, struct rte_eth_rss_reta_entry64 *table,
                                      uint16_t entries);

// Octets of the item's header on the wire; 0: unknown.
static size_t octets_of(enum rte_flow_item_type type)
{
    switch (type) {
    case RTE_FLOW_ITEM_TYPE_ETH:
        return 14;
    case RTE_FLOW_ITEM_TYPE_VLAN: // from the tag's word to the type behind it
        return rule_nic.knows_vlans ? 4 : 0;
    case RTE_FLOW_ITEM_TYPE_IPV4:
        return rule_nic.knows_addresses ? 20 : 0;
    case RTE_FLOW_ITEM_TYPE_IPV6:
        return rule_nic.knows_addresses ? 40 : 0;
    case RTE_FLOW_ITEM_TYPE_UDP:
        return 8;
    case RTE_FLOW_ITEM_TYPE_GTPU:
        return rule_nic.knows_gtpu ? 8 : 0;
    default:
        return 0;
    }
}

// That of a rule which is about IPv6's fragment header is behind the header in the item.
static bool is_about_fragments(const struct rte_flow_item *item)
{
    if (item->type == RTE_FLOW_ITEM_TYPE_IPV4 && item->mask)
        return ((const struct rte_flow_item_ipv4 *)item->mask)->hdr.fragment_offset != 0;
    if (item->type == RTE_FLOW_ITEM_TYPE_IPV6 && item->mask)
        return ((const struct rte_flow_item_ipv6 *)item->mask)->has_frag_ext != 0;
    return false;
}

static bool read_item(const struct rte_flow_item *from, struct rule_nic_item *item)
{
    size_t octets = octets_of(from->type);
    *item = (struct rule_nic_item){.type = from->type, .has_spec = from->spec != NULL};
    if (octets == 0 || from->last || !from->mask != !from->spec)
        return false;
    if (from->type == RTE_FLOW_ITEM_TYPE_UDP && from->spec && !rule_nic.knows_udp_ports)
        return false;
    if (is_about_fragments(from) && !rule_nic.knows_fragments)
        return false;
    if (!from->spec)
        return true;
    memcpy(item->spec, from->spec, octets);
    memcpy(item->mask, from->mask, octets);
    item->mask[octets] = is_about_fragments(from); // and the spec says: none
    return true;
}

static bool read_rule(const struct rte_flow_attr *attr, const struct rte_flow_item *pattern,
                      const struct rte_flow_action *actions, struct rule_nic_rule *rule)
{
    memset(rule, 0, sizeof *rule);
    if (!attr->ingress || attr->egress || attr->transfer || attr->group || attr->priority)
        return false;
    for (; pattern->type != RTE_FLOW_ITEM_TYPE_END; pattern++)
        if (rule->items == RULE_NIC_ITEMS || !read_item(pattern, &rule->item[rule->items++]))
            return false;
    if (actions[0].type != RTE_FLOW_ACTION_TYPE_QUEUE ||
        actions[1].type != RTE_FLOW_ACTION_TYPE_END)
        return false;
    rule->queue = ((const struct rte_flow_action_queue *)actions[0].conf)->index;
    return true;
}

int __wrap_rte_flow_validate(uint16_t port, const struct rte_flow_attr *attr,
                             const struct rte_flow_item *pattern,
                             const struct rte_flow_action *actions, struct rte_flow_error *error)
{
    struct rule_nic_rule rule;
    (void)port;
    rule_nic.asked++;
    if (read_rule(attr, pattern, actions, &rule))
        return 0;
    return rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM, NULL, "not in this NIC");
}

struct rte_flow *__wrap_rte_flow_create(uint16_t port, const struct rte_flow_attr *attr,
                                        const struct rte_flow_item *pattern,
                                        const struct rte_flow_action *actions,
                                        struct rte_flow_error *error)
{
    struct rule_nic_rule *rule = rule_nic.rule;
    rule_nic.makes++;
    while (rule < rule_nic.rule + RULE_NIC_RULES && rule->there)
        rule++;
    if (rule_nic.rules >= rule_nic.rules_most || rule == rule_nic.rule + RULE_NIC_RULES) {
        rte_flow_error_set(error, ENOSPC, RTE_FLOW_ERROR_TYPE_HANDLE, NULL, "no room for rules");
        return NULL;
    }
    if (!read_rule(attr, pattern, actions, rule)) {
        rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM, NULL, "not in this NIC");
        return NULL;
    }
    rule->there = true;
    rule->port = port;
    rule_nic.rules++;
    return (struct rte_flow *)rule;
}

int __wrap_rte_flow_destroy(uint16_t port, struct rte_flow *flow, struct rte_flow_error *error)
{
    struct rule_nic_rule *rule = (struct rule_nic_rule *)flow;
    if (!rule->there || rule->port != port || rule_nic.keeps_rules)
        return rte_flow_error_set(error, EINVAL, RTE_FLOW_ERROR_TYPE_HANDLE, NULL, "no such rule");
    rule->there = false;
    rule_nic.rules--;
    return 0;
}

// ---- The hash ----

int __wrap_rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info)
{
    int fault = __real_rte_eth_dev_info_get(port, info);
    info->flow_type_rss_offloads = rule_nic.hashes_endpoints ? RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP : 0;
    if (rule_nic.hashes_teids) {
        info->flow_type_rss_offloads |= RTE_ETH_RSS_GTPU;
        info->reta_size = rule_nic.entries;
        info->hash_key_size = RULE_NIC_KEY;
    }
    return fault;
}

int __wrap_rte_eth_dev_rss_hash_update(uint16_t port, struct rte_eth_rss_conf *conf)
{
    (void)port;
    if (conf->rss_key)
        memcpy(rule_nic.key, conf->rss_key, conf->rss_key_len);
    rule_nic.hashed = conf->rss_hf | rule_nic.hashes_besides;
    rule_nic.updates++;
    return 0;
}

int __wrap_rte_eth_dev_rss_hash_conf_get(uint16_t port, struct rte_eth_rss_conf *conf)
{
    (void)port;
    conf->rss_hf = rule_nic.hashed;
    if (conf->rss_key && conf->rss_key_len >= RULE_NIC_KEY)
        memcpy(conf->rss_key, rule_nic.key, RULE_NIC_KEY);
    return conf->rss_key && !rule_nic.tells_key ? -ENOTSUP : 0;
}

int __wrap_rte_eth_dev_rss_reta_query(uint16_t port, struct rte_eth_rss_reta_entry64 *table,
                                      uint16_t entries)
{
    (void)port;
    for (uint16_t i = 0; i < entries; i++)
        if (table[i / 64].mask >> i % 64 & 1)
            table[i / 64].reta[i % 64] = rule_nic.table[i];
    return entries == rule_nic.entries ? 0 : -EINVAL;
}

// The key is a window of 32 bits that moves on a bit for each bit of the input.
uint32_t rule_nic_toeplitz(const uint8_t *key, const uint8_t *octets, size_t n)
{
    uint32_t value = 0;
    for (size_t bit = 0; bit < 8 * n; bit++)
        for (size_t i = 0; (octets[bit / 8] >> (7 - bit % 8) & 1) && i < 32; i++)
            value ^= (uint32_t)(key[(bit + i) / 8] >> (7 - (bit + i) % 8) & 1) << (31 - i);
    return value;
}

// ---- Frames ----

// Where the headers begin, and what kind each is.
struct headers {
    uint32_t n;
    enum rte_flow_item_type type[5];
    size_t at[5];
    bool fragment;
};

static void add(struct headers *h, enum rte_flow_item_type type, size_t at)
{
    h->type[h->n] = type;
    h->at[h->n++] = at;
}

// At most one tag. Without IPv4 options, and of IPv6's extension headers with the fragment's only.
static void read_frame(const uint8_t *b, size_t n, struct headers *h)
{
    size_t at = 14;
    uint8_t next = 0;
    bool first = true;
    *h = (struct headers){0};
    add(h, RTE_FLOW_ITEM_TYPE_ETH, 0);
    if (n >= 18 && b[12] == 0x81 && b[13] == 0) {
        add(h, RTE_FLOW_ITEM_TYPE_VLAN, at);
        at += 4;
    }
    const uint8_t *type = b + at - 2, *ip = b + at;
    if (n >= at + 20 && type[0] == 8 && type[1] == 0) {
        add(h, RTE_FLOW_ITEM_TYPE_IPV4, at);
        h->fragment = (ip[6] & 0x3f) || ip[7];
        first = (ip[6] & 0x1f) == 0 && ip[7] == 0;
        next = ip[9];
        at += 20;
    } else if (n >= at + 48 && type[0] == 0x86 && type[1] == 0xdd) {
        add(h, RTE_FLOW_ITEM_TYPE_IPV6, at);
        next = ip[6];
        at += 40;
        h->fragment = next == 44;
        if (h->fragment) {
            next = b[at];
            first = b[at + 2] == 0 && (b[at + 3] & 0xf8) == 0;
            at += 8;
        }
    }
    if (next != 17 || (h->fragment && !(first && rule_nic.looks_into_first)) || n < at + 8)
        return;
    add(h, RTE_FLOW_ITEM_TYPE_UDP, at);
    if (n >= at + 16 && b[at + 2] == 2152 >> 8 && b[at + 3] == (2152 & 255))
        add(h, RTE_FLOW_ITEM_TYPE_GTPU, at + 8);
}

static bool is_same(const struct rule_nic_item *item, const uint8_t *header, bool fragment)
{
    size_t octets = octets_of(item->type);
    for (size_t i = 0; i < octets; i++)
        if ((header[i] ^ item->spec[i]) & item->mask[i])
            return false;
    return item->type != RTE_FLOW_ITEM_TYPE_IPV6 || !item->mask[octets] || !fragment;
}

static bool is_about(const struct rule_nic_rule *rule, const struct headers *h, const uint8_t *b)
{
    if (h->n < rule->items)
        return false;
    for (uint32_t i = 0; i < rule->items; i++)
        if (rule->item[i].type != h->type[i] || !is_same(&rule->item[i], b + h->at[i], h->fragment))
            return false;
    return true;
}

static int queue_of(const uint16_t *port, const uint8_t *frame, size_t n)
{
    struct headers headers;
    read_frame(frame, n, &headers);
    for (const struct rule_nic_rule *rule = rule_nic.rule; rule < rule_nic.rule + RULE_NIC_RULES;
         rule++)
        if (rule->there && (!port || *port == rule->port) && is_about(rule, &headers, frame))
            return rule->queue;
    // Its TEID; RSS knows no ports of fragments, nor what is behind.
    uint32_t last = headers.n - 1;
    if (headers.type[last] == RTE_FLOW_ITEM_TYPE_GTPU && !headers.fragment &&
        rule_nic.hashed == RTE_ETH_RSS_GTPU)
        return rule_nic.table[rule_nic_toeplitz(rule_nic.key, frame + headers.at[last] + 4, 4) %
                              rule_nic.entries];
    return -1;
}

int rule_nic_queue(const uint8_t *frame, size_t n)
{
    return queue_of(NULL, frame, n);
}

int rule_nic_queue_at(uint16_t port, const uint8_t *frame, size_t n)
{
    return queue_of(&port, frame, n);
}
