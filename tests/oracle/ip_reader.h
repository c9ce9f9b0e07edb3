// The receivers' lower layers: an Ethernet frame with IPv4 or IPv6 (RFC 791, RFC 8200) and UDP (RFC
// 768), whole or in fragments, to the octets of a UDP datagram. A frame of 60 octets may carry
// padding behind a shorter packet; no other may. Left out: IPv4 options, extension headers other
// than the fragment's, VLANs.
#ifndef TESTS_ORACLE_IP_READER_H
#define TESTS_ORACLE_IP_READER_H

#include <stddef.h>

#include "tests/oracle/ip_ends.h"
#include "tests/oracle/ip_reassembly.h"

// The first errors of every receiver, after NONE.
#define IP_ERRORS(X)                                                                             \
    X(ETHERNET_SHORT, "frame is shorter than an Ethernet header")                                \
    X(ETHERNET_TYPE, "Ethernet type is not 0x0800 (IPv4), nor an accepted 0x86dd (IPv6)")        \
    X(IP_SHORT, "frame ends inside the IP header")                                               \
    X(IP_HEADER, "IP version is wrong, or the IPv4 header is not 20 octets long")                \
    X(IP_LENGTH, "IP length is not the length of the frame")                                     \
    X(IP_MTU, "IP packet is larger than the MTU")                                                \
    X(IP_CHECKSUM, "IP header checksum is wrong")                                                \
    X(IP_FRAGMENT, "IP packet is a fragment and none is accepted, or a reserved bit is set")     \
    X(IP_FRAGMENT_DF, "IPv4 fragment says: do not fragment")                                     \
    X(IP_FRAGMENT_LENGTH, "fragment is empty, not a multiple of 8 octets, or ends beyond 65535") \
    X(IP_FRAGMENT_OVERLAP, "fragment brings octets that came already")                           \
    X(IP_FRAGMENT_END, "fragments disagree about where the datagram ends")                       \
    X(IP_FRAGMENT_FULL, "no room for one more datagram in fragments")                            \
    X(IP_TTL, "IP time to live is 0")                                                            \
    X(IP_PROTOCOL, "IP protocol is not 17 (UDP)")                                                \
    X(UDP_SHORT, "packet ends inside the UDP header")                                            \
    X(UDP_LENGTH, "UDP length is not the length of the IP payload")                              \
    X(UDP_CHECKSUM, "UDP checksum is wrong, or missing over IPv6")

enum ip_error {
    IP_ERR_NONE,
#define IP_ERROR_NAME(name, text) IP_ERR_##name,
    IP_ERRORS(IP_ERROR_NAME)
#undef IP_ERROR_NAME
};

// All zero: IPv4 only, whole, of any size.
struct ip_accept {
    bool ipv6, fragments;
    size_t mtu_octets; // 0: any
};

struct ip_reader {
    struct ip_accept accept;
    struct reassembly reassembly;
    uint64_t fragments; // taken
};

struct ip_datagram {
    struct ip_ends ends;
    const uint8_t *octets; // of the UDP payload; NULL: a fragment was kept, and more is to come
    size_t n;
};

enum ip_error ip_read(struct ip_reader *reader, const uint8_t *frame, size_t len,
                      struct ip_datagram *datagram);
void ip_reader_release(struct ip_reader *reader);

#endif
