#!/usr/bin/python3
"""VLANs in real time: Gn and Gb in VLANs 100 and 200 of a tap each, whose tags the program handles; both at one tap, as
at a lab's single NIC; both at one veth with two queues, whose driver handles tags. See real.py."""

import collections
import functools

import instance
import network
import real
import tags
import tshark_json
from harness import case, check_sound, main, right, same
from network import GB4, GN4, GTPU_PORT, NS_PORT

SETS = "gn.vlan=100", "gb.vlan=200"
ONE = ("trunk",)
IN_SOFTWARE, BY_DEVICE = (f"taken off and put on {how}" for how in ("in software", "by the device"))
KINDS = {
    "two taps": (network.tap, 1, IN_SOFTWARE, "by the device"),
    "one tap": (functools.partial(network.tap, links=ONE), 1, IN_SOFTWARE, "by the device"),
    "one veth": (functools.partial(network.veth, 2, links=ONE), 2, BY_DEVICE, "in software"),
}


def cases(name):
    devices, workers, how, sums = KINDS[name]
    real.cases(devices, *SETS, workers=workers, host=network.VlanHost, besides=["vlan"], sums=sums)
    link = "gn" if name == "two taps" else ONE[0]

    @functools.cache
    def start():
        world = real.World(devices, *SETS, f"run.workers={workers}", host=network.VlanHost)
        for address in GN4, GB4:  # so each knows the other
            world.host.ping(address, 56)
        return world

    @case(f"{name}: the log says the VLANs and who handles their tags; `stats` has the VLANs")
    def said():
        world = start()
        for port, vlan in ("gn", 100), ("gb", 200):
            right(f"\n{port}: VLAN {vlan}, its tags {how}\n" in world.program.said(), world.program.said())
        same([port["vlan"] for port in real.port_stats()], [100, 200], "vlan in stats")

    @case(f"{name}: frames of other VLANs, with two tags, and without one are dropped and counted; others answered")
    def others():
        strange = tags.STRANGE + ([[(tags.C, 200)]] if link == "gn" else [])
        same(tags.judged(start(), link, strange), len(strange), "how many were dropped for their tags")

    @case(f"{name}: a capture has the tags, as tshark reads it")
    def captured():
        world = start()
        instance.client("ctl", "capture", "user", "on")
        packets = [world.packet(real.FOUR, octets) for octets in (60, 700, 1400)]
        real.sent_down(world, real.FOUR, packets)
        real.sent_up(world, real.FOUR, packets, 496)
        instance.client("ctl", "capture", "user", "off")
        text = tshark_json.tshark(str(world.program.out / "user.pcapng"), "-T", "fields", "-e", "frame.interface_name",
                                  "-e", "vlan.id", "-e", "frame.packet_flags_direction", "-e", "gtp.message", "-e",
                                  "nsip.pdu_type", "-Y", f"udp.port=={GTPU_PORT}||udp.port=={NS_PORT}")
        rows = [line.split("\t") for line in text.splitlines()]
        same({tuple(row[:2]) for row in rows}, {("gn", "100"), ("gb", "200")}, "the VLAN of each interface")
        ways = collections.Counter((row[0], int(row[2], 0)) for row in rows)
        right(min(ways[port, way] for port in ("gn", "gb") for way in (1, 2)) >= 3, f"frames by way: {ways}")
        same([row for row in rows if not row[3] + row[4]], [], "neither GTP-U nor NS, to tshark")

    @case(f"{name}: every packet of that is accounted for")
    def end():
        check_sound(start().program.finish())


for kind in KINDS:
    cases(kind)
main()
