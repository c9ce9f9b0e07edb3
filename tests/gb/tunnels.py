#!/usr/bin/python3
"""Who may send to a context's TEID. And a GGSN's error indication (TS 29.281 clause 7.3.1) ends the uplink of the context that has that
tunnel there, and of no other, for 10 s, or until the GGSN sends in it again or the file is read again."""

import ipaddress
import pathlib

import frames as wire
from bss import Bss
from world import GGSN, GN, GN_MAC, GTPU_PORT, HEAD, MS, S, World, case, main, ms, npdu, nsvc, right, same

OTHER = "192.0.2.3"
TLLI, TEID = 0xC0000001, 0x1000
BSSS = {101: "198.51.100.2", 102: "198.51.100.3"}


def config(more=""):
    """Three MSs in NSE 101 with a GGSN, one in NSE 102 with the other one, with the same TEID."""
    first = ms("001010000000001", TLLI, count=3, ggsn_teid=TEID)
    second = ms("001010000000009", TLLI + 8, address="10.0.0.9",
                ggsn_teid=TEID).replace('"ggsn"', '"other"')
    return HEAD + more + f"""
ggsn {{ name = "other", address = "{OTHER}", mac = "{wire.mac_of(OTHER).hex(':')}" }}
nse {{ nsei = 101, ns = "manual", {nsvc(1, BSSS[101])},
    bvc {{ bvci = 2, {first} }}, bvc {{ bvci = 3 }} }}
nse {{ nsei = 102, ns = "manual", {nsvc(2, BSSS[102])}, bvc {{ bvci = 2, {second} }} }}
"""


class Network:
    def __init__(self, world):
        self.world, self.sent = world, 0
        self.bss = {nsei: Bss(world, nsei, [(i, peer)], {2: 80000, 3: 80000})
                    for i, (nsei, peer) in enumerate(BSSS.items(), 1)}
        for bss in self.bss.values():
            bss.nsvcs[0].blocked = False

    def indicate(self, teid, source=GGSN):
        address = bytes(map(int, source.split(".")))
        ies = b"\x10" + teid.to_bytes(4) + b"\x85\0\4" + address
        payload = b"\x32\x1a" + (4 + len(ies)).to_bytes(2) + bytes(8) + ies
        datagram = wire.Datagram(source, GTPU_PORT, GN, GTPU_PORT, payload)
        self.world.put("gn", wire.frame_of(datagram, wire.mac_of(source), wire.mac(GN_MAC)))
        self.world.run(0)

    def up(self, i, bvci=2):
        """Whether an N-PDU of MS i comes out on Gn, and to whom."""
        world, nsei = self.world, 102 if i == 8 else 101
        before, self.sent = len(world.tpdus), self.sent + 1
        self.bss[nsei].uplink(bvci, TLLI + i, npdu(GGSN, 100, self.sent))
        world.run(MS)
        return [(d.destination, int.from_bytes(d.payload[4:8])) for _, d in world.tpdus[before:]]

    def expect(self, *ended):
        for i, whole in enumerate([(GGSN, TEID), (GGSN, TEID + 1), (GGSN, TEID + 2)]):
            same(self.up(i), [] if i in ended else [whole], f"the uplink of MS {i}")
        same(self.up(8), [] if 8 in ended else [(OTHER, TEID)], "the uplink of MS 8")

    def counted(self, ended, dropped):
        world = self.world
        same((world.counts()["what"]["uplinks_ended"], world.stats()["up"]["drop_no_tunnel"]),
             (ended, dropped), "contexts whose uplink ended, and segments dropped for that")


@case("with two workers, too", 2)
@case("an error indication ends one context's uplink, until a reload", 1)
def ends(workers):
    with World(config(), workers=workers) as world:
        network = Network(world)
        network.expect()
        network.indicate(TEID + 1)
        network.expect(1)
        network.counted(1, 1)
        for _ in range(3):  # once more: nothing changes, nothing is said again
            network.indicate(TEID + 1)
        network.indicate(TEID, OTHER)
        network.expect(1, 8)
        network.counted(2, 3)
        same(world.log().count("has no tunnel"), 2, "lines of the log")
        same(network.up(1, 3), [], "its uplink from another cell of its NSE")
        same(network.up(1, 2), [], "and back")
        done, answer = world.reload(config())
        same((done, answer), (True, "no changes"), "a reload")
        network.expect()
        network.counted(2, 5)
        network.indicate(TEID + 1)
        network.expect(1)


