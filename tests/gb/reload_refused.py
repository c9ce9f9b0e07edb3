#!/usr/bin/python3
"""A reload that is refused changes nothing: files that are wrong, of every kind; what needs a
restart; more than there are places; TLLIs in two hands."""

import re
import shutil

from world import HEAD, S, World, ms, nsvc
from harness import case, main, right, same
from mistake_tables import FILE, FOLDER, mistakes
from reload_model import CONTEXTS, address, imsi
from reload_world import PLAIN, Traffic, loaded, refused, started, wishes


RUNS_ON = "not ended after 1000 ms, allowed less time"


def limit_of(line, row):
    """What has no end meets its time before its steps or its memory, if the machine is busy."""
    place = line.removesuffix(RUNS_ON)
    return line if place == line else next((right_one for right_one in row.lines if right_one.startswith(place)), line)


@case("a wrong file of each kind is refused with file, line and key, and what was in force stays")
def wrong():
    rows = [row for row in mistakes() if not row.sets]
    right(len(rows) > 100, f"{len(rows)} kinds")
    world, model, _ = started(wishes(0, 20))
    with world:
        shutil.copytree(FOLDER / "policy", world.folder / "policy")
        traffic = Traffic(world, model)
        for n, row in enumerate(rows):
            answer = refused(world, model, row.text).replace(str(world.config), FILE)
            found = [limit_of(line, row) for line in answer.replace(f"{world.folder}/", "").split("\n")]
            cut = len(answer) > 3900  # an answer has its limit
            same(found[:-1] if cut else found, row.lines[:len(found) - 1] if cut else row.lines,
                 row.name)
            traffic.down(n % 20)
        world.run(30 * S)
        traffic.check({i: model.mss[i] for i in range(20)})
        same(world.counts()["what"]["reloads_refused"], len(rows), "refusals counted")


RESTART = "differs from the value in force; a change needs a restart"


def changed(file, old, new):
    text = file.text()
    right(old in text, f"{old!r} is not in the file")
    return text.replace(old, new)


@case("what needs a restart is refused, at its key")
def restart():
    world, model, file = started(wishes(0, 10))
    with world:
        for key, old, new in (
                ("run.name", 'name = "gb", clock', 'name = "gp", clock'),
                ("run.seed", 'duration = "1 s"', 'duration = "1 s", seed = 2'),
                ("gb.port", 'gb { device = "net_ring",', 'gb { device = "net_ring", port = 23001,'),
                ("gb.cell_delay", 'gb { ', 'gb { cell_delay = "1 s", '),
                ("gb.ready", 'gb { ', 'gb { ready = "44 s", '),
                ("gn.mtu", 'gn { ', 'gn { mtu = "1400 octets", '),
                ("queue.packets", "room {", "queue { packets = 100 }\nroom {"),
                ("queue.flows", "room {", "queue { flows = 32 }\nroom {"),
                ("room.mss", "mss = 1000", "mss = 2000"),
                ("room.pfcs", "pfcs = 2", "pfcs = 3"),
                ("class[1].aqm.name", '"tail-drop"', '"codel"'),
                ("class[1].flows", 'lifetime = "unlimited"', 'lifetime = "1 s", flows = true'),
                ("class[1].scope", 'lifetime = "unlimited"', 'lifetime = "1 s", scope = "cell"'),
                ("nse[1].ns", '101, ns = "manual"', '101, ns = "alive", flow_control = "open"')):
            answer = refused(world, model, changed(file, old, new), f": {key}: {RESTART}")
            right(re.match(rf"{re.escape(str(world.config))}:\d+: ", answer), f"place: {answer}")
        more = CONTEXTS[3] + ((10, "interactive-3", "ggsn"),)
        file.wishes[3] = PLAIN._replace(contexts=more)
        refused(world, model, changed(file, ", pfcs = 2", ""),
                "3 packet flows; an MS has room for 2 (room.pfcs)")
        file.wishes[3] = PLAIN
        refused(world, model, changed(file, "count = 10", "count = 10, drx = 7"),
                ".imsi: 14 octets of options in DL-UNITDATA; an MS has room for 10, the most at the"
                " start; more needs a restart")


