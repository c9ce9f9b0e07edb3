// TCP segments in IP packets as octets, either way between an MS and a host, and their checksums as
// plain sums over all of it. Shares no code with the dataplane.
#ifndef TESTS_DATAPLANE_WINDOW_SEGMENT_H
#define TESTS_DATAPLANE_WINDOW_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SEGMENT_OCTETS_MAX 400u

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16 };

struct draft {
    bool ipv6, up;
    uint8_t ms, host; // the last octets of their addresses
    uint16_t ms_port, host_port;
    uint32_t sequence, acknowledgement;
    uint8_t flags;
    uint16_t window;
    uint8_t options[40];
    uint32_t options_octets; // a multiple of 4
    uint32_t payload_octets;
    uint32_t ip_options;  // of IPv4, in words
    uint32_t extensions;  // of IPv6: headers with destination options
    bool fragment;        // the first, or the last, of several
    uint32_t fragment_at; // in units of 8 octets
    uint8_t protocol;     // 0: TCP
    uint16_t spoilt;      // added to a good checksum
};

struct packet {
    uint8_t octets[SEGMENT_OCTETS_MAX];
    uint32_t n, tcp; // where TCP begins
};

static inline void put_two(uint8_t *b, uint32_t v)
{
    b[0] = (uint8_t)(v >> 8);
    b[1] = (uint8_t)v;
}

static inline uint32_t two(const uint8_t *b)
{
    return (uint32_t)b[0] << 8 | b[1];
}

static inline uint64_t words_of(const uint8_t *b, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += i % 2 ? b[i] : (uint64_t)b[i] << 8;
    return sum;
}

static inline uint32_t folded(uint64_t sum)
{
    while (sum > 0xffff)
        sum = sum % 0x10000 + sum / 0x10000;
    return (uint32_t)sum;
}

// The ones' complement sum of the segment and its pseudo header: 0xffff is a good checksum.
static inline uint32_t segment_sum(const struct packet *packet)
{
    bool ipv6 = packet->octets[0] >> 4 == 6;
    uint32_t n = packet->n - packet->tcp;
    uint64_t sum = words_of(packet->octets + (ipv6 ? 8 : 12), ipv6 ? 32 : 8) + 6 + n;
    return folded(sum + words_of(packet->octets + packet->tcp, n));
}

static inline void put_ends(const struct draft *d, uint8_t *b, uint32_t octets)
{
    memset(b, 0x20, 2 * octets);
    b[octets - 1] = d->up ? d->ms : d->host;
    b[2 * octets - 1] = d->up ? d->host : d->ms;
}

static inline void put_ipv4(const struct draft *d, struct packet *packet)
{
    uint8_t *b = packet->octets;
    uint32_t header = packet->tcp;
    b[0] = (uint8_t)(0x40 | header / 4);
    put_two(b + 2, packet->n);
    put_two(b + 6, (d->fragment ? 0x2000 : 0) | d->fragment_at);
    b[8] = 64;
    b[9] = d->protocol ? d->protocol : 6;
    put_ends(d, b + 12, 4);
    memset(b + 20, 1, header - 20); // no operation
    put_two(b + 10, 0);
    put_two(b + 10, ~folded(words_of(b, header)));
}

static inline void put_ipv6(const struct draft *d, struct packet *packet)
{
    uint8_t *b = packet->octets, *next = b + 6;
    uint32_t at = 40;
    b[0] = 0x60;
    put_two(b + 4, packet->n - 40);
    b[7] = 64;
    put_ends(d, b + 8, 16);
    for (uint32_t i = 0; i < d->extensions; i++, at += 8) {
        *next = 60;
        next = b + at;
        b[at + 2] = 1; // PadN
        b[at + 3] = 4;
    }
    if (d->fragment || d->fragment_at) {
        *next = 44;
        next = b + at;
        put_two(b + at + 2, d->fragment_at << 3 | d->fragment);
    }
    *next = d->protocol ? d->protocol : 6;
}

static inline uint32_t headers_of(const struct draft *d)
{
    if (!d->ipv6)
        return 20 + 4 * d->ip_options;
    return 40 + 8 * d->extensions + (d->fragment || d->fragment_at ? 8 : 0);
}

static inline struct packet segment_of(const struct draft *d)
{
    struct packet packet = {.tcp = headers_of(d)};
    uint8_t *b = packet.octets + packet.tcp;
    packet.n = packet.tcp + 20 + d->options_octets + d->payload_octets;
    put_two(b, d->up ? d->ms_port : d->host_port);
    put_two(b + 2, d->up ? d->host_port : d->ms_port);
    put_two(b + 4, d->sequence >> 16);
    put_two(b + 6, d->sequence);
    put_two(b + 8, d->acknowledgement >> 16);
    put_two(b + 10, d->acknowledgement);
    b[12] = (uint8_t)((20 + d->options_octets) / 4 << 4);
    b[13] = d->flags;
    put_two(b + 14, d->window);
    memcpy(b + 20, d->options, d->options_octets);
    for (uint32_t i = 0; i < d->payload_octets; i++)
        b[20 + d->options_octets + i] = (uint8_t)(7 * i + d->sequence);
    if (d->ipv6)
        put_ipv6(d, &packet);
    else
        put_ipv4(d, &packet);
    put_two(b + 16, ~segment_sum(&packet));
    put_two(b + 16, two(b + 16) + d->spoilt);
    return packet;
}

// Options of a SYN: MSS and window scale; -1: without.
static inline void draft_options(struct draft *d, int mss, int scale)
{
    uint32_t n = 0;
    if (mss >= 0) {
        memcpy(d->options, (uint8_t[]){2, 4, (uint8_t)(mss >> 8), (uint8_t)mss}, 4);
        n = 4;
    }
    if (scale >= 0) {
        memcpy(d->options + n, (uint8_t[]){1, 3, 3, (uint8_t)scale}, 4);
        n += 4;
    }
    d->options_octets = n;
}

#endif
