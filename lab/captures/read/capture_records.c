// See capture_records.h. Formats: tcpdump's pcap in both orders of octets, from 2.0 on, with stamps
// in us and ns, and Kuznetsov's with a longer head for each packet; pcapng 1.x, of which blocks
// that hold no packets are left out. A packet has at most 262144 octets; one that claims more is
// damage, as for libpcap.
#include "lab/captures/read/capture_records.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"

#define MAGIC_US        0xa1b2c3d4u
#define MAGIC_NS        0xa1b23c4du
#define MAGIC_KUZNETSOV 0xa1b2cd34u
#define MAGIC_ORDER     0x1a2b3c4du // of a section

#define FILE_HEAD_OCTETS   24u
#define PACKET_HEAD_OCTETS 16u
#define KUZNETSOV_OCTETS   24u
#define MINOR_OF_KUZNETSOV 4u

enum {
    BLOCK_SECTION = 0x0a0d0d0a,
    BLOCK_INTERFACE = 1,
    BLOCK_OLD = 2,
    BLOCK_SIMPLE = 3,
    BLOCK_ENHANCED = 6
};
#define BLOCK_ENDS       12u // its type, its length, and that again
#define BLOCK_HEAD       8u
#define SECTION_OCTETS   28u
#define INTERFACE_OCTETS 20u
#define PACKET_AT        28u // the octets of an old or an enhanced packet
#define SIMPLE_AT        12u
#define INTERFACES_MAX   65536u
#define OPTION_END       0u
#define OPTION_STAMPS    9u
#define OPTION_OFFSET    14u

static uint32_t word(const struct capture_records *records, const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return records->is_swapped ? __builtin_bswap32(value) : value;
}

static uint16_t half(const struct capture_records *records, const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return records->is_swapped ? __builtin_bswap16(value) : value;
}

static enum capture_got too_long(uint32_t octets, char *damage)
{
    snprintf(damage, CAPTURE_TEXT, "a packet of %u octets, more than there can be: damaged",
             octets);
    return CAPTURE_GOT_DAMAGE;
}

// ---- pcap ----

static bool is_magic(uint32_t magic)
{
    return magic == MAGIC_US || magic == MAGIC_NS || magic == MAGIC_KUZNETSOV;
}

static void begin_pcap(struct capture_records *records, const uint8_t *head)
{
    uint32_t magic = word(records, head), snap = word(records, head + 16);
    records->pcap.link = (uint16_t)word(records, head + 20); // without flags
    records->pcap.part_ns = magic == MAGIC_NS ? 1 : 1000;
    records->pcap.snap = snap == 0 || snap > INT32_MAX ? CAPTURE_OCTETS_MAX : snap;
    records->pcap.head_octets = magic == MAGIC_KUZNETSOV ? KUZNETSOV_OCTETS : PACKET_HEAD_OCTETS;
    records->pcap.minor = half(records, head + 6);
}

// The two lengths stood the other way round up to version 2.2, and in some files of 2.3.
static bool is_other_way(const struct capture_records *records, uint32_t captured, uint32_t length)
{
    return records->pcap.minor < 3 || (records->pcap.minor == 3 && captured > length);
}

static enum capture_got next_of_pcap(struct capture_records *records, struct capture_source *source,
                                     struct capture_raw *raw, bool more, char *damage)
{
    uint32_t head = records->pcap.head_octets;
    enum capture_got got = capture_source_has(source, head, more, "a packet", damage);
    if (got != CAPTURE_GOT_IT)
        return got;
    const uint8_t *at = capture_source_at(source);
    uint32_t captured = word(records, at + 8), length = word(records, at + 12);
    if (is_other_way(records, captured, length)) {
        captured = word(records, at + 12);
        length = word(records, at + 8);
    }
    if (captured > CAPTURE_OCTETS_MAX)
        return too_long(captured, damage);
    got = capture_source_has(source, head + captured, more, "a packet", damage);
    if (got != CAPTURE_GOT_IT)
        return got == CAPTURE_GOT_END ? CAPTURE_GOT_DAMAGE : got;
    at = capture_source_at(source);
    *raw = (struct capture_raw){.seconds = word(records, at),
                                .part_ns = (int64_t)word(records, at + 4) * records->pcap.part_ns,
                                .octets = at + head,
                                .captured =
                                    captured < records->pcap.snap ? captured : records->pcap.snap,
                                .length = length,
                                .link = records->pcap.link};
    capture_source_skip(source, head + captured);
    return CAPTURE_GOT_IT;
}

