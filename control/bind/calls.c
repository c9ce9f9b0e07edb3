// Functions that take described structs, as a Lua module. A call that returns -EAGAIN yields: the
// calling coroutine makes the same call again at its next step.
#include "control/bind/internal.h"

#include <errno.h>
#include <string.h>

#include "dataplane/wire/field.h"

#define ARGUMENT_OCTETS_MAX 1024

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

// Sets t[name] for the table t on the stack.
static void set_fields(lua_State *L, const char *name, const struct field *fields, uint32_t count)
{
    fields_describe(L, fields, count);
    for (uint32_t i = 0; i < count; i++) {
        lua_geti(L, -1, i + 1);
        lua_setfield(L, -2, fields[i].name);
    }
    lua_setfield(L, -2, name);
}

void bind_add_fields(struct bind *lua, const char *name, const struct field *fields, uint32_t count)
{
    lua_State *L = lua->L;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    set_fields(L, name, fields, count);
    lua_pop(L, 1);
}

void bind_add_list(struct bind *lua, const char *name, const struct field_record *record)
{
    lua_State *L = lua->L;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    luaL_getsubtable(L, -1, "fields");
    set_fields(L, name, record->fields, record->count);
    lua_pop(L, 2);
}

// fault(table): a text, or nil.
static int call_fault(lua_State *L)
{
    const struct field_record *record = lua_touserdata(L, lua_upvalueindex(1));
    bind_fault_fn *const *fault = lua_touserdata(L, lua_upvalueindex(2));
    _Alignas(16) char argument[ARGUMENT_OCTETS_MAX];
    if (record->octets > sizeof argument)
        return luaL_error(L, "larger than %d octets", ARGUMENT_OCTETS_MAX);
    memset(argument, 0, record->octets);
    fields_from_table(L, 1, "config", record->fields, record->count, argument);
    lua_pushstring(L, (*fault)(argument)); // a NULL becomes nil
    return 1;
}

void bind_add_fault(struct bind *lua, const char *name, const struct field_record *record,
                    bind_fault_fn *fault)
{
    lua_State *L = lua->L;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    luaL_getsubtable(L, -1, "faults");
    lua_pushlightuserdata(L, (void *)record);
    *(bind_fault_fn **)lua_newuserdatauv(L, sizeof fault, 0) = fault;
    lua_pushcclosure(L, call_fault, 2);
    lua_setfield(L, -2, name);
    lua_pop(L, 2);
}
