// `require "guard"`: runs a user's function within limits.
//   resume(thread, { instructions, octets, string_octets, ns }, ...)
//     -> true, result | false, the error, the limit that was exceeded: "instructions", "octets",
//        "string", "ns" or nil
//   compile(text, name, environment, ns) -> a function | nil, Lua's message, whether it took too
//   long
// A hook checks the limits each LOOK instructions, and after an instruction that took too much
// memory or made a too long string. Allocated memory counts as instructions, too, so the length of
// strings bounds the work of a single instruction. Time is the thread's processor time. A request
// for far too much memory is refused; a smaller excess is granted and the function cut off
// afterwards, because Lua answers a refusal by a full garbage collection, also of our garbage.
// Lua's compiler runs no hook, so it gets the text in pieces, and the time is looked at before
// each. What it does between two pieces is bounded by its lists of jumps, which grow with the time
// taken, and by its own limits (200 levels, 200 local variables a function, 32767 jumps by goto and
// break; those cost their square where they end).
#include "control/bind/internal.h"

#include <time.h>

#include "dataplane/base/units.h"

#define LOOK                   32
#define OCTETS_AN_INSTRUCTION  64
#define PIECE_OCTETS           128
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

static struct deadline deadline_in(uint64_t ns)
{
    return (struct deadline){now_ns(CLOCK_MONOTONIC) + ns, now_ns(CLOCK_THREAD_CPUTIME_ID) + ns};
}

// CLOCK_MONOTONIC is cheaper to read, and never behind the thread's processor time.
static bool is_late(const struct deadline *ends)
{
    return now_ns(CLOCK_MONOTONIC) > ends->ns && now_ns(CLOCK_THREAD_CPUTIME_ID) > ends->cpu_ns;
}

static void look(lua_State *L, lua_Debug *place)
{
    struct guard *guard = &bind_of(L)->guard;
    (void)place;
    spend(guard, LOOK);
    if (!guard->why && is_late(&guard->ends))
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
    lua->guard = (struct guard){.instructions = limit_of(L, "instructions"),
                                .string_octets = limit_of(L, "string_octets"),
                                .used_most = lua->used + limit_of(L, "octets"),
                                .ends = deadline_in(limit_of(L, "ns"))};
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

struct source {
    const char *text;
    size_t octets; // left
    struct deadline ends;
    bool late;
};

static const char *next_piece(lua_State *L, void *data, size_t *octets)
{
    struct source *source = data;
    const char *piece = source->text;
    source->late = is_late(&source->ends);
    if (source->late)
        luaL_error(L, "too late");
    *octets = source->octets < PIECE_OCTETS ? source->octets : PIECE_OCTETS;
    source->text += *octets;
    source->octets -= *octets;
    return piece;
}

static int compile(lua_State *L)
{
    struct source source = {0};
    source.text = luaL_checklstring(L, 1, &source.octets);
    const char *name = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    source.ends = deadline_in((uint64_t)luaL_checkinteger(L, 4));
    if (lua_load(L, next_piece, &source, name, "t") != LUA_OK) {
        lua_pushnil(L);
        lua_insert(L, -2);
        lua_pushboolean(L, source.late);
        return 3;
    }
    lua_pushvalue(L, 3);
    lua_setupvalue(L, -2, 1);
    return 1;
}

int guard_open(lua_State *L)
{
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, resume);
    lua_setfield(L, -2, "resume");
    lua_pushcfunction(L, compile);
    lua_setfield(L, -2, "compile");
    return 1;
}
