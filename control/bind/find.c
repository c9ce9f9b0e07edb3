// Look-ups in control's copy of the dataplane's registry, added to the commands of `require "dp"`;
// they ask no worker, but ms_silence, bvc_octets, bvc_last_ms, bvc_waiting and ms_octets read what
// one has written:
//   dp.ms_of(nse_id, tlli) -> ms_id, bvc_id | nil
//                                  also by the MS's old TLLI, or one to come, while the dataplane
//                                  accepts it
//   dp.mss_of(tlli) -> { ms_id ... } | nil   the same of all NSEs; nil: more than 64
//   dp.bvc_of(nse_id, bvci) -> bvc_id | nil
//   dp.bvc_held(bvc_id) -> boolean  whether the id is in use
//   dp.bvc_octets(bvc_id) -> octets of LLC PDUs sent
//   dp.bvc_last_ms(bvc_id) -> ms_id | nil   the MS that the last of user data was for
//   dp.bvc_waiting(bvc_id) -> packet flows with N-PDUs queued, of MSs neither frozen nor stopped
//   dp.ms_octets(ms_id) -> octets of LLC PDUs sent
//   dp.ms_cell(ms_id) -> bvc_id, tlli | nil
//   dp.ms_silence(ms_id) -> ns since the MS was last heard, within 34 ms | nil
//   dp.may_move(ms_id, bvc_id) -> true | false, why      whether dp.ms_move would be accepted
//   dp.worker_left(nse_id) -> mss, pdps   free places of the worker of an NSE with that id
#include "control/bind/internal.h"

#include <errno.h>
#include <string.h>

#include "dataplane/dataplane.h"

static uint32_t number_at(lua_State *L, int i)
{
    lua_Integer v = luaL_checkinteger(L, i);
    luaL_argcheck(L, v >= 0 && v <= UINT32_MAX, i, "no number of 32 bits");
    return (uint32_t)v;
}

static int push_id(lua_State *L, uint32_t id)
{
    if (id == EVENT_NONE)
        lua_pushnil(L);
    else
        lua_pushinteger(L, id);
    return 1;
}

static const struct dp *dp_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

static int ms_of(lua_State *L)
{
    const struct dp *dp = dp_of(L);
    uint32_t tlli, ms = dp_ms_of(dp, number_at(L, 1), number_at(L, 2));
    push_id(L, ms);
    return ms == EVENT_NONE ? 1 : 1 + push_id(L, dp_ms_cell(dp, ms, &tlli));
}

#define MSS_MOST 64

static int mss_of(lua_State *L)
{
    uint32_t ms[MSS_MOST + 1], n = dp_mss_of(dp_of(L), number_at(L, 1), ms, MSS_MOST + 1);
    if (n > MSS_MOST)
        return push_id(L, EVENT_NONE);
    lua_createtable(L, (int)n, 0);
    for (uint32_t i = 0; i < n; i++) {
        lua_pushinteger(L, ms[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int bvc_of(lua_State *L)
{
    return push_id(L, dp_bvc_of(dp_of(L), number_at(L, 1), number_at(L, 2)));
}

static int bvc_held(lua_State *L)
{
    struct dp *dp = lua_touserdata(L, lua_upvalueindex(1));
    lua_pushboolean(L, dp_bvc_held(dp, number_at(L, 1)));
    return 1;
}

static int bvc_octets(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)dp_bvc_traffic(dp_of(L), number_at(L, 1)).down_octets);
    return 1;
}

static int bvc_last_ms(lua_State *L)
{
    return push_id(L, dp_bvc_last_ms(dp_of(L), number_at(L, 1)));
}

static int bvc_waiting(lua_State *L)
{
    lua_pushinteger(L, dp_bvc_waiting(dp_of(L), number_at(L, 1)));
    return 1;
}

static int ms_octets(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)dp_ms_traffic(dp_of(L), number_at(L, 1)).down_octets);
    return 1;
}

static int ms_cell(lua_State *L)
{
    uint32_t tlli = 0, bvc = dp_ms_cell(dp_of(L), number_at(L, 1), &tlli);
    push_id(L, bvc);
    if (bvc == EVENT_NONE)
        return 1;
    lua_pushinteger(L, tlli);
    return 2;
}

static int ms_silence(lua_State *L)
{
    uint64_t silence_ns = dp_ms_silence_ns(dp_of(L), number_at(L, 1));
    if (silence_ns == TIME_NEVER)
        lua_pushnil(L);
    else
        lua_pushinteger(L, (lua_Integer)silence_ns);
    return 1;
}

static int may_move(lua_State *L)
{
    int fault = dp_ms_may_move(dp_of(L), number_at(L, 1), number_at(L, 2));
    lua_pushboolean(L, fault == 0);
    if (fault == 0)
        return 1;
    lua_pushstring(L, fault == -ENOSPC ? "the worker of that cell is full" : strerror(-fault));
    return 2;
}

static int worker_left(lua_State *L)
{
    uint32_t mss, pdps;
    dp_worker_left(dp_of(L), number_at(L, 1), &mss, &pdps);
    lua_pushinteger(L, mss);
    lua_pushinteger(L, pdps);
    return 2;
}

void bind_add_find(struct bind *lua, struct dp *dp)
{
    static const luaL_Reg functions[] = {{"ms_of", ms_of},
                                         {"mss_of", mss_of},
                                         {"bvc_of", bvc_of},
                                         {"bvc_held", bvc_held},
                                         {"ms_cell", ms_cell},
                                         {"ms_silence", ms_silence},
                                         {"may_move", may_move},
                                         {"worker_left", worker_left},
                                         {"bvc_octets", bvc_octets},
                                         {"bvc_last_ms", bvc_last_ms},
                                         {"ms_octets", ms_octets},
                                         {"bvc_waiting", bvc_waiting},
                                         {NULL, NULL}};
    lua_State *L = lua->L;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "dp");
    lua_pushlightuserdata(L, dp);
    luaL_setfuncs(L, functions, 1);
    lua_pop(L, 2);
}
