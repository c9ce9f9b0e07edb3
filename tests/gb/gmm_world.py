"""What the tests of GMM share: a network where phones may attach, and a handset that is a list of octets: its messages
are typed from TS 24.008 clause 9.4, and what comes to it is compared octet for octet. It does nothing by itself."""

import codec
from bss import Bss
from world import HEAD, MS, S, World, nsvc, right, same

BSS, OTHER_BSS = "198.51.100.2", "198.51.100.3"
CELL, SECOND = 2, 3
IMSI = "001010000000001"
RANDOM, ZERO = 0x78000001, 0x80000000  # TLLIs of phones without a P-TMSI
T3350, T3370, T3322 = 6 * S, 6 * S, 6 * S
NET_CAPABILITY, RA_CAPABILITY, DRX = "e5e0", "171933432b37159ef98879cba28c6621e72688b19c2ef0", "0a00"
NO_AREA = "00f000000000"

NAMES = {0x02: "accept", 0x04: "reject", 0x05: "detach", 0x06: "detach_accept", 0x09: "update_accept",
         0x0b: "update_reject", 0x15: "identity", 0x20: "status"}

# Lua's table of strings halves only when it is nearly empty; after many strings at once it is of one size.
COLLECT = ('local many = {} for i = 1, 50000 do many[i] = "a string " .. i end many = nil '
           "for _ = 1, 8 do collectgarbage() end return 0")


def config(attach='who = "listed"', phones=f'phone {{ imsi = "{IMSI}", count = 20 }}', more="", two=False):
    other = f'nse {{ nsei = 102, {nsvc(2, OTHER_BSS)}, bvc {{ bvci = 2 }} }}' if two else ""
    return HEAD + f"""
{more}
attach {{ {attach} }}
{phones}
nse {{ nsei = 101, {nsvc(1, BSS)}, bvc {{ bvci = 2 }}, bvc {{ bvci = 3 }} }}
{other}
"""


def digits_of(digits, kind):
    """Mobile identity with digits (10.5.1.4): the first beside the type, the rest swapped, F fills."""
    odd = len(digits) % 2
    rest = digits[1:] + ("" if odd else "f")
    return bytes([int(digits[0]) << 4 | odd << 3 | kind]) + bytes(
        int(rest[i + 1], 16) << 4 | int(rest[i], 16) for i in range(0, len(rest), 2))


def lv(octets):
    return bytes([len(octets)]) + octets


def tmsi(number):
    return b"\xf4" + number.to_bytes(4)


def attach_request(identity, area=NO_AREA, kind=1, ra_capability=RA_CAPABILITY, drx=DRX, cksn=7):
    return (bytes.fromhex("0801") + lv(bytes.fromhex(NET_CAPABILITY)) + bytes([cksn << 4 | kind])
            + bytes.fromhex(drx) + lv(identity) + bytes.fromhex(area) + lv(bytes.fromhex(ra_capability)))


def update_request(area, kind=0, more=b"", ra_capability=RA_CAPABILITY):
    return bytes([8, 8, 0x70 | kind]) + area + lv(bytes.fromhex(ra_capability)) + more


def identity_response(identity):
    return bytes.fromhex("0816") + lv(identity)


COMPLETE = bytes.fromhex("0803")
DETACH, POWER_OFF, IMSI_DETACH = (bytes([8, 5, kind]) for kind in (1, 9, 2))
DETACH_ACCEPT = bytes.fromhex("0806")
IDENTITY_REQUEST = bytes.fromhex("081501")


def accept(p_tmsi, t3312=0x49, ready=0x16, cause=b""):
    return (bytes.fromhex("0802") + bytes([1, t3312, 0x44]) + codec.RAI + bytes([0x17, ready, 0x18, 5])
            + tmsi(p_tmsi) + cause)


