// Functions that take described structs, as a Lua module. A call that returns -EAGAIN yields: the
// calling coroutine makes the same call again at its next step.
#include "control/bind/internal.h"

#include <errno.h>
#include <string.h>

#include "dataplane/wire/field.h"

#define ARGUMENT_OCTETS_MAX 256

static int call_again(lua_State *L, int status, lua_KContext context);

static int call(lua_State *L)
{
    const struct field_call *c = lua_touserdata(L, lua_upvalueindex(1));
    void *target = lua_touserdata(L, lua_upvalueindex(2));
    _Alignas(16) char argument[ARGUMENT_OCTETS_MAX];
    if (c->struct_octets > sizeof argument)
        return luaL_error(L, "%s: argument larger than %d octets", c->name, ARGUMENT_OCTETS_MAX);
    memset(argument, 0, c->struct_octets);
    if (c->field_count)
        fields_from_table(L, 1, c->name, c->fields, c->field_count, argument);
    int64_t result = c->call(target, argument);
    if (result == -EAGAIN && lua_isyieldable(L))
        return lua_yieldk(L, 0, 0, call_again);
    if (result < 0)
        return luaL_error(L, "%s: %s", c->name, strerror((int)-result));
    lua_pushinteger(L, result);
    return 1;
}

static int call_again(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    return call(L);
}

void bind_add_calls(struct bind *lua, const char *name, const struct field_call *calls,
                    uint32_t count, void *target)
{
    lua_State *L = lua->L;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_createtable(L, 0, (int)count);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushlightuserdata(L, (void *)&calls[i]);
        lua_pushlightuserdata(L, target);
        lua_pushcclosure(L, call, 2);
        lua_setfield(L, -2, calls[i].name);
    }
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void bind_add_fields(struct bind *lua, const char *name, const struct field *fields, uint32_t count)
{
    lua_State *L = lua->L;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    fields_describe(L, fields, count);
    for (uint32_t i = 0; i < count; i++) {
        lua_geti(L, -1, i + 1);
        lua_setfield(L, -2, fields[i].name);
    }
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}
