// The JSON writer for Lua: object(), array(), key(name), value(v), close(), in the order of the
// call.
#include "control/bind/internal.h"

#include "lab/base/json.h"

static struct json *json_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

static int writer_object(lua_State *L)
{
    json_object(json_of(L));
    return 0;
}

static int writer_array(lua_State *L)
{
    json_array(json_of(L));
    return 0;
}

static int writer_close(lua_State *L)
{
    json_close(json_of(L));
    return 0;
}

static int writer_key(lua_State *L)
{
    json_key(json_of(L), luaL_checkstring(L, 1));
    return 0;
}

static int writer_value(lua_State *L)
{
    switch (lua_type(L, 1)) {
    case LUA_TBOOLEAN:
        json_boolean(json_of(L), lua_toboolean(L, 1));
        break;
    case LUA_TNUMBER:
        if (lua_isinteger(L, 1))
            json_integer(json_of(L), lua_tointeger(L, 1));
        else
            json_real(json_of(L), lua_tonumber(L, 1));
        break;
    default:
        json_text(json_of(L), luaL_checkstring(L, 1));
    }
    return 0;
}

void json_push_writer(lua_State *L, struct json *json)
{
    static const luaL_Reg functions[] = {{"object", writer_object}, {"array", writer_array},
                                         {"close", writer_close},   {"key", writer_key},
                                         {"value", writer_value},   {NULL, NULL}};
    luaL_newlibtable(L, functions);
    lua_pushlightuserdata(L, json);
    luaL_setfuncs(L, functions, 1);
}
