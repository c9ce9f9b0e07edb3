// What the tests of the Gb receiver share: a receiver with its catch, and a maker of frames.
#ifndef TESTS_ORACLE_RECEIVER_FIXTURE_H
#define TESTS_ORACLE_RECEIVER_FIXTURE_H

#include <stdbool.h>

#include "tests/oracle/gb_receiver.h"

// Where things stand in a frame like `single`; with a 15-bit LLC-PDU length LLC is one further.
enum { IP = 14, UDP = 34, NS = 42, TLLI = 47, LLC_IE = 61, LLC = 63, SNDCP = 66, NPDU = 70 };
enum { F = 0x40, UNITDATA = 0x20, M = 0x10 };

struct frame {
    uint8_t at[1700];
    size_t len, llc; // llc: where the LLC frame begins
};

// What a built frame carries.
struct spec {
    uint32_t tlli;
    uint8_t sapi, nsapi, bits; // bits: F and M
    unsigned nu, npdu_number, segment;
    size_t len;
    const uint8_t *octets;
};
extern const struct spec plain; // the typed frame `single`
extern const uint8_t octets_1520[GB_NPDU_OCTETS_MAX];

struct caught {
    struct gb_receiver *receiver;
    struct gb_npdu npdu; // the last
    uint8_t octets[GB_NPDU_OCTETS_MAX];
    unsigned npdus;
};

// CMocka's fixture; *state is a struct caught.
int receiver_setup(void **state);
int receiver_teardown(void **state);
#define RECEIVER_TEST(name) cmocka_unit_test_setup_teardown(name, receiver_setup, receiver_teardown)

int receiver_fed(struct caught *caught, const uint8_t *octets, size_t len);

// Feeds a frame and fails the test on any other verdict; remembers which verdicts were met.
void expect_verdict(struct caught *caught, struct frame f, enum gb_error error);
extern bool expected_verdicts[GB_ERR_COUNT];
void expect_npdu(const struct caught *caught, const uint8_t *octets, size_t len);

void put16(uint8_t *at, size_t value);
void frame_ip_checksum(struct frame *f);
void frame_udp_checksum(struct frame *f);
void frame_fcs(struct frame *f);
void frame_lengths(struct frame *f);         // IP total length and UDP length, from f->len
struct frame frame_repaired(struct frame f); // FCS and both checksums; no length
struct frame frame_typed(const uint8_t *octets, size_t len);
#define TYPED(octets) frame_typed(octets, sizeof(octets))
void frame_insert(struct frame *f, size_t at, const uint8_t *octets, size_t count);
struct frame frame_built(const struct spec *s);

#endif
