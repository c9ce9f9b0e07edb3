// See bind.h: the Lua state, its libraries, its memory limit, and calls into it. An error of Lua is
// caught here and becomes a return value and a line on stderr.
#include "control/bind/internal.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/base/classes.h"

static void *allocate(void *self, void *block, size_t old_octets, size_t octets)
{
    struct bind *lua = self;
    size_t old = block ? old_octets : 0;
    if (octets == 0) {
        lua->used -= old;
        return pool_resize(&lua->pool, block, old, 0);
    }
    if (octets > old && lua->used - old + octets > lua->limit)
        return NULL;
    void *moved = pool_resize(&lua->pool, block, old, octets);
    if (!moved)
        return NULL;
    lua->used += octets - old;
    if (octets > old) // for a new block Lua passes its type as old_octets
        guard_allocated(lua, !block && old_octets == LUA_TSTRING, octets - old);
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
        if (luaL_loadbufferx(L, m->chunk, m->octets, m->name, "b") != LUA_OK)
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
        // searcher 1 is package.preload; the others look for files
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
        {LUA_GNAME, luaopen_base},          {LUA_LOADLIBNAME, luaopen_package},
        {LUA_TABLIBNAME, luaopen_table},    {LUA_STRLIBNAME, luaopen_string},
        {LUA_MATHLIBNAME, luaopen_math},    {LUA_UTF8LIBNAME, luaopen_utf8},
        {LUA_COLIBNAME, luaopen_coroutine}, {LUA_DBLIBNAME, luaopen_debug}};
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
        lua_pop(L, 1);
    }
    // No random numbers without the run's seed, and no files.
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
    preload(L, "aqm", aqm_open);
    preload(L, "cipher", cipher_open);
    preload(L, "count", count_open);
    preload(L, "guard", guard_open);
    preload(L, "milenage", milenage_open);
    preload(L, "sha256", digest_open);
    preload(L, "sha256_file", digest_file_open);
    return 0;
}

struct bind *bind_create(bool full)
{
    struct bind *lua = calloc(1, sizeof *lua);
    if (!lua)
        return NULL;
    lua->limit = lua->most = SIZE_MAX;
    lua->L = lua_newstate(allocate, lua);
    if (lua->L) {
        lua_pushcfunction(lua->L, open_all);
        lua_pushboolean(lua->L, full);
        if (lua_pcall(lua->L, 1, 0, 0) == LUA_OK)
            return lua;
    }
    bind_destroy(lua);
    return NULL;
}

void bind_destroy(struct bind *lua)
{
    loader_end(lua);
    if (lua->L)
        lua_close(lua->L);
    pool_end(&lua->pool);
    config_source_free(lua->source);
    free(lua);
}

void bind_limit(struct bind *lua, size_t octets)
{
    lua->limit = octets;
}

const char *bind_lua_version(void)
{
    return LUA_RELEASE;
}

static int with_traceback(lua_State *L)
{
    luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
    return 1;
}

bool bind_run(lua_State *L, int arguments, int results)
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

static int push_function(lua_State *L)
{
    lua_getglobal(L, "require");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_pushvalue(L, 2);
    lua_gettable(L, -2);
    return 1;
}

bool bind_push_function(struct bind *lua, const char *module, const char *name)
{
    lua_pushcfunction(lua->L, push_function);
    lua_pushstring(lua->L, module);
    lua_pushstring(lua->L, name);
    return bind_run(lua->L, 2, 1);
}

int bind_script(struct bind *lua, const char *path, int argc, char *const *argv)
{
    lua_State *L = lua->L;
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
    return bind_run(L, argc, 0) ? 0 : 1;
}
