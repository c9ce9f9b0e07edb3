#!/usr/bin/python3
"""Control's LLC frames to strangers, phones that are no MSs yet (command bvc_llc): in a cell flooded by MSs
the replay of flow control (replay.py) finds no overdraw, nor does `sluice audit`, and no stranger is
starved. A stopped cell keeps a bounded number of them, and none of another cell's. And a TLLI to come
(ms_tlli with down_old), and how long an MS has said nothing, as control sees them."""

import pathlib
import random
import tempfile

import codec
import replay
from flow_world import FC_BVC, TLLI, Load, begin, config, say
from world import MS, S, World, case, main, npdu, right, same

import audit_capture  # of tests/e2e, which world.py has made known

CELL, OTHER_CELL = 2, 3
FIRST = 0x78000000
MOST = 256  # frames that wait at a worker
COMMANDS = """
local dp, network = require('dp'), require('sluice.core.network')
function octets(hex) return (hex:gsub('..', function(c) return string.char(tonumber(c, 16)) end)) end
function stranger(bvci, tlli, hex, imsi)
    dp.bvc_llc { bvc_id = network.nse_of_nsei[101].bvcs[bvci].id, tlli = tlli, pdu = octets(hex), imsi = imsi }
end
function refusal(fields) return select(2, pcall(dp.bvc_llc, fields)) end
""".replace("\n", " ")


class Strangers:
    def __init__(self, world, bss):
        self.world, self.bss, self.sent = world, bss, []
        world.lua(COMMANDS)

    def send(self, octets, bvci=CELL, tlli=None, imsi=None):
        number = len(self.sent)
        tlli = tlli or FIRST + number
        llc = codec.llc_ui(1, number % 512, number.to_bytes(2) + bytes(octets), command=True)
        self.sent.append((bvci, tlli, llc, imsi))
        self.world.lua(f"stranger({bvci}, {tlli}, '{llc.hex()}', {repr(imsi) if imsi else 'nil'})")

    def came(self, bvci=None):
        return [(record.pdu.bvci, pdu["v_tlli"], pdu["llc"], pdu["imsi"]) for record in self.bss.dl
                for pdu in [record.pdu.sdu] if pdu["v_tlli"] >> 24 == FIRST >> 24
                and bvci in (None, record.pdu.bvci)]


def sound(world, bss):
    same(replay.of(bss).violations, [], "violations")
    with tempfile.TemporaryDirectory(prefix="sluice-strangers-") as folder:
        path = pathlib.Path(folder) / "gb.pcap"
        world.write_pcap(path)
        report = audit_capture.audit("--tolerance", "0", path)
        same(report["findings"], [], "findings of sluice audit")
        judged = sum(cell["bucket"]["pdus"] for cell in report["bvcs"] if cell["bucket"])
        right(judged > 100, f"the audit has judged {judged} LLC PDUs")


@case("beside MSs that flood their cell: no overdraw, each frame comes, in its order", "")
@case("the same below the rate of an NSE, with two workers", "rate = \"20 kbit/s\",", 2)
def flooded(nse, workers=1):
    dice = random.Random(1)
    with World(config(nse=nse), workers=workers) as world:
        bss = begin(world)
        say(bss, FC_BVC, CELL, bmax=30, r=160, bmax_default=10, r_default=160)
        strangers = Strangers(world, bss)
        load = Load(world, [TLLI, TLLI + 1], 200 * MS)
        for i in range(300):
            strangers.send(dice.randrange(1, 120), imsi="001019876543210" if i % 3 else None)
            world.run(100 * MS)
            if i == 150:
                say(bss, FC_BVC, CELL, bmax=20, r=80, bmax_default=10, r_default=80)
        load.stop()
        world.run(10 * S)
        same(strangers.came(), strangers.sent, "what came to strangers")
        right(len(bss.dl) > 320, f"the MSs had some, too: {len(bss.dl)} PDUs")
        sound(world, bss)


