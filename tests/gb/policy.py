#!/usr/bin/python3
"""The user's policy: what its functions may set comes into force, exactly when they were called; a
mistake in one costs that call, is counted and logged with its line, and traffic and
acknowledgements go on with the values of the BSS."""

import re
from fractions import Fraction

import replay
from bss import Bss
from harness import case, main, new_folder, often, right, same
from world import HEAD, MS, S, World, ms, npdu, nsvc

PEER, TLLI = "198.51.100.2", 0xC0000001
REST_S = 60


def text(more="", aqm="tail-drop"):
    return HEAD + f"""{more}
class {{ name = "background", lifetime = "600 s", aqm {{ name = "{aqm}" }} }}
nse {{ nsei = 101, ns = "manual", flow_control = "open", {nsvc(101, PEER)},
    bvc {{ bvci = 2, {ms("001010000000001", TLLI, count=3)} }} }}"""


def started(script, every="1 s", aqm="tail-drop", **more):
    keys = "".join(f", {key} = {value}" for key, value in more.items())
    folder = new_folder()
    (folder / "policy.lua").write_text(script)
    (folder / "world.lua").write_text(
        text(f'policy {{ script = "policy.lua", every = "{every}"{keys} }}', aqm))
    world = World(folder / "world.lua")
    bss = Bss(world, 101, [(101, PEER)], {2: 8000})
    bss.nsvcs[0].blocked = False
    return world, bss


def lifetime(world, bss):
    """What the next DL-UNITDATA gives the BSS, in centiseconds."""
    before = len(bss.dl)
    world.down(world.teid(TLLI), npdu("10.0.0.1", 60))
    world.run(0)
    same(len(bss.dl), before + 1, "DL-UNITDATAs")
    return bss.dl[-1].pdu.sdu["lifetime"]


def hooks(world):
    what = world.counts()["what"]
    return what["hook_faults"], what["hook_cuts"]