@case("each mistake has a line in the log, twenty and the count of the rest")
def logged():
    world, model, file = started(wishes(0, 10))
    with world:
        for mistakes in 1, 3, 20, 30:
            before = len(world.log())
            answer = refused(world, model, file.text() + "nse { nsei = 'x' }\n" * mistakes).split("\n")
            lines = re.findall(r" error reload refused, (.*)", world.log()[before:])
            same(lines[0], "the old configuration stays in force", "the first line")
            same(lines[1:], [f"{i + 1} of {len(answer)}: {text}" for i, text in enumerate(answer)], "the others")
            right(len(answer) == min(2 * mistakes, 21), f"{len(answer)} mistakes")  # nsei, and no nsvc { }
            world.run(1 * S)


@case("a block of the lab, its cells or its BSSs that changes is refused, at its key")
def lab():
    text = HEAD + f"""
nse {{
    nsei = 101, ns = "manual", line {{ latency = "5 ms" }}, {nsvc(101, "198.51.100.2")},
    bvc {{ bvci = 2, ci = 7, radio {{ slots = 3, plan {{ at = "1 s" }} }}, flow {{ }},
        ms {{ imsi = "{imsi(1)}", pdp {{ nsapi = 5, class = "background", address = "10.0.0.1" }} }} }},
    bvc {{ bvci = 3, radio {{ }}, ms {{ imsi = "{imsi(2)}", radio {{ up_slots = 1 }} }} }},
}}
lab {{
    ggsn = "192.0.2.77", ggsn_mac = "02:00:00:00:00:04", gi {{ }},
    ping {{ class = "background", interval = "1 s" }},
}}
"""
    with World(text) as world:
        for key, old, new in (
                ("lab.ping[1].interval", 'interval = "1 s"', 'interval = "2 s"'),
                ("lab.gi.latency", "gi { }", 'gi { latency = "1 ms" }'),
                ("nse[1].line.latency", "5 ms", "6 ms"), ("nse[1].bvc[1].ci", "ci = 7", "ci = 8"),
                ("nse[1].bvc[1].radio.slots", "slots = 3", "slots = 4"),
                ("nse[1].bvc[1].radio.plan[1].at", 'at = "1 s"', 'at = "2 s"'),
                ("nse[1].bvc[2].ms[1].radio.up_slots", "up_slots = 1", "up_slots = 2"),
                ("nse[1].bvc[1].flow.rate", "flow { }", 'flow { rate = "9 kbit/s" }')):
            right(old in text, old)
            done, answer = world.reload(text.replace(old, new))
            right(not done and answer.endswith(f": {key}: {RESTART}"), f"{key}: {answer}")
        for key, old, new in (("lab.ping", "    ping", '    ping { class = "background" },\n    ping'),
                              ("nse[1].bvc[1].radio", 'radio { slots = 3, plan { at = "1 s" } },', ""),
                              ("nse[1].bvc[2].ms[1].radio", ", radio { up_slots = 1 }", ""),
                              ("nse[1].bvc[1].buffer", "flow { }", "flow { }, buffer { }")):
            right(old in text, old)
            done, answer = world.reload(text.replace(old, new))
            right(not done and f": {key}: differs from what is in force" in answer, f"{key}: {answer}")


def radio_world(cells, *phones):
    return HEAD + f"""
ggsn {{ name = "ggsn1", address = "192.0.2.77", control = "192.0.2.77", mac = "02:00:00:00:00:04" }}
apn {{ name = "internet", default = true }}
attach {{ }}
{" ".join(phones)}
nse {{
    nsei = 101, areas = {{ "001-01-4660-52" }}, line {{ latency = "5 ms" }}, {nsvc(101, "198.51.100.2")},
    bvc {{ bvci = 2, radio {{ }}, {cells[0]} }},
    bvc {{ bvci = 3, radio {{ }}, {cells[1]} }},
}}
lab {{ ggsn = "192.0.2.77", ggsn_mac = "02:00:00:00:00:04", gi {{ }} }}
"""


