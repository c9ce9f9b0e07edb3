// `require "milenage"`: the algorithms of authentication (control/auth/milenage.h). Octets are
// strings, a SQN and an AK are integers of 48 bits.
//   ready()                           whether this processor can do it; else the others raise
//   errors keys(k, opc, rand)                { res, sres, kc, kc128, ak, ak_star } of a RAND
//   macs(k, opc, rand, sqn, amf)      MAC-A and MAC-S
#include "control/bind/internal.h"

#include <string.h>

#include "control/auth/milenage.h"

enum { K = 1, OPC, RAND, SQN, AMF }; // the arguments

static void check_octets(lua_State *L, int argument, uint8_t *to, size_t n)
{
    size_t found;
    const char *octets = luaL_checklstring(L, argument, &found);
    luaL_argcheck(L, found == n, argument, "wrong number of octets");
    memcpy(to, octets, n);
}

static void check_card(lua_State *L, struct milenage_card *card,
                       uint8_t rand[MILENAGE_BLOCK_OCTETS])
{
    if (!milenage_ready())
        luaL_error(L, "milenage: this processor has no AES instructions");
    check_octets(L, K, card->k, sizeof card->k);
    check_octets(L, OPC, card->opc, sizeof card->opc);
    check_octets(L, RAND, rand, MILENAGE_BLOCK_OCTETS);
}

static int ready(lua_State *L)
{
    lua_pushboolean(L, milenage_ready());
    return 1;
}

static void set_octets(lua_State *L, const char *name, const uint8_t *octets, size_t n)
{
    lua_pushlstring(L, (const char *)octets, n);
    lua_setfield(L, -2, name);
}

static void set_number(lua_State *L, const char *name, const uint8_t octets[MILENAGE_SQN_OCTETS])
{
    lua_Integer number = 0;
    for (unsigned i = 0; i < MILENAGE_SQN_OCTETS; i++)
        number = number << 8 | octets[i];
    lua_pushinteger(L, number);
    lua_setfield(L, -2, name);
}

static int keys(lua_State *L)
{
    struct milenage_card card;
    struct milenage_keys keys;
    uint8_t rand[MILENAGE_BLOCK_OCTETS], sres[MILENAGE_SRES_OCTETS], kc[MILENAGE_KC_OCTETS];
    uint8_t kc128[MILENAGE_KC128_OCTETS];
    check_card(L, &card, rand);
    milenage_keys(&card, rand, &keys);
    milenage_sres(&keys, sres);
    milenage_kc(&keys, kc);
    milenage_kc128(&keys, kc128);
    lua_createtable(L, 0, 6);
    set_octets(L, "res", keys.res, sizeof keys.res);
    set_octets(L, "sres", sres, sizeof sres);
    set_octets(L, "kc", kc, sizeof kc);
    set_octets(L, "kc128", kc128, sizeof kc128);
    set_number(L, "ak", keys.ak);
    set_number(L, "ak_star", keys.ak_star);
    return 1;
}

static int macs(lua_State *L)
{
    struct milenage_card card;
    struct milenage_mac mac;
    uint8_t rand[MILENAGE_BLOCK_OCTETS], sqn[MILENAGE_SQN_OCTETS], amf[MILENAGE_AMF_OCTETS];
    check_card(L, &card, rand);
    lua_Integer number = luaL_checkinteger(L, SQN);
    luaL_argcheck(L, number >= 0 && number >> 48 == 0, SQN, "a SQN has 48 bits");
    for (unsigned i = 0; i < MILENAGE_SQN_OCTETS; i++)
        sqn[i] = (uint8_t)(number >> 8 * (MILENAGE_SQN_OCTETS - 1 - i));
    check_octets(L, AMF, amf, sizeof amf);
    milenage_mac(&card, rand, sqn, amf, &mac);
    lua_pushlstring(L, (const char *)mac.a, sizeof mac.a);
    lua_pushlstring(L, (const char *)mac.s, sizeof mac.s);
    return 2;
}

int milenage_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"ready", ready}, {"keys", keys}, {"macs", macs}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
