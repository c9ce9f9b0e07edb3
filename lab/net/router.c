// See router.h.
#include "lab/net/router.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/wire/ipv4.h"
#include "lab/engine/need.h"

struct router_route {
    struct router_route *next, **at; // in the list of all, for the release
    net_deliver_fn *deliver;
    void *self;
};

void router_setup(struct router *router, const struct net_owner *owner)
{
    *router = (struct router){.owner = *owner};
}

static void free_route(struct router_route *route)
{
    *route->at = route->next;
    if (route->next)
        route->next->at = route->at;
    free(route);
}

void router_release(struct router *router)
{
    while (router->all)
        free_route(router->all);
    map_release(&router->routes);
}

int router_add(struct router *router, uint32_t address, net_deliver_fn *deliver, void *self)
{
    if (map_find(&router->routes, address))
        return -EEXIST;
    struct router_route *route = need(malloc(sizeof *route));
    *route = (struct router_route){router->all, &router->all, deliver, self};
    if (router->all)
        router->all->at = &route->next;
    router->all = route;
    return map_add(&router->routes, address, route);
}

int router_remove(struct router *router, uint32_t address)
{
    struct router_route *route = map_remove(&router->routes, address);
    if (!route)
        return -ENOENT;
    free_route(route);
    return 0;
}

void router_send(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    struct router *router = self;
    struct ipv4 packet;
    net_count_add(&router->counters.in, octets);
    if (ipv4_decode(&packet, ip, octets) < 0) {
        net_lose(&router->counters, &router->owner, ip, octets, NET_LOSS_ip_header, now_ns);
        return;
    }
    const struct router_route *route = map_find(&router->routes, packet.destination);
    net_deliver_fn *deliver = route ? route->deliver : router->owner.deliver;
    if (!deliver) {
        net_lose(&router->counters, &router->owner, ip, octets, NET_LOSS_no_route, now_ns);
        return;
    }
    net_count_add(&router->counters.out, octets);
    deliver(route ? route->self : router->owner.self, ip, octets, now_ns);
}
