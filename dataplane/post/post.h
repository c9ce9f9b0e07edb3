// Messages between workers, over a ring for each direction: a frame that arrived at the wrong
// worker (another worker owns its TEID or NS-VC) is forwarded to the right one; what one worker
// learns of a neighbour goes to all others, since answers arrive at one queue only; and a
// migration is a moving MS.
//
// No worker waits for a ring. If it is full, a stray is dropped (reason `stray_full`) and a
// migration stays with its worker until later. News of a neighbour is dropped (and asked for again)
// when the ring is half full, since any station can cause it at will.
#ifndef SLUICE_POST_POST_H
#define SLUICE_POST_POST_H

#include "dataplane/port/packet.h"
#include "dataplane/state/state.h"

#define POST_WORKERS_MAX 16
#define POST_MESSAGES    1024u // of a ring
#define POST_MIGRATIONS  64u   // of a worker, in transit at a time
#define POST_PDPS        11u   // NSAPI 5 to 15
#define POST_HOPS        16u   // of a frame at most: see post_may

// An MS on its way, with all its data. Its N-PDUs are linked through their buffers' headroom.
struct migration {
    uint32_t taken; // 1 from packing until the other worker has unpacked it
    uint32_t bvc_id, pdps;
    struct state_ms ms;
    struct state_ms_up ms_up;
    bool has_counts;
    struct state_ms_counts counts;
    uint8_t options[COMMAND_OCTETS];
    struct sched_baggage baggage;
    struct rte_mbuf *first, *last;
    struct state_pdp pdp[POST_PDPS];
    struct state_pdp_up pdp_up[POST_PDPS];
};

enum message_kind { MESSAGE_STRAY, MESSAGE_NEIGHBOUR, MESSAGE_MIGRATION };

struct message {
    uint8_t kind;
    uint8_t side; // enum stats_side
    union {
        struct {
            struct rte_mbuf *frame;
            struct port_datagram datagram;
        } stray;
        struct {
            struct ipv6_address address;
            struct mac mac;
        } neighbour;
        struct migration *migration;
    };
};

struct post {
    uint32_t worker, workers;
    struct rte_ring *to[POST_WORKERS_MAX], *from[POST_WORKERS_MAX]; // NULL at its own index
    struct migration *migrations;                                   // POST_MIGRATIONS of its own
    struct migration *waiting[POST_WORKERS_MAX]; // received from that worker, not unpacked yet
    bool news;                                   // this poll gave other workers work
};

// For each of so many workers, in its own thread, so that what it reads is near it: the rings to
// it, and its migrations. `posts` are zeros before the first call. 0 or -ENOMEM; post_release is
// correct in either case.
int post_setup(struct post *posts, uint32_t worker, uint32_t workers);
void post_release(struct post *posts, uint32_t workers);
uint64_t post_octets(uint32_t workers);

// False: the frame is dropped. During a move a frame may go to and fro between workers that have
// not all reached their commands; the bound on hops ends this if a worker's commands are stuck.
static inline bool post_may(const struct port_datagram *datagram)
{
    return datagram->hops < POST_HOPS;
}
// The frame belongs to the callee.
void post_stray(struct post *post, uint32_t to, struct port *port, enum stats_side side,
                struct rte_mbuf *frame, const struct port_datagram *datagram);
void post_neighbour(struct post *post, enum stats_side side, const struct ipv6_address *address,
                    const struct mac *mac);
// At most n messages from that worker, and none behind a migration: messages that follow a moving
// MS stay in the ring until its migration is unpacked.
uint32_t post_take(struct post *post, uint32_t from, struct message *messages, uint32_t n);

// migration.c: carries out an ms_move to another worker; false if there is no room now; then
// nothing has changed.
bool post_migration_send(struct post *post, struct state *state, struct sched *sched,
                         struct stats_worker *stats, const struct command *move, uint64_t now_ns);
// Carries out an `expect`, with the next migration from that worker: migrations come in the order
// of control's `expect` commands. False if it has not come yet.
bool post_migration_unpack(struct post *post, struct state *state, struct sched *sched,
                           struct stats_worker *stats, const struct command *expect,
                           uint64_t now_ns);
// At the end: counts and drops a migration's contents here.
void post_migration_drop(struct migration *migration, struct stats_worker *stats);

#endif
