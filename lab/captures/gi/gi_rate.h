// The rate of the channel behind this place: how much passes to the user while a flow keeps the
// channel's buffer from running empty.
//
// The law ("Available channel rate estimation" of the paper): a period begins and ends with an ACK
// that advances; from the first to the last but one, at least 4500 octets are under way behind
// each; nothing is lost, repeated or out of order; at least 16 kB pass. What passes is all IP to
// the user, as its packets keep their order: from what had passed with the segment that the first
// ACK covers to what had passed with the one that the last covers. If the user
// was silent for 3 s, the channel was not there, and the period has ended with the ACK before.
// After that, and after a loss, no period begins until all is acknowledged that was under way then.
// After 1 GB the next period begins at once, for octets are counted modulo 2^32.
#ifndef SLUICE_GI_RATE_H
#define SLUICE_GI_RATE_H

#include <stdbool.h>
#include <stdint.h>

#define GI_RATE_FLIGHT_OCTETS 4500
#define GI_RATE_OCTETS_LEAST  16000
#define GI_RATE_OCTETS_MOST   (1u << 30)
// Of all flows of the user: an ACK of two packets of 1500 octets comes sooner on the slowest
// channel, of 8 kbit/s.
#define GI_RATE_SILENCE_US 3000000

// What each ACK needs stands last.
struct gi_rate {
    uint64_t first_ns;
    // Of all periods that were long enough.
    uint64_t octets, time_ns;
    uint32_t periods;
    uint64_t last_ns;
    uint32_t first_octets, last_octets;
    uint32_t recovered_at; // a sequence number
    bool open, recovering;
};

// An ACK up to the end of a segment with which that much had passed to the user.
void gi_rate_ack(struct gi_rate *rate, uint64_t now_ns, uint32_t ack, uint32_t user_octets,
                 uint32_t flight_octets);

// Something is lost or out of order, or may be, or the user was silent.
void gi_rate_trouble(struct gi_rate *rate, uint32_t next, uint32_t flight_octets);
void gi_rate_end(struct gi_rate *rate);

#endif
