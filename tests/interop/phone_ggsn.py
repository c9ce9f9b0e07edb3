#!/usr/bin/python3
"""Sluice between a phone of octets (tests/gb/phone.py) and osmo-ggsn: attach, CREATE, an address of its pool, pings
through all of it, ECHO, DELETE; and osmo-ggsn is killed and comes again. In real time, in two namespaces that go away.
Needs root and osmo-ggsn."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import gb  # noqa: E402
import network  # noqa: E402
from harness import Running, case, main, right, same  # noqa: E402
from instance import client  # noqa: E402
from phone_network import IMSI, OTHER_IMSI, Network, ping, settled  # noqa: E402
from phone_card import Card  # noqa: E402, which phone_network puts into the path

K, OPC = bytes(range(16)), bytes(range(16, 32))  # test keys, of no operator
CONFIG = f"""
run {{ name = "phone", clock = "real" }}
gn {{ address = "{network.GN4}" }}
gb {{ address = "{network.GB4}" }}
ggsn {{ address = "{network.GGSN4}", control = "{network.GGSN4}" }}
apn {{ name = "internet", default = true }}
attach {{ who = "open", networks = {{ "262-42" }}, most = 100 }}
phone {{ imsi = "{OTHER_IMSI}", k = "{K.hex()}", opc = "{OPC.hex()}" }}
nse {{
    nsei = {gb.NSEI}, ns = "reset",
    nsvc {{ nsvci = {gb.NSVCI}, peer = "{network.BSS4}" }}, bvc {{ bvci = {gb.BVCI} }},
}}
"""


class WithSluice(Network):
    sgsn_address, ggsn_address, bss_address = network.GB4, network.GGSN4, network.BSS4
    programs = "ethtool", "osmo-ggsn"

    def place(self):
        self.ours, far, self.gn, self.gb_device = network.veth()
        network.Host(far).configure()
        return far

    def start_sgsn(self):
        return Running(CONFIG, f"gn.device={self.gn}", f"gb.device={self.gb_device}",
                       before=network.within(self.ours))

    def said(self):
        return super().said() + (self.sgsn.said()[-3000:] if hasattr(self, "sgsn") else "")

    def wait_for_line(self, words, times=1):
        self.until(f"{times} times in the log: {words}", lambda: self.sgsn.said().count(words) >= times)


def forge(net):
    """An error indication (29.281 7.3.1) from the GGSN's address for the TEID of its only context."""
    teid = re.search(r"NSAPI \d+: .* TEID 0x[0-9a-f]+ here, 0x([0-9a-f]+) there", client("ctl", "phone", IMSI))[1]
    ies = b"\x10" + bytes.fromhex(teid) + b"\x85\0\4" + bytes(map(int, network.GGSN4.split(".")))
    with network.Host(net.space).udp(network.GGSN4, 0) as end:
        end.sendto(b"\x32\x1a" + (4 + len(ies)).to_bytes(2) + bytes(8) + ies, (network.GN4, 2152))


@case("an address of osmo-ggsn's pool, pings through both, DELETE; it is killed, and all of it again")
def whole():
    with WithSluice() as net:
        net.wait_for_line("GTP-C is up")
        one = net.phone()
        net.attached(one)
        address = net.activated(one)
        for number, octets in enumerate((8, 400, 1372)):
            net.ping(one, 5, number, octets)
        net.do(one, "deactivate", 5)
        net.until("the context is gone", lambda: not one.contexts)
        net.activated(one, nsapi=6)
        net.ping(one, 6, 10, 56)
        forge(net)
        net.wait_for_line("it has the context; an ERROR INDICATION in its name is somebody else's")
        net.ping(one, 6, 11, 56)
        first = re.search(r"restart counter (\d+)", net.sgsn.said())[1]
        net.ggsn.kill()
        net.ggsn = net.start_ggsn()
        net.do(one, "activate", nsapi=7)  # its answer has the new counter, which ends the other context
        net.until("the new context is there", lambda: 7 in one.contexts and one.contexts[7].state == "active")
        net.until("the old one is gone", lambda: 6 not in one.contexts)
        same([refused[1:] for refused in one.refused], [("deactivated", 39)], "what the phone was told")
        net.ping(one, 7, 20, 56)
        print(f"# {address}; osmo-ggsn's restart counter was {first}")
        net.do(one, "detach")
        net.until("the phone is detached", lambda: one.state == "deregistered")
        settled(one)
        right(" error " not in net.sgsn.said(), net.sgsn.said())


@case("with a card, enciphered: Sluice is killed, another one does not know the phone, and its next packet lets it in again")
def keys():
    with WithSluice() as net:
        net.wait_for_line("GTP-C is up")
        one = net.phone(OTHER_IMSI, card=Card(K, OPC), net_capability=b"\xe5\xf0")
        one.wants(0)
        net.attached(one)
        for number in range(2):
            net.until("it has a context", lambda: 5 in one.contexts and one.contexts[5].state == "active")
            if number == 0:
                net.ping(one, 5, 1, 700)
            net.sgsn.kill()
            net.sgsn = net.start_sgsn()
            net.bring_up()
            net.wait_for_line("GTP-C is up")
            keys = len(one.keys)
            net.do(one, "send", 5, ping(one.contexts[5].address, "172.16.222.0", 2, 56))
            net.until("it attaches again, under a key of its own", lambda keys=keys: len(one.keys) == keys + 2)
        net.until("it has a context", lambda: 5 in one.contexts and one.contexts[5].state == "active")
        requests = {octets for _, way, octets in one.messages if way == "down" and octets[1] == 0x12}
        same(len({octets[5:21] for octets in requests}), len(requests), "RANDs, and requests")
        # The SQN of a new card is 0, too far behind the clock: it says so to each Sluice once.
        same([octets[2] for _, way, octets in one.messages if way == "up" and octets[1] == 0x1C], [21] * 3, "its card's failures")
        right(" error " not in net.sgsn.said() and K.hex() not in net.sgsn.said(), net.sgsn.said())


main()
