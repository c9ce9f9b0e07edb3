// `require "count"`: struct counts.
//   add(name [, n])                 a name of counts.def
//   set(name, n)                    a name of gauges.def
//   pdu_in(NAME), pdu_out(NAME)     a PDU's name in dataplane/wire
// An unknown name is an error() with the name. A Lua table finds the names, so the cost of a call
// does not depend on their number.
#include "control/bind/internal.h"

#include "dataplane/wire/pdus.h"

// The counter named by argument 1. Upvalues: the table of indices by name, the counters.
static uint64_t *count_named(lua_State *L)
{
    uint64_t *counts = lua_touserdata(L, lua_upvalueindex(2));
    luaL_checkstring(L, 1);
    lua_pushvalue(L, 1);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNUMBER)
        luaL_error(L, "count: unknown name '%s'; allowed: those of %s", lua_tostring(L, 1),
                   lua_tostring(L, lua_upvalueindex(3)));
    uint64_t *count = &counts[lua_tointeger(L, -1)];
    lua_pop(L, 1);
    return count;
}

static int add(lua_State *L)
{
    lua_Integer n = luaL_optinteger(L, 2, 1);
    if (n < 0)
        return luaL_error(L, "count.add: found %I, allowed 0 or more", n);
    counts_add(count_named(L), (uint64_t)n);
    return 0;
}

static int set(lua_State *L)
{
    lua_Integer n = luaL_checkinteger(L, 2);
    if (n < 0)
        return luaL_error(L, "count.set: found %I, allowed 0 or more", n);
    __atomic_store_n(count_named(L), (uint64_t)n, __ATOMIC_RELAXED);
    return 0;
}

static int add_one(lua_State *L)
{
    counts_add(count_named(L), 1);
    return 0;
}

static void add_function(lua_State *L, const char *name, lua_CFunction function, uint64_t *counts,
                         const char *allowed)
{
    lua_pushvalue(L, -1); // the names
    lua_pushlightuserdata(L, counts);
    lua_pushstring(L, allowed);
    lua_pushcclosure(L, function, 3);
    lua_setfield(L, -3, name);
}

static void push_names(lua_State *L, const struct count_description *of, int n)
{
    lua_createtable(L, 0, n);
    for (int i = 0; i < n; i++) {
        lua_pushinteger(L, i);
        lua_setfield(L, -2, of[i].name);
    }
}

int count_open(lua_State *L)
{
    struct counts *counts = &bind_of(L)->counts;
    lua_createtable(L, 0, 4);
    push_names(L, count_descriptions, COUNT_COUNT);
    add_function(L, "add", add, counts->count, "control/plane/counts.def");
    lua_pop(L, 1);
    push_names(L, count_gauges, GAUGE_COUNT);
    add_function(L, "set", set, counts->gauge, "control/plane/gauges.def");
    lua_pop(L, 1);
    lua_createtable(L, 0, COUNTS_PDUS);
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        lua_pushinteger(L, i);
        lua_setfield(L, -2, wire_pdus[i].name);
    }
    add_function(L, "pdu_in", add_one, counts->pdu_in, "wire.names");
    add_function(L, "pdu_out", add_one, counts->pdu_out, "wire.names");
    lua_pop(L, 1);
    return 1;
}

const struct counts *bind_counts(const struct bind *lua)
{
    return &lua->counts;
}
