// See fragment_set.h.
#include "tests/dataplane/port/fragment_set.h"

#include "tests/dataplane/random.h"

struct pieces set;

uint32_t frame_piece(bool ipv6, uint32_t id, uint32_t at, bool more, const uint8_t *whole,
                     uint32_t octets, uint8_t *b)
{
    struct ipv4 v4 = ipv4_from_peer(IPV4_PROTOCOL_UDP, whole + at, octets);
    struct ipv6 v6 = ipv6_from_peer(IPV6_NEXT_UDP, whole + at, octets);
    v4.id = (uint16_t)id;
    v4.fragment_offset = (uint16_t)(at / 8);
    v4.more_fragments = more;
    v6.has_fragment = true;
    v6.fragment = (struct ipv6_fragment){(uint16_t)(at / 8), more, id};
    uint32_t n = ipv6 ? frame_ipv6(b, &v6) : frame_ipv4(b, &v4);
    for (; n < 60; n++)
        b[n] = 0xee; // padding
    return n;
}

void cut(bool ipv6, uint32_t id, uint32_t payload_octets, uint32_t most)
{
    uint8_t frame[FRAME_OCTETS_MAX], *whole = frame + (ipv6 ? 54 : 34);
    set.payload_octets = payload_octets;
    random_fill(set.payload, payload_octets);
    uint32_t left = ipv6 ? frame_udp_ipv6(frame, set.payload, payload_octets) - 54
                         : frame_udp_ipv4(frame, set.payload, payload_octets) - 34;
    set.n = set.octets = 0;
    for (uint32_t at = 0, octets; left > 0; at += octets, left -= octets) {
        octets = left > most ? most : left;
        set.frame[set.n].octets =
            frame_piece(ipv6, id, at, left > octets, whole, octets, set.frame[set.n].b);
        set.octets += set.frame[set.n++].octets;
    }
}

bool receive_piece(uint32_t i, uint64_t now_ns)
{
    return fixture_receive_octets(set.frame[i].b, set.frame[i].octets, now_ns);
}

void assert_whole(void)
{
    assert_int_equal(fx.datagram.payload_octets, set.payload_octets);
    assert_memory_equal(fx.frame + fx.datagram.payload_offset, set.payload, set.payload_octets);
}

void assert_held(uint64_t packets, uint64_t octets)
{
    uint64_t held, held_octets;
    port_held(&fx.port, &held, &held_octets);
    assert_int_equal(held, packets);
    assert_int_equal(held_octets, octets);
    fixture_assert_balanced();
}
