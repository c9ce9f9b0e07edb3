// See host.h: the state, its libraries, its memory limit, and running things in it. Whatever Lua
// raises is caught here and comes out as a return value and a line on stderr.
#include "control/bind/internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dataplane/base/classes.h"
#include "dataplane/base/json.h"
#include "dataplane/base/units.h"

static void *allocate(void *self, void *block, size_t old_octets, size_t octets)
{
    struct host *host = self;
    size_t old = block ? old_octets : 0;
    if (octets == 0) {
        host->used -= old;
        free(block);
        return NULL;
    }
    if (octets > old && host->used - old + octets > host->limit)
        return NULL;
    void *moved = realloc(block, octets);
    if (moved)
        host->used += octets - old;
    return moved;
}

// require "sluice.NAME": the files built into the program.
static int load_built_in(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    for (unsigned i = 0; i < lua_module_count; i++) {
        const struct lua_module *m = &lua_modules[i];
        if (strcmp(m->name, name) != 0)
            continue;
        lua_pushfstring(L, "@lua/%s", m->name);
        if (luaL_loadbufferx(L, m->text, m->octets, lua_tostring(L, -1), "t") != LUA_OK)
            return lua_error(L);
        lua_pushstring(L, m->name);
        return 2;
    }
    lua_pushfstring(L, "no built-in module '%s'", name);
    return 1;
}

static int open_classes(lua_State *L)
{
    lua_createtable(L, CLASS_COUNT, 0);
    for (int i = 0; i < CLASS_COUNT; i++) {
        lua_pushstring(L, class_names[i]);
        lua_seti(L, -2, i + 1);
    }
    return 1;
}

static void add_searcher(lua_State *L, bool only)
{
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "searchers");
    if (only) {
        // searcher 1 is package.preload; those behind it look at files
        for (lua_Integer i = luaL_len(L, -1); i >= 2; i--) {
            lua_pushnil(L);
            lua_seti(L, -2, i);
        }
    }
    lua_pushcfunction(L, load_built_in);
    lua_seti(L, -2, luaL_len(L, -2) + 1);
    lua_pop(L, 2);
}

static void open_some(lua_State *L)
{
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},       {LUA_LOADLIBNAME, luaopen_package},
        {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string},
        {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8},
        {LUA_COLIBNAME, luaopen_coroutine}, {LUA_DBLIBNAME, luaopen_debug}};
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
        lua_pop(L, 1);
    }
    // No numbers that a seed does not decide, and nothing from files.
    lua_getglobal(L, "math");
    lua_pushnil(L);
    lua_setfield(L, -2, "random");
    lua_pushnil(L);
    lua_setfield(L, -2, "randomseed");
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_setglobal(L, "dofile");
    lua_pushnil(L);
    lua_setglobal(L, "loadfile");
}

static void preload(lua_State *L, const char *name, lua_CFunction open)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, open);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

static int open_all(lua_State *L)
{
    bool full = lua_toboolean(L, 1);
    if (full)
        luaL_openlibs(L);
    else
        open_some(L);
    add_searcher(L, !full);
    preload(L, "wire", wire_open);
    preload(L, "classes", open_classes);
    return 0;
}

struct host *host_create(bool full)
{
    struct host *host = calloc(1, sizeof *host);
    if (!host)
        return NULL;
    host->limit = SIZE_MAX;
    host->lua = lua_newstate(allocate, host);
    if (host->lua) {
        lua_pushcfunction(host->lua, open_all);
        lua_pushboolean(host->lua, full);
        if (lua_pcall(host->lua, 1, 0, 0) == LUA_OK)
            return host;
    }
    host_destroy(host);
    return NULL;
}

void host_destroy(struct host *host)
{
    if (host->lua)
        lua_close(host->lua);
    free(host);
}

void host_limit(struct host *host, size_t octets)
{
    host->limit = octets;
}

const char *host_lua_version(void)
{
    return LUA_RELEASE;
}

static int with_traceback(lua_State *L)
{
    luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
    return 1;
}

