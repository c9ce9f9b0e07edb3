// See port_parts.h: rules of rte_flow with the action QUEUE; and those by peer, which come and go
// with NS-VCs while frames flow. A rule only saves a worker from handing a frame on, so it may come
// late, be missing, or outlive its peer.
#include <errno.h>

#include "dataplane/port/port_parts.h"

void port_rule_items(struct rule *rule, uint16_t vlan, bool ipv6, enum rule_depth depth)
{
    const struct rte_flow_item vlan_item = {
        .type = RTE_FLOW_ITEM_TYPE_VLAN, .spec = &rule->vlan, .mask = &rule->vlan_mask};
    const struct rte_flow_item ipv4_item = {
        .type = RTE_FLOW_ITEM_TYPE_IPV4, .spec = &rule->ipv4, .mask = &rule->ipv4_mask};
    const struct rte_flow_item ipv6_item = {
        .type = RTE_FLOW_ITEM_TYPE_IPV6, .spec = &rule->ipv6, .mask = &rule->ipv6_mask};
    const struct rte_flow_item udp_item = {
        .type = RTE_FLOW_ITEM_TYPE_UDP, .spec = &rule->udp, .mask = &rule->udp_mask};
    const struct rte_flow_item gtpu_item = {
        .type = RTE_FLOW_ITEM_TYPE_GTPU, .spec = &rule->gtp, .mask = &rule->gtp_mask};
    struct rte_flow_item *item = rule->item;
    *item++ = (struct rte_flow_item){.type = RTE_FLOW_ITEM_TYPE_ETH};
    if (vlan) {
        rule->vlan.hdr.vlan_tci = rte_cpu_to_be_16(vlan);
        rule->vlan_mask.hdr.vlan_tci = rte_cpu_to_be_16(ETHER_VID_MASK);
        *item++ = vlan_item;
    }
    *item++ = ipv6 ? ipv6_item : ipv4_item;
    if (depth == RULE_UDP)
        *item++ = udp_item;
    if (depth == RULE_GTPU) {
        *item++ = (struct rte_flow_item){.type = RTE_FLOW_ITEM_TYPE_UDP}; // its port is GTP-U's
        *item++ = gtpu_item;
    }
    *item = (struct rte_flow_item){.type = RTE_FLOW_ITEM_TYPE_END};
}

void port_rule_whole(struct rule *rule, bool ipv6)
{
    if (ipv6)
        rule->ipv6_mask.has_frag_ext = 1;
    else
        rule->ipv4_mask.hdr.fragment_offset =
            rte_cpu_to_be_16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK);
}

int port_rule_ask(const struct port_device *device, const struct rule *rule, struct rte_flow **made,
                  struct rte_flow_error *error)
{
    const struct rte_flow_attr attr = {.ingress = 1};
    const struct rte_flow_action_queue queue = {.index = rule->queue};
    const struct rte_flow_action actions[] = {{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &queue},
                                              {.type = RTE_FLOW_ACTION_TYPE_END}};
    if (!made)
        return rte_flow_validate(device->id, &attr, rule->item, actions, error);
    *made = rte_flow_create(device->id, &attr, rule->item, actions, error);
    return *made ? 0 : -EIO;
}

int port_rule_end(const struct port_device *device, struct rte_flow *flow)
{
    struct rte_flow_error ignored;
    return rte_flow_destroy(device->id, flow, &ignored);
}

// ---- By peer ----

struct rte_flow *port_peer_rule(const struct port_device *device, const struct port_endpoint *peer,
                                uint16_t queue, const char **why)
{
    bool ipv6 = !address_is_ipv4(&peer->address);
    struct rte_flow_error error = {0};
    struct rte_flow *made;
    struct rule rule = {.queue = queue};
    if (ipv6) {
        memcpy(&rule.ipv6.hdr.src_addr, &peer->address, sizeof peer->address);
        memset(&rule.ipv6_mask.hdr.src_addr, 0xff, sizeof peer->address);
    } else {
        rule.ipv4.hdr.src_addr = rte_cpu_to_be_32(address_ipv4(&peer->address));
        rule.ipv4_mask.hdr.src_addr = UINT32_MAX;
    }
    rule.udp.hdr.src_port = rte_cpu_to_be_16(peer->udp_port);
    rule.udp_mask.hdr.src_port = UINT16_MAX;
    if (device->peer_rules.whole)
        port_rule_whole(&rule, ipv6);
    port_rule_items(&rule, device->peer_rules.vlan, ipv6, RULE_UDP);
    int fault = port_rule_ask(device, &rule, &made, &error);
    if (fault)
        *why = error.message ? error.message : rte_strerror(-fault);
    return made;
}
