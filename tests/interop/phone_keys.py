#!/usr/bin/python3
"""The phone of tests/gb/phone.py with a card is judged by others before it judges us: osmo-sgsn authenticates and
enciphers it, with keys that osmo-hlr has. USIM and SIM, GEA4, GEA3 and none: it attaches, gets a context, pings, updates,
detaches; and its card resynchronises. A SIM has no key for GEA4, which osmo-sgsn 1.9 goes on with all the same.
Needs root, osmo-sgsn, osmo-ggsn and osmo-hlr, and is real time: each step waits for its event."""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import osmo  # noqa: E402
from harness import case, main, right, same  # noqa: E402
from phone_network import IMSI, Network, settled, types  # noqa: E402
from phone_card import Card  # noqa: E402, which phone_network puts into the path

K, OPC = bytes(range(16)), bytes(range(16, 32))  # test keys, of no operator
ALL_GEAS = b"\xe5\xf0"


class Keyed(Network):
    programs = ("osmo-sgsn", "osmo-ggsn", "osmo-hlr")

    def __init__(self, gea):
        self.gea = gea
        super().__init__()

    def start_sgsn(self):
        self.hlr = self.start("osmo-hlr", osmo.HLR, "-l", self.folder / "hlr.db")
        osmo.add_subscriber(self.space, IMSI, K, OPC, self.said)
        return self.start_osmo(osmo.subscribers_with(self.gea))

    def __exit__(self, *_):
        super().__exit__()
        self.hlr.kill()

    def activated(self, one, nsapi=5, **more):
        """osmo-sgsn accepts an attach before it knows of osmo-hlr which APNs the phone may have: cause 33 until then."""
        while not (nsapi in one.contexts and one.contexts[nsapi].state == "active"):
            seen = len(one.refused)
            self.do(one, "activate", nsapi=nsapi, **more)
            self.until("an answer", lambda: len(one.refused) > seen or one.contexts[nsapi].state == "active")
            same([cause for _, _, cause in one.refused[seen:]][:1] or [33], [33], "cause")

    def card(self, kind, **more):
        return self.phone(card=Card(K, OPC, kind, **more), net_capability=ALL_GEAS)


for KIND, GEA in itertools.product(("usim", "sim"), (4, 3, 0)):
    if (KIND, GEA) != ("sim", 4):
        @case(f"{KIND}, GEA{GEA}: attach, context, pings, update, detach", KIND, GEA)
        def life(kind, gea):
            with Keyed(gea) as net:
                one = net.card(kind)
                net.attached(one)
                same([octets for way, octets in types(one)][-4:], [0x12, 0x13, 2, 3], "messages")
                same(one.gea, gea, "the phone's cipher")
                net.activated(one)
                for number, octets in enumerate((8, 400, 1372)):
                    net.ping(one, 5, number, octets)
                net.do(one, "update", kind=3)
                net.until("the area is updated", lambda: one.state == "registered")
                net.ping(one, 5, 10, 56)
                net.do(one, "detach")
                net.until("the phone is detached", lambda: one.state == "deregistered")
                settled(one)


@case("a card whose SQN is ahead resynchronises once, and is let in")
def ahead():
    """Without a cipher: osmo-sgsn 1.9 enciphers what follows with the key of the RAND that the card has refused."""
    with Keyed(0) as net:
        one = net.card("usim", seq=10**6)
        net.attached(one)
        same([octets[1] for _, way, octets in one.messages if way == "up" and octets[1] == 0x1C], [0x1C], "failures")
        net.activated(one)
        net.ping(one, 5, 1, 56)


main()
