// Frames that have been read and not been taken: the headers of hundreds or thousands, so that one
// thread can read them and another take them. A TCP segment over IPv4 that has nothing rare is kept
// in brief, in half a line of the cache; any other frame as a gi_packet, with its fate. Who reads
// also gives each pair of ends a number, which it keeps from batch to batch, so that a flow is
// looked for once a reader, and not for each packet.
#ifndef SLUICE_GI_BATCH_H
#define SLUICE_GI_BATCH_H

#include <assert.h>

#include "lab/gi/gi.h"
#include "lab/gi/gi_packet.h"

#define GI_READERS    2           // threads that may read
#define GI_ENDS_KEPT  (16u << 10) // with so many numbers or more, all are forgotten before a batch
#define GI_ENDS_MOST  (GI_ENDS_KEPT + GI_FRAMES_MOST)
#define GI_ENDS_NONE  0           // is the number of no ends
#define GI_ENDS_SLOTS (32u << 10) // of a hash table
#define GI_FAR_NONE   UINT16_MAX

// A segment without SYN, FIN, RST or SACK, outside a tunnel, with an ACK and all its headers.
struct __attribute__((aligned(32))) gi_brief {
    // Of each frame are valid the time, ends, reversed and is_full; and of a full one: full, and
    // data_octets as far as it is 0 or not.
    uint64_t time_ns;
    union {
        uint32_t sequence;
        uint32_t full; // its place among these
    };
    uint32_t acknowledgement, timestamp;
    uint16_t window, ip_id, data_octets, ip_octets;
    union {
        struct {
            uint16_t reversed : 1; // it goes from the second of its ends to the first
            uint16_t ends : 15;    // their number
        };
        uint16_t between; // both, to be written at once
    };
    bool is_full, has_timestamps;
};

struct gi_full {
    struct gi_packet packet;
    enum gi_count fate;
};

// The two ends of a connection over IPv4. The first one is in the lower half of both words, the
// second one in the upper half; packets of both directions have the same. Else these are 0.
struct gi_ends {
    uint64_t addresses; // in the order of octets of the packet
    uint32_t ports;
    uint32_t hash;
};

static_assert(sizeof(struct gi_brief) == 32, "two in a line");
static_assert(GI_ENDS_MOST <= 1 << 15, "each frame may have ends of its own");
static_assert(GI_ENDS_KEPT <= GI_ENDS_SLOTS / 2, "most are at their slot");

struct gi_batch {
    uint32_t frames, fulls, fars;
    uint32_t reader;                       // who gave the numbers, below GI_READERS
    uint32_t ends_first, ends_n;           // the first new number; so many of these
    struct gi_brief brief[GI_FRAMES_MOST]; // of each frame
    uint32_t echo[GI_FRAMES_MOST];         // of each in brief that has timestamps
    struct gi_ends ends[GI_FRAMES_MOST];   // of the new numbers
    // Places of those frames between whose ends there is none a few frames before, for what is
    // fetched ahead; then GI_FAR_NONE.
    uint16_t far[GI_FRAMES_MOST + 1];
    struct gi_full full[GI_FRAMES_MOST];
};

// What a thread needs to read headers.
struct gi_reader {
    struct gi_packet_rules rules;
    struct gi_counts counts;
    uint32_t number;              // its own, below GI_READERS
    uint32_t begun;               // the number of the batch's first frame, modulo 2^32
    uint32_t ends_n;              // numbers given, with GI_ENDS_NONE
    uint16_t slot[GI_ENDS_SLOTS]; // numbers of ends; 0: free
    struct {
        uint64_t addresses;
        uint32_t ports;
        uint32_t last; // the number of the last frame between them
    } ends[GI_ENDS_MOST];
};

// number: its own.
struct gi_reader *gi_reader_create(const struct gi_packet_rules *rules, uint32_t number);

// What is written or read first is fetched, some microseconds ahead, from the thread that has had
// it last.
void gi_batch_own(const struct gi_batch *batch);
void gi_batch_fetch(const struct gi_batch *batch);

// No frame is in it.
void gi_batch_begin(struct gi_batch *batch, struct gi_reader *reader);

// Adds these frames, or those of a piece; there are never more than GI_FRAMES_MOST.
void gi_batch_add(struct gi_batch *batch, const struct capture_packet *frames, uint32_t n,
                  struct gi_reader *reader);
void gi_batch_add_records(struct gi_batch *batch, const struct capture_records *records,
                          struct gi_reader *reader);

// The packet of a brief; ends: those of its number, or NULL if nobody asks for them.
void gi_batch_expand(const struct gi_batch *batch, const struct gi_brief *brief,
                     const struct gi_ends *ends, struct gi_packet *packet);

// Takes all of its frames.
void gi_batch_take(struct gi *gi, struct gi_batch *batch);

#endif
