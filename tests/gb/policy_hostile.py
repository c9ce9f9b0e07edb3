#!/usr/bin/python3
"""Policies that hang or grow, in every way that one could think of: each is cut off, or fails, within
the limits of a call; the FLOW-CONTROL-BVC that it was called for is acknowledged at its instant with
the BSS's values, and so are those of the next cell.

What a call costs is judged by the processor time of the program, of which no other can take any; a
way that is not closed takes seconds to centuries of it."""

import os
import resource

from bss import Bss
from harness import case, main, new_folder, right, same
from world import HEAD, World, ms, nsvc

PEER, TLLI = "198.51.100.2", 0xC0000001
CPU_MOST_S = 1.5  # of a call, whose limit is 0.2 s, and of the PDUs around it
CPU_END_S = 60  # of the program: then the kernel ends it
ZEROS = r'local z = "\0" for i = 1, 15 do z = z .. z end '
VAST = r'local z = "\0" for i = 1, 21 do z = z .. z end '
LONG = 'local s = "x" for i = 1, 15 do s = s .. s end '  # 32 KiB
# #t is 1 << 62
SPARSE = "local t = {} for i = 0, 62 do t[1 << i], t[(1 << i) + 1] = true, true end "
MANY = "local t = {} for i = 1, 20000 do t[i] = i end "
LONGS = LONG + "local t = {} for i = 1, 200 do t[i] = s end "

