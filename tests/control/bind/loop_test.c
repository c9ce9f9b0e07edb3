// What the control loop of Lua needs of the world, where that fails: no memory for what a worker
// tells or for a file, no capture, a second end. And a policy's fault, for the live view.
#include "tests/dataplane/path/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/bind/internal.h"
#include "control/plane/control.h"

static struct control control;

static void begin(struct dp *dp)
{
    struct bind *lua = bind_create(false);
    assert_non_null(lua);
    control =
        (struct control){.lua = lua, .procedures = &bind_procedures, .dp = dp, .phase = CONTROL_UP};
    lua->control = &control;
    mailbox_begin(&control.mailbox);
    bind_add_loop(lua, &control);
}

static void end(void)
{
    mailbox_end(&control.mailbox);
    bind_destroy(control.lua);
}

static lua_State *push(const char *module, const char *name)
{
    lua_State *L = control.lua->L;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, module);
    lua_getfield(L, -1, name);
    return L;
}

// An NS PDU of that many octets and of a type that is for control.
static void send_pdu(uint32_t octets)
{
    static const uint8_t unblock[200] = {6}; // NS-UNBLOCK
    static struct ip_frame frame;
    struct ip_ends ends = path_ends_gb(0);
    ip_write(&frame, &ends, unblock, octets);
    assert_true(path_give(STATS_GB, 0, &frame));
    path_poll();
}

static uint32_t in_use(void)
{
    return rte_mempool_in_use_count(p.far[STATS_GB][0].pool);
}

// Whoever catches the fault goes on with the next event; else Lua has ended.
static void an_event_for_which_there_is_no_memory_is_given_back(void **state)
{
    (void)state;
    path_open_small(16, 16);
    p.hold_events = true;
    begin(p.dp);
    uint32_t before = in_use();
    for (int i = 0; i < 2; i++)
        send_pdu(200);
    assert_int_equal(in_use(), before + 2);
    lua_State *L = push("events", "take");
    bind_limit(control.lua, 0);
    for (int i = 0; i < 2; i++) {
        lua_pushvalue(L, -1);
        assert_int_equal(lua_pcall(L, 0, 0, 0), LUA_ERRMEM);
        lua_pop(L, 1);
        assert_int_equal(in_use(), before + 2 - (uint32_t)i);
    }
    control_kill(&control, "a test does it");
    assert_int_equal(in_use(), before);
    end();
    path_close();
}

static void without_a_capture_nothing_is_captured(void **state)
{
    (void)state;
    begin(NULL);
    lua_State *L = push("program", "capture_pdu");
    lua_pushliteral(L, "::1");
    lua_pushinteger(L, 23000);
    lua_pushliteral(L, "::2");
    lua_pushinteger(L, 23000);
    lua_pushliteral(L, "octets");
    assert_int_equal(lua_pcall(L, 5, 0, 0), LUA_OK);
    push("program", "capture_close");
    assert_int_equal(lua_pcall(L, 0, 0, 0), LUA_OK);
    end();
}

static void it_ends_once(void **state)
{
    (void)state;
    begin(NULL);
    for (int i = 0; i < 2; i++) {
        control_kill(&control, "a test does it");
        assert_int_equal(control.phase, CONTROL_DEAD);
    }
    end();
}

// Whatever it is: an error's text is the policy's own.
static void the_last_fault_of_a_policy_is_kept_as_it_was_said(void **state)
{
    static const char *const said[] = {"policy.lua:2: timer(): sorry",
                                       "policy.lua:3: timer(): 100% sure, or 50%%", ""};
    char kept[CONTROL_HOOK_FAULT_OCTETS];
    (void)state;
    begin(NULL);
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        lua_State *L = push("program", "hook_fault");
        lua_pushstring(L, said[i]);
        assert_int_equal(lua_pcall(L, 1, 0, 0), LUA_OK);
        control_hook_fault(&control, kept);
        assert_string_equal(kept, said[i]);
    }
    end();
}

static int next_descriptor(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

static int push_source(lua_State *L)
{
    return config_source_push(bind_of(L)->source, L);
}

static void prepare(struct bind *lua)
{
    bind_add_fields(lua, "limits", dp_config_fields, dp_config_field_count);
}

// It is read anew by a reload.
static void a_file_for_which_there_is_no_memory_is_closed(void **state)
{
    char path[] = "/tmp/loop_test.XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fdopen(fd, "w");
    (void)state;
    begin(NULL);
    struct bind *lua = control.lua;
    assert_non_null(out);
    fprintf(out, "%*s", 1 << 20, "");
    fclose(out);
    FILE *nowhere = fopen("/dev/null", "w");
    assert_false(bind_config(lua, path, &(struct bind_changes){0}, prepare,
                             nowhere)); // nothing is in it
    fclose(nowhere);
    fd = next_descriptor();
    lua_State *L = lua->L;
    lua_pushcfunction(L, push_source);
    lua_gc(L, LUA_GCCOLLECT);
    bind_limit(lua, lua->used + (1 << 19));
    assert_int_equal(lua_pcall(L, 0, 0, 0), LUA_ERRMEM);
    assert_int_equal(next_descriptor(), fd);
    unlink(path);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_for_which_there_is_no_memory_is_given_back),
        cmocka_unit_test(without_a_capture_nothing_is_captured),
        cmocka_unit_test(it_ends_once),
        cmocka_unit_test(the_last_fault_of_a_policy_is_kept_as_it_was_said),
        cmocka_unit_test(a_file_for_which_there_is_no_memory_is_closed),
    };
    return cmocka_run_group_tests_name("control/bind/loop", tests, path_start_eal, NULL);
}
