// The knobs of a scenario: loads their file, judges the conclusions at each setting, and writes
// what they depend on, all by sluice.knobs.
#include "control/bind/internal.h"

#include "lab/base/json.h"

#define MODULE    "sluice.knobs."
#define KNOBS_KEY "sluice.knobs"      // the registry's key for what the file says
#define LIST_KEY  "sluice.knobs.list" // for what came of it

bool bind_knobs(struct bind *lua, const char *path, FILE *errors)
{
    targets_push(lua->L);
    lua_pop(lua->L, 1); // the name
    if (!targets_load(lua, MODULE "language", path, 1, errors))
        return false;
    lua_setfield(lua->L, LUA_REGISTRYINDEX, KNOBS_KEY);
    return true;
}

bool bind_knobs_plan(struct bind *lua, FILE *out)
{
    struct json json;
    if (!bind_push_function(lua, MODULE "language", "plan"))
        return false;
    lua_getfield(lua->L, LUA_REGISTRYINDEX, KNOBS_KEY);
    json_begin(&json, out);
    json_push_writer(lua->L, &json);
    if (!bind_run(lua->L, 2, 0))
        return false;
    json_end(&json);
    return true;
}

bool bind_judge_setting(struct bind *lua, uint32_t number, const struct bind_judged *judged,
                        uint32_t *missing, uint32_t *faults)
{
    lua_State *L = lua->L;
    if (!bind_push_function(lua, MODULE "judge", "setting"))
        return false;
    lua_getfield(L, LUA_REGISTRYINDEX, KNOBS_KEY);
    lua_pushinteger(L, (lua_Integer)number + 1);
    targets_push(L);
    lua_remove(L, -2); // the targets: the conclusions are some of them
    targets_push_source(L, judged);
    if (!bind_run(L, 4, 2))
        return false;
    *missing = (uint32_t)lua_tointeger(L, -2);
    *faults = (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 2);
    return true;
}

bool bind_knobs_conclude(struct bind *lua)
{
    if (!bind_push_function(lua, MODULE "judge", "conclude"))
        return false;
    lua_getfield(lua->L, LUA_REGISTRYINDEX, KNOBS_KEY);
    if (!bind_run(lua->L, 1, 1))
        return false;
    lua_setfield(lua->L, LUA_REGISTRYINDEX, LIST_KEY);
    return true;
}

void bind_put_knobs(struct bind *lua, const char *form, const struct bind_members *before,
                    FILE *out)
{
    targets_put(lua, MODULE "report", LIST_KEY, form, before, out);
}
