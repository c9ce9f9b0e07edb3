// Loads the run's file again for a reload, in a thread and a Lua state of their own: a text may
// keep Lua busy for many seconds, in a single instruction even, and control has to answer
// meanwhile. The thread keeps its state until the reload is over, since it alone can say where in
// the file a record stands:
//   require "program".load()          begins; a load that is not over is an error
//                    .load_ask(value) asks sluice.config.loading's `texts`, when the answer before
//                                     is there
//                    .load_answer(most) -> nothing: not yet; false: unpacked in part, again; true
//                                     and the value. It makes about so many values at once
//                    .load_end()
// In virtual time load_answer waits, so that a run depends on no other thread's pace.
#include "control/bind/internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "control/plane/control.h"

// Of the thread, which has control's processor: a third of it beside a worker that spins.
#define NICE 5

#define OBJECTS_KEY "sluice.loaded" // the list of what is unpacked, in control's registry

enum loader_state { LOADER_BUSY, LOADER_DONE, LOADER_OVER };

struct loader {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum loader_state state; // under `lock`; the rest is the thread's while BUSY, else control's
    struct bind *lua;
    struct config_source *source; // a copy
    struct packed packed;         // the question, then the answer
    bool failed;                  // with a line on stderr
};

// ---- In the thread ----

static int pack_answer(lua_State *L)
{
    pack(L, 1, lua_touserdata(L, 2));
    return 0;
}

static int unpack_question(lua_State *L)
{
    struct packed *packed = lua_touserdata(L, 1);
    lua_createtable(L, (int)packed->objects, 0);
    while (!pack_take(L, packed, 2, UINT32_MAX))
        ;
    lua_rawgeti(L, 2, packed->objects);
    return 1;
}

// Calls the function below its arguments, and packs what it returns.
static void run(struct loader *loader, int arguments)
{
    lua_State *L = loader->lua->L;
    loader->failed = true;
    if (!bind_run(L, arguments, 1))
        return;
    lua_pushcfunction(L, pack_answer);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, &loader->packed);
    loader->failed = !bind_run(L, 2, 0);
}

static void load(struct loader *loader)
{
    loader->failed = true;
    loader->lua = bind_create(false);
    if (!loader->lua)
        return;
    loader->source->prepare(loader->lua);
    if (!bind_push_function(loader->lua, "sluice.config.loading", "load"))
        return;
    config_limit(loader->lua);
    run(loader, config_source_push(loader->source, loader->lua->L));
}

static void answer(struct loader *loader)
{
    lua_State *L = loader->lua->L;
    loader->failed = true;
    bind_limit(loader->lua, SIZE_MAX); // the file may have used it up
    if (!bind_push_function(loader->lua, "sluice.config.loading", "texts"))
        return;
    lua_pushcfunction(L, unpack_question);
    lua_pushlightuserdata(L, &loader->packed);
    if (bind_run(L, 1, 1))
        run(loader, 1);
}

static void destroy(struct loader *loader)
{
    if (loader->lua)
        bind_destroy(loader->lua);
    config_source_free(loader->source);
    pack_free(&loader->packed);
    pthread_cond_destroy(&loader->changed);
    pthread_mutex_destroy(&loader->lock);
    free(loader);
}

// Returns whether there is a question.
static bool wait_for_question(struct loader *loader)
{
    pthread_mutex_lock(&loader->lock);
    if (loader->state == LOADER_BUSY)
        loader->state = LOADER_DONE;
    pthread_cond_broadcast(&loader->changed);
    while (loader->state == LOADER_DONE)
        pthread_cond_wait(&loader->changed, &loader->lock);
    bool asked = loader->state == LOADER_BUSY;
    pthread_mutex_unlock(&loader->lock);
    return asked;
}

static void *work(void *self)
{
    struct loader *loader = self;
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
    load(loader);
    while (wait_for_question(loader))
        answer(loader);
    destroy(loader);
    return NULL;
}

