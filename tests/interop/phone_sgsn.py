#!/usr/bin/python3
"""The phone of tests/gb/phone.py, which is the oracle for our GMM and SM, is judged by others first: it attaches to
osmo-sgsn, gets a context and an address of osmo-ggsn, pings through both, updates its area, deactivates, detaches,
repeats what is lost. All of it is on the loopback device and the tun device of a network namespace that goes away.
Needs root, osmo-sgsn and osmo-ggsn, and is real time: each step waits for its event."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from harness import case, main, right, same  # noqa: E402
from phone_network import IMSI, OTHER_IMSI, SHORT_S, Network, settled, types  # noqa: E402


@case("attach, a context of the GGSN's pool, pings through both, update, deactivation, detach")
def life():
    with Network() as net:
        one = net.phone()
        net.attached(one)
        same((types(one)[0], types(one)[-2:]), (("up", 1), [("down", 2), ("up", 3)]), "messages")
        net.activated(one)
        for number, octets in enumerate((8, 56, 400, 700, 1372)):  # of more than one LLC PDU, too
            net.ping(one, 5, number, octets)
        p_tmsi = one.p_tmsi
        net.do(one, "update", kind=3)
        net.until("the area is updated", lambda: one.state == "registered")
        same(one.contexts[5].state, "active", "the context behind the update")
        net.ping(one, 5, 10, 56)
        print(f"# P-TMSI {p_tmsi.hex()}, {one.p_tmsi.hex()} behind the update; {one.contexts[5].address}")
        right("IMSI: " + IMSI in net.contexts_of(IMSI) or IMSI in net.contexts_of(IMSI), "osmo-sgsn knows it")
        net.do(one, "deactivate", 5)
        net.until("the context is gone", lambda: not one.contexts)
        net.do(one, "detach")
        net.until("the phone is detached", lambda: one.state == "deregistered")
        same(one.timers, {}, "timers")
        settled(one)
        same(net.contexts_of(IMSI), "", "what osmo-sgsn still has")


@case("as it was switched off it comes back: by its P-TMSI, without its identity if the SGSN knows it")
def comes_back():
    with Network() as net:
        one = net.phone()
        net.attached(one)
        net.activated(one, nsapi=6)
        net.ping(one, 6, 0, 56)
        net.do(one, "detach", power_off=True)
        net.attached(one)
        net.activated(one)
        net.ping(one, 5, 1, 56)
        settled(one)


@case("each message of both sides is lost once, and both ends agree")
def losses():
    with Network() as net:
        counts = {}

        def lost(way, octets):
            key = way, octets[0] & 15, octets[1]
            counts[key] = counts.get(key, 0) + 1
            return counts[key] == 1

        net.lost = lost
        one = net.phone(is_impatient=True, timers_s=SHORT_S)
        net.attached(one)
        net.activated(one)
        net.until("the last COMPLETE is there", lambda: counts.get(("up", 8, 3), 0) > 1)
        net.ping(one, 5, 0, 56)
        net.do(one, "deactivate", 5)
        net.until("the context is gone", lambda: not one.contexts)
        net.do(one, "detach")
        net.until("the phone is detached", lambda: one.state == "deregistered")
        same(net.contexts_of(IMSI), "", "what osmo-sgsn still has")
        print(f"# messages, how often: {counts}")
        same(dict(one.llc.dropped), {}, "frames that the phone dropped")


@case("two phones at once, each with two contexts")
def two():
    with Network() as net:
        phones = [net.phone(IMSI), net.phone(OTHER_IMSI)]
        for one in phones:
            net.do(one, "attach")
        net.until("both are attached", lambda: all(one.state == "registered" for one in phones))
        addresses = {net.activated(one, nsapi=nsapi) for nsapi in (5, 7) for one in phones}
        same(len(addresses), 4, f"addresses: {addresses}")
        for number in range(4):
            net.ping(phones[number % 2], (5, 7)[number // 2], number, 100)
        for one in phones:
            settled(one)


main()
