// Connections whose IP packets are UDP outside (enum tcp_outside): an octet of a datagram says
// nothing of its segment, which the lab keeps beside, by the MS's address, the direction and the IP
// identification. So what is on the way is found as the ledger finds it, and an identification that
// comes again takes the place of a packet that was lost.
#ifndef SLUICE_LAB_HOSTS_FLOW_OUTSIDE_H
#define SLUICE_LAB_HOSTS_FLOW_OUTSIDE_H

#include "lab/hosts/flow.h"
#include "lab/net/map.h"

#define FLOW_TUNNEL_HOST_PORT 51820 // WireGuard's
#define FLOW_TUNNEL_MS_PORT   1024  // no flow of an application's is given it

struct flow_outside_segment;

// All zeros: nothing is on the way.
struct flow_outside {
    struct map segments;
    struct flow_outside_segment *all, *spare;
    uint32_t datagrams; // sent
};

void flow_outside_release(struct flow_outside *outside);

#endif
