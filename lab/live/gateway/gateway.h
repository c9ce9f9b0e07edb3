// A GGSN's GTP-U endpoint in real time (TS 29.281), with a tun device behind it: Linux is the
// Internet. A packet from the device goes to the SGSN in the tunnel of its destination address; a
// G-PDU goes to the device if its packet is from an address of a context. IPv4. The contexts and
// their TEIDs are the caller's, and those of a pool, which SGSNs create by GTP-C. An address of the
// pool has contexts of the pool alone.
#ifndef SLUICE_LAB_LIVE_GATEWAY_GATEWAY_H
#define SLUICE_LAB_LIVE_GATEWAY_GATEWAY_H

#include <signal.h>

#include "lab/base/json.h"
#include "lab/pool/pool.h"

enum gateway_count {
#define COUNT(name, help) GATEWAY_COUNT_##name,
#include "lab/live/gateway/counts.def"
#undef COUNT
    GATEWAY_COUNTS
};

struct gateway_context {
    uint32_t address, teid; // of the MS; of the SGSN
};

struct gateway {
    uint32_t address, sgsn; // IPv4
    struct pool *pool;      // NULL: no GTP-C
    int tun;                // gives a packet a read, not blocking
    volatile sig_atomic_t *ended;
    void (*each_second)(void *self); // may call gateway_set
    void *self;
    // Its own:
    struct gateway_context *context; // by address
    uint32_t contexts;
    int socket, control; // control: of GTP-C; -1: none
    uint64_t count[GATEWAY_COUNTS];
};

// 0, or -errno.
int gateway_open(struct gateway *gateway);
// Takes the contexts in the place of those before; the list is copied.
void gateway_set(struct gateway *gateway, const struct gateway_context *context, uint32_t contexts);
// Waits for something to come, up to so long, and passes it on. 0, or -errno of the device.
int gateway_turn(struct gateway *gateway, int wait_ms);
// Turns until the signal. 0, or -errno.
int gateway_run(struct gateway *gateway);
void gateway_close(struct gateway *gateway);

// Members of an object.
void gateway_put(const struct gateway *gateway, struct json *json);
// NULL, or which equation does not hold.
const char *gateway_wrong(const struct gateway *gateway);

#endif
