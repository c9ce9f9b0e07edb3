// The modules of Lua's control loop besides the commands:
//   require "events".take() -> kind, nse_id, nsvc_id, bvc_id, ms_id, pdu
//                          an event of a worker, or nothing; ids that do not apply are nil. The
//                          events stranger, unlisted, unreachable, error_indication, tunnel, gtpc
//                          and gtpc_stranger add source, udp_port and teid; moved adds the old
//                          cell's id; proven and unproven add the id of the cell with the frame. An
//                          NS-UNITDATA that fits comes in a buffer, which the next event overwrites
//                   .round()      tells events the time, and control what was shed
//   require "log".error|warn|info|debug(text), .level([name]) -> name
//   require "program".question() -> text         a request of another thread, or nil
//                 .answer(good, text)
//                 .requests              the usages of control/plane/requests.def
//                 .unix_s() -> the date as seconds; nil in virtual time, which has none
//                 .restarts() -> the number of this run among the restarts | nil, why it is not
//                         kept; nil in virtual time
//                 .random(n) -> n octets by the system's chance; nil in virtual time
//                 .load() ...            the configuration again, for a reload (loader.c)
//                 .hook_fault(text)      stores the last fault of the user's policy
//                 .capture_open() -> path | nil, why; .capture_close()
//                 .capture_pdu(source, port, destination, port, pdu)    the addresses as IPv6
//                 .user_capture_on(octets of a frame, octets of the file) -> whether it runs, text
//                 .user_capture_off(), .user_capture() -> whether it runs, text
#include "control/bind/internal.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "control/plane/control.h"
#include "dataplane/wire/ns.h"

static struct control *control_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

// ---- events ----

static void push_id(lua_State *L, uint32_t id)
{
    if (id == EVENT_NONE)
        lua_pushnil(L);
    else
        lua_pushinteger(L, id);
}

// Only events without an NS-VC need the source's address.
static int push_rest(lua_State *L, const struct event *event)
{
    char address[INET6_ADDRSTRLEN];
    if (event->kind == EVENT_moved) {
        push_id(L, event->old_bvc_id);
        return 1;
    }
    if (event->kind == EVENT_proven || event->kind == EVENT_unproven) {
        push_id(L, event->claimed_bvc_id);
        return 1;
    }
    if (event->kind != EVENT_stranger && event->kind != EVENT_unlisted &&
        event->kind != EVENT_error_indication && event->kind != EVENT_tunnel &&
        event->kind != EVENT_unreachable && event->kind != EVENT_gtpc &&
        event->kind != EVENT_gtpc_stranger)
        return 0;
    lua_pushstring(L, inet_ntop(AF_INET6, &event->source, address, sizeof address));
    lua_pushinteger(L, event->udp_port);
    lua_pushinteger(L, event->teid);
    return 3;
}

// Upvalue 2 is the buffer.
static void push_pdu(lua_State *L, const struct event *event)
{
    const struct octets *pdu = &event->pdu;
    struct buffer *b = lua_touserdata(L, lua_upvalueindex(2));
    if (pdu->n == 0 || pdu->at[0] != NS_UNITDATA_TYPE || pdu->n > BUFFER_OCTETS ||
        event->kind == EVENT_gtpc) {
        lua_pushlstring(L, pdu->n ? (const char *)pdu->at : "", pdu->n);
        return;
    }
    memcpy(b->at, pdu->at, pdu->n);
    b->n = pdu->n;
    lua_pushvalue(L, lua_upvalueindex(2));
}

static int events_round(lua_State *L)
{
    struct control *control = control_of(L);
    uint64_t *shed = &control->lua->counts.count[COUNT_shed];
    uint64_t *late = &control->lua->counts.count[COUNT_shed_late];
    counts_add(shed, dp_events_shed(control->dp) - *shed);
    counts_add(late, dp_events_shed_late(control->dp) - *late);
    dp_events_now(control->dp, control->now_ns);
    return 0;
}

static int events_take(lua_State *L)
{
    struct control *control = control_of(L);
    const struct event *event = control_event(control);
    if (!event)
        return 0;
    lua_pushstring(L, state_event_names[event->kind]);
    push_id(L, event->nse_id);
    push_id(L, event->nsvc_id);
    push_id(L, event->bvc_id);
    push_id(L, event->ms_id);
    push_pdu(L, event);
    int more = push_rest(L, event);
    control_event_done(control);
    return 6 + more;
}

// ---- log ----

// Never raises an error: a wrong log line must not end its handler.
static int put_line(lua_State *L)
{
    struct control *control = control_of(L);
    enum log_level level = (enum log_level)lua_tointeger(L, lua_upvalueindex(2));
    char text[64];
    snprintf(text, sizeof text, "a line that is a %s", luaL_typename(L, 1));
    if (level <= control->log.level)
        log_put(&control->log, level, control->now_ns,
                lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : text);
    uint64_t *suppressed = &control->lua->counts.count[COUNT_log_suppressed];
    counts_add(suppressed, control->log.left_out - *suppressed);
    return 0;
}

static int set_level(lua_State *L)
{
    struct log *log = &control_of(L)->log;
    if (!lua_isnone(L, 1))
        log->level = (enum log_level)luaL_checkoption(L, 1, NULL, log_level_names);
    lua_pushstring(L, log_level_names[log->level]);
    return 1;
}

// ---- program ----

