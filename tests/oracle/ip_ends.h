// Both ends of a UDP datagram in its Ethernet frame. IPv4 addresses are kept as ::ffff:a.b.c.d, so
// that an address is 16 octets whatever its family.
#ifndef TESTS_ORACLE_IP_ENDS_H
#define TESTS_ORACLE_IP_ENDS_H

#include <stdbool.h>
#include <stdint.h>

struct ip_ends {
    uint8_t source_mac[6], destination_mac[6];
    bool ipv6;
    uint8_t source[16], destination[16];
    uint16_t source_port, destination_port;
    uint8_t tos; // or traffic class
};

#endif
