// Commands from control to a worker: fixed-size, described field by field. Control allocates every
// id, so a command that was accepted cannot fail in the worker.
//
// A bucket without its rate does not limit; a rate of 0 stops. Rates are in units of 100 bit/s, as
// R on the wire.
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
    MUST(T, U8, weight, 0, 255, "its share of the NSE's load; 0: none, as while it is blocked")
#define COMMAND_BLOCKED(MAY, T) \
    MAY(T, BOOL, blocked, 0, 1, "no downlink goes there, its user data is control's; none: no")
#define COMMAND_OCTETS_BACK(MUST, T) MUST(T, U32, octets, 0, UINT32_MAX, "off its level")
#define COMMAND_SLOT(MUST, T)        MUST(T, U8, slot, 0, SCHED_SLOTS - 1, "which packet flow of the MS")
// With the CBL feature the PDU that brings a bucket says how full the BSS sees it, in per cent of
// it.
#define COMMAND_FULL(MAY, T) MAY(T, U8, full_percent, 0, 255, "bucket-full ratio, in per cent")

// Addresses: IPv4 as ::ffff:a.b.c.d.
#define COMMAND_NSE_FIELDS(MUST, MAY, T) \
    COMMAND_NSE_ID(MUST, T)              \
    MUST(T, U16, nsei, 0, 0xffff, "NSEI")
#define COMMAND_NSVC_FIELDS(MUST, MAY, T)                                                      \
    COMMAND_NSVC_ID(MUST, T)                                                                   \
    COMMAND_NSE_ID(MUST, T)                                                                    \
    MUST(T, U16, nsvci, 0, 0xffff, "NSVCI")                                                    \
    MUST(T, IPV6, peer_address, 0, 0, "the BSS's address")                                     \
    MUST(T, U16, peer_port, 1, 0xffff, "the BSS's UDP port")                                   \
    MAY(T, MAC, peer_mac, 0, 0, "its or its router's Ethernet address; none: found by asking") \
    COMMAND_WEIGHT(MUST, T) COMMAND_BLOCKED(MAY, T)
#define COMMAND_NSVC_WEIGHT_FIELDS(MUST, MAY, T) \
    COMMAND_NSVC_ID(MUST, T) COMMAND_WEIGHT(MUST, T) COMMAND_BLOCKED(MAY, T)
#define COMMAND_NSVC_ID_FIELDS(MUST, MAY, T) COMMAND_NSVC_ID(MUST, T)
#define COMMAND_SEND_FIELDS(MUST, MAY, T) \
    COMMAND_NSVC_ID(MUST, T)              \
    MUST(T, OCTETS, pdu, 1, 65507, "the NS PDU")

#define COMMAND_GGSN_FIELDS(MUST, MAY, T)                 \
    COMMAND_GGSN_ID(MUST, T)                              \
    MUST(T, IPV6, address, 0, 0, "its address for GTP-U") \
    MAY(T, MAC, mac, 0, 0, "its or its router's Ethernet address; none: found by asking")
#define COMMAND_GGSN_ID_FIELDS(MUST, MAY, T) COMMAND_GGSN_ID(MUST, T)
#define COMMAND_NET_FIELDS(MUST, MAY, T)    \
    MUST(T, IPV6, address, 0, 0, "a net's") \
    MUST(T, U8, prefix, 0, 128, "how many of its bits count; of an IPv4 address 96 more")
FIELD_STRUCT(command_net, COMMAND_NET_FIELDS);
FIELD_LIST_STRUCT(command_nets, command_net, PORT_NETS);
extern const struct field_record command_net_record;
#define FIELD_TYPE_NETS struct command_nets
#define FIELD_KIND_NETS FIELD_LIST, &command_net_record
#define COMMAND_GN_FROM_FIELDS(MUST, MAY, T) \
    MUST(T, NETS, nets, 0, PORT_NETS,        \
         "who may send beside a context's GGSN; none: those without one have them all")
