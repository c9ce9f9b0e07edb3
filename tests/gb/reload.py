#!/usr/bin/python3
"""Another configuration in the place of the one in force, step by step, by a plain model of one
entry for each MS: ranges, cells, NSEs, NS-VCs, GGSNs and rates that come, change and go."""

import random

from bss import Bss, Cell
from world import HEAD, MS, S, World, ms, npdu, nsvc
from harness import case, main, right, same
from reload_model import CONTEXTS, picture
from reload_world import PEERS, PLAIN, Traffic, loaded, started, wishes


@case("the same file again: no changes")
def same_file():
    world, model, file = started(wishes(0, 50))
    with world:
        for seed in range(5):
            same(loaded(world, model, file, random.Random(seed)),
                 "no changes", "answer")
        same(world.counts()["what"]["reloads"], 5, "reloads counted")


@case("a reload leaves no memory behind, whether it was done or refused")
def memory():
    world, model, file = started(wishes(0, 50))
    with world:
        def after(reloads):
            for _ in range(reloads):
                loaded(world, model, file)
                world.reload(file.text() + "run {}")
            world.lua("collectgarbage() collectgarbage() return 0")
            return world.lua_octets()
        before = after(10)
        right(after(100) < before + 20000, f"from {before} to {world.lua_octets()} octets of Lua")


STEPS = (
    ("grown at both ends", wishes(5, 30), "15 MSs added"),
    ("shrunk at both ends", wishes(12, 10), "20 MSs removed"),
    ("cut in the middle", wishes(12, 3) | wishes(18, 4), "3 MSs removed"),
    ("closed again", wishes(12, 10), "3 MSs added"),
    ("the middle to another cell", wishes(12, 10) | wishes(15, 4, PLAIN._replace(bvci=3)),
     "4 MSs changed"),
    ("to another NSE", wishes(12, 10) | wishes(14, 3, PLAIN._replace(nsei=102)), "5 MSs changed"),
    ("another N201-U", wishes(12, 10, PLAIN._replace(n201_u=1444)), "10 MSs changed"),
    ("a key", wishes(12, 10, PLAIN._replace(n201_u=1444, cipher=True)), "10 MSs changed"),
    ("a rate of its own", wishes(12, 10, PLAIN._replace(rate=8)), "10 MSs changed"),
    ("more contexts", wishes(12, 10, PLAIN._replace(contexts=CONTEXTS[3])), "10 MSs changed"),
    ("others, in another order", wishes(12, 10, PLAIN._replace(contexts=CONTEXTS[2])),
     "10 MSs changed"),
    ("none", wishes(12, 10, PLAIN._replace(contexts=())), "10 MSs changed"),
    ("without a TLLI: it stays", wishes(12, 10, PLAIN._replace(contexts=(), given=False)),
     "no changes"),
    ("more without a TLLI", wishes(0, 40, PLAIN._replace(given=False)),
     "10 MSs changed, 30 MSs added"),
    ("none at all", {}, "40 MSs removed"),
    ("and back", wishes(0, 40, PLAIN._replace(contexts=CONTEXTS[3])), "40 MSs added"),
)


@case("a range grown, shrunk, cut, moved and changed, step by step")
def ranges():
    world, model, file = started(wishes(10, 15) | wishes(900, 1, PLAIN._replace(
        contexts=CONTEXTS[3])))
    with world:
        for name, step, wanted in STEPS:
            file.wishes = step | {900: file.wishes[900]}
            answer = loaded(world, model, file)
            same(sorted(answer.split(", ")), sorted(wanted.split(", ")), name)


