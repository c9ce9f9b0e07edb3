// The FCS: every variant against published vectors and against a plain model, on every length and
// alignment that a frame can have; and the constants of the carry-less variants, derived from the
// generator again. osmocore_fcs_test.c has a division of polynomials that is not ours.
#include "dataplane/wire/fcs.h"

#include <stdio.h>

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

#define OCTETS_MAX 1600

static void expect_of_all(const uint8_t *b, uint32_t n, uint32_t expected)
{
    for (uint32_t i = 0; i < fcs_variant_count; i++) {
        if (!fcs_variants[i].supported())
            continue;
        uint32_t got = fcs_variants[i].fcs(b, n);
        if (got != expected)
            fail_msg("%s: %06x, expected %06x: %u octets at alignment %u", fcs_variants[i].name,
                     got, expected, n, (uint32_t)((uintptr_t)b % 64));
    }
}

// Frame and FCS as they are sent.
static void test_captured_frames(void **state)
{
    static const struct {
        uint8_t n, octets[13];
    } vectors[] = {
        {6, {0x01, 0xc0, 0x10, 0x08, 0x05, 0x09, 0xaf, 0xe6, 0x33}},
        {6, {0x41, 0xc0, 0x01, 0x08, 0x15, 0x02, 0xde, 0x8e, 0x9a}},
        {10, {0x43, 0xfb, 0x01, 0x00, 0x16, 0x01, 0xf4, 0x1a, 0x05, 0xdf, 0x8c, 0x7c, 0x4e}},
        {5, {0x03, 0xfb, 0x16, 0x04, 0xd2, 0x16, 0xf9, 0x84}},
        {6, {0x43, 0xc0, 0x01, 0x2b, 0x2b, 0x2b, 0x3d, 0x27, 0x85}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        const uint8_t *b = vectors[i].octets, *end = b + vectors[i].n;
        uint32_t sent = end[0] | (uint32_t)end[1] << 8 | (uint32_t)end[2] << 16;
        expect_of_all(b, vectors[i].n, sent);
        assert_int_equal(plain_fcs(b, vectors[i].n), sent);
        assert_int_equal(fcs_get(end), sent);
    }
}

static void test_check_string(void **state)
{
    (void)state;
    expect_of_all((const uint8_t *)"123456789", 9, 0x4e86cb);
    expect_of_all((const uint8_t *)"", 0, 0);
}

// Over a frame with its FCS, the register before its inversion is 0x0c91b6 whatever the frame.
static void test_residue(void **state)
{
    uint8_t b[200];
    (void)state;
    random_begin();
    for (uint32_t n = 0; n < 197; n++) {
        random_fill(b, n);
        fcs_put(b + n, plain_fcs(b, n));
        expect_of_all(b, n + 3, 0xf36e49);
    }
}

// The message ends 0 .. 63 octets before memory that cannot be read, so with every alignment;
// ending right there, any octet read beyond it is a crash.
static void test_every_length_and_alignment(void **state)
{
    static uint8_t octets[OCTETS_MAX];
    (void)state;
    random_begin();
    random_fill(octets, sizeof octets);
    for (uint32_t n = 0; n <= OCTETS_MAX; n++) {
        uint32_t expected = plain_fcs(octets, n);
        for (uint32_t spare = 0; spare < 64; spare++) {
            uint8_t *b = page_end(n + spare);
            memcpy(b, octets, n);
            expect_of_all(b, n, expected);
        }
    }
}

// Nothing before the message is read either: it begins where memory does.
static void test_nothing_before_is_read(void **state)
{
    (void)state;
    uint8_t *b = page_end(128 * 1024);
    random_begin();
    random_fill(b, OCTETS_MAX);
    for (uint32_t n = 0; n <= OCTETS_MAX; n++)
        expect_of_all(b, n, plain_fcs(b, n));
}

// Octets around the message do not count.
static void test_neighbours_do_not_count(void **state)
{
    uint8_t b[64 + 700 + 64];
    (void)state;
    random_begin();
    for (uint32_t n = 0; n <= 700; n++) {
        random_fill(b, sizeof b);
        uint32_t expected = plain_fcs(b + 64, n);
        memset(b, 0xff, 64);
        memset(b + 64 + n, 0xff, sizeof b - 64 - n);
        expect_of_all(b + 64, n, expected);
    }
}

static void test_put_and_get(void **state)
{
    uint8_t b[4] = {0, 0, 0, 0xee};
    (void)state;
    fcs_put(b, 0x123456);
    assert_memory_equal(b, "\x56\x34\x12\xee", 4);
    assert_int_equal(fcs_get(b), 0x123456);
}

static void test_choice(void **state)
{
    (void)state;
    assert_ptr_equal(fcs, fcs_variants[0].fcs);
    const struct fcs_variant *chosen = fcs_choose();
    assert_ptr_equal(fcs, chosen->fcs);
    assert_true(chosen->supported());
    for (const struct fcs_variant *v = chosen + 1; v < fcs_variants + fcs_variant_count; v++)
        assert_false(v->supported());
    assert_int_equal(fcs((const uint8_t *)"123456789", 9), 0x4e86cb);
    print_message("# chosen: %s\n", chosen->name);
    for (uint32_t bits = 512; bits >= 32; bits /= 2) {
        fcs_limit(bits);
        assert_true(fcs_choose()->bits <= bits);
        assert_ptr_equal(fcs, fcs_choose()->fcs);
    }
    assert_string_equal(fcs_choose()->name, "byte table");
    fcs_limit(512);
    assert_ptr_equal(fcs_choose(), chosen);
}

static void test_names_of_variants(void **state)
{
    static const char *const names[] = {"byte table", "slicing-by-8", "PCLMULQDQ", "VPCLMULQDQ-256",
                                        "VPCLMULQDQ-512"};
    (void)state;
    assert_int_equal(fcs_variant_count, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(fcs_variants[i].name, names[i]);
    assert_true(fcs_variants[0].supported() && fcs_variants[1].supported());
}

// --- The constants of the carry-less variants ----------------------------------------------------

// G(x) x^8 as 33 bits, G(x) being x^24 + x^23 + x^21 + ... + 1.
static uint64_t generator_x8(void)
{
    static const uint8_t powers[] = {24, 23, 21, 20, 19, 17, 16, 15, 13, 8, 7, 5, 4, 2, 0};
    uint64_t g = 0;
    for (size_t i = 0; i < COUNT(powers); i++)
        g |= 1ULL << (powers[i] + 8);
    return g;
}

static uint64_t x_to_the(uint32_t n)
{
    uint64_t remainder = 1;
    while (n--) {
        remainder <<= 1;
        if (remainder >> 32)
            remainder ^= generator_x8();
    }
    return remainder;
}

static uint64_t x_divided(int n)
{
    uint64_t quotient = 0;
    unsigned __int128 rest = (unsigned __int128)1 << n;
    for (int power = n - 32; power >= 0; power--) {
        if (!(rest >> (32 + power) & 1))
            continue;
        quotient |= 1ULL << power;
        rest ^= (unsigned __int128)generator_x8() << power;
    }
    return quotient;
}

static uint64_t reflected(uint64_t value, uint32_t bits)
{
    uint64_t result = 0;
    for (uint32_t i = 0; i < bits; i++)
        result |= (value >> i & 1) << (bits - 1 - i);
    return result;
}

static uint64_t constant_in_source(const char *source, const char *name)
{
    char path[256], line[256], found[32];
    unsigned long long value;
    snprintf(path, sizeof path, SOURCE_ROOT "/dataplane/wire/%s", source);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "#define %31s 0x%llx", found, &value) == 2 && strcmp(found, name) == 0) {
            fclose(file);
            return value;
        }
    fclose(file);
    fail_msg("%s does not define %s", source, name);
    return 0;
}

