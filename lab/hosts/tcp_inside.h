// What the files of the endpoint share; nobody else includes it.
#ifndef SLUICE_LAB_HOSTS_TCP_INSIDE_H
#define SLUICE_LAB_HOSTS_TCP_INSIDE_H

#include <stdlib.h>

#include "lab/hosts/tcp.h"

static inline uint64_t tcp_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t tcp_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// A lack of memory ends the lab.
static inline void *tcp_grow(void *array, uint32_t items, size_t octets)
{
    void *grown = realloc(array, items * octets);
    if (!grown)
        abort();
    return grown;
}

// --- tcp_sent.c ----------------------------------------------------------------------------------

enum { TCP_PIECE_FLYING, TCP_PIECE_SACKED, TCP_PIECE_LOST };

struct tcp_piece {
    uint64_t start;
    uint64_t sent_ns; // the latest time
    uint32_t octets;  // SYN and FIN included
    uint32_t order;   // of all that was sent: two pieces may have the same time
    uint16_t sends;
    uint8_t state;
};

static inline uint64_t tcp_piece_end(const struct tcp_piece *piece)
{
    return piece->start + piece->octets;
}

// The piece at place i, the oldest at 0.
static inline struct tcp_piece *tcp_sent_at(const struct tcp_sent *sent, uint32_t i)
{
    return &sent->ring[(sent->first + i) & (sent->room - 1)];
}

struct tcp_piece *tcp_sent_add(struct tcp_sent *sent, uint64_t start, uint32_t octets);
void tcp_sent_set(struct tcp_sent *sent, struct tcp_piece *piece, uint8_t state);
// Takes the oldest piece, or what of it is below `ack`.
void tcp_sent_remove(struct tcp_sent *sent, uint64_t ack);
// The place of the first piece that ends above `position`; `pieces` if there is none.
uint32_t tcp_sent_find(const struct tcp_sent *sent, uint64_t position);
void tcp_sent_clear(struct tcp_sent *sent);

// --- tcp_holes.c ---------------------------------------------------------------------------------

struct tcp_range {
    uint64_t left, right;
    uint32_t arrival; // the later, the larger
};

enum tcp_hole { TCP_HOLE_NEW, TCP_HOLE_KNOWN, TCP_HOLE_NO_ROOM };
enum tcp_hole tcp_holes_add(struct tcp_holes *holes, uint64_t left, uint64_t right);
// The next position expected, once all up to `received` is there; ranges below are forgotten.
uint64_t tcp_holes_take(struct tcp_holes *holes, uint64_t received);
// The ranges by their latest arrival (RFC 2018 4), at most `most`. Returns how many.
uint32_t tcp_holes_recent(const struct tcp_holes *holes, struct tcp_range *recent, uint32_t most);
void tcp_holes_clear(struct tcp_holes *holes);

// --- tcp_time.c ----------------------------------------------------------------------------------

uint32_t tcp_stamp(const struct tcp_end *end, uint64_t now_ns);
void tcp_sample(struct tcp_end *end, uint64_t rtt_ns);
void tcp_sample_stamp(struct tcp_end *end, uint32_t echo, uint64_t now_ns);
// Starts the retransmission timer over, or stops it if nothing is under way.
void tcp_timer_restart(struct tcp_end *end, uint64_t now_ns);
// RFC 6582 4, impatient: behind the first partial ACK the timer runs on.
static inline bool tcp_timer_runs_on(const struct tcp_end *end)
{
    return end->profile->impatient && end->phase == TCP_PHASE_RECOVERY && end->partial_seen;
}
// A segment was sent: the oldest one again, or a new one.
void tcp_timer_sent(struct tcp_end *end, bool oldest, uint64_t now_ns);
void tcp_set_wake(struct tcp_end *end);

// --- tcp_output.c --------------------------------------------------------------------------------

