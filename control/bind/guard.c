// `require "guard"`: runs a user's function within limits.
//   resume(thread, { instructions, octets, string_octets, ns }, ...)
//     -> true, result | false, the error, the limit that was exceeded: "instructions", "octets",
//        "string", "ns" or nil
// A hook checks the limits each LOOK instructions, and after an instruction that took too much
// memory or made a too long string. Allocated memory counts as instructions, too, so the length of
// strings bounds the work of a single instruction. Time is the thread's processor time. A request
// for far too much memory is refused; a smaller excess is granted and the function cut off
// afterwards, because Lua answers a refusal by a full garbage collection, also of our garbage.
#include "control/bind/internal.h"

#include <time.h>

#include "dataplane/base/units.h"

#define LOOK                   32
#define OCTETS_AN_INSTRUCTION  64
#define OCTETS_BEYOND_THE_MOST (24u << 20) // 255 of the longest strings in one step, and room

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * S_IN_NS + (uint64_t)t.tv_nsec;
}

// Sets the reason, unless there is one; the hook cuts the function off at the next instruction.
static void cut(struct guard *guard, const char *why, lua_Hook look)
{
    if (guard->why)
        return;
    guard->why = why;
    lua_sethook(guard->thread, look, LUA_MASKCOUNT, 1);
}

static void spend(struct guard *guard, uint64_t instructions)
{
    guard->spent += instructions;
    if (guard->spent > guard->instructions && !guard->why)
        guard->why = "instructions";
}

// CLOCK_MONOTONIC is cheaper to read, and never behind the thread's processor time.
static bool is_late(const struct guard *guard)
{
    return now_ns(CLOCK_MONOTONIC) > guard->ends_ns &&
           now_ns(CLOCK_THREAD_CPUTIME_ID) > guard->ends_cpu_ns;
}

static void look(lua_State *L, lua_Debug *place)
{
    struct guard *guard = &bind_of(L)->guard;
    (void)place;
    spend(guard, LOOK);
    if (!guard->why && is_late(guard))
        guard->why = "ns";
    if (guard->why)
        luaL_error(L, "cut off");
}

void guard_allocated(struct bind *lua, bool is_string, size_t octets)
{
    struct guard *guard = &lua->guard;
    if (!guard->thread)
        return;
    guard->spent += octets / OCTETS_AN_INSTRUCTION;
    if (is_string && octets > guard->string_octets)
        cut(guard, "string", look);
    else if (lua->used > guard->used_most)
        cut(guard, "octets", look);
    else if (guard->spent > guard->instructions)
        cut(guard, "instructions", look);
}

static uint64_t limit_of(lua_State *L, const char *name)
{
    lua_getfield(L, 2, name);
    lua_Integer value = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    return value > 0 ? (uint64_t)value : 0;
}

static void begin(lua_State *L, lua_State *thread, struct bind *lua)
{
    uint64_t ns = limit_of(L, "ns");
    lua->guard = (struct guard){.instructions = limit_of(L, "instructions"),
                                .string_octets = limit_of(L, "string_octets"),
                                .used_most = lua->used + limit_of(L, "octets"),
                                .ends_ns = now_ns(CLOCK_MONOTONIC) + ns,
                                .ends_cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns};
    size_t most = lua->guard.used_most + OCTETS_BEYOND_THE_MOST;
    lua->limit = most < lua->limit ? most : lua->limit;
    lua_sethook(thread, look, LUA_MASKCOUNT, LOOK);
    lua->guard.thread = thread;
}

static int resume(lua_State *L)
{
    struct bind *lua = bind_of(L);
    lua_State *thread = lua_tothread(L, 1);
    luaL_argcheck(L, thread && thread != L && !lua->guard.thread, 1, "no thread, or not now");
    size_t limit = lua->limit;
    int arguments = lua_gettop(L) - 2, results;
    luaL_argcheck(L, lua_checkstack(thread, arguments), 3, "too many");
    begin(L, thread, lua);
    lua_xmove(L, thread, arguments);
    int status = lua_resume(thread, L, arguments, &results);
    const char *why = lua->guard.why;
    lua->guard.thread = NULL;
    lua->limit = limit;
    lua_pushboolean(L, status == LUA_OK && !why);
    if (status == LUA_OK && results > 1)
        lua_pop(thread, results - 1);
    if (lua_gettop(thread) > 0)
        lua_xmove(thread, L, 1);
    else
        lua_pushnil(L);
    lua_pushstring(L, status == LUA_ERRMEM ? "octets" : why); // NULL is nil
    return 3;
}

int guard_open(lua_State *L)
{
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, resume);
    lua_setfield(L, -2, "resume");
    return 1;
}
