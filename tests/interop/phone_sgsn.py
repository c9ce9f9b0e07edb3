#!/usr/bin/python3
"""The phone of tests/gb/phone.py, which is the oracle for our GMM and SM, is judged by others first: it attaches to
osmo-sgsn, gets a context and an address of osmo-ggsn, pings through both, updates its area, deactivates, detaches,
repeats what is lost. All of it is on the loopback device and the tun device of a network namespace that goes away.
Needs root, osmo-sgsn and osmo-ggsn, and is real time: each step waits for its event."""

import os
import pathlib
import select
import socket
import struct
import sys
import time

for folder in "e2e", "gb":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / folder))

import gb  # noqa: E402
import network  # noqa: E402
from bts_chain import Part  # noqa: E402
from checksums import checksum  # noqa: E402
from harness import PATIENCE, Failure, case, has_started, main, new_folder, right, same, until  # noqa: E402
from phone import Phone  # noqa: E402

WAIT_S = 60 * PATIENCE  # nearly all is done within 1 s
SHORT_S = {"T3321": 3, "T3330": 3, "T3380": 3, "T3390": 3}  # of a phone whose messages are lost
IMSI, OTHER_IMSI = "262420123456789", "262420123456790"
SGSN, GGSN, BSS, FAR = "127.0.0.1", "127.0.0.2", "127.0.0.3", "172.16.222.0"
POOL = "172.16.222."

GGSN_CONFIG = """line vty
 no login
ggsn ggsn0
 gtp state-dir {folder}
 gtp bind-ip 127.0.0.2
 apn internet
  gtpu-mode tun
  tun-device tun4
  type-support v4
  ip prefix dynamic 172.16.222.0/24
  ip ifconfig 172.16.222.0/24
  no shutdown
 default-apn internet
 no shutdown ggsn
"""

SGSN_CONFIG = """line vty
 no login
sgsn
 gtp state-dir {folder}
 gtp local-ip 127.0.0.1
 ggsn 0 remote-ip 127.0.0.2
 ggsn 0 gtp-version 1
 apn * ggsn 0
 authentication optional
 auth-policy accept-all
ns
 timer tns-test 30
 timer tns-alive 3
 timer tns-alive-retries 10
 bind udp local
  listen 127.0.0.1 23000
  accept-ipaccess
bssgp
"""


def llc_of(pdu):
    """TLLI and LLC PDU of a DL-UNITDATA: behind TLLI and QoS come elements, the LLC PDU last."""
    at = 8
    while pdu[at] != 0x0E:
        at += 2 + (pdu[at + 1] & 0x7F) if pdu[at + 1] & 0x80 else 3 + int.from_bytes(pdu[at + 1:at + 3])
    at += 2 if pdu[at + 1] & 0x80 else 3
    return int.from_bytes(pdu[1:5]), pdu[at:]


