// Frames that have been read and not been taken: the headers of hundreds or thousands, so that one
// thread can read them and another take them. A TCP segment over IPv4 that has nothing rare is kept
// in brief, in half a line of the cache; any other frame as a gi_packet, with its fate. Who reads
// also says which frames of a batch are between the same ends, so that their flow is looked for
// once a batch.
#ifndef SLUICE_GI_BATCH_H
#define SLUICE_GI_BATCH_H

#include <assert.h>

#include "lab/gi/gi.h"
#include "lab/gi/gi_packet.h"

#define GI_ENDS_MOST  (GI_FRAMES_MOST + 1)
#define GI_ENDS_NONE  0    // is the number of no ends
#define GI_ENDS_SLOTS 2048 // of a hash table
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
    uint16_t reversed : 1; // it goes from the second of its ends to the first
    uint16_t ends : 15;    // their number in this batch
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

struct gi_batch {
    uint32_t frames, fulls, fars, ends_n;  // ends_n: with GI_ENDS_NONE
    struct gi_brief brief[GI_FRAMES_MOST]; // of each frame
    uint32_t echo[GI_FRAMES_MOST];         // of each in brief that has timestamps
    struct gi_ends ends[GI_ENDS_MOST];
    // Places of those frames between whose ends there is none a few frames before, for what is
    // fetched ahead; then GI_FAR_NONE.
    uint16_t far[GI_FRAMES_MOST + 1];
    struct gi_full full[GI_FRAMES_MOST];
};

// What a thread needs to read headers.
struct gi_reader {
    struct gi_packet_rules rules;
    struct gi_counts counts;
    // Of the batch:
    uint16_t slot[GI_ENDS_SLOTS]; // numbers of ends; 0: free
    uint16_t last[GI_ENDS_MOST];  // of such ends: the place of the last frame between them
};

// What is written or read first is fetched, some microseconds ahead, from the thread that has had
// it last.
void gi_batch_own(const struct gi_batch *batch);
void gi_batch_fetch(const struct gi_batch *batch);

// No frame is in it.
void gi_batch_begin(struct gi_batch *batch, struct gi_reader *reader);

// Adds these frames; there are never more than GI_FRAMES_MOST.
void gi_batch_add(struct gi_batch *batch, const struct capture_packet *frames, uint32_t n,
                  struct gi_reader *reader);

// The packet of a brief.
void gi_batch_expand(const struct gi_batch *batch, const struct gi_brief *brief,
                     struct gi_packet *packet);

// Takes all of its frames.
void gi_batch_take(struct gi *gi, struct gi_batch *batch);

#endif
