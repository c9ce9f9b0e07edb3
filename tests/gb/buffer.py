#!/usr/bin/python3
"""How much of a BSS's buffer is used, when the BSS offers 10 s of it as osmo-pcu does: what its radio
needs, by default; and whatever goes into it has a lifetime that outlasts what stands before it."""

import re

import replay
from bss import CBL, Bss
from flow_world import BSS, IMSI, LLC_OCTETS, NSEI, TLLI, Load, taken
from harness import case, main, right, same
from world import HEAD, MS, S, World, ms, nsvc

R, OFFERED_S = 12000, 10  # bit/s of a cell and of an MS, one PDCH at CS-2; Bmax / R
OFFER = {"bmax": R * OFFERED_S // 800, "r": R // 100, "bmax_default": R * OFFERED_S // 800,
         "r_default": R // 100}
LARGEST = 506  # the largest LLC PDU, N201-U being 500
DELAY = 600 * MS  # that is used by default


def config(keys="", *more):
    return HEAD.replace("gb {", f"gb {{ {keys}") + "\n".join(more) + f"""
nse {{ nsei = {NSEI}, {nsvc(1, BSS)}, bvc {{ bvci = 2, {ms(IMSI, TLLI, count=2)} }}, bvc {{ bvci = 3 }} }}
"""


class OfferBss(Bss):
    """Offers that of both its cells."""

    def flow(self, bvci, **values):
        return super().flow(bvci, **self.offer | values)


def begin(world, features=0, **other):
    bss = OfferBss(world, NSEI, ((1, BSS),), {2: 80000, 3: 80000}, features=features)
    bss.offer = OFFER | other
    bss.up()
    return bss


def held(pdus, r=R, stood=0):
    """Octets that the BSS has when each of them has come, if its radio sends R, and so many stood there before: all that
    passed is looked at, not what the program thinks."""
    bucket = replay.Bucket(pdus[0][0], 0, r)
    bucket.level = stood
    for time_ns, octets in pdus:
        bucket.take(time_ns, octets)
        yield bucket.level


def most_held(world, tllis=(TLLI,), r=R, features=0):
    bss = begin(world, features)
    Load(world, tllis, 100 * MS)
    world.run(40 * S)
    return max(held(taken(bss, 0, bvci=2), r))


def allowed(delay_ns, r=R):
    return r * delay_ns / (8 * S) + LARGEST


@case("of 10 s that a BSS offers, what its radio needs is used, and one LLC PDU; all of that")
def bounded():
    with World(config()) as world:
        most = most_held(world, (TLLI, TLLI + 1))
        right(allowed(DELAY) - LLC_OCTETS < most <= allowed(DELAY), f"{float(most)} octets")


@case("an MS that has less than its cell: what its own share needs is used")
def bounded_ms():
    with World(config()) as world:
        bss = begin(world, bmax=R * OFFERED_S // 200, r=R // 25)
        Load(world, (TLLI,), 100 * MS)
        world.run(40 * S)
        most = max(held(taken(bss, 0, tlli=TLLI)))
        right(allowed(DELAY) - LLC_OCTETS < most <= allowed(DELAY), f"{float(most)} octets")


@case("another cell_delay and ms_delay; 0 s, or as offered: all of what the BSS offers")
def by_hand():
    for text, most_ns in ("1 s", S), ("0 s", OFFERED_S * S), ("as offered", OFFERED_S * S):
        with World(config(f'cell_delay = "{text}", ms_delay = "{text}",')) as world:
            most, bound = most_held(world), allowed(most_ns)
            right(bound - LARGEST - LLC_OCTETS < most <= bound, f"{text}: {float(most)} octets")


@case("a BSS that tells how full its bucket is: room for two LLC PDUs and 1 % of Bmax, if its delay is less")
def two_pdus():
    step = OFFERED_S * R // 800
    for delay, features, most_octets in (("20 ms", CBL, 2 * LARGEST + step), ("20 ms", 0, R // 400 + LARGEST), (
            "1 s", CBL, R // 8 + LARGEST), ("0 s", CBL, OFFERED_S * R // 8)):
        with World(config(f'cell_delay = "{delay}", ms_delay = "1 s",')) as world:
            most = most_held(world, (TLLI, TLLI + 1), features=features)
            right(most_octets - LARGEST - LLC_OCTETS < most <= most_octets,
                  f"{delay}, {features}: {float(most)} octets of {most_octets}")


@case("and of a ratio that it rounds up: an LLC PDU comes at once beside one that it counts whole, no third one")
def on_the_air():
    step = OFFERED_S * R // 800
    room = (2 * LARGEST + step - LLC_OCTETS) // step  # in %: the most beside which one more has room
    for full, more in (room, 1), (room + 1, 0):
        with World(config('cell_delay = "20 ms", ms_delay = "0 s",')) as world:
            bss = begin(world, CBL)
            Load(world, (TLLI,), 100 * MS)
            world.run(5 * S)
            count = len(taken(bss, 0, bvci=2))
            bss.flow(2, full=full)
            world.run(MS)
            same(len(taken(bss, 0, bvci=2)) - count, more, f"beside {full} %")


@case("gb.drain: what has come together in the BSS, whose radio was away, goes; else it stays")
def drained():
    for drain, least, most in ("0 %", 2500, 4000), ("5 %", 0, R // 400 + LARGEST):
        with World(config(f'cell_delay = "20 ms", drain = "{drain}",')) as world:
            bss = begin(world)
            Load(world, (TLLI, TLLI + 1), 100 * MS)
            world.run(60 * S)
            last = list(held(taken(bss, 0, bvci=2), stood=3000))[-20:]
            right(least <= min(last) and max(last) <= most, f"{drain}: {float(min(last))} to {float(max(last))} octets")
            same("(95 % of it used)" in world.ctl(f"bvc {NSEI} 2")[1], drain != "0 %", "what is used of R is shown")


def said(world):
    return re.findall(r"(NSE \d+, BVCI \d+): (BSS offers .*)", world.log())


@case("a BSS that offers more than is used: one line for each cell from reset to reset")
def line():
    text = "BSS offers 10 s of buffer, using 0.6 s; cell_delay"
    with World(config()) as world:
        bss = begin(world)
        cells = [f"NSE {NSEI}, BVCI {bvci}" for bvci in (2, 3)]
        for _ in range(20):
            world.run(S)
            bss.flow(2)
        same(said(world), [(one, text) for one in cells], "lines")
        bss.reset_bvc(2)
        world.run(5 * S)
        same(said(world), [(one, text) for one in (*cells, cells[0])], "lines")


@case("no line where a BSS offers no more than that and the largest LLC PDU, nor where all of it is used")
def no_line():
    # The largest LLC PDU has 1526 octets: the largest N201-U and 6 more. In 782 ms 1173 go by radio, in
    # 783 ms 1174, which leaves nothing of the 2700 octets.
    for keys, bmax, lines in (("", R * 6 // 8000 + 15, 0), ('cell_delay = "783 ms",', 27, 0),
                              ('cell_delay = "782 ms",', 27, 2), ('cell_delay = "0 s",', OFFER["bmax"], 0)):
        with World(config(keys)) as world:
            begin(world, bmax=bmax)
            world.run(S)
            same(len(said(world)), lines, f"lines, {keys}")


@case("of a BSS that tells how full its bucket is, what is offered beyond two LLC PDUs and 1 % is the excess")
def line_of_two():
    # Two of the largest are 3052 octets, a hundredth of 3100 is 31; of 600 000 it is more than a third PDU.
    two, three = f"{3083 * 8 / R:.3g} s", f"{3 * 1526 * 8 / R:.3g} s"
    for bmax, features, used in (31, CBL, two), (6000, CBL, three), (30, CBL, None), (30, 0, "0.02 s"):
        with World(config('cell_delay = "20 ms",')) as world:
            begin(world, features, bmax=bmax)
            world.run(S)
            lines = [re.search("using (.*);", text)[1] for _, text in said(world)]
            same(lines, [used] * 2 if used else [], f"used, {bmax}, {features}")


def lifetimes(bss):
    """[(ns that the PDU waits in the BSS until its last octet has gone, ns of its lifetime)]"""
    records = [r for r in bss.dl if r.pdu.bvci == 2]
    waits = held([(r.time_ns, len(r.pdu.sdu["llc"])) for r in records])
    return [(int(octets * 8 * S / R), r.pdu.sdu["lifetime"] * 10 * MS)
            for octets, r in zip(waits, records)]


@case("a cell with a backlog as old as may be: nothing goes with less lifetime than the BSS needs for it")
def lifetime():
    aqm = 'class { name = "background", aqm { name = "tail-drop" } }'
    for keys, features in ("", 0), ('cell_delay = "1.5 s",', 0), ('cell_delay = "20 ms",', CBL):
        with World(config(keys, aqm)) as world:
            bss = begin(world, features)
            Load(world, (TLLI, TLLI + 1), 200 * MS)
            world.run(60 * S)
            found = lifetimes(bss)
            old = [one for one in found if one[1] < 6 * S]
            right(len(old) > 20, f"{keys}: {len(old)} of {len(found)} N-PDUs were old")
            same([one for one in found if one[0] > one[1]][:3], [], f"{keys}: (wait, lifetime)")
            right(max(wait for wait, _ in found) > 500 * MS, f"{keys}: nothing waits in the BSS")


main()
