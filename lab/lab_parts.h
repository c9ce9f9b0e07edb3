// What the files of the lab share; see lab.h. In the order of a packet's way down: lab_gn.c has the
// hosts, the GGSN and Gn; lab_gb.c Gb, the BSSs and the MSs; lab_account.c the ledger's entries;
// lab_setup.c what Lua adds; lab_balance.c whether the books agree; lab_series.c the time series;
// lab_tables.c further tables; lab_packets.c a row for each thing a packet meets; lab_figures.c the
// applications' figures; lab_events.c what MSs do; lab_phones.c those that attach; lab_radios.c
// the radios of MSs.
#ifndef SLUICE_LAB_LAB_PARTS_H
#define SLUICE_LAB_LAB_PARTS_H

#include <stdlib.h>

#include "lab/bss/bss.h"
#include "lab/engine/need.h"
#include "lab/engine/schedule.h"
#include "lab/ggsn/ggsn.h"
#include "lab/hosts/app.h"
#include "lab/lab.h"
#include "lab/net/link.h"
#include "lab/net/map.h"
#include "lab/report/ledger_series.h"

struct lab_mobile;
struct lab_phone;

// A PDP context: where packets to and from an address of an MS go.
struct lab_tunnel {
    struct lab_mobile *ms;
    uint32_t number; // in the ledger
    uint32_t address, teid, ggsn_teid, worker;
    uint8_t nsapi;
    uint16_t next_id[LEDGER_WAYS]; // of the IP header
    uint32_t bss_loss; // 1 + the reason of the last segment that was lost below Gb; 0: none
};

struct lab_mobile {
    struct ms ms; // first: the parts of the lab have its address
    struct lab_bss *bss;
    struct bss_ms *at_bss;
    struct ms_counters counters;
    uint32_t number;       // in the ledger
    uint32_t calls, aways; // under way: events may overlap
    struct lab_tunnel *tunnel[MS_NSAPIS];
    struct ms_sgsn sgsn;
    uint64_t up_tag;         // of the N-PDU that the MS sends just now
    struct lab_phone *phone; // it attaches; NULL: the file's
};

// A growing list, mostly of what is allocated one by one and the list's own.
struct lab_items {
    void **item;
    uint32_t n, room;
};

struct lab_bss {
    struct lab *lab;
    struct bss *bss;
    struct link_config line;
    uint16_t nsei;
    uint32_t cells, cells_up;
    struct lab_items nsvc; // by their numbers
};

// A cell.
struct lab_place {
    struct lab_bss *bss;
    struct bss_cell *cell;
    uint32_t number; // in the ledger
    uint32_t bvc_id;
    struct view_bvc seen;      // by the dataplane, at the last step
    struct bss_traffic before; // the mark
};

// What an MS does at given times (lab_events.c).
struct lab_event {
    struct lab *lab;
    struct lab_mobile *mobile;
    enum lab_event_kind kind;
    struct schedule when;
    struct engine_timer timer;
    struct lab_items to; // a move's cells in turn: struct lab_place; not its own
    uint32_t moves;
};

// TCP of an application that sent last, at the last step.
struct lab_window {
    bool known;
    uint64_t cwnd_octets, flight_octets, rtt_us, srtt_us, rto_us;
    uint64_t recovering; // connections
    // Places in the stream of data, and of segments how many were sent again so far.
    uint64_t sent_to_octets, acked_to_octets, arrived_to_octets, resent_segments;
};

// What TCP did at each end of a flow of the ledger, all its connections.
struct lab_tcp_sum {
    struct tcp_figures of[FLOW_ENDS];
};

struct lab_profile {
    char name[65];
    struct tcp_profile profile;
};

// An NS-VC: the BSS's endpoint, and the line between it and the SGSN.
struct lab_nsvc {
    struct lab_bss *bss;
    uint32_t number; // in the BSS
    struct ends_host host;
    struct link to_bss, to_sgsn;
    bool has_line;
};

