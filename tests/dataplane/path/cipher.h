// Ciphers of the MSs of path.h, both ways, by libosmocore (GPL: in test programs alone). INPUT, key
// stream and OC are the oracles' own.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_CIPHER_H
#define SLUICE_TESTS_DATAPLANE_PATH_CIPHER_H

#include <stdint.h>

// After path_open: the receiver deciphers.
void path_ciphers_begin(void);

// A new random key: gea 0, 3 or 4. The numbers of both ways begin anew.
void path_key(uint32_t ms, uint8_t gea);

// The largest OC that either oracle has asked for.
extern uint32_t path_oc_most;

#endif
