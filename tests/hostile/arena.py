"""The world of the hostile-neighbour suite: an honest BSS, a hostile one and strangers at one Gb port,
an honest GGSN and strangers at Gn, in virtual time (tests/gb/world.py), and a control that is slower
than what comes.

In virtual time all that an instant brings is done before the next, so a flood would never find control
busy. Here control gets no event and does no piece of a long job before it is let, and then so many; what
else is there waits, as for a processor that has no more to give. And it notes, for each request of the
honest BSS, how many events of all others, UL-UNITDATA of its own phones among them, it has handled by then,
and how many cells it has reset.

    with Arena(nse=..., cells=...) as arena:      config()'s
        arena.hostile                 the hostile BSS, a tests/gb/bss.py that is up
        arena.slow()                  from now on control waits to be let
        arena.let(events, pieces)     it may do so much more
        arena.work()                  events of others handled so far, and cells reset
        arena.handled()               both at each request of the honest BSS, in their order
        arena.unanswered()            requests whose handler sent the honest BSS nothing
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "gb"))

import frames as wire  # noqa: E402
from bss import Bss  # noqa: E402
from world import GB_MAC, GN_MAC, HEAD, NS_PORT, World, ms, nsvc  # noqa: E402

HONEST, HOSTILE = 101, 102
A4, B4, B6 = "198.51.100.11", "198.51.100.12", "2001:db8:1::12"  # the honest BSS's NS-VCs
H4 = "198.51.100.66"
HOSTILE_MAC = wire.mac_of(H4)
TLLI, MSS, ADDRESS = 0xC0000000, 16, "10.0.0.0"  # half of them in cell 2, half in cell 3
HOSTILE_TLLI, HOSTILE_MSS = 0xC0010000, 32
KEYED_TLLI, KEYED_MSS = 0xC0020000, 100  # MSs with a key in cell 3 of the honest one, which say nothing
TEID, HOSTILE_TEID = 0x1000, 0x20000  # of the first of them, at the GGSN
CELLS, RESET_CELL = (2, 3), 4  # the honest BSS resets the latter now and then
RATE = 4_000_000  # bit/s of the honest cells: nothing of theirs waits for the radio

KEY = 'cipher = "gea3", key = "0123456789abcdef",'

SLOW = """
local events, dp, network = require('events'), require('dp'), require('sluice.core.network')
local jobs = require('sluice.core.jobs')
local take, send, reset = events.take, dp.send, dp.bvc_reset
local work, next_ns = assert(jobs.work), assert(jobs.next_ns)
local mine = false
local asks = { [0x22] = true, [0x26] = true, [0x28] = true }
left, pieces, others, cells, handled, unanswered = 0, 0, 0, 0, {}, 0
local function note(kind, nse_id, nsvc_id, bvc_id, ms_id, pdu, ...)
    local type = kind == 'ns' and pdu:byte(1) == 0 and pdu:byte(5)
    local honest = kind == 'ns' and nse_id == network.nse_of_nsei[101].id and type ~= 1
    mine = honest and asks[type]
    if mine then handled[#handled + 1] = others .. ' ' .. cells
    elseif kind and not honest then others = others + 1 end
    return kind, nse_id, nsvc_id, bvc_id, ms_id, pdu, ...
end
events.take = function()
    if mine then unanswered, mine = unanswered + 1, false end
    if left == 0 then return nil end
    left = left - 1
    return note(take())
end
dp.send = function(c)
    if network.nsvc[c.nsvc_id].nse.nsei == 101 then mine = false end
    return send(c)
end
dp.bvc_reset = function(...) cells = cells + 1 return reset(...) end
jobs.next_ns = function() return pieces > 0 and next_ns() or math.maxinteger end
jobs.work = function() pieces = pieces - 1 return work() end
""".replace("\n", " ")


def mss(imsi, tlli, count, address, ggsn_teid, more=""):
    return ms(imsi, tlli, count=count, address=address, ggsn_teid=ggsn_teid, more=more)


def config(nse="", cells=0):
    """The honest NSE has an NS-VC that the file names and two that it brings itself, whose Ethernet
    addresses have to be asked for; it brings cells, too. `nse`: keys of the hostile one."""
    half = MSS // 2
    more = ", ".join(f"bvc {{ bvci = {bvci} }}" for bvci in range(10, 10 + cells))
    return HEAD + f"""
log {{ level = "error" }}
room {{ nses = 8, ggsns = 4, nsvcs = 64, bvcs = {cells + 256}, mss = 256, pdps = 256 }}
nse {{ nsei = {HONEST}, dynamic = true, cells = "any", {nsvc(101, A4)},
    bvc {{ bvci = 2, {mss("001010000000000", TLLI, half, ADDRESS, TEID)} }},
    bvc {{ bvci = 3, {mss("001010000000100", TLLI + half, half, f"10.0.0.{half}", TEID + half)},
        {mss("001010000000200", KEYED_TLLI, KEYED_MSS, "10.2.0.0", 2 * HOSTILE_TEID, KEY)} }},
    bvc {{ bvci = {RESET_CELL} }} }}
nse {{ nsei = {HOSTILE}, {nse} {nsvc(102, H4)},
    bvc {{ bvci = 2, {mss("001020000000000", HOSTILE_TLLI, HOSTILE_MSS, "10.1.0.0", HOSTILE_TEID)} }},
    bvc {{ bvci = 3 }}{"," if more else ""} {more} }}
"""


class Arena(World):
    def __init__(self, workers=None, gtpc=(), **more):
        """gtpc: addresses of GGSNs with GTP-C, whose port is open then."""
        self.ignored = 0  # frames to others than the honest BSS and its GGSN
        self.ours = set()
        super().__init__(config(**more), workers=workers)
        for number, address in enumerate(gtpc, 1):
            self.lua(f"require('dp').ggsn {{ ggsn_id = {number}, gtpc = true, mac = '{HOSTILE_MAC.hex(':')}', "
                     f"address = require('sluice.config.parts').address('{address}') }}")
        self.hostile = Bss(self, HOSTILE, [(102, H4)], {2: 80000, 3: 80000})
        if "manual" not in more.get("nse", ""):
            self.hostile.up()
        self.hostile.auto.clear()  # from here on nobody answers in its stead

    def slow(self):
        """From now on control has its budget, and only the honest one's frames are looked at."""
        self.lua(SLOW)
        self.ours = {wire.mac_of(address) for address in (A4, B4, B6, "192.0.2.2", "2001:db8::2")}

    def let(self, events, pieces):
        self.lua(f"left, pieces = {events}, {pieces}")

    def take(self, side, octets):
        if self.ours and octets[:6] not in self.ours and not octets[0] & 1:
            self.ignored += 1
            return
        super().take(side, octets)

    def work(self):
        return tuple(map(int, self.lua("return others .. ' ' .. cells").split()))

    def handled(self):
        words = list(map(int, self.lua("return table.concat(handled, ' ')").split()))
        return list(zip(words[::2], words[1::2]))

    def unanswered(self):
        return int(self.lua("return unanswered"))


def gb_frame(source, payload, mac=None, port=NS_PORT):
    """To our Gb port, from any Ethernet address."""
    own = "2001:db8:1::1" if ":" in source else "198.51.100.1"
    datagram = wire.Datagram(source, port, own, NS_PORT, payload)
    return wire.frame_of(datagram, mac or wire.mac_of(source), wire.mac(GB_MAC))


def gn_frame(source, payload, mac=None, port=2152, to=2152):
    own = "2001:db8::1" if ":" in source else "192.0.2.1"
    datagram = wire.Datagram(source, port, own, to, payload)
    return wire.frame_of(datagram, mac or wire.mac_of(source), wire.mac(GN_MAC))
