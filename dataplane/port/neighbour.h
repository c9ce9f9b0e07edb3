// The next hops of a port on its link: their Ethernet addresses, found by ARP (RFC 826) or
// neighbour discovery (RFC 4861), or configured. A next hop has one place for all peers behind it.
// A known Ethernet address stays in use while it is verified: first by unicast to its station,
// then, without an answer, by a question to all (as RFC 4861 7.3). If another station claims the
// address, by broadcast or by unicast, the port only verifies; it accepts the claim only if the
// known station does not answer.
#ifndef SLUICE_PORT_NEIGHBOUR_H
#define SLUICE_PORT_NEIGHBOUR_H

#include "dataplane/port/port.h"

#define NEIGHBOUR_ASK_NS     1000000000ULL  // interval for an unknown one
#define NEIGHBOUR_REFRESH_NS 30000000000ULL // a known one
#define NEIGHBOUR_PROBE_NS   250000000ULL   // for a unicast answer; also between claims
#define NEIGHBOUR_PROBES     3u
#define NEIGHBOUR_SILENT     5u // after so many unanswered questions it is silent

struct neighbour {
    struct mac mac;
    bool known;
    uint8_t unanswered;     // unicast questions
    uint8_t questions;      // of any kind since the last answer; at most NEIGHBOUR_SILENT + 1
    uint32_t users, givers; // givers: users with a configured MAC, which end all questions
    uint64_t ask_ns;        // time of the next question
    uint64_t asked_ns;
    struct ipv6_address address;
};

struct neighbours {
    uint32_t room;
    struct neighbour *of;
    struct rte_hash *by_address;
    struct rte_hash *peers;
    uint32_t *peers_at; // peers with the address at that place of `peers`
    uint64_t due_ns;    // at most the earliest ask_ns
    uint32_t next;      // of the current round of questions; 0: no round
    uint64_t after_ns;  // due_ns after the round, as far as the round has come
    uint32_t changes;   // count of neighbours that fell silent or answered again
};

// NULL: out of memory.
struct neighbours *port_neighbours_create(const char *name, uint32_t room);
void port_neighbours_destroy(struct neighbours *neighbours);
uint64_t port_neighbours_octets(uint32_t room);

// Adds a user of the next hop towards an address; returns its place. `room` suffices while each
// user of the port has one place at most.
uint32_t port_neighbour_use(struct port *port, const struct ipv6_address *towards,
                            const struct mac *given, uint64_t now_ns);
void port_neighbour_unuse(struct port *port, uint32_t place, bool gave);

// Adds or removes a peer with that address; port_neighbour_use and port_neighbour_unuse are for its
// next hop.
void port_neighbour_peer(struct port *port, const struct ipv6_address *address, int more);

// The sender of a frame, by IP source and Ethernet source. PEER: a peer, or an expected net.
// STRANGER: any other, also a frame with the address of a peer behind a router, from another
// router, since paths may change. FORGED: a frame with the address of a peer on the link, from
// another station.
enum port_neighbour_sender { NEIGHBOUR_PEER, NEIGHBOUR_STRANGER, NEIGHBOUR_FORGED };
enum port_neighbour_sender port_neighbour_sender(const struct port *port,
                                                 const struct ipv6_address *source,
                                                 const uint8_t *mac);

// Learns from a reply, an advertisement or a question of a neighbour; ignores other stations. True
// if there is such a neighbour.
bool port_neighbour_learn(struct port *port, const struct ipv6_address *address,
                          const struct mac *mac, uint64_t now_ns);

// Sends due questions, a bounded number a call; returns the time of the next call.
uint64_t port_neighbours_ask(struct port *port, uint64_t now_ns);

static inline bool neighbour_known(const struct neighbours *neighbours, uint32_t place)
{
    return neighbours->of[place].known;
}

// The station at that place does not answer.
static inline bool neighbour_silent(const struct neighbours *neighbours, uint32_t place)
{
    return neighbours->of[place].questions > NEIGHBOUR_SILENT;
}

static inline void neighbour_put_mac(const struct neighbours *neighbours, uint32_t place,
                                     uint8_t *b)
{
    memcpy(b, &neighbours->of[place].mac, sizeof(struct mac));
}

#endif