// ---- pcapng ----

static enum capture_got say(char *damage, const char *why, uint32_t number)
{
    snprintf(damage, CAPTURE_TEXT, why, number);
    return CAPTURE_GOT_DAMAGE;
}

static enum capture_got begin_section(struct capture_records *records, const uint8_t *block,
                                      uint32_t octets, char *damage)
{
    uint16_t major = half(records, block + 12);
    records->interfaces = 0;
    if (octets < SECTION_OCTETS)
        return say(damage, "a section's head of %u octets: damaged", octets);
    if (major != 1)
        return say(damage, "pcapng version %u, and only 1 is known", major);
    return CAPTURE_GOT_IT;
}

static void read_option(struct capture_records *records, struct capture_interface *interface,
                        uint16_t code, const uint8_t *value, uint16_t octets)
{
    if (code == OPTION_STAMPS && octets >= 1) {
        interface->is_binary = value[0] & 0x80;
        interface->digits = value[0] & 0x7f;
    } else if (code == OPTION_OFFSET && octets >= 8) {
        uint64_t words[2] = {word(records, value), word(records, value + 4)};
        bool is_big = records->is_swapped == (htons(1) != 1);
        interface->offset_s =
            (int64_t)(is_big ? words[0] << 32 | words[1] : words[1] << 32 | words[0]);
    }
}

static enum capture_got add_interface(struct capture_records *records, const uint8_t *block,
                                      uint32_t octets, char *damage)
{
    if (octets < INTERFACE_OCTETS)
        return say(damage, "an interface's description of %u octets: damaged", octets);
    if (records->interfaces == records->room) {
        uint32_t room = records->room ? 2 * records->room : 8;
        void *grown = room > INTERFACES_MAX
                          ? NULL
                          : realloc(records->interface, room * sizeof *records->interface);
        if (!grown)
            return say(damage, "more than %u interfaces", records->interfaces);
        records->interface = grown;
        records->room = room;
    }
    struct capture_interface *interface = &records->interface[records->interfaces++];
    *interface = (struct capture_interface){.link = half(records, block + 8),
                                            .digits = 6, // us, where nothing is said
                                            .snap = word(records, block + 12)};
    uint32_t at = INTERFACE_OCTETS - 4, end = octets - 4;
    while (end - at >= 4 && half(records, block + at) != OPTION_END) {
        uint16_t code = half(records, block + at), n = half(records, block + at + 2);
        at += 4;
        if (n > end - at)
            return say(damage, "an interface's option of %u octets: damaged", n);
        read_option(records, interface, code, block + at, n);
        at += (n + 3u) / 4 * 4 < end - at ? (n + 3u) / 4 * 4 : end - at;
    }
    return CAPTURE_GOT_IT;
}

// Units finer than 2^-63 or 10^-18 s are no stamps.
static void stamp(const struct capture_interface *interface, uint64_t stamp,
                  struct capture_raw *raw)
{
    uint64_t a_second = 1;
    if (interface->digits > (interface->is_binary ? 63 : 18))
        return;
    for (uint32_t i = 0; i < interface->digits; i++)
        a_second *= interface->is_binary ? 2 : 10;
    int64_t seconds = (int64_t)(stamp / a_second);
    if (!__builtin_add_overflow(seconds, interface->offset_s, &seconds))
        raw->seconds = seconds;
    raw->part_ns = (int64_t)((unsigned __int128)(stamp % a_second) * S_IN_NS / a_second);
}

