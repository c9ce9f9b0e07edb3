// What a user may set of a BSS and of its cells. The lists make the structs, the configuration's
// keys, their ranges, defaults and help texts.
#ifndef SLUICE_LAB_BSS_CONFIG_H
#define SLUICE_LAB_BSS_CONFIG_H

#include "dataplane/base/units.h"
#include "dataplane/wire/bssgp_values.h"

enum bss_ns_mode { BSS_NS_MANUAL, BSS_NS_ALIVE, BSS_NS_RESET, BSS_NS_SNS };
enum bss_flush { BSS_FLUSH_DELETE, BSS_FLUSH_TRANSFER, BSS_FLUSH_SILENT };
enum bss_preemption {
    BSS_PREEMPTION_NOTHING,
    BSS_PREEMPTION_FLOW_MS,
    BSS_PREEMPTION_FLOW_BVC,
    BSS_PREEMPTION_RADIO_STATUS
};
enum bss_pfc_answer { BSS_PFC_ACCEPT, BSS_PFC_LOWER, BSS_PFC_REFUSE, BSS_PFC_SILENT };
enum bss_priority { BSS_PRIORITY_NONE, BSS_PRIORITY_QOS, BSS_PRIORITY_SDU, BSS_PRIORITY_PFC };
enum bss_flow_ms { BSS_FLOW_MS_NONE, BSS_FLOW_MS_FIXED, BSS_FLOW_MS_MEASURED };

#define BSS_S(n)  ((n)*S_IN_NS)
#define BSS_MS(n) ((n)*MS_IN_NS)

#define BSS_TIMER_KEYS(KEY, T)                                                               \
    KEY(T, TIME, tns_reset_ns, "bss.tns_reset", NULL, BSS_S(1), BSS_S(120), BSS_S(3),        \
        "NS-RESET is repeated after this time (48.016 clause 11)")                           \
    KEY(T, TIME, tns_block_ns, "bss.tns_block", NULL, BSS_S(1), BSS_S(120), BSS_S(3),        \
        "NS-UNBLOCK is repeated after this time (48.016 clause 11)")                         \
    KEY(T, TIME, tns_test_ns, "bss.tns_test", NULL, BSS_S(1), BSS_S(60), BSS_S(30),          \
        "time between two tests of an NS-VC (48.016 clause 11)")                             \
    KEY(T, TIME, tns_alive_ns, "bss.tns_alive", NULL, BSS_S(1), BSS_S(10), BSS_S(3),         \
        "NS-ALIVE is repeated after this time (48.016 clause 11)")                           \
    KEY(T, COUNT, alive_retries, "bss.alive_retries", NULL, 0, 100, 10,                      \
        "how often NS-ALIVE is repeated before the NS-VC counts as dead (48.016 clause 11)") \
    KEY(T, TIME, tsns_prov_ns, "bss.tsns_prov", NULL, BSS_S(1), BSS_S(10), BSS_S(3),         \
        "SNS-SIZE and SNS-CONFIG are repeated after this time (48.016 clause 11)")           \
    KEY(T, TIME, t1_ns, "bss.t1", NULL, BSS_S(1), BSS_S(30), BSS_S(5),                       \
        "BVC-BLOCK and BVC-UNBLOCK are repeated after this time (48.018 clause 12)")         \
    KEY(T, TIME, t2_ns, "bss.t2", NULL, BSS_S(1), BSS_S(120), BSS_S(10),                     \
        "BVC-RESET is repeated after this time (48.018 clause 12)")                          \
    KEY(T, TIME, t3_ns, "bss.t3", NULL, BSS_MS(100), BSS_S(10), BSS_MS(500),                 \
        "SUSPEND is repeated after this time (48.018 clause 12)")                            \
    KEY(T, TIME, t4_ns, "bss.t4", NULL, BSS_MS(100), BSS_S(10), BSS_MS(500),                 \
        "RESUME is repeated after this time (48.018 clause 12)")                             \
    KEY(T, TIME, t5_ns, "bss.t5", NULL, BSS_S(1), BSS_S(30), BSS_S(15),                      \
        "RA-CAPABILITY-UPDATE is repeated after this time (48.018 clause 12)")               \
    KEY(T, TIME, t6_ns, "bss.t6", NULL, BSS_MS(100), BSS_S(10), BSS_S(3),                    \
        "DOWNLOAD-BSS-PFC is repeated after this time (48.018 clause 12)")                   \
    KEY(T, TIME, t8_ns, "bss.t8", NULL, BSS_MS(100), BSS_S(10), BSS_S(3),                    \
        "MODIFY-BSS-PFC is repeated after this time (48.018 clause 12)")                     \
    KEY(T, COUNT, retries, "bss.retries", NULL, 0, 100, 3,                                   \
        "how often a PDU without an answer is repeated; resets are repeated for ever "       \
        "(48.018 clause 12)")

