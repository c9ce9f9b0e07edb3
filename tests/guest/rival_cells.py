#!/usr/bin/python3
"""Within a guest, whose kernel has the qdiscs: cells with the kernel's queues and cells with Sluice, between the same
hosts and the same phones of Linux, all at once. The last line that it prints is JSON: what became of each cell.

    rival_cells.py SECONDS ECN NAME...    ECN: tcp_ecn of all; settings by their names

There are four namespaces for all cells: hosts, routers, bss, phones. A cell has a veth pair between each two of them. The
router's end has the setting's queue, and the BSS's a first in, first out of the cell's rate, with the delay to the phones.
Sluice's cells are those of one `sluice run --tun` between hosts and phones. No two cells share an address.
"""

import collections
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/soak/outside")]

import kernel  # noqa: E402
import network  # noqa: E402
from capture import quantile  # noqa: E402
from harness import Failure, right  # noqa: E402
from rival_users import PORT, WARM_S, Loop, Users, serve  # noqa: E402

RATES_KBIT = 36, 100, 200
DELAY_MS = 150  # each way
LLC_OCTETS, ETHERNET_OCTETS = 10, 14  # of headers: each packet is one LLC PDU in all cells
MTU = 1500
FIFO_S = 10  # as much as osmo-pcu offers to hold
# A setting: its name, the part of the cell's rate that its queue may send, the qdisc (None: Sluice), the class of pages.
Setting = collections.namedtuple("Setting", "name share qdisc pages")
BACKGROUND, PAGES = "background", "interactive-1"
KINDS = "fq_codel", "cake", "fq_pie", "dualpi2"
SETTINGS = [
    Setting("first in, first out, 10 s", 1, "bfifo limit {fifo}", None),
    *(Setting(f"{kind}, {share * 100:.0f} %", share, kind, None) for kind in KINDS for share in (0.9, 1)),
    Setting("fq_codel, 100 %, tuned", 1, "fq_codel target {target}us interval 1s", None),
    Setting("cake, 100 %, rtt 1 s", 1, "cake rtt 1s", None),
    Setting("Sluice", None, None, BACKGROUND),
    Setting("Sluice, pages in THP1", None, None, PAGES),
]
# (phones that download, phones that browse); the first phone downloads and pings.
LOADS = {"1 download": (1, 0), "4 downloads": (4, 0), "1 download, 4 browse": (1, 4)}

HOSTS, ROUTERS, BSS, PHONES = SPACES = "hosts", "routers", "bss", "phones"
CONFIG = """
run {{ name = "rivals", clock = "virtual", duration = "{seconds} s", seed = 1 }}
log {{ level = "error" }}
gn {{ device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }}
gb {{ device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000 }}
nse {{ nsei = 101, nsvc {{ nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" }},
{cells}
}}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", gi {{ latency = "{delay} ms" }}, mobile {{ n201_u = "1520 octets" }} }}
"""
CELL = '    bvc {{ bvci = {bvci}, flow {{ rate = "{rate} kbit/s" }}, buffer {{ rate = "{rate} kbit/s" }}, {mss} }},'
MS = 'ms {{ imsi = "00101{imsi:010}", count = {count}, n201_u = "1520 octets", pdp {{ nsapi = 5, sapi = {sapi}, ' \
     'class = "{name}", address = "{address}" }} }}'
SAPI = {BACKGROUND: 11, PAGES: 5}


class Cell:
    def __init__(self, number, setting, load, rate_kbit):
        self.number, self.setting, self.load, self.rate_kbit = number, setting, load, rate_kbit
        self.downloads, self.browsers = LOADS[load]
        self.host = f"10.{number}.0.1"
        self.phones = [f"10.{number}.1.{1 + n}" for n in range(self.downloads + self.browsers)]
        self.random = random.Random(f"{load} {rate_kbit}")  # so that the users of all settings do the same


def chosen(words):
    """The names of the settings that have one of the words, or of all."""
    return [each.name for each in SETTINGS if not words or any(word in each.name for word in words)]


def cells_of(settings):
    return [Cell(number, *each) for number, each in enumerate(itertools.product(settings, LOADS, RATES_KBIT), 1)]


# ---- The network ----

def batch(program, space, lines):
    done = subprocess.run([program, "-n", space, "-batch", "-"], input="\n".join(lines) + "\n", capture_output=True,
                          encoding="utf-8", check=False)
    right(done.returncode == 0, f"{program} in {space}: {done.stderr.strip()}")


def has_qdisc(setting):
    """Whether the kernel has it."""
    return network.command("tc", "-n", ROUTERS, "qdisc", "replace", "dev", "lo", "root", setting.qdisc.split()[0]).returncode == 0


def links(cell):
    """{namespace: the lines of ip}. No ARP: the two ends of a pair have one Ethernet address, which is right for both."""
    n, host, phones = cell.number, cell.host, f"10.{cell.number}.1.0/24"
    lines = {space: [] for space in SPACES}

    def pair(space, device, other, its):
        lines[space].append(f"link add {device}{n} address 02:00:00:00:00:01 type veth peer name {its}{n} "
                            f"address 02:00:00:00:00:01 netns {other}")

    def up(space, device, *routes, more=""):
        # Segments as on a wire: a queue must not have a burst of them as one packet.
        lines[space].append(f"link set {device}{n} arp off gso_max_segs 1 up")
        lines[space] += [f"addr add {address}/32 dev {device}{n}" for address in more.split()]
        lines[space] += [f"route add {route} dev {device}{n}" for route in routes]
    pair(HOSTS, "host", ROUTERS, "north")
    pair(ROUTERS, "queue", BSS, "gb")
    pair(BSS, "cell", PHONES, "phone")
    up(HOSTS, "host", phones, more=host)
    up(ROUTERS, "north", host)
    up(ROUTERS, "queue", phones)
    up(BSS, "gb", host)
    up(BSS, "cell", phones)
    up(PHONES, "phone", host, more=" ".join(cell.phones))
    return lines


