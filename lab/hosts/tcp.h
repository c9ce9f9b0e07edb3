// One end of a TCP connection, pure: it knows neither the engine nor IP, counts octets instead of
// keeping them, and does everything in the time that it is told. Segments are the wire's `struct
// tcp` with payload.n octets and payload.at NULL; ports are the owner's.
//
//     tcp_setup(&end, profile, &owner, isn);
//     tcp_connect(&end, now_ns), or tcp_listen(&end) and later tcp_input() with the SYN
//     tcp_write(&end, octets, now_ns) ... tcp_close(&end, now_ns)
//
// After each call the owner sets its timer to end.wake_ns (TIME_NEVER: none) and calls tcp_wake()
// then; waking earlier or twice does no harm.
//
// From inside the owner's event(), tcp_write, tcp_read and tcp_close of the same end may be called;
// from inside send(), nothing of the same end. tcp_release() neither: wait for the call to return.
#ifndef SLUICE_LAB_HOSTS_TCP_H
#define SLUICE_LAB_HOSTS_TCP_H

#include "dataplane/wire/tcp.h"
#include "lab/hosts/tcp_profile.h"

enum tcp_event {
    TCP_OPEN,        // the handshake is complete
    TCP_RECEIVED,    // figures.received_octets has grown
    TCP_ACKED,       // figures.acked_octets has grown
    TCP_PEER_CLOSED, // all of the peer's octets are here and no more come
    TCP_CLOSED,      // both ends have closed, and all is acknowledged
    TCP_ABORTED,     // reset by the peer, or given up
    TCP_EVENTS
};

struct tcp_owner {
    void *self;
    void (*send)(void *self, const struct tcp *segment, bool ect, uint64_t now_ns);
    void (*event)(void *self, enum tcp_event event, uint64_t now_ns);
};

enum tcp_state {
    TCP_STATE_CLOSED,
    TCP_STATE_LISTEN,
    TCP_STATE_SYN_SENT,
    TCP_STATE_SYN_RECEIVED,
    TCP_STATE_OPEN, // until both directions are closed, or TIME-WAIT begins
    TCP_STATE_TIME_WAIT
};

enum tcp_phase {
    TCP_PHASE_OPEN,     // nothing is known to be lost
    TCP_PHASE_RECOVERY, // fast retransmit and recovery
    TCP_PHASE_LOSS,     // since a time-out
    TCP_PHASE_REDUCED   // the window shrinks for ECN
};

// What one end has done, for results; nothing of it steers.
// sent_segments = those with data + SYN + FIN + pure ACKs + probes + RST, retransmissions included.
struct tcp_figures {
    uint64_t sent_segments, received_segments;
    uint64_t sent_octets;            // of data, retransmitted ones included
    uint64_t retransmitted_octets;   // of data
    uint64_t retransmitted_segments; // with data, SYN or FIN
    uint64_t acked_octets;           // of data
    uint64_t received_octets;        // of data, in order, each once
    uint64_t duplicate_octets;       // of data that had arrived before, or was of no window
    uint64_t timeouts, fast_recoveries, tail_probes, window_probes, spurious;
    uint64_t ecn_marks, ecn_reductions; // CE received; windows shrunk for ECE
    uint64_t rtt_samples, rtt_sum_ns, rtt_least_ns, rtt_most_ns;
};

// What was sent and is not acknowledged: one piece a segment, oldest first (tcp_sent.c).
struct tcp_sent {
    struct tcp_piece *ring;
    uint32_t room, first, pieces;
    uint64_t sacked_octets, lost_octets; // lost: not yet sent again
};

// What has arrived beyond a hole: ranges in ascending order (tcp_holes.c).
struct tcp_holes {
    struct tcp_range *range;
    uint32_t room, ranges;
    uint32_t arrivals; // orders the ranges by their latest arrival
};

// Positions: 0 is the SYN, 1 the first octet, the FIN is behind the last; 64 bits never wrap.
struct tcp_end {
    const struct tcp_profile *profile;
    struct tcp_owner owner;
    uint64_t wake_ns;
    enum tcp_state state;
    enum tcp_phase phase;
    uint32_t own_isn, peer_isn;
    bool inside;    // a call is under way
    uint8_t events; // to be told to the owner, by bit
    bool sack, timestamps, ecn, scaled;
    uint8_t own_scale, peer_scale;
    uint32_t mss_octets; // of data in a full segment