@case("a stopped cell: 256 frames wait, the oldest go; those of another cell go on, and an MS's are kept")
def stopped():
    with World(config()) as world:
        bss = begin(world)
        say(bss, FC_BVC, CELL, bmax=30, r=0, bmax_default=10, r_default=160)
        strangers = Strangers(world, bss)
        for _ in range(400):
            strangers.send(20)
        strangers.send(20, OTHER_CELL)
        world.run(S)
        same(strangers.came(OTHER_CELL), strangers.sent[-1:], "what came in another cell")
        unsent = world.stats()["gb"]["answers_unsent"]
        same(unsent, 401 - MOST, "frames that gave way, the last one to the other cell's")
        say(bss, FC_BVC, CELL, bmax=600, r=60000, bmax_default=600, r_default=60000)
        world.run(5 * S)
        same(strangers.came(CELL), strangers.sent[:-1][1 - MOST:], "what was left")
        same(replay.of(bss).violations, [], "violations")


@case("what is refused by name")
def refused():
    with World(config()) as world:
        begin(world)
        world.lua(COMMANDS)
        same(TLLI >> 24, 0xC0, "an MS's TLLI")
        for fields, why in ((f"bvc_id = 0, tlli = {TLLI}, pdu = 'x'", "File exists"),
                            ("bvc_id = 99, tlli = 1, pdu = 'x'", "Numerical result out of range"),
                            ("bvc_id = 0, tlli = 1, pdu = ''", "pdu"), ("bvc_id = 0, pdu = 'x'", "tlli"),
                            ("bvc_id = 0, tlli = 1, pdu = ('x'):rep(1527)", "pdu"),
                            ("bvc_id = 0, tlli = 1, pdu = 'x', imsi = '00a'", "imsi")):
            said = world.lua(f"return refusal {{ {fields} }}")
            right(why in said, f"{fields}: {said}")


@case("a TLLI to come is heard, and what is sent keeps the old one until the next ms_tlli")
def to_come():
    new = 0xC0777777
    with World(config()) as world:
        bss = begin(world)
        ms_id = int(world.lua(f"return (require('dp').ms_of(0, {TLLI}))"))
        teid = world.teid(TLLI)

        def down():
            bss.dl.clear()
            world.down(teid, npdu("10.0.0.1"))
            world.run(MS)
            return [record.pdu.sdu["v_tlli"] for record in bss.dl]

        def up(tlli):
            before = len(world.npdus_up())
            bss.uplink(CELL, tlli, npdu("203.0.113.9", source="10.0.0.1"))
            world.run(MS)
            return len(world.npdus_up()) - before

        bss.vu = type("OneMs", (dict,), {"__missing__": lambda *_: 0, "key": None})()
        next_nu = iter(range(512))
        bss.next_nu = lambda tlli, sapi: next(next_nu)
        world.lua(f"require('dp').ms_tlli {{ ms_id = {ms_id}, tlli = {new}, down_old = true }}")
        same((down(), up(new), up(TLLI), up(new), down()), ([TLLI], 1, 1, 1, [TLLI]), "with both")
        same(world.lua(f"return (require('dp').ms_of(0, {new}))"), str(ms_id), "whose it is")
        world.lua(f"require('dp').ms_tlli {{ ms_id = {ms_id}, tlli = {new} }}")
        same((down(), up(TLLI), up(new), down()), ([new], 1, 1, [new]), "with the new one")
        same(up(TLLI), 0, "N-PDUs under the old one, which has ended")


@case("how long an MS has said nothing: to 34 ms; a release and a move count as heard", 1)
@case("with two workers, too", 2)
def silence(workers):
    with World(config(), workers=workers) as world:
        bss = begin(world)
        ms_id = int(world.lua(f"return (require('dp').ms_of(0, {TLLI}))"))

        def is_silent_for(ns):
            world.ctl("bvc 101 2")  # so that control has a round now
            said = int(world.lua(f"return require('dp').ms_silence({ms_id})"))
            right(abs(said - ns) <= 2 << 24, f"{said} ns, {ns} is right")

        for wait in (S, 50 * MS, 3 * S):
            bss.uplink(CELL, TLLI, npdu("203.0.113.9", source="10.0.0.1"))
            world.run(0)
            is_silent_for(0)
            world.run(wait)
            is_silent_for(wait)
        world.down(world.teid(TLLI), npdu("10.0.0.1"))  # what it gets says nothing
        world.run(S)
        is_silent_for(4 * S)
        world.lua(f"require('dp').ms_release {{ ms_id = {ms_id} }}")
        world.run(0)
        is_silent_for(0)
        same(world.lua("return tostring(require('dp').ms_silence(3))"), "nil", "of nobody")


main()
