// Each form of KASUMI f8 by itself: the block cipher and f8 against published test data
// (TS 35.203), and the hand-over of streams from a bit-sliced form to one for few, after any number
// of blocks.
#include "dataplane/cipher/kasumi.h"

#include "dataplane/cipher/cipher.h"
#include "tests/dataplane/cipher/hex.h"
#include "tests/dataplane/random.h"

#define STREAMS_MAX 512u
#define OCTETS_MAX  400u

static struct cipher_scratch scratch;

struct many {
    const char *variant; // that has it
    uint32_t lanes;
    void (*run)(void *scratch, struct kasumi_stream *streams, uint32_t n, uint32_t blocks);
};
static const struct many manies[] = {{"avx2", 256, cipher_kasumi_avx2},
                                     {"avx512", 512, cipher_kasumi_avx512}};

struct few {
    const char *variant;
    void (*run)(struct kasumi_stream *streams, uint32_t n, uint32_t done);
};
static const struct few fews[] = {{"scalar", cipher_kasumi_scalar},
                                  {"avx512", cipher_kasumi_few_avx512}};

static bool supported(const char *variant)
{
    return cipher_variant_named(variant)->supported();
}

// --- The block cipher
// -----------------------------------------------------------------------------

static const struct {
    const char *key, *in, *out;
} blocks[] = {
    {"2BD6459F82C5B300952C49104881FF48", "EA024714AD5C4D84", "DF1F9B251C0BF45F"}, // TS 35.203
    {"2BD6459F82C5B300952C49104881FF48", "4B1644E60D25344F", "EA024714AD5C4D84"}, // NESSIE
    {"80000000000000000000000000000000", "0000000000000000", "4B58A771AFC7E5E8"}, // NESSIE
};

// A of f8 is its initial value enciphered, under the key with each octet xor 0x55.
static void test_block_as_register_a(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(blocks); i++) {
        uint8_t key[16], at[8] = {0};
        uint64_t in, out;
        hex_octets(blocks[i].key, key);
        hex_octets(blocks[i].in, (uint8_t *)&in);
        hex_octets(blocks[i].out, (uint8_t *)&out);
        for (size_t j = 0; j < sizeof key; j++)
            key[j] ^= 0x55;
        struct kasumi_stream stream = {.key = key, .octets = at, .a = in, .length_octets = 8};
        cipher_kasumi_scalar(&stream, 1, 0);
        assert_int_equal(stream.a, out);
        for (size_t f = 0; f < COUNT(manies); f++) {
            stream.a = in;
            if (supported(manies[f].variant)) {
                manies[f].run(&scratch, &stream, 1, 1);
                assert_int_equal(stream.a, out);
            }
        }
    }
}

// With A and the block before given, the next block is A xor its number xor that, enciphered.
static void test_block_as_key_stream(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(blocks); i++)
        for (size_t f = 0; f < COUNT(fews); f++) {
            uint8_t key[16], at[16] = {0}, out[8];
            uint64_t in;
            hex_octets(blocks[i].key, key);
            hex_octets(blocks[i].in, (uint8_t *)&in);
            hex_octets(blocks[i].out, out);
            struct kasumi_stream stream = {.key = key, .octets = at, .length_octets = 16};
            stream.last = 0x0123456789abcdef;
            stream.a = in ^ stream.last ^ __builtin_bswap64(1);
            if (!supported(fews[f].variant))
                continue;
            fews[f].run(&stream, 1, 1);
            assert_memory_equal(at, "\0\0\0\0\0\0\0\0", 8);
            assert_memory_equal(at + 8, out, 8);
        }
}

// --- f8
// -------------------------------------------------------------------------------------------

// TS 35.203: test sets of f8, with the whole octets of their lengths.
static const struct {
    const char *key;
    uint32_t count, bearer, direction;
    const char *plain, *cipher;
} f8[] = {
    {"2BD6459F82C5B300952C49104881FF48", 0x72a4f20f, 0x0c, 1,
     "7EC61272743BF1614726446A6C38CED166F6CA76EB5430044286346CEF130F92922B03450D3A9975E5BD2EA0EB55"
     "AD8E1B199E3EC4316020E9A1B285E762795359B7BDFD39BEF4B2484583D5AFE082AEE638BF5FD5A606193901A08F"
     "4AB41AAB9B1348",
     "D1E2DE70EEF86C6964FB542BC2D460AABFAA10A4A093262B7D199E706FC2D4891553296910F3A973012682E41C4E"
     "2B02BE2017B7253BBF9309DE5819CB42E81956F4C99BC9765CAF53B1D0BB8279826ADBBC5522E915C120A618A5A7"
     "F5E89708933965"},
    {"EFA8B2229E720C2A7C36EA55E9605695", 0xe28bcf7b, 0x18, 0,
     "10111231E060253A43FD3F57E37607AB2827B599B6B1BBDA37A8ABCC5A8C550D1BFB2F494624FB50367FA36CE3BC"
     "68F11CF93B1510376B02130F812A9FA169",
     "3DEACC7C15821CAA89EECADE9B5BD3614BD0C8419D710385DDBE5849EF1BAC5AE8B14A5B0A6741521EB4E00BB9EC"
     "F3E9F7CCB9CAE74152D7F4E2A034B6EA00"},
    {"5ACB1D644C0D51204EA5F1451010D852", 0xfa556b26, 0x03, 1, "AD9C441F890B38C457A49D421407E8",
     "9BC92CA803C67B28A11A4BEE5A0C25"},
};