def rate(world, bss, seconds=40):
    """What the cell carries, in bit/s of LLC octets, when it has always more."""
    begin = len(bss.dl)
    teid = world.teid(TLLI)
    for number in range(100):
        world.down(teid, npdu("10.0.0.1", 480, number))
    world.run(seconds * S)
    pdus = [(r.time_ns, len(r.pdu.sdu["llc"])) for r in bss.dl[begin:]]
    limited = [pdu for pdu in pdus if pdu[0] > world.now_ns - seconds * S // 2]  # no bucket is new
    right(len(limited) > 5, f"{len(pdus)} DL-UNITDATAs, {len(limited)} of them in the second half")
    return replay.rate(limited)


def near(found, wanted):
    right(abs(found / wanted - 1) < Fraction(1, 200), f"{float(found)} bit/s, right is {wanted}")


@case("start() sets a class before anything is sent; timer() each second, to the ns")
def start_and_timer():
    world, bss = started("""
        function start() class "background" { lifetime = "5 s" } state.n = 0 end
        function timer()
            state.n = state.n + 1
            class "background" { lifetime = 5 - state.n .. " s", weight = 100 + state.n }
        end""")
    with world:
        same(lifetime(world, bss), 500, "centiseconds after start()")
        world.run_until(1 * S - 1)
        same(lifetime(world, bss), 500, "1 ns before the first timer()")
        world.run_until(1 * S)
        same(lifetime(world, bss), 400, "at the first")
        world.run_until(3 * S)
        same(lifetime(world, bss), 200, "at the third")
        same(world.lua("return require('sluice.policy.classes').classes[7].weight"), "103", "weight")
        same(hooks(world), (0, 0), "faults and cuts")


@case("each class gets its own values; signalling, which has no weight, a lifetime")
def each_class():
    names = ("conversational", "streaming", "interactive-1", "interactive-2", "interactive-3", "background")
    world, _ = started("function start() " + " ".join(
        f'class "{name}" {{ weight = {200 + i} }}' for i, name in enumerate(names)) + ' class "signalling" { lifetime = "9 s" } end')
    with world:
        same(world.lua("return require('sluice.policy.classes').classes[1].lifetime_ns"), str(9 * S), "signalling's lifetime")
        same(world.lua("local found = {} for _, class in ipairs(require('sluice.policy.classes').classes) do "
                       "found[#found + 1] = class.weight end return table.concat(found, ' ')"),
             " ".join(str(200 + i) for i in range(len(names))), "weights")


@case("the BSS may get the whole of a lifetime at least")
def all_of_it():
    world, _ = started("""
        function start() class "background" { lifetime = "1 s", bss_lifetime_least = "1 s" } end""")
    with world:
        one = "return require('sluice.policy.classes').classes[7].bss_lifetime_least_ns // 1000000"
        same((hooks(world), world.lua(one)), ((0, 0), "1000"), "faults and cuts, and the least")


@case("a lifetime below what the BSS gets at least by default: half of it, as in the file; 0: the default")
def least_follows():
    world, bss = started("""
        function start() class "background" { lifetime = "1 s" } state.n = 0 end
        function timer() class "background" { lifetime = "unlimited" } end""")
    with world:
        least = "return require('sluice.policy.classes').classes[7].bss_lifetime_least_ns // 1000000"
        same((lifetime(world, bss), world.lua(least)), (100, "500"), "after start()")
        world.run_until(S)
        same((lifetime(world, bss), world.lua(least)), (65535, "4100"), "after timer()")


@case("flow_control() sees each level and may lessen what the BSS offers, never raise it")
def flow_control():
    world, bss = started("""
        function flow_control(event)
            log(("seen %s %d %d %s %d %d"):format(event.level, event.nsei, event.bvci,
                event.tlli or "-", event.bucket_octets, event.rate_bit_per_s))
            return { rate_bit_per_s = event.rate_bit_per_s // 2 * (state.factor or 1) }
        end
        function timer() state.factor = 10 end""", every="100 s")
    with world:
        bss.flow(2, r=80, bmax=20, r_default=800, bmax_default=500)
        bss.expect("bssgp_flow_control_bvc_ack", at=0)
        near(rate(world, bss), 4000)
        bss.send(2, "bssgp_flow_control_ms", tlli=TLLI, tag=9, ms_bmax=20, r=40)
        bss.expect("bssgp_flow_control_ms_ack", tlli=TLLI, tag=9)
        near(rate(world, bss), 2000)
        world.run_until(200 * S)
        bss.send(2, "bssgp_flow_control_ms", tlli=TLLI, tag=10, ms_bmax=20, r=30)
        bss.expect("bssgp_flow_control_ms_ack", tlli=TLLI, tag=10)
        near(rate(world, bss), 3000)
        found = re.findall(r"policy: seen (.*)", world.log())
        same(found, ["bvc 101 2 - 2000 8000", f"ms 101 2 {TLLI} 2000 4000",
                     f"ms 101 2 {TLLI} 2000 3000"], "events")


WRONG = (
    ("an endless loop", "while true do end", "cut off: more than 100000 instructions", True),
    ("one that catches nothing", "repeat local ok = tostring(event) until false",
     "cut off: more than 100000 instructions", True),
    ("a recursion without end", "local function f() return 1 + f() end f()", "", None),
    ("a string that doubles", 'local s = "x" while true do s = s .. s end',
     "cut off: a string of more than 65536 octets", True),
    ("a table without end", "local t = {} for i = 1, 1 << 40 do t[i] = { i, i, i, i, i, i } end",
     "cut off: more", True),
    ("an error of its own", 'error("no")', "no", False),
    ("an error that is no text", "error({})", "an error that is a table", False),
    ("an error as ours are", "error({ cut = true, text = {} })", "an error that is a table", False),
    ("a nil called", "nothing()", "attempt to call a nil value (global 'nothing')", False),
    ("a library", 'os.execute("true")', "attempt to index a nil value (global 'os')", False),
    ("what would catch errors", "pcall(error)", "attempt to call a nil value (global 'pcall')",
     False),
    ("a method of strings", 'local s = "x" s:rep(10)',
     "attempt to call a nil value (method 'rep')", False),
    ("a pattern", 'local s = "x" s:find("x")',
     "attempt to call a nil value (method 'find')", False),
    ("a class that is none", 'class "web" { weight = 1 }', 'no class "web"', False),
    ("a key that is none", 'class "background" { wieght = 1 }',
     "unknown key 'wieght'", False),
    ("a value out of range", 'class "background" { weight = 0 }',
     "weight: found the number 0, allowed a whole number from 1 to 10000", False),
    ("a weight of signalling", 'class "signalling" { weight = 5 }',
     "signalling has no weight", False),
    ("lifetimes that do not agree",
     'class "background" { lifetime = "100 ms", bss_lifetime_least = "110 ms" }',
     "bss_lifetime_least is more than lifetime", False),
    ("an AQM's key", 'aqm "background" { targett = "5 ms" }',
     "unknown key 'targett'", False),
    ("another AQM", 'aqm "background" { name = "red" }', "unknown key 'name'", False),
    ("a rate that is no number", 'return { rate_bit_per_s = "much" }',
     "bucket_octets or rate_bit_per_s: not a whole number >= 0", False),
    ("a rate below nothing", "return { rate_bit_per_s = -1 }",
     "bucket_octets or rate_bit_per_s: not a whole number >= 0", False),
)


@case("a call that fails or does not end costs that event: counted, logged with its line")
def wrong():
    for name, body, message, cut in WRONG:
        world, bss = started(f"function flow_control(event)\n"
                             f'class "background" {{ lifetime = "300 s" }}\n{body}\nend\n')
        with world:
            fails = not body.startswith("return")
            bss.flow(2, r=80, bmax=20, r_default=800, bmax_default=500)
            bss.expect("bssgp_flow_control_bvc_ack", at=0)
            if cut is not None:
                same(hooks(world), (int(not cut), int(cut)), f"{name}: faults and cuts")
            same(sum(hooks(world)), 1, f"{name}: calls that went wrong")
            line = re.search(r"error policy\.lua:(\d+): flow_control\(\): (.*)", world.log())
            right(line and message in line[2] and line[1] == ("3" if fails else "1"),
                  f"{name}: the log is\n{world.log()}")
            same(lifetime(world, bss), 60000 if fails else 30000, f"{name}: what it set before")
            near(rate(world, bss), 8000)


@case("many calls that are cut off leave no memory behind, and the loop answers at once")
def no_leak():
    world, bss = started("""
        function timer() local t = {} while true do t[#t + 1] = { "x" .. #t } end end
        function flow_control(event) local s = "x" while true do s = s .. s end end""",
                         every="61 s", instructions=1000000)
    with world:
        world.run(REST_S * S)
        first, times = 10, often(20, 60)
        for number in range(first + times):  # each after a rest
            if number == first:  # Lua's own tables have grown
                world.lua("collectgarbage() return 0")
                before = world.lua_octets()
            bss.flow(2, r=80)
            bss.expect("bssgp_flow_control_bvc_ack", at=world.now_ns)
            world.run((REST_S + 1) * S)
        world.lua("collectgarbage() return 0")
        right(world.lua_octets() < before + 1000 * times, f"from {before} to {world.lua_octets()} octets")
        same(hooks(world), (0, 2 * (first + times)), "faults and cuts")


@case("a function that is cut off three times has a rest of 60 s between calls, which is said, and again when ten minutes have passed")
def rests():
    world, bss = started("""
        function timer() if not state.good then while true do end end end
        function flow_control(event)
            if event.rate_bit_per_s < 20000 then state.good = true end
            while not state.good do end
            return { rate_bit_per_s = 4000 }
        end""", every="10 s")

    def cuts(*wanted):
        same(world.counted("hook_cuts", "hook_rests"), wanted, f"cuts and rests at {world.now_ns / S} s")

    def flow(units):
        bss.flow(2, r=units, bmax=200, r_default=units, bmax_default=200)
        bss.expect("bssgp_flow_control_bvc_ack", at=world.now_ns)
    with world:
        for number in range(10):
            flow(800)
            cuts(min(number + 1, 3), max(number - 2, 0))
        same(len(world.log_lines("cut off too often; called once in 60 s from now on, until it ends by itself")), 1, "lines")
        near(rate(world, bss, 8), 80000)  # the BSS's value, not the script's
        world.run(REST_S * S)  # the timer: 10 s, 20 s, 30 s, then rests
        cuts(3 + 3, 7 + (world.now_ns // S - 30) // 10)
        before = world.counted("hook_cuts", "hook_rests")
        flow(800)  # the rest is over, but it is cut off again
        flow(800)
        cuts(before[0] + 1, before[1] + 1)
        world.run((REST_S + 1) * S)
        before = world.counted("hook_cuts", "hook_rests")
        flow(80)
        for _ in range(5):
            flow(800)
        same(world.counted("hook_cuts", "hook_rests"), before, "after a call that ended by itself")
        same(len(world.log_lines("cut off too often")), 2, "lines: one of each function")


@case("that a function is cut off too often is said once in ten minutes: while it rests, and when it is cut off again later")
def said_again():
    world, bss = started("""
        function flow_control(event)
            state.bad = event.rate_bit_per_s > 20000
            while state.bad do end
        end""")

    def lines():
        return len(world.log_lines("flow_control(): cut off too often"))

    def flow(units):
        bss.flow(2, r=units)
        bss.expect("bssgp_flow_control_bvc_ack", at=world.now_ns)
    with world:
        for _ in range(3):
            flow(800)
        begun = world.now_ns
        same(lines(), 1, "lines after three cuts")
        while world.now_ns < begun + 599 * S:  # one call in each rest
            world.run((REST_S + 1) * S)
            flow(800)
            same(lines(), 1 if world.now_ns < begun + 600 * S else 2, f"lines after {(world.now_ns - begun) / S} s")
        same(lines(), 2, "lines after ten minutes of rests")
        world.run((REST_S + 1) * S)
        for _ in range(24):  # ends by itself until all is forgiven
            flow(80)
        for _ in range(3):
            flow(800)
        same(lines(), 2, "lines: cut off again, a minute after it was said")
        world.run(540 * S)
        for _ in range(3):
            flow(800)
        same(lines(), 3, "lines: cut off again, ten minutes after it was said")


@case("two calls cut off for each that ends by itself lead to rests, too; eight of these make up for one cut")
def rests_all_the_same():
    for good, most in ((1, 6), (7, None), (8, 0)):  # of calls that end by themselves for each two, for each one cut
        world, bss = started(f"""
            state.n = 0
            function flow_control(event)
                state.n = state.n + 1
                while state.n % {1 + good if good > 1 else 3} == 0 do end
                while {str(good == 1).lower()} and state.n % 3 == 1 do end
            end""")
        with world:
            for _ in range(200):
                bss.flow(2, r=800)
                bss.expect("bssgp_flow_control_bvc_ack", at=world.now_ns)
            cuts, rests = world.counted("hook_cuts", "hook_rests")
            right(rests > 0 if most != 0 else rests == 0, f"{good}: {cuts} cuts, {rests} rests")
            if most:
                right(cuts <= most, f"{cuts} cuts")


@case("an error that looks like ours is one of the script's: in start(), timer() and at the top")
def error_tables():
    for where in "start", "timer":
        world, bss = started(f"function {where}() error({{ cut = true }}) end")
        with world:
            world.run(1500 * MS)
            line = f"error policy.lua:1: {where}(): an error that is a table"
            same(world.log().count(line), 1, f"lines of {where}()\n{world.log()}")
            same(hooks(world), (1, 0), "faults and cuts")
            put(world, "error({ cut = true })")
            same(world.ctl("reload"), (False, f"{world.config.parent}/policy.lua:1: policy: "
                                       "an error that is a table"), "at the top")
            bss.flow(2, r=80, bmax=20, r_default=800, bmax_default=500)
            bss.expect("bssgp_flow_control_bvc_ack", at=world.now_ns)


KEEPS = (
    ("strings in its state", """
        function timer()
            local s = 'x'
            for i = 1, 14 do s = s .. s end
            for i = 1, 8 do state[#state + 1] = s .. i .. #state end
        end"""),
    ("tables in a global", """
        kept = {}
        function timer() for i = 1, 10000 do kept = { kept } end end"""),
    ("an upvalue of a function", """
        local kept, n = {}, 0
        function timer() for i = 1, 30000 do n = n + 1 kept[n] = n end end"""),
)


@case("a script that keeps more and more is ended: counted, one line; another one may start")
def keeps():
    for name, script in KEEPS:
        world, bss = started(script, every="10 ms", instructions=1000000)
        with world:
            world.run(50 * MS)
            same(hooks(world), (0, 0), f"{name}: at first")
            world.run(2 * S)
            same(hooks(world), (0, 1), f"{name}: faults and cuts")
            same(world.log().count("keeps more memory than it may"), 1, f"{name}: lines")
            world.lua("collectgarbage() collectgarbage() return 0")
            ended = world.lua_octets()
            world.run(2 * S)
            world.lua("collectgarbage() collectgarbage() return 0")
            right(world.lua_octets() < ended + 10000, f"{name}: it goes on")
            bss.flow(2, r=80)
            bss.expect("bssgp_flow_control_bvc_ack", at=world.now_ns)
            same(hooks(world), (0, 1), f"{name}: a FLOW-CONTROL-BVC without a script")
            put(world, "function start() state.n = (state.n or 0) + 1 log('anew ' .. state.n) end")
            same(world.ctl("reload"), (True, "1 policy changed"), f"{name}: another script")
            right("policy: anew 1" in world.log(), f"{name}: it did not start")


@case("what a script makes and lets go is not what it keeps")
def lets_go():
    world, _ = started("""
        function timer()
            state.last = {}
            for i = 1, 30000 do state.last[i] = { i } end
        end""", every="10 ms", instructions=1000000)
    with world:
        world.run(3 * S)
        same(hooks(world), (0, 0), "faults and cuts")


def put(world, script):
    (world.config.parent / "policy.lua").write_text(script)


@case("helpers of a script that has its hooks, and names that are far from one, are no mistakes")
def helpers():
    world, _ = started("""
        function helper() return 1 end
        function restart() end
        function start() helper() end
        function timer() clas "background" {} end""")
    with world:
        world.run(1500 * MS)
        same(hooks(world), (1, 0), "faults and cuts")
        right("timer(): attempt to call a nil value (global 'clas'); did you mean class?\n"
              in world.log(), world.log())


@case("an AQM's parameters change in place")
def aqm():
    world, _ = started('function start() aqm "background" { target = "50 ms" } end',
                       aqm="codel")
    with world:
        same(world.lua("return require('sluice.policy.classes').classes[7].aqm.target.value"),
             str(50 * MS), "target in ns")
        same(hooks(world), (0, 0), "faults and cuts")


@case("a reload: state stays, a new script starts, a wrong one is refused, none: the file's values")
def reload():
    good = """
        state.loads = (state.loads or 0) + 1
        function start() class "background" { lifetime = state.loads .. " s" } end"""
    world, bss = started(good)
    with world:
        same(lifetime(world, bss), 100, "at first")
        same(world.ctl("reload"), (True, "no changes"), "the same")
        same(lifetime(world, bss), 100, "the same again")
        put(world, good + " -- another")
        same(world.ctl("reload"), (True, "1 class changed, 1 policy changed"), "another script")
        same(lifetime(world, bss), 200, "then")
        put(world, good + "\nwhile true do end")
        done, answer = world.ctl("reload")
        same((done, answer), (False, f"{world.config.parent}/policy.lua:4: policy: cut off: more"
                                     " than 100000 instructions"), "a wrong script")
        same(lifetime(world, bss), 200, "after it")
        same(world.reload(text()), (True, "1 class changed, 1 policy changed"), "no script")
        same(lifetime(world, bss), 60000, "the file's")
        same(hooks(world), (0, 0), "faults and cuts")


@case("a million steps of a well-behaved script fit the limit that the file gives")
def limit():
    world, _ = started("function start() for i = 1, 400000 do state.i = i end end",
                       instructions=10000000)
    with world:
        same(hooks(world), (0, 0), "faults and cuts")
    world, _ = started("function start() for i = 1, 400000 do state.i = i end end",
                       instructions=1000000)
    with world:
        same(hooks(world), (0, 1), "faults and cuts")


main()
