// See cipher.h.
#include "tests/dataplane/path/cipher.h"

#include <string.h>

#include <osmocom/crypt/gprs_cipher.h>

#include "tests/dataplane/path/path.h"

uint32_t path_oc_most;

static bool run(uint32_t tlli, uint32_t oc, uint8_t sapi, uint16_t nu,
                enum gprs_cipher_direction way, uint8_t *octets, size_t n)
{
    uint8_t stream[GSM0464_CIPH_MAX_BLOCK];
    struct path_key *key = &p.ms[tlli & (PATH_MSS - 1)].key;
    if (key->gea == 0)
        return false;
    uint32_t input = gprs_cipher_gen_input_ui(key->iov_ui, sapi, nu, oc);
    enum gprs_ciph_algo algorithm = key->gea == 3 ? GPRS_ALGO_GEA3 : GPRS_ALGO_GEA4;
    if (n)
        assert_int_equal(gprs_cipher_run(stream, (uint16_t)n, algorithm, key->kc, input, way), 0);
    for (size_t i = 0; i < n; i++)
        octets[i] ^= stream[i];
    path_oc_most = oc > path_oc_most ? oc : path_oc_most;
    return true;
}

static bool decipher(void *ctx, const struct gb_ciphered *f, uint8_t *octets, size_t n)
{
    (void)ctx;
    return run(f->tlli, f->oc, f->sapi, f->nu, GPRS_CIPH_SGSN2MS, octets, n);
}

static bool encipher(void *ctx, const struct ul_ciphered *f, uint8_t *octets, size_t n)
{
    (void)ctx;
    return run(f->tlli, f->oc, f->sapi, f->nu, GPRS_CIPH_MS2SGSN, octets, n);
}

void path_ciphers_begin(void)
{
    path_oc_most = 0;
    gb_receiver_set_decipher(p.gb, decipher, NULL);
}

void path_key(uint32_t id, uint8_t gea)
{
    struct path_ms *ms = &p.ms[id];
    static uint32_t keys;
    path_fill(ms->key.kc, sizeof ms->key.kc, 0x80000000u + ++keys);
    path_fill((uint8_t *)&ms->key.iov_ui, sizeof ms->key.iov_ui, 0xc0000000u + keys);
    ms->key.gea = gea;
    TRY(0, ms_cipher, .ms_id = id, .gea = gea,
        .key = {ms->key.kc, gea == 3   ? 8
                            : gea == 4 ? 16
                                       : 0},
        .iov_ui = ms->key.iov_ui);
    gb_receiver_new_key(p.gb, ms->tlli);
    memset(ms->up.next_ui, 0, sizeof ms->up.next_ui);
    ms->up.encipher = encipher;
    if (!p.defer)
        path_poll();
}
