// What the tests of the uplink share: a worker's state with two NSEs, their cells, MSs and
// contexts, both ports over net_ring, and Gb frames in, Gn frames and events out. Datagrams go
// straight to up_input, so the fixture counts them as the port would.
//
//   NSE 0: NS-VC 0, cells 0 (BVCI 2) and 1 (BVCI 3); NSE 1: NS-VC 1, cell 2 (BVCI 2)
//   MS 0 in cell 0: contexts 0 (NSAPI 5, SAPI 3), 1 (6, 3), 2 (7, 5), 3 (8, 11: GGSN over IPv6),
//                   4 (9, 3: no GGSN), 5 (10, 3: a GGSN whose neighbour is not known)
//   MS 1 in cell 0, with a key: contexts 6 (5, 3) and 7 (6, 5)
//   MS 2 in cell 2, NSE 1: context 8 (5, 3)
#ifndef SLUICE_TESTS_DATAPLANE_UP_FIXTURE_H
#define SLUICE_TESTS_DATAPLANE_UP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/up/up.h"

#define SGSN_GN       0xc0000201u
#define SGSN_GB       0xc6336401u
#define BSS           0xc6336402u // of NSE 0, and .3 of NSE 1
#define BSS_PORT      23001
#define GGSN          0xc0000202u
#define TLLI_FIRST    0xc0000000u // MS i has the i-th from here
#define TEID_FIRST    0x0a000000u // at the GGSN, of context i
#define IOV_UI        0x12345678u
#define KEYED         1u // the MS that has a key
#define CONTEXTS      9u
#define CONTEXTS_MOST 4200u
#define EVENTS        63u // that the ring holds
#define GN_FRAMES     400u
#define PAYLOAD_AT    42u // in a Gb frame: Ethernet, IPv4, UDP
#define NPDU_OCTETS   40u // of a segment that names no data

struct fixture {
    struct port_device gn_device, gb_device;
    struct port gn, gb;
    struct stats_worker stats;
    struct state state;
    struct sched *sched;
    struct up up;
    struct event_unread moves[2]; // by NSE
    uint64_t now_ns;
    uint32_t n; // of the burst that is being gathered
    struct rte_mbuf *frame[PORT_BURST];
    struct port_datagram datagram[PORT_BURST];
};
extern struct fixture u;

// A group's set-up; a test's set-up and teardown. The latter drops what is held, and asserts that
// all is accounted for and every buffer came back.
int fixture_start(void **state);
int fixture_open(void **state);
int fixture_close(void **state);
#define UP_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)

void fixture_command(const struct command *command);

// ---- In. ----

// A segment in its UI frame in its UL-UNITDATA, from the NS-VC of its MS. A number is N(U) plus OC.
// Zeros are: of MS 0, enciphered if the MS has a key, FCS over all, and what stands below.
struct segment {
    uint32_t ms, number;
    uint16_t bvci; // 0: 2
    uint8_t sapi;  // 0: 3
    uint8_t nsapi; // 0: 5
    bool next;     // not the first of its N-PDU
    bool more;
    uint8_t segment, dcomp, pcomp;
    uint16_t npdu;
    const uint8_t *data; // NULL: 40 octets of any kind
    uint16_t octets;
    bool header_only; // PM = 0
    bool clear;       // in the clear whatever the MS has
    bool forged;      // the FCS is wrong
};
#define SEGMENT(...) (&(const struct segment){__VA_ARGS__})

// The UL-UNITDATA of a segment, or of any LLC frame; octets written.
uint32_t fixture_llc(const struct segment *segment, uint8_t *b);
uint32_t fixture_ul_unitdata(uint32_t tlli, uint16_t bvci, const uint8_t *llc, uint32_t octets,
                             uint8_t *b);

// Puts an NS PDU from that NS-VC (or from an endpoint that none has) behind the burst, with padding
// behind it.
#define STRANGER 99u
struct rte_mbuf *fixture_put(uint32_t nsvc, const uint8_t *pdu, uint32_t octets);
void fixture_put_segment(const struct segment *segment);

// Gives the burst to the uplink, and asserts that packets and octets are conserved.
void fixture_burst(void);
void fixture_give(const struct segment *segment);
void fixture_give_number(uint32_t ms, uint32_t number); // a segment that is an N-PDU, for NSAPI 5
void fixture_give_pdu(uint32_t nsvc, const uint8_t *pdu, uint32_t octets);
void fixture_assert_conserved(void);

// ---- Out. ----

struct stats_drop fixture_dropped(void); // frames and segments, all reasons

// That frames, or segments, were dropped for that reason, and nothing else was but that.
#define ASSERT_FRAMES(reason, count) \
    assert_int_equal(u.stats.of_port[STATS_GB].drop[DROP_##reason].packets, count)
#define ASSERT_SEGMENTS(reason, count, of_octets)                           \
    do {                                                                    \
        assert_int_equal(u.stats.up.drop[DROP_##reason].packets, count);    \
        assert_int_equal(u.stats.up.drop[DROP_##reason].octets, of_octets); \
    } while (0)

// The next frame of Gn, sent by up_output, holds this N-PDU for that context's GGSN; or there is
// none.
void fixture_expect(uint32_t pdp, const uint8_t *npdu, uint32_t octets);
void fixture_expect_any(uint32_t pdp); // the data of a segment that named none
void fixture_expect_nothing(void);
void fixture_expect_numbers(uint32_t ms, uint32_t n); // so many of fixture_give_number, and no more

// The next frame of the port: NULL if there is none.
struct rte_mbuf *fixture_take(struct port_device *device);

// The next event, and what is in it; its buffer goes back.
void fixture_expect_event(enum event_kind kind, uint32_t nsvc, const uint8_t *pdu, uint32_t octets);
bool fixture_event(struct event *event);

// Octets that tell their place, from a seed; and those of a segment that names none.
const uint8_t *fixture_npdu(void);
void fixture_fill(uint8_t *b, uint32_t octets, uint32_t seed);

#endif
