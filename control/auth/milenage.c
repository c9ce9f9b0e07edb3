// See milenage.h. Kc128 is HMAC-SHA-256 (RFC 2104) by libmd.
#include "control/auth/milenage.h"

#include <intel-ipsec-mb.h>
#include <pthread.h>
#include <sha2.h>
#include <string.h>

#define ROUND_OCTETS (11 * MILENAGE_BLOCK_OCTETS) // AES-128: ten rounds, and the key before them
#define HMAC_INNER   0x36
#define HMAC_OUTER   0x5c
#define KC128_FC     0x32 // the one octet of S

// A block's key as AES uses it.
struct schedule {
    uint8_t encrypt[ROUND_OCTETS] __attribute__((aligned(16)));
};

static IMB_MGR *manager; // once initialized, only a table of functions

static void prepare(void)
{
    manager = alloc_mb_mgr(0);
    if (manager)
        init_mb_mgr_auto(manager, NULL);
    if (manager && imb_get_errno(manager)) {
        free_mb_mgr(manager);
        manager = NULL;
    }
}

// A reload's thread asks, too.
bool milenage_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    return manager;
}

static void schedule_make(struct schedule *schedule, const uint8_t k[MILENAGE_BLOCK_OCTETS])
{
    uint8_t decrypt[ROUND_OCTETS] __attribute__((aligned(16)));
    IMB_AES_KEYEXP_128(manager, k, schedule->encrypt, decrypt);
}

// CFB of a block of zeros is the block cipher of its initial value.
static void encrypt(const struct schedule *schedule, uint8_t block[MILENAGE_BLOCK_OCTETS])
{
    static const uint8_t zeros[MILENAGE_BLOCK_OCTETS];
    uint8_t from[MILENAGE_BLOCK_OCTETS];
    memcpy(from, block, sizeof from);
    IMB_AES128_CFB_ONE(manager, block, zeros, from, schedule->encrypt, sizeof zeros);
}

static void add(uint8_t to[MILENAGE_BLOCK_OCTETS], const uint8_t from[MILENAGE_BLOCK_OCTETS])
{
    for (unsigned i = 0; i < MILENAGE_BLOCK_OCTETS; i++)
        to[i] ^= from[i];
}

// TEMP of clause 4.1.
static void temp_make(const struct milenage_card *card, const struct schedule *schedule,
                      const uint8_t rand[MILENAGE_BLOCK_OCTETS],
                      uint8_t temp[MILENAGE_BLOCK_OCTETS])
{
    memcpy(temp, rand, MILENAGE_BLOCK_OCTETS);
    add(temp, card->opc);
    encrypt(schedule, temp);
}

// The input turned by r octets to the left.
static void turn(uint8_t to[MILENAGE_BLOCK_OCTETS], const uint8_t from[MILENAGE_BLOCK_OCTETS],
                 unsigned r_octets)
{
    for (unsigned i = 0; i < MILENAGE_BLOCK_OCTETS; i++)
        to[i] = from[(i + r_octets) % MILENAGE_BLOCK_OCTETS];
}

void milenage_mac(const struct milenage_card *card, const uint8_t rand[MILENAGE_BLOCK_OCTETS],
                  const uint8_t sqn[MILENAGE_SQN_OCTETS], const uint8_t amf[MILENAGE_AMF_OCTETS],
                  struct milenage_mac *mac)
{
    struct schedule schedule;
    uint8_t temp[MILENAGE_BLOCK_OCTETS], in[MILENAGE_BLOCK_OCTETS], out[MILENAGE_BLOCK_OCTETS];
    schedule_make(&schedule, card->k);
    temp_make(card, &schedule, rand, temp);
    for (unsigned half = 0; half < MILENAGE_BLOCK_OCTETS; half += MILENAGE_BLOCK_OCTETS / 2) {
        memcpy(in + half, sqn, MILENAGE_SQN_OCTETS);
        memcpy(in + half + MILENAGE_SQN_OCTETS, amf, MILENAGE_AMF_OCTETS);
    }
    add(in, card->opc);
    turn(out, in, 8); // r1 = 64, c1 = 0
    add(out, temp);
    encrypt(&schedule, out);
    add(out, card->opc);
    memcpy(mac->a, out, sizeof mac->a);
    memcpy(mac->s, out + sizeof mac->a, sizeof mac->s);
}

