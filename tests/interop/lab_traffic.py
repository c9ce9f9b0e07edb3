"""What a lab measures: pings and a download over a chain, seen at each end and on Gb."""

import collections
import contextlib
import functools
import http.server
import math
import os
import re
import select
import selectors
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time

import network
from bts_chain import PORT, SERVER, Chain
from harness import program, right
from lab_plan import PDU_OCTETS, RATE_A_PDCH, WARM_S
from phone_chain import IMSI, PhoneChain

MSS, OWN = 8, 0  # the first of the MSs that download
IDLE_S, IDLE_LEFT_S = 12, 2  # before the download; of that for the last answers
EACH_S = 1  # between two pings of an MS
# Each ping comes so much later in its radio block of 20 ms than the one before. If all came at the same place, those of one
# run would be up to a block faster than those of another.
STEP_S = 0.00764
REST_S = 8  # OsmoPCU has released all TBFs by then
SOURCE = socket.inet_aton(SERVER)
MARK = b"a ping of the lab, number "
ETH_P_IP = 0x0800
BLOB_OCTETS = 8000000  # of a server's file: more than the longest lab carries
PATTERN_OCTETS = 1000000  # what flows repeat
HEADS = PDU_OCTETS / 1400
PREFIX = "sluice-lab"
TSHARK = ("tshark", "-d", "udp.port==23000,gprs-ns", "-T", "fields", "-e", "bssgp.pdu_type", "-e",
          "_ws.malformed", "-e", "frame.protocols", "-e", "frame.number", "-r")


# --- Traffic --------------------------------------------------------------------------------------


class Wire(threading.Thread):
    """Pings to each of the MSs in turn, and when each passed Gb, came to the MS, and was answered; octets of IP
    that came to MSs, and those that stood between Gb and MSs when more came."""

    def __init__(self, chain, mss):
        super().__init__(daemon=True)
        with network.inside(chain.gi):
            self.echo = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.places = {self.echo: "back", self.listener(chain.far, "gb"): "gb", self.listener(chain.ms, "ms"): "ms"}
        self.address_of = chain.address_of
        self.mss, self.ended, self.carried, self.stood = mss, False, 0, []
        self.carried_to = collections.Counter()  # the same octets by an MS's address
        self.downloaded, self.had = collections.Counter(), {}  # octets of TCP, each counted once, in whatever order
        self.between = {}  # {an MS's address: [(what names a packet, its octets)]}, from Gb to the MS
        self.sent, self.seen = {}, {place: {} for place in self.places.values()}  # by the payload

    @staticmethod
    def listener(namespace, device):
        with network.inside(namespace):
            end = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
        end.bind((device, ETH_P_IP))
        return end

    def run(self):
        begin = due = time.monotonic()
        number = 0
        while not self.ended:
            if time.monotonic() >= due:
                ms, payload = self.mss[number % len(self.mss)], MARK + number.to_bytes(4)
                self.sent[payload] = ms, time.monotonic()
                self.echo.sendto(network.echo_request(ms, payload), (self.address_of(ms), 0))
                number, due = number + 1, begin + due_s(number + 1, len(self.mss))
            for ready in select.select(list(self.places), [], [], max(0, due - time.monotonic()))[0]:
                self.take(ready.recv(2048), self.places[ready])

    def take(self, packet, place):
        at = packet.find(MARK)
        if at >= 0:
            self.seen[place].setdefault(packet[at:at + len(MARK) + 4], time.monotonic())
        if place == "ms" and packet[12:16] == SOURCE:
            self.carried += len(packet)
            self.carried_to[packet[16:20]] += len(packet)
            self.downloaded[packet[16:20]] += self.new_octets(packet)
            self.came(packet[16:20], name_of(packet))
        inner = packet.find(SOURCE) - 12 if place == "gb" else -1
        if inner > 0:
            waiting = sum(octets for queue in self.between.values() for _, octets in queue)
            self.stood.append((time.monotonic(), waiting))
            packet = packet[inner:]
            self.between.setdefault(packet[16:20], []).append((name_of(packet), int.from_bytes(packet[2:4])))

    def new_octets(self, packet):
        """Those of TCP that have not come before, whatever segments they were in."""
        octets = len(packet) - 20 - (packet[32] >> 4) * 4 if packet[9] == socket.IPPROTO_TCP else 0
        if octets == 0:
            return 0
        number = int.from_bytes(packet[24:28])
        first, had = self.had.setdefault(packet[12:24], (number, []))  # by addresses and ports
        begin = (number - first + 2 ** 31) % 2 ** 32  # what was sent before the first that came is below 2^31
        end = begin + octets
        met = [(least, most) for least, most in had if least <= end and begin <= most]
        new = octets - sum(min(most, end) - max(least, begin) for least, most in met)
        had[:] = [part for part in had if part not in met]
        had.append((min([begin, *(least for least, _ in met)]), max([end, *(most for _, most in met)])))
        return new

    def came(self, address, name):
        """An MS's packets keep their order, so osmo-pcu has discarded those before it."""
        queue = self.between.get(address, [])
        at = next((i for i, (one, _) in enumerate(queue) if one == name), -1)
        del queue[:at + 1]

    def of(self, ms_or_both, start, end):
        """Of the pings sent in that time: seconds there and back, and of that to the MS, in sluice and behind
        it, and from the MS back. One that is not back has waited until now."""
        now = time.monotonic()
        sent = {one: when for one, (ms, when) in self.sent.copy().items()
                if ms in ms_or_both and start <= when < end}
        gb, ms, back = (self.seen[place] for place in ("gb", "ms", "back"))
        return {"n": len(sent), "unanswered": len(sent.keys() - back.keys()),
                **spread("round_trip", (back.get(one, now) - when for one, when in sent.items())),
                **spread("down", (ms.get(one, now) - when for one, when in sent.items())),
                **spread("in_sluice", (gb.get(one, now) - when for one, when in sent.items())),
                **spread("in_pcu", (ms.get(one, now) - gb[one] for one in sent.keys() & gb.keys())),
                **spread("uplink", (back.get(one, now) - ms[one] for one in sent.keys() & ms.keys()))}

    def pings(self, ms, start):
        """[(seconds from the start, seconds there and back, or None)] of those of an MS."""
        back = self.seen["back"]
        return [(when - start, back[one] - when if one in back else None)
                for one, (each, when) in self.sent.copy().items() if each == ms]


