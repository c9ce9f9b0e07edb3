// Everything in which TCP stacks differ, as named fields; a profile is a value for each. The text
// of a field names the RFC of what it sets, the profiles (tcp_profile.c) where a value comes from.
#ifndef SLUICE_LAB_HOSTS_TCP_PROFILE_H
#define SLUICE_LAB_HOSTS_TCP_PROFILE_H

#include "dataplane/base/units.h"
#include "dataplane/wire/field.h"

enum tcp_congestion { TCP_CONGESTION_NEWRENO, TCP_CONGESTION_CUBIC };
enum tcp_recovery {
    TCP_RECOVERY_NEWRENO, // duplicate ACKs, partial ACKs: RFC 6582
    TCP_RECOVERY_SACK,    // RFC 6675
    TCP_RECOVERY_FACK,    // all that is dupthresh segments behind the foremost SACK is lost
    TCP_RECOVERY_RACK     // time since sending: RFC 8985
};
enum tcp_reduction {
    TCP_REDUCTION_AT_ONCE, // RFC 5681, RFC 6675
    TCP_REDUCTION_HALVING, // one segment for two ACKs
    TCP_REDUCTION_PRR      // RFC 6937
};
enum tcp_halving { TCP_HALVING_THRESHOLD, TCP_HALVING_HALF };
enum tcp_spurious { TCP_SPURIOUS_NONE, TCP_SPURIOUS_FRTO, TCP_SPURIOUS_EIFEL };

// What a segment is in its IP packet: TCP; a QUIC packet, each connection with its own ports; or
// within WireGuard, all connections of an MS's address between the same two ports.
enum tcp_outside { TCP_OUTSIDE_PLAIN, TCP_OUTSIDE_QUIC, TCP_OUTSIDE_TUNNEL };

// QUIC: a short header of 1 octet, 8 of a connection ID and 2 of a packet number (RFC 9000 17.3.1),
// 16 of a tag (RFC 9001 5.3), and a frame: STREAM with 1 octet for the type, 1 for the stream, 4
// for the offset and 2 for the length (RFC 9000 19.8); or ACK with 1, 4 for the latest, 2 for the
// delay, 1 for the number of ranges, 1 for the first, and 2 for each further one (19.3). WireGuard:
// 16 octets of header and 16 of a tag around an IP packet padded to 16 (J. Donenfeld, "WireGuard:
// Next Generation Kernel Network Tunnel", NDSS 2017, 5.4.6).
#define TCP_QUIC_OCTETS        27
#define TCP_QUIC_STREAM_OCTETS 8
#define TCP_QUIC_ACK_OCTETS    9
#define TCP_QUIC_RANGE_OCTETS  2
#define TCP_TUNNEL_OCTETS      32
#define TCP_TUNNEL_BLOCK       16
#define TCP_OUTSIDE_MSS_LEAST  136 // tcp.mss; enough of it is left for data

#define TCP_UNLIMITED (1ULL << 40) // octets; no stream of a run is that long

// The most of an MSS fits into a datagram of the lab, 4096 octets (lab/line/ends.h), with its
// headers.
#define TCP_PROFILE_SIZES(KEY, T)                                                                  \
    KEY(T, SIZE, mss_octets, "tcp.mss", NULL, 64, 4000, 1460,                                      \
        "the largest segment, without headers but with TCP's options (RFC 9293 3.7.1)")            \
    KEY(T, COUNT, initial_window, "tcp.initial_window", "by RFC 3390", 1, 1000, 10,                \
        "segments that the congestion window begins with (RFC 5681, RFC 6928)")                    \
    KEY(T, SIZE, initial_ssthresh_octets, "tcp.initial_ssthresh", "unlimited", 128, TCP_UNLIMITED, \
        0, "where the first slow start ends (RFC 5681 3.1)")                                       \
    KEY(T, SIZE, cwnd_most_octets, "tcp.cwnd_most", "unlimited", 128, TCP_UNLIMITED, 0,            \
        "the most that the congestion window grows to")                                            \
    KEY(T, SIZE, receive_window_octets, "tcp.receive_window", NULL, 128, 1ULL << 30, 3145728,      \
        "the receiver's buffer, which is the largest window that it offers")                       \
    KEY(T, COUNT, window_scale, "tcp.window_scale", "none", 1, 14, 7,                              \
        "shift of the offered windows, if the peer has one too (RFC 7323)")                        \
    KEY(T, SIZE, send_buffer_octets, "tcp.send_buffer", "unlimited", 128, TCP_UNLIMITED, 0,        \
        "the most octets that are sent and not yet acknowledged")                                  \
    KEY(T, CHOICE, outside, "tcp.outside", "plain quic tunnel", TCP_OUTSIDE_PLAIN,                 \
        TCP_OUTSIDE_TUNNEL, TCP_OUTSIDE_PLAIN,                                                     \
        "what its IP packets are: TCP; QUIC's, UDP of which nothing can be read; or those of a "   \
        "VPN, WireGuard, which has all connections of an MS's address in one flow of UDP")

