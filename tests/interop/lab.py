#!/usr/bin/python3
"""A lab on one machine: Linux as a server, sluice, osmo-pcu, a BTS without a radio, and Linux as MSs, each in
a network namespace that goes away. `./run lab` calls it. Real time: a busy machine moves the figures.

    lab.py [--pdchs N] [--seconds N] [--codel] [--json]     tail drop and recommended, one verdict
    lab.py keep [--pdchs N] [--codel] [--variant NAME]      leaves it up and says what to type
    lab.py down                                             ends what keep has left up, and leftovers
"""

import argparse
import contextlib
import functools
import http.server
import json
import math
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
sys.path.insert(0, str(TESTS / "e2e"))
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import network  # noqa: E402
from harness import Failure, Skip, program, right  # noqa: E402
from bts_chain import PORT, SERVER, Chain, address_of  # noqa: E402

VARIANTS = "tail-drop", "recommended"
OWN, NEIGHBOUR = 0, 1  # the MS that downloads, and one that does not
IDLE_S, WARM_S = 12, 12  # before the download; of the download before the figures
EACH_S = 1  # between two pings of an MS
BLOB_OCTETS = 8000000  # more than the longest lab carries
RATE_A_PDCH = 1500  # octets/s at CS-2
PDU_OCTETS = 1411  # a full N-PDU of 1400 octets with SNDCP and LLC
OF_PACKET = PDU_OCTETS / 1348  # and its TCP payload
D_S = 0.020  # recommended.lua's gb.cell_delay
UP_S, OF_RADIO, OF_TAIL_DROP = 3, 0.92, 0.97
PREFIX, KEPT = "sluice-lab", "sluice-kept"
TSHARK = ("tshark", "-d", "udp.port==23000,gprs-ns", "-T", "fields", "-e", "bssgp.pdu_type", "-e",
          "_ws.malformed", "-r")


# --- Traffic --------------------------------------------------------------------------------------


class Pings(threading.Thread):
    """An echo to each of the MSs in turn, the answers whenever they come."""

    def __init__(self, chain, mss):
        super().__init__(daemon=True)
        with network.inside(chain.gi):
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.mss, self.ended = mss, False
        self.sent, self.took = {}, {}  # by the payload: (MS, when); seconds

    def run(self):
        due, number = time.monotonic(), 0
        while not self.ended:
            if time.monotonic() >= due:
                ms, payload = self.mss[number % len(self.mss)], number.to_bytes(32)
                self.sent[payload] = ms, time.monotonic()
                self.socket.sendto(network.echo_request(ms, payload), (address_of(ms), 0))
                number, due = number + 1, due + EACH_S / len(self.mss)
            if select.select([self.socket], [], [], max(0, due - time.monotonic()))[0]:
                self.take(self.socket.recv(2048))

    def take(self, packet):
        icmp = packet[(packet[0] & 15) * 4:]
        if icmp[0] == 0 and icmp[8:] in self.sent:
            self.took.setdefault(icmp[8:], time.monotonic() - self.sent[icmp[8:]][1])

    def of(self, mss, start, end):
        """Of those sent in that time: what they took, or have waited in vain."""
        now = time.monotonic()
        sent = {one: when for one, (ms, when) in self.sent.copy().items() if ms in mss and start <= when < end}
        took = sorted(self.took.get(one, now - when) for one, when in sent.items())
        right(took, "no ping was sent")
        return {"n": len(took), "unanswered": len(sent.keys() - self.took.keys()),
                "median_s": took[len(took) // 2], "p95_s": took[math.ceil(0.95 * len(took)) - 1]}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Has a file `blob` for whom is behind Gi."""

    daemon_threads = True

    def __init__(self, chain):
        self.blob = chain.folder / "blob"
        self.blob.write_bytes(os.urandom(BLOB_OCTETS))
        handler = functools.partial(Quiet, directory=chain.folder)
        with network.inside(chain.gi):
            super().__init__((SERVER, PORT), handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):  # a client that went before the end
        pass


# --- What was seen --------------------------------------------------------------------------------


def client(chain, *words):
    """`sluice stats` and the like, of this chain's instance."""
    return subprocess.run([program(), *words, "--run", str(chain.sgsn.process.pid)], check=True,
                          capture_output=True, encoding="utf-8", timeout=10).stdout


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
    """The figures of one variant."""
    begin = time.monotonic()
    with Chain("--pdchs", args.pdchs, variant=args.variant, codel=args.codel, prefix=PREFIX) as chain:
        chain.wait_for_ping(OWN)
        figures = {"up_s": time.monotonic() - begin}
        say(f"{args.variant}: up in {figures['up_s']:.1f} s; pings while nothing else goes on")
        capture = chain.folder / "gb.pcap"
        dump = chain.start("dump", "dumpcap", "-q", "-i", "gb", "-w", capture)
        chain.until(capture.exists, "dumpcap")
        figures.update(traffic(chain, args))
        figures["top"] = client(chain, "top")
        dump.process.send_signal(signal.SIGINT)
        dump.process.wait(10)
        figures.update(read_capture(capture), pcu_errors=log_errors(chain.pcu))
        figures["bts"] = chain.bts.finish()
        figures["summary"] = chain.sgsn.finish()
    return figures


def traffic(chain, args):
    server, pings = Server(chain), Pings(chain, (OWN, NEIGHBOUR))
    came = chain.folder / "came"
    start = time.monotonic()
    pings.start()
    time.sleep(IDLE_S)
    idle = pings.of((OWN, NEIGHBOUR), start, time.monotonic() - 2)
    say(f"{args.variant}: the download begins")
    chain.start("curl", "curl", "-sS", "--interface", address_of(OWN), "-o", came,
                f"http://{SERVER}/blob", namespace=chain.ms)
    time.sleep(WARM_S)
    start, before = time.monotonic(), came.stat().st_size
    time.sleep(args.seconds)
    end, after = time.monotonic(), came.stat().st_size
    own, neighbour = (pings.of((ms,), start, end) for ms in (OWN, NEIGHBOUR))
    pings.ended = True
    content = came.read_bytes()
    rate = (after - before) / (end - start)
    return {"idle": idle, "own": own, "neighbour": neighbour, "octets": len(content),
            "equal": server.blob.read_bytes().startswith(content), "kbit_s": rate * 8 / 1000,
            "of_radio": rate * OF_PACKET / (args.pdchs * RATE_A_PDCH)}


if __name__ == "__main__":
    a = argparse.Namespace(pdchs=4, variant=sys.argv[1], codel=False, seconds=15)
    print(json.dumps(measure(a), indent=1))
