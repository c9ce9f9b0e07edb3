// CAKE before the GGSN, as those who shape their subscribers' lines run it (LibreQoS): a shaper of
// a fixed rate, a queue for each flow, and COBALT in each. A model of Linux's sch_cake by its
// public description: T. Hoiland-Jorgensen, D. Taht and J. Morton, "Piece of CAKE: A Comprehensive
// Queue Management Solution for Home Gateways" (LANMAN 2018), tc-cake(8), and RFC 8290 for what the
// order of the queues has of FQ-CoDel. COBALT is the dataplane's.
//
// Each packet that enters leaves at the shaper's rate, is held, or is lost with a reason.
#ifndef SLUICE_LAB_NET_CAKE_H
#define SLUICE_LAB_NET_CAKE_H

#include "dataplane/base/units.h"
#include "dataplane/wire/field.h"
#include "lab/engine/engine.h"
#include "lab/net/net.h"

enum cake_per { CAKE_PER_CELL, CAKE_PER_MS };

#define CAKE_FIELDS(MUST, KEY, T)                                                           \
    KEY(T, RATE, rate_bit_per_s, "cake.rate", "none", 100, 10000000000ULL, 0,               \
        "the rate of each shaper, in bits of IP packets; none: packets pass at once")       \
    KEY(T, CHOICE, per, "cake.per", "cell ms", CAKE_PER_CELL, CAKE_PER_MS, CAKE_PER_CELL,   \
        "what has a shaper of its own: each cell, which its MSs share equally, or each MS") \
    KEY(T, TIME, rtt_ns, "cake.rtt", NULL, 20 * MS_IN_NS, 100 * S_IN_NS, 100 * MS_IN_NS,    \
        "COBALT's interval, of which its target is a twentieth; the default is that of Linux")
FIELD_KEYS_STRUCT(cake_config, CAKE_FIELDS);
extern const struct field_record cake_config_record;

struct cake_counters {
    struct net_counters net;
    uint64_t marked;       // left with CE that they did not have
    uint64_t flows, hosts; // that have been seen
};

struct cake;

struct cake *cake_create(struct engine *engine, const struct cake_config *config,
                         const struct net_owner *owner, uint64_t seed, uint64_t stream);
void cake_destroy(struct cake *cake);

// A net_deliver_fn, of which `self` is the cake. The owner's `lost` and `deliver` may be called
// from inside; they do not call it.
void cake_send(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns);

const struct cake_counters *cake_counters(const struct cake *cake);

#endif