#define TCP_PROFILE_TIMERS(KEY, T)                                                               \
    KEY(T, TIME, rto_least_ns, "tcp.rto_min", NULL, 1 * MS_IN_NS, 100 * S_IN_NS, 200 * MS_IN_NS, \
        "the shortest retransmission time-out (RFC 6298 2.4)")                                   \
    KEY(T, TIME, rto_initial_ns, "tcp.rto_initial", NULL, 1 * MS_IN_NS, 100 * S_IN_NS,           \
        1 * S_IN_NS, "the time-out before there is a round-trip sample (RFC 6298 2.1)")          \
    KEY(T, TIME, rto_most_ns, "tcp.rto_max", NULL, 1 * S_IN_NS, 1000 * S_IN_NS, 120 * S_IN_NS,   \
        "the longest time-out, backoff included (RFC 6298 2.5)")                                 \
    KEY(T, CHOICE, rto_margin, "tcp.rto_min_limits", "time-out variance", 0, 1, 1,               \
        "what rto_min limits: the whole time-out, as RFC 6298, or its variance term, as Linux")  \
    KEY(T, TIME, tick_ns, "tcp.tick", NULL, 1000, 1 * S_IN_NS, 1 * MS_IN_NS,                     \
        "granularity of round-trip samples, timestamps and timers")                              \
    KEY(T, SWITCH, sample_each_ack, "tcp.sample_each_ack", NULL, 0, 1, 1,                        \
        "round-trip samples come with each ACK that can give one, and not of one segment at a "  \
        "time (RFC 6298 3)")                                                                     \
    KEY(T, COUNT, syn_retries, "tcp.syn_retries", NULL, 0, 100, 6,                               \
        "how often a SYN is sent again before the connection is given up")                       \
    KEY(T, COUNT, retries, "tcp.retries", NULL, 0, 100, 15,                                      \
        "time-outs in a row after which the connection is given up (RFC 9293 3.8.3)")            \
    KEY(T, TIME, time_wait_ns, "tcp.time_wait", "none", 1 * MS_IN_NS, 1000 * S_IN_NS,            \
        60 * S_IN_NS, "how long the end that closed first remembers the connection")

#define TCP_PROFILE_ACKS(KEY, T)                                                                \
    KEY(T, COUNT, ack_every, "tcp.ack_every", NULL, 1, 64, 2,                                   \
        "full segments after which an ACK is due at once (RFC 5681 4.2)")                       \
    KEY(T, TIME, ack_delay_ns, "tcp.ack_delay", "no delay", 1 * MS_IN_NS, 500 * MS_IN_NS,       \
        200 * MS_IN_NS, "the longest that an ACK is delayed (RFC 9293 3.8.6.3)")                \
    KEY(T, TIME, ack_delay_least_ns, "tcp.ack_delay_least", "always the longest", 1 * MS_IN_NS, \
        500 * MS_IN_NS, 40 * MS_IN_NS,                                                          \
        "the shortest delay, where the delay follows the interval of arrivals")                 \
    KEY(T, SWITCH, ack_adapts, "tcp.ack_adapts", NULL, 0, 1, 1,                                 \
        "ACKs as Linux of today: one that waited for its timer doubles the delay; quick ones "  \
        "come again behind a pause of a time-out or a duplicate, and not behind a hole; PSH, "  \
        "which the last of several segments has, gets one at once")                             \
    KEY(T, COUNT, quick_acks, "tcp.quick_acks", "none", 1, 1000, 16,                            \
        "segments at the beginning, and after a hole, that are acknowledged at once")           \
    KEY(T, SWITCH, timestamps, "tcp.timestamps", NULL, 0, 1, 1, "timestamps (RFC 7323)")        \
    KEY(T, SWITCH, sack, "tcp.sack", NULL, 0, 1, 1, "selective acknowledgements (RFC 2018)")    \
    KEY(T, SWITCH, dsack, "tcp.dsack", NULL, 0, 1, 1, "reports of duplicates (RFC 2883)")       \
    KEY(T, SWITCH, ecn, "tcp.ecn", NULL, 0, 1, 0,                                               \
        "asks for explicit congestion notification, and agrees to it (RFC 3168)")

