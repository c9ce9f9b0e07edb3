// An IP address of either family in one struct: IPv4 as ::ffff:a.b.c.d (RFC 4291 2.5.5.2), which is
// never sent in this form; all zeros is no address.
#ifndef SLUICE_WIRE_ADDRESS_H
#define SLUICE_WIRE_ADDRESS_H

#include <string.h>

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/field.h"

static inline struct ipv6_address address_of_ipv4(uint32_t ipv4)
{
    struct ipv6_address a = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};
    put_be32(a.octet + 12, ipv4);
    return a;
}

static inline bool address_is_ipv4(const struct ipv6_address *a)
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return memcmp(a->octet, mapped, sizeof mapped) == 0;
}

static inline uint32_t address_ipv4(const struct ipv6_address *a)
{
    return get_be32(a->octet + 12);
}

static inline bool address_is_none(const struct ipv6_address *a)
{
    static const struct ipv6_address none = {{0}};
    return memcmp(a, &none, sizeof none) == 0;
}

static inline bool address_same(const struct ipv6_address *a, const struct ipv6_address *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

#endif
