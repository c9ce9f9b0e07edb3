// The FCS (TS 44.064 clause 5.5) against libosmocore's CRC of any code of up to 64 bits. The
// library has no CRC-24 of its own: the code's four numbers are given here, the division is the
// library's.
#include "dataplane/wire/fcs.h"

#include <osmocom/core/crc64gen.h>

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

#define OCTETS_MAX 1600
#define ROUNDS     3 // of every length

// The generator without x^24, the register preset to ones, the result complemented.
static const struct osmo_crc64gen_code code = {
    .bits = 24, .poly = 0xbba1b5, .init = 0xffffff, .remainder = 0xffffff};

// It takes bits in the order in which they are sent, the low one of an octet first, and gives the
// bit that is sent first as the highest.
static uint32_t osmocore_fcs(const uint8_t *b, uint32_t n)
{
    static ubit_t bits[8 * OCTETS_MAX];
    uint32_t reflected = 0;
    for (uint32_t i = 0; i < 8 * n; i++)
        bits[i] = b[i / 8] >> i % 8 & 1;
    uint64_t crc = osmo_crc64gen_compute_bits(&code, bits, (int)(8 * n));
    for (uint32_t i = 0; i < 24; i++)
        reflected |= (uint32_t)(crc >> (23 - i) & 1) << i;
    return reflected;
}

static void expect_of_all(const uint8_t *b, uint32_t n, uint32_t expected)
{
    for (uint32_t i = 0; i < fcs_variant_count; i++) {
        if (!fcs_variants[i].supported())
            continue;
        uint32_t got = fcs_variants[i].fcs(b, n);
        if (got != expected)
            fail_msg("%s: %06x of %u octets, libosmocore has %06x", fcs_variants[i].name, got, n,
                     expected);
    }
}

// Were the library's code or bit order given wrongly, these would tell: frames as captured.
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
        const uint8_t *b = vectors[i].octets;
        assert_int_equal(osmocore_fcs(b, vectors[i].n), fcs_get(b + vectors[i].n));
    }
    assert_int_equal(osmocore_fcs((const uint8_t *)"123456789", 9), 0x4e86cb);
}

static void test_every_length(void **state)
{
    static uint8_t b[OCTETS_MAX];
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < (OCTETS_MAX + 1) * ROUNDS; i++) {
        uint32_t n = i / ROUNDS;
        random_fill(b, n);
        expect_of_all(b, n, osmocore_fcs(b, n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captured_frames),
        cmocka_unit_test(test_every_length),
    };
    return cmocka_run_group_tests_name("wire/osmocore_fcs", tests, NULL, NULL);
}
