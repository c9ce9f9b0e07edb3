// See parts.h: GGSNs and other senders on Gn, known to every worker; the check of a peer's address.
#include "dataplane/registry/parts.h"

// The address of one station. The check does not know a link's own broadcast address.
static bool is_unicast(const struct ipv6_address *a)
{
    if (!address_is_ipv4(a))
        return !address_is_none(a) && a->octet[0] != 0xff;
    uint32_t ipv4 = address_ipv4(a);
    return ipv4 >> 24 != 0 && ipv4 >> 28 != 0xe && ipv4 != UINT32_MAX;
}

static bool is_ours(const struct registry_port *port, const struct ipv6_address *address)
{
    bool ours = address_same(address, &port->ipv4) || address_same(address, &port->ipv6);
    for (uint32_t i = 0; i < port->all.n && !ours; i++) {
        struct ipv6_address ipv4 = address_of_ipv4(port->all.of[i].ipv4);
        ours = address_same(address, &ipv4) || address_same(address, &port->all.of[i].ipv6);
    }
    return ours;
}

int registry_peer_check(const struct registry_port *port, const struct ipv6_address *peer)
{
    const struct ipv6_address *ours = address_is_ipv4(peer) ? &port->ipv4 : &port->ipv6;
    if (address_is_none(ours))
        return -EAFNOSUPPORT;
    return is_unicast(peer) && !is_ours(port, peer) ? 0 : -EADDRNOTAVAIL;
}

int registry_ggsn(struct registry *r, struct command *c)
{
    uint32_t id = c->ggsn.ggsn_id;
    int fault = REGISTRY_FREE(r, ggsn, id) ?: registry_peer_check(&r->gn, &c->ggsn.address)
        ?: registry_offer(r, REGISTRY_ALL(r), c);
    if (!fault)
        r->ggsn[id] = (struct registry_ggsn){.made = true};
    return fault;
}

int registry_ggsn_remove(struct registry *r, struct command *c)
{
    uint32_t id = c->ggsn_remove.ggsn_id;
    int fault = REGISTRY_THERE(r, ggsn, id) ?: refuse(r->ggsn[id].pdps > 0, -EBUSY)
        ?: registry_offer(r, REGISTRY_ALL(r), c);
    if (!fault)
        r->ggsn[id].made = false;
    return fault;
}

int registry_gn_from(struct registry *r, struct command *c)
{
    const struct command_nets *nets = &c->gn_from.nets;
    if (nets->n > PORT_NETS)
        return -ERANGE;
    for (uint64_t i = 0; i < nets->n; i++)
        if (nets->item[i].prefix > 128)
            return -ERANGE;
    return registry_offer(r, REGISTRY_ALL(r), c);
}
