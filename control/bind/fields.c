// Converts described structs to Lua tables and back. Integers are Lua integers, MAC addresses
// strings like "02:53:4c:00:00:01", octets Lua strings (buffers too, towards a struct). A struct's
// octets point into Lua's strings: the struct is valid as long as its table.
#include "control/bind/internal.h"

#include <arpa/inet.h>
#include <string.h>

static int field_error(lua_State *L, const char *what, const struct field *f, int value)
{
    static const char *const wanted[] = {
        [FIELD_MAC] = "a MAC address like \"02:53:4c:00:00:01\"",
        [FIELD_IPV6] = "an IPv6 address like \"2001:db8::1\"",
        [FIELD_RECORD] = "a table of its fields",
    };
    const char *found = luaL_tolstring(L, value, NULL);
    if (lua_type(L, value) == LUA_TSTRING)
        found = lua_pushfstring(L, "the string \"%s\"", found);
    lua_Integer least = (lua_Integer)f->least, most = (lua_Integer)f->most;
    switch (f->kind) {
    case FIELD_OCTETS:
        return luaL_error(L, "%s.%s: found %s of %I octets, allowed a string of %I to %I", what,
                          f->name, luaL_typename(L, value), (lua_Integer)lua_rawlen(L, value),
                          least, most);
    case FIELD_DIGITS:
        return luaL_error(L, "%s.%s: found %s, allowed a string of %I to %I digits", what, f->name,
                          found, least, most);
    case FIELD_LIST:
        return luaL_error(L, "%s.%s: found %s, allowed a list of %I to %I", what, f->name, found,
                          least, most);
    case FIELD_MAC:
    case FIELD_IPV6:
    case FIELD_RECORD:
        return luaL_error(L, "%s.%s: found %s, allowed %s", what, f->name, found, wanted[f->kind]);
    default:
        return luaL_error(L, "%s.%s: found %s, allowed %I to %I", what, f->name, found, least,
                          most);
    }
}

