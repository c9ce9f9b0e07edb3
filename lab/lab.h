// The network around the SGSN, in virtual time: hosts behind the GGSN, the lines of Gn and Gb, and
// for each NSE a BSS with cells, radios and MSs. All of it is simulated; the packets are real from
// end to end, down and up.
#ifndef SLUICE_LAB_LAB_H
#define SLUICE_LAB_LAB_H

#include <stdio.h>

#include "lab/base/json.h"
#include "dataplane/dataplane.h"
#include "lab/bss/bss_config.h"
#include "lab/bss/bss_trace.h"
#include "lab/engine/engine.h"
#include "lab/hosts/flow.h"
#include "lab/hosts/tcp_profile.h"
#include "lab/lab_event.h"
#include "lab/line/line.h"
#include "lab/ms/ms.h"
#include "lab/net/cake.h"
#include "lab/net/link.h"
#include "lab/radio/config.h"
#include "lab/report/ledger.h"

#define FIELD_TYPE_LINK   struct link_config
#define FIELD_KIND_LINK   FIELD_RECORD, &link_config_record
#define FIELD_TYPE_CAKE   struct cake_config
#define FIELD_KIND_CAKE   FIELD_RECORD, &cake_config_record
#define FIELD_TYPE_MOBILE struct ms_config
#define FIELD_KIND_MOBILE FIELD_RECORD, &ms_config_record
#define FIELD_TYPE_BSS    struct bss_config
#define FIELD_KIND_BSS    FIELD_RECORD, &bss_config_record
#define FIELD_TYPE_BSC    struct bss_cell_config
#define FIELD_KIND_BSC    FIELD_RECORD, &bss_cell_config_record
#define FIELD_TYPE_RADIO  struct radio_config
#define FIELD_KIND_RADIO  FIELD_RECORD, &radio_config_record

#define LAB_CONFIG_FIELDS(MUST, MAY, T)                                              \
    MUST(T, OCTETS, name, 1, 64, "the scenario's name")                              \
    MUST(T, U64, seed, 0, INT64_MAX, "seed of every random number")                  \
    MUST(T, U64, duration_ns, 1, INT64_MAX, "virtual time to run")                   \
    MUST(T, U64, step_ns, 0, INT64_MAX, "step of the time series; 0: none")          \
    MUST(T, BOOL, passive, 0, 1, "whether TCP is measured at Gn")                    \
    MUST(T, U64, gb_rate_bit_per_s, 0, INT64_MAX, "rate of Gb's line, 0 = no limit") \
    MUST(T, U32, workers, 1, DP_WORKERS_MAX, "the dataplane's workers")              \
    MUST(T, IPV6, gn_address, 0, 0, "the dataplane's address on Gn")                 \
    MUST(T, MAC, gn_mac, 0, 0, "the dataplane's Ethernet address on Gn")             \
    MUST(T, U16, gn_mtu_octets, 576, 9000, "the largest IP packet on Gn")            \
    MUST(T, U16, gn_vlan, 0, 4094, "the VLAN of Gn's frames; 0: none")               \
    MUST(T, IPV6, ggsn_address, 0, 0, "the GGSN's address, of the same family")      \
    MUST(T, MAC, ggsn_mac, 0, 0, "the GGSN's Ethernet address")                      \
    MUST(T, IPV6, gb_address, 0, 0, "the dataplane's IPv4 address on Gb")            \
    MUST(T, IPV6, gb_address6, 0, 0, "the dataplane's IPv6 address on Gb")           \
    MUST(T, MAC, gb_mac, 0, 0, "the dataplane's Ethernet address on Gb")             \
    MUST(T, U16, gb_port, 1, 0xffff, "the dataplane's UDP port on Gb")               \
    MUST(T, U16, gb_mtu_octets, 576, 9000, "the largest IP packet on Gb")            \
    MUST(T, U16, gb_vlan, 0, 4094, "the VLAN of Gb's frames; 0: none")               \
    MUST(T, LINK, gi, 0, 0, "the line between the hosts and the GGSN, each way")     \
    MUST(T, CAKE, cake, 0, 0, "CAKE between that line and the GGSN, down")           \
    MUST(T, MOBILE, mobile, 0, 0, "settings of all MSs")

