// Nets that may send to a port besides its peers: the first `prefix` bits of IPv6 addresses, and of
// IPv4 addresses as ::ffff:a.b.c.d.
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
