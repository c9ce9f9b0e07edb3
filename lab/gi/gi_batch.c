// See gi_batch.h. The quick way through the headers is for what nearly all packets of a capture
// are; whatever it does not know goes through gi_packet_read, which says the same of those that it
// does.
#include "lab/gi/gi_batch.h"

#include <pcap/dlt.h>
#include <stdlib.h>

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
#define MIX_ADDRESSES 0x9e3779b1u
#define MIX_PORTS     0x85ebca6bu
#define SLOT_TRIES    8
#define FRAMES_AHEAD  4
#define LINK_RAW_FILE 101 // LINKTYPE_RAW
// Version 4 without options; neither more fragments nor an offset; TCP: of the first eight octets
// of the header and of the next eight, as they are loaded.
#define IPV4_FIRST       0x45u
#define IPV4_FIRST_MASK  0xff3f0000000000ffu
#define IPV4_SECOND      (IPV4_PROTOCOL_TCP << 8)
#define IPV4_SECOND_MASK 0xff00u
// TCP's header length and flags, as they are loaded: an ACK without SYN, FIN and RST.
#define TCP_HEAD_AT     12
#define TCP_HEAD(words) (TCP_ACK << 8 | (words) << 4)
#define TCP_HEAD_MASK   ((TCP_SYN | TCP_FIN | TCP_RST | TCP_ACK) << 8 | 0xf0)
#define STAMPED_OCTETS  (TCP_OCTETS + 12)
#define STAMPED_OPTIONS 0x0101080a // two of no operation, then a timestamp, as all systems write it
#define CAPTURED_LEAST  (IPV4_OCTETS + TCP_OCTETS)
#define NOWHERE         (1u << 30) // beyond all frames

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

static inline uint32_t load16(const uint8_t *b)
{
    uint16_t v;
    memcpy(&v, b, sizeof v);
    return v;
}

// Octets in front of IPv4; NOWHERE: the quick way does not know.
static uint32_t octets_of(int link)
{
    if (link == DLT_RAW || link == LINK_RAW_FILE || link == DLT_IPV4)
        return 0;
    return link == DLT_EN10MB ? ETHER_OCTETS : NOWHERE;
}

// Of a frame with so many octets in front of IPv4, and all of the least header of TCP.
static inline bool is_ipv4(const uint8_t *frame, uint32_t link_octets)
{
    return link_octets == 0 || get_be16(frame + ETHER_OCTETS - 2) == ETHER_TYPE_IPV4;
}

// The header of IPv4 is whole, of one packet with TCP, and right. total: of the packet; so much
// of it is there that the least of TCP is, too.
static inline bool has_header(const uint8_t *b, uint32_t total, uint32_t length)
{
    uint64_t first = load64(b), second = load64(b + 8);
    return (first & IPV4_FIRST_MASK) == IPV4_FIRST && (second & IPV4_SECOND_MASK) == IPV4_SECOND &&
           total - CAPTURED_LEAST <= length - CAPTURED_LEAST &&
           capture_sum_is_right(capture_sum_add(capture_sum_add(first, second), load32(b + 16)));
}

// Octets of TCP's header; 0: the quick way does not know it. octets: of TCP and its data, and of
// those that were captured, if not all.
static inline uint32_t read_options(struct gi_brief *brief, uint32_t *echo, const uint8_t *t,
                                    uint32_t octets, uint32_t captured)
{
    uint32_t head = load16(t + TCP_HEAD_AT) & TCP_HEAD_MASK;
    brief->has_timestamps = false;
    brief->timestamp = 0;
    if (head == TCP_HEAD(TCP_OCTETS / 4))
        return TCP_OCTETS;
    if (head != TCP_HEAD(STAMPED_OCTETS / 4) || octets < STAMPED_OCTETS ||
        captured < STAMPED_OCTETS || get_be32(t + TCP_OCTETS) != STAMPED_OPTIONS)
        return 0;
    brief->has_timestamps = true;
    brief->timestamp = get_be32(t + TCP_OCTETS + 4);
    *echo = get_be32(t + TCP_OCTETS + 8);
    return STAMPED_OCTETS;
}

