// A reusable octet buffer for frequent PDUs: Lua interns short strings, and the FLOW-CONTROL-MS of
// a million MSs would leave a million strings between two garbage collections. `sub` copies octets
// that have to be kept.
//   b:byte([i])  b:sub(i [, j]) -> string  #b  tostring(b)
// as for strings, but byte returns one octet, and indices are positive.
#include "control/bind/internal.h"

#include <string.h>

#define BUFFER "octets"

static struct buffer *check_buffer(lua_State *L)
{
    return luaL_checkudata(L, 1, BUFFER);
}

static int buffer_byte(lua_State *L)
{
    const struct buffer *b = check_buffer(L);
    lua_Integer i = luaL_optinteger(L, 2, 1);
    if (i < 1 || i > b->n)
        return 0;
    lua_pushinteger(L, b->at[i - 1]);
    return 1;
}

static int buffer_sub(lua_State *L)
{
    const struct buffer *b = check_buffer(L);
    lua_Integer from = luaL_checkinteger(L, 2), to = luaL_optinteger(L, 3, b->n);
    luaL_argcheck(L, from >= 1, 2, "the first octet is 1");
    to = to < b->n ? to : b->n;
    lua_pushlstring(L, (const char *)b->at + from - 1, from <= to ? (size_t)(to - from + 1) : 0);
    return 1;
}

static int buffer_length(lua_State *L)
{
    lua_pushinteger(L, check_buffer(L)->n);
    return 1;
}

static int buffer_text(lua_State *L)
{
    const struct buffer *b = check_buffer(L);
    lua_pushlstring(L, (const char *)b->at, b->n);
    return 1;
}

static void push_metatable(lua_State *L)
{
    static const luaL_Reg functions[] = {{"byte", buffer_byte},
                                         {"sub", buffer_sub},
                                         {"__len", buffer_length},
                                         {"__tostring", buffer_text},
                                         {NULL, NULL}};
    if (!luaL_newmetatable(L, BUFFER))
        return;
    luaL_setfuncs(L, functions, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
}

struct buffer *buffer_push(lua_State *L)
{
    struct buffer *b = lua_newuserdatauv(L, sizeof *b, 0);
    b->n = 0;
    push_metatable(L);
    lua_setmetatable(L, -2);
    return b;
}

int buffer_new(lua_State *L)
{
    buffer_push(L);
    return 1;
}

struct buffer *buffer_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, BUFFER);
}

bool octets_at(lua_State *L, int index, struct octets *octets)
{
    size_t n;
    const struct buffer *b;
    if (lua_type(L, index) == LUA_TSTRING) {
        octets->at = (const uint8_t *)lua_tolstring(L, index, &n);
        octets->n = (uint32_t)n;
        return n <= UINT32_MAX;
    }
    if (!(b = buffer_at(L, index)))
        return false;
    *octets = (struct octets){b->at, b->n};
    return true;
}
