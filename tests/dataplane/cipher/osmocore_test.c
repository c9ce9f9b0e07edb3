// GEA3 and GEA4 against libosmocore: thousands of frames of any key, INPUT, direction and length,
// many in a call.
#include "dataplane/cipher/cipher.h"

#include <osmocom/crypt/gprs_cipher.h>

#include "tests/dataplane/cipher/hex.h"
#include "tests/dataplane/random.h"

#define FRAMES 4000u

static struct cipher_scratch scratch;
static uint8_t key[FRAMES][CIPHER_KEY_OCTETS];
static uint8_t theirs[FRAMES][GSM0464_CIPH_MAX_BLOCK], ours[FRAMES][GSM0464_CIPH_MAX_BLOCK];
static struct cipher_frame frames[FRAMES];

static const struct {
    const char *name;
    enum gprs_ciph_algo id;
    size_t kc_octets;
} algorithms[] = {{"GEA3", GPRS_ALGO_GEA3, 8}, {"GEA4", GPRS_ALGO_GEA4, 16}};

static void draw(uint32_t i)
{
    uint32_t kind = i % COUNT(algorithms);
    uint8_t kc[16];
    const char *why;
    frames[i] = (struct cipher_frame){
        .key = key[i],
        .octets = ours[i],
        .input = (uint32_t)random_in(0, UINT32_MAX),
        .direction = random_next() >> 32 & 1 ? CIPHER_DOWNLINK : CIPHER_UPLINK,
        .length_octets = (uint16_t)random_in(1, GSM0464_CIPH_MAX_BLOCK)};
    random_fill(kc, sizeof kc);
    assert_int_equal(
        cipher_key(algorithms[kind].name, kc, algorithms[kind].kc_octets, key[i], &why), 0);
    assert_int_equal(gprs_cipher_run(theirs[i], frames[i].length_octets, algorithms[kind].id, kc,
                                     frames[i].input,
                                     frames[i].direction ? GPRS_CIPH_SGSN2MS : GPRS_CIPH_MS2SGSN),
                     0);
}

static void expect_theirs(const struct cipher_variant *variant)
{
    memset(ours, 0, sizeof ours);
    for (uint32_t i = 0, n; i < FRAMES; i += n) {
        n = (uint32_t)random_in(1, 600);
        n = n < FRAMES - i ? n : FRAMES - i;
        variant->run(&scratch, frames + i, n);
    }
    for (uint32_t i = 0; i < FRAMES; i++)
        if (memcmp(ours[i], theirs[i], sizeof ours[i]) != 0)
            fail_msg("%s, %s, %u octets", variant->name, algorithms[i % COUNT(algorithms)].name,
                     frames[i].length_octets);
}

static void test_random_frames(void **state)
{
    (void)state;
    cipher_setup();
    random_begin();
    for (uint32_t i = 0; i < FRAMES; i++)
        draw(i);
    for (uint32_t v = 0; v < cipher_variant_count; v++)
        if (cipher_variants[v].supported())
            expect_theirs(&cipher_variants[v]);
    cipher_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_frames)};
    return cmocka_run_group_tests_name("cipher/osmocore", tests, NULL, NULL);
}
