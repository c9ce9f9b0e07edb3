// See gi_batch.h. The quick way through the headers is for what nearly all packets of a capture
// are; whatever it does not know goes through gi_packet_read, which says the same of those that it
// does.
#include "lab/gi/gi_batch.h"

#include <immintrin.h>
#include <pcap/dlt.h>
#include <stdlib.h>

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "lab/capture/capture_ip.h"
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
#define MIX_ADDRESSES 0x9e3779b97f4a7c15u
#define MIX_PORTS     0xc2b2ae3d27d4eb4fu
#define SLOT_SHIFT    49
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
#define ADDRESSES_AT    12
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

// With so many octets in front of it, and all of the least header of TCP.
static inline bool is_ipv4(const uint8_t *frame, uint32_t captured, uint32_t link_octets)
{
    return !gi_rarely(captured < link_octets + CAPTURED_LEAST) &&
           (link_octets == 0 || get_be16(frame + ETHER_OCTETS - 2) == ETHER_TYPE_IPV4);
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

// Octets of TCP's header; 0: the quick way does not know it. octets: of TCP and its data;
// captured: of these.
static inline uint32_t header_octets(const uint8_t *t, uint32_t octets, uint32_t captured)
{
    uint32_t head = load16(t + TCP_HEAD_AT) & TCP_HEAD_MASK;
    if (head == TCP_HEAD(TCP_OCTETS / 4))
        return TCP_OCTETS;
    bool stamped = head == TCP_HEAD(STAMPED_OCTETS / 4) && octets >= STAMPED_OCTETS &&
                   captured >= STAMPED_OCTETS && get_be32(t + TCP_OCTETS) == STAMPED_OPTIONS;
    return stamped ? STAMPED_OCTETS : 0;
}

// Of TCP and its data, all of which are there. The addresses, which stand in front of it, are of
// the sum, too.
static inline bool is_right_with(uint64_t sum, uint32_t total)
{
    uint64_t rest = __builtin_bswap16((uint16_t)(total - IPV4_OCTETS)) + IPV4_SECOND;
    return capture_sum_is_right(capture_sum_add(sum, rest));
}

static __attribute__((noinline)) bool has_right_sum_long(const uint8_t *b, uint32_t total)
{
    return is_right_with(capture_sum(b + ADDRESSES_AT, total - ADDRESSES_AT), total);
}

// An ACK alone is what most are that are not long.
static inline bool has_right_sum(const uint8_t *b, uint32_t total)
{
    if (total != CAPTURED_LEAST)
        return has_right_sum_long(b, total);
    uint64_t sum = capture_sum_add(load64(b + ADDRESSES_AT), load64(b + ADDRESSES_AT + 8));
    sum = capture_sum_add(sum, load64(b + ADDRESSES_AT + 16));
    return is_right_with(capture_sum_add(sum, load32(b + ADDRESSES_AT + 24)), total);
}

// What stands in the headers in a row stands in the brief in a row, too: two numbers, no timestamp,
// the window, the identification. All of these at once take a third of the instructions.
static inline void put_numbers(struct gi_brief *brief, const uint8_t *b, const uint8_t *t)
{
    const __m128i places = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, -1, -1, -1, -1, 11, 10, 15, 14);
    __m128i words = _mm_loadu_si128((const __m128i *)(t + 4));
    words = _mm_insert_epi16(words, (int)load16(b + 4), 7);
    _mm_storeu_si128((__m128i *)&brief->sequence, _mm_shuffle_epi8(words, places));
}

#define PLACE(member) (offsetof(struct gi_brief, member) - offsetof(struct gi_brief, sequence))
static_assert(PLACE(acknowledgement) == 4 && PLACE(timestamp) == 8 && PLACE(window) == 12 &&
                  PLACE(ip_id) == 14,
              "what put_numbers gives");

// ---- Ends ----

// Where frames are added.
struct adding {
    struct gi_batch *batch;
    struct gi_reader *reader;
    uint16_t *far; // the place of the next one
    uint32_t fulls_before;
    bool takes_bad_sums;
};

// As they stand in a packet: who sends is in the lower halves. Or turned, so that both directions
// have the same.
struct pair {
    uint64_t addresses;
    uint32_t ports;
};

static inline struct pair turned(struct pair pair, uint32_t times)
{
    uint32_t by = times * 32, half = times * 16; // no branch: which way is next is anybody's guess
    return (struct pair){.addresses = pair.addresses << by | pair.addresses >> (-by & 63),
                         .ports = pair.ports << half | pair.ports >> (-half & 31)};
}

