// IP and UDP of a captured packet: IPv4 and IPv6, their extension headers and fragments. A packet
// need not be whole: each header is read as far as the snap length left it.
#ifndef SLUICE_LAB_CAPTURE_IP_H
#define SLUICE_LAB_CAPTURE_IP_H

#include <netinet/in.h>

#include "dataplane/wire/field.h"
#include "lab/captures/read/capture_file.h"

// What there is of something, and how long it was on the line.
struct capture_view {
    const uint8_t *octets;
    uint32_t captured, length; // captured is at most length
};

struct capture_ip {
    struct ipv6_address source, destination; // IPv4 as ::ffff:a.b.c.d
    uint32_t packet_octets;                  // with its header
    uint16_t id;                             // of IPv4
    uint8_t protocol;
    bool fragment, first, more;        // more: not the last piece
    bool sum_wrong;                    // of its IPv4 header, or of one around it
    uint32_t fragment_id, fragment_at; // where the piece is, in octets
    struct capture_view payload;       // what its header says; of a fragment: its piece
    // Of Frame Relay (capture_peel.h) alone.
    uint16_t dlci;
    enum { CAPTURE_UNKNOWN, CAPTURE_SENT, CAPTURE_RECEIVED } direction; // by whoever captured it
};

struct capture_udp {
    uint16_t source_port, destination_port;
    const uint8_t *octets;
    uint32_t captured, length;
};

// Of a packet that begins with IP. The verdict is not counted. CAPTURE_taken: *ip says what it is;
// CAPTURE_later_fragment: also, but its protocol's header is elsewhere. A wrong checksum is none of
// the verdicts: ip->sum_wrong stays true, then.
enum capture_count capture_ip_read(struct capture_view packet, struct capture_ip *ip,
                                   uint64_t counts[CAPTURE_COUNTS]);

// The checksum with a pseudo header, of the first n octets of the payload, all of them captured,
// which have it at `at`. Left: the sum of the pseudo header alone, for hardware to go on with.
enum capture_sum { CAPTURE_SUM_RIGHT, CAPTURE_SUM_LEFT, CAPTURE_SUM_WRONG };
enum capture_sum capture_ip_sum(const struct capture_ip *ip, uint32_t n, uint32_t at);

// For codecs that want all of it: the payload's first n octets, with zeros for those that are not
// there; in the room, if there are such.
struct capture_room { // at first all 0; grows, so a capture of short packets needs little
    uint8_t *octets;  // to be freed
    uint32_t n;
};
uint8_t *capture_room_of(struct capture_room *room, uint32_t n);
const uint8_t *capture_ip_whole(const struct capture_ip *ip, uint32_t n, struct capture_room *room);

// Of an IP packet of protocol 17, whole. A first fragment announces the length of its datagram.
// False: it is left out, and counted.
bool capture_ip_udp(const struct capture_ip *ip, struct capture_udp *udp, struct capture_room *room,
                    uint64_t counts[CAPTURE_COUNTS]);

// As people write it, IPv4 with dots; the room's INET6_ADDRSTRLEN octets are enough.
const char *capture_ip_text(const struct ipv6_address *address, char *room);

// What is behind the first n octets; n is at most what was captured.
static inline struct capture_view capture_view_behind(struct capture_view view, uint32_t n)
{
    return (struct capture_view){view.octets + n, view.captured - n, view.length - n};
}

#endif