def due_s(number, mss):
    """When a ping of so many MSs' is sent, from the first one."""
    return number * (EACH_S / mss + STEP_S)


def name_of(packet):
    """Of an IP packet: identification, addresses, ports and sequence number; an ECN mark changes none of them."""
    return packet[4:6] + packet[12:28]


def spread(name, values, unit="s"):
    ranked = sorted(values)
    right(ranked, f"nothing for {name}")
    return {f"{name}_p50_{unit}": ranked[len(ranked) // 2],
            f"{name}_p95_{unit}": ranked[math.ceil(0.95 * len(ranked)) - 1]}


class Flows:
    """Transfers without an end, one for each (the end that it comes to, the one that sends)."""

    def __init__(self, pairs):
        self.octets, self.equal, self.chooser = [0] * len(pairs), True, selectors.DefaultSelector()
        self.pattern, self.sent = os.urandom(PATTERN_OCTETS) * 2, [0] * len(pairs)
        for number, (to, source) in enumerate(pairs):
            for end, events in (to, selectors.EVENT_READ), (source, selectors.EVENT_WRITE):
                end.setblocking(False)
                self.chooser.register(end, events, (number, end is to))

    def part(self, position, octets):
        position %= PATTERN_OCTETS
        return self.pattern[position:position + octets]

    def drive(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for key, _ in self.chooser.select(0.1):
                self.turn(key.fileobj, *key.data)
            time.sleep(0.005)  # who has room to send is always ready

    def turn(self, end, number, comes):
        with contextlib.suppress(BlockingIOError):
            if comes:
                came = end.recv(65536)
                right(came, f"flow {number} has ended")
                self.equal &= came == self.part(self.octets[number], len(came))
                self.octets[number] += len(came)
            else:
                self.sent[number] += end.send(self.part(self.sent[number], 16384))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Has a file `blob` for MSs."""

    daemon_threads = True
    server_bind = socketserver.TCPServer.server_bind  # HTTPServer's asks the DNS

    def __init__(self, chain):
        self.blob = chain.folder / "blob"
        self.blob.write_bytes(os.urandom(BLOB_OCTETS))
        handler = functools.partial(Quiet, directory=chain.folder)
        with network.inside(chain.gi):
            super().__init__((SERVER, PORT), handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):  # a client that went before the end
        pass


def ask_for_ecn(chain):
    """Linux grants ECN, but its connections do not ask for it by themselves: the MSs' do from now on."""
    network.must(*network.within(chain.ms), "sh", "-c", "echo 1 > /proc/sys/net/ipv4/tcp_ecn")


def neighbour(args):
    """The first MS that does not download."""
    return args.downs


# --- What was seen --------------------------------------------------------------------------------


def client(chain, command, *words):
    """`sluice stats` and the like, of this chain's instance."""
    return subprocess.run([program(), command, "--run", str(chain.sgsn.process.pid), *words], check=True,
                          capture_output=True, encoding="utf-8", timeout=10).stdout


def read_capture(path):
    """The malformed frames, as "frame N: its protocols", and how many FLOW-CONTROL-BVC, ACKs of these, LLC-DISCARDED."""
    done = subprocess.run([*TSHARK, path], check=False, capture_output=True, encoding="utf-8", timeout=60)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    types = [int(row[0], 0) for row in rows if row[0]]
    right(types, f"tshark reads nothing of {path}: {done.stderr}")
    # Whole down to TCP is well-formed: the client's port is random, and may be that of a protocol that the file is not of.
    malformed = [f"frame {row[3]}: {row[2]}" for row in rows if row[1] and ":sndcp:ip:tcp:" not in row[2]]
    return {"malformed": malformed, "flow_control": types.count(0x26), "acknowledged": types.count(0x27),
            "discarded": types.count(0x2c)}


def log_errors(part):
    """What osmo-pcu logs as an error or worse."""
    text = part.err.read_text(errors="backslashreplace")
    return [line for line in text.splitlines() if re.search(r"\b(ERROR|FATAL)\b", line)]


def say(what):
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def chain_of(args):
    """With MSs of the file, or with phones that attach: no more of these than have traffic, for OsmoPCU gives all its time
    slots to one phone, and the next ones fewer."""
    more = {"variant": args.variant, "sets": args.set, "codel": args.codel, "prefix": PREFIX, "cc": args.cc}
    if args.attach:
        return PhoneChain(IMSI, args.downs + 1, "--pdchs", args.pdchs, **more)
    return Chain("--pdchs", args.pdchs, mss=max(MSS, args.downs + 1), **more)


def begin_alike(chain, mss):
    """OsmoPCU keeps what it has reserved for an MS while that has a TBF: one time slot up if the MS has spoken first, as a
    phone that attaches, and up to two if it was spoken to first. So all are silent, and then each of them, in this order,
    is spoken to."""
    time.sleep(REST_S)
    for ms in mss:  # at once: a TBF ends 2 s behind its last packet
        chain.until(functools.partial(chain.pings, [ms], 3), f"a ping of MS {ms} after {REST_S} s without any")


def measure(args):
    """The figures of one run."""
    name = f"{args.variant}, {args.pdchs} PDCHs{', phones that attach' if args.attach else ''}"
    begin = time.monotonic()
    with chain_of(args) as chain:
        if args.ecn:
            ask_for_ecn(chain)
        chain.wait_for_ping(OWN)
        figures = {"up_s": time.monotonic() - begin, "pcu_errors_early": len(log_errors(chain.pcus[0]))}
        say(f"{name}: up in {figures['up_s']:.1f} s; silence, then pings while nothing else goes on")
        begin_alike(chain, (OWN, neighbour(args)))
        capture = chain.folder / "gb.pcap"
        dump = chain.start("dump", "dumpcap", "-q", "-i", "gb", "-w", capture)
        figures.update(traffic(chain, args, name))
        dump.process.send_signal(signal.SIGINT)
        dump.process.wait(10)
        figures.update(read_capture(capture), pcu_errors=log_errors(chain.pcus[0]))
        figures["bts"] = chain.bts.finish()
        figures["summary"] = chain.sgsn.finish()
    return figures


def connect(chain, args, ends):
    """(the pairs that go down, one that goes up if asked for); each end is closed with `ends`."""
    def pair(ms):
        return tuple(map(ends.enter_context, chain.connect(ms)))

    down = [pair(ms) for ms in range(args.downs) for _ in range(args.parallel)]
    return down, [pair(OWN)[::-1] for _ in range(args.up)]


def controls(pairs):
    """The congestion control that the ends have, as the kernel says."""
    said = {end.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
            for pair in pairs for end in pair}
    return ", ".join(sorted(said))


def traffic(chain, args, name):
    wire, start = Wire(chain, (OWN, neighbour(args))), time.monotonic()
    wire.start()
    try:
        return observed(chain, args, name, wire, start)
    finally:  # before its devices go
        wire.ended = True
        wire.join()


def observed(chain, args, name, wire, start):
    other = neighbour(args)
    time.sleep(IDLE_S)
    idle = wire.of((OWN, other), start, time.monotonic() - IDLE_LEFT_S)
    say(f"{name}: the download begins")
    with contextlib.ExitStack() as ends:
        down, up = connect(chain, args, ends)
        flows, begin = Flows(down + up), time.monotonic()
        flows.drive(WARM_S)
        start, carried, first = time.monotonic(), wire.carried, list(flows.octets)
        flows.drive(args.seconds)
        end, carried, last = time.monotonic(), wire.carried - carried, list(flows.octets)
        found = {"congestion_control": controls(down + up), "top": client(chain, "top")}
    own, neighbours = (wire.of((ms,), start, end) for ms in (OWN, other))
    stood = (octets for when, octets in wire.stood if start <= when < end)
    rates = [(after - before) * 8 / (end - start) for before, after in zip(first, last)]
    return {**found, "idle": idle, "own": own, "neighbour": neighbours,
            "octets": sum(last), "equal": flows.equal,
            **spread("stood", stood, "octets"), "pings": wire.pings(OWN, begin),
            "goodput_bit_per_s": sum(last[:len(down)]) * 8 / (end - begin),
            "least_bit_per_s": min(rates[:len(down)]), "up_bit_per_s": sum(rates[len(down):]),
            "carried_bit_per_s": carried * 8 / (end - start),
            "of_radio": carried * HEADS / (end - start) / (args.pdchs * RATE_A_PDCH)}
