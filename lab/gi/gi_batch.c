// See gi_batch.h. The quick way through the headers is for what nearly all packets of a capture
// are; whatever it does not know goes through gi_packet_read, which says the same of those that it
// does.
#include "lab/gi/gi_batch.h"

#include <pcap/dlt.h>

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "lab/capture/capture_sum.h"
#include "lab/gi/gi_hash.h"

#define BRIEFS_AHEAD    40
#define FRAMES_AHEAD    4
#define LINK_RAW_FILE   101 // LINKTYPE_RAW
#define STAMPED_OCTETS  (TCP_OCTETS + 12)
#define STAMPED_OPTIONS 0x0101080a // two of no operation, then a timestamp
// Version 4 without options; neither more fragments nor an offset; TCP: of the first eight octets
// of the header and of the next eight, as they are loaded.
#define IPV4_FIRST       0x45u
#define IPV4_FIRST_MASK  0xff3f0000000000ffu
#define IPV4_SECOND      (IPV4_PROTOCOL_TCP << 8)
#define IPV4_SECOND_MASK 0xff00u
#define CAPTURED_LEAST   (IPV4_OCTETS + TCP_OCTETS)

// ---- In brief ----

static inline uint64_t load64(const uint8_t *b)
{
    uint64_t v;
    memcpy(&v, b, sizeof v);
    return v;
}

static inline uint32_t load32(const uint8_t *b)
{
    uint32_t v;
    memcpy(&v, b, sizeof v);
    return v;
}

// Where IPv4 begins; UINT32_MAX: the quick way does not know.
static inline uint32_t ip_at(const struct capture_packet *frame)
{
    if (frame->link == DLT_RAW || frame->link == LINK_RAW_FILE || frame->link == DLT_IPV4)
        return 0;
    bool is_ipv4 = frame->link == DLT_EN10MB && frame->captured >= ETHER_OCTETS &&
                   get_be16(frame->octets + ETHER_OCTETS - 2) == ETHER_TYPE_IPV4;
    return is_ipv4 ? ETHER_OCTETS : UINT32_MAX;
}

// The header of IPv4 and the least of TCP are there, whole, of one packet, and right.
static inline bool has_headers(const uint8_t *b, uint32_t captured, uint32_t length,
                               uint32_t *total)
{
    if (captured < CAPTURED_LEAST)
        return false;
    uint64_t first = load64(b), second = load64(b + 8);
    *total = __builtin_bswap16((uint16_t)(first >> 16));
    return (first & IPV4_FIRST_MASK) == IPV4_FIRST && (second & IPV4_SECOND_MASK) == IPV4_SECOND &&
           *total >= CAPTURED_LEAST && *total <= length &&
           capture_sum_is_right(capture_sum_add(capture_sum_add(first, second), load32(b + 16)));
}

// The options: none, or a timestamp as all systems write it.
static inline bool read_options(struct gi_brief *brief, const uint8_t *t, uint32_t header,
                                uint32_t captured)
{
    brief->has_timestamps = header == STAMPED_OCTETS;
    brief->timestamp = brief->echo = 0;
    if (header == TCP_OCTETS)
        return true;
    if (header != STAMPED_OCTETS || captured < STAMPED_OCTETS ||
        get_be32(t + TCP_OCTETS) != STAMPED_OPTIONS)
        return false;
    brief->timestamp = get_be32(t + TCP_OCTETS + 4);
    brief->echo = get_be32(t + TCP_OCTETS + 8);
    return true;
}

static inline bool has_right_sum(const uint8_t *t, uint32_t octets, uint64_t pseudo)
{
    return capture_sum_is_right(capture_sum_add(capture_sum(t, octets), pseudo));
}

static inline void put_tcp(struct gi_brief_tcp *tcp, const uint8_t *t)
{
    typedef uint8_t octets __attribute__((vector_size(16)));
    octets header;
    memcpy(&header, t, sizeof header);
    header = __builtin_shufflevector(header, header, 1, 0, 3, 2, 7, 6, 5, 4, 11, 10, 9, 8, 13, 12,
                                     15, 14);
    memcpy(tcp, &header, sizeof header);
}

