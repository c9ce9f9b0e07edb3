"""What a lab measures: pings and a download over a chain, seen at each end and on Gb."""

import functools
import http.server
import json
import math
import os
import re
import select
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time

import network
from bts_chain import PORT, SERVER, Chain, address_of
from harness import program, right, same, settings, sluice

MSS, OWN, NEIGHBOUR = 8, 0, 1  # the MS that downloads, and one that does not
IDLE_S, IDLE_LEFT_S = 12, 2  # before the download; of that for the last answers
WARM_S = 40  # of the download, before the figures: sluice learns the radio's rate in 25 s
EACH_S = 1  # between two pings of an MS
SOURCE = socket.inet_aton(SERVER)
MARK = b"a ping of the lab, number "
ETH_P_IP = 0x0800
BLOB_OCTETS = 8000000  # more than the longest lab carries
RATE_A_PDCH = 1500  # octets/s at CS-2
PDU_OCTETS = 1411  # a full N-PDU of 1400 octets with SNDCP and LLC
HEADS = PDU_OCTETS / 1400
PREFIX = "sluice-lab"
TSHARK = ("tshark", "-d", "udp.port==23000,gprs-ns", "-T", "fields", "-e", "bssgp.pdu_type", "-e",
          "_ws.malformed", "-r")


# --- Traffic --------------------------------------------------------------------------------------


class Wire(threading.Thread):
    """Pings to each of the MSs in turn, and when each passed Gb, came to the MS, and was answered; octets of IP
    that came to MSs, and those that stood between Gb and MSs when more came."""

    def __init__(self, chain, mss):
        super().__init__(daemon=True)
        with network.inside(chain.gi):
            self.echo = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.places = {self.echo: "back", self.listener(chain.far, "gb"): "gb", self.listener(chain.ms, "ms"): "ms"}
        self.mss, self.ended, self.carried, self.stood = mss, False, 0, []
        self.between = {}  # {an MS's address: [(what names a packet, its octets)]}, from Gb to the MS
        self.sent, self.seen = {}, {place: {} for place in self.places.values()}  # by the payload

    @staticmethod
    def listener(namespace, device):
        with network.inside(namespace):
            end = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
        end.bind((device, ETH_P_IP))
        return end

    def run(self):
        due, number = time.monotonic(), 0
        while not self.ended:
            if time.monotonic() >= due:
                ms, payload = self.mss[number % len(self.mss)], MARK + number.to_bytes(4)
                self.sent[payload] = ms, time.monotonic()
                self.echo.sendto(network.echo_request(ms, payload), (address_of(ms), 0))
                number, due = number + 1, due + EACH_S / len(self.mss)
            for ready in select.select(list(self.places), [], [], max(0, due - time.monotonic()))[0]:
                self.take(ready.recv(2048), self.places[ready])

    def take(self, packet, place):
        at = packet.find(MARK)
        if at >= 0:
            self.seen[place].setdefault(packet[at:at + len(MARK) + 4], time.monotonic())
        if place == "ms" and packet[12:16] == SOURCE:
            self.carried += len(packet)
            self.came(packet[16:20], name_of(packet))
        inner = packet.find(SOURCE) - 12 if place == "gb" else -1
        if inner > 0:
            waiting = sum(octets for queue in self.between.values() for _, octets in queue)
            self.stood.append((time.monotonic(), waiting))
            packet = packet[inner:]
            self.between.setdefault(packet[16:20], []).append((name_of(packet), int.from_bytes(packet[2:4])))

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


def name_of(packet):
    """Of an IP packet: identification, addresses, ports and sequence number; an ECN mark changes none of them."""
    return packet[4:6] + packet[12:28]