// Calls the function below its arguments on the stack; false, with the traceback on stderr.
static bool run(lua_State *L, int arguments, int results)
{
    int handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, with_traceback);
    lua_insert(L, handler);
    int status = lua_pcall(L, arguments, results, handler);
    lua_remove(L, handler);
    if (status == LUA_OK)
        return true;
    fprintf(stderr, "sluice: %s\n", lua_tostring(L, -1));
    lua_pop(L, 1);
    return false;
}

// Pushes require(module)[name].
static int push_function(lua_State *L)
{
    lua_getglobal(L, "require");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_pushvalue(L, 2);
    lua_gettable(L, -2);
    return 1;
}

static bool get_function(struct host *host, const char *module, const char *name)
{
    lua_pushcfunction(host->lua, push_function);
    lua_pushstring(host->lua, module);
    lua_pushstring(host->lua, name);
    return run(host->lua, 2, 1);
}

#define CONFIG_KEY "sluice.configuration"
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

static void print_errors(lua_State *L, int list, FILE *errors)
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
    if (!get_function(host, "sluice.config", "load"))
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
    if (!run(L, 4, 2))
        return false;
    bool good = lua_istable(L, -2);
    if (!good)
        print_errors(L, lua_gettop(L), errors);
    lua_pop(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, CONFIG_KEY);
    return good;
}

void host_config_json(struct host *host, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    if (!get_function(host, "sluice.config", "emit"))
        return;
    lua_getfield(host->lua, LUA_REGISTRYINDEX, CONFIG_KEY);
    json_push_writer(host->lua, &json);
    if (run(host->lua, 2, 0))
        json_end(&json);
}

void host_describe(struct host *host, FILE *out)
{
    if (!get_function(host, "sluice.config", "describe") || !run(host->lua, 0, 1))
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
    if (!get_function(host, "sluice.setup", name))
        return false;
    lua_getfield(L, LUA_REGISTRYINDEX, CONFIG_KEY);
    if (!run(L, 1, 1))
        return false;
    // The table is kept: octets of the struct point into its strings.
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, name);
    lua_pushcfunction(L, fill_struct);
    lua_pushlightuserdata(L, &fill);
    lua_rotate(L, -3, -1);
    return run(L, 2, 0);
}

void host_task(struct host *host, const char *name)
{
    lua_State *L = host->lua;
    host->task = lua_newthread(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "sluice.task");
    if (!get_function(host, "sluice.setup", name)) {
        host->task = NULL;
        return;
    }
    lua_getfield(L, LUA_REGISTRYINDEX, CONFIG_KEY);
    lua_xmove(L, host->task, 2);
}

enum host_step host_task_step(struct host *host)
{
    if (!host->task)
        return HOST_FAILED;
    int results;
    int arguments = lua_status(host->task) == LUA_OK ? 1 : 0;
    int status = lua_resume(host->task, host->lua, arguments, &results);
    if (status == LUA_YIELD) {
        lua_pop(host->task, results);
        return HOST_WAITS;
    }
    if (status == LUA_OK)
        return HOST_DONE;
    luaL_traceback(host->lua, host->task, lua_tostring(host->task, -1), 0);
    fprintf(stderr, "sluice: %s\n", lua_tostring(host->lua, -1));
    lua_pop(host->lua, 1);
    return HOST_FAILED;
}

int host_script(struct host *host, const char *path, int argc, char *const *argv)
{
    lua_State *L = host->lua;
    lua_createtable(L, argc, 1);
    lua_pushstring(L, path);
    lua_seti(L, -2, 0);
    for (int i = 0; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_seti(L, -2, i + 1);
    }
    lua_setglobal(L, "arg");
    if (luaL_loadfile(L, path) != LUA_OK) {
        fprintf(stderr, "sluice: %s\n", lua_tostring(L, -1));
        return 2;
    }
    luaL_checkstack(L, argc + 2, "too many arguments");
    for (int i = 0; i < argc; i++)
        lua_pushstring(L, argv[i]);
    return run(L, argc, 0) ? 0 : 1;
}