def queue(cell):
    """The lines of tc for the router. A shaper counts what a packet has in the cell."""
    device, share_bit = f"queue{cell.number}", int(cell.rate_kbit * 1000 * cell.setting.share)
    qdisc = cell.setting.qdisc.format(fifo=cell.rate_kbit * 125 * FIFO_S, target=MTU * 8 * 1500 // cell.rate_kbit)
    if qdisc.startswith("cake"):
        return [f"qdisc add dev {device} root {qdisc} bandwidth {share_bit}bit overhead {LLC_OCTETS}"]
    # A burst of HTB's would stand in the cell's FIFO: at 36 kbit/s a packet costs a ping 0.3 s.
    return [f"qdisc add dev {device} root handle 1: stab overhead {LLC_OCTETS - ETHERNET_OCTETS} htb default 1",
            f"class add dev {device} parent 1: classid 1:1 htb rate {share_bit}bit burst 1 cburst 1",
            f"qdisc add dev {device} parent 1:1 {qdisc}"]


def build(cells):
    """All but Sluice. Devices first: what a line names may be made in another namespace."""
    for space in ROUTERS, BSS:
        with network.inside(space):
            for name in "net/ipv4/ip_forward", "net/ipv6/conf/default/disable_ipv6":
                pathlib.Path("/proc/sys", name).write_text("1")
    all_lines = [links(cell) for cell in cells]
    for is_made in True, False:
        for space in SPACES:
            batch("ip", space, [line for lines in all_lines for line in lines[space] if line.startswith("link add") == is_made])
    batch("tc", ROUTERS, [line for cell in cells for line in queue(cell)])
    batch("tc", BSS, [f"qdisc add dev cell{cell.number} root netem delay {DELAY_MS}ms limit 10000 "
                      f"rate {cell.rate_kbit}kbit {LLC_OCTETS - ETHERNET_OCTETS}" for cell in cells])
    batch("tc", PHONES, [f"qdisc add dev phone{cell.number} root netem delay {DELAY_MS}ms limit 10000" for cell in cells])


# ---- Sluice ----

def ms_block(cell, first, count, name):
    return MS.format(imsi=10 * cell.number + first, count=count, sapi=SAPI[name], name=name, address=cell.phones[first]) if count else ""


def cell_block(cell):
    mss = [ms_block(cell, 0, cell.downloads, BACKGROUND), ms_block(cell, cell.downloads, cell.browsers, cell.setting.pages)]
    return CELL.format(bvci=1 + cell.number, rate=cell.rate_kbit, mss=", ".join(filter(None, mss)))


class Sluice(kernel.Outside):
    captures = ()

    def __init__(self, cells, seconds, folder, tuns):
        self.is_up = threading.Event()
        file = folder / "rivals.lua"
        file.write_text(CONFIG.format(seconds=seconds, delay=DELAY_MS, cells="\n".join(map(cell_block, cells))))
        super().__init__([file, "--set", f"@{ROOT}/config/recommended.lua", "--out", folder / "sluice"], tuns)

    def begin(self, now_s):
        self.is_up.set()


# ---- A run ----

def idle_s():
    return float(pathlib.Path("/proc/uptime").read_text().split()[1])


def measured(cells, seconds):
    """The figures of all cells; how late the timers were, and the share of the processor's time that was left."""
    print(f"{len(cells)} cells, {seconds} s", flush=True)
    with network.inside(PHONES):
        loop, begin_idle_s = Loop(), idle_s()
        start_s = time.monotonic()
        users = [Users(loop, cell, start_s) for cell in cells]
        loop.run(start_s + seconds)
    end_s = time.monotonic()
    return {"cells": [each.figures(start_s, end_s) for each in users], "measured_s": end_s - start_s - WARM_S,
            "late_p99_s": quantile(loop.late_s, 0.99), "late_most_s": max(loop.late_s),
            "idle": (idle_s() - begin_idle_s) / (end_s - start_s)}


def main():
    seconds, ecn = map(int, sys.argv[1:3])
    for space in SPACES:
        network.namespace(space)
    settings = [each for each in SETTINGS if each.name in sys.argv[3:]]
    missing = [each.name for each in settings if each.qdisc and not has_qdisc(each)]
    cells = cells_of([each for each in settings if each.name not in missing])
    theirs, ours = [cell for cell in cells if cell.setting.qdisc], [cell for cell in cells if not cell.setting.qdisc]
    sysctls = {"net/ipv4/tcp_ecn": ecn}
    tuns = [kernel.device(HOSTS, [cell.host for cell in ours], sysctls),
            kernel.device(PHONES, [phone for cell in ours for phone in cell.phones], sysctls)]
    build(theirs)
    with network.inside(HOSTS):
        listener = socket.create_server(("", PORT), backlog=4096)
    server = multiprocessing.Process(target=serve, args=(listener,), daemon=True)
    server.start()
    sluice = Sluice(ours, seconds + 5, pathlib.Path(os.environ["TMPDIR"]), tuns) if ours else None
    while sluice and not sluice.is_up.wait(0.5):
        right(sluice.is_alive(), f"sluice ended: {sluice.fault}")
    found = measured(cells, seconds)
    if sluice:
        sluice.ended()
        found["late_most_s"] = max(found["late_most_s"], sluice.late_s)
    print(json.dumps({**found, "kernel": os.uname().release, "missing": missing}))


if __name__ == "__main__":
    try:
        main()
    except Failure as why:
        sys.exit(f"rivals: {why}")
