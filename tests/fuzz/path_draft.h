// A frame that is being written from the inside out, each layer in front of what it carries; and
// the one fault that it may have, in a layer of the input's choice, before the checksums of that
// layer and the outer ones are made good, or after those of that layer.
#ifndef TESTS_FUZZ_PATH_DRAFT_H
#define TESTS_FUZZ_PATH_DRAFT_H

#include "dataplane/wire/bytes.h"
#include "tests/fuzz/path.h"

enum path_layer {
    LAYER_INNER,
    LAYER_SNDCP,
    LAYER_LLC,
    LAYER_BSSGP,
    LAYER_TUNNEL, // GTP-U or NS
    LAYER_UDP,    // or what the host is asked with
    LAYER_IP,
    LAYER_ETHER,
    LAYER_COUNT
};

struct path_endpoint {
    struct ipv6_address address;
    struct mac mac;
    uint16_t udp_port;
};

struct draft {
    enum stats_side side;
    uint32_t worker; // whose queue a NIC would put it into
    struct path_endpoint from;
    struct ipv6_address to;
    struct mac to_mac;
    uint8_t octets[2 * PATH_FRAME_OCTETS];
    uint32_t first, end;
    bool faulty, late;
    enum path_layer layer;
};
extern struct draft draft;

void draft_begin(void); // empty; reads which fault it will have
uint8_t *draft_at(void);
uint32_t draft_octets(void);
uint8_t *draft_front(uint32_t n); // n octets more in front; their content is the caller's
void draft_behind(uint32_t n, uint8_t octet);
void draft_fault(enum path_layer layer, bool late); // the fault, if it is of this place

// path_frame.c: headers in front of the draft, and the draft into the port: as an IP packet, whole
// or in fragments, once or again and again; or as it stands.
// That of the port's VLAN, if it has one; one beside the octets, as by a NIC; some other one.
enum frame_tag { TAG_OF_PORT, TAG_TAKEN_OFF, TAG_ANY };
void frame_put_ether(uint16_t type, enum frame_tag tag);
void frame_put_ip(uint8_t protocol, uint8_t hop_limit);
void frame_send_ip(void);
void frame_give(uint32_t cut, uint64_t nic_flags);

void path_host(uint32_t what); // path_host.c; 1: ARP, 2: ICMP, 3: ICMPv6

// What a UDP datagram carries, and from whom.
struct path_endpoint path_payload(enum stats_side side); // path_payload.c

#endif
