// Plain values (nil, booleans, numbers, strings, and tables of them) from one Lua state to another,
// as octets of this process:
//   every string and every table is an object with a number, its own objects before it; the last
//   one is the value itself. STRING: length, octets. TABLE: how many values a list of it has, how
//   many other keys, then the values of the list, and each other key with its value.
// A value is a tag, and behind it an integer, a float, or the number of an object.
#include "control/bind/internal.h"

#include <stdlib.h>
#include <string.h>

enum object { STRING, TABLE };
enum tag { NIL, FALSE, TRUE, INTEGER, FLOAT, OBJECT };

#define LEVELS          64 // of tables in tables
#define ENTRIES_A_VALUE 16 // of a table cost as much as making an object

// Of Lua 5.4, on 64-bit machines: a string's head, a table, a value of its list, a key with its
// value.
#define STRING_OCTETS 25
#define TABLE_OCTETS  56
#define VALUE_OCTETS  16
#define KEY_OCTETS    24

void pack_free(struct packed *packed)
{
    free(packed->at);
    *packed = (struct packed){0};
}

static void put(lua_State *L, struct packed *packed, const void *octets, size_t n)
{
    if (packed->octets + n > packed->room) {
        size_t room = 2 * packed->room + n + 1024;
        uint8_t *moved = realloc(packed->at, room);
        if (!moved)
            luaL_error(L, "not enough memory");
        packed->at = moved;
        packed->room = room;
    }
    memcpy(packed->at + packed->octets, octets, n);
    packed->octets += n;
}

static void put_tag(lua_State *L, struct packed *packed, uint8_t tag)
{
    put(L, packed, &tag, sizeof tag);
}

static void put_count(lua_State *L, struct packed *packed, uint32_t n)
{
    put(L, packed, &n, sizeof n);
}

// ---- Packing. `known` is the index of a table of the objects' numbers ----

static uint32_t number_of(lua_State *L, int known, int index)
{
    lua_pushvalue(L, index);
    lua_rawget(L, known);
    uint32_t number = (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return number;
}

static void put_value(lua_State *L, struct packed *packed, int known, int index)
{
    lua_Integer integer = lua_tointeger(L, index);
    lua_Number number = lua_tonumber(L, index);
    switch (lua_type(L, index)) {
    case LUA_TNIL:
        put_tag(L, packed, NIL);
        break;
    case LUA_TBOOLEAN:
        put_tag(L, packed, lua_toboolean(L, index) ? TRUE : FALSE);
        break;
    case LUA_TNUMBER:
        put_tag(L, packed, lua_isinteger(L, index) ? INTEGER : FLOAT);
        put(L, packed, lua_isinteger(L, index) ? (void *)&integer : (void *)&number, 8);
        break;
    default:
        put_tag(L, packed, OBJECT);
        put_count(L, packed, number_of(L, known, index));
    }
}

static void put_object(lua_State *L, struct packed *packed, int known, int index, int level);

static bool is_object(lua_State *L, int index)
{
    int type = lua_type(L, index);
    if (type > LUA_TTABLE || type == LUA_TLIGHTUSERDATA)
        luaL_error(L, "a %s cannot be packed", lua_typename(L, type));
    return type == LUA_TSTRING || type == LUA_TTABLE;
}

static bool is_of_list(lua_State *L, int index, uint32_t list)
{
    lua_Integer at = lua_isinteger(L, index) ? lua_tointeger(L, index) : 0;
    return at >= 1 && at <= (lua_Integer)list;
}

// Returns the number of keys that are not of the list.
static uint32_t put_insides(lua_State *L, struct packed *packed, int known, int table, int level,
                            uint32_t list)
{
    uint32_t keys = 0;
    luaL_checkstack(L, 8, "too many levels");
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        int value = lua_gettop(L);
        put_object(L, packed, known, value - 1, level + 1);
        put_object(L, packed, known, value, level + 1);
        keys += !is_of_list(L, value - 1, list);
    }
    return keys;
}