// ---- In control's thread ----

static void set(struct loader *loader, enum loader_state state)
{
    pthread_mutex_lock(&loader->lock);
    loader->state = state;
    pthread_cond_broadcast(&loader->changed);
    pthread_mutex_unlock(&loader->lock);
}

// The thread frees everything: the end of a run waits for no text.
void loader_end(struct bind *lua)
{
    if (lua->loader)
        set(lua->loader, LOADER_OVER);
    lua->loader = NULL;
}

// Signals are for the other threads.
static int start(struct loader *loader)
{
    pthread_attr_t detached;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int fault = pthread_create(&loader->thread, &detached, work, loader);
    if (!fault)
        pthread_setname_np(loader->thread, "sluice-load");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
    return fault;
}

static struct bind *bind_up(lua_State *L)
{
    return ((struct control *)lua_touserdata(L, lua_upvalueindex(1)))->lua;
}

static int begin(lua_State *L)
{
    struct bind *lua = bind_up(L);
    luaL_argcheck(L, !lua->loader, 0, "a load is under way");
    struct loader *loader = calloc(1, sizeof *loader);
    if (!loader)
        return luaL_error(L, "not enough memory");
    pthread_mutex_init(&loader->lock, NULL);
    pthread_cond_init(&loader->changed, NULL);
    loader->source = config_source_copy(lua->source);
    int fault = start(loader);
    if (fault) {
        destroy(loader);
        return luaL_error(L, "no thread to load the file in: %s", strerror(fault));
    }
    lua->loader = loader;
    return 0;
}

static struct loader *loader_of(lua_State *L)
{
    struct loader *loader = bind_up(L)->loader;
    luaL_argcheck(L, loader, 0, "no load is under way");
    return loader;
}

static int ask(lua_State *L)
{
    struct loader *loader = loader_of(L);
    pack(L, 1, &loader->packed);
    set(loader, LOADER_BUSY);
    return 0;
}

static bool is_done(struct loader *loader, bool wait)
{
    pthread_mutex_lock(&loader->lock);
    while (wait && loader->state == LOADER_BUSY)
        pthread_cond_wait(&loader->changed, &loader->lock);
    bool done = loader->state == LOADER_DONE;
    pthread_mutex_unlock(&loader->lock);
    return done;
}

// Pushes the list of the answer's objects; a new one for the first piece.
static void push_objects(lua_State *L, const struct bind *lua, const struct packed *packed)
{
    lua_getfield(L, LUA_REGISTRYINDEX, OBJECTS_KEY);
    if (packed->taken > 0)
        return;
    if (lua->used + packed->lua_octets > lua->limit)
        luaL_error(L, "%d MiB more of memory needed than control has left",
                   (int)((lua->used + packed->lua_octets - lua->limit) >> 20) + 1);
    lua_pop(L, 1);
    lua_createtable(L, (int)packed->objects, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, OBJECTS_KEY);
}

static int take_answer(lua_State *L)
{
    struct loader *loader = loader_of(L);
    const struct control *control = lua_touserdata(L, lua_upvalueindex(1));
    uint32_t most = (uint32_t)luaL_checkinteger(L, 1);
    if (!is_done(loader, !control->log.dated))
        return 0;
    if (loader->failed)
        return luaL_error(L, "the file could not be loaded, see the line on stderr");
    push_objects(L, control->lua, &loader->packed);
    bool all = pack_take(L, &loader->packed, lua_gettop(L), most);
    lua_pushboolean(L, all);
    if (!all)
        return 1;
    lua_rawgeti(L, -2, loader->packed.objects);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, OBJECTS_KEY);
    return 2;
}

static int end(lua_State *L)
{
    loader_end(bind_up(L));
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, OBJECTS_KEY);
    return 0;
}

const luaL_Reg loader_functions[] = {{"load", begin},
                                     {"load_ask", ask},
                                     {"load_answer", take_answer},
                                     {"load_end", end},
                                     {NULL, NULL}};
