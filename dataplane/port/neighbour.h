// Whom a port sends to on its link: the Ethernet address of each next hop, found by ARP (RFC 826)
// or neighbour discovery (RFC 4861), or given. A next hop has one place however many peers are
// behind it. Once known, an address stays in use while it is asked for again: first of him who has
// it, who answers or not, then of all (as RFC 4861 7.3). Who says meanwhile that it is another's,
// be it to all or to us, brings no more about than such a question: only when it was not answered
// is another's word taken.
#ifndef SLUICE_PORT_NEIGHBOUR_H
#define SLUICE_PORT_NEIGHBOUR_H

#include "dataplane/port/port.h"

#define NEIGHBOUR_ASK_NS     1000000000ULL  // an unknown one, again and again
#define NEIGHBOUR_REFRESH_NS 30000000000ULL // a known one
#define NEIGHBOUR_PROBE_NS   250000000ULL   // for his answer; also between doubts
#define NEIGHBOUR_PROBES     3u
#define NEIGHBOUR_SILENT     5u // so many questions unanswered, and he is silent

struct neighbour {
    struct mac mac;
    bool known;
    uint8_t unanswered; // questions to him who is known
    uint8_t
        questions; // to him or to all, since he answered last; no more than say that he is silent
    uint32_t users, givers; // those who said its address; while there is one nobody is asked
    uint64_t ask_ns;        // when next
    uint64_t asked_ns;
    struct ipv6_address address;
};

struct neighbours {
    uint32_t room;
    struct neighbour *of;
    struct rte_hash *by_address;
    struct rte_hash *peers;
    uint32_t *peers_at; // how many have the address at that place of `peers`
    uint64_t due_ns;    // of the first that is to be asked for; may be earlier than that
    uint32_t next;      // where the round of asking goes on; 0: no round
    uint64_t after_ns;  // due_ns when the round is over, as far as it has come
    uint32_t changes;   // how often one has fallen silent, or answered then
};

// NULL if there is no memory.
struct neighbours *neighbours_create(const char *name, uint32_t room);
void neighbours_destroy(struct neighbours *neighbours);
uint64_t neighbours_octets(uint32_t room);

// One more user of the next hop towards an address; its place. `room` is never exceeded while each
// user of the port has one place at most.
uint32_t neighbour_use(struct port *port, const struct ipv6_address *towards,
                       const struct mac *given, uint64_t now_ns);
void neighbour_unuse(struct port *port, uint32_t place, bool gave);

// One more peer with that address; or one less. `neighbour_use` and `neighbour_unuse` are of its
// next hop.
void neighbour_peer(struct port *port, const struct ipv6_address *address, int more);

// Who a frame is from, by its IP and its Ethernet source: a peer or one whom the port expects;
// somebody else, as is one that claims a peer's address beside that peer's router, for routers have
// others in their place; or one on the link that claims a peer's address and is not that neighbour.
enum neighbour_sender { NEIGHBOUR_PEER, NEIGHBOUR_STRANGER, NEIGHBOUR_FORGED };
enum neighbour_sender neighbour_sender(const struct port *port, const struct ipv6_address *source,
                                       const uint8_t *mac);

// What a reply, an advertisement or a question from a neighbour says; of others nothing is kept.
// True if there is such a neighbour.
bool neighbour_learn(struct port *port, const struct ipv6_address *address, const struct mac *mac,
                     uint64_t now_ns);

// Asks for those that are due, some at a time; when it wants to be called again.
uint64_t neighbours_ask(struct port *port, uint64_t now_ns);

static inline bool neighbour_known(const struct neighbours *neighbours, uint32_t place)
{
    return neighbours->of[place].known;
}

// Nobody answers for that address.
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
