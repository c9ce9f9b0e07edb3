// Hands each IPv4 packet to the host that has its destination address. A router takes no time, and
// leaves the packet as it is: its time to live does not go down.
#ifndef SLUICE_LAB_NET_ROUTER_H
#define SLUICE_LAB_NET_ROUTER_H

#include "lab/net/map.h"
#include "lab/net/net.h"

struct router_route;

struct router {
    struct net_owner owner; // `deliver`, unless NULL, takes what has no route of its own
    struct map routes;
    struct router_route *all;
    struct net_counters counters;
};

void router_setup(struct router *router, const struct net_owner *owner);
void router_release(struct router *router);

// 0, or -EEXIST.
int router_add(struct router *router, uint32_t address, net_deliver_fn *deliver, void *self);

// 0, or -ENOENT.
int router_remove(struct router *router, uint32_t address);

// A net_deliver_fn, of which `self` is the router. Calls `deliver` or `lost` from inside; both may
// call router_send, and `deliver` may add and remove routes.
void router_send(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns);

#endif
