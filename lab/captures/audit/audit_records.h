// What the auditor keeps of ends, NSEs, cells, MSs and LLEs.
#ifndef SLUICE_LAB_AUDIT_RECORDS_H
#define SLUICE_LAB_AUDIT_RECORDS_H

#include "dataplane/base/units.h"
#include "dataplane/wire/bssgp.h"
#include "lab/base/histogram.h"
#include "lab/bss/bss_table.h"
#include "lab/captures/audit/audit_bucket.h"

// ---- Ends and NS-VCs ----

struct audit_end {
    struct ipv6_address address; // of a line of Frame Relay: its last octet tells the ends apart
    uint16_t port;               // of Frame Relay: the DLCI
};

#define AUDIT_LINE_HERE  1 // where it was captured; without a direction, the SGSN
#define AUDIT_LINE_THERE 2

enum audit_nsvc_state { NSVC_UNKNOWN, NSVC_RESETTING, NSVC_BLOCKED, NSVC_OPEN, NSVC_DEAD };
enum {
    NS_ASKS_RESET,
    NS_ASKS_BLOCK,
    NS_ASKS_UNBLOCK,
    NS_ASKS_ALIVE,
    NS_ASKS_SIZE, // from here on of the IP sub-network service
    NS_ASKS_CONFIG,
    NS_ASKS_CHANGE,
    NS_ASKS
};

// A request: it is one more try if the last one has had no answer for a timer's least value.
#define AUDIT_AGAIN_NS \
    (S_IN_NS * 9 / 10) // 1 s (48.016 clause 11, 48.018 clause 12); networks delay
struct audit_ask {
    bool open; // no answer yet
    uint64_t time_ns, frame;
};

// The datagram at hand.
struct audit_pair;

struct audit_at {
    uint64_t time_ns, frame;
    struct audit_pair *pair;
    int from;      // the end that sent it
    bool down, up; // neither: not known
    uint16_t bvci; // of NS-UNITDATA
    uint16_t nu;   // of an LLC PDU
    const uint8_t *octets;
    uint32_t captured, length;
};

// User data that the end that asked to unblock has sent in front of the answer: it is held against
// it when the answer comes, else that was not captured.
struct audit_early {
    uint32_t pdus;
    struct audit_at at; // of the first one
    uint32_t tlli;
};

struct audit_nse;

// Two ends that exchange datagrams: an NS-VC.
struct audit_pair {
    struct bss_link link;
    struct audit_pair *next;
    struct bss_link named_link; // by its NSE and NS-VCI, while judging
    uint64_t id;                // no other one has it
    struct audit_end end[2];
    bool frame_relay;
    uint64_t good, bad, votes[2]; // of its PDUs as NS; that end[i] is the SGSN
    bool has_nsei, has_nsvci, contradicts;
    bool told; // a RESET or an ALIVE came, or an answer to one
    bool sure; // it is an NS-VC
    uint16_t nsei, nsvci;
    // Judging.
    uint32_t number; // in the order of the capture, from 1 on; 0: not Gb
    int sgsn;        // which end; -1: not known
    struct audit_nse *nse;
    enum audit_nsvc_state state;
    uint64_t state_ns; // when that was last said
    struct audit_ask asked[2][NS_ASKS];
    struct audit_early early;
    uint32_t alive_unanswered[2];
    uint32_t met_pauses;
    uint64_t learned[2];                  // from end[i], while learning
    uint64_t twins[2];                    // of these, that looked like copies
    struct audit_pair *other_side;        // which has the same UNITDATAs, while learning
    uint64_t unitdatas, on_other_side[2]; // of these, so many by end[i]
    bool is_side; // both are sides of one NS-VC: what comes second counts not
    struct audit_path *path[2];
    struct audit_pair *group; // while NSEs and SGSNs are found
    bool known;               // its NSE has an NSEI
    uint16_t nsei_of;
    uint64_t datagrams[2]; // from end[i]
};

// ---- NSEs, cells, MSs ----

