// Frames that have been read and not been taken: the headers of some hundreds, so that one thread
// can read them and another take them. A TCP segment over IPv4 that has nothing rare is kept in
// brief, in one line of the cache; any other frame as a gi_packet, with its fate.
#ifndef SLUICE_GI_BATCH_H
#define SLUICE_GI_BATCH_H

#include <assert.h>

#include "lab/gi/gi.h"
#include "lab/gi/gi_packet.h"

#define GI_BATCH_NO_FULL UINT16_MAX

// The first 16 octets of TCP's header, each field in this machine's order: one instruction writes
// them.
struct gi_brief_tcp {
    uint16_t from_port, to_port;
    uint32_t sequence, acknowledgement;
    uint8_t flags, offset; // offset: as it stands in the packet
    uint16_t window;
};

// A segment without SYN, FIN, RST or SACK, outside a tunnel, with an ACK and all its headers.
struct __attribute__((aligned(64))) gi_brief {
    uint64_t time_ns; // of each frame; also from_port and data_octets, 0 if it has none
    uint32_t hash;    // if it has ends, else 0
    uint16_t full;    // its place among these, or GI_BATCH_NO_FULL: what follows is valid
    uint16_t ip_id;
    uint32_t from, to; // addresses, as they stand in the packet
    uint32_t data_octets, ip_octets;
    struct gi_brief_tcp tcp;
    uint32_t timestamp, echo;
    bool has_timestamps;
};

struct gi_full {
    struct gi_packet packet;
    enum gi_count fate;
};

static_assert(GI_FRAMES_MOST < GI_BATCH_NO_FULL, "each frame may be a full one");

struct gi_batch {
    uint32_t frames, fulls;
    struct gi_brief brief[GI_FRAMES_MOST]; // of each frame
    struct gi_full full[GI_FRAMES_MOST];
};

static inline void gi_batch_clear(struct gi_batch *batch)
{
    batch->frames = batch->fulls = 0;
}

// Adds these frames; there are never more than GI_FRAMES_MOST.
void gi_batch_add(struct gi_batch *batch, const struct capture_packet *frames, uint32_t n,
                  const struct gi_packet_rules *rules, struct gi_counts *counts);

// The packet of a brief.
void gi_batch_expand(const struct gi_brief *brief, struct gi_packet *packet);

// Takes all of its frames.
void gi_batch_take(struct gi *gi, struct gi_batch *batch);

#endif
