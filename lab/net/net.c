// See net.h.
#include "lab/net/net.h"

const char *const net_loss_names[NET_LOSSES] = {
#define NET_LOSS(name, help) #name,
#include "lab/net/losses.def"
#undef NET_LOSS
};

const char *const net_loss_helps[NET_LOSSES] = {
#define NET_LOSS(name, help) help,
#include "lab/net/losses.def"
#undef NET_LOSS
};

void net_lose(struct net_counters *counters, const struct net_owner *owner, const uint8_t *ip,
              uint32_t octets, enum net_loss why, uint64_t now_ns)
{
    net_count_add(&counters->lost[why], octets);
    if (owner->lost)
        owner->lost(owner->self, ip, octets, why, now_ns);
}
