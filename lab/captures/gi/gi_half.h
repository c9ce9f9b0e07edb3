// What one end of a TCP connection sends, as seen between the ends: which octets have passed and
// are not acknowledged, what is sent again and why, and the round trip from here to the receiver
// and back.
//
// Loss is judged after Benko and Veres, "A Passive Method for Estimating End-to-End TCP Packet
// Loss" (Globecom 2002), by what passes here:
// - octets that have passed are sent again: lost downstream, behind this place, unless the receiver
//   had them (gi_half_ack says how that is seen);
// - octets that are missing in the row of those that have passed come later: lost upstream, unless
//   they come sooner than the sender can have known of it: reordered.
// Sequence numbers include SYN and FIN, which take one each.
#ifndef SLUICE_GI_HALF_H
#define SLUICE_GI_HALF_H

#include <stdlib.h>

#include "lab/captures/gi/gi_packet.h"
#include "lab/captures/gi/gi_users.h"

struct gi_flow;
struct gi_records;

// spurious: sent again although the receiver had it, by DSACK, timestamp or time; unneeded: after
// it was acknowledged or selectively acknowledged; go_back: in a row, of which the first alone was
// missing; undecided: never acknowledged. reordered: came late, but too soon for a repetition.
enum gi_verdict {
#define VERDICT(name, up, down) GI_VERDICT_##name,
#include "lab/captures/gi/gi_verdicts.def"
#undef VERDICT
    GI_VERDICTS
};

// A segment that has passed and is not acknowledged.
struct gi_record {
    uint32_t sequence;
    uint16_t octets; // of one packet, so no more than that has
    uint8_t
        unjudged; // how often it was sent again, and not yet known whether a loss was the reason
    uint8_t flags;
    uint32_t first_us, last_us; // when it was sent first and last, modulo 2^32
    uint32_t timestamp;         // TSval of the last sending
    // What had passed with this segment: to the user, and of that from this end. Modulo 2^32.
    uint32_t user_octets, own_octets;
};

// Packed, so that a half has no gap behind it.
struct __attribute__((packed, aligned(4))) gi_rtt {
    uint32_t samples, least_us, most_us;
    uint64_t sum_us;
};

// What goes to the user, beside the samples of the half.
struct gi_trips {
    // So many of which nobody knows yet which sending the user had: sums, if it was the first one
    // or the last one; when the two of the newest passed.
    uint32_t unsure, unsure_first_us, unsure_last_us, passed_first_us, passed_last_us;
};

// Who acknowledges. set_up: the round trip of the set-up, with an empty buffer, is among the
// samples. To the host there are only those of the half.
struct gi_receiver {
    bool set_up;
    uint32_t now_us; // modulo 2^32
    struct gi_order *order;
    struct gi_trips *trips;
    struct gi_rtt *karn; // samples by Karn's rule alone, as tcptrace has them
};

// What most packets need stands first.
struct gi_half {
    struct gi_record *record;    // in the order of their numbers
    uint16_t begin, count, room; // of these
    uint16_t last_ip_id;
    uint32_t una, next; // of the row: acknowledged up to, sent up to
    uint32_t sacked_to; // the highest number in a SACK block
    uint32_t last_ack;  // of the receiver
    // Of the last packet that passed, to know a copy of it; with last_octets and last_ip_id.
    uint32_t last_us, last_sequence, last_packet_ack;
    uint16_t last_octets, last_window; // last_window: of the receiver
    bool started : 1, forgotten : 1;
    bool left_out : 1; // segments of it: far, or too large for a record
    bool sack_permitted : 1, scale_seen : 1, timestamps_seen : 1, options_cut : 1;
    bool selective : 1; // the receiver has sent SACK
    bool late : 1;      // something was sent again, or came into a hole
    bool grew : 1;      // there were more records than the least room has
    uint32_t scale : 4;
    uint32_t counts_ids : 3;  // how surely the sender counts by its IPv4 identifications
    uint32_t late_first : 15; // of the records' `late`, newest first; 0: none
    uint32_t window_most_octets;
    uint64_t ip_octets, data_octets;
    uint32_t ip_octets_most;
    uint32_t packets, data_packets;
    struct gi_rtt rtt;
    uint32_t late_us, late_from; // the last such: when, and its number
    // These stay where they are at their end: gi_half_more().
    uint16_t probes;     // keep-alives and probes of a window, each of which an ACK answers
    uint16_t duplicates; // ACKs without SACK that no hole explains so far
    // Of those that came twice, which the receiver may still say. SYN and FIN alone are in none of
    // the verdicts, but the receiver speaks of them, too.
    uint16_t unconfirmed, lost_control;
    uint32_t duplicates_to; // what had been sent then
    // Counts.
    uint32_t resent_packets; // data of which some octets had passed before
    uint64_t resent_octets;
    uint32_t judged[GI_VERDICTS];
    uint32_t unseen_acked;
};

