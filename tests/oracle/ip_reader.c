// See ip_reader.h. Each step looks at what the one before it left, bounds first.
#include "tests/oracle/ip_reader.h"

#include <string.h>

#define REQUIRE(condition, error)  \
    do {                           \
        if (!(condition))          \
            return IP_ERR_##error; \
    } while (0)

// A packet on its way: what is left of it, and what a fragment says.
struct packet {
    const uint8_t *at;
    size_t left;
    unsigned protocol;
    bool in_fragments, more;
    size_t offset;
    uint32_t id;
};

static unsigned be16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

// RFC 1071: over octets with their checksum in place, the folded sum is all ones.
static bool sum_is_good(uint64_t sum, const uint8_t *at, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        sum += i % 2 ? at[i] : at[i] * 256u;
    return sum > 0 && sum % 65535 == 0;
}

static enum ip_error length_check(const struct ip_reader *reader, const struct packet *p,
                                  size_t total)
{
    REQUIRE(total <= p->left, IP_LENGTH);
    REQUIRE(total == p->left || p->left == 60 - 14, IP_LENGTH);
    REQUIRE(reader->accept.mtu_octets == 0 || total <= reader->accept.mtu_octets, IP_MTU);
    return IP_ERR_NONE;
}

static void mapped(uint8_t address[16], const uint8_t *ipv4)
{
    memset(address, 0, 10);
    memset(address + 10, 0xff, 2);
    memcpy(address + 12, ipv4, 4);
}

static enum ip_error ipv4_open(struct ip_reader *reader, struct packet *p, struct ip_ends *ends)
{
    const uint8_t *ip = p->at;
    REQUIRE(p->left >= 20, IP_SHORT);
    REQUIRE(ip[0] == 0x45, IP_HEADER);
    size_t total = be16(ip + 2);
    REQUIRE(total >= 20, IP_LENGTH);
    enum ip_error error = length_check(reader, p, total);
    if (error)
        return error;
    REQUIRE(sum_is_good(0, ip, 20), IP_CHECKSUM);
    p->in_fragments = (be16(ip + 6) & 0x3fff) != 0;
    REQUIRE((ip[6] & 0x80) == 0 && (!p->in_fragments || reader->accept.fragments), IP_FRAGMENT);
    REQUIRE(!p->in_fragments || (ip[6] & 0x40) == 0, IP_FRAGMENT_DF);
    p->more = ip[6] & 0x20;
    p->offset = 8 * (be16(ip + 6) & 0x1fff);
    p->id = be16(ip + 4);
    REQUIRE(ip[8] != 0, IP_TTL);
    p->protocol = ip[9];
    ends->tos = ip[1];
    mapped(ends->source, ip + 12);
    mapped(ends->destination, ip + 16);
    p->at += 20;
    p->left = total - 20;
    return IP_ERR_NONE;
}

// RFC 8200 4.5: next header, reserved, offset in 13 bits, two reserved bits, M, identification.
static enum ip_error fragment_header_open(struct ip_reader *reader, struct packet *p)
{
    const uint8_t *h = p->at;
    REQUIRE(p->left >= 8, IP_SHORT);
    REQUIRE(reader->accept.fragments && h[1] == 0 && (h[3] & 6) == 0, IP_FRAGMENT);
    p->in_fragments = true;
    p->protocol = h[0];
    p->more = h[3] & 1;
    p->offset = be16(h + 2) & 0xfff8;
    p->id = (uint32_t)be16(h + 4) << 16 | be16(h + 6);
    p->at += 8;
    p->left -= 8;
    return IP_ERR_NONE;
}

