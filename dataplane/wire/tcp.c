// See tcp.h. An option of a wrong length is a fault; behind the end of the list nothing is read.
#include "dataplane/wire/tcp.h"

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"

#define OPTION_END            0
#define OPTION_NONE           1
#define OPTION_MSS            2
#define OPTION_WINDOW_SCALE   3
#define OPTION_SACK_PERMITTED 4
#define OPTION_SACK           5
#define OPTION_TIMESTAMPS     8

#define MSS_OCTETS            4
#define WINDOW_SCALE_OCTETS   3
#define SACK_PERMITTED_OCTETS 2
#define SACK_OCTETS           2
#define SACK_BLOCK_OCTETS     8
#define TIMESTAMPS_OCTETS     10

static const struct field timestamps_table[] = FIELD_TABLE(tcp_timestamps, TCP_TIMESTAMPS_FIELDS);
static const struct field sack_block_table[] = FIELD_TABLE(tcp_sack_block, TCP_SACK_BLOCK_FIELDS);
const struct field_record tcp_timestamps_record = FIELD_RECORD_OF(tcp_timestamps, timestamps_table);
const struct field_record tcp_sack_block_record = FIELD_RECORD_OF(tcp_sack_block, sack_block_table);

// --- Reading -------------------------------------------------------------------------------------

static bool get_sack(struct tcp *segment, const uint8_t *b, uint32_t octets)
{
    uint32_t blocks = (octets - SACK_OCTETS) / SACK_BLOCK_OCTETS;
    if (blocks == 0 || (octets - SACK_OCTETS) % SACK_BLOCK_OCTETS)
        return false;
    segment->sack.n = blocks;
    for (uint32_t i = 0; i < blocks; i++) {
        const uint8_t *block = b + SACK_OCTETS + i * SACK_BLOCK_OCTETS;
        segment->sack.item[i] = (struct tcp_sack_block){get_be32(block), get_be32(block + 4)};
    }
    return true;
}

// The option at b, all of whose octets are there. False: its length is not of its kind.
static bool get_option(struct tcp *segment, const uint8_t *b, uint32_t octets)
{
    switch (b[0]) {
    case OPTION_MSS:
        segment->has_mss_octets = octets == MSS_OCTETS;
        segment->mss_octets = octets == MSS_OCTETS ? get_be16(b + 2) : 0;
        return segment->has_mss_octets;
    case OPTION_WINDOW_SCALE:
        segment->has_window_scale = octets == WINDOW_SCALE_OCTETS;
        segment->window_scale = octets == WINDOW_SCALE_OCTETS ? b[2] : 0;
        if (segment->window_scale > TCP_SCALE_MOST)
            segment->window_scale = TCP_SCALE_MOST;
        return segment->has_window_scale;
    case OPTION_SACK_PERMITTED:
        segment->sack_permitted = octets == SACK_PERMITTED_OCTETS;
        return segment->sack_permitted;
    case OPTION_SACK:
        return get_sack(segment, b, octets);
    case OPTION_TIMESTAMPS:
        segment->has_timestamps = octets == TIMESTAMPS_OCTETS;
        if (segment->has_timestamps)
            segment->timestamps = (struct tcp_timestamps){get_be32(b + 2), get_be32(b + 6)};
        return segment->has_timestamps;
    default:
        return true;
    }
}

// 0, or the fault. The header ends at `end`.
static int get_options(struct tcp *segment, const uint8_t *b, uint32_t end)
{
    for (uint32_t at = TCP_OCTETS; at < end && b[at] != OPTION_END;) {
        if (b[at] == OPTION_NONE) {
            at++;
            continue;
        }
        if (end - at < 2)
            return wire_fault(WIRE_TRUNCATED, end);
        uint32_t octets = b[at + 1];
        if (octets < 2 || octets > end - at || !get_option(segment, b + at, octets))
            return wire_fault(WIRE_LENGTH, at + 1);
        at += octets;
    }
    return 0;
}