static inline bool read_brief(struct gi_brief *brief, const struct capture_packet *frame,
                              const struct gi_packet_rules *rules)
{
    uint32_t at = ip_at(frame), total;
    if (at > frame->captured)
        return false;
    const uint8_t *b = frame->octets + at, *t = b + IPV4_OCTETS;
    uint32_t captured = frame->captured - at;
    if (!has_headers(b, captured, frame->length - at, &total))
        return false;
    put_tcp(&brief->tcp, t);
    uint32_t header = (t[12] >> 4) * 4u, octets = total - IPV4_OCTETS;
    uint32_t from = load32(b + 12), to = load32(b + 16);
    captured = (captured < total ? captured : total) - IPV4_OCTETS;
    bool plain = (t[13] & (TCP_SYN | TCP_FIN | TCP_RST | TCP_ACK)) == TCP_ACK;
    if (!plain || header > octets || !read_options(brief, t, header, captured))
        return false;
    uint64_t pseudo = (uint64_t)from + to + __builtin_bswap16((uint16_t)octets) + IPV4_SECOND;
    if (!rules->take_bad_checksums && captured == octets && !has_right_sum(t, captured, pseudo))
        return false;
    brief->full = GI_BATCH_NO_FULL;
    brief->ip_id = get_be16(b + 4);
    brief->from = from;
    brief->to = to;
    brief->data_octets = octets - header;
    brief->ip_octets = total;
    brief->hash = gi_hash_ends(gi_hash_words(0, gi_hash_mapped(from)),
                               gi_hash_words(0, gi_hash_mapped(to)), get_be16(t), get_be16(t + 2));
    return true;
}

void gi_batch_expand(const struct gi_brief *brief, struct gi_packet *packet)
{
    *packet =
        (struct gi_packet){.time_ns = brief->time_ns,
                           .from = {.address = address_of_ipv4(__builtin_bswap32(brief->from)),
                                    .port = brief->tcp.from_port},
                           .to = {.address = address_of_ipv4(__builtin_bswap32(brief->to)),
                                  .port = brief->tcp.to_port},
                           .ip_octets = brief->ip_octets,
                           .ip_id = brief->ip_id,
                           .sequence = brief->tcp.sequence,
                           .acknowledgement = brief->tcp.acknowledgement,
                           .data_octets = brief->data_octets,
                           .window = brief->tcp.window,
                           .flags = brief->tcp.flags,
                           .has_timestamps = brief->has_timestamps,
                           .timestamp = brief->timestamp,
                           .echo = brief->echo};
}

// ---- In full ----

static void read_full(struct gi_batch *batch, struct gi_brief *brief,
                      const struct capture_packet *frame, const struct gi_packet_rules *rules,
                      struct gi_counts *counts)
{
    brief->full = (uint16_t)batch->fulls;
    struct gi_full *full = &batch->full[batch->fulls++];
    full->fate = gi_packet_read(&full->packet, frame, rules, counts);
    bool has_ends = full->fate == GI_COUNT_segments || full->fate == GI_COUNT_fragments;
    brief->data_octets = full->packet.data_octets; // these two for what is fetched ahead
    brief->tcp.from_port = full->packet.from.port;
    const struct gi_end *from = &full->packet.from, *to = &full->packet.to;
    brief->hash = has_ends ? gi_hash_ends(gi_hash_address(&from->address),
                                          gi_hash_address(&to->address), from->port, to->port)
                           : 0;
}

void gi_batch_add(struct gi_batch *batch, const struct capture_packet *frames, uint32_t n,
                  const struct gi_packet_rules *rules, struct gi_counts *counts)
{
    struct gi_brief *brief = &batch->brief[batch->frames];
    uint64_t brief_ones = 0;
    for (uint32_t i = 0; i < n; i++, brief++) {
        __asm__ volatile("prefetchw %0" : : "m"(brief[BRIEFS_AHEAD])); // the other thread has it
        if (i + FRAMES_AHEAD < n)
            __builtin_prefetch(frames[i + FRAMES_AHEAD].octets);
        brief->time_ns = frames[i].time_ns;
        if (!rules->plain && read_brief(brief, &frames[i], rules))
            brief_ones++;
        else
            read_full(batch, brief, &frames[i], rules, counts);
    }
    batch->frames += n;
    counts->capture[CAPTURE_taken] += brief_ones;
}