@case("N-PDUs that wait go with their MS: to another cell, another NSE, with another N201-U")
def queues_move():
    world, model, file = started(wishes(0, 8), cells={101: {2: 1, 3: 80}, 102: {2: 80}})
    with world:
        traffic = Traffic(world, model)
        for i in list(range(8)) * 20:
            traffic.down(i)
        world.run(10 * MS)
        right(len(traffic.seen()) < 80, "the slow cell sent it all before")
        file.wishes = wishes(0, 3, PLAIN._replace(bvci=3)) | \
            wishes(3, 3, PLAIN._replace(nsei=102)) | \
            wishes(6, 2, PLAIN._replace(n201_u=140, rate=4))
        loaded(world, model, file)
        file.cells = {101: {3: 80}, 102: {2: 80}}
        file.wishes = {i: wish._replace(bvci=3 if wish.nsei == 101 else 2)
                       for i, wish in file.wishes.items()}
        loaded(world, model, file)
        world.run(60 * S)
        traffic.check({i: model.mss[i] for i in range(8)})


@case("another N201-U holds from the next N-PDU on")
def segments():
    world, model, file = started(wishes(0, 1))
    with world:
        traffic, pdus = Traffic(world, model), []
        for n201_u in (500, 1444, 140):
            file.wishes = wishes(0, 1, PLAIN._replace(n201_u=n201_u))
            loaded(world, model, file)
            before = len(traffic.came)
            traffic.down(0, 1000)
            world.run(S)
            pdus.append(len(traffic.came) - before)
        same(pdus, [3, 1, 8], "DL-UNITDATAs of an N-PDU of 1000 octets")
        traffic.check()


@case("whoever keeps something of an MS is told before its id can be another's")
def told():
    world, model, file = started(wishes(0, 6))
    with world:
        world.lua("gone = {} require('sluice.subscribers.registry').watch('removed', function(id) "
                  "gone[#gone + 1] = id .. ':' .. (require('dp').ms_cell(id) or '-') end)")
        file.wishes = wishes(3, 1)
        loaded(world, model, file)
        same(world.lua("return table.concat(gone, ' ')"), "0:- 1:- 2:- 4:- 5:-",
             "MSs, and that they are nowhere any more")


@case("an MS that roamed stays there, until the file moves it or its cell goes")
def roamed():
    world, model, file = started(wishes(0, 3), cells={101: {2: 80, 3: 80, 4: 80}, 102: {2: 40}})
    with world:
        traffic = Traffic(world, model)
        for i in range(3):
            traffic.up(i, 3)
        world.run(S)
        model.check(picture(world))
        file.wishes[5] = PLAIN
        loaded(world, model, file)  # all three stay in cell 3
        file.wishes[1] = PLAIN._replace(bvci=4)
        loaded(world, model, file)  # one is moved
        del file.cells[101][3]
        loaded(world, model, file)  # the others go home
        same([model.mss[i].bvci for i in range(3)], [2, 4, 2], "cells")
        for i in range(3):
            traffic.down(i)
        world.run(10 * S)
        traffic.check({i: model.mss[i] for i in range(3)})


@case("an MS that is heard in a cell at the very instant at which it goes is sent home")
def heard_at_the_end():
    for moment in (0, 1, 2):
        world, model, file = started(wishes(0, 3), cells={101: {2: 80, 3: 80}, 102: {2: 40}})
        with world:
            traffic = Traffic(world, model)
            home = dict(model.mss)
            if moment == 0:
                traffic.up(0, 3)
                world.run(0)
            del file.cells[101][3]
            world.config.write_text(file.text())
            world.ask("ctl", "reload")
            if moment == 1:
                traffic.up(0, 3)  # arrives before anything of the reload has been carried out
            elif moment == 2:
                world.run(0)
                traffic.up(0, 3)  # when it is gone: a STATUS, for the BSS knows no better
            world.run(5 * S)
            model.mss = home
            model.check(picture(world))
            same(world.lua("local n = 0 for _ in next, require('sluice.core.network').bvc do "
                           "n = n + 1 end return n"), "2", "cells that are known")
            if moment == 2:
                traffic.sent_up.clear()
                traffic.bsss[101].expect("bssgp_status", cause=5, bvci=3)
            traffic.down(0)
            world.run(S)
            traffic.check({0: home[0]})