#define BSS_FEATURE(KEY, T, name, what) KEY(T, SWITCH, name, "bss." #name, NULL, 0, 1, 0, what)
#define BSS_FEATURE_KEYS(KEY, T)                                                        \
    BSS_FEATURE(KEY, T, pfc, "offers packet flow contexts (48.018 11.3.45)")            \
    BSS_FEATURE(KEY, T, cbl, "offers the bucket full ratio (48.018 11.3.45)")           \
    BSS_FEATURE(KEY, T, inr, "offers inter-NSE rerouting (48.018 11.3.45)")             \
    BSS_FEATURE(KEY, T, pfc_fc, "offers flow control of packet flows (48.018 11.3.45)") \
    BSS_FEATURE(KEY, T, gigabit, "offers the granularity of buckets (48.018 11.3.84)")

#define BSS_POLICY_KEYS(KEY, T)                                                                   \
    KEY(T, CHOICE, flush, "bss.flush", "delete transfer ignore", BSS_FLUSH_DELETE,                \
        BSS_FLUSH_SILENT, BSS_FLUSH_TRANSFER,                                                     \
        "what FLUSH-LL with a new cell does to the LLC PDUs of the old cell; OsmoPCU ignores it " \
        "(48.018 8.1)")                                                                           \
    KEY(T, SWITCH, tell_discards, "bss.tell_discards", NULL, 0, 1, 1,                             \
        "LLC-DISCARDED reports what the buffers lost (48.018 8.2.4)")                             \
    KEY(T, SWITCH, tell_radio_losses, "bss.tell_radio_losses", NULL, 0, 1, 0,                     \
        "LLC-DISCARDED also reports what the radio lost")                                         \
    KEY(T, TIME, gather_ns, "bss.gather", "at once", BSS_MS(1), BSS_S(60), 0,                     \
        "how long losses of an MS are gathered into one LLC-DISCARDED")                           \
    KEY(T, CHOICE, preemption, "bss.preemption", "nothing flow-ms flow-bvc radio-status",         \
        BSS_PREEMPTION_NOTHING, BSS_PREEMPTION_RADIO_STATUS, BSS_PREEMPTION_NOTHING,              \
        "what tells the SGSN that calls have taken a channel: R = 0 in FLOW-CONTROL-MS or in "    \
        "FLOW-CONTROL-BVC, or RADIO-STATUS")                                                      \
    KEY(T, TIME, absent_ns, "bss.absent", "not at all", BSS_MS(1), BSS_S(600), BSS_S(5),          \
        "how long LLC PDUs are kept for an MS that has left the cell, unless FLUSH-LL comes")     \
    KEY(T, SWITCH, tell_absent, "bss.tell_absent", NULL, 0, 1, 0,                                 \
        "RADIO-STATUS, radio contact lost, when LLC PDUs for an MS that has left are given up")   \
    KEY(T, TIME, page_answer_ns, "bss.page_answer", "at once", BSS_MS(1), BSS_S(60), BSS_MS(500), \
        "how long after PAGING-PS its MS is heard")                                               \
    KEY(T, CHOICE, pfc_answer, "bss.pfc_answer", "accept lower refuse ignore", BSS_PFC_ACCEPT,    \
        BSS_PFC_SILENT, BSS_PFC_ACCEPT,                                                           \
        "the answer to CREATE-BSS-PFC; lower: accepts, at most with pfc_rate")                    \
    KEY(T, RATE, pfc_rate_bit_per_s, "bss.pfc_rate", NULL, 1000, 8640000, 64000,                  \
        "the largest rates that a packet flow gets if pfc_answer is lower")                       \
    KEY(T, SWITCH, pfc_download, "bss.pfc_download", NULL, 0, 1, 0,                               \
        "DOWNLOAD-BSS-PFC asks for a packet flow that a DL-UNITDATA names and the BSS does not "  \
        "know (48.018 8a.1)")

