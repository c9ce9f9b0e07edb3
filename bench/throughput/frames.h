// The packets: a frame for each size, written once by the codecs, in which the generator changes
// what is the MS's. Inner packets are IPv4 with UDP, ECN-capable, so that an AQM with ECN marks.
#ifndef SLUICE_BENCH_THROUGHPUT_FRAMES_H
#define SLUICE_BENCH_THROUGHPUT_FRAMES_H

#include "bench/throughput/addresses.h"
#include "bench/throughput/options.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/udp.h"

#include <rte_byteorder.h>
#include <string.h>

#define FRAMES_SIZES_MAX    3u
#define FRAMES_OCTETS_MAX   1664u
#define FRAMES_STAMP_OCTETS 8u
#define FRAMES_OUTER_OCTETS (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS)
// What Gn adds to a packet, with the FCS of Ethernet; and a frame's preamble and gap on the line.
#define FRAMES_GN_OCTETS  (FRAMES_OUTER_OCTETS + GTPU_OCTETS + 4u)
#define FRAMES_GAP_OCTETS 20u

// Downwards: where a G-PDU has its TEID, and what tells its flow. Upwards: where an NS-UNITDATA has
// what is the MS's; the LLC frame lies at `llc`. Both ways a DL- or UL-UNITDATA has its TLLI in the
// same place.
#define FRAMES_TEID_AT  (FRAMES_OUTER_OCTETS + 4)
#define FRAMES_PORT_AT  (FRAMES_OUTER_OCTETS + GTPU_OCTETS + IPV4_OCTETS) // the inner source's
#define FRAMES_BVCI_AT  (FRAMES_OUTER_OCTETS + 2)
#define FRAMES_BSSGP_AT (FRAMES_OUTER_OCTETS + NS_UNITDATA_OCTETS)
#define FRAMES_TLLI_AT  (FRAMES_BSSGP_AT + 1)

#define FRAMES_PORT 9u // discard; the source's is that or, of other flows, one of the next

struct frame {
    uint8_t octets[FRAMES_OCTETS_MAX];
    uint16_t n;
    uint16_t packet_octets;   // of the IP packet in it
    uint16_t pdus;            // LLC PDUs, or upwards N-PDUs, that it becomes
    uint16_t llc, llc_octets; // upwards: the LLC frame
};

struct frames {
    uint32_t sizes, weights;
    uint32_t flows; // of an MS, downwards; 0: one
    uint32_t weight[FRAMES_SIZES_MAX];
    struct frame frame[FRAMES_SIZES_MAX];
};

// Downwards: the frame as the number-th of all, for that TEID. UDP has no checksum in it.
static inline void frames_put(const struct frames *frames, const struct frame *frame, uint32_t teid,
                              uint32_t number, uint8_t *b)
{
    uint32_t flow = frames->flows ? number % frames->flows : 0;
    uint16_t port = rte_cpu_to_be_16((uint16_t)(FRAMES_PORT + flow));
    memcpy(b, frame->octets, frame->n);
    memcpy(b + FRAMES_TEID_AT, &teid, sizeof teid);
    memcpy(b + FRAMES_PORT_AT, &port, sizeof port);
}

// Another address of ours in it.
static inline void frames_put_address(uint32_t address, uint8_t *b)
{
    uint8_t *ip = b + ETHER_OCTETS;
    put_be32(ip + 16, address);
    put_be16(ip + 10, 0);
    put_be16(ip + 10, ipv4_fold(ipv4_sum(0, ip, IPV4_OCTETS)));
}

// False: a codec refused the frame, an internal error.
bool frames_make(struct frames *frames, const struct bench_options *options, bool up);
double frames_mean_octets(const struct frames *frames);

#endif
