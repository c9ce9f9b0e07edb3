// The configuration: loads it, prints it, and fills C structs from sluice.config.setup.
#include "control/bind/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/base/json.h"

// Lua's memory for loading one. The text has less (lua/sluice/config/sandbox.lua); the rest is for
// checks and garbage. If this ran out, Lua would collect all garbage in one step, and control would
// stand still.
#define LUA_OCTETS_MAX (128u << 20)

int config_open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat is;
    if (fd < 0 || (fstat(fd, &is) == 0 && S_ISREG(is.st_mode)))
        return fd;
    close(fd);
    errno = S_ISDIR(is.st_mode) ? EISDIR : EINVAL;
    return -1;
}

// Returns the octets read, at most most + 1; or -1 and sets errno.
static ssize_t read_whole(const char *path, char *text, size_t most)
{
    int fd = config_open_file(path);
    ssize_t n = fd < 0 ? -1 : 0, more = 1;
    while (n >= 0 && more > 0 && (size_t)n <= most) {
        more = read(fd, text + n, most + 1 - (size_t)n);
        n = more < 0 ? -1 : n + more;
    }
    int fault = errno;
    if (fd >= 0)
        close(fd);
    errno = fault;
    return n;
}

// No file is open while Lua may raise an error.
bool config_push_file(lua_State *L, const char *path, size_t most)
{
    char *text = lua_newuserdatauv(L, most + 1, 0);
    ssize_t n = read_whole(path, text, most);
    if (n > (ssize_t)most)
        lua_pushfstring(L, "%s: larger than %d MiB, the limit for a file", path, (int)(most >> 20));
    else if (n >= 0)
        lua_pushlstring(L, text, (size_t)n);
    else
        lua_pushfstring(L, "%s: cannot be read: %s", path,
                        errno == EINVAL ? "not a regular file" : strerror(errno));
    lua_remove(L, -2);
    return n >= 0 && n <= (ssize_t)most;
}

// A terminal takes orders from control characters; those of UTF-8 have two octets, C2 80 to C2 9F.
void config_print_line(const char *line, FILE *errors)
{
    for (const unsigned char *at = (const unsigned char *)line; *at; at++) {
        bool two = at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0;
        fputc(two || *at < ' ' || *at == 127 ? '?' : *at, errors);
        at += two;
    }
    fputc('\n', errors);
}

void config_print_lines(lua_State *L, int list, FILE *errors)
{
    for (lua_Integer i = 1; i <= luaL_len(L, list); i++) {
        lua_geti(L, list, i);
        config_print_line(lua_tostring(L, -1), errors);
        lua_pop(L, 1);
    }
}

void config_source_free(struct config_source *source)
{
    if (!source)
        return;
    for (uint32_t i = 0; i < source->sets; i++)
        free(source->set[i]);
    free(source->path);
    free(source->variant);
    free(source->point);
    free(source);
}

static char *copy(const char *text)
{
    char *copied = text ? strdup(text) : NULL;
    if (text && !copied)
        abort();
    return copied;
}

static struct config_source *config_source(const char *path, const struct bind_changes *changes,
                                           bind_prepare_fn *prepare)
{
    struct config_source *source =
        calloc(1, sizeof *source + changes->sets * sizeof source->set[0]);
    if (!source)
        abort();
    source->prepare = prepare;
    source->path = copy(path);
    source->variant = copy(changes->variant);
    source->point = copy(changes->point);
    for (; source->sets < changes->sets; source->sets++)
        source->set[source->sets] = copy(changes->set[source->sets]);
    return source;
}

struct config_source *config_source_copy(const struct config_source *source)
{
    struct bind_changes changes = {(const char *const *)source->set, source->sets, source->variant,
                                   source->point};
    return config_source(source->path, &changes, source->prepare);
}