@case("a G-PDU of the GGSN revokes it: at once, for its context alone, however often; with two workers, too", 2)
@case("a G-PDU of the GGSN revokes it, as after its restart", 1)
def sends_again(workers):
    with World(config(), workers=workers) as world:
        network = Network(world)
        for number in range(1, 4):
            network.indicate(TEID)
            network.indicate(TEID + 1)
            network.expect(0, 1)
            world.down(world.teid(TLLI + 2), npdu("10.0.0.3"))  # another context's
            world.run(MS)
            same(sent_from(world, OTHER, TLLI + 1), (1, 0), "what another GGSN sends there")
            network.expect(0, 1)
            same(sent_from(world, GGSN, TLLI + 1), (0, 1), "what its GGSN sends there")
            network.expect(0)
            same(sent_from(world, GGSN, TLLI + 1), (0, 1), "and again")
            network.expect(0)
            same(world.counted("uplinks_ended", "uplinks_resumed"), (2 * number, 2 * number - 1), "counts")
            same(len(world.log_lines("has a tunnel again")), 2 * number - 1, "lines")
            same(sent_from(world, GGSN, TLLI), (0, 1), "what its GGSN sends to the other one")
            network.expect()
        network.indicate(TEID)
        same(world.reload(config())[0], True, "a reload")
        network.expect()
        same(sent_from(world, GGSN, TLLI), (0, 1), "what its GGSN sends then")
        same(world.counted("uplinks_resumed"), (6,), "contexts that a reload had let go on")


@case("one alone, which anybody may have sent, stops for 10 s and no longer; a GGSN that says so again, again")
def ten_seconds():
    with World(config()) as world:
        network = Network(world)
        for number in range(1, 4):
            begin_ns = world.now_ns
            network.indicate(TEID + 1)
            world.run(begin_ns + 10 * S - 20 * MS - world.now_ns)
            network.expect(1)
            world.run(begin_ns + 10 * S + MS - world.now_ns)
            network.expect()
            same(world.counted("uplinks_ended", "uplinks_resumed"), (number, 0), "counts")
        same(world.log().count("has no tunnel"), 1, "lines of the log")
        network.indicate(TEID + 1)
        same(world.reload(config())[0], True, "a reload")
        network.indicate(TEID + 1)  # the time of the one before is not its time
        world.run(10 * S - 20 * MS)
        network.expect(1)
        world.run(20 * MS)
        network.expect()
        same(world.log().count("has no tunnel"), 2, "lines of the log")


@case("of a GGSN with an IPv6 address, too")
def by_ipv6():
    six = "2001:db8::2"
    with World(config().replace(f'address = "{GGSN}"', f'address = "{six}"', 1)) as world:
        network = Network(world)
        address = ipaddress.ip_address(six).packed
        ies = b"\x10" + TEID.to_bytes(4) + b"\x85\0\x10" + address
        payload = b"\x32\x1a" + (4 + len(ies)).to_bytes(2) + bytes(8) + ies
        for _ in range(2):
            datagram = wire.Datagram(six, GTPU_PORT, "2001:db8::1", GTPU_PORT, payload)
            world.put("gn", wire.frame_of(datagram, wire.mac_of(GGSN), wire.mac(GN_MAC)))
            world.run(0)
            same(network.up(0), [], "its uplink")
            same(sent_from(world, six, TLLI), (0, 1), "what its GGSN sends")
            same(network.up(0), [(six, TEID)], "its uplink")


@case("nobody but the GGSN that the context sends to, with the TEID there")
def strangers():
    with World(config()) as world:
        network = Network(world)
        for teid, source in ((TEID - 1, GGSN), (TEID + 3, GGSN), (0, GGSN), (TEID + 1, OTHER),
                             (0xFFFFFFFF, GGSN), (TEID, "192.0.2.9"), (world.teid(TLLI), GGSN)):
            network.indicate(teid, source)
        network.expect()
        network.counted(0, 0)
        same(world.stats()["gn"]["drop_stranger"], 1, "from nobody that is a GGSN")


