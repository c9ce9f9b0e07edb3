// All flows: found by the MS's address, protocol and the MS's port when a packet arrives; and what
// they have in common. In all of a run, packets that arrived = received + faults by reason, and
// packets sent = those that arrived + those lost or under way between the ends.
#ifndef SLUICE_LAB_HOSTS_FLOW_TABLE_H
#define SLUICE_LAB_HOSTS_FLOW_TABLE_H

#include "dataplane/base/rng.h"
#include "lab/hosts/flow_outside.h"

// Who carries the packets.
struct flow_owner {
    void *self;
    void (*send)(void *self, struct flow *flow, enum flow_end from, const uint8_t *ip,
                 uint32_t octets, uint64_t now_ns);
    // The packet's IP identification: a counter for each MS address and direction.
    uint16_t (*next_id)(void *self, struct flow *flow, enum flow_end from);
    // Before a flow is freed, for its figures; NULL: of no matter.
    void (*ended)(void *self, struct flow *flow, uint64_t now_ns);
};

struct flow_table {
    struct engine *engine;
    struct flow_owner owner;
    struct map flows;
    struct flow_outside outside;
    struct flow *all;
    struct rng rng; // initial sequence numbers
    uint16_t next_port;
    struct flow_side side[FLOW_ENDS]; // of all flows
    uint64_t fault[FLOW_ENDS][FLOW_FAULTS];
    uint8_t *content, *packet; // the payloads' row, and the packet being made
};

void flow_table_setup(struct flow_table *table, struct engine *engine,
                      const struct flow_owner *owner, uint64_t seed, uint64_t stream);

// Frees all flows, and calls their `ended`.
void flow_table_release(struct flow_table *table, uint64_t now_ns);

// An IP packet for a host or for an MS has arrived. The functions of its flow's user and of the
// owner may be called from inside.
enum flow_fault flow_table_input(struct flow_table *table, enum flow_end at, const uint8_t *ip,
                                 uint32_t octets, uint64_t now_ns);

// For flow.c. flow_table_add gives the flow a port if it has none; 0 or -EEXIST.
int flow_table_add(struct flow_table *table, struct flow *flow);
void flow_table_remove(struct flow_table *table, struct flow *flow);

// Counts a packet that is not taken; returns the fault.
enum flow_fault flow_table_count(struct flow_table *table, enum flow_end at, enum flow_fault fault);

// The payload octets that belong to a place.
const uint8_t *flow_table_content(const struct flow_table *table, uint32_t place);

#endif
