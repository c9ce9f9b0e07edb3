// The control plane's procedures as one Lua coroutine that is resumed step by step:
// sluice.control's function `main`. It yields the time of its next call; or nothing, if a command
// ring was full and the call has to be repeated (calls.c).
#include "control/bind/internal.h"

#define TASK_KEY  "sluice.task"
#define CLOCK_KEY "sluice.core.clock"

static bool push_main(struct host *host)
{
    if (!host_push_function(host, "sluice.control", "main"))
        return false;
    lua_getfield(host->lua, LUA_REGISTRYINDEX, CONFIG_KEY);
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

static void begin(struct host *host, struct control *control)
{
    lua_State *L = host->lua;
    host->control = control;
    host_add_loop(host, control);
    lua_pushcfunction(L, require_clock);
    if (!host_run(L, 0, 0) || !push_main(host))
        return;
    lua_State *task = lua_newthread(L);
    lua_setfield(L, LUA_REGISTRYINDEX, TASK_KEY);
    lua_xmove(L, task, 2);
    host->task = task;
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
static enum procedures_step failed(struct host *host)
{
    host_limit(host, SIZE_MAX);
    luaL_traceback(host->lua, host->task, lua_tostring(host->task, -1), 0);
    fprintf(stderr, "sluice: %s\n", lua_tostring(host->lua, -1));
    lua_pop(host->lua, 1);
    host->task = NULL;
    return PROCEDURES_FAILED;
}

static enum procedures_step step(struct host *host, uint64_t now_ns, uint64_t *next_ns)
{
    if (!host->task)
        return PROCEDURES_FAILED;
    set_now(host->task, now_ns);
    int results;
    int arguments = lua_status(host->task) == LUA_OK ? 1 : 0;
    int status = lua_resume(host->task, host->lua, arguments, &results);
    if (status != LUA_YIELD)
        return failed(host);
    bool idle = results == 1;
    if (idle)
        *next_ns = (uint64_t)lua_tointeger(host->task, -1);
    lua_pop(host->task, results);
    return idle ? PROCEDURES_IDLE : PROCEDURES_WAIT;
}

static void limit_growth(struct host *host, size_t octets)
{
    host->limit = host->most = host->used + octets;
}

static void end(struct host *host)
{
    host->task = NULL;
    lua_close(host->lua);
    host->lua = NULL;
}

const struct procedures host_procedures = {begin, step, limit_growth, end};