@case("a context that is made again sends again")
def made_again():
    with World(config()) as world:
        network = Network(world)
        network.indicate(TEID)
        network.expect(0)
        without = config().replace("ggsn_teid = 4096", "ggsn_teid = 8192", 1)
        same(world.reload(without)[0], True, "a reload with another TEID")
        same(network.up(0), [(GGSN, 8192)], "its uplink")
        network.indicate(TEID)  # of the tunnel that was
        same(network.up(0), [(GGSN, 8192)], "its uplink")
        world.run(S)


@case("a far end that control sets anew: uplink goes there, G-PDUs come from there alone; with two workers, too", 2)
@case("a far end that control sets anew: uplink goes there, and G-PDUs come from there alone", 1)
def far_end(workers):
    with World(config(), workers=workers) as world:
        network = Network(world)
        pdp_id, = (t.pdp_id for t in world.tunnels() if t.tlli == TLLI and t.nse_id == 0)
        same(network.up(0), [(GGSN, TEID)], "its uplink")
        for ggsn, address, teid in (("other", OTHER, 0x77), ("other", OTHER, 0x78), ("ggsn", GGSN, 0xFFFFFFFF)):
            network.indicate(TEID)  # it had ended, besides
            world.lua(f"require('dp').pdp_tunnel {{ pdp_id = {pdp_id}, ggsn_teid = {teid}, "
                      f"ggsn_id = require('sluice.core.network').ggsn_ids['{ggsn}'] }}")
            world.run(0)
            same(network.up(0), [(address, teid)], "its uplink")
            for source in GGSN, OTHER:
                same(sent_from(world, source), (0, 1) if source == address else (1, 0), f"a G-PDU from {source}")
            same(network.up(1), [(GGSN, TEID + 1)], "another context's uplink")


STRANGER = "203.0.113.7"


def sent_from(world, source, tlli=TLLI):
    """What becomes of a G-PDU to MS 0, whose GGSN is GGSN, or another one: (dropped for its source, on its way)."""
    found = []
    for _ in range(2):
        stats = world.stats()
        found.append((stats["gn"]["drop_gn_source"], stats["background"]["in_packets"]))
        octets = npdu("10.0.0.1")
        payload = bytes([0x30, 255]) + len(octets).to_bytes(2) \
            + world.teid(tlli, nse_id=0).to_bytes(4) + octets
        own = "2001:db8::1" if ":" in source else GN
        datagram = wire.Datagram(source, GTPU_PORT, own, GTPU_PORT, payload)
        if len(found) == 1:
            world.put("gn", wire.frame_of(datagram, wire.mac_of(source), wire.mac(GN_MAC)))
            world.run(MS)
    return tuple(after - before for before, after in zip(*found))


@case("a G-PDU is taken from its context's GGSN, and from gn.from as the file has it by then")
def sources():
    wider = config().replace("gn { ", 'gn { from = { "203.0.113.0/29", "2001:db8::7" }, ', 1)
    same(wider != config(), True, "the file has gn.from")
    with World(config()) as world:
        for text, taken in ((None, {GGSN}), (wider, {GGSN, STRANGER}), (config(), {GGSN})):
            if text:
                same(world.reload(text)[0], True, "the reload")
            for source in (GGSN, OTHER, STRANGER, "203.0.113.8"):
                same(sent_from(world, source), (0, 1) if source in taken else (1, 0),
                     f"a G-PDU from {source}")


CHOSEN = 36000  # of them 32768 meet in a table of 65536


def cost_ns(step):
    """Processor time for so many contexts, whose TEIDs are so far apart."""
    with World(config()) as world:
        spent = pathlib.Path(f"/proc/{world.process.pid}/schedstat")
        before = int(spent.read_text().split()[0])
        world.lua("local teids = require('sluice.subscribers.teids') "
                  f"for i = 1, {CHOSEN} do teids.put {{ count = 1, ms = {{ pdp = {{ {{ ggsn_teid = i * {step} }} }} }} }} end")
        return int(spent.read_text().split()[0]) - before


@case("TEIDs that somebody has chosen so that they meet in a table cost what others cost")
def chosen():
    any_ns, chosen_ns = cost_ns(3), cost_ns(65535)
    print(f"# {any_ns / 1e6:.0f} ms, {chosen_ns / 1e6:.0f} ms")
    right(chosen_ns < 5 * any_ns, f"{chosen_ns} ns for TEIDs that meet, {any_ns} ns for others")


main()
