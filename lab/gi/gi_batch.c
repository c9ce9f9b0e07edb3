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
#include "lab/gi/gi_hints.h"

#define BRIEFS_OWNED 64
#define ENDS_AHEAD   16
#define FULLS_AHEAD  2
#define FARS_OWNED   128
#define FRAMES_NEAR  32
// Odd numbers without a meaning. A capture may be made so that all ends have the same slot: then
// they are looked for so often, and each frame gets ends of its own.
#define MIX_ADDRESSES   0x9e3779b1u
#define MIX_PORTS       0x85ebca6bu
#define SLOT_TRIES      8
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
    if (gi_rarely(captured < CAPTURED_LEAST))
        return false;
    uint64_t first = load64(b), second = load64(b + 8);
    *total = __builtin_bswap16((uint16_t)(first >> 16));
    return (first & IPV4_FIRST_MASK) == IPV4_FIRST && (second & IPV4_SECOND_MASK) == IPV4_SECOND &&
           *total >= CAPTURED_LEAST && *total <= length &&
           capture_sum_is_right(capture_sum_add(capture_sum_add(first, second), load32(b + 16)));
}

// The options: none, or a timestamp as all systems write it.
static inline bool read_options(struct gi_brief *brief, uint32_t *echo, const uint8_t *t,
                                uint32_t header, uint32_t captured)
{
    brief->has_timestamps = header == STAMPED_OCTETS;
    brief->timestamp = 0;
    if (header == TCP_OCTETS)
        return true;
    if (header != STAMPED_OCTETS || captured < STAMPED_OCTETS ||
        get_be32(t + TCP_OCTETS) != STAMPED_OPTIONS)
        return false;
    brief->timestamp = get_be32(t + TCP_OCTETS + 4);
    *echo = get_be32(t + TCP_OCTETS + 8);
    return true;
}

static inline bool has_right_sum(const uint8_t *t, uint32_t octets, uint64_t pseudo)
{
    return capture_sum_is_right(capture_sum_add(capture_sum(t, octets), pseudo));
}

// ---- Ends ----

// The reader's own table needs no hidden hash, which takes as long as all of this.
static inline uint32_t slot_of(const struct gi_ends *ends)
{
    uint32_t addresses = (uint32_t)ends->addresses ^ (uint32_t)(ends->addresses >> 32);
    uint32_t ports = (ends->ports ^ ends->ports >> 16) & UINT16_MAX;
    return (addresses * MIX_ADDRESSES + ports * MIX_PORTS) >> 21;
}

static_assert(GI_ENDS_SLOTS == 1 << (32 - 21), "what slot_of gives");

static uint32_t hash_of(const struct gi_ends *ends)
{
    return gi_hash_ends(gi_hash_words(0, gi_hash_mapped((uint32_t)ends->addresses)),
                        gi_hash_words(0, gi_hash_mapped((uint32_t)(ends->addresses >> 32))),
                        (uint16_t)ends->ports, (uint16_t)(ends->ports >> 16));
}

static uint16_t add_ends(struct gi_batch *batch, const struct gi_ends *ends)
{
    uint32_t n = batch->ends_n++;
    gi_own_lines(batch->ends + n + ENDS_AHEAD, 1);
    batch->ends[n] = *ends;
    return (uint16_t)n;
}

// The number of these ends, which is a new one if no frame of the batch was between them.
static inline uint16_t number_of(struct gi_batch *batch, struct gi_ends *ends, uint16_t frame,
                                 struct gi_reader *reader, bool *reversed)
{
    uint64_t to_from = ends->addresses << 32 | ends->addresses >> 32;
    uint32_t ports_back = ends->ports << 16 | ends->ports >> 16, at = slot_of(ends);
    uint16_t n = GI_ENDS_MOST;
    for (int i = 0; i < SLOT_TRIES && (n = reader->slot[at]); i++) {
        const struct gi_ends *other = &batch->ends[n];
        *reversed = other->ports != ends->ports || other->addresses != ends->addresses;
        if (!*reversed || (other->ports == ports_back && other->addresses == to_from))
            return n;
        at = (at + 1) % GI_ENDS_SLOTS;
    }
    *reversed = false;
    ends->hash = hash_of(ends);
    uint16_t number = add_ends(batch, ends);
    if (!n)
        reader->slot[at] = number;
    reader->last[number] = (uint16_t)(frame - FRAMES_NEAR - 1);
    return number;
}