@case("many MSs on their way into a cell that goes: all are sent home, and the BSS is told")
def crowd():
    world, model, file = started(wishes(0, 400), cells={101: {2: 80, 3: 80}, 102: {2: 40}},
                                 sets=["gb.rx_frames=16384"])
    with world:
        traffic, home = Traffic(world, model), dict(model.mss)
        del file.cells[101][3]
        world.config.write_text(file.text())
        for i in range(8000):  # so many that some come when the cell is gone
            traffic.up(i % 400, 3)
        world.ask("ctl", "reload")
        world.run(5 * S)
        model.mss = home
        model.check(picture(world))
        same(world.ask("answer")[1][0], "yes", "whether it was done")
        came = len(world.npdus_up())
        right(0 < came < 8000, f"{came} of 8000 N-PDUs came while the cell was there")
        statuses = [r for r in traffic.bsss[101].inbox
                    if (r.pdu.sdu or r.pdu).name == "bssgp_status"]
        right(statuses, "no STATUS for what came when it was gone")


# ---- The network ---------------------------------------------------------------------------------


@case("NSEs, NS-VCs, cells and GGSNs come, change and go")
def network():
    world, model, file = started(wishes(0, 10))
    with world:
        file.cells[103], file.nsvcs[103] = {2: 80}, {103: ("198.51.100.4", 1)}
        file.nsvcs[101][1111] = ("198.51.100.12", 2)
        file.others = 3
        file.wishes |= wishes(20, 10, PLAIN._replace(nsei=103))
        same(loaded(world, model, file),
             "2 GGSNs added, 1 NSE added, 2 NS-VCs added, 1 cell added, 10 MSs added", "added")
        traffic = Traffic(world, model)
        for i in (0, 9, 20, 29):
            traffic.down(i)
        world.run(5 * S)
        traffic.check()
        file.nsvcs[101] = {1101: ("198.51.100.12", 3), 1111: ("198.51.100.2", 1)}
        answer = loaded(world, model, file)
        same(answer, "2 NS-VCs added, 2 NS-VCs removed", "endpoints that change hands")
        file.nsvcs[101][1101] = ("198.51.100.12", 9)
        same(loaded(world, model, file), "1 NS-VC changed", "a weight")
        file.cells[101][2] = 16
        same(loaded(world, model, file), "1 cell changed", "a rate by hand")
        same(world.reload(file.text().replace('"other1"', '"another"')), (True, "1 GGSN changed"), "a name")
        same(loaded(world, model, file), "1 GGSN changed", "the name of before")
        del file.cells[103], file.nsvcs[103]
        file.others, file.wishes = 1, wishes(0, 10)
        same(loaded(world, model, file),
             "2 GGSNs removed, 1 NSE removed, 1 NS-VC removed, 1 cell removed, 10 MSs removed",
             "removed")
        file.weight = 50
        same(loaded(world, model, file), "3 classes changed", "a weight of classes")


