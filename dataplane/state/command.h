// Commands from control to a worker: fixed-size, described field by field in commands.def. Control
// allocates every id, so a command that was accepted cannot fail in the worker.
//
// A bucket without a rate does not limit; a rate of 0 stops. Rates are in units of 100 bit/s, as R
// on the wire.
#ifndef SLUICE_STATE_COMMAND_H
#define SLUICE_STATE_COMMAND_H

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/classes.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/port/nets.h"
#include "dataplane/sched/sched.h"
#include "dataplane/wire/field.h"
#include "dataplane/wire/llc.h"

#define COMMAND_BUCKET_OF(MUST, MAY, T, prefix)                 \
    MAY(T, U32, prefix##rate_100_bit_per_s, 0, BUCKET_RATE_MAX, \
        "R, in 100 bit/s; "                                     \
        "none: does not limit")                                 \
    MUST(T, U32, prefix##bucket_octets, 0, UINT32_MAX, "Bmax")

#define COMMAND_NSE_ID(MUST, T)  MUST(T, U32, nse_id, 0, UINT32_MAX, "index of the NSE")
#define COMMAND_BVC_ID(MUST, T)  MUST(T, U32, bvc_id, 0, UINT32_MAX, "index of the cell")
#define COMMAND_MS_ID(MUST, T)   MUST(T, U32, ms_id, 0, UINT32_MAX, "index of the MS")
#define COMMAND_PDP_ID(MUST, T)  MUST(T, U32, pdp_id, 0, UINT32_MAX, "index of the PDP context")
#define COMMAND_NSVC_ID(MUST, T) MUST(T, U32, nsvc_id, 0, UINT32_MAX, "index of the NS-VC")
#define COMMAND_GGSN_ID(MUST, T) MUST(T, U32, ggsn_id, 0, UINT32_MAX, "index of the GGSN")
#define COMMAND_WEIGHT(MUST, T) \
    MUST(T, U8, weight, 0, 255, "share of the NSE's load; 0: none, as if blocked")
#define COMMAND_BLOCKED(MAY, T) \
    MAY(T, BOOL, blocked, 0, 1, "no downlink; uplink user data is passed to control; absent: no")
#define COMMAND_OCTETS_BACK(MUST, T) \
    MUST(T, U32, octets, 0, UINT32_MAX, "octets to take off the level")
#define COMMAND_DISCARDED(MUST, T) \
    MUST(T, U8, discarded, 0, 255, "LLC PDUs that the BSS has discarded, to be counted")
#define COMMAND_SLOT(MUST, T) MUST(T, U8, slot, 0, SCHED_SLOTS - 1, "slot of the MS's packet flow")
// With the CBL feature the PDU with the bucket's values also holds the bucket-full ratio, in per
// cent of Bmax.
#define COMMAND_FULL(MAY, T) MAY(T, U8, full_percent, 0, 255, "bucket-full ratio, in per cent")

#define COMMAND_NET_FIELDS(MUST, MAY, T)       \
    MUST(T, IPV6, address, 0, 0, "of the net") \
    MUST(T, U8, prefix, 0, 128, "prefix length; of an IPv4 net 96 more")
FIELD_STRUCT(command_net, COMMAND_NET_FIELDS);
FIELD_LIST_STRUCT(command_nets, command_net, PORT_NETS);
extern const struct field_record command_net_record;
#define FIELD_TYPE_NETS struct command_nets
#define FIELD_KIND_NETS FIELD_LIST, &command_net_record

// Optional elements of a DL-UNITDATA.
#define COMMAND_OPTIONS(MAY, T)                                                        \
    MAY(T, OCTETS, ra_capability, 1, 48, "MS radio access capability, its value part") \
    MAY(T, U8, priority, 0, 255, "priority")                                           \
    MAY(T, U16, drx, 0, 0xffff, "DRX parameters")                                      \
    MAY(T, DIGITS, imsi, 5, 15, "IMSI")                                                \
    MAY(T, U32, old_tlli, 0, UINT32_MAX, "the MS's former TLLI")

#define COMMAND_LLC_OCTETS_MAX (LLC_UI_HEADER_OCTETS + LLC_N201_U_MAX + LLC_FCS_OCTETS)

// One parameter of an AQM, in the order of the AQM's table. Only a level has a unit (enum
// aqm_level_unit); of other parameters `unit` is 0.
#define DP_AQM_PARAM_FIELDS(MUST, MAY, T)                                    \
    MUST(T, U8, unit, 0, AQM_LEVEL_PDUS, "of a level: time, octets, N-PDUs") \
    MUST(T, U64, value, 0, (1ULL << AQM_LEVEL_UNIT_SHIFT) - 1, "the value")
FIELD_STRUCT(dp_aqm_param, DP_AQM_PARAM_FIELDS);
FIELD_LIST_STRUCT(dp_aqm_params, dp_aqm_param, AQM_PARAMS_MAX);
extern const struct field_record dp_aqm_param_record;
#define FIELD_TYPE_AQM_PARAMS struct dp_aqm_params
#define FIELD_KIND_AQM_PARAMS FIELD_LIST, &dp_aqm_param_record

// The parameters in the form of aqm_ops.configure.
static inline void dp_aqm_values(const struct dp_aqm_params *from, uint64_t values[AQM_PARAMS_MAX])
{
    for (uint64_t i = 0; i < from->n; i++)
        values[i] = AQM_LEVEL_OF(from->item[i].unit, from->item[i].value);
}

// The limits of queues, of a class and elsewhere.
#define COMMAND_PACKETS_MOST 1048576u
#define COMMAND_OCTETS_LEAST 1500u
#define COMMAND_OCTETS_MOST  1000000000u
// The values of a traffic class that may change while there is traffic.
#define COMMAND_CLASS_VALUES(MUST, T)                                                              \
    MUST(T, U32, weight, 1, SCHED_WEIGHT_MAX, "its share; of signalling unused, as it goes first") \
    MUST(T, U32, packets, 1, COMMAND_PACKETS_MOST, "most N-PDUs of the class queued")              \
    MUST(T, U64, octets, COMMAND_OCTETS_LEAST, COMMAND_OCTETS_MOST, "most octets of them")         \
    MUST(T, U64, lifetime_ns, 0, INT64_MAX, "of an N-PDU in SGSN and BSS; 0: infinite")            \
    MUST(T, U64, bss_least_ns, 0, INT64_MAX, "least part of it for the BSS")                       \
    MUST(T, U64, bss_most_ns, 0, INT64_MAX, "most part of it for the BSS; 0: no limit")
#define COMMAND_CLASS(MUST, T) \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "traffic class, by number")

#define COMMAND(name, LIST, help) FIELD_STRUCT(command_##name, LIST);
#include "dataplane/state/commands.def"
#undef COMMAND

enum command_op {
#define COMMAND(name, LIST, help) COMMAND_##name,
#include "dataplane/state/commands.def"
#undef COMMAND
    COMMAND_COUNT,
    // Added by dp_command when an MS goes to another worker: `expect` makes the new worker wait for
    // the MS; `redirect` tells the workers of the contexts' other TEIDs which worker has the MS.
    COMMAND_expect = COMMAND_COUNT,
    COMMAND_redirect
};

#define COMMAND_OCTETS 72u // room for the octets that a command leaves in a worker

#define COMMAND_NSAPIS 16

// The ring's element; its size is a multiple of 4, as rte_ring_elem requires. The caller names MSs
// and PDP contexts by control's ids; in the ring they have their worker's places.
struct command {
    uint32_t op;
    // Written by dp_command:
    uint32_t teid;  // of a new PDP context; of redirect: that at the MS's new worker, 0: none
    uint32_t place; // of a new MS, or one that moves to another worker: its index there
    uint32_t ms_id; // of ms: control's id of it
    void *buffer;   // of commands with a PDU: the PDU, with room for its headers
    union {
        // Of ms_cipher the key, of ms_options and bvc_llc the elements.
        uint8_t octets[COMMAND_OCTETS];
        // Of ms_move to another worker, and of expect: the contexts' TEIDs there, by NSAPI.
        uint32_t teid_of[COMMAND_NSAPIS];
    };
    uint32_t octets_n;
    uint16_t homes;  // of ms_move: the NSAPIs, a bit each, with a GGSN that sends to the old worker
    uint16_t worker; // of ms_move: the new worker; of expect: the old one
    union {
        struct {
            uint32_t ms_id;
        } expect;
        struct {
            uint32_t pdp_id;
        } redirect;
#define COMMAND(name, LIST, help) struct command_##name name;
#include "dataplane/state/commands.def"
#undef COMMAND
    };
};

#endif
