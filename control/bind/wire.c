// `require "wire"`: for each PDU of dataplane/wire a table NAME with
//   encode{ field = value, ... }  the octets as a string; a wrong field is an error() that names it
//   decode(octets)                a table of fields and the octets it took; or nil and the fault
//   fields                        a list of { name, kind, help, least, most, optional, fields }
//   help                          what it is
// and `names`, the list of all. The groups `bssgp` and `ns`, whose PDUs a type octet tells apart:
//   decode(octets)                the PDU's NAME and its table; or nil and the fault
#include "control/bind/internal.h"

#include "dataplane/wire/pdus.h"

#define PDU_OCTETS_MAX (65536 + 64) // the longest payload and its headers

static const struct wire_pdu *pdu_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

// Which value the encoder refused: the integer whose least value in its place changes the outcome.
// Codecs need not say it, and this runs only for an error message. Pushes its path below `what`.
static bool blame(lua_State *L, const struct wire_pdu *pdu, int fault, union wire_any *any,
                  const char *what, const struct field *fields, uint32_t count, void *owner)
{
    static uint8_t b[PDU_OCTETS_MAX];
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
    static uint8_t b[PDU_OCTETS_MAX];
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

// A table of the PDU's fields and how many octets it took, or nil and the fault.
static int push_decoded(lua_State *L, const struct wire_pdu *pdu, const uint8_t *b, size_t octets)
{
    union wire_any any = {0};
    int n = pdu->decode(&any, b, (uint32_t)octets);
    if (n < 0) {
        lua_pushnil(L);
        lua_pushfstring(L, "%s: %s at octet %d: %s", pdu->name, wire_err_name(wire_fault_err(n)),
                        (int)wire_fault_offset(n), wire_err_text(wire_fault_err(n)));
        return 2;
    }
    fields_to_table(L, pdu->fields, pdu->field_count, &any);
    lua_pushinteger(L, n);
    return 2;
}

static const uint8_t *check_octets(lua_State *L, const char *what, size_t *octets)
{
    const uint8_t *b = (const uint8_t *)luaL_checklstring(L, 1, octets);
    if (*octets > PDU_OCTETS_MAX)
        luaL_error(L, "%s: %I octets, allowed at most %d", what, (lua_Integer)*octets,
                   PDU_OCTETS_MAX);
    return b;
}

static int wire_decode(lua_State *L)
{
    const struct wire_pdu *pdu = pdu_of(L);
    size_t octets;
    const uint8_t *b = check_octets(L, pdu->name, &octets);
    return push_decoded(L, pdu, b, octets);
}

static int group_decode(lua_State *L)
{
    const char *group = lua_tostring(L, lua_upvalueindex(1));
    size_t octets;
    const uint8_t *b = check_octets(L, group, &octets);
    const struct wire_pdu *pdu = octets ? wire_pdu_of(group, b[0]) : NULL;
    if (!pdu) {
        lua_pushnil(L);
        lua_pushfstring(
            L, octets ? "%s: TYPE at octet 0: no PDU of that type" : "%s: TRUNCATED at octet 0",
            group);
        return 2;
    }
    lua_pushstring(L, pdu->name);
    push_decoded(L, pdu, b, octets);
    if (lua_isnil(L, -2)) {
        lua_remove(L, -3);
        return 2;
    }
    lua_pop(L, 1);
    return 2;
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
    lua_createtable(L, 0, (int)wire_pdu_count + 3);
    lua_createtable(L, (int)wire_pdu_count, 0);
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i];
        lua_pushstring(L, pdu->name);
        lua_seti(L, -2, i + 1);
        lua_createtable(L, 0, 4);
        push_function(L, pdu, "encode", wire_encode);
        push_function(L, pdu, "decode", wire_decode);
        fields_describe(L, pdu->fields, pdu->field_count);
        lua_setfield(L, -2, "fields");
        lua_pushstring(L, pdu->help);
        lua_setfield(L, -2, "help");
        lua_setfield(L, -3, pdu->name);
    }
    lua_setfield(L, -2, "names");
    add_group(L, "bssgp");
    add_group(L, "ns");
    return 1;
}
