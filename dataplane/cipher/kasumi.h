// KASUMI f8 (3GPP TS 35.201 clause 3, TS 35.202) between cipher.c and its forms. A kasumi_stream is
// a key stream in its state between two blocks. A form advances streams and XORs the new blocks to
// their octets. Blocks are 64 bits in memory order: on this little-endian machine the first octet
// is the low one.
#ifndef SLUICE_CIPHER_KASUMI_H
#define SLUICE_CIPHER_KASUMI_H

#include <stdint.h>

#define KASUMI_BLOCK_OCTETS 8u

struct kasumi_stream {
    const uint8_t *key; // 16 octets
    uint8_t *octets;    // the first one of the frame
    uint64_t a;         // the initial value before the first block, then register A
    uint64_t last;      // the last block of key stream, 0 before the first
    uint32_t length_octets;
};

#define KASUMI_KM 0x5555u // key modifier of f8, KM, in each 16-bit word

// TS 35.202: the S-boxes (clause 4.5), and Cj of the key schedule (4.6), where Kj' = Kj xor Cj.
extern const uint8_t cipher_kasumi_s7[128];
extern const uint16_t cipher_kasumi_s9[512];
extern const uint16_t cipher_kasumi_c[8];

static inline uint32_t kasumi_blocks(uint32_t octets)
{
    return (octets + KASUMI_BLOCK_OCTETS - 1) / KASUMI_BLOCK_OCTETS;
}

// The initial value of GEA3 (TS 55.216) and GEA4 (TS 55.226): CC = INPUT, CB = 0, CD = DIRECTION,
// CA = 0xff, CE = 0.
static inline uint64_t kasumi_initial(uint32_t input, uint32_t direction)
{
    return __builtin_bswap64((uint64_t)input << 32 | (uint64_t)direction << 26 | 0xff0000u);
}

#define KASUMI_SCRATCH_OCTETS (62u * 1024)

// The bit-sliced forms: at most as many streams as there are lanes (256, 512), each from its
// beginning for `blocks` blocks.
void cipher_kasumi_avx2(void *scratch, struct kasumi_stream *streams, uint32_t n, uint32_t blocks);
void cipher_kasumi_avx512(void *scratch, struct kasumi_stream *streams, uint32_t n,
                          uint32_t blocks);

// The forms for few: any number of streams after `done` blocks each, to their ends. The first
// stream is the longest.
void cipher_kasumi_scalar(struct kasumi_stream *streams, uint32_t n, uint32_t done);
void cipher_kasumi_few_avx512(struct kasumi_stream *streams, uint32_t n, uint32_t done);

#endif
