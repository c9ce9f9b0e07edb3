// The GPRS encryption algorithms GEA3 and GEA4 (3GPP TS 55.216, 55.226): KASUMI in mode f8 (TS
// 35.201, 35.202) over an LLC frame's information field and FCS, octet for octet. GEA3's key is Kc
// twice; INPUT is made by dataplane/wire/llc_cipher.h.
//
// cipher_run() takes many segments at once, since that is what makes it fast: one lane of a vector
// register each. The fastest variant that the processor has is chosen once, by cipher_choose();
// until then it is the scalar one, so a forgotten call is slow and never wrong. All variants are
// equal octet for octet. GEA1 and GEA2 are broken and GEA5 is not public: not here.
#ifndef SLUICE_CIPHER_CIPHER_H
#define SLUICE_CIPHER_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CIPHER_KEY_OCTETS     16u
#define CIPHER_SEGMENT_OCTETS 1600u // at most; LLC's longest is 1523
#define CIPHER_GATHERED       1024u // sorted by length together; more in a call are taken in turns
#define CIPHER_SCRATCH_OCTETS (120u * 1024)

enum cipher_direction { CIPHER_UPLINK = 0, CIPHER_DOWNLINK = 1 };

struct cipher_segment {
    const uint8_t *key; // CIPHER_KEY_OCTETS
    uint8_t *octets;    // the key stream is XORed to these, wherever they lie
    uint32_t input;
    uint16_t length_octets;
    uint8_t direction;
};

// A worker's own, on a cache line; it need not be cleared, and nothing in it outlives a call.
struct cipher_scratch {
    uint8_t octets[CIPHER_SCRATCH_OCTETS] __attribute__((aligned(64)));
};

typedef void cipher_run_fn(struct cipher_scratch *scratch, const struct cipher_segment *segments,
                           uint32_t n);

struct cipher_variant {
    const char *name;
    bool (*supported)(void);
    cipher_run_fn *run;
};

// From the slowest to the fastest.
extern const struct cipher_variant cipher_variants[];
extern const uint32_t cipher_variant_count;

// Takes the fastest supported variant for cipher_run() and returns it.
const struct cipher_variant *cipher_choose(void);

// The variant of that name, supported or not; NULL if there is none.
const struct cipher_variant *cipher_variant_named(const char *name);

extern cipher_run_fn *cipher_run;

// --- Set-up (cipher_setup.c) ---------------------------------------------------------------------

// Makes the variant ipsec-mb ready, which without it is not supported; nor is it where the library
// finds no AES instructions. Once, before cipher_choose() and before workers start.
void cipher_setup(void);
void cipher_release(void);

// The key that segments carry, from Kc as the HLR gave it. 0; -ENOTSUP for GEA1, GEA2 and GEA5;
// -EINVAL for a name nobody knows or a Kc of another length. Then *why says it in words.
int cipher_key(const char *algorithm, const uint8_t *kc, size_t kc_octets,
               uint8_t key[CIPHER_KEY_OCTETS], const char **why);

#endif