# Scripts whose call is cut off (True), fails (False), or either.
WAYS = (
    ("while", "while true do end", True),
    ("repeat", "repeat local x = 1 until false", True),
    ("goto", "::again:: goto again", True),
    ("for", "for i = 1, math.maxinteger do end", True),
    ("for with a step of a float's least", "for x = 0, 1, 1e-300 do end", True),
    ("ipairs of a table that grows", "local t = { 1 } for i in ipairs(t) do t[i + 1] = 1 end", True),
    ("a recursion", "local function f() return 1 + f() end f()", True),
    ("a tail call", "local function f() return f() end f()", True),
    ("two that call each other", "local g local function f() return g() end "
     "function g() return f() end f()", True),
    ("table.insert at the front of a sparse table", SPARSE + "table.insert(t, 1, 0)", True),
    ("table.remove at the front of a sparse table", SPARSE + "table.remove(t, 1)", True),
    ("table.insert at the front of a long table", MANY +
     "for i = 1, 1000 do table.insert(t, 1, i) end", True),
    ("table.remove at the front of a long table", MANY +
     "for i = 1, 1000 do table.remove(t, 1) end", True),
    ("table.insert behind the last integer", SPARSE + "t[math.maxinteger] = 1 "
     "for i = 1, 100 do table.insert(t, 1) end", None),
    ("table.unpack of all integers", "table.unpack({}, math.mininteger, math.maxinteger)", False),
    ("table.unpack of a million", "table.unpack({}, 1, 1000000)", False),
    ("table.unpack of a sparse table", SPARSE + "table.unpack(t)", False),
    ("table.concat of all integers", "table.concat({}, '', math.mininteger, math.maxinteger)",
     False),
    ("table.concat of a sparse table", SPARSE + "for i = 1, 100 do t[i] = '' end table.concat(t)",
     False),
    ("table.concat of much", LONGS + "for i = 1, 1000 do table.concat(t) end", True),
    ("table.concat of a long separator", LONG + "local t = {} for i = 1, 900 do t[i] = '' end "
     "table.concat(t, s)", True),
    ("less than of long strings", ZEROS + "local a, b = z .. 'a', z .. 'b' local n = 0 "
     "while true do n = n + (a < b and 1 or 0) end", True),
    ("less or equal of long strings", ZEROS + "local a, b = z .. 'a', z .. 'b' "
     "for i = 1, 1 << 40 do local x = a <= b end", True),
    ("less than of vast strings", VAST + "local a, b = z .. 'a', z .. 'b' "
     "while true do local x = a < b end", True),
    ("equality of long strings", LONG + "local a, b = s .. 'a', s .. 'a' "
     "while a == b do end", True),
    ("a string that doubles", 'local s = "x" while true do s = s .. s end', True),
    ("a string that grows by 150 times", LONG + "while true do s = " + " .. ".join(["s"] * 150)
     + " end", True),
    ("a concatenation again and again", LONG + "while true do local x = s .. 'x' end", True),
    ("long strings as keys", LONG + "local t = {} for i = 1, 1 << 40 do t[s .. i] = true end", True),
    ("string.format of %q", ZEROS + "z = z:sub(1, 10000) while true do string.format('%q', z) end", True),
    ("string.format of %q, vast", VAST + "while true do string.format('%q', z) end", True),
    ("string.format of much", LONGS + "while true do string.format('%s%s%s%s', s, s, s, s) end",
     True),
    ("string.format as wide as it goes", "local f = '%99.99f' for i = 1, 7 do f = f .. f end "
     "local t = {} for i = 1, 128 do t[i] = -1.7e308 end "
     "while true do string.format(f, table.unpack(t)) end", True),
    ("string.upper and lower", LONG + "while true do s = s:upper():lower() end", True),
    ("string.byte of all", LONG + "while true do local n = select('#', s:byte(1, -1)) end", True),
    ("string.char of all", LONG + "while true do string.char(s:byte(1, -1)) end", True),
    ("select among many", LONG + "local function f(...) for i = 1, 1 << 40 do "
     "local x = select(-1, ...) end end f(s:byte(1, -1))", True),
    ("math.max of many", LONG + "while true do math.max(s:byte(1, -1)) end", True),
    ("arguments that grow", "local function f(...) return f(1, ...) end f()", True),
    ("tonumber of long digits", "local s = '1' for i = 1, 15 do s = s .. s end "
     "while true do tonumber(s) tonumber(s, 10) local x = s + 0 end", True),
    ("tables in tables", "local t = {} while true do t = { t } end", True),
    ("a table that grows", "local t = {} for i = 1, 1 << 40 do t[i] = { i, i, i, i } end", True),
    ("garbage", "while true do local t = { {}, {}, {}, function() return 1 end } end", True),
    ("a full table whose keys come and go", "local t = {} for i = 1, 65536 do t[i + 0.5] = 1 end "
     "for i = 1, 1 << 40 do t[i + 0.5] = nil t[i + 65536.5] = 1 end", True),
    ("closures", "local f = function() end while true do local g = f "
     "f = function() return g end end", True),
    ("a class of many keys", "local t = {} for i = 1, 5000 do t['k' .. i] = 1 end "
     "for i = 1, 1 << 40 do class 'background' (t) end", None),
    ("a class of long names", LONG + "class 'background' { [s] = 1 }", False),
    ("a value of a long string", "local s = ' ' for i = 1, 15 do s = s .. s end "
     "class 'background' { lifetime = s .. 'x' }", False),
    ("a class whose name is long", LONG + "class(s)", False),
    ("a log of long lines", LONG + "while true do log(s) end", True),
    ("an error that is long", LONG + "error(s)", False),
    ("an error that is long in the end", LONG + "error(s .. s)", None),
    ("an assert of a table", "assert(false, {})", False),
    ("a method that there is not", "local s = 'x' s:rep(1 << 40)", False),
    ("a pattern", "local s = 'x' s:find(('.-'):rep(20) .. 'y')", False),
    ("a metatable", "setmetatable({}, { __index = function(t, k) return t[k] end })", False),
    ("the metatable of strings", "getmetatable('').__lt = nil", False),
    ("a coroutine", "coroutine.wrap(function() end)()", False),
    ("a call that catches all", "while true do pcall(error) end", False),
    ("a variable that is closed", "local x <close> = {}", False),
    ("compiling", "load('while true do end')()", False),
    ("collecting", "while true do collectgarbage() end", False),
    ("sorting", "table.sort({ 3, 2, 1 }, function() return true end)", False),
    ("moving", "table.move({}, 1, 1 << 62, 2)", False),
    ("UTF-8", "utf8.len('x')", False),
)


