// A world of path.h in which whatever matters takes turns: both IP families on both sides, all
// classes and SAPIs, each cipher, N201-U from the least to the most.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_TURNS_H
#define SLUICE_TESTS_DATAPLANE_PATH_TURNS_H

#include "tests/dataplane/path/path.h"
#include "tests/dataplane/path/cipher.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define STRIDE 5 // a sample: instrumented code is some twenty times slower
#else
#define STRIDE 1
#endif

#define TURNS_N201_US 8u

extern const uint8_t turns_sapis[4], turns_geas[3];
extern const uint16_t turns_n201_us[TURNS_N201_US];

// NSE 0 over IPv4 and NSE 1 over IPv6 with so many cells, which are theirs by turns; GGSN 0 over
// IPv4, GGSN 1 over IPv6.
void turns_open(const struct dp_config *config, uint32_t cells);

// MS and PDP context of one number take turns: families, then classes, SAPIs and, uplink, PM.
void turns_ms(uint32_t ms, uint16_t n201_u, uint8_t gea);

// Each N201-U with each cipher, for each pair of families: 4 x 24 MSs.
void turns_all(void);
#define TURNS_ALL (3 * TURNS_N201_US)

// How a test sends an N-PDU, and counts it.
typedef void turns_send(uint32_t pdp, size_t octets, uint32_t *sent);

// After turns_all: each N201-U with each cipher has every size; the pairs of families take
// turns.
void turns_every_size(turns_send *send, uint32_t stride, uint32_t *sent);

// MSs of every N201-U, for some N-PDUs of random sizes.
void turns_every_n201_u(turns_send *send, uint32_t *sent);

#endif
