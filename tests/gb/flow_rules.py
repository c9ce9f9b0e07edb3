#!/usr/bin/python3
"""Whose values hold, and until when (48.018 8.2.3.5, clause 12): the defaults of the latest
FLOW-CONTROL-BVC; an MS's own until Th, a BVC-RESET or another cell; what is conditional on a
feature; MSs that nobody knows; the user's policy."""

from flow_world import (BSS, CBL, FC_BVC, FC_MS, FC_PFC, FLOWS, GIGABIT, IMSI, LLC_OCTETS,
                        MISSING_CONDITIONAL, NSEI, OPEN, PFC, PFC_FC, TLLI, UNEXPECTED_CONDITIONAL,
                        UNKNOWN_MS, FlowBss, Load, OCTETS, begin, clean, config, exact, refused,
                        say, taken)
from harness import case, main, new_folder, right, same
from world import MS, S, World, as_offered, npdu

TH = "timers { th = \"6 s\" }"
DEFAULTS = {"bmax_default": 10, "r_default": 800}
OWN = {"tlli": TLLI, "ms_bmax": 10, "r": 200}
PFI8 = [{"pfi": 8, "bmax": 10, "r": 100}]


@case("MSs without values of their own have the defaults of the latest FLOW-CONTROL-BVC, at once")
def defaults():
    with World(config()) as world:
        bss = begin(world)
        say(bss, FC_MS, 2, **OWN)
        Load(world, (TLLI, TLLI + 1), 30 * MS)
        for r_default in 800, 400, 900:
            begun_ns = world.now_ns
            say(bss, FC_BVC, 2, bmax_default=10, r_default=r_default)
            world.run(60 * S)
            exact(taken(bss, begun_ns + S, tlli=TLLI + 1), r_default * 100, "on the defaults")
        exact(taken(bss, S, tlli=TLLI), 20000, "on its own")
        clean(bss)