#define LAB_NSE_FIELDS(MUST, MAY, T)               \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the NSE") \
    MUST(T, BSS, bss, 0, 0, "how its BSS behaves") \
    MUST(T, LINK, line, 0, 0, "the line between the SGSN and each NS-VC of the BSS, each way")

#define FIELD_TYPE_PLAN struct radio_plan
#define FIELD_KIND_PLAN FIELD_RECORD, &radio_plan_record

#define LAB_ENDPOINT_FIELDS(MUST, MAY, T)                  \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the NS-VC's NSE") \
    MUST(T, U16, nsvci, 0, 0xffff, "the NSVCI")            \
    MUST(T, IPV6, address, 0, 0, "the BSS's address")      \
    MUST(T, U16, port, 1, 0xffff, "the BSS's UDP port")    \
    MUST(T, MAC, mac, 0, 0, "the BSS's Ethernet address")  \
    MUST(T, U8, weight, 1, 255, "its share of the traffic, in SNS")

#define LAB_CELL_FIELDS(MUST, MAY, T)                                                       \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the cell's NSE")                                   \
    MUST(T, U32, bvc_id, 0, UINT32_MAX, "the cell, in the dataplane")                       \
    MUST(T, BSC, bsc, 0, 0, "its buffers and its flow control")                             \
    MUST(T, BOOL, has_radio, 0, 1, "whether LLC PDUs go by a radio")                        \
    MUST(T, RADIO, radio, 0, 0, "that radio")                                               \
    MUST(T, OCTETS, trace, 0, RADIO_TRACE_NAME_MOST, "the file of its rate; none: no file") \
    MUST(T, OCTETS, flow_trace, 0, BSS_TRACE_NAME_MOST,                                     \
         "the file of its flow control; none: no file")

#define LAB_RADIO_KEYS_OCTETS 512

// Of an MS's radio in place of its cell's; without `radio`: nothing (lab/radio/radio.h, struct
// radio_own).
#define LAB_OWN_RADIO_FIELDS(MUST, MAY, T)                                         \
    MAY(T, OCTETS, radio, 0, LAB_RADIO_KEYS_OCTETS, "keys in place of its cell's") \
    MAY(T, OCTETS, walk, 1, RADIO_TRACE_NAME_MOST, "the file of its downlink over time")

#define LAB_MS_FIELDS(MUST, MAY, T)                                                     \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the MS's NSE")                                 \
    MUST(T, U16, bvci, 2, 0xffff, "the MS's cell")                                      \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI of the MS")                                 \
    MUST(T, DIGITS, imsi, 0, 15, "its IMSI")                                            \
    MUST(T, U16, n201_u, LLC_N201_U_MIN, LLC_N201_U_MAX, "N201-U before the first XID") \
    MUST(T, U8, gea, 0, 4, "3: GEA3, 4: GEA4, 0: no cipher")                            \
    MUST(T, OCTETS, key, 0, 16, "Kc")                                                   \
    MUST(T, U32, iov_ui, 0, UINT32_MAX, "IOV-UI")                                       \
    LAB_OWN_RADIO_FIELDS(MUST, MAY, T)

#define LAB_CONTEXT_FIELDS(MUST, MAY, T)                                     \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the MS's NSE")                      \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI of the MS")                      \
    MUST(T, U8, nsapi, 5, 15, "NSAPI")                                       \
    MUST(T, U8, sapi, 3, 11, "SAPI")                                         \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "traffic class, by slot") \
    MUST(T, U32, address, 1, UINT32_MAX, "the MS's address in the context")  \
    MUST(T, U32, teid, 1, UINT32_MAX, "the tunnel's TEID at the SGSN")       \
    MUST(T, U32, ggsn_teid, 0, UINT32_MAX, "the tunnel's TEID at the GGSN")

#define FIELD_TYPE_EVENT struct lab_event_config
#define FIELD_KIND_EVENT FIELD_RECORD, &lab_event_record

