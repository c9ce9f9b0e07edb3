// The auditor inside: what it keeps of ends, NSEs, cells, MSs and LLEs, and who calls whom.
//
//     audit.c          files, packets
//     audit_whose.c    which pairs are NS-VCs, whose, at which SGSN
//     audit_ids.c      packets that are missing, by IP's identifications
//     audit_copies.c   packets that were captured twice
//     audit_clock.c    the clock, and stamps that are wrong
//     audit_input.c    a datagram: learns the ends' roles, or splits it into NS and BSSGP
//     audit_ns.c       states of an NS-VC
//     audit_bvc.c      states of a cell; hands on the other PDUs
//     audit_flow.c     FLOW-CONTROL and its answers
//     audit_replay.c   48.018 8.2.3.2
//     audit_pace.c     a queue that is drained too slowly
//     audit_ms.c       cell changes, FLUSH-LL, SUSPEND
//     audit_llc.c      order, N(U), FCS
//     audit_traffic.c  what came at Gn, and what the BSSs allowed
//     audit_book.c     findings, events, rows
//     audit_doubt.c    findings that are taken back
//     audit_fresh.c    what happens to all of them at once
//     audit_place.c    finds and makes all of these
#ifndef SLUICE_LAB_AUDIT_PARTS_H
#define SLUICE_LAB_AUDIT_PARTS_H

#include "lab/base/histogram.h"
#include "dataplane/base/units.h"
#include "dataplane/wire/bssgp.h"
#include "lab/captures/audit/audit.h"
#include "lab/captures/audit/audit_bucket.h"
#include "lab/bss/bss_table.h"
#include "lab/captures/read/capture_join.h"

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
// On what a finding hangs: on PDUs before it, on itself alone, on the values in force, which a PDU
// that is cut makes unknown, on the order of two PDUs.
enum audit_hangs { AUDIT_OTHERS, AUDIT_ITSELF, AUDIT_VALUES, AUDIT_ORDER };

#define AUDIT_RULE(name, who, weight, clause, hangs, text) AUDIT_RULE_##name,
enum audit_rule {
#include "lab/captures/audit/audit_rules.def"
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
#include "lab/captures/audit/audit_counts.def"
    AUDIT_COUNTS
};
#undef AUDIT_COUNT
extern const char *const audit_count_names[AUDIT_COUNTS], *const audit_count_helps[AUDIT_COUNTS];

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

// ---- What is reported ----

