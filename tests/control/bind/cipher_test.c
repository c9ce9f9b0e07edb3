// `require "cipher"` against libosmocore: frames of every SAPI and length, both directions, GEA3
// and GEA4; what it refuses, by name, and that nothing outside a frame is read.
#include "control/bind/internal.h"

#include <osmocom/crypt/gprs_cipher.h>
#include <string.h>

#include "tests/control/bind/script.h"
#include "tests/dataplane/random.h"

#define FRAMES      3000
#define OCTETS_MAX  1526u
#define BIT_E       2u
#define BIT_PM      1u
#define EXAMPLE_KEY "local key = cipher.key(3, ('k'):rep(8))\n"

struct example {
    uint8_t gea, kc[16], plain[OCTETS_MAX], air[OCTETS_MAX];
    uint32_t n, iov_ui, oc;
    bool downlink;
};

// TS 44.064 clause 5.5, bit by bit.
static uint32_t plain_fcs(const uint8_t *b, uint32_t n)
{
    uint32_t crc = 0xffffff;
    for (uint32_t bit = 0; bit < 8 * n; bit++) {
        bool odd = (crc ^ b[bit / 8] >> bit % 8) & 1;
        crc = crc >> 1 ^ (odd ? 0xad85dd : 0);
    }
    return ~crc & 0xffffff;
}

static void draw(struct example *e)
{
    e->gea = random_next() >> 32 & 1 ? 4 : 3;
    random_fill(e->kc, sizeof e->kc);
    e->n = (uint32_t)random_in(6, OCTETS_MAX);
    random_fill(e->plain, e->n);
    e->iov_ui = (uint32_t)random_in(0, UINT32_MAX);
    e->oc = (uint32_t)random_in(0, UINT32_MAX) & ~511u;
    e->downlink = random_next() >> 32 & 1;
    uint32_t sapi = (uint32_t)random_in(1, 14), nu = (uint32_t)random_in(0, 511);
    bool all = random_next() >> 32 & 1;
    e->plain[0] = (uint8_t)(sapi | (e->downlink ? 0x40 : 0));
    e->plain[1] = (uint8_t)(0xc0 | nu >> 6);
    e->plain[2] = (uint8_t)(nu << 2 | BIT_E | (all ? BIT_PM : 0));
    uint32_t covered = !all && e->n > 3 + 4 + 3 ? 3 + 4 : e->n - 3;
    uint32_t fcs = plain_fcs(e->plain, covered);
    for (uint32_t i = 0; i < 3; i++)
        e->plain[e->n - 3 + i] = (uint8_t)(fcs >> 8 * i);
    uint8_t stream[GSM0464_CIPH_MAX_BLOCK];
    uint32_t input = gprs_cipher_gen_input_ui(e->iov_ui, (uint8_t)sapi, nu, e->oc);
    assert_int_equal(gprs_cipher_run(stream, (uint16_t)(e->n - 3),
                                     e->gea == 3 ? GPRS_ALGO_GEA3 : GPRS_ALGO_GEA4, e->kc, input,
                                     e->downlink ? GPRS_CIPH_SGSN2MS : GPRS_CIPH_MS2SGSN),
                     0);
    memcpy(e->air, e->plain, e->n);
    for (uint32_t i = 3; i < e->n; i++)
        e->air[i] ^= stream[i - 3];
}

// Calls the function of the module with the example's values and these octets; leaves `results`.
static void call(struct bind *lua, const char *name, const struct example *e, const uint8_t *octets,
                 int results)
{
    lua_State *L = lua->L;
    assert_true(bind_push_function(lua, "cipher", name));
    assert_true(bind_push_function(lua, "cipher", "key"));
    lua_pushinteger(L, e->gea);
    lua_pushlstring(L, (const char *)e->kc, e->gea == 3 ? 8 : 16);
    assert_true(bind_run(L, 2, 1));
    lua_pushstring(L, e->downlink ? "down" : "up");
    lua_pushinteger(L, e->iov_ui);
    lua_pushinteger(L, e->oc);
    lua_pushlstring(L, (const char *)octets, e->n);
    assert_true(bind_run(L, 5, results));
}

static void expect_octets(struct bind *lua, const uint8_t *octets, uint32_t n)
{
    size_t found_octets;
    const char *found = lua_tolstring(lua->L, -1, &found_octets);
    assert_non_null(found);
    assert_int_equal(found_octets, n);
    assert_memory_equal(found, octets, n);
    lua_pop(lua->L, 1);
}

static void frames_agree_with_libosmocore(void **state)
{
    (void)state;
    static struct example e;
    struct bind *lua = bind_create(false);
    assert_non_null(lua);
    for (uint32_t i = 0; i < FRAMES; i++) {
        draw(&e);
        call(lua, "encipher", &e, e.plain, 1);
        expect_octets(lua, e.air, e.n);
        call(lua, "decipher", &e, e.air, 1);
        expect_octets(lua, e.plain, e.n);
    }
    bind_destroy(lua);
}

// One bit of what the FCS covers, of the FCS or of INPUT.
static void a_wrong_fcs_is_told(void **state)
{
    (void)state;
    static struct example e;
    struct bind *lua = bind_create(false);
    assert_non_null(lua);
    for (uint32_t i = 0; i < FRAMES; i++) {
        draw(&e);
        uint32_t covered = e.plain[2] & BIT_PM || e.n < 3 + 4 + 3 ? e.n : 3 + 4;
        uint32_t at = (uint32_t)random_in(3, covered - 1);
        uint8_t bit = (uint8_t)(1u << random_next() % 8);
        if (random_next() % 4)
            e.air[at] ^= bit;
        else if (random_next() % 2)
            e.oc += 512;
        else
            e.downlink = !e.downlink;
        call(lua, "decipher", &e, e.air, 3);
        assert_true(lua_isnil(lua->L, -3));
        assert_non_null(strstr(lua_tostring(lua->L, -2), "wrong FCS"));
        assert_string_equal(lua_tostring(lua->L, -1), "FCS");
        lua_pop(lua->L, 3);
    }
    bind_destroy(lua);
}

