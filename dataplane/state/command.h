// Commands from control to a worker: fixed-size, described field by field. Control allocates every
// id, so a command that was accepted cannot fail in the worker.
#ifndef SLUICE_STATE_COMMAND_H
#define SLUICE_STATE_COMMAND_H

#include "dataplane/base/classes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/field.h"
#include "dataplane/wire/llc.h"

#define COMMAND_NSE_FIELDS(MUST, MAY, T)                                \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "index of the NSE")             \
    MUST(T, U16, nsei, 0, 0xffff, "NSEI")                               \
    MUST(T, U32, peer_address, 0, UINT32_MAX, "the BSS's IPv4 address") \
    MUST(T, U16, peer_port, 1, 0xffff, "the BSS's UDP port")            \
    MUST(T, MAC, peer_mac, 0, 0, "Ethernet address of the BSS or of the router to it")

#define COMMAND_BVC_FIELDS(MUST, MAY, T)                         \
    MUST(T, U32, bvc_id, 0, UINT32_MAX, "index of the cell")     \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the NSE it belongs to") \
    MUST(T, U16, bvci, 2, 65534, "BVCI")

#define COMMAND_MS_FIELDS(MUST, MAY, T)                      \
    MUST(T, U32, ms_id, 0, UINT32_MAX, "index of the MS")    \
    MUST(T, U32, bvc_id, 0, UINT32_MAX, "the cell it is in") \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI")                \
    MUST(T, U16, n201_u, LLC_N201_U_MIN, LLC_N201_U_MAX, "most octets of a UI frame's information")

#define COMMAND_PDP_FIELDS(MUST, MAY, T)                                     \
    MUST(T, U32, pdp_id, 0, UINT32_MAX, "index of the PDP context")          \
    MUST(T, U32, ms_id, 0, UINT32_MAX, "the MS it belongs to")               \
    MUST(T, U8, nsapi, 5, 15, "NSAPI")                                       \
    MUST(T, U8, sapi, 3, 11, "LLC SAPI: 3, 5, 9 or 11")                      \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "traffic class, by slot") \
    MUST(T, U32, lifetime_ms, 0, BSSGP_LIFETIME_INFINITE_MS, "PDU lifetime told to the BSS")

FIELD_STRUCT(command_nse, COMMAND_NSE_FIELDS);
FIELD_STRUCT(command_bvc, COMMAND_BVC_FIELDS);
FIELD_STRUCT(command_ms, COMMAND_MS_FIELDS);
FIELD_STRUCT(command_pdp, COMMAND_PDP_FIELDS);

enum command_op {
#define COMMAND(name, LIST, help) COMMAND_##name,
#include "dataplane/state/commands.def"
#undef COMMAND
    COMMAND_COUNT
};

// The ring's element; its size is a multiple of 4, as rte_ring_elem wants it.
struct command {
    uint32_t op;
    union {
#define COMMAND(name, LIST, help) struct command_##name name;
#include "dataplane/state/commands.def"
#undef COMMAND
    };
};

#endif
