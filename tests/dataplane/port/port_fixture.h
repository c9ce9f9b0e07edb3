// A port of rings for tests of what it does with frames: 10.0.0.2 and 2001:db8::2 at
// 02:00:00:00:00:02, UDP port 2152. Frames are handed to it one by one; at the end no buffer may be
// missing, and every frame has to be accounted for (property S8).
#ifndef TESTS_DATAPLANE_PORT_PORT_FIXTURE_H
#define TESTS_DATAPLANE_PORT_PORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataplane/port/port_parts.h"
#include "dataplane/wire/udp.h"

#define S                1000000000ULL // in ns
#define FRAME_OCTETS_MAX 4096
#define OUR_IPV4         0x0a000002u // 10.0.0.2
#define PEER_IPV4        0x0a000001u
#define OUR_PORT         2152
#define PEER_PORT        3000

extern const struct mac our_mac, peer_mac;
extern const struct ipv6_address our_ipv6, peer_ipv6;

struct fixture {
    struct port_config config;
    struct port_device device;
    struct port port;
    struct stats_port stats;
    struct rte_mempool *pool; // of frames that come
    uint64_t passed_packets, passed_octets;
    // The datagram that was passed on last, in its frame.
    struct port_datagram datagram;
    uint32_t frame_octets;
    uint8_t frame[FRAME_OCTETS_MAX];
};
extern struct fixture fx;

// With 64 frames of tx ring and an MTU of 1500; `change` may be NULL.
void fixture_open(void (*change)(struct port_config *config));
// Releases the port, and holds that no buffer is missing and every frame accounted for.
void fixture_close(void);
int fixture_setup(void **state);
int fixture_teardown(void **state);
#define PORT_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

struct rte_mbuf *fixture_frame(const void *b, uint32_t octets);
// In two buffers; so many octets in the first.
struct rte_mbuf *fixture_frame_in_two(const uint8_t *b, uint32_t octets, uint32_t first);
// True if it was passed on.
bool fixture_receive(struct rte_mbuf *m, uint64_t now_ns);
bool fixture_receive_octets(const void *b, uint32_t octets, uint64_t now_ns);
void fixture_assert_balanced(void);
// That so many frames ended for that reason so far, and none for any other.
void fixture_assert_drops(enum drop_reason reason, uint64_t packets);

// The next frame that the port sent; 0: none.
uint32_t fixture_sent(uint8_t b[FRAME_OCTETS_MAX]);
void fixture_assert_sent(const void *b, uint32_t octets);
void fixture_assert_nothing_sent(void);

// Frames from the peer to us, or as the struct says; each returns its octets.
uint32_t frame_ipv4(uint8_t *b, const struct ipv4 *ip);
uint32_t frame_ipv6(uint8_t *b, const struct ipv6 *ip);
uint32_t frame_udp_ipv4(uint8_t *b, const void *payload, uint32_t octets);
uint32_t frame_udp_ipv6(uint8_t *b, const void *payload, uint32_t octets);
struct ipv4 ipv4_from_peer(uint8_t protocol, const void *payload, uint32_t octets);
struct ipv6 ipv6_from_peer(uint8_t next_header, const void *payload, uint32_t octets);
// After octets of the IP header were changed.
void frame_ipv4_checksum(uint8_t *b);

#endif