#define COMMAND_NSE_FLOW_FIELDS(MUST, MAY, T) \
    COMMAND_NSE_ID(MUST, T) COMMAND_BUCKET_OF(MUST, MAY, T, )
#define COMMAND_NSE_ID_FIELDS(MUST, MAY, T) COMMAND_NSE_ID(MUST, T)

#define COMMAND_BVC_FIELDS(MUST, MAY, T)                         \
    COMMAND_BVC_ID(MUST, T)                                      \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the NSE it belongs to") \
    MUST(T, U16, bvci, 2, 65534, "BVCI")                         \
    COMMAND_BLOCKED(MAY, T)
#define COMMAND_BVC_FLOW_FIELDS(MUST, MAY, T) \
    COMMAND_BVC_ID(MUST, T)                   \
    COMMAND_BUCKET_OF(MUST, MAY, T, ) COMMAND_FULL(MAY, T) COMMAND_BUCKET_OF(MUST, MAY, T, ms_)
#define COMMAND_BVC_ID_FIELDS(MUST, MAY, T) COMMAND_BVC_ID(MUST, T)
#define COMMAND_BVC_BLOCK_FIELDS(MUST, MAY, T) \
    COMMAND_BVC_ID(MUST, T)                    \
    MUST(T, BOOL, blocked, 0, 1, "whether it is from here on")
#define COMMAND_BVC_CREDIT_FIELDS(MUST, MAY, T) COMMAND_BVC_ID(MUST, T) COMMAND_OCTETS_BACK(MUST, T)

#define COMMAND_MS_FIELDS(MUST, MAY, T)                      \
    COMMAND_MS_ID(MUST, T)                                   \
    MUST(T, U32, bvc_id, 0, UINT32_MAX, "the cell it is in") \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI")                \
    MUST(T, U16, n201_u, LLC_N201_U_MIN, LLC_N201_U_MAX, "most octets of a UI frame's information")
// The number is that of the type of ciphering algorithm (TS 24.008 10.5.5.3).
#define COMMAND_MS_CIPHER_FIELDS(MUST, MAY, T)                                                   \
    COMMAND_MS_ID(MUST, T)                                                                       \
    MUST(T, U8, gea, 0, 7, "0: none, 3: GEA3, 4: GEA4; 1, 2 and 5 are refused as unsupported")   \
    MUST(T, OCTETS, key, 0, CIPHER_KEY_OCTETS, "Kc: 8 octets for GEA3, 16 for GEA4, 0 for none") \
    MUST(T, U32, iov_ui, 0, UINT32_MAX, "IOV-UI, the offset of UI frames' INPUT")
#define COMMAND_MS_TLLI_FIELDS(MUST, MAY, T) \
    COMMAND_MS_ID(MUST, T)                   \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI")
#define COMMAND_MS_N201_U_FIELDS(MUST, MAY, T)          \
    COMMAND_MS_ID(MUST, T)                              \
    MUST(T, U8, sapi, 3, 11, "LLC SAPI: 3, 5, 9 or 11") \
    MUST(T, U16, n201_u, LLC_N201_U_MIN, LLC_N201_U_MAX, "most octets of a UI frame's information")
// What a DL-UNITDATA says of its MS besides; all of it again with each of these.
#define COMMAND_MS_OPTIONS_FIELDS(MUST, MAY, T)                                        \
    COMMAND_MS_ID(MUST, T)                                                             \
    MAY(T, OCTETS, ra_capability, 1, 48, "MS radio access capability, its value part") \
    MAY(T, U8, priority, 0, 255, "priority")                                           \
    MAY(T, U16, drx, 0, 0xffff, "DRX parameters")                                      \
    MAY(T, DIGITS, imsi, 5, 15, "IMSI")                                                \
    MAY(T, U32, old_tlli, 0, UINT32_MAX, "the TLLI it had before")
#define COMMAND_MS_FLOW_FIELDS(MUST, MAY, T) \
    COMMAND_MS_ID(MUST, T) COMMAND_BUCKET_OF(MUST, MAY, T, ) COMMAND_FULL(MAY, T)