// A packet, from what its block says. at: where its octets are in the block.
static enum capture_got take(struct capture_records *records, const uint8_t *block, uint32_t octets,
                             uint32_t id, uint32_t at, struct capture_raw *raw, char *damage)
{
    if (id >= records->interfaces)
        return say(damage, "a packet of interface %u, which nothing describes", id);
    if (raw->captured > octets - 4 - at)
        return say(damage, "a packet of %u octets in a smaller block: damaged", raw->captured);
    raw->link = records->interface[id].link;
    raw->octets = block + at;
    return CAPTURE_GOT_IT;
}

static enum capture_got take_packet(struct capture_records *records, const uint8_t *block,
                                    uint32_t octets, bool is_old, struct capture_raw *raw,
                                    char *damage)
{
    if (octets < PACKET_AT + 4)
        return say(damage, "a packet's block of %u octets: damaged", octets);
    uint32_t id = is_old ? half(records, block + 8) : word(records, block + 8);
    *raw = (struct capture_raw){
        .seconds = -1, .captured = word(records, block + 20), .length = word(records, block + 24)};
    enum capture_got got = take(records, block, octets, id, PACKET_AT, raw, damage);
    if (got == CAPTURE_GOT_IT)
        stamp(&records->interface[id],
              (uint64_t)word(records, block + 12) << 32 | word(records, block + 16), raw);
    return got;
}

// Of the first interface, without a stamp, and as long as its snap length leaves it.
static enum capture_got take_simple(struct capture_records *records, const uint8_t *block,
                                    uint32_t octets, struct capture_raw *raw, char *damage)
{
    if (octets < SIMPLE_AT + 4)
        return say(damage, "a packet's block of %u octets: damaged", octets);
    uint32_t length = word(records, block + 8);
    uint32_t snap = records->interfaces ? records->interface[0].snap : 0;
    *raw = (struct capture_raw){
        .seconds = -1, .captured = snap && snap < length ? snap : length, .length = length};
    return take(records, block, octets, 0, SIMPLE_AT, raw, damage);
}

// IT: *raw has a packet, or its octets are NULL and the block held none.
static enum capture_got take_block(struct capture_records *records, const uint8_t *block,
                                   uint32_t octets, struct capture_raw *raw, char *damage)
{
    raw->octets = NULL;
    switch (word(records, block)) {
    case BLOCK_SECTION:
        return begin_section(records, block, octets, damage);
    case BLOCK_INTERFACE:
        return add_interface(records, block, octets, damage);
    case BLOCK_OLD:
    case BLOCK_ENHANCED:
        return take_packet(records, block, octets, word(records, block) == BLOCK_OLD, raw, damage);
    case BLOCK_SIMPLE:
        return take_simple(records, block, octets, raw, damage);
    default:
        return CAPTURE_GOT_IT;
    }
}

static bool is_of_packets(const struct capture_records *records, const uint8_t *block)
{
    uint32_t type = word(records, block);
    return type == BLOCK_SECTION || type == BLOCK_INTERFACE || type == BLOCK_OLD ||
           type == BLOCK_SIMPLE || type == BLOCK_ENHANCED;
}

// Of a section's head the third word tells the order of octets of all that follows.
static enum capture_got read_order(struct capture_records *records, struct capture_source *source,
                                   bool more, char *damage)
{
    enum capture_got got =
        capture_source_has(source, BLOCK_HEAD + 4, more, "a section's head", damage);
    if (got != CAPTURE_GOT_IT)
        return got == CAPTURE_GOT_END ? CAPTURE_GOT_DAMAGE : got;
    const uint8_t *block = capture_source_at(source);
    records->is_swapped = false;
    records->is_swapped = word(records, block + 8) != MAGIC_ORDER;
    if (word(records, block + 8) != MAGIC_ORDER)
        return say(damage, "a section's head without an order of octets (%08x): damaged",
                   word(records, block + 8));
    return CAPTURE_GOT_IT;
}