#define TCP_PROFILE_CONGESTION(KEY, T)                                                          \
    KEY(T, CHOICE, congestion, "tcp.congestion", "newreno cubic", TCP_CONGESTION_NEWRENO,       \
        TCP_CONGESTION_CUBIC, TCP_CONGESTION_CUBIC,                                             \
        "the window's growth: NewReno (RFC 5681), CUBIC (RFC 9438)")                            \
    KEY(T, SWITCH, hystart, "tcp.hystart", NULL, 0, 1, 1,                                       \
        "slow start of CUBIC ends when the round trip grows (HyStart)")                         \
    KEY(T, COUNT, count_octets, "tcp.count_octets", "by ACKs", 1, 64, 2,                        \
        "segments that one ACK may count for as the window grows (RFC 3465); by ACKs: each is " \
        "one")                                                                                  \
    KEY(T, CHOICE, recovery, "tcp.recovery", "newreno sack fack rack", TCP_RECOVERY_NEWRENO,    \
        TCP_RECOVERY_RACK, TCP_RECOVERY_RACK,                                                   \
        "what finds losses: NewReno (RFC 6582), SACK (RFC 6675), FACK, RACK (RFC 8985)")        \
    KEY(T, CHOICE, reduction, "tcp.reduction", "at-once halving prr", TCP_REDUCTION_AT_ONCE,    \
        TCP_REDUCTION_PRR, TCP_REDUCTION_PRR,                                                   \
        "how the window shrinks: at once, by rate halving, by PRR (RFC 6937)")                  \
    KEY(T, CHOICE, halving_least, "tcp.halving_least", "threshold half", TCP_HALVING_THRESHOLD, \
        TCP_HALVING_HALF, TCP_HALVING_THRESHOLD,                                                \
        "where rate halving ends: at the threshold, or at half of it if the recovery has ACKs " \
        "enough, as in Linux 2.4")                                                              \
    KEY(T, COUNT, dupthresh, "tcp.dupthresh", NULL, 1, 127, 3,                                  \
        "duplicate ACKs, or segments, after which a loss is assumed (RFC 5681 3.2)")            \
    KEY(T, SWITCH, limited_transmit, "tcp.limited_transmit", NULL, 0, 1, 1,                     \
        "the first two duplicate ACKs send new data (RFC 3042)")                                \
    KEY(T, SWITCH, tail_probe, "tcp.tail_probe", NULL, 0, 1, 1,                                 \
        "a probe finds a loss at the end of a flight (RFC 8985 7)")                             \
    KEY(T, SWITCH, impatient, "tcp.impatient", NULL, 0, 1, 0,                                   \
        "only the first partial ACK of a recovery restarts the time-out (RFC 6582 4)")          \
    KEY(T, COUNT, burst, "tcp.burst", "unlimited", 1, 1000, 0,                                  \
        "segments that the window may exceed what is under way by when a recovery ends")        \
    KEY(T, CHOICE, spurious, "tcp.spurious", "none f-rto eifel", TCP_SPURIOUS_NONE,             \
        TCP_SPURIOUS_EIFEL, TCP_SPURIOUS_FRTO,                                                  \
        "what finds a time-out that was none: nothing, F-RTO (RFC 5682), Eifel (RFC 3522)")     \
    KEY(T, SWITCH, idle_restart, "tcp.idle_restart", NULL, 0, 1, 1,                             \
        "the window starts small again after a pause of a time-out (RFC 5681 4.1)")             \
    KEY(T, SWITCH, nagle, "tcp.nagle", NULL, 0, 1, 0,                                           \
        "a short segment waits until nothing is under way (RFC 9293 3.7.4)")

#define TCP_PROFILE_FIELDS(MUST, KEY, T) \
    TCP_PROFILE_SIZES(KEY, T)            \
    TCP_PROFILE_TIMERS(KEY, T)           \
    TCP_PROFILE_ACKS(KEY, T)             \
    TCP_PROFILE_CONGESTION(KEY, T)
FIELD_KEYS_STRUCT(tcp_profile, TCP_PROFILE_FIELDS);
extern const struct field tcp_profile_fields[];
extern const uint32_t tcp_profile_field_count;
extern const struct field_record tcp_profile_record;

// NULL, or what is wrong between keys that are each in their range; names the keys.
const char *tcp_profile_fault(const struct tcp_profile *profile);

// The largest segment with TCP's options, so that no IP packet is larger than one of plain TCP.
uint32_t tcp_profile_mss_octets(const struct tcp_profile *profile);

struct tcp_profile_row {
    const char *name, *help;
    struct tcp_profile profile;
};
extern const struct tcp_profile_row tcp_profiles[];
extern const uint32_t tcp_profile_count;

// NULL: there is no such profile.
const struct tcp_profile *tcp_profile_find(const char *name);

#endif
