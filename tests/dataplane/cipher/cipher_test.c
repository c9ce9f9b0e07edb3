// GEA3 and GEA4: every variant against published vectors, and against intel-ipsec-mb (where it does
// not run, the scalar variant, which libosmocore judges), on every length of a frame and every
// number of frames in mixed lengths, wherever they lie; not an octet around them changes.
#include "dataplane/cipher/cipher.h"

#include "tests/dataplane/cipher/hex.h"
#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

#define OCTETS_MAX   1600u
#define FRAMES_MAX   (OCTETS_MAX + 1)
#define GAP_MAX      70u
#define ARENA_OCTETS (FRAMES_MAX * (OCTETS_MAX + GAP_MAX))

static struct cipher_scratch scratch;

// Frame number i of all tests: its key, at any alignment, its INPUT and its key stream.
static uint8_t key[FRAMES_MAX][CIPHER_KEY_OCTETS + 1];
static uint8_t stream[FRAMES_MAX][OCTETS_MAX];
static struct cipher_frame frames[FRAMES_MAX];
static const struct cipher_variant *judge;

static int set_up(void **state)
{
    (void)state;
    cipher_setup();
    judge = cipher_variant_named("ipsec-mb");
    if (!judge->supported())
        judge = cipher_variant_named("scalar");
    print_message("# judge: %s\n", judge->name);
    random_begin();
    random_fill(key, sizeof key);
    for (uint32_t i = 0; i < FRAMES_MAX; i++)
        frames[i] = (struct cipher_frame){.key = key[i],
                                          .octets = stream[i],
                                          .input = (uint32_t)random_next(),
                                          .length_octets = OCTETS_MAX,
                                          .direction = random_next() & 1};
    judge->run(&scratch, frames, FRAMES_MAX);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    cipher_release();
    return 0;
}

// --- Frames in an arena, with octets between them that must not change
// --------------------------

static uint8_t plain[ARENA_OCTETS], expected[ARENA_OCTETS], arena[ARENA_OCTETS];

static void xor_stream(uint8_t *at, uint32_t i, uint32_t octets)
{
    for (uint32_t o = 0; o < octets; o++)
        at[o] ^= stream[i][o];
}

// Lays out the first n frames, whose lengths stand in them. Returns the octets used.
static uint32_t lay_out(uint32_t n)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        at += (uint32_t)random_in(0, GAP_MAX - 1);
        frames[i].octets = arena + at;
        at += frames[i].length_octets;
    }
    at += GAP_MAX;
    memcpy(expected, plain, at);
    for (uint32_t i = 0; i < n; i++)
        xor_stream(expected + (frames[i].octets - arena), i, frames[i].length_octets);
    return at;
}

static void expect_of(const struct cipher_variant *variant, uint32_t n)
{
    static struct cipher_frame given[FRAMES_MAX];
    uint32_t octets = lay_out(n);
    memcpy(arena, plain, octets);
    memcpy(given, frames, sizeof given);
    variant->run(&scratch, frames, n);
    assert_memory_equal(given, frames, sizeof given);
    if (memcmp(arena, expected, octets) == 0)
        return;
    for (uint32_t i = 0; i < n; i++) {
        size_t at = (size_t)(frames[i].octets - arena);
        if (memcmp(arena + at, expected + at, frames[i].length_octets) != 0)
            fail_msg("%s: frame %u of %u, of %u octets", variant->name, i, n,
                     frames[i].length_octets);
    }
    fail_msg("%s: octets beside the %u frames changed", variant->name, n);
}

static void expect_of_all(uint32_t n)
{
    for (uint32_t v = 0; v < cipher_variant_count; v++)
        if (cipher_variants[v].supported() && &cipher_variants[v] != judge)
            expect_of(&cipher_variants[v], n);
}

static void test_every_length(void **state)
{
    (void)state;
    random_begin();
    random_fill(plain, sizeof plain);
    for (uint32_t i = 0; i < FRAMES_MAX; i++)
        frames[i].length_octets = (uint16_t)i;
    for (uint32_t i = FRAMES_MAX - 1; i; i--) {
        uint32_t j = (uint32_t)random_next() % (i + 1);
        uint16_t length = frames[i].length_octets;
        frames[i].length_octets = frames[j].length_octets;
        frames[j].length_octets = length;
    }
    expect_of_all(FRAMES_MAX);
    expect_of(judge, FRAMES_MAX);
}