// The next block that may hold a packet or what a packet needs, whole in the room; others are left
// out, however long.
static enum capture_got find_block(struct capture_records *records, struct capture_source *source,
                                   bool more, uint32_t *octets, char *damage)
{
    for (;;) {
        enum capture_got got = capture_source_has(source, BLOCK_HEAD, more, "a block", damage);
        if (got == CAPTURE_GOT_IT &&
            word(records, capture_source_at(source)) == BLOCK_SECTION) // in either order
            got = read_order(records, source, more, damage);
        if (got != CAPTURE_GOT_IT)
            return got;
        *octets = word(records, capture_source_at(source) + 4);
        if (*octets < BLOCK_ENDS || *octets % 4)
            return say(damage, "a block of %u octets, which there cannot be: damaged", *octets);
        if (is_of_packets(records, capture_source_at(source)))
            break;
        capture_source_skip(source, *octets);
    }
    if (*octets > CAPTURE_SOURCE_MOST)
        return say(damage, "a block of %u octets for a packet, more than there can be: damaged",
                   *octets);
    enum capture_got got = capture_source_has(source, *octets, more, "a block", damage);
    if (got != CAPTURE_GOT_IT)
        return got == CAPTURE_GOT_END ? CAPTURE_GOT_DAMAGE : got;
    uint32_t again = word(records, capture_source_at(source) + *octets - 4);
    return again == *octets ? got : say(damage, "a block's two lengths differ: damaged", 0);
}

static enum capture_got next_of_pcapng(struct capture_records *records,
                                       struct capture_source *source, struct capture_raw *raw,
                                       bool more, char *damage)
{
    uint32_t octets = 0;
    raw->octets = NULL;
    while (!raw->octets) {
        enum capture_got got = find_block(records, source, more, &octets, damage);
        if (got == CAPTURE_GOT_IT)
            got = take_block(records, capture_source_at(source), octets, raw, damage);
        if (got != CAPTURE_GOT_IT)
            return got;
        capture_source_skip(source, octets);
    }
    return raw->captured > CAPTURE_OCTETS_MAX ? too_long(raw->captured, damage) : CAPTURE_GOT_IT;
}

// ---- Both ----

static enum capture_got head_of(struct capture_records *records, struct capture_source *source,
                                char *error)
{
    enum capture_got got = capture_source_has(source, 4, true, "a capture's head", error);
    if (got != CAPTURE_GOT_IT)
        return got;
    uint32_t magic = word(records, capture_source_at(source));
    records->is_pcapng = magic == BLOCK_SECTION;
    if (records->is_pcapng)
        return CAPTURE_GOT_IT;
    records->is_swapped = !is_magic(magic);
    if (!is_magic(word(records, capture_source_at(source))))
        return say(error, "no capture: it begins with %08x, which neither pcap nor pcapng does",
                   ntohl(magic));
    got = capture_source_has(source, FILE_HEAD_OCTETS, true, "a capture's head", error);
    if (got != CAPTURE_GOT_IT)
        return got;
    uint16_t major = half(records, capture_source_at(source) + 4);
    if (major != 2)
        return say(error, "pcap version %u, and only 2 is known", major);
    begin_pcap(records, capture_source_at(source));
    capture_source_skip(source, FILE_HEAD_OCTETS);
    return CAPTURE_GOT_IT;
}

bool capture_records_open(struct capture_records *records, struct capture_source *source,
                          char error[CAPTURE_TEXT])
{
    *records = (struct capture_records){0};
    error[0] = '\0';
    if (head_of(records, source, error) == CAPTURE_GOT_IT)
        return true;
    if (!error[0])
        snprintf(error, CAPTURE_TEXT, "no capture: it is empty");
    return false;
}

enum capture_got capture_records_next(struct capture_records *records,
                                      struct capture_source *source, struct capture_raw *raw,
                                      bool more, char damage[CAPTURE_TEXT])
{
    return records->is_pcapng ? next_of_pcapng(records, source, raw, more, damage)
                              : next_of_pcap(records, source, raw, more, damage);
}

void capture_records_close(struct capture_records *records)
{
    free(records->interface);
}
