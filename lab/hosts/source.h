// A host behind the GGSN that sends UDP datagrams to one PDP context, as GTP-U frames on the Gn
// line: at constant or Poisson intervals, with sizes drawn from a short list. The first 8 octets of
// each datagram are its sending time, from which the receiver computes the delay.
#ifndef SLUICE_LAB_HOSTS_SOURCE_H
#define SLUICE_LAB_HOSTS_SOURCE_H

#include "dataplane/base/rng.h"
#include "dataplane/wire/field.h"
#include "lab/line/line.h"

#define SOURCE_SIZES_MAX  32
#define SOURCE_OCTETS_MIN 36 // IPv4, UDP and the time stamp
#define SOURCE_OCTETS_MAX 1500

// The addresses of both ends of Gn.
struct source_gn {
    struct mac sgsn_mac, ggsn_mac;
    struct ipv6_address sgsn_address, ggsn_address; // of one family; IPv4 as ::ffff:a.b.c.d
    uint16_t mtu_octets;
};

struct source {
    struct engine *engine;
    struct line *gn_line;
    uint32_t worker; // its queue of the port gets the frames
    const struct source_gn *gn;
    struct rng rng;
    uint64_t start_ns, stop_ns; // sends at start <= t < stop
    uint64_t rate_bit_per_s;    // of inner IP octets
    bool poisson;
    bool ect; // the packets carry ECT(0), RFC 3168
    uint32_t sizes;
    uint16_t size_octets[SOURCE_SIZES_MAX];
    uint32_t teid, ms_address;
    uint32_t sent_packets;
    uint64_t sent_octets; // inner IP
};

void source_start(struct source *source);

#endif