struct gi_spare { // in the place of records that are not in use
    struct gi_spare *next;
};
#define GI_SPARES 3

// A segment that has opened a hole, or that came into one.
struct gi_late {
    uint32_t sequence;
    uint32_t waited_us; // since the hole was seen
    uint16_t next;      // the one before it of its half; 0: none
    uint16_t ip_id;
    uint8_t verdict; // GI_VERDICTS: it has opened a hole
    int8_t order;    // by ip_id, sent before (-1) or after (1) what opened its hole; 0: unknown
    bool settled;    // the verdict is the last one
};
#define GI_LATE_MOST ((1u << 15) - 1) // of all halves

// Bounds of what all halves keep, and who hears of each verdict; `instead`: the one that it takes
// the place of, GI_VERDICTS if none.
struct gi_records {
    uint64_t octets, most_octets; // in use; the most there were, with the spare ones
    uint64_t limit_octets;
    uint64_t spare_octets;
    // Of the least sizes, for the next half.
    struct {
        struct gi_spare *first;
        uint32_t n;
    } spare[GI_SPARES];
    struct gi_late *late;     // from 1 on
    uint32_t late_room;       // of these
    uint16_t late_free;       // the first that is not in use; 0: none
    struct gi_causes *causes; // gi_causes.h; from 1 on
    uint32_t causes_room, causes_free, causes_used;
    void (*judged)(const struct gi_records *records, const struct gi_half *half,
                   enum gi_verdict verdict, enum gi_verdict instead, uint32_t sequence);
    const struct gi_flow *flow; // of the half
    uint64_t now_ns;            // of the packet
    void *self;
};

enum gi_half_sent {
    GI_HALF_NOTHING, // no octets, or none that tell anything
    GI_HALF_IN_ORDER,
    GI_HALF_LARGE,        // put together by the host of the capture: left out
    GI_HALF_OUT_OF_ORDER, // beyond a hole, into a hole, or again
    GI_HALF_FAR           // a number out of reach; left out
};

// What passes from the sender; upstream_us is the least round trip from here to the sender and
// back, 0 if unknown; answered: something has come from the receiver.
enum gi_half_sent gi_half_send(struct gi_half *half, const struct gi_packet *packet,
                               uint32_t user_octets, uint32_t upstream_us, bool answered,
                               struct gi_records *records);

// It begins at that number, and what has passed so far was of no connection.
void gi_half_restart(struct gi_half *half, uint32_t sequence, struct gi_records *records);

struct gi_acked {
    bool advanced;
    bool data;    // by an octet of data at least, not by SYN or FIN alone
    bool fin;     // a FIN, which counts as an octet
    bool exact;   // up to the end of a segment, whose octets are valid
    bool trouble; // a duplicate, or SACK: something is missing at the receiver
    // The most that had passed with one of the segments that it covers.
    uint32_t user_octets, own_octets;
    // The same of the last segment that it covers and that was sent once.
    bool once;
    uint32_t once_user_octets, once_own_octets;
};

// The receiver's ACK.
void gi_half_ack(struct gi_half *half, const struct gi_packet *packet,
                 const struct gi_receiver *receiver, struct gi_records *records,
                 struct gi_acked *acked);

// No more comes: those of which nobody knew which sending it was.
void gi_half_trips_end(struct gi_half *half, struct gi_trips *trips);

// No more comes: what is still unjudged is undecided, and what was judged by the least round trip
// from here to the sender so far is judged by the final one. Frees the records.
void gi_half_end(struct gi_half *half, uint32_t upstream_us, bool closed,
                 struct gi_records *records);

// At the end of all halves.
void gi_half_free_spares(struct gi_records *records);

// Does the sender count its packets by their identifications? A server counts those of all its
// connections, so there may be many between two of one. Of identifications at random one in 32 is
// so near to the one before.
#define GI_IDS_NEAR  1024
#define GI_IDS_SWAP  256 // the step of a counter in the other order of octets
#define GI_IDS_FAR   2   // what is far weighs so much
#define GI_IDS_COUNT 3   // from here on it counts
#define GI_IDS_MOST  7

// A packet passes, of whatever kind.
static inline void gi_half_take_id(struct gi_half *half, uint16_t ip_id)
{
    int32_t step = abs((int16_t)(ip_id - half->last_ip_id));
    half->last_ip_id = ip_id;
    uint32_t before = half->counts_ids;
    bool near = step && step < GI_IDS_NEAR && step % GI_IDS_SWAP;
    if (near && before < GI_IDS_MOST)
        half->counts_ids++;
    else if (!near)
        half->counts_ids = before < GI_IDS_FAR ? 0 : before - GI_IDS_FAR;
}

static inline uint32_t gi_half_flight(const struct gi_half *half)
{
    return half->next - half->una;
}

#endif
