// What a user sets about a cell's radio. The keys, their ranges and helps come from the list below.
#ifndef SLUICE_LAB_RADIO_CONFIG_H
#define SLUICE_LAB_RADIO_CONFIG_H

#include "dataplane/base/units.h"
#include "dataplane/wire/field.h"

// A coding scheme; RATE: the radio is given as a rate. The words are those of codings.def.
#define RADIO_CODING_WORDS \
    "rate CS-1 CS-2 CS-3 CS-4 MCS-1 MCS-2 MCS-3 MCS-4 MCS-5 MCS-6 MCS-7 MCS-8 MCS-9"
enum radio_coding {
    RADIO_CODING_RATE,
#define CODING(NAME, words, mode, blocks, octets) RADIO_CODING_##NAME,
#include "lab/radio/codings.def"
#undef CODING
    RADIO_CODINGS
};

// What resumes a downlink transfer that lost its channel.
enum radio_resume {
    RADIO_RESUME_AT_ONCE,    // the channel that is back
    RADIO_RESUME_BY_ACTIVITY // new LLC PDUs for the MS, or an uplink TBF of the MS
};

// Which downlink TBFs of the cell get slots first.
enum radio_order {
    RADIO_ORDER_TURNS, // all take turns
    RADIO_ORDER_RANK   // those of the lowest rank (struct radio_pdu), which take turns
};

#define RADIO_SLOTS_A_CARRIER 8
#define RADIO_CARRIERS_MAX    16
#define RADIO_SLOTS_MAX       (RADIO_SLOTS_A_CARRIER * RADIO_CARRIERS_MAX)
#define RADIO_WINDOW_MAX      65536

#define RADIO_CELL_KEYS(KEY, T)                                                                    \
    KEY(T, COUNT, carriers, "radio.carriers", NULL, 1, RADIO_CARRIERS_MAX, 1,                      \
        "carriers of the cell; each has 8 time slots (45.002)")                                    \
    KEY(T, COUNT, slots, "radio.slots", NULL, 1, RADIO_SLOTS_MAX, 4,                               \
        "time slots for packets in both ways, which calls may take; aqm-2006 has 24 a cell, "      \
        "buffer-2004 1 to 3")                                                                      \
    KEY(T, TIME, period_ns, "radio.period", NULL, 1 * MS_IN_NS, 1 * S_IN_NS, 20 * MS_IN_NS,        \
        "length of a block period (TTI); with a coding scheme 20 ms (45.002)")                     \
    KEY(T, TIME, round_trip_ns, "radio.round_trip", NULL, 1 * MS_IN_NS, 10 * S_IN_NS,              \
        120 * MS_IN_NS,                                                                            \
        "RLC round trip, from the start of a block to the earliest start of its repetition, when " \
        "a block that arrived also leaves the window; the \"RLC RTT\" of latency-geran; 44.060 "   \
        "annex I assumes about 120 ms")                                                            \
    KEY(T, SIZE, free_headers_octets, "radio.free_headers", NULL, 0, 64, 0,                        \
        "octets of headers in each LLC PDU that take no room in blocks; 10 (LLC, its FCS, and "    \
        "SNDCP of an N-PDU in one LLC PDU) in latency-geran, whose model has IP packets alone")    \
    KEY(T, CHOICE, order, "radio.order", "turns rank", RADIO_ORDER_TURNS, RADIO_ORDER_RANK,        \
        RADIO_ORDER_TURNS,                                                                         \
        "which MSs get downlink slots first: all in turns, or by what buffer.priority says of "    \
        "their LLC PDUs, and in turns among equals; aqm-2006 has priorities at the BSS")           \
    KEY(T, TIME, hold_taken_ns, "radio.hold_taken", "flushed at once", 1 * MS_IN_NS,               \
        1000 * S_IN_NS, 0,                                                                         \
        "how long downlink LLC PDUs wait after calls have taken the channel, before the BSC "      \
        "flushes them; at once in preempt-2004")                                                   \
    KEY(T, CHOICE, resume, "radio.resume", "at-once by-activity", RADIO_RESUME_AT_ONCE,            \
        RADIO_RESUME_BY_ACTIVITY, RADIO_RESUME_AT_ONCE,                                            \
        "what resumes a downlink transfer after calls: the channel that is back, or new LLC "      \
        "PDUs for the MS or an uplink TBF of the MS, as in preempt-2004")

