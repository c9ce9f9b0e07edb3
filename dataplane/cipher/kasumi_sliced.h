// KASUMI f8 bit-sliced: a register holds one bit of 256 or 512 streams, each with its own key. One
// source for all widths: a file defines V_OCTETS and KASUMI_SLICED and includes this one.
//
// No table index and no branch depends on a secret: the time depends on lengths alone. The key
// schedule (TS 35.202 clause 4.6) only selects the key bits that a gate reads, since a rotation
// renames bits; so a stream needs its 16 octets of key and no stored schedule.
//
// Bits are in the order of the octets in memory: bit i of the 16-bit word h is row 16 h + (i ^ 8),
// so that octets are never swapped. Stream V_BLOCKS * r + e is bit r of element e of a row.
#include <stdbool.h>

#include "dataplane/cipher/kasumi_lanes.h"

#if V_OCTETS == 64
#define GATE(expression, table, a, b, c) \
    ((V)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), table))
#else
#define GATE(expression, table, a, b, c) (expression)
#endif
#include "dataplane/cipher/kasumi_gates.h"

#define ROWS 64u // bits of a block

struct sliced {
    V key[2 * ROWS];   // Kj, eight words
    V key_c[2 * ROWS]; // Kj' xor FI_AT_0
    V a[ROWS];
    V last[ROWS];
    V row[ROWS];
    V blocks[V_BLOCKS][ROWS + 1]; // one row more: rows at powers of two would share cache sets
};
_Static_assert(sizeof(struct sliced) <= KASUMI_SCRATCH_OCTETS, "more scratch memory");

#define BIT(i) (((i)&15u) ^ 8u) // where bit i of a 16-bit word is
#define K(j)   (s->key + 16 * ((j)&7u))
#define KC(j)  (s->key_c + 16 * ((j)&7u))

// The effect in FI of the S-boxes' constants, which the gates leave out: S9's 167 in the low nine
// bits, S7's 54 xor 167's low seven in the others. In the middle of FI the subkey has them.
#define FI_AT_0 ((54u ^ (167u & 0x7f)) << 9 | 167u)

// --- Between streams and slices ------------------------------------------------------------------

// Exchanges the high half of a's bits, in groups of 2 * shift, with the low half of b's.
INLINE void exchange(V *a, V *b, uint32_t shift, V low)
{
    V up = *b << shift, down = *a >> shift;
    *a = GATE((*a & low) | (up & ~low), 0xd8, up, *a, low);
    *b = GATE((down & low) | (*b & ~low), 0xe4, down, *b, low);
}

INLINE void exchange_8_rows(const V *from, V *to, uint32_t apart, const uint64_t low[3])
{
    V r[8];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 8; i++)
        r[i] = from[i * apart];
#pragma GCC unroll 3
    for (uint32_t level = 0, half = 4; level < 3; level++, half >>= 1)
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 8; i++)
            if (!(i & half))
                exchange(&r[i], &r[i + half], half * apart, (V){0} + low[level]);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 8; i++)
        to[i * apart] = r[i];
}

// Bit b of row r becomes bit r of row b, within each 64-bit element.
static void transpose(const V from[ROWS], V to[ROWS])
{
    static const uint64_t far[3] = {0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff};
    static const uint64_t near[3] = {0x0f0f0f0f0f0f0f0f, 0x3333333333333333, 0x5555555555555555};
    for (uint32_t i = 0; i < 8; i++)
        exchange_8_rows(from + i, to + i, 8, far);
    for (uint32_t i = 0; i < 8; i++)
        exchange_8_rows(to + 8 * i, to + 8 * i, 1, near);
}

// Lanes without a stream work on old scratch memory; nothing reads their results.
static void load_keys(struct sliced *s, const struct kasumi_stream *streams, uint32_t n)
{
    for (uint32_t half = 0; half < 2; half++) {
        V *row = s->key + half * ROWS;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t value;
            memcpy(&value, streams[i].key + 8 * half, sizeof value);
            lanes_put(row, i, value);
        }
        transpose(row, row);
    }
}

// Kj' from Kj, after inverting the bits of Kj that are set in `flipped`.
static void schedule(struct sliced *s, uint32_t flipped)
{
    for (uint32_t j = 0; j < 8; j++)
        for (uint32_t i = 0; i < 16; i++) {
            uint32_t at = 16 * j + BIT(i);
            s->key[at] = flipped >> i & 1 ? ~s->key[at] : s->key[at];
            s->key_c[at] = (cipher_kasumi_c[j] ^ FI_AT_0) >> i & 1 ? ~s->key[at] : s->key[at];
        }
}

// --- KASUMI --------------------------------------------------------------------------------------

// Half of FI (TS 35.202 clause 4.4): nine bits through S9, seven through S7, then combined.
INLINE void half_fi(V nine[9], V seven[7])
{
    V s[9];
    gates_s9(nine, s);
#pragma GCC unroll 9
    for (uint32_t i = 0; i < 9; i++) {
        nine[i] = s[i];
        if (i < 7)
            nine[i] ^= seven[i];
    }
    gates_s7(seven, s);
#pragma GCC unroll 7
    for (uint32_t i = 0; i < 7; i++)
        seven[i] = s[i] ^ nine[i];
}

