// The MS's side of ciphering: deciphers UI frames, with N(U) and the overflow counter OC of a
// receiver (TS 44.064 8.4.2, annex A.2). Uses the project's own cipher.
#ifndef SLUICE_LAB_BSS_DECIPHER_H
#define SLUICE_LAB_BSS_DECIPHER_H

#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/llc.h"

#define DECIPHER_SAPIS 16

struct decipher {
    uint8_t key[CIPHER_KEY_OCTETS];
    uint32_t iov_ui;
    uint32_t next[DECIPHER_SAPIS]; // by SAPI: V(UR) + OC
};

// gea: 3 or 4. Returns 0 or the fault of cipher_key.
int decipher_begin(struct decipher *d, uint8_t gea, struct octets kc, uint32_t iov_ui);

// Deciphers the whole frame into `clear`, and points llc's information there; `llc` is the decoded
// frame. Returns NULL, or a text of what is wrong.
const char *decipher_frame(struct decipher *d, struct cipher_scratch *scratch, struct octets frame,
                           struct llc_ui *llc, uint8_t *clear);

#endif