struct audit_finding {
    enum audit_rule rule;
    enum audit_who who;
    uint64_t time_ns, frame;
    const struct audit_pair *pair;
    int32_t bvci; // -1: none
    bool has_tlli;
    uint32_t tlli;
    bool taken_back, alone; // alone: nothing that was captured shows the same
    uint64_t since_ns;      // of the first PDU on which it hangs; 0: any
    bool sure;              // the packets that the capture lacks do not explain it
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

// What has happened to all at once, and when.
struct audit_all {
    uint32_t pauses, pause_room, steps;
    struct audit_at *pause, step; // each pause, as far as there is room; the last step
};

// Signs that packets are missing, and the spans of time in which they are, each from its first sign
// to its last. Signs that are near to each other are of one span.
#define AUDIT_SPANS 256u
struct audit_span {
    uint64_t from_ns, to_ns;
};
struct audit_lack {
    uint64_t signs;
    uint32_t spans;
    struct audit_span span[AUDIT_SPANS];
};

struct audit {
    struct audit_options options;
    struct audit_all all;
    struct capture_join *join;
    struct audit_copies *copies;
    struct bss_table paths_table;
    uint32_t path_count;
    uint64_t packet_time_ns; // the auditor's time of the packet at hand
    uint64_t packet_ns;      // the stamp of the packet at hand
    uint16_t ip_id;          // and its identification
    uint8_t ip_protocol;
    uint32_t endpoint_count, evict_in;
    struct bss_table endpoints_table;
    struct audit_lack lacking;
    bool blind; // packets were cut in front of what says whose they are
    enum audit_phase phase;
    uint64_t counts[AUDIT_COUNTS], capture[CAPTURE_COUNTS], rule_counts[AUDIT_RULES][AUDIT_SENDER];
    uint64_t frames, first_ns, last_ns, stamp_ns, disorder_ns;
    struct audit_at at;
    bool is_held; // a packet whose stamp may be wrong
    struct capture_packet held;
    struct capture_room held_room;
    struct capture_room room;
    struct bss_table named_table, pairs_table, bvcs_table, mss_table, old_tllis_table, lles_table,
        left_table, heard_table;
    struct audit_pair *pairs, **pairs_end;
    struct audit_nse *nses, **nses_end;
    struct audit_bvc *bvcs, **bvcs_end;
    struct audit_ms *mss, **mss_end, *replaced; // replaced: a list of room
    uint32_t replaced_count;
    uint64_t pair_ids;
    uint32_t pair_count, nsvc_count, nse_count, bvc_count, ms_count, finding_count, finding_room;
    uint32_t row_count, lle_count, left_count, heard_count, pfc_count, histogram_count;
    struct audit_finding *findings;
    struct audit_flow *flows, **flows_end;
    struct audit_event *events, **events_end;
    struct audit_note *notes, **notes_end;
    struct audit_traffic_room *traffic; // NULL: nobody asked for it
};

// audit_book.c
void audit_note(struct audit *audit, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A rule of the SGSN or of the BSS; one of the SENDER is of the end that sent the PDU at hand.
// Both: NULL, it is not listed.
struct audit_finding *audit_find(struct audit *audit, enum audit_rule rule, int32_t bvci,
                                 const uint32_t *tlli, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// The same with an end and a frame of another PDU than the one at hand.
struct audit_finding *audit_find_at(struct audit *audit, enum audit_rule rule, enum audit_who who,
                                    const struct audit_at *at, int32_t bvci, const uint32_t *tlli,
                                    const char *format, ...) __attribute__((format(printf, 7, 8)));
void audit_happens(struct audit *audit, const char *what, int32_t bvci, const uint32_t *tlli,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
void audit_list_flow(struct audit *audit, struct audit_flow *flow); // takes it over
void audit_book_finish(struct audit *audit);                        // sorts by frame
enum audit_who audit_sender(const struct audit_at *at);
const char *audit_who_name(enum audit_who who);

// audit_doubt.c
struct audit_unsaid {
    const struct audit_nse *nse;
    const struct audit_pair *pair; // NULL: any
    uint32_t rules;                // bits
    int32_t bvci;                  // -1: any
    const uint32_t *tlli;          // NULL: any
    uint64_t since_ns;
};
#define AUDIT_BIT(rule) (1u << AUDIT_RULE_##rule)
void audit_unsay(struct audit *audit, const struct audit_unsaid *what);
// A finding that hangs on nothing before that time.
void audit_hangs_since(struct audit_finding *finding, uint64_t since_ns);
// PDUs are missing in the capture, between these times.
enum audit_sign { AUDIT_HINT = 1, AUDIT_PROOF }; // one proof, or two hints
void audit_lacks(struct audit *audit, enum audit_sign sign, uint64_t from_ns, uint64_t to_ns);
void audit_doubt_finish(struct audit *audit);

// Between two NS-VCs there is no order: the PDU at hand may have been sent in front of what was
// said on another one then, for it is no further behind than the tolerance.
bool audit_may_be_before(const struct audit *audit, const struct audit_pair *said, uint64_t ns);

// audit_place.c. NULL: there are too many, which is counted.
struct audit_pair *audit_pair_of(struct audit *audit, const struct audit_end *from,
                                 const struct audit_end *to, bool frame_relay, bool make,
                                 int *sender);
struct audit_pair *audit_pairs_take(struct audit *audit);
void audit_pair_put(struct audit *audit, struct audit_pair *pair);
uint64_t audit_key_of(const struct ipv6_address *address, uint64_t more);
bool audit_room(struct audit *audit, uint32_t *count, uint32_t most); // counts one more, or none
struct audit_bvc *audit_bvc_of(struct audit *audit, struct audit_nse *nse, uint16_t bvci);
struct audit_ms *audit_ms_find(struct audit *audit, const struct audit_nse *nse, uint32_t tlli);
struct audit_ms *audit_ms_of(struct audit *audit, struct audit_nse *nse, uint32_t tlli);
// What was taken for another MS, heard alone, is this one.
void audit_ms_replace(struct audit *audit, struct audit_ms *other, struct audit_ms *ms);
// The MS has a new TLLI; for a minute PDUs under the old one are its own as well.
void audit_ms_rename(struct audit *audit, struct audit_ms *ms, uint32_t tlli);
struct audit_pfc *audit_pfc_of(struct audit *audit, struct audit_ms *ms, uint8_t pfi, bool make);
struct audit_heard *audit_heard_of(struct audit *audit, const struct audit_nse *nse, uint32_t tlli,
                                   bool make);
struct audit_left *audit_left_of(struct audit *audit, const struct audit_nse *nse, uint16_t bvci,
                                 uint32_t tlli, bool make);
struct audit_lle *audit_lle_of(struct audit *audit, uint32_t tlli, uint8_t sapi, bool make);
void audit_pfcs_end(struct audit *audit, struct audit_ms *ms);
// Made with its first sample. Beyond the most there may be, samples are counted only.
void audit_sample(struct audit *audit, struct histogram **histogram, uint64_t value);
void audit_places_end(struct audit *audit);

// audit_fresh.c
// Of a time that the capture lacks: states, values and numbers are forgotten.
void audit_all_pause(struct audit *audit);
// The clock stepped back: every bucket is begun again, at the time of the step.
void audit_all_step(struct audit *audit);
void audit_fresh_pair(struct audit *audit, struct audit_pair *pair);
void audit_fresh_bvc(struct audit *audit, struct audit_bvc *bvc);
void audit_fresh_ms(struct audit *audit, struct audit_ms *ms);
void audit_fresh_defaults(struct audit *audit, struct audit_ms *ms);
void audit_fresh_finish(struct audit *audit);

// audit.c
// Those that wait for fragments, up to that stamp.
void audit_packets_until(struct audit *audit, uint64_t stamp_ns, uint64_t *counts);
void audit_packet(struct audit *audit, const struct capture_packet *packet, uint64_t *counts);

// audit_clock.c: while judging.
void audit_clock_packet(struct audit *audit, const struct capture_packet *packet);
void audit_clock_finish(struct audit *audit);

// audit_whose.c: between learning and judging.
void audit_whose(struct audit *audit);
// Of SNS-CONFIG and SNS-ADD, while learning.
void audit_whose_endpoint(struct audit *audit, uint16_t nsei, const struct ipv6_address *address,
                          uint16_t port);
void audit_whose_end(struct audit *audit);

// audit_ids.c. Each IP packet is for the path between its hosts, once they are ends of Gb.
void audit_ids_packet(struct audit *audit, const struct ipv6_address *from,
                      const struct ipv6_address *to);
void audit_ids_learn(struct audit *audit, struct audit_pair *pair, int from);
void audit_ids_judge(struct audit *audit);
void audit_ids_end(struct audit *audit);

// audit_copies.c
void audit_copies_learn(struct audit *audit, const struct audit_at *at);
void audit_copies_begin(struct audit *audit);
bool audit_is_copy(struct audit *audit, const struct audit_at *at);
void audit_copies_forget_sides(struct audit *audit);
void audit_copies_find_sides(struct audit *audit); // once they have their NSEs

// audit_input.c
void audit_datagram(struct audit *audit, const struct audit_end *from, const struct audit_end *to,
                    bool frame_relay, const uint8_t *octets, uint32_t captured, uint32_t length);
// Of an NS PDU: 0, only an SGSN may send it; 1, only a BSS; -1, its type does not tell.
int audit_input_sender(const uint8_t *b, uint32_t captured);

// audit_ns.c
void audit_ns_names(struct audit *audit); // once the pairs have their NSEs
void audit_ns_pdu(struct audit *audit, uint8_t type, const void *pdu);
void audit_ns_unitdata(struct audit *audit);
// True: it is asked once more, for no answer came in time.
bool audit_asks(const struct audit *audit, struct audit_ask *ask);
// Lost: the request was not captured. It is one more answer to a request shortly before, or the
// capture begins there: nothing.
enum audit_answer { AUDIT_ANSWERS, AUDIT_ANSWERS_NOTHING, AUDIT_ANSWERS_LOST };
enum audit_answer audit_answers(struct audit *audit, struct audit_ask *ask);
void audit_note_early(const struct audit *audit, struct audit_early *early);
const char *audit_nsvc_state_name(enum audit_nsvc_state state);

// audit_bvc.c
void audit_bvc_pdu(struct audit *audit, uint8_t type, const void *pdu);
void audit_bvc_enter(struct audit *audit, struct audit_bvc *bvc, enum audit_bvc_state state);
const char *audit_bvc_state_name(enum audit_bvc_state state);

// A PDU of the NSE was cut, and may have said anything of its cell.
void audit_bvc_blind(struct audit *audit);
void audit_bvc_forget(struct audit *audit, struct audit_bvc *bvc);
void audit_bvc_reset_by_nse(struct audit *audit, struct audit_bvc *bvc);

// audit_flow.c
void audit_flow_asks(struct audit *audit, uint8_t type, const void *pdu);
void audit_flow_acknowledges(struct audit *audit, uint8_t type, const void *pdu);
// A STATUS of the SGSN about that PDU: an answer, too.
void audit_flow_refused(struct audit *audit, uint16_t bvci, const struct octets *pdu);
void audit_flow_forget(struct audit *audit, struct audit_asked *asked);
// The MS leaves the cell: answers to what has none yet may come, and say nothing of its next cell.
void audit_flow_leave(struct audit *audit, struct audit_asked *asked);
void audit_flow_reset(struct audit *audit, struct audit_bvc *bvc);
// The BSS says that it has deleted a packet flow context.
void audit_flow_end_pfc(struct audit *audit, const struct bssgp_delete_bss_pfc_ack *pdu);
// At a reset of the cell: takes out the FLOW-CONTROL-BVCs that belong behind it; puts them back.
struct audit_flow *audit_flow_early(struct audit *audit, struct audit_bvc *bvc);
void audit_flow_go_on(struct audit *audit, struct audit_bvc *bvc, struct audit_flow *early);
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
struct audit_values audit_flow_pfc_values(const struct audit_pfc *pfc,
                                          const struct bssgp_pfc_flow *row);
void audit_flow_default(struct audit_bucket *bucket, const struct audit_default *one);
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

// audit_traffic.c
struct audit_traffic_room *audit_traffic_begin(void);
// A UDP datagram of n octets. False: it is no G-PDU, or nobody asked.
bool audit_traffic_gn(struct audit *audit, const uint8_t *b, uint32_t captured, uint32_t n);
void audit_traffic_unitdata(struct audit *audit, const struct audit_bvc *bvc, uint32_t tlli,
                            const uint8_t *llc, uint32_t captured);
void audit_traffic_flow(struct audit *audit, const struct audit_flow *flow);
void audit_traffic_finish(struct audit *audit);
void audit_traffic_end(struct audit_traffic_room *room);

// audit_llc.c
void audit_llc(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli, const uint8_t *b,
               uint32_t captured, uint32_t n);
void audit_llc_pause(struct audit *audit, struct audit_lle *lle);
void audit_llc_finish(struct audit *audit);
void audit_llc_end(struct audit_lle *lle); // what it has allocated

#endif
