// A line in one direction: a queue with limits, a transmitter of a rate, and a way that takes the
// latency and some jitter. A packet waits, is transmitted, is lost there or goes on its way, and is
// delivered. Packets overtake each other only where the line lets them (`overtaking`). What the
// octets are is of no matter.
//
// Two laws of loss, each optional: every packet by itself with a probability; and in bursts
// (E. N. Gilbert, "Capacity of a burst-noise channel", 1960, with all packets of the bad state
// lost): runs of packets that are good and runs that are lost, both of geometric length.
#ifndef SLUICE_LAB_NET_LINK_H
#define SLUICE_LAB_NET_LINK_H

#include <stdbool.h>

#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "dataplane/wire/field.h"
#include "lab/engine/engine.h"
#include "lab/net/net.h"

#define LINK_PACKETS_MOST 1000000
#define LINK_OCTETS_LEAST 1500
#define LINK_OCTETS_MOST  1000000000

#define LINK_FIELDS(MUST, KEY, T)                                                                 \
    KEY(T, RATE, rate_bit_per_s, "link.rate", "unlimited", 100, 100000000000ULL, 0,               \
        "the line's rate, in bits of IP packets")                                                 \
    KEY(T, TIME, latency_ns, "link.latency", NULL, 0, 100 * S_IN_NS, 0,                           \
        "time from the end of a packet's transmission to its delivery")                           \
    KEY(T, TIME, jitter_ns, "link.jitter", NULL, 0, 100 * S_IN_NS, 0,                             \
        "most time that is added to the latency, drawn uniformly for each packet; packets keep "  \
        "their order, unless there is overtaking")                                                \
    KEY(T, SWITCH, overtaking, "link.overtaking", NULL, 0, 1, 0,                                  \
        "packets overtake those before them with more jitter, as on several ways at once")        \
    KEY(T, PPM, loss_ppm, "link.loss", NULL, 0, 1000000, 0,                                       \
        "probability with which a packet is lost, independently of others")                       \
    KEY(T, COUNT, lost_run_packets, "link.lost_run", NULL, 0, LINK_PACKETS_MOST, 0,               \
        "mean number of packets lost in one burst (Gilbert); needs good_run; 0: no bursts")       \
    KEY(T, COUNT, good_run_packets, "link.good_run", NULL, 0, 1000 * LINK_PACKETS_MOST, 0,        \
        "mean number of packets between two bursts; needs lost_run; 0: no bursts")                \
    KEY(T, COUNT, queue_packets, "link.queue_packets", NULL, 0, LINK_PACKETS_MOST, 0,             \
        "the most packets that wait for the line, besides the one in transmission; 0: unlimited") \
    KEY(T, SIZE, queue_octets, "link.queue_octets", "unlimited", LINK_OCTETS_LEAST,               \
        LINK_OCTETS_MOST, 0,                                                                      \
        "the most octets that wait for the line, besides the packet in "                          \
        "transmission")
FIELD_KEYS_STRUCT(link_config, LINK_FIELDS);
extern const struct field_record link_config_record;

// NULL, or what the values do not fit together for.
const char *link_config_fault(const struct link_config *config);

struct link_packet;

struct link_list {
    struct link_packet *first, **end;
};

struct link {
    struct engine *engine;
    struct net_owner owner;
    struct link_config config;
    struct rng rng;
    bool in_burst;
    struct engine_timer transmitted, arrived;
    struct link_list queue, way; // the queue's first is in transmission
    struct link_packet *spare;
    struct net_counters counters;
    struct net_count waiting; // in the queue, without the one in transmission
    uint64_t tag;             // of the packet for which a function of the owner is called
};

void link_setup(struct link *link, struct engine *engine, const struct link_config *config,
                const struct net_owner *owner, uint64_t seed, uint64_t stream);

// A net_deliver_fn, of which `self` is the link. The owner's `lost` may be called from inside,
// `deliver` is not. Both may call link_send.
void link_send(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns);

// With a tag of the owner's, which does not travel in the octets; link_send: 0. Within the owner's
// functions link->tag has it again, until they call link_send.
void link_send_tagged(struct link *link, const uint8_t *ip, uint32_t octets, uint64_t tag,
                      uint64_t now_ns);

// Frees what is held; the counters stay.
void link_release(struct link *link);

#endif
