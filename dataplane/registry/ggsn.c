// See parts.h: GGSNs, what control sends them, and other senders on Gn, all known to every worker;
// the check of a peer's address.
#include "dataplane/registry/parts.h"
#include "dataplane/wire/gtpc.h"

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

// A datagram of GTP-C is of the one GGSN with its address.
static int gtpc_check(const struct registry *r, const struct ipv6_address *address)
{
    if (r->gn.udp_port == GTPC_PORT)
        return -EADDRINUSE;
    for (uint32_t i = 0; i < r->limits.ggsns; i++)
        if (r->ggsn[i].made && r->ggsn[i].gtpc && address_same(&r->ggsn[i].address, address))
            return -EEXIST;
    return 0;
}

int registry_ggsn(struct registry *r, struct command *command)
{
    const struct command_ggsn c = command->ggsn;
    bool gtpc = c.has_gtpc && c.gtpc;
    int fault = REGISTRY_FREE(r, ggsn, c.ggsn_id) ?: registry_peer_check(&r->gn, &c.address)
        ?: (gtpc ? gtpc_check(r, &c.address) : 0) ?: registry_offer(r, REGISTRY_ALL(r), command);
    if (!fault)
        r->ggsn[c.ggsn_id] =
            (struct registry_ggsn){.made = true, .gtpc = gtpc, .address = c.address};
    return fault;
}

// GTP-C is worker 0's to send, so that it comes from one address and keeps its order.
int registry_ggsn_send(struct registry *r, struct command *c)
{
    uint32_t id = c->ggsn_send.ggsn_id;
    struct octets *pdu = &c->ggsn_send.pdu;
    return refuse(pdu->n == 0, -ERANGE) ?: REGISTRY_THERE(r, ggsn, id)
        ?: refuse(!r->ggsn[id].gtpc, -ENOTSUP)
        ?: refuse(pdu->n > r->gn.mtu_octets - (uint32_t)(IPV6_OCTETS + UDP_OCTETS), -EMSGSIZE)
        ?: registry_room(r, 1) ?: registry_take_pdu(r, c, pdu, 0) ?: registry_offer(r, 1, c);
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
