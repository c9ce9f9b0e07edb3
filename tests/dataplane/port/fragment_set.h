// A datagram cut in pieces, handed to the port of port_fixture.h one by one.
#ifndef TESTS_DATAPLANE_PORT_FRAGMENT_SET_H
#define TESTS_DATAPLANE_PORT_FRAGMENT_SET_H

#include "tests/dataplane/port/port_fixture.h"

#define PIECES_MAX 16

// Each a frame.
struct pieces {
    uint8_t payload[3000];
    uint32_t payload_octets, n, octets;
    struct {
        uint8_t b[FRAME_OCTETS_MAX];
        uint32_t octets;
    } frame[PIECES_MAX];
};
extern struct pieces set;

// A frame with the octets `at` of what is whole, and padding; returns its octets.
uint32_t frame_piece(bool ipv6, uint32_t id, uint32_t at, bool more, const uint8_t *whole,
                     uint32_t octets, uint8_t *b);
// Random octets in pieces of so many at most, from a multiple of 8.
void cut(bool ipv6, uint32_t id, uint32_t payload_octets, uint32_t most);
// True if the datagram was passed on.
bool receive_piece(uint32_t i, uint64_t now_ns);
void assert_whole(void); // what was passed on is what was cut
void assert_held(uint64_t packets, uint64_t octets);

#endif
