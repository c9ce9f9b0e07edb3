// A flow: what one application sends between one host behind the GGSN and one PDP context of an MS,
// as IPv4 packets with UDP, TCP or ICMP echo. Both ends are in the one struct, but know of each
// other only by the packets that arrive.
//
// Payloads have a known content, so that an end finds what was changed or exchanged on the way: a
// row of 251 octets that is repeated, from a place that follows from the stream's position or
// the datagram's number. The number stands in front of it (ICMP has a field for it).
//
// Neither the owner's `send` nor `next_id` may call a function of the flow; what is sent is to
// arrive later. A user's functions may call all of them.
#ifndef SLUICE_LAB_HOSTS_FLOW_H
#define SLUICE_LAB_HOSTS_FLOW_H

#include "lab/engine/engine.h"
#include "lab/hosts/tcp.h"
#include "lab/net/net.h"

#define FLOW_PROTOCOL_ICMP  1
#define FLOW_PROTOCOL_TCP   6
#define FLOW_PROTOCOL_UDP   17
#define FLOW_NUMBER_OCTETS  4  // in front of a UDP payload
#define FLOW_DATAGRAM_LEAST 32 // IPv4, UDP and the number
#define FLOW_PING_LEAST     28 // IPv4 and ICMP echo
#define FLOW_OCTETS_MOST    65535

enum flow_end { FLOW_HOST, FLOW_MS, FLOW_ENDS };

static inline enum flow_end flow_far(enum flow_end end)
{
    return end == FLOW_HOST ? FLOW_MS : FLOW_HOST;
}

enum flow_fault {
#define FLOW_FAULT(name, help) FLOW_FAULT_##name,
#include "lab/hosts/flow_faults.def"
#undef FLOW_FAULT
    FLOW_FAULTS,
    FLOW_TAKEN = FLOW_FAULTS
};

extern const char *const flow_fault_helps[FLOW_FAULTS];

// What the end that does not open does with a SYN.
enum flow_answer { FLOW_ANSWERS, FLOW_SILENT, FLOW_REFUSES };

struct flow;

// The application.
struct flow_user {
    void *self;
    // A datagram or the answer to an echo has arrived, with the number that its sender gave it,
    // and octets of payload; or, with TCP, octets of the stream, in order.
    void (*received)(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                     uint64_t octets, uint64_t now_ns);
    // TCP only, and neither TCP_RECEIVED nor TCP_ACKED; NULL: of no matter.
    void (*event)(void *self, struct flow *flow, enum flow_end at, enum tcp_event event,
                  uint64_t now_ns);
    // The flow is freed behind this call; NULL: of no matter.
    void (*ended)(void *self, struct flow *flow, uint64_t now_ns);
    // TCP only: octets of the stream that the far end has acknowledged; NULL: of no matter.
    void (*acknowledged)(void *self, struct flow *flow, enum flow_end from, uint64_t octets);
};

// Port of ICMP: the identifier. The MS's port 0: one that is free. The profiles are for TCP.
struct flow_config {
    uint64_t stream; // the application's, see app.h
    uint8_t protocol;
    bool ect; // datagrams carry ECT(0), RFC 3168; TCP sees to it itself
    enum flow_end opener;
    enum flow_answer answer; // TCP only
    uint32_t address[FLOW_ENDS];
    uint16_t port[FLOW_ENDS];
    const struct tcp_profile *profile[FLOW_ENDS];
};

// IP packets of one end. Those that arrived = received + faults.
struct flow_side {
    struct net_count sent, received;
    uint64_t marked; // received with CE
    uint64_t faults;
};

struct flow_tcp; // an end of TCP

struct flow {
    struct flow_table *table;
    struct flow *next, **at; // in the table's list
    struct flow_config config;
    struct flow_user user;
    struct flow_side side[FLOW_ENDS];
    uint32_t next_number[FLOW_ENDS];
    struct flow_tcp *tcp[FLOW_ENDS]; // NULL: not TCP
    struct engine_timer timer;
    uint64_t wake_ns;  // when the timer fires
    uint64_t begin_ns; // when it was opened
    uint64_t end_ns;   // when it ends whatever happens
};

// Makes a flow of the table and gives it its ports. NULL: its MS's port is taken, or all are.
struct flow *flow_open(struct flow_table *table, const struct flow_config *config,
                       const struct flow_user *user, uint64_t now_ns);

// Ends the flow at once, without a word to the other end; `ended` is called later at this instant.
// What is still under way then finds no flow.
void flow_finish(struct flow *flow, uint64_t now_ns);

// Sends a datagram, or an echo request, in an IP packet of so many octets. Returns its number.
uint32_t flow_send(struct flow *flow, enum flow_end from, uint32_t octets, uint64_t now_ns);

// TCP. The opener's end connects, the other listens, or as the answer says. A flow ends when both
// its ends have closed, or some time after one has given up.
void flow_connect(struct flow *flow, uint64_t now_ns);
void flow_write(struct flow *flow, enum flow_end from, uint64_t octets, uint64_t now_ns);
void flow_close(struct flow *flow, enum flow_end from, uint64_t now_ns);
void flow_abort(struct flow *flow, enum flow_end from, uint64_t now_ns);
const struct tcp_end *flow_tcp_end(const struct flow *flow, enum flow_end end);
void flow_tcp_forget_rtt(struct flow *flow); // the figures of round trips start from zero

// An IP packet for that end has arrived. Returns FLOW_TAKEN, or why it is not taken.
enum flow_fault flow_input(struct flow *flow, enum flow_end at, const uint8_t *ip, uint32_t octets,
                           uint64_t now_ns);

#endif
