#!/usr/bin/python3
"""Flow control under load (48.018 clause 8.2.3): the BSS changes R and Bmax of cells, MSs and
packet flows. Each change is acknowledged at its instant, with its tag; a replay of all that passed
finds no PDU too early, before or behind an acknowledgement, nor a rate other than R."""

import random

from flow_world import (BSS, CBL, CONDITIONAL_ERROR, FC_BVC, FC_MS, FC_PFC, FLOWS, GIGABIT,
                        LLC_OCTETS, NOT_IN_FEATURES, OPEN, PFC, PFC_FC, TLLI, Load, begin, clean,
                        config, exact, is_about, refused, say, taken, tight)
from harness import case, main, right, same
from world import MS, S, World, nsvc

STEPS = (10, 800), (50, 400), (9, 1600), (300, 900)  # Bmax of two PDUs at least


def changing(name, what, bvci=2, **values):
    """Each of STEPS for as long as 0.5 % wants, under load; `what` finds its PDUs."""
    def run(bss):
        for bmax, r in STEPS:
            key = {FC_BVC: "bmax", FC_MS: "ms_bmax"}[name]
            begun_ns = bss.world.now_ns
            say(bss, name, bvci, **values | {key: bmax, "r": r})
            first_ns = begun_ns + 8 * S  # the bucket has filled, or what was in it leaked
            bss.world.run(first_ns - begun_ns + 210 * 8 * LLC_OCTETS * S // (r * 100))
            exact(taken(bss, first_ns, **what), r * 100, f"{name}, R {r * 100}")
        tight(bss, name)
    return run


@case("a cell's R and Bmax change under load: exact rates, no PDU too early, ACKs with their tags")
def cells():
    with World(config()) as world:
        bss = begin(world)
        Load(world, (TLLI, TLLI + 1, TLLI + 2), 30 * MS)
        rest = {key: OPEN[key] for key in ("bmax_default", "r_default")}
        changing(FC_BVC, {"bvci": 2}, **rest)(bss)


@case("an MS's R and Bmax change under load; its sibling in the cell goes on as before")
def mss():
    with World(config()) as world:
        bss = begin(world)
        say(bss, FC_BVC, 2, bmax_default=20, r_default=600)
        Load(world, (TLLI, TLLI + 1), 15 * MS)
        changing(FC_MS, {"tlli": TLLI}, tlli=TLLI)(bss)
        exact(taken(bss, 8 * S, tlli=TLLI + 1), 60000, "the sibling, on the defaults")


@case("packet flows' R and Bmax change under load, three in a PDU; what they leave is the MS's")
def packet_flows():
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC)
        for nsapi in 5, 6, 7, 8:
            Load(world, (TLLI,), 25 * MS, nsapi=nsapi)
        say(bss, FC_PFC, 2, tlli=TLLI, ms_bmax=100, r=3000, flows=[])
        for rates in (800, 400, 1000), (400, 1200, 500):
            begun_ns = world.now_ns
            say(bss, FC_PFC, 2, tlli=TLLI, flows=[
                {"pfi": pfi, "bmax": 10 + pfi, "r": r} for pfi, r in zip((8, 9, 10), rates)])
            world.run(30 * S)
            for pfi, r in zip((8, 9, 10), rates):
                exact(taken(bss, begun_ns + 8 * S, pfi=pfi), r * 100, f"PFI {pfi}")
            left = [pdu for pdu in taken(bss, begun_ns + 8 * S, tlli=TLLI)]
            exact(left, 300000, "the MS in all")
        tight(bss, FC_PFC)


def with_drain(text):
    return text.replace("gb {", 'gb { drain = "4 %",')


MEASURED = 'cell_rate = "as measured",'


@case("gb.drain: so much less than R by each bucket, but for one of which the BSS says how full it is, or that little waits")
def drained():
    for nse, cbl, said, parts in (("", 0, {}, (96, 96, 96, 96)), (MEASURED, 0, {}, (96, 96, 96, 96)),
                                  (MEASURED, 0, {"measurement": 80}, (100, 100, 100, 100)),
                                  ("", 0, {"measurement": 60}, (100, 100, 100, 100)),
                                  ("", 0, {"measurement": 80}, (96, 96, 96, 96)),
                                  ("", CBL, {"full": 0}, (100, 96, 100, 100))):
        full = {"full": 0} if cbl else {}
        with World(with_drain(config(nse=nse, flows=FLOWS))) as world:
            bss = begin(world, PFC | PFC_FC | cbl)
            for nsapi in 5, 8:
                Load(world, (TLLI, TLLI + 1), 25 * MS, nsapi=nsapi)
            for percent, name, r, whose, values in zip(
                    parts, (FC_BVC, FC_BVC, FC_MS, FC_PFC), (1000, 600, 500, 400),
                    ({"bvci": 2}, {"tlli": TLLI}, {"tlli": TLLI}, {"tlli": TLLI + 1, "pfi": 10}),
                    ({"bmax": 100, "r": 1000, "bmax_default": 100, "r_default": 3000} | said,
                     {"bmax": 100, "r": 3000, "bmax_default": 20, "r_default": 600} | said,
                     {"tlli": TLLI, "ms_bmax": 100, "r": 500} | full,
                     {"tlli": TLLI + 1, "flows": [{"pfi": 10, "bmax": 20, "r": 400} | full]})):
                begun_ns = world.now_ns
                say(bss, name, 2, **values)
                world.run(60 * S)
                exact(taken(bss, begun_ns + 8 * S, **whose), r * percent, f"{name}, {r}, {nse}{said}")
                bss.flow(2, **said)


