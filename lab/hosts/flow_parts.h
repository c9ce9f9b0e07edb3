// What the files of flows have in common: flow.c, flow_tcp.c, flow_table.c.
#ifndef SLUICE_LAB_HOSTS_FLOW_PARTS_H
#define SLUICE_LAB_HOSTS_FLOW_PARTS_H

#include "lab/hosts/flow_packet.h"
#include "lab/hosts/flow_table.h"

// Fills in the packet's IP header, and sends it.
void flow_packet_send(struct flow *flow, enum flow_end from, struct flow_packet *packet, bool ect,
                      uint64_t now_ns);

// A decoded packet of `octets` for that end.
enum flow_fault flow_take(struct flow *flow, enum flow_end at, const struct flow_packet *packet,
                          uint32_t octets, uint64_t now_ns);

// What its packets are; plain if it is not TCP. Both ends are alike.
enum tcp_outside flow_outside_of(const struct flow *flow);

// A segment with its IP header becomes a datagram of which nothing can be read, and back.
void flow_outside_close(struct flow_table *table, enum flow_end from, enum tcp_outside kind,
                        struct flow_packet *packet);
enum flow_fault flow_outside_open(struct flow_table *table, enum flow_end at,
                                  struct flow_packet *packet);
bool flow_outside_is_tunnel(enum flow_end at, const struct flow_packet *packet);

// Frees the flow, after telling its user and the table's owner.
void flow_free(struct flow *flow, uint64_t now_ns);

struct flow_tcp *flow_tcp_make(struct flow *flow, enum flow_end end);
void flow_tcp_free(struct flow_tcp *tcp); // NULL: not TCP
void flow_tcp_input(struct flow *flow, enum flow_end at, const struct tcp *segment, bool ce,
                    uint64_t now_ns);
void flow_tcp_wake(struct flow *flow, uint64_t now_ns);

#endif