@case("a BSS that speaks: procedures bring up what a reload adds; what it removes is not known")
def speaks():
    def text(nsvcs, cells, more=""):
        return HEAD + f"""room {{ pfcs = 1, bvcs = 20 }}
nse {{ nsei = 101, {more} {", ".join(nsvc(number, PEERS[101][number - 101]) for number in nsvcs)},
    {", ".join(f"bvc {{ bvci = {bvci}, {mss} }}" for bvci, mss in cells.items())} }}"""
    one = ms("001010000000001", 0xC0000001)
    with World(text([101], {2: one})) as world:
        bss = Bss(world, 101, [(101, PEERS[101][0]), (102, PEERS[101][1])], {2: 80000})
        bss.start(bss.nsvcs[0])
        world.run(5 * S)
        bss.cells[3] = Cell(3, 80000)
        same(world.reload(text([101, 102], {2: one, 3: ""})),
             (True, "1 NS-VC added, 1 cell added"), "added")
        bss.start(bss.nsvcs[1])
        bss.reset_bvc(3)
        world.run(S)
        right(bss.is_up(), f"what was added is not up\n{world.log()}")
        same(world.reload(text([102], {3: one})),
             (True, "1 NS-VC removed, 1 cell removed, 1 MS changed"), "removed")
        bss.expect("bssgp_flush_ll", within=S)
        world.down(world.teid(0xC0000001), npdu("10.0.0.1"))
        world.run(S)
        same([(r.pdu.bvci, r.nsvc.nsvci) for r in bss.dl], [(3, 102)], "where it goes")
        bss.send(0, "bssgp_bvc_reset", bvci=2, cause=8, cell=bss.cells[2].ci, nsvc=bss.nsvcs[1])
        bss.expect("bssgp_status", cause=5, bvci=2)
        same(world.reload(text([102], {3: one}, 'cells = "any",')), (True, "1 NSE changed"), "any")
        bss.send(0, "bssgp_bvc_reset", bvci=2, cause=8, cell=bss.cells[2].ci, nsvc=bss.nsvcs[1])
        bss.expect("bssgp_bvc_reset_ack", bvci=2, within=S)
        same(world.reload(text([102], {2: "", 3: one}, 'cells = "any",')), (True, "1 cell changed"),
             "the BSS's cell is the file's now")
        same(world.reload(text([102], {3: one})), (True, "1 NSE changed, 1 cell removed"), "listed")


@case("the rate by hand of a cell, of an MS and of a context is in force at once, and as soon gone")
def rates_by_hand():
    slow, fast = 'rate = "8 kbit/s"', 'rate = "800 kbit/s"'
    for place, before, after in (
            ('bvci = 2, rate = "8000 kbit/s"', f"bvci = 2, {slow}", f"bvci = 2, {fast}"),
            ('octets"', f'octets", {slow}', f'octets", {fast}'),
            ('octets"', f'octets", {slow}', 'octets"'),
            ("nsapi = 5", f"nsapi = 5, {slow}", f"nsapi = 5, {fast}"),
            ("nsapi = 5", f"nsapi = 5, {slow}", "nsapi = 5")):
        world, model, file = started(wishes(0, 1), cells={101: {2: 8000}, 102: {2: 8}})
        with world:
            text, came = file.text(), []
            same(text.count(place), 1, place)
            traffic = Traffic(world, model)
            for step in before, after:
                right(world.reload(text.replace(place, step))[0], world.log())
                for _ in range(40 if step == before else 0):
                    traffic.down(0, 500)
                world.run(S)
                came.append(len(traffic.seen()))
            right(came[0] < 10 and came[1] == 40, f"{before}, {after}: {came} N-PDUs")


@case("an NSE that its BSS has filled makes place for an NS-VC of the file")
def full():
    def text(mine, rate=""):
        return HEAD + f"""room {{ nsvcs = 40 }}
nse {{ nsei = 101, dynamic = true, {mine} bvc {{ bvci = 2 }} }}
nse {{ nsei = 102, {rate} {nsvc(60, PEERS[102][0])}, bvc {{ bvci = 2 }} }}"""
    with World(text("")) as world:
        for i in range(16):
            Bss(world, 101, [(1000 + i, f"198.51.100.{100 + i}")], {}).start()
        world.run(3 * S)
        count = "return #require('sluice.core.network').nse_of_nsei[101].nsvcs"
        same(world.lua(count), "16", "NS-VCs that the BSS brought")
        same(world.reload(text(nsvc(7, "198.51.100.7") + ",", 'rate = "64 kbit/s",'), 10 * S),
             (True, "1 NSE changed, 1 NS-VC added, 1 NS-VC removed"), "a reload")
        same(world.lua(count), "16", "NS-VCs")
        same(world.reload(text(nsvc(7, "198.51.100.7") + ", " + nsvc(8, "198.51.100.8") + ",",
                               'rate = "64 kbit/s",'), 10 * S),
             (True, "1 NS-VC added, 1 NS-VC removed"), "another reload")
        same(world.lua("local found = {} for _, nsvc in ipairs(require('sluice.core.network').nse_of_nsei[101].nsvcs) do "
                       "found[#found + 1] = nsvc.cfg and nsvc.nsvci end return table.concat(found, ' ')"), "7 8",
             "the NS-VCs of the file, though neither is alive")