def spread(name, values, unit="s"):
    ranked = sorted(values)
    right(ranked, f"nothing for {name}")
    return {f"{name}_p50_{unit}": ranked[len(ranked) // 2],
            f"{name}_p95_{unit}": ranked[math.ceil(0.95 * len(ranked)) - 1]}


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
    network.must(*network.within(chain.ms), "sysctl", "-qw", "net.ipv4.tcp_ecn=1")


# --- What was seen --------------------------------------------------------------------------------


def client(chain, command, *words):
    """`sluice stats` and the like, of this chain's instance."""
    return subprocess.run([program(), command, "--run", str(chain.sgsn.process.pid), *words], check=True,
                          capture_output=True, encoding="utf-8", timeout=10).stdout


def cell_delay_s(chain):
    """gb.cell_delay as this chain has it."""
    done = sluice("check", chain.sgsn.config, "--variant", chain.variant, *settings(chain.sets))
    same(done.returncode, 0, f"status of sluice check: {done.stderr}")
    return json.loads(done.stdout)["gb"]["cell_delay_ns"] / 1e9


def read_capture(path):
    """(malformed frames, FLOW-CONTROL-BVC, their ACKs, LLC-DISCARDED)"""
    done = subprocess.run([*TSHARK, path], check=False, capture_output=True, encoding="utf-8", timeout=60)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    types = [int(row[0], 0) for row in rows if row[0]]
    right(types, f"tshark reads nothing of {path}: {done.stderr}")
    malformed = sum(row[1] != "" for row in rows)
    return {"malformed": malformed, "flow_control": types.count(0x26), "acknowledged": types.count(0x27),
            "discarded": types.count(0x2c)}


def log_errors(part):
    """What osmo-pcu logs as an error or worse."""
    text = part.err.read_text(errors="backslashreplace")
    return [line for line in text.splitlines() if re.search(r"\b(ERROR|FATAL)\b", line)]


def say(what):
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def measure(args):
    """The figures of one run."""
    name = f"{args.variant}, {args.pdchs} PDCHs"
    begin = time.monotonic()
    with Chain("--pdchs", args.pdchs, mss=MSS, variant=args.variant, sets=args.set,
               codel=args.codel, prefix=PREFIX) as chain:
        if args.ecn:
            ask_for_ecn(chain)
        chain.wait_for_ping(OWN)
        figures = {"up_s": time.monotonic() - begin, "cell_delay_s": cell_delay_s(chain)}
        say(f"{name}: up in {figures['up_s']:.1f} s; pings while nothing else goes on")
        capture = chain.folder / "gb.pcap"
        dump = chain.start("dump", "dumpcap", "-q", "-i", "gb", "-w", capture)
        figures.update(traffic(chain, args, name))
        figures["top"] = client(chain, "top")
        dump.process.send_signal(signal.SIGINT)
        dump.process.wait(10)
        figures.update(read_capture(capture), pcu_errors=log_errors(chain.pcus[0]))
        figures["bts"] = chain.bts.finish()
        figures["summary"] = chain.sgsn.finish()
    return figures


def traffic(chain, args, name):
    server, wire = Server(chain), Wire(chain, (OWN, NEIGHBOUR))
    came = chain.folder / "came"
    start = time.monotonic()
    wire.start()
    time.sleep(IDLE_S)
    idle = wire.of((OWN, NEIGHBOUR), start, time.monotonic() - IDLE_LEFT_S)
    say(f"{name}: the download begins")
    chain.start("curl", "curl", "-sSN", "--interface", address_of(OWN),
                "-o", came, f"http://{SERVER}/blob", namespace=chain.ms)
    begin = time.monotonic()
    time.sleep(WARM_S)
    start, carried = time.monotonic(), wire.carried
    time.sleep(args.seconds)
    end, carried = time.monotonic(), wire.carried - carried
    own, neighbour = (wire.of((ms,), start, end) for ms in (OWN, NEIGHBOUR))
    wire.ended = True
    stood = (octets for when, octets in wire.stood if start <= when < end)
    content = came.read_bytes()
    return {"idle": idle, "own": own, "neighbour": neighbour, "octets": len(content),
            **spread("stood", stood, "octets"), "pings": wire.pings(OWN, begin),
            "equal": server.blob.read_bytes().startswith(content),
            "goodput_bit_per_s": len(content) * 8 / (end - begin),
            "carried_bit_per_s": carried * 8 / (end - start),
            "of_radio": carried * HEADS / (end - start) / (args.pdchs * RATE_A_PDCH)}
