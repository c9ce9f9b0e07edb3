// Whose a tunnel is. Packets of a user come in one tunnel and go in another, and two users of two
// networks may have one address. So a user is a number that all its tunnels have, and a tunnel gets
// it by the TCP segments in it: a segment that belongs to a connection of a user, by its ends, its
// sequence numbers and its ACK, is of that user; another begins a new user.
#ifndef SLUICE_GI_TUNNELS_H
#define SLUICE_GI_TUNNELS_H

#include "lab/captures/gi/gi_flow.h"

struct gi_tunnels {
    struct gi_table table;
    uint32_t users; // the last number that was given
    uint32_t most;  // from here on the oldest is forgotten for each that comes
};

void gi_tunnels_create(struct gi_tunnels *tunnels, uint32_t most);
void gi_tunnels_destroy(struct gi_tunnels *tunnels);

// Sets the number of the end that is the user's, if it is known. True: it is.
bool gi_tunnels_name(struct gi_tunnels *tunnels, struct gi_packet *packet, uint64_t now_ns);
// From now on this packet's tunnel is that of `user`, 0 for a new one, and goes from its address
// (up) or to it. Returns the number.
uint32_t gi_tunnels_give(struct gi_tunnels *tunnels, struct gi_packet *packet, uint32_t user,
                         bool up, uint64_t now_ns);
// Could this segment be one of the flow, whose ends have these addresses and ports?
bool gi_tunnels_fits(const struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side);
// Forgets tunnels that are silent for that long.
void gi_tunnels_expire(struct gi_tunnels *tunnels, uint64_t now_ns, uint64_t silence_ns);

#endif
