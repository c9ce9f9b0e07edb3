// What the files of gi.h share: gi.c has the face, gi_take.c takes packets in their order,
// gi_whose.c says whose they are, gi_ends.c when a flow is over.
#ifndef SLUICE_GI_PARTS_H
#define SLUICE_GI_PARTS_H

#include "lab/captures/gi/gi.h"
#include "lab/captures/gi/gi_packet.h"
#include "lab/captures/gi/gi_pieces.h"
#include "lab/captures/gi/gi_sums.h"
#include "lab/captures/gi/gi_tunnels.h"
#include "lab/captures/gi/gi_window.h"

#define GI_GAP_NS (3600 * S_IN_NS) // a silence of all that is worth a note

enum { GI_OPENING, GI_OPEN, GI_CLOSED }; // the lists of flows

struct gi {
    struct gi_config config;
    struct gi_packet_rules rules;
    gi_sink_fn *sink;
    void *self;
    uint64_t now_ns, expire_ns;          // expire_ns: the next time
    uint64_t silence_ns[GI_TABLE_LISTS]; // after which a flow is over
    struct gi_counts counts;
    uint64_t taken; // segments by the flows' own accounts
    struct gi_users users;
    struct gi_tunnels tunnels;
    struct gi_table flows;
    struct gi_records records;
    struct gi_result result;
    struct gi_series series;
    struct gi_window window;
    struct gi_sums sums;
    struct gi_pieces pieces;
};

void gi_begin_users(struct gi *gi);

// ---- Ends ----

static inline bool gi_end_is_due(const struct gi *gi, const struct gi_node *node)
{
    return gi->now_ns - node->touched_ns >= gi->silence_ns[gi_table_list(node)];
}

void gi_end_flow(struct gi *gi, struct gi_flow *flow);
// Flows, users and tunnels that have been silent for long.
void gi_end_silent(struct gi *gi);
// One, if there are as many as there may be.
void gi_end_for_room(struct gi *gi);

// All that live. jumped: the clock has gone back, and what had not been closed has no figures.
void gi_end_all(struct gi *gi, bool jumped);

// The clock goes to this time. True: it stands still, for that is less than a second ago.
bool gi_take_time(struct gi *gi, uint64_t time_ns);

// ---- Whose ----

struct gi_flow *gi_whose_find(struct gi *gi, const struct gi_packet *packet, uint32_t hash,
                              enum gi_side *side);
// NULL: it is elsewhere.
struct gi_flow *gi_whose_begin(struct gi *gi, const struct gi_packet *packet, uint32_t hash,
                               enum gi_side *side);
// The TEID is not the last one's. A change of what goes down is noted, for the tunnels up have the
// TEIDs of many users.
void gi_whose_take_tunnel(struct gi *gi, struct gi_user *user, uint32_t teid, enum gi_side side);
// Of a packet in a tunnel, where tunnels tell users apart.
void gi_whose_name_user(struct gi *gi, struct gi_packet *packet, uint32_t hash);
// Of a packet that does not show whose it is.
void gi_whose_name_if_known(struct gi *gi, struct gi_packet *packet);

#endif
