// For the files of control/bind only.
#ifndef SLUICE_CONTROL_BIND_INTERNAL_H
#define SLUICE_CONTROL_BIND_INTERNAL_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "control/bind/bind.h"
#include "control/bind/pool.h"
#include "control/plane/counts.h"

// guard.c: when both clocks are beyond these, it is too late; and the limits of a user's function
// while it runs.
struct deadline {
    uint64_t ns, cpu_ns; // cpu: the thread's processor time
};

struct guard {
    lua_State *thread; // NULL: no user's function runs
    uint64_t instructions, spent;
    size_t string_octets, used_most;
    struct deadline ends;
    const char *why; // the exceeded limit; NULL: none
};

struct bind {
    lua_State *L;
    lua_State *task; // a thread of `lua`, anchored in the registry; NULL: none
    struct control *control;
    size_t used, limit;
    size_t most;                  // the usual `limit`
    struct config_source *source; // config.c: path and --set values of the configuration
    struct loader *loader;        // of the reload under way; NULL: none
    struct counts counts;
    struct guard guard;
    struct pool pool;
};

// The Lua files of lua/, compiled and embedded at build time.
struct lua_module {
    const char *name;
    const char *chunk;
    size_t octets;
};

extern const struct lua_module lua_modules[];
extern const unsigned lua_module_count;

// The registry's key for the loaded configuration.
#define CONFIG_KEY "sluice.configuration"

// A Lua state and what it may use.
static inline struct bind *bind_of(lua_State *L)
{
    void *lua;
    lua_getallocf(L, &lua);
    return lua;
}

// bind.c: calls the function below its arguments on the stack. Returns false after an error, with
// the traceback on stderr.
bool bind_run(lua_State *L, int arguments, int results);

// Pushes require(module)[name].
bool bind_push_function(struct bind *lua, const char *module, const char *name);

// buffer.c: a reusable octet buffer.
#define BUFFER_OCTETS 2048u
struct buffer {
    uint32_t n;
    uint8_t at[BUFFER_OCTETS];
};
struct buffer *buffer_push(lua_State *L);          // pushes a new, empty buffer
struct buffer *buffer_at(lua_State *L, int index); // NULL: no buffer
int buffer_new(lua_State *L);                      // a function for Lua
// The octets of a string or a buffer; returns false for any other value.
bool octets_at(lua_State *L, int index, struct octets *octets);

// fields.c: fills a described struct from the table at `index`, and back (pushes a table). A bad
// value is a Lua error with `what`, the field, the value and the allowed range.
void fields_from_table(lua_State *L, int index, const char *what, const struct field *fields,
                       uint32_t count, void *out);
void fields_to_table(lua_State *L, const struct field *fields, uint32_t count, const void *in);

// Pushes a table that describes the fields.
void fields_describe(lua_State *L, const struct field *fields, uint32_t count);

// loop.c: the modules `events`, `log` and `program`.
void bind_add_loop(struct bind *lua, struct control *control);

// config.c: the path of the configuration and the changes of the command line, for a reload.
struct config_source {
    bind_prepare_fn *prepare;
    char *path, *variant, *point;
    uint32_t sets;
    char *set[];
};
struct config_source *config_source_copy(const struct config_source *source);
void config_source_free(struct config_source *source);
// Reads the file and pushes the arguments of sluice.config.language's `load`; returns how many. The
// text is nil if the file cannot be read, and an argument behind the others says why.
int config_source_push(const struct config_source *source, lua_State *L);
// Limits the memory to what loading one may need.
void config_limit(struct bind *lua);
// Opens a regular file; opening or reading any other kind may block for ever. Returns -1 and sets
// errno after a fault.
int config_open_file(const char *path);
// Pushes the file's text and returns true, or pushes a message and returns false.
#define CONFIG_OCTETS_MAX (1u << 20)
bool config_push_file(lua_State *L, const char *path, size_t most);
// Prints a line, or a list of lines, with '?' for each control character: names of files and texts
// out of them may be anybody's.
void config_print_line(const char *line, FILE *errors);
void config_print_lines(lua_State *L, int list, FILE *errors);

// loader.c: functions of `require "program"`, whose upvalue is the control plane; and the end of a
// load, which waits for nothing.
extern const luaL_Reg loader_functions[];
void loader_end(struct bind *lua);

// pack.c: plain values on their way to another Lua state.
struct packed {
    uint8_t *at;
    size_t octets, room, taken;
    size_t lua_octets; // of Lua's memory that unpacking needs, at most
    uint32_t objects;
};
void pack_free(struct packed *packed);
// Packs the value at `index` into a new or used one. Raises a Lua error.
void pack(lua_State *L, int index, struct packed *packed);
// Adds about `most` objects to the list at the index `objects`; returns whether all are there: then
// the value is the last one.
bool pack_take(lua_State *L, struct packed *packed, int objects, uint32_t most);

// targets.c, for knobs.c. Pushes the targets and their file's name.
void targets_push(lua_State *L);
// Pushes what judging asks of the runs.
void targets_push_source(lua_State *L, const struct bind_judged *judged);
// Takes `more` values from the stack, and pushes what module.load(path, text, these) returns; false
// after mistakes, which are in `errors`, or an internal error.
bool targets_load(struct bind *lua, const char *module, const char *path, int more, FILE *errors);
// Writes what the module's function `form` makes of the registry's value `key`; before: as of
// bind_put_targets.
void targets_put(struct bind *lua, const char *module, const char *key, const char *form,
                 const struct bind_members *before, FILE *out);

// guard.c: the loader of `require "guard"`; and bind.c's notice that Lua has allocated `octets`.
int guard_open(lua_State *L);
void guard_allocated(struct bind *lua, bool is_string, size_t octets);

// wire.c: the loader of `require "wire"`; and what it returns for a fault: pushes nil, the fault as
// text, and its name.
int wire_open(lua_State *L);
int wire_push_fault(lua_State *L, const char *what, int fault);

// cipher.c: the loader of `require "cipher"`.
int cipher_open(lua_State *L);

// milenage.c: the loader of `require "milenage"`.
int milenage_open(lua_State *L);

// count.c: the loader of `require "count"`.
int count_open(lua_State *L);

// aqm.c: the loader of `require "aqm"`.
int aqm_open(lua_State *L);

// digest.c: the loaders of `require "sha256"` and `require "sha256_file"`.
int digest_open(lua_State *L);
int digest_file_open(lua_State *L);

// json.c: pushes a writer for config.emit.
struct json;
void json_push_writer(lua_State *L, struct json *json);

#endif
