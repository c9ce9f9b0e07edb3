"""What the tests of flow control share: a world with two cells, downlink load that never ends, the
BSS's values at each level, and what the replay (replay.py) makes of all that passed.

A cell's, an MS's and a packet flow's values are said in the wire's units: 100 octets, 100 bit/s."""

from types import SimpleNamespace

import replay
from bss import Bss
from harness import right, same
from world import HEAD, ms, npdu, nsvc

NSEI, BSS, IMSI = 101, "198.51.100.2", "001010000000001"
TLLI = 0xC0000001  # the first of the MSs in cell 2; those in cell 3 come behind them
PFC, CBL, INR, PFC_FC, GIGABIT = 0x01, 0x02, 0x04, 0x20, 0x02
UNKNOWN_MS, MISSING_CONDITIONAL, UNEXPECTED_CONDITIONAL = 0x04, 0x23, 0x24
CONDITIONAL_ERROR, NOT_IN_FEATURES = 0x25, 0x28
FC_BVC, FC_MS, FC_PFC = (f"bssgp_flow_control_{level}" for level in ("bvc", "ms", "pfc"))

OCTETS = 400            # of an N-PDU: one LLC PDU of 10 more
LLC_OCTETS = OCTETS + 10
OPEN = {"bmax": 65535, "r": 65535, "bmax_default": 65535, "r_default": 65535}


# Of each MS of cell 2, behind the context on NSAPI 5, which has no packet flow: one on each PFI.
FLOWS = """
    pdp { nsapi = 6, class = "background", address = "10.0.6.1", pfi = 8 },
    pdp { nsapi = 7, class = "streaming", address = "10.0.7.1", pfi = 9 },
    pdp { nsapi = 8, class = "interactive-1", address = "10.0.8.1", pfi = 10 },
"""


def config(*more, nse="", mss=2, flows=""):
    """`mss` MSs in cell 2, one in cell 3; queues without AQM and lifetime, so that none is ever
    empty under load."""
    first = ms(IMSI, TLLI, count=mss, more=flows)
    second = ms("001010000000901", TLLI + mss, address="10.0.9.1", ggsn_teid=0x9000)
    classes = "\n".join(f"""class {{ name = "{name}", lifetime = "unlimited",
            aqm {{ name = "tail-drop" }} }}"""
                        for name in ("background", "streaming", "interactive-1"))
    queue = ("queue { packets = 16384, cell_packets = 16384, ms_packets = 16384, "
             'octets = "20000 kB", cell_octets = "20000 kB", ms_octets = "20000 kB" }')
    return HEAD + "\n".join((classes, queue, *more)) + f"""
nse {{
    nsei = {NSEI}, {nse} {nsvc(1, BSS)},
    bvc {{ bvci = 2, {first} }}, bvc {{ bvci = 3, {second} }},
}}
"""


class FlowBss(Bss):
    """Says values that do not limit, where it says none."""

    def flow(self, bvci, **values):
        return super().flow(bvci, **OPEN | values)


def begin(world, features=0, extended=None, nsvcs=((1, BSS),)):
    bss = FlowBss(world, NSEI, nsvcs, {2: 80000, 3: 80000}, features=features, extended=extended)
    bss.up()
    bss.tags = 0
    return bss


def say(bss, name, bvci, **values):
    """A FLOW-CONTROL PDU with the next tag; it is acknowledged at this very instant."""
    bss.tags = (bss.tags + 1) % 256
    if name == FC_BVC:
        bss.flow(bvci, tag=bss.tags, **values)
    else:
        bss.send(bvci, name, tag=bss.tags, **values)
    acked = {"tlli": values["tlli"]} if "tlli" in values else {}
    return bss.expect(name + "_ack", at=bss.world.now_ns, on=bvci, tag=bss.tags, **acked)


def refused(bss, name, bvci, cause, **values):
    """STATUS with that cause and the PDU, and no acknowledgement."""
    bss.inbox.clear()
    bss.send(bvci, name, tag=255, **values)
    sent = bss.sent[-1].pdu.sdu
    status = bss.expect("bssgp_status", at=bss.world.now_ns, on=bvci, cause=cause)
    same((status["pdu"], status["bvci"]), (sent.octets, None), "PDU in error, and no BVCI")
    bss.none(name + "_ack")


class Load:
    """A new N-PDU for each of the TLLIs every so often, for ever."""

    def __init__(self, world, tllis, every_ns, octets=OCTETS, nsapi=5):
        self.world, self.every_ns, self.octets, self.on = world, every_ns, octets, True
        self.frames = [world.down_frame(world.teid(tlli, nsapi), npdu("10.0.0.1", octets))
                       for tlli in tllis]
        self.go()

    def go(self):
        if self.on:
            self.world.put_all("gn", self.frames)
            self.world.at(self.world.now_ns + self.every_ns, self.go)

    def stop(self):
        self.on = False


def taken(bss, from_ns, tlli=None, bvci=None, pfi=None):
    """[(time_ns, octets)] of the LLC PDUs of that MS, cell, packet flow since then."""
    return [(r.time_ns, len(r.pdu.sdu["llc"])) for r in bss.dl if r.time_ns >= from_ns
            and tlli in (None, r.pdu.sdu["v_tlli"]) and bvci in (None, r.pdu.bvci)
            and pfi in (None, r.pdu.sdu["pfi"])]


def exact(pdus, r_bit_per_s, what):
    """Within 0.5 %, over enough PDUs to say so; and to a PDU at any instant."""
    right(len(pdus) >= 200, f"{what}: {len(pdus)} PDUs are too few")
    found = replay.rate(pdus)
    right(abs(found / r_bit_per_s - 1) < 0.005, f"{what}: {float(found)} bit/s, R {r_bit_per_s}")
    least, most = replay.deviation(pdus, r_bit_per_s)
    right(most - least <= 2 * LLC_OCTETS,
          f"{what}: {float(least)} to {float(most)} octets from R t / 8")


def clean(bss, least=1):
    """The replay over all that passed finds nothing."""
    replayed = replay.of(bss)
    right(len(replayed.pdus) >= least, f"{len(replayed.pdus)} PDUs are too few")
    same(replayed.violations[:3], [], "violations of 8.2.3.2")


def is_about(record, name):
    return record.pdu and record.pdu.sdu and record.pdu.sdu.name.startswith(name)


def early(bss, name, pdus=3):
    """What would have passed if each of these requests and its acknowledgement had come that many
    DL-UNITDATAs before they did: as if, of an acknowledgement, the values were so much late. Its
    violations say that the load would have shown it."""
    wire = []
    for direction, record in bss.wire:
        at = len(wire)
        if is_about(record, name):
            sent = [i for i, (_, r) in enumerate(wire) if is_about(r, "bssgp_dl_unitdata")]
            if len(sent) >= pdus:
                at = sent[-pdus]
                record = record._replace(time_ns=wire[at][1].time_ns)
        wire.insert(at, (direction, record))
    return replay.of(SimpleNamespace(wire=wire)).violations


def tight(bss, name):
    """No violation; but some, had the values come late."""
    clean(bss)
    right(early(bss, name), f"{name}: values that come late would not be seen")