// By addresses, then by ports.
static inline bool is_reversed(struct pair pair)
{
    struct pair back = turned(pair, 1);
    if (gi_rarely(pair.addresses == back.addresses))
        return pair.ports > back.ports;
    return pair.addresses > back.addresses;
}

// The reader's own table needs no hidden hash, which takes as long as all of this.
static inline uint32_t slot_of(struct pair pair)
{
    return (uint32_t)((pair.addresses * MIX_ADDRESSES + pair.ports * MIX_PORTS) >> SLOT_SHIFT);
}

static_assert(GI_ENDS_SLOTS == 1 << (64 - SLOT_SHIFT), "what slot_of gives");

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
static uint16_t add_known(struct gi_batch *batch, struct pair pair, struct gi_reader *reader)
{
    struct gi_ends ends = {.addresses = pair.addresses,
                           .ports = __builtin_bswap32(pair.ports << 16 | pair.ports >> 16)};
    ends.hash = hash_of(&ends);
    uint16_t n = add_ends(batch, &ends, reader);
    reader->ends[n].addresses = pair.addresses;
    reader->ends[n].ports = pair.ports;
    reader->ends[n].last = reader->begun - FRAMES_NEAR - 1;
    return n;
}

// A new number, if that slot or one behind it has none of these ends.
static __attribute__((noinline)) uint16_t look_further(struct gi_batch *batch, struct pair pair,
                                                       uint32_t at, struct gi_reader *reader)
{
    uint16_t n = GI_ENDS_NONE;
    for (int i = 0; i < SLOT_TRIES && (n = reader->slot[at]); i++) {
        if (reader->ends[n].ports == pair.ports && reader->ends[n].addresses == pair.addresses)
            return n;
        at = (at + 1) % GI_ENDS_SLOTS;
    }
    uint16_t number = add_known(batch, pair, reader);
    if (!n)
        reader->slot[at] = number;
    return number;
}

// The number of these ends, which is a new one if the reader does not know them. A free slot has
// GI_ENDS_NONE, whose addresses are those of no pair.
static inline uint16_t number_of(struct gi_batch *batch, struct pair pair, struct gi_reader *reader)
{
    uint32_t at = slot_of(pair);
    uint16_t n = reader->slot[at];
    if (gi_rarely(reader->ends[n].ports != pair.ports) ||
        gi_rarely(reader->ends[n].addresses != pair.addresses))
        return look_further(batch, pair, at, reader);
    return n;
}

static inline void put_far(struct adding *to, uint32_t frame, bool is_far)
{
    *to->far = (uint16_t)frame;
    to->far += is_far;
}

// Notes between which ends the frame is. The reader has each pair of ends once, the lower address
// first, so the frame may be reversed against that.
static inline void put_ends(struct adding *to, struct gi_brief *brief, uint32_t frame,
                            struct pair pair)
{
    uint32_t now = to->reader->begun + frame;
    bool reversed = is_reversed(pair);
    uint16_t n = number_of(to->batch, turned(pair, reversed), to->reader);
    put_far(to, frame, now - to->reader->ends[n].last > FRAMES_NEAR);
    to->reader->ends[n].last = now;
    brief->between = (uint16_t)(n << 1 | reversed);
}

// Of a packet without its link's header, at least so much of which is there that the least of TCP
// is. False: it is not in brief.
static inline __attribute__((always_inline)) bool
read_brief(struct adding *to, struct gi_brief *brief, uint32_t frame, struct capture_view packet)
{
    const uint8_t *b = packet.octets, *t = b + IPV4_OCTETS;
    uint32_t total = get_be16(b + 2);
    if (gi_rarely(!has_header(b, total, packet.length)) ||
        (packet.captured >= total && !to->takes_bad_sums && gi_rarely(!has_right_sum(b, total))))
        return false;
    uint32_t header = header_octets(t, total - IPV4_OCTETS, packet.captured - IPV4_OCTETS);
    if (gi_rarely(header == 0))
        return false;
    put_numbers(brief, b, t);
    brief->data_octets = (uint16_t)(total - IPV4_OCTETS - header);
    brief->ip_octets = (uint16_t)total;
    brief->is_full = brief->has_timestamps = false;
    if (header != TCP_OCTETS) {
        brief->has_timestamps = true;
        brief->timestamp = get_be32(t + TCP_OCTETS + 4);
        to->batch->echo[frame] = get_be32(t + TCP_OCTETS + 8);
    }
    put_ends(to, brief, frame, (struct pair){load64(b + ADDRESSES_AT), load32(t)});
    return true;
}

