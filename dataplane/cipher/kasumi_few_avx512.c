// KASUMI f8 for streams too few to fill bit-sliced lanes: a register holds one 16-bit word of 32
// streams. The S-boxes are looked up inside registers, by permutations, so as in the bit-sliced
// form no address and no branch depends on a secret. Two groups of 32 run interleaved, since one
// group alone waits for its permutations.
//
// S9 is quadratic (TS 35.202 clause 4.5.2). With x = h 2^6 + l it is S9(l) + (S9(h 2^6) + S9(0))
// and, for each bit j set in h, a linear map of l: B_j(l) = S9(2^j + l) + S9(l) + S9(2^j) + S9(0).
// These four tables of 64 and one of 8 replace a table of 512.
#include <stdbool.h>

#define V_OCTETS 64
#include "dataplane/cipher/kasumi_lanes.h"

#define GROUPS  2u
#define WORDS   32u // streams of a group
#define STREAMS (GROUPS * WORDS)
#define ROUNDS  8u

typedef __m512i W; // 32 words of 16 bits

// A table of 64 words.
struct table {
    W low, high;
};

struct sboxes {
    struct table s7[2], s9, b[3];
    W s9_high;
};

// The subkeys of one round (clause 4.6); KI split into its seven and its nine bits.
struct round_keys {
    W kl[2], ko[3], ki7[3], ki9[3];
};

// A group's registers: A and the last block, each as four words from the left.
struct group {
    struct round_keys round[ROUNDS];
    W a[4], last[4];
};

// --- S-boxes -------------------------------------------------------------------------------------

INLINE W word(uint32_t value)
{
    return _mm512_set1_epi16((short)value);
}

INLINE W look_up(struct table t, W at)
{
    return _mm512_permutex2var_epi16(t.low, at, t.high);
}

static struct table widened(const uint8_t *octets)
{
    return (struct table){
        _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)octets)),
        _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(octets + WORDS)))};
}

// S9(from + l) + S9(l) + S9(from) + S9(0), or S9(l) alone.
static struct table s9_from(uint32_t from)
{
    const uint16_t *s = cipher_kasumi_s9;
    struct table t = {_mm512_loadu_si512(s + from), _mm512_loadu_si512(s + from + WORDS)};
    if (from) {
        W constant = word(s[from] ^ s[0]);
        t.low = _mm512_ternarylogic_epi64(t.low, _mm512_loadu_si512(s), constant, 0x96);
        t.high = _mm512_ternarylogic_epi64(t.high, _mm512_loadu_si512(s + WORDS), constant, 0x96);
    }
    return t;
}

static struct sboxes sboxes(void)
{
    uint16_t high[WORDS] = {0};
    for (uint32_t h = 0; h < 8; h++)
        high[h] = cipher_kasumi_s9[h << 6] ^ cipher_kasumi_s9[0];
    return (struct sboxes){.s7 = {widened(cipher_kasumi_s7), widened(cipher_kasumi_s7 + 2 * WORDS)},
                           .s9 = s9_from(0),
                           .b = {s9_from(1 << 6), s9_from(1 << 7), s9_from(1 << 8)},
                           .s9_high = _mm512_loadu_si512(high)};
}

// S7 of the low seven bits.
INLINE W s7(const struct sboxes *s, W x)
{
    return _mm512_mask_blend_epi16(_mm512_test_epi16_mask(x, word(1 << 6)), look_up(s->s7[0], x),
                                   look_up(s->s7[1], x));
}

INLINE W s9_bit(const struct sboxes *s, uint32_t bit, W x)
{
    return _mm512_maskz_permutex2var_epi16(_mm512_test_epi16_mask(x, word(1u << bit)),
                                           s->b[bit - 6].low, x, s->b[bit - 6].high);
}

// S9 of x, a nine-bit value, xor `more`.
INLINE W s9(const struct sboxes *s, W x, W more)
{
    W y = _mm512_permutexvar_epi16(_mm512_srli_epi16(x, 6), s->s9_high);
    y = _mm512_ternarylogic_epi64(y, look_up(s->s9, x), s9_bit(s, 6, x), 0x96);
    return _mm512_ternarylogic_epi64(y, _mm512_xor_si512(s9_bit(s, 7, x), s9_bit(s, 8, x)), more,
                                     0x96);
}

// --- KASUMI --------------------------------------------------------------------------------------

