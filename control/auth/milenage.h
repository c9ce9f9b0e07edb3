// Milenage, the algorithms of authentication of 3GPP TS 35.206 over AES-128, with the constants of
// its clause 4.1; keys of a USIM, and those of a SIM made of them (TS 33.102 6.8.1.2).
//
// AES and nothing else comes from intel-ipsec-mb, which wants a processor with AES instructions.
// Control calls it, for a phone that proves who it is; it is nothing of the hot path.
#ifndef SLUICE_AUTH_MILENAGE_H
#define SLUICE_AUTH_MILENAGE_H

#include <stdbool.h>
#include <stdint.h>

#define MILENAGE_BLOCK_OCTETS 16u
#define MILENAGE_SQN_OCTETS   6u
#define MILENAGE_AMF_OCTETS   2u
#define MILENAGE_MAC_OCTETS   8u
#define MILENAGE_RES_OCTETS   8u

struct milenage_card {
    uint8_t k[MILENAGE_BLOCK_OCTETS], opc[MILENAGE_BLOCK_OCTETS];
};

// f1 and f1*: MAC-A and MAC-S.
struct milenage_mac {
    uint8_t a[MILENAGE_MAC_OCTETS], s[MILENAGE_MAC_OCTETS];
};

// f2, f3, f4, f5 and f5*.
struct milenage_keys {
    uint8_t res[MILENAGE_RES_OCTETS];
    uint8_t ck[MILENAGE_BLOCK_OCTETS], ik[MILENAGE_BLOCK_OCTETS];
    uint8_t ak[MILENAGE_SQN_OCTETS], ak_star[MILENAGE_SQN_OCTETS];
};

// Whether this processor can do it; the functions below want that.
bool milenage_ready(void);

void milenage_mac(const struct milenage_card *card, const uint8_t rand[MILENAGE_BLOCK_OCTETS],
                  const uint8_t sqn[MILENAGE_SQN_OCTETS], const uint8_t amf[MILENAGE_AMF_OCTETS],
                  struct milenage_mac *mac);
void milenage_keys(const struct milenage_card *card, const uint8_t rand[MILENAGE_BLOCK_OCTETS],
                   struct milenage_keys *keys);

#define MILENAGE_SRES_OCTETS  4u
#define MILENAGE_KC_OCTETS    8u
#define MILENAGE_KC128_OCTETS 16u

// c2 and c3: what a SIM answers, and its Kc.
void milenage_sres(const struct milenage_keys *keys, uint8_t sres[MILENAGE_SRES_OCTETS]);
void milenage_kc(const struct milenage_keys *keys, uint8_t kc[MILENAGE_KC_OCTETS]);
// TS 33.102 annex B.5.
void milenage_kc128(const struct milenage_keys *keys, uint8_t kc128[MILENAGE_KC128_OCTETS]);

#endif
