// The auditor inside: what it reports, what it has at hand, and who calls whom.
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

#include "lab/captures/audit/audit.h"
#include "lab/captures/audit/audit_records.h"
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