    // The sending side.
    uint64_t una, next, end; // first unacknowledged, next new, end of what the application wrote
    bool closing;            // a FIN follows `end`
    uint64_t peer_window, window_sequence, window_ack, peer_window_most;
    struct tcp_sent sent;
    uint64_t resend_from; // no lost piece is below
    uint64_t last_sent_ns;
    uint32_t orders; // of pieces sent

    // Congestion.
    uint64_t cwnd, ssthresh, cwnd_fraction; // octets; of a segment's growth
    uint64_t prior_cwnd, prior_ssthresh;    // for an undo
    uint64_t recover;                       // the phase ends when una passes it
    uint64_t sacked_most;                   // end of the foremost SACK
    uint32_t duplicates;                    // duplicate ACKs since una moved
    bool several, push;                     // segments go at once; this is the last of them
    bool must_resend;                       // a lost piece goes whatever the window
    bool partial_seen;                      // since the recovery began
    bool cwr_due;                           // the next new data carries CWR
    uint8_t frto;                           // steps of F-RTO
    bool undo_armed;                        // Eifel: undo_stamp is the first retransmission's
    uint32_t undo_stamp;
    uint32_t halving_acks;
    struct {
        uint64_t delivered, out, flight; // RFC 6937
    } prr;
    struct {
        uint64_t epoch_ns, k_ms, rtt_least_ns; // RFC 9438; of data
        uint64_t origin, w_max, reno_q16;      // segments
    } cubic;
    struct {
        uint64_t round_end, round_ns, base_ns;
        uint32_t samples;
    } hystart;
    struct {
        uint64_t rtt_ns, fack; // RFC 8985 6
        uint32_t order;
        bool reordered;
    } rack;
    uint64_t tail_end; // of the probe under way (RFC 8985 7); 0: none
    bool tail_resent;  // it was no new data

    // Round trips and timers; TIME_NEVER: not running.
    uint64_t rto_base_ns, srtt_ns, rttvar_ns, rtt_least_ns, rtt_last_ns;
    uint64_t mdev_ns, mdev_most_ns, rttvar_end; // Linux's
    uint64_t timed_end, timed_ns;               // the one timed segment; 0: none
    uint32_t backoff, probes, timeouts_in_row;
    uint64_t timer_ns; // time-out, window probe or the end of TIME-WAIT
    uint64_t tail_ns, reorder_ns, ack_ns;

    // The receiving side.
    uint64_t received;      // next position expected
    uint64_t window_end;    // the right edge that was offered
    uint64_t unread_octets; // with tcp->hold
    bool hold;              // the application reads with tcp_read only
    bool peer_closed, closed_first;
    struct tcp_holes holes;
    uint64_t peer_fin;   // its position; TIME_NEVER: not known
    uint64_t last_ack;   // what the latest ACK acknowledged
    uint32_t quick_left; // ACKs that are not delayed
    bool ack_now, ece;
    uint64_t dsack_left, dsack_right; // positions to be reported once
    uint32_t full_octets;             // the largest segment's data so far
    uint32_t stamp_recent;
    uint64_t ack_interval_ns, last_data_ns;

    struct tcp_figures figures;
};

void tcp_setup(struct tcp_end *end, const struct tcp_profile *profile,
               const struct tcp_owner *owner, uint32_t isn);
void tcp_release(struct tcp_end *end); // frees what it holds; it is closed then, silently

void tcp_connect(struct tcp_end *end, uint64_t now_ns);
void tcp_listen(struct tcp_end *end);

// More octets for the peer; TCP_UNLIMITED: for ever.
void tcp_write(struct tcp_end *end, uint64_t octets, uint64_t now_ns);
// A FIN behind the octets written; the peer's keep coming.
void tcp_close(struct tcp_end *end, uint64_t now_ns);
// Sends RST and forgets the connection; no event.
void tcp_abort(struct tcp_end *end, uint64_t now_ns);
// The application takes octets, where end->hold has it take them itself.
void tcp_read(struct tcp_end *end, uint64_t octets, uint64_t now_ns);

void tcp_input(struct tcp_end *end, const struct tcp *segment, bool ce, uint64_t now_ns);
void tcp_wake(struct tcp_end *end, uint64_t now_ns);

// Octets under way, as the congestion window counts them (RFC 6675's pipe).
uint64_t tcp_pipe(const struct tcp_end *end);
// The end of the foremost octet that has arrived, holes before it or not.
uint64_t tcp_arrived_to(const struct tcp_end *end);
// The present time-out, backoff included.
uint64_t tcp_rto_ns(const struct tcp_end *end);

#endif
