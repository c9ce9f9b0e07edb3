// See ip_writer.h.
#include "tests/oracle/ip_writer.h"

#include <assert.h>
#include <string.h>

enum { ETHERNET = 14, IPV4 = 20, IPV6 = 40, UDP = 8, FRAGMENT = 8 };

static void put16(uint8_t *at, size_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static bool is_ipv6(const struct ip_frame *f)
{
    return f->octets[12] == 0x86;
}

static uint64_t sum_of(const uint8_t *at, size_t octets)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < octets; i++)
        sum += i % 2 ? at[i] : at[i] * 256u;
    return sum;
}

static void ipv4_repair(uint8_t *ip)
{
    put16(ip + 10, 0);
    put16(ip + 10, 65535 - sum_of(ip, IPV4) % 65535);
}

// Both addresses stand in one piece. UDP sends a checksum of 0 as all ones: with x below 65535,
// 65535 - x is never 0.
void ip_repair(struct ip_frame *f)
{
    uint8_t *ip = f->octets + ETHERNET, *udp = ip + (is_ipv6(f) ? IPV6 : IPV4);
    size_t n = (size_t)(f->octets + f->n - udp);
    if (!is_ipv6(f))
        ipv4_repair(ip);
    put16(udp + 6, 0);
    uint64_t sum = 17 + n + sum_of(is_ipv6(f) ? ip + 8 : ip + 12, is_ipv6(f) ? 32 : 8);
    put16(udp + 6, 65535 - (sum + sum_of(udp, n)) % 65535);
}

static void ipv4_put(uint8_t *ip, const struct ip_ends *ends, size_t payload)
{
    memcpy(ip, "\x45\0\0\0\0\0\0\0\x40\x11\0\0", 12);
    ip[1] = ends->tos;
    put16(ip + 2, IPV4 + payload);
    memcpy(ip + 12, ends->source + 12, 4);
    memcpy(ip + 16, ends->destination + 12, 4);
}

static void ipv6_put(uint8_t *ip, const struct ip_ends *ends, size_t payload)
{
    memcpy(ip, "\x60\0\0\0\0\0\x11\x40", 8);
    ip[0] |= ends->tos >> 4;
    ip[1] = (uint8_t)(ends->tos << 4);
    put16(ip + 4, payload);
    memcpy(ip + 8, ends->source, 16);
    memcpy(ip + 24, ends->destination, 16);
}

void ip_write(struct ip_frame *f, const struct ip_ends *ends, const uint8_t *payload, size_t n)
{
    uint8_t *ip = f->octets + ETHERNET, *udp = ip + (ends->ipv6 ? IPV6 : IPV4);
    assert(ETHERNET + IPV6 + UDP + n <= sizeof(f->octets));
    memcpy(f->octets, ends->destination_mac, 6);
    memcpy(f->octets + 6, ends->source_mac, 6);
    put16(f->octets + 12, ends->ipv6 ? 0x86dd : 0x0800);
    (ends->ipv6 ? ipv6_put : ipv4_put)(ip, ends, UDP + n);
    put16(udp, ends->source_port);
    put16(udp + 2, ends->destination_port);
    put16(udp + 4, UDP + n);
    memcpy(udp + UDP, payload, n);
    f->n = (size_t)(udp + UDP + n - f->octets);
    ip_repair(f);
}

// RFC 8200 4.5: the fragment header goes between the IPv6 header and the payload.
static void fragment_header_put(uint8_t *ip, uint32_t id, size_t offset, bool more)
{
    ip[6] = 44;
    memcpy(ip + IPV6, "\x11\0", 2);
    put16(ip + IPV6 + 2, offset | more);
    put16(ip + IPV6 + 4, id >> 16);
    put16(ip + IPV6 + 6, id & 0xffff);
}

size_t ip_fragment(const struct ip_frame *whole, uint32_t id, size_t mtu, size_t offset,
                   struct ip_frame *f)
{
    bool six = is_ipv6(whole);
    size_t header = six ? IPV6 : IPV4, taken = header + (six ? FRAGMENT : 0);
    size_t left = whole->n - ETHERNET - header - offset, n = (mtu - taken) & ~(size_t)7;
    bool more = left > n;
    n = more ? n : left;
    memcpy(f->octets, whole->octets, ETHERNET + header);
    memcpy(f->octets + ETHERNET + taken, whole->octets + ETHERNET + header + offset, n);
    f->n = ETHERNET + taken + n;
    uint8_t *ip = f->octets + ETHERNET;
    if (six) {
        put16(ip + 4, FRAGMENT + n);
        fragment_header_put(ip, id, offset, more);
    } else {
        put16(ip + 2, IPV4 + n);
        put16(ip + 4, id & 0xffff);
        put16(ip + 6, (more ? 0x2000u : 0) | offset / 8);
        ipv4_repair(ip);
    }
    return more ? offset + n : 0;
}
