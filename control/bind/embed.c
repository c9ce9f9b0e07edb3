// Runs in the build: writes the Lua files of the control plane as C arrays, so that the program
// needs none at run time. They are compiled already, with all their names and lines: to compile
// them took a third of a start.
//     embed OUT ROOT FILE...      ROOT is a path without links
#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OCTETS_A_ROW 16

struct array {
    FILE *out;
    size_t octets;
};

static int put(lua_State *L, const void *octets, size_t n, void *self)
{
    (void)L;
    struct array *a = self;
    for (size_t i = 0; i < n; i++)
        fprintf(a->out, "%s%u,", a->octets++ % OCTETS_A_ROW ? " " : "\n    ",
                ((const unsigned char *)octets)[i]);
    return ferror(a->out);
}

// Leaves the module's name on the stack, as `require` takes it: sluice.core.ids for
// ROOT/sluice/core/ids.lua.
static void push_name(lua_State *L, const char *root, const char *file)
{
    char path[PATH_MAX];
    size_t before = strlen(root) + 1;
    if (!realpath(file, path) || strncmp(path, root, before - 1) != 0)
        luaL_error(L, "%s: is not in %s", file, root);
    lua_pushlstring(L, path + before, strlen(path) - before - strlen(".lua"));
    luaL_gsub(L, lua_tostring(L, -1), "/", ".");
    lua_remove(L, -2);
}

static void put_module(lua_State *L, FILE *out, const char *root, const char *file, int number)
{
    struct array array = {.out = out};
    FILE *in = fopen(file, "rb");
    luaL_Buffer text;
    if (!in)
        luaL_error(L, "%s: cannot be read", file);
    push_name(L, root, file);
    luaL_buffinit(L, &text);
    for (size_t n = 1; n > 0; luaL_addsize(&text, n))
        n = fread(luaL_prepbuffer(&text), 1, LUAL_BUFFERSIZE, in);
    fclose(in);
    luaL_pushresult(&text);
    lua_pushfstring(L, "@lua/%s", lua_tostring(L, -2));
    if (luaL_loadbufferx(L, lua_tostring(L, -2), (size_t)luaL_len(L, -2), lua_tostring(L, -1),
                         "t") != LUA_OK)
        lua_error(L);
    fprintf(out, "static const unsigned char chunk_%d[] = {", number);
    lua_dump(L, put, &array, 0);
    fprintf(out, "\n};\n");
    lua_pop(L, 4); // the name, the text, what it is called, the chunk
}

static int embed(lua_State *L)
{
    char **words = lua_touserdata(L, 1);
    FILE *out = fopen(words[1], "w");
    int files = 0;
    if (!out)
        return luaL_error(L, "%s: cannot be written", words[1]);
    fprintf(out, "#include \"control/bind/internal.h\"\n");
    for (; words[3 + files]; files++)
        put_module(L, out, words[2], words[3 + files], files);
    fprintf(out, "const struct lua_module lua_modules[] = {\n");
    for (int i = 0; i < files; i++) {
        push_name(L, words[2], words[3 + i]);
        fprintf(out, "    {\"%s\", (const char *)chunk_%d, sizeof chunk_%d},\n",
                lua_tostring(L, -1), i, i);
        lua_pop(L, 1);
    }
    fprintf(out, "};\nconst unsigned lua_module_count = %d;\n", files);
    return fclose(out) == 0 ? 0 : luaL_error(L, "%s: cannot be written", words[1]);
}

int main(int argc, char **argv)
{
    lua_State *L = argc > 3 ? luaL_newstate() : NULL;
    if (!L)
        return 2;
    lua_pushcfunction(L, embed);
    lua_pushlightuserdata(L, argv);
    int status = lua_pcall(L, 1, 0, 0);
    if (status != LUA_OK)
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
    return status == LUA_OK ? 0 : 1;
}
