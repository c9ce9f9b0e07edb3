// The GPRS encryption algorithms GEA3 and GEA4 (3GPP TS 55.216, 55.226): KASUMI in mode f8 (TS
// 35.201, 35.202) over an LLC frame's information field and FCS. GEA3's key is Kc twice;
// dataplane/wire/llc_cipher.h makes INPUT.
//
// cipher_run() takes many frames at once, each in a lane of a vector register, for speed.
// cipher_choose() selects the fastest variant of this processor, once; before that call
// cipher_run() is the scalar variant. All variants give the same octets. Left out: GEA1 and GEA2,
// which are broken, and GEA5, which is not public.
#ifndef SLUICE_CIPHER_CIPHER_H
#define SLUICE_CIPHER_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CIPHER_KEY_OCTETS     16u
#define CIPHER_FRAME_OCTETS   1600u // at most; LLC's longest is 1523
#define CIPHER_GATHERED       1024u // sorted by length together; a call with more is split
#define CIPHER_SCRATCH_OCTETS (120u * 1024)

enum cipher_direction { CIPHER_UPLINK = 0, CIPHER_DOWNLINK = 1 };

struct cipher_frame {
    const uint8_t *key; // CIPHER_KEY_OCTETS
    uint8_t *octets;    // XORed with the key stream
    uint32_t input;
    uint16_t length_octets;
    uint8_t direction;
};

// A worker's own, on a cache line; it needs no clearing and keeps nothing between calls.
struct cipher_scratch {
    uint8_t octets[CIPHER_SCRATCH_OCTETS] __attribute__((aligned(64)));
};

typedef void cipher_run_fn(struct cipher_scratch *scratch, const struct cipher_frame *frames,
                           uint32_t n);

struct cipher_variant {
    const char *name;
    uint32_t bits; // of its registers
    bool (*supported)(void);
    cipher_run_fn *run;
};

// From the slowest to the fastest.
extern const struct cipher_variant cipher_variants[];
extern const uint32_t cipher_variant_count;

// Makes cipher_run() the fastest supported variant, and returns that variant.
const struct cipher_variant *cipher_choose(void);

// From now on none with more bits is chosen, as on a processor without them.
void cipher_limit(uint32_t bits);

// The variant of that name, supported or not; NULL if there is none.
const struct cipher_variant *cipher_variant_named(const char *name);

extern cipher_run_fn *cipher_run;

// --- Set-up (cipher_setup.c) ---------------------------------------------------------------------

// Sets the variant ipsec-mb up, which is unsupported before, and where the library finds no AES
// instructions. Called once, before cipher_choose() and before workers start.
void cipher_setup(void);
void cipher_release(void);

// The key for frames, from Kc of the HLR. 0; -ENOTSUP for GEA1, GEA2 and GEA5; -EINVAL for an
// unknown name or a Kc of another length. On an error *why is the reason in words.
int cipher_key(const char *algorithm, const uint8_t *kc, size_t kc_octets,
               uint8_t key[CIPHER_KEY_OCTETS], const char **why);

#endif
