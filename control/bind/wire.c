// `require "wire"`: for each PDU of dataplane/wire a table NAME with
//   encode{ field = value, ... }  the octets as a string; a wrong field is an error() with its name
//   decode(octets [, from])       a table of fields and the number of octets read; or nil, the
//   fault
//                                 as text and its name. Reads from octet `from` on, 1 is the first
//   values(octets [, from])       the fields as values in their order, nil for an absent one; or
//                                 false, the fault and its name. Only for PDUs of integer fields
//   pack(buffer, head, ...)       writes `head` and the PDU of such values into the buffer, and
//                                 returns the buffer
//   fields                        a list of { name, kind, help, least, most, optional, fields }
//   help                          the PDU's description
//   type                          the PDU's type octet, in the groups below
// and `names`, the list of all PDUs, and `buffer`, which makes a buffer (buffer.c); fields, decode
// and values accept buffers as octets. The groups `bssgp`, `ns`, `gmm_up`, `gmm_down`, `sm` and
// `gtpc`, of PDUs with a type octet:
//   decode(octets [, from])       the PDU's NAME and its table; or nil, the fault and its name
// and l3_cause(NAME), the cause of 24.008 for a fault of gmm or sm.
#include "control/bind/internal.h"

#include <string.h>

#include "dataplane/wire/pdus.h"

#define PDU_OCTETS_MAX (65536 + 64) // the longest payload and its headers

static const struct wire_pdu *pdu_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

// Finds the value that the encoder refused, for an error message: an integer field that, set to its
// least value, changes the outcome. Pushes the message with the field's path below `what`.
static bool blame(lua_State *L, const struct wire_pdu *pdu, int fault, union wire_any *any,
                  const char *what, const struct field *fields, uint32_t count, void *owner)
{
    static _Thread_local uint8_t b[PDU_OCTETS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        const char *path = lua_pushfstring(L, "%s.%s", what, f->name);
        void *inner = (char *)owner + f->offset;
        if (f->kind == FIELD_RECORD &&
            blame(L, pdu, fault, any, path, f->record->fields, f->record->count, inner))
            return true;
        for (uint64_t item = 0; f->kind == FIELD_LIST && item < *(uint64_t *)inner; item++) {
            const char *at = lua_pushfstring(L, "%s[%I]", path, (lua_Integer)item + 1);
            void *each = (char *)inner + FIELD_LIST_ITEMS_AT + item * f->record->octets;
            if (blame(L, pdu, fault, any, at, f->record->fields, f->record->count, each))
                return true;
            lua_pop(L, 1);
        }
        if (field_is_integer(f)) {
            uint64_t value = field_get(f, owner);
            field_set(f, owner, f->least);
            bool cured = value != f->least && pdu->encode(any, b, sizeof b) != fault;
            field_set(f, owner, value);
            if (cured) {
                lua_pushfstring(L, "%s: found %I, which the PDU cannot carry (%s at octet %d)",
                                path, (lua_Integer)value, wire_err_name(wire_fault_err(fault)),
                                (int)wire_fault_offset(fault));
                return true;
            }
        }
        lua_pop(L, 1);
    }
    return false;
}

static int wire_encode(lua_State *L)
{
    const struct wire_pdu *pdu = pdu_of(L);
    union wire_any any = {0};
    static _Thread_local uint8_t b[PDU_OCTETS_MAX];
    fields_from_table(L, 1, pdu->name, pdu->fields, pdu->field_count, &any);
    int n = pdu->encode(&any, b, sizeof b);
    if (n < 0 && blame(L, pdu, n, &any, pdu->name, pdu->fields, pdu->field_count, &any))
        return lua_error(L);
    if (n < 0)
        return luaL_error(L, "%s: %s at octet %d: %s", pdu->name, wire_err_name(wire_fault_err(n)),
                          (int)wire_fault_offset(n), wire_err_text(wire_fault_err(n)));
    lua_pushlstring(L, (const char *)b, (size_t)n);
    return 1;
}

int wire_push_fault(lua_State *L, const char *what, int fault)
{
    enum wire_err err = wire_fault_err(fault);
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s at octet %d: %s", what, wire_err_name(err),
                    (int)wire_fault_offset(fault), wire_err_text(err));
    lua_pushstring(L, wire_err_name(err));
    return 3;
}

// The octets to decode: argument 1 from octet number argument 2 on.
static struct octets check_octets(lua_State *L, const char *what)
{
    struct octets all;
    lua_Integer from = luaL_optinteger(L, 2, 1);
    luaL_argexpected(L, octets_at(L, 1, &all), 1, "string or buffer");
    luaL_argcheck(L, from >= 1, 2, "the first octet is 1");
    uint32_t skipped = from - 1 < all.n ? (uint32_t)(from - 1) : all.n;
    if (all.n - skipped > PDU_OCTETS_MAX)
        luaL_error(L, "%s: %I octets, allowed at most %d", what, (lua_Integer)(all.n - skipped),
                   PDU_OCTETS_MAX);
    return (struct octets){all.at + skipped, all.n - skipped};
}

static int wire_decode(lua_State *L)
{
    const struct wire_pdu *pdu = pdu_of(L);
    struct octets octets = check_octets(L, pdu->name);
    union wire_any any = {0};
    int n = pdu->decode(&any, octets.at, octets.n);
    if (n < 0)
        return wire_push_fault(L, pdu->name, n);
    fields_to_table(L, pdu->fields, pdu->field_count, &any);
    lua_pushinteger(L, n);
    return 2;
}

