#!/usr/bin/python3
"""Phones attach and get contexts in real time, at 500 a second in 60 cells over net_af_packet, as the program ships: how
soon FLOW-CONTROL-BVC is answered meanwhile, and how much of a processor control takes.

    attaches.py [SECONDS] [--rate N] [--keys] [--json]     30 s of 500 a second; with keys each is authenticated and enciphers

BSS, GGSN and phones are this process, which is no faster than it has to be: the kernel's time of arrival is what counts.
Each acknowledgement has to come within 100 ms, control may take 20 % of a processor, and all phones get in. Then the GGSN
restarts, which ends all contexts, and each acknowledgement has to come within 100 ms again.
"""

import argparse
import heapq
import json
import os
import pathlib
import random
import select
import socket
import struct
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/gb"), str(ROOT / "tests/e2e")]

import codec  # noqa: E402
import ggsn  # noqa: E402
import network  # noqa: E402
from harness import Running, Skip, each_of, sluice, unbalanced  # noqa: E402
from phone_message import lv, mobile_identity, tlv  # noqa: E402
import phone_card  # noqa: E402
from phone_card import Card, encipher  # noqa: E402

phone_card.DELTA = 2**43  # no card says that SQN is too far ahead

S, MS = 10**9, 10**6
CELLS = range(2, 62)
CELL_BIT_S = 48000
FLOW_EVERY_NS = 10 * MS  # one cell after the other
ACK_MOST_NS, SHARE_MOST = 100 * MS, 0.2
WAIT_S = 10  # for the last ones
RESTART_NS = 3 * S
FIRST = 1010000000001
K, OPC = bytes(range(16)), bytes(range(16, 32))
GEA = 4
SO_RCVBUFFORCE, SO_TIMESTAMPNS, RCVBUF = 33, 35, 8 << 20

CONFIG = f"""
run {{ name = "attaches", clock = "real", idle = "sleep" }}
gn {{ device = "GN_DEVICE", address = "{network.GN4}" }}
gb {{ device = "GB_DEVICE", address = "{network.GB4}" }}
ggsn {{ name = "ggsn1", address = "{network.GGSN4}", control = "{network.GGSN4}" }}
apn {{ name = "internet", default = true }}
ATTACH
log {{ level = "error" }}
nse {{
    nsei = 101, nsvc {{ nsvci = 101, peer = "{network.BSS4}" }}, {", ".join(f"bvc {{ bvci = {bvci} }}" for bvci in CELLS)},
}}
"""
OPEN = 'attach {{ who = "open", networks = {{ "001-01" }}, {more} }}'
LISTED = f'attach {{{{ {{more}} }}}} phone {{{{ imsi = "{FIRST:015d}", count = {{count}}, k = "{K.hex()}", opc = "{OPC.hex()}" }}}}'


class Phone:
    """What it says next, and when it was switched on."""

    def __init__(self, number, card):
        self.imsi, self.card, self.nu, self.key, self.is_in = f"{FIRST + number:015d}", card, 0, None, False
        self.tlli, self.bvci, self.on_ns = 0x78000000 | number, CELLS[number % len(CELLS)], 0

    def frame(self, message, is_clear=False):
        octets = codec.llc_ui(1, self.nu, message)
        self.nu += 1
        if self.key and not is_clear:
            octets = encipher(GEA, self.key, octets[:2] + bytes([octets[2] | 2]) + octets[3:-3]
                              + codec.fcs(octets[:2] + bytes([octets[2] | 2]) + octets[3:-3]), 0, 0, 0)
        return octets

    def attach(self):
        return self.frame(b"\x08\x01" + lv(b"\xe5\xf0") + b"\x71\0\0" + lv(mobile_identity(1, self.imsi)) + bytes.fromhex("00f000000000")
                          + lv(b"\x32\xa5\x15\x80\x00"), True)

    def heard(self, frame):
        """Frames that it answers with."""
        if self.key and frame[2] & 2:
            frame = encipher(GEA, self.key, frame, 0, 1, 0)
        message = frame[3:-3]
        if message[:2] == b"\x08\x12":
            return [self.prove(message)]
        if message[:2] == b"\x08\x02":
            return self.accepted(message)
        self.is_in = self.is_in or message[0] & 15 == 10 and message[1] == 0x42
        return []

    def prove(self, message):
        """RAND behind 0x21, AUTN behind 0x28 and its length."""
        answer = self.card.answer(message[5:21], message[-16:])
        octets = self.frame(b"\x08\x13" + bytes([message[3] >> 4]) + b"\x22" + answer.res[:4] + tlv(0x29, answer.res[4:]), True)
        self.key = answer.kc128
        return octets

    def accepted(self, message):
        at = 11
        while message[at] != 0x18:
            at += {0x19: 4, 0x17: 2}[message[at]]
        self.tlli = int.from_bytes(message[at + 3:at + 7], "big")
        return [self.frame(b"\x08\x03"), self.frame(b"\x0a\x41\x05\x03" + lv(bytes.fromhex("0b921f")) + lv(b"\x01\x21")
                                                    + tlv(0x28, b"\x08internet"))]