static inline void put_far(struct gi_batch *batch, uint16_t frame, bool is_far)
{
    batch->far[batch->fars] = frame;
    batch->fars += is_far;
}

static inline void put_ends(struct gi_batch *batch, struct gi_brief *brief, struct gi_ends *ends,
                            struct gi_reader *reader)
{
    uint16_t frame = (uint16_t)(brief - batch->brief);
    bool reversed;
    uint16_t n = number_of(batch, ends, frame, reader, &reversed);
    put_far(batch, frame, (uint16_t)(frame - reader->last[n]) > FRAMES_NEAR);
    reader->last[n] = frame;
    brief->ends = n;
    brief->reversed = reversed;
}

static inline bool read_brief(struct gi_batch *batch, struct gi_brief *brief,
                              const struct capture_packet *frame, struct gi_reader *reader)
{
    uint32_t at = ip_at(frame), total;
    if (gi_rarely(at > frame->captured))
        return false;
    const uint8_t *b = frame->octets + at, *t = b + IPV4_OCTETS;
    uint32_t captured = frame->captured - at;
    if (gi_rarely(!has_headers(b, captured, frame->length - at, &total)))
        return false;
    uint32_t header = (t[12] >> 4) * 4u, octets = total - IPV4_OCTETS;
    uint32_t from = load32(b + 12), to = load32(b + 16);
    captured = (captured < total ? captured : total) - IPV4_OCTETS;
    bool plain = (t[13] & (TCP_SYN | TCP_FIN | TCP_RST | TCP_ACK)) == TCP_ACK;
    if (gi_rarely(!plain || header > octets) ||
        gi_rarely(!read_options(brief, &batch->echo[brief - batch->brief], t, header, captured)))
        return false;
    uint64_t pseudo = (uint64_t)from + to + __builtin_bswap16((uint16_t)octets) + IPV4_SECOND;
    if (!reader->rules.take_bad_checksums && captured == octets &&
        gi_rarely(!has_right_sum(t, captured, pseudo)))
        return false;
    struct gi_ends ends = {.addresses = (uint64_t)to << 32 | from,
                           .ports = (uint32_t)get_be16(t + 2) << 16 | get_be16(t)};
    put_ends(batch, brief, &ends, reader);
    brief->is_full = false;
    brief->sequence = get_be32(t + 4);
    brief->acknowledgement = get_be32(t + 8);
    brief->window = get_be16(t + 14);
    brief->ip_id = get_be16(b + 4);
    brief->data_octets = (uint16_t)(octets - header);
    brief->ip_octets = (uint16_t)total;
    return true;
}

static struct gi_end end_of(uint32_t address, uint16_t port)
{
    return (struct gi_end){.address = address_of_ipv4(__builtin_bswap32(address)), .port = port};
}

void gi_batch_expand(const struct gi_batch *batch, const struct gi_brief *brief,
                     struct gi_packet *packet)
{
    const struct gi_ends *ends = &batch->ends[brief->ends];
    struct gi_end first = end_of((uint32_t)ends->addresses, (uint16_t)ends->ports);
    struct gi_end second = end_of((uint32_t)(ends->addresses >> 32), (uint16_t)(ends->ports >> 16));
    *packet =
        (struct gi_packet){.time_ns = brief->time_ns,
                           .from = brief->reversed ? second : first,
                           .to = brief->reversed ? first : second,
                           .ip_octets = brief->ip_octets,
                           .ip_id = brief->ip_id,
                           .sequence = brief->sequence,
                           .acknowledgement = brief->acknowledgement,
                           .data_octets = brief->data_octets,
                           .window = brief->window,
                           .flags = TCP_ACK, // of others nobody asks
                           .has_timestamps = brief->has_timestamps,
                           .timestamp = brief->timestamp,
                           .echo = brief->has_timestamps ? batch->echo[brief - batch->brief] : 0};
}

