// The profiles. Each value is of a paper, a standard, or of what the stack is documented to do.
#include "lab/hosts/tcp_profile.h"

#include <string.h>

#define HEADERS_OCTETS     40 // IPv4 and TCP
#define UDP_HEADERS_OCTETS 28 // IPv4 and UDP

const struct field tcp_profile_fields[] = FIELD_KEYS_TABLE(tcp_profile, TCP_PROFILE_FIELDS);
const uint32_t tcp_profile_field_count = sizeof tcp_profile_fields / sizeof tcp_profile_fields[0];
const struct field_record tcp_profile_record = FIELD_RECORD_OF(tcp_profile, tcp_profile_fields);

const struct tcp_profile_row tcp_profiles[] = {
    // ns-2 as the studies of 2006 ran it: its manual's NewReno with a sink that acknowledges each
    // segment. One timed segment at a time, minrto_ 0.2 s in the later releases but 1 s by RFC 2988
    // and in ns 2.2x; rtxcur_init_ 3 s; the sink's delay is 100 ms where there is one. No
    // options, no Limited Transmit; a spurious time-out goes back and sends all again.
    {"newreno-ns2",
     "NewReno as in ns-2 of 2006: no SACK, no timestamps, an ACK for each segment",
     {.mss_octets = 1460,
      .initial_window = 2,
      .receive_window_octets = 65535,
      .rto_least_ns = 1 * S_IN_NS,
      .rto_initial_ns = 3 * S_IN_NS,
      .rto_most_ns = 60 * S_IN_NS,
      .tick_ns = 10 * MS_IN_NS,
      .syn_retries = 12,
      .retries = 100,
      .time_wait_ns = 60 * S_IN_NS,
      .ack_every = 1,
      .ack_delay_ns = 100 * MS_IN_NS,
      .congestion = TCP_CONGESTION_NEWRENO,
      .recovery = TCP_RECOVERY_NEWRENO,
      .reduction = TCP_REDUCTION_AT_ONCE,
      .dupthresh = 3,
      .spurious = TCP_SPURIOUS_NONE}},

    // Linux 2.4: "Congestion Control in Linux TCP" (Sarolahti and Kuznetsov, USENIX 2002) has its
    // recovery (FACK, rate halving, moderation of the window), its RTO (200 ms to 120 s, the
    // minimum on the
    // variance) and its delayed ACKs (40 to 200 ms, quick at first). HZ is 100, so that its ticks
    // and
    // timestamps are 10 ms; RTO 3 s before a sample (RFC 1122), 2 segments to begin with (RFC 2581;
    // RFC
    // 3390 came with 2.6), tcp_rmem's default window of 64 KB (87380 less a quarter),
    // tcp_syn_retries 5,
    // tcp_retries2 15. An undo by timestamps is of the same paper.
    {"linux-2.4",
     "Linux 2.4: SACK with FACK, timestamps, rate halving, the window moderated after a recovery",
     {.mss_octets = 1460,
      .initial_window = 2,
      .receive_window_octets = 65535,
      .rto_least_ns = 200 * MS_IN_NS,
      .rto_initial_ns = 3 * S_IN_NS,
      .rto_most_ns = 120 * S_IN_NS,
      .rto_margin = 1,
      .tick_ns = 10 * MS_IN_NS,
      .sample_each_ack = 1,
      .syn_retries = 5,
      .retries = 15,
      .time_wait_ns = 60 * S_IN_NS,
      .ack_every = 2,
      .ack_delay_ns = 200 * MS_IN_NS,
      .ack_delay_least_ns = 40 * MS_IN_NS,
      .quick_acks = 16,
      .timestamps = 1,
      .sack = 1,
      .dsack = 1,
      .congestion = TCP_CONGESTION_NEWRENO,
      .recovery = TCP_RECOVERY_FACK,
      .reduction = TCP_REDUCTION_HALVING,
      .dupthresh = 3,
      .limited_transmit = 1,
      .burst = 3,
      .spurious = TCP_SPURIOUS_EIFEL,
      .idle_restart = 1}},

    // Linux of today: its documentation (ip-sysctl) has tcp_congestion_control cubic, tcp_sack,
    // tcp_dsack,
    // tcp_timestamps, tcp_window_scaling, tcp_recovery (RACK), tcp_early_retrans (tail probe),
    // tcp_frto,
    // tcp_slow_start_after_idle, tcp_syn_retries 6, tcp_retries2 15 and tcp_rmem up to 6 MB, of
    // which half
    // is offered. IW 10 (RFC 6928), RTO 1 s before a sample (RFC 6298), 200 ms to 120 s, ticks of 1
    // ms.
    {"linux",
     "Linux of today: CUBIC, SACK with RACK, PRR, timestamps, ten segments to begin with",
     {.mss_octets = 1460,
      .initial_window = 10,
      .receive_window_octets = 3145728,
      .window_scale = 7,
      .rto_least_ns = 200 * MS_IN_NS,
      .rto_initial_ns = 1 * S_IN_NS,
      .rto_most_ns = 120 * S_IN_NS,
      .rto_margin = 1,
      .tick_ns = 1 * MS_IN_NS,
      .sample_each_ack = 1,
      .syn_retries = 6,
      .retries = 15,
      .time_wait_ns = 60 * S_IN_NS,
      .ack_every = 2,
      .ack_delay_ns = 200 * MS_IN_NS,
      .ack_delay_least_ns = 40 * MS_IN_NS,
      .ack_adapts = 1,
      .quick_acks = 16,
      .timestamps = 1,
      .sack = 1,
      .dsack = 1,
      .congestion = TCP_CONGESTION_CUBIC,
      .hystart = 1,
      .count_octets = 2,
      .recovery = TCP_RECOVERY_RACK,
      .reduction = TCP_REDUCTION_PRR,
      .dupthresh = 3,
      .limited_transmit = 1,
      .tail_probe = 1,
      .spurious = TCP_SPURIOUS_FRTO,
      .idle_restart = 1}},
};
const uint32_t tcp_profile_count = sizeof tcp_profiles / sizeof tcp_profiles[0];

