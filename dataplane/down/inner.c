// The path reads two properties of the user's packet, whether it is ECN-capable and its flow, and
// changes only its ECN field (RFC 3168, and RFC 6040 on decapsulation).
//
// A packet that arrives with CE stays CE, and counts as capable: it need not be dropped. The flow
// is the hash of both addresses, protocol and ports; of fragments, even the first, without ports,
// so that all fragments join one queue (in IPv6 a fragment header ends the walk). A payload that is
// no IP, or too short, is a flow of its own and not capable. Left out: SPIs and flow labels.
//
// Each factor of the hash is under a key of the run: who does not know the key cannot choose ports
// that share a queue with somebody's flow.
#include "dataplane/base/mix.h"
#include "dataplane/down/down.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv6.h"

#define ECN_MASK       0x03
#define ECN_NOT_ECT    0x00
#define ECN_ECT_0      0x02
#define ECN_CE         0x03
#define IPV4_FRAGMENT  0x3fff // MF or an offset
#define IPV6_ECN_SHIFT 4      // in the second octet

static uint64_t eight(const uint8_t *b)
{
    uint64_t v;
    memcpy(&v, b, sizeof v);
    return v;
}

// TCP, DCCP, UDP, SCTP and UDP-Lite have their ports in the first four octets.
static bool has_ports(uint8_t protocol)
{
    return protocol == 6 || protocol == 17 || protocol == 33 || protocol == 132 || protocol == 136;
}

static uint64_t with_ports(const struct down_flow_key *key, uint64_t hash, uint8_t protocol,
                           const uint8_t *b, uint32_t n)
{
    uint32_t ports = has_ports(protocol) && n >= 4 ? get_be32(b) : 0;
    return mix(hash ^ key->word[2], ((uint64_t)protocol << 32 | ports) ^ key->word[0]);
}

static uint64_t ipv4_flow(const struct down_flow_key *key, const uint8_t *b, uint32_t n)
{
    uint64_t hash = mix(eight(b + 12) ^ key->word[0], key->word[1]);
    uint32_t header_octets = (b[0] & 15u) * 4;
    if (get_be16(b + 6) & IPV4_FRAGMENT || header_octets < IPV4_OCTETS || header_octets > n)
        return hash;
    return with_ports(key, hash, b[9], b + header_octets, n - header_octets);
}

static uint64_t ipv6_flow(const struct down_flow_key *key, const uint8_t *b, uint32_t n)
{
    uint64_t hash = mix(eight(b + 8) ^ key->word[0], eight(b + 16) ^ key->word[1]);
    hash = mix(eight(b + 24) ^ hash, eight(b + 32) ^ key->word[2]);
    uint8_t next = b[6];
    uint32_t at = IPV6_OCTETS;
    for (int i = 0; ipv6_is_stepped_over(next); i++) {
        if (i == IPV6_EXTENSIONS_MAX || at + 8 > n)
            return hash;
        next = b[at];
        at += (b[at + 1] + 1u) * 8;
    }
    if (at > n)
        return hash;
    return with_ports(key, hash, next, b + at, n - at);
}

void down_inner_classify(const uint8_t *b, uint32_t n, const struct down_flow_key *key,
                         struct pdu *pdu)
{
    uint64_t hash = 0;
    if (n >= IPV4_OCTETS && b[0] >> 4 == 4) {
        pdu->ect = (b[1] & ECN_MASK) != 0;
        hash = key ? ipv4_flow(key, b, n) : 0;
    } else if (n >= IPV6_OCTETS && b[0] >> 4 == 6) {
        pdu->ect = (b[1] >> IPV6_ECN_SHIFT & ECN_MASK) != 0;
        hash = key ? ipv6_flow(key, b, n) : 0;
    }
    pdu->flow_hash = (uint32_t)hash;
}

// Updates the checksum incrementally (RFC 1624 equation 3): a wrong checksum stays wrong.
static void ipv4_set_ecn(uint8_t *b, uint8_t ecn)
{
    uint16_t before = get_be16(b);
    b[1] = (uint8_t)((b[1] & ~ECN_MASK) | ecn);
    uint32_t sum = (uint16_t)~get_be16(b + 10) + (uint32_t)(uint16_t)~before + get_be16(b);
    put_be16(b + 10, ipv4_fold(sum));
}

static void set_ecn(uint8_t *b, uint8_t ecn)
{
    if (b[0] >> 4 == 4)
        ipv4_set_ecn(b, ecn);
    else
        b[1] = (uint8_t)((b[1] & ~(ECN_MASK << IPV6_ECN_SHIFT)) | ecn << IPV6_ECN_SHIFT);
}

void down_inner_mark_ce(uint8_t *b)
{
    set_ecn(b, ECN_CE);
}

static uint8_t ecn_of(const uint8_t *b, uint32_t n)
{
    if (n >= IPV4_OCTETS && b[0] >> 4 == 4)
        return b[1] & ECN_MASK;
    if (n >= IPV6_OCTETS && b[0] >> 4 == 6)
        return b[1] >> IPV6_ECN_SHIFT & ECN_MASK;
    return ECN_NOT_ECT; // no IP: not capable
}

// Marks of the outer header must not be lost: CE is copied in, or the packet is dropped if it is
// not ECN-capable; ECT(1) over ECT(0) is copied in. All other pairs leave the inner field.
enum drop_reason down_inner_decap_ecn(uint8_t *b, uint32_t n, uint8_t outer_ecn)
{
    if (!(outer_ecn & 1)) // Not-ECT, ECT(0)
        return DROP_NONE;
    uint8_t inner = ecn_of(b, n);
    if (inner == ECN_NOT_ECT)
        return outer_ecn == ECN_CE ? DROP_ecn : DROP_NONE;
    if (inner == ECN_ECT_0 || outer_ecn == ECN_CE)
        set_ecn(b, outer_ecn);
    return DROP_NONE;
}