def cpu_s(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
        words = stat.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def started(script, instructions):
    folder = new_folder()
    (folder / "policy.lua").write_text(script)
    (folder / "world.lua").write_text(HEAD + f"""
policy {{ script = "policy.lua", instructions = {instructions} }}
nse {{ nsei = 101, ns = "manual", flow_control = "open", {nsvc(101, PEER)},
    bvc {{ bvci = 2, {ms("001010000000001", TLLI)} }}, bvc {{ bvci = 3 }} }}""")
    world = World(folder / "world.lua")
    resource.prlimit(world.process.pid, resource.RLIMIT_CPU, (CPU_END_S, CPU_END_S))
    bss = Bss(world, 101, [(101, PEER)], {2: 8000, 3: 8000})
    bss.nsvcs[0].blocked = False
    return world, bss


def tried(name, body, cut, instructions=100000):
    world, bss = started(f"function flow_control(event)\nif event.bvci == 2 then {body} end\nend",
                         instructions)
    with world:
        before_s = cpu_s(world.process)
        for bvci in 2, 3:
            bss.flow(bvci, r=80, bmax=20, r_default=800, bmax_default=500)
        for _ in range(2):
            bss.expect("bssgp_flow_control_bvc_ack", at=0)
        took_s = cpu_s(world.process) - before_s
        right(took_s < CPU_MOST_S, f"{name}: {took_s} s of the processor's time")
        what = world.counts()["what"]
        hooks = what["hook_cuts"], what["hook_faults"]
        same(sum(hooks), 1, f"{name}: calls that went wrong\n{world.log()}\ncalls")
        if cut is not None:
            same(hooks, (int(cut), int(not cut)), f"{name}: cuts and faults\n{world.log()}\nboth")
        right(max(map(len, world.log().splitlines())) < 500, f"{name}: a long line of the log")


for number, way in enumerate(WAYS):
    case(f"{way[0]}: cut off within the limit", *way)(tried)


@case("with as many instructions as may be allowed it is the time that cuts, at 1 s of it")
def by_time():
    body = next(body for name, body, _ in WAYS if name == "less than of long strings")
    world, bss = started(f"function flow_control()\n{body}\nend", 100000000)
    with world:
        before_s = cpu_s(world.process)
        bss.flow(2, r=80)
        bss.expect("bssgp_flow_control_bvc_ack", at=0)
        took_s = cpu_s(world.process) - before_s
        right(0.9 < took_s < 3, f"{took_s} s")
        right("cut off: more than its time" in world.log(), world.log())


@case("a script whose own text raises much is refused in one short line; a FIFO is not waited for")
def at_a_reload():
    world, bss = started("", 100000)
    with world:
        script = world.config.parent / "policy.lua"
        for text in (LONG + "error(s)", LONG + "error({ s })", "-" * 70000, "x = '" + "\\0" * 30000,
                     VAST, "while true do end"):
            script.write_text(text)
            done, answer = world.ctl("reload")
            right(not done and len(answer) < 600 and "\n" not in answer, f"it answers {answer}")
        for path in script, world.config:
            path.unlink()
            os.mkfifo(path)
            done, answer = world.ctl("reload")
            right(not done and "not a regular file" in answer, f"it answers {answer}")
        bss.flow(2, r=80)
        bss.expect("bssgp_flow_control_bvc_ack", at=world.now_ns)


@case("the functions of `table` do what Lua's do")
def same_tables():
    script = """
function start()
    local t = {}
    table.insert(t, "a") table.insert(t, "c") table.insert(t, 2, "b") table.insert(t, 4, "d")
    log(table.concat(t, ",") .. table.concat(t, ",", 2, 3) .. table.concat({}))
    log(table.remove(t, 1) .. table.remove(t) .. table.concat(t) .. tostring(table.remove({})))
    table.insert(t, 1, nil)
    log(tostring(t[1]) .. t[2] .. t[3] .. tostring(table.remove(t, 4)))
    log(select("#", table.unpack({ 1, 2, 3 })) .. select("#", table.unpack({}, 1, 3)) .. #{
        table.unpack({ 1, 2, 3 }, 2) })
    table.insert(t, 7, 1)
end"""
    world, _ = started(script, 100000)
    with world:
        for line in "a,b,c,db,c", "adbcnil", "nilbcnil", "332":
            right(f"policy: {line}\n" in world.log(), f"{line} is not in\n{world.log()}")
        right("policy.lua:11: start(): no such position in the table" in world.log(), world.log())


main()