static void expect_script(const char *script)
{
    char text[4096];
    int n =
        snprintf(text, sizeof text, "local cipher = require 'cipher'\n%s%s", EXAMPLE_KEY, script);
    assert_in_range(n, 1, sizeof text - 1);
    struct bind *lua = bind_create(true);
    assert_non_null(lua);
    assert_true(script_runs(lua, text));
    bind_destroy(lua);
}

static void what_is_no_enciphered_ui_frame_is_a_named_fault(void **state)
{
    (void)state;
    expect_script(
        "local function told(octets, name)\n"
        "    local plain, text, found = cipher.decipher(key, 'up', 0, 0, octets)\n"
        "    assert(plain == nil and found == name and text:find(name, 1, true), found)\n"
        "    local good, why = pcall(cipher.encipher, key, 'up', 0, 0, octets)\n"
        "    assert(not good and why:find('cipher.encipher: ' .. name, 1, true), why)\n"
        "end\n"
        "local frame = string.char(0x01, 0xc0, 0x03) .. ('x'):rep(9)\n"
        "assert(#cipher.encipher(key, 'up', 0, 0, frame) == #frame)\n"
        "for n = 0, 5 do told(frame:sub(1, n), 'TRUNCATED') end\n"
        "told('\\x81' .. frame:sub(2), 'TYPE')\n"                         // PD
        "told('\\x01\\xe0' .. frame:sub(3), 'TYPE')\n"                    // a U frame
        "told('\\x00' .. frame:sub(2), 'RESERVED')\n"                     // SAPI 0
        "told('\\x11' .. frame:sub(2), 'RESERVED')\n"                     // a spare bit
        "told('\\x01\\xc0\\x01' .. frame:sub(4), 'FCS')\n"                // in clear
        "told('\\x01\\xc0\\x10\\x08\\x05\\x09\\xaf\\xe6\\x33', 'TYPE')\n" // in clear, good
        "local head = frame:sub(1, 3)\n"
        "assert(#cipher.encipher(key, 'up', 0, 0, head .. ('x'):rep(1523)) == 1526)\n"
        "told(head .. ('x'):rep(1524), 'RANGE')\n"
        "told(head .. ('x'):rep(1 << 20), 'RANGE')\n");
}

static void a_buffer_is_as_good_as_a_string(void **state)
{
    (void)state;
    expect_script(
        "local wire = require 'wire'\n"
        "local b = wire.bssgp_flow_control_ms_ack.pack(wire.buffer(), '\\x01\\xc0\\x03', 1, 2)\n"
        "local text = cipher.encipher(key, 'up', 0, 0, tostring(b))\n"
        "assert(cipher.encipher(key, 'up', 0, 0, b) == text and #text == #b)\n");
}

static void wrong_arguments_are_errors(void **state)
{
    (void)state;
    expect_script("local frame = string.char(0x01, 0xc0, 0x03) .. ('x'):rep(9)\n"
                  "local function fails(why, fn, ...)\n"
                  "    local good, found = pcall(fn, ...)\n"
                  "    assert(not good and found:find(why, 1, true), found)\n"
                  "end\n"
                  "for _, fn in ipairs { cipher.encipher, cipher.decipher } do\n"
                  "    fails('cipher.key', fn, key:sub(2), 'up', 0, 0, frame)\n"
                  "    fails('cipher.key', fn, key .. 'x', 'up', 0, 0, frame)\n"
                  "    fails('invalid option', fn, key, 'left', 0, 0, frame)\n"
                  "    fails('4294967295', fn, key, 'up', -1, 0, frame)\n"
                  "    fails('4294967295', fn, key, 'up', 0, 1 << 32, frame)\n"
                  "    fails('multiple of 512', fn, key, 'up', 0, 768, frame)\n"
                  "    fails('string or buffer', fn, key, 'up', 0, 0, {})\n"
                  "    fails('string or buffer', fn, key, 'up', 0, 0)\n"
                  "end\n"
                  "fails('GEA1 is broken by design', cipher.key, 1, ('k'):rep(8))\n"
                  "fails('GEA2 is broken', cipher.key, 2, ('k'):rep(8))\n"
                  "fails('GEA5 is not supported', cipher.key, 5, ('k'):rep(16))\n"
                  "fails('there are GEA3 and GEA4', cipher.key, 0, '')\n"
                  "fails('there are GEA3 and GEA4', cipher.key, math.mininteger, '')\n"
                  "fails('GEA3 takes a Kc of 8 octets', cipher.key, 3, ('k'):rep(16))\n"
                  "fails('GEA4 takes a Kc of 16 octets', cipher.key, 4, ('k'):rep(8))\n"
                  "fails('number expected', cipher.key, 'gea3', ('k'):rep(8))\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_agree_with_libosmocore),
        cmocka_unit_test(a_wrong_fcs_is_told),
        cmocka_unit_test(what_is_no_enciphered_ui_frame_is_a_named_fault),
        cmocka_unit_test(a_buffer_is_as_good_as_a_string),
        cmocka_unit_test(wrong_arguments_are_errors),
    };
    return cmocka_run_group_tests_name("control/bind/cipher", tests, NULL, NULL);
}
