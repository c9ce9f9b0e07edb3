"""A chain in real time: a flood of UDP from a GGSN, sluice over net_tap, osmo-pcu, and the radio of
radio.py with its MSs; all of it in one network namespace. What passes Gb is noted beside it."""

import atexit
import collections
import ipaddress
import os
import select
import socket
import statistics
import struct
import subprocess
import time

import gb
import network
from harness import Running, WAIT_S, new_folder, right
from make_captures import PCU
from ms import Ms
from radio import Radio

LOCAL_PORT, ETH_P_ALL = 23001, 3
TLLI, FIRST_ADDRESS = 0xC0000000, 10
RATE_A_PDCH = 1500  # octets/s at CS-2
FILL_S, DRAIN_S = 10, 3
FLOOD, FLOOD_TO_FILL = 1.5, 4  # times the rate of the radio
START_S = 2  # worth of octets that `start_s` waits for
CLASS_A = 12  # GPRS multislot class: four PDCHs down

CONFIG = """
run {{ name = "pcu", clock = "real" }}
gn {{ device = "{gn}", address = "192.0.2.1" }}
gb {{ device = "{gb}", address = "198.51.100.1", cell_delay = "{delay}", ms_delay = "{delay}" }}
ggsn {{ address = "192.0.2.2" }}
class {{ name = "background", octets = "{room} octets", lifetime = "unlimited", aqm {{ name = "{aqm}" }} }}
nse {{ nsei = {nsei}, nsvc {{ nsvci = {nsvci}, peer = "198.51.100.2", peer_port = {port} }},
    bvc {{ bvci = {bvci},
        ms {{ imsi = "001010000000000", count = {mss}, tlli = {tlli}, n201_u = "{n201_u} octets",
            ra_capability = "{capability}",
            pdp {{ nsapi = 5, class = "background", address = "10.0.0.0" }} }} }} }}
"""

Setting = collections.namedtuple("Setting", "pdchs mss octets codel delay aqm seconds")


def ra_capability():
    """24.008 clause 10.5.5.12a: GSM 1800, and of what may follow the multislot class alone."""
    bits = f"0011{21:07b}" + "001" "0" "1000" "1" "0" f"1{CLASS_A:05b}0" "0000" "0"
    return int(bits.ljust(40, "0"), 2).to_bytes(5).hex()


def config(setting, gn, gb_device):
    return CONFIG.format(
        gn=gn, gb=gb_device, delay=setting.delay, aqm=setting.aqm,
        room=max(24000, 12 * RATE_A_PDCH * setting.pdchs), nsei=gb.NSEI, nsvci=gb.NSVCI, bvci=gb.BVCI,
        port=LOCAL_PORT, mss=setting.mss, tlli=TLLI, capability=ra_capability(),
        n201_u=setting.octets + 10)


def packet(number, address, octets):
    """UDP over IPv4 from 203.0.113.9; Sluice looks at neither checksum."""
    udp = struct.pack(">HHHH", 9, 9, octets - 20, 0) + struct.pack(">I", number).ljust(octets - 28, b"x")
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, octets, number & 0xFFFF, 0, 64, 17, 0,
                       bytes([203, 0, 113, 9]), ipaddress.IPv4Address(address).packed) + udp


def is_filler(parts):
    """The LLC PDU that the PCU keeps a TBF open with."""
    return not parts or b"".join(octets for _, octets in parts)[3:].strip(b"\x2b") == b""


def gb_frames(namespace):
    """A socket with all that passes Gb."""
    with network.inside(namespace):
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        end.bind(("gb", ETH_P_ALL))
    return end