// Without a table, for frequent PDUs.
static int wire_values(lua_State *L)
{
    const struct wire_pdu *pdu = pdu_of(L);
    struct octets octets = check_octets(L, pdu->name);
    union wire_any any = {0};
    int n = pdu->decode(&any, octets.at, octets.n);
    if (n < 0) {
        int results = wire_push_fault(L, pdu->name, n);
        lua_pushboolean(L, false);
        lua_replace(L, -results - 1);
        return results;
    }
    luaL_checkstack(L, (int)pdu->field_count, pdu->name);
    for (uint32_t i = 0; i < pdu->field_count; i++) {
        const struct field *f = &pdu->fields[i];
        if (f->has_offset == FIELD_ALWAYS || *((const bool *)&any + f->has_offset))
            lua_pushinteger(L, (lua_Integer)field_get(f, &any));
        else
            lua_pushnil(L);
    }
    return (int)pdu->field_count;
}

static void take_values(lua_State *L, const struct wire_pdu *pdu, union wire_any *any)
{
    for (uint32_t i = 0; i < pdu->field_count; i++) {
        const struct field *f = &pdu->fields[i];
        int value = (int)i + 3, is_integer;
        lua_Integer v = lua_tointegerx(L, value, &is_integer);
        bool present = !lua_isnoneornil(L, value);
        if (f->has_offset != FIELD_ALWAYS)
            *((bool *)any + f->has_offset) = present;
        if (!present && f->has_offset != FIELD_ALWAYS)
            continue;
        if (!is_integer || (uint64_t)v < f->least || (uint64_t)v > f->most)
            luaL_error(L, "%s.%s: found %s, allowed %I to %I", pdu->name, f->name,
                       luaL_tolstring(L, value, NULL), (lua_Integer)f->least, (lua_Integer)f->most);
        field_set(f, any, (uint64_t)v);
    }
}

static int wire_pack(lua_State *L)
{
    const struct wire_pdu *pdu = pdu_of(L);
    struct buffer *b = buffer_at(L, 1);
    size_t head_octets;
    const char *head = luaL_checklstring(L, 2, &head_octets);
    union wire_any any = {0};
    luaL_argexpected(L, b, 1, "buffer");
    luaL_argcheck(L, head_octets <= sizeof b->at, 2, "too long");
    take_values(L, pdu, &any);
    int n = pdu->encode(&any, b->at + head_octets, (uint32_t)(sizeof b->at - head_octets));
    if (n < 0)
        return luaL_error(L, "%s: %s", pdu->name, wire_err_text(wire_fault_err(n)));
    memcpy(b->at, head, head_octets);
    b->n = (uint32_t)head_octets + (uint32_t)n;
    lua_settop(L, 1);
    return 1;
}

static bool has_integers_only(const struct wire_pdu *pdu)
{
    for (uint32_t i = 0; i < pdu->field_count; i++)
        if (!field_is_integer(&pdu->fields[i]) || pdu->fields[i].kind == FIELD_BOOL)
            return false;
    return true;
}

static int group_decode(lua_State *L)
{
    const char *group = lua_tostring(L, lua_upvalueindex(1));
    struct octets octets = check_octets(L, group);
    union wire_any any = {0};
    int fault;
    const struct wire_pdu *pdu = wire_pdu_in(group, octets.at, octets.n, &fault);
    if (!pdu)
        return wire_push_fault(L, group, fault);
    int n = pdu->decode(&any, octets.at, octets.n);
    if (n < 0)
        return wire_push_fault(L, pdu->name, n);
    lua_pushstring(L, pdu->name);
    fields_to_table(L, pdu->fields, pdu->field_count, &any);
    return 2;
}

static int l3_cause_of(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    for (uint32_t err = 1; err < WIRE_ERR_COUNT; err++) {
        if (strcmp(name, wire_err_name((enum wire_err)err)) == 0) {
            lua_pushinteger(L, l3_cause((enum wire_err)err));
            return 1;
        }
    }
    return luaL_argerror(L, 1, "the name of no fault");
}

static void push_function(lua_State *L, const struct wire_pdu *pdu, const char *name,
                          lua_CFunction function)
{
    lua_pushlightuserdata(L, (void *)pdu);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, name);
}

static void add_group(lua_State *L, const char *group)
{
    lua_createtable(L, 0, 1);
    lua_pushstring(L, group);
    lua_pushcclosure(L, group_decode, 1);
    lua_setfield(L, -2, "decode");
    lua_setfield(L, -2, group);
}

int wire_open(lua_State *L)
{
    lua_createtable(L, 0, (int)wire_pdu_count + 8);
    lua_pushcfunction(L, buffer_new);
    lua_setfield(L, -2, "buffer");
    lua_createtable(L, (int)wire_pdu_count, 0);
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i];
        lua_pushstring(L, pdu->name);
        lua_seti(L, -2, i + 1);
        lua_createtable(L, 0, 7);
        push_function(L, pdu, "encode", wire_encode);
        push_function(L, pdu, "decode", wire_decode);
        if (has_integers_only(pdu)) {
            push_function(L, pdu, "values", wire_values);
            push_function(L, pdu, "pack", wire_pack);
        }
        fields_describe(L, pdu->fields, pdu->field_count);
        lua_setfield(L, -2, "fields");
        lua_pushstring(L, pdu->help);
        lua_setfield(L, -2, "help");
        if (pdu->group) {
            lua_pushinteger(L, pdu->type);
            lua_setfield(L, -2, "type");
        }
        lua_setfield(L, -3, pdu->name);
    }
    lua_setfield(L, -2, "names");
    static const char *const groups[] = {"bssgp", "ns", "gmm_up", "gmm_down", "sm", "gtpc"};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        add_group(L, groups[i]);
    lua_pushcfunction(L, l3_cause_of);
    lua_setfield(L, -2, "l3_cause");
    return 1;
}