static bool integer_from(lua_State *L, const struct field *f, int value, void *out)
{
    int is_integer = 1;
    lua_Integer v = lua_isboolean(L, value) && f->kind == FIELD_BOOL
                        ? lua_toboolean(L, value)
                        : lua_tointegerx(L, value, &is_integer);
    bool zero = v == 0 && f->key && f->key->zero;
    if (!is_integer || lua_type(L, value) == LUA_TSTRING || v < 0 ||
        ((uint64_t)v < f->least && !zero) || (uint64_t)v > f->most)
        return false;
    field_set(f, out, (uint64_t)v);
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Exactly "xx:xx:xx:xx:xx:xx".
static bool mac_from(lua_State *L, const struct field *f, int value, void *out)
{
    struct mac *mac = (struct mac *)((char *)out + f->offset);
    if (lua_type(L, value) != LUA_TSTRING || lua_rawlen(L, value) != 17)
        return false;
    const char *text = lua_tostring(L, value);
    for (int i = 0; i < 6; i++, text += 3) {
        int high = hex_digit(text[0]), low = hex_digit(text[1]);
        if (high < 0 || low < 0 || text[2] != (i < 5 ? ':' : '\0'))
            return false;
        mac->octet[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool octets_from(lua_State *L, const struct field *f, int value, void *out)
{
    struct octets octets;
    if (!octets_at(L, value, &octets) || octets.n < f->least || octets.n > f->most)
        return false;
    *(struct octets *)((char *)out + f->offset) = octets;
    return true;
}

static bool digits_from(lua_State *L, const struct field *f, int value, void *out)
{
    struct digits *digits = (struct digits *)((char *)out + f->offset);
    size_t n = 0;
    const char *text = lua_type(L, value) == LUA_TSTRING ? lua_tolstring(L, value, &n) : "";
    if (n < f->least || n > f->most || n > FIELD_DIGITS_MAX || strspn(text, "0123456789") != n)
        return false;
    memcpy(digits->text, text, n + 1);
    return true;
}

static bool ipv6_from(lua_State *L, const struct field *f, int value, void *out)
{
    return lua_type(L, value) == LUA_TSTRING &&
           inet_pton(AF_INET6, lua_tostring(L, value), (char *)out + f->offset) == 1;
}

static bool record_from(lua_State *L, const char *what, const struct field *f, int value, void *out)
{
    if (!lua_istable(L, value))
        return false;
    what = lua_pushfstring(L, "%s.%s", what, f->name);
    fields_from_table(L, value, what, f->record->fields, f->record->count, (char *)out + f->offset);
    lua_pop(L, 1);
    return true;
}

static bool list_from(lua_State *L, const char *what, const struct field *f, int value, void *out)
{
    char *list = (char *)out + f->offset;
    lua_Integer n = lua_istable(L, value) ? luaL_len(L, value) : -1;
    if (n < 0 || (uint64_t)n < f->least || (uint64_t)n > f->most)
        return false;
    *(uint64_t *)list = (uint64_t)n;
    for (lua_Integer i = 1; i <= n; i++) {
        const char *item = lua_pushfstring(L, "%s.%s[%I]", what, f->name, i);
        lua_geti(L, value, i);
        fields_from_table(L, lua_gettop(L), item, f->record->fields, f->record->count,
                          list + FIELD_LIST_ITEMS_AT + (size_t)(i - 1) * f->record->octets);
        lua_pop(L, 2);
    }
    return true;
}

static bool value_from(lua_State *L, const char *what, const struct field *f, int value, void *out)
{
    switch (f->kind) {
    case FIELD_MAC:
        return mac_from(L, f, value, out);
    case FIELD_IPV6:
        return ipv6_from(L, f, value, out);
    case FIELD_OCTETS:
        return octets_from(L, f, value, out);
    case FIELD_DIGITS:
        return digits_from(L, f, value, out);
    case FIELD_RECORD:
        return record_from(L, what, f, value, out);
    case FIELD_LIST:
        return list_from(L, what, f, value, out);
    default:
        return integer_from(L, f, value, out);
    }
}

static const struct field *field_named(const struct field *fields, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

static int unknown_error(lua_State *L, const char *what, const char *name,
                         const struct field *fields, uint32_t count)
{
    luaL_Buffer names;
    luaL_buffinit(L, &names);
    for (uint32_t i = 0; i < count; i++) {
        luaL_addstring(&names, i ? ", " : "");
        luaL_addstring(&names, fields[i].name);
    }
    luaL_pushresult(&names);
    return luaL_error(L, "%s.%s: no such field; allowed: %s", what, name, lua_tostring(L, -1));
}

static uint32_t key_count(lua_State *L, int index)
{
    uint32_t n = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        n++;
    return n;
}

// The table has more keys than were read: raises an error for the unknown key.
static void refuse_unknown(lua_State *L, int index, const char *what, const struct field *fields,
                           uint32_t count)
{
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "[not a name]";
        if (!field_named(fields, count, name))
            unknown_error(L, what, name, fields, count);
    }
}

void fields_from_table(lua_State *L, int index, const char *what, const struct field *fields,
                       uint32_t count, void *out)
{
    if (!lua_istable(L, index))
        luaL_error(L, "%s: found %s, allowed a table of its fields", what, luaL_typename(L, index));
    index = lua_absindex(L, index);
    uint32_t read = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        bool present = lua_getfield(L, index, f->name) != LUA_TNIL;
        read += present;
        if (f->has_offset != FIELD_ALWAYS)
            *((bool *)out + f->has_offset) = present;
        else if (!present) {
            refuse_unknown(L, index, what, fields, count); // a misspelt key explains it better
            luaL_error(L, "%s.%s: missing; it is %s", what, f->name, f->help);
        }
        if (present && !value_from(L, what, f, lua_gettop(L), out))
            field_error(L, what, f, lua_gettop(L));
        lua_pop(L, 1);
    }
    if (key_count(L, index) != read)
        refuse_unknown(L, index, what, fields, count);
}

static void push_list(lua_State *L, const struct field *f, const char *list)
{
    uint64_t n = *(const uint64_t *)list;
    lua_createtable(L, (int)n, 0);
    for (uint64_t i = 0; i < n; i++) {
        fields_to_table(L, f->record->fields, f->record->count,
                        list + FIELD_LIST_ITEMS_AT + i * f->record->octets);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_value(lua_State *L, const struct field *f, const void *in)
{
    const char *at = (const char *)in + f->offset;
    const struct octets *octets = (const struct octets *)at;
    const uint8_t *m = (const uint8_t *)at;
    char text[INET6_ADDRSTRLEN];
    switch (f->kind) {
    case FIELD_BOOL:
        lua_pushboolean(L, field_get(f, in) != 0);
        break;
    case FIELD_MAC:
        snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4],
                 m[5]);
        lua_pushstring(L, text);
        break;
    case FIELD_IPV6:
        lua_pushstring(L, inet_ntop(AF_INET6, at, text, sizeof text));
        break;
    case FIELD_DIGITS:
        lua_pushstring(L, ((const struct digits *)at)->text);
        break;
    case FIELD_RECORD:
        fields_to_table(L, f->record->fields, f->record->count, at);
        break;
    case FIELD_LIST:
        push_list(L, f, at);
        break;
    case FIELD_OCTETS:
        lua_pushlstring(L, octets->n ? (const char *)octets->at : "", octets->n);
        break;
    default:
        lua_pushinteger(L, (lua_Integer)field_get(f, in));
    }
}

void fields_to_table(lua_State *L, const struct field *fields, uint32_t count, const void *in)
{
    lua_createtable(L, 0, (int)count);
    for (uint32_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        if (f->has_offset != FIELD_ALWAYS && !*((const bool *)in + f->has_offset))
            continue;
        push_value(L, f, in);
        lua_setfield(L, -2, f->name);
    }
}

static void describe_key(lua_State *L, const struct field_key *key)
{
    lua_createtable(L, 0, 4);
    lua_pushstring(L, key->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, key->type);
    lua_setfield(L, -2, "type");
    lua_pushstring(L, key->zero); // a NULL becomes nil
    lua_setfield(L, -2, "zero");
    lua_pushinteger(L, (lua_Integer)key->standard);
    lua_setfield(L, -2, "standard");
}

void fields_describe(lua_State *L, const struct field *fields, uint32_t count)
{
    static const char *const kinds[] = {
        [FIELD_BOOL] = "boolean",  [FIELD_U8] = "integer",  [FIELD_U16] = "integer",
        [FIELD_U32] = "integer",   [FIELD_U64] = "integer", [FIELD_MAC] = "mac",
        [FIELD_OCTETS] = "octets", [FIELD_IPV6] = "ipv6",   [FIELD_DIGITS] = "digits",
        [FIELD_RECORD] = "record", [FIELD_LIST] = "list"};
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        lua_createtable(L, 0, 8);
        lua_pushstring(L, f->name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, kinds[f->kind]);
        lua_setfield(L, -2, "kind");
        lua_pushstring(L, f->help);
        lua_setfield(L, -2, "help");
        lua_pushinteger(L, (lua_Integer)f->least);
        lua_setfield(L, -2, "least");
        lua_pushinteger(L, (lua_Integer)f->most);
        lua_setfield(L, -2, "most");
        lua_pushboolean(L, f->has_offset != FIELD_ALWAYS);
        lua_setfield(L, -2, "optional");
        if (f->key) {
            describe_key(L, f->key);
            lua_setfield(L, -2, "key");
        }
        if (f->record) {
            fields_describe(L, f->record->fields, f->record->count);
            lua_setfield(L, -2, "fields");
        }
        lua_seti(L, -2, i + 1);
    }
}