#define COMMAND_MS_CREDIT_FIELDS(MUST, MAY, T) COMMAND_MS_ID(MUST, T) COMMAND_OCTETS_BACK(MUST, T)
// Two holds that do not know of each other.
#define COMMAND_MS_FREEZE_FIELDS(MUST, MAY, T) \
    COMMAND_MS_ID(MUST, T)                     \
    MAY(T, BOOL, until_heard, 0, 1, "until a good frame of its user data comes; none: no")
#define COMMAND_MS_MOVE_FIELDS(MUST, MAY, T) COMMAND_MS_ID(MUST, T) COMMAND_BVC_ID(MUST, T)
#define COMMAND_MS_ID_FIELDS(MUST, MAY, T)   COMMAND_MS_ID(MUST, T)

#define COMMAND_PFC_FIELDS(MUST, MAY, T)                                       \
    COMMAND_MS_ID(MUST, T)                                                     \
    COMMAND_SLOT(MUST, T)                                                      \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "traffic class, by number") \
    MAY(T, U8, shares, 0, SCHED_SLOTS - 1, "the slot whose bucket it uses; none: one of its own")
#define COMMAND_PFC_FLOW_FIELDS(MUST, MAY, T) \
    COMMAND_MS_ID(MUST, T)                    \
    COMMAND_SLOT(MUST, T) COMMAND_BUCKET_OF(MUST, MAY, T, ) COMMAND_FULL(MAY, T)
#define COMMAND_PFC_CREDIT_FIELDS(MUST, MAY, T) \
    COMMAND_MS_ID(MUST, T) COMMAND_SLOT(MUST, T) COMMAND_OCTETS_BACK(MUST, T)
#define COMMAND_PFC_ID_FIELDS(MUST, MAY, T) COMMAND_MS_ID(MUST, T) COMMAND_SLOT(MUST, T)

#define COMMAND_PDP_FIELDS(MUST, MAY, T)                             \
    COMMAND_PDP_ID(MUST, T)                                          \
    COMMAND_MS_ID(MUST, T)                                           \
    MUST(T, U8, slot, 0, SCHED_SLOTS - 1, "its packet flow's")       \
    MUST(T, U8, nsapi, 5, 15, "NSAPI")                               \
    MUST(T, U8, sapi, 3, 11, "LLC SAPI: 3, 5, 9 or 11")              \
    MAY(T, U8, pfi, 0, 127, "PFI of its packet flow, for the BSS")   \
    MAY(T, U32, ggsn_id, 0, UINT32_MAX, "its GGSN; none: no uplink") \
    MUST(T, U32, ggsn_teid, 0, UINT32_MAX, "TEID of its tunnel there")
#define COMMAND_PDP_ID_FIELDS(MUST, MAY, T) COMMAND_PDP_ID(MUST, T)
#define COMMAND_PDP_UPLINK_FIELDS(MUST, MAY, T) \
    COMMAND_PDP_ID(MUST, T)                     \
    MUST(T, BOOL, ended, 0, 1, "whether its uplink is dropped from here on")

#define COMMAND_LLC_OCTETS_MAX (LLC_UI_HEADER_OCTETS + LLC_N201_U_MAX + LLC_FCS_OCTETS)
#define COMMAND_LLC_FIELDS(MUST, MAY, T) \
    COMMAND_MS_ID(MUST, T)               \
    MUST(T, OCTETS, pdu, 1, COMMAND_LLC_OCTETS_MAX, "the LLC frame, with its FCS")

// One of an AQM's parameters, in the order of its table. Only a level has a unit (enum
// aqm_level_unit); else it is 0.
#define DP_AQM_PARAM_FIELDS(MUST, MAY, T)                                    \
    MUST(T, U8, unit, 0, AQM_LEVEL_PDUS, "of a level: time, octets, N-PDUs") \
    MUST(T, U64, value, 0, (1ULL << AQM_LEVEL_UNIT_SHIFT) - 1, "the value")
