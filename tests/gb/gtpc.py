#!/usr/bin/python3
"""GTP-C's datagrams (TS 29.060, UDP port 2123) between control and GGSNs: without a GGSN that speaks it the
port is closed, as ever. With one, control gets what that GGSN says, octet for octet, and sends back; anybody
else is dropped, and named in the log; and a GGSN that floods takes no turn of another GGSN or of a BSS."""

import codec
import frames as wire
from world import GGSN, GN, GN_MAC, HEAD, MS, S, World, case, main, nsvc, right, same

GTPC_PORT = 2123
SIX = "2001:db8::7"
STRANGER = "203.0.113.7"
OWN = {4: GN, 6: "2001:db8::1"}
BSS = "198.51.100.11"
A_TURN = 16

CONFIG = HEAD + f"""
room {{ ggsns = 4 }}
nse {{ nsei = 101, ns = "manual", {nsvc(1, BSS)}, bvc {{ bvci = 2 }} }}
"""

# Control notes what it gets, as source, port and octets, and does no more than it is let.
HANDLER = """
heard, left, order = {}, 10^9, {}
local events = require('events')
local take = events.take
local function note(kind, ...)
    order[#order + 1] = kind
    return kind, ...
end
events.take = function() if left > 0 then left = left - 1 return note(take()) end end
require('sluice.gtpc.datagrams').on(function(address, port, octets)
    heard[#heard + 1] = address .. ' ' .. port .. ' ' .. octets:gsub('.', function(c)
        return ('%02x'):format(c:byte()) end)
    return 'handled'
end)
""".replace("\n", " ")


def opened(world, *ggsns):
    """Each is one more GGSN, which speaks GTP-C: ids from 1 on."""
    world.lua(HANDLER)
    for number, address in enumerate(ggsns, 1):
        world.lua(f"require('dp').ggsn {{ ggsn_id = {number}, gtpc = true, mac = '{wire.mac_of(address).hex(':')}', "
                  f"address = require('sluice.config.parts').address('{address}') }}")
    world.run(0)


def frame(source, payload, port=GTPC_PORT, to=GTPC_PORT):
    own = OWN[6 if ":" in source else 4]
    datagram = wire.Datagram(source, port, own, to, payload)
    return wire.frame_of(datagram, wire.mac_of(source), wire.mac(GN_MAC))


def heard(world):
    found = world.lua("local t = table.concat(heard, '|') heard = {} return t")
    return [tuple(one.split(" ")) for one in found.split("|") if one]


def mapped(source):
    return source if ":" in source else f"::ffff:{source}"


@case("without a GGSN that speaks it the port is closed, whoever sends")
def closed():
    with World(CONFIG) as world:
        world.lua(HANDLER)
        for source in (GGSN, STRANGER, SIX):
            world.put("gn", frame(source, b"\x32\x01\0\4" + bytes(8)))
        world.run(S)
        same(heard(world), [], "datagrams that came to control")
        gn = world.stats()["gn"]
        same((gn["drop_other_port"], gn["drop_gtpc_stranger"], gn["control_packets"]), (3, 0, 0), "frames")
        same(world.log_lines("GTP-C"), [], "lines of the log")


@case("a GGSN is heard, octet for octet, and answered", 1)
@case("with two workers, too", 2)
def both_ways(workers):
    with World(CONFIG, workers=workers) as world:
        opened(world, GGSN, SIX)
        for worker in range(workers):
            world.worker = worker
            for source, port, octets in ((GGSN, 2123, b"\x32\x01\0\4" + bytes(8)), (SIX, 40000, bytes(300)),
                                         (GGSN, 1, b"\0\0\0\2"), (SIX, 2123, b"")):
                world.put("gn", frame(source, octets, port))
                world.run(0)
                same(heard(world), [(mapped(source), str(port), octets.hex())], f"of {source}")
        same(world.stats()["gn"]["control_packets"], 4 * workers, "frames for control")
        for number, address in ((1, GGSN), (2, SIX)):
            for octets in (1, 3, 600):
                world.tpdus.clear()
                world.lua(f"require('dp').ggsn_send {{ ggsn_id = {number}, pdu = ('\\x32'):rep({octets}) }}")
                world.run(0)
                own = OWN[6 if ":" in address else 4]
                same([datagram for _, datagram in world.tpdus],
                     [wire.Datagram(own, GTPC_PORT, address, GTPC_PORT, b"\x32" * octets)], "what was sent")


@case("what ggsn_send is refused for")
def refused():
    with World(CONFIG) as world:
        opened(world, GGSN)
        for fields, why in (("ggsn_id = 0, pdu = 'x'", "Operation not supported"),
                            ("ggsn_id = 3, pdu = 'x'", "No such file or directory"),
                            ("ggsn_id = 1, pdu = ('x'):rep(1453)", "Message too long"),
                            ("ggsn_id = 1", "pdu"), ("ggsn_id = 1, pdu = ''", "pdu")):
            said = world.lua(f"return select(2, pcall(require('dp').ggsn_send, {{ {fields} }}))")
            right(why in said, f"{fields}: {said}")
        world.run(S)
        same(world.tpdus, [], "what was sent")


@case("anybody else is dropped, and named once in a while")
def strangers():
    with World(CONFIG) as world:
        opened(world, GGSN)
        for _ in range(300):
            world.put("gn", frame(STRANGER, b"\x32\x10" + bytes(40), 4567))
            world.run(10 * MS)
        same(heard(world), [], "datagrams that came to control")
        same(world.stats()["gn"]["drop_gtpc_stranger"], 300, "dropped")
        same(world.counts()["what"]["ignored"], 3, "told: one a second")
        same(len(world.log_lines(f"GTP-C from {STRANGER}", "4567", "is dropped")), 1, "lines of the log")
        world.run(10 * S)
        world.put("gn", frame(STRANGER, b"\x32"))
        world.run(0)
        same(len(world.log_lines("GTP-C")), 2, "lines of the log")


@case("garbage of one GGSN, and behind it another GGSN and a BSS: each is heard within two turns", 1)
@case("with two workers, too", 2)
def floods(workers):
    with World(CONFIG, workers=workers) as world:
        opened(world, GGSN, SIX)
        world.lua("left = 0")
        world.put_all("gn", [frame(GGSN, b"\xff" * 500)] * 200)
        world.run(0)
        world.put("gn", frame(SIX, b"\x32\x02"))
        octets = codec.unitdata(2, codec.build("bssgp_flow_control_bvc", tag=1, bmax=100, r=100,
                                               bmax_default=10, r_default=10))
        world.gb(BSS, octets)
        world.run(0)
        world.lua(f"order = {{}} left = {2 * 2 * A_TURN}")
        world.run(S)
        same([one for one in heard(world) if one[0] == SIX], [(SIX, "2123", "3202")], "the other GGSN's")
        right("ns" in world.lua("return table.concat(order, ' ')").split(), "the BSS's PDU was handled")
        world.lua("left = 10^9")
        world.run(S)
        same(world.counted("shed", "handled"), (0, 202), "events")


main()