@case("an MS's own values hold for Th behind the last of them, and not 2 s longer")
def th():
    with World(config(TH, mss=3)) as world:
        bss = begin(world)
        say(bss, FC_BVC, 2, **DEFAULTS)
        Load(world, (TLLI,), 40 * MS)
        world.run(10 * S)
        for again_ns in 4 * S, 5999 * MS, 1, 3 * S:
            say(bss, FC_MS, 2, **OWN)
            last_ns = world.now_ns
            world.run(again_ns)
        world.run_until(last_ns + 12 * S)
        slow = [t for t, _ in taken(bss, 10 * S, tlli=TLLI) if t < last_ns + 6 * S]
        gaps = [after - before for before, after in zip(slow[3:], slow[4:])]
        same({gap // MS for gap in gaps}, {LLC_OCTETS * 8 * 1000 // 20000}, "ms from PDU to PDU")
        later = [t for t, _ in taken(bss, last_ns + 8 * S, tlli=TLLI)]
        gaps = {(b - a) // MS for a, b in zip(later, later[1:])}
        same(gaps, {LLC_OCTETS * 8 * 1000 // 80000}, "ms from PDU to PDU on the defaults")


@case("Th of many MSs, each at its own instant: not a ns less, not 2 s more, and the next time too")
def th_of_many():
    with World(config(TH, mss=40)) as world:
        bss = begin(world)
        say(bss, FC_BVC, 2, bmax_default=10, r_default=65535)
        for _ in range(2):
            begun = {}
            for i in range(40):
                tlli = TLLI + i
                world.run(137 * MS)
                say(bss, FC_MS, 2, tlli=tlli, ms_bmax=10, r=0)
                begun[tlli] = world.now_ns
                world.down(world.teid(tlli), npdu("10.0.0.1", 400))
            world.run(10 * S)
            for tlli, then_ns in begun.items():
                (came_ns, _), = taken(bss, begun[TLLI], tlli=tlli)
                right(6 * S <= came_ns - then_ns <= 8 * S, f"{tlli:#x}: {came_ns - then_ns} ns")


@case("an MS that a reload puts in the place of one with values of its own: BVC-RESET ends its own")
def successor():
    with World(config(TH, mss=1)) as world:
        bss = begin(world)
        say(bss, FC_MS, 2, **OWN)
        new = config(TH, mss=1).replace(IMSI, "001010000000777")
        same(world.reload(new), (True, "1 MS added, 1 MS removed"), "reload")
        say(bss, FC_MS, 2, **OWN | {"r": 0})
        world.down(world.teid(TLLI), npdu("10.0.0.1", 400))
        world.run(S)
        same(taken(bss, 0), [], "PDUs at R = 0")
        bss.reset_bvc(2)
        world.run(S)
        same(len(taken(bss, 0, tlli=TLLI)), 1, "PDUs on the defaults")
        world.run(10 * S)
        clean(bss)


@case("BVC-RESET: nothing until FLOW-CONTROL-BVC, then its defaults for all, and no packet flow's")
def bvc_reset():
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC)
        say(bss, FC_MS, 2, **OWN)
        say(bss, FC_PFC, 2, tlli=TLLI + 1, flows=PFI8)
        Load(world, (TLLI, TLLI + 1), 20 * MS, nsapi=6)
        world.run(50 * S)
        exact(taken(bss, 8 * S, tlli=TLLI), 20000, "the MS, on its own")
        right(len(taken(bss, 8 * S, tlli=TLLI + 1)) < 150, "the packet flow, on its own")
        bss.follow = False
        bss.reset_bvc(2)
        reset_ns, before = world.now_ns, len(bss.dl)
        world.run(20 * S)
        same(len(bss.dl), before, "PDUs before FLOW-CONTROL-BVC")
        say(bss, FC_BVC, 2, **DEFAULTS)
        world.run(25 * S)
        for tlli in TLLI, TLLI + 1:
            exact(taken(bss, reset_ns + 21 * S, tlli=tlli), 80000, "on the defaults")
        clean(bss)


@case("another cell: its defaults, and nothing of the old one, even if that came in the same burst")
def moved():
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC)
        say(bss, FC_BVC, 3, bmax_default=10, r_default=400)
        say(bss, FC_MS, 2, **OWN)
        say(bss, FC_PFC, 2, tlli=TLLI, flows=PFI8)
        Load(world, (TLLI,), 40 * MS, nsapi=6)
        world.run(20 * S)
        # all before control is asked again
        bss.send(2, FC_MS, **OWN, tag=200)
        bss.uplink(3, TLLI, npdu("203.0.113.9", 60, source="10.0.0.1"))
        bss.send(2, FC_MS, **OWN | {"r": 100}, tag=201)
        bss.send(2, FC_PFC, tlli=TLLI, flows=PFI8, tag=202)
        moved_ns = world.now_ns
        world.run(60 * S)
        exact(taken(bss, moved_ns + S, tlli=TLLI, bvci=3), 40000, "in the new cell")
        bss.uplink(2, TLLI, npdu("203.0.113.9", 60, source="10.0.0.1"))
        bss.send(2, FC_MS, **OWN | {"r": 700}, tag=203)
        bss.expect(FC_MS + "_ack", at=world.now_ns, tag=203)
        back_ns = world.now_ns
        world.run(30 * S)
        exact(taken(bss, back_ns + S, tlli=TLLI, bvci=2), 70000, "its own, with the way back")
        bss.uplink(3, TLLI, npdu("203.0.113.9", 60, source="10.0.0.1"))
        world.run(0)
        refused(bss, FC_MS, 2, UNKNOWN_MS, **OWN)
        say(bss, FC_MS, 3, tlli=TLLI, ms_bmax=10, r=600)
        world.run(40 * S)
        exact(taken(bss, moved_ns + 92 * S, tlli=TLLI, bvci=3), 60000, "its own in the new cell")
        clean(bss)


@case("another cell: a packet flow that the BSS had limited goes back to its rate of the file")
def moved_to_the_file():
    flows = FLOWS.replace("pfi = 8", 'pfi = 8, rate = "40 kbit/s", bucket = "1000 octets"')
    with World(config(flows=flows)) as world:
        bss = begin(world, PFC | PFC_FC)
        say(bss, FC_PFC, 2, tlli=TLLI, flows=PFI8)
        Load(world, (TLLI,), 40 * MS, nsapi=6)
        world.run(20 * S)
        right(len(taken(bss, 0)) < 100, "the packet flow, on its own")
        bss.uplink(3, TLLI, npdu("203.0.113.9", 60, source="10.0.0.1"))
        moved_ns = world.now_ns
        world.run(40 * S)
        exact(taken(bss, moved_ns + S, tlli=TLLI, bvci=3), 40000, "the file's")
        clean(bss)


@case("the ratio is how full the bucket is from then on, whatever we thought (CBL)")
def ratio():
    with World(as_offered(config())) as world:
        bss = begin(world, CBL)
        teid = world.teid(TLLI)
        for name, bmax in (FC_BVC, "bmax"), (FC_MS, "ms_bmax"):
            values = {bmax: 41, "r": 80} | ({"tlli": TLLI} if name == FC_MS else {})
            for full in 0, 45, 100, 150, 255:
                world.run(60 * S)
                begun_ns = world.now_ns
                say(bss, name, 2, full=full, **values)
                world.down(teid, npdu("10.0.0.1", 400))
                world.run(20 * S)
                (came_ns, octets), = taken(bss, begun_ns, tlli=TLLI)
                over = 4100 * full // 100 + octets - 4100
                same(came_ns - begun_ns, max(over, 0) * S // 1000, f"{name}, {full} %: ns waited")
            say(bss, name, 2, full=0, **values | {bmax: 65535, "r": 65535})
        clean(bss)


LOW = {FC_BVC: {key: 1 for key in OPEN}, FC_MS: {"tlli": TLLI, "ms_bmax": 1, "r": 1},
       FC_PFC: {"tlli": TLLI, "flows": [{"pfi": 8, "bmax": 1, "r": 1}]}}
WITH = {"full": 0}
FLOWS_WITH = {"flows": [{"pfi": 8, "bmax": 1, "r": 1, "full": 0}]}
MS_PART = {"ms_bmax": 1, "r": 1}


def wrong(bss, cause, *pdus):
    """Each refused, and nothing of it in force: 30 PDUs go at once."""
    for name, more in pdus:
        refused(bss, name, 2, cause, **LOW[name] | more)
    world = bss.world
    for _ in range(30):
        world.down(world.teid(TLLI, 6), npdu("10.0.0.1", 400))
    before = len(bss.dl)
    world.run(0)
    same(len(bss.dl) - before, 30, "PDUs at the values before")
    world.run(S)


@case("ratio and granularity: missing or unexpected, STATUS with the cause, and the values stay")
def conditions():
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC)
        wrong(bss, UNEXPECTED_CONDITIONAL, (FC_MS, WITH), (FC_PFC, FLOWS_WITH),
              (FC_PFC, MS_PART | WITH), (FC_PFC, WITH))
        wrong(bss, UNEXPECTED_CONDITIONAL, *((name, {"granularity": 0}) for name in LOW))
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC | CBL)
        wrong(bss, MISSING_CONDITIONAL, (FC_MS, {}), (FC_PFC, {}),
              (FC_PFC, FLOWS_WITH | MS_PART), (FC_PFC, MS_PART | WITH))
        wrong(bss, UNEXPECTED_CONDITIONAL, (FC_BVC, WITH | {"granularity": 1}),
              (FC_MS, WITH | {"granularity": 1}), (FC_PFC, FLOWS_WITH | {"granularity": 1}),
              (FC_PFC, FLOWS_WITH | WITH))
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC | CBL, GIGABIT)
        wrong(bss, MISSING_CONDITIONAL, *((name, {"granularity": 1}) for name in LOW if name != FC_BVC))
        for name in "FLOW-CONTROL-MS", "FLOW-CONTROL-PFC":
            line = f"STATUS, missing conditional, to {name}"
            right(any(found.endswith(line) for found in world.log_lines("STATUS")), f"no {line}")


@case("a cell's ratio, missing or unexpected: STATUS and a line once from reset to reset, the other values hold")
def cell_without_ratio():
    for features, cause, more, said in (
            (0, UNEXPECTED_CONDITIONAL, {"full": 100}, "with a bucket full ratio, though CBL was not agreed"),
            (CBL, MISSING_CONDITIONAL, {}, "without a bucket full ratio, though both sides have CBL")):
        with World(config()) as world:
            bss = begin(world, features)
            Load(world, (TLLI,), 20 * MS)
            bss.follow = False

            def lines():
                return len(world.log_lines(f"BVCI 2: FLOW-CONTROL-BVC {said}; its values are taken"))
            for _ in range(2):
                world.run(11 * S)  # between two such lines are 10 s
                bss.reset_bvc(2)
                bss.inbox.clear()
                before = lines()
                for number, r in enumerate((400, 800, 600)):
                    begun_ns = world.now_ns
                    bss.send(2, FC_BVC, tag=r % 256, **OPEN | {"bmax": 10, "r": r} | more)
                    bss.expect("bssgp_flow_control_bvc_ack", at=world.now_ns, on=2, tag=r % 256)
                    if number == 0:
                        bss.expect("bssgp_status", cause=cause)
                    bss.none("bssgp_status")
                    world.run(40 * S)
                    exact(taken(bss, begun_ns + 10 * S, bvci=2), r * 100, f"R {r}")
                same(lines() - before, 1, f"lines\n{world.log()}")


@case("granularity: 100, 1000, 10 000, 100 000 octets and bit/s (Gigabit)")
def granularity():
    with World(config()) as world:
        bss = begin(world, extended=GIGABIT)
        Load(world, (TLLI,), 20 * MS)
        for unit, r in (0, 800), (1, 80), (2, 8), (1, 60):
            begun_ns = world.now_ns
            say(bss, FC_BVC, 2, granularity=unit, bmax=1 if unit else 10, r=r,
                bmax_default=65535, r_default=65535)
            world.run(60 * S)
            exact(taken(bss, begun_ns + 20 * S, bvci=2), r * 100 * 10**unit, f"unit {unit}")
        say(bss, FC_BVC, 2, granularity=3, **OPEN)
        world.run(S)  # what had waited comes at once, and leaks
        begun_ns = world.now_ns
        say(bss, FC_MS, 2, granularity=3, tlli=TLLI, ms_bmax=1, r=1)
        world.run(60 * S)
        exact(taken(bss, begun_ns + 20 * S, tlli=TLLI), 100000, "unit 3")
        clean(bss)


@case("a FLOW-CONTROL-MS or -PFC of an MS that nobody knows there: status, ack or discard")
def unknown_ms():
    for word in "status", "ack", "discard":
        with World(config(nse=f'unknown_ms = "{word}",')) as world:
            bss = begin(world, PFC | PFC_FC)
            for bvci, tlli in (2, 0xC0FFEE00), (3, TLLI), (2, TLLI + 2):
                for name, values in (FC_MS, {"ms_bmax": 1, "r": 1}), (FC_PFC, {"flows": PFI8}):
                    if word == "status":
                        refused(bss, name, bvci, UNKNOWN_MS, tlli=tlli, **values)
                    elif word == "ack":
                        say(bss, name, bvci, tlli=tlli, **values)
                    else:
                        bss.send(bvci, name, tlli=tlli, tag=9, **values)
                        bss.none(name + "_ack", S)
                        bss.none("bssgp_status")
            teid = world.teid(TLLI)
            for _ in range(20):
                world.down(teid, npdu("10.0.0.1", 400))
            world.run(0)
            same(len(bss.dl), 20, "PDUs that come at once, for no value is in force")


POLICY = """
function flow_control(event)
    if event.level == "ms" then
        return { rate_bit_per_s = event.rate_bit_per_s // 2, bucket_octets = 1000 }
    elseif event.level == "bvc" and event.rate_bit_per_s == 66600 then
        error("on purpose")
    end
end
"""


@case("the user's policy takes less of what is offered; its faults cost nothing")
def policy():
    script = new_folder() / "half.lua"
    script.write_text(POLICY)
    with World(config(f'policy {{ script = "{script}" }}')) as world:
        bss = begin(world)
        Load(world, (TLLI,), 20 * MS)
        say(bss, FC_MS, 2, tlli=TLLI, ms_bmax=20, r=1000)
        world.run(40 * S)
        exact(taken(bss, 8 * S, tlli=TLLI), 50000, "half of the rate offered")
        say(bss, FC_BVC, 2, bmax=20, r=400)
        world.run(50 * S)
        exact(taken(bss, 58 * S, tlli=TLLI), 40000, "the cell's, as offered")
        begun_ns = world.now_ns
        say(bss, FC_BVC, 2, bmax=20, r=666)
        world.run(50 * S)
        exact(taken(bss, begun_ns + 8 * S, tlli=TLLI), 50000, "the MS's, for the cell's are more")
        same(world.counts()["what"]["hook_faults"], 1, "faults of the hook")
        clean(bss)


HALF = """
function flow_control(event)
    return { bucket_octets = event.bucket_octets // 2 }
end
"""


@case("the ratio is that of the bucket offered, though the user's policy takes half of that (CBL)")
def ratio_of_what_is_offered():
    script = new_folder() / "half.lua"
    script.write_text(HALF)
    with World(as_offered(config(f'policy {{ script = "{script}" }}'))) as world:
        bss = begin(world, CBL)
        for name, bmax in (FC_BVC, "bmax"), (FC_MS, "ms_bmax"):
            values = {bmax: 82, "r": 80} | ({"tlli": TLLI} if name == FC_MS else {})
            for full in 0, 48, 50:  # of 8200 octets, of which 4100 are taken
                world.run(60 * S)
                begun_ns = world.now_ns
                say(bss, name, 2, full=full, **values)
                world.down(world.teid(TLLI), npdu("10.0.0.1", OCTETS))
                world.run(20 * S)
                (came_ns, octets), = taken(bss, begun_ns, tlli=TLLI)
                of_ours = -(-full * 8200 // 4100)  # rounded up, as it is to be said in whole percent
                over = 4100 * of_ours // 100 + octets - 4100
                same(came_ns - begun_ns, max(over, 0) * S // 1000, f"{name}, {full} %: ns waited")
            say(bss, name, 2, full=0, **values | {bmax: 65535, "r": 65535})
        clean(bss)


TINY = """
function flow_control(event)
    if event.level == "LEVEL" then
        return { rate_bit_per_s = event.rate_bit_per_s // 1000 }
    end
end
"""


@case("the least that is not nothing is 100 bit/s, for the policy and for two classes on one PFI")
def least():
    for level, name in ("bvc", FC_BVC), ("ms", FC_MS):
        script = new_folder() / "tiny.lua"
        script.write_text(TINY.replace("LEVEL", level))
        with World(config(f'policy {{ script = "{script}" }}')) as world:
            bss = begin(world)
            say(bss, name, 2, r=80, **{"bmax": 5} if level == "bvc" else
                {"ms_bmax": 5, "tlli": TLLI})
            one_every_33_s(world, bss)
    two = FLOWS.replace("pfi = 9", "pfi = 8")
    with World(config(flows=two)) as world:
        bss = begin(world, PFC | PFC_FC)
        say(bss, FC_PFC, 2, tlli=TLLI, flows=[{"pfi": 8, "bmax": 10, "r": 1}])
        one_every_33_s(world, bss, 6, 7)
        say(bss, FC_PFC, 2, tlli=TLLI, flows=[{"pfi": 8, "bmax": 10, "r": 0}])
        bss.dl.clear()
        world.run(200 * S)
        same(taken(bss, 0), [], "PDUs at R = 0")


def one_every_33_s(world, bss, *nsapis):
    for nsapi in nsapis or (5,):
        for _ in range(20):
            world.down(world.teid(TLLI, nsapi), npdu("10.0.0.1", OCTETS))
    world.run(300 * S)
    times = [time_ns for time_ns, _ in taken(bss, 0)]
    right(len(times) > 6, f"only {len(times)} PDUs come")
    same({after - before for before, after in zip(times[2:], times[3:])},
         {LLC_OCTETS * 8 * S // 100}, "ns from PDU to PDU")


@case("a reload to flow_control = \"open\" opens a cell that waits, and none that has been told")
def open_by_reload():
    with World(config()) as world:
        bss = FlowBss(world, NSEI, [(1, BSS)], {2: 80000, 3: 80000})
        bss.flow = lambda *_, **__: None
        bss.start()
        world.run(5 * S)
        bss.waiting.clear()
        FlowBss.flow(bss, 3, **DEFAULTS | {"bmax": 5, "r": 1})
        for tlli in TLLI, TLLI + 2:
            for _ in range(4):
                world.down(world.teid(tlli), npdu("10.0.0.1", OCTETS))
        world.run(S)
        same([len(taken(bss, 0, bvci=bvci)) for bvci in (2, 3)], [0, 1], "PDUs to each cell")
        same(world.reload(config(nse='flow_control = "open",')), (True, "1 NSE changed"), "answer")
        world.run(S)
        same([len(taken(bss, 0, bvci=bvci)) for bvci in (2, 3)], [4, 1], "PDUs to each cell")


@case("ns = \"manual\": the file's values from the start, then those that the BSS says")
def manual():
    text = config(nse='ns = "manual",').replace(
        "bvci = 2,", 'bvci = 2, rate = "80 kbit/s", bucket = "1000 octets",')
    with World(text) as world:
        bss = FlowBss(world, NSEI, [(1, BSS)], {2: 80000, 3: 80000})
        bss.nsvcs[0].blocked, bss.tags = False, 0
        Load(world, (TLLI, TLLI + 1), 30 * MS)
        world.run(30 * S)
        exact(taken(bss, S, bvci=2), 80000, "the file's")
        say(bss, FC_BVC, 2, bmax=10, r=400)
        world.run(60 * S)
        exact(taken(bss, 38 * S, bvci=2), 40000, "the BSS's")


main()
