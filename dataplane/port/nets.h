// Who sends to a port beside its peers: addresses whose first bits are these, of IPv4's the
// last 32.
#ifndef SLUICE_PORT_NETS_H
#define SLUICE_PORT_NETS_H

#include "dataplane/wire/address.h"

#define PORT_NETS 12u

struct port_net {
    struct ipv6_address address;
    uint8_t prefix;
};

struct port_nets {
    uint32_t n;
    struct port_net net[PORT_NETS];
};

#endif
