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

// Reads the table of a call of a function that add_checker has added.
static void read_config(lua_State *L, void *config)
{
    const struct field_record *record = lua_touserdata(L, lua_upvalueindex(1));
    if (record->octets > ARGUMENT_OCTETS_MAX)
        luaL_error(L, "larger than %d octets", ARGUMENT_OCTETS_MAX);
    memset(config, 0, record->octets);
    fields_from_table(L, 1, "config", record->fields, record->count, config);
}

// fault(table): a text, or nil.
static int call_fault(lua_State *L)
{
    bind_fault_fn *const *fault = lua_touserdata(L, lua_upvalueindex(2));
    _Alignas(16) char config[ARGUMENT_OCTETS_MAX];
    read_config(L, config);
    lua_pushstring(L, (*fault)(config)); // a NULL becomes nil
    return 1;
}

// measure(table): a number; or nil and a text.
static int call_measure(lua_State *L)
{
    bind_measure_fn *const *measure = lua_touserdata(L, lua_upvalueindex(2));
    _Alignas(16) char config[ARGUMENT_OCTETS_MAX];
    uint64_t n = 0;
    read_config(L, config);
    const char *fault = (*measure)(config, &n);
    if (fault)
        lua_pushnil(L);
    else
        lua_pushinteger(L, (lua_Integer)n);
    lua_pushstring(L, fault);
    return 2;
}

// Adds a function to a module; `called` is a pointer to what it calls, of so many octets.
static void add_checker(struct bind *lua, const char *module, const char *name,
                        const struct field_record *record, lua_CFunction caller, const void *called,
                        size_t octets)
{
    lua_State *L = lua->L;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    luaL_getsubtable(L, -1, module);
    lua_pushlightuserdata(L, (void *)record);
    memcpy(lua_newuserdatauv(L, octets, 0), called, octets);
    lua_pushcclosure(L, caller, 2);
    lua_setfield(L, -2, name);
    lua_pop(L, 2);
}

void bind_add_fault(struct bind *lua, const char *name, const struct field_record *record,
                    bind_fault_fn *fault)
{
    add_checker(lua, "faults", name, record, call_fault, &fault, sizeof fault);
}

void bind_add_measure(struct bind *lua, const char *name, const struct field_record *record,
                      bind_measure_fn *measure)
{
    add_checker(lua, "measures", name, record, call_measure, &measure, sizeof measure);
}