struct audit_nse {
    struct audit_nse *next;
    bool has_nsei;
    uint16_t nsei, number;
    struct ipv6_address address; // of the BSS, where the NSEI is not known
    uint64_t pages_ps, pages_cs, cell_changes, suspensions;
    uint32_t resets, blinds, met_pauses; // of BVCI 0; PDUs of it that were cut
    struct audit_at reset_at, blind_at;  // the last ones
    uint64_t seen[2];                    // datagrams up and down
    uint32_t sgsn;                       // at which it is
    bool mixed;                          // PDUs of more than one NSE are in it
    bool one_way;                        // of one direction nothing was captured
    bool blind;                          // PDUs of it were cut, or it is one-way
    int16_t features[2]; // of the last reset of BVCI 0, by the SGSN and the BSS; -1: not captured
};

enum audit_flow_kind { FLOW_BVC, FLOW_MS, FLOW_PFC, FLOW_KINDS };

// A FLOW-CONTROL, and its acknowledgement if there was one.
struct audit_flow {
    struct audit_flow *next;  // of the listed ones
    struct audit_flow *older; // of the same bucket, not yet listed
    uint64_t time_ns, frame, ack_ns, ack_frame;
    struct audit_pair *pair;
    const struct audit_bvc *bvc;
    enum audit_flow_kind kind;
    uint8_t tag;
    uint32_t tlli;
    bool acknowledged, refused, early, in_force, has_values, has_full, has_measured;
    uint8_t full_percent;
    uint64_t bmax, r, bmax_default, r_default;
    uint64_t given_before; // to its bucket, by LLC-DISCARDED
    uint32_t measured_ms;
    struct bssgp_pfc_flows flows;
};

#define AUDIT_ASKED_MOST 16u // of a bucket, without an answer

// Those of a bucket that may still get their acknowledgement, the newest first, all in one cell.
struct audit_asked {
    struct audit_flow *newest;
    uint32_t any;        // how many, up to two
    uint64_t last_ns[2]; // when
    // Of the cell that the MS was in before: the tags that had no answer when it left.
    const struct audit_bvc *left;
    uint64_t left_ns;
    uint8_t left_tags, left_tag[AUDIT_ASKED_MOST];
};

enum audit_bvc_state { BVC_UNKNOWN, BVC_RESETTING, BVC_RESET, BVC_OPEN, BVC_BLOCKED };
enum { BVC_ASKS_RESET, BVC_ASKS_BLOCK, BVC_ASKS_UNBLOCK, BVC_ASKS };

struct audit_ms;

// A run of DL-UNITDATAs of a cell, each behind the one before by its octets over R, or somewhat
// more.
#define AUDIT_SPACINGS      60
#define AUDIT_SPACING_LEAST 0.95
#define AUDIT_SPACING_STEP  0.02
struct audit_pace {
    uint32_t pdus, least_octets, most_octets;
    uint64_t r_bit_per_s, last_ns, octets;
    uint32_t last_tlli;
    double allowed_s; // in which R would have let them
    struct audit_at first;
    uint32_t spacing[AUDIT_SPACINGS]; // how many were so far behind, as multiples of octets over R
};

// Defaults that came in force in a cell, for those of its MSs that have no values of their own.
#define AUDIT_DEFAULTS 16u
struct audit_default {
    uint64_t now_ns, asked_ns, slack_ns, bmax, r;
    const struct audit_pair *pair; // on which that was said
    bool forgotten;
};

struct audit_bvc {
    struct bss_link link;
    struct audit_bvc *next;
    struct audit_nse *nse;
    uint16_t bvci;
    enum audit_bvc_state state;
    uint64_t state_ns, values_ns; // when that was last said; of the FLOW-CONTROL in force
    const struct audit_pair *state_pair;
    bool had_reset, has_cell;
    struct bssgp_area cell; // its identity, and which end of the BSS has named it
    struct ipv6_address cell_from;
    const struct audit_pair *cell_pair;
    uint64_t cell_ns;                       // when a reset said so
    uint32_t other_cells;                   // UL-UNITDATAs on another NS-VC that name another cell
    bool unknown_values;                    // since an acknowledgement of some not captured
    uint64_t reset_frame, reset_ns;         // of the last one
    struct audit_ask asked_by[2][BVC_ASKS]; // by the SGSN, by the BSS
    struct audit_early early;
    struct audit_bucket bucket;
    uint64_t bmax_default, r_default;
    uint32_t defaults_made;
    struct audit_default *defaults; // NULL, or the last AUDIT_DEFAULTS
    uint32_t met_pauses, met_steps, met_resets, met_blinds;
    struct audit_asked asked;
    struct audit_ms *mss;
    uint64_t pdus_down, octets_down, pdus_up, octets_up, discarded_frames, discarded_octets;
    uint64_t lifetimes_infinite, flows, acks;
    uint64_t first_ns, last_ns;
    struct histogram *lifetimes_ms, *ack_delays_ns;
    uint32_t measured_most_ms;
    bool has_measured;
    struct audit_pace pace;
    uint32_t number; // among those of audit_traffic.h
};