INLINE W rotated(W x, uint32_t by)
{
    return _mm512_or_si512(_mm512_slli_epi16(x, by), _mm512_srli_epi16(x, 16 - by));
}

// FI (clause 4.4)
INLINE W fi(const struct sboxes *s, W x, W ki7, W ki9)
{
    const W low7 = word(0x7f);
    W nine = s9(s, _mm512_srli_epi16(x, 7), _mm512_and_si512(x, low7));
    W seven = _mm512_ternarylogic_epi64(s7(s, x), nine, low7, 0x78);
    seven = _mm512_xor_si512(seven, ki7);
    nine = s9(s, _mm512_xor_si512(nine, ki9), seven);
    seven = _mm512_ternarylogic_epi64(s7(s, seven), nine, low7, 0x78);
    return _mm512_or_si512(_mm512_slli_epi16(seven, 9), nine);
}

INLINE void fl(W x[2], const struct round_keys *r)
{
    x[1] = _mm512_xor_si512(x[1], rotated(_mm512_and_si512(x[0], r->kl[0]), 1));
    x[0] = _mm512_xor_si512(x[0], rotated(_mm512_or_si512(x[1], r->kl[1]), 1));
}

INLINE void fo(const struct sboxes *s, W x[2], const struct round_keys *r)
{
#pragma GCC unroll 3
    for (uint32_t j = 0; j < 3; j++) {
        W t = fi(s, _mm512_xor_si512(x[0], r->ko[j]), r->ki7[j], r->ki9[j]);
        x[0] = x[1];
        x[1] = _mm512_xor_si512(x[1], t);
    }
}

INLINE void add(W x[2], const W y[2])
{
    x[0] = _mm512_xor_si512(x[0], y[0]);
    x[1] = _mm512_xor_si512(x[1], y[1]);
}

// KASUMI of each group's block of four words.
INLINE void kasumi(const struct sboxes *s, const struct group *group, W block[][4], uint32_t groups)
{
    W t[GROUPS][2];
    for (uint32_t i = 0; i < ROUNDS; i += 2) {
#pragma GCC unroll 2
        for (uint32_t g = 0; g < groups; g++) {
            t[g][0] = block[g][0];
            t[g][1] = block[g][1];
            fl(t[g], &group[g].round[i]);
        }
#pragma GCC unroll 2
        for (uint32_t g = 0; g < groups; g++) {
            fo(s, t[g], &group[g].round[i]);
            add(block[g] + 2, t[g]);
            t[g][0] = block[g][2];
            t[g][1] = block[g][3];
        }
#pragma GCC unroll 2
        for (uint32_t g = 0; g < groups; g++) {
            fo(s, t[g], &group[g].round[i + 1]);
            fl(t[g], &group[g].round[i + 1]);
            add(block[g], t[g]);
        }
    }
}

static void schedule(struct group *group, const W key[8], uint32_t modifier)
{
    W k[8], kc[8];
    for (uint32_t j = 0; j < 8; j++) {
        k[j] = _mm512_xor_si512(key[j], word(modifier));
        kc[j] = _mm512_xor_si512(k[j], word(cipher_kasumi_c[j]));
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        static const uint8_t ki_from[3] = {4, 3, 7};
        struct round_keys *r = &group->round[i];
        r->kl[0] = rotated(k[i], 1);
        r->kl[1] = kc[(i + 2) & 7];
        r->ko[0] = rotated(k[(i + 1) & 7], 5);
        r->ko[1] = rotated(k[(i + 5) & 7], 8);
        r->ko[2] = rotated(k[(i + 6) & 7], 13);
        for (uint32_t j = 0; j < 3; j++) {
            W ki = kc[(i + ki_from[j]) & 7];
            r->ki7[j] = _mm512_srli_epi16(ki, 9);
            r->ki9[j] = _mm512_and_si512(ki, word(0x1ff));
        }
    }
}

// --- Between streams and words -------------------------------------------------------------------

// Swaps the octets of each word.
INLINE W swapped(W x)
{
    return rotated(x, 8);
}

// Four rows of eight blocks, in memory order, from four words. Within each 128 bits, words 2 k and
// 2 k + 1 belong to the row k.
INLINE void blocks_of_words(const W word[4], V row[4])
{
    W low01 = _mm512_unpacklo_epi16(word[0], word[1]),
      low23 = _mm512_unpacklo_epi16(word[2], word[3]);
    W high01 = _mm512_unpackhi_epi16(word[0], word[1]),
      high23 = _mm512_unpackhi_epi16(word[2], word[3]);
    row[0] = (V)swapped(_mm512_unpacklo_epi32(low01, low23));
    row[1] = (V)swapped(_mm512_unpackhi_epi32(low01, low23));
    row[2] = (V)swapped(_mm512_unpacklo_epi32(high01, high23));
    row[3] = (V)swapped(_mm512_unpackhi_epi32(high01, high23));
}