static struct gi_end end_of(uint32_t address, uint16_t port)
{
    return (struct gi_end){.address = address_of_ipv4(__builtin_bswap32(address)), .port = port};
}

static void put_packet_ends(struct gi_packet *packet, const struct gi_ends *ends, bool reversed)
{
    struct gi_end first = end_of((uint32_t)ends->addresses, (uint16_t)ends->ports);
    struct gi_end second = end_of((uint32_t)(ends->addresses >> 32), (uint16_t)(ends->ports >> 16));
    packet->from = reversed ? second : first;
    packet->to = reversed ? first : second;
}

void gi_batch_expand(const struct gi_batch *batch, const struct gi_brief *brief,
                     const struct gi_ends *ends, struct gi_packet *packet)
{
    *packet =
        (struct gi_packet){.time_ns = brief->time_ns,
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
    if (ends)
        put_packet_ends(packet, ends, brief->reversed);
}

// ---- In full ----

static void put_ends_of(struct adding *to, uint32_t frame, const struct gi_packet *packet)
{
    const struct gi_end *first = &packet->from, *second = &packet->to;
    if (address_is_ipv4(&first->address) && address_is_ipv4(&second->address)) {
        uint64_t addresses =
            (uint64_t)address_ipv4(&first->address) << 32 | address_ipv4(&second->address);
        uint32_t ports = (uint32_t)first->port << 16 | second->port;
        put_ends(to, &to->batch->brief[frame], frame,
                 (struct pair){__builtin_bswap64(addresses), __builtin_bswap32(ports)});
        return;
    }
    struct gi_ends ends = {0};
    ends.hash = gi_hash_ends(gi_hash_address(&first->address), gi_hash_address(&second->address),
                             first->port, second->port);
    to->batch->brief[frame].ends = add_ends(to->batch, &ends, to->reader);
    put_far(to, frame, true);
}

// A segment that is whole and right, but with a flag or an option that makes it no brief: a SACK,
// mostly. False: gi_packet_read says what it is.
static bool read_whole(struct gi_packet *packet, const struct capture_packet *frame,
                       const struct gi_reader *reader)
{
    uint32_t link_octets = reader->rules.plain ? NOWHERE : octets_of(frame->link);
    if (!is_ipv4(frame->octets, frame->captured, link_octets))
        return false;
    const uint8_t *b = frame->octets + link_octets, *t = b + IPV4_OCTETS;
    uint32_t total = get_be16(b + 2), header = (t[TCP_HEAD_AT] >> 4) * 4u;
    if (!has_header(b, total, frame->length - link_octets) ||
        frame->captured - link_octets < total || header < TCP_OCTETS ||
        header > total - IPV4_OCTETS || !has_right_sum(b, total))
        return false;
    *packet = (struct gi_packet){.time_ns = frame->time_ns,
                                 .from = end_of(load32(b + ADDRESSES_AT), get_be16(t)),
                                 .to = end_of(load32(b + ADDRESSES_AT + 4), get_be16(t + 2)),
                                 .ip_octets = total,
                                 .ip_id = get_be16(b + 4)};
    gi_packet_read_tcp(packet, t, header, total - IPV4_OCTETS);
    return true;
}

static enum gi_count read_any(struct gi_packet *packet, const struct capture_packet *frame,
                              struct gi_reader *reader)
{
    if (!read_whole(packet, frame, reader))
        return gi_packet_read(packet, frame, &reader->rules, &reader->counts);
    reader->counts.capture[CAPTURE_taken]++;
    return GI_COUNT_segments;
}

// Returns the place of the next one that is far. It has a copy of `to`, which stays in registers
// so.
static __attribute__((noinline)) uint16_t *read_full(struct adding to, uint32_t frame,
                                                     const struct capture_packet *packet)
{
    struct gi_brief *brief = &to.batch->brief[frame];
    struct gi_full *full = &to.batch->full[to.batch->fulls];
    gi_own_lines(full + FULLS_AHEAD, sizeof *full);
    full->fate = read_any(&full->packet, packet, to.reader);
    brief->is_full = true;
    brief->full = to.batch->fulls++;
    brief->data_octets = full->packet.data_octets != 0;
    brief->ends = GI_ENDS_NONE;
    brief->reversed = false;
    if (full->fate == GI_COUNT_segments || full->fate == GI_COUNT_fragments)
        put_ends_of(&to, frame, &full->packet);
    else
        put_far(&to, frame, true);
    return to.far;
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
    // The higher address first, as no pair has it.
    reader->ends[GI_ENDS_NONE].addresses = (uint64_t)UINT32_MAX << 32;
    reader->ends[GI_ENDS_NONE].ports = 0;
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

static struct adding begin_adding(struct gi_batch *batch, struct gi_reader *reader)
{
    return (struct adding){.batch = batch,
                           .reader = reader,
                           .far = batch->far + batch->fars,
                           .fulls_before = batch->fulls,
                           .takes_bad_sums = reader->rules.take_bad_checksums};
}

static void end_adding(const struct adding *to, uint32_t frames)
{
    struct gi_batch *batch = to->batch;
    batch->frames += frames;
    batch->fars = (uint32_t)(to->far - batch->far);
    *to->far = GI_FAR_NONE;
    to->reader->counts.capture[CAPTURE_taken] += frames - (batch->fulls - to->fulls_before);
}

static inline __attribute__((always_inline)) bool add_brief(struct adding *to,
                                                            struct gi_brief *brief, uint32_t frame,
                                                            struct capture_view view,
                                                            uint32_t link_octets)
{
    return !gi_rarely(!is_ipv4(view.octets, view.captured, link_octets)) &&
           read_brief(to, brief, frame, capture_view_behind(view, link_octets));
}

void gi_batch_add(struct gi_batch *batch, const struct capture_packet *frames, uint32_t n,
                  struct gi_reader *reader)
{
    const int link = n ? frames->link : 0;
    const uint32_t link_octets = reader->rules.plain ? NOWHERE : octets_of(link);
    struct adding to = begin_adding(batch, reader);
    for (uint32_t i = 0; i < n; i++) {
        const struct capture_packet *packet = &frames[i];
        struct gi_brief *brief = &batch->brief[batch->frames + i];
        gi_own_lines(brief + BRIEFS_OWNED, 1);
        if (n - i > FRAMES_AHEAD)
            gi_fetch(frames[i + FRAMES_AHEAD].octets);
        brief->time_ns = packet->time_ns;
        struct capture_view view = {packet->octets, packet->captured, packet->length};
        if (gi_rarely(packet->link != link) ||
            gi_rarely(!add_brief(&to, brief, batch->frames + i, view, link_octets)))
            to.far = read_full(to, batch->frames + i, packet);
    }
    end_adding(&to, n);
}

static __attribute__((noinline)) uint16_t *read_record_full(struct adding to, uint32_t frame,
                                                            const struct capture_records *records)
{
    struct capture_packet packet = capture_record(records, frame - to.batch->frames);
    return read_full(to, frame, &packet);
}

// Where the octets in front of IPv4 are a constant, the compiler leaves out most that is asked of
// them.
static inline __attribute__((always_inline)) void add_records(struct gi_batch *batch,
                                                              const struct capture_records *records,
                                                              struct gi_reader *reader,
                                                              uint32_t link_octets)
{
    struct adding to = begin_adding(batch, reader);
    struct gi_brief *brief = &batch->brief[batch->frames];
    const uint32_t *at = records->at, *end = at + records->n;
    const uint8_t *room = records->room;
    const uint64_t part_ns = records->part_ns;
    for (uint32_t frame = batch->frames; at < end; at++, brief++, frame++) {
        const uint8_t *octets = room + *at;
        gi_own_lines(brief + BRIEFS_OWNED, 1);
        brief->time_ns = capture_head_ns(octets, part_ns);
        struct capture_view view = {octets, capture_head_captured(octets),
                                    capture_head_length(octets)};
        if (gi_rarely(!add_brief(&to, brief, frame, view, link_octets)))
            to.far = read_record_full(to, frame, records);
    }
    end_adding(&to, records->n);
}

void gi_batch_add_records(struct gi_batch *batch, const struct capture_records *records,
                          struct gi_reader *reader)
{
    uint32_t link_octets = reader->rules.plain ? NOWHERE : octets_of(records->link);
    if (link_octets == 0)
        add_records(batch, records, reader, 0);
    else if (link_octets == ETHER_OCTETS)
        add_records(batch, records, reader, ETHER_OCTETS);
    else
        add_records(batch, records, reader, NOWHERE);
}