class Down:
    """A frame to a phone: when, to which TLLI, its N(U), its message (nil: an XID)."""

    def __init__(self, record):
        self.time_ns, sdu = record.time_ns, record.pdu.sdu
        self.tlli, self.imsi, self.llc, self.bvci = sdu["v_tlli"], sdu["imsi"], sdu["llc"], record.pdu.bvci
        self.ra_capability, self.drx = sdu["ra_capability"], sdu["drx"]
        self.is_reset = self.llc[:2] == b"\x41\xfb"
        if not self.is_reset:
            self.sapi, self.nu, self.message = codec.read_llc_ui(self.llc)
            self.name = NAMES.get(self.message[1], "?")

    def __repr__(self):
        return "XID" if self.is_reset else f"{self.message.hex()} to {self.tlli:08x} at {self.time_ns}"


class Network:
    def __init__(self, text=None, *sets, **more):
        self.world = World(text or config(**more), *sets)
        self.bss = Bss(self.world, 101, [(1, BSS)], {2: 80000, 3: 80000})
        self.bss.up()
        self.taken = {}

    def __enter__(self):
        return self

    def __exit__(self, *what):
        if not what[0]:
            self.world.run(MS)
        self.world.__exit__(*what)

    def came(self, bss=None):
        """What has come to phones and was not taken yet."""
        bss = bss or self.bss
        first = self.taken.get(bss, 0)
        self.taken[bss] = len(bss.dl)
        return [Down(record) for record in bss.dl[first:]]

    def one(self, message=None, tlli=None, at=None, name=None, bss=None):
        """The only one that has come, but for an XID Reset before it, for a phone that has had other numbers."""
        found = self.came(bss)
        if len(found) > 1 and found[0].is_reset:
            del found[0]
        same(len(found), 1, f"frames to phones, {found}")
        if message is not None:
            same(found[0].message.hex(), message.hex(), "the message")
        if tlli is not None:
            same(hex(found[0].tlli), hex(tlli), "its TLLI")
        if at is not None:
            same(found[0].time_ns, at, "when it came")
        if name is not None:
            same(found[0].name, name, f"what {found[0]} is")
        return found[0]

    def none(self):
        same(self.came(), [], "frames to phones")

    # ---- Looking ----

    def counted(self, *names):
        return self.world.counted(*names)

    def left(self):
        """Phones, their MSs, attempts, timers of procedures: what there is of them."""
        return tuple(map(int, self.world.lua(
            "local s, a = require('sluice.phones.store'), require('sluice.phones.attempts') "
            "local m = #require('sluice.subscribers.single').records local runs = 0 "
            "for _, p in ipairs(s.phones) do runs = runs + #p.runs end "
            "return #s.phones .. ' ' .. m .. ' ' .. a.n .. ' ' .. runs").split()))

    def free(self):
        return self.world.lua("return require('sluice.subscribers.ranges').left('mss')")

    def lines(self, *words):
        return self.world.log_lines(*words)


class Handset:
    def __init__(self, network, imsi=IMSI, tlli=RANDOM, bss=None, bvci=CELL):
        self.network, self.imsi, self.tlli = network, imsi, tlli
        self.bss, self.bvci, self.nu = bss or network.bss, bvci, 0

    def frame(self, message, nu=None):
        if nu is None:
            nu = self.nu
            self.nu += 1
        return codec.llc_ui(1, nu % 512, message)

    def say(self, message, tlli=None, nu=None, run=True):
        self.bss.uplink_llc(self.bvci, self.tlli if tlli is None else tlli, self.frame(message, nu))
        if run:
            self.network.world.run(0)

    def identity(self):
        return digits_of(self.imsi, 1)

    def request(self, **more):
        return attach_request(self.identity(), **more)

    def identify(self):
        self.say(identity_response(self.identity()))

    def attach(self, complete=True):
        """To the end, with a P-TMSI from elsewhere; returns the ACCEPT."""
        network = self.network
        network.came(self.bss)
        self.say(attach_request(tmsi(0xC1234567), area="62f224432101"))
        network.one(IDENTITY_REQUEST, tlli=self.tlli, bss=self.bss)
        self.identify()
        accepted = network.one(name="accept", tlli=self.tlli, bss=self.bss)
        self.p_tmsi = int.from_bytes(accepted.message[-4:])
        if complete:
            self.complete()
        return accepted

    def complete(self):
        self.tlli = self.p_tmsi
        right(self.tlli >> 30 == 3, f"a P-TMSI: {self.tlli:08x}")
        self.say(COMPLETE)