FIELD_STRUCT(dp_aqm_param, DP_AQM_PARAM_FIELDS);
FIELD_LIST_STRUCT(dp_aqm_params, dp_aqm_param, AQM_PARAMS_MAX);
extern const struct field_record dp_aqm_param_record;
#define FIELD_TYPE_AQM_PARAMS struct dp_aqm_params
#define FIELD_KIND_AQM_PARAMS FIELD_LIST, &dp_aqm_param_record

// As the AQM takes them.
static inline void dp_aqm_values(const struct dp_aqm_params *from, uint64_t values[AQM_PARAMS_MAX])
{
    for (uint64_t i = 0; i < from->n; i++)
        values[i] = AQM_LEVEL_OF(from->item[i].unit, from->item[i].value);
}

// What of a traffic class may change while there is traffic.
// How much may wait, of a class and elsewhere.
#define COMMAND_PACKETS_MOST 1048576u
#define COMMAND_OCTETS_LEAST 1500u
#define COMMAND_OCTETS_MOST  1000000000u
#define COMMAND_CLASS_VALUES(MUST, T)                                                            \
    MUST(T, U32, weight, 1, SCHED_WEIGHT_MAX, "its share; signalling goes first whatever it is") \
    MUST(T, U32, packets, 1, COMMAND_PACKETS_MOST, "most N-PDUs of the class queued")            \
    MUST(T, U64, octets, COMMAND_OCTETS_LEAST, COMMAND_OCTETS_MOST, "most octets of them")       \
    MUST(T, U64, lifetime_ns, 0, INT64_MAX, "of an N-PDU in SGSN and BSS; 0 is for ever")        \
    MUST(T, U64, bss_least_ns, 0, INT64_MAX, "what of it is left for the BSS at least")          \
    MUST(T, U64, bss_most_ns, 0, INT64_MAX, "and at most; 0 is no such limit")
#define COMMAND_CLASS(MUST, T) \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "traffic class, by number")
#define COMMAND_CLASS_SET_FIELDS(MUST, MAY, T) COMMAND_CLASS(MUST, T) COMMAND_CLASS_VALUES(MUST, T)
#define COMMAND_CLASS_AQM_FIELDS(MUST, MAY, T) \
    COMMAND_CLASS(MUST, T)                     \
    MUST(T, AQM_PARAMS, params, 0, AQM_PARAMS_MAX, "all of them, in the order of its table")

#define COMMAND(name, LIST, help) FIELD_STRUCT(command_##name, LIST);
#include "dataplane/state/commands.def"
#undef COMMAND

enum command_op {
#define COMMAND(name, LIST, help) COMMAND_##name,
#include "dataplane/state/commands.def"
#undef COMMAND
    COMMAND_COUNT,
    // What dp_command adds when an MS goes to another worker: there it is waited for, and where
    // its contexts' TEIDs lead, it is known who has it.
    COMMAND_expect = COMMAND_COUNT,
    COMMAND_redirect
};

#define COMMAND_OCTETS 72u // of what octets may stand for in a worker

#define COMMAND_NSAPIS 16

// The ring's element; its size is a multiple of 4, as rte_ring_elem wants it. The caller names MSs
// and PDP contexts by control's ids; in the ring they have those that their worker knows them by.
struct command {
    uint32_t op;
    // Written by dp_command:
    uint32_t teid;  // of a new PDP context; of redirect: where it is now, 0 for nowhere
    uint32_t place; // of a new MS, or one that moves to another worker: its id there
    uint32_t ms_id; // of ms: control's id of it
    void *buffer;   // of send and llc: the PDU, with room for its headers
    union {
        uint8_t octets[COMMAND_OCTETS]; // of ms_cipher the key, of ms_options the elements
        // Of ms_move to another worker, and of expect: the TEID that a context has there, by NSAPI.
        uint32_t teid_of[COMMAND_NSAPIS];
    };
    uint32_t octets_n;
    uint16_t homes;  // of ms_move: the NSAPIs, a bit each, whose GGSNs send to the worker it leaves
    uint16_t worker; // of ms_move: who has it from then on; of expect: who had it
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
