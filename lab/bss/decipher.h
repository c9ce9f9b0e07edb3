// The MS's side of ciphering: UI frames back to plaintext, with the number of each and the overflow
// counter OC as a receiver keeps them (TS 44.064 8.4.2, annex A.2). By the project's own cipher.
#ifndef SLUICE_LAB_BSS_DECIPHER_H
#define SLUICE_LAB_BSS_DECIPHER_H

#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/llc.h"

#define DECIPHER_SAPIS 16

struct decipher {
    uint8_t key[CIPHER_KEY_OCTETS];
    uint32_t iov_ui;
    uint32_t next[DECIPHER_SAPIS]; // by SAPI: N(U) of the next frame, plus OC
};

// `gea` is 3 or 4. 0 or what cipher_key says.
int decipher_begin(struct decipher *d, uint8_t gea, struct octets kc, uint32_t iov_ui);

// `frame` is the whole frame, which was decoded to `llc`; its plaintext goes to `clear`, and llc's
// information is there then. NULL, or in words what is wrong.
const char *decipher_frame(struct decipher *d, struct cipher_scratch *scratch, struct octets frame,
                           struct llc_ui *llc, uint8_t *clear);

#endif
