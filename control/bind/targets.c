// The targets of several runs: loads them, judges them, and writes what came of it, all by
// sluice.targets.
#include "control/bind/internal.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/base/json.h"

#define MODULE         "sluice.targets."
#define TARGETS_KEY    "sluice.targets"      // the registry's key for those that are loaded
#define NAME_KEY       "sluice.targets.name" // for their file's path
#define ROWS_KEY       "sluice.targets.rows" // for what came of them
#define CSV_OCTETS_MAX (256u << 20)

static void keep(lua_State *L, const char *key)
{
    lua_setfield(L, LUA_REGISTRYINDEX, key);
}

void targets_push(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, TARGETS_KEY);
    lua_getfield(L, LUA_REGISTRYINDEX, NAME_KEY);
}

static void push_kept(lua_State *L, const char *key)
{
    lua_getfield(L, LUA_REGISTRYINDEX, key);
}

bool targets_load(struct bind *lua, const char *module, const char *path, int more, FILE *errors)
{
    lua_State *L = lua->L;
    if (!bind_push_function(lua, module, "load"))
        return false;
    lua_pushstring(L, path);
    if (!config_push_file(L, path, CONFIG_OCTETS_MAX)) {
        config_print_line(lua_tostring(L, -1), errors);
        lua_pop(L, 3 + more);
        return false;
    }
    lua_rotate(L, -3 - more, 3); // behind what was there: the function and its first arguments
    if (!bind_run(L, 2 + more, 2))
        return false;
    bool good = lua_istable(L, -2);
    if (!good)
        config_print_lines(L, lua_gettop(L), errors);
    lua_pop(L, good ? 1 : 2);
    return good;
}

bool bind_targets(struct bind *lua, const char *path, FILE *errors)
{
    lua_State *L = lua->L;
    lua_pushstring(L, path);
    keep(L, NAME_KEY);
    if (!targets_load(lua, MODULE "language", path, 0, errors))
        return false;
    keep(L, TARGETS_KEY);
    return true;
}

// ---- Functions for Lua: what the runs came to ----

static const struct bind_judged *judged_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

// find(variant, point, seed from 1): a folder, or nil, why not, whether the run is missing.
static int find(lua_State *L)
{
    const struct bind_judged *judged = judged_of(L);
    char folder[PATH_MAX];
    bool missing = false;
    const char *why = judged->find(judged->self, lua_tostring(L, 1), lua_tostring(L, 2),
                                   (uint32_t)luaL_checkinteger(L, 3) - 1, folder, &missing);
    if (!why) {
        lua_pushstring(L, folder);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, why);
    lua_pushboolean(L, missing);
    return 3;
}

// read(path): the text, or nil and why not.
static int read_csv(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct stat is;
    bool fits = stat(path, &is) == 0 && is.st_size >= 0 && is.st_size < (off_t)CSV_OCTETS_MAX;
    if (config_push_file(L, path, fits ? (size_t)is.st_size : CSV_OCTETS_MAX))
        return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

// number(folder, path): nil if there is none.
static int number(lua_State *L)
{
    double found = judged_of(L)->number(luaL_checkstring(L, 1), luaL_checkstring(L, 2));
    if (isnan(found))
        lua_pushnil(L);
    else
        lua_pushnumber(L, found);
    return 1;
}

// interval(samples): the mean, and half its interval or nil.
static int interval(lua_State *L)
{
    uint32_t n = (uint32_t)luaL_len(L, 1);
    double *samples = lua_newuserdatauv(L, n * sizeof *samples, 0), mean;
    for (uint32_t i = 0; i < n; i++) {
        lua_geti(L, 1, i + 1);
        samples[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    double half = judged_of(L)->interval(samples, n, &mean);
    lua_pushnumber(L, mean);
    if (isnan(half))
        return 1;
    lua_pushnumber(L, half);
    return 2;
}

void targets_push_source(lua_State *L, const struct bind_judged *judged)
{
    static const luaL_Reg functions[] = {{"find", find},
                                         {"read", read_csv},
                                         {"number", number},
                                         {"interval", interval},
                                         {NULL, NULL}};
    luaL_newlibtable(L, functions);
    lua_pushlightuserdata(L, (void *)(uintptr_t)judged);
    luaL_setfuncs(L, functions, 1);
    lua_pushinteger(L, judged->seeds);
    lua_setfield(L, -2, "seeds");
    lua_pushinteger(L, (lua_Integer)judged->first_seed);
    lua_setfield(L, -2, "first_seed");
}

// ---- Judging and writing ----

static bool count_faults(struct bind *lua, uint32_t *faults)
{
    if (!bind_push_function(lua, MODULE "judge", "faults"))
        return false;
    push_kept(lua->L, ROWS_KEY);
    if (!bind_run(lua->L, 1, 1))
        return false;
    *faults = (uint32_t)lua_tointeger(lua->L, -1);
    lua_pop(lua->L, 1);
    return true;
}

bool bind_judge(struct bind *lua, const struct bind_judged *judged, uint32_t *faults)
{
    lua_State *L = lua->L;
    if (!bind_push_function(lua, MODULE "judge", "all"))
        return false;
    targets_push(L);
    targets_push_source(L, judged);
    if (!bind_run(L, 3, 1))
        return false;
    keep(L, ROWS_KEY);
    return count_faults(lua, faults);
}

static void put_text(struct bind *lua, FILE *out)
{
    if (!bind_run(lua->L, 1, 1))
        return;
    fputs(lua_tostring(lua->L, -1), out);
    lua_pop(lua->L, 1);
}

static void put_json(struct bind *lua, const struct bind_members *before, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    if (before)
        before->put(before->self, &json);
    json_push_writer(lua->L, &json);
    if (!bind_run(lua->L, 2, 0))
        return;
    json_close(&json);
    json_end(&json);
}

void targets_put(struct bind *lua, const char *module, const char *key, const char *form,
                 const struct bind_members *before, FILE *out)
{
    if (!bind_push_function(lua, module, form))
        return;
    push_kept(lua->L, key);
    if (strstr(form, "json"))
        put_json(lua, before, out);
    else
        put_text(lua, out);
}

void bind_put_targets(struct bind *lua, const char *form, const struct bind_members *before,
                      FILE *out)
{
    targets_put(lua, MODULE "report", ROWS_KEY, form, before, out);
}
