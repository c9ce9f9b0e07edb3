// Events from a worker to control: fixed-size messages on a ring. An event with a PDU points into
// the PDU's buffer, which control gives back (dp_event_done).
#ifndef SLUICE_STATE_EVENT_H
#define SLUICE_STATE_EVENT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataplane/wire/wire.h"
#include "dataplane/wire/field.h"

enum event_kind {
#define EVENT(name, help) EVENT_##name,
#include "dataplane/state/events.def"
#undef EVENT
    EVENT_COUNT
};
extern const char *const state_event_names[EVENT_COUNT];

#define EVENT_NONE UINT32_MAX // an id that does not apply

struct event {
    uint8_t kind;
    uint8_t worker;
    uint16_t udp_port; // the source's, of PDUs; of unreachable the NS-VC's
    uint32_t nse_id, nsvc_id;
    uint32_t ggsn_id;           // of gtpc: whose turn it is; may be reused by now
    uint32_t bvc_id;            // of moved: the new one
    uint32_t old_bvc_id;        // of moved
    uint32_t claimed_bvc_id;    // of proven and unproven: the cell in which the frame came
    uint32_t ms_id;             // control's
    uint32_t teid;              // of error_indication and tunnel: the GGSN's
    struct ipv6_address source; // of the PDU; of unreachable the NS-VC's; of tunnel the GGSN's
    bool copied;                // the buffer is from malloc, else from a pool
    struct octets pdu;          // the NS PDU or GTP-C datagram, in the buffer
    void *buffer;
    uint64_t commands; // carried out by the worker before this event
};
static_assert(sizeof(struct event) % 4 == 0, "as rte_ring_elem wants it");

#endif
