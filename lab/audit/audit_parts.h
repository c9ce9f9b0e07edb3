// The auditor inside: what it keeps of ends, NSEs, cells, MSs and LLEs, and who calls whom.
//
//     audit.c          files, packets, the clock
//     audit_input.c    a datagram: learns the ends' roles, or splits it into NS and BSSGP
//     audit_ns.c       states of an NS-VC
//     audit_bvc.c      states of a cell; hands on the other PDUs
//     audit_flow.c     FLOW-CONTROL and its answers
//     audit_replay.c   48.018 8.2.3.2
//     audit_pace.c     a queue that is drained too slowly
//     audit_ms.c       cell changes, FLUSH-LL, SUSPEND
//     audit_llc.c      order, N(U), FCS
//     audit_book.c     findings, events, rows
//     audit_place.c    finds and makes all of these
#ifndef SLUICE_LAB_AUDIT_PARTS_H
#define SLUICE_LAB_AUDIT_PARTS_H

#include "dataplane/base/histogram.h"
#include "dataplane/base/units.h"
#include "dataplane/wire/bssgp.h"
#include "lab/audit/audit.h"
#include "lab/audit/audit_bucket.h"
#include "lab/bss/bss_table.h"
#include "lab/capture/capture_ip.h"

#define AUDIT_FINDINGS_MAX   10000u
#define AUDIT_ROWS_MAX       200000u
#define AUDIT_PAIRS_MAX      65536u
#define AUDIT_NSVCS_MAX      4096u
#define AUDIT_BVCS_MAX       65536u
#define AUDIT_MSS_MAX        1000000u
#define AUDIT_HISTOGRAMS_MAX 512u // of 59 kB
#define AUDIT_TEXT_OCTETS    160

enum audit_who { AUDIT_SGSN, AUDIT_BSS, AUDIT_SENDER };
enum audit_weight { AUDIT_REMARK, AUDIT_BREACH };
enum audit_hangs { AUDIT_OTHERS, AUDIT_ITSELF, AUDIT_VALUES };

#define AUDIT_RULE(name, who, weight, clause, hangs, text) AUDIT_RULE_##name,
enum audit_rule {
#include "lab/audit/audit_rules.def"
    AUDIT_RULES
};
#undef AUDIT_RULE

struct audit_rule_row {
    const char *name;
    enum audit_who who;
    enum audit_weight weight;
    const char *clause;
    enum audit_hangs hangs;
    const char *text;
};
extern const struct audit_rule_row audit_rules[AUDIT_RULES];

#define AUDIT_COUNT(name, help) AUDIT_##name,
enum audit_count {
#include "lab/audit/audit_counts.def"
    AUDIT_COUNTS
};
#undef AUDIT_COUNT
extern const char *const audit_count_names[AUDIT_COUNTS], *const audit_count_helps[AUDIT_COUNTS];

// ---- Ends and NS-VCs ----

struct audit_end {
    struct ipv6_address address;
    uint16_t port; // of Frame Relay: the DLCI
};

enum audit_nsvc_state { NSVC_UNKNOWN, NSVC_RESETTING, NSVC_BLOCKED, NSVC_OPEN, NSVC_DEAD };
enum { NS_ASKS_RESET, NS_ASKS_BLOCK, NS_ASKS_UNBLOCK, NS_ASKS_ALIVE, NS_ASKS };

// A request: it is one more try if the last one has had no answer for a timer's least value.
#define AUDIT_AGAIN_NS \
    (S_IN_NS * 9 / 10) // 1 s (48.016 clause 11, 48.018 clause 12); networks delay
struct audit_ask {
    bool open; // no answer yet
    uint64_t time_ns;
};

struct audit_nse;

// Two ends that exchange datagrams: an NS-VC.
struct audit_pair {
    struct bss_link link;
    struct audit_pair *next;
    struct audit_end end[2];
    bool gre;
    uint64_t good, bad, votes[2]; // of its PDUs as NS; that end[i] is the SGSN
    bool has_nsei, has_nsvci, contradicts;
    uint16_t nsei, nsvci;
    // Judging.
    uint32_t number; // in the order of the capture, from 1 on; 0: not Gb
    int sgsn;        // which end; -1: not known
    struct audit_nse *nse;
    enum audit_nsvc_state state;
    struct audit_ask asked[2][NS_ASKS];
    uint32_t alive_unanswered[2];
    uint64_t learned[2];   // from end[i], while learning
    uint64_t datagrams[2]; // from end[i]
};