// Lua: the text of a file that the configuration names, or nil and a message.
static int read_text(lua_State *L)
{
    if (config_push_file(L, luaL_checkstring(L, 1), CONFIG_OCTETS_MAX))
        return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

// Pushes the arguments of sluice.config.language's `load` after its text.
static void push_rest(lua_State *L, const struct config_source *source)
{
    lua_createtable(L, (int)source->sets, 2);
    for (uint32_t i = 0; i < source->sets; i++) {
        lua_pushstring(L, source->set[i]);
        lua_seti(L, -2, i + 1);
    }
    lua_pushstring(L, source->variant); // NULL: nil
    lua_setfield(L, -2, "variant");
    lua_pushstring(L, source->point);
    lua_setfield(L, -2, "point");
    lua_pushcfunction(L, read_text);
}

int config_source_push(const struct config_source *source, lua_State *L)
{
    lua_pushstring(L, source->path);
    bool read = config_push_file(L, source->path, CONFIG_OCTETS_MAX);
    if (!read)
        lua_pushnil(L);
    push_rest(L, source);
    if (!read)
        lua_rotate(L, -4, -1); // the message goes to the end
    return read ? 4 : 5;
}

void config_limit(struct bind *lua)
{
    bind_limit(lua, lua->used + LUA_OCTETS_MAX);
}

bool bind_config(struct bind *lua, const char *path, const struct bind_changes *changes,
                 bind_prepare_fn *prepare, FILE *errors)
{
    lua_State *L = lua->L;
    prepare(lua);
    config_source_free(lua->source);
    lua->source = config_source(path, changes, prepare);
    if (!bind_push_function(lua, "sluice.config.language", "load"))
        return false;
    int arguments = config_source_push(lua->source, L);
    config_limit(lua);
    bool ran = bind_run(L, arguments, 2);
    bind_limit(lua, lua->most); // our own code needs memory even if the file has used its limit
    if (!ran)
        return false;
    bool good = lua_istable(L, -2);
    config_print_lines(L, lua_gettop(L), errors);
    lua_pop(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, CONFIG_KEY);
    return good;
}

void bind_config_json(struct bind *lua, uint64_t memory_octets, bool secrets, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    if (!bind_push_function(lua, "sluice.config.language", "emit"))
        return;
    lua_getfield(lua->L, LUA_REGISTRYINDEX, CONFIG_KEY);
    json_push_writer(lua->L, &json);
    lua_pushinteger(lua->L, (lua_Integer)memory_octets);
    lua_pushboolean(lua->L, secrets);
    if (bind_run(lua->L, 4, 0))
        json_end(&json);
}

bool bind_variants(struct bind *lua, const char *name, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    if (!bind_push_function(lua, "sluice.config.variants", name))
        return false;
    lua_getfield(lua->L, LUA_REGISTRYINDEX, CONFIG_KEY);
    json_push_writer(lua->L, &json);
    if (!bind_run(lua->L, 2, 0))
        return false;
    json_end(&json);
    return true;
}

void bind_describe(struct bind *lua, const char *module, FILE *out)
{
    if (!bind_push_function(lua, module, "describe") || !bind_run(lua->L, 0, 1))
        return;
    fputs(lua_tostring(lua->L, -1), out);
    lua_pop(lua->L, 1);
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

bool bind_struct(struct bind *lua, const char *name, const struct field *fields, uint32_t count,
                 void *out)
{
    lua_State *L = lua->L;
    struct fill fill = {name, fields, count, out};
    if (!bind_push_function(lua, "sluice.config.setup", name))
        return false;
    lua_getfield(L, LUA_REGISTRYINDEX, CONFIG_KEY);
    if (!bind_run(L, 1, 1))
        return false;
    // The registry keeps the table: octets of the struct point into its strings.
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, name);
    lua_pushcfunction(L, fill_struct);
    lua_pushlightuserdata(L, &fill);
    lua_rotate(L, -3, -1);
    return bind_run(L, 2, 0);
}
