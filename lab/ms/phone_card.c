// See phone_parts.h: the card of a phone, a USIM with Milenage (TS 33.102 6.3.3, 35.206), and what
// the phone makes of its answer (TS 24.008 4.7.7). The same RAND again gets the same answer, and no
// new key: the card would not take it twice.
//
// It takes each SQN that is above all before it, and keeps one for all. Left out: SIMs, and the
// phone's timers of a network that fails again and again.
#include <string.h>

#include "dataplane/wire/gmm.h"
#include "lab/ms/phone_parts.h"

#define GEA3 3
#define GEA4 4

#define MAC_FAILURE   20
#define SYNCH_FAILURE 21

#define AUTS_OCTETS (MILENAGE_SQN_OCTETS + MILENAGE_MAC_OCTETS)
#define SRES_OCTETS 4

// What AUTN has, in this order.
struct autn {
    uint8_t sqn[MILENAGE_SQN_OCTETS]; // concealed by AK
    uint8_t amf[MILENAGE_AMF_OCTETS];
    uint8_t mac[MILENAGE_MAC_OCTETS];
};

static void add(uint8_t *to, const uint8_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] ^= from[i];
}

static void refuse(struct phone *phone, uint8_t cause, struct octets auts, uint64_t now_ns)
{
    uint8_t b[PHONE_MESSAGE_MOST];
    struct gmm_authentication_failure failure = {
        .cause = cause, .has_auts = auts.n > 0, .auts = auts};
    phone_send(phone, b, gmm_authentication_failure_encode(&failure, b, sizeof b), now_ns);
}

static void refuse_sqn(struct phone *phone, const uint8_t *rand, const struct milenage_keys *keys,
                       uint64_t now_ns)
{
    static const uint8_t amf[MILENAGE_AMF_OCTETS];
    uint8_t auts[AUTS_OCTETS];
    struct milenage_mac mac;
    milenage_mac(&phone->config.card, rand, phone->sqn, amf, &mac);
    memcpy(auts, phone->sqn, sizeof phone->sqn);
    add(auts, keys->ak_star, sizeof keys->ak_star);
    memcpy(auts + sizeof phone->sqn, mac.s, sizeof mac.s);
    refuse(phone, SYNCH_FAILURE, (struct octets){auts, sizeof auts}, now_ns);
}

// Whether the network has proved that it has the card's keys, and has not asked so before.
static bool believes(struct phone *phone, const uint8_t *rand, struct octets octets,
                     const struct milenage_keys *keys, uint64_t now_ns)
{
    struct autn autn;
    struct milenage_mac mac;
    memcpy(&autn, octets.at, sizeof autn);
    add(autn.sqn, keys->ak, sizeof keys->ak);
    milenage_mac(&phone->config.card, rand, autn.sqn, autn.amf, &mac);
    if (memcmp(mac.a, autn.mac, sizeof autn.mac) != 0) {
        refuse(phone, MAC_FAILURE, (struct octets){NULL, 0}, now_ns);
        return false;
    }
    if (memcmp(autn.sqn, phone->sqn, sizeof autn.sqn) <= 0) {
        refuse_sqn(phone, rand, keys, now_ns);
        return false;
    }
    memcpy(phone->sqn, autn.sqn, sizeof autn.sqn);
    return true;
}

static void answer(struct phone *phone, const struct gmm_authentication_request *request,
                   uint64_t now_ns)
{
    uint8_t b[PHONE_MESSAGE_MOST];
    struct gmm_authentication_response response = {
        .reference = request->reference,
        .has_res = true,
        .res = {phone->res, SRES_OCTETS},
        .has_imeisv = request->imeisv_request == 1,
        .has_res_rest = true,
        .res_rest = {phone->res + SRES_OCTETS, sizeof phone->res - SRES_OCTETS}};
    memcpy(response.imeisv.text, phone->config.imeisv, sizeof phone->config.imeisv);
    phone_send(phone, b, gmm_authentication_response_encode(&response, b, sizeof b), now_ns);
}

static void take_key(struct phone *phone, const struct gmm_authentication_request *request,
                     const struct milenage_keys *keys)
{
    uint8_t kc[MILENAGE_KC128_OCTETS];
    struct octets octets = {kc, 0};
    if (request->algorithm == GEA4) {
        milenage_kc128(keys, kc);
        octets.n = MILENAGE_KC128_OCTETS;
    } else if (request->algorithm == GEA3) {
        milenage_kc(keys, kc);
        octets.n = MILENAGE_KC_OCTETS;
    }
    phone->cksn = request->has_cksn ? request->cksn : PHONE_NO_KEY;
    phone_take_key(phone, request->algorithm, octets);
}

void phone_card_take(struct phone *phone, const struct gmm_authentication_request *request,
                     uint64_t now_ns)
{
    const uint8_t *rand = request->rand.at;
    struct milenage_keys keys;
    if (phone->has_rand && memcmp(phone->rand, rand, sizeof phone->rand) == 0) {
        answer(phone, request, now_ns);
        return;
    }
    milenage_keys(&phone->config.card, rand, &keys);
    if (!believes(phone, rand, request->autn, &keys, now_ns))
        return;
    memcpy(phone->rand, rand, sizeof phone->rand);
    memcpy(phone->res, keys.res, sizeof phone->res);
    phone->has_rand = true;
    answer(phone, request, now_ns);
    take_key(phone, request, &keys);
}