static int unix_s(lua_State *L)
{
    struct timespec now;
    if (!control_of(L)->log.dated || clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    lua_pushinteger(L, (lua_Integer)now.tv_sec);
    return 1;
}

static int random_octets(lua_State *L)
{
    char octets[256];
    lua_Integer n = luaL_checkinteger(L, 1);
    luaL_argcheck(L, n > 0 && n <= (lua_Integer)sizeof octets, 1, "allowed 1 to 256");
    if (!control_of(L)->log.dated || getrandom(octets, (size_t)n, 0) != n)
        return 0;
    lua_pushlstring(L, octets, (size_t)n);
    return 1;
}

static int question(lua_State *L)
{
    const char *text = mailbox_take(&control_of(L)->mailbox);
    lua_pushstring(L, text); // NULL is nil
    return 1;
}

static int answer(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TBOOLEAN);
    mailbox_answer(&control_of(L)->mailbox, lua_toboolean(L, 1), luaL_checkstring(L, 2));
    return 0;
}

static int hook_fault(lua_State *L)
{
    control_note_hook_fault(control_of(L), luaL_checkstring(L, 1));
    return 0;
}

static int restarts(lua_State *L)
{
    const struct control_restarts *of = &control_of(L)->restarts;
    if (!of->next)
        return 0;
    int number = of->next(of->self);
    if (number < 0) {
        lua_pushnil(L);
        lua_pushstring(L, strerror(-number));
        return 2;
    }
    lua_pushinteger(L, number);
    return 1;
}

static int capture_open(lua_State *L)
{
    const struct control_capture *capture = &control_of(L)->capture;
    char error[256] = "this run writes no files";
    const char *path = capture->open ? capture->open(capture->self, error) : NULL;
    lua_pushstring(L, path); // NULL is nil
    lua_pushstring(L, error);
    return 2;
}

static void check_address(lua_State *L, int index, struct ipv6_address *address)
{
    if (inet_pton(AF_INET6, luaL_checkstring(L, index), address) != 1)
        luaL_argerror(L, index, "no IPv6 address");
}

static int capture_pdu(lua_State *L)
{
    const struct control *control = control_of(L);
    struct control_pdu p = {.source_port = (uint16_t)luaL_checkinteger(L, 2),
                            .destination_port = (uint16_t)luaL_checkinteger(L, 4)};
    check_address(L, 1, &p.source);
    check_address(L, 3, &p.destination);
    luaL_argcheck(L, octets_at(L, 5, &p.pdu), 5, "no octets");
    if (control->capture.pdu)
        control->capture.pdu(control->capture.self, control->now_ns, &p);
    return 0;
}

static int capture_close(lua_State *L)
{
    const struct control_capture *capture = &control_of(L)->capture;
    if (capture->close)
        capture->close(capture->self);
    return 0;
}

static int user_capture_on(lua_State *L)
{
    const struct control_user_capture *capture = &control_of(L)->user_capture;
    char text[CONTROL_USER_CAPTURE_OCTETS] =
        "user traffic is captured in real time only; in virtual time: sluice run --pcap";
    uint32_t snap_octets = (uint32_t)luaL_checkinteger(L, 1);
    uint64_t most_octets = (uint64_t)luaL_checkinteger(L, 2);
    lua_pushboolean(L, capture->on && capture->on(capture->self, snap_octets, most_octets, text));
    lua_pushstring(L, text);
    return 2;
}

static int user_capture_off(lua_State *L)
{
    const struct control_user_capture *capture = &control_of(L)->user_capture;
    if (capture->off)
        capture->off(capture->self);
    return 0;
}

static int user_capture(lua_State *L)
{
    const struct control_user_capture *capture = &control_of(L)->user_capture;
    char text[CONTROL_USER_CAPTURE_OCTETS] = "";
    lua_pushboolean(L, capture->tell && capture->tell(capture->self, text));
    lua_pushstring(L, text);
    return 2;
}

// ----

static void begin_module(lua_State *L)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_createtable(L, 0, 5);
}

static void add(lua_State *L, struct control *control, const char *name, lua_CFunction function)
{
    lua_pushlightuserdata(L, control);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, name);
}

static void end_module(lua_State *L, const char *name)
{
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

static void add_log(lua_State *L, struct control *control)
{
    begin_module(L);
    for (int level = 0; level < LOG_LEVELS; level++) {
        lua_pushlightuserdata(L, control);
        lua_pushinteger(L, level);
        lua_pushcclosure(L, put_line, 2);
        lua_setfield(L, -2, log_level_names[level]);
    }
    add(L, control, "level", set_level);
    end_module(L, "log");
}

static void add_requests(lua_State *L)
{
    static const char *const usages[] = {
#define REQUEST(usage, help) usage,
#include "control/plane/requests.def"
#undef REQUEST
    };
    lua_createtable(L, sizeof usages / sizeof usages[0], 0);
    for (size_t i = 0; i < sizeof usages / sizeof usages[0]; i++) {
        lua_pushstring(L, usages[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "requests");
}

void bind_add_loop(struct bind *lua, struct control *control)
{
    lua_State *L = lua->L;
    begin_module(L);
    lua_pushlightuserdata(L, control);
    buffer_push(L);
    lua_pushcclosure(L, events_take, 2);
    lua_setfield(L, -2, "take");
    add(L, control, "round", events_round);
    end_module(L, "events");
    add_log(L, control);
    begin_module(L);
    add(L, control, "question", question);
    add_requests(L);
    add(L, control, "unix_s", unix_s);
    add(L, control, "restarts", restarts);
    add(L, control, "random", random_octets);
    add(L, control, "answer", answer);
    add(L, control, "hook_fault", hook_fault);
    add(L, control, "capture_open", capture_open);
    add(L, control, "capture_pdu", capture_pdu);
    add(L, control, "capture_close", capture_close);
    add(L, control, "user_capture_on", user_capture_on);
    add(L, control, "user_capture_off", user_capture_off);
    add(L, control, "user_capture", user_capture);
    for (const luaL_Reg *f = loader_functions; f->name; f++)
        add(L, control, f->name, f->func);
    end_module(L, "program");
}