#define RADIO_WAY_KEYS(KEY, T, way, rate, pdu)                                                     \
    KEY(T, CHOICE, way##_coding, "radio." #way "_coding", RADIO_CODING_WORDS, RADIO_CODING_RATE,   \
        RADIO_CODINGS - 1, RADIO_CODING_CS2,                                                       \
        "coding scheme (43.064); rate: a radio of " #way "_rate and " #way "_pdu instead")         \
    KEY(T, RATE, way##_rate_bit_per_s, "radio." #way "_rate", NULL, 100, 1000000000, rate,         \
        "rate of the whole cell without a coding scheme, in octets of RLC data blocks; "           \
        "latency-geran")                                                                           \
    KEY(T, SIZE, way##_pdu_octets, "radio." #way "_pdu", NULL, 2, 65535, pdu,                      \
        "octets in an RLC data block without a coding scheme; latency-geran")                      \
    KEY(T, COUNT, way##_slots, "radio." #way "_slots", "unlimited", 1, RADIO_SLOTS_MAX, 0,         \
        "the most time slots of a block period that one MS may have, by its multislot class "      \
        "(45.002 annex B); without a coding scheme, RLC data blocks")                              \
    KEY(T, PPM, way##_bler_ppm, "radio." #way "_bler", NULL, 0, 999999, 0,                         \
        "probability that an RLC data block arrives with errors, each by itself")                  \
    KEY(T, PPM, way##_control_ppm, "radio." #way "_control", NULL, 0, 999999, 0,                   \
        "share of the time slots that carry control blocks instead of data; 8 % in a fit of "      \
        "buffer-2004")                                                                             \
    KEY(T, COUNT, way##_window, "radio." #way "_window", "by the coding scheme", 1,                \
        RADIO_WINDOW_MAX, 0,                                                                       \
        "RLC window in blocks; by the coding scheme: 64 with CS, 192 to 1024 with MCS by the "     \
        "slots of the MS (44.060 9.1.9), unlimited without")                                       \
    KEY(T, TIME, way##_setup_ns, "radio." #way "_setup", NULL, 0, 100 * S_IN_NS, 200 * MS_IN_NS,   \
        "time to set up a TBF for an MS that has none")                                            \
    KEY(T, TIME, way##_setup_beside_ns, "radio." #way "_setup_beside", NULL, 0, 100 * S_IN_NS,     \
        60 * MS_IN_NS, "time to set up a TBF for an MS that has a TBF in the other way (PACCH)")   \
    KEY(T, TIME, way##_release_ns, "radio." #way "_release", NULL, 0, 1000 * S_IN_NS, 1 * S_IN_NS, \
        "how long a TBF stays after the last of its blocks is acknowledged (44.060 9.3.1)")

#define RADIO_MS_KEYS(KEY, T)                                                                  \
    KEY(T, SIZE, up_buffer_octets, "radio.up_buffer", "unlimited", 1, 1000000000, 0,           \
        "the most octets of LLC PDUs that an MS holds until they have arrived")                \
    KEY(T, TIME, up_reaction_ns, "radio.up_reaction", NULL, 0, 10 * S_IN_NS, 0,                \
        "how long an MS needs to make blocks of an LLC PDU; 0 s: an answer to what arrives "   \
        "as a block period starts goes in that period, as in latency-geran")                   \
    KEY(T, TIME, up_discard_ns, "radio.up_discard", "never", 1 * MS_IN_NS, 1000 * S_IN_NS, 0,  \
        "how long an LLC PDU may wait in the MS for its first block; between 6 s and 15 s in " \
        "preempt-2004")

// An MS may have its own coding, slots, bler, window, setup and release (struct radio_own).
#define RADIO_CONFIG_FIELDS(MUST, KEY, T)     \
    RADIO_CELL_KEYS(KEY, T)                   \
    RADIO_WAY_KEYS(KEY, T, down, 454400, 142) \
    RADIO_WAY_KEYS(KEY, T, up, 227200, 71)    \
    RADIO_MS_KEYS(KEY, T)
FIELD_KEYS_STRUCT(radio_config, RADIO_CONFIG_FIELDS);
extern const struct field radio_config_fields[];
extern const uint32_t radio_config_field_count;
extern const struct field_record radio_config_record;

// The defaults of all keys.
void radio_config_standard(struct radio_config *config);

// NULL, or what is wrong between keys that are each in their range; names the keys.
const char *radio_config_fault(const struct radio_config *config);

// Events at given times, as data.
enum radio_plan_kind {
    RADIO_PLAN_LOSS,    // the next `count` downlink LLC PDUs for `ms` are lost as they arrive
    RADIO_PLAN_UP_LOSS, // the same of its uplink
    RADIO_PLAN_CALLS,   // calls take `count` time slots for lasts_ns
    RADIO_PLAN_MS_CALL, // `ms` has no channel for lasts_ns
    RADIO_PLAN_SLOTS,   // the cell has `count` time slots for packets from now on
    RADIO_PLAN_KINDS
};

#define RADIO_PLAN_FIELDS(MUST, KEY, T)                                                            \
    KEY(T, CHOICE, kind, "plan.kind", "loss up-loss calls ms-call slots", RADIO_PLAN_LOSS,         \
        RADIO_PLAN_KINDS - 1, RADIO_PLAN_CALLS,                                                    \
        "what happens: the loss of an MS's downlink or uplink LLC PDUs, calls that take slots, a " \
        "call of an MS, a new number of slots")                                                    \
    KEY(T, TIME, at_ns, "plan.at", NULL, 0, 1000000 * S_IN_NS, 0,                                  \
        "when, first; a loss at 240 s in buffer-2004")                                             \
    KEY(T, TIME, every_ns, "plan.every", "once", 1 * MS_IN_NS, 1000000 * S_IN_NS, 0,               \
        "again and again, from one start to the next; in preempt-2004 60 s and the call")          \
    KEY(T, COUNT, times, "plan.times", "without end", 1, 1000000000, 0, "how often, with `every`") \
    KEY(T, TIME, lasts_ns, "plan.lasts", "without end", 1 * MS_IN_NS, 1000000 * S_IN_NS, 0,        \
        "how long calls last; 3, 6 and 15 s in preempt-2004")                                      \
    KEY(T, COUNT, count, "plan.count", NULL, 0, 1000000, 1, "how many LLC PDUs or time slots")     \
    MUST(T, U32, ms, 0, 1000000,                                                                   \
         "which MS, by its owner's number; nothing happens while it is not in the cell")
FIELD_KEYS_STRUCT(radio_plan, RADIO_PLAN_FIELDS);
extern const struct field radio_plan_fields[];
extern const uint32_t radio_plan_field_count;
extern const struct field_record radio_plan_record;

// NULL, or what is wrong between the keys of a plan; names the keys.
const char *radio_plan_fault(const struct radio_plan *plan);

#endif
