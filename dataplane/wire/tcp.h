// TCP (RFC 9293): header, the options that hosts of today and of 2006 use, and the payload.
// Options: maximum segment size, window scale and timestamps (RFC 7323), SACK (RFC 2018); others
// are skipped. The encoder packs them as close as they go, padded to a word; a SYN and a header
// with one option are as hosts send them (RFC 7323 appendix A). The checksum needs the addresses of
// the layer below, so it has functions of its own.
#ifndef SLUICE_WIRE_TCP_H
#define SLUICE_WIRE_TCP_H

#include "dataplane/wire/field.h"

#define TCP_OCTETS         20
#define TCP_OPTIONS_OCTETS 40 // the most: the data offset counts 15 words
#define TCP_SACK_BLOCKS    4
#define TCP_SCALE_MOST     14 // RFC 7323 2.3: a larger one counts as 14

#define TCP_FIN 0x01
#define TCP_SYN 0x02
#define TCP_RST 0x04
#define TCP_PSH 0x08
#define TCP_ACK 0x10
#define TCP_URG 0x20
#define TCP_ECE 0x40 // RFC 3168
#define TCP_CWR 0x80

#define TCP_TIMESTAMPS_FIELDS(MUST, MAY, T)                         \
    MUST(T, U32, value, 0, UINT32_MAX, "TSval: the sender's clock") \
    MUST(T, U32, echo, 0, UINT32_MAX, "TSecr: the TSval that it answers")
FIELD_STRUCT(tcp_timestamps, TCP_TIMESTAMPS_FIELDS);
extern const struct field_record tcp_timestamps_record;
#define FIELD_TYPE_TCP_TIMESTAMPS struct tcp_timestamps
#define FIELD_KIND_TCP_TIMESTAMPS FIELD_RECORD, &tcp_timestamps_record

#define TCP_SACK_BLOCK_FIELDS(MUST, MAY, T)                             \
    MUST(T, U32, left, 0, UINT32_MAX, "first sequence number received") \
    MUST(T, U32, right, 0, UINT32_MAX, "the one behind the last")
FIELD_STRUCT(tcp_sack_block, TCP_SACK_BLOCK_FIELDS);
FIELD_LIST_STRUCT(tcp_sack_blocks, tcp_sack_block, TCP_SACK_BLOCKS);
extern const struct field_record tcp_sack_block_record;
#define FIELD_TYPE_TCP_SACK_BLOCKS struct tcp_sack_blocks
#define FIELD_KIND_TCP_SACK_BLOCKS FIELD_LIST, &tcp_sack_block_record

#define TCP_FIELDS(MUST, MAY, T)                                                               \
    MUST(T, U16, source_port, 0, 0xffff, "source port")                                        \
    MUST(T, U16, destination_port, 0, 0xffff, "destination port")                              \
    MUST(T, U32, sequence, 0, UINT32_MAX, "of the first octet, or of SYN")                     \
    MUST(T, U32, acknowledgement, 0, UINT32_MAX, "the next sequence number expected")          \
    MUST(T, U8, flags, 0, 255, "FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32, ECE 64, CWR 128")  \
    MUST(T, U16, window, 0, 0xffff, "octets that the sender accepts, before its scale")        \
    MUST(T, U16, checksum, 0, 0xffff, "tcp_put_checksum computes it")                          \
    MUST(T, U16, urgent, 0, 0xffff, "urgent pointer")                                          \
    MAY(T, U16, mss_octets, 0, 0xffff, "maximum segment size")                                 \
    MAY(T, U8, window_scale, 0, TCP_SCALE_MOST, "shift of the sender's windows")               \
    MUST(T, BOOL, sack_permitted, 0, 1, "SACK permitted")                                      \
    MAY(T, TCP_TIMESTAMPS, timestamps, 0, 0, "timestamps")                                     \
    MUST(T, TCP_SACK_BLOCKS, sack, 0, TCP_SACK_BLOCKS, "SACK: what has arrived beyond a hole") \
    MUST(T, OCTETS, payload, 0, 65495, "data")

FIELD_STRUCT(tcp, TCP_FIELDS);

int tcp_decode(struct tcp *segment, const uint8_t *b, uint32_t n);
int tcp_encode(const struct tcp *segment, uint8_t *b, uint32_t room);

// Octets of the header with its options; above TCP_OCTETS + TCP_OPTIONS_OCTETS it cannot be sent.
uint32_t tcp_header_octets(const struct tcp *segment);

// Writes the checksum of RFC 9293 3.1 into the n octets of a segment between two IPv4 addresses.
void tcp_put_checksum(uint8_t *b, uint32_t n, uint32_t source, uint32_t destination);

// 0, or the fault.
int tcp_check_checksum(const uint8_t *b, uint32_t n, uint32_t source, uint32_t destination);

#endif