#define BSS_CONFIG_FIELDS(MUST, KEY, T)                                                    \
    MUST(T, U16, nsei, 0, 0xffff, "the NSEI")                                              \
    MUST(T, U8, ns, BSS_NS_MANUAL, BSS_NS_SNS, "how its NS-VCs come up: enum bss_ns_mode") \
    BSS_TIMER_KEYS(KEY, T)                                                                 \
    BSS_FEATURE_KEYS(KEY, T)                                                               \
    BSS_POLICY_KEYS(KEY, T)
FIELD_KEYS_STRUCT(bss_config, BSS_CONFIG_FIELDS);
extern const struct field bss_config_fields[];
extern const uint32_t bss_config_field_count;
extern const struct field_record bss_config_record;

#define BSS_BUFFER_KEYS(KEY, T)                                                                   \
    KEY(T, RATE, rate_bit_per_s, "buffer.rate", "at once", 1, 1000000000, 0,                      \
        "the rate at which LLC PDUs leave for the MSs, in turns; only in a cell without a radio") \
    KEY(T, COUNT, ms_pdus, "buffer.ms_pdus", "unlimited", 1, 1000000, 0,                          \
        "the most LLC PDUs that wait for an MS (ms_full)")                                        \
    KEY(T, SIZE, ms_octets, "buffer.ms_octets", "unlimited", 1600, 100000000, 0,                  \
        "the most octets of LLC PDUs that wait for an MS (ms_full)")                              \
    KEY(T, COUNT, cell_pdus, "buffer.cell_pdus", "unlimited", 1, 10000000, 0,                     \
        "the most LLC PDUs that wait in the cell (cell_full)")                                    \
    KEY(T, SIZE, cell_octets, "buffer.cell_octets", "unlimited", 1600, 1000000000, 0,             \
        "the most octets of LLC PDUs that wait in the cell (cell_full)")                          \
    KEY(T, CHOICE, priority, "buffer.priority", "none precedence priority packet-flow",           \
        BSS_PRIORITY_NONE, BSS_PRIORITY_PFC, BSS_PRIORITY_QOS,                                    \
        "what decides which of an MS's LLC PDUs is next, the order within an LLE kept: its age "  \
        "alone, or first the QoS profile's precedence, the element Priority, or the class of "    \
        "the packet flow")                                                                        \
    KEY(T, TIME, codel_target_ns, "codel.target", "off", BSS_MS(1), BSS_S(60), 0,                 \
        "an MS's LLC PDUs may wait this long, else CoDel discards at times (RFC 8289 4.4)")       \
    KEY(T, TIME, codel_interval_ns, "codel.interval", NULL, BSS_MS(10), BSS_S(600), BSS_S(4),     \
        "CoDel's interval; OsmoPCU has 4 s (RFC 8289 4.3)")                                       \
    KEY(T, SIZE, codel_idle_octets, "codel.idle", NULL, 0, 1000000, 512,                          \
        "CoDel lets a buffer of at most these octets alone; OsmoPCU has 512")

