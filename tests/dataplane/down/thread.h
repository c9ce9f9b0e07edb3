// What the tests of the thread share: a dataplane with one cell over net_ring, Gn frames built by
// hand, and the independent receiver of tests/oracle behind Gb, which is told what to expect.
#ifndef SLUICE_TESTS_DATAPLANE_DOWN_THREAD_H
#define SLUICE_TESTS_DATAPLANE_DOWN_THREAD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "dataplane/dataplane.h"
#include "tests/oracle/gb_receiver.h"

#define SGSN_GN         0xc0000201u
#define SGSN_GB         0xc6336401u
#define BSS             0xc6336402u
#define TLLI_FIRST      0xc0000000u
#define LIFETIME_CS     4000
#define EXPECTED_MAX    65536u
#define SIZE_MAX_OCTETS 1500u

struct expected {
    uint32_t tlli, seed;
    uint16_t octets;
};

struct thread {
    struct dp *dp;
    struct dp_worker *worker;
    struct dp_far_end gn, gb;
    struct gb_receiver *receiver;
    struct expected expected[EXPECTED_MAX]; // a ring: what has been sent and not come out
    uint32_t head, tail;
    uint32_t teid[2048];
    uint32_t received, wrong;
    uint64_t taken_frames, taken_octets; // off Gb
    uint64_t now_ns;
};

extern struct thread t;
extern uint16_t thread_gn_mtu_octets; // for the next thread_open

void thread_open(uint32_t queue_packets, uint32_t gb_ring);

// Closes it and asserts that no buffer was lost and nothing came out wrong.
void thread_close(void);

void thread_command(const struct command *c, int64_t wanted);
void thread_add_ms(uint32_t id, uint16_t n201_u);

// Ethernet 14, IPv4 20, UDP 8, GTP-U 8, then the N-PDU.
struct rte_mbuf *thread_gn_frame(uint32_t teid, uint32_t octets, uint32_t seed);
void thread_send_frame(struct rte_mbuf *m);

// A frame that is expected to come out.
void thread_send(uint32_t ms, uint32_t octets);

void thread_poll_to_rest(void);

// Takes at most n frames off Gb and gives them to the receiver; returns how many there were.
uint32_t thread_take(uint32_t n);
void thread_poll_and_take_all(void);

struct stats_drop thread_dropped(enum drop_reason reason);

void thread_put16(uint8_t *b, uint32_t v);
void thread_put32(uint8_t *b, uint32_t v);

// A CMocka group setup.
int thread_start_eal(void **state);

#endif