@case("contexts pass from MSs to MSs of a reload, either way, though no place is free")
def contexts_pass():
    def mss(first, n, net):
        pdps = ", ".join(f'pdp {{ nsapi = {5 + k}, class = "background", '
                         f'address = "10.{net}.{k}.1" }}' for k in range(n))
        return f'ms {{ imsi = "00101000000{first}", count = 10, {pdps} }}'

    def text(one, two):
        return HEAD + f"""room {{ mss = 20, pdps = 30 }}
nse {{ nsei = 101, ns = "manual", {nsvc(1, PEERS[101][0])},
    bvc {{ bvci = 2, {mss(1001, one, 0)}, {mss(2001, two, 1)} }} }}"""
    with World(text(1, 2)) as world:
        for one, two in (2, 1), (1, 2):
            same(world.reload(text(one, two), 10 * S), (True, "20 MSs changed"), f"{one}, {two}")


@case("the BSS of an NSE that a reload removes makes no cell there any more")
def closed():
    def text(more):
        return HEAD + f"""room {{ nsvcs = 40, bvcs = 40 }}
nse {{ nsei = 101, ns = "manual", {nsvc(1, PEERS[101][0])},
    bvc {{ bvci = 2, {ms("001010000000001", 0xC0000001, count=200)} }} }}
{more}"""
    with World(text(f'nse {{ nsei = 102, cells = "any", {nsvc(2, PEERS[102][0])}, '
                    "bvc { bvci = 2 } }")) as world:
        # What its BSS would have to ask for, when the first MSs have been looked at.
        world.lua("local jobs = require('sluice.core.jobs') "
                  "local breathe = jobs.breathe jobs.breathe = function() jobs.breathe = breathe "
                  "said = require('sluice.core.network').nse_of_nsei[102].cfg.cells return breathe() end")
        same(world.reload(text(""), 10 * S),
             (True, "1 NSE removed, 1 NS-VC removed, 1 cell removed"), "removed")
        same(world.lua("return said"), "listed", "its cells meanwhile")


@case("an MS is to be paged while a reload removes it: whoever has its id then is paged as well")
def paged():
    def text(mss):
        return HEAD.replace("gb { device", 'gb { ready = "10 s", device') + f"""
room {{ mss = 300, pdps = 300 }}
nse {{ nsei = 101, {nsvc(1, PEERS[101][0])}, bvc {{ bvci = 2, {mss} }} }}"""
    with World(text(ms("001010000000001", 0xC0000001, count=200))) as world:
        bss = Bss(world, 101, [(1, PEERS[101][0])], {2: 800000})
        bss.up()
        world.run(12 * S)
        # What a worker said of MS 5 before it had the command comes when 64 MSs are gone.
        world.lua("local jobs, page = require('sluice.core.jobs'), require('sluice.ms.paging').wanted "
                  "local breathe = jobs.breathe jobs.breathe = function() jobs.breathe = breathe "
                  "_, said = pcall(page, 5) return breathe() end")
        right(world.reload(text(""), 10 * S)[0], world.log())
        other = ms("001090000000001", 0xC0100001, count=300)
        right(world.reload(text(other), 10 * S)[0], world.log())
        world.run(12 * S)
        for i in range(4, 7):
            bss.inbox.clear()
            world.down(world.teid(0xC0100001 + i), npdu(f"10.0.0.{i + 1}"))
            world.run(30 * S)
            right(any(r.pdu.sdu and r.pdu.sdu.name == "bssgp_paging_ps" for r in bss.inbox),
                  f"MS {i} is not paged")
        same(world.lua("return said"), "ignored", "the outcome of what came too late")


main()