@case("values of an MS and of a packet flow before any of their cell's, which is reset")
def before_the_cell():
    for flow_control in "wait", "open":
        with World(config(nse=f'flow_control = "{flow_control}",', flows=FLOWS)) as world:
            bss = begin(world, PFC | PFC_FC)
            bss.flow = lambda *_, **__: None  # the cell's, of its own accord
            bss.reset_bvc(2)
            world.run(S)
            say(bss, FC_MS, 2, tlli=TLLI, ms_bmax=100, r=500)
            say(bss, FC_PFC, 2, tlli=TLLI, flows=[{"pfi": 8, "bmax": 100, "r": 400}])


@case("a packet flow with contexts of two classes has one bucket: R is exact, neither class starves")
def two_classes():
    with World(config(flows=FLOWS.replace("pfi = 9", "pfi = 8"))) as world:
        bss = begin(world, PFC | PFC_FC)
        Load(world, (TLLI,), 25 * MS, nsapi=6)
        Load(world, (TLLI,), 15 * MS, nsapi=7, octets=100)
        for bmax, r in (16, 800), (5, 300), (16, 1200):
            begun_ns = world.now_ns
            say(bss, FC_PFC, 2, tlli=TLLI, flows=[{"pfi": 8, "bmax": bmax, "r": r}])
            world.run(40 * S)
            both = taken(bss, begun_ns + 8 * S, pfi=8)
            exact(both, r * 100, "PFI 8")
            background = sum(octets for _, octets in both if octets == LLC_OCTETS)
            right(background, "the background gets nothing")
        tight(bss, FC_PFC)


@case("eleven packet flows in a PDU, most of which nobody has: one acknowledgement")
def eleven():
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC)
        say(bss, FC_PFC, 2, tlli=TLLI, flows=[
            {"pfi": pfi, "bmax": 10, "r": 800} for pfi in range(10, 21)])
        Load(world, (TLLI,), 25 * MS, nsapi=8)
        world.run(30 * S)
        exact(taken(bss, 8 * S, pfi=10), 80000, "PFI 10")


def change_at_random(rng, bss):
    """One PDU of any level, any unit, any ratio, R = 0 too."""
    granularity = rng.choice((None, 0, 1))
    unit = 10 if granularity == 1 else 1

    def bucket():
        return rng.choice((5, 9, 30, 200)) // unit, rng.choice((0, 100, 300, 900, 3000)) // unit
    (bmax, r), (bmax_default, r_default) = bucket(), bucket()
    full, tlli = rng.choice((0, 0, 30, 100, 180)), TLLI + rng.randrange(2)
    common = {"full": full, "granularity": granularity}
    level = rng.choice((FC_BVC, FC_MS, FC_PFC))
    if level == FC_BVC:
        say(bss, FC_BVC, 2, bmax=bmax, r=r, bmax_default=bmax_default, r_default=r_default,
            measurement=rng.choice((None, 7)), **common)
    elif level == FC_MS:
        say(bss, FC_MS, 2, tlli=tlli, ms_bmax=bmax, r=r, **common)
    else:
        say(bss, FC_PFC, 2, tlli=TLLI, granularity=granularity, flows=[
            {"pfi": pfi, "bmax": bmax, "r": r, "full": full} for pfi in rng.sample((8, 9, 10), 2)])


@case("300 changes at random instants and levels, with ratio and granularity, R = 0 too")
def at_random():
    rng = random.Random(48018)
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | CBL | PFC_FC, GIGABIT)
        for nsapi in 5, 6, 7, 8:
            Load(world, (TLLI, TLLI + 1), 120 * MS, nsapi=nsapi)
        for _ in range(300):
            change_at_random(rng, bss)
            world.run(rng.randrange(1, 1200) * MS + rng.randrange(1000000))
        clean(bss, 500)


@case("300 changes at random without ratio: what goes is at each instant all that may")
def at_random_busy():
    rng = random.Random(8)
    with World(config(mss=1)) as world:
        bss = begin(world)
        Load(world, (TLLI,), 30 * MS)
        for _ in range(300):
            name, keys = rng.choice(((FC_BVC, ("bmax", "r")), (FC_MS, ("ms_bmax", "r"))))
            values = dict(zip(keys, (rng.choice((9, 20, 100)), rng.choice((80, 300, 900)))))
            say(bss, name, 2, **values | ({"tlli": TLLI} if name == FC_MS else {}))
            world.run(rng.randrange(1, 900) * MS)
        tight(bss, FC_BVC)


