// KASUMI f8 in scalar registers, for streams too few for a bit-sliced run and for processors
// without wide registers. Each step runs for WAYS streams, since one stream alone waits for its
// table look-ups. The look-ups are indexed by secrets, so unlike the bit-sliced form this one leaks
// through the cache.
#include "dataplane/cipher/kasumi.h"

#include <string.h>

#define WAYS   4u
#define ROUNDS 8u

// The subkeys of one round (clause 4.6), for each way.
struct round_keys {
    uint16_t kl[2][WAYS], ko[3][WAYS], ki[3][WAYS];
};

struct ways {
    struct round_keys round[ROUNDS];
    uint32_t left[WAYS], right[WAYS]; // a block
};

#define EACH_WAY _Pragma("GCC unroll 4") for (uint32_t w = 0; w < WAYS; w++)

static uint16_t rotated(uint16_t x, uint32_t by)
{
    return (uint16_t)(x << by | x >> (16 - by));
}

static void schedule_one(struct ways *ways, uint32_t w, const uint8_t *key, uint16_t modifier)
{
    uint16_t k[8], kc[8];
    for (uint32_t j = 0; j < 8; j++) {
        k[j] = (uint16_t)(key[2 * j] << 8 | key[2 * j + 1]) ^ modifier;
        kc[j] = k[j] ^ cipher_kasumi_c[j];
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct round_keys *r = &ways->round[i];
        r->kl[0][w] = rotated(k[i], 1);
        r->kl[1][w] = kc[(i + 2) & 7];
        r->ko[0][w] = rotated(k[(i + 1) & 7], 5);
        r->ko[1][w] = rotated(k[(i + 5) & 7], 8);
        r->ko[2][w] = rotated(k[(i + 6) & 7], 13);
        r->ki[0][w] = kc[(i + 4) & 7];
        r->ki[1][w] = kc[(i + 3) & 7];
        r->ki[2][w] = kc[(i + 7) & 7];
    }
}

// FI (clause 4.4) of each way.
static inline void fi(uint32_t x[WAYS], const uint16_t ki[WAYS])
{
    EACH_WAY
    {
        uint32_t seven = x[w] & 0x7f;
        uint32_t nine = cipher_kasumi_s9[x[w] >> 7] ^ seven;
        seven = cipher_kasumi_s7[seven] ^ (nine & 0x7f) ^ ki[w] >> 9;
        nine = cipher_kasumi_s9[nine ^ (ki[w] & 0x1ff)] ^ seven;
        x[w] = (cipher_kasumi_s7[seven] ^ (nine & 0x7f)) << 9 | nine;
    }
}

static inline void fl(uint32_t x[WAYS], const struct round_keys *r)
{
    EACH_WAY
    {
        uint16_t left = (uint16_t)(x[w] >> 16), right = (uint16_t)x[w];
        right ^= rotated(left & r->kl[0][w], 1);
        left ^= rotated(right | r->kl[1][w], 1);
        x[w] = (uint32_t)left << 16 | right;
    }
}

static inline void fo(uint32_t x[WAYS], const struct round_keys *r)
{
    uint32_t left[WAYS], right[WAYS], t[WAYS];
    EACH_WAY
    {
        left[w] = x[w] >> 16;
        right[w] = x[w] & 0xffff;
    }
    for (uint32_t j = 0; j < 3; j++) {
        EACH_WAY t[w] = left[w] ^ r->ko[j][w];
        fi(t, r->ki[j]);
        EACH_WAY
        {
            left[w] = right[w];
            right[w] ^= t[w];
        }
    }
    EACH_WAY x[w] = left[w] << 16 | right[w];
}

static void kasumi(struct ways *ways)
{
    uint32_t t[WAYS];
    for (uint32_t i = 0; i < ROUNDS; i += 2) {
        memcpy(t, ways->left, sizeof t);
        fl(t, &ways->round[i]);
        fo(t, &ways->round[i]);
        EACH_WAY t[w] = ways->right[w] ^= t[w];
        fo(t, &ways->round[i + 1]);
        fl(t, &ways->round[i + 1]);
        EACH_WAY ways->left[w] ^= t[w];
    }
}

// KASUMI of each way's block, which is in memory order before and after.
static void kasumi_of(struct ways *ways, uint64_t block[WAYS])
{
    EACH_WAY
    {
        ways->left[w] = __builtin_bswap32((uint32_t)block[w]);
        ways->right[w] = __builtin_bswap32((uint32_t)(block[w] >> 32));
    }
    kasumi(ways);
    EACH_WAY block[w] =
        (uint64_t)__builtin_bswap32(ways->right[w]) << 32 | __builtin_bswap32(ways->left[w]);
}

// --- f8 ------------------------------------------------------------------------------------------

static void schedule(struct ways *ways, struct kasumi_stream *const stream[WAYS], uint16_t modifier)
{
    for (uint32_t w = 0; w < WAYS; w++)
        schedule_one(ways, w, stream[w]->key, modifier);
}

// A = KASUMI of the initial value under the key with the modifier (TS 35.201 clause 3.4).
static void begin(struct ways *ways, struct kasumi_stream *const stream[WAYS])
{
    uint64_t a[WAYS];
    EACH_WAY a[w] = stream[w]->a;
    schedule(ways, stream, KASUMI_KM);
    kasumi_of(ways, a);
    EACH_WAY stream[w]->a = a[w];
}

static void xor_block(const struct kasumi_stream *stream, uint32_t number, uint64_t with)
{
    uint32_t from = number * KASUMI_BLOCK_OCTETS;
    if (stream->length_octets <= from)
        return;
    uint32_t left = stream->length_octets - from;
    uint8_t *at = stream->octets + from;
    uint64_t v;
    if (left >= sizeof v) {
        memcpy(&v, at, sizeof v);
        v ^= with;
        memcpy(at, &v, sizeof v);
        return;
    }
    for (; left; left--, at++, with >>= 8)
        *at ^= (uint8_t)with;
}

static void run(struct kasumi_stream *const stream[WAYS], uint32_t done)
{
    struct ways ways;
    uint64_t block[WAYS];
    uint32_t blocks = 0;
    if (!done)
        begin(&ways, stream);
    schedule(&ways, stream, 0);
    EACH_WAY
    {
        block[w] = stream[w]->last;
        if (blocks < kasumi_blocks(stream[w]->length_octets))
            blocks = kasumi_blocks(stream[w]->length_octets);
    }
    for (uint32_t number = done; number < blocks; number++) {
        EACH_WAY block[w] ^= stream[w]->a ^ __builtin_bswap64(number);
        kasumi_of(&ways, block);
        EACH_WAY xor_block(stream[w], number, block[w]);
    }
}

void cipher_kasumi_scalar(struct kasumi_stream *streams, uint32_t n, uint32_t done)
{
    for (uint32_t i = 0; i < n; i += WAYS) {
        // ways without a stream compute unused results
        struct kasumi_stream unused = {.key = streams[i].key};
        struct kasumi_stream *stream[WAYS];
        for (uint32_t w = 0; w < WAYS; w++)
            stream[w] = i + w < n ? &streams[i + w] : &unused;
        run(stream, done);
    }
}
