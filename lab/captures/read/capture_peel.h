// From a frame of a capture to the innermost IP packet. Links: Ethernet with any number of VLAN
// tags, Linux's "cooked" headers, BSD's loopback, raw IP, 802.2 LLC and SNAP, PPP, PPPoE, Cisco's
// HDLC, Frame Relay, MPLS, 802.11. Tunnels: GRE and ERSPAN, IP in IP, VXLAN, Geneve, Ethernet or
// MPLS in IP. Not GTP: that is gi's. A packet need not be whole: each header is read as far as it
// was captured.
#ifndef SLUICE_LAB_CAPTURE_PEEL_H
#define SLUICE_LAB_CAPTURE_PEEL_H

#include "lab/captures/read/capture_ip.h"

// Is this link type read?
bool capture_peel_knows(int link);

// The first IP packet in the frame, which is not read, not even its version. False: it has none,
// and the verdict is counted.
bool capture_peel_to_ip(const struct capture_packet *packet, struct capture_view *view,
                        uint64_t counts[CAPTURE_COUNTS]);

// The frame's verdict, which is counted. CAPTURE_taken: *ip is the first IP packet in it;
// CAPTURE_later_fragment: also, but its protocol's header is elsewhere. CAPTURE_ip_checksum: it
// would be one of these two (ip->first), but for its checksum. CAPTURE_frame_relay: its payload,
// DLCI and direction are known, and both addresses are 0.
enum capture_count capture_peel_link(const struct capture_packet *packet, struct capture_ip *ip,
                                     uint64_t counts[CAPTURE_COUNTS]);

// Goes on from an IP packet, whole or a first fragment, to the innermost one in its tunnels, in
// place. The verdict is not counted. CAPTURE_taken: *ip is no tunnel (any more).
// CAPTURE_ip_checksum: as above, of this one or of one around it.
// CAPTURE_frame_relay: it was one with Frame Relay in it, whose payload and DLCI are known, between
// the addresses of *ip.
enum capture_count capture_peel_tunnels(struct capture_ip *ip, uint64_t counts[CAPTURE_COUNTS]);

#endif
