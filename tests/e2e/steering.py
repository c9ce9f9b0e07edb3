#!/usr/bin/python3
"""Real time with two workers, each of which has addresses of its own on Gn: contexts.json tells the
GGSN which one to send to, and the port is a host at all of them. Where the device takes rules by
address (net_tap, if the kernel has cls_flower, sch_multiq and act_skbedit) no frame comes to the wrong
worker; where not, a frame that does is handed on. See real.py."""

import functools
import json
import re

import network
import real
from harness import case, check_sound, main, right, same
from instance import client

OWN4, OWN6 = ["192.0.2.1", "192.0.2.101"], ["2001:db8::1", "2001:db8::101"]
CONFIG = real.CONFIG.replace(
    'address = "192.0.2.1", address6 = "2001:db8::1"',
    'address = { "192.0.2.1", "192.0.2.101" }, address6 = { "2001:db8::1", "2001:db8::101" }')
DEVICES = {"net_af_packet": functools.partial(network.veth, queues=2), "net_tap": network.tap}


@functools.cache
def start(name):
    """FOUR and LARGE are at worker 0, SIX is at worker 1."""
    world = real.World(DEVICES[name], "run.workers=2", config=CONFIG)
    world.contexts = {one["imsi"]: one for one in world.program.contexts()}
    return world


def own(world, ms):
    return world.contexts[ms.imsi]["sgsn_address6" if ms is real.SIX else "sgsn_address"]


def steering(world):
    return re.search(r'^gn: steering "(\w+)"', world.program.said(), re.MULTILINE)[1]


def cases(name):
    @case(f"{name}: contexts.json has the addresses of each context's worker")
    def told():
        world = start(name)
        for ms, worker in (real.FOUR, 0), (real.LARGE, 0), (real.SIX, 1):
            same((world.contexts[ms.imsi]["sgsn_address"], world.contexts[ms.imsi]["sgsn_address6"]),
                 (OWN4[worker], OWN6[worker]), f"the addresses of {ms.imsi}")

    @case(f"{name}: the way that was taken is in the log and in `stats`")
    def said():
        world = start(name)
        seen = json.loads(client("stats", "--json"))
        same(seen["stats"]["gn"].get("steering"), steering(world), "steering of Gn in stats")
        same(seen["stats"]["gb"].get("steering"), None, "steering of Gb in stats")
        shares = seen["stats"]["gn"]["rx_packets_by_worker"]
        same(sorted(shares), ["0", "1"], "workers with a share of the frames")
        right(f"\n    Gn steering: {steering(world)}; handed on to other workers: " in client("stats"),
              "stats as text does not say it")

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

    @case(f"{name}: every packet is accounted for; with rules by address none was handed on")
    def end():
        world = start(name)
        way = steering(world)
        summary = world.program.finish()
        check_sound(summary)
        gn = summary["worker"]["ports"]["gn"]
        right(way in ("address", "strays"), f"it came by {way}")
        if way == "address":
            same(gn["strays_out_packets"], 0, "frames handed on")


for name in DEVICES:
    cases(name)
main()
