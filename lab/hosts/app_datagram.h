// What the applications over UDP share: a flow, and the count of what arrives by its number. Their
// struct begins with `struct app_datagram`.
#ifndef SLUICE_LAB_HOSTS_APP_DATAGRAM_H
#define SLUICE_LAB_HOSTS_APP_DATAGRAM_H

#include "lab/hosts/app.h"

#define APP_DATAGRAM_HEADERS 28 // IPv4 and UDP

// The numbers that have arrived at one end: bit i of `seen` is the number next - 1 - i. Those from
// `marked` on are in the count of the missing that began at mark_ns.
struct app_datagram_seen {
    uint32_t next, marked;
    uint64_t seen, mark_ns;
};

struct app_datagram {
    struct app app;
    struct flow *flow; // NULL: not begun
    struct app_datagram_seen at[FLOW_ENDS];
    // Behind the count; NULL: of no matter.
    void (*received)(struct app *app, enum flow_end at, uint64_t octets, uint64_t now_ns);
};

// Opens the flow to that port of the host.
void app_datagram_open(struct app *app, uint16_t port, bool ect, uint64_t now_ns);

// Sends a datagram in an IP packet of so many octets, FLOW_DATAGRAM_LEAST at least.
void app_datagram_send(struct app *app, enum flow_end from, uint32_t octets, uint64_t now_ns);

#endif