static void test_every_number_of_frames(void **state)
{
    (void)state;
    random_begin();
    random_fill(plain, sizeof plain);
    for (uint32_t n = 0; n <= 513; n++) {
        // now and then most are short, so that few outlive them
        uint32_t most = n % 3 ? OCTETS_MAX : 100;
        for (uint32_t i = 0; i < n; i++)
            frames[i].length_octets =
                (uint16_t)random_in(0, random_next() % 20 ? most : OCTETS_MAX);
        expect_of_all(n);
    }
}

static void test_equal_lengths(void **state)
{
    static const uint16_t lengths[] = {0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1523};
    static const uint16_t numbers[] = {1,   4,   5,   31,  32,  33,  63,  64,   65,   160,
                                       161, 162, 255, 256, 257, 511, 512, 1023, 1024, 1025};
    (void)state;
    random_begin();
    random_fill(plain, sizeof plain);
    for (size_t l = 0; l < COUNT(lengths); l++)
        for (size_t i = 0; i < COUNT(numbers); i++) {
            for (uint32_t j = 0; j < numbers[i]; j++)
                frames[j].length_octets = lengths[l];
            expect_of_all(numbers[i]);
        }
}

// One frame ends where memory ends, alone and as the last of many; one octet more is a crash.
static void test_end_of_memory(void **state)
{
    static const uint32_t numbers[] = {1, 40, 200};
    (void)state;
    random_begin();
    random_fill(plain, sizeof plain);
    for (uint32_t v = 1; v < cipher_variant_count; v++)
        for (size_t i = 0; i < COUNT(numbers) && cipher_variants[v].supported(); i++)
            for (uint16_t octets = 1; octets <= 130; octets++) {
                uint32_t last = numbers[i] - 1;
                for (uint32_t j = 0; j < last; j++)
                    frames[j].length_octets = octets;
                lay_out(last);
                frames[last].octets = page_end(octets);
                frames[last].length_octets = octets;
                memset(frames[last].octets, 0, octets);
                cipher_variants[v].run(&scratch, frames, numbers[i]);
                assert_memory_equal(frames[last].octets, stream[last], octets);
            }
}

// The key of one frame ends where memory ends, alone and as the last of many.
static void test_key_at_end_of_memory(void **state)
{
    static const uint32_t numbers[] = {1, 40, 200};
    (void)state;
    random_begin();
    random_fill(plain, sizeof plain);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct cipher_frame *last = &frames[numbers[i] - 1];
        for (uint32_t j = 0; j < numbers[i]; j++)
            frames[j].length_octets = 64;
        const uint8_t *own = last->key;
        last->key = page_end_copy(own, CIPHER_KEY_OCTETS);
        expect_of_all(numbers[i]);
        last->key = own;
    }
}

// --- Published vectors
// ----------------------------------------------------------------------------

// TS 55.217, 55.218 (GEA3) and 55.226 (GEA4).
static const struct {
    const char *algorithm, *kc;
    uint32_t input, direction;
    const char *stream;
} vectors[] = {
    {"GEA3", "2BD6459F82C5BC00", 0x8e9421a3, 0,
     "5F359709DE950D0105B17B6C90194280F880B48DCCDC2AFEED415DBEF4354EEBB21D073CCBBFB2D706BD7AFFD371"
     "FC96E3970D143DCB2624054826"},
    {"GEA3", "952C49104881FF48", 0x5064db71, 0,
     "FDC03D738C8E14FF0320E59AAF75760799E9DA78DD8F888471C4AEAAC1849633A26CD84F459D265B83D7D9B9A0B1"
     "E54F4D75E331640DF19E0DB0E0"},
    {"GEA3", "EFA8B2229E720C2A", 0x4bdbd5e5, 1,
     "4718A2ADFC90590949DDADAB406EC3B925F1AF1214673909DAAB96BB4C18B1374BB1E99445A81CC856E47C6E49E9"
     "DBB9873D0831B2175CA1E109BA"},
    {"GEA3", "3451F23A43BD2C87", 0x893fe14f, 0,
     "B46B1E284E3F8B63B86D9DF0915CFCEDDF2F061895BF9F82BF2593AE4847E94A4626C393CF8941CE15EA7812690D"
     "8415B88C5730FE1F5D410E16A2"},
    {"GEA3", "CAA2639BE82435CF", 0x8fe17885, 1,
     "9FEFAF155A26CF35603E727CDAA87BA067FD84FF98A50B7FF0EC8E95A0FB70E79CB93DEE2B7E9AB59D050E126240"
     "1571F349C68229DDF0DECC4E85"},
    {"GEA3", "1ACA8B448B767B39", 0x4f7bc3b5, 0,
     "514F6C3A3B5A55CA190092F7BB6E80EF3EDB738FCDCE2FF90BB387DDE75BBC32A04A67B898A3DFB8198FFFC37D43"
     "7CF69E7F9C13B51A868720E750"},
    {"GEA4", "D3C5D592327FB11C4035C6680AF8C6D1", 0x0a3a59b4, 0,
     "6E217CE41EBEFB5EC8094C15974290065E42BABC9AE35654A53085CE68DFA4426A2FF0AD4AF3341006A3F84B7613"
     "ACB4FBDC34"},
    {"GEA4", "3D43C388C9581E337FF1F97EB5C1F85E", 0x48571ab9, 0,
     "FC7314EF00A63ED0116F236C5D25C54EEC56A5B71F9F18B4D7941F84E422ACBDE5EEA9A204679002D14F312F3DEE"
     "2A1AC917C3FBDC3696143C0F5D"},
    {"GEA4", "A4496A64DF4F399F3B4506814A3E07A1", 0xeb04ade2, 1,
     "2AEB5970FB06B718027D048488AAF24FB3B74EA4A6B1242FF85B108FF816A303C72757D9AAD862B835D1D287DBC1"
     "41D0A28D79D87BB137CD1198CD"},
};