class Network:
    """osmo-ggsn, osmo-sgsn, and a BSS with phones in real time. `lost` says of a message ("up" or "down", octets)
    whether it is lost."""

    def __init__(self):
        network.needs("ip", "osmo-sgsn", "osmo-ggsn")
        self.space, self.folder = network.namespace(), new_folder()
        self.phones, self.lost, self.reset = [], lambda way, octets: False, set()
        self.ggsn = self.start("osmo-ggsn", GGSN_CONFIG)
        until("the GGSN's device", lambda: network.command("ip", "-n", self.space, "addr", "show", "tun4").returncode == 0
              and FAR in network.command("ip", "-n", self.space, "addr", "show", "tun4").stdout, self.said)
        self.sgsn = self.start("osmo-sgsn", SGSN_CONFIG)
        with network.inside(self.space):
            self.end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.end.bind((BSS, 23000))
        self.bring_up()

    def start(self, name, config):
        path = self.folder / f"{name}.cfg"
        path.write_text(config.format(folder=self.folder))
        part = Part(self.space, self.folder, name, name, "-c", path)
        has_started(part)
        return part

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sgsn.kill()
        self.ggsn.kill()
        self.end.close()

    def said(self):
        return "\n".join(path.read_text(errors="replace")[-2500:] for path in sorted(self.folder.glob("*.err")))

    # ---- Gb ----

    def bring_up(self):
        """NS and both BVCs; a step is repeated until it is answered, for the SGSN may not listen yet."""
        cause = gb.ie(7, b"\x08")
        steps = ((b"\x02" + gb.ie(0, b"\x01") + gb.NSVCI_IE + gb.NSEI_IE, (3,)), (b"\x0a", (0x0B,)), (b"\x06", (7,)),
                 (gb.unitdata(0, b"\x22" + gb.SIGNALLING_IE + cause + gb.ie(0x3B, b"\0")), (0, 0x23)),
                 (gb.unitdata(0, b"\x22" + gb.BVCI_IE + cause + gb.ie(8, gb.CELL)), (0, 0x23)),
                 (gb.unitdata(gb.BVCI, b"\x26" + gb.ie(0x1E, b"\x01") + b"".join(
                     gb.ie(tag, struct.pack(">H", value)) for tag, value in ((5, 6000), (3, 4800), (1, 3000), (0x1C, 2400)))),
                  (0, 0x27)))
        deadline = time.monotonic() + WAIT_S
        for octets, wanted in steps:
            answered = False
            while not answered:
                right(time.monotonic() < deadline, f"not within {WAIT_S} s: an answer to {octets.hex()}\n{self.said()}")
                self.put(octets)
                until_s = time.monotonic() + 1
                while not answered and time.monotonic() < until_s:
                    heard = self.listen(0.2)
                    answered = heard and (heard[0], *heard[4:5])[:len(wanted)] == wanted

    def put(self, octets):
        self.end.sendto(octets, (SGSN, 23000))

    def listen(self, seconds):
        """A datagram of the SGSN, answered and handed on."""
        if not select.select([self.end], [], [], max(0, seconds))[0]:
            return None
        try:
            datagram = self.end.recv(65536)
        except ConnectionRefusedError:  # it is not there yet
            time.sleep(0.05)
            return None
        if datagram[:4] == b"\0\0" + gb.BVCI.to_bytes(2) and datagram[4] == 0:
            self.downlink(*llc_of(datagram[4:]))
        for answer in gb.bss_answer(datagram):
            self.put(answer)
        return datagram

    def downlink(self, tlli, llc):
        if llc and llc[0] & 15 == 1 and llc[1] & 0xE0 == 0xC0 and self.lost("down", llc[3:-3]):
            return
        for one in self.phones:
            self.uplink(one.take(time.monotonic_ns(), tlli, llc))

    def uplink(self, frames):
        for tlli, llc in frames:
            if not (llc[0] & 15 == 1 and llc[1] & 0xE0 == 0xC0 and self.lost("up", llc[3:-3])):
                self.put(gb.unitdata(gb.BVCI, gb.ul_unitdata(tlli, llc)))

    def until(self, what, condition):
        """Time passes for all phones until it is true."""
        deadline = time.monotonic() + WAIT_S
        while not condition():
            due_ns = min((one.due_ns for one in self.phones if one.due_ns is not None), default=None)
            wait_s = 0.5 if due_ns is None else min(0.5, due_ns / 1e9 - time.monotonic())
            self.listen(wait_s)
            for one in self.phones:
                if one.due_ns is not None and one.due_ns <= time.monotonic_ns():
                    self.uplink(one.tick(time.monotonic_ns()))
            if time.monotonic() > deadline:
                raise Failure(f"not within {WAIT_S} s: {what}; phones: "
                              f"{[(p.state, p.refused, p.unexpected, p.llc.dropped, tail(p)) for p in self.phones]}\n"
                              f"{self.said()}")

    # ---- Phones ----

    def phone(self, imsi=IMSI, **more):
        one = Phone(imsi, rai=gb.RAI, **more)
        self.phones.append(one)
        return one

    def do(self, one, name, *arguments, **more):
        self.uplink(getattr(one, name)(time.monotonic_ns(), *arguments, **more))

    def attached(self, one):
        self.do(one, "attach")
        self.until("the phone is attached", lambda: one.state == "registered")

    def activated(self, one, nsapi=5, **more):
        self.do(one, "activate", nsapi=nsapi, **more)
        self.until(f"NSAPI {nsapi} is active", lambda: nsapi in one.contexts and one.contexts[nsapi].state == "active")
        address = one.contexts[nsapi].address
        right(address and address.startswith(POOL), f"address {address}")
        return address

    def ping(self, one, nsapi, number, octets):
        """Through both to the GGSN's own address, and back."""
        before, echo = len(one.packets), ping(one.contexts[nsapi].address, FAR, number, octets)
        self.do(one, "send", nsapi, echo)
        self.until(f"the answer to ping {number}", lambda: len(one.packets) > before)
        _, found, packet = one.packets[-1]
        same((found, packet[12:20], packet[20], packet[24:]), (nsapi, echo[16:20] + echo[12:16], 0, echo[24:]), "answer")

    def contexts_of(self, imsi):
        """What osmo-sgsn itself knows of the subscriber: nothing, or the lines of its VTY."""
        with network.inside(self.space):
            vty = socket.create_connection((SGSN, 4245), timeout=WAIT_S)
        with vty:
            text = answer(vty)
            vty.sendall(b"show mm-context all pdp\r\n")
            text = answer(vty)
        blocks = text.split("MM Context for ")
        return next((block for block in blocks if imsi in block), "")


def answer(vty):
    text = b""
    while not text.endswith(b"> "):
        part = vty.recv(65536)
        right(part, f"the VTY has ended: {text}")
        text += part
    return text.decode(errors="replace")


def tail(phone):
    return [(way, octets.hex()) for _, way, octets in phone.messages[-8:]]


def ping(source, destination, number, octets):
    echo = struct.pack(">BBHHH", 8, 0, 0, os.getpid() & 0xFFFF, number) + bytes(octets)
    echo = echo[:2] + struct.pack(">H", checksum(echo)) + echo[4:]
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(echo), number, 0, 64, 1, 0, socket.inet_aton(source),
                       socket.inet_aton(destination))
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + echo


def types(phone):
    return [(way, octets[1]) for _, way, octets in phone.messages]


def settled(phone, **dropped):
    """The phone has wondered at nothing."""
    same((phone.unexpected, dict(phone.llc.dropped)), ([], dropped), "what the phone did not expect, and dropped")


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