// cells: each as the NSE (4 octets) and the BVCI (2 octets), network order.
#define LAB_EVENT_CALL_FIELDS(MUST, MAY, T)                    \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the MS's NSE")        \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI of the MS")        \
    MUST(T, OCTETS, cells, 0, 384, "where it moves, in turns") \
    MUST(T, EVENT, event, 0, 0, "what happens, and when")

#define LAB_PLAN_FIELDS(MUST, MAY, T)                                \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the cell's NSE")            \
    MUST(T, U16, bvci, 2, 0xffff, "the cell")                        \
    MAY(T, U32, tlli, 0, UINT32_MAX, "TLLI of the MS that it meets") \
    MUST(T, PLAN, plan, 0, 0, "what happens to the cell's radio")

// A TCP profile of the file: `base` with some fields changed (field_change).
#define LAB_TCP_FIELDS(MUST, MAY, T)                                 \
    MUST(T, OCTETS, name, 1, 64, "the profile's name")               \
    MUST(T, OCTETS, base, 1, 64, "the name of the profile it is of") \
    MUST(T, OCTETS, changes, 0, 1200, "fields and values")

// The MS has one PDP context, with an address of the GGSN's, which the call returns.
#define LAB_PHONE_FIELDS(MUST, MAY, T)                                                    \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the MS's NSE")                                   \
    MUST(T, U16, bvci, 2, 0xffff, "the MS's cell")                                        \
    MUST(T, DIGITS, imsi, 6, 15, "its IMSI")                                              \
    MUST(T, U16, n201_u, LLC_N201_U_MIN, LLC_N201_U_MAX, "N201-U before the first XID")   \
    MUST(T, U8, nsapi, 5, 15, "NSAPI of its context")                                     \
    MUST(T, U8, sapi, 3, 11, "SAPI that it asks for")                                     \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "traffic class, by slot")              \
    MUST(T, U64, on_ns, 0, INT64_MAX, "when it is switched on, or when all cells are up") \
    MAY(T, OCTETS, k, 16, 16, "K of its card")                                            \
    MAY(T, OCTETS, opc, 16, 16, "OPc of its card")                                        \
    LAB_OWN_RADIO_FIELDS(MUST, MAY, T)

FIELD_STRUCT(lab_config, LAB_CONFIG_FIELDS);
FIELD_STRUCT(lab_nse, LAB_NSE_FIELDS);
FIELD_STRUCT(lab_endpoint, LAB_ENDPOINT_FIELDS);
FIELD_STRUCT(lab_cell, LAB_CELL_FIELDS);
FIELD_STRUCT(lab_ms, LAB_MS_FIELDS);
FIELD_STRUCT(lab_context, LAB_CONTEXT_FIELDS);
FIELD_STRUCT(lab_phone_call, LAB_PHONE_FIELDS);
FIELD_STRUCT(lab_plan, LAB_PLAN_FIELDS);
FIELD_STRUCT(lab_event_call, LAB_EVENT_CALL_FIELDS);
FIELD_STRUCT(lab_tcp, LAB_TCP_FIELDS);

extern const struct field lab_config_fields[];
extern const uint32_t lab_config_field_count;

// Row i of the lists out of which the configuration's keys of the lab are made. Returns false if
// there is none.
struct lab_list {
    const char *name;
    const struct field_record *record;
    const char *(*fault)(const void *config); // NULL, or what values do not fit together for
    bool is_app;                              // an application, of which it is the configuration
    const char *help;
    // NULL, or a number that the values come to; returns NULL, or why there is none.
    const char *(*measure)(const void *config, uint64_t *measure);
};
bool lab_list(uint32_t i, struct lab_list *list);

// NULL, or what is wrong between the values of a TCP profile of the file.
extern const struct field_record lab_tcp_record;
const char *lab_tcp_fault(const void *profile);

// Built-in TCP profile i; NULL: there is none.
const struct tcp_profile_row *lab_tcp_profile(uint32_t i);

struct lab;

// The calls for Lua; their target is the struct lab. What they add must be there before control is
// up.
const struct field_call *lab_calls(struct lab *lab, uint32_t *count);

