// What the parts of the network between the hosts and the GGSN have in common: IP packets as
// octets, whom they are handed to, and why they are lost.
#ifndef SLUICE_LAB_NET_NET_H
#define SLUICE_LAB_NET_NET_H

#include <stdint.h>

enum net_loss {
#define NET_LOSS(name, help) NET_LOSS_##name,
#include "lab/net/losses.def"
#undef NET_LOSS
    NET_LOSSES
};

extern const char *const net_loss_names[NET_LOSSES];
extern const char *const net_loss_helps[NET_LOSSES];

// The octets are the callee's to read until it returns.
typedef void net_deliver_fn(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns);
typedef void net_lost_fn(void *self, const uint8_t *ip, uint32_t octets, enum net_loss why,
                         uint64_t now_ns);

// Whom a part hands its packets to; `lost` may be NULL.
struct net_owner {
    void *self;
    net_deliver_fn *deliver;
    net_lost_fn *lost;
};

struct net_count {
    uint64_t packets, octets;
};

// At any instant in = out + the sum of lost + held, in packets and in octets.
struct net_counters {
    struct net_count in, out, held;
    struct net_count lost[NET_LOSSES];
};

static inline void net_count_add(struct net_count *count, uint32_t octets)
{
    count->packets++;
    count->octets += octets;
}

static inline void net_count_remove(struct net_count *count, uint32_t octets)
{
    count->packets--;
    count->octets -= octets;
}

// Counts a lost packet and tells the owner.
void net_lose(struct net_counters *counters, const struct net_owner *owner, const uint8_t *ip,
              uint32_t octets, enum net_loss why, uint64_t now_ns);

#endif