@case("another radio of an MS or a phone is refused, whatever group or cell of the file it is in")
def own_radios():
    def mss(first, count, radio=""):
        return f'ms {{ imsi = "{imsi(first)}", count = {count}, {radio} }},'

    def phones(first, count, radio=""):
        return f'phone {{ imsi = "{imsi(100 + first)}", count = {count}, cell = "101-2", {radio} }}'
    slot, other, slow = (f"radio {{ {keys} }}" for keys in ("up_slots = 1", "up_slots = 2", 'down_coding = "CS-1"'))
    group, phone = mss(1, 3, slot), phones(1, 3, slot)
    away = "differs from what is in force; a change needs a restart"
    with World(radio_world((group, mss(11, 2)), phone)) as world:
        for what, cells, its_phones, lines in (
                ("a part of a group", (mss(1, 2, slot) + mss(3, 1, slow), mss(11, 2)), [phone],
                 [f"nse[1].bvc[1].ms[2].radio.{key}: {RESTART}" for key in ("down_coding", "up_slots")]),
                ("a part without one", (mss(1, 1, slot) + mss(2, 2), mss(11, 2)), [phone], [f"nse[1].bvc[1].ms[2].radio: {away}"]),
                ("another cell", (mss(11, 2), mss(1, 3, other)), [phone], [f"nse[1].bvc[2].ms[1].radio.up_slots: {RESTART}"]),
                ("a new one", (group, mss(11, 1) + mss(12, 1, slow)), [phone], [f"nse[1].bvc[2].ms[2].radio: {away}"]),
                ("phones with another", (group, mss(11, 2)), [phones(1, 3, other)], [f"phone[1].radio.up_slots: {RESTART}"]),
                ("phones without", (group, mss(11, 2)), [phones(1, 3)], [f"phone[1].radio: {away}"]),
                ("a part of the phones", (group, mss(11, 2)), [phones(1, 1, slot), phones(2, 1, other), phones(3, 1, slot)],
                 [f"phone[2].radio.up_slots: {RESTART}"])):
            done, answer = world.reload(radio_world(cells, *its_phones))
            same((done, [line.split(": ", 1)[-1] for line in answer.split("\n")]), (False, lines), what)
        for what, cells, its_phones in (
                ("in parts", (mss(1, 1, slot) + mss(2, 2, slot), mss(11, 2)), [phones(1, 1, slot), phones(2, 2, slot)]),
                ("in other cells, and more of them", (mss(11, 2), mss(1, 9, slot)), [phones(1, 4, slot)]),
                ("another radio of others", (mss(11, 2), mss(1, 9, slot) + mss(20, 2, slow)), [phones(1, 4, slot)]),
                ("without", (mss(20, 2, slow), ""), [phones(9, 1)])):
            done, answer = world.reload(radio_world(cells, *its_phones))
            right(done, f"{what}: {answer}")
        # A block with parts of several others is named once.
        done, answer = world.reload(radio_world((mss(1, 1, slot) + mss(2, 1, slot), ""), phones(9, 1)))
        right(done, f"two blocks: {answer}")
        done, answer = world.reload(radio_world((mss(1, 2), ""), phones(9, 1)))
        right(not done and answer.count("\n") == 0 and f"ms[1].radio: {away}" in answer, answer)


@case("more than there are places is refused, at room")
def places():
    world, model, file = started(wishes(0, 10))
    with world:
        text = file.text()
        many_cells = text.replace("  bvc { bvci = 3", "".join(
            f"  bvc {{ bvci = {n} }},\n" for n in range(100, 138)) + "  bvc { bvci = 3")
        refused(world, model, many_cells.replace("bvcs = 40, ", ""),
                "room.bvcs: 38 more than are in force, but 37 places are free")
        refused(world, model, many_cells, "room.bvcs: found 40, allowed at least the number in the file")
        file.wishes |= wishes(10, 990)
        loaded(world, model, file)  # just so many
        file.wishes[1000] = PLAIN
        refused(world, model, file.text().replace("mss = 1000, ", ""),
                "room.mss: 1 more than are in force, but 0 places are free")


@case("without free places the file in force is taken, and a new GGSN, NSE, NS-VC or cell is refused")
def full():
    world, model, file = started(wishes(0, 10), rooms="nses = 2, nsvcs = 2, ggsns = 2, bvcs = 3")
    with world:
        same(loaded(world, model, file), "no changes", "the same again")
        for old, new, kinds in (
                ('address = "192.0.2.10"', 'address = "192.0.2.99"', ["ggsns"]),
                ("nsei = 102", "nsei = 103", ["nses", "nsvcs", "bvcs"]),
                ('peer = "198.51.100.3"', 'peer = "198.51.100.33"', ["nsvcs"]),
                ("bvci = 3,", "bvci = 4,", ["bvcs"])):
            answer = refused(world, model, changed(file, old, new))
            same(re.findall(r"room\.(\w+: .*);", answer),
                 [f"{kind}: 1 more than are in force, but 0 places are free" for kind in kinds], new)