// What the lab writes while it runs; NULL: not. The series are CSV files, one for each of
// LEDGER_KINDS.
struct lab_outputs {
    struct capture *gi, *gn, *gb;
    struct line_tap gn_tap;
    FILE *packets; // packets.csv
    FILE *series[LEDGER_KINDS];
};

// The name of the file of a kind's series; NULL: there is none.
const char *lab_series_name(enum ledger_kind kind);
// Prints what each of its columns is.
void lab_series_describe(enum ledger_kind kind, FILE *out);

// Makes the network behind both ports of the dataplane. The caller adds workers and control to the
// lab's engine as pollers, and keeps the outputs. The one lab of a process.
struct lab *lab_create(const struct lab_config *config, const struct dp *dp,
                       const struct lab_outputs *outputs);
struct engine *lab_engine(struct lab *lab);

// Hosts and MSs with an IP of their own, outside of the lab: they take the place of the
// applications, which do not start. Their packets enter by lab_from_outside.
struct lab_outside {
    void *self;
    void (*arrived)(void *self, enum flow_end at, const uint8_t *ip, uint32_t octets);
    // In place of engine_run, once all is up; it calls that one.
    int (*run)(void *self, uint64_t until_ns);
};

// Before lab_run.
void lab_set_outside(struct lab *lab, const struct lab_outside *outside);

#define LAB_OUTSIDE_OCTETS_MAX 1500 // larger packets are a fault

// An IP packet of a host or an MS, now. It gets the next IP id of its way, for the ledger finds
// packets by it. One that is not whole IPv4 between a host and an address of an MS is a fault of
// the lab.
void lab_from_outside(struct lab *lab, enum flow_end from, uint8_t *ip, uint32_t octets);

// Runs the pollers until is_up(self) and until all cells are up, then starts the applications and
// runs to the configured end. Returns 0 or a fault of the engine.
int lab_run(struct lab *lab, engine_is_up_fn *is_up, engine_fire_fn *progress, void *self);

// From now on all figures start at 0, and times of what began before are left out. The books that
// lab_wrong compares, and the time series, go on.
void lab_mark(struct lab *lab);

// Begins a new batch: what is counted beside all figures for those of it.
void lab_batch(struct lab *lab);

// Also frees the frames that are still on the lines.
void lab_destroy(struct lab *lab);

// ---- Results ----

const struct ledger *lab_ledger(const struct lab *lab);
const struct line *lab_line(const struct lab *lab, enum stats_side side);

// CSV file i, to be written with put(lab, out); NULL: there is none.
struct lab_table {
    const char *name;
    const struct table *table; // its columns
    void (*put)(const void *lab, FILE *out);
};
const struct lab_table *lab_table(uint32_t i);
extern const struct table lab_table_packets; // the columns of packets.csv

// The name of kind i of applications; NULL: there is none.
const char *lab_application(uint32_t i);

// The member "applications" of a summary: each kind's sums, and quantiles of its times; or of the
// batch.
void lab_put_applications(const struct lab *lab, struct json *json, uint64_t measured_ns,
                          bool batch);
// What each key of it means, a line each.
void lab_describe_applications(const char *before, FILE *out);

// The member "phones" of a summary, if there are MSs that attach: how many, and how long they took.
void lab_put_phones(const struct lab *lab, struct json *json);
void lab_describe_phones(const char *before, FILE *out);
// A line of the same.
void lab_print_phones(const struct lab *lab, FILE *out);

// Which part does not balance, or does not agree with the next one; NULL: none. Holds between any
// two steps of the engine.
const char *lab_wrong(const struct lab *lab);

// What should not have been: frames, messages and PDUs with a fault, at any of the lab's parts.
struct lab_faults {
    uint64_t count;
    char first[256]; // of one part that has some; "": none
};
struct lab_faults lab_faults(const struct lab *lab);

// Frames that came from Gb, and what became of N-PDUs in the MSs that are not whole.
struct lab_received {
    uint64_t frames, fragments; // fragments: those frames that were not their datagram's last
    uint64_t given_up, partial;
};
struct lab_received lab_received(const struct lab *lab);

#endif
