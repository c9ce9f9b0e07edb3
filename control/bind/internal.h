// What the files of control/bind share.
#ifndef SLUICE_CONTROL_BIND_INTERNAL_H
#define SLUICE_CONTROL_BIND_INTERNAL_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "control/bind/host.h"

struct host {
    lua_State *lua;
    lua_State *task; // a thread of `lua`, anchored in the registry; NULL: none
    size_t used, limit;
};

// The Lua files of lua/, made at build time.
struct lua_module {
    const char *name;
    const char *text;
    size_t octets;
};

extern const struct lua_module lua_modules[];
extern const unsigned lua_module_count;

// Where the registry keeps the loaded configuration.
#define CONFIG_KEY "sluice.configuration"

// host.c: calls the function below its arguments on the stack; false, with the traceback on stderr.
bool host_run(lua_State *L, int arguments, int results);

// Pushes require(module)[name].
bool host_push_function(struct host *host, const char *module, const char *name);

// fields.c: a described struct from the table at `index`, and back (pushes one). A fault is a Lua
// error that names `what`, the field, what was found and what is allowed.
void fields_from_table(lua_State *L, int index, const char *what, const struct field *fields,
                       uint32_t count, void *out);
void fields_to_table(lua_State *L, const struct field *fields, uint32_t count, const void *in);

// Pushes a table that describes the fields.
void fields_describe(lua_State *L, const struct field *fields, uint32_t count);

// wire.c: the loader of `require "wire"`.
int wire_open(lua_State *L);

// aqm.c: the loader of `require "aqm"`.
int aqm_open(lua_State *L);

// json.c: pushes a writer for config.emit.
struct json;
void json_push_writer(lua_State *L, struct json *json);

#endif
