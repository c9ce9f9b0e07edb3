// `require "cipher"`: GEA3 and GEA4 over single UI frames of LLC (TS 44.064 annex A), for the SAPIs
// that control handles. INPUT and the cipher are those of the workers.
//   key(gea, kc)      the key that the functions below take, from the algorithm's number and Kc; an
//                     error() with the reason where there is none
//   encipher(key, direction, iov_ui, oc, octets)     the frame with its information and FCS
//                     enciphered, as wire.llc_ui.encode made it with E set
//   decipher(key, direction, iov_ui, oc, octets)     the frame in plaintext, E still set; or nil,
//                     the fault as text and its name: no UI frame with E set, or a wrong FCS
// direction: "up" or "down". N(U) and SAPI of INPUT are the frame's; OC is a multiple of 512.
#include "control/bind/internal.h"

#include <string.h>

#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_cipher.h"

#define FRAME_OCTETS_MAX (LLC_UI_HEADER_OCTETS + LLC_N201_U_MAX + LLC_FCS_OCTETS)
_Static_assert(FRAME_OCTETS_MAX <= CIPHER_FRAME_OCTETS, "any UI frame can be enciphered");

enum { KEY = 1, DIRECTION, IOV_UI, OC, OCTETS }; // the arguments

static int key(lua_State *L)
{
    uint8_t made[CIPHER_KEY_OCTETS];
    char name[32];
    size_t kc_octets;
    const char *why;
    snprintf(name, sizeof name, "GEA" LUA_INTEGER_FMT, luaL_checkinteger(L, 1));
    const char *kc = luaL_checklstring(L, 2, &kc_octets);
    if (cipher_key(name, (const uint8_t *)kc, kc_octets, made, &why) < 0)
        return luaL_error(L, "cipher.key: %s: %s", name, why);
    lua_pushlstring(L, (const char *)made, sizeof made);
    return 1;
}

static uint32_t check_u32(lua_State *L, int argument)
{
    lua_Integer value = luaL_checkinteger(L, argument);
    luaL_argcheck(L, value >= 0 && value <= UINT32_MAX, argument, "allowed 0 to 4294967295");
    return (uint32_t)value;
}

// Copies the frame of the arguments to b with the key stream applied. Returns its octets, or the
// fault of what is no enciphered UI frame.
static int apply(lua_State *L, uint8_t b[FRAME_OCTETS_MAX])
{
    static _Thread_local struct cipher_scratch scratch;
    static const char *const directions[] = {
        [CIPHER_UPLINK] = "up", [CIPHER_DOWNLINK] = "down", NULL};
    size_t key_octets;
    const char *key = luaL_checklstring(L, KEY, &key_octets);
    luaL_argcheck(L, key_octets == CIPHER_KEY_OCTETS, KEY, "no key that cipher.key has made");
    int direction = luaL_checkoption(L, DIRECTION, NULL, directions);
    uint32_t iov_ui = check_u32(L, IOV_UI), oc = check_u32(L, OC);
    luaL_argcheck(L, oc % LLC_OC_STEP == 0, OC, "OC is a multiple of 512");
    struct octets octets;
    luaL_argexpected(L, octets_at(L, OCTETS, &octets), OCTETS, "string or buffer");
    if (octets.n > FRAME_OCTETS_MAX)
        return wire_fault(WIRE_RANGE, FRAME_OCTETS_MAX);
    struct llc_ui ui;
    int n = llc_ui_decode(&ui, octets.at, octets.n);
    if (n < 0)
        return n;
    if (!ui.enciphered)
        return wire_fault(WIRE_TYPE, LLC_UI_HEADER_OCTETS - 1);
    memcpy(b, octets.at, octets.n);
    const struct cipher_frame frame = {.key = (const uint8_t *)key,
                                       .octets = b + LLC_UI_HEADER_OCTETS,
                                       .input = llc_cipher_input_ui(iov_ui, ui.sapi, ui.nu, oc),
                                       .length_octets = (uint16_t)(octets.n - LLC_UI_HEADER_OCTETS),
                                       .direction = (uint8_t)direction};
    cipher_run(&scratch, &frame, 1);
    return n;
}

static int encipher(lua_State *L)
{
    uint8_t b[FRAME_OCTETS_MAX];
    int n = apply(L, b);
    if (n < 0) {
        wire_push_fault(L, "cipher.encipher", n);
        lua_pop(L, 1);
        return lua_error(L);
    }
    lua_pushlstring(L, (const char *)b, (size_t)n);
    return 1;
}

static int decipher(lua_State *L)
{
    uint8_t b[FRAME_OCTETS_MAX];
    int n = apply(L, b);
    if (n >= 0 && !llc_ui_fcs_good(b, (uint32_t)n))
        n = wire_fault(WIRE_FCS, (uint32_t)n - LLC_FCS_OCTETS);
    if (n < 0)
        return wire_push_fault(L, "cipher.decipher", n);
    lua_pushlstring(L, (const char *)b, (size_t)n);
    return 1;
}

int cipher_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"key", key}, {"encipher", encipher}, {"decipher", decipher}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
