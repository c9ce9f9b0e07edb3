// A function of sluice.setup as a task that may wait: a Lua thread, resumed step by step.
#include "control/bind/internal.h"

void host_task(struct host *host, const char *name)
{
    lua_State *L = host->lua;
    host->task = lua_newthread(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "sluice.task");
    if (!host_push_function(host, "sluice.setup", name)) {
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
