// See gi_tunnels.h.
#include "lab/captures/gi/gi_tunnels.h"

#include "dataplane/wire/tcp.h"
#include "lab/captures/gi/gi_hash.h"

#define NEAR_OCTETS   (1u << 20)
#define PREFIX_OCTETS 8 // of an address of IPv6: what a network gives to a user

struct tunnel {
    struct gi_node node;
    struct ipv6_address end, inner; // inner: the user's, of which IPv6 may have several
    uint32_t teid, user;
    bool up;
};

void gi_tunnels_create(struct gi_tunnels *tunnels, uint32_t most)
{
    *tunnels = (struct gi_tunnels){.most = most};
    gi_table_create(&tunnels->table, sizeof(struct tunnel), 0);
}

void gi_tunnels_destroy(struct gi_tunnels *tunnels)
{
    gi_table_destroy(&tunnels->table);
}

static uint32_t hash_of(const struct gi_packet *packet)
{
    return gi_hash_with(gi_hash_address(&packet->tunnel_end), packet->teid);
}

static struct tunnel *find(struct gi_tunnels *tunnels, const struct gi_packet *packet)
{
    struct gi_node *node = gi_table_first(&tunnels->table, hash_of(packet));
    for (; node; node = node->next) {
        struct tunnel *tunnel = (struct tunnel *)node;
        if (tunnel->teid == packet->teid && address_same(&tunnel->end, &packet->tunnel_end))
            return tunnel;
    }
    return NULL;
}

static struct gi_end *end_of(struct gi_packet *packet, bool up)
{
    return up ? &packet->from : &packet->to;
}

// A TEID is given to another user sooner or later, but not to one of the same address.
static bool is_of(const struct tunnel *tunnel, const struct ipv6_address *address)
{
    uint32_t octets = address_is_ipv4(address) ? 16 : PREFIX_OCTETS;
    return memcmp(&tunnel->inner, address, octets) == 0;
}

static void name(const struct tunnel *tunnel, struct gi_packet *packet)
{
    end_of(packet, tunnel->up)->user = tunnel->user;
}

bool gi_tunnels_name(struct gi_tunnels *tunnels, struct gi_packet *packet, uint64_t now_ns)
{
    struct tunnel *tunnel = find(tunnels, packet);
    if (!tunnel)
        return false;
    if (!is_of(tunnel, &end_of(packet, tunnel->up)->address)) {
        gi_table_remove(&tunnels->table, &tunnel->node);
        return false;
    }
    gi_table_touch(&tunnels->table, &tunnel->node, 0, now_ns);
    name(tunnel, packet);
    return true;
}

uint32_t gi_tunnels_give(struct gi_tunnels *tunnels, struct gi_packet *packet, uint32_t user,
                         bool up, uint64_t now_ns)
{
    if (tunnels->table.used >= tunnels->most)
        gi_table_remove(&tunnels->table, tunnels->table.list[0].oldest);
    struct tunnel *tunnel = (struct tunnel *)gi_table_add(&tunnels->table, hash_of(packet), now_ns);
    tunnel->end = packet->tunnel_end;
    tunnel->teid = packet->teid;
    tunnel->user = user ? user : ++tunnels->users;
    tunnel->up = up;
    tunnel->inner = end_of(packet, up)->address;
    name(tunnel, packet);
    return tunnel->user;
}

// A SYN repeats one, a SYN-ACK is for one; other segments are near those that have passed.
bool gi_tunnels_fits(const struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side)
{
    const struct gi_setup *setup = &flow->setup;
    const struct gi_half *half = &flow->half[side], *other = &flow->half[!side];
    bool syn = packet->flags & TCP_SYN, ack = packet->flags & TCP_ACK;
    if (syn)
        return setup->syns && (ack ? packet->acknowledgement == setup->initial + 1
                                   : packet->sequence == setup->initial);
    if (ack && other->started &&
        packet->acknowledgement - other->una + NEAR_OCTETS > 2 * NEAR_OCTETS)
        return false;
    return !half->started || packet->sequence - half->una + NEAR_OCTETS <= 2 * NEAR_OCTETS;
}

void gi_tunnels_expire(struct gi_tunnels *tunnels, uint64_t now_ns, uint64_t silence_ns)
{
    for (struct gi_node *node; (node = tunnels->table.list[0].oldest);) {
        if (now_ns - node->touched_ns < silence_ns)
            return;
        gi_table_remove(&tunnels->table, node);
    }
}
