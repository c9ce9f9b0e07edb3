// The configuration in the host: loading it, printing it, and what sluice.setup makes of it.
#include "control/bind/internal.h"

#include <stdlib.h>
#include <time.h>

#include "dataplane/base/json.h"
#include "dataplane/base/units.h"

#define CONFIG_OCTETS_MAX (1u << 20)

// The file's text on the stack; false, with the reason on `errors`.
static bool push_file(lua_State *L, const char *path, FILE *errors)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(CONFIG_OCTETS_MAX + 1) : NULL;
    size_t n = text ? fread(text, 1, CONFIG_OCTETS_MAX + 1, file) : 0;
    bool good = text && !ferror(file) && n <= CONFIG_OCTETS_MAX;
    if (good)
        lua_pushlstring(L, text, n);
    else if (n > CONFIG_OCTETS_MAX)
        fprintf(errors, "%s: larger than 1 MiB, which no configuration is\n", path);
    else
        fprintf(errors, "%s: cannot be read: %m\n", path);
    free(text);
    if (file)
        fclose(file);
    return good;
}

// Only for the time that a user's file may take; nothing of a run depends on it.
static int clock_ns(lua_State *L)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    lua_pushinteger(L, (lua_Integer)((uint64_t)t.tv_sec * S_IN_NS + (uint64_t)t.tv_nsec));
    return 1;
}

static void print_lines(lua_State *L, int list, FILE *errors)
{
    for (lua_Integer i = 1; i <= luaL_len(L, list); i++) {
        lua_geti(L, list, i);
        fprintf(errors, "%s\n", lua_tostring(L, -1));
        lua_pop(L, 1);
    }
}

bool host_config(struct host *host, const char *path, const char *const *sets, uint32_t set_count,
                 FILE *errors)
{
    lua_State *L = host->lua;
    if (!host_push_function(host, "sluice.config", "load"))
        return false;
    lua_pushstring(L, path);
    if (!push_file(L, path, errors)) {
        lua_pop(L, 2);
        return false;
    }
    lua_createtable(L, (int)set_count, 0);
    for (uint32_t i = 0; i < set_count; i++) {
        lua_pushstring(L, sets[i]);
        lua_seti(L, -2, i + 1);
    }
    lua_pushcfunction(L, clock_ns);
    if (!host_run(L, 4, 2))
        return false;
    bool good = lua_istable(L, -2);
    print_lines(L, lua_gettop(L), errors);
    lua_pop(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, CONFIG_KEY);
    return good;
}

void host_config_json(struct host *host, uint64_t memory_octets, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    if (!host_push_function(host, "sluice.config", "emit"))
        return;
    lua_getfield(host->lua, LUA_REGISTRYINDEX, CONFIG_KEY);
    json_push_writer(host->lua, &json);
    lua_pushinteger(host->lua, (lua_Integer)memory_octets);
    if (host_run(host->lua, 3, 0))
        json_end(&json);
}

void host_describe(struct host *host, FILE *out)
{
    if (!host_push_function(host, "sluice.config", "describe") || !host_run(host->lua, 0, 1))
        return;
    fputs(lua_tostring(host->lua, -1), out);
    lua_pop(host->lua, 1);
}

struct fill {
    const char *what;
    const struct field *fields;
    uint32_t count;
    void *out;
};

static int fill_struct(lua_State *L)
{
    const struct fill *fill = lua_touserdata(L, 1);
    fields_from_table(L, 2, fill->what, fill->fields, fill->count, fill->out);
    return 0;
}

bool host_struct(struct host *host, const char *name, const struct field *fields, uint32_t count,
                 void *out)
{
    lua_State *L = host->lua;
    struct fill fill = {name, fields, count, out};
    if (!host_push_function(host, "sluice.setup", name))
        return false;
    lua_getfield(L, LUA_REGISTRYINDEX, CONFIG_KEY);
    if (!host_run(L, 1, 1))
        return false;
    // The table is kept: octets of the struct point into its strings.
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, name);
    lua_pushcfunction(L, fill_struct);
    lua_pushlightuserdata(L, &fill);
    lua_rotate(L, -3, -1);
    return host_run(L, 2, 0);
}