// Of TCP and its data, all of which are there.
static inline bool has_right_sum(const uint8_t *t, uint32_t octets, uint64_t addresses)
{
    uint64_t pseudo = capture_sum_add(addresses, __builtin_bswap16((uint16_t)octets) + IPV4_SECOND);
    return capture_sum_is_right(capture_sum_add(capture_sum(t, octets), pseudo));
}

// ---- Ends ----

static inline struct gi_ends turned(const struct gi_ends *ends)
{
    return (struct gi_ends){.addresses = ends->addresses << 32 | ends->addresses >> 32,
                            .ports = ends->ports << 16 | ends->ports >> 16};
}

// By addresses, then by ports.
static inline unsigned __int128 order_of(const struct gi_ends *ends)
{
    return (unsigned __int128)ends->addresses << 64 | ends->ports;
}

// The reader's own table needs no hidden hash, which takes as long as all of this. The same for
// both directions.
static inline uint32_t slot_of(const struct gi_ends *ends, const struct gi_ends *back)
{
    return ((uint32_t)(ends->addresses + back->addresses) * MIX_ADDRESSES +
            (uint32_t)(ends->ports + back->ports) * MIX_PORTS) >>
           17;
}

static_assert(GI_ENDS_SLOTS == 1 << (32 - 17), "what slot_of gives");

static uint32_t hash_of(const struct gi_ends *ends)
{
    return gi_hash_ends(gi_hash_words(0, gi_hash_mapped((uint32_t)ends->addresses)),
                        gi_hash_words(0, gi_hash_mapped((uint32_t)(ends->addresses >> 32))),
                        (uint16_t)ends->ports, (uint16_t)(ends->ports >> 16));
}

static uint16_t add_ends(struct gi_batch *batch, const struct gi_ends *ends,
                         struct gi_reader *reader)
{
    struct gi_ends *added = &batch->ends[batch->ends_n++];
    gi_own_lines(added + ENDS_AHEAD, 1);
    *added = *ends;
    return (uint16_t)reader->ends_n++;
}

// So that no frame is near.
static uint16_t add_known(struct gi_batch *batch, struct gi_ends *ends, struct gi_reader *reader)
{
    ends->hash = hash_of(ends);
    uint16_t n = add_ends(batch, ends, reader);
    reader->ends[n].addresses = ends->addresses;
    reader->ends[n].ports = ends->ports;
    reader->ends[n].last = reader->begun - FRAMES_NEAR - 1;
    return n;
}

// The number of these ends, which is a new one if the reader does not know them.
static inline uint16_t number_of(struct gi_batch *batch, struct gi_ends *ends, uint32_t at,
                                 struct gi_reader *reader)
{
    uint16_t n = GI_ENDS_NONE;
    for (int i = 0; i < SLOT_TRIES && (n = reader->slot[at]); i++) {
        if (reader->ends[n].ports == ends->ports && reader->ends[n].addresses == ends->addresses)
            return n;
        at = (at + 1) % GI_ENDS_SLOTS;
    }
    uint16_t number = add_known(batch, ends, reader);
    if (!n)
        reader->slot[at] = number;
    return number;
}

static inline void put_far(struct gi_batch *batch, uint16_t frame, bool is_far)
{
    batch->far[batch->fars] = frame;
    batch->fars += is_far;
}

// Notes between which ends the frame is. Of `ends` the sender is the first. The reader has each
// pair of ends once, the lower address first, so the frame may be reversed against that.
static inline void put_ends(struct gi_batch *batch, struct gi_brief *brief,
                            const struct gi_ends *ends, struct gi_reader *reader)
{
    uint16_t frame = (uint16_t)(brief - batch->brief);
    struct gi_ends back = turned(ends);
    bool reversed = order_of(ends) > order_of(&back);
    struct gi_ends ordered = reversed ? back : *ends;
    uint16_t n = number_of(batch, &ordered, slot_of(ends, &back), reader);
    uint32_t now = reader->begun + frame;
    put_far(batch, frame, now - reader->ends[n].last > FRAMES_NEAR);
    reader->ends[n].last = now;
    brief->ends = n;
    brief->reversed = reversed;
}

