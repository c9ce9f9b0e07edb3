#!/usr/bin/python3
"""Real time with two workers, each of which has addresses of its own on Gn: contexts.json tells the
GGSN which one to send to, and the port is a host at all of them. Where the device takes rules by
address (net_tap, if the kernel has cls_flower, sch_multiq and act_skbedit) no frame comes to the wrong
worker; where not, a frame that does is handed on. On Gb the rules are by peer. See real.py."""

import functools
import re

import network
import real
from harness import case, check_sound, main, right, same, until
from instance import client

OWN4, OWN6 = ["192.0.2.1", "192.0.2.101"], ["2001:db8::1", "2001:db8::101"]
CONFIG = real.CONFIG.replace(
    'address = "192.0.2.1", address6 = "2001:db8::1"',
    'address = { "192.0.2.1", "192.0.2.101" }, address6 = { "2001:db8::1", "2001:db8::101" }')
DEVICES = {"net_af_packet": functools.partial(network.veth, queues=2), "net_tap": network.tap}
CONNECT = {}  # waits until the links are up, where a device takes time for that


@functools.cache
def start(name):
    """FOUR and LARGE are at worker 0, SIX is at worker 1."""
    world = real.World(DEVICES[name], "run.workers=2", config=CONFIG)
    CONNECT.get(name, lambda _: None)(world)
    world.contexts = {one["imsi"]: one for one in world.program.contexts()}
    return world


def own(world, ms):
    return world.contexts[ms.imsi]["sgsn_address6" if ms is real.SIX else "sgsn_address"]


def steering(world, port):
    return re.search(rf'^{port}: steering "(\w+)"', world.program.said(), re.MULTILINE)[1]


NSVCS = 2 + len(real.MORE_PORTS)


def rules_are_made():
    gb = real.port_stats()[1]
    same(gb["rules_refused"], 0, "rules that were refused")
    return gb["rules"] == NSVCS


# host() asks with a TEID of each MS's worker at the other worker's address, too, once each.
ASKED_ELSEWHERE = 2


def cases(name, wanted=None):
    """`wanted`: the ways of Gn and Gb that this device can do."""
    @case(f"{name}: contexts.json has the addresses of each context's worker")
    def told():
        world = start(name)
        for ms, worker in (real.FOUR, 0), (real.LARGE, 0), (real.SIX, 1):
            same((world.contexts[ms.imsi]["sgsn_address"], world.contexts[ms.imsi]["sgsn_address6"]),
                 (OWN4[worker], OWN6[worker]), f"the addresses of {ms.imsi}")

    @case(f"{name}: the way that was taken is in the log and in `stats`")
    def said():
        world = start(name)
        text = client("stats")
        for port, stats in zip(("gn", "gb"), real.port_stats()):
            way = steering(world, port)
            same(stats.get("steering"), way, f"steering of {port} in stats")
            same(sorted(stats["rx_packets_by_worker"]), ["0", "1"], "workers with a share of the frames")
            right(re.search(rf"^    {port.capitalize()} steering: {way}.*; handed on to other workers: \d+$",
                            text, re.MULTILINE), "stats as text does not say it")
        if steering(world, "gb") == "peer":
            until("a rule for each NS-VC", rules_are_made)

    @case(f"{name}: each address is pinged, and answers a GTP echo and an unknown TEID")
    def host():
        world = start(name)
        for four, six in zip(OWN4, OWN6):
            for ms, address in (real.FOUR, four), (real.SIX, six):
                world.host.ping(address, 56)
                world.host.ping(address, 1500)
                end = world.ggsn(ms)
                for question, kind in ((real.ECHO, 2),
                                       (real.g_pdu(world.teid(ms) ^ 0x00300000, b"x"), 26)):
                    end.sendto(question, (address, real.GTPU_PORT))
                    answer, sender = real.receive(end, f"an answer from {address}")
                    same((answer[1], sender[0]), (kind, address), "the answer, and who sends it")

    @case(f"{name}: N-PDUs come to the address that was told, in fragments too, and go up from it")
    def packets():
        world = start(name)
        for address in network.GB4, network.GB6:
            world.host.ping(address, 56)  # the BSS is known then
        for ms in real.FOUR, real.SIX, real.LARGE:
            ms.gn = own(world, ms)
            for octets in 40, 1400, 1500:
                real.sent_down(world, ms, [world.packet(ms, octets)])
        real.sent_up(world, real.SIX, [world.packet(real.SIX, 300)], 496)
        real.sent_up(world, real.FOUR, [world.packet(real.FOUR, 300)], 496)

    @case(f"{name}: every packet is accounted for; with rules none was handed on that came to its address")
    def end():
        world = start(name)
        summary = world.program.finish()
        check_sound(summary)
        gn, gb = (summary["worker"]["ports"][port] for port in ("gn", "gb"))
        ways = steering(world, "gn"), steering(world, "gb")
        for port, stats in ("gn", gn), ("gb", gb):
            line = re.search(rf"^{port}: steering .*$", world.program.said(), re.MULTILINE)[0]
            print(f"# {name}: {line}; {stats['strays_out_packets']} of {stats['rx_packets']} frames handed on")
        same(ways, wanted or ways, "how the frames of Gn and Gb came")
        right(ways[0] in ("address", "strays"), f"Gn's came by {ways[0]}")
        right(ways[1] in ("peer", "rss", "strays"), f"Gb's came by {ways[1]}")
        if ways[0] == "address":
            same(gn["strays_out_packets"], ASKED_ELSEWHERE, "frames of Gn handed on")
        if ways[1] == "peer":
            same(gb["strays_out_packets"], 0, "frames of Gb handed on")


if __name__ == "__main__":
    for name in DEVICES:
        cases(name)
    main()
