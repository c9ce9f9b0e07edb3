// What a worker tells control, as a table for Lua's procedures: ids that do not apply are left out.
#include "control/bind/internal.h"

#include <arpa/inet.h>

#include "dataplane/dataplane.h"

static void set_id(lua_State *L, const char *name, uint32_t id)
{
    if (id == EVENT_NONE)
        return;
    lua_pushinteger(L, id);
    lua_setfield(L, -2, name);
}

static void push_event(lua_State *L, const struct event *event)
{
    char address[INET6_ADDRSTRLEN];
    lua_createtable(L, 0, 10);
    lua_pushstring(L, event_names[event->kind]);
    lua_setfield(L, -2, "kind");
    set_id(L, "nse_id", event->nse_id);
    set_id(L, "nsvc_id", event->nsvc_id);
    set_id(L, "bvc_id", event->bvc_id);
    set_id(L, "ms_id", event->ms_id);
    lua_pushinteger(L, event->teid);
    lua_setfield(L, -2, "teid");
    lua_pushstring(L, inet_ntop(AF_INET6, &event->source, address, sizeof address));
    lua_setfield(L, -2, "source");
    lua_pushinteger(L, event->udp_port);
    lua_setfield(L, -2, "udp_port");
    lua_pushlstring(L, event->pdu.n ? (const char *)event->pdu.at : "", event->pdu.n);
    lua_setfield(L, -2, "pdu");
}

void host_event(struct host *host, const struct event *event)
{
    if (!host_push_function(host, "sluice.setup", "event"))
        return;
    if (!lua_isfunction(host->lua, -1)) {
        lua_pop(host->lua, 1);
        return;
    }
    push_event(host->lua, event);
    host_run(host->lua, 1, 0);
}
