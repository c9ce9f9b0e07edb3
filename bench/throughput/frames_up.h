// What of an UL-UNITDATA is its MS's: NS-VC, cell, TLLI, numbers, FCS, cipher.
#ifndef SLUICE_BENCH_THROUGHPUT_FRAMES_UP_H
#define SLUICE_BENCH_THROUGHPUT_FRAMES_UP_H

#include "bench/throughput/population.h"
#include "dataplane/cipher/cipher.h"

// A burst that is to be enciphered together.
struct frames_up {
    struct cipher_scratch scratch;
    uint8_t key[OPTIONS_BURST][CIPHER_KEY_OCTETS];
    struct cipher_frame cipher_frame[OPTIONS_BURST];
    uint32_t cipher_frames;
};

// Writes it into a copy of the frame at b.
void frames_up_put(struct frames_up *up, const struct population *population, uint32_t worker,
                   const struct frame *frame, uint32_t ms, uint8_t *b);
void frames_up_encipher(struct frames_up *up);

#endif