#define BSS_FLOW_KEYS(KEY, T)                                                                     \
    KEY(T, TIME, flow_interval_ns, "flow.interval", NULL, BSS_S(1), BSS_S(10), BSS_S(1),          \
        "C: least time between two FLOW-CONTROL of one bucket (48.018 clause 12)")                \
    KEY(T, SWITCH, flow_repeat, "flow.repeats", NULL, 0, 1, 1,                                    \
        "FLOW-CONTROL-BVC comes each interval, as OsmoPCU's, and not only with new values")       \
    KEY(T, SWITCH, flow_measured, "flow.measured", NULL, 0, 1, 0,                                 \
        "R is what a used time slot carried, times those that could be used; without a radio "    \
        "what "                                                                                   \
        "the cell carried while it had something to send; at first flow.rate")                    \
    KEY(T, RATE, r_bit_per_s, "flow.rate", "the radio's", 100, BSSGP_FLOW_MAX, 0,                 \
        "the cell's R; the radio's: of its time slots for packets, as calls leave them; without " \
        "a radio buffer.rate, or 48 kbit/s")                                                      \
    KEY(T, SIZE, bmax_octets, "flow.bmax", "by time", 100, BSSGP_FLOW_MAX, 0, "the cell's Bmax")  \
    KEY(T, TIME, bmax_ns, "flow.bmax_time", NULL, BSS_MS(10), BSS_S(100), BSS_S(10),              \
        "without flow.bmax: Bmax is what R sends in this time; OsmoPCU has 10 s")                 \
    KEY(T, RATE, ms_r_bit_per_s, "flow.ms_rate", "the radio's", 100, BSSGP_FLOW_MAX, 0,           \
        "R of an MS: R_default, and R of FLOW-CONTROL-MS; the radio's: of the slots that an MS "  \
        "may have by the cell's keys, and no more than the cell's")                               \
    KEY(T, SIZE, ms_bmax_octets, "flow.ms_bmax", "by time", 100, BSSGP_FLOW_MAX, 0,               \
        "Bmax of an MS: Bmax_default, and Bmax of FLOW-CONTROL-MS")                               \
    KEY(T, TIME, ms_bmax_ns, "flow.ms_bmax_time", NULL, BSS_MS(10), BSS_S(100), BSS_S(10),        \
        "without flow.ms_bmax: an MS's Bmax is what its R sends in this time")                    \
    KEY(T, SWITCH, flow_measurement, "flow.measurement", NULL, 0, 1, 1,                           \
        "FLOW-CONTROL-BVC has the mean delay in the BSC buffers (48.018 11.3.7)")                 \
    KEY(T, CHOICE, flow_ms, "flow.ms", "none fixed measured", BSS_FLOW_MS_NONE,                   \
        BSS_FLOW_MS_MEASURED, BSS_FLOW_MS_NONE,                                                   \
        "FLOW-CONTROL-MS for MSs with traffic; OsmoPCU sends none; fixed: R is flow.ms_rate; "    \
        "measured: what the MS's slots carried, times its share of the slots; without a radio "   \
        "what the MS got while it had something waiting")                                         \
    KEY(T, SWITCH, flow_pfc, "flow.pfc", NULL, 0, 1, 0,                                           \
        "FLOW-CONTROL-PFC for MSs with packet flow contexts; needs bss.pfc_fc and flow.ms")

#define BSS_CELL_CONFIG_FIELDS(MUST, KEY, T)             \
    MUST(T, U16, bvci, 2, 0xffff, "the cell's BVCI")     \
    MUST(T, CELL, identity, 0, 0, "the cell identifier") \
    BSS_BUFFER_KEYS(KEY, T)                              \
    BSS_FLOW_KEYS(KEY, T)
FIELD_KEYS_STRUCT(bss_cell_config, BSS_CELL_CONFIG_FIELDS);
extern const struct field bss_cell_config_fields[];
extern const uint32_t bss_cell_config_field_count;
extern const struct field_record bss_cell_config_record;

// NULL, or what is wrong between keys that are each in their range; names the keys.
const char *bss_config_fault(const struct bss_config *config);
const char *bss_cell_config_fault(const struct bss_cell_config *config);

// Every key's default; the fields without one are 0.
void bss_config_standard(struct bss_config *config);
void bss_cell_config_standard(struct bss_cell_config *config);

#endif
