// See gi_parts.h. Flows are found by their ends, users by their addresses or, where tunnels tell
// them apart, by the segments that fit a flow.
#include "lab/captures/gi/gi_parts.h"

#include "dataplane/wire/address.h"
#include "dataplane/wire/tcp.h"

#define ALIKE_MOST 64 // flows between the same ends at once, of as many users

static bool has_prefix(const struct gi_prefix *prefix, const struct ipv6_address *address)
{
    uint32_t whole = prefix->bits / 8, rest = prefix->bits % 8;
    if (memcmp(prefix->address.octet, address->octet, whole) != 0)
        return false;
    uint8_t mask = (uint8_t)(0xff00 >> rest);
    return rest == 0 || ((prefix->address.octet[whole] ^ address->octet[whole]) & mask) == 0;
}

static bool is_mobile(const struct gi_config *config, const struct ipv6_address *address)
{
    for (uint32_t i = 0; i < config->mobiles; i++)
        if (has_prefix(&config->mobile[i], address))
            return true;
    return false;
}

static bool is_end(const struct gi_flow *flow, enum gi_side side, const struct gi_end *end)
{
    const struct gi_user *user = flow->user[side];
    return flow->port[side] == end->port && address_same(&user->address, &end->address);
}

// The first flow from that record on between these addresses and ports, in whichever tunnel.
static inline struct gi_flow *find_from(struct gi_node *node, const struct gi_packet *packet,
                                        uint32_t hash, enum gi_side *side)
{
    for (; node; node = node->next) {
        struct gi_flow *flow = (struct gi_flow *)node;
        if (node->hash != hash)
            continue;
        *side = is_end(flow, GI_UP, &packet->from) ? GI_UP : GI_DOWN;
        if (is_end(flow, *side, &packet->from) && is_end(flow, !*side, &packet->to))
            return flow;
    }
    return NULL;
}

struct gi_flow *gi_whose_find(struct gi *gi, const struct gi_packet *packet, uint32_t hash,
                              enum gi_side *side)
{
    struct gi_node *node = gi_table_first(&gi->flows, hash);
    struct gi_flow *flow;
    for (; (flow = find_from(node, packet, hash, side)); node = flow->node.next)
        if (flow->user[*side]->number == packet->from.user &&
            flow->user[!*side]->number == packet->to.user)
            return flow;
    return NULL;
}

// Which side sends the first segment that is seen of a flow. False: the flow is elsewhere.
static bool side_of(const struct gi *gi, const struct gi_packet *packet, enum gi_side *side)
{
    bool syn = packet->flags & TCP_SYN, ack = packet->flags & TCP_ACK;
    if (gi->config.mobiles) {
        bool from = is_mobile(&gi->config, &packet->from.address);
        *side = from ? GI_UP : GI_DOWN;
        return from != is_mobile(&gi->config, &packet->to.address);
    }
    if (syn)
        *side = ack ? GI_DOWN : GI_UP;
    else // a server's port is the smaller one, mostly
        *side = packet->from.port >= packet->to.port ? GI_UP : GI_DOWN;
    return true;
}

static void set_end(struct gi *gi, struct gi_flow *flow, enum gi_side side,
                    const struct gi_end *end)
{
    flow->port[side] = end->port;
    flow->user[side] = gi_users_get(&gi->users, end, gi->now_ns);
    gi_users_hold(flow->user[side]);
}

// Users of one address may have flows between the same ends, and each segment in a new tunnel is
// held against all of these. Of so many the one ends that was silent longest.
static void end_alike(struct gi *gi, const struct gi_packet *packet, uint32_t hash)
{
    struct gi_node *node = gi_table_first(&gi->flows, hash);
    struct gi_flow *oldest = NULL;
    uint32_t alike = 0;
    enum gi_side side;
    for (struct gi_flow *flow; (flow = find_from(node, packet, hash, &side));
         node = flow->node.next, alike++)
        if (!oldest || flow->node.touched_ns < oldest->node.touched_ns)
            oldest = flow;
    if (alike < ALIKE_MOST)
        return;
    gi->counts.n[GI_COUNT_flows_alike]++;
    gi_end_flow(gi, oldest);
}

struct gi_flow *gi_whose_begin(struct gi *gi, const struct gi_packet *packet, uint32_t hash,
                               enum gi_side *side)
{
    if (!side_of(gi, packet, side))
        return NULL;
    if (gi->config.users_by_tunnel)
        end_alike(gi, packet, hash);
    gi_end_for_room(gi);
    struct gi_flow *flow = (struct gi_flow *)gi_table_add(&gi->flows, hash, gi->now_ns);
    gi->series.now.begun++;
    set_end(gi, flow, *side, &packet->from);
    set_end(gi, flow, !*side, &packet->to);
    bool syn = packet->flags & TCP_SYN, ack = packet->flags & TCP_ACK;
    flow->setup.from_internet = syn && (*side == GI_DOWN) != ack;
    return flow;
}

// ---- Tunnels ----

void gi_whose_take_tunnel(struct gi *gi, struct gi_user *user, uint32_t teid, enum gi_side side)
{
    gi->counts.n[GI_COUNT_tunnel_changes] += side == GI_DOWN && teid && user->teid[side];
    user->teid[side] = teid;
}

// The user of a flow of which the segment may be; 0: none.
static uint32_t user_by_flow(const struct gi *gi, const struct gi_packet *packet, uint32_t hash,
                             enum gi_side *side)
{
    struct gi_node *node = gi_table_first(&gi->flows, hash);
    for (struct gi_flow *flow; (flow = find_from(node, packet, hash, side));
         node = flow->node.next) {
        uint32_t number = flow->user[GI_UP]->number;
        if (number && gi_tunnels_fits(flow, packet, *side))
            return number;
    }
    return 0;
}

void gi_whose_name_user(struct gi *gi, struct gi_packet *packet, uint32_t hash)
{
    enum gi_side side;
    if (gi_tunnels_name(&gi->tunnels, packet, gi->now_ns))
        return;
    uint32_t number = user_by_flow(gi, packet, hash, &side);
    if (number || side_of(gi, packet, &side))
        gi_tunnels_give(&gi->tunnels, packet, number, side == GI_UP, gi->now_ns);
}

// Of a packet that does not show whose it is.
void gi_whose_name_if_known(struct gi *gi, struct gi_packet *packet)
{
    if (gi->config.users_by_tunnel && packet->teid)
        gi->counts.n[GI_COUNT_tunnel_unknown] += !gi_tunnels_name(&gi->tunnels, packet, gi->now_ns);
}
