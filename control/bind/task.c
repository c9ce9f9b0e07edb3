// The control plane's procedures as one Lua coroutine that is resumed step by step:
// sluice.control's function `main`. It yields the time of its next call; or nothing, if a command
// ring was full and the call has to be repeated (calls.c).
#include "control/bind/internal.h"

#define TASK_KEY  "sluice.task"
#define CLOCK_KEY "sluice.core.clock"

static bool push_main(struct bind *lua)
{
    if (!bind_push_function(lua, "sluice.control", "main"))
        return false;
    lua_getfield(lua->L, LUA_REGISTRYINDEX, CONFIG_KEY);
    return true;
}

static int require_clock(lua_State *L)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, CLOCK_KEY);
    lua_call(L, 1, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, CLOCK_KEY);
    return 0;
}

static void begin(struct bind *lua, struct control *control)
{
    lua_State *L = lua->L;
    lua->control = control;
    bind_add_loop(lua, control);
    lua_pushcfunction(L, require_clock);
    if (!bind_run(L, 0, 0) || !push_main(lua))
        return;
    lua_State *task = lua_newthread(L);
    lua_setfield(L, LUA_REGISTRYINDEX, TASK_KEY);
    lua_xmove(L, task, 2);
    lua->task = task;
}

// Sets clock.now_ns for the procedures.
static void set_now(lua_State *L, uint64_t now_ns)
{
    lua_getfield(L, LUA_REGISTRYINDEX, CLOCK_KEY);
    lua_pushinteger(L, (lua_Integer)now_ns);
    lua_setfield(L, -2, "now_ns");
    lua_pop(L, 1);
}

// An uncaught error has ended the coroutine. The limit is lifted since the error may be a lack of
// memory, and the message needs some: an error here would not be caught.
static enum procedures_step failed(struct bind *lua)
{
    bind_limit(lua, SIZE_MAX);
    luaL_traceback(lua->L, lua->task, lua_tostring(lua->task, -1), 0);
    fprintf(stderr, "sluice: %s\n", lua_tostring(lua->L, -1));
    lua_pop(lua->L, 1);
    lua->task = NULL;
    return PROCEDURES_FAILED;
}

static enum procedures_step step(struct bind *lua, uint64_t now_ns, uint64_t *next_ns)
{
    if (!lua->task)
        return PROCEDURES_FAILED;
    set_now(lua->task, now_ns);
    int results;
    int arguments = lua_status(lua->task) == LUA_OK ? 1 : 0;
    int status = lua_resume(lua->task, lua->L, arguments, &results);
    if (status != LUA_YIELD)
        return failed(lua);
    bool idle = results == 1;
    if (idle)
        *next_ns = (uint64_t)lua_tointeger(lua->task, -1);
    lua_pop(lua->task, results);
    return idle ? PROCEDURES_IDLE : PROCEDURES_WAIT;
}

static void limit_growth(struct bind *lua, size_t octets)
{
    lua->limit = lua->most = lua->used + octets;
}

static void end(struct bind *lua)
{
    lua->task = NULL;
    lua_close(lua->L);
    lua->L = NULL;
}

const struct procedures bind_procedures = {begin, step, limit_growth, end};
