// Wrong checksums. Packets that were corrupt on the line are not what the network carried. But
// where a card writes the checksums of a host that captures, or where addresses were rewritten in
// the file, all packets have wrong ones. The other end tells: what it acknowledges was not corrupt,
// unless it was sent again with a right checksum before.
#ifndef SLUICE_GI_SUMS_H
#define SLUICE_GI_SUMS_H

#include "lab/captures/gi/gi_packet.h"

#define GI_SUMS_DOUBTED 256

struct gi_doubted {
    struct gi_end from, to;
    uint32_t end; // of its octets; SYN and FIN count
    bool waits;   // for an ACK
};

struct gi_sums {
    struct gi_doubted doubted[GI_SUMS_DOUBTED]; // one of a flow, by its ends
    bool any;                                   // there was one
    uint64_t acknowledged, sent_again;
};

// A segment has come, which need not be one of these; from the first one on.
void gi_sums_take(struct gi_sums *sums, const struct gi_packet *packet);

// Do wrong checksums say nothing in this capture?
static inline bool gi_sums_are_void(const struct gi_sums *sums)
{
    return sums->acknowledged > sums->sent_again;
}

#endif
