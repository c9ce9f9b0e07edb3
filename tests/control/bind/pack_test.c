// pack.c: a value comes to another Lua state as it was, in pieces of any size, and what is no plain
// value is refused. The judge is Lua, which writes a value out in an order of its own, each table
// once and by its number after that.
#include "tests/control/bind/script.h"

#include "control/bind/internal.h"

static struct packed packed;
static uint32_t most; // values of a piece

static int call_pack(lua_State *L)
{
    pack(L, 1, &packed);
    return 0;
}

static int call_unpack(lua_State *L)
{
    uint32_t pieces = 1;
    lua_createtable(L, 0, 0);
    for (; !pack_take(L, &packed, 1, most); pieces++)
        assert_true(lua_rawlen(L, 1) <= (size_t)pieces * most);
    lua_rawgeti(L, 1, packed.objects);
    lua_pushinteger(L, pieces);
    return 2;
}

static const char judge[] =
    "function shown(value)\n"
    "    local seen, n, out = {}, 0, {}\n"
    "    local function text(v)\n"
    "        return math.type(v) == 'float' and ('%a'):format(v) or type(v) == 'string' and "
    "('%q'):format(v)\n"
    "            or tostring(v)\n"
    "    end\n"
    "    local function show(v)\n"
    "        if type(v) ~= 'table' then out[#out + 1] = text(v) return end\n"
    "        if seen[v] then out[#out + 1] = '#' .. seen[v] return end\n"
    "        n = n + 1 seen[v] = n\n"
    "        local keys = {}\n"
    "        for key in next, v do keys[#keys + 1] = key end\n"
    "        table.sort(keys, function(a, b) return text(a) < text(b) end)\n"
    "        out[#out + 1] = '{'\n"
    "        for _, key in ipairs(keys) do out[#out + 1] = text(key) .. '=' show(v[key]) end\n"
    "        out[#out + 1] = '}'\n"
    "    end\n"
    "    show(value)\n"
    "    return table.concat(out, ' ')\n"
    "end\n"
    "function tree(seed)\n"
    "    local function chance(n) seed = (seed * 1103515245 + 12345) % 2147483648 return (seed >> "
    "8) % n end\n"
    "    local known = {}\n"
    "    local function any(depth)\n"
    "        local kind = chance(depth > 2 and 6 or 9)\n"
    "        if kind == 0 then return chance(1000) * (chance(2) == 0 and 1 or -(1 << 50)) end\n"
    "        if kind == 1 then return chance(1000) / 7 end\n"
    "        if kind == 2 then return chance(2) == 0 end\n"
    "        if kind <= 4 then return ('\\0x'):rep(chance(60)) .. chance(50) end\n"
    "        if kind == 5 then return known[chance(#known) + 1] end\n"
    "        local t = {}\n"

    "        for i = 1, chance(12) do t[i] = any(depth + 1) end\n"
    "        for _ = 1, chance(6) do t['key' .. chance(20)] = any(depth + 1) end\n"
    "        for _ = 1, chance(3) do t[chance(40) - 20] = any(depth + 1) end\n"
    "        known[#known + 1] = t\n"
    "        return t\n"
    "    end\n"
    "    known[1] = { 'first' }\n"
    "    local root = {}\n"
    "    for i = 1, 12 do root[i] = any(0) end\n"
    "    return root\n"
    "end\n";

static struct bind *state_with(const char *name, lua_CFunction function)
{
    struct bind *lua = bind_create(true);
    lua_register(lua->L, name, function);
    assert_true(script_runs(lua, judge));
    return lua;
}

static void random_values_come_over(void **state)
{
    (void)state;
    uint64_t objects = 0;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        struct bind *from = state_with("pack", call_pack), *to = state_with("unpack", call_unpack);
        char script[128];
        most = seed % 7 == 0 ? UINT32_MAX : seed % 7;
        snprintf(script, sizeof script, "local t = tree(%u) text = shown(t) pack(t)", seed);
        assert_true(script_runs(from, script));
        size_t before = to->used;
        assert_true(script_runs(to, "value, pieces = unpack()"));
        assert_true(to->used - before <= packed.lua_octets + 16 * packed.objects + 8192);
        assert_true(script_runs(to, "text = shown(value)"));
        lua_getglobal(from->L, "text");
        lua_getglobal(to->L, "text");
        assert_string_equal(lua_tostring(to->L, -1), lua_tostring(from->L, -1));
        objects += packed.objects;
        bind_destroy(from);
        bind_destroy(to);
    }
    assert_true(objects > 10000); // the trees are no bare leaves
    pack_free(&packed);
}

static void what_is_not_plain_is_refused(void **state)
{
    (void)state;
    struct bind *lua = state_with("pack", call_pack);
    assert_true(script_runs(lua,
                            "local good, why = pcall(pack, { a = { print } })\n"
                            "assert(not good and why:find('a function cannot be packed'), why)\n"
                            "assert(not pcall(pack, { [coroutine.create(print)] = 1 }))\n"
                            "local deep = {} for _ = 1, 200 do deep = { deep } end\n"
                            "good, why = pcall(pack, deep)\n"
                            "assert(not good and why:find('more than 64 levels'), why)\n"
                            "local round = {} round.round = round\n"
                            "assert(not pcall(pack, round))\n"
                            "pack { 1 }\n"));
    bind_destroy(lua);
    pack_free(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_values_come_over),
        cmocka_unit_test(what_is_not_plain_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