// OUT2 to OUT5 of clause 4.1: r in octets, and the last octet of c; the rest of it is 0.
static void out_make(const struct milenage_card *card, const struct schedule *schedule,
                     const uint8_t temp[MILENAGE_BLOCK_OCTETS], unsigned r_octets, uint8_t c,
                     uint8_t out[MILENAGE_BLOCK_OCTETS])
{
    uint8_t in[MILENAGE_BLOCK_OCTETS];
    memcpy(in, temp, sizeof in);
    add(in, card->opc);
    turn(out, in, r_octets);
    out[MILENAGE_BLOCK_OCTETS - 1] ^= c;
    encrypt(schedule, out);
    add(out, card->opc);
}

void milenage_keys(const struct milenage_card *card, const uint8_t rand[MILENAGE_BLOCK_OCTETS],
                   struct milenage_keys *keys)
{
    struct schedule schedule;
    uint8_t temp[MILENAGE_BLOCK_OCTETS], out[MILENAGE_BLOCK_OCTETS];
    schedule_make(&schedule, card->k);
    temp_make(card, &schedule, rand, temp);
    out_make(card, &schedule, temp, 0, 1, out);
    memcpy(keys->res, out + MILENAGE_BLOCK_OCTETS - sizeof keys->res, sizeof keys->res);
    memcpy(keys->ak, out, sizeof keys->ak);
    out_make(card, &schedule, temp, 4, 2, keys->ck);
    out_make(card, &schedule, temp, 8, 4, keys->ik);
    out_make(card, &schedule, temp, 12, 8, out);
    memcpy(keys->ak_star, out, sizeof keys->ak_star);
}

void milenage_sres(const struct milenage_keys *keys, uint8_t sres[MILENAGE_SRES_OCTETS])
{
    for (unsigned i = 0; i < MILENAGE_SRES_OCTETS; i++)
        sres[i] = keys->res[i] ^ keys->res[i + MILENAGE_SRES_OCTETS];
}

void milenage_kc(const struct milenage_keys *keys, uint8_t kc[MILENAGE_KC_OCTETS])
{
    for (unsigned i = 0; i < MILENAGE_KC_OCTETS; i++)
        kc[i] = keys->ck[i] ^ keys->ck[i + MILENAGE_KC_OCTETS] ^ keys->ik[i] ^
                keys->ik[i + MILENAGE_KC_OCTETS];
}

// One of the two hashes of HMAC: of the key, padded and changed, and of the octets.
static void hash(const struct milenage_keys *keys, uint8_t pad, const uint8_t *octets, size_t n,
                 uint8_t digest[SHA256_DIGEST_LENGTH])
{
    uint8_t block[SHA256_BLOCK_LENGTH] = {0};
    SHA2_CTX context;
    memcpy(block, keys->ck, sizeof keys->ck);
    memcpy(block + sizeof keys->ck, keys->ik, sizeof keys->ik);
    for (unsigned i = 0; i < sizeof block; i++)
        block[i] ^= pad;
    SHA256Init(&context);
    SHA256Update(&context, block, sizeof block);
    SHA256Update(&context, octets, n);
    SHA256Final(digest, &context);
}

void milenage_kc128(const struct milenage_keys *keys, uint8_t kc128[MILENAGE_KC128_OCTETS])
{
    static const uint8_t s[] = {KC128_FC};
    uint8_t inner[SHA256_DIGEST_LENGTH], digest[SHA256_DIGEST_LENGTH];
    hash(keys, HMAC_INNER, s, sizeof s, inner);
    hash(keys, HMAC_OUTER, inner, sizeof inner, digest);
    memcpy(kc128, digest, MILENAGE_KC128_OCTETS);
}