int tcp_decode(struct tcp *segment, const uint8_t *b, uint32_t n)
{
    if (n < TCP_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (n > 0xffff)
        return wire_fault(WIRE_LENGTH, 0);
    uint32_t header = (b[12] >> 4) * 4u;
    if (header < TCP_OCTETS || header > n)
        return wire_fault(WIRE_LENGTH, 12);
    segment->source_port = get_be16(b);
    segment->destination_port = get_be16(b + 2);
    segment->sequence = get_be32(b + 4);
    segment->acknowledgement = get_be32(b + 8);
    segment->flags = b[13];
    segment->window = get_be16(b + 14);
    segment->checksum = get_be16(b + 16);
    segment->urgent = get_be16(b + 18);
    segment->has_mss_octets = segment->has_window_scale = segment->has_timestamps = false;
    segment->mss_octets = segment->window_scale = 0;
    segment->timestamps = (struct tcp_timestamps){0, 0};
    segment->sack_permitted = false;
    segment->sack.n = 0;
    segment->payload = (struct octets){b + header, n - header};
    int fault = get_options(segment, b, header);
    return fault ? fault : (int)n;
}

// --- Writing -------------------------------------------------------------------------------------

static uint32_t sack_octets(const struct tcp *segment)
{
    return segment->sack.n ? SACK_OCTETS + (uint32_t)segment->sack.n * SACK_BLOCK_OCTETS : 0;
}

static uint32_t options_octets(const struct tcp *segment)
{
    return (segment->has_mss_octets ? MSS_OCTETS : 0) +
           (segment->sack_permitted ? SACK_PERMITTED_OCTETS : 0) +
           (segment->has_timestamps ? TIMESTAMPS_OCTETS : 0) +
           (segment->has_window_scale ? WINDOW_SCALE_OCTETS : 0) + sack_octets(segment);
}

static uint8_t *put_option(uint8_t *b, uint8_t kind, uint32_t octets)
{
    b[0] = kind;
    b[1] = (uint8_t)octets;
    return b + octets;
}

static uint8_t *put_timestamps(uint8_t *b, const struct tcp_timestamps *timestamps)
{
    put_be32(b + 2, timestamps->value);
    put_be32(b + 6, timestamps->echo);
    return put_option(b, OPTION_TIMESTAMPS, TIMESTAMPS_OCTETS);
}

static void put_sack(uint8_t *b, const struct tcp *segment)
{
    uint8_t *block = b + SACK_OCTETS;
    for (uint32_t i = 0; i < segment->sack.n; i++, block += SACK_BLOCK_OCTETS) {
        put_be32(block, segment->sack.item[i].left);
        put_be32(block + 4, segment->sack.item[i].right);
    }
    put_option(b, OPTION_SACK, sack_octets(segment));
}

static uint8_t *put_padding(uint8_t *b, uint32_t octets)
{
    memset(b, OPTION_NONE, octets);
    return b + octets;
}

// The padding stands in front of the window scale or, on what is no SYN, of all.
static void put_options(const struct tcp *segment, uint8_t *b)
{
    uint32_t padding = -options_octets(segment) % 4;
    if (segment->has_mss_octets) {
        put_be16(b + 2, segment->mss_octets);
        b = put_option(b, OPTION_MSS, MSS_OCTETS);
    }
    if (!segment->has_window_scale)
        b = put_padding(b, padding);
    if (segment->sack_permitted)
        b = put_option(b, OPTION_SACK_PERMITTED, SACK_PERMITTED_OCTETS);
    if (segment->has_timestamps)
        b = put_timestamps(b, &segment->timestamps);
    if (segment->has_window_scale) {
        b = put_padding(b, padding);
        b[2] = segment->window_scale;
        b = put_option(b, OPTION_WINDOW_SCALE, WINDOW_SCALE_OCTETS);
    }
    if (segment->sack.n)
        put_sack(b, segment);
}

uint32_t tcp_header_octets(const struct tcp *segment)
{
    return TCP_OCTETS + (options_octets(segment) + 3) / 4 * 4;
}

int tcp_encode(const struct tcp *segment, uint8_t *b, uint32_t room)
{
    uint32_t header = tcp_header_octets(segment);
    if (segment->sack.n > TCP_SACK_BLOCKS || header > TCP_OCTETS + TCP_OPTIONS_OCTETS)
        return wire_fault(WIRE_RANGE, 12);
    if (segment->has_window_scale && segment->window_scale > TCP_SCALE_MOST)
        return wire_fault(WIRE_RANGE, TCP_OCTETS);
    if (segment->payload.n > 0xffff - header)
        return wire_fault(WIRE_RANGE, 0);
    if (room < header + segment->payload.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (segment->payload.n)
        memmove(b + header, segment->payload.at, segment->payload.n);
    put_be16(b, segment->source_port);
    put_be16(b + 2, segment->destination_port);
    put_be32(b + 4, segment->sequence);
    put_be32(b + 8, segment->acknowledgement);
    b[12] = (uint8_t)(header / 4 << 4);
    b[13] = segment->flags;
    put_be16(b + 14, segment->window);
    put_be16(b + 16, segment->checksum);
    put_be16(b + 18, segment->urgent);
    put_options(segment, b + TCP_OCTETS);
    return (int)(header + segment->payload.n);
}

// --- The checksum --------------------------------------------------------------------------------

static uint16_t checksum(const uint8_t *b, uint32_t n, uint32_t source, uint32_t destination)
{
    uint8_t pseudo[12] = {0};
    put_be32(pseudo, source);
    put_be32(pseudo + 4, destination);
    pseudo[9] = IPV4_PROTOCOL_TCP;
    put_be16(pseudo + 10, (uint16_t)n);
    return ipv4_fold(ipv4_sum(ipv4_sum(0, pseudo, sizeof pseudo), b, n));
}

void tcp_put_checksum(uint8_t *b, uint32_t n, uint32_t source, uint32_t destination)
{
    put_be16(b + 16, 0);
    put_be16(b + 16, checksum(b, n, source, destination));
}

int tcp_check_checksum(const uint8_t *b, uint32_t n, uint32_t source, uint32_t destination)
{
    return checksum(b, n, source, destination) == 0 ? 0 : wire_fault(WIRE_CHECKSUM, 16);
}