// FI of x xor (ko rotated left by `rotation`) with the subkey ki, without the constant FI_AT_0.
INLINE void fi(const V *x, const V *ko, uint32_t rotation, const V *ki, V y[16])
{
    V nine[9], seven[7];
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 16; i++) {
        V in = x[BIT(i)] ^ ko[BIT(i - rotation)];
        if (i < 7)
            seven[i] = in;
        else
            nine[i - 7] = in;
    }
    half_fi(nine, seven);
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 16; i++)
        if (i < 9)
            nine[i] ^= ki[BIT(i)];
        else
            seven[i - 9] ^= ki[BIT(i)];
    half_fi(nine, seven);
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 16; i++)
        y[BIT(i)] = i < 9 ? nine[i] : seven[i - 9];
}

// The constant that FI leaves out of the bit in that row.
INLINE V fi_at_0(uint32_t row)
{
    return FI_AT_0 >> BIT(row) & 1 ? ~(V){0} : (V){0};
}

// y = FL(x) of round i (clause 4.2).
INLINE void fl(const struct sliced *s, uint32_t i, const V x[32], V y[32])
{
    const V *kl1 = K(i), *kl2 = KC(i + 2), *l = x, *r = x + 16;
#pragma GCC unroll 16
    for (uint32_t b = 0; b < 16; b++)
        y[16 + BIT(b + 1)] = r[BIT(b + 1)] ^ (l[BIT(b)] & kl1[BIT(b - 1)]);
#pragma GCC unroll 16
    for (uint32_t b = 0; b < 16; b++)
        y[BIT(b + 1)] = l[BIT(b + 1)] ^ (y[16 + BIT(b)] | (kl2[BIT(b)] ^ fi_at_0(BIT(b))));
}

// y ^= FO(x) of round i (clause 4.3), or y = FO(x).
INLINE void fo(const struct sliced *s, uint32_t i, const V x[32], V y[32], bool add)
{
    V t[16], u[16], f[16];
    const V *l = x, *r = x + 16;
    fi(l, K(i + 1), 5, KC(i + 4), f);
#pragma GCC unroll 16
    for (uint32_t b = 0; b < 16; b++)
        t[b] = f[b] ^ r[b] ^ fi_at_0(b);
    fi(r, K(i + 5), 8, KC(i + 3), f);
#pragma GCC unroll 16
    for (uint32_t b = 0; b < 16; b++) {
        u[b] = f[b] ^ t[b] ^ fi_at_0(b);
        y[b] = add ? y[b] ^ u[b] : u[b];
    }
    fi(t, K(i + 6), 13, KC(i + 7), f);
#pragma GCC unroll 16
    for (uint32_t b = 0; b < 16; b++) {
        V v = f[b] ^ u[b] ^ fi_at_0(b);
        y[16 + b] = add ? y[16 + b] ^ v : v;
    }
}

static __attribute__((noinline)) void odd_round(const struct sliced *s, uint32_t i, const V x[32],
                                                V y[32])
{
    V t[32];
    fl(s, i, x, t);
    fo(s, i, t, y, true);
}

static __attribute__((noinline)) void even_round(const struct sliced *s, uint32_t i, const V x[32],
                                                 V y[32])
{
    V t[32], u[32];
    fo(s, i, x, t, false);
    fl(s, i, t, u);
#pragma GCC unroll 32
    for (uint32_t b = 0; b < 32; b++)
        y[b] ^= u[b];
}

static void kasumi(const struct sliced *s, V block[ROWS])
{
    for (uint32_t i = 0; i < 8; i += 2) {
        odd_round(s, i, block, block + 32);
        even_round(s, i + 1, block + 32, block);
    }
}

// --- f8 ------------------------------------------------------------------------------------------

// A = KASUMI of the initial value under the key with the modifier (TS 35.201 clause 3.4).
static void begin(struct sliced *s, struct kasumi_stream *streams, uint32_t n)
{
    load_keys(s, streams, n);
    memset(s->last, 0, sizeof s->last);
    for (uint32_t i = 0; i < n; i++)
        lanes_put(s->a, i, streams[i].a);
    transpose(s->a, s->a);
    schedule(s, KASUMI_KM);
    kasumi(s, s->a);
    schedule(s, KASUMI_KM);
    transpose(s->a, s->row);
    for (uint32_t i = 0; i < n; i++)
        streams[i].a = lanes_get(s->row, i);
}

// The next block of all streams: KASUMI of (A xor block number xor previous block).
static void next_block(struct sliced *s, uint32_t number, V out[ROWS])
{
    for (uint32_t i = 0; i < ROWS; i++)
        s->last[i] ^= s->a[i];
    for (uint32_t i = 0; number >> i; i++)
        if (number >> i & 1)
            s->last[48 + BIT(i)] = ~s->last[48 + BIT(i)];
    kasumi(s, s->last);
    transpose(s->last, out);
}

void KASUMI_SLICED(void *scratch, struct kasumi_stream *streams, uint32_t n, uint32_t blocks)
{
    struct sliced *s = scratch;
    begin(s, streams, n);
    for (uint32_t first = 0; first < blocks; first += V_BLOCKS) {
        uint32_t now = blocks - first < V_BLOCKS ? blocks - first : V_BLOCKS;
        for (uint32_t b = 0; b < now; b++)
            next_block(s, first + b, s->blocks[b]);
        lanes_xor(s->blocks[0], ROWS + 1, streams, n, first, now);
    }
    const V *row = s->blocks[(blocks - 1) % V_BLOCKS];
    for (uint32_t i = 0; i < n; i++)
        streams[i].last = lanes_get(row, i);
}
