"""Phones of tests/gb/phone.py in real time, in a cell of a BSS that is octets, with osmo-ggsn behind the SGSN: what
phone_sgsn.py and phone_ggsn.py share. The SGSN here is osmo-sgsn, on the loopback device of a namespace."""

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
import osmo  # noqa: E402
from bts_chain import Part  # noqa: E402
from checksums import checksum  # noqa: E402
from harness import PATIENCE, Failure, has_started, new_folder, right, same, until  # noqa: E402
from phone import Phone  # noqa: E402

WAIT_S = 90 * PATIENCE  # nearly all is done within 1 s
SHORT_S = {"T3321": 8, "T3330": 8, "T3380": 12, "T3390": 8}  # of a phone whose messages are lost
IMSI, OTHER_IMSI = "262420123456789", "262420123456790"
SGSN, GGSN, BSS, FAR = "127.0.0.1", "127.0.0.2", "127.0.0.3", "172.16.222.0"
POOL = "172.16.222."

GGSN_CONFIG = """line vty
 no login
ggsn ggsn0
 gtp state-dir {folder}
 gtp bind-ip {ggsn}
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

    sgsn_address, ggsn_address, bss_address, programs = SGSN, GGSN, BSS, ("osmo-sgsn", "osmo-ggsn")

    def __init__(self):
        network.needs("ip", *self.programs)
        self.space, self.folder = self.place(), new_folder()
        self.phones, self.lost, self.reset = [], lambda way, octets: False, set()
        self.ggsn = self.start_ggsn()
        until("the GGSN's device", lambda: network.command("ip", "-n", self.space, "addr", "show", "tun4").returncode == 0
              and FAR in network.command("ip", "-n", self.space, "addr", "show", "tun4").stdout, self.said)
        self.sgsn = self.start_sgsn()
        with network.inside(self.space):
            self.end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.end.bind((self.bss_address, 23000))
        self.bring_up()

    def place(self):
        """The namespace of GGSN and BSS."""
        return network.namespace()

    def start_ggsn(self):
        return self.start("osmo-ggsn", GGSN_CONFIG.format(folder=self.folder, ggsn=self.ggsn_address))

    def start_sgsn(self):
        return self.start_osmo(osmo.ANYBODY)

    def start_osmo(self, who):
        return self.start("osmo-sgsn", osmo.SGSN.format(folder=self.folder, gn=SGSN, ggsn=GGSN, gb=SGSN, who=who))

    def start(self, name, config, *words):
        path = self.folder / f"{name}.cfg"
        path.write_text(config)
        part = Part(self.space, self.folder, name, name, "-c", path, *words)
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
        self.end.sendto(octets, (self.sgsn_address, 23000))

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
            osmo.answer(vty)
            vty.sendall(b"show mm-context all pdp\r\n")
            text = osmo.answer(vty)
        blocks = text.split("MM Context for ")
        return next((block for block in blocks if imsi in block), "")


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