// The datagram at hand.
struct audit_at {
    uint64_t time_ns, frame;
    struct audit_pair *pair;
    int from;      // the end that sent it
    bool down, up; // neither: not known
    uint16_t bvci; // of NS-UNITDATA
    const uint8_t *octets;
    uint32_t captured, length;
};

// ---- NSEs, cells, MSs ----

struct audit_nse {
    struct audit_nse *next;
    bool has_nsei;
    uint16_t nsei, number;
    struct ipv6_address address; // of the BSS, where the NSEI is not known
    uint64_t pages_ps, pages_cs, cell_changes, suspensions;
    uint64_t reset_frame; // of BVCI 0
    uint64_t seen[2];     // datagrams up and down
    bool one_way;         // of one direction nothing was captured
    bool blind;           // PDUs of it were cut, or it is one-way
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
    bool acknowledged, refused, in_force, has_values, has_full, has_measured;
    uint8_t full_percent;
    uint64_t bmax, r, bmax_default, r_default;
    uint64_t given_before; // to its bucket, by LLC-DISCARDED
    uint32_t measured_ms;
    struct bssgp_pfc_flows flows;
};

// Those of a bucket that may still get their acknowledgement, the newest first, all in one cell.
struct audit_asked {
    struct audit_flow *newest;
    uint32_t any;        // how many, up to two
    uint64_t last_ns[2]; // when
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

struct audit_bvc {
    struct bss_link link;
    struct audit_bvc *next;
    struct audit_nse *nse;
    uint16_t bvci;
    enum audit_bvc_state state;
    bool had_reset;
    bool unknown_values;                    // since an acknowledgement of some not captured
    uint64_t reset_frame;                   // of the last one
    struct audit_ask asked_by[2][BVC_ASKS]; // by the SGSN, by the BSS
    struct audit_bucket bucket;
    uint64_t bmax_default, r_default;
    struct audit_asked asked;
    struct audit_ms *mss;
    uint64_t pdus_down, octets_down, pdus_up, octets_up, discarded_frames, discarded_octets;
    uint64_t lifetimes_infinite, flows, acks;
    uint64_t first_ns, last_ns;
    struct histogram *lifetimes_ms, *ack_delays_ns;
    uint32_t measured_most_ms;
    bool has_measured;
    struct audit_pace pace;
};

struct audit_pfc {
    struct audit_pfc *next;
    uint8_t pfi;
    uint64_t since_ns; // of the FLOW-CONTROL whose values are in force: Th runs from it
    struct audit_bucket bucket;
};

// An MS in an NSE, by its TLLI. Its buckets belong to the cell where it is.
struct audit_ms {
    struct bss_link link;
    struct audit_ms *next, *of_bvc_next, *of_bvc_before;
    struct audit_nse *nse;
    struct audit_bvc *bvc; // NULL: nowhere
    uint32_t tlli;
    bool own, suspended; // own: values of FLOW-CONTROL-MS
    bool resuming;       // it was suspended, and RESUME has no answer yet
    bool known, older;   // was in a cell; it may have values of its own that were not captured
    uint64_t own_ns;     // of their FLOW-CONTROL: Th runs from it
    uint64_t suspended_frame, last_dl_ns;
    struct audit_left *unanswered; // FLUSH-LLs
    struct audit_bucket bucket;
    struct audit_pfc *pfcs;
    struct audit_asked asked[FLOW_KINDS]; // of MS and PFC
    uint64_t pdus_down, octets_down, pdus_up, octets_up, discarded_octets, moves;
};

// A cell that an MS has left, by FLUSH-LL.
struct audit_left {
    struct bss_link link;
    bool gone, asked; // asked: FLUSH-LL has no answer yet
    struct audit_left *next;
};

#define AUDIT_GAPS 4
struct audit_gap {
    uint16_t first, count; // N(U)s that are missing
    struct audit_at at;
    uint16_t filled; // that have come since
};

struct audit_lle {
    struct bss_link link;
    const struct audit_nse *nse;
    uint32_t tlli;
    uint8_t sapi;
    bool any, may_restart; // by XID Reset
    uint16_t next_nu;
    uint32_t seen; // bit i: N(U) next - 1 - i was there
    uint32_t gaps;
    struct audit_gap gap[AUDIT_GAPS];
    struct audit_bvc *bvc;
};

// ---- What is reported ----

struct audit_finding {
    enum audit_rule rule;
    enum audit_who who;
    uint64_t time_ns, frame;
    const struct audit_pair *pair;
    int32_t bvci; // -1: none
    bool has_tlli;
    uint32_t tlli;
    char text[AUDIT_TEXT_OCTETS];
};

struct audit_event {
    struct audit_event *next;
    uint64_t time_ns, frame;
    const struct audit_pair *pair;
    int32_t bvci;
    bool has_tlli;
    uint32_t tlli;
    char what[24], text[64];
};

struct audit_note {
    struct audit_note *next;
    char text[512];
};

struct audit {
    struct audit_options options;
    bool blind; // packets were cut in front of what says whose they are
    enum audit_phase phase;
    uint64_t counts[AUDIT_COUNTS], capture[CAPTURE_COUNTS], rule_counts[AUDIT_RULES][AUDIT_SENDER];
    uint64_t frames, first_ns, last_ns, stamp_ns, disorder_ns;
    struct audit_at at;
    struct capture_room room;
    struct bss_table pairs_table, bvcs_table, mss_table, lles_table, left_table;
    struct audit_pair *pairs, **pairs_end;
    struct audit_nse *nses, **nses_end;
    struct audit_bvc *bvcs, **bvcs_end;
    struct audit_ms *mss, **mss_end;
    uint32_t pair_count, nsvc_count, nse_count, bvc_count, ms_count, finding_count, finding_room;
    uint32_t row_count, lle_count, left_count, pfc_count, histogram_count;
    struct audit_finding *findings;
    struct audit_flow *flows, **flows_end;
    struct audit_event *events, **events_end;
    struct audit_note *notes, **notes_end;
};

// audit_book.c
void audit_note(struct audit *audit, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A rule of the SGSN or of the BSS; one of the SENDER is of the end that sent the PDU at hand.
void audit_find(struct audit *audit, enum audit_rule rule, int32_t bvci, const uint32_t *tlli,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
// The same with an end and a frame of another PDU than the one at hand.
void audit_find_at(struct audit *audit, enum audit_rule rule, enum audit_who who,
                   const struct audit_at *at, int32_t bvci, const uint32_t *tlli,
                   const char *format, ...) __attribute__((format(printf, 7, 8)));
void audit_happens(struct audit *audit, const char *what, int32_t bvci, const uint32_t *tlli,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
void audit_list_flow(struct audit *audit, struct audit_flow *flow); // takes it over
void audit_book_finish(struct audit *audit);                        // sorts by frame
enum audit_who audit_sender(const struct audit_at *at);
const char *audit_who_name(enum audit_who who);

// audit_place.c. NULL: there are too many, which is counted.
struct audit_pair *audit_pair_of(struct audit *audit, const struct audit_end *from,
                                 const struct audit_end *to, bool gre, bool make, int *sender);
void audit_places_begin(struct audit *audit); // between learning and judging
struct audit_bvc *audit_bvc_of(struct audit *audit, struct audit_nse *nse, uint16_t bvci);
struct audit_ms *audit_ms_find(struct audit *audit, const struct audit_nse *nse, uint32_t tlli);
struct audit_ms *audit_ms_of(struct audit *audit, struct audit_nse *nse, uint32_t tlli);
void audit_ms_rename(struct audit *audit, struct audit_ms *ms, uint32_t tlli);
struct audit_pfc *audit_pfc_of(struct audit *audit, struct audit_ms *ms, uint8_t pfi, bool make);
struct audit_left *audit_left_of(struct audit *audit, const struct audit_nse *nse, uint16_t bvci,
                                 uint32_t tlli, bool make);
struct audit_lle *audit_lle_of(struct audit *audit, uint32_t tlli, uint8_t sapi, bool make);
// Made with its first sample. Beyond the most there may be, samples are counted only.
void audit_sample(struct audit *audit, struct histogram **histogram, uint64_t value);
void audit_places_end(struct audit *audit);
// Of a time that the capture lacks: states, values and numbers are forgotten.
void audit_places_pause(struct audit *audit);

// audit_input.c
void audit_datagram(struct audit *audit, const struct audit_end *from, const struct audit_end *to,
                    bool gre, const uint8_t *octets, uint32_t captured, uint32_t length);

// audit_ns.c
void audit_ns_pdu(struct audit *audit, uint8_t type, const void *pdu);
void audit_ns_unitdata(struct audit *audit);
// True: it is asked once more, for no answer came in time.
bool audit_asks(const struct audit *audit, struct audit_ask *ask);
// False: nobody asked.
bool audit_answers(struct audit_ask *ask);
const char *audit_nsvc_state_name(enum audit_nsvc_state state);

// audit_bvc.c
void audit_bvc_pdu(struct audit *audit, uint8_t type, const void *pdu);
void audit_bvc_enter(struct audit *audit, struct audit_bvc *bvc, enum audit_bvc_state state);
const char *audit_bvc_state_name(enum audit_bvc_state state);

// A PDU of the NSE was cut, and may have said anything of its cell.
void audit_bvc_blind(struct audit *audit);

// audit_flow.c
void audit_flow_asks(struct audit *audit, uint8_t type, const void *pdu);
void audit_flow_acknowledges(struct audit *audit, uint8_t type, const void *pdu);
// A STATUS of the SGSN about that PDU: an answer, too.
void audit_flow_refused(struct audit *audit, uint16_t bvci, const struct octets *pdu);
void audit_flow_forget(struct audit *audit, struct audit_asked *asked);
void audit_flow_reset(struct audit *audit, struct audit_bvc *bvc);
void audit_flow_finish(struct audit *audit);

// What a FLOW-CONTROL says of one bucket.
struct audit_values {
    uint64_t bmax, r;
    bool has_full;
    uint8_t full_percent;
    uint64_t given_before;
};
struct audit_values audit_flow_values(const struct audit_flow *flow);
struct audit_values audit_flow_defaults(const struct audit_flow *flow); // of an MS
void audit_flow_change(const struct audit *audit, struct audit_bucket *bucket,
                       const struct audit_flow *flow, const struct audit_values *values);
// Nothing happens if later ones are.
void audit_flow_in_force(struct audit *audit, struct audit_bvc *bvc, struct audit_flow *flow);
// Own values since then, older than Th.
bool audit_flow_is_old(const struct audit *audit, bool own, uint64_t since_ns);

// audit_replay.c
void audit_replay_dl(struct audit *audit, struct audit_bvc *bvc,
                     const struct bssgp_dl_unitdata *pdu);
void audit_replay_discarded(struct audit *audit, struct audit_bvc *bvc,
                            const struct bssgp_llc_discarded *pdu);

// What a PDU has to pass. pfc: NULL, it has no bucket.
struct audit_levels {
    struct audit_bvc *bvc;
    struct audit_ms *ms;
    struct audit_pfc *pfc;
    uint32_t octets;
    uint64_t tolerance_ns;
};

// audit_pace.c
void audit_pace_note(struct audit *audit, const struct audit_levels *at);
void audit_pace_end(struct audit *audit, struct audit_bvc *bvc);

// audit_ms.c
struct audit_ms *audit_ms_enter(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli);
void audit_ms_leave(struct audit *audit, struct audit_ms *ms);
void audit_ms_pdu(struct audit *audit, uint8_t type, const void *pdu);
void audit_ms_heard(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli);
void audit_ms_dl(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli);

// audit_llc.c
void audit_llc(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli, const uint8_t *b,
               uint32_t captured, uint32_t n);
void audit_llc_pause(struct audit *audit);
void audit_llc_finish(struct audit *audit);

#endif
