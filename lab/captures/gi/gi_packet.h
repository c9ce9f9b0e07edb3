// The TCP segment in a frame of a capture, and the GTP-U around it, as far as they were captured.
// The codecs of dataplane/wire refuse a segment that is not whole; a capture with a snap length has
// only such.
#ifndef SLUICE_GI_PACKET_H
#define SLUICE_GI_PACKET_H

#include "dataplane/wire/address.h"
#include "lab/captures/read/capture_ip.h"
#include "lab/captures/gi/gi_counts.h"

#define GI_SACK_BLOCKS 4

struct gi_end {
    struct ipv6_address address; // IPv4 is mapped
    uint16_t port;
    uint32_t user; // number of the user, if tunnels tell users apart; 0: none
};

struct gi_packet {
    uint64_t time_ns;
    struct gi_end from, to;
    uint32_t ip_octets;             // of the whole packet, with its header
    uint32_t teid;                  // of the tunnel around it; 0: none
    struct ipv6_address tunnel_end; // to which that leads
    uint16_t ip_id;                 // 0: none
    enum gi_count doubt;            // GI_COUNT_segments, or its fate if wrong checksums tell
    uint32_t sequence, acknowledgement;
    uint32_t data_octets;
    uint16_t window;
    uint8_t flags;
    // Options.
    bool options_cut, has_scale, sack_permitted, has_timestamps;
    uint8_t scale, sack_blocks;
    uint16_t mss_octets; // 0: none
    uint32_t timestamp, echo;
    struct {
        uint32_t left, right;
    } sack[GI_SACK_BLOCKS];
};

// Of a TCP segment in IP fragments.
struct gi_piece {
    uint32_t id, at, octets; // octets: behind the IP header; 0: it is none, or not to be joined
    bool more;               // it is not the last one
};

struct gi_packet_rules {
    bool take_bad_checksums;
};

// The packet's fate, whatever its checksums are. The ends and `doubt` are valid for segments,
// other_protocols and fragments (ports: for segments; a first fragment of TCP has its ports, any
// other 0), what TCP says for segments, and for a first fragment that is to be joined: its data are
// those of the piece. *piece is valid for fragments. No more of the packet is written: to clear all
// of it took a tenth of the time of sluice gi.
enum gi_count gi_packet_read(struct gi_packet *packet, struct gi_piece *piece,
                             const struct capture_packet *frame,
                             const struct gi_packet_rules *rules, struct gi_counts *counts);

#endif