static void expect_f8(size_t set, void (*run)(struct kasumi_stream *stream, size_t form),
                      size_t form)
{
    uint8_t key[16], octets[128], cipher[128];
    uint64_t initial = (uint64_t)f8[set].count << 32 | (uint64_t)f8[set].bearer << 27 |
                       (uint64_t)f8[set].direction << 26;
    hex_octets(f8[set].key, key);
    hex_octets(f8[set].cipher, cipher);
    struct kasumi_stream stream = {.key = key, .octets = octets, .a = __builtin_bswap64(initial)};
    stream.length_octets = hex_octets(f8[set].plain, octets);
    run(&stream, form);
    assert_memory_equal(octets, cipher, stream.length_octets);
}

static void run_many(struct kasumi_stream *stream, size_t form)
{
    manies[form].run(&scratch, stream, 1, kasumi_blocks(stream->length_octets));
}

static void run_few(struct kasumi_stream *stream, size_t form)
{
    fews[form].run(stream, 1, 0);
}

static void test_f8(void **state)
{
    (void)state;
    for (size_t set = 0; set < COUNT(f8); set++) {
        for (size_t form = 0; form < COUNT(manies); form++)
            if (supported(manies[form].variant))
                expect_f8(set, run_many, form);
        for (size_t form = 0; form < COUNT(fews); form++)
            if (supported(fews[form].variant))
                expect_f8(set, run_few, form);
    }
}

// --- Hand-over
// ------------------------------------------------------------------------------------

struct batch {
    uint8_t key[STREAMS_MAX][16], octets[STREAMS_MAX][OCTETS_MAX];
    struct kasumi_stream stream[STREAMS_MAX];
};

// The longest first; octets are zeros.
static void fill(struct batch *batch, uint32_t n)
{
    memset(batch->octets, 0, sizeof batch->octets);
    for (uint32_t i = 0; i < n; i++) {
        random_fill(batch->key[i], sizeof batch->key[i]);
        batch->stream[i] = (struct kasumi_stream){.key = batch->key[i],
                                                  .octets = batch->octets[i],
                                                  .a = random_next(),
                                                  .length_octets = OCTETS_MAX - i % 3 - i / 2};
    }
}

static void again(struct batch *to, const struct batch *from, uint32_t n)
{
    *to = *from;
    for (uint32_t i = 0; i < n; i++)
        to->stream[i].octets = to->octets[i];
}

// `blocks` by a form for many (none if 0), what is longer by a form for few: as if by the scalar
// form from beginning to end.
static void expect_hand_over(const struct many *many, const struct few *few, uint32_t n,
                             uint32_t blocks_together)
{
    static struct batch whole, parts;
    fill(&whole, n);
    again(&parts, &whole, n);
    cipher_kasumi_scalar(whole.stream, n, 0);
    if (blocks_together)
        many->run(&scratch, parts.stream, n, blocks_together);
    few->run(parts.stream, n, blocks_together);
    if (memcmp(whole.octets, parts.octets, sizeof whole.octets) != 0)
        fail_msg("%u streams, %u blocks by %s's form, then %s's", n, blocks_together, many->variant,
                 few->variant);
}

static void test_hand_over(void **state)
{
    static const uint32_t counts[] = {1, 5, 32, 33, 64, 65, 130, 256, 512};
    (void)state;
    random_begin();
    for (size_t m = 0; m < COUNT(manies); m++)
        for (size_t f = 0; f < COUNT(fews); f++)
            for (size_t i = 0; i < COUNT(counts); i++)
                for (uint32_t together = 0; together <= kasumi_blocks(OCTETS_MAX) + 1; together++)
                    if (supported(manies[m].variant) && supported(fews[f].variant) &&
                        counts[i] <= manies[m].lanes && (together < 20 || together > 45))
                        expect_hand_over(&manies[m], &fews[f], counts[i], together);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_as_register_a),
        cmocka_unit_test(test_block_as_key_stream),
        cmocka_unit_test(test_f8),
        cmocka_unit_test(test_hand_over),
    };
    return cmocka_run_group_tests_name("cipher/kasumi", tests, NULL, NULL);
}