void tcp_output(struct tcp_end *end, uint64_t now_ns); // all that the windows allow
void tcp_send_piece(struct tcp_end *end, struct tcp_piece *piece, uint64_t now_ns);
void tcp_send_ack(struct tcp_end *end, uint64_t now_ns);
void tcp_send_probe(struct tcp_end *end, uint64_t now_ns);
void tcp_send_reset(struct tcp_end *end, const struct tcp *segment, uint64_t now_ns);
void tcp_send_syn(struct tcp_end *end, uint64_t now_ns);
// New data up to a full segment, whatever the congestion window. False: there is none to send.
bool tcp_send_new(struct tcp_end *end, bool override, uint64_t now_ns);
bool tcp_has_new(const struct tcp_end *end);

// --- tcp_receive.c -------------------------------------------------------------------------------

// Data and FIN of a segment whose first octet is at `at`.
void tcp_receive(struct tcp_end *end, const struct tcp *segment, int64_t at, bool ce,
                 uint64_t now_ns);
uint16_t tcp_receive_window(struct tcp_end *end, bool scaled);
void tcp_ack_timer(struct tcp_end *end); // a delayed ACK is due
void tcp_ack_sent(struct tcp_end *end);  // with any segment

// --- tcp_ack.c, tcp_loss.c, tcp_window.c, tcp_cubic.c --------------------------------------------

// What one ACK says.
struct tcp_news {
    uint64_t now_ns;
    uint64_t moved;      // positions that una moved by
    uint64_t sacked;     // octets
    uint64_t delivered;  // both, or what a duplicate ACK stands for
    uint32_t pieces;     // that are acknowledged
    uint64_t prior_pipe; // octets under way before
    uint64_t prior_fack; // of RACK, before
    uint64_t fresh_ns;   // when the first acknowledged piece was sent; see `fresh`
    bool fresh;          // no acknowledged piece was sent twice
    bool original;       // something below `recover` that was sent once has arrived
    bool duplicate;      // RFC 5681 2, or SACKs more (RFC 6675 2)
    bool lost;           // something is, by this ACK
    bool dsack, ece, has_echo;
    uint32_t echo;
};

// A segment at `at` with an acceptable ACK.
void tcp_acknowledge(struct tcp_end *end, const struct tcp *segment, uint64_t at, uint64_t now_ns);
void tcp_recover(struct tcp_end *end, uint64_t now_ns); // fast recovery begins
void tcp_lose(struct tcp_end *end, uint64_t now_ns);    // a time-out

enum tcp_recovery tcp_kind(const struct tcp_end *end); // with a peer that has no SACK: NewReno
void tcp_rack_delivered(struct tcp_end *end, const struct tcp_piece *piece,
                        const struct tcp_news *news);
// Marks what is lost. True: something is that was not before.
bool tcp_find_losses(struct tcp_end *end, uint64_t now_ns);
void tcp_mark(struct tcp_end *end, struct tcp_piece *piece);
// All that flies and begins below.
void tcp_mark_all_below(struct tcp_end *end, uint64_t position);

void tcp_window_open(struct tcp_end *end);
void tcp_window_idle(struct tcp_end *end, uint64_t now_ns); // before new data
void tcp_window_grow(struct tcp_end *end, const struct tcp_news *news);
void tcp_window_resume(struct tcp_end *end, const struct tcp_news *news); // a recovery has ended
void tcp_window_recover(struct tcp_end *end);                             // fast recovery begins
void tcp_window_reduce(struct tcp_end *end);                              // for ECN, or a tail
void tcp_window_timeout(struct tcp_end *end);
void tcp_window_shrink(struct tcp_end *end, const struct tcp_news *news); // while it shrinks
void tcp_window_settle(struct tcp_end *end);                              // the phase is over
void tcp_window_undo(struct tcp_end *end);
void tcp_window_sampled(struct tcp_end *end, uint64_t rtt_ns); // HyStart

uint64_t tcp_cubic_lost(struct tcp_end *end, uint64_t window); // returns ssthresh
void tcp_cubic_grow(struct tcp_end *end, uint64_t acked, uint64_t now_ns);

// --- tcp.c ---

void tcp_finish(struct tcp_end *end, uint64_t now_ns); // at the end of each call
void tcp_tell(struct tcp_end *end, enum tcp_event event);
void tcp_end_connection(struct tcp_end *end, enum tcp_event event);

#endif
