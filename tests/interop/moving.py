"""An MS of a chain of two cells that changes its cell in the middle of a download, and what that costs."""

import collections
import contextlib
import json
import signal
import socket
import subprocess
import time

import network
from phone_network import llc_of
from harness import TIMEOUT_S, program, right, same

ETH_P_IP, ETH_P_ALL = 0x0800, 3
UL_UNITDATA, DL_UNITDATA, USER_SAPI = 1, 0, 3
CELLS = "101-103", "201-203"


def change_cell(chain):
    """Its moment, when the BTS has said so."""
    said = chain.bts.err.read_text().count(" changes from cell ")
    moment = time.monotonic()
    chain.bts.process.send_signal(signal.SIGUSR1)
    chain.until(lambda: chain.bts.err.read_text().count(" changes from cell ") > said, "a move")
    return moment


def stats(chain, *words):
    done = subprocess.run([program(), "stats", "--json", *words, "--run", str(chain.sgsn.process.pid)],
                          capture_output=True, encoding="utf-8", check=False, timeout=TIMEOUT_S)
    same(done.returncode, 0, f"exit status of stats; it said: {done.stderr}")
    return json.loads(done.stdout)


def mss_of(chain, cell):
    """IMSIs of the MSs that Sluice has in a cell."""
    return [ms["imsi"] for ms in stats(chain, "--cell", cell)["mss_in_it"]]


def claims_refused(chain):
    return stats(chain)["stats"]["control"]["claims_refused"]


def seconds_until_known(chain, cell, since):
    """Until Sluice has the MS in that cell; fails if it has it in the other one, too."""
    chain.until(lambda: chain.imsi in mss_of(chain, CELLS[cell]), f"the MS in cell {CELLS[cell]}")
    update_s = time.monotonic() - since
    right(chain.imsi not in mss_of(chain, CELLS[1 - cell]), f"the MS is in cell {CELLS[1 - cell]}, too")
    return update_s


Frame = collections.namedtuple("Frame", "bvci tlli sapi is_enciphered number")  # a UI frame, and its N(U)


class Frames:
    """UI frames that pass on Gb from now on, each way."""

    def __init__(self, chain):
        with network.inside(chain.far):
            self.end = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        self.end.bind(("gb", ETH_P_ALL))
        self.end.setblocking(False)

    def read(self):
        found = {UL_UNITDATA: [], DL_UNITDATA: []}
        with self.end, contextlib.suppress(BlockingIOError):
            while True:
                packet = self.end.recv(2048)
                ns, pdu = packet[28:32], packet[32:]  # behind IPv4 and UDP
                if ns[:2] != b"\0\0" or ns[2:] == b"\0\0" or pdu[0] not in found:  # NS-UNITDATA of a cell
                    continue
                tlli, llc = llc_of(pdu)
                if llc and llc[1] & 0xE0 == 0xC0:
                    found[pdu[0]].append(Frame(int.from_bytes(ns[2:]), tlli, llc[0] & 15, llc[2] >> 1 & 1,
                                               (llc[1] & 7) << 6 | llc[2] >> 2))
        return found[UL_UNITDATA], found[DL_UNITDATA]


class Arrivals:
    """When TCP segments with content came to the MSs' side."""

    def __init__(self, chain):
        with network.inside(chain.ms):
            self.end = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
        self.end.bind(("ms", ETH_P_IP))
        self.end.setblocking(False)
        self.moments = []

    def read(self):
        while True:
            try:
                packet, place = self.end.recvfrom(2048)
            except BlockingIOError:
                return
            content = len(packet) - 20 - (packet[32] >> 2) if len(packet) >= 40 and packet[9] == 6 else 0
            if place[2] != socket.PACKET_OUTGOING and content > 0:
                self.moments.append(time.monotonic())

    def close(self):
        self.end.close()


class Mover:
    """`progress` of a transfer: the MS changes its cell each so many seconds, at most so often, from the first octet on.
    speaks: it sends user data behind each move, without which nothing proves where an MS of the file with a key is."""

    def __init__(self, chain, every_s, most, speaks=False):
        self.chain, self.every_s, self.most, self.speaks = chain, every_s, most, speaks
        self.arrivals = Arrivals(chain)
        self.octets, self.grew, self.moves, self.known = 0, [], [], []

    def progress(self, octets):
        now = time.monotonic()
        self.arrivals.read()
        if octets > self.octets:
            self.octets = octets
            self.grew.append(now)
        since = self.moves[-1:] or self.grew[:1]
        if since and len(self.moves) < self.most and now >= since[0] + self.every_s:
            self.moves.append(change_cell(self.chain))
            if self.speaks:
                self.chain.speak(0)
            self.known.append(seconds_until_known(self.chain, len(self.moves) % 2, self.moves[-1]))

    def gaps(self, moments):
        """The longest time without one, for each move: of those that end before the next move."""
        ends = [*self.moves[1:], float("inf")]
        pairs = list(zip(moments, moments[1:]))
        return [max((b - a for a, b in pairs if b > move and a < end), default=0)
                for move, end in zip(self.moves, ends)]

    def first(self):
        """Seconds from each move to the first segment."""
        return [min((a for a in self.arrivals.moments if a > move + 0.02), default=move) - move for move in self.moves]
