// Between workers: a ring of letters each way. A frame that came to the wrong worker (its TEID or
// its NS-VC is another's) goes on to the right one; what one worker learns of a neighbour the
// others hear, since its answers come to one queue only; and an MS that moves goes as a parcel.
//
// Nobody waits here: a full ring drops a stray (reason `stray_full`) and makes a parcel stay where
// it is until later; a neighbour's word is lost (and asked for again) when half of it is full,
// since anybody can say it as often as he likes.
#ifndef SLUICE_POST_POST_H
#define SLUICE_POST_POST_H

#include "dataplane/port/packet.h"
#include "dataplane/state/state.h"

#define POST_WORKERS_MAX 16
#define POST_LETTERS     1024u // of a ring
#define POST_PARCELS     64u   // of a worker under way at a time
#define POST_PDPS        11u   // NSAPI 5 to 15
#define POST_HOPS        16u   // of a frame at most: see post_may

// All that is an MS's. Its N-PDUs hang together in their buffers' headroom.
struct parcel {
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

enum letter_kind { LETTER_STRAY, LETTER_NEIGHBOUR, LETTER_PARCEL };

struct letter {
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
        struct parcel *parcel;
    };
};

struct post {
    uint32_t worker, workers;
    struct rte_ring *to[POST_WORKERS_MAX], *from[POST_WORKERS_MAX]; // NULL at its own place
    struct parcel *parcels;                                         // POST_PARCELS of its own
    struct parcel *waiting[POST_WORKERS_MAX]; // come from there, and not unpacked
    bool news; // of this one for others, who so have something to do now
};

// The rings between so many workers. 0 or -ENOMEM; post_release is due all the same.
int post_setup(struct post *posts, uint32_t workers);
void post_release(struct post *posts, uint32_t workers);
uint64_t post_octets(uint32_t workers);

// False: the frame ends where it is. A frame that meets a move goes to and fro between workers that
// have not all come to their commands; one whose commands wait must not keep it going for ever.
static inline bool post_may(const struct port_datagram *datagram)
{
    return datagram->hops < POST_HOPS;
}
// The frame is gone afterwards.
void post_stray(struct post *post, uint32_t to, struct port *port, enum stats_side side,
                struct rte_mbuf *frame, const struct port_datagram *datagram);
void post_neighbour(struct post *post, enum stats_side side, const struct ipv6_address *address,
                    const struct mac *mac);
// At most n letters from that worker, and none behind a parcel: what follows an MS is for nobody
// until it has been unpacked, so it stays in the ring till then.
uint32_t post_take(struct post *post, uint32_t from, struct letter *letters, uint32_t n);

// parcel.c: carries out an ms_move to another worker; false if there is no room now, and nothing
// has happened.
bool parcel_send(struct post *post, struct state *state, struct sched *sched,
                 struct stats_worker *stats, const struct command *move, uint64_t now_ns);
// An `expect`. The next MS from that worker is the one: they come in the order in which control has
// them expected. False if it has not come yet.
bool parcel_unpack(struct post *post, struct state *state, struct sched *sched,
                   struct stats_worker *stats, const struct command *expect, uint64_t now_ns);
// For the end: what is in it is counted here, and dropped.
void parcel_drop(struct parcel *parcel, struct stats_worker *stats);

#endif