class Network:
    """The BSS, the GGSN, and who is behind them."""

    def __init__(self, host):
        self.gb, self.gn = host.udp(network.BSS4, network.NS_PORT), host.udp(network.GGSN4, ggsn.PORT)
        for end in (self.gb, self.gn):
            end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RCVBUF)
            end.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            end.setblocking(False)
        self.by_tlli, self.flows, self.acks, self.took, self.contexts = {}, {}, [], [], 0
        self.is_unblocked, self.is_echoed, self.reset, self.tag, self.restarts = False, False, set(), 0, b"\7"

    def put(self, octets):
        self.gb.sendto(octets, (network.GB4, network.NS_PORT))

    def bssgp(self, bvci, name, /, **fields):
        self.put(codec.unitdata(bvci, codec.build(name, **fields)))

    def datagrams(self, end):
        while True:
            try:
                octets, ancillary, _, _ = end.recvmsg(2048, 64)
            except BlockingIOError:
                return
            seconds, ns = struct.unpack("qq", ancillary[0][2][:16])
            yield octets, seconds * S + ns

    def serve(self, until_ns):
        """Waits until then, or until something comes, which it answers."""
        ready, _, _ = select.select([self.gb, self.gn], [], [], max(0, until_ns - time.time_ns()) / S)
        for end in ready:
            for octets, time_ns in self.datagrams(end):
                if end is self.gb:
                    self.take_gb(codec.parse(octets), time_ns)
                else:
                    self.take_gn(octets)

    def take_gb(self, pdu, time_ns):
        sdu = pdu.sdu or pdu
        if sdu.name == "ns_alive":
            self.put(codec.build("ns_alive_ack"))
        elif sdu.name == "ns_reset":
            self.put(codec.build("ns_reset_ack", nsvci=sdu["nsvci"], nsei=sdu["nsei"]))
        elif sdu.name == "ns_unblock":
            self.put(codec.build("ns_unblock_ack"))
        elif sdu.name == "ns_unblock_ack":
            self.is_unblocked = True
        elif sdu.name == "bssgp_bvc_reset_ack":
            self.reset.add(sdu["bvci"])
        elif sdu.name == "bssgp_flow_control_bvc_ack":
            since_ns = self.flows.pop((pdu.bvci, sdu["tag"]), None)
            if since_ns:
                self.acks.append(time_ns - since_ns)
        elif sdu.name == "bssgp_dl_unitdata":
            self.take_llc(sdu["v_tlli"], sdu["llc"], time_ns)

    def take_llc(self, tlli, frame, time_ns):
        phone = self.by_tlli.get(tlli)
        if not phone or phone.is_in:
            return
        self.say(phone, phone.heard(frame))
        if phone.is_in:
            self.took.append(time_ns - phone.on_ns)

    def say(self, phone, frames):
        self.by_tlli[phone.tlli] = phone
        for frame in frames:
            self.put(codec.unitdata(phone.bvci, codec.ul_unitdata(phone.tlli, frame, codec.cell(0x100 + phone.bvci))))

    def take_gn(self, octets):
        kind, _, sequence, ies = ggsn.parse(octets)
        answer = None
        if kind == ggsn.ECHO:
            answer, self.is_echoed = ggsn.build(ggsn.ECHO_RESPONSE, 0, sequence, (ggsn.RECOVERY, self.restarts)), True
        elif kind == ggsn.CREATE:
            answer = self.create(sequence, dict(ies))
        if answer:
            self.gn.sendto(answer, (network.GN4, ggsn.PORT))

    def create(self, sequence, of):
        self.contexts += 1
        number = self.contexts.to_bytes(3, "big")
        address = ggsn.ipv4(network.GGSN4)
        return ggsn.build(
            ggsn.CREATE_RESPONSE, int.from_bytes(of[ggsn.TEID_CONTROL], "big"), sequence, (ggsn.CAUSE, b"\x80"),
            (ggsn.REORDER, b"\xfe"), (ggsn.RECOVERY, self.restarts), (ggsn.TEID_DATA, b"\x0d" + number),
            (ggsn.TEID_CONTROL, b"\x0c" + number), (ggsn.CHARGING, bytes(4)), (ggsn.ADDRESS, b"\xf1\x21\x0a" + number),
            (ggsn.NODE, address), (ggsn.NODE, address), (ggsn.QOS, of[ggsn.QOS]))

    def flow(self, bvci):
        self.tag = (self.tag + 1) % 256
        self.flows[bvci, self.tag] = time.time_ns()
        self.bssgp(bvci, "bssgp_flow_control_bvc", tag=self.tag, bmax=CELL_BIT_S // 8 * 10 // 100, r=CELL_BIT_S // 100,
                   bmax_default=CELL_BIT_S // 8 * 10 // 100, r_default=CELL_BIT_S // 100)

    def until(self, what, condition, again):
        end_ns = time.time_ns() + WAIT_S * S
        while not condition():
            if time.time_ns() > end_ns:
                sys.exit(f"attaches: not within {WAIT_S} s: {what}")
            again()
            self.serve(time.time_ns() + 200 * MS)

    def settle(self, phones):
        """Waits for so many phones, and all acknowledgements."""
        end = time.monotonic() + WAIT_S
        while (len(self.took) < phones or self.flows) and time.monotonic() < end:
            self.serve(time.time_ns() + 100 * MS)

    def up(self):
        self.until("NS-RESET", lambda: self.is_unblocked, lambda: (self.put(codec.build("ns_reset", cause=0, nsvci=101, nsei=101)),
                                                                   self.put(codec.build("ns_unblock"))))
        for bvci in (0, *CELLS):
            cell = {"cell": codec.cell(0x100 + bvci)} if bvci else {"features": 0}
            self.until(f"BVC-RESET of {bvci}", lambda bvci=bvci: bvci in self.reset,
                       lambda bvci=bvci, cell=cell: self.bssgp(0, "bssgp_bvc_reset", bvci=bvci, cause=0, **cell))
        for bvci in CELLS:
            self.flow(bvci)
        self.until("FLOW-CONTROL-BVC-ACKs", lambda: not self.flows, lambda: None)
        self.until("ECHO of the GGSN's path", lambda: self.is_echoed, lambda: None)


def used_ns(pid):
    """Of each thread: how long it has run."""
    told = each_of(pid, "task", lambda task: (task / "schedstat").read_text())
    return {int(task.name): int(text.split()[0]) for task, text in told.items()}


def phone(number, has_keys):
    return Phone(number, Card(K[:12] + (int.from_bytes(K[12:], "big") + number).to_bytes(4, "big"), OPC) if has_keys else None)


def restart(net, last):
    """The GGSN's, which the answer about one more phone says."""
    net.restarts = b"\x08"
    net.say(last, [last.attach()])
    for _ in range(RESTART_NS // FLOW_EVERY_NS):
        due_ns = time.time_ns() + FLOW_EVERY_NS
        net.flow(CELLS[net.tag % len(CELLS)])
        while time.time_ns() < due_ns:
            net.serve(due_ns)


def storm(net, seconds, rate, has_keys):
    """Returns how far behind this process was at most."""
    chance = random.Random(1)
    phones = [phone(number, has_keys) for number in range(seconds * rate)]
    began_ns = time.time_ns()
    due = [(began_ns + number * S // rate + chance.randrange(S // rate), number) for number in range(len(phones))]
    due += [(began_ns + n * FLOW_EVERY_NS, -1 - CELLS[n % len(CELLS)]) for n in range(seconds * S // FLOW_EVERY_NS)]
    heapq.heapify(due)
    late_ns = 0
    while due:
        due_ns, what = due[0]
        if time.time_ns() < due_ns:
            net.serve(due_ns)
            continue
        heapq.heappop(due)
        late_ns = max(late_ns, time.time_ns() - due_ns)
        if what < 0:
            net.flow(-1 - what)
        else:
            phones[what].on_ns = time.time_ns()
            net.say(phones[what], [phones[what].attach()])
        net.serve(0)
    return late_ns


def part(values, per_mille):
    return sorted(values)[min(len(values) - 1, len(values) * per_mille // 1000)] / MS if values else None


def measure(asked):
    network.needs("ip")
    ours, theirs, gn, gb = network.veth()
    count = asked.seconds * asked.rate
    more = f"rate = {2 * asked.rate}, most = {count + 1}, attempts = 5000"
    attach = (LISTED if asked.keys else OPEN).format(more=more, count=count + 1)
    config = CONFIG.replace("GN_DEVICE", gn).replace("GB_DEVICE", gb).replace("ATTACH", attach)
    with Running(config, before=network.within(ours)) as program:
        host = network.Host(theirs)
        host.configure()
        net = Network(host)
        net.up()
        net.acks.clear()
        pid = program.process.pid
        before, began = used_ns(pid), time.monotonic()
        late_ns = storm(net, asked.seconds, asked.rate, asked.keys)
        after, lasted_ns = used_ns(pid), (time.monotonic() - began) * S
        net.settle(count)
        acks, unanswered, took, net.acks = net.acks, len(net.flows), list(net.took), []
        restart(net, phone(count, asked.keys))
        net.settle(count + 1)
        told = sluice("stats", "--json", "--run", pid)
        lost = json.loads(told.stdout)["stats"]["control"]["contexts_lost"]
        summary = program.finish()
        wrong = unbalanced(summary)
    shares = {tid: (ns - before.get(tid, 0)) / lasted_ns for tid, ns in after.items()}
    return {"seconds": asked.seconds, "rate": asked.rate, "keys": asked.keys, "phones": count, "with_context": len(took),
            "context_ms": [part(took, 500), part(took, 990), part(took, 1000)],
            "acks": len(acks), "unanswered": unanswered, "ack_ms": [part(acks, 500), part(acks, 990), part(acks, 1000)],
            "lost": lost, "unanswered_restart": len(net.flows) - unanswered,
            "ack_restart_ms": [part(net.acks, 500), part(net.acks, 990), part(net.acks, 1000)],
            "control_share": shares.pop(pid), "other_threads_share": sum(shares.values()), "late_ms": late_ns / MS,
            "unbalanced": wrong}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=int, default=30)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--keys", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))
    try:
        found = measure(asked)
    except Skip as why:
        print(f"attaches: skipped: {why}\n0 passed, 0 failed")
        return 0
    if asked.json:
        print(json.dumps(found))
    else:
        print("{phones} phones at {rate}/s{0}: {with_context} with a context, after {1:.1f} / {2:.1f} / {3:.1f} ms (p50, p99, max)".format(
            ", with keys" if asked.keys else "", *found["context_ms"], **found))
        print("FLOW-CONTROL-BVC: {acks} answered, {unanswered} not, after {0:.2f} / {1:.2f} / {2:.2f} ms".format(*found["ack_ms"], **found))
        print("while the GGSN's restart ended {lost} contexts: after {0:.2f} / {1:.2f} / {2:.2f} ms".format(*found["ack_restart_ms"], **found))
        print("control used {control_share:.1%} of a processor, all other threads {other_threads_share:.1%}; this process was late "
              "by {late_ms:.1f} ms at most".format(**found))
    verdicts = [("all phones get a context", found["with_context"] == found["phones"]),
                (f"each FLOW-CONTROL-BVC is answered within {ACK_MOST_NS // MS} ms",
                 not found["unanswered"] and found["ack_ms"][2] <= ACK_MOST_NS / MS),
                ("the GGSN's restart ends all contexts, and each FLOW-CONTROL-BVC is answered in that time meanwhile",
                 found["lost"] == found["phones"] and not found["unanswered_restart"] and found["ack_restart_ms"][2] <= ACK_MOST_NS / MS),
                (f"control uses {SHARE_MOST:.0%} of a processor at most", found["control_share"] <= SHARE_MOST),
                (f"every packet is accounted for {found['unbalanced'] or ''}", not found["unbalanced"])]
    for what, holds in verdicts:
        print(f"{'ok' if holds else 'not ok'}  {what}")
    failed = sum(not holds for _, holds in verdicts)
    print(f"{len(verdicts) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
