// `require "aqm"`: every AQM in the order of its table, each
//   { name, help, params = { { name, help, unit, least, most, standard, standard_unit }, ... } }
// with `unit` time, size, count, probability, switch or level; standard_unit is a level's. And
//   check(place, { { unit = ..., value = ... }, ... })   nil, or why the values do not fit together
// with all parameters in their order; `unit` is the dataplane's number of the unit.
#include "control/bind/internal.h"

#include "dataplane/aqm/aqm.h"

static void set_text(lua_State *L, const char *name, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

static void set_integer(lua_State *L, const char *name, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, name);
}

static void push_param(lua_State *L, const struct aqm_param *p)
{
    static const char *const units[] = {[AQM_TIME] = "time",     [AQM_SIZE] = "size",
                                        [AQM_COUNT] = "count",   [AQM_PROBABILITY] = "probability",
                                        [AQM_SWITCH] = "switch", [AQM_LEVEL] = "level"};
    lua_createtable(L, 0, 7);
    set_text(L, "name", p->name);
    set_text(L, "help", p->help);
    set_text(L, "unit", units[p->unit]);
    set_integer(L, "least", p->least);
    set_integer(L, "most", p->most);
    set_integer(L, "standard", aqm_level_value(p->standard));
    set_integer(L, "standard_unit", aqm_level_unit(p->standard));
}

static void push_aqm(lua_State *L, const struct aqm_ops *ops)
{
    lua_createtable(L, 0, 3);
    set_text(L, "name", ops->name);
    set_text(L, "help", ops->help);
    lua_createtable(L, (int)ops->param_count, 0);
    for (uint32_t i = 0; i < ops->param_count; i++) {
        push_param(L, &ops->params[i]);
        lua_seti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "params");
}

static uint64_t param_at(lua_State *L, int list, lua_Integer i)
{
    lua_geti(L, list, i);
    lua_getfield(L, -1, "unit");
    lua_getfield(L, -2, "value");
    uint64_t param = AQM_LEVEL_OF(luaL_checkinteger(L, -2), luaL_checkinteger(L, -1));
    lua_pop(L, 3);
    return param;
}

static int check(lua_State *L)
{
    lua_Integer place = luaL_checkinteger(L, 1);
    luaL_argcheck(L, place >= 1 && place <= aqm_count, 1, "no AQM of that place");
    const struct aqm_ops *ops = aqm_list[place - 1];
    uint64_t params[AQM_PARAMS_MAX];
    struct aqm aqm;
    for (uint32_t i = 0; i < ops->param_count; i++)
        params[i] = param_at(L, 2, i + 1);
    lua_pushstring(L, aqm_setup(&aqm, ops, params)); // a NULL becomes nil
    return 1;
}

int aqm_open(lua_State *L)
{
    lua_createtable(L, (int)aqm_count, 1);
    for (uint32_t i = 0; i < aqm_count; i++) {
        push_aqm(L, aqm_list[i]);
        lua_seti(L, -2, i + 1);
    }
    lua_pushcfunction(L, check);
    lua_setfield(L, -2, "check");
    return 1;
}