struct lab {
    struct lab_config config;
    const struct dp *dp;
    struct engine *engine;
    struct lab_outputs out;
    struct line gn, gb;
    struct ggsn ggsn;
    struct ends gb_ends;
    struct link gi_down, gi_up;
    struct lab_items cake;
    struct map cake_of; // by the address of the cell or of the MS
    struct flow_table flows;
    struct lab_outside outside; // zeroes: the applications are the hosts
    struct flow_side outside_side[FLOW_ENDS];
    struct app_world world;
    struct ms_shared mobiles_shared;
    struct ledger ledger;
    uint32_t place_net, place_gn, place_dp, place_bss, place_ms, place_gb, place_control,
        place_phone; // first reasons in the ledger
    struct map bss_by_nse, mobile_by_tlli, place_by_cell, place_by_bvc, nsvc_by_endpoint,
        tunnel_by_address, tunnel_by_teid, phone_by_imsi;
    struct lab_items bss, place, mobile, tunnel, app, profile, event, phone, radio;
    struct ms_amount no_context[LEDGER_WAYS]; // packets at the GGSN
    struct app_times *times;                  // of each kind of application
    struct app_times *batch_times;            // the same of the batch
    struct lab_sums *batch_before; // of each kind, at the beginning of the batch; NULL: none yet
    char refusal[APP_ERROR_ROOM];  // of the last application
    struct field_call *calls;
    struct field *app_fields; // of the calls that add applications
    uint64_t nsvcs;
    struct engine_timer step;
    struct ledger_series series[LEDGER_KINDS];
    struct lab_window *window; // of each flow of the ledger
    uint32_t windows;
    struct lab_tcp_sum *ended;  // of connections that have ended since the mark; NULL: none yet
    struct lab_tcp_sum *before; // the mark, of those that had not ended; NULL: none
    uint32_t ended_flows, before_flows;
    engine_is_up_fn *control_is_up;
    void *control;
    struct lab_faults faults; // the lab's own
};

void lab_fault(struct lab *lab, const char *what, uint32_t number);
void lab_put_item(struct lab_items *items, void *item);
void *lab_add_item(struct lab_items *items, size_t octets);
void lab_free_items(struct lab_items *items);

static inline uint64_t lab_cell_key(uint32_t nse_id, uint16_t bvci)
{
    return (uint64_t)nse_id << 16 | bvci;
}

// lab_setup.c
// The MS that has the TLLI in the NSE, or had it, or may come with it; NULL: none.
struct lab_mobile *lab_mobile_of(const struct lab *lab, uint16_t nsei, uint32_t tlli);
// Returns 0 or a negative errno.
int lab_know_mobile(struct lab *lab, uint16_t nsei, uint32_t tlli, struct lab_mobile *mobile);
// It has the TLLI no more.
void lab_forget_mobile(struct lab *lab, uint16_t nsei, uint32_t tlli,
                       const struct lab_mobile *mobile);
// Returns 0 or a negative errno.
int lab_make_mobile(struct lab *lab, const struct lab_ms *c, struct lab_mobile **mobile);

// lab_events.c
int64_t lab_add_event(void *target, const void *argument);
void lab_events_start(struct lab *lab);
void lab_events_release(struct lab *lab);

// lab_phones.c: of MSs that attach, and of others where it says so
enum lab_phone_step { LAB_PHONE_ATTACHED, LAB_PHONE_CONTEXT, LAB_PHONE_OCTET, LAB_PHONE_STEPS };
enum lab_phone_loss { LAB_PHONE_AT_MS, LAB_PHONE_AT_GGSN }; // reasons of lab->place_phone

#define LAB_PHONE_OFF_TLLI 0x70000000u // reserved TLLIs, by which nobody speaks
// Of nobody: 001017 is for tests; then a serial number and the version of its software.
#define LAB_PHONE_IMEISV "0010170000000101"

int64_t lab_add_phone(void *target, const void *argument);
// An application of any MS: true, it starts when its phone has a context.
bool lab_phone_has_app(struct lab_mobile *mobile, struct app **app);
void lab_phones_start(struct lab *lab);
void lab_phones_release(struct lab *lab);
// An LLC PDU to any MS: false, it is the MS's, and no phone's signalling, nor data without a
// context.
bool lab_phone_down(struct lab_mobile *mobile, uint64_t tag, const uint8_t *llc, uint32_t octets,
                    uint64_t now_ns);
