// One MS with two PDP contexts, and what came out of it: the last N-PDU, and the LLC PDUs that it
// sent. Frames for the MS are laid out here octet by octet, with the FCS of tests/oracle.
#ifndef TESTS_LAB_MS_FIXTURE_H
#define TESTS_LAB_MS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lab/ms/ms.h"
#include "tests/oracle/ul_sender.h"

#define PDUS_MAX 64

struct fixture {
    struct ms_shared shared;
    struct ms_counters counters;
    struct ms ms;
    uint64_t npdus, octets; // delivered
    uint8_t nsapi, npdu[SNDCP_SEGMENTS_MAX * LLC_N201_U_MAX];
    uint32_t npdu_octets;
    uint64_t npdus_lost; // as told, and what was told last
    enum ms_lost why;
    uint32_t pdus; // sent
    struct ul_llc pdu[PDUS_MAX];
};
extern struct fixture f;

#define IOV_UI 0xfffffe00u
extern const uint8_t kc[16];

// NSAPI 5 on SAPI 3 and NSAPI 6 on SAPI 9, N201-U 1520, no key. fixture_key: GEA4, or none.
int fixture_begin(void **state);
int fixture_end(void **state);
void fixture_key(uint8_t gea);

// A test with both around it; the books are looked at in the end as well.
#define MS_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)

// An LLC PDU arrives; then the books are looked at.
void fixture_down(const uint8_t *llc, uint32_t octets);

// A UI frame with these octets of information; `number` is N(U) + OC. It is enciphered (by
// libosmocore) if the fixture has a key. `flip` is XORed to the FCS's last octet.
void fixture_ui(uint8_t sapi, uint32_t number, const uint8_t *info, uint32_t octets, uint8_t flip);

// A segment in the next UI frame of SAPI 3, for NSAPI 5.
void fixture_segment(bool first, bool more, uint8_t segment, uint16_t npdu, uint32_t octets);
extern uint32_t fixture_number; // of that next frame

// A U frame: command or response of the SGSN by `address`, 0x43 or 0x03 for SAPI 3.
void fixture_u(uint8_t address, uint8_t control, const uint8_t *info, uint32_t octets);

// The SGSN's XID command with Reset and an IOV-UI; returns its octets.
uint32_t fixture_reset(uint32_t iov_ui, uint8_t *b);

void fixture_expect(uint64_t npdus, uint64_t octets);
void fixture_expect_fault(uint64_t faults, const char *text);

// libosmocore's key stream to `octets`, for INPUT of its own. gea 3 or 4.
void fixture_cipher(uint8_t gea, const uint8_t *key, uint32_t iov_ui, uint8_t sapi, uint32_t number,
                    bool downlink, uint8_t *octets, size_t n);

#endif