// n frames, the vectors in turn, over zeros.
static void expect_vectors(const struct cipher_variant *variant, uint32_t n)
{
    static uint8_t out[513][64], keys[COUNT(vectors)][CIPHER_KEY_OCTETS];
    static struct cipher_frame frame[513];
    const char *why;
    memset(out, 0, sizeof out);
    for (size_t i = 0; i < COUNT(vectors); i++) {
        uint8_t kc[16];
        uint32_t octets = hex_octets(vectors[i].kc, kc);
        assert_int_equal(cipher_key(vectors[i].algorithm, kc, octets, keys[i], &why), 0);
    }
    for (uint32_t i = 0; i < n; i++) {
        size_t v = i % COUNT(vectors);
        frame[i] = (struct cipher_frame){keys[v], out[i], vectors[v].input,
                                         (uint16_t)(strlen(vectors[v].stream) / 2),
                                         (uint8_t)vectors[v].direction};
    }
    variant->run(&scratch, frame, n);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t published[64];
        uint32_t octets = hex_octets(vectors[i % COUNT(vectors)].stream, published);
        if (memcmp(out[i], published, octets) != 0)
            fail_msg("%s, vector %zu, frame %u of %u", variant->name, i % COUNT(vectors), i, n);
    }
}

static void test_published_vectors(void **state)
{
    static const uint32_t numbers[] = {1, 9, 40, 180, 513};
    (void)state;
    for (uint32_t v = 0; v < cipher_variant_count; v++)
        for (size_t i = 0; i < COUNT(numbers); i++)
            if (cipher_variants[v].supported())
                expect_vectors(&cipher_variants[v], numbers[i]);
}

// --- The choice --------------------------------------------------------------------------------

static void test_choice(void **state)
{
    (void)state;
    assert_ptr_equal(cipher_run, cipher_variant_named("scalar")->run);
    const struct cipher_variant *chosen = cipher_choose();
    assert_ptr_equal(cipher_run, chosen->run);
    assert_true(chosen->supported());
    for (const struct cipher_variant *v = chosen + 1; v < cipher_variants + cipher_variant_count;
         v++)
        assert_false(v->supported());
    print_message("# chosen: %s\n", chosen->name);
    cipher_limit(256);
    assert_true(cipher_choose()->bits <= 256);
    cipher_limit(64);
    assert_string_equal(cipher_choose()->name, "scalar");
    cipher_limit(512);
    assert_ptr_equal(cipher_choose(), chosen);
}

static void test_names(void **state)
{
    (void)state;
    for (uint32_t v = 0; v < cipher_variant_count; v++)
        assert_ptr_equal(cipher_variant_named(cipher_variants[v].name), &cipher_variants[v]);
    assert_null(cipher_variant_named("avx"));
    assert_true(cipher_variant_named("scalar")->supported());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_vectors),
        cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_every_number_of_frames),
        cmocka_unit_test(test_equal_lengths),
        cmocka_unit_test(test_end_of_memory),
        cmocka_unit_test(test_key_at_end_of_memory),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("cipher/cipher", tests, set_up, tear_down);
}