void lab_phone_heard(struct lab_mobile *mobile); // any MS, after another one
void lab_phone_arrived(const struct lab_mobile *mobile, uint64_t now_ns); // an N-PDU at any MS
// An N-PDU of any MS goes up: false, it has no context.
bool lab_phone_sends(struct lab_mobile *mobile, uint32_t octets, uint64_t now_ns);
// The SGSN's end of any tunnel; false: the GGSN has no context.
bool lab_phone_tunnel(const struct lab *lab, const struct lab_tunnel *tunnel, uint32_t *teid,
                      uint32_t *worker);
// Adds LLC PDUs that were signalling, and N-PDUs without a context.
void lab_phones_add(const struct lab *lab, struct ms_amount *taken, struct ms_amount *unsent);

// lab_gn.c
void lab_gn_setup(struct lab *lab);
void lab_up_from_ms(struct lab *lab, struct lab_tunnel *tunnel, const uint8_t *ip, uint32_t octets,
                    uint64_t now_ns);
void lab_arrive(struct lab *lab, struct lab_tunnel *tunnel, enum flow_end at, const uint8_t *ip,
                uint32_t octets, uint64_t now_ns);

// lab_gb.c
void lab_gb_setup(struct lab *lab);
void lab_nsvc_setup(struct lab *lab, struct lab_nsvc *nsvc);
extern const struct ms_owner lab_ms_owner;
extern const struct bss_owner lab_bss_owner;
uint64_t lab_endpoint_key(const struct ipv6_address *address, uint16_t port);

// lab_radios.c
// What an MS has with these keys, and with the file of this name, if it has one. Returns 0 or a
// negative errno.
int lab_own_radio(struct lab *lab, struct octets keys, struct octets name,
                  const struct radio_own **own);
void lab_radios_release(struct lab *lab);

// lab_series.c
void lab_series_start(struct lab *lab);
void lab_series_end(struct lab *lab);

// lab_figures.c
void lab_figures_batch(struct lab *lab);

// lab_tables.c
void lab_flow_ended(void *self, struct flow *flow, uint64_t now_ns);
void lab_tables_mark(struct lab *lab);
// What TCP did, by flow of the ledger; the caller frees it. count: of flows.
struct lab_tcp_sum *lab_all_tcp(const struct lab *lab, uint32_t *count);

// lab_packets.c: rows of packets.csv, if it is written
void lab_packets_start(struct lab *lab);
void lab_packet_sent(struct lab *lab, struct ledger_key key, const uint8_t *ip, uint32_t octets);
void lab_packet_met(struct lab *lab, const char *event, struct ledger_key key);
void lab_packet_lost(struct lab *lab, struct ledger_key key, uint32_t reason);

// lab_account.c
void lab_account_setup(struct lab *lab);
struct ledger_key lab_key(const struct lab_tunnel *tunnel, enum ledger_way way, uint16_t id);
uint64_t lab_tag(struct ledger_key key);
uint16_t lab_ip_id(const uint8_t *ip);
// The packet, unless it is known to be lost.
void lab_lost(struct lab *lab, struct ledger_key key, uint32_t reason);
// The packet of that tag; 0: none.
void lab_lost_tag(struct lab *lab, uint64_t tag, uint32_t reason);
// Below Gb the tag of an LLC PDU up is lab_tag's, down its struct ms_stamp: that of an NS PDU of
// the SGSN, which must be asked once for each, in the order in which they are sent; 0: none.
uint64_t lab_stamp_ns(struct lab_bss *at, const uint8_t *ns, uint32_t octets);
struct ms_stamp lab_stamp_of(uint64_t tag);
// What an LLC PDU, or an NS PDU, carried down is lost below Gb.
void lab_lost_llc(struct lab *lab, struct lab_mobile *mobile, uint64_t tag, const uint8_t *llc,
                  uint32_t octets, uint32_t reason);
void lab_lost_ns(struct lab_bss *at, uint64_t tag, const uint8_t *ns, uint32_t octets,
                 uint32_t reason);

#endif