const struct tcp_profile *tcp_profile_find(const char *name)
{
    for (uint32_t i = 0; i < tcp_profile_count; i++)
        if (strcmp(tcp_profiles[i].name, name) == 0)
            return &tcp_profiles[i].profile;
    return NULL;
}

// QUIC's segments have no options.
uint32_t tcp_profile_mss_octets(const struct tcp_profile *p)
{
    uint32_t mss = (uint32_t)p->mss_octets;
    if (p->outside == TCP_OUTSIDE_PLAIN)
        return mss;
    if (mss < TCP_OUTSIDE_MSS_LEAST)
        mss = TCP_OUTSIDE_MSS_LEAST;
    uint32_t datagram = mss + HEADERS_OCTETS - UDP_HEADERS_OCTETS;
    if (p->outside == TCP_OUTSIDE_QUIC)
        return datagram - TCP_QUIC_OCTETS - TCP_QUIC_STREAM_OCTETS;
    uint32_t inner = datagram - TCP_TUNNEL_OCTETS;
    return inner - inner % TCP_TUNNEL_BLOCK - HEADERS_OCTETS;
}

const char *tcp_profile_fault(const struct tcp_profile *p)
{
    if (p->outside != TCP_OUTSIDE_PLAIN && p->mss_octets < TCP_OUTSIDE_MSS_LEAST)
        return "tcp.mss: less than 136 octets, which tcp.outside needs";
    if (p->rto_least_ns > p->rto_most_ns)
        return "tcp.rto_min: more than tcp.rto_max";
    if (p->rto_initial_ns > p->rto_most_ns)
        return "tcp.rto_initial: more than tcp.rto_max";
    if (p->ack_delay_ns && p->ack_delay_least_ns > p->ack_delay_ns)
        return "tcp.ack_delay_least: more than tcp.ack_delay";
    if (p->dsack && !p->sack)
        return "tcp.dsack: needs tcp.sack";
    if (p->recovery != TCP_RECOVERY_NEWRENO && !p->sack)
        return "tcp.recovery: all but newreno need tcp.sack";
    if (p->spurious == TCP_SPURIOUS_EIFEL && !p->timestamps)
        return "tcp.spurious: eifel needs tcp.timestamps";
    return NULL;
}