class Far:
    """What is behind Sluice in a namespace of Linux: a GGSN's socket, and osmo-pcu with its radio."""

    def __init__(self):
        self.folder = new_folder()
        self.radio = self.pcu = None

    def configure(self, namespace):
        """Once its devices are there."""
        self.namespace = namespace
        for device, address in ("gn", network.GGSN4), ("gb", network.BSS4):
            network.must("ip", "-n", namespace, "addr", "add", f"{address}/24", "dev", device)
            network.must("ip", "-n", namespace, "link", "set", device, "up")
        with network.inside(namespace):
            self.ggsn = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.ggsn.bind((network.GGSN4, network.GTPU_PORT))

    def start_radio(self, pdchs):
        (self.folder / "pcu_bts").unlink(missing_ok=True)
        self.radio = Radio(self.folder, (network.GB4, network.NS_PORT), LOCAL_PORT, pdchs, self.arrived)

    def start_pcu(self, codel="off"):
        settings = self.folder / "pcu.cfg"
        settings.write_text(PCU.format(socket=self.radio.path, dialect="classic") +
                            (" no queue codel\n" if codel == "off" else ""))
        with open(self.folder / "pcu.log", "ab") as log:
            self.pcu = subprocess.Popen(
                [*network.within(self.namespace), "osmo-pcu", "-c", settings], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        atexit.register(self.pcu.kill)
        self.radio.accept()

    def send(self, teid, octets):
        """A G-PDU."""
        self.ggsn.sendto(struct.pack(">BBHI", 0x30, 255, len(octets), teid) + octets,
                         (network.GN4, network.GTPU_PORT))

    @staticmethod
    def read(wait_s, *ends):
        """What has come to those, or nothing in that time."""
        sockets = {one.socket: one for one in ends}
        for ready in select.select(sockets, [], [], max(wait_s, 0))[0]:
            sockets[ready].read()


class Gb:
    """What passes: each LLC PDU that goes down with its time, and what the PCU says."""

    def __init__(self, namespace):
        self.socket = gb_frames(namespace)
        self.sent, self.offers, self.discarded = {}, [], 0  # by TLLI and octets

    def read(self):
        octets = self.socket.recv(2048)
        if octets[12:14] != b"\x08\x00" or octets[23] != 17 or octets[42] != 0:
            return
        pdu = octets[46:]
        if pdu[0] == 0x00:
            llc = Ms.llc_of(pdu)
            if llc[0] & 15 == 3 and llc[1] & 0xE0 == 0xC0:
                self.sent[pdu[1:5], llc] = time.monotonic()
        elif pdu[0] == 0x26:
            size, rate = (struct.unpack(">H", pdu[at:at + 2])[0] for at in (6, 10))
            self.offers.append((size * 100, rate * 100 // 8))
        elif pdu[0] == 0x2C:
            self.discarded += 1


class Chain(Far):
    def __init__(self, setting):
        super().__init__()
        self.setting = setting
        self.rate = RATE_A_PDCH * setting.pdchs
        self.came = {}  # the same: [(when, octets), ...]
        self.number = 0

    def __enter__(self):
        namespace, _, gn, gb_device = network.tap()
        self.program = Running(config(self.setting, gn, gb_device),
                               before=network.within(namespace))
        self.configure(namespace)
        self.teids = [one["teid"] for one in self.program.contexts()]
        self.gb = Gb(namespace)
        self.start_radio(self.setting.pdchs)
        self.start_pcu(self.setting.codel)
        return self

    def __exit__(self, *_):
        self.pcu.terminate()
        self.pcu.wait()
        self.program.kill()

    def arrived(self, tlli, parts):
        key = tlli.to_bytes(4), b"".join(octets for _, octets in parts)
        if key in self.gb.sent:
            self.came[key] = parts

    def step(self, until):
        """What has come, or a block of the radio."""
        self.read(min(self.radio.tick_if_due(), until - time.monotonic()), self.radio, self.gb)

    def until(self, condition, what):
        end = time.monotonic() + WAIT_S
        while not condition():
            right(time.monotonic() < end, f"{what}: not within {WAIT_S} s\n{self.program.said()}")
            self.step(end)

    def flood(self, times, seconds):
        """To the MSs in turn, each N-PDU when it is due."""
        gap = self.setting.octets / (times * self.rate)
        due = time.monotonic()
        end = due + seconds
        while due < end:
            while time.monotonic() < due:
                self.step(due)
            ms = self.number % self.setting.mss
            self.send(self.teids[ms], packet(self.number, f"10.0.0.{ms}", self.setting.octets))
            self.number += 1
            due += gap

    def run(self):
        """The figures."""
        self.until(lambda: len(self.gb.offers) >= 2, "flow control")
        self.radio.begin()
        begin = time.monotonic()
        self.flood(FLOOD_TO_FILL, FILL_S)
        start = time.monotonic()
        self.flood(FLOOD, self.setting.seconds)
        end = time.monotonic()
        self.flood(FLOOD, DRAIN_S)  # PDUs that were on the air at the end come to theirs
        return self.figures(begin, start, end)

    def figures(self, begin, start, end):
        took = [(parts[-1][0], parts[-1][0] - self.gb.sent[key]) for key, parts in self.came.items()]
        begun = [tbf.parts for tbf in self.radio.tbf_of.values() if not is_filler(tbf.parts)]
        pieces = sorted((when, len(octets)) for parts in (*self.came.values(), *begun)
                        for when, octets in parts)
        rate = sum(octets for when, octets in pieces if start <= when < end) / (end - start)
        inside = [delay for when, delay in took if start <= when < end]
        late = [delay for when, delay in took if (start + end) / 2 <= when < end]
        right(len(inside) > 2, f"hardly a PDU came: {len(took)}, handed over {len(self.gb.sent)}")
        gone = [key for key, at in self.gb.sent.items() if at < end - 15 and key not in self.came]
        return {
            "rate": rate, "of_radio": rate / self.rate, "start_s": self.start_s(pieces, begin),
            "pcu_p50_s": statistics.median(inside), "pcu_p95_s": statistics.quantiles(inside, n=20)[-1],
            "pcu_most_s": max(inside), "pcu_late_s": statistics.median(late or inside), "lost": len(gone),
            "discarded": self.gb.discarded, "late_ms": round(self.radio.latest_s * 1000),
            "bmax_octets": max(size for size, _ in self.gb.offers),
            "r_octets_per_s": statistics.median(rate for _, rate in self.gb.offers),
            "handed_over": len(self.gb.sent),
        }

    def start_s(self, pieces, begin):
        """From the first N-PDU until the radio has carried so much."""
        carried = 0
        for when, octets in pieces:
            carried += octets
            if carried >= START_S * self.rate:
                return when - begin
        return float("nan")