@case("R = 0 stops a cell, an MS, a packet flow; a later R resumes with what has leaked")
def stopping():
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC)
        Load(world, (TLLI,), 40 * MS, nsapi=6)

        def values(name, r):
            if name == FC_BVC:
                return {"bmax": 50, "r": r}
            return {"tlli": TLLI} | ({"ms_bmax": 50, "r": r} if name == FC_MS else
                                     {"flows": [{"pfi": 8, "bmax": 50, "r": r}]})
        for name in FC_BVC, FC_MS, FC_PFC:
            say(bss, name, 2, **values(name, 800))
            world.run(10 * S)
            say(bss, name, 2, **values(name, 0))
            before = len(bss.dl)
            world.run(20 * S)
            same(len(bss.dl), before, f"PDUs at R = 0 of {name}")
            resumed_ns = world.now_ns
            say(bss, name, 2, **values(name, 800))
            world.run(25 * S)
            # a full bucket stood still: the next PDU waits for what does not fit to leak
            waited_ns = taken(bss, resumed_ns)[0][0] - resumed_ns
            right(0 <= waited_ns <= LLC_OCTETS * 8 * S // 80000, f"{name}: {waited_ns} ns")
            exact(taken(bss, resumed_ns + S), 80000, f"{name} resumed")
            say(bss, name, 2, **values(name, 65535))
        clean(bss)


@case("FLOW-CONTROL-PFC without its feature; half of an MS's values; values of the MS in it")
def pfc_rules():
    flows = [{"pfi": 8, "bmax": 10, "r": 800}]
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC)
        refused(bss, FC_PFC, 2, NOT_IN_FEATURES, tlli=TLLI, flows=flows)
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC)
        refused(bss, FC_PFC, 2, CONDITIONAL_ERROR, tlli=TLLI, flows=flows, ms_bmax=10)
        refused(bss, FC_PFC, 2, CONDITIONAL_ERROR, tlli=TLLI, flows=flows, r=10)
        say(bss, FC_PFC, 2, tlli=TLLI, ms_bmax=10, r=400, flows=flows)
        Load(world, (TLLI,), 25 * MS, nsapi=6)
        world.run(60 * S)
        exact(taken(bss, 8 * S, tlli=TLLI), 40000, "the MS, whose R is less than its flow's")


@case("each of 256 tags comes back, on the NS-VC and the BVC of its question")
def tags():
    with World(config(nse=nsvc(9, "198.51.100.9") + ",")) as world:
        bss = begin(world, nsvcs=[(1, BSS), (9, "198.51.100.9")])
        for tag in range(256):
            nsvc_of, bvci = bss.nsvcs[tag // 2 % 2], 2 + tag % 2
            bss.flow(bvci, tag=tag, nsvc=nsvc_of)
            bss.expect(FC_BVC + "_ack", at=world.now_ns, nsvc=nsvc_of, on=bvci, tag=tag)
            tlli = TLLI + (0 if bvci == 2 else 2)
            bss.send(bvci, FC_MS, nsvc=nsvc_of, tlli=tlli, tag=tag, ms_bmax=9, r=9)
            bss.expect(FC_MS + "_ack", at=world.now_ns, nsvc=nsvc_of, on=bvci, tlli=tlli, tag=tag)


def floods(bss, number):
    """Three PDUs, of seven commands: the worker's stops are sooner or later between any two."""
    bss.send(2, FC_PFC, tlli=TLLI, tag=number, flows=[
        {"pfi": pfi, "bmax": 65535, "r": 65535} for pfi in (8, 9)])
    bss.flow(2, tag=2 * number, bmax=9 + 10 * number)
    bss.flow(2, tag=2 * number + 1, bmax=9, r=80)


@case("a flood at one instant that opens and shuts a cell: an ACK for each in order, all in force")
def flood():
    with World(config(flows=FLOWS)) as world:
        bss = begin(world, PFC | PFC_FC)
        say(bss, FC_BVC, 2, bmax=9, r=80)
        Load(world, (TLLI,), 5 * MS)
        world.run_until(7 * S)
        for number in range(120):
            world.at(7 * S, floods, bss, number)
        world.run_until(7 * S)
        came = [r for r in bss.received if r.time_ns == 7 * S and is_about(r, "bssgp_")]
        acks = [r for r in came if is_about(r, "bssgp_flow_control")]
        same([r.pdu.sdu["tag"] for r in acks], [tag for number in range(120) for tag in
                                                (number, 2 * number, 2 * number + 1)], "tags")
        behind = [last.pdu.sdu for last, r in zip(came, came[1:])
                  if is_about(r, "bssgp_dl_unitdata") and last in acks]
        right(len(behind) > 2, f"the cell was open at {len(behind)} of the worker's stops")
        shut = [ack["tag"] for ack in behind if ack.name == FC_BVC + "_ack" and ack["tag"] % 2]
        same(shut, [], "tags that shut the cell, and behind whose ACK something went")


main()