static enum ip_error ipv6_open(struct ip_reader *reader, struct packet *p, struct ip_ends *ends)
{
    const uint8_t *ip = p->at;
    REQUIRE(p->left >= 40, IP_SHORT);
    REQUIRE(ip[0] >> 4 == 6, IP_HEADER);
    size_t payload = be16(ip + 4);
    enum ip_error error = length_check(reader, p, 40 + payload);
    if (error)
        return error;
    REQUIRE(ip[7] != 0, IP_TTL);
    p->protocol = ip[6];
    ends->ipv6 = true;
    ends->tos = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
    memcpy(ends->source, ip + 8, 16);
    memcpy(ends->destination, ip + 24, 16);
    p->at += 40;
    p->left = payload;
    return p->protocol == 44 ? fragment_header_open(reader, p) : IP_ERR_NONE;
}

static enum ip_error join(struct ip_reader *reader, struct packet *p, const struct ip_ends *ends)
{
    static const enum ip_error errors[] = {
        [REASSEMBLY_LENGTH] = IP_ERR_IP_FRAGMENT_LENGTH,
        [REASSEMBLY_OVERLAP] = IP_ERR_IP_FRAGMENT_OVERLAP,
        [REASSEMBLY_END] = IP_ERR_IP_FRAGMENT_END,
        [REASSEMBLY_FULL] = IP_ERR_IP_FRAGMENT_FULL,
    };
    struct reassembly_fragment f = {{0}, p->offset, p->more, p->at, p->left};
    memcpy(f.key, ends->source, 16);
    memcpy(f.key + 16, ends->destination, 16);
    memcpy(f.key + 32, &p->id, 4);
    f.key[36] = (uint8_t)p->protocol;
    enum reassembly_verdict verdict = reassembly_take(&reader->reassembly, &f);
    if (verdict > REASSEMBLY_WAITS)
        return errors[verdict];
    reader->fragments++;
    p->at = verdict == REASSEMBLY_WHOLE ? reader->reassembly.whole : NULL;
    p->left = reader->reassembly.whole_n;
    return IP_ERR_NONE;
}

// RFC 768; RFC 8200 8.1 for the pseudo header's 16-octet addresses, of which only 4 count in IPv4.
static enum ip_error udp_open(const struct packet *p, struct ip_datagram *d)
{
    const uint8_t *udp = p->at;
    uint64_t sum = 17 + p->left;
    size_t from = d->ends.ipv6 ? 0 : 12;
    REQUIRE(p->left >= 8, UDP_SHORT);
    REQUIRE(be16(udp + 4) == p->left, UDP_LENGTH);
    for (size_t i = from; i < 16; i += 2)
        sum += be16(d->ends.source + i) + be16(d->ends.destination + i);
    bool none = be16(udp + 6) == 0;
    REQUIRE(none ? !d->ends.ipv6 : sum_is_good(sum, udp, p->left), UDP_CHECKSUM);
    d->ends.source_port = (uint16_t)be16(udp);
    d->ends.destination_port = (uint16_t)be16(udp + 2);
    d->octets = udp + 8;
    d->n = p->left - 8;
    return IP_ERR_NONE;
}

enum ip_error ip_read(struct ip_reader *reader, const uint8_t *frame, size_t len,
                      struct ip_datagram *d)
{
    memset(d, 0, sizeof(*d));
    REQUIRE(len >= 14, ETHERNET_SHORT);
    struct packet p = {.at = frame + 14, .left = len - 14};
    memcpy(d->ends.destination_mac, frame, 6);
    memcpy(d->ends.source_mac, frame + 6, 6);
    bool six = be16(frame + 12) == 0x86dd && reader->accept.ipv6;
    REQUIRE(six || be16(frame + 12) == 0x0800, ETHERNET_TYPE);
    enum ip_error error = six ? ipv6_open(reader, &p, &d->ends) : ipv4_open(reader, &p, &d->ends);
    if (error)
        return error;
    REQUIRE(p.protocol == 17, IP_PROTOCOL);
    if (p.in_fragments)
        error = join(reader, &p, &d->ends);
    return error || !p.at ? error : udp_open(&p, d);
}

void ip_reader_release(struct ip_reader *reader)
{
    reassembly_release(&reader->reassembly);
}