@case("a reload has the variant and the --set of the start, and is refused without that variant")
def variant():
    def text(weight, name="b"):
        return HEAD + f'nse {{ nsei = 101, ns = "manual", {nsvc(101, "198.51.100.2")}, bvc {{ bvci = 2 }} }}' \
            f'variants {{ variant {{ name = "a" }}, variant {{ name = "{name}", set = ' \
            f'{{ "class[background].weight={weight}", "class[streaming].weight={weight}" }} }} }}'

    def weights(world):
        return world.lua("local c = require('sluice.core.network').cfg.class"
                         " return c[7].weight .. ' ' .. c[3].weight")
    with World(text(7), "class[streaming].weight=77", words=("--variant", "b")) as world:
        same(weights(world), "7 77", "weights at the start")
        done, answer = world.reload(text(8))
        right(done, answer)
        same(weights(world), "8 77", "weights after a reload")
        same(world.reload(text(9, "c")),
             (False, "--variant b: unknown variant; allowed: a, c; did you mean a?"), "without it")
        same(weights(world), "8 77", "weights after the refusal")


@case("TLLIs that would be in two hands are refused; when the first has gone they are free")
def tllis():
    def text(*pairs):
        mss = ",".join(ms(imsi(i), tlli, address=address(i, 5), ggsn_teid=i + 1)
                       for i, tlli in pairs)
        return HEAD + f'nse {{ nsei = 101, ns = "manual", {nsvc(101, "198.51.100.2")}, ' \
                      f"bvc {{ bvci = 2, {mss} }} }}"
    with World(text((1, 0xC0000001), (2, 0xC0000002))) as world:
        def load(*pairs):
            return world.reload(text(*pairs))
        done, answer = load((1, 0xC0000002), (2, 0xC0000001))
        same(done, False, "a swap")
        right("nse[1].bvc[1].ms[1].tlli: 0xC0000002 of IMSI" in answer and
              f"is in use by IMSI {imsi(2)}" in answer, answer)
        done, answer = load((1, 0xC0000001), (2, 0xC0000002), (3, 0xC0000001))
        same(done, False, "the same twice")
        same(load((1, 0xC0000001), (3, 0xC0000002)), (True, "1 MS added, 1 MS removed"), "its heir")
        same(load((1, 0xC0000005), (3, 0xC0000002)), (True, "1 MS changed"), "another TLLI")
        done, answer = load((1, 0xC0000005), (3, 0xC0000001))
        same(done, False, "the former one of an MS that has not used the new one yet")
        same(world.lua("local dp = require 'dp' return dp.ms_of(0, 0xC0000005) .. ' ' .. "
                       "dp.ms_of(0, 0xC0000001) .. ' ' .. dp.ms_of(0, 0xC0000002)"), "0 0 1", "MSs")


@case("another TLLI and another NSE at once are refused")
def tlli_and_nse():
    world, model, file = started(wishes(0, 5, PLAIN._replace(given=False)))
    with world:
        file.wishes = wishes(0, 5, PLAIN._replace(nsei=102))
        refused(world, model, file.text(), "changes TLLI and NSE at once")


@case("a file that is away is refused; the same file that is back is taken")
def away():
    world, model, file = started(wishes(0, 5))
    with world:
        world.config.unlink()
        done, answer = world.ctl("reload")
        same((done, answer), (False, f"{world.config}: cannot be read: No such file or directory"),
             "answer")
        loaded(world, model, file)


@case("a text that would take minutes to compile, or does not end, is refused")
def compiled_long():
    world, model, file = started(wishes(0, 5))
    with world:
        for text, why in (
                ("local x = 1 local y = " + " and ".join(["x"] * 40000),
                 "not compiled after 1000 ms, allowed less time"),
                ("do " + "do goto e end " * 30000 + "end ::e::",
                 "found 30000 of goto and break, allowed up to 1000"),
                ("while true do end", ""),  # by steps or by time
                ("local s = 'x' for _ = 1, 15 do s = s .. s end local a, b = s .. 'a', s .. 'b' "
                 "while true do local _ = a < b end", RUNS_ON),
                ("for i = 1, 1e9 do local x = foo end", None)):
            answer = refused(world, model, text)
            right(answer.startswith(f"{world.config}:1: {'foo: unknown name' if why is None else 'lua: ' + why}"), answer)
        loaded(world, model, file)


@case("what a refused file says gives a terminal no orders by the log: neither by ESC nor by U+009B")
def no_orders():
    world, model, file = started(wishes(0, 5))
    with world:
        refused(world, model, 'log { level = "\\27[31m\\194\\1552J" }\n')
        line, = world.log_lines("log.level")
        right('found "\\27[31m\\194\\1552J"' in line, repr(line))
        loaded(world, model, file)


main()