// The inverse.
static void words_of_blocks(const V row[4], W word[4])
{
    uint16_t from[4 * WORDS], to[WORDS];
    memcpy(from, row, sizeof from);
    for (uint32_t w = 0; w < 4; w++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            uint32_t block = i / 2 % 4 * 8 + i / 8 * 2 + i % 2;
            to[i] = from[4 * block + w];
        }
        word[w] = swapped(_mm512_loadu_si512(to));
    }
}

INLINE uint64_t half_key(const struct kasumi_stream *stream, uint32_t half)
{
    uint64_t value;
    memcpy(&value, stream->key + 8 * half, sizeof value);
    return value;
}

static void load(struct group *group, W key[8], const struct kasumi_stream *streams, uint32_t n)
{
    V row[4][4] = {0};
    for (uint32_t i = 0; i < n; i++) {
        lanes_put(row[0], i, half_key(&streams[i], 0));
        lanes_put(row[1], i, half_key(&streams[i], 1));
        lanes_put(row[2], i, streams[i].a);
        lanes_put(row[3], i, streams[i].last);
    }
    words_of_blocks(row[0], key);
    words_of_blocks(row[1], key + 4);
    words_of_blocks(row[2], group->a);
    words_of_blocks(row[3], group->last);
}

// --- f8 ------------------------------------------------------------------------------------------

INLINE void next_block(const struct sboxes *s, struct group *group, uint32_t groups,
                       uint32_t number, V *row)
{
    W block[GROUPS][4];
#pragma GCC unroll 2
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t w = 0; w < 4; w++)
            block[g][w] = _mm512_xor_si512(group[g].a[w], group[g].last[w]);
        block[g][3] = _mm512_xor_si512(block[g][3], word(number));
    }
    kasumi(s, group, block, groups);
#pragma GCC unroll 2
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t w = 0; w < 4; w++)
            group[g].last[w] = block[g][w];
        blocks_of_words(block[g], row + 4 * g);
    }
}

// A = KASUMI of the initial value under the key with the modifier (TS 35.201 clause 3.4), unless
// the streams have it already; and the subkeys.
INLINE void begin(const struct sboxes *s, struct group *group, const struct kasumi_stream *streams,
                  uint32_t n, uint32_t groups, bool have_a)
{
    W key[GROUPS][8], a[GROUPS][4];
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t before = g * WORDS;
        load(&group[g], key[g], streams + before, n - before < WORDS ? n - before : WORDS);
        schedule(&group[g], key[g], have_a ? 0 : KASUMI_KM);
        memcpy(a[g], group[g].a, sizeof a[g]);
    }
    if (have_a)
        return;
    kasumi(s, group, a, groups);
    for (uint32_t g = 0; g < groups; g++) {
        memcpy(group[g].a, a[g], sizeof a[g]);
        schedule(&group[g], key[g], 0);
    }
}

INLINE void run(const struct sboxes *s, const struct kasumi_stream *streams, uint32_t n,
                uint32_t done, uint32_t groups)
{
    struct group group[GROUPS];
    V rows[V_BLOCKS][4 * GROUPS];
    uint32_t blocks = kasumi_blocks(streams[0].length_octets);
    begin(s, group, streams, n, groups, done);
    for (uint32_t first = done; first < blocks; first += V_BLOCKS) {
        uint32_t now = blocks - first < V_BLOCKS ? blocks - first : V_BLOCKS;
        for (uint32_t b = 0; b < now; b++)
            next_block(s, group, groups, first + b, rows[b]);
        lanes_xor(rows[0], 4 * GROUPS, streams, n, first, now);
    }
}

void cipher_kasumi_few_avx512(struct kasumi_stream *streams, uint32_t n, uint32_t done)
{
    const struct sboxes s = sboxes();
    for (uint32_t here; n; streams += here, n -= here) {
        here = n < STREAMS ? n : STREAMS;
        if (here > WORDS)
            run(&s, streams, here, done, GROUPS);
        else
            run(&s, streams, here, done, 1);
    }
}
