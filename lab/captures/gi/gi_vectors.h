// Connection vectors of a capture: for each user the connections, and for each of these who sends
// how much, in which order, after which time of thinking; and what the user's channel carried.
// `sluice gi --scenario` makes a simulated load of them.
//
// The idea is Tmix's (Weigle and others, CCR 2006), with another law, which needs no decision
// between "sequential" and "concurrent" connections. A step is what an end sends without a pause.
// It begins when all that the end had sent is acknowledged and, since its last step, the end has
// got something, or was silent for longer than a round trip explains. Its segment says by its ACK
// how much the end had then (`received`). What lies between that and the step is time of thinking,
// less the way from here to the end and back.
//
// What an address is called is forgotten: users have numbers, in the order of their first segments.
#ifndef SLUICE_GI_VECTORS_H
#define SLUICE_GI_VECTORS_H

#include <stdio.h>

#include "lab/captures/gi/gi_channel.h"
#include "lab/captures/gi/gi_flow.h"
#include "lab/captures/gi/gi_result.h"

#define GI_VECTORS_USERS_MOST       1000
#define GI_SHARED_USERS_MOST        32 // of a capture that may tell who shares a cell
#define GI_VECTORS_CONNECTIONS_MOST 500000
#define GI_VECTORS_STEPS_MOST       2000000
#define GI_VECTORS_STEP_MOST        1000000000           // octets
#define GI_VECTORS_ENDLESS          GI_VECTORS_STEP_MOST // of a step that the capture's end cuts

enum gi_step_what { GI_STEP_SENDS, GI_STEP_CLOSES };

struct gi_step {
    uint64_t at_us, end_us; // its first segment; the ACK of its last octet; 0: none
    uint64_t base_us;       // what it waited for, as seen here; at_us - think_us
    uint64_t received;      // octets of the other end
    uint64_t think_us;
    uint64_t octets_until; // of its end, with it
    uint32_t octets, next; // next: of the connection, a place in `step`; 0: none
    uint32_t page, after;  // from 1; after: 0: its own connection
    uint8_t side, what;
};

struct gi_vector_side {
    uint32_t next;              // the highest number + 1
    uint64_t sent, acked;       // octets
    uint64_t passed_us, ack_us; // the last data; the last ACK that was new
    uint32_t step;              // its last one
    uint16_t mss_octets;        // of its SYN
    bool started;
};

struct gi_vector {
    uint64_t begin_us, end_us;   // first and last packet
    uint64_t think_us, received; // of its opening
    uint32_t after, page;        // of its opening
    uint32_t user, number;       // number: of the user's, from 1
    uint32_t next_of_user;
    uint32_t first, last; // steps
    uint32_t window_octets, rtt_us[GI_SIDES];
    uint16_t mss_octets;
    bool from_internet, answered, from_start, closed, sack, timestamps, full;
    struct gi_vector_side side[GI_SIDES];
    struct gi_channel_flow channel;
};

struct gi_vector_user {
    struct gi_node node;
    struct ipv6_address address;
    uint32_t number, index;      // number: of struct gi_user
    uint32_t first, connections; // first: a place in `vector`
    uint32_t place;              // among those with connections, from 1; 0: it has none
    uint32_t least_rtt_us;       // 0: none
    uint64_t lost;               // between here and the user
    uint64_t octets;             // that it has acknowledged
    uint32_t pages;              // that were whole, and their times together
    uint64_t pages_us;
    struct gi_channel channel;
};

struct gi_vectors_left { // not in the scenario
    uint64_t connections, steps, unanswered;
};

// All of a capture.
struct gi_vectors {
    struct gi_vector *vector; // from 1
    struct gi_step *step;     // from 1
    struct gi_vector_user **user;
    uint32_t vectors, vectors_room, steps, steps_room, users, users_room;
    bool begun;
    uint64_t first_us, last_us; // of the capture
    struct gi_table by_address;
    struct gi_vectors_left left;
    // Sums over flows.
    uint64_t internet_rtt_us, internet_rtts, gprs_setup_us, gprs_setups;
    uint64_t lost_internet, sent_internet;
    uint32_t up_ns_an_octet; // what the channel up takes; 0: not known
};

struct gi_vectors *gi_vectors_create(void);
void gi_vectors_destroy(struct gi_vectors *vectors);

// A segment that its flow has taken.
void gi_vectors_take(struct gi_vectors *vectors, struct gi_flow *flow,
                     const struct gi_packet *packet, enum gi_side side);
// The flow is over, with these figures.
void gi_vectors_end(struct gi_vectors *vectors, const struct gi_flow *flow,
                    const struct gi_result *result);
// The capture is: which steps belong together (gi_vectors_order.c).
void gi_vectors_finish(struct gi_vectors *vectors);

#endif