// link_octets: in front of IPv4.
static inline bool read_brief(struct gi_batch *batch, struct gi_brief *brief,
                              const struct capture_packet *frame, uint32_t link_octets,
                              struct gi_reader *reader)
{
    if (gi_rarely(frame->captured < link_octets + CAPTURED_LEAST) ||
        gi_rarely(!is_ipv4(frame->octets, link_octets)))
        return false;
    const uint8_t *b = frame->octets + link_octets, *t = b + IPV4_OCTETS;
    uint32_t total = get_be16(b + 2), octets = total - IPV4_OCTETS;
    uint32_t captured = frame->captured - link_octets - IPV4_OCTETS;
    if (gi_rarely(!has_header(b, total, frame->length - link_octets)))
        return false;
    uint32_t header = read_options(brief, &batch->echo[brief - batch->brief], t, octets, captured);
    struct gi_ends ends = {.addresses = load64(b + 12), .ports = get_be32(t)};
    ends.ports = ends.ports << 16 | ends.ports >> 16;
    if (gi_rarely(header == 0) || (captured >= octets && !reader->rules.take_bad_checksums &&
                                   gi_rarely(!has_right_sum(t, octets, ends.addresses))))
        return false;
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
                     const struct gi_ends *ends, struct gi_packet *packet)
{
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
    brief->ends = add_ends(batch, &ends, reader);
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

static void forget_ends(struct gi_reader *reader)
{
    reader->ends_n = GI_ENDS_NONE + 1;
    memset(reader->slot, 0, sizeof reader->slot);
}

// A line of the cache of its own, and the rules as well: other threads write beside it.
struct gi_reader *gi_reader_create(const struct gi_packet_rules *rules, uint32_t number)
{
    size_t octets =
        (sizeof(struct gi_reader) + GI_LINE_OCTETS - 1) / GI_LINE_OCTETS * GI_LINE_OCTETS;
    struct gi_reader *reader = aligned_alloc(GI_LINE_OCTETS, octets);
    if (!reader)
        abort();
    reader->rules = *rules;
    reader->counts = (struct gi_counts){0};
    reader->number = number;
    reader->begun = 0;
    forget_ends(reader);
    return reader;
}

void gi_batch_begin(struct gi_batch *batch, struct gi_reader *reader)
{
    if (reader->ends_n >= GI_ENDS_KEPT)
        forget_ends(reader);
    reader->begun += GI_FRAMES_MOST + FRAMES_NEAR;
    batch->frames = batch->fulls = batch->fars = 0;
    batch->far[0] = GI_FAR_NONE;
    batch->reader = reader->number;
    batch->ends_first = reader->ends_n;
    batch->ends_n = 0;
}

void gi_batch_add(struct gi_batch *batch, const struct capture_packet *frames, uint32_t n,
                  struct gi_reader *reader)
{
    const struct capture_packet *end = frames + n;
    struct gi_brief *brief = &batch->brief[batch->frames];
    const int link = n ? frames->link : 0;
    const uint32_t link_octets = reader->rules.plain ? NOWHERE : octets_of(link);
    uint64_t brief_ones = 0;
    for (const struct capture_packet *frame = frames; frame < end; frame++, brief++) {
        gi_own_lines(&brief[BRIEFS_OWNED], 1);
        if (end - frame > FRAMES_AHEAD)
            gi_fetch(frame[FRAMES_AHEAD].octets);
        brief->time_ns = frame->time_ns;
        if (gi_rarely(frame->link != link) ||
            gi_rarely(!read_brief(batch, brief, frame, link_octets, reader)))
            read_full(batch, brief, frame, reader);
        else
            brief_ones++;
    }
    batch->frames += n;
    batch->far[batch->fars] = GI_FAR_NONE;
    reader->counts.capture[CAPTURE_taken] += brief_ones;
}