static void put_table(lua_State *L, struct packed *packed, int known, int table, int level)
{
    uint32_t list = (uint32_t)lua_rawlen(L, table);
    uint32_t keys = put_insides(L, packed, known, table, level, list);
    put_tag(L, packed, TABLE);
    put_count(L, packed, list);
    put_count(L, packed, keys);
    for (uint32_t i = 1; i <= list; i++) {
        lua_rawgeti(L, table, i);
        put_value(L, packed, known, lua_gettop(L));
        lua_pop(L, 1);
    }
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        int value = lua_gettop(L);
        if (is_of_list(L, value - 1, list))
            continue;
        put_value(L, packed, known, value - 1);
        put_value(L, packed, known, value);
    }
    packed->lua_octets +=
        TABLE_OCTETS + (size_t)list * VALUE_OCTETS + 2 * (size_t)keys * KEY_OCTETS;
}

static void put_string(lua_State *L, struct packed *packed, int index)
{
    size_t n;
    const char *octets = lua_tolstring(L, index, &n);
    put_tag(L, packed, STRING);
    put_count(L, packed, (uint32_t)n);
    put(L, packed, octets, n);
    packed->lua_octets += STRING_OCTETS + n;
}

static void put_object(lua_State *L, struct packed *packed, int known, int index, int level)
{
    if (!is_object(L, index) || number_of(L, known, index))
        return;
    if (level > LEVELS)
        luaL_error(L, "more than %d levels of tables", LEVELS);
    if (lua_type(L, index) == LUA_TSTRING)
        put_string(L, packed, index);
    else
        put_table(L, packed, known, index, level);
    lua_pushvalue(L, index);
    lua_pushinteger(L, ++packed->objects);
    lua_rawset(L, known);
}

void pack(lua_State *L, int index, struct packed *packed)
{
    packed->octets = packed->lua_octets = packed->taken = packed->objects = 0;
    index = lua_absindex(L, index);
    lua_newtable(L);
    put_object(L, packed, lua_gettop(L), index, 0);
    packed->lua_octets += (size_t)packed->objects * VALUE_OCTETS; // the list of them
    lua_pop(L, 1);
}

// ---- Unpacking. `objects` is the index of the list of those that are there ----

static void take(struct packed *packed, void *octets, size_t n)
{
    memcpy(octets, packed->at + packed->taken, n);
    packed->taken += n;
}

static uint8_t take_tag(struct packed *packed)
{
    return packed->at[packed->taken++];
}

static uint32_t take_count(struct packed *packed)
{
    uint32_t n;
    take(packed, &n, sizeof n);
    return n;
}

static void push_value(lua_State *L, struct packed *packed, int objects)
{
    enum tag tag = take_tag(packed);
    lua_Integer integer;
    lua_Number number;
    if (tag == OBJECT) {
        lua_rawgeti(L, objects, take_count(packed));
    } else if (tag == INTEGER) {
        take(packed, &integer, sizeof integer);
        lua_pushinteger(L, integer);
    } else if (tag == FLOAT) {
        take(packed, &number, sizeof number);
        lua_pushnumber(L, number);
    } else if (tag == NIL) {
        lua_pushnil(L);
    } else {
        lua_pushboolean(L, tag == TRUE);
    }
}

// Returns how many entries it has.
static uint32_t push_table(lua_State *L, struct packed *packed, int objects)
{
    uint32_t list = take_count(packed), keys = take_count(packed);
    lua_createtable(L, (int)list, (int)keys);
    for (uint32_t i = 1; i <= list; i++) {
        push_value(L, packed, objects);
        lua_rawseti(L, -2, i);
    }
    for (uint32_t i = 0; i < keys; i++) {
        push_value(L, packed, objects);
        push_value(L, packed, objects);
        lua_rawset(L, -3);
    }
    return list + keys;
}

static uint32_t push_object(lua_State *L, struct packed *packed, int objects)
{
    if (take_tag(packed) == TABLE)
        return push_table(L, packed, objects);
    uint32_t n = take_count(packed);
    lua_pushlstring(L, (const char *)packed->at + packed->taken, n);
    packed->taken += n;
    return 0;
}

bool pack_take(lua_State *L, struct packed *packed, int objects, uint32_t most)
{
    lua_Integer number = (lua_Integer)lua_rawlen(L, objects);
    uint32_t cost = 0;
    for (; packed->taken < packed->octets && cost < most; cost++) {
        cost += push_object(L, packed, objects) / ENTRIES_A_VALUE;
        lua_rawseti(L, objects, ++number);
    }
    return packed->taken == packed->octets;
}