// ---- In full ----

static void put_ends_of(struct gi_batch *batch, struct gi_brief *brief, const struct gi_end *from,
                        const struct gi_end *to, struct gi_reader *reader)
{
    struct gi_ends ends = {0};
    if (address_is_ipv4(&from->address) && address_is_ipv4(&to->address)) {
        ends.addresses = (uint64_t)__builtin_bswap32(address_ipv4(&to->address)) << 32 |
                         __builtin_bswap32(address_ipv4(&from->address));
        ends.ports = (uint32_t)to->port << 16 | from->port;
        put_ends(batch, brief, &ends, reader);
        return;
    }
    ends.hash = gi_hash_ends(gi_hash_address(&from->address), gi_hash_address(&to->address),
                             from->port, to->port);
    brief->ends = add_ends(batch, &ends);
    put_far(batch, (uint16_t)(brief - batch->brief), true);
}

static void read_full(struct gi_batch *batch, struct gi_brief *brief,
                      const struct capture_packet *frame, struct gi_reader *reader)
{
    struct gi_full *full = &batch->full[batch->fulls];
    gi_own_lines(full + FULLS_AHEAD, sizeof *full);
    full->fate = gi_packet_read(&full->packet, frame, &reader->rules, &reader->counts);
    brief->is_full = true;
    brief->full = batch->fulls++;
    brief->data_octets = full->packet.data_octets != 0;
    brief->ends = GI_ENDS_NONE;
    brief->reversed = false;
    if (full->fate == GI_COUNT_segments || full->fate == GI_COUNT_fragments)
        put_ends_of(batch, brief, &full->packet.from, &full->packet.to, reader);
    else
        put_far(batch, (uint16_t)(brief - batch->brief), true);
}

void gi_batch_own(const struct gi_batch *batch)
{
    gi_own_lines(batch, GI_LINE_OCTETS);
    gi_own_lines(batch->brief, BRIEFS_OWNED * sizeof batch->brief[0]);
    gi_own_lines(batch->ends, ENDS_AHEAD * sizeof batch->ends[0]);
    gi_own_lines(batch->far, FARS_OWNED * sizeof batch->far[0]);
    gi_own_lines(batch->full, FULLS_AHEAD * sizeof batch->full[0]);
}

void gi_batch_begin(struct gi_batch *batch, struct gi_reader *reader)
{
    batch->frames = batch->fulls = batch->fars = 0;
    batch->far[0] = GI_FAR_NONE;
    batch->ends[GI_ENDS_NONE] = (struct gi_ends){0};
    batch->ends_n = GI_ENDS_NONE + 1;
    memset(reader->slot, 0, sizeof reader->slot);
}

void gi_batch_add(struct gi_batch *batch, const struct capture_packet *frames, uint32_t n,
                  struct gi_reader *reader)
{
    struct gi_brief *brief = &batch->brief[batch->frames];
    uint64_t brief_ones = 0;
    for (uint32_t i = 0; i < n; i++, brief++) {
        gi_own_lines(&brief[BRIEFS_OWNED], 1);
        if (i + FRAMES_AHEAD < n)
            __builtin_prefetch(frames[i + FRAMES_AHEAD].octets);
        brief->time_ns = frames[i].time_ns;
        if (gi_rarely(reader->rules.plain || !read_brief(batch, brief, &frames[i], reader)))
            read_full(batch, brief, &frames[i], reader);
        else
            brief_ones++;
    }
    batch->frames += n;
    batch->far[batch->fars] = GI_FAR_NONE;
    reader->counts.capture[CAPTURE_taken] += brief_ones;
}