static void expect_constant(const char *source, const char *name, uint64_t expected)
{
    uint64_t value = constant_in_source(source, name);
    if (value != expected)
        fail_msg("%s: %s is 0x%llx, derived is 0x%llx", source, name, (unsigned long long)value,
                 (unsigned long long)expected);
}

// x^n mod G, as G(x) x^8 has it.
static uint64_t x_to_the_mod_g(uint32_t n)
{
    return x_to_the(n + 8) >> 8;
}

static void test_powers_to_the_end(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FCS_LANES; i++)
        assert_int_equal(fcs_to_end[FCS_LANES - 1 - i], reflected(x_to_the_mod_g(24 + 64 * i), 24)
                                                            << 1);
    assert_int_equal(x_to_the_mod_g(8 * 255), 1);
}

static void test_other_constants(void **state)
{
    (void)state;
    expect_constant("fcs_512_vpclmul.c", "X_535", reflected(x_to_the_mod_g(535), 24));
    expect_constant("fcs_512_vpclmul.c", "X_471", reflected(x_to_the_mod_g(471), 24));
    expect_constant("fcs_carryless.h", "FCS_POLYNOMIAL", reflected(generator_x8(), 33));
    expect_constant("fcs_carryless.h", "FCS_QUOTIENT",
                    reflected(x_divided(95), 64)); // x^8 is in both
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captured_frames),
        cmocka_unit_test(test_check_string),
        cmocka_unit_test(test_residue),
        cmocka_unit_test(test_every_length_and_alignment),
        cmocka_unit_test(test_nothing_before_is_read),
        cmocka_unit_test(test_neighbours_do_not_count),
        cmocka_unit_test(test_put_and_get),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_names_of_variants),
        cmocka_unit_test(test_powers_to_the_end),
        cmocka_unit_test(test_other_constants),
    };
    return cmocka_run_group_tests_name("wire/fcs", tests, NULL, NULL);
}