struct audit_pfc {
    struct audit_pfc *next;
    const struct audit_ms *ms;
    uint8_t pfi;
    uint64_t since_ns; // of the FLOW-CONTROL whose values are in force: Th runs from it
    struct audit_bucket bucket;
};

// An MS in an NSE, by its TLLI. Its buckets belong to the cell where it is.
struct audit_ms {
    struct bss_link link;
    struct bss_link old_link; // by the TLLI that it had before, for a while
    bool has_old;             // it had another one
    uint64_t renamed_ns;
    bool replaced; // it was another one by its new TLLI, and is that one now
    struct audit_ms *next, *of_bvc_next, *of_bvc_before;
    struct audit_nse *nse;
    struct audit_bvc *bvc;         // NULL: nowhere
    const struct audit_bvc *heard; // where its last LLC PDU in this NSE came from
    uint32_t tlli;
    bool own, suspended; // own: values of FLOW-CONTROL-MS
    bool resuming;       // it was suspended, and RESUME has no answer yet
    bool known, older;   // was in a cell; it may have values of its own that were not captured
    uint64_t own_ns;     // of their FLOW-CONTROL: Th runs from it
    uint64_t suspended_frame, suspended_ns, entered_ns, last_dl_ns;
    const struct audit_pair *suspended_pair;
    uint64_t asked_to_suspend_frame, heard_frame; // of the last SUSPEND; of its last PDU
    uint32_t met_pauses, met_steps, met_defaults;
    struct audit_left *unanswered; // FLUSH-LLs
    struct audit_bucket bucket;
    struct audit_pfc *pfcs;
    struct audit_asked asked[FLOW_KINDS]; // of MS and PFC
    uint64_t pdus_down, octets_down, pdus_up, octets_up, discarded_octets, moves;
};

// Where an MS of an SGSN was heard, in whichever NSE.
struct audit_heard {
    struct bss_link link;
    const struct audit_bvc *at, *before; // its last cell, and the one before that
    uint64_t moved_ns;                   // from that one
};

// A cell that an MS has left, by FLUSH-LL.
struct audit_left {
    struct bss_link link;
    bool gone, asked; // asked: FLUSH-LL has no answer yet
    uint64_t gone_ns;
    const struct audit_pair *gone_pair;
    uint32_t met_pauses;
    struct audit_left *next;
};

// Numbers that are missing, in front of that PDU.
#define AUDIT_GAPS 64u
struct audit_gap {
    uint16_t first, count;
    uint16_t filled; // that have come since
    struct audit_pair *pair;
    uint64_t time_ns, frame, since_ns; // since: of the PDU before it
};

// A number that came behind later ones. It may be the first of those behind a Reset that was not
// captured: that shows with the next one.
struct audit_late {
    bool open;
    struct audit_at at;
    uint64_t by_frame; // 0: what has overtaken it is not known
    uint64_t by_ns;
    struct audit_late *older; // the number before it, which was late as well
    uint32_t count;           // of these
};

struct audit_lle {
    struct bss_link link;
    const struct audit_nse *nse;
    uint32_t tlli;
    uint8_t sapi;
    bool any, may_restart; // by XID Reset
    uint64_t last_ns;      // of its last PDU
    uint16_t next_nu;
    uint32_t seen;             // bit i: N(U) next - 1 - i was there
    bool was_back, back_again; // the last one was not in turn; and was there before
    uint16_t back_nu;          // its number
    uint32_t gaps, gap_room;
    struct audit_gap *gap; // the oldest first
    struct audit_late late;
    uint32_t met_pauses;
    struct audit_bvc *bvc;
};

#endif
